"""What installed packages add: objects that they name under entry points of their metadata.

The groups are `hugginggpt.tasks` (rows of the task table), `hugginggpt.experts` (modules that register experts or model
families) and `hugginggpt.endpoints` (functions that make endpoints). A package that is broken is left out with one
warning that names it.
"""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

log = logging.getLogger(__name__)

TASK_GROUP, EXPERT_GROUP, ENDPOINT_GROUP = "hugginggpt.tasks", "hugginggpt.experts", "hugginggpt.endpoints"
"""The groups of entry points."""
_reported: set[str] = set()


@dataclass(frozen=True, slots=True)
class Plugin:
    """An object of a package; `package` is the name of the distribution that it came with."""

    package: str
    value: Any

    def reject(self, error: object) -> None:
        """Says that the package's object cannot be used, once a package and reason."""
        self.warn(f"The plug-in {self.package} is left out", error)

    def warn(self, what: str, error: object) -> None:
        """Logs what is wrong with the package and why, once."""
        text = f"{what}: {error}"
        if text not in _reported:
            _reported.add(text)
            log.warning("%s", text)


@cache
def load(group: str) -> tuple[Plugin, ...]:
    """The objects of a group of entry points, each package's imported once."""
    plugins = []
    for entry_point in _entry_points().get(group, ()):
        package = entry_point.dist.name if entry_point.dist else entry_point.name
        try:
            plugins.append(Plugin(package, entry_point.load()))
        except (Exception, SystemExit) as error:
            Plugin(package, None).reject(f"{entry_point.value} cannot be imported: {type(error).__name__}: {error}")
    return tuple(plugins)


@cache
def _entry_points() -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of the three groups: the installed packages are looked through once."""
    if not any(map(_names_a_group, sys.path)):
        return {}
    known = entry_points()
    return {group: tuple(known.select(group=group)) for group in (TASK_GROUP, EXPERT_GROUP, ENDPOINT_GROUP)}


def _names_a_group(folder: str) -> bool:
    """Whether a package in a folder of the import path has entry points for us.

    Nearly always none has, and to look for their names takes a fraction of the time of reading all metadata.
    """
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208  by name: several times as fast as paths
    except OSError:  # not there, or a zip file, which is not looked into
        return os.path.isfile(folder)  # noqa: PTH113
    return any(_has_group(f"{folder or '.'}/{name}/entry_points.txt") for name in names if name.endswith("-info"))


def _has_group(file: str) -> bool:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123
            return b"[hugginggpt." in stream.read()
    except OSError:
        return False
