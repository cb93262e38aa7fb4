"""Text files that are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from pathlib import Path

PARTIAL = ".part"
WRITER_ID = uuid.uuid4().hex[:8]
"""Marks what this program is writing, which is never abandoned, however the clock jumps."""
ABANDONED_SECONDS = 3600
"""After so long, a file that was being written has been left behind by a program that is gone."""


def atomic_write_text(file: Path, text: str) -> None:
    """Writes a text file in one step, as others see it. Raises OSError, and leaves nothing behind then."""
    partial = file.with_name(f"{WRITER_ID}-{uuid.uuid4().hex}{PARTIAL}")
    try:
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def remove_partial(folder: Path) -> None:
    """Removes what programs that were killed in the middle of `atomic_write_text` left in a folder."""
    for name in os.listdir(folder):  # noqa: PTH208  by name: a hundred times as fast as paths
        if name.endswith(PARTIAL) and not name.startswith(WRITER_ID):
            partial = folder / name
            with suppress(FileNotFoundError):  # another program was quicker
                if abs(time.time() - partial.stat().st_mtime) > ABANDONED_SECONDS:
                    partial.unlink()
