"""Which models the server can run, and where their folders are.

Models come from four places: those of the configuration (`models_server.models`), the deployment, the
catalogue (each as far as its weights lie in the Hub's cache on this machine), and the embedded experts.
Nothing is downloaded here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hugginggpt.catalog import Catalog
from hugginggpt.config import Config
from hugginggpt.errors import ConfigError, ExpertUnavailable
from hugginggpt.experts import registry
from hugginggpt.experts.source import MODEL_ID
from hugginggpt.tasks import TASKS, find_task_type

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """A model on the shelf: the tasks it is for, and its folder; none for an embedded expert."""

    id: str
    tasks: tuple[str, ...]
    folder: Path | None = None
    about: str = ""

    @property
    def embedded(self) -> bool:
        return self.folder is None


class Shelf:
    """Finds models by id."""

    def __init__(self, config: Config, catalog: Catalog) -> None:
        self.config = config
        self.catalog = catalog
        self.own = {model.id: model for model in config.models_server.models}
        self.deployed = config.deployed()
        self.extra: dict[str, Entry] = {}

    def find(self, model: str) -> Entry | None:
        """The entry for an id; None for one that is unknown or whose weights are not on this machine."""
        if not MODEL_ID.fullmatch(model) or ".." in model:
            return None
        if model in self.extra:
            return self.extra[model]
        if model in self.own:
            own = self.own[model]
            return Entry(model, (own.task,), self.config.path(own.path) if own.path else cached_folder(model))
        experts = [expert for expert in registry.all_experts() if expert.id == model and not expert.missing]
        if experts:
            return Entry(model, tuple(expert.task for expert in experts), about=experts[0].about)
        if self.config.local_deployment == "minimal" and model not in self.deployed:
            return None
        folder = cached_folder(model)
        tasks = self._tasks(model, folder) if folder else ()
        return Entry(model, tasks, folder) if folder and tasks else None

    def _tasks(self, model: str, folder: Path) -> tuple[str, ...]:
        """What a model is for: by the deployment, the catalogue, or its own card."""
        known = self.deployed.get(model) or tuple(
            card.task for task in TASKS for card in self.catalog.models(task) if card.id == model
        )
        return known or _task_of_card(folder)

    def add(self, name: str) -> Entry:
        """Puts a model on the shelf, by id or by folder with an optional `:task`. Raises ConfigError."""
        path, _, task = name.rpartition(":") if ":" in name else (name, "", "")
        folder = Path(path).expanduser()
        if not folder.is_dir():
            found = self.find(name)
            if found is None:
                raise ConfigError(f"The model {name} is not on this machine: --download it, or give its folder.")
            return found
        row = find_task_type(task) if task else None
        tasks = (row.name,) if row else _task_of_card(folder)
        if not tasks:
            raise ConfigError(f"Say what the model in {folder} is for: {folder}:TASK.")
        entry = Entry(folder.resolve().name, tasks, folder.resolve())
        self.extra[entry.id] = entry
        return entry

    def entries(self) -> Iterator[Entry]:
        """All models that can be run now, each once."""
        catalogued = [card.id for task in TASKS for card in self.catalog.models(task)]
        embedded = [expert.id for expert in registry.all_experts()]
        for model in dict.fromkeys([*self.extra, *self.own, *embedded, *self.deployed, *catalogued]):
            try:
                entry = self.find(model)
            except ExpertUnavailable as error:
                log.warning("%s", error)
                continue
            if entry:
                yield entry


def cached_folder(model: str) -> Path | None:
    """The folder of a model in the Hub's cache on this machine, None where it is not there."""
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    if not (Path(constants.HF_HUB_CACHE) / f"models--{model.replace('/', '--')}").is_dir():
        return None
    try:
        return Path(snapshot_download(model, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        return None


def _task_of_card(folder: Path) -> tuple[str, ...]:
    """The task that a model's README.md names (pipeline_tag), as far as the table knows it."""
    from huggingface_hub import ModelCard

    try:
        tag = ModelCard.load(folder / "README.md").data.pipeline_tag
    except (OSError, ValueError):
        return ()
    row = find_task_type(tag or "")
    return (row.name,) if row else ()
