"""A language model on this machine: a GGUF file that llama.cpp runs in a process of its own (`llama_process.py`).

The openai SDK talks to that process over loopback. Plans, choices and commands are held by grammars that llama.cpp
makes from their JSON schemas. What all prompts of a stage begin with is read once and kept on disk (`kept_prompt.py`).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.llm.base import Message, Reading, Reply, Schema, Stage, Tool
from hugginggpt.llm.kept_prompt import KeptPrompt
from hugginggpt.llm.llama_process import ONE_REQUEST, SLOTS, LlamaProcess, LlamaSettings, Served, acquire, release
from hugginggpt.llm.openai import OpenAILLM, Service
from hugginggpt.llm.replies import returned
from hugginggpt.llm.tokens import TokenCounter

log = logging.getLogger(__name__)

SLOT_OF: Mapping[str, int] = {"plan": 0, "select": 1, "respond": 2, "reword": 3}
"""The slot of a stage: its prompts begin alike, and what one read, the next need not read. Others share the last."""
TOO_LONG = re.compile(r"\((\d+) tokens\) exceeds the available context size \((\d+) tokens\)")


def llama_settings(config: Config, file: Path) -> LlamaSettings:
    """How the configuration has a GGUF file run."""
    embedded = config.embedded_llm
    return LlamaSettings(
        file=file,
        folder=config.path(embedded.folder),
        context=embedded.context,
        threads=embedded.threads,
        gpu_layers=embedded.gpu_layers,
        reply_tokens=embedded.reply_tokens,
        start_seconds=config.limits.max_seconds,
    )


class EmbeddedLLM:
    """The embedded language model. Nothing is started before the first call; `close` ends the process."""

    name = "embedded"
    keeps_prompt = True
    """What all prompts for plans begin with is read once and kept."""

    def __init__(self, config: Config) -> None:
        file = config.embedded_file
        assert file, "config.load has checked it"
        self.config = config
        self.model = file.stem
        self.count = TokenCounter(self.model)
        self.process: LlamaProcess = acquire(llama_settings(config, file))
        self._client: _LlamaClient | None = None
        self._closed = False

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stage: Stage,
        schema: Schema | None = None,
        tools: Sequence[Tool] = (),
        most: int | None = None,
    ) -> Reply:
        """The answer, of that schema if there is one: a grammar holds the model to it, which tool calls do not."""
        return returned(self.stream(messages, stage=stage, schema=schema, most=most))

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None, most: int | None = None
    ) -> Generator[str, None, Reply]:
        """As `LLM.stream`. If the process dies before the first word, it is started again, once."""
        for last in (False, True):
            served = self.process.running()
            said = False
            try:
                with closing(self._pieces(served, messages, stage, schema, most)) as pieces:
                    while True:
                        try:
                            piece = next(pieces)
                        except StopIteration as end:
                            reply: Reply = end.value
                            return reply
                        said = said or bool(piece)
                        yield piece
            except BackendError as error:
                if error.status is not None or not served.ended():
                    raise
                how = served.ending()
                if said or last:
                    raise BackendError(
                        f"The process of the embedded language model {self.model} {how} in the middle of its answer; "
                        "the next request starts it again."
                    ) from error
                log.warning("The process of the embedded language model %s", how)
        raise AssertionError("the second attempt returns or raises")

    def _pieces(
        self, served: Served, messages: Sequence[Message], stage: Stage, schema: Schema | None, most: int | None
    ) -> Generator[str, None, Reply]:
        client = self._client_of(served)
        if stage in SLOT_OF:
            yield from client.kept.read(messages, SLOT_OF[stage])
        reply = yield from client.stream(messages, stage=stage, schema=schema, most=most)
        self.process.note(**client.figures, memory=served.memory)
        return reply

    def _client_of(self, served: Served) -> _LlamaClient:
        """The client of the process that runs now."""
        client = self._client
        if client is None or client.served is not served:
            if client:
                client.close()
            client = self._client = _LlamaClient(served, self.process, self.model, self.config)
        return client

    def state(self) -> dict[str, Any]:
        """As `RunsHere.state`: the figures are those of now, or of when it ran last."""
        served, file = self.process.served, self.process.settings.file
        runs = served is not None and served.alive
        figures = self.process.figures()
        if served and runs:
            figures |= {"memory": served.memory, "threads": served.threads}
        return {
            "model": self.model,
            "bytes": file.stat().st_size if file.is_file() else 0,
            "running": runs,
            "context": self.process.settings.context,
            **{name: figures.get(name) for name in ("threads", "memory", "read", "written")},
        }

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._client:
            self._client.close()
        release(self.process)


class _LlamaClient(OpenAILLM):
    """The SDK's client of one process."""

    def __init__(self, served: Served, process: LlamaProcess, model: str, config: Config) -> None:
        own = {"llm_retries": 0, "reply_tokens": None}  # what has ended is started again, and bounds its replies itself
        limits = config.limits.model_copy(update=own)
        service = Service("embedded", f"{served.url}/v1", served.key, (model,))
        super().__init__(service, config.model_copy(update={"limits": limits}))
        self.served = served
        self.process = process
        self.figures: dict[str, float] = {}

    @cached_property
    def kept(self) -> KeptPrompt:
        return KeptPrompt(self.served, self.process.settings, self.config)

    def close(self) -> None:
        super().close()
        if "kept" in self.__dict__:
            self.kept.close()

    def _way(self) -> dict[str, Any]:
        return {"trust_env": False, "headers": ONE_REQUEST}  # straight to loopback, past any proxy of the environment

    @property
    def _where(self) -> str:
        return f"The embedded language model {self.model}"

    def _bound(self, most: int | None) -> int | None:
        """Never more than the process is bound to; it thinks nothing first."""
        return most and min(most, self.process.settings.reply_tokens)

    def _options(self, ask: Any, *others: Any) -> dict[str, Any]:
        own = {"return_progress": True, "cache_prompt": True, "id_slot": SLOT_OF.get(ask.stage, SLOTS - 1)}
        options = {**super()._options(ask, *others), **own}
        if form := options.pop("response_format", None):
            options["grammar"] = grammar_of(form["json_schema"]["schema"])
        return options

    def _noted(self, chunk: Mapping[str, Any]) -> Iterator[str]:
        """How far the prompt is read; at the end, the tokens a second."""
        if isinstance(progress := chunk.get("prompt_progress"), dict):
            yield Reading(int(progress.get("processed", 0)), int(progress.get("total", 0)))
        if isinstance(timings := chunk.get("timings"), dict):
            names = {"read": "prompt_per_second", "written": "predicted_per_second"}
            self.figures = {name: round(float(timings[key]), 1) for name, key in names.items() if timings.get(key)}

    def _failure(self, error: Exception, model: str) -> BackendError:
        if found := TOO_LONG.search(str(error)):
            problem = f"cannot read {found[1]} tokens: its context has {found[2]} (embedded_llm.context)"
            return BackendError(f"{self._where} {problem}.", status=400)
        return super()._failure(error, model)

    def _to_leave_out(self, message: str, options: Mapping[str, Any]) -> str | None:
        return None  # it knows all options: what it refuses is the request, such as a prompt beyond its context


def grammar_of(schema: Schema) -> str:
    """The grammar of a JSON schema in llguidance's form. Blanks stand where json.dumps puts them, as in the
    demonstrations: where any may stand, a small model sometimes writes nothing else.

    A response_format would have the answer parsed once more at its end, which fails for one that is cut off.
    """
    blanks = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    return f"%llguidance {{}}\nstart: %json {json.dumps({**schema, 'x-guidance': blanks})}"
