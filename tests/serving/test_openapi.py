"""The OpenAPI description of the model server against the running server: its routes, its answers, and schemathesis."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests
from pydantic import TypeAdapter

from hugginggpt.serving import answers, openapi
from hugginggpt.serving.app import create_app
from hugginggpt.testing.servers import Serving, serving
from tests.conftest import TABLE, MakeConfig


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return openapi.description(TABLE)


def test_every_route_is_described(make_config: MakeConfig, server: Serving, described: dict[str, Any]) -> None:
    app = create_app(make_config(device="cpu", log_file=None), server.model_registry, server.pool)
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.endpoint != "public_file"
    }
    assert routes == {(path, method) for path, about in described["paths"].items() for method in about}


def test_every_reference_leads_to_a_schema(described: dict[str, Any]) -> None:
    names = re.findall(r"#/components/schemas/(\w+)", str(described))
    assert set(names) == set(described["components"]["schemas"])


def test_it_needs_no_token(make_config: MakeConfig) -> None:
    guarded = make_config(device="cpu", log_file=None, local_inference_endpoint={"token": "very-long-token"})
    with serving(guarded) as server:
        assert requests.get(f"{server.url}/openapi.json", timeout=10).json()["openapi"] == "3.1.0"
        assert requests.get(f"{server.url}/models", timeout=10).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "body", "shape"),
    [
        ("GET", "/running", None, answers.Running),
        ("GET", "/healthz", None, answers.Health),
        ("GET", "/readyz", None, answers.Readiness),
        ("GET", "/models", None, answers.ModelList),
        ("GET", "/status/vader", None, answers.ModelStatus),
        ("GET", "/status/me/none", None, answers.NoModel),
        ("POST", "/models/vader/load", None, answers.ModelInfo),
        ("POST", "/models/vader/unload", None, answers.Unloaded),
        ("POST", "/models/me/none/download", None, answers.ErrorBody),
        ("POST", "/models/me/none", {"text": "x"}, answers.ErrorBody),
        ("GET", "/v1/models", None, answers.ServedModels),
        ("GET", "/v1/models/all-MiniLM-L6-v2", None, answers.ServedModel),
        ("GET", "/v1/models/me/none", None, answers.OpenAIError),
        ("POST", "/v1/embeddings", {"model": "all-MiniLM-L6-v2", "input": "a cat"}, answers.Embeddings),
    ],
)
def test_answers_have_the_shape_that_is_told(server: Serving, method: str, path: str, body: Any, shape: Any) -> None:
    answer = requests.request(method, server.url + path, json=body, timeout=30)
    TypeAdapter(shape).validate_json(answer.content)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_server_keeps_to_its_description(server: Serving, tmp_path: Path) -> None:
    """Generated requests, valid and not, for every route: no 5xx but those that are told, only known shapes."""
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json", "--url", server.url, "--seed", "7",
        "--max-examples", "25", "--phases", "examples,coverage,fuzzing", "--checks",
        "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        "--request-timeout", "20",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=tmp_path)
    assert "Tested: 17" in done.stdout, done.stdout
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-1000:]
