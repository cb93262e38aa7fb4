"""The protocol of language models, for the rest of the project."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from hugginggpt.core.errors import ModelOutputError
from hugginggpt.core.usage import Usage
from hugginggpt.llm.tokens import TokenCounter

Message = dict[str, str]
Stage = Literal["plan", "select", "task", "respond", "chat", "judge", "goal", "reword"]
Schema = Mapping[str, Any]


class Fixed(Message):
    """A message that holds nothing of any request, so that what was read of it may be kept."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call; `parameters` is the JSON schema of its arguments."""

    name: str
    about: str
    parameters: Schema


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a function, as the model wrote it: `arguments` should be a JSON object."""

    name: str
    arguments: str


class Reading(str):
    """A piece without text in a stream: the model still reads the prompt, `read` of `total` tokens so far."""

    read: int
    total: int

    def __new__(cls, read: int, total: int) -> Reading:
        piece = super().__new__(cls)
        piece.read, piece.total = read, total
        return piece


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of a language model; `cut_off` says why an incomplete one ended, `calls` are native tool calls."""

    text: str
    usage: Usage
    model: str = ""
    cut_off: str = ""
    calls: tuple[ToolCall, ...] = ()

    def whole(self) -> str:
        """The complete text. Raises ModelOutputError if it was cut off."""
        if self.cut_off:
            raise ModelOutputError(f"The answer was cut off {self.cut_off}.")
        return self.text


@runtime_checkable
class RunsHere(Protocol):
    """A language model that runs on this machine."""

    def state(self) -> dict[str, Any]:
        """What is known of it without starting it: `model`, `bytes` of its file, `context`, whether it is `running`,
        `threads`, tokens a second (`read`, `written`) and bytes of `memory`, None where they are not known.
        """


class LLM(Protocol):
    """A language model. Both methods raise BackendError when the service fails."""

    name: str
    count: TokenCounter

    @property
    def model(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stage: Stage,
        schema: Schema | None = None,
        tools: Sequence[Tool] = (),
        most: int | None = None,
    ) -> Reply:
        """The answer: calls of these tools if the service offers that, else JSON of that schema if it can guarantee
        it. `most` are the tokens after which it is cut off (`bounds.py`); what the model thinks first does not count.
        """

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None, most: int | None = None
    ) -> Generator[str, None, Reply]:
        """Yields the pieces of the answer as they arrive, after `Reading` if the model reads here; returns the complete
        answer.
        """

    def close(self) -> None:
        """Closes the connections."""
