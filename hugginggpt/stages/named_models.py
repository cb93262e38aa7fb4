"""The models that a request names: which tasks each of them is for, where it can be run, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.catalog.catalog import Catalog, ModelCard
from hugginggpt.common.threads import TTLCache
from hugginggpt.core.model_uses import ModelUse
from hugginggpt.core.plan import Task
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.endpoints.base import Endpoint
from hugginggpt.media.model_names import NamedModel
from hugginggpt.stages.run import Run

Offer = tuple[ModelCard, Endpoint]


@dataclass(frozen=True, slots=True)
class Ended:
    """A task that has ended: the model that did it, "" if it was not done, and why another one did not."""

    task: Task
    model: str
    failure: str


class NamedModels:
    """The models that the request of a run names."""

    def __init__(self, run: Run, endpoints: Sequence[Endpoint], table: TaskTable, catalog: Catalog) -> None:
        self.run = run
        self.endpoints = endpoints
        self.table = table
        self.catalog = catalog
        self._offers: TTLCache[list[Offer]] = TTLCache(self._look_up, float("inf"), own_thread=False)

    def offered(self, task: Task) -> list[Offer]:
        """The named model for a task, at each endpoint that offers it; [] where none is named, or none offers it."""
        if task.model:
            return self._offers.get((task.model, task.type)).result()
        model = self._model_for(task)
        return self._offers.get((model.id, task.type)).result() if model else []

    def _look_up(self, key: tuple[str, TaskType]) -> list[Offer]:
        model, task = key
        return [(card, endpoint) for endpoint in self.endpoints if (card := endpoint.offers(model, task))]

    def _model_for(self, task: Task) -> NamedModel | None:
        """Of several that can do the task the one that is named with its file: behind the files ("a.jpg with …, b.jpg
        with …") or before them ("with … a.jpg, with … b.jpg").
        """
        fitting = [model for model in self.run.models if self._offers.get((model.id, task.type)).result()]
        if len(fitting) < 2 or (place := _place(task, self.run.request)) < 0:
            return next(iter(fitting), None)
        files_first = any(one.has_place and one.start < fitting[0].start for one in self.run.named)
        if files_first:
            return next((model for model in fitting if model.start > place), fitting[-1])
        return next((model for model in reversed(fitting) if model.start < place), fitting[0])

    def uses(self, ended: Sequence[Ended]) -> tuple[ModelUse, ...]:
        """What became of each model, when the tasks of the plan have ended."""
        return tuple(self._use(model, ended) for model in dict.fromkeys(model.id for model in self.run.models))

    def _use(self, model: str, ended: Sequence[Ended]) -> ModelUse:
        wanted = [one for one in ended if one.task.row and (named := self._model_for(one.task)) and named.id == model]
        done = tuple(one.task.id for one in wanted if one.model == model)
        if wanted:
            failures = [one.failure for one in wanted if one.model not in ("", model)]
            return ModelUse(model, done, _because(failures[0]) if failures else "")
        rows = list(dict.fromkeys(one.task.type for one in ended if one.task.row))
        if any(self._offers.get((model, row)).result() for row in rows):
            return ModelUse(model, why="the request names another one for the same task")
        offered = [row.name for row in self.table if self._offers.get((model, row)).result()]
        elsewhere = offered or self.catalog.tasks_of(model)
        if elsewhere and not {row.name for row in rows} & set(elsewhere):
            return ModelUse(model, why=f"it is for {' and '.join(elsewhere)}, which this request does not need")
        steps = dict.fromkeys(step for endpoint in self.endpoints if (step := endpoint.what_to_set_for(model)))
        return ModelUse(model, why="nothing that is set up here has it", remedy=", or ".join(steps))


def _because(failure: str) -> str:
    return f"it failed ({failure.rstrip('.')})" if failure else "the task was done before, with another one"


def _place(task: Task, request: str) -> int:
    """Where a request speaks of a task's file; -1 where it does not."""
    texts = [value for value in task.args.values() if isinstance(value, str) and value]
    places = [request.find(name) for text in texts for name in (text, text.rpartition("/")[2]) if name]
    return min((place for place in places if place >= 0), default=-1)
