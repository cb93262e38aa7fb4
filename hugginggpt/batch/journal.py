"""The folder of a batch: what is to be done, and a journal of what was, one JSON object a line.

A row is known by the content of its files, its texts and the plan: what was done for it counts under another name, too,
and a file that has changed is done again. One process at a time works on a batch.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Self

from hugginggpt.batch.rows import Row
from hugginggpt.common.atomic_files import atomic_write_text
from hugginggpt.common.file_locks import lock
from hugginggpt.core.errors import UserError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.results import INVALID_RESULT_ERRORS
from hugginggpt.media.named_files import odd_file
from hugginggpt.stages.plan_files import PlanFile, read_plan_file

BATCH, PLAN, JOURNAL, FILES = "batch.json", "plan.json", "journal.jsonl", "files"


def is_batch(folder: str) -> bool:
    """Whether a folder is that of a batch."""
    try:
        return (Path(folder).expanduser() / BATCH).is_file()
    except (OSError, RuntimeError, ValueError):  # no name that a folder can have
        return False


class BatchBusy(UserError):
    """Another process works on the batch."""


def key_of(row: Row, plan: str, by_names: bool = False) -> str:
    """What a row is known by; a URL, and a file that cannot be read, by its name. `plan` is the text of the plan."""
    digest = hashlib.sha256(plan.encode())
    for column, path in row.files.items():
        digest.update(f"\0{column}\0".encode())
        digest.update(path.encode("utf-8", "replace") if by_names else _content(path))
    digest.update(json.dumps(dict(row.texts), sort_keys=True).encode())
    return digest.hexdigest()[:32]


def _content(path: str) -> bytes:
    name = path.encode("utf-8", "replace")
    try:
        place = Path(path).expanduser()
        if odd_file(place):  # a pipe or device may have no end
            return name
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except (OSError, RuntimeError, ValueError):
        return name


class BatchFolder:
    """The folder of one batch. What is done is kept as it comes; where it stands in the journal is kept in memory.

    The files of rows that are `public` are public paths and URLs, as clients of a server name them; a public path names
    one content for ever. Safe for several threads.
    """

    def __init__(
        self, folder: Path, plan: PlanFile, slots: Mapping[str, str], rows: Sequence[Row], is_public: bool = False
    ) -> None:
        self.folder, self.plan, self.slots, self.rows, self.is_public = folder, plan, slots, rows, is_public
        self.files = folder / FILES
        self._text = json.dumps([plan.to_json(), dict(slots)], sort_keys=True)
        self._places: dict[str, tuple[int, bool]] = {}
        self._journal: BinaryIO | None = None
        self._using = threading.Lock()

    @classmethod
    def begin(
        cls, folder: Path, plan: PlanFile, slots: Mapping[str, str], rows: Sequence[Row], is_public: bool = False
    ) -> BatchFolder:
        """A new one. Raises UserError where there is one already, or the folder cannot be written to."""
        if is_batch(str(folder)):
            raise UserError(f"There is a batch in {folder} already: go on with it, --resume {folder}, or name another.")
        new = cls(folder, plan, slots, rows, is_public)
        new._write_head()
        new._open()
        return new

    @classmethod
    def resume(cls, folder: Path, rows: Sequence[Row] = ()) -> BatchFolder:
        """One that was begun, by default with its rows. Raises UserError for one that cannot be read, BatchBusy where
        another process works on it.
        """
        known = cls.read(folder, rows)
        known._open()
        if rows:
            known._write_head()
        return known

    @classmethod
    def read(cls, folder: Path, rows: Sequence[Row] = ()) -> BatchFolder:
        """As `resume`, to be looked at once `look` has found what was done."""
        try:
            head = read_json((folder / BATCH).read_text(encoding="utf-8"))
            plan = read_plan_file(read_json((folder / PLAN).read_text(encoding="utf-8")))
            kept = tuple(map(Row.from_json, head["rows"]))
            slots = {str(column): str(name) for column, name in head["slots"].items()}
        except (OSError, *INVALID_RESULT_ERRORS) as error:
            raise UserError(f"The batch in {folder} cannot be read: {error}.") from error
        return cls(folder, plan, slots, rows or kept, head.get("public") is True)

    def replan(self, plan: PlanFile, slots: Mapping[str, str]) -> BatchFolder:
        """The same rows with another plan, to be run; what was done under the plan before does not count."""
        self.close()
        other = BatchFolder(self.folder, plan, slots, self.rows, self.is_public)
        other._write_head()
        other._open()
        return other

    def _write_head(self) -> None:
        head = {"slots": dict(self.slots), "public": self.is_public, "rows": [row.to_json() for row in self.rows]}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            atomic_write_text(self.folder / PLAN, self.plan.to_text())
            atomic_write_text(self.folder / BATCH, json.dumps(head, ensure_ascii=False))
        except OSError as error:
            raise UserError(f"The folder {self.folder} cannot be written to: {error.strerror or error}.") from error

    def _open(self) -> None:
        """Opens the journal for further lines. A last line that was cut off is overwritten. Raises BatchBusy."""
        journal = (self.folder / JOURNAL).open("a+b")
        try:
            lock(journal)
        except BlockingIOError:
            journal.close()
            raise BatchBusy("Another process works on this batch: wait for it, or stop it there.") from None
        self._journal = journal
        end = self._find(journal)
        journal.truncate(end)
        journal.seek(end)

    def look(self) -> Self:
        """Finds what was done, whoever works on it."""
        with (self.folder / JOURNAL).open("rb") as journal:
            self._find(journal)
        return self

    def _find(self, journal: BinaryIO) -> int:
        """Finds what was done, and where the last whole line ends; a line that is damaged is passed over."""
        journal.seek(0)
        end = 0
        for line in journal:
            if not line.endswith(b"\n"):
                break
            if entry := _entry(line):
                self._places[entry["key"]] = (end, not entry["error"])
            end += len(line)
        return end

    def close(self) -> None:
        with self._using:
            if self._journal:
                self._journal.close()
                self._journal = None

    def key(self, row: Row) -> str:
        return key_of(row, self._text, by_names=self.is_public)

    def is_done(self, key: str) -> bool:
        """Whether all tasks were done for the rows of this key."""
        return self._places.get(key, (0, False))[1]

    def add(self, key: str, outcome: Mapping[str, Any]) -> None:
        """Keeps what came of a row; a later outcome takes the place of an earlier one."""
        line = json.dumps({**outcome, "key": key}, ensure_ascii=False, default=str).encode("utf-8", "replace")
        with self._using:
            assert self._journal
            place = self._journal.seek(0, 2)
            self._journal.write(line + b"\n")
            self._journal.flush()
            self._places[key] = (place, not outcome["error"])

    def outcomes(self) -> Iterator[tuple[Row, dict[str, Any] | None]]:
        """Each row with what came of it, in their order; None for one that was not run. One is in memory at a time."""
        for row in self.rows:
            yield row, self.outcome(self.key(row))

    def outcome(self, key: str) -> dict[str, Any] | None:
        """What came of the rows of this key; None where they were not run."""
        place = self._places.get(key)
        if place is None:
            return None
        with self._using:
            if self._journal:
                return _entry_at(self._journal, place[0])
        with (self.folder / JOURNAL).open("rb") as journal:
            return _entry_at(journal, place[0])


def _entry_at(journal: BinaryIO, place: int) -> dict[str, Any] | None:
    journal.seek(place)
    return _entry(journal.readline())


def _entry(line: bytes) -> dict[str, Any] | None:
    """A line of the journal; None for one that is damaged: its row is run again."""
    try:
        entry = read_json(line)
    except ValueError:
        return None
    return entry if _has_form(entry, _ENTRY) and all(_has_form(one, _TASK) for one in entry["tasks"].values()) else None


_ENTRY: Mapping[str, Any] = {"key": str, "error": str, "seconds": int | float, "tasks": dict}
_TASK: Mapping[str, Any] = {"state": str, "model": str, "text": str, "form": str, "value": object, "files": list}


def _has_form(value: Any, form: Mapping[str, Any]) -> bool:
    """Whether a value is an object with these keys, and values of these types."""
    return isinstance(value, dict) and all(key in value and isinstance(value[key], of) for key, of in form.items())
