"""Atomic writes of text files: a file is complete or absent, whatever happens while it is written."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from pathlib import Path

PARTIAL = ".part"
WRITER_ID = uuid.uuid4().hex[:8]
"""Marks the partial files of this process, which never count as abandoned, even if the clock jumps."""
ABANDONED_SECONDS = 3600
"""The age after which a partial file counts as abandoned by a process that has ended."""


def atomic_write_text(file: Path, text: str) -> None:
    """Writes a text file atomically. Raises OSError, and then leaves nothing behind."""
    partial = file.with_name(f"{WRITER_ID}-{uuid.uuid4().hex}{PARTIAL}")
    try:
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def remove_partial(folder: Path) -> None:
    """Removes the partial files that killed processes left in a folder."""
    for name in os.listdir(folder):  # noqa: PTH208  by name: a hundred times as fast as paths
        if name.endswith(PARTIAL) and not name.startswith(WRITER_ID):
            partial = folder / name
            with suppress(FileNotFoundError):  # another process has removed it
                if abs(time.time() - partial.stat().st_mtime) > ABANDONED_SECONDS:
                    partial.unlink()
