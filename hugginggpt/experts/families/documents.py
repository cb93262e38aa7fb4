"""Document question answering: questions about scanned pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.families import Run, each, family
from hugginggpt.experts.families.pictures import chat_model, is_chat, is_type
from hugginggpt.experts.ocr import Line, read_lines
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import load_image

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float32]]

Box = tuple[int, int, int, int]
NO_BOX: Box = (0, 0, 0, 0)
PAGE_UNITS = 1000
"""LayoutLM gives positions on a page in thousandths of its sides."""
WINDOW_TOKENS, OVERLAP_TOKENS = 512, 128
"""Long pages are split into overlapping windows of so many tokens."""
MAX_ANSWER_TOKENS = 32
MAX_ANSWERS = 3
DONUT_TOKENS = 128
ANSWER_PROMPT = "{} Answer with what stands on the page, in a few words."


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a page and its box: left, top, right, bottom in thousandths of the page's sides."""

    text: str
    box: Box


def read_words(image: Path) -> list[Word]:
    """The words of a page in reading order (RapidOCR). Raises ExpertUnavailable for a page without any."""
    size = load_image(image).size
    words = [word for row in read_lines(image) for line in row for word in split_line(line, size)]
    if not words:
        raise ExpertUnavailable("No text was found on the page.")
    return words


def split_line(line: Line, size: tuple[int, int]) -> list[Word]:
    """The words of a line, each with its part of the line's box in proportion to its characters."""
    length, (width, height) = max(1, len(line.text)), size
    line_width = line.right - line.left

    def on_page(x: float, y: float) -> tuple[int, int]:
        return round(PAGE_UNITS * min(max(x / width, 0), 1)), round(PAGE_UNITS * min(max(y / height, 0), 1))

    return [
        Word(
            match[0],
            (
                *on_page(line.left + line_width * match.start() / length, line.top),
                *on_page(line.left + line_width * match.end() / length, line.bottom),
            ),
        )
        for match in re.finditer(r"\S+", line.text)
    ]


# Models that extract the answer


@family("document-question-answering", when=is_type("layoutlm"))
def answer_from_layout(source: Source) -> Run:
    """The words of the page that answer best, by text and position (LayoutLM, arXiv 1912.13318)."""
    import torch
    from transformers import AutoModelForDocumentQuestionAnswering, AutoTokenizer

    model, tokenizer = source.model(AutoModelForDocumentQuestionAnswering), source.part(AutoTokenizer)

    def run(image: Path, text: str) -> Any:
        words = read_words(image)
        encoded = tokenizer(
            text.split(), [word.text for word in words], is_split_into_words=True, **_windows(tokenizer, model)
        )
        boxes = [
            _token_boxes(encoded, index, words, tokenizer.sep_token_id) for index in range(len(encoded["input_ids"]))
        ]
        batch = {**_tensors(encoded), "bbox": torch.tensor(boxes)}
        return _best_answers(source, model, batch, encoded, words)

    return each(run)


@family("document-question-answering", when=is_type("layoutlmv3"))
def answer_from_layout_and_picture(source: Source) -> Run:
    """The words of the page that answer best, by text, position and appearance (LayoutLMv3, arXiv 2204.08387)."""
    from transformers import AutoImageProcessor, AutoModelForDocumentQuestionAnswering, AutoTokenizer

    model, tokenizer = source.model(AutoModelForDocumentQuestionAnswering), source.part(AutoTokenizer)
    processor = source.part(AutoImageProcessor, apply_ocr=False)

    def run(image: Path, text: str) -> Any:
        words = read_words(image)
        encoded = tokenizer(
            text, [word.text for word in words], boxes=[list(word.box) for word in words], **_windows(tokenizer, model)
        )
        batch = _tensors(encoded)
        pixels = processor(images=load_image(image), return_tensors="pt")["pixel_values"]
        batch["pixel_values"] = pixels.expand(len(encoded["input_ids"]), -1, -1, -1)
        return _best_answers(source, model, batch, encoded, words)

    return each(run)


def _windows(tokenizer: Any, model: Any) -> dict[str, Any]:
    """The options of a tokenizer that split a long page into windows."""
    # RoBERTa's positions begin after the padding index, so two of them hold no token.
    max_length = min(WINDOW_TOKENS, tokenizer.model_max_length, model.config.max_position_embeddings - 2)
    return {
        "truncation": "only_second", "max_length": max_length, "stride": min(OVERLAP_TOKENS, max_length // 4),
        "padding": True,
        "return_overflowing_tokens": True, "return_token_type_ids": True,
    }  # fmt: skip


def _tensors(encoded: Any) -> dict[str, Any]:
    import torch

    names = ("input_ids", "attention_mask", "token_type_ids", "bbox")
    return {name: torch.tensor(encoded[name]) for name in names if name in encoded}


def _token_boxes(encoded: Any, window: int, words: Sequence[Word], separator: int) -> list[Box]:
    """The box of each token: that of its word, the far corner for separators, an empty one for the others."""
    owners = zip(
        encoded["input_ids"][window], encoded.word_ids(window), encoded.sequence_ids(window), strict=True
    )  # fmt: skip
    corner = (PAGE_UNITS, PAGE_UNITS, PAGE_UNITS, PAGE_UNITS)
    return [
        words[word].box if part == 1 and word is not None else corner if token == separator else NO_BOX
        for token, word, part in owners
    ]


def _best_answers(source: Source, model: Any, batch: Mapping[str, Any], encoded: Any, words: Sequence[Word]) -> Any:
    """The likeliest spans over all windows, as distinct texts with scores."""
    import torch

    with torch.inference_mode():
        outputs = model(**source.to_device(batch))
    starts, ends = outputs.start_logits.float().cpu().numpy(), outputs.end_logits.float().cpu().numpy()
    spans = []
    for window in range(len(starts)):
        owners = encoded.word_ids(window)
        is_page = [
            part == 1 and word is not None for word, part in zip(owners, encoded.sequence_ids(window), strict=True)
        ]
        for start, end, score in best_spans(starts[window][: len(owners)], ends[window][: len(owners)], is_page):
            spans.append((score, " ".join(word.text for word in words[owners[start] : owners[end] + 1])))
    best: dict[str, float] = {}
    for score, answer in sorted(spans, reverse=True):
        best.setdefault(answer, score)
    return [{"answer": answer, "score": score} for answer, score in list(best.items())[:MAX_ANSWERS]]


def best_spans(
    starts: Floats, ends: Floats, allowed: Sequence[bool], count: int = MAX_ANSWERS
) -> list[tuple[int, int, float]]:
    """The likeliest spans of tokens (first, last, probability), `LONGEST_ANSWER` long at most.

    The probability of a span is that of its start times that of its end, each over the allowed tokens and the first,
    which stands for "no answer here", as in BERT's question answering (arXiv 1810.04805, sections 4.2 and 4.3).
    """
    import numpy as np

    positions = np.flatnonzero(allowed)
    if not len(positions):
        return []
    candidates = np.concatenate([[0], positions])
    probabilities = [np.exp(logits[candidates] - logits[candidates].max()) for logits in (starts, ends)]
    start, end = ((each / each.sum())[1:] for each in probabilities)
    joint = np.triu(np.outer(start, end))
    joint[positions[None, :] - positions[:, None] >= MAX_ANSWER_TOKENS] = 0
    order = np.argsort(-joint, axis=None)[:count]
    return [
        (int(positions[first]), int(positions[last]), float(joint[first, last]))
        for first, last in zip(*np.unravel_index(order, joint.shape), strict=True)
    ]


# Models that generate the answer


@family("document-question-answering", when=is_type("vision-encoder-decoder"))
def answer_by_donut(source: Source) -> Run:
    """The answer that the model generates between its tags, without a separate OCR (Donut, arXiv 2111.15664)."""
    import torch
    from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

    model = source.model(AutoModelForImageTextToText)
    processor, tokenizer = source.part(AutoImageProcessor), source.part(AutoTokenizer)

    def run(image: Path, text: str) -> Any:
        pixels = source.to_device(processor(images=load_image(image), return_tensors="pt"))["pixel_values"]
        prompt = f"<s_docvqa><s_question>{text}</s_question><s_answer>"
        prompt_ids = tokenizer(prompt, add_special_tokens=False, return_tensors="pt").input_ids
        with torch.inference_mode():
            output = model.generate(
                pixel_values=pixels, decoder_input_ids=prompt_ids.to(source.placement.device),
                max_new_tokens=DONUT_TOKENS,
                pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
            )  # fmt: skip
        return {"answer": donut_answer(tokenizer.decode(output[0]), tokenizer.all_special_tokens)}

    return each(run)


def donut_answer(output: str, special_tokens: Sequence[str]) -> str:
    """The text between the tags of the answer: "...<s_answer> $484.00</s_answer></s>" -> "$484.00"."""
    answer = output.partition("<s_answer>")[2].partition("</s_answer>")[0]
    for token in special_tokens:
        answer = answer.replace(token, "")
    return " ".join(answer.split())


@family("document-question-answering", when=is_chat)
def answer_in_chat(source: Source) -> Run:
    """A short answer by a vision-language chat model."""
    reply = chat_model(source)
    return each(lambda image, text: {"answer": reply(load_image(image), ANSWER_PROMPT.format(text))})
