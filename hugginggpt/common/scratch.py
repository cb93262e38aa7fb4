"""Temporary files and folders whose names say which process made them: what a killed one left is removed later."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

HUGGINGGPT = "hugginggpt"
PROCESS = re.compile(r"([0-9]{1,9})-")
"""The number of the process in a name; a longer number is none of a process."""


def scratch_prefix(kind: str = HUGGINGGPT) -> str:
    """The beginning of the names of this process's temporary files; containers may share the temporary folder."""
    return f"{_host_prefix(kind)}{os.getpid()}-"


def remove_abandoned(kind: str = HUGGINGGPT, remove: Callable[[Path], None] | None = None) -> None:
    """Removes what processes of this host and user that are gone have left; folders by `remove`, if it is given."""
    prefix = _host_prefix(kind)
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        found = PROCESS.match(path.name.removeprefix(prefix))
        with suppress(OSError):  # another process removes it, too
            if not found or not _is_own(path) or _lives(int(found[1])):
                continue
            if path.is_symlink() or not path.is_dir():
                path.unlink()
            elif remove:
                remove(path)
            else:
                shutil.rmtree(path, ignore_errors=True)


def _host_prefix(kind: str) -> str:
    return f"{kind}-{zlib.crc32(socket.gethostname().encode()):08x}-"


def _is_own(path: Path) -> bool:
    """Whether it belongs to this user; on Windows each user has a temporary folder of their own."""
    return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()


def _lives(process: int) -> bool:
    import psutil

    return bool(psutil.pid_exists(process))
