"""A language model as judge of plans, as the HuggingGPT paper has GPT-4 judge those of graph tasks.

The judge sees the request, the task table and the plan, not the gold plan: a request can have several right plans.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import HuggingGPTError, ModelOutputError
from hugginggpt.core.lenient_json import NotJSON, find_values
from hugginggpt.core.tasks import TaskTable
from hugginggpt.evaluate.formats import Sample
from hugginggpt.evaluate.metrics import Figures
from hugginggpt.evaluate.run import JsonLinesFile, Prediction, in_threads
from hugginggpt.llm.base import LLM, Message
from hugginggpt.llm.prompts import task_list

SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "correct": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["reason", "correct", "score"],
}

INSTRUCTIONS = """\
You judge plans. A plan breaks a user's request into tasks for expert models, each {"task": name, "id": number, "dep": \
[ids of the tasks whose results it needs, -1 for none], "args": {...}}; <GENERATED>-n is what task n generates. These \
tasks exist:

{{tasks}}

A plan is correct if carrying it out gives the user all that was asked for: every part of the request has its task, no \
task is beside the point, each gets the right input, and the order is possible. Another plan that does the same is as \
correct. A request that needs no task has the plan [].

Reply with JSON alone: {"reason": "one or two sentences", "correct": true or false, "score": number}. The score is \
from 0 (useless) to 1 (nothing to improve); between them, the share of the request that the plan fulfils."""


@dataclass(frozen=True, slots=True)
class Verdict:
    id: str
    correct: bool
    score: float
    reason: str


class Judge:
    """Judges plans with a language model; verdicts are cached in `file` by plan and model."""

    def __init__(self, llm: LLM, file: Path, table: TaskTable, tasks: Collection[str] | None = None) -> None:
        self.llm = llm
        self.name = f"{llm.name}:{llm.model}"
        self.cache = JsonLinesFile(file)
        self.system = INSTRUCTIONS.replace("{{tasks}}", task_list(table, tasks))
        self.failures: list[str] = []

    def all(
        self,
        samples: Iterable[Sample],
        predictions: Mapping[str, Prediction],
        workers: int,
        on_each: Callable[[], None] = lambda: None,
    ) -> list[Verdict]:
        """The verdicts of all requests that have a plan. Raises BackendError when the service as a whole fails."""
        self.cache.repair()
        known = {row.get("key"): row for row in self.cache.rows() if isinstance(row, dict)}
        pairs = [(sample, predictions[sample.id]) for sample in samples if sample.id in predictions]
        verdicts = [
            _verdict(sample.id, known[key]) for sample, prediction in pairs if (key := self._key(prediction)) in known
        ]
        remaining = [(sample, prediction) for sample, prediction in pairs if self._key(prediction) not in known]
        for _ in verdicts:
            on_each()
        for (sample, prediction), verdict in in_threads(lambda pair: self.ask(*pair), remaining, workers):
            if isinstance(verdict, HuggingGPTError):
                self.failures.append(f"{sample.id}: {verdict}")
            else:
                row = {"id": sample.id, "correct": verdict.correct, "score": verdict.score, "reason": verdict.reason}
                self.cache.append({**row, "key": self._key(prediction)})
                verdicts.append(verdict)
            on_each()
        return verdicts

    def ask(self, sample: Sample, prediction: Prediction) -> Verdict:
        """The verdict on one plan; an answer in the wrong format is retried once.

        Raises ModelOutputError when that fails, too, BackendError when the service fails.
        """
        plan = json.dumps(list(prediction.plan), ensure_ascii=False)
        context = f"Chat so far: {json.dumps(list(sample.history), ensure_ascii=False)}\n\n" if sample.history else ""
        messages: list[Message] = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": f"{context}Request: {sample.request}\n\nPlan: {plan}"},
        ]
        reply = self.llm.complete(messages, stage="judge", schema=SCHEMA)
        try:
            return read_verdict(sample.id, reply.whole())
        except ModelOutputError as error:
            retry = f"That could not be used. {error} Reply again with the JSON object alone."
            messages += [{"role": "assistant", "content": reply.text}, {"role": "user", "content": retry}]
            return read_verdict(sample.id, self.llm.complete(messages, stage="judge", schema=SCHEMA).whole())

    def _key(self, prediction: Prediction) -> str:
        """The cache key of a verdict: a digest of all that it depends on."""
        text = json.dumps([self.name, self.system, prediction.id, list(prediction.plan)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def read_verdict(sample_id: str, text: str) -> Verdict:
    """The verdict in a language model's answer, which may have text around it. Raises ModelOutputError."""
    try:
        values = [value for value in find_values(text) if isinstance(value, dict) and "score" in value]
    except NotJSON as error:
        raise ModelOutputError(f"The verdict cannot be read: {error}.") from error
    if not values:
        raise ModelOutputError('The answer holds no JSON object with "correct" and "score".')
    return _verdict(sample_id, values[-1])


def _verdict(sample_id: str, row: Mapping[str, Any]) -> Verdict:
    correct = row.get("correct")
    if isinstance(correct, str):
        correct = {"yes": True, "true": True, "no": False, "false": False}.get(correct.strip().lower())
    if not isinstance(correct, bool):
        raise ModelOutputError('"correct" should be true or false.')
    return Verdict(sample_id, correct, _score(row["score"]), str(row.get("reason", "")))


def _score(value: Any) -> float:
    """A number from 0 to 1, also given as a text or in percent."""
    text = str(value).strip()
    try:
        number = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        number = -1.0
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise ModelOutputError(f'"score" should be a number from 0 to 1, not {text[:40]}.')
    return number


def summary(verdicts: Sequence[Verdict]) -> Figures:
    """The share of plans judged correct, and the mean score, in percent."""
    if not verdicts:
        return {"requests": 0, "correct": None, "score": None}
    return {
        "requests": len(verdicts),
        "correct": round(100 * sum(verdict.correct for verdict in verdicts) / len(verdicts), 2),
        "score": round(100 * sum(verdict.score for verdict in verdicts) / len(verdicts), 2),
    }
