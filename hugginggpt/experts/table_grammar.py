"""Words of a question about a table that may stay unread because of their place in the sentence, not by themselves.

The table as a whole ("in my little study"), and verbs between what is named and the rows ("what Ines noted"). Either is
said in a note, as the answer would be the same without them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import grammar
from hugginggpt.experts.table_words import LIGHT_VERBS, OVERVIEW, WEIGHTLESS

_INSIDE = frozenset(["in", "from"])
_OURS = frozenset(["my", "our"])
_COMPLEMENTS = frozenset(["dobj", "prep", "attr", "oprd", "intj", "advmod"])
_LIMITING = frozenset(["still", "already", "yet", "never"])
_CHANGES = frozenset(["remove", "delete", "erase", "add", "insert", "rename", "replace", "change", "drop"])
"""Verbs that ask for another table."""
_TO_DO = frozenset(["to", "should", "shall", "must", "can", "could", "would"])
_US = frozenset(["i", "we", "me", "us"])
_ROWS_BEFORE = frozenset(["it", "them", "these", "those", "that"])


@dataclass(frozen=True, slots=True)
class Named:
    """The places of the words that name columns or values (`any`), values alone, and of those that limit nothing."""

    any: Collection[int]
    values: Collection[int]
    idle: Collection[int] = ()


def idle_words(
    question: str, words: Sequence[str], names: Named, left: Collection[int], computes: bool
) -> Iterator[tuple[int, str]]:
    """The places of `left` words that may stay unread, each with a note. `words` are those of the question in lower
    case; `computes` tells that something is counted or computed, so that a verb may be a condition ("how many did Nora
    lose").
    """
    named, values = names.any, names.values
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
        elif places.get(token.i) in left and not computes and _heads_list(token, places, named):
            yield places[token.i], f"I took “{token.text}” to mean the rows."
        elif places.get(token.i) in left and (
            _is_purpose(token) or (places[token.i] in names.idle and _is_statement(token))
        ):
            yield places[token.i], f"No column says “{token.text}”: I left it out."
        elif places.get(token.i) in left and _only_links(token, places, named, values, computes):
            yield places[token.i], f"No column says “{token.text}”: I left it out."
            particles = [one.i for one in token.children if one.dep_ == "prt"]
            yield from ((places[at], "") for at in particles if places.get(at) in left)


def is_yes_or_no(question: str) -> bool:
    """Whether a question begins with "be", "do" or "have"."""
    words = [word for word in grammar.words(question) if word.tag not in ("UH", "CC", "RB") and not word.is_mark]
    return len(words) > 1 and words[0].lemma in ("be", "do", "have") and words[0].tag in ("VB", "VBD", "VBZ", "VBP")


def is_about_the_whole(question: str, names: bool) -> bool:
    """Whether a text that names no column or value of a table asks for an overview of it, or asks nothing at all;
    `names` tells that it has words for anything else.
    """
    spoken = [word for word in grammar.words(question) if not word.is_mark]
    lemmas = {word.lemma for word in spoken} | {word.lower for word in spoken}
    if lemmas & OVERVIEW or "what be in" in " ".join(word.lemma for word in spoken):
        return True
    asks = any(word.tag.startswith("W") for word in spoken) or is_yes_or_no(question)
    orders = any(word.is_verb and word.lemma not in LIGHT_VERBS | WEIGHTLESS for word in spoken)
    return not (asks or orders or "?" in question or names)


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


def _heads_list(noun: Any, places: dict[int, int], named: Collection[int]) -> bool:
    """Whether a noun is all that is asked for, with what names its rows behind it: "books by Austen"."""
    behind = [one for child in noun.children if child.dep_ in ("prep", "acl", "relcl") for one in child.subtree]
    is_fragment = noun.dep_ == "ROOT" and noun.pos_ in ("NOUN", "PROPN") and noun.tag_ in ("NNS", "NNPS")
    return is_fragment and any(places.get(one.i) in named for one in behind)


def _is_statement(verb: Any) -> bool:
    """Whether a verb says plainly what happened, without anything that would limit it."""
    children = {child.dep_ for child in verb.children}
    limits = any(child.dep_ == "advmod" and child.lower_ in _LIMITING for child in verb.children)
    if verb.lemma_ in _CHANGES:
        return False
    is_active = verb.tag_ in ("VBD", "VBP", "VBZ", "VB", "VBG") and not children & {"auxpass", "nsubjpass"}
    return is_active and verb.pos_ == "VERB" and not children & {"neg", "prt"} and not limits


def _is_purpose(verb: Any) -> bool:
    """Whether a verb says what somebody wants to do with the answer: "how many do I have to order"."""
    is_infinitive = verb.tag_ == "VB" and any(child.lower_ in _TO_DO for child in verb.children)
    ours = {one.lower_ for one in (*verb.children, *verb.head.children)} & _US
    return is_infinitive and bool(ours) and "neg" not in {child.dep_ for child in verb.children}


def _only_links(
    verb: Any, places: dict[int, int], named: Collection[int], values: Collection[int], computes: bool
) -> bool:
    """Whether an active verb, not negated, links what is named to the rows: its object is a column ("missed three
    days"), or nothing is computed and its subject is a value ("what Ines noted") or its object the rows before.
    """
    if verb.pos_ != "VERB" or verb.dep_ == "amod" or "neg" in {child.dep_ for child in verb.children}:
        return False
    if verb.lemma_ in _CHANGES:
        return False
    if any(child.dep_ == "advmod" and child.lower_ in _LIMITING for child in verb.children):
        return False  # "what is Joan still holding"
    if {"auxpass", "nsubjpass"} & {child.dep_ for child in verb.children}:  # "brought back late"
        return any(child.dep_ == "advmod" and places.get(child.i) in named for child in verb.children)
    objects = [one for child in verb.children if child.dep_ in _COMPLEMENTS for one in child.subtree]
    if any(places.get(one.i) in named for one in objects):
        return True
    subjects = [child for child in verb.children if child.dep_ == "nsubj"]
    return not computes and (
        any(places.get(one.i) in values for one in subjects)
        or any(one.dep_ == "dobj" and one.lower_ in _ROWS_BEFORE for one in objects)
    )
