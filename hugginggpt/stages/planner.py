"""Stage 1: plans a request."""

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

        Raises BackendError when the language model fails.
        """


class ResumingPlanner:
    """Returns the plan of a resumed run; other runs go to the planner."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def plan(self, run: Run) -> Generator[Event, None, None]:
        if run.plan is None:
            yield from self.planner.plan(run)
            return
        if len(run.done) == len(run.plan):
            yield Notice("All tasks of the run were finished before: nothing is left to do but to answer.")
        else:
            yield Notice(f"The run is resumed: {len(run.done)} of {len(run.plan)} tasks were finished before.")
        yield Planned(run.plan)


class LLMPlanner:
    """Plans with a language model; after two unusable plans the offline planner takes over.

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
        """The model's answer; when streamed, its tasks as they arrive. Stops reading when the run is over."""
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
    """Whether a repair turn is worthwhile: not for tasks beyond the limit, which rewriting does not change."""
    return any(task.problem and "limits.max_tasks" not in task.problem for task in plan)
