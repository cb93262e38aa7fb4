"""What a turn of a trial asks, what a true answer holds, and how an answer is graded by that.

A set is a folder with `turns.jsonl` and the files that its requests name. Each line is a turn:

    {"chat": "c01", "say": "how many dogs?", "files": ["park.jpg"], "right": ["\\b(2|two)\\b"], "wrong": ["\\bno dog"],
     "refusal": "honest", "makes": "", "truth": "There are two dogs."}

Turns with the same `chat` are one conversation, in order. `right` are regular expressions that must all match a true
answer, `wrong` those that match a false one; `makes` is the kind of file that has to be generated. `refusal` says what
an answer counts for that plainly says it cannot do this: "right" (nothing else would be true), "honest", or "wrong"
(it is untrue that it cannot be done). `truth` is for a person who judges.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

Verdict = Literal["right", "partly", "clumsy", "honest", "wrong", "confident"]
VERDICTS: tuple[Verdict, ...] = ("right", "partly", "clumsy", "honest", "wrong", "confident")
"""right; right in a part; right but hard to read; says truly that it cannot; not what was asked, but visibly so;
wrong and confident: a person would be misled.
"""
SETS = Path(__file__).parent / "sets"
_WORK_LIST = re.compile(r"\n\n(?:What was done:|Files:).*", re.DOTALL)
_REFUSES = re.compile(
    r"\b(?:cannot|can['’]t|can not|could not|couldn['’]t|unable|no expert|not able|does not say|do not find|find nothing|do not know|don['’]t know|"
    r"not on (?:this|the) page|unknown|not (?:found|planned|done|understood)|do you mean|is none of them|not possible|only in english)\b|\bno task\b|\bperhaps: “",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a trial; the fields are those of a line of turns.jsonl."""

    chat: str
    say: str
    files: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    refusal: Literal["right", "honest", "wrong"] = "honest"
    makes: str = ""
    truth: str = ""

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Turn:
        turn = cls(**{**value, **{name: tuple(value.get(name, ())) for name in ("files", "right", "wrong")}})
        if turn.refusal not in ("right", "honest", "wrong"):
            raise ValueError(f'refusal is "right", "honest" or "wrong", not {turn.refusal!r}')
        for pattern in (*turn.right, *turn.wrong):
            re.compile(pattern)
        return turn


@dataclass(frozen=True, slots=True)
class Reply:
    """What the program answered: the message, the kinds of the files that it made, whether anything was done."""

    message: str
    makes: tuple[str, ...] = ()
    done: bool = True
    seconds: float = 0.0
    plan: list[dict[str, Any]] = field(default_factory=list)
    signals: dict[str, float] = field(default_factory=dict)
    tokens: int = 0
    planned_by: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_turns(folder: Path) -> list[Turn]:
    """The turns of a set. Raises ValueError or TypeError, with the line's number, for one that cannot be read."""
    turns = []
    for number, line in enumerate((folder / "turns.jsonl").read_text(encoding="utf-8").splitlines(), 1):
        try:
            if line.strip():
                turns.append(Turn.from_json(json.loads(line)))
        except (ValueError, TypeError, re.error) as error:
            raise ValueError(f"{folder.name}/turns.jsonl, line {number}: {error}") from error
    return turns


def expert_faults() -> frozenset[tuple[str, str, str]]:
    """(set, chat, what was said) of turns that were graded wrong though a person would have planned them like that: the
    detector, a reader or a recogniser was wrong, or the truth of the turn is.
    """
    lines = (Path(__file__).parent / "expert_faults.jsonl").read_text(encoding="utf-8").splitlines()
    return frozenset((row["set"], row["chat"], row["say"]) for row in map(json.loads, lines))


def grade(turn: Turn, reply: Reply) -> Verdict:
    """The verdict by the truths alone: right, honest, wrong or confident. A person may tell more apart."""
    answer = _WORK_LIST.sub("", reply.message)
    refuses = not reply.done or bool(_REFUSES.search(answer))
    if any(_matches(pattern, answer) for pattern in turn.wrong):
        return "confident"
    made = not turn.makes or turn.makes in reply.makes
    if made and (turn.right or turn.makes) and all(_matches(pattern, answer) for pattern in turn.right):
        return "right"
    if not refuses:
        return "confident"
    verdicts: dict[str, Verdict] = {"right": "right", "honest": "honest", "wrong": "wrong"}
    return verdicts[turn.refusal]


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None


def shares(verdicts: Iterable[Verdict]) -> str:
    """The verdicts in percent, in a line."""
    given = list(verdicts)
    counts = [(verdict, given.count(verdict)) for verdict in VERDICTS]
    return f"{len(given)} turns: " + ", ".join(
        f"{verdict} {count} ({100 * count / max(1, len(given)):.1f} %)" for verdict, count in counts if count
    )


def names_of_sets(names: Sequence[str] = ()) -> list[Path]:
    """The folders of the sets of these names; all by default."""
    return [SETS / name for name in names] or sorted(path.parent for path in SETS.glob("*/turns.jsonl"))
