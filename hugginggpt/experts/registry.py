"""The registry of embedded experts, by task."""

from __future__ import annotations

import importlib
import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hugginggpt.common import plugins
from hugginggpt.common.paths import install_command
from hugginggpt.core.errors import BackendError, ExpertUnavailable, HuggingGPTError
from hugginggpt.experts.extras import USUAL, is_installed, program_path
from hugginggpt.experts.remembered import source_version, versions

MODULES = (
    "text",
    "vision",
    "objects",
    "control",
    "upscaling",
    "styling",
    "safety",
    "documents",
    "pictures",
    "speech",
    "speaking",
    "sound_events",
    "audio",
    "tabular",
    "table_operations",
    "outlines",
    "measuring",
    "picture_operations",
    "picture_hiding",
    "picture_marks",
    "slideshows",
    "sound_operations",
    "video_operations",
    "text_differences",
    "text_operations",
    "translation",
    "document_operations",
    "page_tables",
)


@dataclass(frozen=True, slots=True)
class Expert:
    """A model that comes with the project or a plug-in. `packages` are its requirements, which an `extra` of the
    project installs; one that is `deterministic` gives the same result for the same arguments; `aspects` are those of
    its task that it covers (`core.task_aspects`), None for all. A `program` is one of the system that it runs, and
    `how` says how that is installed.
    """

    id: str
    task: str
    about: str
    function: Callable[..., Any]
    packages: tuple[str, ...] = ()
    deterministic: bool = True
    aspects: tuple[str, ...] | None = None
    extra: str = USUAL
    program: str = ""
    how: str = ""

    def covers(self, aspect: str) -> bool:
        """Whether it does its task in that respect; "" stands for the task in general. Without its program it does not:
        that is no part of this project, which others may have told to install.
        """
        return not self._lacks_program and (not aspect or self.aspects is None or aspect in self.aspects)

    @property
    def _lacks_program(self) -> bool:
        return bool(self.program) and program_path(self.program) is None

    @property
    def version(self) -> str | None:
        """What its results depend on besides its arguments: its source and packages; None where they differ anyway."""
        if not self.deterministic or self.missing:
            return None
        return " ".join((source_version(self.function.__module__), *versions(self.packages)))

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed, and the program."""
        packages = [package for package in self.packages if not is_installed(package)]
        return [*packages, *([self.program] if self._lacks_program else [])]

    @property
    def remedy(self) -> str:
        """How its packages are installed, as an extra of the project or those that a plug-in's expert names; or how its
        program is.
        """
        if self._lacks_program and self.how:
            return self.how
        if self.function.__module__.startswith(f"{__package__}."):
            return install_command(self.extra)
        return f"install {', '.join(self.missing or self.packages)} for {self.id}"

    def run(self, **args: Any) -> Any:
        """The expert's result. Raises BackendError when it fails, ExpertUnavailable when a package is missing."""
        try:
            return self.function(**args)
        except HuggingGPTError:
            raise
        except ModuleNotFoundError as error:
            raise ExpertUnavailable(f"{self.id} needs the package {error.name}: {self.remedy}") from error
        except Exception as error:  # an expert's own failure is the task's failure, not the program's
            raise BackendError(f"{self.id} failed: {type(error).__name__}: {error}") from error


_experts: dict[str, dict[str, Expert]] = defaultdict(dict)


def expert(
    id: str,
    task: str,
    about: str,
    packages: tuple[str, ...] = (),
    deterministic: bool = True,
    aspects: tuple[str, ...] | None = None,
    extra: str = USUAL,
    program: str = "",
    how: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as an expert for a task, and for some `aspects` of it (None for all).

    Raises ValueError for an id that another function has there.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        known = _experts[task].get(id)
        if known and _name(known.function) != _name(function):
            raise ValueError(f"there is an expert {id} for {task} already")
        _experts[task][id] = Expert(id, task, about, function, packages, deterministic, aspects, extra, program, how)
        return function

    return register


def _name(function: Callable[..., Any]) -> tuple[str, str]:
    """The identity of a function, which is the same after a module is imported again."""
    return function.__module__, function.__qualname__


@cache
def _load() -> None:
    # onnxruntime's Linux builds since 1.29 report each loaded model to Microsoft unless this is set before the import.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    for module in MODULES:
        importlib.import_module(f"hugginggpt.experts.{module}")
    plugins.load(plugins.EXPERT_GROUP)


def experts_for(task: str) -> list[Expert]:
    """The experts for a task, the best first."""
    _load()
    return list(_experts.get(task, {}).values())


def all_experts() -> list[Expert]:
    _load()
    return [expert for by_id in _experts.values() for expert in by_id.values()]


def expert_for(id: str, task: str) -> Expert:
    """The expert of that id for that task. Raises ExpertUnavailable."""
    _load()
    try:
        return _experts[task][id]
    except KeyError:
        raise ExpertUnavailable(f"There is no embedded expert {id} for {task}.") from None
