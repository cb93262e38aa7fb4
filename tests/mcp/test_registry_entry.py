"""server.json, the entry for the MCP registry, held to the schema that it names (2025-12-11)."""

from __future__ import annotations

import json
import re

from hugginggpt import __version__
from hugginggpt.common.paths import ROOT
from hugginggpt.config import ENVIRONMENT
from hugginggpt.terminal.cli import parser
from tests.test_package import PROJECT

ENTRY = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))


def test_its_fields() -> None:
    assert ENTRY["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert set(ENTRY) == {"$schema", "name", "title", "description", "version", "packages"}
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", ENTRY["name"]) and 3 <= len(ENTRY["name"]) <= 200
    assert 1 <= len(ENTRY["description"]) <= 100 and 1 <= len(ENTRY["title"]) <= 100
    assert ENTRY["version"] == __version__


def test_its_package_is_this_one() -> None:
    (package,) = ENTRY["packages"]
    assert package["registryType"] == "pypi" and package["identifier"] == PROJECT["name"]
    assert package["version"] == __version__ and package["transport"] == {"type": "stdio"}
    (source,) = package["runtimeArguments"]
    name, extras, version = re.fullmatch(r"(\w+)\[([\w,]+)\]==([\d.]+)", source["value"]).groups()  # type: ignore[union-attr]
    assert (name, version) == (PROJECT["name"], __version__)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]) and "mcp" in extras.split(",")
    given = [
        word for argument in package["packageArguments"] for word in (argument["name"], argument.get("value", "."))
    ]
    assert parser().parse_args(given).mode == "mcp"
    for variable in package["environmentVariables"]:
        assert variable["name"] in ENVIRONMENT and variable["isSecret"] and variable["description"]
