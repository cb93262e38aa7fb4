"""Stage 1: the request becomes a plan."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from typing import Protocol

from hugginggpt.early import EarlyTasks
from hugginggpt.errors import ModelOutputError
from hugginggpt.events import Event, Notice, Planned, TaskPlanned
from hugginggpt.llm import LLM, Message, Reply
from hugginggpt.plan import Plan
from hugginggpt.prompts import PLAN_SCHEMA, Prompts
from hugginggpt.repair import parse_plan
from hugginggpt.run import Run

log = logging.getLogger(__name__)


class Planner(Protocol):
    def plan(self, run: Run) -> Generator[Event, None, None]:
        """Events that end with Planned; an empty plan means that no task is needed.

        Raises BackendError when the language model cannot be asked.
        """


class LLMPlanner:
    """Asks a language model; one that writes no usable plan twice is replaced by the offline planner.

    With `stream` the tasks are told as soon as they are complete, while the rest is still being written.
    """

    def __init__(self, llm: LLM, prompts: Prompts, fallback: Planner, stream: bool = False) -> None:
        self.llm = llm
        self.prompts = prompts
        self.fallback = fallback
        self.stream = stream

    def plan(self, run: Run) -> Generator[Event, None, None]:
        try:
            yield from self._ask(run)
        except ModelOutputError as error:
            yield Notice(f"The language model wrote no usable plan ({error}); the offline planner made one.")
            yield from self.fallback.plan(run)

    def _ask(self, run: Run) -> Iterator[Event]:
        messages = self.prompts.plan(run.request, run.history)
        reply = yield from self._answer(messages)
        spent = run.spend(reply.usage)
        try:
            plan = parse_plan(reply.text, run.limits.max_tasks)
            if not _worth_repairing(plan):
                yield Planned(plan, spent)
                return
            error = f"Mistakes: {'; '.join(plan.problems[:10])}."
        except ModelOutputError as unreadable:
            error = str(unreadable)
        log.info("The plan needs a repair turn: %s", error)
        messages = self.prompts.repair(messages, reply.text, error, 'the corrected {"tasks": [...]}')
        reply = self.llm.complete(messages, stage="plan", schema=PLAN_SCHEMA)
        spent += run.spend(reply.usage)
        yield Planned(parse_plan(reply.text, run.limits.max_tasks), spent)

    def _answer(self, messages: Sequence[Message]) -> Generator[Event, None, Reply]:
        """The model's answer; of a streamed one, its tasks while they come."""
        if not self.stream:
            return self.llm.complete(messages, stage="plan", schema=PLAN_SCHEMA)
        early = EarlyTasks()
        pieces = self.llm.stream(messages, stage="plan", schema=PLAN_SCHEMA)
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                reply: Reply = end.value
                return reply
            for task in early.feed(piece):
                yield TaskPlanned(task)


def _worth_repairing(plan: Plan) -> bool:
    """Whether the model should see its mistakes: not for tasks beyond the limit, which no rewriting mends."""
    return any(task.problem and "limits.max_tasks" not in task.problem for task in plan)
