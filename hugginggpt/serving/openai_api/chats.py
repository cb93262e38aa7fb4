"""POST /v1/chat/completions: answers of language models, whole or as they are written."""

from __future__ import annotations

import json
import queue
import secrets
import time
from collections.abc import Generator, Iterator
from typing import Any

import flask

from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.experts.families import CHAT
from hugginggpt.serving.asking import Asked
from hugginggpt.serving.openai_api import error_body
from hugginggpt.serving.openai_api.bodies import ChatBody, ResponseFormat
from hugginggpt.serving.openai_api.models import Models, body_of

DONE = "data: [DONE]\n\n"


class Pieces(queue.SimpleQueue[str | None]):
    """The pieces of an answer, from the model's thread to that of the client; None ends them.

    Where it is sent to another process, it stays behind: then the answer comes whole.
    """

    def __call__(self, piece: str | None) -> None:
        self.put(piece)

    def __reduce__(self) -> Any:
        return str, ()  # which can be called with a piece, too


def chat(models: Models) -> Any:
    body = body_of(ChatBody)
    entry, _ = models.find(body.model, "chats")
    args = _args(body)
    about = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": entry.id}
    if not body.stream:
        said = models.ask(entry, CHAT, args).answer()
        message = {"role": "assistant", "content": said["text"], "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": said["finish_reason"], "logprobs": None}
        return {**about, "object": "chat.completion", "choices": [choice], "usage": _usage(said)}
    pieces = Pieces()
    asked = models.ask(entry, CHAT, {**args, "tell": pieces})
    asked.done.add_done_callback(lambda _: pieces(None))
    with_usage = bool(body.stream_options and body.stream_options.include_usage)
    events = _events({**about, "object": "chat.completion.chunk"}, asked, pieces, with_usage)
    first = next(events)  # until the first piece an error has its own status
    return flask.Response(_followed(first, events), content_type="text/event-stream")


def _args(body: ChatBody) -> dict[str, Any]:
    """What is asked of a model (`families.chats`)."""
    roles = {"developer": "system"}
    stop = [body.stop] if isinstance(body.stop, str) else body.stop
    return {
        "messages": [{"role": roles.get(turn.role, turn.role), "content": turn.text} for turn in body.messages],
        "max_tokens": body.max_completion_tokens or body.max_tokens,
        "schema": _schema(body.response_format),
        "stop": [text for text in stop or () if text],
        **body.model_dump(
            include={"temperature", "top_p", "seed", "logit_bias", "presence_penalty", "frequency_penalty"}
        ),
    }


def _schema(form: ResponseFormat | None) -> dict[str, Any] | None:
    if form is None or form.type == "text":
        return None
    return (form.json_schema.schema_ if form.json_schema else {}) or {"type": "object"}


def _usage(said: dict[str, Any]) -> dict[str, int]:
    prompt, completion = said["prompt_tokens"], said["completion_tokens"]
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _events(
    about: dict[str, Any], asked: Asked, pieces: Pieces, with_usage: bool
) -> Generator[dict[str, Any], None, None]:
    """The chunks of an answer. Raises the model's errors, also between two pieces."""
    usage = {"usage": None} if with_usage else {}

    def chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
        return {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}], **usage}

    told, role = 0, {"role": "assistant"}
    try:
        for piece in _until_done(asked, pieces):
            yield chunk({**role, "content": piece})
            told, role = told + len(piece), {}
        said = asked.answer()
        if rest := said["text"][told:]:  # it was written in another process
            yield chunk({**role, "content": rest})
            role = {}
        yield chunk(role, said["finish_reason"])
        if with_usage:
            yield {**about, "choices": [], "usage": _usage(said)}
    finally:
        asked.done.cancel()  # where the client has gone, the model need not go on


def _until_done(asked: Asked, pieces: Pieces) -> Iterator[str]:
    end = time.monotonic() + asked.seconds
    while True:
        try:
            piece = pieces.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise asked.overdue() from None
        if piece is None:
            return
        yield piece


def _followed(first: dict[str, Any], events: Generator[dict[str, Any], None, None]) -> Generator[str, None, None]:
    """The events of a stream; one that fails ends with the error."""
    try:
        yield _event(first)
        for event in events:
            yield _event(event)
        yield DONE
    except HuggingGPTError as error:
        yield _event(error_body(error))
    finally:
        events.close()


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
