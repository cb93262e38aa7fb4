"""Settings: `config.default.yaml`, the user's file laid over it, and the environment.

Nothing else in the project reads the environment. JARVIS's keys keep their names and meaning.
"""

from __future__ import annotations

import difflib
import logging
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import Field, PrivateAttr, ValidationError

from hugginggpt.common.content_cache import ContentCache
from hugginggpt.common.paths import DEFAULT_CONFIG, EXAMPLES, PUBLIC, ROOT, install_command, user_folder
from hugginggpt.common.text_files import read_text
from hugginggpt.config.base import (
    LARGE,
    LONG,
    MANY,
    SECRET_KEYS,
    Bias,
    Count,
    HostName,
    ListenToken,
    Origin,
    RunStorePlace,
    Seconds,
    Secret,
    Section,
    Size,
    StoreUrl,
)
from hugginggpt.config.embedded_llm import EmbeddedModel
from hugginggpt.config.http_experts import HttpAddress, HttpExpert
from hugginggpt.config.mcp import McpServer
from hugginggpt.config.ray import RayServe
from hugginggpt.config.task_rows import TaskRow
from hugginggpt.core.errors import ConfigError, brief
from hugginggpt.core.secrets import Secrets, Variables, login_of

log = logging.getLogger(__name__)

SHOWN_CHARS = 24
"""How much of a wrong value is shown, with its quotes; the keys of services are longer."""
LLAMA_PACKAGE = "xllamacpp"  # the binding of llama.cpp that runs the embedded language model
LLM_NAMES = ("openai", "azure", "local", "huggingface", "embedded", "offline")

ENVIRONMENT = {
    "OPENAI_API_KEY": ("openai", "api_key"),
    "OPENAI_BASE_URL": ("openai", "base_url"),
    "AZURE_OPENAI_API_KEY": ("azure", "api_key"),
    "AZURE_OPENAI_ENDPOINT": ("azure", "base_url"),
    "AZURE_OPENAI_DEPLOYMENT": ("azure", "deployment_name"),
    "OPENAI_API_VERSION": ("azure", "api_version"),
    "HUGGINGFACE_ACCESS_TOKEN": ("huggingface", "token"),
    "HF_TOKEN": ("huggingface", "token"),
    "WEB_SEARCH_API_KEY": ("web_search", "api_key"),
    "HUGGINGGPT_TOKEN": ("http_listen", "token"),
    "MODELS_TOKEN": ("local_inference_endpoint", "token"),
}
"""Environment variables and the settings that they fill if no file sets them; later ones win."""
HERE = ("localhost", "127.0.0.1", "::1")
"""The names of this machine."""
WITH_VARIABLES = ("http_experts", "mcp")
"""The sections whose values may name variables of the environment: `$NAME`."""


class OpenAI(Section):
    api_key: Secret | None
    base_url: str | None


class Azure(Section):
    api_key: Secret | None
    base_url: str | None
    deployment_name: str | None
    api_version: str


class Local(Section):
    endpoint: str | None
    api_key: Secret | None


class HuggingFace(Section):
    token: Secret | None
    provider: str
    base_url: str | None
    model: str


class WebSearch(Section):
    """The web search of goals."""

    service: Literal["auto", "searxng", "brave", "tavily", "serper", "ddgs"]
    endpoint: str | None
    api_key: Secret | None


class LogitBias(Section):
    parse_task: Bias | None
    choose_model: Bias | None


class Address(Section):
    host: str
    port: int = Field(ge=0, le=65535)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host  # an address of IPv6
        return f"http://{host}:{self.port}"


class Guarded(Address):
    """An address to listen on, and who may call there."""

    token: ListenToken | None
    origins: list[Origin]
    hosts: list[HostName]


class ModelServerAddress(Guarded):
    """Where the model server listens, and where it is looked for, which may be another address: `url`."""

    elsewhere: HttpAddress | None = Field(alias="url")

    @property
    def url(self) -> str:
        return self.elsewhere.rstrip("/") if self.elsewhere else super().url

    @property
    def is_here(self) -> bool:
        """Whether it is looked for on this machine."""
        return (urlsplit(self.url).hostname or "") in HERE


class HttpListen(Guarded):
    threads: int = Field(ge=2, le=1000)
    max_runs: Count
    llm_hosts: list[str]
    jarvis_errors: bool


class Limits(Section):
    max_tasks: Count
    max_seconds: Seconds
    max_tokens: Count
    max_request_chars: Count
    task_seconds: Seconds
    attempts: Count
    retries: int = Field(ge=0, le=MANY)
    hedge_seconds: Seconds | None
    llm_seconds: Seconds
    llm_retries: int = Field(ge=0, le=1000)
    reply_tokens: Count | None
    inference_seconds: Seconds
    connect_seconds: Seconds
    status_seconds: float = Field(ge=0, le=LONG)
    max_file_mb: Size
    max_megapixels: Size
    max_minutes: float = Field(gt=0, le=MANY)
    max_pages: Count
    max_rows: Count
    max_frames: Count
    frame_seconds: Seconds


Quantize = Literal["none", "int8", "int4"]
"""In how few bits the linear layers of models are kept."""


class OwnModel(Section):
    """A model that the user adds to the model server; its task is held against the task table by `tables`."""

    id: str
    task: str
    path: str | None = None
    quantize: Quantize | None = None


class ModelsServer(Section):
    engine: Literal["embedded", "ray"]
    ray: RayServe
    memory: Size | None
    queue: Count
    batch: Count
    quantize: Quantize
    controlnet_base: str
    models: list[OwnModel]


class Cache(Section):
    enabled: bool
    embedded: bool
    folder: str
    max_mb: Size
    max_days: float = Field(gt=0, le=MANY)


Deployment = dict[str, list[str]]
"""Tasks and the ids of the models for each."""


class Deployments(Section):
    minimal: Deployment
    standard: Deployment
    full: Deployment


class TokenPrices(Section):
    """The price of a million tokens, in any currency."""

    prompt: float | None = Field(ge=0, le=LARGE)
    completion: float | None = Field(ge=0, le=LARGE)


class Goals(Section):
    """The goal loop; a limit that is empty does not hold."""

    folder: str
    rules: str
    max_steps: Count | None
    max_tokens: Count | None
    max_seconds: Seconds | None
    max_cost: Size | None
    prices: TokenPrices
    native_tools: bool


class Batches(Section):
    """Plans over many files, of the server."""

    folder: str
    max_files: int = Field(ge=1, le=20_000)
    max_calls: int = Field(ge=0, le=MANY)
    workers: Count | None
    at_work: Count


PlannerName = Literal["auto", "llm", "offline"]
OWN_MODELS = ("embedded", "local")
"""The services whose models run on a machine of the user: mostly small ones."""


class Stages(Section):
    """A text or file for each stage that uses the language model."""

    parse_task: str
    choose_model: str
    response_results: str


class Config(Section):
    """All settings, checked."""

    llm: str
    model: str | None
    fallback_models: list[str]
    planner: PlannerName
    planner_sure_from: float | None = Field(ge=0, le=1)
    llm_role: Literal["auto", "leads", "completes"]
    llm_fallback: Literal["offline", "none"]
    openai: OpenAI
    azure: Azure
    local: Local
    huggingface: HuggingFace
    embedded_llm: EmbeddedModel
    web_search: WebSearch
    dev: bool
    use_completion: bool
    temperature: float | None = Field(ge=0, le=100)
    logit_bias: LogitBias
    stream_plan: bool
    selection: Literal["auto", "ahead", "each", "batch", "first"]
    run_ahead: Literal["free", "repeatable"]
    context_length: int = Field(ge=1000, le=MANY)
    inference_mode: Literal["local", "huggingface", "hybrid"]
    embedded: bool
    local_deployment: Literal["minimal", "standard", "full"]
    device: str
    local_inference_endpoint: ModelServerAddress
    models_server: ModelsServer
    deployments: Deployments
    cache: Cache
    withhold_unsafe_from: float | None = Field(ge=0, le=1)
    base_catalog: str
    catalog: str | None
    tasks: list[TaskRow]
    http_experts: list[HttpExpert]
    mcp: list[McpServer]
    num_candidate_models: Count
    max_description_length: Count
    limits: Limits
    goals: Goals
    batches: Batches
    http_listen: HttpListen
    run_store: RunStorePlace | None
    database: str
    file_store: StoreUrl | None
    public: str
    allowed_hosts: list[str]
    proxy: str | None
    debug: bool
    log_file: str | None
    keep_runs: Count
    tprompt: Stages
    demos_or_presteps: Stages
    demonstrations: Literal["fixed", "nearest"]
    demonstrations_count: Count
    demonstrations_pool: str
    prompt: Stages
    token_from_environment: bool = False
    source: str = DEFAULT_CONFIG.name
    _variables: Variables = PrivateAttr(Variables({}))

    @property
    def variables(self) -> Variables:
        """What `$NAME` stands for in the sections WITH_VARIABLES."""
        return self._variables

    @property
    def llm_name(self) -> str:
        """The language model service in use: the one that is named, else the first that is configured."""
        named = self.llm.partition(":")[0]
        if named != "auto":
            return named
        if self.dev and self.local.endpoint:
            return "local"
        set_up = {
            "openai": self.openai.api_key,
            "azure": self.azure.api_key and self.azure.base_url,
            "local": self.local.endpoint,
            "huggingface": self.huggingface.token and not self.huggingface.base_url,
        }
        otherwise = "embedded" if self.embedded_file and find_spec(LLAMA_PACKAGE) else "offline"
        return next((name for name, value in set_up.items() if value), otherwise)

    def completes(self, service: str) -> bool:
        """Whether a service's model only adds to what is planned and answered without it."""
        return self.llm_role == "completes" or (self.llm_role == "auto" and service in OWN_MODELS)

    def selection_for(self, service: str) -> str:
        """How the model for a task is chosen beside a language model of that service: one that only completes is not
        asked, as a choice takes a model of one's own longer than most experts take.
        """
        if self.selection != "auto":
            return self.selection
        return "first" if self.completes(service) and self.planner != "llm" else "ahead"

    @property
    def embedded_file(self) -> Path | None:
        """The GGUF file of the embedded language model: the one that is named, else the one downloaded last."""
        named, folder = self.embedded_llm.file, self.path(self.embedded_llm.folder)
        newest = max(folder.glob("*.gguf"), key=lambda file: file.stat().st_mtime, default=None)
        return self.path(named) if named else newest

    @property
    def llm_model(self) -> str | None:
        """The model's name, where one is set: `--llm openai:NAME` before `model`."""
        return self.llm.partition(":")[2] or self.model

    def deployed(self, name: str | None = None) -> dict[str, tuple[str, ...]]:
        """The models of a deployment (of `local_deployment` by default) and of the smaller ones, and their tasks."""
        names = ("minimal", "standard", "full")
        tasks: dict[str, list[str]] = {}
        for part in names[: names.index(name or self.local_deployment) + 1]:
            for task, models in getattr(self.deployments, part).items():
                for model in models:
                    tasks.setdefault(model, []).append(task)
        return {model: tuple(dict.fromkeys(found)) for model, found in tasks.items()}

    @property
    def hub_token(self) -> str | None:
        """The token to send to the Hub or the gateway in its place.

        A token from the environment is meant for Hugging Face and is not sent to another host.
        """
        if self.huggingface.base_url and self.token_from_environment:
            return None
        return self.huggingface.token

    @cached_property
    def secrets(self) -> Secrets:
        """All keys and tokens, to be kept out of logs and messages."""
        found = (
            self.openai.api_key, self.azure.api_key, self.local.api_key, self.huggingface.token, self.http_listen.token,
            self.local_inference_endpoint.token, self.models_server.ray.token, self.web_search.api_key, *self.variables,
            *(secret for url in self.store_urls for secret in login_of(url)),
        )  # fmt: skip
        return Secrets(secret for secret in found if secret)

    @property
    def store_urls(self) -> list[str]:
        """The addresses of the services that several controllers share, with the values of `$NAME` in them."""
        return [self.variables.in_url(url) for url in _stores(self)]

    def content_cache(self) -> ContentCache:
        """The cache of results in the configured folder."""
        return ContentCache(self.path(self.cache.folder), int(self.cache.max_mb * 1e6), self.cache.max_days)

    def path(self, name: str) -> Path:
        """A path of the configuration, absolute."""
        return user_folder() / Path(name).expanduser()

    def input_file(self, name: str) -> Path:
        """A file of the configuration that is only read: the user's, else the one that comes with the project."""
        own = self.path(name)
        return own if own.exists() else ROOT / name

    @property
    def renewed_catalog(self) -> Path:
        """The file that a renewal of the catalogue writes: the user's own, else one beside that of the project, which
        stays as it came.
        """
        named = Path(self.base_catalog)
        if self.base_catalog == _defaults()["base_catalog"]:
            named = named.with_name(f"{named.stem}.renewed{named.suffix}")
        return self.path(str(named))

    @property
    def catalog_file(self) -> Path:
        """The catalogue in use: the renewed one if there is one."""
        return self.renewed_catalog if self.renewed_catalog.exists() else self.input_file(self.base_catalog)

    @property
    def public_dir(self) -> Path:
        """The folder that public files are written to."""
        return self.path(self.public)

    def public_file(self, path: str) -> Path:
        """The file of a public path such as `/images/x.png`, which need not exist, or of an example."""
        relative = path.lstrip("/")
        file = self.public_dir / relative
        return PUBLIC / relative if relative.startswith(EXAMPLES) and not file.is_file() else file


def load(
    file: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    environment: Mapping[str, str] = os.environ,
    **changes: Any,
) -> Config:
    """The configuration: the defaults, `file` over them, the environment for what is empty, then `changes`.

    `file` may also be the settings themselves. Raises ConfigError, naming the file and the key, when something is
    missing or of the wrong type.
    """
    default = _defaults()
    if not isinstance(file, str | os.PathLike | Mapping | None):
        raise ConfigError(f"The configuration should be a file or a mapping of settings, not {type(file).__name__}.")
    own = file if isinstance(file, Mapping) else _read(Path(file)) if file else {}
    source = "the settings" if isinstance(file, Mapping) else str(file or DEFAULT_CONFIG.name)
    for warning in _unknown_keys(own, default):
        log.warning("%s: %s", source, warning)
    settings = _laid_over(default, own)
    from_environment = _fill(settings, environment)
    settings.update({key: value for key, value in changes.items() if value is not None})
    settings["source"] = source
    settings["token_from_environment"] = ("huggingface", "token") in from_environment
    try:
        config = Config.model_validate(settings)
    except ValidationError as error:
        raise ConfigError("\n".join(_explained(source, detail) for detail in error.errors())) from None
    sent = [*(expert.sent for expert in config.http_experts), *(server.sent for server in config.mcp)]
    config._variables = Variables(environment, sent, _stores(config))
    if missing := config.variables.what_to_set(_stores(config)):
        raise ConfigError(f"An address of run_store, database or file_store names a variable: {missing}.")
    _check_llm(config)
    return config


_SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The safe loader in C where there is one: eight times as fast."""


@cache
def _defaults() -> dict[str, Any]:
    """The default settings, read once and never modified."""
    return _read(DEFAULT_CONFIG)


def _read(file: Path) -> dict[str, Any]:
    text = read_text(file, "the configuration", ConfigError)
    try:
        content = yaml.load(text, Loader=_SAFE)  # noqa: S506
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an invalid date or number
        raise ConfigError(f"{file} is not valid YAML: {_misread(error)}.") from None
    if not isinstance(content, dict | None):
        raise ConfigError(f"{file} should hold `key: value` lines, but holds a {type(content).__name__}.")
    return content or {}


WHOLE = ("minimal", "standard", "full")
"""Settings with user-defined keys: the user's value replaces the default as a whole."""


def _laid_over(base: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """`own` over `base`, section by section; JARVIS's REPLACE_WITH_YOUR_… placeholders count as empty."""
    merged = dict(base)
    for key, value in own.items():
        if isinstance(base.get(key), dict):
            if value is not None:
                deeper = isinstance(value, Mapping) and key not in WHOLE
                merged[key] = _laid_over(base[key], value) if deeper else value
        else:
            merged[key] = None if isinstance(value, str) and value.startswith("REPLACE_WITH") else value
    return merged


def _unknown_keys(own: Mapping[str, Any], default: Mapping[str, Any], section: str = "") -> Iterator[str]:
    for key, value in own.items():
        if key not in default:
            name = str(key).partition(":")[0]  # `api_key:sk-1` lacks a blank
            near = difflib.get_close_matches(name, default, 1)
            hint = f"; did you mean {section}{near[0]}?" if near else ""
            # a key of a service has digits
            shown = name if re.fullmatch(rf"[A-Za-z_]{{1,{SHOWN_CHARS}}}", name) else "…"
            yield f"unknown key {section}{shown} is ignored{hint}"
        elif isinstance(value, Mapping) and isinstance(default[key], Mapping) and key not in WHOLE:
            yield from _unknown_keys(value, default[key], f"{section}{key}.")


def _fill(settings: dict[str, Any], environment: Mapping[str, str]) -> set[tuple[str, str]]:
    """Fills what is still empty from the environment; returns the keys that were."""
    filled = set()
    for variable, (section, key) in ENVIRONMENT.items():
        value = environment.get(variable, "").strip()
        place = settings.get(section)
        replaceable = (section, key) in filled or key == "api_version"
        if value and isinstance(place, dict) and (not place.get(key) or replaceable):
            settings[section] = {**place, key: value}
            filled.add((section, key))
    return filled


def _stores(config: Config) -> list[str]:
    return [url for url in (config.run_store, config.database, config.file_store) if url and "://" in url]


def _explained(source: str, detail: Any) -> str:
    within = detail.get("ctx", {}).get("key")  # of a section that is wrong as a whole
    key = ".".join(map(str, [*detail["loc"], *([within] if within else [])]))
    hidden = (
        key.rpartition(".")[2] in SECRET_KEYS
        or detail["type"] in ("missing", "model_type", "secret", "store")
        or detail["loc"][:1] in [(section,) for section in WITH_VARIABLES]  # a key may stand where none belongs
    )
    got = "" if hidden else _shown(detail["input"])
    problem = "should be a section with settings" if detail["type"] == "model_type" else detail["msg"]
    return f"{source}: {key}: {problem[0].lower()}{problem[1:]}{got}."


def _shown(value: Any) -> str:
    """The wrong value, in brackets; empty if it may be a key."""
    short = isinstance(value, str | int | float | None) and len(text := repr(value)) <= SHOWN_CHARS
    return f" (it is {text})" if short else ""


def _misread(error: Exception) -> str:
    """The problem of a YAML text and its position, without the line itself, which may contain a key."""
    mark = getattr(error, "problem_mark", None)
    where = f" in line {mark.line + 1}" if mark else ""
    said = getattr(error, "problem", None) or brief(error)
    return re.sub(r"(alias|anchor|tag) '.*'", r"\1", said) + where


def _check_llm(config: Config) -> None:
    """A language model that is chosen by name must be configured."""
    llama = config.embedded_file and find_spec(LLAMA_PACKAGE)
    needs = {
        "openai": (config.openai.api_key, "OPENAI_API_KEY or openai.api_key"),
        "azure": (
            config.azure.api_key and config.azure.base_url and config.azure.deployment_name,
            "AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_DEPLOYMENT (or the section azure)",
        ),
        "local": (config.local.endpoint, "local.endpoint, the address of an OpenAI-compatible server"),
        "huggingface": (config.huggingface.token, "HF_TOKEN or huggingface.token"),
        "embedded": (llama, f"--download-llm and {install_command('llm')}"),
        "offline": (True, ""),
    }
    if config.llm_name not in needs:
        names = f"{', '.join(LLM_NAMES)} or auto"
        raise ConfigError(f"There is no such language model service{_shown(config.llm_name)}: choose {names}.")
    ready, missing = needs[config.llm_name]
    if not ready:
        raise ConfigError(f"The language model service {config.llm_name} needs {missing}.")
