"""The goals that there are on the disk: listed, and removed with all their files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hugginggpt.core.errors import UserError
from hugginggpt.goals.journal import NAME, Journal, goal_folder, read_events
from hugginggpt.goals.state import Phase, fold


@dataclass(frozen=True, slots=True)
class GoalRecord:
    """A goal: `status` is why it ended, "waits" for a decision, or "begun"; `changed` is a time of day in seconds, and
    `problem` says why its journal cannot be read.
    """

    id: str
    goals: tuple[str, ...] = ()
    status: str = ""
    steps: int = 0
    changed: float = 0.0
    problem: str = ""


def list_goals(folder: Path) -> list[GoalRecord]:
    """All goals in the folder, the newest first; also those that another process works on."""
    return sorted(_records(folder), key=lambda record: -record.changed)


def _records(folder: Path) -> Iterator[GoalRecord]:
    for file in folder.glob(f"*/{NAME}"):
        name = file.parent.name
        try:
            changed = file.stat().st_mtime
            state = fold(read_events(file.parent))
        except UserError as error:
            yield GoalRecord(name, status="damaged", changed=changed, problem=str(error))
            continue
        except OSError:  # removed meanwhile
            continue
        status = str(state.done.stop) if state.done else "waits" if state.phase is Phase.WAIT else "begun"
        yield GoalRecord(name, state.goal.goals, status, state.number, changed)


def remove_goal(folder: Path, goal_id: str) -> None:
    """Removes a goal with its files. Raises UserError if there is none, GoalBusy while it is at work."""
    if goal_id == "last":
        raise UserError("Name the goal that is to be removed by its ID.")
    place = goal_folder(folder, goal_id)
    journal = Journal(place / NAME)
    try:
        shutil.rmtree(place)
    except OSError as error:
        raise UserError(f"The goal {goal_id} cannot be removed from {place}: {error.strerror or error}.") from error
    finally:
        journal.close()
