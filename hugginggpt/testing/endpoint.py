"""An endpoint whose models are a function of the test.

endpoint = FakeEndpoint("local", {"image-to-text": ["captioner"]}, says("a cat"))
with closing(controller_at(config, llm, endpoint)) as controller:
    record = run(controller, "Describe /examples/a.jpg")
assert endpoint.calls[0][0] == "captioner"
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Endpoint, Inference, Tier

Work = Callable[[str, TaskType, Mapping[str, Any]], Any]
"""What the models of a FakeEndpoint do: (model's id, task type, arguments) -> result; it may raise BackendError."""

TIERS = {"llm": Tier.LANGUAGE_MODEL, "local": Tier.OWN_SERVER, "embedded": Tier.EMBEDDED}


class FakeEndpoint(Endpoint):
    """An endpoint (`hugginggpt.endpoints.base.Endpoint`) with models by task type, best first.

    `name` is any name; under that of one of the project's endpoints ("local", "huggingface", "embedded") it has the
    same tier and is as free of cost, else those of a remote one. `calls` keeps (model's id, name of the task type,
    arguments) of every inference, in the order in which they begin.
    """

    def __init__(self, name: str, models: Mapping[str, Sequence[str]], work: Work) -> None:
        self.name = self.label = name
        self.tier = TIERS.get(name, Tier.REMOTE)
        self.is_free = self.tier in (Tier.OWN_SERVER, Tier.EMBEDDED)
        self.by_task = models
        self.work = work
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.lock = threading.Lock()

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        """The first `top` models for a task type."""
        ids = self.by_task.get(task.name, [])
        return [ModelCard(id, task.name, downloads=100 - at) for at, id in enumerate(ids)][:top]

    def infer(self, model: str, task: TaskType, args: Mapping[str, Any]) -> Inference:
        """What `work` makes of the arguments, unchecked."""
        with self.lock:
            self.calls.append((model, task.name, dict(args)))
        return Inference(self.work(model, task, args))

    def close(self) -> None:
        """Does nothing: there are no connections."""


def says(text: str) -> Work:
    """Models that answer every call with this text."""
    return lambda model, task, args: {"generated text": text}
