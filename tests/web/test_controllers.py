"""Several controllers over the same store: any of them follows, cancels and lists what another runs, and goes on with it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.records.live_runs import Runs
from hugginggpt.records.shared_runs import SharedRunStore
from hugginggpt.records.sqlite_runs import SqliteRunStore
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault, status
from hugginggpt.testing.servers import server_process
from hugginggpt.testing.services import free_port, postgres_service, redis_service
from hugginggpt.web.stores import make_chats, make_runs
from tests.conftest import MakeConfig, Start, controller_with
from tests.services import needed
from tests.web.test_runs import PLAN, begin, stream

DETECTORS = ("hustvl/yolos-tiny", "facebook/detr-resnet-50")
CAPTIONS = "nlpconnect/vit-gpt2-image-captioning"
SECONDS = 60


@pytest.fixture(params=["redis", "sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A run store that is empty."""
    return str(request.getfixturevalue("redis_url") if request.param == "redis" else tmp_path / "runs.sqlite")


@pytest.fixture
def shared_config(
    make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts, place: str
) -> Callable[..., Config]:
    """The configuration of a controller with a language model and a Hub on loopback, over a shared store."""
    llm_server.replies["plan"] = json.dumps(PLAN)

    def make(**own: Any) -> Config:
        services = {"local": {"endpoint": llm_server.url}, "huggingface": {"base_url": expert_server.url}}
        return make_config(**{"run_store": place, "embedded": False, **services, **own})

    return make


def dying(place: str) -> SharedRunStore:
    """The store of a controller that is as good as dead: it does not renew its leases."""
    if place.endswith(".sqlite"):
        return SqliteRunStore(Path(place), lease_seconds=0.05)
    from hugginggpt.records.redis_runs import RedisRunStore

    return RedisRunStore(place, lease_seconds=0.05)


def let_leases_run_out() -> None:
    threading.Event().wait(0.1)


def until(events: Any, kind: str) -> dict[str, Any]:
    return next(event for event in events if event["event"] == kind)


def test_what_one_runs_the_other_follows_cancels_and_lists(
    shared_config: Callable[..., Config], start: Start, expert_server: FakeExperts
) -> None:
    expert_server.always["all"] = Fault(hang=True)
    config = shared_config(http_listen={"max_runs": 2})
    a, b = start(config), start(config)
    mine = stream(begin(a, chat="new"))
    accepted = next(mine)["data"]
    run_id, chat = accepted["run_id"], accepted["chat"]
    seen = until(mine, "started")
    body = {"messages": [{"role": "user", "content": "And now?"}], "chat": chat}
    busy = requests.post(f"{b}/v1/runs", json=body, timeout=SECONDS)
    assert (busy.status_code, busy.json()["run_id"]) == (409, run_id)
    other = stream(begin(b, "Another one"))
    next(other)
    for url in (a, b):
        refused = requests.post(f"{url}/v1/runs", json={"messages": body["messages"]}, timeout=SECONDS)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "busy")
        listed = requests.get(f"{url}/v1/runs", timeout=SECONDS).json()["runs"]
        assert [(run["request"], run["chat"], run["over"]) for run in listed] == [
            ("Another one", None, False),
            ("What is in it?", chat, False),
        ]
        assert requests.get(f"{url}/v1/chats/{chat}", timeout=SECONDS).json()["run_id"] == run_id
        assert requests.get(f"{url}/v1/runs/{run_id}", timeout=SECONDS).json()["plan"] == PLAN
    last = {"Last-Event-ID": str(int(seen["id"]) - 1)}  # something is sent at once
    elsewhere = requests.get(f"{b}/v1/runs/{run_id}/events", headers=last, stream=True, timeout=SECONDS)
    following = spawn(list, stream(elsewhere))
    cancelled = requests.delete(f"{b}/v1/runs/{run_id}", timeout=SECONDS).json()
    assert cancelled == {"run_id": run_id, "stop": "cancelled"}
    rest = [seen, *mine]
    assert following.result(SECONDS) == rest
    assert rest[-1]["data"]["stop"] == "cancelled"
    for url in (a, b):
        record = requests.get(f"{url}/v1/runs/{run_id}", timeout=SECONDS).json()
        assert (record["stop"], "messages" in record) == ("cancelled", False)
        assert requests.get(f"{url}/v1/chats/{chat}", timeout=SECONDS).json()["turns"][0]["status"] == "cancelled"


def test_a_lost_run_is_gone_on_with_and_finished_tasks_are_not_repeated(
    shared_config: Callable[..., Config], start: Start, llm_server: FakeLLM, expert_server: FakeExperts, place: str
) -> None:
    """The first controller is as good as dead."""
    expert_server.always[CAPTIONS] = Fault(hang=True)
    config = shared_config()
    dead, chats = dying(place), make_chats(config)
    runs, controller = Runs(5, dead), controller_with(config)
    run = controller.prepare([{"role": "user", "content": "What is in it?"}])
    chats.begin("0" * 32, run.id, run.request)
    chats.close()
    live = runs.start(controller, run, "answer", chat="0" * 32, may_move=True)
    seen = next(number for number, event in filter(None, live.follow()) if event["event"] == "finished")
    planned = len(llm_server.bodies("plan"))
    expert_server.always.clear()
    let_leases_run_out()
    url = start(config)
    events = stream(
        requests.get(f"{url}/v1/runs/{run.id}/events", headers={"Last-Event-ID": str(seen)}, stream=True, timeout=60)
    )
    following = list(events)
    assert following[-1]["data"]["stop"] == "answered"
    assert [int(event["id"]) for event in following] == list(range(seen + 1, seen + 1 + len(following)))
    assert sum(len(expert_server.inferences(model)) for model in DETECTORS) == 1
    assert len(llm_server.bodies("plan")) == planned
    chat = requests.get(f"{url}/v1/chats/{'0' * 32}", timeout=SECONDS).json()
    assert (chat["run_id"], [turn["status"] for turn in chat["turns"]]) == (None, ["answered"])
    assert set(chat["turns"][0]["record"]["states"].values()) == {"finished"}
    runs.close(SECONDS)


def test_a_run_with_a_key_of_its_own_does_not_move(
    shared_config: Callable[..., Config], start: Start, expert_server: FakeExperts, place: str
) -> None:
    """Nor is it told to the store that it has one."""
    dead, config = dying(place), shared_config()
    expert_server.always["all"] = Fault(hang=True)
    runs, controller = Runs(5, dead), controller_with(config)
    live = runs.start(controller, controller.prepare([{"role": "user", "content": "What?"}]), "answer")
    next(event for event in live.follow() if event)
    let_leases_run_out()
    url = start(config)
    events = list(stream(requests.get(f"{url}/v1/runs/{live.run.id}/events", stream=True, timeout=SECONDS)))
    assert "send the request again" in events[-1]["data"]["error"]
    assert requests.get(f"{url}/v1/runs/{live.run.id}", timeout=SECONDS).json()["stop"] == "failed"
    runs.close(SECONDS)


def test_another_controller_resumes_what_did_not_end_well(
    shared_config: Callable[..., Config], start: Start, expert_server: FakeExperts, tmp_path: Path
) -> None:
    """Also where they have no disk in common."""
    expert_server.always[CAPTIONS] = status(500)
    a = start(shared_config(log_file=None))
    first = list(stream(begin(a)))
    run_id = first[0]["data"]["run_id"]
    expert_server.always.clear()
    b = start(shared_config(log_file=None))
    before = sum(len(expert_server.inferences(model)) for model in DETECTORS)
    again = list(stream(requests.post(f"{b}/v1/runs", json={"resume": run_id}, stream=True, timeout=SECONDS)))
    assert again[-1]["data"]["stop"] == "answered"
    assert sum(len(expert_server.inferences(model)) for model in DETECTORS) == before
    assert requests.get(f"{a}/v1/runs/{again[0]['data']['run_id']}", timeout=SECONDS).json()["errors"] == []


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("run_store", "mysql://host/x", "run_store cannot begin with mysql:// but with redis://"),
        ("database", "mysql://host/x", "database cannot begin with mysql:// but with postgresql://"),
        ("run_store", "redis://:/a-secret-word@127.0.0.1:1/0", "run_store is no address such as redis://USER:PASSWORD"),
        ("run_store", "redis://:[a-secret-word@127.0.0.1:1/0", "run_store is no address such as redis://USER:PASSWORD"),
        ("database", "postgresql://me:#a-secret-word@127.0.0.1:1/x", "database is no address such as postgresql://"),
    ],
)
def test_a_store_that_cannot_be_used_is_one_sentence(
    make_config: MakeConfig, setting: str, value: str, said: str
) -> None:
    if "mysql" not in value:
        pytest.importorskip("redis" if setting == "run_store" else "psycopg")
    config = make_config(**{setting: value})
    with pytest.raises(ConfigError) as error:
        (make_runs if setting == "run_store" else make_chats)(config)
    assert said in str(error.value)
    assert "a-secret-word" not in f"{error.value} {config!r}"
    assert config.secrets.mask(value).count("***") == value.count("a-secret-word")


def test_a_missing_package_is_one_sentence(make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("redis", "psycopg", "hugginggpt.records.redis_runs", "hugginggpt.web.postgres_chats"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "hugginggpt.records.redis_runs")
    monkeypatch.delitem(sys.modules, "hugginggpt.web.postgres_chats")
    with pytest.raises(ConfigError, match=r'run_store needs the package redis: pip install -e "\.\[redis\]"'):
        make_runs(make_config(run_store="redis://127.0.0.1/0"))
    with pytest.raises(ConfigError, match=r'database needs the package psycopg: pip install -e "\.\[postgres\]"'):
        make_chats(make_config(database="postgresql://127.0.0.1/x"))


def test_an_address_may_name_a_variable(make_config: MakeConfig) -> None:
    config = make_config({"STORE_PASSWORD": "a-secret/word"}, run_store="redis://:$STORE_PASSWORD@host/0")
    assert config.store_urls == ["redis://:a-secret%2Fword@host/0"]
    assert config.secrets.mask("a-secret/word, a-secret%2Fword") == "***, ***"
    with pytest.raises(ConfigError, match="set STORE_PASSWORD"):
        make_config(run_store="redis://:$STORE_PASSWORD@host/0")


@pytest.mark.slow
def test_a_controller_that_is_killed(
    shared_config: Callable[..., Config],
    llm_server: FakeLLM,
    expert_server: FakeExperts,
    place: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    """kill -9: the other one goes on within ten seconds, no finished task is repeated, and the limit stays."""
    expert_server.always[CAPTIONS] = Fault(hang=True)
    database = str(tmp_path / "chats.sqlite") if place.endswith("sqlite") else request.getfixturevalue("postgres_url")
    shared_config(database=database, http_listen={"port": 0, "max_runs": 1}, stream_plan=False)
    file = tmp_path / "config.yaml"
    with server_process(file) as (a, process), server_process(file) as (b, _):
        mine = stream(begin(a, chat="new"))
        accepted = next(mine)["data"]
        seen = until(mine, "finished")
        expert_server.always.clear()
        process.kill()
        began = time.monotonic()
        busy = requests.post(f"{b}/v1/runs", json={"messages": [{"role": "user", "content": "x"}]}, timeout=SECONDS)
        assert busy.status_code == 429
        follow = requests.get(
            f"{b}/v1/runs/{accepted['run_id']}/events",
            headers={"Last-Event-ID": seen["id"]},
            stream=True,
            timeout=SECONDS,
        )
        events = stream(follow)
        until(events, "run")
        took = time.monotonic() - began
        rest = list(events)
        assert rest[-1]["data"]["stop"] == "answered"
        assert sum(len(expert_server.inferences(model)) for model in DETECTORS) == 1
        assert len(llm_server.bodies("plan")) == 1
        (turn,) = requests.get(f"{b}/v1/chats/{accepted['chat']}", timeout=SECONDS).json()["turns"]
        assert (turn["status"], turn["run_id"]) == ("answered", accepted["run_id"])
        assert list(stream(begin(b)))[-1]["event"] == "done"
    assert took < 10, f"{took:.1f} s"


@pytest.fixture
def patient() -> Iterator[requests.Session]:
    """A client that comes back after as long as it is told."""
    with requests.Session() as session:
        again = Retry(total=10, allowed_methods=None, status_forcelist=[503])
        session.mount("http://", HTTPAdapter(max_retries=again))
        yield session


@pytest.mark.parametrize("setting", ["run_store", pytest.param("database", marks=pytest.mark.slow)])
def test_a_service_that_does_not_answer_is_503_until_it_does(
    setting: str,
    make_config: MakeConfig,
    start: Start,
    llm_server: FakeLLM,
    expert_server: FakeExperts,
    patient: requests.Session,
) -> None:
    """At the start, and when it has gone again."""
    pytest.importorskip("redis" if setting == "run_store" else "psycopg")
    llm_server.replies["plan"] = json.dumps(PLAN)
    port = free_port()
    address, service = {
        "run_store": (
            f"redis://:a-secret-word@127.0.0.1:{port}/0",
            partial(redis_service, port, "--requirepass", "a-secret-word"),
        ),
        "database": (f"postgresql://jarvis:a-secret-word@127.0.0.1:{port}/postgres", partial(postgres_service, port)),
    }[setting]
    services = {"local": {"endpoint": llm_server.url}, "huggingface": {"base_url": expert_server.url}}
    url = start(make_config(**{setting: address, "embedded": False, **services}))
    body = {"messages": [{"role": "user", "content": "What is in it?"}], "chat": "new"}

    def check_refused() -> None:
        answer = requests.post(f"{url}/v1/runs", json=body, timeout=SECONDS)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
        error = answer.json()["error"]
        assert (error["type"], error["code"]) == ("store", "unavailable")
        assert "Start the " in error["message"] and "a-secret-word" not in answer.text
        assert requests.get(f"{url}/healthz", timeout=SECONDS).ok

    def check_answered() -> None:
        events = stream(patient.post(f"{url}/v1/runs", json=body, stream=True, timeout=SECONDS))
        assert list(events)[-1]["data"]["stop"] == "answered"

    check_refused()
    with needed(service):
        check_answered()
    check_refused()
    with needed(service):
        check_answered()


@pytest.mark.slow
def test_a_run_goes_on_while_the_service_is_gone(
    make_config: MakeConfig, start: Start, llm_server: FakeLLM, expert_server: FakeExperts, patient: requests.Session
) -> None:
    """What it came to is there when the service is back, although that has forgotten all."""
    pytest.importorskip("redis")
    llm_server.replies["plan"] = json.dumps(PLAN)
    port = free_port()
    services = {"local": {"endpoint": llm_server.url}, "huggingface": {"base_url": expert_server.url}}
    with needed(partial(redis_service, port)) as address:
        url = start(make_config(run_store=address, embedded=False, **services))
        expert_server.always[CAPTIONS] = Fault(hang=True)
        mine = stream(begin(url))
        run_id = next(mine)["data"]["run_id"]
        until(mine, "finished")
    cancelled = requests.delete(f"{url}/v1/runs/{run_id}", timeout=SECONDS).json()
    assert cancelled == {"run_id": run_id, "stop": "cancelled"}
    assert list(mine)[-1]["data"]["stop"] == "cancelled"
    with needed(partial(redis_service, port)):
        record = patient.get(f"{url}/v1/runs/{run_id}", timeout=SECONDS).json()
        assert (record["stop"], record["states"]["0"]) == ("cancelled", "finished")
