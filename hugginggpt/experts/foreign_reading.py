"""The reader of texts and pages in other languages than English: which sentence shares most with a question.

The vectors and the grammar of the English reader know no other language, so words are compared by their letters alone:
"Müll" is found in "Mülltonnen". What is found so is offered as probable, and never asserted.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.reading import LIKELY, NOT_SAID, UNSURE
from hugginggpt.experts.written_language import (
    ENGLISH,
    function_word,
    function_words,
    language_of,
    name_of,
)

CHINESE = "zh"
MIN_ALIKE, MIN_LETTERS = 0.6, 4
"""Two words are alike that have so many letters in a row in common, and this share of the shorter one's."""
FITS, LACKS = 0.5, 0.4
"""What holding the kind of thing that is asked for adds to a sentence's share of words, and what lacking it leaves."""
AROUND = 0.3
"""What the sentence before counts for: "There is a course. It begins at six."."""
PROBABLE, MIN_SCORE = 0.5, 0.2
MAX_UNITS = 2000
_DIGIT = re.compile(r"\d")
_MONEY = re.compile(
    r"[€£$¥]|\d\s?(?:euros?|eur|chf|元|块|pesos?|dollars?)\b|\d+[.,]\d\d\b(?!\s?(?:uhr|h)\b)|[一二三四五六七八九十百两]+(?:元|块)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b[A-ZÀ-Þ][\w'-]+\s+(?:[a-zà-ÿ]{1,3}\s+)?[A-ZÀ-Þ][\w'-]+|[\u3400-\u9fff](?:老师|先生|女士|师傅|小姐|经理|医生)"
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d_a-zà-ÿ]|[¿¡«„])|(?<=[。！？；])|\n+")
_ABBREVIATED = re.compile(r"\b(?:\d{1,2}|[A-Za-z]|Nr|St|Str|Dr|Fr|Hr|Sr|Sra|M|Mme|bzw|ca|tel|Tel)\.$")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Asking:
    """The words of a language that ask, by the kind of thing ("when", "money", "number", "who", "other"); those that a
    thing of a kind is written with; and common ones.
    """

    asks: dict[str, tuple[str, ...]]
    written: dict[str, frozenset[str]]
    common: frozenset[str]


@cache
def _asking() -> dict[str, _Asking]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in (EXPERTS_DATA / "asking_words.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            head, _, words = line.partition(":")
            code, _, name = head.partition(" ")
            found.setdefault(code, {})[name] = tuple(word.strip() for word in words.split(","))
    return {
        code: _Asking(
            {name.removeprefix("asks "): words for name, words in lists.items() if name.startswith("asks ")},
            {name: frozenset(lists[name]) for name in ("when", "number")},
            frozenset(lists["common"]),
        )
        for code, lists in found.items()
    }


def asked_in(question: str, text: str) -> tuple[str, str]:
    """The question to put to a text, and the language of both. A question may come with the same one in English, on a
    second line: each is for texts in its language.

    Raises ExpertUnavailable for a text in a language that nobody reads here, or a question in another than its text.
    """
    own, _, english = question.strip().partition("\n")
    if not english or _asking_language(own, False) == ENGLISH or language_of(english) != ENGLISH:
        own, english = question, ""
    code = _language_of(own, text, bool(english))
    return (own, code) if code != ENGLISH or not english else (english, ENGLISH)


def _language_of(question: str, text: str, is_foreign: bool) -> str:
    of_text, of_question = language_of(text), _asking_language(question, is_foreign)
    if of_text == ENGLISH and of_question != ENGLISH:
        counts = function_words(text)
        if of_question != CHINESE and counts[ENGLISH] <= counts[of_question]:
            return of_question  # a page of names and numbers is in the language of who asks
        if not is_foreign and asks(question, of_question):
            asked = name_of(of_question)
            raise ExpertUnavailable(f"The text is in English, and questions to it are not understood in {asked}.")
    if of_text == ENGLISH:
        return ENGLISH
    if of_text not in _asking():
        raise ExpertUnavailable(f"This text seems to be in {name_of(of_text)}; the expert for it knows only English.")
    if of_question != of_text:
        raise ExpertUnavailable(f"This text seems to be in {name_of(of_text)}: ask in that language what it says.")
    return of_text


def _asking_language(question: str, is_foreign: bool) -> str:
    """The language of a question, by its function words and those that ask."""
    if (code := language_of(question)) in _asking():
        return code
    counts = function_words(question)
    codes = [code for code in _asking() if code != CHINESE and asks(question, code)]
    code = max(codes, key=counts.__getitem__, default=ENGLISH)
    return code if is_foreign or counts[code] > counts[ENGLISH] else ENGLISH


def answer(question: str, text: str, code: str) -> dict[str, Any]:
    """What of a text in a language probably answers a question in it, for each of its parts; "found" is false."""
    units = _units(text)
    parts = _parts(question, code)
    found = [_best(part, units, code) for part in parts]
    lines = [
        f"“{part}” {said}" if len(parts) > 1 else said
        for part, said in zip(parts, (_said(quoted, score) for quoted, score in found), strict=True)
    ]
    near = " / ".join(dict.fromkeys(quoted for quoted, _ in found if quoted))
    least = min(score for _, score in found)
    likely = {"score": least} if near and least >= PROBABLE else {}
    return {"answer": "\n".join(lines), "found": False, **({"closest": near} if near else {}), **likely}


def asks(question: str, code: str) -> bool:
    """Whether words in a language hold one that asks."""
    return bool(kinds_asked(question, code))


def kinds_asked(question: str, code: str) -> frozenset[str]:
    """The kinds of things ("when", "money", "number", "who", "other") that words in a language ask for."""
    return (
        frozenset(kind for kind, words in _kinds(question, code).items() if words) if code in _asking() else frozenset()
    )


def _said(quoted: str, score: float) -> str:
    if not quoted:
        return NOT_SAID
    return (LIKELY if score >= PROBABLE else UNSURE).format(quoted)


def _units(text: str) -> list[str]:
    """The sentences and lines of a text, in order."""
    units: list[str] = []
    for line in text.splitlines():
        start = len(units)
        for piece in filter(None, map(str.strip, _SENTENCE_END.split(line))):
            if len(units) > start and _ABBREVIATED.search(units[-1]):
                units[-1] += f" {piece}"  # "14. Oktober"
            else:
                units.append(piece)
    return units[:MAX_UNITS]


def _parts(question: str, code: str) -> list[str]:
    """The questions in one: "Wann beginnt es und was kostet es?"."""
    parts: list[str] = []
    for piece in re.split(r"(?<=[?？])\s*|,\s*|，|\s+(?:und|et|y)\s+", question):
        piece = piece.strip(" ?？!.¿")
        if piece and (not parts or (asks(piece, code) and asks(parts[-1], code))):
            parts.append(piece)
        elif piece:
            parts[-1] += f", {piece}"
    return parts or [question]


def _kinds(question: str, code: str) -> dict[str, tuple[str, ...]]:
    """The kinds of things that a question asks for, with the words that say so, the longest first."""
    lowered = question.lower().replace("’", "'")
    found = {}
    for kind, phrases in _asking()[code].asks.items():
        there = [phrase for phrase in phrases if _holds(lowered, phrase, code)]
        found[kind] = tuple(sorted(there, key=len, reverse=True))
    longest = max((phrase for words in found.values() for phrase in words), key=len, default="")
    return {
        kind: tuple(one for one in words if kind == "other" or one == longest or one not in longest)
        for kind, words in found.items()
    }


def _holds(lowered: str, phrase: str, code: str) -> bool:
    return phrase in lowered if code == CHINESE else bool(re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", lowered))


def _content(question: str, code: str) -> list[str]:
    """The words of a question that say what it is about; of Chinese, pairs of characters."""
    lowered = question.lower().replace("’", "'")
    asking = sorted({one for words in _kinds(question, code).values() for one in words}, key=len, reverse=True)
    if code == CHINESE:
        for word in (*asking, *sorted(_asking()[code].common, key=len, reverse=True)):
            lowered = lowered.replace(word, " ")
        return [pair for run in re.findall(r"[\u3400-\u9fff]+", lowered) for pair in _pairs(run)]
    for phrase in asking:
        lowered = re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w)", " ", lowered)
    words = dict.fromkeys(_WORD.findall(lowered))
    return [word for word in words if not function_word(word, code) and word not in _asking()[code].common]


def _pairs(run: str) -> list[str]:
    return ["".join(pair) for pair in itertools.pairwise(run)] or [run]


def _best(question: str, units: Sequence[str], code: str) -> tuple[str, float]:
    """The sentence that shares most with a question, weighed by how rare its words are, with its score; ("", 0) if none
    shares anything.
    """
    content = _content(question, code)
    kinds = [kind for kind, words in _kinds(question, code).items() if words and kind != "other"]
    alike = [[_alike(word, unit, code) for word in content] for unit in units]
    weights = [math.log(1 + len(units) / (0.5 + sum(column))) for column in zip(*alike, strict=True)]
    total = sum(weights)
    shares = [sum(w * a for w, a in zip(weights, row, strict=True)) / total if total else 0.0 for row in alike]
    scores: list[float] = []
    for at, unit in enumerate(units):
        before = AROUND * shares[at - 1] * (1 - shares[at]) if at else 0.0
        fits = not kinds or any(_fits(kind, unit, code) for kind in kinds)
        score = shares[at] + before
        scores.append((score + FITS * bool(kinds)) if fits else LACKS * score)
    best = max(range(len(units)), key=lambda at: (scores[at], -at), default=-1)
    if best < 0 or scores[best] < MIN_SCORE or (content and not any(shares) and not kinds):
        return "", 0.0
    quoted = units[best]
    is_heading = len(quoted.split()) <= MIN_LETTERS and quoted[-1:] not in ".!?。！？" and ":" not in quoted
    if is_heading and not kinds and best + 1 < len(units):
        quoted = f"{quoted} / {units[best + 1]}"
    return quoted, shares[best] if content else 0.0


def _alike(word: str, unit: str, code: str) -> float:
    """1 for a word that stands in a sentence, less for one that has most letters in a row with one of its words."""
    if code == CHINESE:
        return float(word in unit)
    return max((_letters_in_common(_bare(word), _bare(other)) for other in _WORD.findall(unit)), default=0.0)


@lru_cache(20_000)
def _bare(word: str) -> str:
    """A word in lower case, without accents and ligatures: people write "oeufs" for "œufs"."""
    letters = unicodedata.normalize("NFKD", word.lower().replace("œ", "oe").replace("æ", "ae"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@lru_cache(20_000)
def _letters_in_common(word: str, other: str) -> float:
    if word == other:
        return 1.0
    shorter = min(len(word), len(other))
    if shorter < MIN_LETTERS:
        return 0.0
    for size in range(shorter, MIN_LETTERS - 1, -1):
        if any(word[start : start + size] in other for start in range(len(word) - size + 1)):
            return size / shorter if size / shorter >= MIN_ALIKE else 0.0
    return 0.0


def _fits(kind: str, unit: str, code: str) -> bool:
    """Whether a sentence holds a thing of a kind."""
    words = set(_WORD.findall(unit.lower()))
    written = _asking()[code].written
    if kind == "money":
        return bool(_MONEY.search(unit))
    if kind == "who":
        return bool(_NAME.search(unit))
    is_written = any(word in unit for word in written[kind]) if code == CHINESE else bool(words & written[kind])
    return bool(is_written or (_DIGIT.search(unit) and (kind == "number" or re.search(r"\d\s?[:.h/]\s?\d", unit))))
