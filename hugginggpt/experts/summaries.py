"""Summaries by the most central sentences of a text (LexRank), in the shape that words tell: "in one sentence".

A text of several topics is summed up by sentences of all of them: what is most central to the whole would all be of the
longest one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.core.documents import DocumentText
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import foreign_reading, sections
from hugginggpt.experts.sentences import sentences, without_margin
from hugginggpt.experts.written_language import ENGLISH, language_of, name_of

MAX_CHARS = 100_000
SHORT_CHARS = 400
"""A text of so many characters is its own summary."""
MIN_CHOICE, MOST, MOST_TOPICS, BULLETS = 3, 3, 5, 4
"""A summary is chosen from so many sentences at least, and of so many at most, of a text of more topics one for each up
to the third number; points are so many.
"""
MAX_SLIDES = 12
"""Of a presentation of so many slides each is told."""
FEW = 6
"""Of fewer sentences the half is told."""
AGAIN = 0.3
"""What a sentence counts for, of a topic of which one is told already."""
TOLD_FACT, LEAD, ROUTINE = 0.35, 0.3, 0.3
"""What a sentence gains that tells a number or what was decided, and the first one of a topic; and what one counts for
that every meeting has, or that nobody understands alone.
"""
LANGUAGES = {"en": "english", "de": "german", "fr": "french", "es": "spanish", "zh": "chinese"}
"""The languages whose stop words are known."""
MAX_HEAD = 2
"""Shorter "sentences" are headings: "1. Finances."."""
_ITEM = re.compile(r"\s*\d{1,2}[.)]\s+(?=[^\W\d_])")
MANY_LABELS = 0.5
"""A text of which so many sentences name a value has nothing else to tell."""
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
_FACT = re.compile(
    r"\d|\b(?:agreed|decided|approved|resolved|elected|voted|must|will|beschloss\w*|beschlossen|wird|müssen|décidé|adopté|sera|"
    r"acord\w+|decidi\w+|aprob\w+|será)\b|[一二三四五六七八九十百千万]+[元块月日点个人]",
    re.IGNORECASE,
)
_ROUTINE = re.compile(
    r"\bminutes of\b.*\b(?:approved|accepted|confirmed|read|signed)\b|\bnext meeting\b|\bProtokoll\b.*\bgenehmigt\b|"
    r"\b(?:next|nächste) (?:meeting|Sitzung)\b|\bprocès-verbal\b.*\b(?:approuvé|adopté)\b|\bacta\b.*\baprob",
    re.IGNORECASE,
)
_CJK = "\u3400-\u9fff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]+(?:['-][^\W\d_]+)*")
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
    if deck := _of_slides(text, shape):
        return deck
    code = language_of(text)
    if code not in LANGUAGES:
        raise ExpertUnavailable(f"This text seems to be in {name_of(code)}, in which no summary is made here.")
    topics = _topics(text[:MAX_CHARS], code)
    found = [sentence for topic in topics for sentence in topic]
    several = min(MOST_TOPICS, len(topics)) if len(topics) >= MIN_CHOICE else 0
    wanted = shape.sentences or max(
        several, min(MOST, max(len(found) // 2, 1) if len(found) < FEW else (len(found) + 2) // 3)
    )
    if len(found) < MIN_CHOICE and len(found) <= (shape.sentences or MIN_CHOICE):
        return f"{text.strip()} (The text is already this short.)"
    central = _central(found, code)
    central = {one: central.get(one, 0.0) * _weight(one, at == 0) for topic in topics for at, one in enumerate(topic)}
    if shape.words:
        chosen = _within(found, central, shape.words)
    else:
        chosen = _covering(topics if len(topics) > 1 else _stretches(found, wanted), central, wanted)
    read = f" (Of {len(text):,} characters the first {MAX_CHARS:,} were read.)" if len(text) > MAX_CHARS else ""
    return ("\n".join(f"- {one}" for one in chosen) if shape.in_points else " ".join(chosen)) + read


def _of_slides(text: str, shape: Shape) -> str:
    """What a presentation is about: each slide's title with its first point; "" of any other text, and where words tell
    how long it is to be.
    """
    slides = text.slides if isinstance(text, DocumentText) else ()
    lines = [[line.strip(" •-") for line in slide.splitlines() if line.strip(" •-")] for slide in slides]
    lines = [one for one in lines if one]
    if not MIN_CHOICE <= len(lines) <= MAX_SLIDES or shape != Shape():
        return ""
    return "\n".join([lines[0][0], *(f"- {': '.join(one[:2])}" for one in lines[1:])])


def in_short(text: str) -> str:
    """A short text itself, of any other its summary."""
    return text.strip() if len(text) <= SHORT_CHARS else summary(text)


def _central(found: Sequence[str], code: str) -> dict[str, float]:
    """How central each sentence is (LexRank, arXiv 1109.2128)."""
    from sumy.nlp.stemmers import Stemmer
    from sumy.parsers.plaintext import PlaintextParser
    from sumy.summarizers.lex_rank import LexRankSummarizer
    from sumy.utils import get_stop_words

    ratings: dict[str, float] = {}

    class Rating(LexRankSummarizer):  # type: ignore[misc]
        def _get_best_sentences(self, sentences: Any, count: int, rating: Mapping[Any, float]) -> tuple[()]:
            ratings.update({str(one): float(score) for one, score in rating.items()})
            return ()

    rating = Rating(Stemmer(LANGUAGES[code]))
    rating.stop_words = get_stop_words(LANGUAGES[code])
    rating(PlaintextParser.from_string("\n\n".join(found), _Tokenizer()).document, len(found))
    return ratings


def _weight(sentence: str, is_first: bool) -> float:
    """What a sentence counts for beside how central it is."""
    if is_first and _POINTING.match(sentence):
        return ROUTINE  # what it takes up stands nowhere before it
    gain = TOLD_FACT * bool(_FACT.search(sentence)) + LEAD * is_first
    return (1 + gain) * (ROUTINE if _ROUTINE.search(sentence) else 1)


def _covering(topics: Sequence[Sequence[str]], central: Mapping[str, float], wanted: int) -> list[str]:
    """The most central sentences, so many as are wanted, of all topics before a second one of any; in the order of the
    text. Each can be understood without another one: what begins with "She" needs the sentence before it.
    """
    needed = {
        one: before
        for topic in topics
        for before, one in zip(("", *topic), topic, strict=False)
        if _POINTING.match(one)
    }
    chosen: list[str] = []
    told = [0] * len(topics)
    while len(chosen) < wanted:
        left = [
            (central[one] * AGAIN ** told[at], -at, one)
            for at, topic in enumerate(topics)
            for one in topic
            if one not in chosen and (not needed.get(one) or needed[one] in chosen)
        ]
        if not left:
            break
        _, at, best = max(left)
        chosen.append(best)
        told[-at] += 1
    return [one for topic in topics for one in topic if one in chosen]


def _stretches(found: Sequence[str], number: int) -> list[Sequence[str]]:
    """The sentences of a text of a single topic, in so many stretches of the same length."""
    ends = [round(at * len(found) / number) for at in range(number + 1)]
    return [found[start:end] for start, end in itertools.pairwise(ends) if end > start]


def _within(found: Sequence[str], central: Mapping[str, float], words: int) -> list[str]:
    """The most central sentences with so many words together, one at least, in the order of the text."""
    chosen: list[str] = []
    for one in sorted(found, key=lambda one: -central[one]):
        if not chosen or sum(map(_length, (*chosen, one))) <= words:
            chosen.append(one)
    return [one for one in found if one in chosen]


def _topics(text: str, code: str) -> list[list[str]]:
    """The sentences of a text by topic, without titles and the lines of a form ("Present: Ann") where enough are left
    to choose from. A topic begins with a heading, a number or a blank line.
    """
    headed = sections.headings(text)
    apart = "\n".join("" if " ".join(line.split()) in headed else line for line in text.splitlines())
    body = apart if apart.strip() else text
    blocks = [block for block in re.split(r"\n\s*\n", without_margin(body)) if block.strip()]
    blocks = blocks if len(blocks) > 1 else [body]
    told: list[list[str]] = []
    for block in blocks:
        told.append([])
        for sentence in sentences(block) if code == ENGLISH else foreign_reading.units(block):
            if _ITEM.match(sentence):
                told.append([])
            told[-1].append(_ITEM.sub("", sentence))
    labelled = sum(bool(_LABELLED.match(sentence)) for topic in told for sentence in topic)
    if labelled >= MANY_LABELS * sum(map(len, told)):  # a form: each line is a topic of its own
        return [[sentence] for topic in told for sentence in topic if _length(sentence) > MAX_HEAD]
    return next(
        (some for is_kept in (_is_whole, _is_telling) if sum(map(len, some := _kept(told, is_kept))) >= MIN_CHOICE),
        [topic for topic in told if topic],
    )


def _kept(topics: Sequence[Sequence[str]], is_kept: Callable[[str], bool]) -> list[list[str]]:
    return [kept for topic in topics if (kept := [one for one in topic if is_kept(one)])]


def _is_telling(sentence: str) -> bool:
    return _length(sentence) > MAX_HEAD and not _LABELLED.match(sentence)


def _is_whole(sentence: str) -> bool:
    return _is_telling(sentence) and sentence.rstrip(" )”\"'").endswith(_ENDS)


def _length(text: str) -> int:
    """The number of words, or of Chinese characters."""
    return len(re.findall(rf"[{_CJK}]|[^\s{_CJK}]+", text))


class _Tokenizer:
    """The interface that sumy expects of a tokenizer; its own one needs a download."""

    def to_sentences(self, paragraph: str) -> tuple[str, ...]:
        return tuple(line for line in paragraph.splitlines() if line.strip())

    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(_TOKEN.findall(sentence))
