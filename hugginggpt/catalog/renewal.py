"""Renews the catalogue from the Hub: for each task the models that an inference provider runs now.

What is fetched is kept task by task in a file beside the catalogue, so that a renewal that was stopped goes on where it
was. The catalogue itself is replaced as a whole, once somebody has seen what would change.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from hugginggpt.catalog.catalog import read_entries
from hugginggpt.catalog.entries import Entry, description_in, entry_of, live_providers
from hugginggpt.catalog.hub_client import HubListing, Say
from hugginggpt.common.atomic_files import atomic_write_text
from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, UserError
from hugginggpt.core.tasks import TaskTable

MODELS_PER_TASK = 15
KEPT_SECONDS = 86_400.0
"""The age after which what a stopped renewal has fetched is fetched again."""
PROGRESS = ".progress"


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """What a renewal changes for one task; `changed` holds the keys that differ, by model."""

    task: str
    added: Sequence[Entry] = ()
    removed: Sequence[Entry] = ()
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Renewal:
    """A renewal of the catalogue. `failed` are the tasks that could not be listed, with the reason; `cards_unread` is
    how many cards could not be read.
    """

    def __init__(self, config: Config, table: TaskTable, listing: HubListing) -> None:
        """Raises ConfigError for a catalogue that cannot be read, UserError where it cannot be written."""
        self.listing = listing
        self.source = config.catalog_file
        self.target = config.renewed_catalog
        self.before = read_text(self.source)
        self.entries = [entry for entry, _ in read_entries(self.source)]
        self.progress = Progress(self.target, [listing.endpoint, listing.provider])
        self.tasks = [row.name for row in table if row.hub]
        self.fetched: dict[str, list[Entry]] = {}
        self.failed: dict[str, str] = {}
        self.cards_unread = 0

    def fetch(self, say: Say) -> None:
        """Fetches what the progress does not hold yet. Raises BackendError when the Hub cannot be reached at all."""
        known = {(entry["id"], entry["task"]): entry for entry in self.entries}
        for task in self.tasks:
            entries = self.progress.done.get(task)
            if entries is None:
                try:
                    entries = [self._entry(info, task, known) for info in self._served(task, known)]
                except BackendError as error:
                    if error.endpoint_down:
                        raise
                    self.failed[task] = str(error)
                    say(f"{task}: {error}")
                    continue
                self.progress.add(task, entries)
                say(f"{task}: {len(entries) or 'no'} models")
            self.fetched[task] = entries

    def _served(self, task: str, known: Mapping[Any, Entry]) -> list[Any]:
        unfit = {model for (model, of), entry in known.items() if of == task and _is_unfit(entry)}
        listed = self.listing.models(task, served=True)
        fitting = (
            info for info in listed if live_providers(info, task, self.listing.provider) and info.id not in unfit
        )
        return list({info.id: info for info in islice(fitting, MODELS_PER_TASK)}.values())

    def _entry(self, info: Any, task: str, known: Mapping[Any, Entry]) -> Entry:
        """The entry of a model, which keeps the description that it has."""
        entry = known.get((info.id, task), {})
        return entry_of(info, task, entry.get("meta") or {}, entry.get("description") or self._description(info.id))

    def _description(self, model: str) -> str:
        try:
            return description_in(self.listing.card(model))
        except BackendError as error:
            if error.endpoint_down:
                raise
            self.cards_unread += 1
            return ""

    @property
    def renewed(self) -> list[Entry]:
        """The entries afterwards; a task of which the Hub lists none keeps those that it has."""
        tasks = dict.fromkeys([*(entry["task"] for entry in self.entries), *self.tasks])
        return [entry for task in tasks for entry in self._renewed(task)]

    def _renewed(self, task: str) -> list[Entry]:
        before = [entry for entry in self.entries if entry["task"] == task]
        fetched = self.fetched.get(task)
        return [*fetched, *filter(_is_unfit, before)] if fetched else before

    def changes(self) -> Iterator[TaskChanges]:
        """What would change, for the tasks in which something does."""
        for task, entries in self.fetched.items():
            before = {entry["id"]: entry for entry in self.entries if entry["task"] == task}
            after = {entry["id"]: entry for entry in self._renewed(task)}
            changed = {
                model: [key for key in entry if entry[key] != before[model].get(key)]
                for model, entry in after.items()
                if model in before and entry != before[model]
            }
            added = [entry for entry in entries if entry["id"] not in before]
            removed = [entry for model, entry in before.items() if model not in after]
            if added or removed or changed:
                yield TaskChanges(task, added, removed, changed)

    def write(self) -> None:
        """Replaces the catalogue. Raises UserError where that fails, or where it was changed meanwhile."""
        if read_text(self.source) != self.before:
            raise UserError(f"{self.source} was changed meanwhile: nothing was written. Call --refresh-models again.")
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            atomic_write_text(self.target.resolve(), _lines(self.renewed))
        except OSError as error:
            raise UserError(f"Cannot write {self.target}: {error.strerror}.") from error
        self.finish()

    def finish(self) -> None:
        """Forgets what was fetched, unless tasks have failed: the next renewal then asks for these alone."""
        if not self.failed:
            self.progress.forget()


def _is_unfit(entry: Entry) -> bool:
    return "unfit" in (entry.get("meta") or {})


def _lines(values: Iterable[Any]) -> str:
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)


class Progress:
    """What a renewal has fetched so far, in a file: where from and when it began, then a line for each task."""

    def __init__(self, target: Path, origin: Sequence[str]) -> None:
        """Reads what was kept, unless it is too old or from elsewhere. Raises UserError where nothing can be kept."""
        self.file = target.with_name(f"{target.name}{PROGRESS}")
        self.done: dict[str, list[Entry]] = {}
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not self._read(list(origin)):
                atomic_write_text(self.file, _lines([{"from": list(origin), "began": time.time()}]))
        except OSError as error:
            raise UserError(f"The catalogue cannot be renewed: {self.file}: {error.strerror}.") from error

    def _read(self, origin: Sequence[str]) -> bool:
        lines = list(_whole_lines(read_text(self.file, if_missing="")))
        head = lines[0] if lines else {}
        if head.get("from") != origin or not 0 <= time.time() - _number(head.get("began")) < KEPT_SECONDS:
            return False
        done = (
            line for line in lines[1:] if isinstance(line.get("task"), str) and isinstance(line.get("models"), list)
        )
        self.done = {line["task"]: line["models"] for line in done}
        return True

    def add(self, task: str, entries: list[Entry]) -> None:
        self.done[task] = entries
        with self.file.open("a", encoding="utf-8") as file:
            file.write("\n" + _lines([{"task": task, "models": entries}]))  # behind a line that was cut off, too

    def forget(self) -> None:
        self.file.unlink(missing_ok=True)


def _whole_lines(text: str) -> Iterator[dict[str, Any]]:
    """The objects in the lines of a text; a line that was cut off is none."""
    for _, line in numbered_lines(text):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
