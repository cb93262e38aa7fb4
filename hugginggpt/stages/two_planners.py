"""Two planners for one plan: the offline planner where it is sure to be right, else the language model, which is shown
the tasks that the offline planner thinks likely and the nearest demonstrations in place of the whole table.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hugginggpt.core.events import Event, Planned
from hugginggpt.core.plan import Plan
from hugginggpt.stages.demonstrations import Demonstrations
from hugginggpt.stages.planner import BY_MODEL, OFFLINE, LLMPlanner, Shown
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

    def shortlist(self, run: Run, plan: Plan) -> frozenset[str]:
        """The tasks that a plan for the request may need, with those of the proposed one; none where it cannot tell."""


class TwoPlanners:
    """Plans as the run wants it (`Run.planner`): "offline", "llm", or "auto", the one that suits the request.

    A model that keeps what all prompts begin with (`keeps_prompt`) is shown that, which costs it nothing: of the likely
    tasks it then knows by the schema of the plan alone. `sure_from` is the probability of being right from which the
    offline plan is taken; None: the one that was calibrated.
    """

    def __init__(
        self,
        offline: Proposer,
        model: LLMPlanner,
        demonstrations: Demonstrations,
        keeps_prompt: bool = False,
        sure_from: float | None = None,
    ) -> None:
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
        if not proposal.needs_model:
            yield Planned(proposal.plan, planner=OFFLINE, why=f"planned offline: {_shown(chance)}", confidence=chance)
            return
        for event in self.model.plan(run, self._shown(run, proposal)):
            if isinstance(event, Planned) and event.planner == BY_MODEL:
                event = replace(event, why=proposal.doubt, confidence=chance)
            yield event

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
