"""The OpenAPI description of the model server, as GET /openapi.json gives it. A test holds it against the server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from hugginggpt.common.version import __version__
from hugginggpt.core.tasks import TaskTable
from hugginggpt.serving import answers
from hugginggpt.serving.openai_api import PREFIX, bodies

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FILE: Schema = {"type": "string", "contentMediaType": "application/octet-stream"}
_MODELS: tuple[type[BaseModel], ...] = (
    answers.ErrorBody, answers.Running, answers.Health, answers.Readiness, answers.ModelInfo, answers.ModelList,
    answers.ModelStatus, answers.NoModel, answers.Unloaded, answers.Fetched, answers.Reading,
    answers.OpenAIError, answers.ServedModel, answers.ServedModels, answers.ChatCompletion, answers.Embeddings,
    answers.Transcript, answers.MadePictures,
    bodies.ChatBody, bodies.EmbeddingsBody, bodies.TranscriptionForm, bodies.SpeechBody, bodies.PicturesBody,
)  # fmt: skip
MODEL: Schema = {
    "name": "model", "in": "path", "required": True, "description": "The id of a model, as GET /models tells it.",
    "schema": {"type": "string", "minLength": 1}, "example": "vader",
}  # fmt: skip
VECTORS_MODEL = {**MODEL, "example": "all-MiniLM-L6-v2"}
EMBEDDINGS_EXAMPLE = {"model": "all-MiniLM-L6-v2", "input": "A cat sits."}
SPEECH_EXAMPLE = {"model": "piper-joe", "input": "Good morning.", "response_format": "wav"}
CLIENTS = {
    "400": "What is wrong with the request.", "401": "The server has a token, and it is missing or wrong.",
    "403": "Another host or origin than those of the server.", "413": "The body is larger than limits.max_file_mb.",
}  # fmt: skip
"""The errors of clients, on all routes."""
MODELS_OWN = {
    "404": "No such model is here.", "422": "The model cannot be run here: why.", "429": "Too many wrong tokens.",
    "500": "The model failed.", "503": "A queue is full; Retry-After.", "504": "No answer within the time.",
}  # fmt: skip
"""Those of requests for a model."""


def _ref(model: type[BaseModel]) -> Schema:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def _json(schema: Schema, about: str) -> Schema:
    return {"description": about, "content": {"application/json": {"schema": schema}}}


def _errors(error: type[BaseModel], found: Iterable[tuple[str, str]]) -> Schema:
    return {status: _json(_ref(error), about) for status, about in found}


def _get(summary: str, good: Schema, *parameters: Schema, also: Schema | None = None) -> Schema:
    error = answers.OpenAIError if summary.startswith("OpenAI") else answers.ErrorBody
    responses = {"200": good, **_errors(error, CLIENTS.items()), **(also or {})}
    if parameters:
        responses |= _errors(error, [("404", MODELS_OWN["404"])])
    return {"summary": summary, "parameters": list(parameters), "responses": responses}


def _post(summary: str, good: Schema, content: Schema | None = None, *parameters: Schema) -> Schema:
    error = answers.OpenAIError if summary.startswith("OpenAI") else answers.ErrorBody
    body = {"requestBody": {"required": True, "content": content}} if content else {}
    responses = {"200": good, **_errors(error, [*CLIENTS.items(), *MODELS_OWN.items()])}
    return {"summary": summary, "parameters": list(parameters), **body, "responses": responses}


def _in_json(model: type[BaseModel], example: Schema | None = None) -> Schema:
    return {"application/json": {"schema": _ref(model), **({"example": example} if example else {})}}


def description(table: TaskTable) -> Schema:
    """The description of all routes but the public files. The arguments of models are those of the task table."""
    _, definitions = models_json_schema(
        [(model, "validation") for model in _MODELS], ref_template="#/components/schemas/{model}"
    )
    schemas: Schema = definitions["$defs"]
    return {
        "openapi": "3.1.0",
        "info": {"title": "HuggingGPT: expert models", "version": __version__, "license": {"name": "MIT"}},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}, "schemas": schemas},
        "security": [{}, {"token": []}],
        "paths": {**_probes(), **_models(table), **_openai()},
    }


def _probes() -> Schema:
    metrics = {
        "description": "Requests, seconds, queue, memory.",
        "content": {"text/plain": {"schema": TEXT}, "application/openmetrics-text": {"schema": TEXT}},
    }
    not_ready = {"503": _json(_ref(answers.Readiness), "Models are being loaded, or the server ends.")}
    return {
        "/running": {"get": _get("Whether the server lives (JARVIS)", _json(_ref(answers.Running), "It does."))},
        "/healthz": {"get": _get("Whether the server lives", _json(_ref(answers.Health), "It does."))},
        "/readyz": {
            "get": _get(
                "Whether requests should be sent", _json(_ref(answers.Readiness), "They should."), also=not_ready
            )
        },
        "/metrics": {"get": _get("Metrics, as OpenMetrics to clients that accept it", metrics)},
        "/openapi.json": {"get": _get("This description", _json({"type": "object"}, "It."))},
    }


def _models(table: TaskTable) -> Schema:
    status = {"anyOf": [_ref(answers.ModelStatus), _ref(answers.NoModel)]}
    result = _json({}, 'JARVIS\'s results: "path" of a file, "generated text", lists of "label", "score", "box".')
    return {
        "/models": {"get": _get("The models", _json(_ref(answers.ModelList), "All that can be run now."))},
        "/status/{model}": {
            "get": {
                **_get("The state of a model (JARVIS)", _json(status, "It."), also={}),
                "parameters": [MODEL],
            }
        },
        "/models/{model}": {"post": _post("Run a model (JARVIS)", result, _arguments(table), MODEL)},
        "/models/{model}/load": {
            "post": _post("Load a model before its first use", _events("loading", answers.ModelInfo), None, MODEL)
        },
        "/models/{model}/download": {
            "post": _post(
                "Fetch a model of the deployment from the Hub", _events("downloading", answers.Fetched), None, MODEL
            )
        },
        "/models/{model}/unload": {
            "post": _post("Free the memory of a model", _json(_ref(answers.Unloaded), "It is free."), None, MODEL)
        },
    }


def _events(event: str, last: type[BaseModel]) -> Schema:
    """An answer that comes at the end or, to clients that accept events, with the progress before it."""
    about = (
        f"The answer; or, with Accept: text/event-stream, events: {event} (done and total, in bytes), then done (the "
        "answer) or failed (the error)."
    )
    data = {**TEXT, "contentMediaType": "application/json", "contentSchema": _ref(answers.Reading)}
    event_schema = {"type": "object", "required": ["event", "data"], "properties": {"event": TEXT, "data": data}}
    content = {"application/json": {"schema": _ref(last)}, "text/event-stream": {"schema": event_schema}}
    return {"description": about, "content": content}


def _arguments(table: TaskTable) -> Schema:
    """The body of a request: what the tasks take, by name. Which of them a model needs, its task says."""
    properties: Schema = {"task": {**TEXT, "description": "Which of the model's tasks; else what the arguments fit."}}
    for row in table:
        for arg in row.args:
            known = properties.setdefault(arg.name, {"description": arg.about or f"{arg.kind} of {row.name}"})
            if arg.many:
                known["items"] = TEXT
    form = {
        "type": "object",
        "properties": {**properties, "file": FILE, "arguments": {**TEXT, "description": "Arguments as JSON."}},
    }
    return {
        "application/json": {
            "schema": {"type": "object", "properties": properties},
            "example": {"text": "I like it very much."},
        },
        "multipart/form-data": {"schema": form},
    }


def _openai() -> Schema:
    sound = {"description": "The sound, in the format that is asked for.", "content": {"audio/*": {"schema": FILE}}}
    chat = _json(_ref(answers.ChatCompletion), "The answer; with stream: true events, chunks of it, then [DONE].")
    chat["content"]["text/event-stream"] = {"schema": TEXT}
    said = _json(_ref(answers.Transcript), "As response_format says: json, text, srt, vtt or verbose_json.")
    said["content"] |= {kind: {"schema": TEXT} for kind in ("text/plain", "application/x-subrip", "text/vtt")}
    recording = {"multipart/form-data": {"schema": {
        "allOf": [_ref(bodies.TranscriptionForm)], "type": "object", "required": ["file"],
        "properties": {"file": FILE},
    }}}  # fmt: skip
    routes: dict[str, Schema] = {
        "models": {"get": _get("OpenAI: the models", _json(_ref(answers.ServedModels), "Those that a route takes."))},
        "models/{model}": {"get": _get("OpenAI: a model", _json(_ref(answers.ServedModel), "It."), VECTORS_MODEL)},
        "chat/completions": {"post": _post("OpenAI: a chat", chat, _in_json(bodies.ChatBody))},
        "embeddings": {
            "post": _post(
                "OpenAI: the vectors of texts",
                _json(_ref(answers.Embeddings), "They."),
                _in_json(bodies.EmbeddingsBody, EMBEDDINGS_EXAMPLE),
            )
        },
        "audio/transcriptions": {"post": _post("OpenAI: what is said in a recording", said, recording)},
        "audio/speech": {
            "post": _post("OpenAI: a text read aloud", sound, _in_json(bodies.SpeechBody, SPEECH_EXAMPLE))
        },
        "images/generations": {
            "post": _post(
                "OpenAI: pictures of a text", _json(_ref(answers.MadePictures), "They."), _in_json(bodies.PicturesBody)
            )
        },
    }
    return {PREFIX + path: route for path, route in routes.items()}
