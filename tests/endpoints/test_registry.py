"""Endpoints register themselves: nobody else knows their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.config import Config
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints import registry
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier
from hugginggpt.endpoints.registry import make_endpoints, register_endpoint
from hugginggpt.media.store import MediaStore
from hugginggpt.status import status_of
from hugginggpt.testing import run
from tests.conftest import MakeConfig, controller_with

PACKAGE = Path(registry.__file__).parents[1]


class Upstairs(Endpoint):
    """Somebody else's endpoint."""

    name = "upstairs"
    label = "the machine upstairs"
    tier = Tier.OWN_SERVER

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        return [ModelCard("reader", task.name)] if task.name == "image-to-text" else []

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        return Inference(task.result.parse("a cat"))

    def status(self) -> EndpointStatus:
        return EndpointStatus("a server upstairs", "asleep", "Wake the machine upstairs.")

    def what_to_set(self, task: TaskType) -> str:
        return "go upstairs"


@pytest.fixture
def upstairs(monkeypatch: pytest.MonkeyPatch, make_config: MakeConfig) -> Iterator[None]:
    make_endpoints(make_config(), MediaStore(make_config()))  # the project's own are registered by now
    monkeypatch.setattr(registry, "_factories", [*registry._factories])
    register_endpoint(lambda config, media: Upstairs())
    yield


def names(config: Config) -> list[str]:
    return [endpoint.name for endpoint in make_endpoints(config, MediaStore(config))]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"inference_mode": "hybrid"}, ["local", "huggingface", "embedded"]),
        ({"inference_mode": "local"}, ["local", "embedded"]),
        ({"inference_mode": "huggingface", "embedded": False}, ["huggingface"]),
    ],
)
def test_the_configuration_says_which_endpoints_there_are(
    make_config: MakeConfig, settings: dict[str, Any], expected: list[str]
) -> None:
    assert names(make_config(**settings)) == expected


def test_an_endpoint_that_is_not_set_up_says_what_to_set_and_has_no_models(make_config: MakeConfig) -> None:
    config = make_config(embedded=False)
    (hub,) = make_endpoints(config, MediaStore(config))
    controller = controller_with(config)
    assert all(hub.models(row, 5) == [] for row in controller.table)
    assert (hub.status().ready, hub.status().problem) == (False, "not set up")
    row = controller.table["summarization"]
    assert controller.selector.what_to_set(row) == (
        "No model for summarization can be reached: set OPENAI_API_KEY (or local.endpoint) for a language model that "
        "does it, or set HF_TOKEN for Hugging Face."
    )


@pytest.mark.usefixtures("upstairs")
def test_a_registered_endpoint_is_ranked_used_and_shown(make_config: MakeConfig) -> None:
    config = make_config()
    assert names(config) == ["upstairs", "huggingface", "embedded"]
    controller = controller_with(config)
    record = run(controller, "Describe /examples/a.jpg")
    assert record.tasks[0].choice
    assert (record.tasks[0].choice.endpoint, record.tasks[0].choice.place) == ("upstairs", "on the machine upstairs")
    assert "image-to-text with reader on the machine upstairs" in record.message
    status = status_of(config, controller.endpoints, controller.table)
    assert status["endpoints"][0] == {
        "name": "upstairs",
        "label": "the machine upstairs",
        "about": "a server upstairs",
        "ready": False,
        "problem": "asleep",
        "hint": "Wake the machine upstairs.",
    }
    assert "Wake the machine upstairs." in status["hints"]
    assert "go upstairs" in controller.selector.what_to_set(controller.table["text-to-video"])


@pytest.mark.parametrize(
    "module", ["build.py", "status.py", "stages/selector.py", "terminal/doctor.py", "offline/responder.py"]
)
def test_no_endpoint_is_known_by_its_name(module: str) -> None:
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert not texts & {"local", "huggingface", "embedded", "Hugging Face", "on Hugging Face"}
