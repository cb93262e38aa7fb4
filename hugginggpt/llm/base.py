"""What a language model is to the rest of the project: one small protocol, and a scripted one for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.usage import Usage
from hugginggpt.llm.tokens import TokenCounter

Message = dict[str, str]
Stage = Literal["plan", "select", "task", "respond", "chat", "judge"]
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of a language model; one that is not whole says in `cut_off` where it was cut off."""

    text: str
    usage: Usage
    model: str = ""
    cut_off: str = ""

    def whole(self) -> str:
        """The text, for those who cannot use a part of it. Raises ModelOutputError where it was cut off."""
        if self.cut_off:
            raise ModelOutputError(f"The answer was cut off {self.cut_off}.")
        return self.text


class LLM(Protocol):
    """A language model. Both methods raise BackendError when the service fails."""

    name: str
    count: TokenCounter

    @property
    def model(self) -> str: ...

    def complete(self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None) -> Reply:
        """The answer, as JSON of that schema where the service can promise it."""

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None
    ) -> Generator[str, None, Reply]:
        """The pieces of the answer as they come; returns all of it."""

    def close(self) -> None:
        """Gives the connections back."""


Scripted = str | Exception | Callable[[Sequence[Message]], str]


class ScriptedLLM:
    """Says what a test told it to, stage by stage; usable from several threads.

    `script` gives for each stage its replies in order: a text, an exception to raise, or a function of
    the messages. A call beyond the script is an AssertionError, and `check_used_up` reports what was
    not asked for. `asked` keeps (stage, messages) of every call.
    """

    name = "scripted"
    model = "scripted"

    def __init__(self, script: Mapping[str, Iterable[Scripted]]) -> None:
        self.script = {stage: list(replies) for stage, replies in script.items()}
        self.asked: list[tuple[str, list[Message]]] = []
        self.count = TokenCounter()
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None) -> Reply:
        with self._lock:
            self.asked.append((stage, list(messages)))
            replies = self.script.get(stage)
            assert replies, f"the script has no (further) reply for the stage {stage}"
            reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply(messages)
        return Reply(text, Usage(sum(self.count(m["content"]) for m in messages), self.count(text), 1), self.model)

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None
    ) -> Generator[str, None, Reply]:
        reply = self.complete(messages, stage=stage, schema=schema)
        for at in range(0, len(reply.text), 4):
            yield reply.text[at : at + 4]
        return reply

    def close(self) -> None:
        pass

    def check_used_up(self) -> None:
        left = {stage: len(replies) for stage, replies in self.script.items() if replies}
        assert not left, f"replies that were not asked for: {left}"
