"""`--doctor`: what is set up, what of it can be reached, and what to set to get more."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table

from hugginggpt.build import make_endpoints
from hugginggpt.concurrency import spawn
from hugginggpt.config import Config
from hugginggpt.endpoints.base import Endpoint
from hugginggpt.errors import BackendError
from hugginggpt.experts import registry
from hugginggpt.media import MediaStore
from hugginggpt.openai_llm import OpenAILLM, make_llm
from hugginggpt.prompts import Prompts
from hugginggpt.selector import Selector
from hugginggpt.tasks import TASKS
from hugginggpt.tokens import TokenCounter

WIDE = 140
PATIENCE = 30.0
"""Seconds given to a service to answer."""


def report(config: Config) -> int:
    """Prints the report. Returns 0 if anything at all can be done here, else 1."""
    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    llm = make_llm(config)
    console.print(f"[bold]Language model[/]  {_state_of_llm(llm)}", highlight=False)
    prompts = Prompts(config, TokenCounter())
    endpoints = make_endpoints(config, MediaStore(config), None, prompts)
    console.print("[bold]Endpoints[/]", highlight=False)
    for line in _endpoint_lines(config, endpoints):
        console.print(f"  {line}", highlight=False)
    selector = Selector(endpoints, None, prompts, config)
    table = Table("task", "models that can run now", "best", box=None, padding=(0, 2))
    reachable = 0
    for task in TASKS.values():
        candidates = selector.candidates(task)
        reachable += bool(candidates)
        best = f"{candidates[0].card.id} ({candidates[0].endpoint.name})" if candidates else "-"
        if not candidates and task.llm and llm:
            best = "the language model"
        table.add_row(task.name, str(len(candidates)), best)
    console.print(f"[bold]Tasks[/]  {reachable} of {len(TASKS)} have an expert", highlight=False)
    console.print(table)
    for hint in _hints(config):
        console.print(hint, highlight=False)
    return 0 if reachable or llm else 1


def _state_of_llm(llm: Any) -> str:
    if not isinstance(llm, OpenAILLM):
        return "none: planning and answering work offline, by rules"
    service = f"{llm.name} at {llm.service.base_url}"
    listing = spawn(llm.reachable)
    try:
        return f"{service}, model {listing.result(timeout=PATIENCE)}"
    except BackendError as error:
        return f"{service}: [red]{error}[/]"
    except TimeoutError:
        return f"{service}: [red]no answer within {PATIENCE:g} s[/]"


def _endpoint_lines(config: Config, endpoints: list[Endpoint]) -> Iterator[str]:
    names = {endpoint.name for endpoint in endpoints}
    server = next((endpoint for endpoint in endpoints if endpoint.name == "local"), None)
    if server:
        running = getattr(server, "running", lambda: False)()
        yield f"model server {config.local_inference_endpoint.url}: {'running' if running else 'not running'}"
    if "huggingface" in names:
        where = config.huggingface.base_url or "Hugging Face"
        yield f"{where}: set up, token {'set' if config.hub_token else 'not set'}"
    if "embedded" in names:
        experts = registry.all_experts()
        lacking = {package for expert in experts for package in expert.missing}
        yield f"embedded experts: {len(experts)}" + (
            f", packages missing: {', '.join(sorted(lacking))}" if lacking else ""
        )


def _hints(config: Config) -> Iterator[str]:
    if config.llm_name == "offline":
        yield "For a language model: set OPENAI_API_KEY, or HF_TOKEN, or local.endpoint (Ollama, vLLM, llama.cpp, ...)."
    if not config.huggingface.token:
        yield "For the models on Hugging Face: set HF_TOKEN (huggingface.co/settings/tokens)."
