"""`--refresh-models` and `--search-models`: the models of the Hub."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from rich.console import Console
from rich.table import Table

from hugginggpt.catalog.entries import Entry, entry_of, live_providers, weight_bytes
from hugginggpt.catalog.hub_client import HubListing
from hugginggpt.catalog.renewal import Renewal, TaskChanges
from hugginggpt.common.signals import DONE, NOTHING_DONE
from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.experts.source import choose_placement
from hugginggpt.serving.commands import memory_budget
from hugginggpt.tables import make_task_table

KEPT = " What was fetched is kept for a day: --refresh-models goes on from there."
FOUND = 20
"""How many models a search lists."""
NAMES_SHOWN = 8
WIDE = 160


def refresh(config: Config, *, yes: bool) -> int:
    """Renews the catalogue from the Hub, if that is wanted. Raises UserError and BackendError."""
    renewal = Renewal(config, make_task_table(config), HubListing(config, _progress))
    if done := len(renewal.progress.done):
        _progress(f"{done} of {len(renewal.tasks)} tasks were fetched before.")
    try:
        renewal.fetch(_progress)
    except (KeyboardInterrupt, SystemExit):
        _progress(f"Stopped.{_kept(renewal)}")
        raise
    except BackendError as error:
        raise BackendError(f"{error}{_kept(renewal)}") from error
    for line in _report(renewal):
        print(line)
    if not any(renewal.changes()):
        print("Nothing changes.")
        renewal.finish()
        return NOTHING_DONE if renewal.failed else DONE
    if not (yes or _agreed(f"Write {renewal.target}?")):
        print(f"Nothing was written.{_kept(renewal)} With --yes it does not ask.")
        return NOTHING_DONE
    renewal.write()
    print(
        f"Written: {renewal.target} ({len(renewal.renewed)} models). A server that runs reads it when it is restarted."
    )
    return DONE


def _kept(renewal: Renewal) -> str:
    return KEPT if renewal.progress.done else ""


def _agreed(question: str) -> bool:
    if not (sys.stdin and sys.stdin.isatty()):
        return False
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _report(renewal: Renewal) -> Iterator[str]:
    """What would change, by task, and what could not be read."""
    for changes in renewal.changes():
        yield from _changes(changes)
    if empty := [task for task, entries in renewal.fetched.items() if not entries]:
        yield f"No provider serves a model for {', '.join(empty)}: what the catalogue has for them stays."
    for task, problem in renewal.failed.items():
        yield f"{task}: not listed, what the catalogue has for it stays ({problem})"
    if renewal.cards_unread:
        yield f"{renewal.cards_unread} model cards could not be read: these models have no description."
    if renewal.listing.unread:
        yield f"{renewal.listing.unread} entries of the Hub could not be read and are left out."


def _changes(changes: TaskChanges) -> Iterator[str]:
    counts = (len(changes.added), len(changes.removed), len(changes.changed))
    yield f"{changes.task}: {counts[0]} added, {counts[1]} removed, {counts[2]} changed"
    for sign, entries in (("+", changes.added), ("-", changes.removed)):
        for entry in entries:
            yield f"  {sign} {entry['id']} ({entry.get('downloads', 0):,} downloads)"
    keys = {key for differing in changes.changed.values() for key in differing}
    if keys:
        models = ", ".join(islice(changes.changed, NAMES_SHOWN))
        more = f" and {counts[2] - NAMES_SHOWN} more" if counts[2] > NAMES_SHOWN else ""
        yield f"  ~ {', '.join(sorted(keys))} of {models}{more}"


def search(config: Config, words: Sequence[str], *, as_json: bool) -> int:
    """Lists the models of the Hub for a task. Raises UserError for an unknown one, and BackendError."""
    task, *rest = words
    row = _task(make_task_table(config), task)
    placing = spawn(choose_placement, config.device)  # meanwhile: it may import torch
    listed = list(islice(HubListing(config, _progress).models(row.name, " ".join(rest), served=False), FOUND))
    placement = placing.result()
    budget = memory_budget(placement.device, config.models_server.memory)
    found: list[Entry] = []
    for info in listed:
        entry = entry_of(info, row.name, {}, "")
        loaded = weight_bytes(info, placement.float_bytes)
        entry["providers"] = live_providers(info, row.name)
        entry["model server"] = {"bytes": loaded, "fits": loaded <= budget} if loaded else None
        del entry["description"]
        found.append(entry)
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    elif found:
        _print_table(found, budget, placement.device)
    else:
        print(f"The Hub lists no model for {row.name}{' with these words' if rest else ''}.")
    return DONE if found else NOTHING_DONE


def _task(table: TaskTable, name: str) -> TaskType:
    if row := table.find(name):
        return row
    near = table.near(name)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(table.names)}."
    raise UserError(f'There is no task "{name[:80]}": {hint}')


def _print_table(found: Sequence[Entry], budget: int, device: str) -> None:
    table = Table("model", box=None, padding=(0, 2))
    for title in ("downloads", "likes", "size"):
        table.add_column(title, justify="right")
    for title in ("licence", "served by", "model server"):
        table.add_column(title)
    for entry in found:
        meta = entry["meta"]
        counts = (f"{entry['downloads']:,}", f"{entry['likes']:,}", _gigabytes(meta.get("size", 0)))
        licence = _text(meta.get("license", "-"))
        table.add_row(
            _text(entry["id"]), *counts, licence, _text(entry["providers"]) or "-", _fit(entry["model server"])
        )
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else WIDE)
    console.print(table)
    print(f"The model server has {_gigabytes(budget)} for models on {device} (models_server.memory).")


def _text(value: str | list[str]) -> str:
    return ", ".join(value) if isinstance(value, list) else value


def _gigabytes(size: int) -> str:
    digits = 2 if size < 1e9 else 1 if size < 1e11 else 0
    return f"{size / 1e9:,.{digits}f} GB" if size else "-"


def _fit(loaded: dict[str, Any] | None) -> str:
    if loaded is None:
        return "no safetensors: not run"
    return f"{'fits' if loaded['fits'] else 'does not fit'}, {_gigabytes(loaded['bytes'])} loaded"
