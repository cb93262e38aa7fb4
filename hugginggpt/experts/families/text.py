"""Text encoders: classification, named entities, masked words, similarity. For questions see questions.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.experts import quantization
from hugginggpt.experts.families import VECTORS, Args, Loaded, Run, each, family
from hugginggpt.experts.families.encoders import Encoder, batches, labelled, probabilities
from hugginggpt.experts.source import PICKLE_SUFFIXES, Source

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 16
"""The number of rows in a batch."""


@family("text-classification", batch=16)
def text_classification(source: Source) -> Run:
    """All labels of the model with scores, best first. A text is truncated to the model's limit."""
    from transformers import AutoModelForSequenceClassification

    encoder = Encoder(source, AutoModelForSequenceClassification)
    config = encoder.model.config

    def run(requests: Sequence[Args]) -> list[Any]:
        texts = [request["text"] for request in requests]
        return [labelled(row, config) for row in probabilities(encoder.logits(encoder.tokens(texts)), config)]

    return run


HYPOTHESIS = "This example is {}."


@family("zero-shot-classification", batch=8)
def zero_shot_classification(source: Source) -> Run:
    """Scores each label by whether the text entails "This example is <label>." (arXiv 1909.00161).

    The scores of several labels add up to 1; that of a single one is entailment against contradiction.
    """
    from transformers import AutoModelForSequenceClassification

    encoder = Encoder(source, AutoModelForSequenceClassification)
    indexes = {str(label).lower()[:6]: index for label, index in encoder.model.config.label2id.items()}
    if "entail" not in indexes:
        raise ExpertUnavailable(
            f"{source.id} has no label for entailment, so it cannot judge whether a label fits: "
            "use a model for natural language inference."
        )
    entailment_index = indexes["entail"]
    contradiction_index = indexes.get("contra", -1 if entailment_index == 0 else 0)

    def run(requests: Sequence[Args]) -> list[Any]:
        pairs = [(request["text"], HYPOTHESIS.format(label)) for request in requests for label in _labels(request)]
        logits = [
            row
            for part in batches(pairs, BATCH_SIZE)
            for row in encoder.logits(encoder.tokens(*map(list, zip(*part, strict=True)), truncation="only_first"))
        ]
        answers: list[Any] = []
        for request in requests:
            labels = _labels(request)
            rows, logits = logits[: len(labels)], logits[len(labels) :]
            answers.append(_entailed(labels, rows, entailment_index, contradiction_index))
        return answers

    return run


def _labels(request: Args) -> list[str]:
    labels = list(dict.fromkeys(label for label in request["labels"] if label))
    if not labels:
        raise UserError("zero-shot-classification needs labels, the classes to choose from.")
    return labels


def _entailed(
    labels: list[str], rows: list[torch.Tensor], entailment_index: int, contradiction_index: int
) -> list[dict[str, Any]]:
    import torch

    logits = torch.stack(rows)
    probability = logits[:, [contradiction_index, entailment_index]].softmax(-1)[:, 1]
    scores = probability if len(labels) == 1 else logits[:, entailment_index].softmax(0)
    return [{"label": label, "score": score} for label, score in zip(labels, scores.tolist(), strict=True)]


@family("token-classification", batch=8)
def token_classification(source: Source) -> Run:
    """Entities grouped as transformers' pipeline does ("simple"), with scores and offsets.

    Long texts are split into overlapping windows. A word is a substring of the text, where the tokenizer returns
    offsets; the pipeline itself returns the tokens, for many models in lower case.
    """
    from transformers import AutoModelForTokenClassification, TokenClassificationPipeline

    encoder = Encoder(source, AutoModelForTokenClassification)
    tokenizer = encoder.tokenizer
    pipe = TokenClassificationPipeline(model=encoder.model, tokenizer=tokenizer, device=encoder.model.device)
    options = {"stride": encoder.limit // 4} if tokenizer.is_fast else {}

    def run(requests: Sequence[Args]) -> list[Any]:
        texts = [request["text"] for request in requests]
        entities = pipe(texts, aggregation_strategy="simple", batch_size=len(texts), **options)
        return [[_entity(text, row) for row in rows] for text, rows in zip(texts, entities, strict=True)]

    return run


def _entity(text: str, row: dict[str, Any]) -> dict[str, Any]:
    entity = {"entity_group": row["entity_group"], "score": float(row["score"]), "word": row["word"].strip()}
    if row.get("start") is None:
        return entity
    start, end = int(row["start"]), int(row["end"])
    start += len(text[start:end]) - len(text[start:end].lstrip())  # byte-level tokens begin with the space
    return {**entity, "word": text[start:end], "start": start, "end": end}


MASK_PATTERN = re.compile(r"\[MASK\]|<mask>|<extra_id_0>|\{mask\}|_{3,}", re.IGNORECASE)
MAX_FILLINGS = 5


@family("fill-mask", batch=8)
def fill_mask(source: Source) -> Run:
    """The five best words for a masked one. The mask may be written [MASK] or <mask>, whatever the model's own.

    Of several masks the most confident ones are filled first, each with its best word; the five words are those of
    the last one.
    """
    from transformers import AutoModelForMaskedLM

    encoder = Encoder(source, AutoModelForMaskedLM)
    mask = encoder.tokenizer.mask_token
    if mask is None:
        raise ExpertUnavailable(f"{source.id} has no mask token, so it fills no gaps.")

    def run(requests: Sequence[Args]) -> list[Any]:
        texts = [MASK_PATTERN.sub(lambda _: mask, request["text"]) for request in requests]
        if not all(mask in text for text in texts):
            raise UserError("There is no gap in the text: write [MASK] where a word is missing.")
        gaps = _gaps(encoder, texts)
        while any(len(text_gaps) > 1 for text_gaps in gaps):
            surest = [max(text_gaps, key=lambda gap: gap.fillings[0]["score"]) for text_gaps in gaps]
            texts = [
                _filled(text, mask, gap)[0]["sequence"] if len(text_gaps) > 1 else text
                for text, text_gaps, gap in zip(texts, gaps, surest, strict=True)
            ]
            gaps = _gaps(encoder, texts)
        return [_filled(text, mask, gap) for text, (gap,) in zip(texts, gaps, strict=True)]

    return run


class Gap(NamedTuple):
    """A masked word of a text: its number among them, and its best fillings."""

    number: int
    fillings: list[dict[str, Any]]


def _gaps(encoder: Encoder, texts: list[str]) -> list[list[Gap]]:
    """The gaps of each text, at least one. Raises UserError if they are beyond the model's limit."""
    import torch

    tokenizer = encoder.tokenizer
    encoding = encoder.tokens(texts)
    logits = encoder.logits(encoding).clone()
    logits[..., tokenizer.all_special_ids] = -torch.inf  # they are not words
    gaps: list[list[Gap]] = [[] for _ in texts]
    for row, position in (encoding["input_ids"] == tokenizer.mask_token_id).nonzero().tolist():
        best = logits[row, position].softmax(-1).topk(min(MAX_FILLINGS, logits.shape[-1]))
        pairs = zip(best.values.tolist(), best.indices.tolist(), strict=True)
        fillings = [{"score": score, "token_str": tokenizer.decode([token]).strip()} for score, token in pairs]
        gaps[row].append(Gap(len(gaps[row]), fillings))
    if not all(gaps):
        raise UserError(f"The gap lies beyond the {encoder.limit} tokens that the model reads: shorten the text.")
    return gaps


def _filled(text: str, mask: str, gap: Gap) -> list[dict[str, Any]]:
    """The text with each filling of a gap."""
    parts = text.split(mask)
    before, after = mask.join(parts[: gap.number + 1]), mask.join(parts[gap.number + 1 :])
    rows = []
    for filling in gap.fillings:
        word = filling["token_str"]
        joined = before.rstrip() + word[2:] if word.startswith("##") else before + word  # ## continues a word
        rows.append({"sequence": joined + after, **filling})
    return rows


@family("sentence-similarity", batch=16)
def sentence_similarity(source: Source) -> Loaded:
    """The cosine of the two texts' vectors (sentence-transformers, arXiv 1908.10084); and vectors of texts.

    The vectors are pooled as the model's modules.json says; by the mean over tokens without one.
    """
    from sentence_transformers import SentenceTransformer

    weights = [file for file in source.folder.rglob("*") if file.suffix in PICKLE_SUFFIXES]
    if any(not [*file.parent.glob("*.safetensors")] for file in weights):
        raise ExpertUnavailable(f"{source.id} has a layer with pickled weights, which are not loaded.")
    quantization.check(source.id, source.quantize, source.placement.device)
    model = SentenceTransformer(
        str(source.folder), device=source.placement.device, trust_remote_code=False, local_files_only=True,
        model_kwargs={"use_safetensors": True, "dtype": source.placement.torch_dtype},
    )  # fmt: skip
    if "text" not in model.modalities:
        raise source.unfit()
    source.quantise(model)
    source.modules.append(model)

    def run(requests: Sequence[Args]) -> list[Any]:
        first, second = (
            model.encode([request[name] for request in requests], convert_to_tensor=True, show_progress_bar=False)
            for name in ("text1", "text2")
        )
        cosines = model.similarity_pairwise(first.float(), second.float()).clamp(-1, 1)
        return [[cosine] for cosine in cosines.tolist()]

    def embed(texts: Sequence[str]) -> dict[str, Any]:
        vectors = model.encode(list(texts), show_progress_bar=False, convert_to_tensor=True)
        ids = model.tokenizer(list(texts), truncation=True)["input_ids"]
        return {"vectors": vectors.float().cpu().numpy(), "tokens": sum(map(len, ids))}

    return {"sentence-similarity": run, VECTORS: each(embed)}
