"""Summaries by the most central sentences of a text (LexRank), in the shape that words tell: "in one sentence"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import foreign_reading, sections
from hugginggpt.experts.sentences import sentences
from hugginggpt.experts.written_language import ENGLISH, language_of, name_of

MAX_CHARS = 100_000
MIN_CHOICE, MOST, BULLETS = 3, 3, 4
"""A summary is chosen from so many sentences at least, and of so many at most; points are so many."""
LANGUAGES = {"en": "english", "de": "german", "fr": "french", "es": "spanish", "zh": "chinese"}
"""The languages whose stop words are known."""
MAX_HEAD = 2
"""Shorter "sentences" are headings: "1. Finances."."""
_ITEM = re.compile(r"\s*\d{1,2}[.)]\s+(?=[^\W\d_])")
_LABELLED = re.compile(r"[^\W\d_][\w ]{0,24}:\s")
"""How a line begins that names a value."""
_POINTING = re.compile(
    r"\W*+(?:(?:but|and|so|then|there|also|later|instead)\W+)?(?:he|she|they|it|his|her|their|its|this|that|these|those|such|here)\b|"
    r"\W*+(?:there|then|but|however|instead|therefore)\b|.*[\"”’»]\s+(?:he|she|they)\s+(?:said|says|added|told|asked)\b",
    re.IGNORECASE,
)
"""How a sentence begins that takes up the one before it."""
_ENDS = tuple(".!?…。！？")
_NUMBERS = {
    number: value
    for value, words in enumerate(
        (
            "one a an single ein einem einer einen une un una 一", "two zwei deux dos 两 二",
            "three drei trois tres 三",
            "four vier quatre cuatro 四", "five fünf cinq cinco 五", "six sechs seis 六", "seven sieben sept siete 七",
        ),
        1,
    )
    for number in words.split()
}  # fmt: skip
_FEW = re.compile(r"\b(?:a (?:few|couple of)|some|several|ein paar|einigen?|quelques|unas? pocas|algunas)\b ?")
_POINTS = re.compile(r"point|bullet|punkt|stichwort|puntos|点", re.IGNORECASE)
_WORDS = re.compile(r"\bwords?\b|wört|worte|\bmots\b|palabras|个字", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shape:
    """How long a summary is to be, in sentences or words, 0 for as usual, and whether in points."""

    sentences: int = 0
    words: int = 0
    in_points: bool = False


def shape_of(words: str) -> Shape:
    """The shape that words tell: "one sentence", "three bullet points", "50 words"."""
    said = re.findall(r"\d+|[^\W\d_]+", _FEW.sub("three ", words.lower()))
    chinese = [one for word in said for one in word if "\u3400" <= one <= "\u9fff"]
    numbers = [
        int(one) if one.isdigit() else _NUMBERS[one] for one in (*said, *chinese) if one.isdigit() or one in _NUMBERS
    ]
    number = numbers[0] if numbers else 0
    if _WORDS.search(words):
        return Shape(words=number)
    in_points = bool(_POINTS.search(words))
    return Shape(number or BULLETS * in_points, in_points=in_points)


def summary(text: str, shape: Shape = Shape()) -> str:
    """The most central third of the sentences, three at most, in the order of the text (LexRank, arXiv 1109.2128), or
    as many as the shape tells.

    A text of one or two sentences is returned as it is, with the remark that it is short. Raises ExpertUnavailable for
    a text in a language whose stop words are not known.
    """
    from sumy.nlp.stemmers import Stemmer
    from sumy.parsers.plaintext import PlaintextParser
    from sumy.summarizers.lex_rank import LexRankSummarizer
    from sumy.utils import get_stop_words

    code = language_of(text)
    if code not in LANGUAGES:
        raise ExpertUnavailable(f"This text seems to be in {name_of(code)}, in which no summary is made here.")
    body = sections.without_headings(text[:MAX_CHARS])
    found = _telling(sentences(body) if code == ENGLISH else foreign_reading.units(body))
    wanted = shape.sentences or min(MOST, max(1, len(found) // 3))
    if len(found) < MIN_CHOICE and len(found) <= (shape.sentences or MIN_CHOICE):
        return f"{text.strip()} (The text is already this short.)"
    summarizer = LexRankSummarizer(Stemmer(LANGUAGES[code]))
    summarizer.stop_words = get_stop_words(LANGUAGES[code])
    parser = PlaintextParser.from_string("\n\n".join(found), _Tokenizer())
    if shape.words:
        chosen = _within([str(one) for one in summarizer(parser.document, len(found))], shape.words)
    else:
        chosen = _understandable(found, lambda count: [str(one) for one in summarizer(parser.document, count)], wanted)
    read = f" (Of {len(text):,} characters the first {MAX_CHARS:,} were read.)" if len(text) > MAX_CHARS else ""
    return ("\n".join(f"- {one}" for one in chosen) if shape.in_points else " ".join(chosen)) + read


def _understandable(found: Sequence[str], central: Callable[[int], list[str]], wanted: int) -> list[str]:
    """The most `central` sentences, so many of them as can be understood without another one: what begins with "She"
    needs the sentence before it.
    """
    chosen: list[str] = []
    for count in range(1, len(found) + 1):
        for one in central(count):
            at = found.index(one) if one in found else 0
            needs = found[at - 1] if at and _POINTING.match(one) else ""
            if one not in chosen and (not needs or needs in chosen) and len(chosen) < wanted:
                chosen.append(one)
    return [one for one in found if one in chosen] or central(wanted)


def _within(found: Sequence[str], words: int) -> list[str]:
    """The first sentences with so many words together, one at least."""
    chosen: list[str] = []
    for one in found:
        if chosen and len(" ".join((*chosen, one)).split()) > words:
            break
        chosen.append(one)
    return chosen


def _telling(found: list[str]) -> list[str]:
    """The sentences without titles and the lines of a form ("Present: Ann"), where enough are left to choose from."""
    bare = (_ITEM.sub("", sentence) for sentence in found)
    told = [sentence for sentence in bare if len(sentence.split()) > MAX_HEAD and not _LABELLED.match(sentence)]
    whole = [sentence for sentence in told if sentence.rstrip(" )”\"'").endswith(_ENDS)]
    return next((some for some in (whole, told) if len(some) >= MIN_CHOICE), found)


class _Tokenizer:
    """The interface that sumy expects of a tokenizer; its own one needs a download."""

    def to_sentences(self, paragraph: str) -> tuple[str, ...]:
        return tuple(line for line in paragraph.splitlines() if line.strip())

    def to_words(self, sentence: str) -> tuple[str, ...]:
        words = re.findall(r"[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+(?:['-][^\W\d_]+)*", sentence)
        return tuple(words)
