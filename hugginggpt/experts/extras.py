"""The extras of the project that install the packages of experts."""

from __future__ import annotations

import importlib.util
import shutil
from functools import cache

USUAL, MORE = "experts", "more-experts"
"""The second one is for experts with large weights."""
NONE = ""
"""For experts that run a program of the system, which no extra installs."""


@cache
def is_installed(package: str) -> bool:
    """Whether a package is there; it is not imported."""
    return importlib.util.find_spec(package) is not None


def program_path(program: str) -> str | None:
    """Where a program of the system is; None where it is not installed."""
    return shutil.which(program)
