"""The protocol of language models, for the rest of the project."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
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
    """An answer of a language model; `cut_off` says why an incomplete one ended."""

    text: str
    usage: Usage
    model: str = ""
    cut_off: str = ""

    def whole(self) -> str:
        """The complete text. Raises ModelOutputError if it was cut off."""
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
        """The answer, as JSON of that schema if the service can guarantee it."""

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None
    ) -> Generator[str, None, Reply]:
        """Yields the pieces of the answer as they arrive; returns the complete answer."""

    def close(self) -> None:
        """Closes the connections."""
