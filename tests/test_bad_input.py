"""What people, language models and experts do wrong, through the whole stack over loopback HTTP.

Every case ends, says what happened, and keeps the results of the other tasks.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.cli import with_attachments
from hugginggpt.config import Config
from hugginggpt.errors import MediaError, StopReason, UserError
from hugginggpt.events import RunRecord
from tests.conftest import CATALOGUE_MODELS, MakeConfig, controller_with, run, task
from tests.fakes import DROP, HANG, HTML, NOTHING, FakeExperts, FakeLLM, Fault, status

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
        with_attachments("x", [str(tmp_path / "none.png")], config)
    (tmp_path / "a.exe").write_bytes(b"MZ\x90\0")
    with pytest.raises(MediaError, match="give a picture, a recording"):
        with_attachments("x", [str(tmp_path / "a.exe")], config)


@pytest.mark.parametrize("request_text", ["", "   \n", "x" * 1_000_000])
def test_a_request_that_is_empty_or_huge(config: Config, llm_server: FakeLLM, request_text: str) -> None:
    with pytest.raises(UserError, match="The request"):
        run(controller_with(config), request_text)
    assert not llm_server.requests


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
