"""What a message leaves to what was said or shown before: the thing that is to be counted, the picture in hand beside a
new one, the subtitles that "them" are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.conversation import Turn
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.references import Resource
from hugginggpt.offline.follow_ups import Request
from hugginggpt.offline.memory import remember
from hugginggpt.offline.parsing import is_question, parse
from hugginggpt.offline.selection import NOUNS, find_selection

_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n+")
_HOW_MANY = re.compile(
    r"\bhow many(?P<of> of (?:them|these|those|they))?(?=(?: (?:are|r|is|were|can|do|did|have)\b|\W*$))", re.IGNORECASE
)
_JOINED = re.compile(
    r"\b(?:collage|montage|side by side|next to each other|on top of each other|together|join|combine|merge|"
    r"(?:in|into|as|on) (?:one|a single) (?:picture|image|photo|pdf|file|page))\b",
    re.IGNORECASE,
)
_BEFORE = r"(?:that|this|it|the (?:last|first|other|previous|earlier|old)(?: one| picture| photo| pic)?)(?: one)?"
_BOTH = re.compile(
    rf"\b{_BEFORE},? (?:and|with|plus|next to|beside) (?:the|this|that|my|our|a)\b|\b(?:and|with|plus) {_BEFORE}\W*(?:$|\bplease\b)",
    re.IGNORECASE,
)
_SUBTITLE_FILE = re.compile(r"\.(?:srt|vtt)$", re.IGNORECASE)
_MOVED_BY = re.compile(
    r"^(?!.*\b(?:sub-?titles?|subs|captions?|srt|vtt)\b)"
    r"(?=.*\b(?:shift|move|push|delay|later|earlier|early|late|forward|back|ahead|behind|sync)\b)"
    r"(?=.*\d[\d.,]* ?(?:m?s|sec(?:ond)?s?)\b).*?\b(?P<they>(?:they|them|it|those|these|everything)(?: all)?)\b",
    re.IGNORECASE,
)

_OF_COLOUR = re.compile(r"\bwh(?:at|ich) (?:main )?(?:colou?r|shade)s?\b", re.IGNORECASE)
_AND_THAT = re.compile(
    r"\W*+(?:(?:n|and|&|what about|how about)\W++)+(?P<thing>(?:the|its|it's|his|her|their) [a-z]+(?: [a-z]+)?)\W*",
    re.IGNORECASE,
)
_IN_ALL = re.compile(
    r"\b(?:insgesamt|zusammen|en tout|au total|en total|en conjunto)\b|一共|总共|加起来", re.IGNORECASE
)
"""What asks for the sum in other languages than English."""


def read(text: str, resources: Sequence[Resource], turns: Sequence[Turn], table: TaskTable) -> Request:
    """A message as a request in which these are named."""
    request = Request.read(text, resources, turns)
    for resolve in (
        _with_what_is_counted,
        _with_colour_asked,
        _with_picture_in_hand,
        _with_all_pictures,
        _with_subtitles,
    ):
        request = resolve(request, table)
    return request


def _with_what_is_counted(request: Request, table: TaskTable) -> Request:
    """ "These are my late husband's coins. How many coins are there?": the only things that are named before."""
    asked = _HOW_MANY.search(request.text)
    if asked is None or any(one.kind == "text" for one in request.named):
        return request
    before = request.text[: asked.start()].strip()
    told = _SENTENCE_END.split(before)[-1] if before else request.turns[-1].request if request.turns else ""
    if not told or is_question(told) or (not before and request.turns[-1].tasks):
        return request
    things = [token.text for token in parse(told) or () if token.tag_ == "NNS"]
    if len(things) != 1:
        return request
    start = request.text.rindex(told, 0, asked.start()) if before else asked.start()
    if any(start <= one.start < asked.end() for one in request.placed):
        start = asked.start()  # a file that is named stays
    return request.edited(start, asked.end(), f"{request.text[asked.start() : asked.start() + 8]} {things[0]}")


def _with_picture_in_hand(request: Request, table: TaskTable) -> Request:
    """ "Make a collage of that one and the bird", with a picture of the bird: the picture in hand is joined, too."""
    brought = [one for one in request.attached if one.is_file]
    is_meant = _JOINED.search(request.text) and _BOTH.search(request.text)
    if not is_meant or len(brought) != 1 or brought[0].kind != "image" or request.placed or not request.turns:
        return request
    known = [item.resource for item in remember(request.turns, table).named if item.resource.kind == "image"]
    earlier = next((one for one in reversed(known) if one.text != brought[0].text), None)
    if earlier is None:
        return request
    return Request(request.text, [Resource(earlier.text, "image"), *request.named], request.turns)


def _with_subtitles(request: Request, table: TaskTable) -> Request:
    """ "Shift them all 2 sec later", where a file of subtitles is in hand: "shift the subtitles …"."""
    moved = _MOVED_BY.search(request.text)
    if moved is None or request.placed:
        return request
    files = request.attached or [item.resource for item in remember(request.turns, table).named[-1:]]
    if not any(_SUBTITLE_FILE.search(one.text) for one in files):
        return request
    return request.edited(*moved.span("they"), "the subtitles")


def _with_colour_asked(request: Request, table: TaskTable) -> Request:
    """ "And the background?" behind "what colour is this flower?": "what colour is the background?"."""
    thing = _AND_THAT.fullmatch(request.text)
    if thing is None or request.named or not request.turns or not _OF_COLOUR.search(request.turns[-1].request):
        return request
    if find_selection(thing["thing"]) or not NOUNS.keys().isdisjoint(thing["thing"].lower().split()):
        return request
    return request.edited(0, len(request.text), f"What colour is {thing['thing']}?")


def _with_all_pictures(request: Request, table: TaskTable) -> Request:
    """ "Combien de chats en tout ?" behind a question to several pictures: all of these are counted."""
    if not _IN_ALL.search(request.text) or request.named or not request.turns:
        return request
    known = {item.resource.text for item in remember(request.turns, table).named if item.resource.kind == "image"}
    used = (str(value) for task in request.turns[-1].tasks for value in task.args.values() if isinstance(value, str))
    pictures = [one for one in dict.fromkeys(used) if one in known]
    return request.attaching([Resource(one, "image") for one in pictures]) if len(pictures) > 1 else request
