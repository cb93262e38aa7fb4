"""Words that point at files: "the second picture", "both", "the other one", "the new image", "them"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from hugginggpt.core.results import Kind
from hugginggpt.offline.parsing import is_question, parse

T = TypeVar("T")
NOUNS: dict[str, Kind | None] = {
    **dict.fromkeys(("picture", "image", "photo", "photograph", "drawing", "painting", "scan", "screenshot", "pic", "foto"), "image"),
    **dict.fromkeys(("recording", "audio", "sound", "soundtrack", "song", "memo", "podcast", "voicemail"), "audio"),
    **dict.fromkeys(("video", "vid", "film", "movie", "footage"), "video"),
    **dict.fromkeys(("table", "spreadsheet", "csv"), "table"),
    **dict.fromkeys(("text", "article", "story", "email", "poem"), "text"),
    **dict.fromkeys(("one", "file", "letter", "invoice", "document", "page", "clip", "attachment", "upload"), None),
}  # fmt: skip
"""The nouns for a file or text, with its kind where they tell it."""
MAX_PHRASE_WORDS = 9
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_LAST = ("last", "latest", "newest", "final")
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_COUNTED = {"one": 1, "1": 1, **_NUMBERS}
_OTHERS = ("other", "others", "remaining", "rest")
_SELECTING = frozenset((*_PLACES, *_LAST, *_NUMBERS, *_OTHERS, "both", "all", "each", "every"))
_KEEPING = ("keep", "leave", "touch", "keeping", "leaving", "keeps")
_SEVERAL = frozenset("they them their these those".split())
_TELLING = frozenset("tell give list name explain".split())
_DERIVED = frozenset("new resulting generated drawn marked annotated changed edited cleaned".split())
_DRAWN = frozenset("mask map drawing sketch outline skeleton pose".split())


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of a list of files, in words at `start` to `end` of a text. `others` are those that were not used last;
    `kind` is what the noun tells; fewer than `at_least` files cannot be meant.
    """

    start: int
    end: int
    part: slice
    kind: Kind | None = None
    others: bool = False
    at_least: int = 1

    def of(self, items: Sequence[T]) -> list[T]:
        return list(items[self.part]) if len(items) >= self.at_least else []


@lru_cache(256)
def find_selection(words: str) -> Selection | None:
    """The first words of a text that select files."""
    simple = set(_words(words))
    if not simple & _SELECTING and not (simple & NOUNS.keys() and simple & _COUNTED.keys()):
        return None  # without loading a parser for nothing
    document = parse(words)
    tokens = list(document) if document is not None else []
    return next(filter(None, (_selection_at(tokens, at) for at in range(len(tokens)))), None)


def pick(items: Sequence[T], words: str) -> list[T]:
    """The items that "the second one", "both" or "all three" refer to; [] without such words."""
    selection = find_selection(words)
    return selection.of(items) if selection and not selection.others else []


def _selection_at(tokens: Sequence[Any], at: int) -> Selection | None:
    word, following = tokens[at].lower_, _word(tokens, at + 1)
    definite = _word(tokens, at - 1) in ("the", "this", "that", "my", "your")
    part, start, last, others, least = slice(0), at - definite, at, False, 1
    if definite and word in (*_PLACES, *_LAST):
        number = _NUMBERS.get(following, 1)
        index = _PLACES.index(word) if word in _PLACES else -number
        part, least = slice(index, index + number or None), max(number, index + 1)
        last += number > 1
    elif definite and word == "rest" and _word(tokens, at - 2) in _KEEPING:
        return None  # "and leave the rest as it is"
    elif definite and word in _OTHERS and following != "of":
        others, part = True, slice(-1 if word in ("other", "remaining") else None, None)
        if following in _NUMBERS:
            part, least, last = slice(None), _NUMBERS[following], last + 1
        elif _noun(tokens, last)[1].endswith("s"):
            part = slice(None)
    elif definite and word in _NUMBERS and following in _OTHERS:
        others, part, least, last = True, slice(None), _NUMBERS[word], last + 1
    elif word == "both" or (definite and word in _NUMBERS):
        least = _NUMBERS.get(word, 2)
        part = slice(-least, None)
    elif word in ("all", "each", "every"):
        return _all(tokens, at)
    elif word in NOUNS and word != "one" and _word(tokens, at + 1 + (following == "number")) in _COUNTED:
        last = at + 1 + (following == "number")
        index = _COUNTED[_word(tokens, last)] - 1
        return _selected(tokens, at, last, slice(index, index + 1), NOUNS[word], least=index + 1)
    else:
        return None
    end, noun = _noun(tokens, last)
    is_other_noun = end == last and last + 1 < len(tokens) and tokens[last + 1].tag_.startswith("NN")
    is_other_noun &= not (others and least > 1)  # "what do the other two show" has a verb there
    if is_other_noun and _word(tokens, last + 1) not in ("aloud", "again", "▯"):
        return None  # "the first sentence"
    if _singular(noun) == "page":
        least = max(least, 2)  # of a single file it is a part
    return _selected(tokens, start, end, part, NOUNS.get(_singular(noun)), others, least)


def _all(tokens: Sequence[Any], at: int) -> Selection | None:
    """ "all three", "all of them", "each picture"."""
    skipped = at + 1
    while _word(tokens, skipped) in ("of", "the", "my", "our"):
        skipped += 1
    word = _word(tokens, skipped)
    if number := _NUMBERS.get(word):
        return _selected(tokens, at, _noun(tokens, skipped)[0], slice(-number, None), least=number)
    if word in _SEVERAL or _singular(word) in NOUNS:
        return _selected(tokens, at, skipped, slice(None), NOUNS.get(_singular(word)))
    return None


def _selected(
    tokens: Sequence[Any], start: int, end: int, part: slice, kind: Kind | None = None, others: bool = False, least: int = 1
) -> Selection:  # fmt: skip
    return Selection(tokens[start].idx, tokens[end].idx + len(tokens[end]), part, kind, others, least)


def _noun(tokens: Sequence[Any], at: int) -> tuple[int, str]:
    """The noun for a file after a word and adjectives, and its index; the word's and "" without one."""
    index = at + 1
    while index < len(tokens) and tokens[index].tag_ in ("JJ", "VBN") and tokens[index].lower_ not in NOUNS:
        index += 1
    word = _word(tokens, index)
    return (index, word) if _singular(word) in NOUNS else (at, "")


def _word(tokens: Sequence[Any], at: int) -> str:
    return tokens[at].lower_ if 0 <= at < len(tokens) else ""


def _singular(word: str) -> str:
    return word if word in NOUNS else word.removesuffix("s")


def kinds_named(words: str) -> set[Kind]:
    """The kinds of files that the nouns of a text tell: "what does the recording say?"."""
    return {kind for word in _words(words) if (kind := NOUNS.get(_singular(word)))}


def is_plural(words: str) -> bool:
    """Whether words refer to several things: "them", "which one"."""
    found = _words(words)
    return bool(_SEVERAL & set(found)) or any(
        pair == ("which", "one") for pair in itertools.pairwise(found)
    )  # fmt: skip


def refers_back(words: str) -> bool:
    """Whether words before the name of a file refer to something else: "compare that with …", "the first one and …"."""
    return find_selection(words) is not None or bool({"it", "that", *_SEVERAL} & set(_words(words)))


def refers_to_result(words: str) -> bool:
    """Whether words refer to a file that was made of another one, and not to the original: "the new image"."""
    found = _words(words)
    return any(
        (before in ("the", "that", "this") and word == "result")
        or (before == "that" and word in _DRAWN)
        or (before in _DERIVED and (word in _DRAWN or _singular(word) in NOUNS))
        for before, word in itertools.pairwise(found)
    )


def phrase_head(text: str) -> str:
    """The noun or number that a short phrase without a verb is about: "total" of "the total"; "" for any other text."""
    if len(text.split()) > MAX_PHRASE_WORDS:
        return ""
    document = parse(text) or ()
    head = next((token for token in document if token.dep_ == "ROOT"), None)
    has_verb = any(token.pos_ in ("VERB", "AUX") for token in document)
    if head is None or has_verb or len(document) > MAX_PHRASE_WORDS:
        return ""
    return str(head.lower_) if head.pos_ in ("NOUN", "PROPN", "PRON", "NUM") else ""


def asks(text: str, is_last: bool = True) -> bool:
    """Whether a text asks something: a question, "tell me the total", or as the last of a message a phrase ("the
    total"), but no file alone.
    """
    head = phrase_head(text)
    is_open = is_question(text) or _is_to_be_told(text) or (bool(head) and is_last)
    return _singular(head) not in NOUNS and is_open


def _is_to_be_told(text: str) -> bool:
    """Whether a text is a command to tell, give or list something: "tell me the total of it", "list the steps"."""
    roots = [token for token in parse(text) or () if token.dep_ == "ROOT" and token.lemma_.lower() in _TELLING]
    told = [child for root in roots for child in root.children if child.dep_ in ("dobj", "obj", "ccomp")]
    return any(child.pos_ not in ("ADV", "ADP") and _singular(child.lower_) not in NOUNS for child in told)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def content_words(text: str) -> Iterator[str]:
    """The lemmas of the nouns, verbs, adjectives and names of a text."""
    for token in parse(text) or ():
        if token.pos_ in ("NOUN", "PROPN", "ADJ", "VERB", "NUM") and not token.is_stop:
            yield token.lemma_.lower()
