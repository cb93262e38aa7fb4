"""Mistakes of users, language models and experts, through the whole stack over loopback HTTP.

Every case ends, says what happened, and keeps the results of the other tasks.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.config import LONG, Config, Limits
from hugginggpt.core.errors import MediaError, StopReason, UserError
from hugginggpt.core.events import RunRecord
from hugginggpt.terminal.cli import attachments
from hugginggpt.testing import run, task
from hugginggpt.testing.fakes import DROP, HANG, HTML, NOTHING, FakeExperts, FakeLLM, Fault, status
from tests.conftest import CATALOGUE_MODELS, MakeConfig, controller_with

GOOD = task(0, "image-classification", image="/examples/b.jpg")
SHOWN = "cat (90 %)"  # what the good task finds


@pytest.fixture
def config(make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts) -> Config:
    """Short patience, a picture format the folder has, both services on loopback."""
    return make_config(
        local={"endpoint": llm_server.url},
        huggingface={"base_url": expert_server.url},
        embedded=False,
        limits={"llm_seconds": 0.5, "inference_seconds": 0.4, "task_seconds": 5, "max_seconds": 10},
    )


def good_and(config: Config, llm_server: FakeLLM, *others: dict[str, Any]) -> RunRecord:
    """The record of a run of a task that succeeds and of others."""
    llm_server.replies["plan"] = json.dumps([GOOD, *others])
    record = run(controller_with(config), "Do it")
    assert record.tasks[0].ok
    assert record.results["0"]["inference result"][0]["label"] == "cat"
    return record


# Files


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (None, b"", "There is no file"),
        ("text.png", b"no picture", "is not an image file"),
        ("sound.png", None, "is not an image file but audio/x-wav"),
        ("half.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "damaged"),
    ],
)
def test_a_file_that_cannot_be_used(
    config: Config, llm_server: FakeLLM, public: Path, name: str | None, content: bytes | None, said: str
) -> None:
    if name:
        data = (public / "examples" / "speech.wav").read_bytes() if content is None else content
        (public / "examples" / name).write_bytes(data)
    bad = task(1, "object-detection", image=f"/examples/{name}")
    record = good_and(config, llm_server, bad)
    assert said in record.tasks[1].reason
    assert said in record.message


def test_an_attachment_that_cannot_be_used(config: Config, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="No such file"):
        attachments("x", [str(tmp_path / "none.png")], config)
    (tmp_path / "a.exe").write_bytes(b"MZ\x90\0")
    with pytest.raises(MediaError, match="give a picture .jpg, png, .* a recording"):
        attachments("x", [str(tmp_path / "a.exe")], config)


@pytest.mark.parametrize("request_text", ["", "   \n", "x" * 1_000_000])
def test_a_request_that_is_empty_or_huge(config: Config, llm_server: FakeLLM, request_text: str) -> None:
    with pytest.raises(UserError, match="The request"):
        run(controller_with(config), request_text)
    assert not llm_server.requests


def test_the_longest_times_that_may_be_set_are_taken_by_all_timers(
    make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts
) -> None:
    longest = {name: LONG for name in Limits.model_fields if name.endswith("seconds")}
    config = make_config(
        local={"endpoint": llm_server.url}, huggingface={"base_url": expert_server.url}, limits=longest, embedded=False
    )
    record = good_and(config, llm_server, task(1, "text-to-image", text="a cat"))
    assert (record.stop, record.errors) == (StopReason.ANSWERED, [])


# The language model, at the stage of planning


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (status(401), r"refused the key \(401\)"),
        (status(429, Retry_After="0.01"), r"quota is used up \(429\)"),
        (status(500), r"failed \(500\)"),
        (HTML, "did not answer with a chat completion"),
        (NOTHING, "did not answer with a chat completion"),
        (DROP, "cannot be reached"),
        (HANG, "did not answer within"),
    ],
)
def test_a_planner_that_fails_is_told(config: Config, llm_server: FakeLLM, fault: Fault, said: str) -> None:
    llm_server.always["plan"] = fault
    record = run(controller_with(config), "Do it")
    assert record.stop is StopReason.FAILED
    assert re.search(said, record.error)


# The language model, at the other stages: nothing that was found is lost


LATER = {
    f"{stage} {name}": (stage, fault)
    for stage in ("select", "respond")
    for name, fault in {
        "401": status(401),
        "429": status(429, Retry_After="0.01"),
        "500": status(500),
        "html": HTML,
        "nothing": NOTHING,
        "drop": DROP,
        "hang": HANG,
        "half a stream": Fault(half=True),
    }.items()
    if not (fault.half and stage == "select")  # a choice is not streamed
}


@pytest.mark.parametrize(("stage", "fault"), LATER.values(), ids=list(LATER))
def test_a_language_model_that_fails_later(
    config: Config, llm_server: FakeLLM, expert_server: FakeExperts, stage: str, fault: Fault
) -> None:
    llm_server.always[stage] = fault
    record = good_and(config, llm_server, task(1, "object-detection", image="/examples/b.jpg"))
    assert record.tasks[1].ok
    assert record.stop is StopReason.ANSWERED
    if stage == "respond":
        assert SHOWN in record.message
        assert "composed without the language model" in record.notices[-1]
    else:
        assert "ranks first" in record.results["1"]["choose model result"]["reason"]


# The language model, when its answer is cut off: half of it reads like the whole


TWO = json.dumps([GOOD, task(1, "object-detection", image="/examples/b.jpg")])
CUT = Fault(ends="length", part=(TWO.index("}}") + 3) / len(TWO))  # behind the first of the tasks
STREAMED = pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "not streamed"])


@STREAMED
def test_a_plan_that_is_cut_off_is_asked_for_again(
    config: Config, llm_server: FakeLLM, expert_server: FakeExperts, streamed: bool
) -> None:
    llm_server.replies["plan"], llm_server.faults["plan"] = TWO, [CUT]
    record = run(controller_with(config.model_copy(update={"stream_plan": streamed})), "Do it")
    assert (record.stop, len(record.tasks), record.errors) == (StopReason.ANSWERED, 2, [])
    assert "cut off at the service's limit" in llm_server.bodies("plan")[1]["messages"][-1]["content"]
    assert len(expert_server.inferences("google/vit-base-patch16-224")) == 1  # what was begun early stands


@STREAMED
def test_a_plan_that_is_cut_off_twice_is_not_taken_for_a_plan(
    config: Config, llm_server: FakeLLM, streamed: bool
) -> None:
    llm_server.replies["plan"], llm_server.always["plan"] = TWO, CUT
    config = config.model_copy(update={"stream_plan": streamed})
    record = run(controller_with(config), "Describe /examples/a.jpg")
    assert [done["task"] for done in record.plan.to_json()] == ["image-to-text"]
    assert "cut off at the service's limit of tokens.); the offline planner made one" in record.notices[0]


def test_a_stream_that_tells_of_an_error_ends_the_planning(config: Config, llm_server: FakeLLM) -> None:
    llm_server.replies["plan"] = TWO
    llm_server.always["plan"] = Fault(error="The server is overloaded", part=CUT.part)
    record = run(controller_with(config), "Do it")
    assert record.stop is StopReason.FAILED
    assert record.error.endswith("broke off in the middle of its answer: The server is overloaded.")


def test_an_answer_that_is_cut_off_gives_way_to_the_composed_one(config: Config, llm_server: FakeLLM) -> None:
    llm_server.replies["respond"] = "Do NOT open the cage before the vet is there."
    llm_server.always["respond"] = Fault(ends="length", part=0.43)
    record = good_and(config, llm_server)
    assert SHOWN in record.message and "open the cag" not in record.message
    (said,) = record.notices
    assert said.startswith(
        "The language model's answer was cut off at the service's limit of tokens; this one is compo"
    )
    assert record.message.endswith(f"Note: {said[0].lower()}{said[1:]}")
    llm_server.always["respond"] = Fault(ends="content_filter", part=0)
    record = good_and(config, llm_server)
    assert SHOWN in record.message
    assert "answered nothing: its answer was cut off by the service's content filter" in record.notices[0]


def test_small_talk_that_is_cut_off_is_kept_and_says_so(config: Config, llm_server: FakeLLM) -> None:
    llm_server.replies["plan"], llm_server.replies["chat"] = (
        '{"tasks": []}',
        "Do NOT open the cage before the vet is there.",
    )
    llm_server.always["chat"] = Fault(ends="length", part=0.43)
    record = run(controller_with(config), "May I open the cage?")
    assert record.message == "Do NOT open the cag … (cut off)"
    assert record.notices == ["The language model's answer was cut off at the service's limit of tokens."]


@pytest.mark.parametrize("selection", ["each", "batch"])
def test_a_choice_that_is_cut_off_is_none(config: Config, llm_server: FakeLLM, selection: str) -> None:
    llm_server.always["select"] = Fault(ends="length", part=1)
    config = config.model_copy(update={"selection": selection})
    record = good_and(config, llm_server, task(1, "object-detection", image="/examples/b.jpg"))
    assert "did not choose (The answer was cut off" in record.results["1"]["choose model result"]["reason"]


def test_a_text_of_the_language_model_that_is_cut_off_is_no_result(config: Config, llm_server: FakeLLM) -> None:
    llm_server.always["chat"] = Fault(ends="length")
    record = good_and(config, llm_server, task(1, "translation", text="Do not open the cage."))
    assert record.tasks[1].reason == "The answer was cut off at the service's limit of tokens."


# Experts


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (status(500), "answered 500"),
        (status(429), "answered 429"),
        (HTML, "on http"),
        (NOTHING, "on http"),
        (DROP, "failed"),
        (HANG, "timed out"),
    ],
    ids=["500", "429", "html", "nothing", "drop", "hang"],
)
def test_an_expert_that_fails_every_time(
    config: Config, llm_server: FakeLLM, expert_server: FakeExperts, fault: Fault, said: str
) -> None:
    for model, name in CATALOGUE_MODELS.items():
        if name == "object-detection":
            expert_server.always[model] = fault
    record = good_and(
        config,
        llm_server,
        task(1, "object-detection", image="/examples/b.jpg"),
        task(2, "image-to-text", [1], image="<GENERATED>-1"),
    )
    assert record.tasks[1].state == "failed"
    assert said in record.tasks[1].reason
    assert record.tasks[2].state == "skipped"
    assert all(error in record.message for error in record.errors)


def test_an_expert_that_fails_is_replaced_by_the_next(
    config: Config, llm_server: FakeLLM, expert_server: FakeExperts
) -> None:
    expert_server.always["hustvl/yolos-tiny"] = HTML
    record = good_and(config, llm_server, task(1, "object-detection", image="/examples/b.jpg"))
    assert record.tasks[1].ok
    assert (record.tasks[1].choice or pytest.fail()).id == "facebook/detr-resnet-50"
    assert len(record.tasks[1].retries) == 1


# Plans


def test_a_plan_of_500_tasks(hub_config: Config, llm_server: FakeLLM) -> None:
    tasks = [{**GOOD, "id": number} for number in range(500)]
    llm_server.replies["plan"] = json.dumps(tasks)
    record = run(controller_with(hub_config), "Do it")
    states = [done.state for done in record.tasks.values()]
    assert (states.count("finished"), states.count("failed")) == (50, 450)
    assert "only the first 50 are run (limits.max_tasks)" in record.message


def test_a_dependency_on_a_missing_id(config: Config, llm_server: FakeLLM) -> None:
    record = good_and(config, llm_server, task(1, "object-detection", [7], image="/examples/b.jpg"))
    assert "it needs task 7, which is not in the plan" in record.message


def test_a_circle(config: Config, llm_server: FakeLLM) -> None:
    circle = [
        task(1, "image-to-image", [2], image="<GENERATED>-2"),
        task(2, "image-to-image", [1], image="<GENERATED>-1"),
    ]
    assert "form a circle" in good_and(config, llm_server, *circle).message
