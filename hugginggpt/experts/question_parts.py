"""The questions that one request asks at once: "who signed it and when?", "where and when was she born?"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from hugginggpt.experts.grammar import parse

INTERROGATIVES = frozenset(("WDT", "WP", "WP$", "WRB"))
JOINS = frozenset(["and", ",", ";", "or", "plus", "&", "?"])
HOW_WORDS = frozenset(["many", "much", "long", "old", "often", "far", "high", "big", "late"])
UNTIL = frozenset(["till", "til", "until", "since"])
PERSONAL = frozenset(["they", "them", "their", "he", "she", "his", "her", "him", "one", "each"])
SENTENCE_ENDS = frozenset((".", "!", ":", "-", "–", "—", "..."))
MIN_QUESTION_WORDS = 3
MAX_PARTS = 3


def parts_of(question: str) -> list[str]:
    """The questions that a question asks, each in full, three at most; mostly itself alone. Raises as `parse` does."""
    question = " ".join(question.split())
    tokens = _without_lead_in(list(parse(_without_trailer(question), entities=False)))
    breaks = [start for token in tokens[1:] if (start := _start_of_part(token, tokens)) is not None]
    pieces = _pieces(tokens, breaks) if breaks else _listed(tokens)
    if len(pieces) < 2 or len(pieces) > MAX_PARTS:
        return [_text(tokens)]
    return [_completed(index, pieces) for index in range(len(pieces))]


def _without_lead_in(tokens: list[Any]) -> list[Any]:
    """The tokens from the last sentence on that asks, if it needs nothing of what was told before it: "My niece sent
    this. Whose ticket is it?"."""
    asks = next((at for at, token in enumerate(tokens) if token.tag_ in INTERROGATIVES), 0)
    start = next((at + 1 for at in range(asks - 1, 0, -1) if tokens[at].text in SENTENCE_ENDS), 0)
    rest = {token.lower_ for token in tokens[start:]}
    is_reported = start > 0 and tokens[start - 1].text == ":"  # "my son wants to know: what did he do?"
    is_whole = is_reported or not PERSONAL & rest
    return tokens[start:] if len(tokens) - start >= MIN_QUESTION_WORDS and is_whole else tokens


def _without_trailer(question: str) -> str:
    """A question without a statement behind its mark: "What was in it? I only want the answer."."""
    asked, mark, rest = question.rpartition("?")
    return f"{asked}{mark}" if mark and rest.strip(" .!") and len(asked.split()) >= MIN_QUESTION_WORDS else question


def _start_of_part(token: Any, tokens: Sequence[Any]) -> int | None:
    """Where a further question begins that this interrogative leads: behind "and" or a comma, with its preposition."""
    if token.tag_ not in INTERROGATIVES:
        return None
    start = int(token.i) - tokens[0].i
    if start and (tokens[start - 1].pos_ == "ADP" or tokens[start - 1].lower_ in UNTIL):
        start -= 1
    before = tokens[start - 1].lower_ if start else ""
    is_relative = before == "," and token.head.dep_ == "relcl"
    is_bare = before == "?" and len(tokens) - start < MIN_QUESTION_WORDS  # "with the interval? how many"
    return start if before in JOINS and not (is_relative or is_bare) else None


def _pieces(tokens: Sequence[Any], breaks: Sequence[int]) -> list[list[Any]]:
    """The tokens between the breaks, without what joins them, where each asks something."""
    bounds = [0, *breaks, len(tokens)]
    pieces = [list(tokens[start:end]) for start, end in itertools.pairwise(bounds)]
    asking = [any(token.tag_ in INTERROGATIVES or token.text == "?" for token in piece) for piece in pieces]
    for piece in pieces:
        while piece and (piece[-1].lower_ in JOINS or piece[-1].is_punct):
            piece.pop()
    return [piece for piece, asks in zip(pieces, asking, strict=True) if asks]


def _listed(tokens: Sequence[Any]) -> list[list[Any]]:
    """The things that a list without a verb asks for: "booking code, arrival day and kind of room"."""
    if any(token.tag_ in INTERROGATIVES or token.pos_ in ("VERB", "AUX") for token in tokens):
        return []
    root = next((token for token in tokens if token.dep_ == "ROOT" and token.pos_ == "NOUN"), None)
    if root is None:
        return []
    nouns = [root, *(token for token in root.subtree if token.dep_ == "conj" and token.pos_ == "NOUN")]
    ends = [noun.left_edge.i - tokens[0].i for noun in nouns[1:]] + [len(tokens)]
    pieces = [list(tokens[noun.left_edge.i - tokens[0].i : end]) for noun, end in zip(nouns, ends, strict=True)]
    for piece in pieces:
        while piece and (piece[-1].lower_ in JOINS or piece[-1].is_punct):
            piece.pop()
    return [piece for piece in pieces if piece]


def _completed(index: int, pieces: Sequence[Sequence[Any]]) -> str:
    """A piece as a question of its own: one that is a mere "when" takes the rest of its neighbour."""
    piece = pieces[index]
    if len(piece) > _lead(piece):
        return _text(piece)
    other = next((each for each in (*pieces[index + 1 :], *reversed(pieces[:index])) if len(each) > _lead(each)), None)
    return f"{_text(piece)} {_text(other[_lead(other) :])}" if other else _text(piece)


def _lead(piece: Sequence[Any]) -> int:
    """How many tokens lead a question: "when", "until when", "how long"; 0 where none does."""
    number = next((at for at, token in enumerate(piece) if token.tag_ in INTERROGATIVES), None)
    if number is None or number > 1:
        return 0
    after = piece[number + 1 : number + 2]
    return number + 1 + bool(after and piece[number].lower_ == "how" and after[0].lower_ in HOW_WORDS)


def _text(tokens: Sequence[Any]) -> str:
    return "".join(token.text_with_ws for token in tokens).strip()
