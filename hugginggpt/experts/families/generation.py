"""Models that write: summaries, rewritten texts, continuations, replies. Translation has a module of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.families.encoders import UNLIMITED, batches, padded
from hugginggpt.experts.families.pieces import checked, joined_up, packed, split
from hugginggpt.experts.source import Source

MAX_NEW_TOKENS = 256
AT_ONCE = 8
"""Texts that are written in one batch."""
CONTINUE_TOKENS = 128
REPETITION_PENALTY = 1.2
"""Keeps a continuation by the likeliest words from going round in circles (arXiv 1909.05858, 4.1)."""
T5_PREFIX = "summarize: "
OPTIONS = (
    "min_length", "num_beams", "length_penalty", "early_stopping", "no_repeat_ngram_size", "repetition_penalty",
    "do_sample", "temperature", "top_k", "top_p",
)  # fmt: skip
"""What is taken from a model's own settings for a task."""


class Writer:
    """A model that generates. `auto` is one of the Auto* classes of transformers.

    `task_settings` are those that config.json has for the task (task_specific_params): a prefix for the text, options.
    """

    def __init__(self, source: Source, auto: Any, task: str, **options: Any) -> None:
        from transformers import AutoTokenizer

        self.source = source
        self.model = source.model(auto)
        self.tokenizer = padded(self.model, source.part(AutoTokenizer, **options))
        self.limit: int = self.tokenizer.model_max_length
        self.task_settings: dict[str, Any] = (source.config.get("task_specific_params") or {}).get(task) or {}
        settings = self.model.generation_config
        self.longest = int(self.task_settings.get("max_length") or settings.max_length or settings.max_new_tokens or 0)
        settings.max_length = settings.max_new_tokens = None  # said with each call, and never twice
        self.min_length = int(self.task_settings.get("min_length") or settings.min_length or 0)
        self.options = {name: self.task_settings[name] for name in OPTIONS if name in self.task_settings}

    @property
    def prefix(self) -> str:
        """What the model wants to stand before the text of this task ("summarize: ")."""
        return str(self.task_settings.get("prefix") or "")

    def length(self, text: str) -> int:
        """The tokens of a text, special ones included."""
        return len(self.tokenizer(text, verbose=False)["input_ids"])

    def generate(self, texts: list[str], **options: Any) -> Any:
        """Token ids for a batch of texts: those of the prompts, shape (texts, tokens), and those generated."""
        import torch

        special = options.pop("add_special_tokens", True)
        encoding = self.tokenizer(
            texts, padding=True, truncation=True, max_length=options.pop("limit", self.limit), return_tensors="pt",
            return_token_type_ids=False, add_special_tokens=special,
        )  # fmt: skip
        inputs = {name: encoding[name] for name in ("input_ids", "attention_mask")}
        settings = {"max_new_tokens": MAX_NEW_TOKENS, "pad_token_id": self.tokenizer.pad_token_id, **self.options}
        with torch.inference_mode():
            written = self.model.generate(**self.source.to_device(inputs), **{**settings, **options})
        return encoding["input_ids"], written.cpu()


class Rewriter(Writer):
    """An encoder-decoder: reads a text, writes another. `unspoken` are tokens that are no part of the text."""

    def __init__(self, source: Source, task: str, **options: Any) -> None:
        from transformers import AutoModelForSeq2SeqLM

        super().__init__(source, AutoModelForSeq2SeqLM, task, **options)
        config = self.model.config
        names = ("max_decoder_position_embeddings", "max_position_embeddings")
        positions = next((limit for name in names if (limit := getattr(config, name, 0))), UNLIMITED)
        self.unspoken: frozenset[int] = frozenset()
        self.max_new_tokens = min(self.longest or MAX_NEW_TOKENS, positions - 1)

    def write(self, texts: Sequence[str], **options: Any) -> list[str]:
        """What the model writes for each text. What a text has beyond the model's limit is not read."""
        written: list[str] = []
        for part in batches(texts, AT_ONCE):
            _, tokens = self.generate(list(part), **{"max_new_tokens": self.max_new_tokens, **options})
            rows = [[token for token in row if token not in self.unspoken] for row in tokens.tolist()]
            written += [text.strip() for text in self.tokenizer.batch_decode(rows, skip_special_tokens=True)]
        return written


def is_t5(source: Source) -> bool:
    """Whether it is a T5, which is told its task in words before the text (arXiv 1910.10683)."""
    return source.model_type in ("t5", "mt5", "umt5", "longt5", "switch_transformers")


def rewrites(source: Source) -> bool:
    """Whether it is an encoder-decoder."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES

    return source.model_type in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES


@family("summarization", when=rewrites, batch=4)
def summarization(source: Source) -> Run:
    """A summary. A text that is longer than the model reads is summarised in parts, whose summaries are joined."""
    writer = Rewriter(source, "summarization")
    prefix = writer.prefix or (T5_PREFIX if source.model_type == "t5" else "")
    room = writer.limit - writer.length(prefix)

    def run(requests: Sequence[Args]) -> list[Any]:
        chunks = [
            (at, chunk)
            for at, request in enumerate(requests)
            for chunk in packed(split(checked(request["text"]), room, writer.length), room, writer.length)
        ]
        summaries: list[str] = [""] * len(chunks)
        shortest = [min(writer.min_length, writer.length(chunk) // 2) for _, chunk in chunks]
        for least, group in groupby(sorted(range(len(chunks)), key=shortest.__getitem__), key=shortest.__getitem__):
            members = list(group)  # those that must be equally long at least are written together
            written = writer.write([prefix + chunks[member][1] for member in members], min_length=least)
            for member, summary in zip(members, written, strict=True):
                summaries[member] = summary
        return [
            joined_up([summary for (owner, _), summary in zip(chunks, summaries, strict=True) if owner == at])
            for at in range(len(requests))
        ]

    return run


@family("text2text-generation", when=rewrites, batch=8)
def text2text_generation(source: Source) -> Run:
    """What the model makes of the text, which says itself what is to be done with it."""
    writer = Rewriter(source, "text2text-generation")
    return lambda requests: list(writer.write([writer.prefix + checked(request["text"]) for request in requests]))


@family("conversational", when=rewrites, batch=8)
def conversational_rewriter(source: Source) -> Run:
    """The reply of an encoder-decoder such as Blenderbot (arXiv 2004.13637)."""
    writer = Rewriter(source, "conversational")
    return lambda requests: list(writer.write([checked(request["text"]) for request in requests]))


class CausalGenerator(Writer):
    """A decoder: goes on with a text."""

    def __init__(self, source: Source, task: str) -> None:
        from transformers import AutoModelForCausalLM

        super().__init__(source, AutoModelForCausalLM, task, padding_side="left", truncation_side="left")
        settings = self.model.generation_config
        if not (settings.do_sample or self.options.get("do_sample") or settings.repetition_penalty):
            self.options.setdefault("repetition_penalty", REPETITION_PENALTY)

    def tell(self, prompts: list[str], most: int, **options: Any) -> list[str]:
        """What follows each prompt, `most` tokens at most. Of a prompt that is too long the end is read."""
        most = min(most, self.limit // 2)
        read, written = self.generate(prompts, max_new_tokens=most, limit=self.limit - most, **options)
        return [self._continuation(before, after) for before, after in zip(read, written, strict=True)]

    def _continuation(self, before: Any, after: Any) -> str:
        """The text of the new tokens, with the space that it begins with, which is lost when they are read alone."""
        whole = self.tokenizer.decode(after, skip_special_tokens=True)
        known = self.tokenizer.decode(before, skip_special_tokens=True)
        if whole.startswith(known):
            return str(whole[len(known) :])
        return str(self.tokenizer.decode(after[len(before) :], skip_special_tokens=True))


@family("text-generation", batch=4)
def text_generation(source: Source) -> Run:
    """The text and what the model goes on with, as Hugging Face gives it."""
    generator = CausalGenerator(source, "text-generation")

    def run(requests: Sequence[Args]) -> list[Any]:
        prompts = [checked(request["text"]) for request in requests]
        return [before + after for before, after in zip(prompts, generator.tell(prompts, CONTINUE_TOKENS), strict=True)]

    return run


@family("conversational", batch=4)
def conversational(source: Source) -> Run:
    """The reply of a decoder: by its chat template if it has one.

    Without one the remark ends with the token that ends texts for models made for conversation such as
    DialoGPT (arXiv 1911.00536), as they were trained, and with a new line for others.
    """
    generator = CausalGenerator(source, "conversational")
    tokenizer = generator.tokenizer
    end = tokenizer.eos_token if generator.task_settings and tokenizer.eos_token else "\n"

    def prompt(text: str) -> str:
        if not tokenizer.chat_template:
            return text + end
        turn = [{"role": "user", "content": text}]
        return str(tokenizer.apply_chat_template(turn, add_generation_prompt=True, tokenize=False))

    def run(requests: Sequence[Args]) -> list[Any]:
        prompts = [prompt(checked(request["text"])) for request in requests]
        # a template brings the special tokens itself
        replies = generator.tell(prompts, MAX_NEW_TOKENS, add_special_tokens=not tokenizer.chat_template)
        return [reply.strip() for reply in replies]

    return run
