"""Several server processes on one address: one that dies is replaced, all end together."""

from __future__ import annotations

import json
import time
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
import requests

from hugginggpt.core.errors import ConfigError
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault
from hugginggpt.testing.servers import server_process
from hugginggpt.web.workers import serve_with_workers
from tests.conftest import MakeConfig
from tests.web.test_controllers import CAPTIONS, DETECTORS, until
from tests.web.test_runs import PLAN, begin, stream

SECONDS = 60
BODY = {"messages": [{"role": "user", "content": "Hello, who are you?"}]}


def test_a_store_that_cannot_be_used_is_said_once(make_config: MakeConfig, tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_text("something else, " * 100)
    config = make_config(database=str(tmp_path / "chats.sqlite"))
    with pytest.raises(ConfigError, match=r"runs\.sqlite of run_store cannot be used"):
        serve_with_workers(config, 2, print)


def test_an_address_that_others_reach_needs_a_token(make_config: MakeConfig) -> None:
    config = make_config(run_store="redis://127.0.0.1/0", http_listen={"host": "0.0.0.0", "port": 0})
    with pytest.raises(ConfigError, match=r"set http_listen\.token"):
        serve_with_workers(config, 2, print)


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(make_config: MakeConfig, tmp_path: Path) -> None:
    make_config(database=str(tmp_path / "chats.sqlite"), planner="auto", http_listen={"port": 0})
    with server_process(tmp_path / "config.yaml", "--workers", "2") as (url, parent):
        first = psutil.Process(parent.pid).children()
        assert len(first) == 2
        for worker in first:
            worker.kill()
            worker.wait(SECONDS)
        # the address is still listened on, and the next process answers
        assert requests.post(f"{url}/hugginggpt", json=BODY, timeout=SECONDS).json()["message"]
        second = psutil.Process(parent.pid).children()
        assert second and not {worker.pid for worker in second} & {worker.pid for worker in first}
    _, alive = psutil.wait_procs(second, timeout=SECONDS)
    assert not alive


@pytest.mark.slow
def test_processes_whose_parent_is_killed_end(make_config: MakeConfig, tmp_path: Path) -> None:
    make_config(database=str(tmp_path / "chats.sqlite"), http_listen={"port": 0})
    with server_process(tmp_path / "config.yaml", "--workers", "2") as (_, parent):
        workers = psutil.Process(parent.pid).children()
        parent.kill()
        _, alive = psutil.wait_procs(workers, timeout=SECONDS)
        assert len(workers) == 2 and not alive


@pytest.mark.slow
def test_the_run_of_a_process_that_is_killed_is_gone_on_with(
    make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts, tmp_path: Path
) -> None:
    """Without a service: within ten seconds, and no finished task is repeated. The limit counts for all."""
    llm_server.replies["plan"] = json.dumps(PLAN)
    expert_server.always[CAPTIONS] = Fault(hang=True)
    make_config(
        database=str(tmp_path / "chats.sqlite"), embedded=False, stream_plan=False, http_listen={"port": 0, "max_runs": 1},
        local={"endpoint": llm_server.url}, huggingface={"base_url": expert_server.url},
    )  # fmt: skip
    experts = urlsplit(expert_server.url).port
    with server_process(tmp_path / "config.yaml", "--workers", "2") as (url, parent):
        mine = stream(begin(url, chat="new"))
        accepted = next(mine)["data"]
        seen = until(mine, "finished")
        until(mine, "started")
        for _ in range(4):  # whichever process answers
            refused = requests.post(f"{url}/v1/runs", json={"messages": BODY["messages"]}, timeout=SECONDS)
            assert refused.status_code == 429
        works = [
            worker
            for worker in psutil.Process(parent.pid).children()
            if any(one.raddr and one.raddr.port == experts for one in worker.net_connections())
        ]
        assert len(works) == 1
        expert_server.always.clear()
        works[0].kill()
        began = time.monotonic()
        last = {"Last-Event-ID": seen["id"]}
        events = stream(
            requests.get(f"{url}/v1/runs/{accepted['run_id']}/events", headers=last, stream=True, timeout=60)
        )
        until(events, "run")
        took = time.monotonic() - began
        assert list(events)[-1]["data"]["stop"] == "answered"
        assert sum(len(expert_server.inferences(model)) for model in DETECTORS) == 1
        assert len(llm_server.bodies("plan")) == 1
        (turn,) = requests.get(f"{url}/v1/chats/{accepted['chat']}", timeout=SECONDS).json()["turns"]
        assert (turn["status"], turn["run_id"]) == ("answered", accepted["run_id"])
    assert took < 10, f"{took:.1f} s"
