"""Follows a run to its end in a terminal."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TextIO

from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.events import AnswerDelta, RunRecord
from hugginggpt.goals.display import without_controls
from hugginggpt.media.named_files import named_files
from hugginggpt.stages.run import Run, Runner
from hugginggpt.terminal.progress import make_progress

MAX_FILES = 2000
"""The files of a folder among which a missing one is looked for."""


def prepared(controller: Runner, request: str, files: Sequence[Attachment] = (), turns: Sequence[Turn] = ()) -> Run:
    """A run with the attachments, and the local files that the request names. Raises UserError."""
    run = controller.prepare([{"role": "user", "content": request}], files, turns)
    run.files = (*run.files, *named_files(request, run.named, run.known_files))
    run.nearby = [
        name for one in run.named if one.is_file and "://" not in one.text for name in _names_beside(one.text)
    ]
    return run


def _names_beside(name: str) -> list[str]:
    """The files in the folder of a name, as the user would write them."""
    try:
        folder = Path(name).expanduser().parent
        return [str(folder / file.name) for file in itertools.islice(folder.iterdir(), MAX_FILES)]
    except (OSError, RuntimeError, ValueError):  # no such folder
        return []


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
                    print(_shown(event.text, speak), end="", file=speak, flush=True)
    except BaseException:  # Ctrl-C: no row of the table still says "running"
        record.cut_off()
        raise
    finally:
        progress.close(record)
    if speak and record.message:
        rest = record.message.removeprefix(streamed.strip()) if streamed.strip() else record.message
        print(_shown(f"\n\n{rest}" if streamed and rest == record.message else rest, speak), file=speak)
    if record.corrections and not quiet:
        print(_corrected(len(record.corrections)), file=sys.stderr)
    return record


def _shown(text: str, speak: TextIO) -> str:
    """A text as it may be written: on a terminal nothing in it commands the terminal."""
    return without_controls(text) if speak.isatty() else text


def _corrected(number: int) -> str:
    were = "1 sentence of the language model was" if number == 1 else f"{number} sentences of the language model were"
    return f"({were} replaced or left out, as the results say otherwise; --json shows what.)"
