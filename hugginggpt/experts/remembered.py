"""What experts read from a file is remembered by its content: a page is not recognised anew for every question.

A function that is `remembered` is computed once for a file's content while a cache is in use (`remembering`), in
whatever process; without one it is computed each time.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any

from hugginggpt.common.content_cache import ContentCache, content_key


@dataclass(slots=True)
class Use:
    """The use of a cache by one inference; `hits` counts what was remembered."""

    values: ContentCache
    hits: int = 0


DECODERS = ("pillow", "pi-heif", "av", "pypdfium2")
"""The distributions that turn files into pictures, sound and pages."""
_use: ContextVar[Use | None] = ContextVar("_use", default=None)


@contextmanager
def remembering(values: ContentCache | None) -> Iterator[Use | None]:
    """Readings are remembered in `values` within the block."""
    use = Use(values) if values else None
    token = _use.set(use)
    try:
        yield use
    finally:
        _use.reset(token)


def remembered(*packages: str) -> Callable[[Callable[[Path], Any]], Callable[[Path], Any]]:
    """Marks a deterministic function of one file, whose value is JSON, that these packages compute."""

    def mark(function: Callable[[Path], Any]) -> Callable[[Path], Any]:
        @wraps(function)
        def recall(file: Path) -> Any:
            use = _use.get()
            if use is None:
                return function(file)
            name = f"{function.__module__}.{function.__qualname__}"
            key = content_key([name, source_version(function.__module__), *versions(packages)], {"file": file})
            if (value := use.values.get(key)) is not None:
                use.hits += 1
                return value
            value = function(file)
            use.values.put(key, value)
            return value

        return recall

    return mark


@cache
def source_version(module: str) -> str:
    """A digest of an expert's module, of those of this package, and of what decodes files for them, with the versions
    of the libraries that do: a changed expert or decoder is another one.
    """
    own = getattr(sys.modules.get(module), "__file__", None)
    digest = hashlib.sha256()
    here = Path(__file__).parent
    sources = {*([Path(own)] if own else []), *here.glob("*.py"), *(here.parent / "media").rglob("*.py")}
    for source in sorted(sources):
        digest.update(source.read_bytes())
    for decoder in DECODERS:
        with suppress(importlib.metadata.PackageNotFoundError):
            digest.update(f"{decoder} {importlib.metadata.version(decoder)}".encode())
    return digest.hexdigest()


@cache
def versions(packages: tuple[str, ...]) -> tuple[str, ...]:
    """The versions of the distributions that provide these packages."""
    by_package = importlib.metadata.packages_distributions()
    names = [name for package in packages for name in by_package.get(package, ())]
    return tuple(f"{name} {importlib.metadata.version(name)}" for name in names)
