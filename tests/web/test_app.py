"""JARVIS's HTTP API over a real server."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
import requests

from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.testing import task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, status
from hugginggpt.web.serving import serve
from tests.conftest import MakeConfig, Start, controller_with


def ask(url: str, request: str, **extra: Any) -> requests.Response:
    return requests.post(url, json={"messages": [{"role": "user", "content": request}], **extra}, timeout=30)


PLAN = [task(0, "object-detection", image="/examples/b.jpg"), task(1, "image-to-text", image="/examples/a.jpg")]


def test_the_three_routes_of_jarvis(
    hub_config: Config, llm_server: FakeLLM, expert_server: FakeExperts, start: Start
) -> None:
    llm_server.replies["plan"] = json.dumps(PLAN)
    url = start(hub_config)
    assert ask(f"{url}/tasks", "x").json() == PLAN
    results = ask(f"{url}/results", "x").json()
    assert set(results) == {"0", "1"}
    assert set(results["0"]) == {"task", "inference result", "choose model result", "form", "reading", "files"}
    assert (results["0"]["form"], results["0"]["reading"]) == ("boxes", "2 cats (90 %, 80 %)")
    assert results["0"]["inference result"]["predicted"][0]["label"] == "cat"
    answer = ask(f"{url}/hugginggpt", "x").json()
    assert answer["message"].startswith("It is done.\n\n")
    assert answer["errors"] == []
    picture = requests.get(url + answer["files"][0], timeout=5)
    assert picture.headers["Content-Type"] == "image/jpeg"


def test_a_request_says_who_is_to_plan(hub_config: Config, llm_server: FakeLLM, start: Start) -> None:
    llm_server.replies["plan"] = json.dumps(PLAN)
    url = start(hub_config)
    by_model, offline = (ask(f"{url}/tasks", "Describe /examples/a.jpg", planner=name) for name in ("llm", "offline"))
    assert by_model.json() == PLAN
    assert [task["task"] for task in offline.json()] == ["image-to-text"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "The body should be JSON"),
        (b"{", "The body should be JSON"),
        (b"[]", "The body should be JSON"),
        (b"{}", "There is no request"),
        (b'{"messages": []}', "There is no request"),
        (b'{"messages": [{"role": "user", "content": ""}]}', "The request is empty"),
        (b'{"messages": "hi"}', "There is no request"),
        (json.dumps({"messages": [{"role": "user", "content": "x" * 1_000_000}]}).encode(), "1000000 characters"),
    ],
)
def test_a_body_that_is_none(make_config: MakeConfig, start: Start, body: bytes, said: str) -> None:
    url = start(make_config())
    answer = requests.post(f"{url}/hugginggpt", data=body, headers={"Content-Type": "application/json"}, timeout=10)
    assert answer.status_code == 400
    assert said in answer.json()["message"] == answer.json()["error"]["message"]
    assert (answer.json()["error"]["type"], answer.json()["error"]["code"]) == ("request", "user")


def test_other_mistakes_are_json_too(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config())
    refused = requests.get(f"{url}/hugginggpt", timeout=5)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    assert refused.json()["error"]["code"] == "method_not_allowed"
    undeclared = requests.post(f"{url}/hugginggpt", data=b"{}", timeout=5)
    assert (undeclared.status_code, "Content-Type: application/json" in undeclared.json()["message"]) == (400, True)
    body = {"messages": [{"role": "user", "content": "hello"}], "chat": "0" * 32}
    unknown = requests.post(f"{url}/v1/runs", json=body, timeout=5)
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "not_found")
    assert requests.get(f"{url}/none", timeout=5).json()["error"]["code"] == "not_found"
    too_large = requests.post(f"{url}/tasks", json="x" * 3_000_000, timeout=5)
    assert (too_large.status_code, too_large.json()["error"]["code"]) == (413, "request_entity_too_large")
    assert requests.get(f"{url}/../config.yaml", timeout=5).status_code == 404
    assert requests.get(f"{url}/%2e%2e/config.yaml", timeout=5).status_code == 404


@pytest.mark.parametrize(
    ("route", "extra", "code"),
    [
        ("v1/runs", {"chat": "\ud800"}, 404),
        ("hugginggpt", {"api_endpoint": "http://["}, 403),
        ("hugginggpt", {"api_endpoint": ["x"], "api_key": "k"}, 400),
        ("tasks", {"planner": "me"}, 400),
    ],
)
def test_odd_values_are_refused(make_config: MakeConfig, start: Start, route: str, extra: Any, code: int) -> None:
    url = start(make_config())
    body = {"messages": [{"role": "user", "content": "hi"}], **extra}
    answer = requests.post(f"{url}/{route}", json=body, timeout=10)
    assert (answer.status_code, "error" in answer.json()) == (code, True)


def test_refusals_say_what_can_be_had(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config())
    assert "GET" in requests.post(f"{url}/healthz", timeout=5).headers["Allow"]
    beyond = requests.get(f"{url}/examples/a.jpg", headers={"Range": "bytes=999999999-"}, timeout=5)
    assert beyond.status_code == 416
    assert beyond.headers["Content-Range"].startswith("bytes */")


def test_a_language_model_that_fails_is_a_502(hub_config: Config, llm_server: FakeLLM, start: Start) -> None:
    llm_server.always["plan"] = status(401)
    answer = ask(f"{start(hub_config)}/hugginggpt", "x")
    assert answer.status_code == 502
    assert "refused the key (401)" in answer.json()["error"]["message"]
    assert (answer.json()["error"]["type"], answer.json()["error"]["code"]) == ("run", "backend")


@pytest.mark.parametrize("failure", [500, 429])
def test_only_the_page_gets_an_offline_plan_where_the_language_model_fails(
    hub_config: Config, llm_server: FakeLLM, expert_server: FakeExperts, start: Start, failure: int
) -> None:
    llm_server.always["plan"] = status(failure)
    url = start(hub_config)
    assert [ask(f"{url}/{route}", "Describe /examples/a.jpg").status_code for route in ("tasks", "hugginggpt")] == [
        502
    ] * 2
    events = ask(f"{url}/v1/runs", "Describe /examples/a.jpg").text
    assert '"planner": "offline"' in events and "image-to-text" in events
    assert "the offline planner made the plan" in events


def test_failed_tasks_are_an_answer_with_errors(hub_config: Config, llm_server: FakeLLM, start: Start) -> None:
    llm_server.replies["plan"] = json.dumps([task(0, "depth-estimation", image="/examples/a.jpg")])
    answer = ask(f"{start(hub_config)}/hugginggpt", "x")
    assert answer.status_code == 200
    assert "No model for depth-estimation" in answer.json()["errors"][0]
    assert "No model for depth-estimation" in answer.json()["message"]


def test_runs_do_not_mix(hub_config: Config, llm_server: FakeLLM, expert_server: FakeExperts, start: Start) -> None:
    """Each of 16 clients gets the file that was made from its own words."""
    llm_server.replies["plan"] = json.dumps([task(0, "text-to-image", text="a cat")])
    url = start(hub_config)
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(f"{url}/hugginggpt", "x").json())) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    files = [file for answer in answers for file in answer["files"]]
    assert len(set(files)) == 16


def test_the_token_is_asked_for(make_config: MakeConfig, start: Start) -> None:
    listen = {"host": "0.0.0.0", "port": 0, "token": "token-no-1", "threads": 4}
    url = start(make_config(http_listen=listen))
    for path in ("/v1/status", "/v1/chats", "/images/x.png", "/uploads/x.png"):
        assert requests.get(url + path, timeout=5).status_code == 401
    assert requests.post(f"{url}/hugginggpt", json={}, timeout=5).headers["WWW-Authenticate"] == "Bearer"
    for wrong in (
        "Bearer token-no-2",
        "Bearer tok-",
        "Bearer",
        "Basic token-no-1",
        "token-no-1",
        "Bearer töken".encode(),
    ):
        assert requests.get(f"{url}/v1/chats", headers={"Authorization": wrong}, timeout=5).status_code == 401
    assert requests.get(f"{url}/v1/chats", headers={"Authorization": "Bearer token-no-1"}, timeout=5).ok
    assert requests.get(f"{url}/healthz", timeout=5).ok


def test_a_browser_logs_in_once(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config(http_listen={"token": "token-no-1"}))
    browser = requests.Session()
    assert browser.post(f"{url}/v1/login", headers={"Authorization": "Bearer token-no-2"}, timeout=5).status_code == 401
    login = browser.post(f"{url}/v1/login", headers={"Authorization": "Bearer token-no-1"}, timeout=5)
    assert "HttpOnly" in login.headers["Set-Cookie"] and "SameSite=Strict" in login.headers["Set-Cookie"]
    assert "token-no-1" not in login.headers["Set-Cookie"]
    assert browser.get(f"{url}/v1/chats", timeout=5).ok
    other = start(make_config(http_listen={"token": "token-no-1"}))  # the cookie is for the host, whatever the port
    assert browser.get(f"{other}/v1/chats", timeout=5).ok
    stranger = start(make_config(http_listen={"token": "token-no-3"}))
    assert browser.get(f"{stranger}/v1/chats", timeout=5).status_code == 401
    for guess in ("guess", "guess.", ".", "a.b", ""):
        assert requests.get(f"{url}/v1/chats", cookies={"hugginggpt": guess}, timeout=5).status_code == 401


def test_listening_elsewhere_needs_a_token(make_config: MakeConfig) -> None:
    config = make_config(http_listen={"host": "0.0.0.0", "port": 0})
    with pytest.raises(ConfigError, match=r"set http_listen.token"):
        serve(controller_with(config), config)


def test_a_port_that_is_taken(make_config: MakeConfig, llm_server: FakeLLM) -> None:
    config = make_config(http_listen={"host": "127.0.0.1", "port": llm_server.port})
    with pytest.raises(ConfigError, match="Cannot listen"):
        serve(controller_with(config), config)
