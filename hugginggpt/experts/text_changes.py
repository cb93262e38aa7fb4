"""What is asked of the differences between two texts: those of one topic, by how much an amount changed and what makes
up for it, and who or what one of them lists and the other does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.experts import listed
from hugginggpt.experts.word_likeness import stems_of
from hugginggpt.experts.written_language import function_word

Change = tuple[str, str]
"""A line of the first text and what it became in the second; "" where it has none there."""
_AMOUNT = re.compile(
    r"(?<![\w.,])(?P<sign>[£$€]\s?)?(?P<number>\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
    r"(?P<unit>\s?(?:[€£%元]|(?:pounds?|euros?|dollars?|EUR|USD|GBP|CHF|percent|per cent|members|people)\b))?(?![\w])",
    re.IGNORECASE,
)
_BY_HOW_MUCH = re.compile(
    r"\b(?:by how much|how much (?:more|less|higher|lower|dearer|cheaper)|how much (?:did|has|have|does|was|is) .*"
    r"(?:chang\w*|gone? (?:up|down)|r[io]se\w*|fall\w*|fell|drop\w*|increas\w*|decreas\w*|grow\w*|grew|shrunk|shrink)|"
    r"um wie ?viel|de combien|en cuánto|cuánto (?:ha )?(?:subi|baja|cambia)\w*)\b|(?:多|少|涨|降|变)了?多少",
    re.IGNORECASE,
)
_ACCOUNTS = re.compile(
    r"\b(?:accounts? for|explains?|makes? up|causes?d?|reason for|why\b.*|behind|where does .* come from)\b.*"
    r"\b(?:differences?|changes?|gap|drop|rise|less|more)\b|\bwoher kommt\b.*\bunterschied\b|"
    r"\bd'où vient\b.*\b(?:différence|écart)\b|\ba qué se debe\b.*\bdiferencia\b",
    re.IGNORECASE,
)
_ONLY_ONE = re.compile(
    r"\bbut\b.{0,12}\b(?:not|n't|isn't|wasn't|weren't|missing)\b|"
    r"\baber nicht\b|\bmais pas\b|\bpero no\b|但(?:是)?(?:不|没)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[^:：]{2,40}[:：]\s*(?P<names>.+?)[.。]?\s*$")
_BETWEEN = re.compile(r"\s*(?:,|;|、|\band\b|\bund\b|\bet\b|\by\b)\s*", re.IGNORECASE)
_LIGHT = stems_of(
    """what which how much did does do has have had change changed changes changing differ differs different difference
    differences between compare compared about new old version versions text texts file files document documents
    other both two these those them line lines please tell show me our my your since from to in up down go went gone
    rise rose fall fell now still kindly set sets of minutes letter contract offer more less by part section
    regarding concerning january february march april may june july august september october november december not
    but only there unterschied unterschiede unterscheiden geändert verändert änderungen anders vergleichen vergleich
    beiden texte changé change changements différence différences comparer compare deux textes lettres diferencia
    diferencias cambiado cambios comparar compara dos textos cartas"""
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of a line with its unit as written."""

    number: float
    sign: str
    unit: str

    def like(self, number: float) -> str:
        """Another number as this one is written."""
        shown = f"{number:,.0f}" if number == int(number) else f"{number:,.2f}"
        return f"{self.sign}{shown}{self.unit}"


def asks_of_changes(question: str) -> bool:
    """Whether words about two texts ask for what only both together tell."""
    return any(form.search(question) for form in (_BY_HOW_MUCH, _ACCOUNTS, _ONLY_ONE))


def answer(question: str, changes: Sequence[Change], first: Sequence[str], second: Sequence[str]) -> str:
    """What the differences of two texts, given line by line, say on a question; "" where they say nothing on it."""
    topic = _words(question)
    if _ONLY_ONE.search(question):
        return _listed_only(topic, first, second)
    if _ACCOUNTS.search(question):
        return _accounting(topic, changes)
    about = on_topic(topic, changes)
    if _BY_HOW_MUCH.search(question):
        return _by_how_much(about) if about or topic - stems_of("money pay cost costs") else _by_how_much(changes)
    return ""


def on_topic(topic: frozenset[str], changes: Sequence[Change]) -> list[Change]:
    """The changes that speak of a topic (stems of words), those with most of its words; a line that stands only in the
    first text and one that stands only in the second are one change.
    """
    shared = [len(topic & stems_of(f"{left} {right}")) for left, right in changes]
    most = max(shared, default=0)
    about = [change for change, number in zip(changes, shared, strict=True) if number and number == most]
    lefts, rights = [left for left, right in about if not right], [right for left, right in about if not left]
    if len(about) == 2 and len(lefts) == len(rights) == 1:
        return [(lefts[0], rights[0])]
    return about


def topic_of(question: str) -> frozenset[str]:
    """The stems of the words that name what of two texts a question is about."""
    return _words(question)


def _words(question: str) -> frozenset[str]:
    words = re.findall(r"[^\W_]+", question.lower())
    telling = [word for word in words if len(word) > 1 and not any(function_word(word, code) for code in _LANGUAGES)]
    return stems_of(" ".join(telling)) - _LIGHT


_LANGUAGES = ("en", "de", "fr", "es")


def _by_how_much(about: Sequence[Change]) -> str:
    """The difference of the amounts that changed in the lines of a topic, where each has but one."""
    for left, right in about:
        if pair := _amounts_of(left, right):
            one, other = pair
            by = other.number - one.number
            word = "more" if by > 0 else "less"
            return f"{one.like(abs(by))} {word}: {one.like(one.number)} → {other.like(other.number)}"
    return ""


def _accounting(topic: frozenset[str], changes: Sequence[Change]) -> str:
    """The line that stands in one of the texts alone and holds just the amount by which another one changed."""
    changed = [pair for left, right in changes if left and right and (pair := _amounts_of(left, right))]
    for one, other in changed:
        by = abs(other.number - one.number)
        lines = [line for left, right in changes if not (left and right) for line in (left, right) if line]
        telling = [line for line in lines if any(abs(each.number - by) < 0.005 for each in _amounts(line))]
        if by and len(telling) == 1:
            return f"“{telling[0]}” ({one.like(one.number)} → {other.like(other.number)}: {one.like(by)})"
    return ""


def _listed_only(topic: frozenset[str], first: Sequence[str], second: Sequence[str]) -> str:
    """What the line of a list in the first text names that the one in the second does not."""
    of_first, of_second = _list_on(topic, first), _list_on(topic, second)
    if of_first is None or of_second is None:
        return ""
    there = {_bare(name) for name in of_second}
    only = [name for name in of_first if _bare(name) not in there]
    return ", ".join(only) if only else "Nobody and nothing: all of these stand in both."


def _list_on(topic: frozenset[str], lines: Sequence[str]) -> list[str] | None:
    """What the only line with a word of a topic before its colon lists."""
    listing = [
        found for line in lines if (found := _LISTED.match(line)) and topic & stems_of(line[: found.start("names")])
    ]
    if len(listing) != 1:
        return None
    return [name.strip() for name in _BETWEEN.split(listing[0]["names"]) if name.strip()]


def _bare(name: str) -> str:
    """A name without what stands in brackets behind it."""
    return re.sub(r"\s*\([^)]*\)", "", name).strip().lower()


def _amounts_of(left: str, right: str) -> tuple[Amount, Amount] | None:
    """The amount that changed between two lines, where one alone did."""
    one, other = _amounts(left), _amounts(right)
    only_one = [each for each in one if each not in other and (each.sign or each.unit)]
    only_other = [each for each in other if each not in one and (each.sign or each.unit)]
    if len(only_one) != 1 or len(only_other) != 1:
        return None
    same = (only_one[0].sign, only_one[0].unit.strip().lower()) == (
        only_other[0].sign, only_other[0].unit.strip().lower(),
    )  # fmt: skip
    return (only_one[0], only_other[0]) if same else None


def _amounts(line: str) -> list[Amount]:
    return [
        Amount(listed.number_of(one["number"]), (one["sign"] or "").strip(), one["unit"] or "")
        for one in _AMOUNT.finditer(line)
    ]
