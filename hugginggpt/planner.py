"""Stage 1: the request becomes a plan."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Protocol

from hugginggpt.errors import ModelOutputError
from hugginggpt.events import Event, Notice, Planned
from hugginggpt.llm import LLM, Usage
from hugginggpt.plan import Plan
from hugginggpt.prompts import PLAN_SCHEMA, Prompts
from hugginggpt.repair import parse_plan
from hugginggpt.run import Run

log = logging.getLogger(__name__)


class Planner(Protocol):
    def plan(self, run: Run) -> Iterator[Event]:
        """Events that end with Planned; an empty plan means that no task is needed.

        Raises BackendError when the language model cannot be asked.
        """


class LLMPlanner:
    """Asks a language model; one that writes no usable plan twice is replaced by the offline planner."""

    def __init__(self, llm: LLM, prompts: Prompts, fallback: Planner) -> None:
        self.llm = llm
        self.prompts = prompts
        self.fallback = fallback

    def plan(self, run: Run) -> Iterator[Event]:
        try:
            yield run.within_time(lambda: self._ask(run))
        except ModelOutputError as error:
            yield Notice(f"The language model wrote no usable plan ({error}); the offline planner made one.")
            yield from self.fallback.plan(run)

    def _ask(self, run: Run) -> Planned:
        messages = self.prompts.plan(run.request, run.history)
        spent = Usage()
        for last_try in (False, True):
            reply = self.llm.complete(messages, stage="plan", schema=PLAN_SCHEMA)
            spent += run.spend(reply.usage)
            try:
                plan = parse_plan(reply.text, run.limits.max_tasks)
                if last_try or not _worth_repairing(plan):
                    return Planned(plan, spent)
                error = f"Mistakes: {'; '.join(plan.problems[:10])}."
            except ModelOutputError as unreadable:
                if last_try:
                    raise
                error = str(unreadable)
            log.info("The plan needs a repair turn: %s", error)
            messages = self.prompts.repair(messages, reply.text, error, 'the corrected {"tasks": [...]}')
        raise AssertionError("unreachable")


def _worth_repairing(plan: Plan) -> bool:
    """Whether the model should see its mistakes: not for tasks beyond the limit, which no rewriting mends."""
    return any(task.problem and "limits.max_tasks" not in task.problem for task in plan)
