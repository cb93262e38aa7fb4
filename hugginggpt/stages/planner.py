"""Stage 1: plans a request."""

from __future__ import annotations

import logging
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from hugginggpt.core.errors import BackendError, ModelOutputError
from hugginggpt.core.events import Event, Notice, Planned, PromptRead, TaskPlanned
from hugginggpt.core.plan import Plan
from hugginggpt.core.plan_repair import parse_plan
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import LLM, Message, Reading, Reply, Schema
from hugginggpt.llm.bounds import MORE_ROOM, plan_tokens
from hugginggpt.llm.prompts import Demonstration, Prompts, plan_schema
from hugginggpt.stages.demonstrations import Demonstrations
from hugginggpt.stages.plan_checks import Exists, PlanChecks
from hugginggpt.stages.run import Run
from hugginggpt.stages.streamed_plan import StreamingPlanParser

log = logging.getLogger(__name__)

BY_MODEL, OFFLINE = "llm", "offline"
CUT_OFF_CHARS = 500
"""How much of a plan that was cut off is shown to the model again: what never ended would go on."""
MISTAKES = (401, 403, 404)
"""The statuses of a service that is set up wrongly: a refused key, an unknown model or address. They end the run."""


class Planner(Protocol):
    def plan(self, run: Run) -> Generator[Event, None, None]:
        """Events that end with Planned; an empty plan means that no task is needed.

        Raises BackendError when the language model fails.
        """


class GivenPlanner:
    """Returns the plan of a run that has one, as a resumed run does; other runs go to the planner."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def plan(self, run: Run) -> Generator[Event, None, None]:
        if run.plan is None:
            yield from self.planner.plan(run)
            return
        if run.is_resumed and len(run.done) == len(run.plan):
            yield Notice("All tasks of the run were finished before: nothing is left to do but to answer.")
        elif run.is_resumed:
            yield Notice(f"The run is resumed: {len(run.done)} of {len(run.plan)} tasks were finished before.")
        yield Planned(run.plan, **run.planned_by)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the language model is shown for one request: tasks, demonstrations in place of the fixed ones, the draft of
    a plan (empty: none) and what of the request it leaves open. `allowed` are the tasks that its plan may have, where a
    schema holds it; None: all.
    """

    tasks: frozenset[str] | None
    allowed: frozenset[str] | None
    demonstrations: Sequence[Demonstration] = ()
    draft: Plan = Plan()
    left_open: Sequence[str] = ()


class LLMPlanner:
    """Plans with a language model; after two unusable plans the offline planner takes over, and so it does where the
    service fails, if the run may fall back. The plan is checked against the files that there are (`exists`).

    With `stream`, tasks are reported as soon as they are complete, while the rest is still being written.
    With `demonstrations`, those nearest to the request replace the fixed ones in the prompt.
    """

    def __init__(
        self,
        llm: LLM,
        prompts: Prompts,
        fallback: Planner,
        stream: bool = False,
        demonstrations: Demonstrations | None = None,
        exists: Exists = lambda name: True,
    ) -> None:
        self.llm = llm
        self.prompts = prompts
        self.fallback = fallback
        self.stream = stream
        self.demonstrations = demonstrations
        self.table = prompts.table
        self.exists = exists

    def plan(self, run: Run, shown: Shown | None = None) -> Generator[Event, None, None]:
        try:
            yield from self.ask(run, shown or self.usual(run))
        except ModelOutputError as error:
            why = f"The language model wrote no usable plan ({error})"
            yield Notice(f"{why}; the offline planner made one.")
            yield from self._fall_back(run, f"{why}.", error.usage)
        except BackendError as error:
            if not may_fall_back(run, error):
                raise
            run.check()
            planned = list(self._fall_back(run, str(error), error.usage))
            if not any(isinstance(event, Planned) and event.plan.tasks for event in planned):
                raise  # the offline planner has nothing to offer
            run.without_llm = str(error)
            yield Notice(f"The language model failed, and the offline planner made the plan: {error}")
            yield from planned

    def _fall_back(self, run: Run, why: str, spent: Usage) -> Iterator[Event]:
        for event in self.fallback.plan(run):
            yield replace(event, why=why, usage=event.usage + spent) if isinstance(event, Planned) else event

    def usual(self, run: Run) -> Shown:
        """What the model is shown of every request."""
        nearest = self.demonstrations.nearest(run.request, run.tasks, run.named) if self.demonstrations else ()
        return Shown(run.tasks, run.tasks, nearest)

    def ask(self, run: Run, shown: Shown) -> Iterator[Event]:
        """Events that end with the plan of the model. Raises ModelOutputError and BackendError."""
        checks = PlanChecks(run, self.exists)
        draft = checks.checked(shown.draft)
        wrong = [*draft.problems, *(f"nothing is planned for “{part}”" for part in shown.left_open)]
        checks.told += _mistakes(draft)
        messages = self.prompts.plan(
            run.request, run.context, shown.demonstrations, shown.tasks, run.files, draft.to_json(), wrong, run.rejected
        )
        schema = plan_schema(self.table, shown.allowed)
        most = plan_tokens(messages, run.request, run.limits.max_tasks, self.llm.count)
        reply = yield from self._answer(messages, schema, most, checks)
        spent = run.spend(reply.usage, "plan")
        try:
            plan = self._parsed(reply, checks)
            if not _worth_repairing(plan, {task.problem for task in draft}):
                yield Planned(plan, spent, planner=BY_MODEL)
                return
            error = f"Mistakes: {'; '.join(plan.problems[:10])}."
            checks.told += _mistakes(plan)
        except ModelOutputError as unreadable:
            error = str(unreadable)
            checks.told.append(error)
        log.info("The plan needs a repair turn: %s", error)
        said = reply.text[:CUT_OFF_CHARS] if reply.cut_off else reply.text
        messages = self.prompts.repair(messages, said, error, 'the corrected {"tasks": [...]}')
        try:
            reply = self.llm.complete(messages, stage="plan", schema=schema, most=MORE_ROOM * most)
            spent += run.spend(reply.usage, "plan")
            yield Planned(self._parsed(reply, checks), spent, planner=BY_MODEL)
        except (ModelOutputError, BackendError) as failed:
            failed.usage = spent
            raise

    def _parsed(self, reply: Reply, checks: PlanChecks) -> Plan:
        """The plan in a complete reply, checked. Raises ModelOutputError."""
        run = checks.run
        return checks.checked(parse_plan(reply.whole(), self.table, run.limits.max_tasks, run.kind_of))

    def _answer(
        self, messages: Sequence[Message], schema: Schema, most: int, checks: PlanChecks
    ) -> Generator[Event, None, Reply]:
        """The model's answer; when streamed, its tasks as they arrive. Stops reading when the run is over."""
        run = checks.run
        if not self.stream:
            return self.llm.complete(messages, stage="plan", schema=schema, most=most)
        early = StreamingPlanParser(self.table, run.limits.max_tasks, run.kind_of)
        with closing(self.llm.stream(messages, stage="plan", schema=schema, most=most)) as pieces:
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    reply: Reply = end.value
                    return reply
                run.check()
                if isinstance(piece, Reading):
                    yield PromptRead(piece.read, piece.total)
                for task in filter(checks.may_begin, early.feed(piece)):
                    yield TaskPlanned(task)


def may_fall_back(run: Run, error: BackendError) -> bool:
    """Whether the offline planner may plan in place of a service that failed."""
    return run.offline_fallback and error.status not in MISTAKES


def _worth_repairing(plan: Plan, told: Collection[str]) -> bool:
    """Whether a repair turn is worthwhile: not for tasks beyond the limit, which rewriting does not change, nor for
    mistakes that the model was told of with the draft, and left: asked again, it gives up the rest of the plan, too.
    """
    return not {mistake for mistake in _mistakes(plan) if "limits.max_tasks" not in mistake}.issubset(told)


def _mistakes(plan: Plan) -> list[str]:
    """What is wrong with the tasks of a plan."""
    return [task.problem for task in plan if task.problem]
