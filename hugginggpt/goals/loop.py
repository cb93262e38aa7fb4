"""The goal loop: what comes next is a function of the state, and the state a fold over the events.

    work = GoalLoop.begin(parts, folder, goal, limits)
    while not work.state.done:
        for event in work.advance():
            show(event)
        if work.state.pending:
            work.decide(Decision(step, hash, Verdict.APPROVE))

Each event is on the disk before it is given out. A goal that was killed anywhere goes on with `GoalLoop.reopen`: what
was completed is not repeated, and of a command that was running it is said that its outcome is unknown.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import BackendError, HuggingGPTError, ModelOutputError, UserError, brief, masked
from hugginggpt.core.results import well_formed
from hugginggpt.core.usage import Usage
from hugginggpt.goals import budget, stuck
from hugginggpt.goals.agents import AGENT_COMMANDS, why_ended
from hugginggpt.goals.commands import BadCall, Command, CommandTable, NeedsAnswer, Outcome, Risk
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
from hugginggpt.goals.goal import Goal, Limits, Prices, Spent, Thoughts
from hugginggpt.goals.journal import NAME, Journal
from hugginggpt.goals.policy import Policy
from hugginggpt.goals.state import DecisionRejected, GoalState, Phase, call_hash, short_hash
from hugginggpt.goals.thinking import Thinker
from hugginggpt.goals.tools import Tools
from hugginggpt.llm.tokens import CHARS_PER_TOKEN

_log = logging.getLogger(__name__)
MAX_REJECTED, MAX_CIRCLES = 2, 2
"""After so many unusable replies in a row, and the second time that it turns in circles, a goal ends."""
MAX_LINKS = 500
RESULTS = "results"
"""The folder of the workspace for results that are too long to be told."""
WHY = {
    Stop.BUDGET: "the limit of {} is reached",
    Stop.STUCK: "the work turns in circles ({})",
    Stop.FAILED: "the language model gave no usable reply ({})",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a person about the command with that step and hash; `count`: the N of `y -N`."""

    step: int
    hash: str
    verdict: Verdict
    text: str = ""
    count: int = 1


@dataclass(slots=True)
class Parts:
    """What a loop works with; `secrets` are masked in everything that is kept, `warnings` are for the person."""

    thinker: Thinker
    tools: Tools
    table: CommandTable
    policy: Policy = field(default_factory=Policy)
    prices: Prices = field(default_factory=Prices)
    secrets: Iterable[str] = ()
    warnings: tuple[str, ...] = ()
    clock: Callable[[], float] = time.monotonic


class GoalLoop:
    """A goal at work."""

    def __init__(self, parts: Parts, journal: Journal) -> None:
        self.parts, self.journal = parts, journal
        self.state = parts.tools.state = GoalState()
        self._cancelled = False
        self._running = 0  # the step whose command this process has started

    @classmethod
    def begin(cls, parts: Parts, folder: Path, goal: Goal, limits: Limits, continuous: int = 0) -> GoalLoop:
        """A new goal; its journal is in `folder`. Raises UserError for a goal that cannot be worked on."""
        loop = cls(parts, Journal(folder / NAME))
        root = str(getattr(parts.tools.files, "root", ""))
        name, warnings = parts.thinker.name, parts.warnings
        started = GoalStarted(folder.name, goal, limits, root, name, continuous, warnings)
        try:
            parts.thinker.check(GoalState().apply(started))
            loop._emit(started)
        except HuggingGPTError:
            loop.close()
            raise
        return loop

    @classmethod
    def reopen(cls, parts: Parts, folder: Path, limits: Limits, continuous: int = 0) -> GoalLoop:
        """A goal that goes on where its journal ends, also after its end, unless it is complete.

        Raises UserError if it is, or if its journal is damaged or in use.
        """
        loop = cls(parts, Journal(folder / NAME))
        try:
            for event in loop.journal.read():
                loop.state.apply(event)
            if loop.state.phase is Phase.NEW:
                raise UserError(f"The journal in {folder} holds no goal.")
            if loop.state.ending is Stop.COMPLETE and loop.state.done:
                raise UserError("This goal is complete: give a new one.")
            if limits.cost is None:  # what the goal was given stays
                limits = replace(limits, cost=loop.state.limits.cost)
            loop._emit(Resumed(limits, continuous, parts.warnings))
        except HuggingGPTError:
            loop.close()
            raise
        return loop

    def advance(self) -> Iterator[GoalEvent]:
        """The events until a person has to decide (`state.pending`) or the goal is done (`state.done`)."""
        while self.state.phase is not Phase.DONE:
            if self._cancelled:
                yield self._emit(self._cancel())
            elif self.state.phase is Phase.WAIT:
                return
            else:
                yield self._emit(self._next())

    def decide(self, decision: Decision) -> Decided:
        """Applies a decision. Raises DecisionRejected unless it is about the very call that is waited for."""
        pending = self.state.pending
        if pending is None:
            raise DecisionRejected("Nothing waits for a decision.")
        if (decision.step, decision.hash) != (pending.step, pending.hash):
            raise DecisionRejected("The decision is about another command than the one that waits: look again.")
        approves = decision.verdict is Verdict.APPROVE
        if pending.question and approves:
            raise DecisionRejected("A question waits: answer it with a sentence.")
        if decision.verdict is Verdict.TELL and not decision.text.strip():
            raise DecisionRejected("There is no text.")
        judged = self._judgement()
        if approves and judged.denied:  # by rules that are newer than the question, or those of a server
            raise DecisionRejected(f"This command cannot be approved: {judged.reason}")
        hosts = judged.hosts if approves else ()
        text = well_formed(decision.text.strip())
        grants = max(0, decision.count - 1) if approves else 0
        event = Decided(pending.step, pending.hash, decision.verdict, By.PERSON, text, grants, hosts)
        self._emit(event)
        return event

    def cancel(self) -> None:
        """Has `advance` end the goal once the present event is over; it may go on later. Any thread may call it."""
        self._cancelled = True

    def close(self) -> None:
        """Gives the journal back."""
        self.journal.close()

    def _emit(self, event: GoalEvent) -> GoalEvent:
        self.journal.add(event)
        self.state.apply(event)
        return event

    # What comes next

    def _next(self) -> GoalEvent:
        steps: dict[Phase, Callable[[], GoalEvent]] = {
            Phase.THINK: self._think,
            Phase.CHECK: self._check,
            Phase.DECIDE: self._judge,
            Phase.READY: self._start,
            Phase.RUNNING: self._run,
            Phase.END: self._end,
        }
        return steps[self.state.phase]()

    def _think(self) -> GoalEvent:
        state, thinker = self.state, self.parts.thinker
        if state.active:
            return self._think_as_agent()
        if len(state.rejected) >= MAX_REJECTED:
            return self._done(Stop.FAILED, state.rejected[-1])
        if pattern := stuck.circle(state.marks):
            return Stuck(state.number, pattern)
        if len(state.circles) >= MAX_CIRCLES:
            return self._done(Stop.STUCK, state.circles[-1])
        if until := thinker.compact_until(state):
            return Compacted(until)
        tokens = thinker.prompt_tokens(state)
        if limit := self._reached(tokens, 1 - budget.RESERVE):
            return self._done(Stop.BUDGET, limit) if state.low else BudgetLow(limit)
        return self._ask()

    def _think_as_agent(self) -> GoalEvent:
        state = self.state
        tokens = self.parts.thinker.agent_tokens(state)
        if limit := self._reached(tokens, 1 - budget.RESERVE):
            return self._done(Stop.BUDGET, limit) if state.low else BudgetLow(limit)
        if why := why_ended(state, tokens):
            return self._returned(why, _Meter(self.parts))
        return self._ask()

    def _returned(self, answer: str, meter: _Meter) -> AgentReturned:
        key = self.state.active
        told, file = self._shortened(self.state.agents[key].step, self._kept(answer))
        return AgentReturned(key, told, file, meter.spent)

    def _reached(self, tokens: int, share: float) -> str:
        state = self.state
        return budget.reached(state.limits, state.spent, state.number, tokens, self.parts.prices, share)

    def _ask(self) -> GoalEvent:
        step, meter, thinker, agent = self.state.number + 1, _Meter(self.parts), self.parts.thinker, self.state.active
        try:
            call = (thinker.agent_call if agent else thinker.next_call)(self.state, meter.add)
        except ModelOutputError as error:
            if agent:
                return self._returned(f"it gave no usable reply: {error}", meter)
            return ReplyRejected(step, self._kept(str(error)), meter.spent)
        except BackendError as error:
            return Done(Stop.FAILED, self._summary(self._kept(str(error))), self.state.written, meter.spent)
        if isinstance(call, str):
            return self._returned(call, meter)
        thoughts = Thoughts(*(self._kept(text) for text in _texts(call.thoughts)))
        args = self._kept_value(dict(call.args))
        return Thought(step, thoughts, self._kept(call.command), args, agent, meter.spent)

    def _check(self) -> GoalEvent:
        step = self.state.step
        try:
            command = self._command
            args = command.bind(step.args)
        except BadCall as error:
            return CommandFailed(step.number, self._kept(str(error)))
        hashed = call_hash(self.state.id, step.number, command.name, args)
        return Proposed(step.number, command.name, args, hashed, command.risk)

    def _judgement(self) -> Any:
        step = self.state.step
        return self.parts.policy.judge(self.state, self._command, step.args)

    @property
    def _command(self) -> Command:
        """The command of the present step; an agent has only some. Raises BadCall."""
        step, table = self.state.step, self.parts.table
        return (table.only(*AGENT_COMMANDS) if step.agent else table).find(step.command)

    def _judge(self) -> GoalEvent:
        step, judged = self.state.step, self._judgement()
        if judged.denied:
            return Decided(step.number, step.hash, Verdict.DENY, By.RULE, judged.reason)
        if judged.by:
            return Decided(step.number, step.hash, Verdict.APPROVE, judged.by)
        question = str(step.args.get("question", "")) if self._command.risk is Risk.PERSON else ""
        return ApprovalNeeded(step.number, step.hash, judged.reason, question)

    def _start(self) -> GoalEvent:
        if (judged := self._judgement()).denied:  # a rule came after the approval
            return Decided(self.state.number, self.state.step.hash, Verdict.DENY, By.RULE, judged.reason)
        self._running = self.state.number
        return CommandStarted(self.state.number, self.state.step.command)

    def _run(self) -> GoalEvent:
        """Runs the command, once: one that an ended process had started is not run again."""
        step, meter = self.state.step, _Meter(self.parts)
        if self._running != step.number:
            return CommandFailed(step.number, "The outcome is unknown.", unknown=True)
        self.parts.tools.spend = meter.add
        try:
            outcome = self._command.run(self.parts.tools, step.args)
        except HuggingGPTError as error:
            asks = isinstance(error, NeedsAnswer)
            return CommandFailed(step.number, self._kept(str(error)), asks=asks, spent=meter.spent)
        except Exception as error:  # a mistake in a command ends that command, not the goal
            _log.exception("%s failed", step.command)
            why = f"{step.command} failed unexpectedly ({brief(error)}): whether it had an effect is unknown."
            return CommandFailed(step.number, self._kept(why), spent=meter.spent)
        return self._finished(step.number, outcome, meter)

    def _finished(self, number: int, outcome: Outcome, meter: _Meter) -> CommandFinished:
        text = self._kept(outcome.text)
        told, file = self._shortened(number, text)
        links, changes = tuple(outcome.links[:MAX_LINKS]), self._kept_value(dict(outcome.changes))
        private = outcome.untrusted and self._command.risk is not Risk.NETWORK
        return CommandFinished(
            number, told, short_hash(text), file, outcome.untrusted, private, links, changes, meter.spent
        )  # fmt: skip

    def _shortened(self, number: int, text: str) -> tuple[str, str]:
        """The text as the model is told it, and the file with the whole of it if that is not all."""
        most = self.parts.thinker.result_tokens() * CHARS_PER_TOKEN
        if len(text) <= most:
            return text, ""
        file = f"{RESULTS}/step-{number:03}.txt"
        try:
            self.parts.tools.files.write(file, text)
            where = f"the whole text is in {file}: read_file gives its pages"
        except HuggingGPTError as error:
            file, where = "", f"the rest was not kept: {error}"
        return f"{text[:most]}\n… ({len(text)} characters; {where})", file

    # The end

    def _end(self) -> Done:
        return self._done(self.state.ending or Stop.FAILED)

    def _cancel(self) -> Done:
        return Done(Stop.CANCELLED, self._summary("it was cancelled"), self.state.written)

    def _done(self, stop: Stop, why: str = "") -> Done:
        """The end, with an answer of the language model where the budget has room for it."""
        state, meter = self.state, _Meter(self.parts)
        files = state.written
        if stop is Stop.COMPLETE:
            return Done(stop, state.answer, files)
        if stop is Stop.STOPPED:
            return Done(stop, self._summary("it was paused"), files)
        reason = WHY[stop].format(why)
        limit = state.limits.tokens
        left = None if limit is None else limit - state.spent.usage.total_tokens
        answer = ""
        if stop is not Stop.FAILED and not self._reached(0, 1.0):
            try:
                answer = self.parts.thinker.answer(state, reason, left, meter.add)
            except (BackendError, ModelOutputError):
                answer = ""
        return Done(stop, self._kept(answer) or self._summary(reason), files, meter.spent)

    def _summary(self, reason: str) -> str:
        """What can be said without a language model."""
        state = self.state
        last = next((step for step in reversed(state.steps) if step.ended and step.ok), None)
        lines = [f"The goal was not reached: {reason.rstrip('.')}. Steps made: {state.number}."]
        lines += [f"The latest result: {last.line}"] if last else []
        return "\n".join([*lines, *([f"Files: {', '.join(state.written)}"] if state.written else [])])

    # Secrets

    def _kept(self, text: str) -> str:
        """The text as it may be kept and shown."""
        return masked(well_formed(text), self.parts.secrets)

    def _kept_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._kept(value)
        if isinstance(value, dict):
            return {self._kept(str(name)): self._kept_value(each) for name, each in value.items()}
        return [self._kept_value(each) for each in value] if isinstance(value, list | tuple) else value


class _Meter:
    """Measures what one event takes."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._began = parts, parts.clock()
        self._usage = Usage()

    def add(self, usage: Usage) -> None:
        self._usage += usage

    @property
    def spent(self) -> Spent:
        seconds = round(self._parts.clock() - self._began, 4)
        return Spent(self._usage, seconds, self._parts.prices.cost(self._usage))


def _texts(thoughts: Thoughts) -> tuple[str, str, str, str, str]:
    return thoughts.text, thoughts.reasoning, thoughts.plan, thoughts.criticism, thoughts.speak


def new_goal_id() -> str:
    return uuid.uuid4().hex[:12]


def with_files(goal: Goal, names: Sequence[str]) -> Goal:
    """The goal with files that were put into its workspace."""
    return replace(goal, files=(*goal.files, *names))
