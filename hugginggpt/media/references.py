"""Finds the resources in a request: files and URLs by kind, and quoted texts, with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hugginggpt.core.conversation import Attachment, find_attachment
from hugginggpt.core.results import Kind
from hugginggpt.media.types import SUFFIX_PATTERN, kind_of

MAX_WORDS_OF_NAME = 4
"""A quoted text of more words that ends like a file name is a sentence about a file."""
_QUOTES = r"\"([^\"\n]+)\"|“([^“”\n]+)”|„([^„“”\n]+)[“”]|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w))+)'(?!\w)|‘((?:[^‘’\n]|(?<=\w)’(?=\w))+)’|`([^`\n]+)`|«([^«»\n]+)»"
QUOTES = "\"“„'‘`«"
_NAME_ENDS = r"(?=[.,;:!?]*(?:[\s\"'”’)]|$))"
_FOUND = re.compile(
    rf"(?P<url>https?://[^\s<>\"'`]+)|(?P<path>(?<![\w~.@/\\:+%-])[\w~.@/\\:+%-]{{0,500}}[\w)](?:[ ]\(\d+\))?{SUFFIX_PATTERN})\b|(?P<quoted>{_QUOTES})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Resource:
    """A file, URL or text of a request; `start` and `end` are its span, with the quotes of a text.

    What came beside the words of the request (an attached file that they do not name) has no place in it.
    """

    text: str
    kind: Kind | None
    start: int = -1
    end: int = -1

    @property
    def has_place(self) -> bool:
        return self.start >= 0

    @property
    def is_file(self) -> bool:
        """Whether this is a file or URL; text files (notes.txt) are files, too."""
        return self.kind != "text" or kind_of(self.text) is not None


def find_resources(request: str) -> list[Resource]:
    """Files, URLs and quoted texts in the order in which they stand; the kind of a URL without a suffix is None."""
    resources = []
    for match in _FOUND.finditer(request):
        text = match[0]
        if match["quoted"]:
            text = next(inner for inner in match.groups()[3:] if inner is not None)
            is_name = (
                len(text) < 200
                and len(text.split()) <= MAX_WORDS_OF_NAME
                and re.search(rf"{SUFFIX_PATTERN}$", text.strip(), re.I)
            )
            named = kind_of(text) if is_name else None
            resources.append(Resource(text.strip(), named or "text", match.start(), match.end()))
            continue
        if match["url"]:
            text = text.rstrip(".,;:!?)]}'")
        resources.append(Resource(text, kind_of(text), match.start(), match.start() + len(text)))
    return resources


def with_attachments(
    request: str, named: Sequence[Resource], files: Sequence[Attachment], earlier: Sequence[Attachment] = ()
) -> list[Resource]:
    """What a request names, where the name of an attached file means that file; then, without a place, the attached
    `files` that it does not name. Files that came `earlier` in the conversation, the latest first, count where they are
    named.
    """
    if not files and not earlier:
        return list(named)
    places = list(_attachment_places(request, named, [*files, *earlier]))
    others = [one for one in named if not any(_overlap(one, place) for place, _ in places)]
    taken = [file for _, file in places]
    beside = [
        Resource(file.reference, file.kind)
        for file in dict.fromkeys(files)
        if file not in taken and (file.kind or "://" in file.source)
    ]
    return [*sorted([*others, *(place for place, _ in places)], key=lambda one: one.start), *beside]


def _attachment_places(
    request: str, named: Sequence[Resource], files: Sequence[Attachment]
) -> Iterator[tuple[Resource, Attachment]]:
    """Where a request names attached files: their whole names, the longest first, then what they end with."""
    places: list[Resource] = []
    unescaped = request.replace("\\ ", " ")
    for file in sorted(files, key=lambda file: -len(file.name)):
        if file.name not in unescaped or not kind_of(file.name):  # without a suffix it is a word like any other
            continue
        name = re.escape(file.name).replace("\\ ", r"\\?\ ")  # a shell's names have a backslash before a blank
        for match in re.finditer(rf"(?<![^\s\"'“‘(,:]){name}{_NAME_ENDS}", request):
            place = Resource(file.reference, file.kind or kind_of(file.name), match.start(), match.end())
            quoted = next((one for one in named if request[one.start] in QUOTES and _overlap(one, place)), None)
            if any(_overlap(place, other) for other in places) or (quoted and quoted.text != file.name):
                continue
            places.append(replace(place, start=quoted.start, end=quoted.end) if quoted else place)
            yield places[-1], file
    for one in named:
        ends = one.is_file and re.compile(_NAME_ENDS).match(request, one.end)
        meant = find_attachment(one.text, files) if ends else None
        if meant and not any(_overlap(one, other) for other in places):
            yield Resource(meant.reference, meant.kind or one.kind, one.start, one.end), meant


def _overlap(one: Resource, other: Resource) -> bool:
    return one.start < other.end and other.start < one.end


_SAID = re.compile(
    r"(?:the following|\b(?:in|of|from) (?:this|these)|(?:this|these|that|the) (?:\w+ )?(?:text|texts|sentence|message|paragraph|article|story|review|email|letter|poem)|"
    r"\b(?:summari[sz]e|translate|tranlsate|say|speak|read|pronounce|rephrase|paraphrase|rewrite|proofread|simplify|correct|tl;?dr|"
    r"sentiment|aloud|out loud|speech|continue|reply to)\b[\w\s']{0,30}):\s+(?=\S)",
    re.IGNORECASE,
)
_GAP = re.compile(r"\[MASK\]|_{3,}")
_COMMAND = re.compile(r"\W*(?:first|1[.)]|please|then)\b", re.IGNORECASE)


def find_texts(request: str, named: list[Resource]) -> list[Resource]:
    """The resources, and a text without quotes: after a colon, or with a gap to fill."""
    if any(resource.kind == "text" for resource in named):
        return named
    if gap := _GAP.search(request):
        start = max(request.rfind(mark, 0, gap.start()) for mark in ".!?:\n") + 1
        end = min((at + 1 for mark in ".!?\n" if (at := request.find(mark, gap.end())) >= 0), default=len(request))
        text = request[start:end].strip()
        start = request.index(text, start)
        if not any(resource.end > start and resource.start < end for resource in named):
            return sorted(
                [*named, Resource(text, "text", start, start + len(text))], key=lambda resource: resource.start
            )
    match = _SAID.search(request)
    if match and not _COMMAND.match(request, match.end()) and not any(r.end > match.end() for r in named):
        text = request[match.end() :].strip()
        if re.search(r"\w", text):
            return [*named, Resource(text, "text", match.end(), match.end() + len(text))]
    return named
