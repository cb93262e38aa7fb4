"""Imports without what a library imports only in case: thinc (under spaCy) takes torch along if it is installed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType


class _Missing:
    """A finder that says to one thread that some packages are not installed."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages
        self.thread = threading.get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name in self.packages and threading.get_ident() == self.thread:
            raise ModuleNotFoundError(f"{name} is left out of this import.", name=name)


@contextmanager
def as_if_missing(*packages: str) -> Iterator[None]:
    """Until the block ends, imports of this thread do not find the packages; those imported before are not affected."""
    finder = _Missing(frozenset(packages))
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
