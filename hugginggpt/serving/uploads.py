"""Uploaded files of a request, in a temporary folder that is removed with the request, or at the next start."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
from werkzeug.datastructures import FileStorage

_PREFIX = f"models-server-{zlib.crc32(socket.gethostname().encode()):08x}-"
"""The prefix of this host's folders, followed by the process id; containers may share the temporary folder."""


@contextmanager
def saved_uploads(files: Mapping[str, FileStorage]) -> Iterator[dict[str, Path]]:
    """The files of a multipart request as local files, within the context."""
    if not files:
        yield {}
        return
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        saved: dict[str, Path] = {}
        for number, (name, file) in enumerate(files.items()):
            path = folder / f"{number}{Path(file.filename or '').suffix[:10]}"
            file.save(path)
            saved[name] = path
        yield saved
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned_uploads() -> None:
    """Removes the uploads of servers on this host that were killed during a request."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if process.isdigit() and not psutil.pid_exists(int(process)):
            shutil.rmtree(folder, ignore_errors=True)
