"""The names by which answers call what earlier turns of a conversation made: "note.wav (cut)" and not its hash."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.core.results import FILE_KINDS, files_of
from hugginggpt.core.task_types import TaskType
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.types import kind_of

_CHANGED = re.compile(r"The (\w+) (?:picture|recording|video|document|table): \{\}")
"""The answer of a row whose task changes a file; the first word tells how."""
MAX_SOURCES = 3


def made_before(turns: Sequence[Turn], table: TaskTable, attached: Sequence[Attachment]) -> Iterator[Attachment]:
    """The files that the tasks of earlier turns made of others, called by these and by what was done to them."""
    names = {file.reference: file.name for file in attached}
    for past in (past for turn in turns for past in turn.tasks):
        row = table.find(past.task)
        if not past.ok or row is None or not (sources := _sources(past, row, names)):
            continue
        for path in files_of(past.value):
            names[path] = _called(sources, row, path)
            yield Attachment(names[path], path, kind_of(path))


def _sources(past: PastTask, row: TaskType, names: Mapping[str, str]) -> list[str]:
    """The names of the files that a task was given."""
    given = [past.args.get(arg.name) for arg in row.args if arg.kind in FILE_KINDS]
    listed = [one for value in given for one in (value if isinstance(value, list) else [value])]
    return list(dict.fromkeys(names[one] for one in listed if isinstance(one, str) and one in names))


def _called(sources: Sequence[str], row: TaskType, path: str) -> str:
    match = _CHANGED.fullmatch(row.answer)
    how = match[1] if match else path.rpartition(".")[2].upper()
    told = " + ".join(sources[:MAX_SOURCES]) + (f" + {len(sources) - MAX_SOURCES} more" * (len(sources) > MAX_SOURCES))
    if told.endswith(")") and len(sources) == 1:  # "note.wav (cut, MP3)"
        return told if told.endswith((f"({how})", f" {how})")) else f"{told[:-1]}, {how})"
    return f"{told} ({how})"
