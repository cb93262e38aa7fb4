"""Stage 1: the request becomes a plan."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Protocol

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.events import Event, Notice, Planned, TaskPlanned
from hugginggpt.core.plan import Plan
from hugginggpt.core.plan_repair import parse_plan
from hugginggpt.llm.base import LLM, Message, Reply, Schema
from hugginggpt.llm.prompts import Prompts, plan_schema
from hugginggpt.stages.demonstrations import Demonstrations
from hugginggpt.stages.run import Run
from hugginggpt.stages.streamed_plan import StreamingPlanParser

log = logging.getLogger(__name__)


class Planner(Protocol):
    def plan(self, run: Run) -> Generator[Event, None, None]:
        """Events that end with Planned; an empty plan means that no task is needed.

        Raises BackendError when the language model cannot be asked.
        """


class ResumingPlanner:
    """Gives a run that is resumed the plan that it had; others go to the planner."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def plan(self, run: Run) -> Generator[Event, None, None]:
        if run.plan is None:
            yield from self.planner.plan(run)
            return
        yield Notice(f"The run is resumed: {len(run.done)} of {len(run.plan)} tasks were finished before.")
        yield Planned(run.plan)


class LLMPlanner:
    """Asks a language model; one that writes no usable plan twice is replaced by the offline planner.

    With `stream` the tasks are told as soon as they are complete, while the rest is still being written.
    With `demonstrations` those nearest to the request are shown to the model, in place of the fixed ones.
    """

    def __init__(
        self,
        llm: LLM,
        prompts: Prompts,
        fallback: Planner,
        stream: bool = False,
        demonstrations: Demonstrations | None = None,
    ) -> None:
        self.llm = llm
        self.prompts = prompts
        self.fallback = fallback
        self.stream = stream
        self.demonstrations = demonstrations
        self.table = prompts.table

    def plan(self, run: Run) -> Generator[Event, None, None]:
        try:
            yield from self._ask(run)
        except ModelOutputError as error:
            yield Notice(f"The language model wrote no usable plan ({error}); the offline planner made one.")
            yield from self.fallback.plan(run)

    def _ask(self, run: Run) -> Iterator[Event]:
        nearest = self.demonstrations.nearest(run.request, run.tasks, run.named) if self.demonstrations else ()
        messages = self.prompts.plan(run.request, run.context, nearest, run.tasks, run.files)
        schema = plan_schema(self.table, run.tasks)
        reply = yield from self._answer(run, messages, schema)
        spent = run.spend(reply.usage)
        try:
            plan = parse_plan(reply.whole(), self.table, run.limits.max_tasks)
            if not _worth_repairing(plan):
                yield Planned(plan, spent)
                return
            error = f"Mistakes: {'; '.join(plan.problems[:10])}."
        except ModelOutputError as unreadable:
            error = str(unreadable)
        log.info("The plan needs a repair turn: %s", error)
        messages = self.prompts.repair(messages, reply.text, error, 'the corrected {"tasks": [...]}')
        reply = self.llm.complete(messages, stage="plan", schema=schema)
        spent += run.spend(reply.usage)
        yield Planned(parse_plan(reply.whole(), self.table, run.limits.max_tasks), spent)

    def _answer(self, run: Run, messages: Sequence[Message], schema: Schema) -> Generator[Event, None, Reply]:
        """The model's answer; of a streamed one, its tasks while they come. Stops reading when the run is over."""
        if not self.stream:
            return self.llm.complete(messages, stage="plan", schema=schema)
        early = StreamingPlanParser(self.table, run.limits.max_tasks)
        with closing(self.llm.stream(messages, stage="plan", schema=schema)) as pieces:
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    reply: Reply = end.value
                    return reply
                run.check()
                for task in early.feed(piece):
                    yield TaskPlanned(task)


def _worth_repairing(plan: Plan) -> bool:
    """Whether the model should see its mistakes: not for tasks beyond the limit, which no rewriting mends."""
    return any(task.problem and "limits.max_tasks" not in task.problem for task in plan)
