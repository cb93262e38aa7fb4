"""Questions about recordings and videos that are answered from what is said in them: "where is the emergency exit?"

What is measured of a file ("how long is it?"), what is heard but not said ("which language is it?") and what a video
shows is asked of others. The words that tell are in data/planner/recordings.txt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.core.results import Kind
from hugginggpt.core.task_types import TaskType
from hugginggpt.experts import coco, kind_questions, object_questions, word_counts
from hugginggpt.media.references import Resource
from hugginggpt.offline import moving
from hugginggpt.offline.memory import Memory
from hugginggpt.offline.parsing import parse
from hugginggpt.offline.said_beside import LIVE
from hugginggpt.offline.selection import find_selection, refers_to_result
from hugginggpt.offline.small_talk import LACKING, UNCLEAR

_LEAD = re.compile(
    r"\W*+(?:(?:and|so|but|please|ok|also|then|now|can you|could you|do you know|tell me|find out|i need to know|i want to know|"
    r"i would like to know|say)\W+)*",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:(?:at|on|in|until|from|since|for|by|with|to) )?(?:wh(?:o|om|ose|at|en|ere|y|ich)|how)\b|what['’]?s\b", re.I
)
_TELLING = frozenset("did must should may shall".split())
"""Auxiliaries of questions for what is told, and not seen."""
_SAID_OF = re.compile(
    r"\b(?:say|says|said|tell|tells|told|mention|mentions|explain|explains)(?: (?:us|me|you|anything|something))?+ (?:about|of) (?!it\b|this\b|that\b)\w|"
    r"\baccording to (?:the|this|that|him|her|them)\b",
    re.IGNORECASE,
)
_TOLD_LENGTH = re.compile(
    r"\bhow long\b(?=.*\b(?:takes?|taking|(?:sup)?posed|supposed|meant|cook|bake|boil|wait|stay|soak|dry|rest|work|works|closed|open|valid)\b)"
    r"(?!.*\b(?:to (?:play|watch|listen|hear)|video|clip|film|movie|recording|audio|podcast|file|it take)\b)",
    re.IGNORECASE,
)
_TOPICAL = ("about", "of", "on")
"""How a question ends that asks only for what is said of something."""
_IS_ANYTHING_SAID = re.compile(
    r"\W*+(?:(?:and|so|but|ok|please)\W+)*(?:is|are|was|does|do|did) (?:there )?(?:any|anything|something|any words?|any ?one|any ?body|"
    r"some ?one|some ?body|people|they)\b[^?]{0,30}?\b(?:said|spoken|spoken words|say|says)\b"
    r"(?!\W+(?:about|of|to|with)\b)",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"how (?:can|do|could|would|should|might) (?:i|you|we|one)\b|(?:is|are) there (?:a|any) (?:way|method)|can (?:i|you|we)",
    re.I,
)
_YES_OR_NO = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|will|would|should|must|may)\b", re.IGNORECASE)
_LIGHT = frozenset("be have do get can will may must should could would shall go come say tell speak talk call".split())


def is_asked(words: str, kind: Kind | None) -> bool:
    """Whether a clause about a recording or video, without the words for it, is answered by what is said there."""
    if kind not in ("audio", "video"):
        return False
    text = words[_LEAD.match(words).end() :] if _LEAD.match(words) else words  # type: ignore[union-attr]
    is_open = bool(_OPEN.match(text))
    if _HOW_TO.match(text) or not (is_open or (kind == "audio" and _YES_OR_NO.match(text))):
        return False
    words_said = re.findall(r"[a-z]+", re.sub("[’']", "", text.lower()))
    spaced = f" {' '.join(words_said)} "
    if is_topical(text):  # "what does the voice say about the opening times?"
        return True
    if any(word_lists.holds(spaced, _words()[name]) for name in ("measured", "whole", "heard")):
        return False
    if kind == "video" and _is_seen(text, spaced):
        return False
    document = parse(text) or ()
    if is_open and any(token.lower_ in _TELLING for token in document):  # "where did they go first?"
        return True
    return any(
        (token.pos_ in ("NOUN", "PROPN", "NUM", "ADJ") and token.lower_ not in _words()["media"])
        or (token.pos_ == "VERB" and token.lemma_.lower() not in _LIGHT)
        or (token.lower_ in ("called", "cost"))
        for token in document
        if token.tag_[0] != "W"
    )


def is_topical(words: str) -> bool:
    """Whether words ask what is said of something, or how long something takes that is told of."""
    return bool(_SAID_OF.search(words)) or asks_told_length(words)


def asks_told_length(words: str) -> bool:
    """Whether words ask how long something takes, and not how long a recording is."""
    return bool(_TOLD_LENGTH.search(words))


def may_stand_for(row: TaskType | None, part: str, words: str) -> bool:
    """Whether what is said may answer a clause that was taken for a task of this row, or for no task and this `part` of
    "none": a question is no operation, and the pictures of a video seldom tell what a question asks.
    """
    if row is None:
        return part in (LACKING, UNCLEAR, LIVE)
    if row.measures or is_topical(words):
        return is_topical(words)
    return row.is_digest or row.input_kind == "image" or bool(row.result.makes)


def recordings_in_hand(memory: Memory, words: str) -> list[Resource]:
    """The recordings that came together last, where a message that names none may be about any of them; [] where there
    is but one, or one was made of all of them.
    """
    if memory.kind_in_hand(words) not in ("audio", "video") or find_selection(words) or refers_to_result(words):
        return []
    own = [item for item in memory.named if item.resource.is_file and not item.generated]
    last = [item.resource for item in own if item.turn == own[-1].turn]
    together = list({one.text: Resource(one.text, one.kind) for one in last}.values())
    if len(together) < 2 or any(one.kind not in ("audio", "video") for one in together):
        return []
    return [] if memory.made_of({one.text for one in together}) else together


def asks_whether_said(words: str) -> bool:
    """Whether words ask if anything is said at all: "is anything said in it?"; whether somebody talks, a detector tells."""
    return bool(_IS_ANYTHING_SAID.match(words))


def asks_whole(words: str, memory: Memory) -> bool:
    """Whether a message asks for all that is said in the recording in hand: "and what does he say?"."""
    return memory.kind_in_hand(words) in ("audio", "video") and asks_all(words)


def asks_all(words: str) -> bool:
    """Whether words ask what is said, and not of something."""
    said = re.findall(r"[a-z]+", re.sub("[’']", "", words.lower()))
    is_asked = word_lists.holds(f" {' '.join(said)} ", _words()["said"])
    return is_asked and said[-1] not in _TOPICAL and not is_topical(words)


def asks_all_of(row: TaskType, words: str) -> bool:
    """Whether words that were taken for an operation ask what is said."""
    return row.is_exact and asks_all(words)


def without_quotes(text: str, resources: Sequence[Resource]) -> tuple[str, Sequence[Resource]]:
    """A message that asks how often a word in quotes is said, without the quotes, in which no text is meant."""
    placed = [one for one in resources if one.has_place]
    if len(placed) != 1 or placed[0].is_file or not word_counts.asked_for(text):
        return text, resources
    before, after = text[: placed[0].start], text[placed[0].end :]
    marks = "\"'“”„‘’«»"
    word = "" if re.search(r"\bword\W*$", before) else "the word "
    bare = f"{before.rstrip(marks)}{word}{placed[0].text}{after.lstrip(marks)}"
    return bare, [one for one in resources if not one.has_place]


def _is_seen(text: str, spaced: str) -> bool:
    """Whether the pictures of a video may answer: what they show is asked for, or what somebody is doing."""
    if word_lists.holds(spaced, _words()["seen"]) or moving.is_written(text):
        return True
    picture = moving.as_picture(text)
    question = object_questions.read(picture)
    if kind_questions.read(picture, question) is not None:
        return True
    if question and any(objects.known for objects in question.objects):
        return True
    return any(
        (token.pos_ == "NOUN" and coco.meaning(token.lower_))
        or (token.tag_ == "VBG" and any(child.lemma_ == "be" for child in token.children))
        for token in parse(text) or ()
    )


@cache
def _words() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(PLANNER_DATA / "recordings.txt")
