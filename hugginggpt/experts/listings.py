"""All things of a kind in a text: phone numbers, e-mail and web addresses, dates, times, amounts, error codes.

They are found by their form, letter for letter, in a text of any language. By which words they are asked for stands in
data/experts/kinds_of_things.txt: a request with any other word ("Anna's number") asks for something particular.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from typing import Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import contacts

DATE, TIME, MONEY, CODE = "date", "time", "amount of money", "code"
MIN_CODES = 2
"""Things like "E3" are the codes of a text where it has so many that begin alike."""
MAX_IN_A_LINE = 3
MAX_BULLET = 4
"""The mark of an item before a code has at most so many characters."""
_BEHIND = (":", "=", "-", "–", "—", "|")
"""What stands behind a code that is explained."""
_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]v(?:rier)?|mar(?:ch|s|zo)?|märz|apr(?:il)?|avr(?:il)?|ma[iy]|"
    r"mayo|jun[ei]?|juin|jul[iy]?|"
    r"juillet|aug(?:ust)?|ao[uû]t|sep(?:t(?:ember|embre|iembre)?)?|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|"
    r"iembre)?|d[eé][cz](?:ember|embre)?|"
    r"enero|febrero|abril|junio|julio|agosto|diciembre)"
)
_CURRENCY = r"(?:euros?|pounds?|dollars?|francs?|pesos?|eur|gbp|usd|chf|cents?|pence|[€£$¥]|元|块)"
_FORMS = {
    DATE: re.compile(
        rf"\b\d{{4}}-\d\d?-\d\d?\b|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}\b|"
        rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:of\s|de\s)?{_MONTH}\b(?:,?\s(?:de\s|del\s)?\d{{4}}\b)?|"
        rf"\b{_MONTH}\b\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s\d{{4}}\b)?|(?:\d{{4}}年)?\d{{1,2}}月\d{{1,2}}[日号]",
        re.IGNORECASE,
    ),
    TIME: re.compile(
        r"(?<![\d.,/-])\d{1,2}[:h]\d\d(?![\d.])(?:\s?(?:[ap]\.?m\b|uhr\b))?|\b\d{1,2}(?:[.]\d\d)?\s?(?:[ap]\.?m\b|"
        r"uhr\b|o'clock\b|heures?\b|h\b(?!\w))|"
        r"\b(?:noon|midnight|mitternacht|minuit|medianoche|mediodía)\b|(?:上午|下午|晚上|早上)?\d{1,2}点",
        re.IGNORECASE,
    ),
    MONEY: re.compile(rf"[€£$¥]\s?\d(?:[\d.,]*\d)?|(?<![\d.,])\d(?:[\d.,]*\d)?\s?{_CURRENCY}(?!\w)", re.IGNORECASE),
}
_CODE = re.compile(r"(?<![\w.-])(?P<prefix>[A-Z]{1,4})[- ]?\d{1,4}[A-Za-z]?(?![\w-])")


@cache
def _lists() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = defaultdict(frozenset)
    for line in word_lists.lines(EXPERTS_DATA / "kinds_of_things.txt"):
        name, _, words = line.partition(":")
        split = words.split() if name == "every" else words.split(",")
        found[name] |= {word.strip() for word in split}
    return dict(found)


@cache
def _kinds() -> dict[str, str]:
    return {word: kind for kind, words in _lists().items() if kind not in ("every", "only") for word in words}


def asked_for(question: str) -> list[str]:
    """The kinds of things of which all are asked for; none where anything else is."""
    kinds, idle = _kinds(), _lists()["every"] | _lists()["only"]
    text = re.sub(r"\be[- ]?mail", "email", question.lower().replace("’", "'"))
    found: list[str] = []
    for word in sorted(
        (word for word in kinds if not word.isascii() and re.match(r"[\u3400-\u9fff]", word)), key=len, reverse=True
    ):
        if word in text:
            found.append(kinds[word])
            text = text.replace(word, " ")
    for word in sorted((word for word in idle if re.match(r"[\u3400-\u9fff]", word)), key=len, reverse=True):
        text = text.replace(word, " ")
    words = re.findall(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)?", text)
    found += [kinds[word] for word in words if word in kinds]
    if not found or any(word not in idle and word not in kinds for word in words):
        return contacts.asked_for(question)
    return list(dict.fromkeys(found)) if _asks_for_all(question, found) else []


def _asks_for_all(question: str, kinds: list[str]) -> bool:
    """Whether all are wanted: of dates, times and amounts one in the singular may be meant."""
    if not {DATE, TIME, MONEY} & set(kinds):
        return bool(kinds != [CODE] or re.search(r"s\b|[\u3400-\u9fff]|\b(?:all|every|list)\b", question.lower()))
    return bool(
        re.search(
            r"\b(?:all|every|each|list|lists|extract|collect|gather|overview|alle|sämtliche|liste|tou(?:te)?s|todos|"
            r"todas|lista)\b|所有|全部|列出|"
            r"\b(?:which|what) (?:dates|times|prices|amounts|deadlines|costs|sums|fees)\b",
            question.lower(),
        )
    )


def answer(question: str, text: str) -> dict[str, Any] | None:
    """All things of the kinds asked for, or that there is none; None where a question asks for anything else."""
    kinds = asked_for(question)
    if not kinds:
        return None
    told = [(kind, found(kind, text)) for kind in kinds]
    if not any(values for _, values in told):
        names = " or ".join(f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" for kind in kinds)
        return {"answer": f"I do not find {names} in the text.", "found": False}
    parts = [_in_words(kind, values, len(kinds) > 1) for kind, values in told]
    return {"answer": "\n".join(parts) if any("\n" in part for part in parts) else "; ".join(parts)}


def _in_words(kind: str, values: list[str], is_named: bool) -> str:
    if not values:
        return f"no {kind}"
    is_long = kind == CODE or len(values) > MAX_IN_A_LINE
    said = "\n".join(f"- {value}" for value in values) if is_long else ", ".join(values)
    return f"{kind}:{chr(10) if is_long else ' '}{said}" if is_named else said


def found(kind: str, text: str) -> list[str]:
    """What of a text has the form of a kind, each once, in order; for a code the line that says what it means."""
    if kind == CODE:
        return _codes(text)
    if kind not in _FORMS:
        return contacts.found(kind, text)
    return list(dict.fromkeys(" ".join(match[0].split()) for match in _FORMS[kind].finditer(text)))


def codes_in(text: str) -> list[str]:
    """The things like "E3" or "F-12" in a text, each once, in order, as they are written."""
    return list(dict.fromkeys(match[0] for match in _CODE.finditer(text)))


def _codes(text: str) -> list[str]:
    """The lines of the codes that a text explains: those that begin alike most often, with what stands behind each."""
    prefixes = Counter(match["prefix"] for match in {one[0]: one for one in _CODE.finditer(text)}.values())
    if not prefixes or max(prefixes.values()) < MIN_CODES:
        return []
    prefix = max(prefixes, key=prefixes.__getitem__)
    lines: dict[str, str] = {}
    for line in text.splitlines():
        of_line = [match for match in _CODE.finditer(line) if match["prefix"] == prefix]
        heads = [match for match in of_line if line[match.end() :].lstrip()[:1] in _BEHIND]
        for match, following in zip(of_line, [*of_line[1:], None], strict=False):
            end = following.start() if following in heads and following else len(line)
            start = match.start() if match in heads or match.start() < MAX_BULLET else 0
            lines.setdefault(match[0], " ".join(line[start:end].split()).strip(" ,;|"))
    return list(dict.fromkeys(lines.values()))
