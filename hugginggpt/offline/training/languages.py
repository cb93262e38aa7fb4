"""Trains the heads for requests in other languages than English (`hugginggpt.offline.languages.scores`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hugginggpt.offline.clauses import RESOURCES
from hugginggpt.offline.languages.scores import clause_features, language_features
from hugginggpt.offline.languages.vocabulary import CODES, WITHOUT_BLANKS
from hugginggpt.offline.training.fitting import fit_softmax, write
from hugginggpt.offline.training.phrases import Phrase, read_phrases


def train_languages(english: Sequence[Phrase], folder: Path, seed: int) -> None:
    """Writes `clauses.<code>.safetensors` for each language, and `languages.safetensors`."""
    phrases = {code: list(read_phrases(seed, [f"phrases.{code}.txt"])) for code in CODES}
    for code in CODES:
        train_head(phrases[code], folder / f"clauses.{code}.safetensors")
    in_latin_letters = {code: phrases[code] for code in CODES if code not in WITHOUT_BLANKS}
    train_language_head({"en": english, **in_latin_letters}, folder / "languages.safetensors")


def train_head(phrases: Sequence[Phrase], file: Path) -> None:
    classes = sorted({phrase.task for phrase in phrases})
    labels = np.array([classes.index(phrase.task) for phrase in phrases])
    weights = np.array([phrase.weight for phrase in phrases])
    weight, bias = fit_softmax(clause_features([phrase.text for phrase in phrases]), labels, weights / weights.sum())
    write(file, {"weight": weight, "bias": bias}, classes)
    print(f"{file}: {len(phrases)} phrases, {len(classes)} classes", file=sys.stderr)


def train_language_head(phrases: dict[str, Sequence[Phrase]], file: Path) -> None:
    """The language of a phrase without its files; all languages weigh the same."""
    texts, labels, weights = [], [], []
    for index, own in enumerate(phrases.values()):
        total = sum(phrase.weight for phrase in own)
        for phrase in own:
            if bare := RESOURCES.sub(" ", phrase.text).strip():
                texts.append(bare)
                labels.append(index)
                weights.append(phrase.weight / total)
    shares = np.array(weights) / sum(weights)
    weight, bias = fit_softmax(language_features(texts), np.array(labels), shares)
    write(file, {"weight": weight, "bias": bias}, list(phrases))
    print(f"{file}: {len(texts)} phrases, {len(phrases)} languages", file=sys.stderr)
