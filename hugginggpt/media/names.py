"""File names as people write them: with a typing error, without the suffix, in other case."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

MIN_STEM = 3
"""The shortest name, without its suffix, in which one different letter counts as a typing error."""
_BEFORE_OTHER_NOUN = frozenset("a an any some many no every each which how more most".split())
_GENERIC = frozenset(
    "picture image photo drawing scan recording audio sound video clip table text file document page summary transcript "
    "description translation answer result i it this that".split()
)
"""Words that mean a file by its kind, even where one is called so."""
_AFTER_NAME = frozenset(
    "and or nor too also as well in on with to from for into of by at about aloud out please say says said show shows is "
    "are was does do did has have mention mentions contain contains again instead vs versus then now than but".split()
)


def base_name(path: str) -> str:
    """The name without its folders, of a path with slashes or backslashes."""
    return re.split(r"[/\\]", path)[-1]


def stem(name: str) -> str:
    return PurePosixPath(base_name(name)).stem


def without_number(name: str) -> str:
    """The name that a person gave to a generated file, without the number that tells it from others of that name."""
    return re.sub(r"(?<=.)-[0-9a-f]{12}(?=\.\w+$)", "", base_name(name))


def is_misspelt(written: str, name: str) -> bool:
    """Whether a name differs from another one by a typing error behind its first letter: one letter more, less or
    other, or two swapped. Numbers tell files apart ("page1.png", "page2.png"), and so do short names.
    """
    written, name = written.lower(), name.lower()
    digits = [re.sub(r"\D", "", text) for text in (written, name)]
    if written == name or written[:1] != name[:1] or digits[0] != digits[1] or len(stem(name)) < MIN_STEM:
        return False
    start = next((at for at, pair in enumerate(zip(written, name, strict=False)) if pair[0] != pair[1]), None)
    start = min(len(written), len(name)) if start is None else start
    one, other = written[start:], name[start:]
    return other in (one[1:], f"{one[1:2]}{one[:1]}{one[2:]}") or one == other[1:] or one[1:] == other[1:]


def closest(name: str, names: Iterable[str]) -> str:
    """The name that is most like another one; "" where none is."""
    known = {base_name(one).lower(): one for one in names}
    return next((known[match] for match in difflib.get_close_matches(base_name(name).lower(), known, 1, 0.75)), "")


def stem_places(text: str, name: str, is_only_file: bool) -> list[tuple[int, int]]:
    """Where a text calls a file by its name without the suffix ("what does notes say?", "same for c"); not where the
    words have their plain meaning: "a person" where there is person.jpg. Among several files "the invoice" is a name.
    """
    word = stem(name)
    places = []
    for match in re.finditer(rf"(?<![\w./\\-]){re.escape(word)}(?![\w/\\-]|\.\w)", text, re.IGNORECASE) if word else ():
        before, after = text[: match.start()].lower().split(), text[match.end() :].lower()
        following = re.match(r"\s*([a-z]+)", after)
        is_plain_word = word.isalpha() and (
            word.lower() in _GENERIC
            or (before[-1:] and before[-1] in _BEFORE_OTHER_NOUN)
            or (before[-1:] and before[-1] in ("the", "this", "that", "my", "its") and is_only_file)
            or (following is not None and following[1] not in _AFTER_NAME)
            or (len(word) == 1 and following is not None and following[1] not in ("and", "or", "vs", "with", "too"))
        )
        if not is_plain_word:
            places.append(match.span())
    return places
