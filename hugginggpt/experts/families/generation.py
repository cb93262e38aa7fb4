"""Models that generate text: summaries, rewritten texts, completions, replies. For translation see translation.py."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hugginggpt.experts.families import CHAT, Args, Loaded, Run, family
from hugginggpt.experts.families.chats import CONTINUE_TOKENS, MAX_NEW_TOKENS, chats
from hugginggpt.experts.families.encoders import UNLIMITED, batches, with_padding
from hugginggpt.experts.families.pieces import checked, join_sentences, packed, split
from hugginggpt.experts.source import Source

BATCH_SIZE = 8
"""The number of texts in a batch."""
REPETITION_PENALTY = 1.2
"""Keeps greedy decoding from repeating itself (arXiv 1909.05858, 4.1)."""
T5_PREFIX = "summarize: "
GENERATION_OPTIONS = (
    "min_length", "num_beams", "length_penalty", "early_stopping", "no_repeat_ngram_size", "repetition_penalty",
    "do_sample", "temperature", "top_k", "top_p",
)  # fmt: skip
"""The options that are taken from a model's settings for a task."""


class TextGenerator:
    """A model that generates. `auto` is one of the Auto* classes of transformers.

    `task_settings` are those for the task in config.json (task_specific_params): a prefix for the text, options.
    """

    def __init__(self, source: Source, auto: Any, task: str, **options: Any) -> None:
        from transformers import AutoTokenizer

        self.source = source
        self.model = source.model(auto)
        self.tokenizer = with_padding(self.model, source.part(AutoTokenizer, **options))
        self.limit: int = self.tokenizer.model_max_length
        self.task_settings: dict[str, Any] = (source.config.get("task_specific_params") or {}).get(task) or {}
        settings = self.model.generation_config
        self.longest = int(self.task_settings.get("max_length") or settings.max_length or settings.max_new_tokens or 0)
        settings.max_length = settings.max_new_tokens = None  # passed with each call; giving it twice is an error
        self.min_length = int(self.task_settings.get("min_length") or settings.min_length or 0)
        self.options = {name: self.task_settings[name] for name in GENERATION_OPTIONS if name in self.task_settings}

    @property
    def prefix(self) -> str:
        """The prefix that the model expects before the text of this task ("summarize: ")."""
        return str(self.task_settings.get("prefix") or "")

    def length(self, text: str) -> int:
        """The tokens of a text, special ones included."""
        return len(self.tokenizer(text, verbose=False)["input_ids"])

    def generate(self, texts: list[str], **options: Any) -> Any:
        """(prompt ids, output ids) for a batch of texts, each of shape (texts, tokens)."""
        import torch

        special = options.pop("add_special_tokens", True)
        encoding = self.tokenizer(
            texts, padding=True, truncation=True, max_length=options.pop("limit", self.limit), return_tensors="pt",
            return_token_type_ids=False, add_special_tokens=special,
        )  # fmt: skip
        inputs = {name: encoding[name] for name in ("input_ids", "attention_mask")}
        settings = {"max_new_tokens": MAX_NEW_TOKENS, "pad_token_id": self.tokenizer.pad_token_id, **self.options}
        with torch.inference_mode():
            output = self.model.generate(**self.source.to_device(inputs), **{**settings, **options})
        return encoding["input_ids"], output.cpu()


class Seq2SeqGenerator(TextGenerator):
    """An encoder-decoder model. `unspoken` are output tokens that are not part of the text."""

    def __init__(self, source: Source, task: str, **options: Any) -> None:
        from transformers import AutoModelForSeq2SeqLM

        super().__init__(source, AutoModelForSeq2SeqLM, task, **options)
        config = self.model.config
        names = ("max_decoder_position_embeddings", "max_position_embeddings")
        positions = next((limit for name in names if (limit := getattr(config, name, 0))), UNLIMITED)
        self.unspoken: frozenset[int] = frozenset()
        self.max_new_tokens = min(self.longest or MAX_NEW_TOKENS, positions - 1)

    def generate_texts(self, texts: Sequence[str], **options: Any) -> list[str]:
        """The generated text for each text; an input is truncated to the model's limit."""
        texts_out: list[str] = []
        for part in batches(texts, BATCH_SIZE):
            _, tokens = self.generate(list(part), **{"max_new_tokens": self.max_new_tokens, **options})
            rows = [[token for token in row if token not in self.unspoken] for row in tokens.tolist()]
            texts_out += [text.strip() for text in self.tokenizer.batch_decode(rows, skip_special_tokens=True)]
        return texts_out


def is_t5(source: Source) -> bool:
    """Whether the model is a T5, which expects its task as a prefix of the text (arXiv 1910.10683)."""
    return source.model_type in ("t5", "mt5", "umt5", "longt5", "switch_transformers")


def is_seq2seq(source: Source) -> bool:
    """Whether the model is an encoder-decoder."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES

    return source.model_type in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES


@family("summarization", when=is_seq2seq, batch=4)
def summarization(source: Source) -> Run:
    """A summary. A text beyond the model's limit is summarised in chunks, whose summaries are joined."""
    writer = Seq2SeqGenerator(source, "summarization")
    prefix = writer.prefix or (T5_PREFIX if source.model_type == "t5" else "")
    max_tokens = writer.limit - writer.length(prefix)

    def run(requests: Sequence[Args]) -> list[Any]:
        chunks = [
            (index, chunk)
            for index, request in enumerate(requests)
            for chunk in packed(split(checked(request["text"]), max_tokens, writer.length), max_tokens, writer.length)
        ]
        summaries: list[str] = [""] * len(chunks)
        shortest = [min(writer.min_length, writer.length(chunk) // 2) for _, chunk in chunks]
        for min_length, group in groupby(
            sorted(range(len(chunks)), key=shortest.__getitem__), key=shortest.__getitem__
        ):
            members = list(group)  # chunks with the same minimum length form a batch
            outputs = writer.generate_texts([prefix + chunks[member][1] for member in members], min_length=min_length)
            for member, summary in zip(members, outputs, strict=True):
                summaries[member] = summary
        return [
            join_sentences(
                [
                    summary
                    for (request_index, _), summary in zip(chunks, summaries, strict=True)
                    if request_index == index
                ]
            )
            for index in range(len(requests))
        ]

    return run


@family("text2text-generation", when=is_seq2seq, batch=8)
def text2text_generation(source: Source) -> Run:
    """The model's output for a text that contains its own instruction."""
    writer = Seq2SeqGenerator(source, "text2text-generation")
    return lambda requests: list(
        writer.generate_texts([writer.prefix + checked(request["text"]) for request in requests])
    )


@family("conversational", when=is_seq2seq, batch=8)
def conversational_rewriter(source: Source) -> Run:
    """The reply of an encoder-decoder such as Blenderbot (arXiv 2004.13637)."""
    writer = Seq2SeqGenerator(source, "conversational")
    return lambda requests: list(writer.generate_texts([checked(request["text"]) for request in requests]))


class CausalGenerator(TextGenerator):
    """A decoder model, which completes a text."""

    def __init__(self, source: Source, task: str) -> None:
        from transformers import AutoModelForCausalLM

        super().__init__(source, AutoModelForCausalLM, task, padding_side="left", truncation_side="left")
        settings = self.model.generation_config
        if not (settings.do_sample or self.options.get("do_sample") or settings.repetition_penalty):
            self.options.setdefault("repetition_penalty", REPETITION_PENALTY)

    def complete(self, prompts: list[str], max_new_tokens: int, **options: Any) -> list[str]:
        """The completion of each prompt, of at most `max_new_tokens`; of a too long prompt the end is used."""
        max_new_tokens = min(max_new_tokens, self.limit // 2)
        prompt_ids, output_ids = self.generate(
            prompts, max_new_tokens=max_new_tokens, limit=self.limit - max_new_tokens, **options
        )
        return [self._continuation(before, after) for before, after in zip(prompt_ids, output_ids, strict=True)]

    def _continuation(self, before: Any, after: Any) -> str:
        """The text of the new tokens with its leading space, which would be lost if they were decoded alone."""
        full_text = self.tokenizer.decode(after, skip_special_tokens=True)
        prompt = self.tokenizer.decode(before, skip_special_tokens=True)
        if full_text.startswith(prompt):
            return str(full_text[len(prompt) :])
        return str(self.tokenizer.decode(after[len(before) :], skip_special_tokens=True))


@family("text-generation", batch=4)
def text_generation(source: Source) -> Loaded:
    """The prompt and its completion, as Hugging Face returns them; and chats, where it has a template for them."""
    generator = CausalGenerator(source, "text-generation")

    def run(requests: Sequence[Args]) -> list[Any]:
        prompts = [checked(request["text"]) for request in requests]
        return [
            before + after for before, after in zip(prompts, generator.complete(prompts, CONTINUE_TOKENS), strict=True)
        ]

    return {"text-generation": run, CHAT: chats(generator)}


@family("conversational", batch=4)
def conversational(source: Source) -> Loaded:
    """The reply of a decoder: by its chat template if it has one; and chats.

    Without one the message ends with the end-of-text token for conversation models such as DialoGPT (arXiv 1911.00536),
    as in their training, and with a newline for others.
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
        # a chat template contains the special tokens
        replies = generator.complete(prompts, MAX_NEW_TOKENS, add_special_tokens=not tokenizer.chat_template)
        return [reply.strip() for reply in replies]

    return {
        "conversational": run,
        CHAT: chats(generator, lambda messages: "".join(turn["content"] + end for turn in messages)),
    }
