"""Which attached file a clause is about that names none, where a request brings several.

"What is the picture of? What does the recording say? How much money has the club?": a clause may call a file by its name
without the ending ("the invoice"), by its kind ("the recording"), or ask about the only one that no other clause is about.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from hugginggpt.experts import object_questions
from hugginggpt.experts.table_words import OPERATION_PHRASES, ORDINALS
from hugginggpt.media.names import base_name
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.intents import REFERRING
from hugginggpt.offline.selection import NOUNS, asks, find_selection, kinds_named
from hugginggpt.offline.spans import without_lead_in

MIN_LETTERS = 4
"""So many letters a word of a file's name has that calls it."""
_LEFT_KINDS = ("table", "text")
"""The kinds of files that may be asked about by what is in them: nobody need say "the table"."""
_COMPUTING = re.compile(
    rf"\b(?:{'|'.join(re.escape(words) for words, (kind, _) in OPERATION_PHRASES.items() if kind in ('aggregate', 'super', 'count'))})\b",
    re.IGNORECASE,
)
"""Words that compute something of a table."""
_BESIDE_FILES = ORDINALS.keys() | frozenset(
    "the a an my our your this that from in on of for to with about and so now then after next last lastly finally as "
    "regarding concerning".split()
)
"""Words beside the name of a file that ask for nothing."""
_PERSONAL = re.compile(r"\b(?:he|she|his|her|him|you|your|the other)\b", re.IGNORECASE)


def distributed(clauses: Sequence[Clause], named: Sequence[Resource], results: Iterable[str]) -> list[Clause | None]:
    """The clauses with the files that they are about, None in the place of one that only says about which file the next
    one is. `named` are all resources of the request, `results` the names of what tasks make ("summary").
    """
    files = [resource for resource in named if resource.is_file]
    if len(files) < 2 or all(resource.has_place for resource in files) or len(clauses) < 2:
        return list(clauses)
    by_name = [_calling(clause, files, _words_of_name) for clause in clauses]
    free = [resource for resource in files if resource not in _used(by_name)]
    called = _introduced([_calling(clause, free, _nouns_of_kind) for clause in by_name])
    left = [one for one in files if one not in _used(called) and not one.has_place and one.kind in _LEFT_KINDS]
    made = re.compile(rf"\b(?:{'|'.join(map(re.escape, results))})\b", re.IGNORECASE)
    is_table = any(one.kind == "table" for one in left)
    open_at = [at for at, one in enumerate(called) if one and _is_open(one, is_table) and not made.search(one.text)]
    if _used(called) and len(left) in (1, len(open_at)):
        for at, resource in zip(open_at, itertools.cycle(left), strict=False):
            called[at] = replace(clauses[at], resources=(resource,))
    return called


def _used(clauses: Iterable[Clause | None]) -> set[Resource]:
    return {resource for clause in clauses if clause for resource in clause.resources}


def _calling(clause: Clause, files: Sequence[Resource], words_of: Callable[[Resource], Collection[str]]) -> Clause:
    """A clause with the only attached file that its words call."""
    if clause.resources or find_selection(clause.text):
        return clause
    words = {word.removesuffix("s") for word in re.findall(r"[^\W\d_]+", clause.text.casefold())}
    meant = [one for one in files if words & {word.removesuffix("s") for word in words_of(one)}]
    return replace(clause, resources=tuple(meant)) if len(meant) == 1 and not meant[0].has_place else clause


def _introduced(clauses: Sequence[Clause]) -> list[Clause | None]:
    """The clauses, where one that says no more than a file ("from the table:") gives it to the next."""
    kept: list[Clause | None] = list(clauses)
    for at, (clause, following) in enumerate(itertools.pairwise(clauses)):
        words = re.findall(r"[^\W\d_]+", clause.text.casefold())
        calling = {word for one in clause.resources if not one.has_place for word in _calling_words(one)}
        is_bare = all(word.removesuffix("s") in calling or word in _BESIDE_FILES for word in words)
        if calling and is_bare:
            kept[at] = None
            kept[at + 1] = following if following.resources else replace(following, resources=clause.resources)
    return kept


def _calling_words(resource: Resource) -> set[str]:
    return {word.removesuffix("s") for word in (*_words_of_name(resource), *NOUNS)}


def _nouns_of_kind(resource: Resource) -> Collection[str]:
    return [noun for noun, kind in NOUNS.items() if kind == resource.kind]


def _words_of_name(resource: Resource) -> Collection[str]:
    """The words of a file's name that are no nouns for files of any kind."""
    stem = base_name(resource.text).rpartition(".")[0]
    words = (word.casefold() for word in re.split(r"[\W_]+", stem) if word.isalpha())
    return {word for word in words if len(word) >= MIN_LETTERS and NOUNS.get(word) is None}


def _is_open(clause: Clause, is_table: bool) -> bool:
    """Whether a clause asks something, or computes something of a table, and refers neither to a file nor to what was
    said before, nor to objects in pictures.
    """
    if clause.resources or clause.is_negated or kinds_named(clause.text) or find_selection(clause.text):
        return False
    if REFERRING.search(clause.text) or _PERSONAL.search(clause.text):
        return False
    question = object_questions.read(clause.text)
    if question is not None and any(objects.known for objects in question.objects):
        return False
    return (
        asks(clause.text) or asks(without_lead_in(clause.text)) or (is_table and bool(_COMPUTING.search(clause.text)))
    )
