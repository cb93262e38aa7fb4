"""The files of containers and clusters by their linters and schemas, and what they have in common with the project."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from hugginggpt.config.ray import RayServe

RAY = ROOT / "deploy" / "ray"
DOCKERFILES = (ROOT / "Dockerfile", RAY / "Dockerfile")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all((RAY / "kuberay.yaml").read_text(encoding="utf-8")))
CLUSTER: dict[str, Any] = yaml.safe_load((RAY / "cluster.yaml").read_text(encoding="utf-8"))


def found(kind: str) -> dict[str, Any]:
    return next(document for document in OBJECTS if document["kind"] == kind)


@cache
def serve_file() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(found("RayService")["spec"]["serveConfigV2"])
    return content


def needed(package: str) -> Path:
    """The folder of a package of the extra `lint`, or of Ray."""
    spec = importlib.util.find_spec(package)
    if not (spec and spec.origin):
        if os.environ.get("REQUIRE_LINTERS"):
            pytest.fail(f"{package} is not installed")
        pytest.skip(f"{package} is not installed: make check installs it")
    return Path(spec.origin).parent


def pods() -> list[dict[str, Any]]:
    """The templates of the cluster's pods, as pods."""
    cluster = found("RayService")["spec"]["rayClusterConfig"]
    templates = [group["template"] for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"])]
    return [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, **template} for template in templates]


# Linters and schemas


@pytest.mark.slow
@pytest.mark.parametrize("file", DOCKERFILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_hadolint_has_nothing_to_say(file: Path) -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        if os.environ.get("REQUIRE_LINTERS"):
            pytest.fail("hadolint is not installed")
        pytest.skip("hadolint is not installed: make check installs it")
    said = subprocess.run([str(hadolint), "--no-color", str(file)], capture_output=True, text=True, timeout=60)
    assert (said.returncode, said.stdout) == (0, "")


@pytest.mark.slow
def test_compose_yaml_is_of_the_schema_of_compose() -> None:
    import jsonschema

    schema = needed("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    jsonschema.validate(compose, json.loads(schema.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_what_kubernetes_is_given_is_of_its_schemas() -> None:
    needed("kubernetes_validate")
    import kubernetes_validate

    version = kubernetes_validate.latest_version()
    for document in [*(document for document in OBJECTS if document["kind"] != "RayService"), *pods()]:
        kubernetes_validate.validate(document, version, strict=True)


def test_the_ray_service_has_the_fields_of_kuberay() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "tests" / "kuberay_schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(found("RayService"), schema)
    misspelt = json.loads(json.dumps(found("RayService")).replace("rayStartParams", "rayStartParameters"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(misspelt, schema)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray's own
def test_the_files_that_ray_reads_are_of_its_schemas() -> None:
    import jsonschema

    schema = needed("ray") / "autoscaler" / "ray-schema.json"
    jsonschema.validate(CLUSTER, json.loads(schema.read_text(encoding="utf-8")))
    from ray.serve.schema import ServeDeploySchema

    names = [application.name for application in ServeDeploySchema.model_validate(serve_file()).applications]
    assert names == ["hugginggpt-speech", "hugginggpt-others"]


# What they have in common with the project


def test_ray_is_of_one_version_everywhere() -> None:
    (version,) = re.findall(r"^FROM rayproject/ray:([\d.]+)-", (RAY / "Dockerfile").read_text(encoding="utf-8"), re.M)
    assert EXTRAS["ray"] == [f"ray[serve]=={version}"]
    assert found("RayService")["spec"]["rayClusterConfig"]["rayVersion"] == version
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)$", (RAY / "Dockerfile").read_text(encoding="utf-8"), re.M)
    assert set(extras.split(",")) <= set(EXTRAS)


def ray_settings(own: dict[str, Any], caplog: pytest.LogCaptureFixture) -> RayServe:
    config = settings.load(own, {"MODELS_TOKEN": "a-token-of-ours"})
    assert caplog.text == ""  # no unknown key
    assert config.models_server.engine == "ray"
    assert config.local_inference_endpoint.token == "a-token-of-ours"
    return config.models_server.ray


def test_the_settings_for_kubernetes(caplog: pytest.LogCaptureFixture) -> None:
    own = ray_settings(yaml.safe_load(found("ConfigMap")["data"]["config.yaml"]), caplog)
    assert own.address == f"ray://{found('RayService')['metadata']['name']}-head-svc:10001"
    assert not own.deploy
    assert [f"hugginggpt-{group.name}" for group in own.groups] == [
        each["name"] for each in serve_file()["applications"]
    ]
    for application, group in zip(serve_file()["applications"], own.groups, strict=True):
        assert application["args"]["group"] == group.name
    secret = found("RayService")["spec"]["rayClusterConfig"]["authOptions"]["secretName"]
    (container,) = found("Deployment")["spec"]["template"]["spec"]["containers"]
    from_secret = {each["name"]: each["valueFrom"]["secretKeyRef"] for each in container["env"]}
    assert from_secret["RAY_AUTH_TOKEN"] == {"name": secret, "key": "auth_token"}
    paths = {
        mount["mountPath"] for pod in pods() for each in pod["spec"]["containers"] for mount in each["volumeMounts"]
    }
    assert str(Path(serve_file()["applications"][0]["args"]["config"]).parent) in paths


def test_the_settings_for_a_cluster_of_machines(caplog: pytest.LogCaptureFixture) -> None:
    own = ray_settings(yaml.safe_load((RAY / "models_server.yaml").read_text(encoding="utf-8")), caplog)
    assert own.address == "auto"
    for source in CLUSTER["file_mounts"].values():
        assert source.startswith("~") or (ROOT / source).exists()
    for command in (CLUSTER["head_start_ray_commands"][1], CLUSTER["worker_start_ray_commands"][1]):
        assert "RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0" in command
    assert "--include-dashboard=false" in CLUSTER["head_start_ray_commands"][1]
