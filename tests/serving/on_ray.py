"""Ray for tests: pools on this machine and on simulated clusters, skipped where Ray is not installed."""

from __future__ import annotations

import gc
import importlib.util
import os
import secrets
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from hugginggpt.serving.commands import make_model_pool
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.ray_cluster import START_SECONDS
from hugginggpt.serving.ray_pool import RayPool
from tests.serving import told_models

QUIET = pytest.mark.filterwarnings(
    "ignore:::ray", "ignore::ResourceWarning", "ignore::FutureWarning",
    "ignore:Exception in thread ray_client:pytest.PytestUnhandledThreadExceptionWarning",
)  # fmt: skip
"""Of Ray's own. Its client ends with an error in its thread where Ray Serve has given up a question for the length of a
queue: it tells that one, too, that the connection ends, and a cancelled future takes no answer.
"""


def needs_ray() -> None:
    """It is not imported here: it reads its environment when it is."""
    if not importlib.util.find_spec("ray") and not os.environ.get("REQUIRE_RAY"):
        pytest.skip("Ray is not installed: make test-slow installs it")


@contextmanager
def plugin_path() -> Iterator[None]:
    """Processes that are started meanwhile have the models of `told_models`."""
    before = os.environ.get("PYTHONPATH")
    with tempfile.TemporaryDirectory() as folder:
        told_models.write_plugin(Path(folder))
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, str(ROOT), *([before] if before else [])])
        try:
            yield
        finally:
            os.environ.pop("PYTHONPATH")
            if before is not None:
                os.environ["PYTHONPATH"] = before


def ray_pool(
    queue: int = 8,
    batch: int = 4,
    max_open: int = 16,
    memory: float = 0.001,
    device: str = "cpu",
    warm: Sequence[Entry] = (),
    **ray: Any,
) -> RayPool:
    """A pool whose replicas have `memory` in GB; `ray` are settings of models_server.ray."""
    own = {"engine": "ray", "queue": queue, "batch": batch, "ray": {"files_mb": 80, **ray}}
    config = settings.load({"models_server": own, "device": device, "log_file": None}, {})
    pool = make_model_pool(config, memory, warm)
    assert isinstance(pool, RayPool)
    pool.max_open = max_open
    pool.replica = replace(pool.replica, max_open=max_open)
    return pool


@contextmanager
def started(pool: RayPool) -> Iterator[RayPool]:
    """The pool, while its replicas run, in a cluster, too, which is empty afterwards."""
    try:
        pool.start()
        yield pool
        if not pool.cluster.is_local:
            from ray import serve

            serve.shutdown()
    finally:
        pool.close()
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            gc.collect()  # what Ray leaves to it: processes that have ended


@contextmanager
def simulated_cluster(nodes: int, **head: Any) -> Iterator[list[Any]]:
    """A Ray cluster of processes on this machine, which `address: auto` finds; gives its nodes, the head first. Each has
    one CPU; `head` are further arguments of the first.
    """
    needs_ray()
    before = dict(os.environ)
    os.environ.update(RAY_AUTH_MODE="token", RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
    os.environ.update(
        RAY_raylet_start_wait_time_s=str(START_SECONDS), RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S=str(START_SECONDS)
    )
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False, **head})
    try:
        further = [cluster.add_node(**small) for _ in range(nodes - 1)]
        os.environ["RAY_ADDRESS"] = cluster.address
        yield [cluster.head_node, *further]
    finally:
        cluster.shutdown()
        for name in ("RAY_ADDRESS", *(key for key in os.environ if key not in before)):
            os.environ.pop(name, None)
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            gc.collect()


def kill_node(node: Any) -> None:
    """Ends all processes of a node at once, as when its machine fails."""
    node.kill_all_processes(check_alive=False, allow_graceful=False)


@dataclass
class Clients:
    """Clients that ask without a pause; `answers` are the status, the text and the seconds of each request."""

    url: str
    text: str = "pid 0.02"
    answers: list[tuple[int, str, float]] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    is_over: bool = False

    def run(self) -> None:
        with requests.Session() as session:
            while not self.is_over:
                began = time.monotonic()
                try:
                    answer = session.post(self.url, json={"text": self.text}, timeout=60)
                    status, text = answer.status_code, str(answer.json().get("generated text"))
                except requests.RequestException as error:
                    status, text = 0, str(error)
                with self.changed:
                    self.answers.append((status, text, time.monotonic() - began))
                    self.changed.notify_all()

    @contextmanager
    def running(self, count: int) -> Iterator[None]:
        """So many of them, until the block ends."""
        with ThreadPoolExecutor(count) as threads:
            asking = [threads.submit(self.run) for _ in range(count)]
            try:
                yield
            finally:
                self.is_over = True
            for one in asking:
                one.result(60)

    def further(self, count: int) -> list[tuple[int, str, float]]:
        """So many further answers."""
        with self.changed:
            start = len(self.answers)
            assert self.changed.wait_for(lambda: len(self.answers) >= start + count, 60)
            return self.answers[start:]

    def until(self, replicas: int) -> set[str]:
        """Waits until so many replicas answer; gives the texts by which they differ."""
        for _ in range(200):
            seen = {text for _, text, _ in self.further(30)}
            if len(seen) >= replicas:
                return seen
        raise AssertionError(f"fewer than {replicas} replicas answer")
