"""Follows a run to its end in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TextIO

from hugginggpt.core.conversation import Attachment, Turn, find_attachment
from hugginggpt.core.errors import UserError
from hugginggpt.core.events import AnswerDelta, RunRecord
from hugginggpt.media.references import Resource
from hugginggpt.stages.run import Run, Runner
from hugginggpt.terminal.progress import make_progress

MAX_WORDS_BEFORE, MAX_NAME_CHARS = 6, 255
"""The maximum number of words in an unquoted file name with blanks."""


def prepared(controller: Runner, request: str, files: Sequence[Attachment] = (), turns: Sequence[Turn] = ()) -> Run:
    """A run with the attachments, and the local files that the request names. Raises UserError."""
    run = controller.prepare([{"role": "user", "content": request}], files, turns)
    run.files = (*run.files, *named_files(request, run.named, run.known_files))
    return run


def follow(controller: Runner, run: Run, until: str, quiet: bool, speak: TextIO | None = None) -> RunRecord:
    """Runs a request to its end, showing progress, and returns its record.

    The answer is written to `speak` as it arrives, and completely at the end if the pieces were not all of it.
    """
    record = RunRecord()
    progress = make_progress(quiet)
    streamed = ""
    try:
        with closing(controller.run(run, until)) as happening:  # its record is kept even if Ctrl-C arrives here
            for event in happening:
                progress.show(event, record.apply(event))
                if speak and isinstance(event, AnswerDelta):
                    progress.close()
                    streamed += event.text
                    print(event.text, end="", file=speak, flush=True)
    finally:
        progress.close()
    if speak and record.message:
        rest = record.message.removeprefix(streamed.strip()) if streamed.strip() else record.message
        print(f"\n\n{rest}" if streamed and rest == record.message else rest, file=speak)
    return record


def named_files(request: str, named: Sequence[Resource], known: Sequence[Attachment] = ()) -> list[Attachment]:
    """The local files that a request names, except those whose names are `known`.

    Raises UserError when a name is ambiguous.
    """
    files: dict[str, Attachment] = {}
    for resource in named:
        if not resource.is_file or "://" in resource.text or find_attachment(resource.text, known):
            continue
        paths = ((name, path) for name in _longer_names(request, resource) if (path := _file(name)))
        name, path = next(paths, ("", None))
        if path is None:
            continue
        file = Attachment(name, path.as_uri(), resource.kind)
        if files.setdefault(resource.text, file) != file:
            raise UserError(f"Several names end in {resource.text}: put each whole name in quotes.")
    return list(dict.fromkeys(files.values()))


def _longer_names(request: str, resource: Resource) -> Iterator[str]:
    """The name, then what it is with ever more of the words before it: "my cat.jpg" may stand there without quotes."""
    yield resource.text
    before = request[max(0, resource.start - MAX_NAME_CHARS) : resource.start].rpartition("\n")[2]
    for word in list(re.finditer(r"[^\s\"']+\s", before))[: -MAX_WORDS_BEFORE - 1 : -1]:
        yield (before[word.start() :] + resource.text).replace("\\ ", " ")


def _file(name: str) -> Path | None:
    try:
        path = Path(name).expanduser().absolute()  # a run may be resumed from another folder
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # not a valid file name, or ~name of an unknown user
        return None
