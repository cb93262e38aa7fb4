"""A Ray cluster of others: parts of a GPU, autoscaling of warm replicas, updates under load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hugginggpt.serving.app import create_app
from hugginggpt.serving.commands import make_model_registry
from hugginggpt.serving.model_registry import Entry
from hugginggpt.testing.servers import served
from tests.conftest import MakeConfig
from tests.serving.on_ray import QUIET, Clients, plugin_path, ray_pool, simulated_cluster, started
from tests.serving.told_models import TASK, write_model

pytestmark = [QUIET, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A node with two CPUs and, by its own account, a GPU."""
    with plugin_path(), simulated_cluster(1, num_cpus=2, num_gpus=1):
        yield


def told(folder: Path, name: str) -> Entry:
    return Entry(name, (TASK,), write_model(folder / name))


@pytest.mark.slow
def test_replicas_share_a_gpu(cluster: None) -> None:
    group = {"name": "halves", "replicas": 2, "cpus": 0.5, "memory": 12}
    with started(ray_pool(address="auto", device="auto", gpu_memory=24, groups=[group])) as pool:
        import ray

        assert pool.cluster.resources()["GPU"] == 1
        assert len(pool._states()) == 2
        assert ray.available_resources().get("GPU", 0) == 0
        assert {state.budget for state in pool._states()} == {12_000_000_000}


@pytest.mark.slow
def test_replicas_that_the_load_needs_are_warm(cluster: None, tmp_path: Path, make_config: MakeConfig) -> None:
    config = make_config(device="cpu", log_file=None)
    model_registry = make_model_registry(config)
    asked, warm = told(tmp_path, "asked"), told(tmp_path, "warm")
    model_registry.added[asked.id] = asked
    group = {"name": "all", "replicas": 1, "most_replicas": 2, "requests": 1, "cpus": 0.5}
    with (
        started(ray_pool(address="auto", queue=32, max_open=80, warm=[warm], groups=[group])) as pool,
        served(create_app(config, model_registry, pool)) as url,
    ):
        one = pool.status(warm.id)
        assert (one.state, one.uses) == ("loaded", 0)
        clients = Clients(f"{url}/models/{asked.id}", "pid 0.1")
        with clients.running(8):
            clients.until(replicas=2)
        states = [state.models[warm.id].state for state in pool._states()]
        assert states == ["loaded", "loaded"]
        assert pool.status(warm.id).uses == 0
    assert {status for status, _, _ in clients.answers} == {200}


@pytest.mark.slow
def test_no_request_is_lost_while_replicas_are_replaced(cluster: None, tmp_path: Path, make_config: MakeConfig) -> None:
    """By a server of another version, or with other settings."""
    config = make_config(device="cpu", log_file=None)
    model_registry = make_model_registry(config)
    asked = told(tmp_path, "asked")
    model_registry.added[asked.id] = asked
    pool = ray_pool(address="auto", queue=32, max_open=80, groups=[{"name": "all", "cpus": 0.5}])
    with started(pool), served(create_app(config, model_registry, pool)) as url:
        clients = Clients(f"{url}/models/{asked.id}")
        with clients.running(8):
            before = clients.until(replicas=1)
            (group,) = pool.settings.groups
            changed = pool._settings_of(group.model_copy(update={"memory": 0.002}), 0)
            pool.cluster.deploy(group, changed, 0)
            while before & {text for _, text, _ in clients.further(50)}:
                pass
        assert {state.budget for state in pool._states()} == {2_000_000}
    assert {status for status, _, _ in clients.answers} == {200}
