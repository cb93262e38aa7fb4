"""The state of a goal: a fold over its events. It holds what the next event depends on, and no more.

Its size does not grow with the results: a step keeps what the model is shown of it until it is compacted, then a line.
"""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.goals.addresses import addresses_in, normal_address
from hugginggpt.goals.commands import canonical
from hugginggpt.goals.events import (
    AgentReturned,
    ApprovalNeeded,
    BudgetLow,
    By,
    CommandFailed,
    CommandFinished,
    CommandStarted,
    Compacted,
    Decided,
    Done,
    GoalEvent,
    GoalStarted,
    Proposed,
    ReplyRejected,
    Resumed,
    Stop,
    Stuck,
    Thought,
    Verdict,
)
from hugginggpt.goals.goal import Goal, Limits, Spent, Thoughts
from hugginggpt.goals.private_words import MOST_KEPT, words_of

COMPLETE = "task_complete"
NO_RISK = "none"
GIVEN = "given"
"""What stands for the content of a file that came from the person."""
LINE_CHARS = 300
MARKS = 12
"""How many of the latest steps are looked at for circles."""
UNKNOWN = (
    "The program ended while this command ran: whether it had its effect is unknown. Look before you run it again."
)


class Phase(StrEnum):
    """What comes next."""

    NEW = "new"
    THINK = "think"
    CHECK = "check"
    """A reply is there; its call is checked."""
    DECIDE = "decide"
    """A call is proposed; rules and the risk table decide."""
    WAIT = "wait"
    """A person decides."""
    READY = "ready"
    """The command is approved and has not begun."""
    RUNNING = "running"
    END = "end"
    """Nothing but the last event is missing."""
    DONE = "done"


@dataclass(slots=True)
class Step:
    """A thought and what came of it. `result` is what the model is shown, `digest` stands for the whole of it.

    `question` is what the person would have to answer so that the command can be done, `agent` the key of the agent
    whose step it is.
    """

    number: int
    thoughts: Thoughts
    command: str
    args: Mapping[str, Any]
    hash: str = ""
    risk: str = ""
    result: str = ""
    digest: str = ""
    file: str = ""
    question: str = ""
    agent: str = ""
    ok: bool = False
    ended: bool = False

    @property
    def line(self) -> str:
        """The step in a line."""
        call = textwrap.shorten(f"{self.command} {canonical(self.args)}", LINE_CHARS // 2, placeholder=" …")
        where = f" (whole in {self.file})" if self.file else ""
        who = f"agent {self.agent}: " if self.agent else ""
        return f"{self.number}. {who}{call}: {textwrap.shorten(self.result, LINE_CHARS // 2, placeholder=' …')}{where}"

    @property
    def mark(self) -> Mark:
        call = f"{self.command} {canonical(self.args)}"
        return Mark(short_hash(call), self.digest, self.ok, self.command == "do_nothing")


@dataclass(frozen=True, slots=True)
class Mark:
    """A step, for finding circles: hashes of its call and of its outcome. `idle`: it ran nothing."""

    call: str
    outcome: str
    ok: bool
    idle: bool = False


@dataclass(slots=True)
class Agent:
    """An agent that was started: its task, its conversation as (role, text), and the step that it works for."""

    name: str
    task: str
    messages: list[tuple[str, str]] = field(default_factory=list)
    tokens: int = 0
    step: int = 0


@dataclass(slots=True)
class GoalState:
    """The state of a goal, built by `apply`.

    `steps` are those that are told in full, `past` a line for each step, `marks` the latest steps for the search for
    circles. `links` are addresses that may be visited, `hosts` those with leave. `tainted`: text of others was read.
    `private` are words of the workspace that the model was shown, `known` words of the person. `active` is the key of
    the agent that works now; its steps are in `steps` until it returns.
    """

    id: str = ""
    goal: Goal = field(default_factory=lambda: Goal(()))
    limits: Limits = field(default_factory=Limits)
    warnings: tuple[str, ...] = ()
    workspace: str = ""
    llm: str = ""
    phase: Phase = Phase.NEW
    number: int = 0
    steps: list[Step] = field(default_factory=list)
    past: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    agents: dict[str, Agent] = field(default_factory=dict)
    active: str = ""
    files: dict[str, str] = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    tainted: bool = False
    private: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    grants: int = 0
    continuous: int = 0
    pending: ApprovalNeeded | None = None
    spent: Spent = Spent()
    low: str = ""
    circles: list[str] = field(default_factory=list)
    unconfirmed: str = ""
    opened: set[str] = field(default_factory=set)
    ending: Stop | None = None
    was_running: bool = False
    """Whether a command was running when the goal was done."""
    answer: str = ""
    done: Done | None = None

    @property
    def step(self) -> Step:
        """The present step. Raises IndexError before the first."""
        return self.steps[-1]

    @property
    def own_steps(self) -> list[Step]:
        """The steps that are no agent's."""
        return [step for step in self.steps if not step.agent]

    @property
    def agent_steps(self) -> list[Step]:
        """The steps of the agent that works now."""
        return [step for step in self.steps if step.agent]

    @property
    def written(self) -> tuple[str, ...]:
        """The files that were written or changed, by their paths in the workspace."""
        return tuple(name for name, what in self.files.items() if what != GIVEN)

    @property
    def unopened(self) -> tuple[str, ...]:
        """The person's files that the goals name, and that no command was about so far."""
        goals = "\n".join(self.goal.goals)
        return tuple(name for name in self.goal.files if name in goals and name not in self.opened)

    def to_json(self) -> dict[str, Any]:
        """The state for a client."""
        told = asdict(self.done) if self.done else {}
        return {
            "goal_id": self.id,
            "goal": asdict(self.goal),
            "phase": self.phase,
            "workspace": self.workspace,
            "steps": self.number,
            "plan": self.plan,
            "notes": self.notes,
            "pending": asdict(self.pending) if self.pending else None,
            "grants": self.grants,
            "continuous": self.continuous,
            "limits": asdict(self.limits),
            "warnings": list(self.warnings),
            "spent": {**asdict(self.spent), "usage": self.spent.usage.to_json()},
            "files": list(self.written),
            "stop": told.get("stop"),
            "message": told.get("message", ""),
        }

    def apply(self, event: GoalEvent) -> GoalState:
        """Updates the state with an event; returns the state itself."""
        spent = getattr(event, "spent", Spent())
        self.spent += spent
        if self.active:
            self.agents[self.active].tokens += spent.usage.total_tokens
        match event:
            case GoalStarted():
                self._start(event)
            case Resumed():
                self._resume(event)
            case Thought():
                self.number, self.rejected, self.phase = event.step, [], Phase.CHECK
                self.steps.append(Step(event.step, event.thoughts, event.command, event.args, agent=event.agent))
            case ReplyRejected():
                self.rejected.append(event.reason)
            case Proposed():
                step = self.step
                step.command, step.args, step.hash, step.risk = event.command, event.args, event.hash, event.risk
                self.phase = Phase.DECIDE
            case ApprovalNeeded():
                self.pending, self.phase = event, Phase.WAIT
            case Decided():
                self._decide(event)
            case CommandStarted():
                self.phase = Phase.RUNNING
            case CommandFinished() | CommandFailed():
                self._finish(event)
            case _:
                self._apply_rest(event)
        return self

    def _apply_rest(self, event: GoalEvent) -> None:
        match event:
            case AgentReturned():
                self._return(event)
            case Compacted():
                self.steps = [step for step in self.steps if step.number > event.until]
            case Stuck():
                self.circles.append(event.pattern)
                self.marks = []
            case BudgetLow():
                self.low = event.limit
            case Done():
                self.was_running = self.phase is Phase.RUNNING
                self.done, self.phase, self.pending = event, Phase.DONE, None

    def _return(self, event: AgentReturned) -> None:
        """The agent's answer becomes the result of the step that it worked for; its own steps stay as lines."""
        agent, self.active = self.agents[event.agent], ""
        agent.messages.append(("assistant", event.answer))
        self.steps = self.own_steps
        if self.tainted:
            self._keep_words(event.answer, private=True)
        for step in self.steps:
            if step.number == agent.step:
                step.result, step.file = f"Agent {event.agent}: {event.answer}", event.file
                step.digest = short_hash(event.answer)
                self.past[step.number - 1] = step.line
                self.marks = [*self.marks[:-1], step.mark]

    def _start(self, event: GoalStarted) -> None:
        self.id, self.goal, self.limits = event.goal_id, event.goal, event.limits
        self.workspace, self.llm, self.continuous = event.workspace, event.llm, event.continuous
        self.warnings = event.warnings
        self.links = set(addresses_in(event.goal.text))
        self.known = words_of("\n".join((event.goal.text, *event.goal.files)))
        self.files = dict.fromkeys(event.goal.files, GIVEN)
        self.phase = Phase.THINK

    def _resume(self, event: Resumed) -> None:
        """Goes on: after an end other than the goal's completion with a new thought."""
        self.limits, self.continuous, self.warnings = event.limits, event.continuous, event.warnings
        if self.phase is Phase.DONE and self.steps and not self.step.ended:
            ran = "The outcome is unknown: the process ended while it ran."
            self._end_step(ran if self.was_running else "It was not run: the goal was ended before.", ok=False)
        if self.phase in (Phase.DONE, Phase.END) and self.ending is not Stop.COMPLETE:
            self.done, self.ending, self.low, self.phase = None, None, "", Phase.THINK
            self.rejected, self.circles, self.marks = [], [], []

    def _decide(self, event: Decided) -> None:
        asked = self.pending and self.pending.question
        self.pending = None
        if event.verdict is Verdict.APPROVE:
            self.phase = Phase.READY
            self.hosts |= set(event.hosts)
            self.grants = event.grants or max(0, self.grants - (event.by is By.GRANT))
            self.continuous = max(0, self.continuous - 1)
            return
        self.grants = 0
        said = {
            Verdict.TELL: f"Human feedback: {event.text}",
            Verdict.STOP: "The person refused this command and paused the goal.",
        }.get(event.verdict, f"This command was refused{f': {event.text}' if event.text else ' by the person.'}")
        self._end_step(said, ok=event.verdict is Verdict.TELL)
        if event.by is By.PERSON:
            self.links |= set(addresses_in(event.text))
            self._keep_words(
                event.text, private=bool(asked)
            )  # what the model asks for may be what a text wants to know
        if event.verdict is Verdict.STOP:
            self.ending, self.phase = Stop.STOPPED, Phase.END

    def _finish(self, event: CommandFinished | CommandFailed) -> None:
        if isinstance(event, CommandFailed):
            self._end_step(f"Error: {UNKNOWN if event.unknown else event.reason}", ok=False)
            self.step.question = event.reason if event.asks else ""
            if self.step.command == COMPLETE:
                self.unconfirmed = event.reason
            return
        step = self.step
        step.file = event.file
        self._end_step(event.result, ok=True, digest=event.digest)
        self.tainted |= event.untrusted
        if event.private:
            self._keep_words(event.result, private=True)
        self.links |= set(map(normal_address, event.links))
        self._change(event.changes)

    def _keep_words(self, text: str, *, private: bool) -> None:
        if not private:
            self.known |= words_of(text)
        elif len(self.private) < MOST_KEPT:
            self.private |= words_of(text)

    def _end_step(self, result: str, *, ok: bool, digest: str = "") -> None:
        step = self.step
        step.result, step.ok, step.ended = result, ok, True
        step.digest = digest or short_hash(result)
        if ok and step.risk != NO_RISK:  # plans, notes and orders read nothing
            self.opened |= {name for name in self.goal.files if name in _read(step) or f"{name}:" in result}
        self.past.append(step.line)
        if not step.agent:
            self.marks = [*self.marks, step.mark][-MARKS:]
        self.phase = Phase.THINK

    def _change(self, changes: Mapping[str, Any]) -> None:
        """What a command changes in the state."""
        self.plan = list(changes.get("plan", self.plan))
        self.notes += changes.get("notes", ())
        self._keep_words("\n".join(changes.get("notes", ())), private=True)
        self.files |= changes.get("files", {})
        for name in changes.get("deleted", ()):
            self.files.pop(name, None)
        for key, agent in changes.get("agents", {}).items():
            if agent is None:
                self.agents.pop(key, None)
                continue
            before = self.agents.get(key, Agent(agent["name"], agent["task"]))
            said = [(role, text) for role, text in agent["messages"]]
            tokens = before.tokens + agent["tokens"]
            self.agents[key] = replace(before, messages=[*before.messages, *said], tokens=tokens, step=self.step.number)
        self.active = changes.get("active", self.active)
        if "complete" in changes:
            self.ending, self.answer, self.phase = Stop.COMPLETE, str(changes["complete"]), Phase.END


def fold(events: Iterable[GoalEvent]) -> GoalState:
    """The state after these events."""
    state = GoalState()
    for event in events:
        state.apply(event)
    return state


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def call_hash(goal_id: str, step: int, command: str, args: Mapping[str, Any]) -> str:
    """What an approval is bound to: goal, step, command and all arguments; 32 hexadecimal digits."""
    return hashlib.sha256(
        canonical({"goal": goal_id, "step": step, "command": command, "args": args}).encode("utf-8", "surrogatepass")
    ).hexdigest()[:32]


class DecisionRejected(UserError):
    """A decision that does not fit what is waited for: a replay, another step, or other arguments."""


def _read(step: Step) -> str:
    """What a step is about; of one that writes nothing is, unless it writes a program, which may read files."""
    if "text" not in step.args or str(step.args.get("file", "")).endswith(".py"):
        return canonical(step.args)
    return canonical({name: value for name, value in step.args.items() if name not in ("file", "text")})
