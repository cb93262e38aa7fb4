"""Settings: defaults, JARVIS's files, the environment, mistakes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from hugginggpt import config as settings
from hugginggpt.core.errors import ConfigError


def load(tmp_path: Path, text: str = "", environment: dict[str, str] | None = None, **changes: Any) -> settings.Config:
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return settings.load(file, environment or {}, **changes)


def test_without_anything_it_is_offline() -> None:
    config = settings.load(environment={})
    assert config.llm_name == "offline"
    assert config.http_listen.host == "127.0.0.1"


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"OPENAI_API_KEY": "sk-1"}, "openai"),
        ({"OPENAI_API_KEY": "sk-1", "HF_TOKEN": "hf_1"}, "openai"),
        ({"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://x", "AZURE_OPENAI_DEPLOYMENT": "d"}, "azure"),
        ({"HF_TOKEN": "hf_1"}, "huggingface"),
        ({"HUGGINGFACE_ACCESS_TOKEN": "hf_1"}, "huggingface"),
        ({"OPENAI_API_KEY": "", "HF_TOKEN": ""}, "offline"),
    ],
)
def test_the_first_service_that_is_set_up_is_used(tmp_path: Path, environment: dict[str, str], name: str) -> None:
    assert load(tmp_path, environment=environment).llm_name == name


def test_a_local_endpoint_comes_before_hugging_face_and_with_dev_before_all(tmp_path: Path) -> None:
    local = "local: {endpoint: 'http://localhost:11434'}\n"
    keys = {"OPENAI_API_KEY": "sk-1", "HF_TOKEN": "hf_1"}
    assert load(tmp_path, local, {"HF_TOKEN": "hf_1"}).llm_name == "local"
    assert load(tmp_path, local, keys).llm_name == "openai"
    assert load(tmp_path, local + "dev: true\n", keys).llm_name == "local"


def test_llm_overrides_and_may_name_a_model(tmp_path: Path) -> None:
    config = load(tmp_path, environment={"OPENAI_API_KEY": "sk-1"}, llm="openai:gpt-9")
    assert (config.llm_name, config.llm_model) == ("openai", "gpt-9")
    assert load(tmp_path, environment={"OPENAI_API_KEY": "sk-1"}, llm="offline").llm_name == "offline"


@pytest.mark.parametrize(
    ("llm", "said"),
    [("openai", "OPENAI_API_KEY"), ("azure", "AZURE_OPENAI"), ("local", "local.endpoint"), ("gpt", "choose")],
)
def test_a_service_that_is_not_set_up_says_what_it_needs(tmp_path: Path, llm: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(tmp_path, llm=llm)


JARVIS_CONFIG = """
openai:
  api_key: REPLACE_WITH_YOUR_OPENAI_API_KEY_HERE
huggingface:
  token: REPLACE_WITH_YOUR_HUGGINGFACE_TOKEN_HERE
dev: false
debug: false
log_file: logs/debug.log
model: text-davinci-003
use_completion: true
inference_mode: hybrid
local_deployment: full
device: cuda:0
num_candidate_models: 5
max_description_length: 100
proxy:
http_listen:
  host: 0.0.0.0
  port: 8004
local_inference_endpoint:
  host: localhost
  port: 8005
logit_bias:
  parse_task: 0.1
  choose_model: 5
tprompt:
  parse_task: >-
    #1 Task Planning Stage: ...
  choose_model: >-
    #2 Model Selection Stage: ...
  response_results: >-
    #4 Response Generation Stage: ...
demos_or_presteps:
  parse_task: demos/parse_task.json
  choose_model: demos/choose_model.json
  response_results: demos/response_results.json
prompt:
  parse_task: The chat log [ {{context}} ]. Now I input { {{input}} }.
  choose_model: Choose from {{metas}} for {{task}}.
  response_results: Please answer.
"""


def test_an_old_jarvis_config_loads(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "hugginggpt"):
        config = load(tmp_path, JARVIS_CONFIG)
    assert not caplog.records
    assert (config.model, config.use_completion, config.logit_bias.choose_model) == ("text-davinci-003", True, 5)
    assert config.llm_name == "offline"  # placeholders are no keys
    assert config.tprompt.parse_task.startswith("#1")


def test_every_default_key_is_checked_and_every_checked_key_has_a_default() -> None:
    default = yaml.safe_load(settings.DEFAULT_CONFIG.read_text(encoding="utf-8"))

    def keys(model: Any) -> dict[str, Any]:
        return {
            field.alias or name: keys(field.annotation)
            if isinstance(field.annotation, type) and issubclass(field.annotation, settings.Section)
            else {}
            for name, field in model.model_fields.items()
            if name not in ("token_from_environment", "source")
        }

    def sections(value: Any) -> Any:
        return {**value, "deployments": dict.fromkeys(value["deployments"])}

    def shape(value: Any) -> dict[str, Any]:
        return {key: shape(inner) for key, inner in value.items()} if isinstance(value, dict) else {}

    assert keys(settings.Config) == shape(sections(default))


def test_an_unknown_key_is_a_warning_with_the_nearest(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "hugginggpt"):
        load(tmp_path, "num_candidate_model: 3\nhttp_listen: {prot: 80}\n")
    said = [record.getMessage() for record in caplog.records]
    assert any("num_candidate_model is ignored; did you mean num_candidate_models?" in text for text in said)
    assert any("http_listen.prot is ignored; did you mean http_listen.port?" in text for text in said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http_listen: {port: abc}", r"config.yaml: http_listen.port: input should be a valid integer.*'abc'"),
        ("debug: 3", r"config.yaml: debug: input should be a valid boolean"),
        ("inference_mode: cloud", r"inference_mode: input should be 'local', 'huggingface' or 'hybrid'"),
        ("limits: {max_tasks: 0}", r"limits.max_tasks: input should be greater than or equal to 1"),
        ("limits: 3", r"limits: should be a section with settings"),
        ("openai: {api_key: 12345678}", r"openai.api_key: input should be a valid string\.$"),  # keys are not shown
        ("http_listen: {token: short}", r"http_listen.token: input should have at least 8 characters\.$"),
        ("http_listen: {token: pässwort}", r"http_listen.token: input should be printable ASCII .* around them\.$"),
        (
            "http_listen: {token: ' token-no-1'}",
            r"http_listen.token: input should be printable ASCII .* around them\.$",
        ),
        ("openai: {api_key: 'sk-1\n\n  x'}", r"openai.api_key: input should be printable ASCII .* around them\.$"),
        ("http_listen: {hosts: ['http://desk']}", r"http_listen.hosts.0: input should be a host's name.*'http://desk'"),
        ("http_listen: {hosts: ['desk:8004']}", r"http_listen.hosts.0: input should be a host's name.*'desk:8004'"),
        ("- a\n- b", "should hold `key: value` lines"),
        ("a: [", "is not valid YAML"),
        ("log_file: 2026-99-99", "is not valid YAML: month must be"),
    ],
)
def test_a_wrong_value_names_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(tmp_path, text)


KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize("loader", [settings._SAFE, yaml.SafeLoader], ids=["C", "Python"])
@pytest.mark.parametrize(
    "text",
    ["openai: KEY", "openai: [KEY]", "openai:\n  api_key:KEY", "openai: {api_key:KEY, api_key: 1}", "openai: {KEY, api_key: 1}",
     "openai: {api_key: {KEY: 1}}", "openai: {api_key: KEY", "openai: {api_key: *KEY }", "openai: {api_key: !KEY x}",
     "http_listen: {origins: {token: KEY}}", "http_listen: {port: KEY}", "debug: KEY", "llm: KEY",
     "openai: {sk-abcdefgh1: 1, api_key: 1}", "sk-abcdefgh1-x: 1\nopenai: {api_key: 1}"],
)  # fmt: skip
def test_a_key_in_the_wrong_place_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str, loader: Any
) -> None:
    monkeypatch.setattr(settings, "_SAFE", loader)
    with pytest.raises(ConfigError) as told, caplog.at_level(logging.WARNING, "hugginggpt"):
        load(tmp_path, text.replace("KEY", KEY))
    assert "abcdefgh" not in str(told.value) + caplog.text


def test_no_wrong_section_is_shown_however_short(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"http_listen: should be a section with settings[^(]*$"):
        load(tmp_path, "http_listen: token-no-1")


def numbers(model: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The keys of all settings that are numbers."""
    for name, field in model.model_fields.items():
        kinds = {field.annotation, *get_args(field.annotation)}
        if {int, float} & {origin for kind in kinds for origin in (kind, getattr(kind, "__origin__", None))}:
            yield *path, name
        elif isinstance(field.annotation, type) and issubclass(field.annotation, settings.Section):
            yield from numbers(field.annotation, (*path, name))


@pytest.mark.parametrize("key", [".".join(path) for path in numbers(settings.Config)])
def test_every_number_is_finite_and_bounded(tmp_path: Path, key: str) -> None:
    """The timers of the system and slices take no larger ones, and each run would end with a traceback."""
    for number in (float("inf"), float("nan"), -float("inf"), 1e12, 10**30, -(10**30)):
        setting: Any = number
        for name in reversed(key.split(".")):
            setting = {name: setting}
        with pytest.raises(ConfigError, match=f"config.yaml: {key}: input should be [^\n]*$"):
            load(tmp_path, yaml.safe_dump(setting))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Cannot read"):
        settings.load(tmp_path / "none.yaml", {})


def test_a_key_in_the_file_wins_over_the_environment(tmp_path: Path) -> None:
    config = load(
        tmp_path, "openai: {api_key: sk-file}", {"OPENAI_API_KEY": "sk-env", "OPENAI_BASE_URL": "http://x/v1"}
    )
    assert (config.openai.api_key, config.openai.base_url) == ("sk-file", "http://x/v1")


def test_a_token_of_the_environment_is_not_for_a_gateway(tmp_path: Path) -> None:
    gateway = "huggingface: {base_url: 'http://127.0.0.1:1'}"
    assert load(tmp_path, gateway, {"HF_TOKEN": "hf_env"}).hub_token is None
    assert load(tmp_path, gateway[:-1] + ", token: hf_own}").hub_token == "hf_own"
    assert load(tmp_path, "", {"HF_TOKEN": "hf_env"}).hub_token == "hf_env"


def test_secrets_are_known() -> None:
    config = settings.load(environment={"OPENAI_API_KEY": "sk-1", "HF_TOKEN": "hf_1"})
    assert set(config.secrets) == {"sk-1", "hf_1"}
