"""`--doctor`: what is configured, what can be reached, and what to set for more."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from datetime import date
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hugginggpt.catalog.catalog import read_entries
from hugginggpt.common.paths import CATALOGUE, user_folder
from hugginggpt.common.threads import spawn
from hugginggpt.common.version import __version__
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.endpoints.base import Endpoint, Tier
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.endpoints.registry import make_endpoints
from hugginggpt.goals.sandbox import sandbox_status
from hugginggpt.goals.web_search import search_status
from hugginggpt.llm.base import RunsHere
from hugginggpt.llm.openai import OpenAILLM
from hugginggpt.llm.prompts import Prompts
from hugginggpt.llm.services import make_llm
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.selector import Candidate, Selector
from hugginggpt.status import status_of
from hugginggpt.tables import make_task_table

WIDE = 140
NOT_CALLED = "configured (not called; --check calls it)"
CALLED_BELOW = "configured (for its call see below)"
PATIENCE = 30.0
"""How long to wait for a service, in seconds."""


def report(config: Config, check: bool = False) -> int:
    """Prints the report; with `check` also what comes of a call of each service that can be checked.

    Returns 0 if any task can be done, else 1.
    """
    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    tasks = make_task_table(config)
    llm, prompts = make_llm(config), Prompts(config, TokenCounter(), tasks)
    endpoints = [LanguageModel(llm, prompts), *make_endpoints(config, MediaStore(config))]
    others = [endpoint for endpoint in endpoints if endpoint.tier is not Tier.LANGUAGE_MODEL]
    selector = Selector(others, None, prompts, config)
    found = [(task, selector.candidates(task)) for task in tasks]
    status = status_of(config, endpoints, tasks)  # after the tasks: what has to be started for them has been
    untried = {endpoint["name"] for endpoint in status["endpoints"] if endpoint.get("untried")}
    table, reachable = _table(found, llm is not None, untried)
    console.print(f"[bold]Language model[/]  {_state_of_llm(llm)}", highlight=False)
    console.print(f"[bold]Files[/]  {user_folder()}", highlight=False, soft_wrap=True)
    console.print(f"[bold]Sandbox[/]  {escape(sandbox_status().sentence)}", highlight=False, soft_wrap=True)
    console.print(f"[bold]Web search[/]  {escape(search_status(config))}", highlight=False, soft_wrap=True)
    console.print(f"[bold]Models of the Hub[/]  {escape(_catalogue(config))}", highlight=False, soft_wrap=True)
    console.print("[bold]Endpoints[/]", highlight=False)
    for endpoint in status["endpoints"]:
        not_tried = CALLED_BELOW if check else NOT_CALLED
        state = endpoint["problem"] or (not_tried if endpoint.get("untried") else "ready")
        console.print(f"  {endpoint['name']}: {endpoint['about']}: {state}", highlight=False, markup=False)
        for detail in endpoint.get("details", ()):
            console.print(f"    {detail}", highlight=False, markup=False, soft_wrap=True)
    for label, outcome in _checked(endpoints, tasks) if check else ():
        console.print(f"  {label}: {outcome}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"[bold]Tasks[/]  {reachable} of {len(tasks)} can be done", highlight=False)
    console.print(table)
    for hint in status["hints"]:
        console.print(hint, highlight=False, markup=False, soft_wrap=True)  # .[experts] is no markup
    for endpoint in endpoints:
        endpoint.close()
    return 0 if reachable else 1


def _catalogue(config: Config) -> str:
    """The catalogue, and how old it is: the date of the project's file is that of its installation."""
    file = config.catalog_file
    count = sum(1 for _ in read_entries(file))
    written = f"written {date.fromtimestamp(file.stat().st_mtime)}"
    age = f"as it came with version {__version__}" if file == CATALOGUE else written
    return f"{count} in {file}, {age} (--refresh-models renews it)"


def _checked(endpoints: Sequence[Endpoint], tasks: TaskTable) -> Sequence[tuple[str, str]]:
    """What comes of the checks of all endpoints, which run at the same time."""
    outcomes: list[Future[list[tuple[str, str]]]] = [spawn(list, endpoint.check(tasks)) for endpoint in endpoints]
    found = [pair for outcome in outcomes for pair in outcome.result()]
    return found or [("--check", "nothing to call: the configuration has no http_experts")]


def _table(
    found: Sequence[tuple[TaskType, Sequence[Candidate]]], with_llm: bool, untried: Collection[str]
) -> tuple[Table, int]:
    """A table of the tasks with their models, and the number of tasks that can be done; `untried` are the names of
    endpoints of which nobody knows whether they work.
    """
    table = Table("task", "models that can run now", "best", box=None, padding=(0, 2))
    reachable = 0
    for task, candidates in found:
        place = candidates[0].endpoint.name if candidates else ""
        place = f"{place}, not called" if place in untried else place
        best = f"{candidates[0].card.id} ({place})" if candidates else "-"
        if task.llm and with_llm:
            best = "the language model"
        reachable += best != "-"
        table.add_row(task.name, str(len(candidates)), best)
    return table, reachable


def _state_of_llm(llm: Any) -> str:
    if isinstance(llm, RunsHere):
        return _state_here(llm.state())
    if not isinstance(llm, OpenAILLM):
        return "none: planning and answering work offline, by a small learned planner and set sentences"
    service = f"{llm.name} at {llm.service.base_url}"
    listing = spawn(llm.reachable)
    try:
        return f"{service}, model {listing.result(timeout=PATIENCE)}"
    except BackendError as error:
        return f"{service}: [red]{escape(str(error))}[/]"
    except TimeoutError:
        return f"{service}: [red]no answer within {PATIENCE:g} s[/]"


def _state_here(state: dict[str, Any]) -> str:
    """A language model on this machine, which is not started for this: what was measured when it ran last."""
    about = f"embedded: {escape(state['model'])}, {state['bytes'] / 1e9:.1f} GB, context {state['context']} tokens"
    if not state["bytes"]:
        return f"{about}: [red]its file is missing[/]"
    if not state["memory"]:
        return f"{about}; threads and speed are measured at the first use"
    speed = f"{state['read'] or '?'} tokens/s read, {state['written'] or '?'} written"
    return f"{about}; last time: {speed}, threads {state['threads']}, {state['memory'] / 1e9:.1f} GB of memory"
