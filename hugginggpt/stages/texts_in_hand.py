"""The texts that a request is about: what its tasks heard or read, its documents, tables and pages, else those of the
conversation before it; of long ones the parts that are nearest in meaning to a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.core.conversation import find_attachment
from hugginggpt.core.documents import split_name
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.core.events import RunRecord
from hugginggpt.core.plan import REFERENCE
from hugginggpt.core.results import TEXT
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.experts import minilm
from hugginggpt.media.names import base_name
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import NamedTable, tables
from hugginggpt.media.texts import text_of_file
from hugginggpt.media.types import kind_of
from hugginggpt.stages.documents import page_reader
from hugginggpt.stages.run import Run

MOST, CHARS = 3, 2500
"""The most texts for one question, and how many characters they may have together."""
PART_CHARS = 200
"""The length from which on further lines of a text are another part of it."""
MAX_PARTS = 400
"""Of longer texts the first so many parts are looked through: each costs milliseconds."""
Done = tuple[TaskType | None, Mapping[str, Any], Any]
"""A task's row, its arguments, and its result; None where it failed."""


@dataclass(frozen=True, slots=True)
class TextInHand:
    """A text, and what the user calls the file that it is from; `tables` are those of a file of tables."""

    name: str
    text: str
    tables: tuple[NamedTable, ...] = ()


class TextsInHand:
    """Finds the texts of runs. A picture is read only where it was taken for a page before."""

    def __init__(self, media: MediaStore, table: TaskTable) -> None:
        self.media = media
        self.table = table

    def of(self, run: Run, record: RunRecord) -> list[TextInHand]:
        """The texts of the request itself; where it has none, those of the latest turn before it that has some."""
        done: list[Done] = [(task.row, task.task["args"], task.value) for task in record.tasks.values()]
        named = [one.text for one in run.named if one.is_file]
        texts = [*self._of_tasks(run, done), *self._of_files(run, [*(file.reference for file in run.files), *named])]
        for turn in reversed(run.turns):
            if texts:
                break
            done = [(self.table.find(task.task), task.args, task.value) for task in turn.tasks]
            texts = [*self._of_tasks(run, done), *self._of_files(run, [file.reference for file in turn.files])]
        return list({text.text: text for text in texts}.values())[:MOST]

    def _of_tasks(self, run: Run, done: Iterable[Done]) -> Iterator[TextInHand]:
        """What tasks wrote down, and what questions were put to."""
        for row, args, value in done:
            if row is None:
                continue
            asked = row.text_arg.name if row.text_arg and row.wording == "question" else ""
            given = [value for name, value in args.items() if isinstance(value, str) and name != asked]
            files = [one for one in given if kind_of(split_name(one)[0])]
            if row.result is TEXT and value and not row.llm:
                yield TextInHand(_called(files[0], run) if files else "the text", TEXT.to_text(value))
            elif row.wording == "question" and files:
                was_read = row.subject is not None or bool(value)  # of a photograph there are words only if it was read
                yield from self._of_files(run, files, are_pages=was_read)
            elif row.wording == "question" and row.input_kind == "text":
                yield from (TextInHand("the text", text) for text in given if not REFERENCE.search(text))

    def _of_files(self, run: Run, names: Sequence[str], are_pages: bool = False) -> Iterator[TextInHand]:
        """The texts of files; those that cannot be read are left out."""
        for name in dict.fromkeys(split_name(name)[0] for name in names):
            attached = find_attachment(name, run.known_files)
            kind = (attached.kind if attached else None) or kind_of(name)
            if kind in ("text", "table", "document") or (kind == "image" and are_pages):
                with suppress(HuggingGPTError, OSError):
                    path = self.media.open(name, "document", run.known_files, may_redirect=run.may_fetch)
                    yield _text_in(path, _called(name, run), kind)


def about(question: str, texts: Sequence[TextInHand]) -> list[TextInHand]:
    """The texts, each with its share of what may be given of all: the parts nearest in meaning to the question, in
    their order, with the first one, which tells what the text is.
    """
    room = CHARS // max(1, len(texts))
    return [TextInHand(text.name, nearest_parts(question, text.text, room)) for text in texts]


def nearest_parts(question: str, text: str, room: int) -> str:
    """As much of a text as there is room for."""
    if len(text) <= room:
        return text
    parts = _parts(text)[:MAX_PARTS]
    scores = minilm.similarities(question, parts)
    kept = {0}
    left = room - len(parts[0])
    for at in sorted(range(1, len(parts)), key=lambda at: -scores[at]):
        if len(parts[at]) <= left:
            kept.add(at)
            left -= len(parts[at]) + 1
    gap = [at for at in sorted(kept) if at - 1 not in kept and at]
    return "\n".join(f"…\n{parts[at]}" if at in gap else parts[at] for at in sorted(kept))[: 2 * room]


def _parts(text: str) -> list[str]:
    """The lines of a text, short ones together; a long one in pieces."""
    parts = [""]
    for line in text.splitlines():
        pieces = [line[at : at + 3 * PART_CHARS] for at in range(0, len(line), 3 * PART_CHARS)]
        for piece in pieces:
            if len(parts[-1]) >= PART_CHARS:
                parts.append("")
            parts[-1] += f"\n{piece}" if parts[-1] else piece
    return parts


def _text_in(path: Path, called: str, kind: str) -> TextInHand:
    """Raises MediaError."""
    read_page = page_reader()
    text = read_page(path) if kind == "image" and read_page else text_of_file(path, read_page)
    return TextInHand(called, text, tuple(tables(path, at_least=1)) if kind == "table" else ())


def _called(name: str, run: Run) -> str:
    attached = find_attachment(name, run.known_files)
    return base_name(attached.name if attached else name)
