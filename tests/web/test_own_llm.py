"""A language model by its name in a request, what the server tells of its own, and what a run used."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from hugginggpt.testing.fakes import FakeLLM
from tests.conftest import MakeConfig, Start


def ask(url: str, **extra: Any) -> requests.Response:
    body = {"messages": [{"role": "user", "content": "Hello"}], "planner": "llm", **extra}
    return requests.post(f"{url}/v1/runs", json=body, timeout=60)


def models_asked(llm: FakeLLM) -> set[str]:
    return {json.loads(request["body"])["model"] for request in llm.requests if request["body"]}


def test_a_local_service_takes_a_model_by_name(make_config: MakeConfig, llm_server: FakeLLM, start: Start) -> None:
    url = start(make_config(local={"endpoint": llm_server.url}))
    told = requests.get(f"{url}/v1/status", timeout=60).json()["llm"]
    assert told["chooses"] is True
    assert told["model"] == told["models"][0]
    assert ask(url).ok
    assert models_asked(llm_server) == {told["model"]}
    llm_server.requests.clear()
    assert ask(url, llm_model="another-model").ok
    assert models_asked(llm_server) == {"another-model"}


def test_a_local_service_that_does_not_answer_is_told_without_a_model(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config(local={"endpoint": "http://127.0.0.1:9"}))
    told = requests.get(f"{url}/v1/status", timeout=60).json()["llm"]
    assert (told["model"], told["models"]) == (None, [])


def test_a_model_that_the_key_of_the_server_pays_for_is_not_chosen_by_clients(
    make_config: MakeConfig, llm_server: FakeLLM, start: Start
) -> None:
    openai = {"base_url": f"{llm_server.url}/v1", "api_key": "sk-of-the-server"}
    url = start(make_config(llm="openai", openai=openai))
    refused = ask(url, llm_model="a-dear-one")
    assert (refused.status_code, llm_server.requests) == (403, [])
    assert "chooses" not in requests.get(f"{url}/v1/status", timeout=60).json()["llm"]
    own = ask(url, llm_model="a-dear-one", api_key="sk-of-the-client")
    assert "event: answer" in own.text
    asked = [request for request in llm_server.requests if request["body"]]
    assert models_asked(llm_server) == {"a-dear-one"}
    assert {request["headers"]["Authorization"] for request in asked} == {"Bearer sk-of-the-client"}


@pytest.mark.parametrize("name", ["a b", "x" * 201, 7, "a\nb"])
def test_what_is_no_name_of_a_model_is_refused(make_config: MakeConfig, start: Start, name: Any) -> None:
    answer = ask(start(make_config(llm="offline")), llm_model=name)
    assert (answer.status_code, "llm_model" in answer.json()["message"]) == (400, True)


def test_the_last_event_tells_what_was_used(make_config: MakeConfig, llm_server: FakeLLM, start: Start) -> None:
    url = start(make_config(local={"endpoint": llm_server.url}))
    text = ask(url).text
    done = json.loads(text.rpartition("event: done\ndata: ")[2].partition("\n")[0])
    run = json.loads(text.partition("event: accepted\ndata: ")[2].partition("\n")[0])["run_id"]
    record = requests.get(f"{url}/v1/runs/{run}", timeout=60).json()
    assert done["usage"] == record["usage"]
    assert done["usage"]["total"]["calls"] == len([request for request in llm_server.requests if request["body"]])


def test_what_the_server_takes_is_told(make_config: MakeConfig, start: Start) -> None:
    prices = {"prompt": 2.0, "completion": 8.0}
    url = start(make_config(llm="offline", limits={"max_file_mb": 7}, goals={"prices": prices}))
    told = requests.get(f"{url}/v1/status", timeout=60).json()
    assert (told["limits"], told["prices"]) == ({"file_bytes": 7_000_000}, prices)
