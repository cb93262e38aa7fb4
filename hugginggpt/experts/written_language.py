"""The language of a text, by its script and its function words: fast, and sure for a sentence; no model is loaded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.errors import ExpertUnavailable

P = ParamSpec("P")
T = TypeVar("T")

ENGLISH = "en"
MAX_CHARACTERS = 5000
"""Further characters of a text are not looked at."""
MIN_AHEAD = 2
"""By so many function words a language has to be ahead of English: "Ada met Charles" is no Dutch for its "met"."""
_SCRIPTS = {
    "ja": ("Japanese", re.compile(r"[\u3040-\u30ff]")),
    "ko": ("Korean", re.compile(r"[\uac00-\ud7af]")),
    "zh": ("Chinese", re.compile(r"[\u3400-\u9fff]")),
    "ru": ("Russian", re.compile(r"[\u0400-\u04ff]{2,}")),
    "ar": ("Arabic", re.compile(r"[\u0600-\u06ff]{2,}")),
    "el": ("Greek", re.compile(r"[\u0370-\u03ff]{2,}")),
    "he": ("Hebrew", re.compile(r"[\u0590-\u05ff]{2,}")),
    "hi": ("Hindi", re.compile(r"[\u0900-\u097f]+")),
    "th": ("Thai", re.compile(r"[\u0e00-\u0e7f]")),
}
"""Languages that their script tells from those in Latin letters, with the pattern of a word or character of theirs.
Japanese comes before Chinese because it uses Chinese characters, too.
"""


@dataclass(frozen=True, slots=True)
class _Language:
    name: str
    words: frozenset[str]


@cache
def _languages() -> dict[str, _Language]:
    languages = {}
    for line in word_lists.lines(EXPERTS_DATA / "function_words.txt"):
        head, _, words = line.partition(":")
        code, name = head.split()
        languages[code] = _Language(name, frozenset(words.split()))
    return languages


def name_of(code: str) -> str:
    """The English name of a language that `language_of` tells. Raises KeyError."""
    return _SCRIPTS[code][0] if code in _SCRIPTS else _languages()[code].name


@cache
def language_names() -> frozenset[str]:
    """The English names of the languages that can be told, in lower case."""
    names = (*(name for name, _ in _SCRIPTS.values()), *(language.name for language in _languages().values()))
    return frozenset(name.lower() for name in names)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, with the parts before and after an apostrophe or hyphen apart."""
    return re.findall(r"[^\W\d_]+", text[:MAX_CHARACTERS].lower())


def function_word(word: str, language: str) -> bool:
    """Whether a word in lower case is one of a language's function words."""
    return word in _languages()[language].words


def function_words(text: str) -> Counter[str]:
    """How many words of a text are function words of each language in Latin letters."""
    words = words_of(text)
    return Counter({code: sum(word in language.words for word in words) for code, language in _languages().items()})


def script_language(text: str) -> str:
    """The language that the script of most of a text tells; "" for Latin letters, or a text without letters."""
    text = text[:MAX_CHARACTERS]
    latin_words = len(re.findall(r"[A-Za-zÀ-ɏ]+", text)) + 2 * function_words(text)[ENGLISH]
    for code, (_, pattern) in _SCRIPTS.items():
        number = len(pattern.findall(text))
        chinese = len(_SCRIPTS["zh"][1].findall(text)) if code == "ja" else 0
        if number and number + chinese > 2 * latin_words:
            return code
    return ""


def language_of(text: str) -> str:
    """The code of a text's language; English in case of doubt, as for a name or a title."""
    if code := script_language(text):
        return code
    counts = function_words(text)
    code, number = counts.most_common(1)[0]
    return code if number >= counts[ENGLISH] + MIN_AHEAD else ENGLISH


def foreign_language(text: str) -> str:
    """The English name of a text's language, "" for English."""
    code = language_of(text)
    return "" if code == ENGLISH else name_of(code)


def english_only(function: Callable[P, T]) -> Callable[P, T]:
    """An expert that raises ExpertUnavailable for a text in another language, of which it would make nonsense."""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        for text in (*args, *kwargs.values()):
            if isinstance(text, str) and (language := foreign_language(text)):
                raise ExpertUnavailable(f"This text seems to be in {language}; the expert for it knows only English.")
        return function(*args, **kwargs)

    return checked
