"""Slips of the keyboard in a question: words that are none, read as the words of the text that they are nearly.

"Wat is teh notice priod" is read as "what is the notice period". A word is changed only where it is no English word, is
not written in the text, and is no name; it becomes a word of the text one edit away (two for a long one), else a common
word from which it differs by a slip. What was changed is told where it matters.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache

from hugginggpt.experts.grammar import is_english
from hugginggpt.experts.minilm import word_number
from hugginggpt.experts.word_likeness import stem

MIN_LENGTH, LONG = 4, 7
"""Shorter words are only looked for among `SLIPS`; in longer ones two are allowed."""
COMMON = 12_000
"""Up to this place in the vocabulary, which goes by frequency, a word is common enough to be meant."""
QUESTION_WORDS = frozenset(("what", "when", "where", "which", "how", "does", "the", "and", "much", "often", "their"))
SLIPS = {"teh": "the", "hte": "the", "wat": "what", "waht": "what", "wen": "when", "wehn": "when", "whn": "when",
         "hwo": "how", "wher": "where", "wich": "which", "adn": "and", "mcuh": "much", "mutch": "much",
         "offen": "often", "whne": "when", "thier": "their"}  # fmt: skip
"""Slips that are known as words or names elsewhere, and hardly meant as such in a question."""
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers", "ly", "'s")
_WORD = re.compile(r"(?<![\w.@'’-])[A-Za-z]{3,}(?![\w@’'-]|\.\w)")


def corrected(question: str, context: str) -> str:
    """The question with its slips corrected by the words of the text."""
    words = _words_of(context)
    start = re.search(r"\w", question)

    def of(match: re.Match[str]) -> str:
        word = match[0]
        is_first = start is not None and match.start() == start.start()
        if word[0].isupper() and not (is_first or question.isupper()):
            return word  # a name is not corrected into another one
        return _corrected(word.lower(), words) or word

    return _WORD.sub(of, question)


def note_of(question: str, read: str) -> str:
    """How a question was read, where more than its small words was changed; else ""."""
    before, after = _WORD.findall(question), _WORD.findall(read)
    changed = [new for old, new in zip(before, after, strict=False) if old != new and new not in QUESTION_WORDS]
    return f"read as “{' '.join(read.split())}”" if changed else ""


@lru_cache(8)
def _words_of(context: str) -> frozenset[str]:
    """The words of a text in lower case, without those that are only written as names."""
    return frozenset(word for word in re.findall(r"[A-Za-z]{3,}", context) if word.islower() or word.isupper()) | {
        word.lower() for word in re.findall(r"(?:^|[.!?:]\s+)([A-Z][a-z]{3,})", context, re.MULTILINE)
    }


def _corrected(word: str, words: frozenset[str]) -> str:
    """The word that is meant by one; "" where it is one itself, or none is near."""
    if word in words:
        return ""
    if word in SLIPS:
        return SLIPS[word]
    if len(word) < MIN_LENGTH or word_number(word) is not None or stem(word) in {stem(one) for one in words}:
        return ""
    if is_english(word):
        return ""
    near = [one for one in words if len(one) >= MIN_LENGTH and one[0] in word[:2]]
    if _is_form(word):
        near = [one for one in near if _consonants(one) == _consonants(word)]  # "meating" may be a slip, "boating" not
    if found := [one for one in near if edits(word, one, 1) <= 1]:
        return min(found, key=lambda one: (one[0] != word[0], abs(len(one) - len(word)), one))
    ends = (word[0], word[-1])  # a mortgagor is no mortgagee
    if len(word) >= LONG and (found := [one for one in near if (one[0], one[-1]) == ends and edits(word, one, 2) <= 2]):
        return min(found, key=lambda one: (abs(len(one) - len(word)), one))
    if _is_form(word):
        return ""
    common = {one: number for one in _one_slip_away(word) if (number := word_number(one)) and number <= COMMON}
    return min(common, key=common.__getitem__, default="")


def _is_form(word: str) -> bool:
    """Whether a word looks like a form of one that is in the vocabulary."""
    forms = [word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)]
    forms += [f"{form}e" for form in forms]
    return any(word_number(form) is not None for form in forms if len(form) >= MIN_LENGTH - 1)


def _consonants(word: str) -> str:
    return re.sub(r"[aeiou]", "", word)


def edits(one: str, other: str, most: int) -> int:
    """How many letters are to be changed, added, left out or exchanged with the next to make one word the other;
    most + 1 where it is more.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        above, row = row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(above[to] + 1, row[to - 1] + 1, above[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == wanted:
                cost = min(cost, before[to - 2] + 1)
            row.append(cost)
        before = above
    return min(row[-1], most + 1)


def _one_slip_away(word: str) -> Iterator[str]:
    """What a word is when a letter is added, a double one is left out, or two are exchanged: rare words are seldom that
    near to common ones, while another letter makes many words of one.
    """
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        if tail and tail[0] == head[-1]:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        yield from (head + letter + tail for letter in string.ascii_lowercase)
