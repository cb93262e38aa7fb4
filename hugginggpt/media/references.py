"""Finds the resources in a request: files and URLs by kind, and quoted texts, with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hugginggpt.core.conversation import Attachment, find_attachment
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.media.names import base_name, is_misspelt, stem_places
from hugginggpt.media.types import BY_SUFFIX, SUFFIX_PATTERN, kind_of

MAX_WORDS_OF_NAME = 4
"""A quoted text of more words that ends like a file name is a sentence about a file."""
_QUOTES = r"\"([^\"\n]+)\"|“([^“”\n]+)”|„([^„“”\n]+)[“”]|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w))+)'(?!\w)|‘((?:[^‘’\n]|(?<=\w)’(?=\w))+)’|`([^`\n]+)`|«([^«»\n]+)»|「([^「」\n]+)」"
QUOTES = "\"“„'‘`«「"
_IDEOGRAPHS = r"\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
"""Characters of Chinese and Japanese, which are written without blanks: a file's name may stand right between them."""
_NAME_ENDS = rf"(?=[.,;:!?]*(?:[\s\"'”’)]|$)|[{_IDEOGRAPHS}])"
_NAME_STARTS = rf"(?<![^\s\"'“‘(,:{_IDEOGRAPHS}])"
_NAME = r"[\w~.@/\\:+%-]"
_LATIN = rf"(?:(?![{_IDEOGRAPHS}]){_NAME})"
_FOUND = re.compile(
    r"(?P<url>https?://[^\s<>\"'`]+)|(?P<path>"
    rf"(?:(?<![A-Za-z0-9~.@/\\:+%-]){_LATIN}{{0,500}}(?:(?![{_IDEOGRAPHS}])[\w)])|"
    rf"(?<!{_NAME})(?![{_IDEOGRAPHS}]+/?[A-Za-z0-9]){_NAME}{{0,500}}[\w)])"
    rf"(?:[ ]\(\d+\))?{SUFFIX_PATTERN})(?:\b|(?=[{_IDEOGRAPHS}]))|(?P<quoted>{_QUOTES})",
    re.IGNORECASE,
)
_LIKE_NAME = re.compile(r"(?<![\w.@/\\:-])[\w-]+\.[A-Za-z]\w{1,4}\b(?![.@/]\w)")
_PUBLIC = ("examples/", "uploads/", "public/", *(f"{kind}s/" for kind in FILE_KINDS))
"""How a path in the public folder begins."""


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
    resources += [one for one in _misspelt(request) if not any(_overlap(one, other) for other in resources)]
    return _with_whole_paths(sorted(resources, key=lambda one: one.start))


def _with_whole_paths(resources: Sequence[Resource]) -> list[Resource]:
    """The resources, where the bare name of a file means the one whose path stands elsewhere in the request."""
    paths = {one.text.rpartition("/")[2]: one.text for one in resources if one.is_file and one.text.startswith("/")}
    return [replace(one, text=paths.get(one.text, one.text)) if one.is_file else one for one in resources]


def _misspelt(request: str) -> Iterator[Resource]:
    """Names with a misspelt suffix ("cat.jpgg"), so that they are looked for instead of an earlier file."""
    for match in _LIKE_NAME.finditer(request):
        name, _, suffix = match[0].rpartition(".")
        near = [one for one in BY_SUFFIX if len(one) > 2 and is_misspelt(f"name.{suffix}", f"name.{one}")]
        if near and suffix.islower() and (kind := kind_of(f"{name}.{near[0]}")) != "text":
            yield Resource(match[0], kind, match.start(), match.end())


def with_attachments(
    request: str, named: Sequence[Resource], files: Sequence[Attachment], earlier: Sequence[Attachment] = ()
) -> list[Resource]:
    """What a request names, where the name of an attached file means that file; then, without a place, the attached
    `files` that it does not name. Files that came `earlier` in the conversation, the latest first, count where they are
    named.
    """
    if not files and not earlier:
        return list(named)
    places = list(_attachment_places(request, named, files, earlier))
    others = [one for one in named if not any(_overlap(one, place) for place, _ in places)]
    taken = [file for _, file in places]
    beside = [
        Resource(file.reference, file.kind)
        for file in dict.fromkeys(files)
        if file not in taken and (file.kind or "://" in file.source)
    ]
    return [*sorted([*others, *(place for place, _ in places)], key=lambda one: one.start), *beside]


def _attachment_places(
    request: str, named: Sequence[Resource], files: Sequence[Attachment], earlier: Sequence[Attachment]
) -> Iterator[tuple[Resource, Attachment]]:
    """Where a request names attached files: their whole names, the longest first; then what they end with, their names
    without the suffix, and misspelt names.
    """
    places: list[Resource] = []
    known = [*files, *earlier]
    for file in sorted(known, key=lambda file: -len(file.name)):
        if not kind_of(file.name):  # without a suffix it is a word like any other
            continue
        name = re.escape(file.name).replace("\\ ", r"\\?\ ")  # a shell's names have a backslash before a blank
        for match in re.finditer(rf"{_NAME_STARTS}{name}{_NAME_ENDS}", request, re.IGNORECASE):
            place = Resource(file.reference, file.kind or kind_of(file.name), match.start(), match.end())
            quoted = next((one for one in named if request[one.start] in QUOTES and _overlap(one, place)), None)
            if any(_overlap(place, other) for other in places) or (quoted and quoted.text.lower() != file.name.lower()):
                continue
            places.append(replace(place, start=quoted.start, end=quoted.end) if quoted else place)
            yield places[-1], find_attachment(match[0].replace("\\ ", " "), known) or file
    for one in _names_in(request, named):
        meant = None if any(_overlap(one, other) for other in places) else _meant(one.text, files, earlier)
        if meant:
            places.append(Resource(meant.reference, meant.kind or one.kind, one.start, one.end))
            yield places[-1], meant
    count = len({file.name.lower() for file in known} | {one.text for one in named if one.is_file})
    for file in (file for file in known if kind_of(file.name)):
        for start, end in stem_places(request, file.name, count == 1):
            place = Resource(file.reference, file.kind or kind_of(file.name), start, end)
            if not any(_overlap(place, other) for other in (*places, *named)):
                places.append(place)
                yield place, file


def _names_in(request: str, named: Sequence[Resource]) -> Iterator[Resource]:
    """The file names in a request, also those whose suffix is misspelt."""
    yield from (one for one in named if one.is_file and re.compile(_NAME_ENDS).match(request, one.end))
    for match in _LIKE_NAME.finditer(request):
        one = Resource(match[0], None, match.start(), match.end())
        if not any(_overlap(one, other) for other in named):
            yield one


def _meant(name: str, files: Sequence[Attachment], earlier: Sequence[Attachment]) -> Attachment | None:
    """The attached file that a name means. A path in a folder of the user's means a file that came with the request and
    is called so; a misspelt name the only file that is called nearly so.
    """
    known = [*files, *earlier]
    if file := find_attachment(name, known):
        return file
    if base_name(name) != name and not name.lstrip("/").startswith(_PUBLIC):
        return find_attachment(base_name(name), files)
    nearly = [file for file in dict.fromkeys(known) if is_misspelt(name, base_name(file.name))]
    return nearly[0] if len({file.reference for file in nearly}) == 1 else None


def _overlap(one: Resource, other: Resource) -> bool:
    return one.start < other.end and other.start < one.end


_SAID = re.compile(
    r"(?:the following|\b(?:in|of|from) (?:this|these)|(?:this|these|that|the) (?:\w+ )?(?:text|texts|sentence|message|paragraph|article|story|review|email|letter|poem)|"
    r"\b(?:summari[sz]e|translate|tranlsate|say|speak|read|pronounce|rephrase|paraphrase|rewrite|proofread|simplify|correct|tl;?dr|"
    r"sentiment|aloud|out loud|speech|continue|reply to)\b[\w\s']{0,30}|"
    r"\b(?:this|these) (?:text|words|sentences?|lines?)\b[^:\n]{0,40}|"
    r"\b(?:save|store|put|write|keep) (?:this|it|the following)\b[\w\s]{0,20}\b(?:word|text|markdown|txt|docx|md|pdf)"
    r"(?: (?:file|document))?):\s+(?=\S)",
    re.IGNORECASE,
)
_GAP = re.compile(r"\[MASK\]|_{3,}")
_COMMAND = re.compile(r"\W*+(?:first|1[.)]|please|then)\b", re.IGNORECASE)


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
    is_source = match and re.match(r"the\b", match[0]) and re.search(r"\b(?:in|from|on)\s+$", request[: match.start()])
    if (
        match
        and not is_source
        and not _COMMAND.match(request, match.end())
        and not any(r.end > match.end() for r in named)
    ):
        text = request[match.end() :].strip()
        if re.search(r"\w", text):
            return [*named, Resource(text, "text", match.end(), match.end() + len(text))]
    return named
