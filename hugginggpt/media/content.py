"""What a file is by its content: the media type that its bytes tell, and the row of the table of file types."""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path

import filetype

from hugginggpt.core.errors import MediaError
from hugginggpt.media.types import BY_CONTENT, FILE_TYPES, FileType, type_of

HEAD_BYTES = 8192
"""So many bytes from the beginning of a file tell its type; an archive's type stands in its list of contents."""
MAX_LIST_BYTES, MAX_ENTRIES = 4_000_000, 20_000
"""The longest list of contents of an archive."""
_PDF_JUNK = 1024
"""Readers of PDF allow so much before its mark."""
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIN_PARTS = {
    "word/document.xml": "docx", "word/document2.xml": "docx", "xl/workbook.xml": "xlsx", "ppt/presentation.xml": "pptx",
}  # fmt: skip
"""The part that each kind of Office Open XML has, and a suffix of its row."""
_OLE_STREAMS = {"EncryptedPackage": "", "Workbook": "application/vnd.ms-excel", "WordDocument": "application/msword",
                "PowerPoint Document": "application/vnd.ms-powerpoint"}  # fmt: skip
"""The stream by which each kind of old Office file is known; EncryptedPackage is a new one with a password."""

BEGINNINGS = (
    (rb"G.{187}G.{187}G|.{4}G.{191}G.{191}G", "video/mp2t"),
    (rb"[\0-\x03].{3}(?:moov|mdat|wide|free|skip|pnot)", "video/quicktime"),  # older than the box ftyp
    (rb"II\+\0|MM\0\+", "image/tiff"),  # with offsets of 64 bits
    (rb"FORM.{4}AIFC", "audio/x-aiff"),
    (rb"RF64.{4}WAVE", "audio/x-wav"),
    (rb"\xff[\xe2\xe3\xf2\xfa]", "audio/mpeg"),  # of low sample rates, or with checksums
)
"""Media types by how such files begin, where the library does not know them."""
_BRANDS = (
    (frozenset((b"avif", b"avis")), "image/avif"),
    (frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx")), "image/heic"),
)
"""Pictures by the brands that the first box of a file lists."""


class _Refused(Exception):
    """Why a file is not opened."""


def is_archive(head: bytes) -> bool:
    """Whether only the whole file tells what it is."""
    return head.startswith((_ZIP, _OLE))


def content_of(head: bytes, file: Path | None = None, name: str = "") -> str:
    """The media type of a file by its first bytes, and by its list of contents where it is an archive; "" for text and
    unknown types. Raises MediaError, which calls the file by `name`, for a document with a password and for an archive
    that cannot be read.
    """
    try:
        if head.startswith(_ZIP) and file:
            return _archived(file)
        if head.startswith(_OLE) and file:
            return _ole(file)
    except _Refused as why:
        raise MediaError(f"{name or (file.name if file else '')} {why}.") from why
    if b"%PDF-" in head[:_PDF_JUNK]:
        return "application/pdf"
    return filetype.guess_mime(head) or _begun(head)


def _begun(head: bytes) -> str:
    """The media type of what the library does not know; "" for what is not known here either."""
    if head[4:8] == b"ftyp":
        length = min(int.from_bytes(head[:4], "big"), len(head))
        brands = {head[at : at + 4] for at in (8, *range(16, length, 4))}
        return next((content for known, content in _BRANDS if known & brands), "")
    return next((content for begins, content in BEGINNINGS if re.match(begins, head, re.DOTALL)), "")


def file_type_of(head: bytes, name: str, file: Path | None = None, shown: str = "") -> FileType | None:
    """The row of a file's content; of plain text, which has none, that of its beginning or else of its name. None where
    neither tells it. Raises MediaError as `content_of` does, which calls it as it is `shown`.
    """
    named = type_of(name)
    if content := content_of(head, file, shown):
        return named if named and named.within == content else BY_CONTENT.get(content)
    text = head.decode("utf-8-sig", "ignore").lstrip()
    begun = next(
        (row for row in FILE_TYPES if row.begins and re.match(row.begins, text, re.IGNORECASE | re.DOTALL)), None
    )
    return begun or (named if named and not (named.content or named.within) else None)


def _archived(file: Path) -> str:
    """The media type of a document that is an archive."""
    _check_list(file)
    try:
        with zipfile.ZipFile(file) as archive:
            names = set(archive.namelist())
            if any(each.flag_bits & 1 for each in archive.infolist()):
                raise _Refused("is protected by a password: save it without one")
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                return archive.read("mimetype").decode("ascii", "replace").strip()
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise _Refused("cannot be read: it is damaged") from error
    suffix = next((suffix for part, suffix in _MAIN_PARTS.items() if part in names), "")
    row = type_of(f"a.{suffix}")
    return row.content if row else "application/zip"


def _check_list(file: Path) -> None:
    """Raises _Refused for an archive with too long a list of contents, which would take seconds to read."""
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - 65_557))
        tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 20:
        raise _Refused("cannot be read: it is damaged")
    if tail[max(0, at - 20) : at].startswith(b"PK\x06\x07"):  # zip64: the list is another one than stands below
        raise _Refused("is an archive of too many files for a document")
    entries, list_bytes = struct.unpack("<HL", tail[at + 10 : at + 16])
    if list_bytes > MAX_LIST_BYTES or entries > MAX_ENTRIES:
        raise _Refused("is an archive of too many files for a document")


def _ole(file: Path) -> str:
    with file.open("rb") as stream:
        content = stream.read()
    for stream_name, media_type in _OLE_STREAMS.items():
        if stream_name.encode("utf-16-le") in content:
            if not media_type:
                raise _Refused("is protected by a password: save it without one")
            return media_type
    return "application/x-ole-storage"
