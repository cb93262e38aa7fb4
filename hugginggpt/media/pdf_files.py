"""Makes PDF files of pages of others and of pictures, and pictures of pages, in the process that reads documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.errors import UserError
from hugginggpt.media import frames
from hugginggpt.media.decoding import load_image
from hugginggpt.media.documents import read_document, told
from hugginggpt.media.types import type_of

QUALITY = 90
"""Of the pictures on pages, as JPEG."""
MAX_SIDE = 4_000
"""A larger picture is reduced: 4,000 pixels on A4 are 340 an inch."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a PDF is made of: pages of a PDF by their numbers from 1; or a picture, which has none, of several frames
    or pages that `frame`.
    """

    path: Path
    pages: tuple[int, ...] = ()
    frame: int = 1


def is_pdf(path: Path) -> bool:
    row = type_of(path.name)
    return row is not None and row.reader == "pdf"


def page_count(path: Path) -> int:
    """How many pages a PDF has. Raises UserError for a file that is no PDF, MediaError for one that cannot be read."""
    if not is_pdf(path):
        raise UserError(f"{path.name} is no PDF, and only pages of a PDF can be taken out.")
    return len(read_document(path, "pdf").parts)


def made(files: Sequence[Sequence[Source]]) -> list[bytes]:
    """The PDF files that are made of these sources. Raises MediaError, as `load_image` does."""
    with TemporaryDirectory(prefix=scratch_prefix()) as folder:
        order = [[_order(source, Path(folder), f"{at}-{number}") for number, source in enumerate(sources)]
                 for at, sources in enumerate(files)]  # fmt: skip
        written = told(files[0][0].path, {"reader": "pdf", "files": order, "folder": folder})["made"]
        return [Path(file).read_bytes() for file in written]


def _order(source: Source, folder: Path, name: str) -> dict[str, Any]:
    if source.pages:
        return {"path": str(source.path), "pages": list(source.pages)}
    picture = load_image(source.path) if source.frame == 1 else frames.load(source.path, [source.frame])[0]
    picture.thumbnail((MAX_SIDE, MAX_SIDE))
    file = folder / f"{name}.jpg"
    picture.save(file, "JPEG", quality=QUALITY)
    return {"path": str(file)}


def drawn(path: Path, pages: Sequence[int]) -> Iterator[bytes]:
    """Pages of a PDF as PNG files. Raises MediaError."""
    with TemporaryDirectory(prefix=scratch_prefix()) as folder:
        files = told(path, {"reader": "pdf", "pages": list(pages), "folder": folder})["drawn"]
        yield from (Path(file).read_bytes() for file in files)
