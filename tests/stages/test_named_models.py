"""A model that the request names is used where it can be; where it cannot, the answer says why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from awesome_chat import Controller
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import RunRecord, to_json
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Tier
from hugginggpt.testing import FakeEndpoint, FakeExperts, events, plan, run, task
from hugginggpt.testing.fakes import status
from tests.conftest import MakeConfig, controller_at, controller_with

A, B = "/examples/a.jpg", "/examples/b.jpg"
DETR, OTHER, WHISPER, USUAL = (
    "facebook/detr-resnet-101",
    "me/detector-2",
    "openai/whisper-large-v3",
    "hustvl/yolos-tiny",
)
MODELS = {"object-detection": [USUAL, DETR, OTHER], "automatic-speech-recognition": ["me/ears-1", WHISPER]}


def works(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
    return {"generated text": "hello"} if "audio" in args else {"generated image": A, "predicted": []}


def fails(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
    if model == DETR:
        raise BackendError(f"{DETR} broke off.")
    return works(model, row, args)


def place(work: Any = works, models: Any = None) -> FakeEndpoint:
    return FakeEndpoint("local", MODELS if models is None else models, work)


def chosen(record: RunRecord) -> list[str]:
    return [one.choice.id if one.choice else "" for _, one in sorted(record.tasks.items())]


def offline(make_config: MakeConfig, *endpoints: Any) -> Controller:
    return controller_at(make_config(), None, *endpoints)


@pytest.mark.parametrize(
    "request_",
    [
        f"Find the objects in {A} with {DETR}",
        f"Use {DETR} to find the objects in {A}",
        f"Find the objects in {A}. Use {DETR} for it.",
    ],
)
def test_it_is_used_without_a_language_model(make_config: MakeConfig, request_: str) -> None:
    record = run(offline(make_config, place()), request_)
    assert [one.task["task"] for one in record.tasks.values()] == ["object-detection"]
    assert chosen(record) == [DETR]
    assert record.results["0"]["choose model result"]["reason"] == "The request names it."
    assert record.to_json()["models"] == [{"id": DETR, "tasks": [0], "why": "", "remedy": ""}]
    assert "not used" not in record.message
    assert f"with {DETR}" in record.message


@pytest.mark.parametrize("selection", ["each", "batch"])
def test_it_is_used_with_a_language_model_which_is_not_asked_to_choose(
    make_config: MakeConfig, scripted: Any, selection: str
) -> None:
    llm = scripted(plan=plan(task(0, "object-detection", image=A)), respond="Done.")  # no choice in the script
    record = run(controller_at(make_config(selection=selection), llm, place()), f"What is in {A}? Use {DETR} for it.")
    assert chosen(record) == [DETR]
    assert record.answer == "Done."
    assert record.message.endswith(f"What was done:\n- object-detection with {DETR} on local")


def test_each_task_gets_the_model_for_it(make_config: MakeConfig) -> None:
    words = f"Find the objects in {A} with {DETR} and transcribe /examples/speech.wav with {WHISPER}."
    assert chosen(run(offline(make_config, place()), words)) == [DETR, WHISPER]


@pytest.mark.parametrize(
    "request_",
    [
        f"Find the objects in {A} with {DETR} and in {B} with {OTHER}",
        f"With {DETR} find the objects in {A}, and with {OTHER} those in {B}",
    ],
)
def test_two_models_for_two_files(make_config: MakeConfig, scripted: Any, request_: str) -> None:
    llm = scripted(plan=plan(task(0, "object-detection", image=A), task(1, "object-detection", image=B)), respond="ok")
    record = run(controller_at(make_config(), llm, place()), request_)
    assert chosen(record) == [DETR, OTHER]
    assert [use.tasks for use in record.models] == [(0,), (1,)]


def test_one_model_for_all_files(make_config: MakeConfig) -> None:
    record = run(offline(make_config, place()), f"Find the objects in {A} and {B} with {DETR}")
    assert chosen(record) == [DETR, DETR]


def test_a_model_that_is_listed_last_is_found(make_config: MakeConfig) -> None:
    many = {"object-detection": [*(f"me/m{n}" for n in range(50)), DETR]}
    assert chosen(run(offline(make_config, place(models=many)), f"Find the objects in {A} with {DETR}")) == [DETR]


def test_a_model_of_another_task_is_said(make_config: MakeConfig) -> None:
    record = run(offline(make_config, place()), f"Find the objects in {A} with {WHISPER}")
    assert chosen(record) == [USUAL]
    sentence = f"{WHISPER} was not used, as it is for automatic-speech-recognition, which this request does not need."
    assert sentence in record.message.splitlines()
    assert record.models[0].tasks == ()


def test_a_second_model_for_the_same_file_is_said(make_config: MakeConfig) -> None:
    record = run(offline(make_config, place()), f"Find the objects in {A} with {DETR} or with {OTHER}")
    assert len(set(chosen(record))) == 1
    assert "as the request names another one for the same task." in record.message


def test_a_model_that_fails_is_replaced_and_that_is_said(make_config: MakeConfig) -> None:
    record = run(offline(make_config, place(fails)), f"Find the objects in {A} with {DETR}")
    assert chosen(record) == [USUAL]
    assert f"{DETR} was not used, as it failed ({DETR} broke off)." in record.message


def test_a_model_that_nothing_has_is_said_with_a_language_model_too(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "object-detection", image=A)), respond="Done.")
    few = {"object-detection": [USUAL]}
    record = run(controller_at(make_config(), llm, place(models=few)), f"What is in {A}? Use {DETR} for it.")
    assert chosen(record) == [USUAL]
    assert f"\n\n{DETR} was not used, as nothing that is set up here has it.\n\nFiles: " in record.message


def test_with_the_embedded_experts_alone_it_says_what_to_set(make_config: MakeConfig) -> None:
    record = run(
        controller_with(
            make_config(inference_mode="hybrid", local_inference_endpoint={"host": "127.0.0.1", "port": 9})
        ),
        f"Draw the edges of {A} with lllyasviel/sd-canny-2",
    )
    assert chosen(record) == ["canny-control"]
    assert (
        "lllyasviel/sd-canny-2 was not used, as nothing that is set up here has it: start models_server.py with it "
        "(models_server.models), or set HF_TOKEN for Hugging Face." in record.message
    )


def test_an_embedded_expert_can_be_named(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    record = run(controller_with(make_config()), f"Draw the edges of {A} with canny-control")
    assert chosen(record) == ["canny-control"]
    assert record.models[0].tasks == (0,)


def test_a_model_of_the_hub_that_the_catalogue_lacks(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    expert_server.models["me/fresh-3"] = "object-detection"
    controller = controller_with(make_config(huggingface={"base_url": expert_server.url}, embedded=False))
    record = run(controller, f"Find the objects in {A} with me/fresh-3")
    assert chosen(record) == ["me/fresh-3"]
    assert len(expert_server.inferences("me/fresh-3")) == 1
    record = run(controller, f"Find the objects in {A} with me/missing-3")
    assert "me/missing-3 was not used, as nothing that is set up here has it." in record.message


def test_a_model_of_the_model_server(make_config: MakeConfig, expert_server: FakeExperts) -> None:
    address = {"host": "127.0.0.1", "port": expert_server.port}
    config = make_config(local_inference_endpoint=address, inference_mode="local", embedded=False)
    record = run(controller_with(config), f"Find the objects in {A} with facebook/detr-resnet-50")
    assert chosen(record) == ["facebook/detr-resnet-50"]
    expert_server.always["facebook/detr-resnet-50"] = status(500)
    record = run(controller_with(config), f"Find the objects in {A} with facebook/detr-resnet-50")
    assert chosen(record) == ["hustvl/yolos-tiny"]
    assert "facebook/detr-resnet-50 was not used, as it failed (" in record.message


def test_a_message_that_names_a_model_alone_means_the_request_before_it(make_config: MakeConfig) -> None:
    controller, history = offline(make_config, place()), []
    models = []
    for words in (f"Find the objects in {A}", f"Use {DETR} for it", f"and {B}?", f"now with {OTHER}"):
        record = run(controller, words, history=history)
        history += [{"role": "user", "content": words}, {"role": "assistant", "content": record.message}]
        models.append((*chosen(record), record.tasks[0].task["args"]["image"]))
    assert models == [(USUAL, A), (DETR, A), (USUAL, B), (OTHER, B)]


def test_without_anything_to_do_it_is_said(make_config: MakeConfig, scripted: Any) -> None:
    record = run(offline(make_config, place()), f"Hello, use {DETR} for it")
    assert f"{DETR} was not used, as it is for object-detection" in record.message
    record = run(controller_at(make_config(), scripted(plan="[]", chat="Hi!"), place()), f"Hello, use {DETR} for it")
    assert record.message.startswith("Hi!") and f"{DETR} was not used" in record.message


def test_a_request_that_names_none_has_no_event(make_config: MakeConfig) -> None:
    seen = events(offline(make_config, place()), f"Find the objects in {A} 24/7")
    assert "ModelsNamed" not in [type(event).__name__ for event in seen]
    seen = events(offline(make_config, place()), f"Find the objects in {A} with {DETR}")
    (named,) = [event for event in seen if type(event).__name__ == "ModelsNamed"]
    told = to_json(named, RunRecord())
    assert (told["event"], told["models"]) == ("models", [{"id": DETR, "tasks": [0], "why": "", "remedy": ""}])


def test_of_several_places_the_preferred_one_runs_it(make_config: MakeConfig) -> None:
    far = FakeEndpoint("far", MODELS, works)
    assert far.tier is Tier.REMOTE
    record = run(offline(make_config, place(), far), f"Find the objects in {A} with {DETR}")
    assert [one.choice.endpoint for one in record.tasks.values() if one.choice] == ["local"]


def test_a_resumed_run_says_that_the_task_was_done_before(make_config: MakeConfig) -> None:
    controller = offline(make_config, place(fails))
    words = f"Find the objects in {A} with {DETR} and transcribe /examples/speech.wav"
    first = run(controller, words)
    record = RunRecord()
    for event in controller.run(controller.resume(first.run_id)):
        record.apply(event)
    assert chosen(record)[0] == USUAL
    assert [use.why for use in record.models] == ["the task was done before, with another one"]
