"""Stage 2: for each task the model that suits it best, among those that can be run now."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from hugginggpt.catalog import ModelCard
from hugginggpt.concurrency import spawn
from hugginggpt.config import Config
from hugginggpt.endpoints.base import Endpoint
from hugginggpt.errors import BackendError, ExpertUnavailable, ModelOutputError
from hugginggpt.events import Choice
from hugginggpt.lenient_json import NotJSON, find_values
from hugginggpt.llm import LLM, Usage
from hugginggpt.plan import Plan, Task
from hugginggpt.prompts import CHOICE_SCHEMA, Prompts
from hugginggpt.run import Run
from hugginggpt.tasks import TaskType

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that can be run now, and where."""

    card: ModelCard
    endpoint: Endpoint

    def choice(self, reason: str) -> Choice:
        return Choice(self.card.id, self.endpoint.name, reason)


@dataclass(frozen=True, slots=True)
class Selection:
    """The choice for a task, and all candidates in the order in which they are tried: the chosen one first."""

    choice: Choice
    candidates: Sequence[Candidate]
    usage: Usage = Usage()


class Selector:
    """Ranks the candidates of all endpoints; a language model, if there is one, chooses among the best."""

    def __init__(self, endpoints: Sequence[Endpoint], llm: LLM | None, prompts: Prompts, config: Config) -> None:
        self.endpoints = endpoints
        self.llm = llm
        self.prompts = prompts
        self.top = config.num_candidate_models

    def start(self, run: Run, plan: Plan) -> dict[int, Future[Selection]]:
        """Begins the selection for all tasks of a plan that can be run, at the same time."""
        return {task.id: spawn(self.select, run, task, name="select") for task in plan if not task.problem}

    def select(self, run: Run, task: Task) -> Selection:
        """Raises ExpertUnavailable when nothing that can be reached does the task."""
        candidates = self.candidates(task.type)
        if not candidates:
            raise ExpertUnavailable(_what_to_set(task.type))
        best = candidates[0]
        if self.llm is None or len(candidates) == 1 or best.endpoint.name == "llm":
            reason = "It is the only model available." if len(candidates) == 1 else "It ranks first of those available."
            return Selection(best.choice(best.card.description or reason), candidates)
        try:
            return self._ask(self.llm, run, task, candidates)
        except (BackendError, ModelOutputError) as error:
            reason = f"It ranks first of those available; the language model did not choose ({error})"
            return Selection(best.choice(reason), candidates)

    def candidates(self, task: TaskType) -> list[Candidate]:
        """The models that can do the task now, in the order of the endpoints, which are asked at the same time.

        Of a model that several endpoints have, the first endpoint's is taken. The embedded experts are a
        last resort and are kept as such beyond the `top` models.
        """
        lookups = [(endpoint, spawn(endpoint.models, task, self.top)) for endpoint in self.endpoints]
        found: dict[str, Candidate] = {}
        for endpoint, lookup in lookups:
            for card in lookup.result():
                found.setdefault(card.id, Candidate(card, endpoint))
        ranked = sorted(found.values(), key=lambda candidate: -candidate.card.downloads)
        llm = [candidate for candidate in ranked if candidate.endpoint.name == "llm"]
        remote = [candidate for candidate in ranked if candidate.endpoint.name not in ("llm", "embedded")]
        embedded = [candidate for candidate in ranked if candidate.endpoint.name == "embedded"]
        return llm + remote[: self.top] + embedded

    def _ask(self, llm: LLM, run: Run, task: Task, candidates: Sequence[Candidate]) -> Selection:
        offered = candidates[: self.top]
        metas = [(candidate.card, candidate.endpoint.name) for candidate in offered]
        reply = llm.complete(
            self.prompts.select(run.request, task.to_json(), metas), stage="select", schema=CHOICE_SCHEMA
        )
        usage = run.spend(reply.usage)
        chosen, reason = _read_choice(reply.text)
        picked = next((candidate for candidate in offered if candidate.card.id == chosen), None)
        if picked is None:
            picked = offered[0]
            reason = (
                f'It ranks first of those available; the language model chose "{chosen[:80]}", which is none of them.'
            )
        others = [candidate for candidate in candidates if candidate is not picked]
        return Selection(picked.choice(reason), [picked, *others], usage)


def _read_choice(text: str) -> tuple[str, str]:
    """The id and the reason in the model's answer. Raises ModelOutputError."""
    try:
        for value in find_values(text):
            if isinstance(value, list) and value:
                value = value[0]
            if isinstance(value, dict) and value.get("id"):
                return str(value["id"]).strip(), str(value.get("reason") or "no reason given")
    except NotJSON:
        pass
    raise ModelOutputError(f"no JSON with an id in its answer {json.dumps(text[:80])}.")


def _what_to_set(task: TaskType) -> str:
    llm = "OPENAI_API_KEY (or local.endpoint) for a language model that does it, or " if task.llm else ""
    hub = "HF_TOKEN for Hugging Face, or " if task.hub else ""
    return f"No model for {task.name} can be reached: set {llm}{hub}start models_server.py with a model for it."
