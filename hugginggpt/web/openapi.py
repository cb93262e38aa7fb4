"""The OpenAPI description of the server, as GET /openapi.json gives it. A test holds it against the server."""

from __future__ import annotations

from typing import Any

from hugginggpt.common.version import __version__
from hugginggpt.core.errors import ErrorCode, StopReason

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
MESSAGE: Schema = {
    "type": "object",
    "required": ["role", "content"],
    "properties": {"role": {"type": "string", "enum": ["user", "assistant", "system"]}, "content": TEXT},
}
ATTACHED: Schema = {"type": "object", "required": ["path"], "properties": {"name": TEXT, "path": TEXT}}
REQUEST: Schema = {
    "type": "object",
    "required": ["messages"],
    "properties": {
        "messages": {"type": "array", "items": MESSAGE, "minItems": 1, "description": "The chat, the request last."},
        "api_key": {
            **TEXT,
            "pattern": "^[!-~]{0,500}$",
            "description": "A key for the language model, for this request only.",
        },
        "api_endpoint": {**TEXT, "description": "OpenAI's own address, or one of http_listen.llm_hosts."},
        "files": {
            "type": "array",
            "maxItems": 50,
            "items": {"anyOf": [TEXT, ATTACHED]},
            "description": "Files that come with the request: public paths (of uploads, examples, results) and URLs.",
        },
    },
}
RUN_REQUEST: Schema = {
    "type": "object",
    "oneOf": [{"required": ["messages"]}, {"required": ["resume"]}],
    "properties": {
        **REQUEST["properties"],
        "until": {"type": "string", "enum": ["plan", "results", "answer"], "default": "answer"},
        "chat": {
            **TEXT,
            "description": 'The id of a conversation to add to, or "new". Its context is what is stored: of the '
            "messages only the last counts. While a run of it goes on, others are refused (409, chat_busy).",
        },
        "resume": {
            **TEXT,
            "pattern": "^[0-9a-f]{1,32}$",
            "description": "In place of messages and files: the id of a run to go on with; only what is not finished "
            "is run. With a chat it takes the place of its turn.",
        },
    },
}
CODES = f"What went wrong: {', '.join(ErrorCode)}, or the name of the HTTP status, such as not_found."
ERROR: Schema = {
    "type": "object",
    "required": ["message", "error"],
    "properties": {
        "message": TEXT,
        "error": {
            "type": "object",
            "required": ["message", "type", "code"],
            "properties": {
                "message": TEXT,
                "type": {**TEXT, "description": "Where it went wrong: request, run, busy, http."},
                "code": {**TEXT, "description": CODES},
            },
        },
    },
}
TASK: Schema = {
    "type": "object",
    "required": ["task", "id", "dep", "args"],
    "properties": {
        "task": TEXT,
        "id": {"type": "integer"},
        "dep": {"type": "array", "items": {"type": "integer"}},
        "args": {"type": "object"},
    },
}
RESULT: Schema = {
    "type": "object",
    "required": ["task", "inference result", "choose model result"],
    "properties": {
        "task": TASK,
        "inference result": {"description": 'The result, or {"error": {"message", "type", "code"}}.'},
        "choose model result": {"type": "object"},
        "form": {**TEXT, "description": "Which form a result has: text, labels, boxes, image, ..."},
        "reading": {**TEXT, "description": "A result in words."},
        "files": {"type": "array", "items": TEXT, "description": "The public paths of the files in a result."},
    },
}
ANSWER: Schema = {
    "type": "object",
    "required": ["message", "files", "errors"],
    "properties": {
        "message": TEXT,
        "files": {"type": "array", "items": TEXT},
        "errors": {"type": "array", "items": TEXT},
    },
}
CHAT: Schema = {
    "type": "object",
    "required": ["id", "title", "updated"],
    "properties": {"id": TEXT, "title": TEXT, "updated": {"type": "number"}},
}
TURN: Schema = {
    "type": "object",
    "required": ["position", "run_id", "request", "files", "status", "answer", "record"],
    "properties": {
        "position": {"type": "integer", "minimum": 1},
        "run_id": {**TEXT, "description": "Empty where it is not known, of conversations of older versions."},
        "request": TEXT,
        "files": {"type": "array", "items": {**ATTACHED, "required": ["name", "path", "kind"]}},
        "status": {
            **TEXT,
            "description": "running, interrupted (its server was killed: it can be resumed), or why the run ended: "
            f"{', '.join(StopReason)}.",
        },
        "answer": TEXT,
        "record": {
            "type": ["object", "null"],
            "description": "The run record; of an interrupted run what was kept until then, null if nothing.",
        },
    },
}
WHOLE_CHAT: Schema = {
    "type": "object",
    "required": [*CHAT["required"], "turns", "run_id"],
    "properties": {
        **CHAT["properties"],
        "turns": {"type": "array", "items": TURN},
        "run_id": {"type": ["string", "null"], "description": "The run of it that goes on, if there is one."},
    },
}
FILE: Schema = {
    "type": "object",
    "required": ["name", "path", "kind", "bytes"],
    "properties": {"name": TEXT, "path": TEXT, "kind": {"type": ["string", "null"]}, "bytes": {"type": "integer"}},
}


def _json(schema: Schema, about: str) -> Schema:
    return {"description": about, "content": {"application/json": {"schema": schema}}}


def _responses(good: Schema, status: str = "200", also: tuple[str, ...] = ()) -> Schema:
    codes = ("400", "401", "403", "413", *also)
    return {status: good, **{code: _json(ERROR, "What is wrong, and what to do.") for code in codes}}


def _post(summary: str, request: Schema, good: Schema, status: str = "200") -> Schema:
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": request}}},
        "responses": _responses(good, status, ("429", "500", "502", "503", "504")),
    }


def _get(summary: str, good: Schema, *parameters: Schema) -> Schema:
    return {
        "summary": summary,
        "parameters": list(parameters),
        "responses": _responses(good, also=("404",) if parameters else ()),
    }


def _followed(get: Schema) -> Schema:
    """As many clients as can be served may follow runs."""
    get["responses"]["429"] = _json(ERROR, "As many follow runs already; try again in a moment.")
    return get


RUN_ID = {"name": "run_id", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[0-9a-f]{12}$"}}
CHAT_ID = {"name": "chat", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}}
LAST_EVENT = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": "^[0-9]{1,6}$"},
}
STREAM = {
    "description": "Events: accepted (run_id; the chat and the position of the turn in it), run, notice, task (of a "
    "plan still being written), plan, selected, started, retried, finished, failed, skipped, token, answer, done. Each "
    "but accepted has an id; the stream can be taken up after any of them at /v1/runs/{run_id}/events.",
    "content": {
        "text/event-stream": {
            "schema": {
                "type": "object",
                "required": ["event", "data"],
                "properties": {"id": TEXT, "event": TEXT, "data": TEXT},
            }
        }
    },
}


def description() -> Schema:
    """The description of all routes but the page's files."""
    record = _json({"type": "object"}, "The record of the run.")
    return {
        "openapi": "3.1.0",
        "info": {"title": "HuggingGPT", "version": __version__, "license": {"name": "MIT"}},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": {
            "/hugginggpt": {"post": _post("Answer a request (JARVIS)", REQUEST, _json(ANSWER, "The answer."))},
            "/tasks": {
                "post": _post("Plan a request (JARVIS)", REQUEST, _json({"type": "array", "items": TASK}, "The plan."))
            },
            "/results": {
                "post": _post(
                    "Plan and run a request (JARVIS)",
                    REQUEST,
                    _json({"type": "object", "additionalProperties": RESULT}, "The results by task id."),
                )
            },
            "/v1/runs": {"post": _start_run()},
            "/v1/runs/{run_id}": {
                "get": _get("The record of a run", record, RUN_ID),
                "delete": _get("Cancel a run", _json({"type": "object"}, "How it ended."), RUN_ID),
            },
            "/v1/runs/{run_id}/events": {"get": _followed(_get("The events of a run", STREAM, RUN_ID, LAST_EVENT))},
            "/v1/files": {"post": _upload()},
            "/v1/chats": {
                "get": _get(
                    "The conversations",
                    _json(
                        {
                            "type": "object",
                            "required": ["chats"],
                            "properties": {"chats": {"type": "array", "items": CHAT}},
                        },
                        "The latest first.",
                    ),
                )
            },
            "/v1/chats/{chat}": {
                "get": _get("A conversation with its turns", _json(WHOLE_CHAT, "It."), CHAT_ID),
                "delete": _get("Delete a conversation", _json({"type": "object"}, "It is gone."), CHAT_ID),
            },
            "/v1/status": {"get": _get("Language model, endpoints, experts", _json({"type": "object"}, "Them."))},
            "/healthz": {"get": _get("Whether the server lives", _json({"type": "object"}, "It does."))},
        },
    }


def _start_run() -> Schema:
    post = _post("Run a request, or go on with a run, and stream its events", RUN_REQUEST, STREAM)
    post["responses"]["409"] = _json(ERROR, "A run of the conversation goes on: run_id.")
    return post


def _upload() -> Schema:
    form = {
        "type": "object",
        "required": ["file"],
        "properties": {"file": {"type": "string", "contentMediaType": "application/octet-stream"}},
    }
    return {
        "summary": "Upload a picture, recording, video or CSV table",
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": form}}},
        "responses": _responses(_json(FILE, "The path to name in a request."), "201"),
    }
