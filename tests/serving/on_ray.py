"""Ray for tests: pools on this machine and on simulated clusters, skipped where Ray is not installed."""

from __future__ import annotations

import gc
import importlib.util
import os
import secrets
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from hugginggpt.serving.commands import make_model_pool
from hugginggpt.serving.ray_pool import RayPool
from tests.serving import told_models

QUIET = pytest.mark.filterwarnings("ignore:::ray", "ignore::ResourceWarning", "ignore::FutureWarning")
"""Of Ray's own."""


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


def ray_pool(queue: int = 8, batch: int = 4, max_open: int = 16, memory: float = 0.001, **ray: Any) -> RayPool:
    """A pool whose replicas have `memory` in GB; `ray` are settings of models_server.ray."""
    own = {"engine": "ray", "queue": queue, "batch": batch, "ray": {"files_mb": 80, **ray}}
    config = settings.load({"models_server": own, "device": "cpu", "log_file": None}, {})
    pool = make_model_pool(config, memory)
    assert isinstance(pool, RayPool)
    pool.max_open = max_open
    pool.replica = replace(pool.replica, max_open=max_open)
    return pool


@contextmanager
def started(pool: RayPool) -> Iterator[RayPool]:
    try:
        pool.start()
        yield pool
    finally:
        pool.close()
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            gc.collect()  # what Ray leaves to it: processes that have ended


@contextmanager
def simulated_cluster(nodes: int) -> Iterator[list[Any]]:
    """A Ray cluster of processes on this machine, which `address: auto` finds; gives its nodes, the head first. Each has
    one CPU.
    """
    needs_ray()
    before = dict(os.environ)
    os.environ.update(RAY_AUTH_MODE="token", RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
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
