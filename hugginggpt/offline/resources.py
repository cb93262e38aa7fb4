"""Finds what a request names: files and URLs by kind, and quoted texts, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hugginggpt.results import Kind

EXTENSIONS: dict[str, Kind] = {
    **dict.fromkeys(("jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff"), "image"),
    **dict.fromkeys(("wav", "mp3", "flac", "ogg", "opus", "m4a", "aac", "wma"), "audio"),
    **dict.fromkeys(("mp4", "webm", "mkv", "mov", "avi"), "video"),
    **dict.fromkeys(("csv", "tsv"), "table"),
}
_SUFFIX = rf"\.(?:{'|'.join(EXTENSIONS)})"
_QUOTES = r"\"([^\"\n]+)\"|“([^”\n]+)”|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w))+)'(?!\w)|‘([^’\n]+)’|`([^`\n]+)`|«([^»\n]+)»"
_FOUND = re.compile(
    rf"(?P<url>https?://[^\s<>\"'`]+)|(?P<path>[\w~.@/\\:+-]*[\w)]{_SUFFIX})\b|(?P<quoted>{_QUOTES})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Resource:
    """A file, URL or quoted text of a request; `start` and `end` are places in it."""

    text: str
    kind: Kind | None
    start: int
    end: int


def find_resources(request: str) -> list[Resource]:
    """Files, URLs and quoted texts in the order in which they stand; the kind of a URL without a suffix is None."""
    found = []
    for match in _FOUND.finditer(request):
        text = match[0]
        if match["quoted"]:
            text = next(inner for inner in match.groups()[3:] if inner is not None)
            found.append(Resource(text.strip(), kind_of(text) or "text", match.start(), match.end()))
            continue
        if match["url"]:
            text = text.rstrip(".,;:!?)]}'")
        found.append(Resource(text, kind_of(text), match.start(), match.start() + len(text)))
    return found


def kind_of(name: str) -> Kind | None:
    """The kind of file that a name's suffix tells, None for another text."""
    match = re.search(rf"{_SUFFIX}(?=$|[?#])", name.strip(), re.IGNORECASE)
    return EXTENSIONS[match[0][1:].lower()] if match else None
