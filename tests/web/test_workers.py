"""Several server processes on one address: one that dies is replaced, all end together."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
import requests

from hugginggpt.core.errors import ConfigError
from hugginggpt.testing.servers import server_process
from hugginggpt.web.workers import serve_with_workers
from tests.conftest import MakeConfig

SECONDS = 60


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
def test_a_process_that_dies_is_replaced(make_config: MakeConfig, redis_url: str, tmp_path: Path) -> None:
    make_config(run_store=redis_url, planner="auto", http_listen={"port": 0})
    body = {"messages": [{"role": "user", "content": "Hello, who are you?"}]}
    with server_process(tmp_path / "config.yaml", "--workers", "2") as (url, parent):
        first = psutil.Process(parent.pid).children()
        assert len(first) == 2
        for worker in first:
            worker.kill()
            worker.wait(SECONDS)
        # the address is still listened on, and the next process answers
        assert requests.post(f"{url}/hugginggpt", json=body, timeout=SECONDS).json()["message"]
        second = psutil.Process(parent.pid).children()
        assert second and not {worker.pid for worker in second} & {worker.pid for worker in first}
    _, alive = psutil.wait_procs(second, timeout=SECONDS)
    assert not alive


@pytest.mark.slow
def test_processes_whose_parent_is_killed_end(make_config: MakeConfig, redis_url: str, tmp_path: Path) -> None:
    make_config(run_store=redis_url, http_listen={"port": 0})
    with server_process(tmp_path / "config.yaml", "--workers", "2") as (_, parent):
        workers = psutil.Process(parent.pid).children()
        parent.kill()
        _, alive = psutil.wait_procs(workers, timeout=SECONDS)
        assert len(workers) == 2 and not alive
