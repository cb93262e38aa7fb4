"""What is done for a task while something else is waited for."""

from __future__ import annotations

import threading
import time

import pytest

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.events import Selected
from hugginggpt.testing import plan, run, task
from hugginggpt.testing.fakes import HANG, FakeExperts, FakeLLM, png
from tests.conftest import MakeConfig, controller_with


@pytest.fixture
def with_urls(make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts) -> Config:
    """The language model and the Hub on loopback; the Hub also has a picture that may be fetched."""
    expert_server.files["/there.png"] = png()
    return make_config(
        local={"endpoint": llm_server.url}, huggingface={"base_url": expert_server.url}, embedded=False, selection="each",
        allowed_hosts=["127.0.0.1"],
    )  # fmt: skip


def test_a_url_is_fetched_while_the_model_is_being_chosen(
    with_urls: Config, llm_server: FakeLLM, expert_server: FakeExperts
) -> None:
    llm_server.replies["plan"] = plan(task(0, "object-detection", image=f"{expert_server.url}/there.png"))
    llm_server.always["select"] = HANG
    controller = controller_with(with_urls)
    request = controller.prepare([{"role": "user", "content": "What is there?"}])
    seen = spawn(list, controller.run(request))
    deadline = time.monotonic() + 20
    while not any(asked["path"] == "/there.png" for asked in expert_server.requests) and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    request.cancel()
    assert not any(isinstance(event, Selected) for event in seen.result(timeout=20))
    assert any(asked["path"] == "/there.png" for asked in expert_server.requests)


def test_what_no_model_can_do_or_waits_for_another_task_is_not_fetched(
    with_urls: Config, llm_server: FakeLLM, expert_server: FakeExperts
) -> None:
    url = f"{expert_server.url}/there.png"
    llm_server.replies["plan"] = plan(
        task(0, "visual-question-answering", image=url, text="What is it?"),
        task(1, "image-to-image", [0], image=url, text="more of <GENERATED>-0"),
    )
    record = run(controller_with(with_urls), "What is there?")
    assert [done.state for done in record.tasks.values()] == ["failed", "skipped"]
    assert not any(asked["path"] == "/there.png" for asked in expert_server.requests)
