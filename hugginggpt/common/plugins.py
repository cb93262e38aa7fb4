"""What installed packages add: objects that they name under entry points of their metadata.

The groups are `hugginggpt.tasks` (rows of the task table), `hugginggpt.experts` (modules that register experts or model
families) and `hugginggpt.endpoints` (functions that make endpoints). A package that is broken is left out with one
warning that names it.
"""

from __future__ import annotations

import logging
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
        text = f"The plug-in {self.package} is left out: {error}"
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
    known = entry_points()
    return {group: tuple(known.select(group=group)) for group in (TASK_GROUP, EXPERT_GROUP, ENDPOINT_GROUP)}
