"""The words of questions to lists, in five languages: which say something and are alike, and the numbers among them."""

from __future__ import annotations

import re

from hugginggpt.experts import listed
from hugginggpt.experts.written_language import function_word

MIN_ALIKE = 0.7
"""Two words are alike that begin with this share of the longer one's letters, and four of them."""
LANGUAGES = ("en", "de", "fr", "es")
WORD = re.compile(r"\d+(?:[.,:]\d+)*|[\u3400-\u9fff]|[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def content(text: str) -> list[str]:
    return [word for word in WORD.findall(text.lower().replace("’", "'")) if not is_light(word) and not word.isdigit()]


def is_light(word: str) -> bool:
    return any(function_word(part, code) for part in (word, re.sub(r"^[^\W\d_]{1,2}'", "", word)) for code in LANGUAGES)


def alike(word: str, other: str) -> bool:
    """Whether two words are the same but for their endings: "Bratwürste" and "Bratwurst"."""
    word, other = bare(word), bare(other)
    if other in (word, f"{word}s") or word == f"{other}s":
        return True
    common = next(
        (at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), min(len(word), len(other))
    )
    return common >= 4 and common >= MIN_ALIKE * max(len(word), len(other))


def bare(word: str) -> str:
    word = re.sub(r"^[^\W\d_]{1,2}'", "", word.lower())
    return {
        "kids": "child",
        "kid": "child",
        "children": "child",
        "bike": "bicycle",
        "bikes": "bicycle",
        "loudness": "noise",
    }.get(word, word).translate(str.maketrans("äöüéèêàâîôûçñ", "aoueeeaaioucn"))


def spaced(text: str) -> str:
    """The words of a text in lower case, with a space around each."""
    return f" {' '.join(WORD.findall(text.lower().replace('’', chr(39))))} "


def without(phrase: str, text: str) -> str:
    if re.match(r"[\u3400-\u9fff]", phrase):
        return text.replace(" ".join(phrase), " ")
    return re.sub(rf"(?<= ){re.escape(phrase)}(?= )", "", text)


def limit_behind(text: str, phrase: str) -> tuple[float | None, str]:
    """The number behind a phrase, and the text without both."""
    found = re.search(rf" {re.escape(phrase)} +(?P<number>\d+(?:[.,]\d+)?|[^\W\d_]+)", text)
    value = value_of_word(found["number"]) if found else None
    if found is None or value is None:
        return None, text
    return value, text.replace(found[0], " ")


def value_of_word(word: str) -> float | None:
    if re.fullmatch(r"\d+(?:[.,]\d+)?", word):
        return listed.number_of(word)
    values = dict(pair.split("=") for pair in listed.phrases("numbers"))
    return float(values[word.lower()]) if word.lower() in values else None
