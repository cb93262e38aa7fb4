"""Calibrates how sure the offline planner is: which of its plans for requests kept back were right.

What was planned and whether that was right comes from conversations that were tried and graded (`python -m
benchmarks.planner_confidence`), and from labelled requests, planned by networks that were not trained on them.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import safe_open

from hugginggpt.core.events import Event, Planned
from hugginggpt.core.plan import Plan, Task
from hugginggpt.core.plan_repair import repair
from hugginggpt.core.tasks import TaskTable
from hugginggpt.offline.confidence import FAMILIES, chance, network_signals
from hugginggpt.offline.planner import OfflinePlanner, draft_plan
from hugginggpt.offline.tool_network.scoring import decided
from hugginggpt.offline.tool_network.tools import EDITING, EDITING_TASK, NAMES, OTHER_NAMES
from hugginggpt.offline.training.fitting import fit_logistic
from hugginggpt.stages.planner import OFFLINE
from hugginggpt.stages.run import Run
from hugginggpt.stages.two_planners import Proposal

if TYPE_CHECKING:
    import numpy as np

    from hugginggpt.offline.training.labelled import Labelled

    Array = np.ndarray[Any, np.dtype[np.float32]]

WANTED = 0.975
"""The share of plans that are right from the threshold on: 97 %, and some to spare, as it is chosen on these plans."""
PENALTY = 1.0
MIN_SURE = 20
"""Shares of fewer plans say nothing."""
MIN_WRONG = 3
"""With fewer wrong plans there is nothing to learn what they look like from: nothing of that family is sure."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The signals of a plan for a request kept back, and whether it was right; requests of a `group` are alike."""

    signals: Mapping[str, float]
    right: bool
    group: str

    @property
    def family(self) -> str:
        return next(family for family in FAMILIES if f"{family} sum" in self.signals)


class WatchedPlanner(OfflinePlanner):
    """The offline planner, which tells the signals of its last plan: {} of one that it would not go by alone, however sure."""

    signals: Mapping[str, float] = {}

    def plan(self, run: Run) -> Generator[Event, None, None]:
        plan, draft = self.draft(run)
        is_open = replace(self.proposal(run, plan, draft), is_sure=True).needs_model
        self.signals = {} if is_open else draft.signals
        yield Planned(plan, planner=OFFLINE)


def signals_of_whole(plan: Plan, signals: Mapping[str, float]) -> Mapping[str, float]:
    """The signals of a plan that leaves nothing open, of any other none."""
    return {} if Proposal(plan, 1.0, True).needs_model else signals


def tried_by_network(
    data: Sequence[Labelled], held_out: Mapping[int, tuple[Any, Any, Any]], weights: Mapping[str, Any]
) -> Iterator[Tried]:
    """The graphs of labelled requests by networks that were trained on others; `held_out` are their scores, `weights` those
    of the heads that make graphs of scores.
    """
    for index, scores in sorted(held_out.items()):
        if graph := decided(weights, *scores):
            yield Tried(
                network_signals(graph, data[index].request),
                is_right(graph.tools, graph.links, data[index]),
                str(index % 5),
            )


def tried_by_clauses(data: Sequence[Labelled], table: TaskTable) -> Iterator[Tried]:
    """The plans for labelled requests that are read clause by clause, which has not learned from them."""
    for index, label in enumerate(data):
        draft = draft_plan(label.request, table)
        plan = repair(draft.tasks, table)
        signals = signals_of_whole(replace(plan, unplanned=draft.unplanned, missing=draft.missing), draft.signals)
        if plan.tasks and "clauses sum" in signals:
            tools = {task.id: _tool(task) for task in plan}
            links = {(tools[source], tools[task.id]) for task in plan for source in task.dep}
            yield Tried(signals, is_right(set(tools.values()), links, label), f"labelled {index % 5}")


def is_right(tools: Collection[str], links: Collection[tuple[str, str]], label: Labelled) -> bool:
    """Whether these are the tools and links of the label, no more and no fewer."""
    wanted = {(NAMES[source], NAMES[target]) for source, target in label.links}
    return set(tools) == {NAMES[tool] for tool in label.tools} and set(links) == wanted


def _tool(task: Task) -> str:
    """TaskBench's tool for a task."""
    return EDITING if task.task == EDITING_TASK and task.args.get("text") else OTHER_NAMES.get(task.task, task.task)


def by_family(tried: Iterable[Tried]) -> dict[str, list[Tried]]:
    families: dict[str, list[Tried]] = {}
    for one in tried:
        families.setdefault(one.family, []).append(one)
    return families


def kept_weights(file: Path) -> dict[str, dict[str, Any]]:
    """The weights in a file, by family; {} without one."""
    if not file.exists():
        return {}
    with safe_open(file, framework="numpy") as opened:
        tensors = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
        known = opened.metadata()["tasks"].split()
    return {family: {key: value for key, value in tensors.items() if key.startswith(f"{family}.")} for family in known}


def calibrated(family: str, tried: Sequence[Tried]) -> dict[str, Any]:
    """The weights of a family of plans, with the threshold that cross-validation over the groups gives."""
    import numpy as np

    features, right = _features(tried), np.array([one.right for one in tried])
    if not MIN_WRONG <= (~right).sum() < len(right) - MIN_WRONG:
        return {}
    threshold = threshold_of(held_out_chances(family, tried), right)
    return {**fit_logistic(family, features, right, PENALTY), f"{family}.threshold": np.array([threshold])}


def held_out_chances(family: str, tried: Sequence[Tried]) -> Array:
    """How likely each plan is right, for weights fitted to the other groups."""
    import numpy as np

    features, right = _features(tried), np.array([one.right for one in tried])
    groups = np.array([one.group for one in tried])
    chances = np.zeros(len(tried), np.float32)
    for group in sorted(set(groups)):
        others = groups != group
        if right[others].all() or not right[others].any():  # nothing to tell right from wrong by
            chances[~others] = float(right[others].all())
            continue
        weights = fit_logistic(family, features[others], right[others], PENALTY)
        chances[~others] = [chance(weights, family, row) for row in features[~others]]
    return chances


def threshold_of(chances: Array, right: Array) -> float:
    """The lowest chance from which on the wanted share of the plans is right; 1.0 where there is none."""
    import numpy as np

    order = np.argsort(-chances, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(right) + 1)
    enough = np.flatnonzero((shares >= WANTED) & (np.arange(len(right)) >= MIN_SURE - 1))
    return float(chances[order[enough[-1]]]) if len(enough) else 1.0


def _features(tried: Sequence[Tried]) -> Array:
    import numpy as np

    names = sorted(tried[0].signals)
    return np.array([[one.signals[name] for name in names] for one in tried], np.float32)
