"""ZIP archives that are sent as they are written."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

PIECE_BYTES = 256 * 1024
STORED = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".mp3", ".ogg", ".m4a", ".mp4", ".webm", ".xlsx", ".pdf")
"""Types that are compressed already."""


class _Out(io.RawIOBase):
    """What was written since it was taken last; it cannot be gone back in, which zipfile knows how to do without."""

    def __init__(self) -> None:
        super().__init__()
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._held += data
        return len(data)

    def take(self) -> bytes:
        taken, self._held = bytes(self._held), bytearray()
        return taken


def zipped(files: Iterable[tuple[str, Path]]) -> Iterator[bytes]:
    """An archive of files by their names in it, in pieces. A file that is gone meanwhile is left out."""
    out = _Out()
    with zipfile.ZipFile(out, "w", allowZip64=True) as archive:
        for name, file in files:
            try:
                info = zipfile.ZipInfo.from_file(file, name, strict_timestamps=False)  # a date before 1980 becomes 1980
                source = file.open("rb")
            except OSError:
                continue
            with source:
                info.compress_type = zipfile.ZIP_STORED if file.suffix.lower() in STORED else zipfile.ZIP_DEFLATED
                with archive.open(info, "w", force_zip64=True) as entry:
                    while piece := source.read(PIECE_BYTES):
                        entry.write(piece)
                        if taken := out.take():
                            yield taken
            yield out.take()
    yield out.take()


def once(names: Iterable[tuple[str, Path]]) -> Iterator[tuple[str, Path]]:
    """Files of which several may be called alike, each by a name of its own."""
    taken: set[str] = set()
    for name, file in names:
        stem, dot, suffix = name.rpartition(".")
        free, number = name, 2
        while free in taken:
            free, number = f"{stem or name}-{number}{dot}{suffix if stem else ''}", number + 1
        taken.add(free)
        yield free, file
