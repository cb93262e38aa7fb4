"""The replies of OpenAI-compatible services: event streams, or whole answers where a service does not stream."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.results import well_formed
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import ToolCall

T = TypeVar("T")

THOUGHTS = ("<think>", "</think>")
"""What stands around the thoughts that some services leave in the text."""


class ServiceFailed(Exception):
    """The service reported an error with status 200, in place of an answer or within a stream."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NoCompletion(Exception):
    """What came is no answer of a language model."""


class Spoken:
    """What a model says behind the thoughts with which its text may begin, piece by piece."""

    def __init__(self) -> None:
        self.written = ""
        self.has_thought = self._speaks = False

    def behind(self, piece: str) -> str:
        self.written += piece
        if self._speaks:
            return piece
        begins, ends = THOUGHTS
        start = self.written.lstrip()
        if start.startswith(begins):
            self.has_thought = True
            said = start.partition(ends)[2].lstrip()
        else:
            said = "" if begins.startswith(start) else self.written
        self._speaks = bool(said)
        return said

    @property
    def rest(self) -> str:
        """What was held back, as it might have become thoughts."""
        return "" if self._speaks or self.has_thought else self.written


class CallsSoFar:
    """The native tool calls of a message, which may come in pieces; what is none is left out."""

    def __init__(self) -> None:
        self._calls: dict[Any, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, pieces: Any) -> None:
        """Adds the `tool_calls` of a message or of a piece of one: the pieces of one call have the same index."""
        for piece in pieces if isinstance(pieces, list) else []:
            function = piece.get("function") if isinstance(piece, dict) else None
            if not isinstance(function, dict):
                continue
            index = piece.get("index")
            call = self._calls.setdefault(f"own {len(self._calls)}" if index is None else index, ["", ""])
            call[0] += str(function.get("name") or "")
            call[1] += _as_text(function.get("arguments"))

    @property
    def written(self) -> str:
        """The arguments of all calls."""
        return "".join(arguments for _, arguments in self._calls.values())

    def complete(self) -> tuple[ToolCall, ...]:
        calls = [(name, arguments or "{}") for name, arguments in self._calls.values() if name]
        return tuple(ToolCall(well_formed(name), well_formed(arguments)) for name, arguments in calls)


def _as_text(arguments: Any) -> str:
    """The arguments of a call: a text of JSON; some services send the object itself."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False) if arguments else ""


def chunks_of(response: Any) -> Iterator[dict[str, Any]]:
    """The objects of an event stream, decoded here since the SDK's models take five times as long; of an answer that is
    not streamed, the answer as the only one.

    The end of the stream ends the answer: not every service sends a finish_reason. Raises ServiceFailed for an error in
    place of an answer or within it, NoCompletion for another page, ValueError for JSON that is cut off.
    """
    whole: list[str] | None = []
    for line in lines_of(response.iter_bytes()):
        if line.startswith("data: [DONE]"):
            whole = None
            yield {"choices": [{"finish_reason": "stop"}]}
        elif line.startswith("data:"):
            whole = None
            chunk = json.loads(line[5:])
            if isinstance(chunk, dict):
                yield _checked(chunk)
        elif whole is not None:
            whole.append(line)
    if whole is not None:
        yield _whole("\n".join(whole), response.headers.get("content-type", ""))


def lines_of(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of an event stream, which a line feed ends. The HTTP library's own lines end at each character of
    Unicode that breaks lines, also within a text of JSON, where such a character may stand as it is.
    """
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.decode(errors="replace").removesuffix("\r") for line in lines)
    if rest:
        yield rest.decode(errors="replace").removesuffix("\r")


def _whole(text: str, content_type: str) -> dict[str, Any]:
    """An answer that is not streamed; it may lack a finish_reason."""
    try:
        answer = _checked(read_json(text))
        choice = answer["choices"][0]
        if "text" not in choice and not choice["message"].get("tool_calls"):
            choice["message"]["content"]  # may be null, but not missing
        return {**answer, "choices": [{**choice, "finish_reason": choice.get("finish_reason") or "stop"}]}
    except ValueError as error:
        if "json" in content_type and text.strip():
            raise
        raise NoCompletion from error
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise NoCompletion from error


def _checked(answer: Any) -> Any:
    """The answer, or a chunk of one. Raises ServiceFailed if it is an error."""
    if isinstance(answer, dict) and (error := answer.get("error")):
        raise ServiceFailed(str(error.get("message") or "an error") if isinstance(error, dict) else str(error))
    return answer


def message_in(choice: Mapping[str, Any]) -> dict[str, Any]:
    """The message in one chunk, or the piece of it."""
    message = choice.get("delta") or choice.get("message")
    return message if isinstance(message, dict) else {}


def text_in(choice: Mapping[str, Any]) -> str:
    """The text in one chunk, of a chat or of a completion. Raises NoCompletion if it is none."""
    text = message_in(choice).get("content") or choice.get("text") or ""
    if not isinstance(text, str):
        raise NoCompletion
    return text


def usage_of(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens") or 0
    return Usage(prompt, completion, 1) if isinstance(prompt, int) and isinstance(completion, int) else None


def returned(pieces: Generator[Any, None, T]) -> T:
    """What a generator returns in the end."""
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            result: T = end.value
            return result
