"""Extractive question answering: the answer is a span of the context (arXiv 1810.04805, 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.families.encoders import Encoder, batches
from hugginggpt.experts.source import Source

if TYPE_CHECKING:
    import torch

WINDOW_TOKENS = 384
OVERLAP_TOKENS = 128
QUESTION_TOKENS = 64
ANSWER_TOKENS = 30
BATCH_SIZE = 8


@dataclass(frozen=True, slots=True)
class Span:
    """An answer's first and last token in a window, and its probability there."""

    score: float
    start: int
    end: int


@family("question-answering", batch=8)
def question_answering(source: Source) -> Run:
    """The answer with its score and its offsets in the context, which may have any length."""
    from transformers import AutoModelForQuestionAnswering

    encoder = Encoder(source, AutoModelForQuestionAnswering)
    if not encoder.tokenizer.is_fast:
        raise ExpertUnavailable(f"{source.id}: its tokenizer does not return the offsets of tokens.")

    def run(requests: Sequence[Args]) -> list[Any]:
        encoding = _windows(encoder, requests)
        best: dict[int, tuple[Span, int]] = {}
        for window, span in enumerate(_spans(encoder, encoding)):
            request = int(encoding["overflow_to_sample_mapping"][window])
            if span and (request not in best or span.score > best[request][0].score):
                best[request] = span, window
        if len(best) < len(requests):
            raise UserError("The context holds nothing that can be read, so it answers no question.")
        return [_answer(args["context"], encoding, *best[index]) for index, args in enumerate(requests)]

    return run


def _windows(encoder: Encoder, requests: Sequence[Args]) -> Any:
    """Each question with its whole context, in overlapping windows within the model's limit."""
    size = min(encoder.limit, WINDOW_TOKENS)
    max_question = min(QUESTION_TOKENS, size // 3)
    return encoder.tokens(
        [_shortened(encoder, request["text"], max_question) for request in requests],
        [request["context"] for request in requests],
        truncation="only_second",
        max_length=size,
        stride=min(OVERLAP_TOKENS, size // 4),
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )


def _shortened(encoder: Encoder, question: str, limit: int) -> str:
    """The first `most` tokens of a question, so that there is room for the context."""
    offsets = encoder.tokenizer(question, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    return question if len(offsets) <= limit else question[: offsets[limit - 1][1]]


def _spans(encoder: Encoder, encoding: Any) -> Iterator[Span | None]:
    """The best span of each window; None for a window without context."""
    import torch

    names = [name for name in encoding if name not in ("offset_mapping", "overflow_to_sample_mapping")]
    no_answer = encoder.tokenizer.cls_token_id
    for part in batches(range(len(encoding["input_ids"])), BATCH_SIZE):
        rows = slice(part[0], part[-1] + 1)
        output = encoder({name: encoding[name][rows] for name in names})
        starts, ends = output.start_logits.float().cpu(), output.end_logits.float().cpu()
        for window in part:
            context = torch.tensor([number == 1 for number in encoding.sequence_ids(window)])
            yield best_span(
                starts[window - part[0]], ends[window - part[0]], context, encoding["input_ids"][window] == no_answer
            )


def best_span(starts: torch.Tensor, ends: torch.Tensor, context: torch.Tensor, no_answer: torch.Tensor) -> Span | None:
    """The most probable answer of one window, of at most 30 tokens.

    All are of shape (tokens,): logits, and masks of the context and of the no-answer token. That token has its share
    of the probability, so that the scores of windows are comparable. None for a window without context.
    """
    import torch

    if not context.any():
        return None
    allowed = context | no_answer
    begins = starts.masked_fill(~allowed, -torch.inf).softmax(0).masked_fill(~context, 0)
    stops = ends.masked_fill(~allowed, -torch.inf).softmax(0).masked_fill(~context, 0)
    # row n has the spans of n + 1 tokens, by their first token
    shifted = torch.nn.functional.pad(stops, (0, ANSWER_TOKENS))
    scores = torch.stack([begins * shifted[n : n + len(begins)] for n in range(ANSWER_TOKENS)])
    length, start = divmod(int(scores.argmax()), len(begins))
    return Span(float(scores[length, start]), start, start + length)


def _answer(context: str, encoding: Any, span: Span, window: int) -> dict[str, Any]:
    """The answer as a substring of the context, extended to whole words."""
    offsets = encoding["offset_mapping"][window].tolist()
    words = encoding.word_ids(window)
    inside = encoding.sequence_ids(window)
    first, last = span.start, span.end
    while first and inside[first - 1] == 1 and words[first - 1] == words[first]:
        first -= 1
    while last + 1 < len(words) and inside[last + 1] == 1 and words[last + 1] == words[last]:
        last += 1
    start, end = offsets[first][0], offsets[last][1]
    start += len(context[start:end]) - len(context[start:end].lstrip())
    return {"answer": context[start:end], "score": span.score, "start": start, "end": end}
