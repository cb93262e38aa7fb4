"""Folders by their descriptors: walked without following links, regular files only.

A path that is checked first and opened later may name another file by then. Here each folder on the way is opened from
the one before it, links are refused by the kernel (O_NOFOLLOW), and a file is looked at after it was opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MAX_DEPTH = 16
"""The most folders, one within the other, that are walked."""
SUPPORTED = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether the system has directory descriptors: Linux and macOS do, Windows does not."""
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_RDONLY
_FILE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)
PIECE_BYTES = 1_000_000


class NotRegular(OSError):
    """What has the name is a link, a device, a pipe or a folder instead of a file."""


@dataclass(frozen=True)
class Entry:
    """What a walk comes across: a path relative to its start, and the status of what is there."""

    path: str
    status: os.stat_result

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self.status.st_size

    @property
    def depth(self) -> int:
        """The number of folders that it is in; what is in a folder of depth MAX_DEPTH is not walked."""
        return self.path.count("/")

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.status.st_mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)


@contextmanager
def opened(root: Path, parts: Sequence[str] = (), *, make: bool = False) -> Iterator[int]:
    """The descriptor of a folder below `root`, which may itself be reached by links.

    `make` creates the folders that are missing. Raises OSError.
    """
    folder = os.open(root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        for part in parts:
            if make and not _exists(part, folder):
                os.mkdir(part, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def status_of(name: str, folder: int) -> os.stat_result | None:
    """The status of what has that name in the folder, links not followed; None if there is nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _exists(name: str, folder: int) -> bool:
    return status_of(name, folder) is not None


def read_file(name: str, folder: int, most: int) -> bytes:
    """The content of a regular file of at most `most` bytes. Raises NotRegular, OverflowError if larger, OSError."""
    with opened_file(name, folder) as file:
        content = b""
        while len(content) <= most and (piece := os.read(file, min(PIECE_BYTES, most + 1 - len(content)))):
            content += piece
    if len(content) > most:
        raise OverflowError
    return content


@contextmanager
def opened_file(name: str, folder: int) -> Iterator[int]:
    """The descriptor of a regular file, for reading; nothing else is waited for. Raises NotRegular, OSError."""
    before = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(before.st_mode):
        raise NotRegular(name)
    file = os.open(name, os.O_RDONLY | _FILE, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):  # it was exchanged in between
            raise NotRegular(name)
        yield file
    finally:
        os.close(file)


def write_new(name: str, folder: int, content: bytes) -> None:
    """Writes a file that does not exist yet; an unfinished one is removed. Raises OSError."""
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o644, dir_fd=folder)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(file, view[:PIECE_BYTES]) :]
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(file)


def walk(folder: int, within: str = "", depth: int = MAX_DEPTH) -> Iterator[Entry]:
    """Everything below an open folder: files, folders, links (not followed) and others, each folder before its content.

    What vanishes or cannot be read while it is walked is left out.
    """
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        status = status_of(name, folder)
        if status is None:
            continue
        entry = Entry(f"{within}{name}", status)
        yield entry
        if entry.is_folder and depth:
            try:
                inner = os.open(name, _FOLDER, dir_fd=folder)
            except OSError:
                continue
            try:
                yield from walk(inner, f"{entry.path}/", depth - 1)
            finally:
                os.close(inner)
