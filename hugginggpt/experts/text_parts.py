"""The part of a text that a request is about: "only the bit about the hotline", "the ingredients as a shopping list".

It is the section with that heading, else the sentences with its words; as a list, each of its items stands on a line.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from hugginggpt.core.documents import DocumentText
from hugginggpt.experts import foreign_reading, sections
from hugginggpt.experts.sentences import sentences
from hugginggpt.experts.summaries import in_short
from hugginggpt.experts.word_likeness import stem, stems_of
from hugginggpt.experts.written_language import ENGLISH, function_word, language_of

MAX_ITEMS_WORDS = 8
_PART = re.compile(
    r"\b(?:part|bit|section|paragraph|passage|piece|chapter|sentences?|lines?|what (?:it|he|she|they) says?|teil|"
    r"absatz|"
    r"abschnitt|stelle|kapitel|satz|partie|passage|paragraphe|parte|párrafo|sección)\s(?:(?:that|which) (?:is|are) |"
    r"that's )?"
    r"(?:about|on|with|regarding|concerning|über|zu|zum|zur|mit|sur|concernant|sobre)\s(?:the |a |an |my |die |der |"
    r"das |den |dem |"
    r"la |le |les |los |las |el )?(?P<topic>[^.?!,;:]{2,60})",
    re.IGNORECASE,
)
_AS_LIST = re.compile(
    r"\b(?:save|write|make|export|put|store|turn|give me|speichere?|schreibe?)\b\s(?:all |me |down )?(?:of )?(?:the |"
    r"my |die |das |den )?"
    r"(?P<topic>[^\W\d_][\w' -]{2,40}?)\s(?:as|into|in|als)\s(?:an? |eine )?(?:[a-z-]{2,12} )?(?P<list>list|"
    r"shopping-?list|einkaufsliste|liste|checklist)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"(?:(?<=\w)\W++|^)(?:aloud|out loud|out|loud|to me|for me|please|pls|only|alone|vor|bitte|"
    r"(?:as|in|into|to) (?:an? |one |two |three )?(?:[\w.]+ )?(?:text|txt|md|markdown|"
    r"file|list|sentences?|points?|words)\b.*)$",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\b(?:which|what) (?:page|slide|chapter|sheet)\b", re.IGNORECASE)
_MARK = re.compile(r"^[-*•–]\s+")
_POINTING = frozenset(["it", "this", "that", "them", "these", "those", "text", "file", "all", "everything"])
_LIST_WORDS = re.compile(r"\b(?:list|\w*liste|checklist)\b", re.IGNORECASE)


_NUMBERS = (
    "first 1st one 1", "second 2nd two 2", "third 3rd three 3", "fourth 4th four 4", "fifth 5th five 5",
    "sixth 6th six 6",
)  # fmt: skip
_ORDINALS = {word: at for at, words in enumerate(_NUMBERS, 1) for word in words.split()}
_ORDINALS |= {"last": -1, "final": -1, "closing": -1, "opening": 1}
_UNIT = r"(?P<unit{}>chapters?|sections?|paragraphs?|sentences?|lines?|verses?|stanzas?)"
_NUMBERED = re.compile(
    rf"\b(?P<before>{'|'.join(_ORDINALS)}) {_UNIT.format(1)}\b|"
    rf"\b{_UNIT.format(2)} (?P<behind>{'|'.join(_ORDINALS)})\b",
    re.IGNORECASE,
)
"""One part of a text by its number: "the last chapter", "paragraph 2"."""
_TOLD = re.compile(r"\b(?:read|show|says?|give|quote|speak|recite)\b", re.IGNORECASE)
_HAPPENS = re.compile(
    r"\W*+(?:(?:and|so|ok|please|tell me)\W+)*"
    r"(?:what(?:['’]?s| is| does| do| did)? ?(?:(?:happen|occur)\w*|goes on|going on)(?: in| to| during)?|"
    r"what(?:['’]?s| is| was)(?: it)?(?: all)? about)\W*",
    re.IGNORECASE,
)
"""What asks for the content of a whole part, without the part's name: "what happens in …", "what is … about"."""
_SPOKEN = frozenset(
    ("read", "speak", "narrate", "recite", "aloud", "loud", "voice", "audio", "audiobook", "mp3", "wav", "recording")
)
_ALOUD = _SPOKEN | frozenset(
    (
        "can", "could", "would", "you", "please", "pls", "me", "my", "for", "to", "the", "a", "an", "of", "from", "and",
        "it", "make", "create", "do", "record", "say", "out", "file", "sound", "into", "as", "with", "only", "just",
        "whole", "text",
    )
)  # fmt: skip
"""What is read aloud is the whole part, where words say nothing else."""
_CHAPTER = re.compile(
    r"^\s*(?:#{1,3}\s+\S|(?:chapter|part|section|kapitel|chapitre|capítulo)\s+(?:\d+|[IVXL]+|\w+)\b.{0,60}$)",
    re.IGNORECASE,
)


def part_of(words: str, text: str) -> str:
    """The part of a text that words name by its number; "" where they name none, or the text has no such part."""
    match = _NUMBERED.search(words)
    if match is None:
        return ""
    unit = (match["unit1"] or match["unit2"]).lower().rstrip("s")
    number = _ORDINALS[(match["before"] or match["behind"]).lower()]
    parts = _units(unit, text)
    at = number - 1 if number > 0 else number
    return parts[at] if parts and -len(parts) <= at < len(parts) else ""


def names_part(words: str) -> bool:
    """Whether words name a part of a text by its number."""
    return bool(_NUMBERED.search(words))


def _units(unit: str, text: str) -> list[str]:
    """The chapters, paragraphs, sentences or lines of a text; what stands before the first heading is one, too."""
    lines = text.strip().splitlines()
    if unit in ("chapter", "section"):
        starts = [at for at, line in enumerate(lines) if _CHAPTER.match(line)]
        bounds = [*([0] if starts and starts[0] else []), *starts, len(lines)]
        return ["\n".join(lines[start:end]).strip() for start, end in itertools.pairwise(bounds)] if starts else []
    if unit == "line":
        return [line.strip() for line in lines if line.strip()]
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text) if block.strip()]
    return sentences(text) if unit == "sentence" else blocks


def topic_of(words: str) -> str:
    """What the part is about that words ask for; "" where they ask for no part."""
    match = _AS_LIST.search(words) or _PART.search(words)
    if match is None:
        return ""
    topic, before = match["topic"].strip(), ""
    while topic != before:
        topic, before = _BEHIND.sub("", topic).strip(), topic
    is_pointing = not topic or topic.lower().split()[-1] in _POINTING
    return "" if is_pointing else topic


def answer(words: str, text: str) -> dict[str, Any] | None:
    """The part of a text that words ask for, or that it has none; None where they ask for no part."""
    if _TOLD.search(words) and (found_by_number := part_of(words, text)):
        return {"answer": found_by_number}
    if told := _whole_part(words, text):
        return {"answer": told}
    topic = topic_of(words)
    if not topic or _WHERE.search(words):  # where it stands is asked, not what it says
        return None
    found = _section(topic, text) or _sentences(topic, text)
    if not found:
        return {"answer": f"I do not find anything about “{topic}” in the text.", "found": False}
    return {"answer": _as_list(found) if _LIST_WORDS.search(words) else "\n".join(found)}


def _whole_part(words: str, text: str) -> str:
    """A part of a document that was already taken out of it, where words ask what happens in it, or to read it aloud;
    else "".
    """
    if not isinstance(text, DocumentText) or not text.is_excerpt or not text.strip():
        return ""
    said = set(re.findall(r"\w+", words.lower()))
    if said <= _ALOUD and said & _SPOKEN:
        return text.strip()
    if not _HAPPENS.fullmatch(words):
        return ""
    lines = text.strip().splitlines()
    told = "\n".join(lines[1:] if _CHAPTER.match(lines[0]) else lines).strip()
    return in_short(told)


def _section(topic: str, text: str) -> list[str]:
    """The lines below the heading that holds a topic's words."""
    wanted = {stem(word) for word in _content(topic)}
    for section in sections.sections(text):
        if section.heading and wanted and wanted <= stems_of(section.heading):
            return list(section.lines)
    return []


def _sentences(topic: str, text: str) -> list[str]:
    """The sentences with all words of a topic, else with any of them."""
    code = language_of(text)
    units = sentences(text) if code == ENGLISH else foreign_reading.units(text)
    words = _content(topic)
    holding = [[_holds(word, unit, code) for word in words] for unit in units]
    every = [unit for unit, held in zip(units, holding, strict=True) if held and all(held)]
    return every or [unit for unit, held in zip(units, holding, strict=True) if any(held)]


def _holds(word: str, unit: str, code: str) -> bool:
    if code == ENGLISH:
        return stem(word) in stems_of(unit)
    return foreign_reading.alike(word, unit, code, code) >= foreign_reading.NEAR


def _content(topic: str) -> list[str]:
    words = re.findall(r"[^\W_]+", topic.lower())
    return [word for word in words if not function_word(word, ENGLISH)] or words


def _as_list(found: list[str]) -> str:
    """Items on lines of their own: the lines, or what stands between the commas of a line with a label."""
    if len(found) == 1 and ("," in found[0] or ";" in found[0]):
        _, _, listed = found[0].rpartition(": ")
        found = [
            item
            for item in re.split(
                r"\s*[,;]\s+(?:and |und |et |y )?|\s+(?:and|und|et|y)\s+(?=\S+\W*$)", listed.rstrip(" .")
            )
            if item
        ]
    return "\n".join("- " + _MARK.sub("", item) for item in found)
