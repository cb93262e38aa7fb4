"""The files of containers and clusters by their linters and schemas, and what they have in common with the project."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
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
CLUSTER: dict[str, Any] = yaml.safe_load((RAY / "cluster.yaml").read_text(encoding="utf-8"))


def needed(package: str) -> Path:
    """The folder of a package of the extra `lint`, or of Ray."""
    spec = importlib.util.find_spec(package)
    if not (spec and spec.origin):
        if os.environ.get("REQUIRE_LINTERS"):
            pytest.fail(f"{package} is not installed")
        pytest.skip(f"{package} is not installed: make check installs it")
    return Path(spec.origin).parent


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
def test_the_file_that_ray_up_reads_is_of_its_schema() -> None:
    import jsonschema

    schema = needed("ray") / "autoscaler" / "ray-schema.json"
    jsonschema.validate(CLUSTER, json.loads(schema.read_text(encoding="utf-8")))


# What they have in common with the project


def test_ray_is_of_one_version_everywhere() -> None:
    (version,) = re.findall(r"^FROM rayproject/ray:([\d.]+)-", (RAY / "Dockerfile").read_text(encoding="utf-8"), re.M)
    assert EXTRAS["ray"] == [f"ray[serve]=={version}"]
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)$", (RAY / "Dockerfile").read_text(encoding="utf-8"), re.M)
    assert set(extras.split(",")) <= set(EXTRAS)


def ray_settings(own: dict[str, Any], caplog: pytest.LogCaptureFixture) -> RayServe:
    config = settings.load(own, {"MODELS_TOKEN": "a-token-of-ours"})
    assert caplog.text == ""  # no unknown key
    assert config.models_server.engine == "ray"
    assert config.local_inference_endpoint.token == "a-token-of-ours"
    return config.models_server.ray


def test_the_settings_for_a_cluster_of_machines(caplog: pytest.LogCaptureFixture) -> None:
    own = ray_settings(yaml.safe_load((RAY / "models_server.yaml").read_text(encoding="utf-8")), caplog)
    assert own.address == "auto"
    for source in CLUSTER["file_mounts"].values():
        assert source.startswith("~") or (ROOT / source).exists()
    for command in (CLUSTER["head_start_ray_commands"][1], CLUSTER["worker_start_ray_commands"][1]):
        assert "RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0" in command
    assert "--include-dashboard=false" in CLUSTER["head_start_ray_commands"][1]
