"""The sections of a text: which lines are headings, what stands below each, and which section a question asks for.

"What does it say under Heating?" and "list the steps" are answered by a section as it stands, which no single sentence
answers. A section is chosen by how close in meaning its heading, or for a list its lines, are to the question (MiniLM).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.experts import minilm
from hugginggpt.experts.word_likeness import stem, stems_of

MAX_HEADING_WORDS = 7
MAX_SECTION_CHARS = 1200
"""A longer section is no answer, but a text to be summed up."""
MIN_LIST_LINES = 2
MIN_NAMED, MIN_ASKED, MIN_LISTED = 0.6, 0.68, 0.3
"""How close a heading must be to the words that name it, and to a whole question; and a list to what asks for one."""
_MARK = re.compile(r"^#{1,6}\s+|^\*\*(?=[^*]+\*\*:?$)")
_ITEM = re.compile(r"\s*(?:[-*•–]\s+|\d{1,2}[.)]\s+|\(?[a-z]\)\s+)")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s+[A-Z][^.!?;,|\d]*$")
_NAMED = re.compile(
    r"\b(?:says?|said|written|stands?|tell|read|show|give|what(?:['’]?s| is))\b.*?"
    r"\b(?:under|about|on|in|section|chapter|slide|part|heading)\b(?: (?:on|about|called|named))* "
    r"(?:the )?[\"“']?(?P<name>[^?.!,;\"”]+?)[\"”']?(?: (?:section|chapter|part|heading))?(?: (?:say|please|pls))?\W*$",
    re.IGNORECASE,
)
"""Words that name the heading under which to look."""
_LISTING = re.compile(
    r"\b(?:list|steps?|bullet points?|one by one|step by step|all (?:the|of)|everything|ingredients|instructions|"
    r"rules|what (?:do|must|should|shall) (?:i|we|you) (?:need|have to|bring|pack|take|do)|"
    r"what (?:do|does|must|should|shall|will|has|have) (?:he|she|they|(?:my|our|the|every|each) \w+) "
    r"(?:need|have|has)?(?: to)? ?(?:bring|pack|take|wear)|"
    r"what (?:to|(?:i|we|they) (?:need|have|must|should)(?: to)?) (?:bring|pack|take|do|wear)|"
    r"how (?:do|can|should) (?:i|we|you))\b",
    re.IGNORECASE,
)
"""Words that ask for more than one line."""
_LIGHT = stems_of(
    "what the how do i we you it a an in of to for is and or on my this that there here need have must should can "
    "please list me give show all"
)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below a heading, line by line; the heading is "" before the first one."""

    heading: str
    lines: tuple[str, ...]

    @property
    def is_list(self) -> bool:
        """Whether its lines are items, marked as such or short ones without an end."""
        items = sum(bool(_ITEM.match(line)) or not re.search(r"[.!?…]$", line) for line in self.lines)
        return len(self.lines) >= MIN_LIST_LINES and items >= 0.75 * len(self.lines)

    @property
    def text(self) -> str:
        """The heading and what stands below it; items on lines of their own."""
        below = "\n".join(self.lines) if self.is_list else " ".join(self.lines)
        return f"{self.heading.rstrip(':')}:{chr(10) if self.is_list else ' '}{below}" if self.heading else below


def sections(text: str) -> list[Section]:
    """The sections of a text that have lines, in order."""
    found: list[Section] = []
    heading = ""
    lines: list[str] = []
    for line, is_head in _lines(text):
        if is_head:
            found += [Section(heading, tuple(lines))] if lines else []
            heading, lines = _bare(line), []
        else:
            lines.append(line)
    return found + ([Section(heading, tuple(lines))] if lines else [])


def headings(text: str) -> frozenset[str]:
    """The lines of a text that are headings."""
    return frozenset(" ".join(line.split()) for line, is_head in _lines(text) if is_head)


def asked_for(question: str, text: str) -> Section | None:
    """The section that a question asks for as a whole: by its heading, or as a list; None where it asks for none."""
    headed = [one for one in sections(text) if one.heading and len(one.text) <= MAX_SECTION_CHARS]
    if not headed:
        return None
    if named := _NAMED.search(question.strip()):
        one, closeness = _closest(named["name"], [section.heading for section in headed])
        if closeness >= MIN_NAMED or _holds(named["name"], headed[one].heading):
            return headed[one]
    if not _LISTING.search(question):
        return None
    one, closeness = _closest(question, [section.heading for section in headed])
    if closeness >= MIN_ASKED and len(headed[one].lines) >= MIN_LIST_LINES:
        return headed[one]
    lists = [listed for section in headed if (listed := _as_list(section)).is_list]
    if not lists:
        return None
    said = stems_of(question) - _LIGHT
    if titled := [section for section in lists if said & stems_of(section.heading)]:
        words = [stem(word) for word in re.findall(r"\w+", question.lower())]
        shared = [said & stems_of(section.heading) for section in titled]
        last = [max(at for at, word in enumerate(words) if word in own) for own in shared]
        return titled[last.index(max(last))]  # "what do i do on the ward when there is a fire?"
    one, closeness = _closest(question, [section.text for section in lists])
    is_only = len(lists) == 1 or _holds(question, lists[one].heading)
    return lists[one] if closeness >= MIN_LISTED and is_only else None


def _as_list(section: Section) -> Section:
    """A section without the text behind the items that it begins with: those that are marked, else below a colon those
    that are no sentences.
    """
    items = list(itertools.takewhile(_ITEM.match, section.lines))
    if not items and section.heading.endswith(":"):
        items = list(itertools.takewhile(lambda line: not re.search(r"[.!?…]$", line), section.lines))
    return Section(section.heading, tuple(items)) if len(items) >= MIN_LIST_LINES else section


def below(heading: str, text: str) -> Section | None:
    """The section of a heading, as it stands in the text; None where the line is none, or too much stands below it."""
    wanted = _bare(heading)
    section = next((one for one in sections(text) if one.heading == wanted), None)
    return section if section and len(section.text) <= MAX_SECTION_CHARS else None


def _closest(words: str, others: Sequence[str]) -> tuple[int, float]:
    nearness = minilm.similarities(words, list(others))
    best = max(range(len(nearness)), key=nearness.__getitem__)
    return best, nearness[best]


def _holds(words: str, heading: str) -> bool:
    """Whether every word of a heading is among the words, or in another form."""
    own = re.findall(r"[a-z]{3,}", heading.lower())
    said = re.findall(r"[a-z]{3,}", words.lower())
    return bool(own) and all(any(one[:5] == other[:5] for other in said) for one in own)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text that are not blank, and whether each is a heading."""
    lines = [line.strip() for line in text.splitlines()]
    for at, line in enumerate(lines):
        if line:
            before = lines[at - 1] if at > 1 else ""  # below the title of a text there may be a heading
            yield line, _is_heading(line, before, next(filter(None, lines[at + 1 :]), ""))


def _is_heading(line: str, before: str, following: str) -> bool:
    if _MARK.match(line):
        return True
    if _NUMBERED.match(line) and len(line.split()) <= MAX_HEADING_WORDS:
        return bool(following) and not (_ITEM.match(before) or _ITEM.match(following))
    is_title = len(line.split()) <= MAX_HEADING_WORDS and line[0].isupper() and not re.search(r"[.!;,|\d@]", line)
    is_apart = not before or bool(re.search(r"[.!?…:]$", before)) or bool(_ITEM.match(before))
    is_label = bool(re.search(r":\s*\S", line)) or _is_greeting(line)
    return bool(following) and is_title and is_apart and not is_label


def _is_greeting(line: str) -> bool:
    """Whether a line begins or ends a letter."""
    return bool(re.match(r"(?:dear|hi|hello|kind|best|yours|regards|sincerely|love|thanks)\b", line, re.IGNORECASE))


def _bare(line: str) -> str:
    return _MARK.sub("", line).strip("*# ")
