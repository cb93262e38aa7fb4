"""The quantities of a text: "£640.00", "61 km/h", "12 hens", "40 of them", each with the sentence that it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import minilm, stated_numbers
from hugginggpt.experts.listed import number_of
from hugginggpt.experts.sentences import sentences
from hugginggpt.experts.stated_numbers import spaced
from hugginggpt.experts.word_likeness import WORD_LIKE, stem
from hugginggpt.experts.written_language import function_word

MAX_LINES, MAX_NOUNS = 200, 3
HALF_A_PENNY, LARGE = 0.005, 10_000
LANGUAGES = ("en", "de", "fr", "es")
_NUMBER = r"\d{1,3}(?:[,.]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)"
_MONEY = re.compile(
    rf"(?P<sign>[£$€])\s?(?P<signed>{_NUMBER})|"
    rf"(?<![\w.,:/£$€-])(?P<number>(?:{_NUMBER})\s?(?=[^\W\d_€£])|(?:{_NUMBER})\s?(?=[€£元块])|[^\W\d_]+\s(?=[pedc]))"
    r"(?P<unit>pounds?\b|euros?\b|dollars?\b|EUR\b|USD\b|GBP\b|€|£|pence\b|p\b|cents?\b|ct\b|元|块)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"(?<![\w.,:/£$€-])(?<!\d\s)(?P<number>{_NUMBER}|[^\W\d_]+)(?![:/%]|[-–]\d|[.,]\d)\s{{1,2}}"
    r"(?P<nouns>[^\W\d_][\w'’/²³]*(?:\s[^\W\d_][\w'’/²³-]*){0,2})"
)
_CURRENCIES = {
    "pound": "£", "pounds": "£", "gbp": "£", "euro": "€", "euros": "€", "eur": "€", "dollar": "$", "dollars": "$",
    "usd": "$", "pence": "p", "cents": "ct", "cent": "ct", "块": "元",
}  # fmt: skip
_MONTHS = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|ener|abri|"
    r"agos|dici|am$|pm$|o'clock|uhr)",
    re.IGNORECASE,
)
_NOT_COUNTED = frozenset(["x", "h", "times", "per"])
_ITEM_NUMBER = re.compile(r"^\s*(?:\d{1,2}[.)]\s+|[-*•]\s+)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a sentence; `unit` is a currency, or "" for what is counted, whose words are `nouns` (stems)."""

    number: float
    unit: str
    written: str
    start: int
    end: int
    nouns: tuple[str, ...] = ()

    def is_like(self, other: Quantity) -> bool:
        """Whether two are of one kind, so that they can be added."""
        if self.unit or other.unit:
            return self.unit == other.unit
        return bool(set(self.nouns) & set(other.nouns))

    def told(self, number: float) -> str:
        """Another number, written as this one is."""
        if self.unit in ("p", "ct"):
            sign = {"p": "£", "ct": "€"}[self.unit]
            return f"{sign}{number / 100:,.2f}"
        if not self.unit:
            return f"{number:,.10g} {' '.join(self.written.split()[1:])}".strip()
        sign = self.written[:1] if self.written[:1] in "£$€" else re.sub(r"^[\d.,]*\s?|^\w+\s", "", self.written)
        has_pence = abs(number - round(number)) >= HALF_A_PENNY or bool(re.search(r"[.,]\d\d(?!\d)", self.written))
        text = f"{number:{',' if _has_thousands(self.written, number) else ''}.{2 * has_pence}f}"
        if re.search(r",\d\d(?!\d)", self.written):
            text = text.translate(str.maketrans(",.", ".,"))
        return f"{sign}{text}" if self.written.startswith(sign) else f"{text} {sign}"


def _has_thousands(written: str, number: float) -> bool:
    """Whether a number is to be written with a sign between its thousands, as another is."""
    return number >= LARGE or bool(re.search(r"\d[,.]\d{3}(?!\d)", written))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text, its place in it, its quantities, and the stems of its words."""

    text: str
    at: int
    quantities: tuple[Quantity, ...]
    stems: frozenset[str] = field(default=frozenset())

    @property
    def quoted(self) -> str:
        return f"“{' '.join(self.text.split())}”"

    @property
    def money(self) -> list[Quantity]:
        return [one for one in self.quantities if one.unit]


@lru_cache(16)
def read(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text with their quantities, in order."""
    found = sentences(text)[:MAX_LINES]
    return tuple(Sentence(one, at, tuple(_in(one)), roots_of(one)) for at, one in enumerate(found))


def in_question(question: str) -> list[Quantity]:
    """The quantities that a question states."""
    return list(_in(question))


def _in(sentence: str) -> Iterator[Quantity]:
    """The quantities of a sentence, in order."""
    bare = _ITEM_NUMBER.sub(lambda match: " " * len(match[0]), sentence)
    found = [*filter(None, map(_amount, _MONEY.finditer(bare)))]
    taken = [(one.start, one.end) for one in found]
    for match in _COUNT.finditer(bare):
        is_free = not any(start < match.end("number") and match.start() < end for start, end in taken)
        if is_free and (one := _counted(match)):
            found.append(one)
    yield from sorted(found, key=lambda one: one.start)


def value_of(word: str) -> float | None:
    word = word.strip()
    return number_of(word) if word[:1].isdigit() else stated_numbers.value_of(word.lower())


def _amount(match: re.Match[str]) -> Quantity | None:
    number = value_of(match["signed"] or match["number"])
    if number is None:
        return None
    unit = (match["sign"] or match["unit"]).lower()
    return Quantity(number, _CURRENCIES.get(unit, unit), match[0].strip(), match.start(), match.end())


def _counted(match: re.Match[str]) -> Quantity | None:
    number, words = value_of(match["number"]), match["nouns"].split()
    if number is None or _MONTHS.match(words[0]) or words[0][:1] in "'’":
        return None
    if re.fullmatch(r"(?:1[5-9]|20)\d\d", match["number"]) and is_light(words[0]):
        return None  # a year
    nouns: list[str] = []
    for word in words[:MAX_NOUNS]:
        if is_light(word) and (nouns or word.lower() != "of"):
            break
        nouns.append(root(word) if word.isalpha() else word.lower())
    kept = " ".join(words[: len(nouns)])
    return Quantity(number, "", f"{match['number']} {kept}".strip(), match.start(), match.end("number"), tuple(nouns))


def root(word: str) -> str:
    """The stem of a word, one for "Thursday" and "Thursdays"."""
    return stem(word.removesuffix("s"))


def roots_of(text: str) -> frozenset[str]:
    return frozenset(root(word) for word in WORD_LIKE.findall(text))


def is_light(word: str) -> bool:
    """Whether a word is one of grammar in any of the languages."""
    return word.lower() in _NOT_COUNTED or any(function_word(word.lower(), code) for code in LANGUAGES)


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "quantity_words.txt")


def listed(kind: str) -> tuple[str, ...]:
    """The words of a kind in data/experts/quantity_words.txt."""
    return _lists()[kind]


def says(text: str, kind: str) -> bool:
    """Whether a text has a phrase of a kind."""
    return word_lists.holds(spaced(text), listed(kind))


def content(text: str) -> frozenset[str]:
    """The stems of the words of a text that are none of grammar."""
    return roots_of(" ".join(word for word in re.findall(r"[^\W\d_]+", text) if not is_light(word)))


def nearest(words: str, among: Sequence[Sentence]) -> Sentence | None:
    """The sentence that words fit best: by the words that both have, then by the meaning; None of none."""
    ranked = by_fit(words, among)
    return ranked[0][1] if ranked else None


def by_fit(words: str, among: Sequence[Sentence]) -> list[tuple[float, Sentence]]:
    """The sentences, the best first, each with how well words fit it: 1 for each shared word, and the meaning."""
    if len(among) < 2:
        return [(1.0, one) for one in among]
    asked = content(words)
    vectors = minilm.embed([words, *(one.text for one in among)])
    fits = [
        (len(asked & one.stems) + float(vector @ vectors[0]), one)
        for one, vector in zip(among, vectors[1:], strict=True)
    ]
    return sorted(fits, key=lambda pair: -pair[0])
