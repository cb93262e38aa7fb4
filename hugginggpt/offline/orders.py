"""The order in which files are joined: that in which the words of a request say, else that in which they came.

"The jingle first, then the talk", "the verse after the intro", "the other way round", "in reverse order".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from hugginggpt.core.conversation import Turn
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.names import stem
from hugginggpt.media.references import Resource

MIN_LETTERS = 3
"""So many letters a word of a file's name has that calls it."""
MAX_SWAPPING = 10
"""A longer message asks for more than another order."""
MAX_BACK = 3
"""So many turns back the files may have been joined."""
_NUMBERED = r"(?:part|number|no\.?|nr\.?|file|recording|clip|memo|note|video|song|track|page)"
NUMBERS = re.compile(rf"\b{_NUMBERED} ?\d+\b", re.IGNORECASE)
"""What calls files by their numbers: "part 1 first"."""
_PUT_FIRST = re.compile(
    r"\W*+(?:(?:no|please|and|then|rather|actually|can you|could you)\W+)*(?:put|have|let|make|start with)\b",
    re.IGNORECASE,
)
_ROLES = tuple(
    frozenset(words.split())
    for words in (
        "grandma granny gran grandmother nana nan oma mamie abuela",
        "grandpa grandad granddad grandfather opa papy abuelo",
        "mum mom mother mummy mama maman",
        "dad father daddy papa",
        "aunt auntie aunty tante",
        "doctor surgery",
        "boss manager chief",
        "intro opening jingle",
        "outro ending closing",
        "voicemail answerphone",
        "monday mon",
        "tuesday tue tues",
        "wednesday wed",
        "thursday thu thur thurs",
        "friday fri",
        "saturday sat",
        "sunday sun",
    )
)
"""Words that call the same person or part."""
_FIRST = re.compile(
    r"\W*+(?:comes? |goes? |is |should be |to be |at the |in )?(?:first|front|start|beginning|before)\b", re.IGNORECASE
)
_WANTED_FIRST = re.compile(
    r"\b(?P<which>the (?!first\b|other\b|same\b)(?:[\w'’-]+ ){1,6}?(?:one|memo|note|recording|message|clip|video|part|picture|page|file)) "
    r"(?:should (?:be|come|go) |comes |goes |is )?(?:first|at the (?:start|front|beginning))\b",
    re.IGNORECASE,
)
_LAST = re.compile(r"\W*+(?:comes? |goes? |is |should be |to be |at the |at )?(?:last|end|afterwards)\b", re.IGNORECASE)
_BEHIND = re.compile(r"\b(?:after|behind|below|following)\b", re.IGNORECASE)
_REVERSED = re.compile(r"\b(?:in|the) (?:reversed?|opposite) order\b", re.IGNORECASE)
_SWAPPED = re.compile(
    r"\b(?:the )?other way (?:round|around|about)\b|\b(?:in )?(?:reversed?|opposite) order\b|\bvice versa\b|"
    r"\bswap (?:them|the two|the order|both)\b|\bswitch (?:them|the order)\b|"
    r"\b(?:anders|umgekehrt)\w*\b|\bdans l['’]autre (?:sens|ordre)\b|\bau contraire\b|\bal revés\b|\ben el otro orden\b|反过来|换个顺序",
    re.IGNORECASE,
)


def swapped(text: str, turns: Sequence[Turn], table: TaskTable) -> tuple[str, dict[str, Any]] | None:
    """The last task on several files, and its arguments with them in the opposite order, or with the one first that is
    named ("put Rosa first instead"), for a message that asks for that and little else; None for any other.
    """
    is_swapped = bool(_SWAPPED.search(text))
    if len(text.split()) > MAX_SWAPPING or not (is_swapped or _PUT_FIRST.match(text)):
        return None
    for past in [past for turn in reversed(turns[-MAX_BACK:]) for past in turn.tasks]:
        row = table.find(past.task)
        files = past.args.get(row.input_arg.name) if row and row.input_arg.many else None
        if row and past.ok and isinstance(files, list) and len(files) > 1:
            ordered = files[::-1] if is_swapped else as_said(files, text)
            return (row.name, {**past.args, row.input_arg.name: ordered}) if ordered != files else None
    return None


def as_said(files: Sequence[str], request: str, placed: Sequence[Resource] = ()) -> list[str]:
    """Files in the order in which words of a request call them, where they call each of several by a word of its name,
    or one of two: "the intro first". Files that the request names in full keep the order in which it names them, but for
    one of which it says afterwards that it comes first or last.
    """
    if len(files) < 2 or _REVERSED.search(request):
        return list(files)[::-1]
    if ends := [one.end for one in placed if one.is_file]:
        return _moved(list(files), request[max(ends) :])
    places = {file: _place(file, files, request) for file in files}
    called = [file for file in files if places[file] is not None]
    if len(called) == len(files):
        ordered = sorted(files, key=lambda file: (places[file] or (0, 0))[0])
        return _behind(ordered, request, [places[file] or (0, 0) for file in ordered])
    return _moved(list(files), request) if len(called) == 1 else list(files)


def _moved(files: list[str], words: str) -> list[str]:
    """The files, with the one first or last of which words say so: "the outro first"."""
    for file in files:
        place, others = _place(file, files, words), [other for other in files if other != file]
        if place and _FIRST.match(words, place[1]):
            return [file, *others]
        if place and _LAST.match(words, place[1]):
            return [*others, file]
    return files


def untold(files: Sequence[str], request: str, placed: Sequence[Resource] = ()) -> str:
    """What a request wants first that no file's name tells: "the flower pot one"; "" where it wants none, or it is
    told.
    """
    match = None if any(one.is_file for one in placed) else _WANTED_FIRST.search(request)
    if match is None or len(files) < 2 or any(_place(file, files, request) for file in files):
        return ""
    return match["which"].strip()


def _behind(ordered: list[str], request: str, places: Sequence[tuple[int, int]]) -> list[str]:
    """Two files, the other way round where the one that is named first comes behind the other, or last."""
    if len(ordered) != 2:
        return ordered
    between = request[places[0][1] : places[1][0]]
    is_behind = _BEHIND.search(between) or _LAST.match(request, places[0][1]) or _FIRST.match(request, places[1][1])
    return ordered[::-1] if is_behind and not _FIRST.match(request, places[0][1]) else ordered


def _place(file: str, files: Sequence[str], request: str) -> tuple[int, int] | None:
    """Where a request calls a file by a word that no other one has in its name."""
    others = {word for other in files if other != file for word in _words(other)}
    called = {each for word in _words(file) if word not in others for each in _called(word, others)}
    every = (re.search(rf"\b{re.escape(word)}s?\b", request, re.IGNORECASE) for word in called)
    spans = sorted(match.span() for match in every if match)
    if not spans and (match := re.search(rf"\b{_NUMBERED} ?{_number(file, files)}\b", request, re.IGNORECASE)):
        return match.span()
    return (spans[0][0], spans[-1][1]) if spans else None


def _number(file: str, files: Sequence[str]) -> str:
    """The number that tells a file from the others: that in its name, else its place among them."""
    told = [re.findall(r"\d+", stem(other))[-1:] for other in files]
    own = {number for numbers in told for number in numbers}
    at = list(files).index(file)
    return told[at][0].lstrip("0") or "0" if len(own) == len(files) else str(at + 1)


def _called(word: str, others: Collection[str]) -> list[str]:
    """A word of a file's name, and those for the same person, unless another file is called by one."""
    alike = next((one for one in _ROLES if word in one), frozenset())
    return [word, *sorted(alike - {word})] if alike.isdisjoint(others) else [word]


def _words(file: str) -> list[str]:
    """The words of a file's name, without the digest behind that of an uploaded one."""
    name = re.sub(r"-[0-9a-f]{10}$", "", stem(file))
    return [word for word in re.split(r"[\W_\d]+", name.casefold()) if len(word) >= MIN_LETTERS]
