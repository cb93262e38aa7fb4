"""Questions that a text answers by its form, whatever its language: all things of a kind, messages, opinions."""

from __future__ import annotations

from typing import Any

from hugginggpt.experts import chats, listings, opinions, text_parts, topical_items, word_counts


def asked_for(question: str) -> bool:
    """Whether words ask for what the form of a text may tell."""
    if word_counts.asked_for(question) or topical_items.asked_for(question):
        return True
    return bool(listings.asked_for(question)) or chats.asked_for(question) or opinions.asked_for(question)


def answer(question: str, text: str) -> dict[str, Any] | None:
    """What the form of a text tells; None of any other question or text."""
    if not text.strip():
        return None
    forms = (
        word_counts.answer, listings.answer, chats.answer, topical_items.answer, opinions.answer, text_parts.answer,
    )  # fmt: skip
    for answered in forms:
        if told := answered(question, text):
            return told
    return None
