"""The OpenAPI description of the server, as GET /openapi.json gives it. A test holds it against the server."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from hugginggpt.common.version import __version__
from hugginggpt.web import batch_schemas, schemas

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
_MODELS: tuple[type[BaseModel], ...] = (
    schemas.JarvisRequest, schemas.RunRequest, schemas.ErrorBody, schemas.PlannedTask, schemas.TaskResult,
    schemas.AnswerBody, schemas.RunList,
    schemas.ChatList, schemas.Chat, schemas.UploadedFile, schemas.GoalRequest, schemas.GoalDecision,
    schemas.GoalList, schemas.GoalBody, schemas.PlanCheck, schemas.CheckedPlan, schemas.PlanBody, schemas.ModelList,
    schemas.ChatChange, schemas.ChatSummary, batch_schemas.BatchRequest, batch_schemas.BatchStart,
    batch_schemas.ZipRequest, batch_schemas.BatchBody, batch_schemas.BatchList, batch_schemas.RowList,
    batch_schemas.FileList,
    schemas.ShareRequest, schemas.ShareList, schemas.NewShare, schemas.SharedConversation,
)  # fmt: skip


def _ref(model: type[BaseModel]) -> Schema:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


(
    REQUEST, RUN_REQUEST, ERROR, TASK, RESULT, ANSWER, RUNS, CHATS, CHAT, FILE, GOAL_REQUEST, DECISION, GOALS, GOAL,
    PLAN_CHECK, CHECKED_PLAN, PLAN, MODELS, CHAT_CHANGE, CHAT_HEAD, BATCH_REQUEST, BATCH_START, ZIP_REQUEST, BATCH,
    BATCHES, ROWS, FILES,
    SHARE_REQUEST, SHARES, NEW_SHARE, SHARED,
) = map(_ref, _MODELS)  # fmt: skip


def _components() -> Schema:
    """The schemas of all bodies, by their names."""
    _, definitions = models_json_schema(
        [(model, "validation") for model in _MODELS], ref_template="#/components/schemas/{model}"
    )
    components: Schema = definitions["$defs"]
    components["RunRequest"]["required"] = []
    ways = ("messages", "resume", "plan", "again")
    components["RunRequest"]["anyOf"] = [{"required": [name]} for name in ways]
    components["GoalRequest"]["oneOf"] = [{"required": ["goal"]}, {"required": ["resume"]}]
    return components


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


MESSAGE = {
    "type": "object", "required": ["message"], "additionalProperties": False, "properties": {"message": TEXT}
}  # fmt: skip
"""What the routes of plans and results answer to a request without tasks."""
RUN_ID = {"name": "run_id", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[0-9a-f]{12}$"}}
CHAT_ID = {"name": "chat", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}}
SHARE_ID = {**RUN_ID, "name": "share"}
SHARE_TOKEN = {
    "name": "token",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[0-9a-z]{1,60}$"},
}
GOAL_ID = {**RUN_ID, "name": "goal_id"}
FILE_NAME = {
    "name": "name",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[0-9a-z]{1,9}$"},
}
TASK_NAME = {"name": "task", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[a-z-]{1,40}$"}}
BATCH_ID = {**RUN_ID, "name": "batch_id"}
FOLDER = {
    "name": "folder", "in": "path", "required": True,
    "schema": {"enum": ["uploads", "images", "audios", "videos", "documents"]},
}  # fmt: skip
TABLES = ("text/csv", *(kind for kind in batch_schemas.RESULT_TYPES.values() if kind != "text/csv"))
TABLE_KIND = {"name": "kind", "in": "path", "required": True, "schema": {"enum": list(batch_schemas.RESULT_TYPES)}}
FILE_KIND = {
    "name": "kind", "in": "query", "required": False,
    "schema": {"enum": ["image", "audio", "video", "table", "text"]},
}  # fmt: skip
USED = {
    "name": "used", "in": "query", "required": False, "description": "Also where a conversation or a batch has it.",
    "schema": {"type": "boolean", "default": False},
}  # fmt: skip
LIMIT = {
    "name": "limit", "in": "query", "required": False, "description": "So many at most.",
    "schema": {"type": "integer", "minimum": 0, "maximum": batch_schemas.MOST_ROWS},
}  # fmt: skip
REMOVE = {
    "name": "remove",
    "in": "query",
    "required": False,
    "description": "Remove it with its journal and its files for good.",
    "schema": {"type": "boolean", "default": False},
}
SEARCH = {
    "name": "search", "in": "query", "required": False, "schema": TEXT,
    "description": "Only those that have this text in a title, request or answer.",
}  # fmt: skip
OFFSET = {
    "name": "offset", "in": "query", "required": False, "description": "So many are left out.",
    "schema": {"type": "integer", "minimum": 0, "default": 0},
}  # fmt: skip
LAST_EVENT = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": "^[0-9]{1,6}$"},
}
EVENTS = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "required": ["event", "data"],
            "properties": {"id": TEXT, "event": TEXT, "data": TEXT},
        }
    }
}
STREAM = {
    "description": "Events: accepted (run_id; the chat and the position of the turn in it), run, reading (a "
    "language model on this machine has read `read` of `total` tokens of its prompt), notice, task (of a plan still "
    "being written), plan, selected, ahead (a model that began before it was chosen: choice, worked, kept), started, "
    "progress (done, total, text), retried, finished, failed, skipped, "
    "models (those that the request names: id, tasks, why, remedy), token, answer, done. Each but accepted "
    "has an id; the stream can be taken up after any of them at /v1/runs/{run_id}/events.",
    "content": EVENTS,
}
BATCH_STREAM = {
    "description": "Events: accepted (batch_id, status), row (as in /rows, with how many are done and how many have "
    "failed), then end (status) when nobody works on it. A row has an id; who has missed more than 500 asks for the "
    "rows again.",
    "content": EVENTS,
}
GOAL_STREAM = {
    "description": "Events: accepted (goal_id, status), then those of the goal: GoalStarted, Resumed, Thought, "
    "ReplyRejected, Proposed, ApprovalNeeded, Decided, CommandStarted, CommandFinished, CommandFailed, "
    "AgentReturned, Compacted, Stuck, BudgetLow, Done; then end (status) when it is over or nobody works on it. "
    "All but accepted and end have an "
    "id, which stays the same when the server is restarted.",
    "content": EVENTS,
}


def description() -> Schema:
    """The description of all routes but the page's files."""
    record = _json({"type": "object"}, "The record of the run.")
    return {
        "openapi": "3.1.0",
        "info": {"title": "HuggingGPT", "version": __version__, "license": {"name": "MIT"}},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}, "schemas": _components()},
        "paths": {
            "/hugginggpt": {
                "post": _post(
                    "Answer a request (JARVIS)",
                    REQUEST,
                    _json(ANSWER, "The answer."),
                )
            },
            "/tasks": {
                "post": _post(
                    "Plan a request (JARVIS)",
                    REQUEST,
                    _json(
                        {"anyOf": [{"type": "array", "items": TASK}, MESSAGE]}, "The plan, or an answer without one."
                    ),
                )
            },
            "/results": {
                "post": _post(
                    "Plan and run a request (JARVIS)",
                    REQUEST,
                    _json(
                        {"anyOf": [MESSAGE, {"type": "object", "additionalProperties": RESULT}]},
                        "The results by task id, or an answer without tasks.",
                    ),
                )
            },
            "/v1/runs": {
                "post": _start_run(),
                "get": _get("The runs that go on and those that ended lately", _json(RUNS, "The newest first.")),
            },
            "/v1/runs/{run_id}": {
                "get": _get("The record of a run", record, RUN_ID),
                "delete": _get("Cancel a run", _json({"type": "object"}, "How it ended."), RUN_ID),
            },
            "/v1/runs/{run_id}/events": {"get": _followed(_get("The events of a run", STREAM, RUN_ID, LAST_EVENT))},
            **_plan_paths(),
            **_goal_paths(),
            **_batch_paths(),
            **_file_paths(),
            "/v1/chats": {
                "get": _get("The conversations", _json(CHATS, "Pinned ones, then the latest."), SEARCH, OFFSET)
            },
            "/v1/chats/{chat}": {
                "get": _get("A conversation with its turns", _json(CHAT, "It."), CHAT_ID),
                "patch": _change_chat(),
                "delete": _get("Delete a conversation", _json({"type": "object"}, "It is gone."), CHAT_ID),
            },
            **_share_paths(),
            "/v1/status": {"get": _get("Language model, endpoints, experts", _json({"type": "object"}, "Them."))},
            "/healthz": {"get": _get("Whether the server lives", _json({"type": "object"}, "It does."))},
        },
    }


def _start_run() -> Schema:
    post = _post("Run a request, or go on with a run, and stream its events", RUN_REQUEST, STREAM)
    post["responses"]["404"] = _json(ERROR, "There is no such conversation.")
    post["responses"]["409"] = _json(ERROR, "A run of the conversation goes on: run_id.")
    return post


def _plan_paths() -> Schema:
    check = _post("Check a plan", PLAN_CHECK, _json(CHECKED_PLAN, "The plan as it would be run, and what is wrong."))
    return {
        "/v1/plans": {"post": check},
        "/v1/runs/{run_id}/plan": {"get": _get("The plan of a run, as a file", _json(PLAN, "The plan."), RUN_ID)},
        "/v1/tasks/{task}/models": {"get": _get("The models for a task", _json(MODELS, "The best first."), TASK_NAME)},
    }


def _goal_paths() -> Schema:
    goal = _json(GOAL, "Its state.")
    cancel = _get("Cancel a goal, which can be resumed, or remove it with its files", goal, GOAL_ID, REMOVE)
    for status, about in (("409", "Another process works on it."), ("429", "Too many goals are being worked on.")):
        cancel["responses"][status] = _json(ERROR, about)
    file = {"description": "Its content.", "content": {"*/*": {"schema": {}}}}
    return {
        "/v1/goals": {"post": _start_goal(), "get": _get("The goals", _json(GOALS, "The latest first."))},
        "/v1/goals/{goal_id}": {"get": _get("A goal", goal, GOAL_ID), "delete": cancel},
        "/v1/goals/{goal_id}/events": {
            "get": _followed(_get("The events of a goal", GOAL_STREAM, GOAL_ID, LAST_EVENT))
        },
        "/v1/goals/{goal_id}/decisions": {"post": _decide()},
        "/v1/goals/{goal_id}/files/{name}": {"get": _get("A file of a goal's workspace", file, GOAL_ID, FILE_NAME)},
    }


def _start_goal() -> Schema:
    post = _post("Begin a goal, or go on with one, and stream its events", GOAL_REQUEST, GOAL_STREAM)
    post["responses"]["201"] = _json(GOAL, "Its state, for clients that prefer application/json.")
    post["responses"]["404"] = _json(ERROR, "There is no such goal.")
    post["responses"]["409"] = _json(ERROR, "The goal is not over, or another process works on it.")
    return post


def _decide() -> Schema:
    post = _post("Decide about the command that waits", DECISION, _json(GOAL, "The state of the goal."))
    post["parameters"] = [GOAL_ID]
    post["responses"]["404"] = _json(ERROR, "There is no such goal.")
    post["responses"]["409"] = _json(ERROR, "Nothing waits, or another command than the one that is named.")
    return post


def _change_chat() -> Schema:
    change = _post("Rename or pin a conversation, or show another branch of it", CHAT_CHANGE, _json(CHAT_HEAD, "It."))
    change["parameters"] = [CHAT_ID]
    change["responses"]["404"] = _json(ERROR, "There is no such conversation.")
    return change


def _batch_paths() -> Schema:
    state = _json(BATCH, "Its state, and its plan.")
    plan = _post("Plan one for many files", BATCH_REQUEST, state, "201")
    start = _post("Run what is missing of a batch, or has failed", BATCH_START, state)
    start["parameters"] = [BATCH_ID]
    stop = _get("Stop a batch, which can go on, or remove it with its files", state, BATCH_ID, REMOVE)
    for operation in (plan, start, stop):
        operation["responses"]["409"] = _json(ERROR, "It is worked on, perhaps by another process.")
    start["responses"]["404"] = _json(ERROR, "There is no such batch.")
    table = {"description": "The results, also those so far.", "content": {kind: {"schema": {}} for kind in TABLES}}
    return {
        "/v1/batches": {"post": plan, "get": _get("The batches", _json(BATCHES, "The latest first."))},
        "/v1/batches/{batch_id}": {"get": _get("A batch", state, BATCH_ID), "delete": stop},
        "/v1/batches/{batch_id}/start": {"post": start},
        "/v1/batches/{batch_id}/events": {
            "get": _followed(_get("The rows of a batch as they come", BATCH_STREAM, BATCH_ID, LAST_EVENT))
        },
        "/v1/batches/{batch_id}/rows": {
            "get": _get("The rows of a batch", _json(ROWS, "In their order."), BATCH_ID, OFFSET, LIMIT)
        },
        "/v1/batches/{batch_id}/results/{kind}": {"get": _get("The results of a batch", table, BATCH_ID, TABLE_KIND)},
    }


def _file_paths() -> Schema:
    delete = _get("Remove a file", _json({"type": "object"}, "It is gone."), FOLDER, FILE_NAME, USED)
    delete["responses"]["409"] = _json(ERROR, "A conversation or a batch has it.")
    archive = {"description": "The archive.", "content": {"application/zip": {"schema": {}}}}
    listed = _get("The files of the server", _json(FILES, "The newest first."), FILE_KIND, SEARCH, OFFSET)
    return {
        "/v1/files": {"post": _upload(), "get": listed},
        "/v1/files/zip": {"post": _post("Several files in one archive", ZIP_REQUEST, archive)},
        "/v1/files/{folder}/{name}": {"delete": delete},
    }


def _share_paths() -> Schema:
    """Of links to conversations; who has one needs no token."""
    add = _post("Make a link that shows a conversation to read", SHARE_REQUEST, _json(NEW_SHARE, "It."), "201")
    add["parameters"] = [CHAT_ID]
    add["responses"]["404"] = _json(ERROR, "There is no such conversation.")
    add["responses"]["409"] = _json(ERROR, "The server has no token, or the conversation too many links.")
    listed = _get("The links to a conversation that are valid", _json(SHARES, "The oldest first."), CHAT_ID)
    revoke = _get("Revoke a link", _json({"type": "object"}, "It is not valid any more."), CHAT_ID, SHARE_ID)
    shown = _get("The conversation that a link shows", _json(SHARED, "It."), SHARE_TOKEN)
    return {
        "/v1/chats/{chat}/shares": {"get": listed, "post": add},
        "/v1/chats/{chat}/shares/{share}": {"delete": revoke},
        "/share/{token}/conversation": {"get": {**shown, "security": []}},
    }


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
