"""To which of several documents a question is put: to each of them, but for those that its words single out.

"What do we pay with the new one?" means offer_new.txt beside offer_old.txt: the word in which their names differ says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.core.results import Kind
from hugginggpt.experts import listings, text_changes
from hugginggpt.media.names import base_name
from hugginggpt.media.references import Resource
from hugginggpt.offline import joint_bills
from hugginggpt.offline.selection import is_plural, pick

_EACH = re.compile(
    r"\s*\b(?:(?:of|for|in|on|from|by) )?(?:each|every|all|both)(?: (?:of (?:them|these|those|the \w+)|one|file|document|invoice|letter|page|text|offer|contract)s?)?"
    r"(?=\W*$)",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"[\s,;:–-]*\b(?:the )?\w+ (?:vs\.?|versus) (?:the )?\w+\W*$", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:each|every|all|both|together|altogether|total|sum|versus|vs)\b", re.IGNORECASE)
_OF_TWO = re.compile(
    r"\b(?:which (?:one )?(?:of (?:the two|them|these|those|both)|one|text|file|document|letter|e?-?mail|contract|offer)|"
    r"(?:of|in) (?:the two|both)|both)\b",
    re.IGNORECASE,
)
"""Words of a question to two documents, of which one may have been in hand before."""
_WHICH_DOES = re.compile(
    r"\W*+which (?:one )?(?:of (?:the two|them|these|those|both)(?: \w+)?|one|text|file|document|letter|mail|contract|offer) "
    r"(?P<verb>[a-z]+s)\b(?P<rest>[^?]*)\W*",
    re.IGNORECASE,
)
_WHICH_SPEAKS = re.compile(
    r"(?:(?:in|on) )?(?:which|what)(?: (?:one|of (?:the (?:two|three|four|five|\d+)|them|these|those|all)))*(?: (?:[a-z]+ )?"
    r"(?:one|recording|memo|voicemail|message|note|call|clip|video|film|file|text|letter|mail|document|review|comment|story|"
    r"article)s?)?(?: of (?:the (?:two|three|four|five|\d+)|them|these|those|all))? "
    r"(?:(?:do|does|did|is|are|was|were|will|would) )?(?:(?:he|she|they|it|you|we|someone|somebody|people|anyone|anybody|i) )?"
    r"(?:(?:is|are|was|were|has) )?(?:(?:all )?about|(?:talk|speak|complain|tell)(?:s|ed|ing)?(?: (?:something|anything))? (?:about|of)|"
    r"(?:mention|discuss|name|describe)(?:s|ed|ing)?|(?:deal|to do)s? with|sa(?:y|ys|id|ying) (?:something|anything) (?:about|of))"
    r" (?P<topic>[^?.!;,]+)",
    re.IGNORECASE,
)
"""A question for the one of several texts or recordings that speaks of something."""
_LABEL = re.compile(r"(?<!\w)(\d{1,2}|[A-Z]|[A-Z][a-z]{1,15})\s?[.:)]\s*[\"'“”„«‘]?\s*$")
"""What stands before a text that is listed."""
_RANKS = re.compile(r"\b(?:first|last|most|least|more|less|better|worse|\w{2,}est|\w{2,}er)\b", re.IGNORECASE)
"""What only both together tell."""
_AUXILIARY = {"is": "is it", "has": "does it have", "does": "does it", "was": "was it"}
_COMPARING = re.compile(r"\b(?:chang|differ|compar)\w*|\b(?:better|worse)\b", re.IGNORECASE)
"""What asks how two documents differ."""
_DIFFERING = re.compile(r"\b(?:chang|differ)\w*|\bdiffs?\b|\bline by line\b|\bword for word\b", re.IGNORECASE)

LISTED: tuple[Kind | None, ...] = ("text", "image", "audio")
"""The files of which all phone numbers, dates and the like are listed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a clause in some words asks of the files of a request: of its `own`, else of all that are `named`."""

    words: str
    own: Sequence[Resource]
    named: Sequence[Resource]

    @property
    def files(self) -> list[Resource]:
        """The documents among several that a question is put to; a picture of a page is one where all are meant."""
        own = [one for one in self.own if one.is_file] or self.named
        if len(own) > 1 and listings.asked_for(self.words):
            return asked(self.words, [one for one in own if one.is_file and one.kind in LISTED])
        is_joint = joint_bills.read(self.words) is not None
        kinds = ("text", "image") if is_joint or are_meant_together(self.words) else ("text",)
        files = [one for one in own if one.is_file and one.kind in kinds]
        several = sum(one.kind == "text" for one in self.named if one.is_file) > 1 or (is_joint and len(files) > 1)
        return asked(self.words, files) if several and (is_joint or any(one.kind == "text" for one in files)) else []

    @property
    def is_comparison(self) -> bool:
        """Whether it asks for what differs between two documents, rather than for what stands in each."""
        if len(self.files) != 2:
            return False
        is_of_totals = joint_bills.read(self.words) is not None
        return bool(_COMPARING.search(self.words)) or (text_changes.asks_of_changes(self.words) and not is_of_totals)


def in_lines(request: str, named: Sequence[Resource]) -> str:
    """The texts in quotes that a request lists behind numbers, letters or names, as a text with a line for each; ""
    where it lists none: 'which of these is angry? 1: "…" 2: "…"'.
    """
    quotes = [one for one in named if one.has_place and one.kind == "text" and not one.is_file]
    labels = [match[1] for one in quotes if (match := _LABEL.search(request[: one.start]))]
    if len(quotes) < 2 or len(labels) < len(quotes) or len(set(labels)) < len(labels):
        return ""
    return "\n".join(f"{label}: {' '.join(one.text.split())}" for label, one in zip(labels, quotes, strict=True))


def asked(words: str, files: Sequence[Resource]) -> list[Resource]:
    """The files that a question is put to: those that it selects or calls by name, else all."""
    return pick(files, words) or _called(words, files) or list(files)


def worked_on(words: str, texts: Sequence[Resource]) -> list[Resource]:
    """The texts that a task is done to: of documents those that are asked about, else the first."""
    return asked(words, texts) if all(one.is_file for one in texts) else list(texts[:1])


def compared(words: str, named: Sequence[Resource]) -> list[Resource]:
    """The two documents that words are about; [] for any other number of files."""
    files = asked(words, [one for one in named if one.is_file])
    return files if len(files) == 2 and all(one.kind == "text" for one in files) else []


def put_to_pair(words: str, files: Sequence[Resource]) -> list[str]:
    """Two documents in the order in which words call them ("in April but not in March"), and what words ask of them,
    if anything: the sentence that asks how they differ, without the names of the documents.
    """
    asks = max((one for one in re.split(r"(?<=[.!?])\s+", words) if one), key=_asks_to_compare, default=words)
    named = {part for one in files for part in _words_of_name(one)}
    topic = " ".join(word for word in asks.split() if word.strip(".,;:?!'\"").casefold() not in named)
    return [*(one.text for one in _in_order(words, files)), *([topic] if text_changes.topic_of(topic) else [])]


def _asks_to_compare(sentence: str) -> int:
    """How much a sentence asks of changes, and not for a comparison as such: "Compare these. What changed about …?"."""
    return 2 * bool(re.search(r"[?]|\bwhat\b", sentence)) + bool(_DIFFERING.search(sentence))


def _in_order(words: str, files: Sequence[Resource]) -> list[Resource]:
    said = words.casefold()
    parts = [_words_of_name(one) for one in files]
    number = Counter(part for one in parts for part in one)
    places = [min((said.find(part) for part in own if number[part] == 1 and part in said), default=-1) for own in parts]
    return (
        [one for _, one in sorted(zip(places, files, strict=True), key=lambda pair: pair[0])]
        if min(places) >= 0
        else list(files)
    )


def differ(words: str, named: Sequence[Resource]) -> bool:
    """Whether words ask where two documents differ, and not how close they are in meaning."""
    is_asked = bool(_DIFFERING.search(words)) or text_changes.asks_of_changes(words)
    return is_asked and bool(compared(words, named))


def are_meant_together(words: str) -> bool:
    """Whether words are about several files at once: "which of them", "of each one"."""
    return bool(_SEVERAL.search(words)) or is_plural(words)


def with_earlier(words: str, named: Sequence[Resource], earlier: Sequence[Resource]) -> list[Resource]:
    """The files of a request, with the document in hand before where a question is put to two and one is named."""
    texts = [one for one in named if one.is_file and one.kind == "text"]
    others = [
        one for one in earlier if one.is_file and one.kind == "text" and one.text not in {own.text for own in texts}
    ]
    return [*(others[-1:] if len(texts) == 1 and _OF_TWO.search(words) else []), *named]


def is_put_to_two(words: str) -> bool:
    """Whether words ask which of two documents something holds for."""
    return bool(_OF_TWO.search(words))


def put_to_each(question: str) -> str:
    """The question to each of several files that answers one about their totals, or any other."""
    return joint_bills.ASKED_OF_EACH if joint_bills.read(question) else of_one(question)


def of_one(question: str) -> str:
    """A question to each of several files as one to a single file: "the total of each one?" -> "the total?", "which of
    them asks for a receipt?" -> "does it ask for a receipt?".
    """
    if match := _WHICH_SPEAKS.search(question):
        return f"does it say anything about {match['topic'].strip()}?"
    if (match := _WHICH_DOES.fullmatch(question)) and not _RANKS.search(question):
        verb = match["verb"].lower()
        asks = _AUXILIARY.get(verb, f"does it {verb.removesuffix('s')}")
        return f"{asks}{match['rest']}?"
    mark = "?" if question.rstrip().endswith("?") else ""
    shorter = _VERSUS.sub("", _EACH.sub("", question.rstrip(" ?")))
    return f"{shorter}{mark}" if len(shorter.split()) > 1 else question


def _called(words: str, files: Sequence[Resource]) -> list[Resource]:
    """The files that are called by the words in which their names differ."""
    parts = [_words_of_name(one) for one in files]
    number = Counter(part for one in parts for part in one)
    said = set(re.findall(r"[^\W_]+", words.casefold()))
    return [one for one, own in zip(files, parts, strict=True) if any(number[part] == 1 for part in own & said)]


def _words_of_name(resource: Resource) -> set[str]:
    stem = base_name(resource.text).rpartition(".")[0]
    return {word.casefold() for word in re.findall(r"[^\W\d_]+|\d+", stem) if len(word) > 1}
