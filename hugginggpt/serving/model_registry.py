"""The models that the server can run, and their folders.

Models have four sources: the configuration (`models_server.models`), the deployment, the catalogue (each as far as the
weights are in the Hub's cache on this machine), and the embedded experts. Some have no weights and run the model of
another task: midas-control that of depth estimation. Nothing is downloaded here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hugginggpt.catalog.catalog import Catalog
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError, ExpertUnavailable
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import registry
from hugginggpt.experts.families import fits, lender_of
from hugginggpt.experts.quantization import NONE
from hugginggpt.experts.source import GGUF_SUFFIX, MODEL_ID, Placement, Source, cached_folder
from hugginggpt.tables import known_task

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered model: its tasks, its folder or GGUF file, None for an embedded expert, and how it is quantised."""

    id: str
    tasks: tuple[str, ...]
    folder: Path | None = None
    about: str = ""
    quantize: str = NONE

    @property
    def embedded(self) -> bool:
        return self.folder is None


class ModelRegistry:
    """Looks up models by id, for the tasks of a table."""

    def __init__(self, config: Config, catalog: Catalog, table: TaskTable) -> None:
        self.config = config
        self.table = table
        self.catalog = catalog
        self.configured = {model.id: model for model in config.models_server.models}
        self.deployed = config.deployed()
        self.added: dict[str, Entry] = {}

    def find(self, model: str) -> Entry | None:
        """The entry for an id; None for an unknown one, or without its weights on this machine."""
        if not MODEL_ID.fullmatch(model) or ".." in model:
            return None
        if model in self.added:
            return self.added[model]
        if model in self.configured:
            settings = self.configured[model]
            path = self.config.path(settings.path) if settings.path else cached_folder(model)
            return self._entry(model, (self.table.canonical(settings.task),), path) if path else None
        borrowed = self._borrowed(model)
        if borrowed:
            return borrowed
        runnable = [expert for expert in registry.all_experts() if expert.id == model and not expert.missing]
        experts = [expert for expert in runnable if expert.task in self.table]  # a plug-in may name one there is not
        if experts:
            return Entry(model, tuple(expert.task for expert in experts), about=experts[0].about)
        if self.config.local_deployment == "minimal" and model not in self.deployed:
            return None
        folder = cached_folder(model)
        tasks = self._tasks(model, folder) if folder else ()
        return self._entry(model, tasks, folder) if folder and tasks else None

    def _entry(self, model: str, tasks: tuple[str, ...], folder: Path) -> Entry:
        """A model with weights of its own. A GGUF file is quantised when it is made."""
        own = self.configured[model].quantize if model in self.configured else None
        quantize = NONE if folder.suffix == GGUF_SUFFIX else own or self.config.models_server.quantize
        return Entry(model, tasks, folder, quantize=quantize)

    def lender(self, model: str) -> str:
        """The task whose models a fixed model of the task table runs; "" for a model with its own weights."""
        return next((lender_of(row.name) for row in self.table if model in row.models and lender_of(row.name)), "")

    def _borrowed(self, model: str) -> Entry | None:
        """The entry for a model that runs the weights of another one, if a suitable one is on this machine."""
        lender = self.lender(model)
        if not lender:
            return None
        task = next(row.name for row in self.table if model in row.models)
        for folder in self._folders(lender):
            if fits(Source(model, folder, task, Placement("cpu", "float32"))):
                return self._entry(model, (task,), folder)
        return None

    def _folders(self, task: str) -> Iterator[Path]:
        """The folders of the models for a task: first the added ones, then configured, deployed, and others."""
        yield from (entry.folder for entry in self.added.values() if task in entry.tasks and entry.folder)
        configured = (model for model in self.configured.values() if self.table.canonical(model.task) == task)
        yield from (self.config.path(model.path) for model in configured if model.path)
        deployed = [model for model, tasks in self.config.deployed("full").items() if task in tasks]
        for model in dict.fromkeys([*deployed, *(card.id for card in self.catalog.models(task))]):
            folder = cached_folder(model)
            if folder:
                yield folder

    def _tasks(self, model: str, folder: Path) -> tuple[str, ...]:
        """The tasks of a model, by the deployment, the catalogue or its model card."""
        known_tasks = self.deployed.get(model) or tuple(
            row.name for row in self.table for card in self.catalog.models(row.name) if card.id == model
        )
        return known_tasks or self._task_of_card(folder)

    def add(self, name: str) -> Entry:
        """Registers a model by id, or by folder or GGUF file with an optional `:task`. Raises ConfigError."""
        path, _, task = name.rpartition(":") if ":" in name else (name, "", "")
        folder = Path(path).expanduser()
        is_file = folder.suffix == GGUF_SUFFIX and folder.is_file()
        if not folder.is_dir() and not is_file:
            registered = self.find(name)
            if registered is None:
                raise ConfigError(f"The model {name} is not on this machine: --download it, or give its folder.")
            return registered
        try:
            tasks = (known_task(self.table, task).name,) if task else self._tasks_of(folder)
        except ValueError as error:
            raise ConfigError(f"The end of {name} {error}.") from error
        if not tasks:
            raise ConfigError(f"Say what the model in {folder} is for: {folder}:TASK.")
        entry = self._entry(folder.resolve().stem if is_file else folder.resolve().name, tasks, folder.resolve())
        existing = self.added.get(entry.id)
        if not MODEL_ID.fullmatch(entry.id) or (existing and existing.folder != entry.folder):
            allowed = "letters, digits, dots, dashes and underscores make an id"
            why = f"{existing.folder} has it, too" if existing else allowed
            raise ConfigError(f"The folder {folder} cannot be served under its name: {why}. Rename it.")
        self.added[entry.id] = entry
        return entry

    def entries(self) -> Iterator[Entry]:
        """All models that can be run now, each once."""
        catalogued = [card.id for row in self.table for card in self.catalog.models(row.name)]
        embedded = [expert.id for expert in registry.all_experts()]
        for model in dict.fromkeys([*self.added, *self.configured, *embedded, *self.deployed, *catalogued]):
            try:
                entry = self.find(model)
            except ExpertUnavailable as error:
                log.warning("%s", error)
                continue
            if entry:
                yield entry

    def _tasks_of(self, folder: Path) -> tuple[str, ...]:
        """The task of a folder's model card; a GGUF file is a language model, which replies to remarks."""
        if folder.is_file():
            return tuple(row.name for row in self.table if row.wording == "remark")[:1]
        return self._task_of_card(folder)

    def _task_of_card(self, folder: Path) -> tuple[str, ...]:
        """The task in a model's README.md (pipeline_tag), if it is in the task table."""
        from huggingface_hub import ModelCard

        try:
            tag = ModelCard.load(folder / "README.md").data.pipeline_tag
        except Exception:  # without a model card, or with broken YAML, it raises various errors
            return ()
        row = self.table.find(tag) if isinstance(tag, str) else None
        return (row.name,) if row else ()


def controlnet_base(config: Config) -> Path | None:
    """The folder of the Stable Diffusion model for ControlNets; None where it is not on this machine."""
    base = config.models_server.controlnet_base
    folder = config.path(base)
    return folder if folder.is_dir() else cached_folder(base)
