"""The journal of a goal: its events, a line of JSON each, on the disk before anything follows from them.

A goal that was killed at any moment goes on from its journal. One process at a time has it open.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hugginggpt.common.file_locks import lock
from hugginggpt.core.errors import UserError
from hugginggpt.goals.events import GoalEvent, from_json, to_json

NAME = "journal.jsonl"
WORKSPACE = "workspace"
GOAL_ID = re.compile(r"[0-9a-f]{12}")


class GoalBusy(UserError):
    """Another process works on the goal."""


class Journal:
    """An open journal; its lock is held until `close`."""

    def __init__(self, file: Path) -> None:
        """Raises GoalBusy where another process works on the goal, UserError where the file cannot be written."""
        self.file = file
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._stream = file.open("ab")
        except OSError as error:
            raise UserError(f"The journal {file} cannot be written: {error.strerror or error}.") from error
        try:
            lock(self._stream)
        except BlockingIOError:
            self.close()
            raise GoalBusy("Another process works on this goal: wait for it, or end it there.") from None

    def read(self) -> list[GoalEvent]:
        """The events so far. A last line that was not completed is removed. Raises UserError if it is damaged."""
        whole = self.file.read_bytes()
        complete = _complete(whole)
        if len(complete) < len(whole):
            self._stream.truncate(len(complete))
        return list(_events(complete, self.file))

    def add(self, event: GoalEvent) -> None:
        """Writes an event and waits until it is on the disk. Raises UserError."""
        line = json.dumps(to_json(event), ensure_ascii=False).encode("utf-8", "replace")
        try:
            self._stream.write(line + b"\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise UserError(f"The journal {self.file} cannot be written: {error.strerror or error}.") from error

    def close(self) -> None:
        with suppress(OSError):
            self._stream.close()


def _events(content: bytes, file: Path) -> Iterator[GoalEvent]:
    for number, line in enumerate(content.splitlines(), 1):
        try:
            yield from_json(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise UserError(f"The journal {file} is damaged in line {number}: the goal cannot go on.") from error


def goal_folder(folder: Path, goal_id: str) -> Path:
    """The folder of a goal ("last": the newest one). Raises UserError if there is none."""
    if goal_id == "last":
        found = sorted(folder.glob(f"*/{NAME}"), key=lambda file: file.stat().st_mtime)
        if found:
            return found[-1].parent
    elif GOAL_ID.fullmatch(goal_id) and (folder / goal_id / NAME).is_file():
        return folder / goal_id
    raise UserError(f"There is no goal {goal_id[:40]} in {folder}.")


def read_events(folder: Path) -> list[GoalEvent]:
    """The events of a goal so far, whoever works on it. Raises UserError if its journal is missing or damaged."""
    file = folder / NAME
    try:
        return list(_events(_complete(file.read_bytes()), file))
    except OSError as error:
        raise UserError(f"The journal {file} cannot be read: {error.strerror or error}.") from error


def _complete(content: bytes) -> bytes:
    """The lines that were written to their ends."""
    return content[: content.rfind(b"\n") + 1]
