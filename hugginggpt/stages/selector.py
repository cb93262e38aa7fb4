"""Stage 2: selects the best available model for each task."""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hugginggpt.catalog.catalog import ModelCard, make_catalog
from hugginggpt.common.ends import wanted_until
from hugginggpt.common.threads import TTLCache, fulfil, spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ExpertUnavailable, ModelOutputError
from hugginggpt.core.events import Choice
from hugginggpt.core.lenient_json import NotJSON, find_values
from hugginggpt.core.model_uses import ModelUse
from hugginggpt.core.plan import Lack, Plan, Task
from hugginggpt.core.tasks import TaskType
from hugginggpt.core.usage import Usage
from hugginggpt.endpoints.base import Endpoint, Tier
from hugginggpt.experts import registry
from hugginggpt.llm.base import LLM, Message, Reply
from hugginggpt.llm.bounds import choice_tokens
from hugginggpt.llm.prompts import Prompts, choice_schema, choices_schema
from hugginggpt.stages.distinctions import nothing_to_choose_by
from hugginggpt.stages.named_models import Ended, NamedModels
from hugginggpt.stages.run import Run

log = logging.getLogger(__name__)

NAMED, IN_PLAN = "The request names it.", "The plan names it."
"""The reasons of choices that the request or the plan made."""
NAME_ONE = "name what does it under http_experts or mcp in the configuration"
"""What always lets a task be done, where no endpoint has a better idea."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that can be run now, and where."""

    card: ModelCard
    endpoint: Endpoint

    def repeatable(self, task: TaskType) -> bool:
        return self.endpoint.repeatable(self.card.id, task)

    def choice(self, reason: str) -> Choice:
        is_elsewhere = self.endpoint.tier is not Tier.LANGUAGE_MODEL
        return Choice(self.card.id, self.endpoint.name, reason, f"on {self.endpoint.label}" if is_elsewhere else "")


@dataclass(frozen=True, slots=True)
class Selection:
    """The choice for a task, and all candidates in the order in which they are tried, the chosen one first.

    `notices` are what a person should know about the candidates.
    """

    choice: Choice
    candidates: Sequence[Candidate]
    usage: Usage = Usage()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Guess:
    """The best-ranked candidate of a task, which may be begun while the language model still chooses."""

    candidate: Candidate

    @property
    def choice(self) -> Choice:
        return self.candidate.choice("It ranks first of those available.")


Guessed = Callable[[Guess], None]


def ignore(guess: Guess) -> None:
    """Nothing is begun before it is chosen."""


class Selecting(Protocol):
    """The selection for the tasks of one run."""

    def select(self, task: Task, guessed: Guessed = ignore) -> Future[Selection]:
        """Starts the selection for a task; it fails with ExpertUnavailable when no reachable model does the task.

        `guessed` is called, at most once and perhaps in another thread, if a model may be begun before it is chosen.
        """

    def possible(self, task: Task) -> bool:
        """Whether a reachable model does the task; waits until that is known."""

    def models_named(self, ended: Sequence[Ended]) -> tuple[ModelUse, ...]:
        """What became of the models that the request names, when the tasks of the plan have ended."""

    def all_known(self, plan: Plan) -> None:
        """Called when `select` has been called for every task of the plan that is to be run."""


class Selector:
    """Ranks the candidates of all endpoints; a language model, if there is one, chooses among the best."""

    def __init__(self, endpoints: Sequence[Endpoint], llm: LLM | None, prompts: Prompts, config: Config) -> None:
        self.endpoints = endpoints
        self.llm = llm
        self.prompts = prompts
        self.top = config.num_candidate_models
        self.mode = config.selection_for(llm.name) if llm else "first"
        self.ahead_everywhere = config.run_ahead == "repeatable"
        self.catalog = make_catalog(config)

    def is_model(self, name: str) -> bool:
        """Whether a model of that id is known: to the catalogue, as an expert of this machine, or to an endpoint."""
        known = self.catalog.tasks_of(name) or any(expert.id == name for expert in registry.all_experts())
        return bool(known) or any(endpoint.knows(name) for endpoint in self.endpoints)

    def for_run(self, run: Run) -> Selecting:
        """The selection for a run: each task separately, or all in one prompt (`selection: batch`)."""
        return BatchSelection(self, run) if self.mode == "batch" and self.llm else PerTaskSelection(self, run)

    def choices(self, run: Run) -> dict[int, Choice]:
        """The model for each task of a run's plan, chosen before anything runs. Raises ExpertUnavailable."""
        selecting, plan = self.for_run(run), run.plan or Plan()
        selections = {task.id: selecting.select(task) for task in plan if not task.problem}
        selecting.all_known(plan)
        return {number: selection.result().choice for number, selection in selections.items()}

    def may_run_ahead(self, candidate: Candidate, task: TaskType) -> bool:
        """Whether a candidate may be begun before it is chosen: if it is not chosen in the end, nothing is lost."""
        may_cost = self.ahead_everywhere or candidate.endpoint.is_free
        return self.mode == "ahead" and may_cost and candidate.repeatable(task)

    def candidates(self, task: TaskType) -> list[Candidate]:
        """The models that can do the task now: the language model itself, then the best `top` of the remote endpoints.

        A model that several endpoints have is taken from the first. The embedded experts come last. Endpoints that
        need a network call are queried at the same time.
        """
        elsewhere = [endpoint for endpoint in self.endpoints if endpoint.tier.is_asked]
        lookups = {endpoint.name: spawn(endpoint.models, task, self.top) for endpoint in elsewhere[1:]}
        found: dict[str, Candidate] = {}
        for endpoint in self.endpoints:
            lookup = lookups.get(endpoint.name)
            for card in lookup.result() if lookup else endpoint.models(task, self.top):
                found.setdefault(card.id, Candidate(card, endpoint))
        ranked = sorted(found.values(), key=lambda candidate: (not candidate.card.is_own, -candidate.card.downloads))
        llm = [candidate for candidate in ranked if candidate.endpoint.tier is Tier.LANGUAGE_MODEL]
        remote = [candidate for candidate in ranked if candidate.endpoint.tier.is_asked]
        embedded = [candidate for candidate in ranked if candidate.endpoint.tier is Tier.EMBEDDED]
        return llm + remote[: self.top] + embedded

    def notices(self, task: TaskType) -> tuple[str, ...]:
        """What a person should know about the candidates for a task."""
        return tuple(notice for endpoint in self.endpoints for notice in endpoint.notices(task))

    def what_to_set(self, task: TaskType) -> str:
        """What to say of a task that no model does: what would let the endpoints do it."""
        return f"No model for {task.name} can be reached: {self._steps(task)}."

    def _steps(self, task: TaskType) -> str:
        """What would let an endpoint do a task, as imperatives."""
        steps = [step for endpoint in self.endpoints if (step := endpoint.what_to_set(task))]
        return ", or ".join(steps) or NAME_ONE

    def lacking(self, task: TaskType, aspect: str = "") -> Lack | None:
        """What no endpoint can do, and what would let one; None where one may do it."""
        if any(endpoint.covers(task, aspect) for endpoint in reversed(self.endpoints)):
            return None
        named = task.aspect(aspect)
        return Lack(f"No expert here can {named.about if named else task.about}.", self._steps(task))

    def default_selection(self, candidates: Sequence[Candidate], because: str = "") -> Selection | None:
        """The best-ranked candidate, when there is no choice to make or the language model gave no answer."""
        best = candidates[0]
        if because:
            return Selection(best.choice(f"It ranks first of those available; {because}"), candidates)
        if len(candidates) == 1:
            return Selection(best.choice(best.card.description or "It is the only model available."), candidates)
        if self.llm is None or self.mode == "first" or best.endpoint.tier is Tier.LANGUAGE_MODEL:
            return Selection(best.choice(best.card.description or "It ranks first of those available."), candidates)
        return None

    def offered(self, candidates: Sequence[Candidate]) -> list[tuple[ModelCard, str]]:
        """The candidates that the language model may choose from, and where each runs."""
        return [(candidate.card, candidate.endpoint.name) for candidate in candidates[: self.top]]

    def chosen(self, candidates: Sequence[Candidate], answer: Mapping[str, Any]) -> Selection:
        """The selection in an answer {"id", "reason"}; the best-ranked candidate if it names none of them."""
        wanted = str(answer.get("id", "")).strip()
        reason = str(answer.get("reason") or "no reason given")
        picked = next((candidate for candidate in candidates[: self.top] if candidate.card.id == wanted), None)
        if picked is None:
            picked = candidates[0]
            problem = f'the language model chose "{wanted[:80]}", which is none of them.'
            reason = f"It ranks first of those available; {problem}"
        others = [candidate for candidate in candidates if candidate is not picked]
        return Selection(picked.choice(reason), [picked, *others])


class _ForRun:
    """Common to both kinds of selection: the candidates of a task type are looked up once a run."""

    def __init__(self, selector: Selector, run: Run) -> None:
        self.selector = selector
        self.run = run
        self._candidates = TTLCache(selector.candidates, float("inf"), own_thread=False)
        self._named = NamedModels(run, selector.endpoints, selector.prompts.table, selector.catalog)

    @property
    def without_llm(self) -> str:
        """Why the language model is not asked; "" if it is."""
        return "the language model failed before" if self.run.without_llm else ""

    def possible(self, task: Task) -> bool:
        return bool(self._candidates.get(task.type).result()) or bool(self._named.offered(task))

    def named(self, task: Task) -> Selection | None:
        """The model that the request names for a task, where an endpoint offers it; the others come behind it."""
        offered = [Candidate(card, endpoint) for card, endpoint in self._named.offered(task)]
        if task.model:
            return self._named_in_plan(task, offered)
        if not offered:
            return None
        others = [one for one in self._candidates.get(task.type).result() if one.card.id != offered[0].card.id]
        return Selection(offered[0].choice(NAMED), [*offered, *others])

    @staticmethod
    def _named_in_plan(task: Task, offered: Sequence[Candidate]) -> Selection:
        """The model that the plan names, and no other. Raises ExpertUnavailable where no endpoint offers it."""
        if not offered:
            raise ExpertUnavailable(f"The plan names {task.model} for {task.task}; nothing that is set up here has it.")
        return Selection(offered[0].choice(IN_PLAN), offered)

    def nothing_to_choose_by(self, task: Task, candidates: Sequence[Candidate]) -> bool:
        selector = self.selector
        cards = [card for card, _ in selector.offered(candidates)]
        return nothing_to_choose_by(self.run.request, task, cards, selector.prompts.table)

    def models_named(self, ended: Sequence[Ended]) -> tuple[ModelUse, ...]:
        return self._named.uses(ended)

    def candidates(self, task: Task) -> list[Candidate]:
        """Raises ExpertUnavailable when there is none."""
        candidates = self._candidates.get(task.type).result()
        if not candidates:
            raise ExpertUnavailable(self.selector.what_to_set(task.type))
        if self.run.without_llm:
            return sorted(candidates, key=lambda candidate: candidate.endpoint.tier is Tier.LANGUAGE_MODEL)
        return candidates


class PerTaskSelection(_ForRun):
    """One call of the language model for each task that has a choice, all at the same time.

    Tasks for which the question is the same share the answer, such as reading aloud what two other tasks give. Those
    that differ in their files are not merged: describing one picture and reading another are both image-to-text, and
    the file name connects a task to its part of the request.
    """

    def __init__(self, selector: Selector, run: Run) -> None:
        super().__init__(selector, run)
        self._waiting: queue.SimpleQueue[tuple[Task, Guessed, Future[Selection]]] = queue.SimpleQueue()
        self._asked: dict[str, Future[Reply]] = {}
        self._lock = threading.Lock()

    def select(self, task: Task, guessed: Guessed = ignore) -> Future[Selection]:
        future: Future[Selection] = Future()
        self._waiting.put((task, guessed, future))
        spawn(self._select_next, name="select")
        return future

    def _select_next(self) -> None:
        """Whichever thread runs first selects for the task that was added first."""
        task, guessed, future = self._waiting.get()
        fulfil(future, self._noted, task, guessed)

    def _noted(self, task: Task, guessed: Guessed) -> Selection:
        return replace(self._select(task, guessed), notices=self.selector.notices(task.type))

    def all_known(self, plan: Plan) -> None:
        pass

    def _select(self, task: Task, guessed: Guessed) -> Selection:
        if selection := self.named(task):
            return selection
        candidates = self.candidates(task)
        selector = self.selector
        if selection := selector.default_selection(candidates, self.without_llm):
            return selection
        if selector.mode == "ahead" and self.nothing_to_choose_by(task, candidates):
            choice = candidates[0].choice("It ranks first; the request says nothing by which to choose another one.")
            return Selection(choice, candidates)
        assert selector.llm
        if selector.may_run_ahead(candidates[0], task.type):
            guessed(Guess(candidates[0]))
        offered = selector.offered(candidates)
        messages = selector.prompts.select(self.run.request, task.to_json(), offered)
        usage = Usage()
        try:
            reply, usage = self._answer(messages, [card.id for card, _ in offered])
            return replace(selector.chosen(candidates, _read_choices(reply.whole())[0]), usage=usage)
        except (BackendError, ModelOutputError) as error:
            fallback = selector.default_selection(candidates, f"the language model did not choose ({error})")
            assert fallback
            return replace(fallback, usage=usage)

    def _answer(self, messages: Sequence[Message], ids: Sequence[str]) -> tuple[Reply, Usage]:
        """The language model's answer, for all who ask the same, and what it cost the first of them."""
        question = json.dumps(messages)
        with self._lock:
            asked = self._asked.get(question)
            mine = self._asked.setdefault(question, Future())
        if asked:
            return asked.result(), Usage()
        fulfil(mine, self._ask, messages, ids)
        if mine.exception():
            del self._asked[question]  # the next one may have more luck
        return mine.result(), mine.result().usage

    def _ask(self, messages: Sequence[Message], ids: Sequence[str]) -> Reply:
        llm = self.selector.llm
        assert llm
        with wanted_until(self.run.cancelled):
            most = choice_tokens([ids], llm.count)
            reply = llm.complete(messages, stage="select", schema=choice_schema(ids), most=most)
        self.run.spend(reply.usage, "select")
        return reply


class BatchSelection(_ForRun):
    """One call of the language model for all tasks that have a choice, once the plan is complete."""

    def __init__(self, selector: Selector, run: Run) -> None:
        super().__init__(selector, run)
        self._waiting: dict[int, tuple[Task, Future[Selection]]] = {}

    def select(self, task: Task, guessed: Guessed = ignore) -> Future[Selection]:
        future: Future[Selection] = Future()
        self._waiting[task.id] = (task, future)
        return future

    def all_known(self, plan: Plan) -> None:
        waiting = [self._waiting[task.id] for task in plan if task.id in self._waiting]
        spawn(self._select_all, waiting, name="select")

    def _select_all(self, waiting: Sequence[tuple[Task, Future[Selection]]]) -> None:
        asked: list[tuple[Task, Future[Selection], Sequence[Candidate]]] = []
        for row in {task.type.name: task.type for task, _ in waiting}.values():
            spawn(self._candidates.get, row)  # all lookups start before the first is waited for
        for task, future in waiting:
            try:
                named = self.named(task)
                candidates = named.candidates if named else self.candidates(task)
            except Exception as error:
                future.set_exception(error)
                continue
            if selection := named or self.selector.default_selection(candidates, self.without_llm):
                future.set_result(replace(selection, notices=self.selector.notices(task.type)))
            else:
                asked.append((task, future, candidates))
        if asked:
            self._ask(asked)

    def _ask(self, asked: Sequence[tuple[Task, Future[Selection], Sequence[Candidate]]]) -> None:
        """Sets each future to the language model's choice, or to the best-ranked candidate without one."""
        selector = self.selector
        assert selector.llm
        pairs = [(task.to_json(), selector.offered(candidates)) for task, _, candidates in asked]
        answers: dict[Any, Mapping[str, Any]] = {}
        usage, because = Usage(), "the language model did not choose for this task"
        try:
            messages = selector.prompts.select_all(self.run.request, pairs)
            ids = {task["id"]: [card.id for card, _ in offered] for task, offered in pairs}
            most = choice_tokens(ids.values(), selector.llm.count)
            with wanted_until(self.run.cancelled):
                reply = selector.llm.complete(messages, stage="select", schema=choices_schema(ids), most=most)
            usage = self.run.spend(reply.usage, "select")
            answers = {str(answer.get("task")): answer for answer in _read_choices(reply.whole())}
        except (BackendError, ModelOutputError) as error:
            because = f"the language model did not choose ({error})"
        except Exception as error:  # the end of the run, or a bug: report it to the waiting threads
            for _, future, _ in asked:
                future.set_exception(error)
            return
        for at, (task, future, candidates) in enumerate(asked):
            notices = selector.notices(task.type)
            answer = answers.get(str(task.id))
            selection = (
                selector.chosen(candidates, answer) if answer else selector.default_selection(candidates, because)
            )
            assert selection
            future.set_result(replace(selection, usage=usage if at == 0 else Usage(), notices=notices))


def _read_choices(text: str) -> list[Mapping[str, Any]]:
    """The objects with an "id" in the model's answer, at least one. Raises ModelOutputError."""
    try:
        found = [value for value in find_values(text) if isinstance(value, list | dict)]
    except NotJSON:
        found = []
    lists = [value.get("choices", [value]) if isinstance(value, dict) else value for value in found]
    choices: list[Mapping[str, Any]] = [
        item
        for items in lists
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict) and item.get("id")
    ]
    if not choices:
        raise ModelOutputError(f"no JSON with an id in its answer {json.dumps(text[:80])}.")
    return choices
