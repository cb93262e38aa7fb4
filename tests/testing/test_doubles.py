"""The doubles as another project would use them: from `hugginggpt.testing` alone, without fixtures of this project."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import requests

from awesome_chat import make_controller
from hugginggpt.core.errors import BackendError
from hugginggpt.core.tasks import TaskType
from hugginggpt.testing import (
    FakeEndpoint,
    FakeExperts,
    FakeLLM,
    Fault,
    ScriptedLLM,
    controller_at,
    plan,
    run,
    says,
    task,
    web_serving,
    write_config,
)
from hugginggpt.testing.fakes import png

ASK = [{"role": "user", "content": "Hi"}]


def test_a_request_runs_on_a_scripted_model_and_a_fake_endpoint(tmp_path: Path) -> None:
    config = write_config(tmp_path, embedded=False)
    (tmp_path / "public" / "cat.png").write_bytes(png())
    llm = ScriptedLLM(plan=plan(task(0, "image-to-text", image="/cat.png")), respond="It shows a cat.")
    endpoint = FakeEndpoint("local", {"image-to-text": ["captioner"]}, says("a cat"))
    with closing(controller_at(config, llm, endpoint)) as controller:
        record = run(controller, "What does /cat.png show?")
    assert record.message == "It shows a cat.\n\nWhat was done:\n- image-to-text with captioner on local"
    assert record.tasks[0].value == {"generated text": "a cat"}
    assert endpoint.calls == [("captioner", "image-to-text", {"image": tmp_path / "public" / "cat.png"})]
    assert "What does /cat.png show?" in llm.messages("plan")[0][-1]["content"]
    llm.check_used_up()


def test_models_of_a_fake_endpoint_may_fail(tmp_path: Path) -> None:
    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError(f"{model} is out of order.")

    llm = ScriptedLLM(plan=plan(task(0, "summarization", text="a long story")))
    endpoint = FakeEndpoint("local", {"summarization": ["summarizer"]}, work)
    with closing(controller_at(write_config(tmp_path), llm, endpoint)) as controller:
        record = run(controller, "Summarize: a long story")
    assert "summarizer is out of order." in record.errors[0]


def test_a_script_fails_on_a_call_too_many_and_on_replies_that_are_left() -> None:
    llm = ScriptedLLM(plan=["[]", "[]"], chat=lambda messages: messages[-1]["content"].upper())
    assert llm.complete(ASK, stage="plan").text == "[]"
    assert list(llm.stream(ASK, stage="chat")) == ["HI"]
    with pytest.raises(AssertionError, match="never used: {'plan': 1}"):
        llm.check_used_up()
    with pytest.raises(AssertionError, match="no \\(further\\) reply for the stage chat"):
        llm.complete(ASK, stage="chat")


def test_a_server_on_services_of_loopback(tmp_path: Path) -> None:
    """The program's server, its language model and the Hub, all over HTTP; the language model fails at the answer."""
    with FakeLLM(plan=plan(task(0, "translation", text="good day")), chat="Bonjour.") as llm, FakeExperts({}) as hub:
        llm.faults["respond"] = [Fault(500)]
        config = write_config(tmp_path, local={"endpoint": llm.url}, huggingface={"base_url": hub.url}, embedded=False)
        with closing(make_controller(config)) as controller, web_serving(controller, config) as url:
            answer = requests.post(f"{url}/hugginggpt", json={"messages": ASK}, timeout=20).json()
    assert [len(llm.bodies(stage)) for stage in ("plan", "chat", "respond")] == [1, 1, 1]
    assert "Bonjour." in answer["message"]
