"""Words of a question about a table that may stay unread because of their place in the sentence, not by themselves.

The table as a whole ("in my little study"), and verbs between what is named and the rows ("what Ines noted"). Either is
said in a note, as the answer would be the same without them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import grammar

_INSIDE = frozenset(["in", "from"])
_OURS = frozenset(["my", "our"])
_ROWS_BEFORE = frozenset(["it", "them", "these", "those", "that"])


def idle_words(
    question: str,
    words: Sequence[str],
    named: Collection[int],
    values: Collection[int],
    left: Collection[int],
    computes: bool,
) -> Iterator[tuple[int, str]]:
    """The places of `left` words that may stay unread, each with a note. `words` are those of the question in lower
    case, `named` are the places of columns and `values`; `computes` tells that something is counted or computed, so
    that a verb may be a condition ("how many did Nora lose").
    """
    try:
        doc = grammar.parse(question, entities=False)
    except (ExpertUnavailable, ImportError):
        return
    places = dict(_places(doc, words))
    for token in doc:
        if token.dep_ == "pobj" and token.head.lower_ in _INSIDE and _OURS & {child.lower_ for child in token.children}:
            inside = {places[one.i] for one in token.subtree if one.i in places}
            if not inside & set(named):
                phrase = " ".join(one.text for one in token.subtree)
                yield from ((at, f"I took “{phrase}” to mean this table.") for at in sorted(inside & set(left)))
        elif places.get(token.i) in left and _only_links(token, places, named, values, computes):
            yield places[token.i], f"No column says “{token.text}”: I left it out."


def peoples(question: str) -> frozenset[str]:
    """The words, in lower case, for the people of a country: "German", "the Dutch"."""
    try:
        doc = grammar.parse(question)
    except (ExpertUnavailable, ImportError):
        return frozenset()
    return frozenset(token.lower_ for token in doc if token.ent_type_ == "NORP")


def _places(doc: Any, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(place in the parse, place in the words) of each word that stands in both."""
    at = 0
    for token in doc:
        following = next((place for place in range(at, len(words)) if words[place] == token.lower_), None)
        if following is not None:
            yield token.i, following
            at = following + 1


def _only_links(
    verb: Any, places: dict[int, int], named: Collection[int], values: Collection[int], computes: bool
) -> bool:
    """Whether an active verb, not negated, links what is named to the rows: its object is a column ("missed three
    days"), or nothing is computed and its subject is a value ("what Ines noted") or its object the rows before.
    """
    if (
        verb.pos_ != "VERB"
        or verb.dep_ == "amod"
        or {"neg", "auxpass", "nsubjpass"} & {child.dep_ for child in verb.children}
    ):
        return False
    objects = [one for child in verb.children if child.dep_ in ("dobj", "prep") for one in child.subtree]
    if any(places.get(one.i) in named for one in objects):
        return True
    subjects = [child for child in verb.children if child.dep_ == "nsubj"]
    return not computes and (
        any(places.get(one.i) in values for one in subjects)
        or any(one.dep_ == "dobj" and one.lower_ in _ROWS_BEFORE for one in objects)
    )
