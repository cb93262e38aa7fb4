"""The folder in which a goal is worked on: what may be read and written there, and how much.

Paths are relative to it. No link is followed, neither in the name of a file nor of a folder on the way to it, even if
it is put there between the check and the use (`folders`). What is overwritten or deleted is kept in `.history`, which
the commands may read but not change.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from hugginggpt.common.atomic_files import ABANDONED_SECONDS, PARTIAL, WRITER_ID
from hugginggpt.core.errors import UserError
from hugginggpt.goals import folders
from hugginggpt.goals.folders import MAX_DEPTH, Entry

HISTORY = ".history"
FORMER, TRASH, UNFINISHED = "former", "trash", "unfinished"
COUNTED_SECONDS = 1.0
"""How long the counted size of the folder is relied upon: others may put files into it, too."""
SHOWN_CHARS = 120
EXCERPT_CHARS = 200


class WorkspaceError(UserError):
    """A path that is refused, a file that is missing or no text, or a limit that is reached."""


@dataclass(frozen=True)
class WorkspaceLimits:
    """How much a workspace holds; what is kept of former versions and deleted files counts, too."""

    file_bytes: int = 20_000_000
    total_bytes: int = 500_000_000
    files: int = 5000
    page_chars: int = 8000
    """The characters of a page that `read` returns."""
    matches: int = 200
    """The most matches of a search."""
    search_seconds: float = 5.0


@dataclass(frozen=True)
class FileReceipt:
    """A file as it was read back after writing."""

    path: str
    size: int
    """In bytes."""
    sha256: str
    former: str = ""
    """The path of the former version; empty if there was none."""


@dataclass(frozen=True)
class Page:
    """A page of a text, counted from 1."""

    text: str
    page: int
    pages: int


@dataclass(frozen=True)
class Match:
    """A file that a search met, or a line of it."""

    path: str
    size: int
    line: int = 0
    """The number of the line, counted from 1; 0 where the name is what matches."""
    excerpt: str = ""


@dataclass(frozen=True)
class Matches:
    """What a search met, in the order of the paths."""

    matches: tuple[Match, ...]
    complete: bool
    """Whether all was searched: a search ends at `matches` and `search_seconds`."""


class Workspace:
    """A folder, and the rules for what is done in it. Safe for several threads."""

    def __init__(self, root: Path, limits: WorkspaceLimits | None = None) -> None:
        """Creates the folder where it is missing. Raises WorkspaceError."""
        if not folders.SUPPORTED:
            raise WorkspaceError("A workspace needs Linux or macOS: this system has no directory descriptors.")
        self.limits = limits or WorkspaceLimits()
        self._lock = RLock()
        self._counted = (0, 0, -COUNTED_SECONDS)  # files, bytes, when
        try:
            root.mkdir(parents=True, exist_ok=True)
            self.root = root.resolve()
            self._remove_unfinished()
        except OSError as error:
            raise WorkspaceError(f"The workspace {root} cannot be used: {_reason(error)}.") from error

    # Writing

    def write(self, path: str, text: str | bytes) -> FileReceipt:
        """Writes a whole file, reads it back and keeps the former version. Raises WorkspaceError."""
        parts = self._changeable(path)
        if len(text) > self.limits.file_bytes:  # before a copy is made of it
            raise self._too_large(path, len(text))
        return self._replace(path, parts, b"", _encoded(text))

    def append(self, path: str, text: str) -> FileReceipt:
        """Adds to the end of a file, which may be new. Raises WorkspaceError."""
        parts = self._changeable(path)
        with self._lock:
            try:
                before = self.read_bytes(path)
            except Missing:
                before = b""
            if len(before) + len(text) > self.limits.file_bytes:
                raise self._too_large(path, len(before) + len(text))
            return self._replace(path, parts, before, _encoded(text))

    def delete(self, path: str) -> str:
        """Moves a file to the trash; returns its path there. Raises WorkspaceError."""
        *above, name = self._changeable(path)
        kept = self._kept_name(name)
        with (
            self._lock,
            self._explained(path),
            folders.opened(self.root, above) as folder,
            folders.opened_file(name, folder),
            folders.opened(self.root, (HISTORY, TRASH), make=True) as trash,
        ):
            os.rename(name, kept, src_dir_fd=folder, dst_dir_fd=trash)  # of a link, the link itself
        return f"{HISTORY}/{TRASH}/{kept}"

    def _replace(self, path: str, parts: tuple[str, ...], before: bytes, added: bytes) -> FileReceipt:
        """Gives a file the content `before`, which it has already, and `added`.

        The new content is complete before it gets its name, and a former version that it does not begin with is kept.
        """
        *above, name = parts
        content = before + added
        if len(content) > self.limits.file_bytes:
            raise self._too_large(path, len(content))
        digest = hashlib.sha256(content).hexdigest()
        with self._lock, self._explained(path):
            self._check_room(path, 0 if before else 1, len(added))
            with folders.opened(self.root, above, make=True) as folder:
                former = self._check_regular(name, folder) if before else self._keep_former(name, folder, digest)
                self._put(name, folder, content)
                read_back = hashlib.sha256(folders.read_file(name, folder, self.limits.file_bytes)).hexdigest()
            self._count_more(0 if before else 1, len(added))
        if read_back != digest:
            raise WorkspaceError(f"{_shown(path)} reads differently from what was written: write it again.")
        return FileReceipt("/".join(parts), len(content), digest, former)

    def _put(self, name: str, folder: int, content: bytes) -> None:
        unfinished = f"{WRITER_ID}-{uuid.uuid4().hex}{PARTIAL}"
        with folders.opened(self.root, (HISTORY, UNFINISHED), make=True) as drafts:
            folders.write_new(unfinished, drafts, content)
            try:
                os.rename(unfinished, name, src_dir_fd=drafts, dst_dir_fd=folder)
            except OSError:
                os.unlink(unfinished, dir_fd=drafts)
                raise

    def _check_regular(self, name: str, folder: int) -> str:
        """Raises NotRegular for what is neither a file nor missing."""
        with suppress(FileNotFoundError), folders.opened_file(name, folder):
            pass
        return ""

    def _keep_former(self, name: str, folder: int, digest: str) -> str:
        """Keeps the file of that name, if there is one of another content; returns its path in the history."""
        try:
            with folders.opened_file(name, folder) as file, os.fdopen(os.dup(file), "rb") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() == digest:
                    return ""
        except FileNotFoundError:
            return ""
        kept = self._kept_name(name)
        with folders.opened(self.root, (HISTORY, FORMER), make=True) as formers:
            os.link(name, kept, src_dir_fd=folder, dst_dir_fd=formers, follow_symlinks=False)
        return f"{HISTORY}/{FORMER}/{kept}"

    @staticmethod
    def _kept_name(name: str) -> str:
        """A name in the history: in the order of time, and never the same."""
        return f"{time.time_ns():020}-{uuid.uuid4().hex[:4]}-{name[-80:]}"

    # Reading

    def read(self, path: str, page: int = 1) -> Page:
        """A page of a text file in UTF-8. Raises WorkspaceError."""
        text = self.read_text(path)
        return paged(text, page, self.limits.page_chars, _shown(path))

    def read_text(self, path: str) -> str:
        """A whole text file in UTF-8. Raises WorkspaceError."""
        try:
            return self.read_bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise WorkspaceError(
                f"{_shown(path)} is not a text file in UTF-8: hugginggpt looks into pictures, recordings and documents."
            ) from error

    def read_bytes(self, path: str) -> bytes:
        """The content of a file. Raises WorkspaceError."""
        *above, name = parts_of(path)
        with self._explained(path), folders.opened(self.root, above) as folder:
            return folders.read_file(name, folder, self.limits.file_bytes)

    def search(self, directory: str = "", text: str = "") -> Matches:
        """The files in a folder and below it; with `text`, those whose name or lines contain it, in any case.

        A file in place of the folder is searched alone. Raises WorkspaceError.
        """
        parts, only = _folder_parts(directory), ""
        if parts and self._is_file(parts):
            *above, only = parts
            parts = tuple(above)
        deadline = time.monotonic() + self.limits.search_seconds
        matches: list[Match] = []
        with self._explained(directory or "."), folders.opened(self.root, parts) as folder:
            for entry in folders.walk(folder):
                if time.monotonic() > deadline:
                    return Matches(tuple(matches), False)
                if not entry.is_file or (not parts and entry.path.startswith(f"{HISTORY}/")):
                    continue
                if only and entry.path != only:
                    continue
                for match in self._matches_in("/".join((*parts, entry.path)), entry, text.casefold()):
                    if len(matches) == self.limits.matches:
                        return Matches(tuple(matches), False)
                    matches.append(match)
        return Matches(tuple(matches), True)

    def _is_file(self, parts: Sequence[str]) -> bool:
        with self._explained("/".join(parts)), folders.opened(self.root, parts[:-1]) as folder:
            status = folders.status_of(parts[-1], folder)
            return status is not None and stat.S_ISREG(status.st_mode)

    def _matches_in(self, path: str, entry: Entry, text: str) -> Iterator[Match]:
        if text in path.casefold():
            yield Match(path, entry.size)
        if not text:
            return
        try:
            lines = self.read_text(path).splitlines()
        except WorkspaceError:  # no text, too large, or gone
            return
        for number, line in enumerate(lines, 1):
            at = line.casefold().find(text)
            if at >= 0:
                start = max(0, at - EXCERPT_CHARS // 2)
                yield Match(path, entry.size, number, line[start : start + EXCERPT_CHARS])

    def files(self) -> list[Entry]:
        """All regular files but those of the history."""
        with self._explained("."), folders.opened(self.root) as folder:
            return [e for e in folders.walk(folder) if e.is_file and not e.path.startswith(f"{HISTORY}/")]

    # Limits

    def room(self) -> tuple[int, int]:
        """The files and the bytes that may still be written."""
        with self._lock:
            files, size = self._count()
        return max(0, self.limits.files - files), max(0, self.limits.total_bytes - size)

    def _check_room(self, path: str, files: int, size: int) -> None:
        left, room = self.room()
        if files > left:
            raise WorkspaceError(
                f"{_shown(path)} is not written: the workspace holds {self.limits.files} files, its limit."
            )
        if size > room:
            raise WorkspaceError(
                f"{_shown(path)} is not written: its {size} bytes are more than the {room} bytes left of the "
                f"workspace's {self.limits.total_bytes}."
            )

    def _count(self) -> tuple[int, int]:
        """The number of entries and bytes below the folder, counted at most once in COUNTED_SECONDS."""
        files, size, when = self._counted
        if time.monotonic() - when > COUNTED_SECONDS:
            with folders.opened(self.root) as folder:
                entries = list(folders.walk(folder))
            files, size = len(entries), sum(entry.size for entry in entries if entry.is_file)
            self._counted = (files, size, time.monotonic())
        return files, size

    def _count_more(self, files: int, size: int) -> None:
        counted, total, when = self._counted
        self._counted = (counted + files, total + size, when)

    def _too_large(self, path: str, size: int) -> WorkspaceError:
        return WorkspaceError(
            f"{_shown(path)} is not written: {size} bytes are more than the {self.limits.file_bytes} bytes that a "
            "file may have."
        )

    # Paths

    def _changeable(self, path: str) -> tuple[str, ...]:
        """The parts of a path that is not in the history."""
        parts = parts_of(path)
        if parts[0].casefold() == HISTORY:
            raise WorkspaceError(f"{_shown(path)} is in {HISTORY}, which keeps what was overwritten or deleted.")
        return parts

    def _remove_unfinished(self) -> None:
        """Removes what killed processes have left half written."""
        with suppress(FileNotFoundError), folders.opened(self.root, (HISTORY, UNFINISHED)) as drafts:
            for entry in folders.walk(drafts, depth=0):
                old = abs(time.time() - entry.status.st_mtime) > ABANDONED_SECONDS
                if entry.is_file and old and not entry.path.startswith(WRITER_ID):
                    os.unlink(entry.path, dir_fd=drafts)

    @contextmanager
    def _explained(self, path: str) -> Iterator[None]:
        """Turns the system's errors into sentences about the path."""
        try:
            yield
        except FileNotFoundError as error:
            raise Missing(f"There is no file {_shown(path)}: search_files lists those that there are.") from error
        except folders.NotRegular as error:
            raise WorkspaceError(f"{_shown(path)} is no regular file, and nothing else is opened.") from error
        except OverflowError as error:
            raise WorkspaceError(
                f"{_shown(path)} is larger than the {self.limits.file_bytes} bytes that are read of a file."
            ) from error
        except OSError as error:
            raise WorkspaceError(f"{_shown(path)} cannot be used: {_reason(error)}.") from error


class Missing(WorkspaceError):
    """There is no such file."""


def paged(text: str, page: int, page_chars: int, what: str) -> Page:
    """A page of a text of at least one page. Raises WorkspaceError for a page that there is not."""
    pages = max(1, -(-len(text) // page_chars))
    if not 1 <= page <= pages:
        raise WorkspaceError(f"{what} has the pages 1 to {pages}, and no page {page}.")
    return Page(text[(page - 1) * page_chars : page * page_chars], page, pages)


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a path within the workspace. Raises WorkspaceError for one that could lead out of it.

    A backslash separates folders, too: language models write paths as Windows has them.
    """
    parts = _folder_parts(path)
    if not parts:
        raise WorkspaceError("The name of a file is missing.")
    return parts


def _folder_parts(path: str) -> tuple[str, ...]:
    """As `parts_of`, also empty: for the workspace itself."""
    plain = path.replace("\\", "/")
    if not path.replace(" ", "").isprintable():  # NUL, line ends, control and bidirectional characters, surrogates
        raise WorkspaceError(f"{_shown(path)} has a character that the name of a file here may not have.")
    if plain.startswith(("/", "~")) or plain[1:2] == ":":
        raise WorkspaceError(f"{_shown(path)} is refused: paths are relative to the workspace, such as notes/a.txt.")
    parts = tuple(part for part in plain.split("/") if part not in ("", "."))
    if ".." in parts:
        raise WorkspaceError(f"{_shown(path)} is refused: a path may not lead upwards (..).")
    if len(parts) > MAX_DEPTH:
        raise WorkspaceError(f"{_shown(path)} is refused: it has more than {MAX_DEPTH} folders.")
    return parts


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", errors="replace")


def _shown(path: str) -> str:
    """A path for a sentence, characters that terminals act on escaped."""
    cut = path if len(path) <= SHOWN_CHARS else f"{path[:SHOWN_CHARS]}…"
    return cut if cut.isprintable() else ascii(cut)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "a link or a file stands where a folder is needed"
    if error.errno == errno.EISDIR:
        return "it is a folder"
    return error.strerror or type(error).__name__
