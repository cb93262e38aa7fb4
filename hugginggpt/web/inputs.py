"""What clients send, held to its form: bodies of requests, files beside the messages, names of uploads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import flask
from werkzeug.utils import secure_filename

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import UserError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.results import well_formed
from hugginggpt.media.store import MediaStore

MAX_JSON_BYTES = 2_000_000
MAX_FILES = 50
MAX_NAME_CHARS, MAX_SUFFIX_CHARS = 100, 10
RUN_ID = re.compile(r"[0-9a-f]{1,32}")


def read_body() -> dict[str, Any]:
    """The JSON object in the body. Raises UserError if it is not one, RequestEntityTooLarge if it is too large."""
    flask.request.max_content_length = MAX_JSON_BYTES
    try:
        body = read_json(flask.request.get_data())
    except ValueError:
        body = None
    if not flask.request.is_json or not isinstance(body, dict):
        raise UserError('The body should be JSON: {"messages": [{"role": "user", "content": "..."}]}.')
    return body


def read_until(body: dict[str, Any]) -> str:
    until = body.get("until", "answer")
    if until not in ("plan", "results", "answer"):
        raise UserError('"until" should be "plan", "results" or "answer".')
    return str(until)


def read_run_id(value: Any) -> str:
    """Raises UserError for what cannot be the id of a run; "last" is none: it may be anybody's."""
    if not isinstance(value, str) or not RUN_ID.fullmatch(value):
        raise UserError('"resume" should be the id of a run.')
    return value


def read_attachments(files: Any, media: MediaStore) -> list[Attachment]:
    """The attachments of a request: public paths, URLs, or {"name", "path"}. Raises UserError for anything else."""
    form = '"files" should be a list of public paths or URLs, or of {"name": text, "path": path or URL}'
    if files is None:
        return []
    if not isinstance(files, list):
        raise UserError(f"{form}.")
    if len(files) > MAX_FILES:
        raise UserError(f"{len(files)} files are attached, more than the {MAX_FILES} that a request may have.")
    attached = []
    for file in files:
        item = {"path": file} if isinstance(file, str) else file
        path, name = (item.get("path"), item.get("name", "")) if isinstance(item, dict) else (None, None)
        if not isinstance(path, str) or not isinstance(name, str):
            raise UserError(f"A file cannot be read: {form}.")
        attached.append(media.public_attachment(well_formed(path), well_formed(name)[:MAX_NAME_CHARS]))
    return attached


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
