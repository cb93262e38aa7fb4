"""Locks on files, which end with the process that holds them."""

from __future__ import annotations

from typing import IO, Any


def lock(stream: IO[Any]) -> None:
    """Locks an open file for this process; nowhere without fcntl. Raises BlockingIOError if another one has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
