"""The sentences of a text: prose, letters, lists, and transcripts without punctuation."""

from __future__ import annotations

import re

from hugginggpt.experts.grammar import parse

ABBREVIATIONS = re.compile(r"(?:^|[^\w.°])(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e|approx|(?<!° )[A-Z])\.$")
NUMBER = re.compile(r"\d{1,2}\.")
"""What stands before an item of a list, and is no sentence of its own."""
BREAK = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])|\n")
ITEM = re.compile(r"\s*+(?:[-*•–]\s|\d{1,2}[.)]\s|[\w ]{1,25}:\s)")
FULL_LINE = 0.75
"""A line of at least this share of the longest one's length was broken by a margin, and goes on in the next line."""
MARGIN_CHARS = 50
"""Texts whose longest line is shorter have no margin."""
MIN_OPEN_CHARS = 25
"""A shorter line that ends without a mark is an item of a list, not a sentence that goes on."""
LONG_RUN_WORDS = 30
"""So many words without punctuation between them are a transcript, whose clauses the grammar tells apart."""
MIN_CLAUSE_WORDS = 5
LABELLED = re.compile(r"[A-Z]\w{1,20}(?: \w{1,20}){0,2}: ")
"""How an entry of a form begins, which the next line with a capital does not go on."""


def sentences(text: str) -> list[str]:
    """The sentences of a text, which end with . ! ? …, or with their line in a list, a letter's head or the like."""
    merged: list[str] = []
    for part in BREAK.split(without_margin(text)):
        part = " ".join(part.split())
        if merged and (ABBREVIATIONS.search(merged[-1]) or NUMBER.fullmatch(merged[-1])):
            merged[-1] += f" {part}"
        elif part:
            merged.append(part)
    return merged


def statements(text: str) -> list[str]:
    """The sentences of a text, those that run on without punctuation split into clauses. Raises as `parse` does."""
    return [
        clause
        for sentence in sentences(text)
        for clause in (_clauses(sentence) if _longest_run(sentence) >= LONG_RUN_WORDS else [sentence])
    ]


def without_margin(text: str) -> str:
    """The text with a line break only where a line is complete, and not where a margin or a sentence goes on."""
    lines = [line.rstrip() for line in text.splitlines()]
    longest = max(map(len, lines), default=0)
    joined = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        is_full = longest >= MARGIN_CHARS and len(line) >= FULL_LINE * longest
        goes_on = bool(following[:1].strip()) and (following[:1].islower() or not ITEM.match(following))
        ends_open = (
            len(line) >= MIN_OPEN_CHARS
            and line[-1] not in ".!?…:;"
            and following[:1].islower()
            and not ITEM.match(line)
        )
        is_entry = bool(LABELLED.match(line)) and following[:1].isupper() and line[-1] not in ",-"
        joined += line + (" " if goes_on and not is_entry and (is_full or ends_open) else "\n")
    return joined


def _longest_run(sentence: str) -> int:
    """The most words of a sentence in a row without punctuation between them."""
    return max(len(run.split()) for run in re.split(r"[,;:.!?()–—]", sentence))


def _clauses(run: str) -> list[str]:
    """The clauses of a transcript: each begins with a subject, or with the conjunction before it."""
    document = parse(run, entities=False)
    starts = [0]
    for token in document:
        begins = token.dep_ in ("nsubj", "nsubjpass", "expl") and token.head.dep_ not in ("relcl", "acl", "csubj")
        if begins or token.lower_ == "please":
            start = token.left_edge.i
            while start > 0 and document[start - 1].dep_ in ("cc", "mark", "intj"):
                start -= 1
            if start - starts[-1] >= MIN_CLAUSE_WORDS:
                starts.append(start)
    return [document[start:end].text for start, end in zip(starts, [*starts[1:], len(document)], strict=True)]
