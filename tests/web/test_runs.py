"""Runs as event streams, uploads, conversations: over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.config import Config
from hugginggpt.core.events import Event, RunStarted
from hugginggpt.media.types import file_types
from hugginggpt.records.live_runs import Runs
from hugginggpt.stages.run import Run
from hugginggpt.testing import task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault, png, status
from tests.conftest import MakeConfig, Start

PLAN = [task(0, "object-detection", image="/examples/b.jpg"), task(1, "image-to-text", [0], image="<GENERATED>-0")]


@pytest.fixture
def url(hub_config: Config, llm_server: FakeLLM, start: Start) -> str:
    llm_server.replies["plan"] = json.dumps(PLAN)
    return start(hub_config)


def stream(response: requests.Response) -> Iterator[dict[str, Any]]:
    """The events of a stream: {"id", "event", "data"}."""
    event: dict[str, Any] = {}
    assert response.raw.chunked  # so that a chunk is read as soon as it is there
    for line in response.iter_lines(chunk_size=None, decode_unicode=True):
        if not line:
            if event:
                yield event
            event = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            event[name] = json.loads(value) if name == "data" else value


def begin(url: str, request: str = "What is in it?", **extra: Any) -> requests.Response:
    body = {"messages": [{"role": "user", "content": request}], **extra}
    response = requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30)
    assert response.ok, response.text
    return response


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["event"] for event in events]


def test_one_event_for_each_thing_that_happens(url: str) -> None:
    response = begin(url)
    assert response.headers["Content-Type"].startswith("text/event-stream")
    events = list(stream(response))
    assert kinds(events)[:3] == ["accepted", "run", "task"]  # the first task is begun before the plan is whole
    planned = next(event["data"] for event in events if event["event"] == "plan")
    assert planned["plan"] == PLAN and planned["kept"] == [0, 1]
    assert kinds(events)[-2:] == ["answer", "done"]
    assert {"selected", "started", "finished", "token"} <= set(kinds(events))
    assert [int(event["id"]) for event in events[1:]] == list(range(1, len(events)))
    finished = next(event["data"] for event in events if event["event"] == "finished")
    assert (finished["form"], finished["reading"]) == ("boxes", "2 cats (90 %, 80 %)")
    assert finished["files"][0].startswith("/images/")
    assert finished["choice"]["endpoint"] == "huggingface"
    tokens = "".join(event["data"]["text"] for event in events if event["event"] == "token")
    assert tokens.strip() == events[-2]["data"]["message"]
    assert events[-1]["data"]["stop"] == "answered"


def test_events_arrive_while_the_run_goes_on(url: str, expert_server: FakeExperts) -> None:
    """The expert answers only after the client has seen that its task was started."""
    expert_server.always["hustvl/yolos-tiny"] = Fault(hang=True)
    expert_server.always["facebook/detr-resnet-50"] = Fault(hang=True)
    seen: list[str] = []
    for event in stream(begin(url)):
        seen.append(event["event"])
        if event["event"] == "started":
            expert_server.always.clear()
            expert_server.over.set()  # what hung goes on
    assert seen.index("started") < seen.index("retried" if "retried" in seen else "finished")
    assert seen[-1] == "done"


def test_a_dropped_connection_is_taken_up_without_loss(url: str) -> None:
    first = begin(url)
    events = []
    for event in stream(first):
        events.append(event)
        if event["event"] == "selected":
            break
    first.close()
    run_id = events[0]["data"]["run_id"]
    last = events[-1]["id"]
    rest = list(
        stream(requests.get(f"{url}/v1/runs/{run_id}/events", headers={"Last-Event-ID": last}, stream=True, timeout=20))
    )
    whole = list(stream(requests.get(f"{url}/v1/runs/{run_id}/events", stream=True, timeout=20)))
    assert [e["id"] for e in events[1:]] + [e["id"] for e in rest] == [e["id"] for e in whole]
    assert kinds(whole)[-1] == "done"


def test_the_record_while_and_after(url: str) -> None:
    events = list(stream(begin(url)))
    run_id = events[0]["data"]["run_id"]
    record = requests.get(f"{url}/v1/runs/{run_id}", timeout=5).json()
    assert record["message"] == events[-2]["data"]["message"]
    assert record["plan"] == PLAN
    assert requests.get(f"{url}/v1/runs/000000000000", timeout=5).status_code == 404
    assert requests.get(f"{url}/v1/runs/../../etc", timeout=5).status_code == 404


def test_a_run_can_be_cancelled(url: str, expert_server: FakeExperts) -> None:
    expert_server.always["all"] = Fault(hang=True)
    events = []
    for event in stream(begin(url)):
        events.append(event)
        if event["event"] == "started":
            cancelled = requests.delete(f"{url}/v1/runs/{events[0]['data']['run_id']}", timeout=10)
            assert cancelled.json()["stop"] == "cancelled"
    assert kinds(events)[-1] == "done"
    assert events[-1]["data"]["stop"] == "cancelled"
    codes = {event["event"]: event["data"]["code"] for event in events if "code" in event.get("data", {})}
    assert codes == {"failed": "cancelled", "skipped": "cancelled", "done": "cancelled"}


def test_failures_are_events(url: str, llm_server: FakeLLM) -> None:
    llm_server.faults["plan"] = [status(401)]
    events = list(stream(begin(url)))
    assert kinds(events) == ["accepted", "run", "done"]
    assert "refused the key (401)" in events[-1]["data"]["error"]
    assert events[-1]["data"]["code"] == "backend"
    record = requests.get(f"{url}/v1/runs/{events[0]['data']['run_id']}", timeout=5).json()
    assert record["error"] == {"message": events[-1]["data"]["error"], "code": "backend"}


def test_each_task_that_fails_says_why_in_a_code(url: str, llm_server: FakeLLM, expert_server: FakeExperts) -> None:
    plan = [
        task(0, "depth-estimation", image="/examples/b.jpg"),
        task(1, "image-to-text", [0], image="<GENERATED>-0"),
        task(2, "image-to-text", image="/examples/none.jpg"),
        task(3, "text-to-image", text="a cat"),
        task(4, "image-to-text", image=""),
    ]
    llm_server.replies["plan"] = json.dumps(plan)
    expert_server.always["all"] = status(500)
    events = list(stream(begin(url)))
    codes = {e["data"]["task_id"]: e["data"]["code"] for e in events if e["event"] in ("failed", "skipped")}
    assert codes == {0: "unavailable", 1: "dependency", 2: "media", 3: "backend", 4: "invalid_task"}
    assert (events[-1]["data"]["code"], events[-1]["data"]["error"]) == ("nothing_done", "")
    record = requests.get(f"{url}/v1/runs/{events[0]['data']['run_id']}", timeout=5).json()
    assert {int(n): result["inference result"]["error"]["code"] for n, result in record["results"].items()} == codes
    assert record["error"] is None


def test_until_plan(url: str) -> None:
    assert kinds(list(stream(begin(url, until="plan"))))[-2:] == ["plan", "done"]


@pytest.mark.parametrize("extra", [{"until": "never"}, {"chat": 7}])
def test_a_run_that_is_none(url: str, extra: dict[str, Any]) -> None:
    body = {"messages": [{"role": "user", "content": "x"}], **extra}
    assert requests.post(f"{url}/v1/runs", json=body, timeout=5).status_code == 400


def test_as_many_runs_as_are_allowed_and_no_more(
    make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts, start: Start
) -> None:
    llm_server.replies["plan"] = json.dumps(PLAN)
    expert_server.always["all"] = Fault(hang=True)
    config = make_config(
        local={"endpoint": llm_server.url},
        huggingface={"base_url": expert_server.url},
        embedded=False,
        http_listen={"max_runs": 2},
    )
    url = start(config)
    going = [begin(url) for _ in range(2)]
    streams = [stream(response) for response in going]
    for events in streams:
        next(event for event in events if event["event"] == "started")
    refused = requests.post(f"{url}/hugginggpt", json={"messages": [{"role": "user", "content": "x"}]}, timeout=5)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    body = {"messages": [{"role": "user", "content": "x"}], "chat": "new"}
    assert requests.post(f"{url}/v1/runs", json=body, timeout=5).status_code == 429
    assert requests.get(f"{url}/v1/chats", timeout=5).json()["chats"] == []
    assert requests.get(f"{url}/healthz", timeout=5).json() == {"status": "ok", "runs": 2}
    expert_server.always.clear()
    expert_server.over.set()
    for events in streams:
        assert list(events)[-1]["event"] == "done"
    assert requests.post(f"{url}/tasks", json={"messages": [{"role": "user", "content": "x"}]}, timeout=5).ok


# Files


def test_an_upload_can_be_named_in_a_request(url: str, llm_server: FakeLLM) -> None:
    sent = requests.post(f"{url}/v1/files", files={"file": ("my cat.png", png())}, timeout=5)
    assert sent.status_code == 201
    path = sent.json()["path"]
    assert path.startswith("/uploads/my_cat-")
    assert (sent.json()["kind"], sent.json()["name"]) == ("image", "my cat.png")
    llm_server.replies["plan"] = json.dumps([task(0, "object-detection", image=path)])
    assert list(stream(begin(url)))[-1]["data"]["stop"] == "answered"
    shown = requests.get(url + path, timeout=5)
    assert shown.content == png()
    assert shown.headers["Content-Type"] == "image/png"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("page.html", b"<html><script>alert(1)</script></html>", "holds no text"),
        ("picture.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "of an unknown type"),
        ("cat.png", b"<html>", "holds no text"),
        ("half.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "damaged"),
        ("doc.pdf", b"%PDF-1.4", "damaged"),
        ("doc.rtf", b"{\\rtf1}", "application/rtf"),
    ],
)
def test_an_upload_of_another_type(url: str, public: Path, name: str, content: bytes, said: str) -> None:
    answer = requests.post(f"{url}/v1/files", files={"file": (name, content)}, timeout=5)
    assert answer.status_code == 400
    assert said in answer.json()["message"]
    assert not list(public.glob("uploads/*"))


@pytest.mark.parametrize("name", ["данные.csv", "x" * 300 + ".csv", "..\\..\\table.CSV", "日本.tsv"])
def test_an_upload_of_any_name(url: str, name: str) -> None:
    sent = requests.post(f"{url}/v1/files", files={"file": (name, b"a,b\n1,2\n")}, timeout=5)
    assert sent.status_code == 201, sent.text
    assert sent.json()["kind"] == "table"
    assert sent.json()["name"].endswith(name[-9:]) and len(sent.json()["name"]) <= 100
    assert len(sent.json()["path"]) < 80


def test_an_upload_is_not_told_where_it_was_received(url: str) -> None:
    answer = requests.post(f"{url}/v1/files", files={"file": ("notes.unknown", b"x")}, timeout=5)
    assert answer.json()["message"].startswith("notes.unknown is of an unknown type")


def test_an_upload_without_a_file_or_too_large(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config(limits={"max_file_mb": 0.2}))
    assert requests.post(f"{url}/v1/files", data={"x": "y"}, timeout=5).status_code == 400
    large = requests.post(f"{url}/v1/files", files={"file": ("a.png", png() + b"\0" * 400_000)}, timeout=5)
    assert large.status_code == 413
    just = requests.post(f"{url}/v1/files", files={"file": ("a.png", png() + b"\0" * 250_000)}, timeout=5)
    assert just.status_code == 400
    assert "larger than the 0.2 MB" in just.json()["message"]


def test_followers_leave_room_for_others(
    make_config: MakeConfig, hub_config: Config, llm_server: FakeLLM, expert_server: FakeExperts, start: Start
) -> None:
    llm_server.replies["plan"] = json.dumps(PLAN)  # a run that goes on until the experts are let go
    expert_server.always.update(dict.fromkeys(("hustvl/yolos-tiny", "facebook/detr-resnet-50"), Fault(hang=True)))
    url = start(
        hub_config.model_copy(
            update={"http_listen": make_config(http_listen={"threads": 8, "max_runs": 4}).http_listen}
        )
    )
    run = stream(begin(url))
    events = f"{url}/v1/runs/{next(run)['data']['run_id']}/events"
    following = [requests.get(events, stream=True, timeout=20) for _ in range(2)]
    one_more = requests.get(events, timeout=20)
    assert (one_more.status_code, one_more.json()["error"]["code"]) == (429, "busy")
    assert "Retry-After" in one_more.headers
    assert requests.get(f"{url}/healthz", timeout=20).ok
    expert_server.over.set()
    assert [list(stream(response))[-1]["event"] for response in following] == ["done"] * 2
    later = requests.get(events, stream=True, timeout=20)
    while later.status_code == 429:  # the server makes room a moment after a stream's last byte
        later = requests.get(events, stream=True, timeout=20)
    assert list(stream(later))[-1]["event"] == "done"
    list(run)


# Starts


def test_what_is_stored_at_the_start_is_stored_before_anything_happens(hub_config: Config) -> None:
    """Else the end of a quick run would be stored before its start."""
    runs, order = Runs(1), []

    class Quick:
        config = hub_config

        def run(self, run: Run, until: str) -> Iterator[Event]:
            order.append("run")
            yield RunStarted(run.id, run.request, "none")

    def run() -> Run:
        return Run([{"role": "user", "content": "x"}], hub_config.limits)

    live = runs.start(Quick(), run(), "answer", lambda _: order.append("start"), lambda _: order.append("done"))  # type: ignore[arg-type]
    live.wait()
    assert order == ["start", "run", "done"]
    with pytest.raises(ZeroDivisionError):
        runs.start(Quick(), run(), "answer", lambda _: 1 / 0)  # type: ignore[arg-type, return-value]
    assert runs.going() == 0


# About the server


def test_the_status(url: str, make_config: MakeConfig, start: Start) -> None:
    status = requests.get(f"{url}/v1/status", timeout=5).json()
    llm = {"name": "local", "model": "fake-model", "offline": False, "endpoint": "llm", "label": "the language model"}
    assert status["llm"] == {**llm, "models": ["fake-model"], "chooses": True}
    offline = requests.get(f"{start(make_config())}/v1/status", timeout=5).json()
    assert offline["llm"]["offline"] is True
    assert {"id": "nanodet-coco", "task": "object-detection"}.items() <= next(
        expert for expert in offline["experts"] if expert["task"] == "object-detection"
    ).items()
    assert offline["file_types"] == file_types()
    assert any("OPENAI_API_KEY" in hint for hint in offline["hints"])
    shown = {endpoint["name"]: (endpoint["label"], endpoint["ready"]) for endpoint in offline["endpoints"]}
    assert shown == {"huggingface": ("Hugging Face", False), "embedded": ("this machine", True)}
    assert "HF_TOKEN" in offline["endpoints"][0]["hint"]
