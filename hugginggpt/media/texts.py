"""The text of a file: a plain text, or what a document holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hugginggpt.media.decoding import load_text
from hugginggpt.media.documents import read_document, text_of
from hugginggpt.media.types import type_of


def text_of_file(path: Path, read_page: Callable[[Path], str] | None = None) -> str:
    """The text of a file; a `DocumentText` where it is a document, whose pages that are pictures `read_page` reads.

    Raises MediaError.
    """
    row = type_of(path.name)
    return text_of(read_document(path, row.reader), read_page) if row and row.reader else load_text(path)
