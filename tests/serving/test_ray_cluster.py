"""A Ray cluster of others: parts of a GPU, autoscaling of warm replicas, updates under load, applications that KubeRay starts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import ConfigError
from hugginggpt.serving import ray_application
from hugginggpt.serving.app import create_app
from hugginggpt.serving.commands import make_model_registry
from hugginggpt.serving.model_registry import Entry
from hugginggpt.testing.servers import served
from hugginggpt.testing.services import free_port
from tests.conftest import MakeConfig
from tests.serving.on_ray import QUIET, Clients, plugin_path, ray_pool, simulated_cluster, started
from tests.serving.told_models import TASK, write_model

pytestmark = [QUIET, pytest.mark.alone, pytest.mark.timeout(300)]
SERVE_FILE: dict[str, Any] = yaml.safe_load(
    next(
        document["spec"]["serveConfigV2"]
        for document in yaml.safe_load_all((ROOT / "deploy" / "ray" / "kuberay.yaml").read_text(encoding="utf-8"))
        if document["kind"] == "RayService"
    )
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A node with two CPUs and, by its own account, a GPU; gives its address for other machines."""
    port = free_port()
    with plugin_path(), simulated_cluster(1, num_cpus=2, num_gpus=1, ray_client_server_port=port):
        yield f"ray://127.0.0.1:{port}"


def told(folder: Path, name: str) -> Entry:
    return Entry(name, (TASK,), write_model(folder / name))


@pytest.mark.slow
def test_replicas_share_a_gpu(cluster: str) -> None:
    group = {"name": "halves", "replicas": 2, "cpus": 0.5, "memory": 12}
    with started(ray_pool(address="auto", device="auto", gpu_memory=24, groups=[group])) as pool:
        import ray

        assert pool.cluster.resources()["GPU"] == 1
        assert len(pool._states()) == 2
        assert ray.available_resources().get("GPU", 0) == 0
        assert {state.budget for state in pool._states()} == {12_000_000_000}


@pytest.mark.slow
def test_replicas_that_the_load_needs_are_warm(cluster: str, tmp_path: Path, make_config: MakeConfig) -> None:
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
def test_no_request_is_lost_while_replicas_are_replaced(cluster: str, tmp_path: Path, make_config: MakeConfig) -> None:
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


@pytest.mark.slow
def test_the_applications_of_a_file_behind_a_server_on_another_machine(cluster: str, tmp_path: Path) -> None:
    """The file is that of deploy/ray/kuberay.yaml with other models; KubeRay gives it to Ray Serve in the same way."""
    groups = [{"name": "speech", "models": ["speech"], "cpus": 0.5}, {"name": "others", "cpus": 0.5}]
    own = {"device": "cpu", "log_file": None, "models_server": {"engine": "ray", "memory": 0.001, "ray": {
        "address": cluster, "groups": groups}}}  # fmt: skip
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(own))
    folder = str(write_model(tmp_path / "warm"))
    for application in SERVE_FILE["applications"]:
        application["args"] |= {"config": str(tmp_path / "config.yaml"), "preload": [f"{folder}:{TASK}"]}
    (tmp_path / "serve.yaml").write_text(yaml.safe_dump(SERVE_FILE))
    serve = [str(Path(sys.executable).with_name("serve")), "run", "--non-blocking", str(tmp_path / "serve.yaml")]
    subprocess.run(serve, check=True, capture_output=True, timeout=200)
    with started(ray_pool(address=cluster, deploy=False, groups=groups)) as pool:
        asked = [pool.submit(told(tmp_path, name), TASK, {"text": name}) for name in ("speech", "x")]
        assert [one.result(200) for one in asked] == ["speech", "x"]
        assert sorted(model for state in pool._states() for model in state.models) == [
            "speech",
            "warm",
            "x",
        ]  # of its group alone


def test_what_such_a_file_may_say(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("models_server: {engine: ray}\n")
    config = str(tmp_path / "config.yaml")
    for args, said in [
        ({"config": config}, r"args.group: field required"),
        ({"config": config, "group": "all", "replica": 2}, "args.replica: extra inputs are not permitted"),
        ({"config": {}, "group": "all"}, "the settings: models_server.engine is not ray"),
        ({"config": config, "group": "speech"}, "There is no group speech in models_server.ray.groups"),
    ]:
        with pytest.raises(ConfigError, match=said):
            ray_application.build(args)
