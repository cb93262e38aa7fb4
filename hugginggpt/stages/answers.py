"""Common to all answers, whoever words them: files and failures come from the run record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from hugginggpt.answers.accounting import model_lines
from hugginggpt.core.events import RunRecord
from hugginggpt.core.results import files_of
from hugginggpt.llm.base import Reading

NO_SUCH_FILE = "(no such file)"
_PATH = re.compile(
    r"https?://[^\s<>\"'`)\]]+|(?:(?<![\w/.])|(?<=public))/?(?:images|audios|videos|uploads|examples)/[^\s<>\"'`)\]]+"
)
_TRAILING = ".,;:!?*_"


def files_line(record: RunRecord, besides: str = "") -> str:
    """The generated files that are not named in `besides`, each with its task; "" if there are none."""
    made_by = {path: task.task["task"] for task in record.tasks.values() if task.ok for path in files_of(task.value)}
    files = ", ".join(f"{path} ({made_by.get(path, 'file')})" for path in record.files if path not in besides)
    return f"Files: {files}" if files else ""


def failures_text(record: RunRecord) -> str:
    """The tasks that failed or were skipped, and the models that were to be used and were not, with the reasons; "" if
    there are none.
    """
    return "\n".join([*(f"Not done: {error}" for error in record.errors), *model_lines(record)])


def only_real_paths(pieces: Iterable[str], record: RunRecord) -> Iterator[str]:
    """The pieces of a streamed answer with made-up paths and URLs replaced.

    Text after the last blank is held back, so that no path is checked before it is complete. `Reading` passes as it is.
    """
    known = _known(record)
    held = ""
    for piece in pieces:
        if isinstance(piece, Reading):
            yield piece
        held += piece
        cut = max(held.rfind(" "), held.rfind("\n")) + 1
        if cut:
            yield _checked(held[:cut], known)
            held = held[cut:]
    if held:
        yield _checked(held, known)


def _known(record: RunRecord) -> str:
    """All texts of the run that may contain a path or URL: request, attachments, arguments and results."""
    attached = [file.to_json() for file in record.attachments]
    results = [[task.task["args"], task.value] for task in record.tasks.values()]
    return record.request + json.dumps([attached, results], ensure_ascii=False, default=str)


def _checked(text: str, known: str) -> str:
    def check(match: re.Match[str]) -> str:
        path = match[0].rstrip(_TRAILING)
        named = path if path.startswith(("http", "/")) else f"/{path}"
        return match[0] if named in known or path in known else NO_SUCH_FILE + match[0][len(path) :]

    return _PATH.sub(check, text)
