"""What clients send, held to its form: bodies of requests, files beside the messages, names of uploads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import flask
from pydantic import BaseModel
from werkzeug.utils import secure_filename

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import UserError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.results import well_formed
from hugginggpt.media.store import MediaStore
from hugginggpt.web.batch_schemas import BatchRequest, BatchStart, ZipRequest
from hugginggpt.web.schemas import GoalDecision, GoalRequest, validate

MAX_JSON_BYTES = 2_000_000
MAX_NAME_CHARS, MAX_SUFFIX_CHARS = 100, 10
MESSAGES = '{"messages": [{"role": "user", "content": "..."}]}'
EXAMPLES = {
    GoalRequest: '{"goal": "..."}',
    BatchRequest: '{"request": "...", "files": ["/uploads/..."]}',
    BatchStart: "{}",
    ZipRequest: '{"paths": ["/images/..."]}',
    GoalDecision: '{"step": 1, "hash": "...", "decision": "approve"}',
}
"""What is said of a body that is none."""


def read_body(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON object that was sent, its fields in the form of a model. Raises UserError, RequestEntityTooLarge."""
    flask.request.max_content_length = MAX_JSON_BYTES
    try:
        body = read_json(flask.request.get_data())
    except ValueError:
        body = None
    if isinstance(body, dict) and not flask.request.is_json:
        raise UserError('The body is JSON, but not declared as such: send the header "Content-Type: application/json".')
    if not isinstance(body, dict):
        raise UserError(f"The body should be JSON: {EXAMPLES.get(model, MESSAGES)}.")
    return validate(body, model)


def read_attachments(files: Sequence[Any] | None, media: MediaStore) -> list[Attachment]:
    """The files of a validated body: public paths, URLs, or {"name", "path"}. Raises MediaError for another path."""
    items = [{"path": file} if isinstance(file, str) else file for file in files or ()]
    return [
        media.public_attachment(well_formed(item["path"]), well_formed(item.get("name", ""))[:MAX_NAME_CHARS])
        for item in items
    ]


def safe_name(sent: str) -> str:
    """A safe, short file name with the original suffix, by which text files are recognised."""
    name = Path(sent.replace("\\", "/").replace("\0", ""))
    stem, suffix = secure_filename(name.stem)[:MAX_NAME_CHARS], secure_filename(name.suffix)
    return f"{stem or 'file'}.{suffix}" if 0 < len(suffix) < MAX_SUFFIX_CHARS else stem or "file"


def shown_name(sent: str) -> str:
    """The name of an uploaded file as the user knows it, without folders."""
    name = well_formed(sent).replace("\\", "/").rpartition("/")[2]
    shown = "".join(char for char in name if char.isprintable()) or "file"
    return shown if len(shown) <= MAX_NAME_CHARS else f"{shown[:60]}…{shown[-MAX_SUFFIX_CHARS:]}"
