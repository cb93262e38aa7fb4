"""Two planners for one plan: the offline planner where it is sure to be right, else the language model, which is shown
the tasks that the offline planner thinks likely and the nearest demonstrations in place of the whole table.

A language model that only completes is asked where the offline plan leaves something open, and can only add to it: a
plan of a small model is worse than that of the offline planner also where that one is not sure.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from hugginggpt.core.errors import BackendError, ModelOutputError
from hugginggpt.core.events import Event, Notice, Planned, TaskPlanned
from hugginggpt.core.plan import Plan, Task
from hugginggpt.core.usage import Usage
from hugginggpt.stages.demonstrations import Demonstrations
from hugginggpt.stages.merged_plan import completed
from hugginggpt.stages.plan_checks import PlanChecks
from hugginggpt.stages.planner import BY_MODEL, OFFLINE, LLMPlanner, Shown, may_fall_back
from hugginggpt.stages.run import Run


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that was made offline, how likely it is right (0 to 1), and whether that is enough to go by it alone.

    `left` is what of the request the plan does not account for.
    """

    plan: Plan
    confidence: float
    is_sure: bool
    left: str = ""

    @property
    def needs_model(self) -> bool:
        """Whether a language model may find more: the plan is not sure, or leaves a part of the request open."""
        plan = self.plan
        is_open = bool(plan.unplanned or plan.missing or plan.problems or self.left)
        return not self.is_sure or is_open or self._leaves_unjudged

    @property
    def may_be_completed(self) -> bool:
        """Whether there is a part of the request that nothing was planned for, and no reason why nothing could be."""
        plan = self.plan
        not_understood = any(not part.why for part in plan.unplanned)
        nothing = not (plan.tasks or plan.unplanned or plan.missing or plan.small_talk or plan.language)
        return not_understood or nothing

    @property
    def _leaves_unjudged(self) -> bool:
        """Whether a question of the plan is about something that no expert can judge."""
        return any(one.unjudged for question in self.plan.questions for one in question.objects)

    @property
    def left_open(self) -> Sequence[str]:
        """The parts of the request that the plan does not account for, in the user's words."""
        return [*(part.text for part in self.plan.unplanned), *([self.left] if self.left else [])]

    @property
    def doubt(self) -> str:
        """Why the language model is asked."""
        if self.plan.unplanned:
            return f"the offline planner leaves a part open: “{self.plan.unplanned[0].text}”"
        if not self.plan.tasks and not self.plan.small_talk:
            return "the offline planner found no task"
        if self.left:
            return f"the offline planner cannot account for “{self.left}”"
        if self._leaves_unjudged:
            return "the offline planner leaves a qualifier open"
        return f"the offline planner is not sure: {_shown(self.confidence)}"


def _shown(chance: float) -> str:
    """Two digits, rounded down."""
    return f"{math.floor(100 * chance) / 100:.2f}"


class Proposer(Protocol):
    """The offline planner as a partner of the language model."""

    def plan(self, run: Run) -> Generator[Event, None, None]: ...

    def propose(self, run: Run) -> Proposal: ...

    def open_words(self, run: Run, plan: Plan) -> frozenset[str]:
        """The words of the request that a plan does not account for."""

    def shortlist(self, run: Run, plan: Plan) -> frozenset[str]:
        """The tasks that a plan for the request may need, with those of the proposed one; none where it cannot tell."""


class TwoPlanners:
    """Plans as the run wants it (`Run.planner`): "offline", "llm", or "auto", the one that suits the request.

    A model that keeps what all prompts begin with (`keeps_prompt`) is shown that, which costs it nothing: of the likely
    tasks it then knows by the schema of the plan alone. `sure_from` is the probability of being right from which the
    offline plan is taken; None: the one that was calibrated. A model that `completes` only adds to the offline plan.
    """

    def __init__(
        self,
        offline: Proposer,
        model: LLMPlanner,
        demonstrations: Demonstrations,
        keeps_prompt: bool = False,
        sure_from: float | None = None,
        completes: bool = False,
    ) -> None:
        self.completes = completes
        self.sure_from = sure_from
        self.keeps_prompt = keeps_prompt
        self.offline = offline
        self.model = model
        self.demonstrations = demonstrations

    def plan(self, run: Run) -> Generator[Event, None, None]:
        if run.planner == "llm" or (run.rejected and run.planner != OFFLINE):
            yield from self.model.plan(run)
        elif run.planner == OFFLINE:
            yield from self.offline.plan(run)
        else:
            yield from self._together(run)

    def _together(self, run: Run) -> Iterator[Event]:
        proposal = self.offline.propose(run)
        if self.sure_from is not None:
            proposal = replace(proposal, is_sure=proposal.confidence >= self.sure_from)
        chance = math.floor(10_000 * proposal.confidence) / 10_000  # nothing is certain
        if not (proposal.may_be_completed if self.completes else proposal.needs_model):
            yield Planned(proposal.plan, planner=OFFLINE, why=f"planned offline: {_shown(chance)}", confidence=chance)
            return
        if self.completes:
            yield from self._completed(run, proposal, chance)
            return
        for event in self.model.plan(run, self._shown(run, proposal)):
            if isinstance(event, Planned) and event.planner == BY_MODEL:
                event = replace(event, why=proposal.doubt, confidence=chance)
            yield event

    def _completed(self, run: Run, proposal: Proposal, chance: float) -> Iterator[Event]:
        """The offline plan, whose tasks begin at once, with what the model adds to it, if anything."""
        draft = proposal.plan
        usage, why = Usage(), "the language model had nothing to add"
        plan = draft
        if self.model.stream:
            yield from map(TaskPlanned, _begun(draft))
        try:
            shown = replace(self._shown(run, proposal) or self.model.usual(run), stands=True)
            for event in self.model.ask(run, shown):
                if not isinstance(event, Planned):
                    yield event
                    continue
                usage = event.usage
                runnable = list(filter(PlanChecks(run, self.model.exists).has_inputs, event.plan))
                plan = completed(draft, runnable, partial(self.offline.open_words, run))
        except ModelOutputError as error:
            usage = error.usage
        except BackendError as error:
            if not (draft.tasks and may_fall_back(run, error)):
                raise
            run.check()
            usage, why, run.without_llm = error.usage, str(error), str(error)
            yield Notice(f"The language model failed, and the offline planner made the plan: {error}")
        if plan is draft:
            yield Planned(draft, usage, planner=OFFLINE, why=why, confidence=chance)
        else:
            yield Planned(plan, usage, planner=BY_MODEL, why=proposal.doubt, confidence=chance)

    def _shown(self, run: Run, proposal: Proposal) -> Shown | None:
        """What the language model is shown; None, for all tasks, where the offline planner cannot tell which."""
        plan = proposal.plan
        tasks = self.offline.shortlist(run, plan)
        if not tasks:
            return None
        draft = plan if not plan.problems else Plan()
        left = proposal.left_open if draft.tasks else ()
        if self.keeps_prompt:
            return replace(self.model.usual(run), allowed=tasks, draft=draft, left_open=left)
        nearest = self.demonstrations.nearest(run.request, run.tasks, run.named)
        tasks |= {task["task"] for demo in nearest for task in demo.plan}
        return Shown(tasks, tasks, nearest, draft, left)


def _begun(draft: Plan) -> Iterator[Task]:
    """The tasks of a draft that may begin before the plan is complete: not those under a condition, nor after one."""
    begun: set[int] = set()
    for task in draft:
        if not (task.when or task.problem) and begun.issuperset(task.dep):
            begun.add(task.id)
            yield task
