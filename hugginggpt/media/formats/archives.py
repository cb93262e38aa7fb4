"""Documents that are ZIP archives of XML: opened within limits, their XML read without entities."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from hugginggpt.media.formats import Limits, Unreadable

MAX_TREE_BYTES = 20_000_000
"""The largest XML part that is read as a whole; others are streamed."""
PIECE, MAX_PIECE = 65_536, 16_777_216
"""XML is parsed in pieces, each twice as long as the one before: expat looks at an attribute that has not ended again
from its beginning with each of them.
"""
PLAIN_BYTES, MAX_RATIO = 4_000_000, 150
"""What unpacks to more than so many bytes, and to so many times its size, was made to: sheets reach 30 times."""


@contextmanager
def archive(path: Path, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """An archive that unpacks to no more than the limit. `zipfile` gives no more of a part than its header says."""
    try:
        with zipfile.ZipFile(path) as opened:
            unpacked = sum(each.file_size for each in opened.infolist())
            if unpacked > limits.unpacked or (unpacked > PLAIN_BYTES and unpacked > MAX_RATIO * path.stat().st_size):
                raise Unreadable(
                    f"unpacks to {unpacked / 1e6:,.0f} MB, which is more than a document of its size needs"
                )
            if any(each.flag_bits & 1 for each in opened.infolist()):
                raise Unreadable("is protected by a password: save it without one")
            yield opened
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise Unreadable("cannot be read: it is damaged") from error


def tree(opened: zipfile.ZipFile, name: str) -> Any:
    """The root element of a small XML part; None where the archive has no such part. Raises Unreadable."""
    from defusedxml.ElementTree import fromstring

    try:
        if opened.getinfo(name).file_size > MAX_TREE_BYTES:
            raise Unreadable("cannot be read: its list of contents is too long")
        with safe_xml():
            return fromstring(opened.read(name), forbid_dtd=True)
    except KeyError:
        return None


def feed(stream: IO[bytes], target: Any) -> None:
    """Streams XML to `target`, which has the methods start, data and end of `xml.etree`'s builders."""
    from defusedxml.ElementTree import DefusedXMLParser

    parser = DefusedXMLParser(target=target, forbid_dtd=True)
    size = PIECE
    with safe_xml():
        while piece := stream.read(size):
            parser.feed(piece)
            size = min(2 * size, MAX_PIECE)
        parser.close()


@contextmanager
def safe_xml() -> Iterator[None]:
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException

    try:
        yield
    except DefusedXmlException as error:
        raise Unreadable("declares XML entities, which documents have no need of: it is not opened") from error
    except (ParseError, zipfile.BadZipFile) as error:
        raise Unreadable("cannot be read: it is damaged") from error
