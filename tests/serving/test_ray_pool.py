"""Experts on Ray: its settings, lost replicas and nodes, and the program."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import requests

from hugginggpt import config as settings
from hugginggpt.config.ray import ReplicaGroup
from hugginggpt.core.errors import BackendError, ConfigError, ExpertUnavailable
from hugginggpt.serving.app import create_app
from hugginggpt.serving.commands import make_model_pool, make_model_registry
from hugginggpt.serving.model_pool import Busy
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.pool import Pool
from hugginggpt.serving.ray_cluster import gpu_share
from hugginggpt.serving.ray_messages import Failure
from hugginggpt.testing.servers import served
from tests.conftest import MakeConfig
from tests.serving.on_ray import QUIET, Clients, kill_node, needs_ray, plugin_path, ray_pool, simulated_cluster, started
from tests.serving.told_models import TASK, write_model

pytestmark = [QUIET, pytest.mark.alone, pytest.mark.timeout(300)]
MOST_SECONDS = 10.0

# Settings


def test_the_embedded_pool_is_the_default_and_takes_no_ray(make_config: MakeConfig) -> None:
    config = make_config(device="cpu")
    assert config.models_server.engine == "embedded"
    assert isinstance(make_model_pool(config, 1.0), Pool)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    with pytest.raises(ConfigError, match=r'needs the package ray: pip install -e "\.\[ray\]"'):
        ray_pool().start()


@pytest.mark.parametrize(
    ("ray", "said"),
    [
        ({"address": "10.0.0.1:6379"}, r"ray.address: input should be local, auto, or ray://HOST:10001"),
        ({"groups": []}, r"ray.groups: list should have at least 1 item"),
        ({"groups": [{"name": "a", "replicas": 3, "most_replicas": 2}]}, "most_replicas should not be less than replicas"),
        ({"groups": [{"name": "a", "replica": 3}]}, "replica: extra inputs are not permitted.*did you mean replicas"),
    ],
)  # fmt: skip
def test_wrong_settings(ray: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        settings.load({"models_server": {"engine": "ray", "ray": ray}}, {})


def test_the_token_is_a_secret(make_config: MakeConfig) -> None:
    config = make_config(models_server={"ray": {"token": "of-the-whole-cluster"}})
    assert "of-the-whole-cluster" not in repr(config)
    assert config.secrets.mask("it is of-the-whole-cluster") == "it is ***"


def test_a_model_is_in_the_first_group_that_names_it() -> None:
    groups = [
        {"name": "speech", "models": ["openai/whisper-*", "piper-joe"]},
        {"name": "texts", "models": ["*/bart-*"]},
    ]
    pool = ray_pool(groups=groups)
    assert [pool._group(model).name for model in ("piper-joe", "openai/whisper-base", "facebook/bart-large-cnn")] == [
        "speech", "speech", "texts",
    ]  # fmt: skip
    with pytest.raises(ExpertUnavailable, match="vader is in no group"):
        pool._group("vader")


@pytest.mark.parametrize(
    ("memory", "gpu_memory", "has_gpus", "share"),
    [(None, None, True, 1), (20, None, True, 1), (20, 80, True, 0.25), (1, 80, True, 0.02), (80, 80, True, 1), (20, 80, False, 0)],
)  # fmt: skip
def test_the_part_of_a_gpu_that_holds_a_replica(
    memory: float | None, gpu_memory: float | None, has_gpus: bool, share: float
) -> None:
    assert gpu_share(ReplicaGroup(name="a", memory=memory), gpu_memory, has_gpus) == share


def test_a_replica_is_not_larger_than_a_gpu() -> None:
    with pytest.raises(ConfigError, match="the replicas of a have 90 GB, more than the 80 GB of a GPU"):
        gpu_share(ReplicaGroup(name="a", memory=90), 80, True)


def test_replicas_share_the_memory_and_have_the_models_that_are_to_be_warm() -> None:
    groups = [{"name": "a", "models": ["a"], "replicas": 2, "most_replicas": 3}, {"name": "b", "memory": 2}]
    warm = [Entry("a", (TASK,), Path("/a")), Entry("x", (TASK,), Path("/x"))]
    config = settings.load({"models_server": {"engine": "ray", "ray": {"groups": groups}}, "log_file": None}, {})
    pool = make_model_pool(config, None, warm)
    of_a, of_b = (pool._settings_of(group, 0) for group in pool.settings.groups)  # type: ignore[attr-defined]
    assert ([entry.id for entry in of_a.warm], [entry.id for entry in of_b.warm]) == (["a"], ["x"])
    assert (of_a.memory, of_b.memory, of_a.share_of_free, of_a.device) == (None, 2_000_000_000, 0.2, "cpu")
    assert of_a.version != of_b.version


def test_before_it_has_started_it_is_busy() -> None:
    with pytest.raises(Busy, match="being started"):
        ray_pool().submit(Entry("vader", (TASK,)), TASK, {})


def test_an_error_travels_whatever_it_is_made_of() -> None:
    class Odd(BackendError):
        def __init__(self, one: str, two: str) -> None:
            super().__init__(f"{one} and {two}", status=418)

    made = Failure.of(Odd("this", "that")).as_error()
    assert (type(made), str(made), made.status) == (Odd, "this and that", 418)  # type: ignore[attr-defined]


# Lost replicas and nodes


@pytest.fixture
def two_nodes() -> Iterator[list[object]]:
    with plugin_path(), simulated_cluster(2) as nodes:
        yield nodes


@pytest.mark.slow
def test_no_request_is_lost_with_a_replica_or_a_node(
    two_nodes: list[object], tmp_path: Path, make_config: MakeConfig
) -> None:
    config = make_config(device="cpu", log_file=None)
    model_registry = make_model_registry(config)
    model = model_registry.add(f"{write_model(tmp_path / 'told')}:{TASK}").id
    group = {"name": "all", "replicas": 2}
    with (
        started(ray_pool(address="auto", queue=32, max_open=80, groups=[group])) as pool,
        served(create_app(config, model_registry, pool)) as url,
    ):
        clients = Clients(f"{url}/models/{model}")
        with clients.running(8):
            first = clients.until(replicas=2)
            killed = sorted(first)[0]
            os.kill(int(killed), signal.SIGKILL)
            clients.further(50)
            again = clients.until(replicas=2)
            assert killed not in again
            kill_node(two_nodes[1])
            clients.further(200)
        left = {text for _, text, _ in clients.answers[-50:]}
    assert len(left) == 1 and left < again  # the replica of the head node
    assert {status for status, _, _ in clients.answers} == {200}
    assert max(seconds for _, _, seconds in clients.answers) < MOST_SECONDS
    print(f"{len(clients.answers)} answers, the longest after {max(s for _, _, s in clients.answers):.1f} s")


# The program


@pytest.mark.slow
def test_the_program_with_ray(tmp_path: Path, make_config: MakeConfig) -> None:
    from tests.serving.test_models_server import program

    needs_ray()
    make_config(device="cpu", log_file=None, models_server={"engine": "ray", "ray": {"files_mb": 80}})
    with program(tmp_path / "config.yaml", "--preload", "vader") as (url, server):
        ray = psutil.Process(server.pid).children(recursive=True)
        assert requests.get(f"{url}/readyz", timeout=10).status_code == 200
        answer = requests.post(f"{url}/models/vader", json={"text": "I love it"}, timeout=60)
        assert answer.json()[0]["label"] == "POSITIVE"
        assert len(ray) >= 5
        server.send_signal(signal.SIGTERM)
        _, err = server.communicate(timeout=60)
    assert server.returncode == 0, err
    _, alive = psutil.wait_procs(ray, timeout=20)
    assert not alive
