"""A folder of JSON values by the digest of what they were computed from.

It holds neither names of files nor anything but JSON; it is bounded in bytes and days, several processes may use it at
once, and a damaged entry counts as none.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from hugginggpt.common.atomic_files import atomic_write_text, remove_partial
from hugginggpt.core.lenient_json import read_json

log = logging.getLogger(__name__)
SECONDS_PER_DAY = 86_400


def content_key(names: list[str], inputs: Mapping[str, Any]) -> str:
    """The SHA-256 digest of names and inputs, in hexadecimal; of a path, also in a list, the content counts."""
    digest = hashlib.sha256(json.dumps(names).encode())
    for name in sorted(inputs):
        digest.update(f"\0{name}\0".encode())
        digest.update(json.dumps(inputs[name], sort_keys=True, default=_content_digest).encode())
    return digest.hexdigest()


def _content_digest(value: object) -> list[str]:
    """What stands for a value that is no JSON: for a file the digest of its content."""
    if not isinstance(value, Path):
        return [str(value)]
    with value.open("rb") as file:
        return [hashlib.file_digest(file, "sha256").hexdigest()]


class ContentCache:
    """At most `max_bytes` of values: the least recently used are evicted first, and those unused for `max_days`."""

    def __init__(self, folder: Path, max_bytes: int, max_days: float = float("inf")) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self.max_seconds = max_days * SECONDS_PER_DAY
        self._lock = threading.Lock()
        self._written = max_bytes
        """Bytes since the folder was looked through."""

    def get(self, key: str) -> Any | None:
        """The value; None where there is none that can be read."""
        file = self._file(key)
        try:
            text = file.read_bytes()
            if time.time() - file.stat().st_mtime > self.max_seconds:
                return None
            file.touch()
        except OSError:
            return None
        try:
            value = read_json(text)
        except ValueError:
            value = None
        if value is None:
            self.forget(key)
        return value

    def put(self, key: str, value: Any) -> None:
        """Stores a value of JSON; a folder that cannot be written to is not an error."""
        try:
            text = json.dumps(value, ensure_ascii=False)
            self.folder.mkdir(parents=True, exist_ok=True)
            atomic_write_text(self._file(key), text)
            self._shrink(len(text))
        except (OSError, TypeError, ValueError) as error:
            log.warning("A result cannot be kept in %s: %s", self.folder, error)

    def forget(self, key: str) -> None:
        with suppress(OSError):
            self._file(key).unlink()

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _shrink(self, written: int) -> None:
        """Evicts what is too much or too old, whenever a twentieth of the bound has been written."""
        with self._lock:
            self._written += written
            if self._written < self.max_bytes / 20:
                return
            self._written = 0
            remove_partial(self.folder)
            entries: list[tuple[float, int, Path]] = []
            for file in self.folder.glob("*.json"):
                with suppress(OSError):  # another process has removed it
                    entries.append(((status := file.stat()).st_mtime, status.st_size, file))
            total = 0
            for used, size, file in sorted(entries, reverse=True):
                total += size
                if total > self.max_bytes or time.time() - used > self.max_seconds:
                    file.unlink(missing_ok=True)
