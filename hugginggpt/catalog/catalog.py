"""The model catalogue: the models for each task, from data/p0_models.jsonl (JARVIS's format)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from hugginggpt.common.paths import CATALOGUE
from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The description of a model; `is_own` tells that the configuration names it, so that it goes before others."""

    id: str
    task: str
    description: str = ""
    downloads: int = 0
    likes: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict)
    is_own: bool = False


class Catalog:
    """Models by task, most downloaded first; the user's file is added to the one that comes with the project."""

    def __init__(self, *files: Path) -> None:
        self.files = files or (CATALOGUE,)

    def models(self, task: str) -> list[ModelCard]:
        return self._by_task.get(task, [])

    def tasks_of(self, model: str) -> list[str]:
        """The tasks for which a model is listed."""
        return [task for task, cards in self._by_task.items() if any(card.id == model for card in cards)]

    @cached_property
    def _by_task(self) -> dict[str, list[ModelCard]]:
        cards = {
            (card.id, card.task): card
            for file in self.files
            for card in (_project_cards() if file == CATALOGUE else _read(file))
        }
        by_task: dict[str, list[ModelCard]] = defaultdict(list)
        for card in sorted(cards.values(), key=lambda card: -card.downloads):
            by_task[card.task].append(card)
        return dict(by_task)


@cache
def _project_cards() -> tuple[ModelCard, ...]:
    return tuple(_read(CATALOGUE))


def make_catalog(config: Config) -> Catalog:
    """The catalogue as the configuration says."""
    return Catalog(config.catalog_file, *([config.path(config.catalog)] if config.catalog else []))


def _read(file: Path) -> Iterator[ModelCard]:
    """The models of a file; those marked {"meta": {"unfit": "why"}} are not chosen."""
    return (card for _, card in read_entries(file) if "unfit" not in card.meta)


def read_entries(file: Path) -> Iterator[tuple[dict[str, Any], ModelCard]]:
    """The models of a file, each as it stands there and as a card. Raises ConfigError, naming file and line."""
    for number, line in numbered_lines(read_text(file, "the model catalogue", ConfigError)):
        try:
            entry = json.loads(line)
            card = ModelCard(
                str(entry["id"]),
                str(entry["task"]),
                str(entry.get("description", "")),
                int(entry.get("downloads", 0)),
                int(entry.get("likes", 0)),
                dict(entry.get("meta") or {}),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f'{file}, line {number}: a model needs at least {{"id", "task"}} ({error!r}).') from error
        yield entry, card
