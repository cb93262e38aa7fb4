"""The reader of texts and pages in other languages than English: which sentence shares most with a question.

The vectors and the grammar of the English reader know no other language, so words are compared by their letters ("Müll"
is found in "Mülltonnen"), and by a list of words that are about the same (`concepts`), which joins languages, too: a
text may be asked in another one than its own; whole sentences by the vectors of an encoder for many languages,
where its package is installed. What is far ahead of all other sentences is asserted, the rest offered.
"""

from __future__ import annotations

import itertools
import math
import re
import statistics
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import concepts, multilingual
from hugginggpt.experts.extras import is_installed
from hugginggpt.experts.joint_answers import PERHAPS, hedge, together
from hugginggpt.experts.reading import NOT_SAID, PLAINLY
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
TOTAL = 0.25
"""What being the sum to be paid adds to a line where money is asked for."""
LABEL, MAX_LABEL = 0.35, 3
"""What a line counts for more that is called what is asked for, in so many words at most."""
_WIDER = {"clock": ("when",), "phone": ("number",), "money": ("number",)}
"""Kinds of things, and wider ones that are not meant beside them: at what time is no mere day."""
AROUND = 0.3
"""What the sentence before counts for: "There is a course. It begins at six."."""
PROBABLE, MIN_SCORE = 0.4, 0.2
ASSERTED, AHEAD = 0.7, 0.3
"""The share of a question's words from which a sentence is asserted that holds the kind of thing that is asked for, and
how far it must be ahead of the next one."""
NEAR = 0.8
"""What a word counts for that is about the same as one of the question."""
LEAST_MEANT, LEAST_MEANT_ALONE = 0.8, 0.83
"""How near in meaning to a question a sentence has to be at least, the second where none shares a word with it."""
MEANT, CLEARLY_MEANT = 0.1, 0.02
"""How much nearer than most a sentence has to be in meaning to be near for sure, and than all others to be likely."""
MAX_UNITS, MAX_COMPARED = 2000, 60
"""So many sentences are looked at; and of these, the first by their words, so many for what they mean."""
WORDS_BEFORE = 3
"""In the first so many words a part of a question asks: "y hasta cuándo"."""
MAX_BARE_CHARS = 4
"""A Chinese part of so many characters is but its question word."""
MIN_WORD = 3
"""A shorter word says little."""
_DIGIT = re.compile(r"\d")
_MONEY = re.compile(
    r"[€£$¥]|\d\s?(?:euros?|eur|chf|元|块|pesos?|dollars?)\b|\d+[.,]\d\d\b(?!\s?(?:uhr|h)\b)|[一二三四五六七八九十百两]+(?:元|块)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b[A-ZÀ-Þ][\w'-]+\s+(?:[a-zà-ÿ]{1,3}\s+)?[A-ZÀ-Þ][\w'-]+|[\u3400-\u9fff](?:老师|先生|女士|师傅|小姐|经理|医生)"
)
_NAMED = re.compile(r"(?<=[a-zà-ÿ,] )[A-ZÀ-Þ][a-zà-ÿ]{2,}")
"""A word with a capital within a sentence, which is a name where nouns have none."""
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d_a-zà-ÿ]|[¿¡«„])|(?<=[。！？；])|\n+")
_LETTER = re.compile(r"\b[A-Z]\b(?!['’])")
_BEGINS_SMALL = re.compile(r"[a-zà-ÿ]{2}")
_CJK, _LABELLED = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[^\d：:]{1,6}[：:]")
MIN_CHINESE_CHARS, MAX_LINES_ON, MAX_GREETING_WORDS = 6, 3, 4
"""A shorter Chinese line is a heading; within so many lines a sentence has its end; a greeting has no more words."""
FULL_LINE, MIN_FULL_CHARS = 0.75, 40
"""A line of at least this share of the longest one's length, and of so many letters, was broken by a margin."""
_ABBREVIATED = re.compile(r"(?<![:.,\d])\b(?:\d{1,2}|[A-Za-z]|Nr|St|Str|Dr|Fr|Hr|Sr|Sra|M|Mme|bzw|ca|tel|Tel)\.$")
_CLOCK = re.compile(
    r"\d\s?[:.h]\s?\d\d(?![\d.])|\d\s?(?:h|uhr|heures?|horas|a\.?m|p\.?m|点|时)\b|\d点|minuit|midi\b", re.IGNORECASE
)
_PHONE = re.compile(r"\d(?:[ /.-]?\d){5}")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Asking:
    """The words of a language that ask, by the kind of thing ("when", "money", "number", "who", "other"); those that a
    thing of a kind is written with; and common ones.
    """

    asks: dict[str, tuple[str, ...]]
    written: dict[str, frozenset[str]]
    common: frozenset[str]
    total: frozenset[str]
    before_tax: frozenset[str]


@cache
def _asking() -> dict[str, _Asking]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for head, words in word_lists.lists(EXPERTS_DATA / "asking_words.txt").items():
        code, _, name = head.partition(" ")
        found.setdefault(code, {})[name] = words
    return {
        code: _Asking(
            {name.removeprefix("asks "): words for name, words in lists.items() if name.startswith("asks ")},
            {name: frozenset(lists[name]) for name in ("when", "number")},
            frozenset(lists["common"]),
            frozenset(lists["total"]),
            frozenset(lists["before tax"]),
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
    text = _LETTER.sub(" ", text)  # the N and L of a rota are no French
    of_text, of_question = language_of(text), _asking_language(question, is_foreign)
    counts = function_words(text)
    if of_text == ENGLISH and of_question != ENGLISH:
        if of_question != CHINESE and counts[ENGLISH] <= counts[of_question]:
            return of_question  # a page of names and numbers is in the language of who asks
        return of_question if not is_foreign and asks(question, of_question) else ENGLISH
    if of_question == ENGLISH and counts[ENGLISH] >= max(1, counts[of_text]):
        return ENGLISH  # a page of names and numbers may look like another
    if of_text not in _asking():
        raise ExpertUnavailable(f"This text seems to be in {name_of(of_text)}; the expert for it knows only English.")
    return of_text


def _asking_language(question: str, is_foreign: bool) -> str:
    """The language of a question, by its function words and those that ask."""
    if (code := language_of(question)) in _asking() and code != ENGLISH:
        return code
    counts = function_words(question)
    codes = [code for code in _asking() if code != CHINESE and asks(question, code)]
    code = max(codes, key=counts.__getitem__, default=ENGLISH)
    return code if is_foreign or counts[code] > counts[ENGLISH] else ENGLISH


def answer(question: str, text: str, code: str) -> dict[str, Any]:
    """What of a text answers a question, for each of its parts, where one of both is in a language, or both are;
    "found" is false where a part is not surely answered.
    """
    written = language_of(text)
    counts = function_words(text)
    if written not in _asking() or (written == ENGLISH and code != CHINESE and counts[ENGLISH] <= counts[code]):
        written = code  # names and numbers are in the language of who asks
    asked = _asking_language(question, True)
    asked = asked if asks(question, asked) else code
    lines_of, pieces = units(text), parts(question, asked)
    found = [_best(part, lines_of, asked, written) for part in pieces]
    if len({best.text for best in found}) == 1 and found[0].text:
        found, pieces = [max(found, key=lambda best: (best.is_sure, best.share))], pieces[:1]
    return together([best.told for best in found], pieces, PLAINLY)


@dataclass(frozen=True, slots=True)
class _Best:
    """The sentence that is closest to a question ("" for none), with its share of the question's words."""

    text: str = ""
    share: float = 0.0
    is_sure: bool = False
    is_likely: bool = False

    @property
    def told(self) -> dict[str, Any]:
        """The answer that it is, "found" only where it is sure."""
        if not self.text:
            return {"answer": NOT_SAID, "found": False}
        if self.is_sure:
            return {"answer": self.text}
        near = {"closest": self.text, "found": False}
        near |= {"score": self.share} if self.is_likely else {"chance": PERHAPS}
        return {"answer": hedge(near, PLAINLY).format(self.text), **near}


def asks(question: str, code: str) -> bool:
    """Whether words in a language hold one that asks."""
    return bool(kinds_asked(question, code))


def kinds_asked(question: str, code: str) -> frozenset[str]:
    """The kinds of things ("when", "money", "number", "who", "other") that words in a language ask for."""
    return (
        frozenset(kind for kind, words in _kinds(question, code).items() if words) if code in _asking() else frozenset()
    )


def units(text: str) -> list[str]:
    """The sentences and lines of a text, in order."""
    units: list[str] = []
    for line in _without_margin(text).splitlines():
        start = len(units)
        for piece in filter(None, map(str.strip, _SENTENCE_END.split(line))):
            if len(units) > start and _ABBREVIATED.search(units[-1]):
                units[-1] += f" {piece}"  # "14. Oktober"
            else:
                units.append(piece)
    return units[:MAX_UNITS]


def _without_margin(text: str) -> str:
    """The text with a break only where a line is complete."""
    lines = text.splitlines()
    longest = max(map(len, lines), default=0)
    joined = ""
    for at, line in enumerate(lines):
        if _CJK.search(line):
            joined += line if _goes_on_in_chinese(lines[at : at + MAX_LINES_ON + 1]) else f"{line}\n"
        else:
            following = lines[at + 1] if at + 1 < len(lines) else ""
            joined += f"{line} " if _goes_on(line, following, longest) else f"{line}\n"
    return joined


def _goes_on(line: str, following: str, longest: int) -> bool:
    """Whether a sentence goes on in the next line: that begins with a small letter, or a margin broke this one."""
    is_greeting = line.endswith(",") and len(line.split()) <= MAX_GREETING_WORDS
    if is_greeting or not line.strip() or not following or "  " in line.strip() or "  " in following.strip():
        return False
    if _BEGINS_SMALL.match(following):
        return line[-1:].isalnum() or line[-1:] in (",", ":", ";")
    is_full = len(line) >= max(MIN_FULL_CHARS, FULL_LINE * longest)
    if following[0].isupper() and line.rsplit(maxsplit=1)[-1][:1].isupper():
        return False  # an address, and a new sentence
    return is_full and following[0].isalnum() and (line[-1].isalpha() or line[-1] in ",-")


def _goes_on_in_chinese(lines: Sequence[str]) -> bool:
    """Whether the first of some lines has no end, and one of the next ends its sentence."""
    line, *following = lines
    if len(line) < MIN_CHINESE_CHARS or line[-1] in "。！？；：:!?" or _LABELLED.match(line):
        return False
    for other in following:
        if _LABELLED.match(other) or not other or other[-1] in "：:":
            return False
        if other[-1] in "。！？":
            return True
    return False


def parts_in(question: str) -> list[str]:
    """The questions in one in another language than English; [] for one in English."""
    code = _asking_language(question, False)
    return [] if code == ENGLISH else parts(question, code)


def parts(question: str, code: str) -> list[str]:
    """The questions in one: "Wann beginnt es und was kostet es?"."""
    found: list[str] = []
    for piece in re.split(r"(?<=[?？])\s*|,\s*|，|\s+(?:und|et|y|and)\s+", question):
        piece = piece.strip(" ?？!.¿")
        begins = piece if code == CHINESE else " ".join(piece.split()[:WORDS_BEFORE])
        if piece and (not found or (asks(begins, code) and asks(found[-1], code))):
            found.append(piece)
        elif piece:
            found[-1] += f", {piece}"
    if len(found) == 2 and len(found[0].split()) < len(found[1].split()) and _is_bare(found[0], code):
        found[0] = f"{found[0]} {' '.join(found[1].split()[_asking_words(found[1]) :])}"
    elif len(found) == 2 and _is_bare(found[1], code):  # "¿A qué hora es la reunión y dónde?"
        found[1] = f"{found[1]} {' '.join(_content(found[0], code))}"
    return found or [question]


def _asking_words(part: str) -> int:
    """How many words of a part only ask: "in welchem Raum"."""
    which = re.match(r"(?:\w+ )?(?:welch\w+|quel\w*|qué|cuál\w*) \w+", part, re.IGNORECASE)
    return len(which[0].split()) if which else 1


def _is_bare(part: str, code: str) -> bool:
    """Whether a part of a question is but its question word, and asks the rest of the next: "Wann und wo ist es?"."""
    is_short = len(part) <= MAX_BARE_CHARS if code == CHINESE else len(part.split()) == 1
    return is_short and asks(part, code)


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
    own = [word for phrase in asking for word in phrase.split() if concepts.of_word(word, code)]  # "kostet", "payer"
    if code == CHINESE:
        own = concepts.chinese_words(lowered)
        for word in (*asking, *sorted(_asking()[code].common, key=len, reverse=True), *own):
            lowered = lowered.replace(word, " ")
        return [*own, *(pair for run in re.findall(r"[\u3400-\u9fff]+", lowered) for pair in _pairs(run))]
    for phrase in asking:
        lowered = re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w)", " ", lowered)
    words = dict.fromkeys([*_WORD.findall(lowered), *own])
    return [
        word
        for word in words
        if word in own or not (function_word(word, code) or word in _asking()[code].common or len(word) < MIN_WORD)
    ]


def _pairs(run: str) -> list[str]:
    return ["".join(pair) for pair in itertools.pairwise(run)] or [run]


def _best(question: str, units: Sequence[str], asked: str, written: str) -> _Best:
    """The sentence that shares most with a question, weighed by how rare its words are, if any shares something."""
    content = _content(question, asked)
    kinds = _particular_kinds(question, asked)
    likeness = [[alike(word, unit, asked, written) for word in content] for unit in units]
    weights = [math.log(1 + len(units) / (0.5 + sum(column))) for column in zip(*likeness, strict=True)]
    total = sum(weights)
    shares = [sum(w * a for w, a in zip(weights, row, strict=True)) / total if total else 0.0 for row in likeness]
    scores: list[float] = []
    fitting = [sum(_fits(kind, unit, written) for kind in kinds) / len(kinds) if kinds else 0.0 for unit in units]
    names_one = any(fits and share >= MIN_SCORE for fits, share in zip(fitting, shares, strict=True))
    for at, unit in enumerate(units):
        before = AROUND * shares[at - 1] * (1 - shares[at]) if at else 0.0
        fits = not kinds or fitting[at] > 0
        score = shares[at] + before
        paid = TOTAL * ("money" in kinds and not names_one and _is_total(unit, written))
        called = LABEL * _is_called(unit, content, asked, written)
        scores.append((score + paid + called + FITS * fitting[at]) if fits else LACKS * score)
    meant = _meant(question, units, scores, LEAST_MEANT if any(shares) else LEAST_MEANT_ALONE)
    meant = {at: near * (LACKS if units[at].isupper() else 1) for at, near in meant.items()}
    for at, near in meant.items():
        scores[at] += near if not kinds or fitting[at] else LACKS * near
    order = sorted(range(len(units)), key=lambda at: (-scores[at], at))
    if not order or scores[order[0]] < MIN_SCORE or (content and not any(shares) and not kinds and not meant):
        return _Best()
    best = order[0]
    is_meant = _is_ahead(best, meant)
    quoted = units[best]
    is_heading = len(quoted.split()) <= MIN_LETTERS and quoted[-1:] not in ".!?。！？" and ":" not in quoted
    if is_heading and not kinds and best + 1 < len(units):
        quoted = f"{quoted} / {units[best + 1]}"
    ahead = scores[best] - (scores[order[1]] if len(order) > 1 else 0.0)
    is_whole = (not kinds or fitting[best] == 1) and not is_heading
    is_sure = bool(content) and shares[best] >= ASSERTED and ahead >= AHEAD and is_whole
    is_sure &= is_meant or not meant
    is_likely = bool(content) and (shares[best] >= PROBABLE or (shares[best] >= MIN_SCORE and ahead >= AHEAD))
    is_likely |= is_meant and shares[best] > 0 and (not kinds or fitting[best] > 0)
    is_only = sum(one > 0 for one in fitting) == 1 or ("money" in kinds and _is_total(quoted, written))
    is_likely |= fitting[best] > 0 and is_only
    of_kind = [share for at, share in enumerate(shares) if at != best and kinds and fitting[at] == 1]
    is_likely |= fitting[best] == 1 and _is_called(quoted, content, asked, written)
    is_likely |= bool(kinds) and fitting[best] == 1 and shares[best] > max(MIN_SCORE, *of_kind, 0.0)
    return _Best(quoted, shares[best] if content else 0.0, is_sure, is_likely)


def _is_called(unit: str, content: Sequence[str], asked: str, written: str) -> bool:
    """Whether what stands before the colon of a line is what is asked for: "Vermieter: Hans Brandt"."""
    label, colon, value = unit.replace("：", ":").replace("|", ":").partition(":")
    words = [word for word in _WORD.findall(label) if len(word) >= MIN_WORD or written == CHINESE]
    if not colon or not value.strip() or not 0 < len(words) <= MAX_LABEL:
        return False
    return all(any(alike(word, each, asked, written) == 1 for word in content) for each in words)


def _particular_kinds(question: str, code: str) -> list[str]:
    """The kinds of things that a question asks for, without those that are wider than another of them."""
    kinds = [kind for kind, words in _kinds(question, code).items() if words and kind != "other"]
    wider = {wide for kind in kinds for wide in _WIDER.get(kind, ())}
    return [kind for kind in kinds if kind not in wider]


def _is_total(unit: str, code: str) -> bool:
    """Whether a line holds the sum of what is to be paid."""
    asking = _asking()[code]
    found = {word for word in asking.total | asking.before_tax if word in unit.lower()}
    if code != CHINESE:
        found &= set(_WORD.findall(unit.lower()))
    return bool(found) and found <= asking.total


def _meant(question: str, units: Sequence[str], scores: Sequence[float], least: float) -> dict[int, float]:
    """How near in meaning to a question sentences are that are so by `least`, by their number: from 0 for most of them
    to 1, and more; {} without the encoder. Of many, those that share most words are compared.
    """
    if not is_installed(multilingual.PACKAGE) or len(units) < 2:
        return {}
    compared = sorted(range(len(units)), key=lambda at: (-scores[at], at))[:MAX_COMPARED]
    near = multilingual.similarities(question, [units[at] for at in compared])
    middle = statistics.median(near)
    return {at: max(0.0, (one - middle) / MEANT) for at, one in zip(compared, near, strict=True) if one >= least}


def _is_ahead(best: int, meant: Mapping[int, float]) -> bool:
    """Whether a sentence is clearly nearer in meaning than all others."""
    others = max((near for at, near in meant.items() if at != best), default=0.0)
    return meant.get(best, 0.0) >= others + CLEARLY_MEANT / MEANT


def alike(word: str, unit: str, asked: str, written: str) -> float:
    """1 for a word that stands in a sentence, less for one that has most letters in a row with one of its words, or is
    about the same.
    """
    if CHINESE in (asked, written):
        letters = float(word in unit)
    else:
        letters = max((_letters_in_common(_bare(word), _bare(other)) for other in _WORD.findall(unit)), default=0.0)
    is_near = letters < NEAR and bool(concepts.of_word(word, asked) & concepts.of_text(unit, written))
    return max(letters, NEAR * is_near)


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
    if kind == "clock":
        return bool(_CLOCK.search(unit))
    if kind == "phone":
        return bool(_PHONE.search(unit))
    if kind == "money":
        return bool(_MONEY.search(unit))
    if kind == "who":
        return bool(_NAME.search(unit) or (code not in (CHINESE, "de") and _NAMED.search(unit)))
    is_written = any(word in unit for word in written[kind]) if code == CHINESE else bool(words & written[kind])
    return bool(is_written or (_DIGIT.search(unit) and (kind == "number" or re.search(r"\d\s?[:.h/]\s?\d", unit))))
