"""Two planners for one plan: the offline planner where it is sure to be right, else the language model, which is shown
the tasks that the offline planner thinks likely and the nearest demonstrations in place of the whole table.

A language model that only completes plans nothing, as a plan of a small model is worse than that of the offline planner
also where that one is not sure: it says a request that was not understood in other words, which are planned offline.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Event, Notice, Planned
from hugginggpt.core.plan import Plan, Task
from hugginggpt.core.usage import Usage
from hugginggpt.stages.demonstrations import Demonstrations
from hugginggpt.stages.planner import BY_MODEL, OFFLINE, LLMPlanner, Shown, may_fall_back
from hugginggpt.stages.rewording import Rewording
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
        return not self.is_sure or self.is_open

    @property
    def is_open(self) -> bool:
        """Whether the plan leaves a part of the request open, or a qualifier."""
        plan = self.plan
        return bool(plan.unplanned or plan.missing or plan.problems or self.left) or self._leaves_unjudged

    @property
    def is_understood(self) -> bool:
        """Whether anything was planned for the request, or there is a reason why nothing is. Of a request in another
        language each word has to be accounted for, as few are understood, unless all tasks are handed its words.
        """
        plan = self.plan
        if plan.language:
            return bool(plan.small_talk) or (bool(plan.tasks) and not self.is_open) or self.is_whole
        return bool(plan.tasks or plan.missing or plan.small_talk or any(part.why for part in plan.unplanned))

    @property
    def is_whole(self) -> bool:
        """Whether there is a task for each part of the request. What words say does not matter to tasks that are handed
        them as they stand, such as questions.
        """
        plan = self.plan
        handed_on = all(task.row is not None and task.row.wording == "question" for task in plan)
        is_open = bool(plan.unplanned or plan.missing or plan.problems) or self._leaves_unjudged
        return bool(plan.tasks) and not is_open and (handed_on or not self.left)

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


def asked_twice(plan: Plan, request: str) -> Plan:
    """The plan for a request in another language, with its own words above the English ones of each question, as the
    text may be in either. A table is asked in English alone: its columns are found by meaning.
    """

    def asked(task: Task) -> Task:
        row = task.row
        if row is None or row.wording != "question" or row.input_kind == "table" or row.text_arg is None:
            return task
        name = row.text_arg.name
        own = " ".join(request.split())
        return replace(task, args={**task.args, name: f"{own}\n{task.args.get(name, '')}".strip()})

    return replace(plan, tasks=tuple(map(asked, plan.tasks)))


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
    offline plan is taken; None: the one that was calibrated. With a `rewording` the model plans nothing.
    """

    def __init__(
        self,
        offline: Proposer,
        model: LLMPlanner,
        demonstrations: Demonstrations,
        keeps_prompt: bool = False,
        sure_from: float | None = None,
        rewording: Rewording | None = None,
    ) -> None:
        self.rewording = rewording
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
        is_done = not proposal.needs_model
        if self.rewording:
            is_done = proposal.is_understood or not self.rewording.is_worthwhile(run)
        if is_done:
            yield Planned(proposal.plan, planner=OFFLINE, why=f"planned offline: {_shown(chance)}", confidence=chance)
            return
        if self.rewording:
            yield from self._reworded(run, proposal, chance, self.rewording)
            return
        for event in self.model.plan(run, self._shown(run, proposal)):
            if isinstance(event, Planned) and event.planner == BY_MODEL:
                event = replace(event, why=proposal.doubt, confidence=chance)
            yield event

    def _reworded(self, run: Run, proposal: Proposal, chance: float, rewording: Rewording) -> Iterator[Event]:
        """The offline plan of the request in other words, if it has a task for each part; else that of the request."""
        draft = proposal.plan
        why = "the language model found no better words"
        try:
            other = yield from rewording.of(run)
        except BackendError as error:
            if not may_fall_back(run, error):
                raise
            run.check()
            other, why, run.without_llm = None, str(error), str(error)
            yield Notice(f"The language model failed, and the offline planner made the plan: {error}")
        again = self.offline.propose(other) if other else proposal
        spent = run.spent_by.get("plan", Usage())
        if other and again.is_whole:
            plan = replace(again.plan, language=draft.language)
            if draft.language:
                plan = asked_twice(plan, run.request)
            said = f"read as “{other.request}”"
            yield Notice(f"The request was {said}.")
            yield Planned(plan, spent, (), OFFLINE, f"planned offline, {said}", again.confidence)
        else:
            yield Planned(draft, spent, (), OFFLINE, why, chance)

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
