"""The events of a goal. The journal is their list; the state of a goal is a fold over them (`state`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from hugginggpt.goals.goal import Goal, Limits, Spent, Thoughts


class Verdict(StrEnum):
    """What is decided about a proposed command."""

    APPROVE = "approve"
    DENY = "deny"
    """The command is not run; the goal goes on."""
    STOP = "stop"
    """The command is not run, and the goal pauses: AutoGPT's `n`."""
    TELL = "tell"
    """The command is not run; the person says something instead."""


class By(StrEnum):
    """Who decided."""

    PERSON = "person"
    RULE = "rule"
    POLICY = "policy"
    """The risk table: what needs no leave."""
    GRANT = "grant"
    """An earlier `y -N`."""
    CONTINUOUS = "continuous"


class Stop(StrEnum):
    """Why a goal ended."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    CANCELLED = "cancelled"
    STUCK = "stuck"
    BUDGET = "budget"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalEvent:
    """Base of all events; `at` is the time of day in seconds."""

    at: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class GoalStarted(GoalEvent):
    """`continuous` is how many commands may run without leave; `warnings` say which limit has no effect."""

    goal_id: str
    goal: Goal
    limits: Limits
    workspace: str
    llm: str
    continuous: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resumed(GoalEvent):
    """The goal goes on, perhaps after its end, within these limits."""

    limits: Limits
    continuous: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought(GoalEvent):
    """A reply of the language model: its thoughts and the call that it asks for, not yet checked.

    `agent` is the key of the agent that thought so; empty: the goal's own.
    """

    step: int
    thoughts: Thoughts
    command: str
    args: Mapping[str, Any]
    agent: str = ""
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class ReplyRejected(GoalEvent):
    """A reply that could not be read."""

    step: int
    reason: str
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Proposed(GoalEvent):
    """The checked call. `hash` stands for goal, step, command and arguments: an approval names it."""

    step: int
    command: str
    args: Mapping[str, Any]
    hash: str
    risk: str


@dataclass(frozen=True, slots=True)
class ApprovalNeeded(GoalEvent):
    """The goal waits for a decision; `question` is what the model asks the person, if that is the command."""

    step: int
    hash: str
    reason: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class Decided(GoalEvent):
    """`grants`: how many further commands the person approves beforehand; `hosts`: those that are approved now."""

    step: int
    hash: str
    verdict: Verdict
    by: By
    text: str = ""
    grants: int = 0
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandStarted(GoalEvent):
    step: int
    command: str


@dataclass(frozen=True, slots=True)
class CommandFinished(GoalEvent):
    """`result` is what the model is shown; if that is not all, the whole is in `file` of the workspace.

    `private`: it shows what stands in the workspace. `digest` stands for the whole result, `links` are addresses that
    it shows, `changes` what it changes in the state.
    """

    step: int
    result: str
    digest: str
    file: str = ""
    untrusted: bool = False
    private: bool = False
    links: tuple[str, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class CommandFailed(GoalEvent):
    """`unknown`: the program ended while the command ran; it may or may not have had its effect.

    `asks`: the reason is a question, and the command could be done if the person answered it.
    """

    step: int
    reason: str
    unknown: bool = False
    asks: bool = False
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class AgentReturned(GoalEvent):
    """The agent that worked has answered, or was ended, which the answer says; if that is not all, it is in `file`."""

    agent: str
    answer: str
    file: str = ""
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Compacted(GoalEvent):
    """Steps up to `until` are from now on told in a line each."""

    until: int


@dataclass(frozen=True, slots=True)
class Stuck(GoalEvent):
    """The goal turns in circles; `pattern` says how."""

    step: int
    pattern: str


@dataclass(frozen=True, slots=True)
class BudgetLow(GoalEvent):
    """Only what is kept for the answer is left of `limit` (steps, tokens, seconds or cost)."""

    limit: str


@dataclass(frozen=True, slots=True)
class Done(GoalEvent):
    """The end: why, the answer, and the files that were written."""

    stop: Stop
    message: str
    files: tuple[str, ...] = ()
    spent: Spent = Spent()


EVENTS: Mapping[str, type[GoalEvent]] = {
    kind.__name__: kind
    for kind in (
        GoalStarted, Resumed, Thought, ReplyRejected, Proposed, ApprovalNeeded, Decided, CommandStarted,
        CommandFinished, CommandFailed, AgentReturned, Compacted, Stuck, BudgetLow, Done,
    )
}  # fmt: skip

_READERS: Mapping[str, Callable[[Any], Any]] = {
    "goal": Goal.from_json,
    "limits": lambda value: Limits(**value),
    "thoughts": lambda value: Thoughts(**value),
    "spent": Spent.from_json,
    "verdict": Verdict,
    "by": By,
    "stop": Stop,
    "links": tuple,
    "files": tuple,
    "hosts": tuple,
    "warnings": tuple,
}


def to_json(event: GoalEvent) -> dict[str, Any]:
    """The event as JSON: its name under "event", and its fields."""
    return {"event": type(event).__name__, **asdict(event)}


def from_json(value: Mapping[str, Any]) -> GoalEvent:
    """The event that `to_json` wrote. Raises ValueError for anything else; unknown fields are left out."""
    try:
        kind = EVENTS[value["event"]]
        known = {slot.name for slot in fields(kind)}
        read = {name: _READERS.get(name, _same)(each) for name, each in value.items() if name in known}
        return kind(**read)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no event of a goal: {error}") from error


def _same(value: Any) -> Any:
    return value
