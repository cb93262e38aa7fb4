"""The extras of the project that install the packages of experts."""

from __future__ import annotations

import importlib.util
from functools import cache

USUAL, MORE = "experts", "more-experts"
"""The second one is for experts with large weights."""


@cache
def is_installed(package: str) -> bool:
    """Whether a package is there; it is not imported."""
    return importlib.util.find_spec(package) is not None
