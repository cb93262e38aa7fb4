"""Language models behind the openai SDK: OpenAI, Azure, any compatible server, Hugging Face's router.

Structured output is a ladder (json_schema, json_object, prompt only); an option that the service
rejects is omitted from then on. Retries with backoff are the SDK's.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from hugginggpt.common.ends import is_unwanted
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, masked
from hugginggpt.core.results import well_formed
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import Message, Reply, Schema, Stage, Tool
from hugginggpt.llm.replies import (
    CallsSoFar,
    NoCompletion,
    ServiceFailed,
    Spoken,
    chunks_of,
    message_in,
    returned,
    text_in,
    usage_of,
)
from hugginggpt.llm.tokens import TokenCounter

if TYPE_CHECKING:
    import openai

log = logging.getLogger(__name__)
T = TypeVar("T")

FORMATS = ("json_schema", "json_object", "")
"""The rungs of structured output, best first; the last relies on the prompt alone."""
COMPLETION_TOKENS = 2000
THINKING_TOKENS = 4000
"""Room for what a model thinks before it answers, where it does, or may."""
MORE_THINKING = 4
"""How many times that room a second try has where the model had it and came to no word."""
HOSTED = ("openai", "azure", "huggingface")
"""Services whose models often think first: they get the room until a reply tells that they do not."""
OPENAI = re.compile(r"https?://(?:[\w-]+\.)*openai\.com(?:[:/]|$)", re.IGNORECASE)
"""How the addresses of OpenAI itself begin."""
MAX_ANSWER_BYTES = 20_000_000
STREAM, STREAMED_TOOLS = "stream", "stream with tools"
"""Options that a service may refuse: to stream at all, or where there are tools."""
CUT_OFF = {"length": "at the service's limit of tokens", "content_filter": "by the service's content filter"}
"""The values of `finish_reason` for which an answer is incomplete."""
ABOUT_THIS_MACHINE = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
"""Headers with which the SDK describes this machine; they are not sent: services do not need them."""


class BrokeOff(BackendError):
    """An answer ended in the middle."""


@dataclass(frozen=True, slots=True)
class Service:
    """The service of a language model, and hints for its error messages."""

    name: str
    base_url: str
    api_key: str = field(repr=False)
    models: tuple[str, ...] = ()
    api_version: str = ""
    key_hint: str = "its key"


@dataclass(frozen=True, slots=True)
class _Ask:
    """What a request asks for besides its messages; `bound` are the tokens of the reply."""

    stage: Stage
    schema: Schema | None
    bound: int | None
    tools: Sequence[Tool] = ()

    def cut_off(self, ended: str, usage: Usage) -> str:
        """Why an incomplete answer ended; "" of a complete one."""
        if ended == "length" and self.bound and usage.completion_tokens >= self.bound:
            return f"at the bound of {self.bound} tokens"
        return CUT_OFF.get(ended, "")


class OpenAILLM:
    """A language model behind the openai SDK."""

    def __init__(self, service: Service, config: Config) -> None:
        self.service = service
        self.name = service.name
        self.config = config
        self.count = TokenCounter(next(iter(service.models), None), exact=service.name in ("openai", "azure"))
        self._thinks: bool | None = None
        self._rung = 0
        self._refused: set[str] = set()

    @property
    def model(self) -> str:
        return self.models[0]

    def reachable(self) -> str:
        """The model in use, after a successful call of the service. Raises BackendError if it fails."""
        import openai

        try:
            self._client.with_options(max_retries=0).models.list()
        except openai.NotFoundError:
            pass  # the service has no list of models, but it answers
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self._failure(error, self.service.models[0] if self.service.models else "") from error
        return self.model

    def served_models(self, seconds: float) -> tuple[str, ...]:
        """What the service lists within so many seconds; nothing where it does not."""
        import openai

        try:
            listed = self._client.with_options(max_retries=0, timeout=seconds).models.list()
            return tuple(model.id for model in listed.data)
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError):
            return ()

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The model and its fallbacks; where none is named, the first that the service lists."""
        if self.service.models:
            return self.service.models
        import openai

        try:
            return (next(iter(self._client.models.list())).id, *self.config.fallback_models)
        except StopIteration:
            raise BackendError(f"{self._where} serves no model; name one with `model`.", endpoint_down=True) from None
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self._failure(error, "") from error

    @cached_property
    def _client(self) -> openai.OpenAI:
        import openai

        from hugginggpt.net.http_limits import BoundedClient

        options: dict[str, Any] = {
            "api_key": self.service.api_key,
            "timeout": openai.Timeout(self.config.limits.llm_seconds, connect=self.config.limits.connect_seconds),
            "max_retries": self.config.limits.llm_retries,
            "default_headers": {f"X-Stainless-{about}": openai.Omit() for about in ABOUT_THIS_MACHINE},
        }
        limits = self.config.limits
        options["http_client"] = BoundedClient(
            MAX_ANSWER_BYTES, limits.llm_seconds, limits.max_seconds,
            limits=openai.DEFAULT_CONNECTION_LIMITS, **self._way(),
        )  # fmt: skip
        if self.name == "azure":
            return openai.AzureOpenAI(
                azure_endpoint=self.service.base_url, api_version=self.service.api_version, **options
            )
        return openai.OpenAI(base_url=self.service.base_url, **options)

    def _way(self) -> dict[str, Any]:
        """Options of the HTTP client: how it gets to the service."""
        return {"proxy": self.config.proxy if self.name != "local" else None}

    def close(self) -> None:
        if "_client" in self.__dict__:
            self._client.close()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stage: Stage,
        schema: Schema | None = None,
        tools: Sequence[Tool] = (),
        most: int | None = None,
    ) -> Reply:
        """As `LLM.complete`. It is streamed, too, where the service can: one that nobody wants any more ends when its
        connection is closed, while a server that gives its answer at the end only notices then.
        """
        log.debug("%s asks %s: %s", stage, self.name, messages)
        ask = _Ask(stage, schema, self._bound(most), tools)
        reply = self._with_fallbacks(lambda model: self._whole(model, messages, ask))
        if self._needs_more_room(reply, ask, most):
            roomy = replace(ask, bound=self._more_room(ask, most))
            again = self._with_fallbacks(lambda model: self._whole(model, messages, roomy))
            reply = replace(again, usage=reply.usage + again.usage)
        log.debug("%s got: %s%s", stage, reply.text, "".join(f" {call}" for call in reply.calls))
        return reply

    def _whole(self, model: str, messages: Sequence[Message], ask: _Ask) -> Reply:
        """One model's answer. Nobody has seen the beginning of one that breaks off: it is asked for again."""
        for tries in reversed(range(self.config.limits.llm_retries + 1)):
            try:
                return returned(self._stream(model, messages, ask))
            except BrokeOff as error:
                if not tries or is_unwanted():
                    raise
                log.info("%s; asking again", error)
        raise AssertionError("the last try returns or raises")

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None, most: int | None = None
    ) -> Generator[str, None, Reply]:
        log.debug("%s asks %s: %s", stage, self.name, messages)
        ask = _Ask(stage, schema, self._bound(most))
        reply = yield from self._pieces(messages, ask)
        if not reply.text.strip() and self._needs_more_room(reply, ask, most):
            again = yield from self._pieces(messages, replace(ask, bound=self._more_room(ask, most)))
            reply = replace(again, usage=reply.usage + again.usage)
        log.debug("%s got: %s", stage, reply.text)
        return reply

    def _pieces(self, messages: Sequence[Message], ask: _Ask) -> Generator[str, None, Reply]:
        """The pieces of the first model that answers."""
        first, pieces = self._with_fallbacks(lambda model: _begun(self._stream(model, messages, ask)))
        with closing(pieces):
            if first:
                yield first
            return (yield from pieces)

    def _stream(self, model: str, messages: Sequence[Message], ask: _Ask) -> Generator[str, None, Reply]:
        """Yields the pieces of one model's answer, at least one; returns the complete answer."""
        usage, ended, chunk, spoken, calls, text = None, "", None, Spoken(), CallsSoFar(), ""
        with self._create(model, messages, ask) as response:
            try:
                for chunk in chunks_of(response):
                    yield from self._noted(chunk)
                    choice = (chunk.get("choices") or [{}])[0]
                    usage = usage_of(chunk.get("usage")) or usage
                    self._note_thinking(message_in(choice), chunk.get("usage"))
                    calls.add(message_in(choice).get("tool_calls"))
                    ended = ended or str(choice.get("finish_reason") or "")
                    piece = spoken.behind(well_formed(text_in(choice)))
                    text += piece
                    if piece:
                        yield piece
                if chunk and not ended:
                    raise ServiceFailed("the stream came without its end")
            except NoCompletion:
                raise self._no_completion() from None
            except Exception as error:  # the SDK does not wrap errors of the HTTP library here
                raise self._broke_off(error) if text or calls else self._failure(error, model) from error
        self._thinks = spoken.has_thought or self._thinks
        if not text:
            text = spoken.rest
            yield text
        usage = usage or self._estimate(messages, spoken.written + calls.written)
        return Reply(text, usage, model, ask.cut_off(ended, usage), calls.complete())

    def _noted(self, chunk: Mapping[str, Any]) -> Iterator[str]:
        """Pieces without text for what a chunk of a stream says besides the answer; services say nothing."""
        yield from ()

    def _with_fallbacks(self, ask: Callable[[str], T]) -> T:
        """The answer of the first model that succeeds; an error of the service as a whole ends the search."""
        for model in self.models[:-1]:
            try:
                return ask(model)
            except BackendError as error:
                if error.endpoint_down:
                    raise
                log.warning("%s; trying the next model", error)
        return ask(self.models[-1])

    def _create(self, model: str, messages: Sequence[Message], ask: _Ask) -> Any:
        """One request; options that are rejected are dropped one by one, permanently if that helped.

        Returns a context manager with the open response.
        """
        import openai

        rung, refused = self._rung, set(self._refused)
        while True:
            options = self._options(ask, rung, refused)
            try:
                response = self._send(model, messages, options)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                option = self._to_leave_out(str(error), options)
                if option is None:
                    raise self._failure(error, model) from error
                if option == "response_format":
                    rung += 1
                else:
                    refused.add(option)
                log.info("%s refuses %s; asking without", self._where, option)
                continue
            except (openai.OpenAIError, ValueError, RecursionError) as error:
                raise self._failure(error, model) from error
            self._rung, self._refused = max(rung, self._rung), refused | self._refused
            return response

    def _to_leave_out(self, message: str, options: Mapping[str, Any]) -> str | None:
        """The option that the service refuses, by its message; None if the request cannot be mended."""
        return _refused_option(message, options)

    def _send(self, model: str, messages: Sequence[Message], options: dict[str, Any]) -> Any:
        """Sends the request through the SDK (its retries, timeouts and keys), but encodes and decodes the JSON here.

        This halves the CPU time of a call, since the SDK's models are bypassed.
        """
        import httpx2

        if self.config.use_completion:
            bound = options.pop("max_completion_tokens", None)
            options = {"max_tokens": bound, **options}
            for chat_only in ("response_format", "tools"):
                options.pop(chat_only, None)
            prompt = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
            options |= {"prompt": f"{prompt}<|im_start|>assistant\n", "stop": ["<|im_end|>"]}
            options["max_tokens"] = options.get("max_tokens") or COMPLETION_TOKENS
            path = "/completions"
        else:
            options["messages"] = list(messages)
            path = "/chat/completions"
        body = {"model": model, **options}
        return closing(self._client.post(path, cast_to=httpx2.Response, body=body, stream=True))

    def _options(self, ask: _Ask, rung: int, refused: set[str]) -> dict[str, Any]:
        bias = self._bias(ask.stage, ask.schema)
        options: dict[str, Any] = {"temperature": self.config.temperature, "logit_bias": bias}
        if ask.tools and "tools" not in refused:
            options["tools"] = [_function(tool) for tool in ask.tools]
        elif ask.schema:
            options["response_format"] = _response_format(FORMATS[rung], ask.stage, ask.schema)
        if STREAM not in refused and not (ask.tools and STREAMED_TOOLS in refused):
            options |= {STREAM: True, "stream_options": {"include_usage": True}}
        if bound := next((name for name in self._bounds if name not in refused), ""):
            options[bound] = ask.bound
        return {name: value for name, value in options.items() if value is not None and name not in refused}

    @property
    def _bounds(self) -> tuple[str, str]:
        """The names of the option that bounds a reply: OpenAI's models refuse the old one, other services may overlook
        the new one. The second counts where the first is refused.
        """
        is_openai = self.name == "azure" or OPENAI.match(self.service.base_url)
        return ("max_completion_tokens", "max_tokens") if is_openai else ("max_tokens", "max_completion_tokens")

    def _bound(self, most: int | None) -> int | None:
        """The tokens of a reply with what the model may think first; None: the service's own limit."""
        upper = self.config.limits.reply_tokens
        if most is None:
            return upper
        may_think = self.name in HOSTED if self._thinks is None else self._thinks
        bound = most + THINKING_TOKENS if may_think else most
        return min(bound, upper) if upper else bound

    def _note_thinking(self, message: Any, usage: Any) -> None:
        """Keeps whether the model thinks before it answers, as far as a reply tells."""
        if isinstance(message, dict) and any(message.get(name) for name in ("reasoning_content", "reasoning")):
            self._thinks = True
        details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
        if isinstance(details, dict) and isinstance(tokens := details.get("reasoning_tokens"), int):
            self._thinks = bool(self._thinks or tokens)

    def _needs_more_room(self, reply: Reply, ask: _Ask, most: int | None) -> bool:
        """Whether a reply ended before the model had thought to the end; from then on it has the room for that."""
        ended_so = bool(reply.cut_off) and reply.cut_off != CUT_OFF["content_filter"]
        if most is None or not ended_so or (reply.text.strip() and not self._thinks):
            return False
        self._thinks = True
        return (self._more_room(ask, most) or 0) > (ask.bound or 0)

    def _more_room(self, ask: _Ask, most: int | None) -> int | None:
        """The bound of a second try: with the usual room to think or, where that was not enough, four times as much."""
        usual, upper = self._bound(most), self.config.limits.reply_tokens
        if most is None or usual is None or (ask.bound or 0) < most + THINKING_TOKENS:
            return usual
        roomy = most + MORE_THINKING * THINKING_TOKENS
        return min(roomy, upper) if upper else roomy

    def _bias(self, stage: Stage, schema: Schema | None) -> dict[str, float] | None:
        strengths = {"plan": self.config.logit_bias.parse_task, "select": self.config.logit_bias.choose_model}
        if not (strength := strengths.get(stage)):
            return None
        words = _task_names(schema) if stage == "plan" else ["id", "reason"]
        return {str(token): strength for token in self.count.token_ids(words)[:300]} or None

    def _estimate(self, messages: Sequence[Message], text: str) -> Usage:
        return Usage(sum(self.count(m["content"]) for m in messages), self.count(text), 1)

    @property
    def _where(self) -> str:
        return f"The language model service {self.name} ({self.service.base_url})"

    def _no_completion(self) -> BackendError:
        return BackendError(
            f"{self._where} did not answer with a chat completion: check that the address is that of an "
            "OpenAI-compatible service.",
            endpoint_down=True,
        )

    def _broke_off(self, error: Exception) -> BackendError:
        why = f": {self._detail(error)}" if isinstance(error, ServiceFailed) else ""
        return BrokeOff(f"{self._where} broke off in the middle of its answer{why}.")

    def _detail(self, error: Exception) -> str:
        """The first line of the service's error message, without the key."""
        text = masked(str(getattr(error, "message", "")), [self.service.api_key])
        lines = text.strip().splitlines() or [type(error).__name__]
        return lines[0].rstrip(".")[:300]

    def _failure(self, error: Exception, model: str) -> BackendError:
        """A BackendError for the SDK's error, without the key, and with advice."""
        import openai

        status, detail = getattr(error, "status_code", None), self._detail(error)
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            problem = f"refused the key ({status}): check {self.service.key_hint}, or set llm: offline"
        elif isinstance(error, openai.NotFoundError):
            problem = f"does not know the model {model} or the address is wrong (404): set `model`"
        elif isinstance(error, openai.RateLimitError):
            problem = f"is asked too often or the quota is used up (429): {detail}; try again later"
        elif isinstance(error, openai.APITimeoutError):
            problem = f"did not answer within {self.config.limits.llm_seconds:g} s (limits.llm_seconds)"
        elif too_large := next((e for e in (error, error.__cause__) if type(e).__name__ == "BodyTooLarge"), None):
            problem = f"failed: {too_large}"
        elif isinstance(error, openai.APIConnectionError):
            problem = "cannot be reached: check the address and the network, or set llm: offline"
        elif status:
            problem = f"failed ({status}): {detail}"
        elif isinstance(error, ServiceFailed):
            problem = f"failed: {detail}"
        else:
            problem = f"sent something unreadable ({type(error).__name__})"
        down = isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError | openai.APIConnectionError)
        return BackendError(f"{self._where} {problem}.", endpoint_down=down, status=status)


def _refused_option(message: str, options: Mapping[str, Any]) -> str | None:
    """The option that caused a 400 or 422: the one it names, else the next dispensable one."""
    droppable = [
        name
        for name in (
            "tools",
            "response_format",
            "logit_bias",
            "temperature",
            "stream_options",
            "max_completion_tokens",
            "max_tokens",
        )
        if options.get(name)
    ]
    if "temperature" in options and "temperature" not in droppable:
        droppable.append("temperature")  # 0 counts as set
    says_stream = STREAM in message.replace("stream_options", "")
    if says_stream and options.get(STREAM) and options.get("tools"):
        return STREAMED_TOOLS
    named = next((name for name in droppable if name in message), None)
    if named is None and says_stream and options.get(STREAM):
        return STREAM
    if named is None and "response_format" in droppable and any(w in message for w in ("json", "schema", "grammar")):
        named = "response_format"
    return named or next(iter(droppable), None)


def _task_names(schema: Schema | None) -> list[str]:
    """The task types that the schema of a plan allows."""
    return list(schema["properties"]["tasks"]["items"]["properties"]["task"]["enum"]) if schema else []


def _response_format(rung: str, stage: str, schema: Schema) -> dict[str, Any] | None:
    if rung == "json_schema":
        return {"type": rung, "json_schema": {"name": stage, "schema": dict(schema)}}
    return {"type": rung} if rung else None


def _function(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.about, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _begun(pieces: Generator[str, None, T]) -> tuple[str, Generator[str, None, T]]:
    """The first piece, then the rest: until the first piece, another model can still be tried."""
    return next(pieces), pieces
