"""Configurations in a folder of the test, controllers on doubles, and requests that are run to their end.

config = write_config(tmp_path, embedded=False)
with closing(controller_at(config, ScriptedLLM(plan="[]", chat="Hello!"))) as controller:
    assert run(controller, "Hi").message == "Hello!"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from hugginggpt import config as settings
from hugginggpt.core.events import Event, RunRecord

if TYPE_CHECKING:
    from awesome_chat import Controller, Until
    from hugginggpt.config import Config
    from hugginggpt.endpoints.base import Endpoint
    from hugginggpt.llm.base import LLM, Message

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write_config(
    folder: Path, environment: Mapping[str, str] | None = None, *, public: Path | None = None, **values: Any
) -> Config:
    """The configuration of a new `config.yaml` in `folder` with these settings over the default ones.

    A language model plans each request, as scripts expect. Files are read and written in `folder` alone (`public`: its
    folder of that name unless another is given), nothing is tried twice, and of the environment only what is given
    counts. Raises ConfigError as `config.load` does.
    """
    public = public or folder / "public"
    public.mkdir(parents=True, exist_ok=True)
    base = {
        "public": str(public),
        "log_file": str(folder / "logs" / "debug.log"),
        "inference_mode": "huggingface",
        "planner": "llm",
        "database": str(folder / "chats.sqlite"),
        "goals": {"folder": str(folder / "goals"), **values.pop("goals", {})},
        "batches": {"folder": str(folder / "batches"), **values.pop("batches", {})},
        "embedded_llm": {"folder": str(folder / "llm"), **values.pop("embedded_llm", {})},
        "cache": {"folder": str(folder / "cache"), **values.pop("cache", {})},
    }
    limits = {"llm_retries": 0, "connect_seconds": 10, **values.pop("limits", {})}
    file = folder / "config.yaml"
    file.write_text(yaml.dump({**base, "limits": limits, **values}, Dumper=_DUMPER), encoding="utf-8")
    return settings.load(file, environment or {})


def controller_at(config: Config, llm: LLM | None, *endpoints: Endpoint) -> Controller:
    """A controller whose tasks run at these endpoints and nowhere else; the caller closes it.

    Without a language model, the one of the configuration is used, or the offline planner.
    """
    from awesome_chat import make_controller

    controller = make_controller(config, llm)
    for endpoint in controller.selector.endpoints:
        endpoint.close()
    controller.selector.endpoints = endpoints
    return controller


def events(
    controller: Controller, request: str, until: Until = "answer", history: Iterable[Message] = (), **kwargs: Any
) -> list[Event]:
    """The events of a request that is run to its end; `kwargs` as for `Controller.prepare` (files=...)."""
    messages = [*history, {"role": "user", "content": request}]
    return list(controller.run(controller.prepare(messages, **kwargs), until))


def run(
    controller: Controller, request: str, until: Until = "answer", history: Iterable[Message] = (), **kwargs: Any
) -> RunRecord:
    """The record of a request that is run to its end: its tasks, results, files, message, errors."""
    record = RunRecord()
    for event in events(controller, request, until, history, **kwargs):
        record.apply(event)
    return record
