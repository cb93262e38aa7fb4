"""Chats with models that generate text: several turns, sampling, stops, and pieces of the answer as they are written.

A request for a chat is no task of a plan: it has the turns ("messages": role and content of each) and, where they are
wanted, "max_tokens", "temperature", "top_p", "seed", "stop" (texts), "logit_bias" (by token), "presence_penalty",
"frequency_penalty", "schema" (of a JSON answer), and `tell`, which is called with each piece. The answer is a dict:
"text", "finish_reason" ("stop" or "length"), "prompt_tokens", "completion_tokens".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hugginggpt.core.errors import UserError
from hugginggpt.experts.families import Args, Run
from hugginggpt.experts.source import Source
from hugginggpt.media.decoding import current_bounds

if TYPE_CHECKING:
    import torch

CONTINUE_TOKENS, MAX_NEW_TOKENS = 128, 256
"""The length of a completion and of a reply, where nobody says how long."""
MOST_TOKENS = 1024
"""The length of an answer where a request does not say it."""
NOT_WRITTEN = "\N{REPLACEMENT CHARACTER}"
"""What the first tokens of a character that takes several are decoded to."""


class Generator(Protocol):
    """A decoder in memory; `limit` is the number of tokens that it reads with its answer."""

    source: Source
    model: Any
    tokenizer: Any
    limit: int


class Refused(UserError):
    """A part of the request that this model cannot do, under its name in OpenAI's API."""

    def __init__(self, param: str, why: str, reason: str = "unsupported_parameter") -> None:
        super().__init__(why)
        self.param = param
        self.reason = reason


class StopTexts:
    """Ends a text where one of some texts begins; what may be the beginning of one is held back."""

    def __init__(self, stops: Sequence[str]) -> None:
        self.stops = [stop for stop in stops if stop]
        self.held = ""
        self.found = False

    def take(self, piece: str) -> str:
        """What of the text so far is sure not to be a part of a stop."""
        self.held += piece
        places = [at for stop in self.stops if (at := self.held.find(stop)) >= 0]
        if places:
            self.found = True
            return self._split(min(places), keep=False)
        begun = (
            size
            for stop in self.stops
            for size in range(min(len(stop) - 1, len(self.held)), 0, -1)
            if self.held.endswith(stop[:size])
        )
        return self._split(len(self.held) - max(begun, default=0))

    def rest(self) -> str:
        """What was held back, at the end of the text."""
        return self._split(len(self.held))

    def _split(self, at: int, keep: bool = True) -> str:
        sure, self.held = self.held[:at], self.held[at:] if keep else ""
        return sure


class Spelling:
    """The text of tokens that come one by one: a piece as soon as its characters are whole."""

    def __init__(self, decode: Callable[[list[int]], str]) -> None:
        self.decode = decode
        self.tokens: list[int] = []
        self._from, self._told = 0, 0

    def add(self, token: int) -> str:
        self.tokens.append(token)
        text = self._new()
        if not text or text.endswith(NOT_WRITTEN):
            return ""
        # The tokens of the last piece stay the beginning: alone, a token may be written without its blank.
        self._from, self._told = self._told, len(self.tokens)
        return text

    def rest(self) -> str:
        return self._new()

    def _new(self) -> str:
        before = self.decode(self.tokens[self._from : self._told])
        return self.decode(self.tokens[self._from :])[len(before) :]


class _Writing:
    """A stopping criterion of transformers: it reads along, tells the pieces, and ends what is over or unwanted."""

    def __init__(self, decode: Callable[[list[int]], str], ends: frozenset[int], request: Args, prompt: int) -> None:
        self.spelling = Spelling(decode)
        self.stops = StopTexts(request.get("stop") or ())
        self.ends = ends
        self.tell: Callable[[str], None] = request.get("tell") or (lambda _: None)
        self.is_over = current_bounds().is_over
        self.seen = prompt
        self.text = ""
        self.has_ended = False

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        import torch

        for token in input_ids[0, self.seen :].tolist():
            self.seen += 1
            if not self.has_ended:
                self._take(token)
        return torch.tensor([self.has_ended or self.is_over()], device=input_ids.device)

    def _take(self, token: int) -> None:
        if token in self.ends:
            self.has_ended = True
            return
        self._say(self.stops.take(self.spelling.add(token)))
        self.has_ended = self.stops.found

    def finish(self) -> str:
        if not self.stops.found:
            self._say(self.stops.take(self.spelling.rest()))
        if not self.stops.found:
            self._say(self.stops.rest())
        return self.text

    def _say(self, piece: str) -> None:
        if piece:
            self.text += piece
            self.tell(piece)


def chats(generator: Generator, join: Callable[[Sequence[Mapping[str, str]]], str] | None = None) -> Run:
    """The chats of a model in memory, one after the other. `join` writes the turns for one without a chat template."""
    return lambda requests: [_answer(generator, request, join) for request in requests]


def _answer(generator: Generator, request: Args, join: Any) -> dict[str, Any]:
    import torch

    if request.get("schema"):
        raise Refused("response_format", f"{generator.source.id} cannot be held to a JSON schema (response_format).")
    for name in ("presence_penalty", "frequency_penalty"):
        if request.get(name):
            raise Refused(name, f"{generator.source.id} has no {name}.")
    ids = _prompt(generator, request["messages"], join)
    size, settings = ids["input_ids"].shape[1], generator.model.generation_config
    room = generator.limit - size
    if room < 1:
        raise too_long(size, generator.limit)
    ends = settings.eos_token_id if isinstance(settings.eos_token_id, list) else [settings.eos_token_id]
    tokenizer = generator.tokenizer
    writing = _Writing(
        lambda tokens: str(tokenizer.decode(tokens, skip_special_tokens=True)), frozenset(ends), request, size
    )
    options = {"max_new_tokens": min(int(request.get("max_tokens") or MOST_TOKENS), room), "num_beams": 1}
    seeded = torch.random.fork_rng(_devices(generator)) if request.get("seed") is not None else None
    with torch.inference_mode(), seeded or torch.random.fork_rng([], enabled=False):
        if seeded:
            torch.manual_seed(int(request["seed"]))
        generator.model.generate(
            **generator.source.to_device(ids), **options, **_sampling(request, len(tokenizer)),
            pad_token_id=tokenizer.pad_token_id, stopping_criteria=[writing],
        )  # fmt: skip
    text = writing.finish()
    return {
        "text": text,
        "finish_reason": "stop" if writing.has_ended or writing.stops.found else "length",
        "prompt_tokens": size,
        "completion_tokens": len(writing.spelling.tokens),
    }


def too_long(tokens: int, limit: int) -> Refused:
    return Refused(
        "messages", f"The messages have {tokens} tokens, and the model reads {limit} with its answer.",
        "context_length_exceeded",
    )  # fmt: skip


def _prompt(generator: Generator, messages: Sequence[Mapping[str, str]], join: Any) -> dict[str, Any]:
    tokenizer = generator.tokenizer
    if tokenizer.chat_template:
        try:
            text = tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
        except Exception as error:  # of the template: some allow no system message, or want turns to alternate
            why = f"{generator.source.id} takes no such messages: {error}."
            raise Refused("messages", why, "invalid_value") from error
    elif join:
        text = join(messages)
    else:
        raise Refused(
            "model", f"{generator.source.id} has no chat template: it continues texts, and was not made for chats.",
            "model_not_supported",
        )  # fmt: skip
    # a chat template contains the special tokens
    encoding = tokenizer(text, return_tensors="pt", add_special_tokens=not tokenizer.chat_template, verbose=False)
    return {name: encoding[name] for name in ("input_ids", "attention_mask")}


def _sampling(request: Args, vocabulary: int) -> dict[str, Any]:
    """The options of `generate`; what a request leaves open is as the model's own settings say."""
    options: dict[str, Any] = {}
    temperature, top_p = request.get("temperature"), request.get("top_p")
    if temperature is not None:
        options |= {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
    if top_p is not None and temperature != 0:
        options |= {"do_sample": True, "top_p": top_p}
    bias = {int(token): float(value) for token, value in (request.get("logit_bias") or {}).items()}
    if any(not 0 <= token < vocabulary for token in bias):
        raise Refused("logit_bias", f"logit_bias names tokens that the model does not have: it has {vocabulary}.")
    if bias:
        options["sequence_bias"] = [[[token], value] for token, value in bias.items()]
    return options


def _devices(generator: Generator) -> list[str]:
    device = generator.source.placement.device
    return [device] if device.startswith("cuda") else []
