"""What clients that were written for JARVIS rely on."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

import awesome_chat
from hugginggpt import jarvis
from hugginggpt.config import Config
from hugginggpt.testing import FakeLLM, task
from tests.conftest import MakeConfig, Start

OFFLINE = {"llm": "offline"}


def ask(url: str, content: Any) -> requests.Response:
    return requests.post(url, json={"messages": [{"role": "user", "content": content}]}, timeout=30)


@pytest.mark.parametrize("route", ["tasks", "results"])
def test_small_talk_is_answered_in_place_of_a_plan(make_config: MakeConfig, start: Start, route: str) -> None:
    url = start(make_config(**OFFLINE))
    assert ask(f"{url}/{route}", "Good morning!").json()["message"].startswith("I am JARVIS")


def test_small_talk_is_planned_once(hub_config: Config, llm_server: FakeLLM, start: Start) -> None:
    llm_server.replies["plan"] = "[]"
    answer = ask(f"{start(hub_config)}/tasks", "How do you do?").json()
    assert set(answer) == {"message"} and answer["message"]
    assert len(llm_server.bodies("plan")) == 1


def test_errors_are_told_as_jarvis_told_them(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config(**OFFLINE, http_listen={"jarvis_errors": True}))
    for route in ("hugginggpt", "tasks", "results"):
        refused = ask(f"{url}/{route}", "")
        assert refused.status_code == 200
        assert refused.json()["message"].startswith("The request is empty")
    assert requests.post(f"{url}/v1/runs", json={"messages": []}, timeout=5).status_code == 400


def test_errors_have_a_status_otherwise(make_config: MakeConfig, start: Start) -> None:
    assert ask(f"{start(make_config(**OFFLINE))}/hugginggpt", "").status_code == 400


@pytest.mark.parametrize("origin", ["http://localhost:9999", "http://127.0.0.1:9999"])
def test_the_page_of_jarvis_may_call(make_config: MakeConfig, start: Start, origin: str) -> None:
    answer = requests.get(f"{start(make_config(**OFFLINE))}/v1/chats", headers={"Origin": origin}, timeout=5)
    assert answer.headers["Access-Control-Allow-Origin"] == origin


def test_a_message_may_have_parts(make_config: MakeConfig, start: Start) -> None:
    parts = [
        {"type": "text", "text": "Find the edges in this picture"},
        {"type": "image_url", "image_url": {"url": "http://127.0.0.1:1/b.jpg"}},
    ]
    (planned,) = ask(f"{start(make_config(**OFFLINE))}/tasks", parts).json()
    assert planned["args"]["image"] == "http://127.0.0.1:1/b.jpg"


@pytest.mark.parametrize(
    "part", [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, {"type": "input_audio"}, 7, {}]
)
def test_a_part_that_cannot_be_read_is_refused(make_config: MakeConfig, start: Start, part: Any) -> None:
    refused = ask(f"{start(make_config(**OFFLINE))}/hugginggpt", [part])
    assert refused.status_code == 400 and "POST /v1/files" in refused.json()["message"]


def test_the_function_that_jarvis_clients_import(hub_config: Config, llm_server: FakeLLM, monkeypatch: Any) -> None:
    llm_server.replies["plan"] = json.dumps([task(0, "object-detection", image="/examples/b.jpg")])
    monkeypatch.setattr(jarvis.settings, "load", lambda: hub_config)
    jarvis._controller.cache_clear()
    messages = [{"role": "user", "content": "What is in b.jpg?"}]
    answer = awesome_chat.chat_huggingface(messages, "", "openai", "")
    assert answer["message"].startswith("It is done.")
    plan = awesome_chat.chat_huggingface(messages, return_planning=True)
    assert [one["task"] for one in plan] == ["object-detection"]
    assert set(awesome_chat.chat_huggingface(messages, return_results=True)) == {"0"}
    llm_server.replies["plan"] = "[]"
    assert set(awesome_chat.chat_huggingface(messages, return_planning=True)) == {"message"}
    jarvis._controller.cache_clear()
