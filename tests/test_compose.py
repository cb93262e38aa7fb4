"""compose.yaml and the Dockerfile: what they name exists, and the settings in them are settings."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml

from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def interpolated(text: str) -> str:
    """The text as compose fills it in: `${NAME:?}` from .env, `$$` as a dollar sign."""
    return re.sub(r"\$\{(\w+)[^}]*\}", r"word-for-\1", text).replace("$$", "$")


def test_the_settings_of_the_controllers_are_settings(caplog: pytest.LogCaptureFixture) -> None:
    own = yaml.safe_load(interpolated(COMPOSE["configs"]["settings"]["content"]))
    environment = {
        key: interpolated(value) for key, value in COMPOSE["services"]["controller-1"]["environment"].items()
    }
    config = settings.load(own, environment)
    assert caplog.text == ""  # no unknown key
    assert config.store_urls == [
        "redis://:word-for-REDIS_PASSWORD@redis:6379/0",
        "postgresql://hugginggpt:word-for-POSTGRES_PASSWORD@postgres/hugginggpt",
        "s3://hugginggpt/public",
    ]
    hosts = {"redis", "postgres", config.local_inference_endpoint.url.split("/")[2].partition(":")[0], "s3"}
    assert hosts <= set(COMPOSE["services"])
    assert config.http_listen.token == "word-for-HUGGINGGPT_TOKEN"


def test_services_are_there_that_others_wait_for() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        assert {config["source"] for config in service.get("configs", ())} <= set(COMPOSE["configs"])
        assert {volume.partition(":")[0] for volume in service.get("volumes", ())} <= set(COMPOSE["volumes"])
    for name in ("controller-1:8004", "controller-2:8004"):
        assert name in COMPOSE["configs"]["proxy"]["content"] and name.partition(":")[0] in services


def test_the_images_install_extras_that_exist_and_no_torch_for_the_controller() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)$", text, re.MULTILINE)
    assert set(extras.split(",")) <= set(EXTRAS) - {"models", "all"}
    assert set(COMPOSE["services"]["models"]["build"]["args"]["EXTRAS"].split(",")) <= set(EXTRAS)
    assert re.search(r"^USER 10001$", text, re.MULTILINE) and "HEALTHCHECK" in text


def test_the_image_gets_what_the_package_is_built_from() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").split() if line.startswith("!")}
    needed = {path.partition("/")[0] for path in [*wheel["only-include"], *wheel["force-include"]]}
    assert needed | {"pyproject.toml", "README.md", "LICENSE", "NOTICE"} <= kept
