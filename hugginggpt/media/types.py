"""The types of files: by which suffix and content each is known, whether it can be read, how it is saved and shown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hugginggpt.core.results import Kind


@dataclass(frozen=True, slots=True)
class FileType:
    """One type of file.

    `suffixes` are those that names end in, without the dot; a file is saved with the first. `content` is the media type
    that its first bytes tell ("" for plain text, which is known by its suffix alone). `browser` is the Content-Type with
    which a page may show it, "" for what is only ever a download. A type that is not `readable` is recognised as the name
    of a file and refused with a sentence. A document has a `reader` (`media.formats`); of a plain text with a form, `begins`
    is a regular expression for its beginning, by which it is known under another name, too. A picture that not every
    installation can read has a `decoder`, one that is decoded in rounds `has_scans` (`media.coded_pictures`), and MP4 and
    its like `has_boxes` (`media.boxes`). Where recordings and videos of a format begin alike, one has the content of the
    other `within` it, and is known by its suffix.
    """

    kind: Kind
    suffixes: tuple[str, ...]
    content: str = ""
    browser: str = ""
    readable: bool = True
    reader: str = ""
    begins: str = ""
    decoder: str = ""
    has_scans: bool = False
    has_boxes: bool = False
    within: str = ""

    @property
    def saved_suffix(self) -> str:
        return f".{self.suffixes[0]}"


_OPEN_XML = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"


def _unreadable(kind: Kind, *suffixes: str) -> tuple[FileType, ...]:
    return tuple(FileType(kind, (suffix,), readable=False) for suffix in suffixes)


FILE_TYPES: tuple[FileType, ...] = (
    FileType("image", ("jpg", "jpeg"), "image/jpeg", "image/jpeg", has_scans=True),
    FileType("image", ("png",), "image/png", "image/png"),
    FileType("image", ("webp",), "image/webp", "image/webp"),
    FileType("image", ("gif",), "image/gif", "image/gif"),
    FileType("image", ("bmp",), "image/bmp", "image/bmp"),
    FileType("image", ("tiff", "tif"), "image/tiff"),
    FileType("image", ("avif",), "image/avif", "image/avif", decoder="avif"),
    FileType("image", ("heic", "heif"), "image/heic", decoder="heif"),
    FileType("audio", ("wav",), "audio/x-wav", "audio/wav"),
    FileType("audio", ("mp3",), "audio/mpeg", "audio/mpeg"),
    FileType("audio", ("flac",), "audio/x-flac", "audio/flac"),
    FileType("audio", ("ogg", "oga", "opus"), "audio/ogg", "audio/ogg"),
    FileType("audio", ("m4a",), "audio/mp4", "audio/mp4", has_boxes=True),
    FileType("audio", ("aac",), "audio/aac", "audio/aac"),
    FileType("audio", ("aiff", "aif"), "audio/x-aiff"),
    FileType("audio", ("amr",), "audio/amr"),
    FileType("audio", ("wma",), within="video/x-ms-wmv"),
    FileType("video", ("mp4",), "video/mp4", "video/mp4", has_boxes=True),
    FileType("video", ("webm",), "video/webm", "video/webm"),
    FileType("video", ("mkv",), "video/x-matroska"),
    FileType("video", ("mov",), "video/quicktime", has_boxes=True),
    FileType("video", ("avi",), "video/x-msvideo"),
    FileType("video", ("m4v",), "video/x-m4v", has_boxes=True),
    FileType("video", ("mpg", "mpeg", "vob"), "video/mpeg"),
    FileType("video", ("m2ts", "mts"), "video/mp2t"),  # .ts, too, which as a name in a request is TypeScript
    FileType("video", ("ogv",), within="audio/ogg"),
    FileType("video", ("wmv",), "video/x-ms-wmv"),
    FileType("video", ("3gp",), "video/3gpp", has_boxes=True),
    FileType("video", ("flv",), "video/x-flv"),
    FileType("table", ("csv",)),
    FileType("table", ("tsv",)),
    FileType("table", ("xlsx", "xlsm"), f"{_OPEN_XML}.spreadsheetml.sheet", reader="sheets"),
    FileType("table", ("ods",), f"{_OPEN_DOCUMENT}.spreadsheet", reader="sheets"),
    FileType("table", ("xls",), "application/vnd.ms-excel", reader="sheets"),
    FileType("text", ("txt",)),
    FileType("text", ("md",)),
    FileType("text", ("pdf",), "application/pdf", reader="pdf"),
    FileType("text", ("docx", "docm"), f"{_OPEN_XML}.wordprocessingml.document", reader="word"),
    FileType("text", ("odt",), f"{_OPEN_DOCUMENT}.text", reader="opendocument"),
    FileType("text", ("pptx", "pptm"), f"{_OPEN_XML}.presentationml.presentation", reader="slides"),
    FileType("text", ("odp",), f"{_OPEN_DOCUMENT}.presentation", reader="opendocument"),
    FileType("text", ("epub",), "application/epub+zip", reader="epub"),
    FileType(
        "text",
        ("html", "htm", "xhtml"),
        reader="html",
        begins=r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html)\b",
    ),
    FileType("text", ("eml",), reader="mail"),
    FileType("text", ("json", "jsonl"), reader="json"),
    FileType("text", ("srt",), reader="subtitles", begins=r"\d+\s*\n\d{1,2}:\d\d:\d\d,\d{3}\s*-->"),
    FileType("text", ("vtt",), reader="subtitles", begins=r"WEBVTT\b"),
    *_unreadable("image", "svg"),
    *_unreadable("table", "xlsb"),
    *_unreadable("text", "rtf", "doc", "ppt", "mobi"),
)
BY_SUFFIX = {suffix: file_type for file_type in FILE_TYPES for suffix in file_type.suffixes}
BY_CONTENT = {file_type.content: file_type for file_type in FILE_TYPES if file_type.content}
SUFFIX_PATTERN = rf"\.(?:{'|'.join(BY_SUFFIX)})"
"""A regular expression for the suffix of a file's name, with its dot; to be matched without regard to case."""

_SUFFIX_AT_END = re.compile(rf"{SUFFIX_PATTERN}(?=$|[?#])", re.IGNORECASE)
KIND_NAMES: dict[Kind, str] = {
    "image": "a picture", "audio": "a recording", "video": "a video", "table": "a table", "text": "a text"
}  # fmt: skip


def type_of(name: str) -> FileType | None:
    """The type of file that the suffix of a name or URL tells, readable or not; None for any other text."""
    match = _SUFFIX_AT_END.search(name.strip())
    return BY_SUFFIX[match[0][1:].lower()] if match else None


def shown_as(name: str) -> str:
    """The media type as which a browser shows a file of that name; "" for what it should not show."""
    file_type = type_of(name)
    return (file_type.browser if file_type else "") or ""


def kind_of(name: str) -> Kind | None:
    """The kind of file that the suffix of a name or URL tells; None for any other text."""
    file_type = type_of(name)
    return file_type.kind if file_type else None


def file_types() -> dict[Kind, list[str]]:
    """The suffixes of the files that can be read, without the dot, by kind: {"image": ["jpg", "jpeg", ...], ...}."""
    return {
        kind: [suffix for row in FILE_TYPES if row.readable and row.kind == kind for suffix in row.suffixes]
        for kind in KIND_NAMES
    }


def readable_types() -> str:
    """What can be read, in words, each type by its usual suffix: "a picture (jpg, png ...), a recording (wav ...) ..."."""
    by_kind = {
        kind: [row.suffixes[0] for row in FILE_TYPES if row.readable and row.kind == kind] for kind in KIND_NAMES
    }
    *first, last = (f"{KIND_NAMES[kind]} ({', '.join(suffixes)})" for kind, suffixes in by_kind.items())
    return f"{', '.join(first)} or {last}"


def unreadable_reason(name: str) -> str:
    """Why a file of that name cannot be used, as a sentence; "" where its suffix does not rule it out."""
    file_type = type_of(name)
    if file_type is None or file_type.readable:
        return ""
    return f"{name[:200]} cannot be read, as {file_type.suffixes[0]} files cannot: give {readable_types()}."
