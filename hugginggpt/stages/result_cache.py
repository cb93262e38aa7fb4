"""A cache of inference results: the same model on the same inputs is not run again.

An entry is a small JSON file named by the digest of endpoint, model, task and arguments (files by their
content); the generated files that it names stay in the public folder, and it is invalid when they are gone.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from hugginggpt.common.atomic_files import atomic_write_text, remove_partial
from hugginggpt.core.errors import MediaError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.results import INVALID_RESULT_ERRORS, ResultSchema, files_of
from hugginggpt.media.store import MediaStore

log = logging.getLogger(__name__)


class ResultCache:
    """A folder of results, bounded in bytes; the least recently used are evicted first."""

    def __init__(self, folder: Path, max_bytes: int, media: MediaStore) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self.media = media
        self._lock = threading.Lock()

    def key(self, endpoint: str, model: str, task: str, args: Mapping[str, Any]) -> str:
        """The digest of an inference. Arguments are texts, lists of texts, or local files."""
        digest = hashlib.sha256(json.dumps([endpoint, model, task]).encode())
        for name in sorted(args):
            digest.update(f"\0{name}\0".encode())
            value = args[name]
            if isinstance(value, Path):
                with value.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
            else:
                digest.update(json.dumps(value, sort_keys=True, default=str).encode())
        return digest.hexdigest()

    def get(self, key: str, schema: ResultSchema) -> Any | None:
        """The result; None if there is none, if it does not fit the schema, or if a file of it is gone."""
        file = self.folder / f"{key}.json"
        try:
            text = file.read_bytes()
            file.touch()
        except OSError:
            return None
        try:
            value = read_json(text)
            whole = schema.validate(value) == value and all(self.media.resolve(path) for path in files_of(value))
        except (*INVALID_RESULT_ERRORS, MediaError):
            whole = False
        if whole:
            return value
        with suppress(OSError):
            file.unlink()
        return None

    def put(self, key: str, value: Any) -> None:
        """Stores a result; a folder that cannot be written to is not an error."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            atomic_write_text(self.folder / f"{key}.json", json.dumps(value, ensure_ascii=False))
            self._shrink()
        except (OSError, TypeError, ValueError) as error:
            log.warning("A result cannot be kept in %s: %s", self.folder, error)

    def _shrink(self) -> None:
        with self._lock:
            remove_partial(self.folder)
            entries = sorted(
                ((file.stat().st_mtime, file.stat().st_size, file) for file in self.folder.glob("*.json")), reverse=True
            )
            total = 0
            for _, size, file in entries:
                total += size
                if total > self.max_bytes:
                    file.unlink(missing_ok=True)
