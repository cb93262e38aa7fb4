"""OpenAI's API over the models of the server: chats, embeddings, transcripts, speech and pictures.

Each route is a function of a module that is imported with the first request for it, so that a server of experts that
nobody asks this way has none of it in memory.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import flask

from hugginggpt.core.errors import HuggingGPTError, UserError
from hugginggpt.media.store import MediaStore
from hugginggpt.serving.asking import with_status
from hugginggpt.serving.model_pool import ModelPool
from hugginggpt.serving.model_registry import ModelRegistry

PREFIX = "/v1/"
ROUTES = (
    ("GET", "models", "listing", "models"),
    ("GET", "models/<path:model>", "listing", "model"),
    ("POST", "chat/completions", "chats", "chat"),
    ("POST", "embeddings", "vectors", "embeddings"),
    ("POST", "audio/transcriptions", "sound", "transcription"),
    ("POST", "audio/speech", "sound", "speech"),
    ("POST", "images/generations", "pictures", "pictures"),
)
"""The method and path of each, and its module and function."""


def add_routes(app: flask.Flask, model_registry: ModelRegistry, pool: ModelPool, media: MediaStore) -> None:
    for method, path, module, function in ROUTES:
        app.add_url_rule(
            PREFIX + path, f"openai_{function}", _view(module, function, model_registry, pool, media), methods=[method]
        )


def _view(module: str, function: str, model_registry: ModelRegistry, pool: ModelPool, media: MediaStore) -> Any:
    def view(**parts: str) -> Any:
        from hugginggpt.serving.openai_api.models import Models

        route = getattr(import_module(f"{__name__}.{module}"), function)
        try:
            return route(Models(model_registry, pool, media), **parts)
        except HuggingGPTError as error:
            return error_answer(error)

    return view


def error_answer(error: HuggingGPTError) -> flask.Response:
    """An error in OpenAI's form, which its clients turn into exceptions."""
    return with_status(error, error_body(error))


def error_body(error: HuggingGPTError) -> dict[str, Any]:
    return _body(
        str(error), isinstance(error, UserError), getattr(error, "param", None), getattr(error, "reason", None)
    )


def http_error_body(message: str, status: int) -> dict[str, Any]:
    """The body for an error of HTTP itself: a wrong path, a token that is missing."""
    return _body(message, status < 500, None, {401: "invalid_api_key"}.get(status))


def _body(message: str, is_clients: bool, param: str | None, code: str | None) -> dict[str, Any]:
    kind = "invalid_request_error" if is_clients else "server_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
