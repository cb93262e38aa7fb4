"""Embedded experts for text."""

from __future__ import annotations

from typing import Any

from hugginggpt.experts import foreign_opinions
from hugginggpt.experts.entities import entities as named_entities
from hugginggpt.experts.families import VECTORS
from hugginggpt.experts.grammar import PACKAGES
from hugginggpt.experts.minilm import embed, similarities, token_ids
from hugginggpt.experts.registry import expert
from hugginggpt.experts.word_list_sentiment import compound
from hugginggpt.experts.written_language import ENGLISH, english_only, language_of

MINILM = ("safetensors", "tokenizers", "scipy", "threadpoolctl")
NEUTRAL_THRESHOLD = 0.05
"""VADER's own threshold on its compound score."""


@expert(
    "vader",
    "text-classification",
    "Sentiment of English by word list and rules (VADER), of German, French, Spanish and Chinese by words alone.",
    ("vaderSentiment",),
    aspects=(),
)
def sentiment(text: str) -> list[dict[str, Any]]:
    """POSITIVE, NEGATIVE or NEUTRAL. The scores come from VADER's compound (-1 to 1) and are no probabilities: scaled
    to 0 to 1, or for a neutral text its absolute value and the rest. Of German, French, Spanish and Chinese the balance
    of good and bad words takes its place. Raises ExpertUnavailable for a text in another language.
    """
    code = language_of(text)
    score = foreign_opinions.balance(text, code) if foreign_opinions.knows(code) else _english_score(text)
    scores = {"POSITIVE": (1 + score) / 2, "NEGATIVE": (1 - score) / 2}
    if abs(score) < NEUTRAL_THRESHOLD:
        scores = {"NEUTRAL": 1 - abs(score), "POSITIVE": max(0.0, score), "NEGATIVE": max(0.0, -score)}
    return [{"label": label, "score": chance} for label, chance in scores.items()]


@english_only
def _english_score(text: str) -> float:
    return compound(text)


@expert(
    "all-MiniLM-L6-v2-labels", "zero-shot-classification",
    "Ranks the given labels by sentence similarity to the text (all-MiniLM-L6-v2).", MINILM,
)  # fmt: skip
@english_only
def zero_shot(text: str, labels: list[str]) -> list[dict[str, Any]]:
    """The labels by similarity to the text; scores are a softmax over the similarities."""
    from scipy.special import softmax

    closeness = similarities(text, [f"This text is about {label}." for label in labels])
    return [
        {"label": label, "score": float(score)}
        for label, score in zip(labels, softmax([20 * similarity for similarity in closeness]), strict=True)
    ]


@expert(
    "en_core_web_sm", "token-classification",
    "Named entities in English: people, places, organisations, dates and more (spaCy).",
    PACKAGES, aspects=(),
)  # fmt: skip
@english_only
def entities(text: str) -> list[dict[str, Any]]:
    """Entities with OntoNotes labels and character offsets, each name once; spaCy gives no scores."""
    return named_entities(text)


@expert(
    "sumy-lexrank", "summarization",
    "Picks the most central sentences of a text, as many as are asked for (LexRank, extractive).", ("sumy",),
)  # fmt: skip
def summary(text: str, shape: str = "") -> str:
    """The most central sentences of a text in English, German, French, Spanish or Chinese; `shape` tells how many.

    Raises ExpertUnavailable for a text in another language.
    """
    from hugginggpt.experts import summaries

    return summaries.summary(text, summaries.shape_of(shape))


@expert(
    "sentence-reader", "question-answering",
    "Answers with the sentence of the context that holds what is asked, if one does (all-MiniLM-L6-v2, spaCy).",
    (*MINILM, *PACKAGES),
)  # fmt: skip
def answer(text: str, context: str) -> dict[str, Any]:
    """The answer to the question `text` from `context`: a sentence with its probability, or that it does not say.
    Whether it mentions something at all is looked up by its words. In German, French, Spanish and Chinese the closest
    sentence is offered.

    Raises BackendError for an empty context.
    """
    from hugginggpt.experts import where_asked

    asked = where_asked.without_where(text)
    answered = _answer(asked, context)
    return answered if asked == text.strip() else where_asked.placed(answered, context)


def _answer(text: str, context: str) -> dict[str, Any]:
    from hugginggpt.experts import laid_out, plain_lookups, reading, said_by, text_forms, worked_questions

    own = text.strip().partition("\n")[0]
    if named := plain_lookups.named_outright(own, context) or said_by.answer(own, context):
        return named
    if formed := text_forms.answer(own, context):
        return formed
    pages = list(laid_out.rows_in(context))
    if computed := worked_questions.answer(text, context, lambda part: _read(part, context), reading.PLAINLY, pages):
        return computed
    return _read(text, context)


def _read(text: str, context: str) -> dict[str, Any]:
    """What a text says on a question, in its words."""
    from hugginggpt.experts import amounts, chats, foreign_reading, slips
    from hugginggpt.experts.joint_answers import UNSURE

    context = chats.without_stamps(context)
    text, code = foreign_reading.asked_in(text, context)
    if code != ENGLISH:
        return foreign_reading.answer(text, context, code)
    read = slips.corrected(text, context)
    answered = _answered(read, context)
    note = slips.note_of(text, read)
    line = answered.get("closest") or answered["answer"]
    if "score" in answered and amounts.is_over_several(read, line):
        hedged = UNSURE.format(line)
        return {"answer": hedged, "closest": line, "found": False, "note": amounts.NOT_WORKED_OUT}
    answered = amounts.with_sums(read, answered)
    return {**answered, "note": note} if note else answered


def _answered(text: str, context: str) -> dict[str, Any]:
    from hugginggpt.experts import (
        coded_lines,
        mentions,
        messages,
        opening_hours,
        plain_lookups,
        reading,
        sections,
        summaries,
        table_cells,
        whole_texts,
    )

    if named := plain_lookups.answer(text, context) or coded_lines.answer(text, context):
        return named
    if cells := table_cells.answer(text, context):
        return cells
    if hours := opening_hours.answer(text, context.splitlines()):
        return {"answer": hours}
    if section := sections.asked_for(text, context):
        return {"answer": section.text}
    if counted := whole_texts.count_of_parts(text, context):
        other = whole_texts.asked_before_count(text)
        told = plain_lookups.answer(other, context) if other else None
        return {"answer": f"{told['answer']}. {counted}" if told else counted}
    if whole_texts.is_asked_for(text):
        return {"answer": summaries.in_short(context)}
    if message := messages.answer(text, context):
        return message
    if (answer := mentions.answer(text, context)) or (answer := whole_texts.from_its_form(text, context)):
        return answer
    answer = reading.answer(text, context)
    return answer if answer.get("found", True) else whole_texts.from_its_layout(text, context) or answer


@expert("all-MiniLM-L6-v2", VECTORS, "Vectors of texts (all-MiniLM-L6-v2); no task of a plan.", MINILM)
def vectors(texts: list[str]) -> dict[str, Any]:
    """Unit vectors, float32 of shape (texts, 384), and how many tokens the texts have."""
    return {"vectors": embed(texts), "tokens": sum(len(token_ids(text)) for text in texts)}


@expert(
    "all-MiniLM-L6-v2", "sentence-similarity", "How close two texts are in meaning (English, all-MiniLM-L6-v2).", MINILM
)
@english_only
def similarity(text1: str, text2: str) -> list[float]:
    return similarities(text1, [text2])
