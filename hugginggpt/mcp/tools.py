"""The tools that are offered: their names, descriptions, schemas and hints."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp_types import Tool, ToolAnnotations

from hugginggpt.core.errors import ConfigError, StopReason, UserError
from hugginggpt.core.results import SCHEMAS
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.endpoints.base import Tier
from hugginggpt.llm.prompts import task_list
from hugginggpt.stages.run import Runner

MAX_FILES = 50
MAX_WAIT_SECONDS = 50
"""Clients give a call up after a minute."""
RUNNING = "running"
Schema = dict[str, Any]

_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_PLANS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=True)
_RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True)
_ENDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

LOCAL_FILES = "a path of this machine, an http(s) URL, a data: URL, or the hugginggpt:// link of an earlier result"
REMOTE_FILES = "an http(s) URL, a data: URL, or the hugginggpt:// link of an earlier result"

RUN_REQUEST = (
    "Plans a request about pictures, recordings, videos, tables or texts as a graph of tasks, has expert models run "
    "them, and answers from their results. For what may take longer than a minute use start_run and get_run."
)
START_RUN = "Starts a request as run_request does, and returns at once with the run_id for get_run."
PLAN_REQUEST = "The plan for a request, without running it."
LIST_TASKS = "The task types that can be run now, with their arguments and what they give."
GET_RUN = "How a run stands, and its answer when it has ended."
CANCEL_RUN = "Ends a run; what it has finished so far is kept."


def tool_name(task: str) -> str:
    """The name of the tool for a task type: object_detection."""
    return task.replace("-", "_")


def rows_named(names: str, table: TaskTable) -> list[TaskType]:
    """The task types of a list such as "object-detection,image-to-text". Raises ConfigError for an unknown one."""
    rows = []
    for name in filter(None, (part.strip() for part in names.split(","))):
        row = table.find(name)
        if row is None:
            raise ConfigError(f"--tools: {unknown_task(name, table)}")
        rows.append(row)
    return list(dict.fromkeys(rows))


def unknown_task(name: str, table: TaskTable) -> str:
    near = table.nearest(name)
    return f"There is no task {name[:80]}" + (f": did you mean {near}?" if near else ".")


def tasks_that_run(controller: Runner) -> list[str]:
    """The task types for which an endpoint has a model now. The Hub is not asked, only whether it is set up."""
    endpoints = controller.endpoints
    return [
        row.name
        for row in controller.table
        if any(place.covers(row) if place.tier is Tier.REMOTE else place.models(row, 1) for place in endpoints)
    ]


def make_tools(table: TaskTable, names: Collection[str], typed: Iterable[TaskType], is_local: bool) -> list[Tool]:
    """All tools: `names` are the task types that run_task takes, `typed` those with a tool of their own."""
    files = LOCAL_FILES if is_local else REMOTE_FILES
    return [
        *_of_requests(files),
        *([_run_task(table, names, files)] if names else []),
        _tool("list_tasks", "List the tasks", LIST_TASKS, {}, _TASKS, _READS),
        *_of_runs(),
        *(_typed(row, files) for row in typed),
    ]


def _of_requests(files: str) -> list[Tool]:
    request: dict[str, Schema] = {
        "request": {"type": "string", "minLength": 1, "description": "What is to be done, in words."},
        "files": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": MAX_FILES,
            "description": f"The files that the request is about, each {files}.",
        },
    }
    return [
        _tool("run_request", "Run a request", RUN_REQUEST, request, _OUTCOME, _RUNS),
        _tool("start_run", "Start a run", START_RUN, request, _OUTCOME, _RUNS),
        _tool("plan_request", "Plan a request", PLAN_REQUEST, request, _PLAN, _PLANS),
    ]


def _of_runs() -> list[Tool]:
    run_id: Schema = {"type": "string", "description": "The run_id that start_run gave."}
    wait: Schema = {
        "type": "number",
        "minimum": 0,
        "maximum": MAX_WAIT_SECONDS,
        "description": "How long to wait for the end of the run, in seconds (20).",
    }
    return [
        _tool("get_run", "Get a run", GET_RUN, {"run_id": run_id, "wait_seconds": wait}, _OUTCOME, _READS),
        _tool("cancel_run", "Cancel a run", CANCEL_RUN, {"run_id": run_id}, _OUTCOME, _ENDS),
    ]


def _tool(name: str, title: str, about: str, args: Mapping[str, Schema], gives: Schema, hints: ToolAnnotations) -> Tool:
    """A tool whose first argument is required."""
    schema = _object(args, list(args)[:1])
    return Tool(name=name, title=title, description=about, input_schema=schema, output_schema=gives, annotations=hints)


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raises UserError for arguments that do not fit the tool's schema; the protocol's library does not look."""
    error = best_match(Draft202012Validator(tool.input_schema).iter_errors(arguments))
    if error is None:
        return
    where = ".".join(str(part) for part in error.absolute_path)
    raise UserError(f"{tool.name}: {f'{where}: ' if where else ''}{error.message[:300]}.")


def task_schema(row: TaskType, files: str) -> Schema:
    """The schema of a task's arguments."""
    properties: dict[str, Schema] = {}
    for arg in row.args:
        kind = {"text": "text", "table": f"table as CSV text or as a file: {files}"}.get(
            arg.kind, f"{arg.kind}: {files}"
        )
        about = f"{arg.about}; {kind}" if arg.about else kind
        text: Schema = {"type": "string"}
        properties[arg.name] = {**({"type": "array", "items": text} if arg.many else text), "description": about}
    return _object(properties, [arg.name for arg in row.required])


def task_entry(row: TaskType) -> dict[str, Any]:
    """A task type for list_tasks."""
    args = [
        {"name": arg.name, "kind": arg.kind, "required": arg.required, "many": arg.many, "about": arg.about}
        for arg in row.args
    ]
    return {"task": row.name, "about": row.about, "args": args, "gives": row.result.name}


def _run_task(table: TaskTable, names: Collection[str], files: str) -> Tool:
    return Tool(
        name="run_task",
        title="Run a task",
        description=f"Runs one task with the best expert for it. Files are each {files}. The tasks and their arguments "
        f"([optional]):\n{task_list(table, names)}",
        input_schema=_object(
            {
                "task": {"type": "string", "enum": [name for name in table.names if name in names]},
                "args": {"type": "object", "description": "The arguments of the task by name."},
            },
            ["task", "args"],
        ),
        output_schema=_TASK_OUTCOME,
        annotations=_RUNS,
    )


def _typed(row: TaskType, files: str) -> Tool:
    return Tool(
        name=tool_name(row.name),
        title=row.name.replace("-", " ").capitalize(),
        description=f"{row.about[:1].upper()}{row.about[1:]}.",
        input_schema=task_schema(row, files),
        output_schema=_TASK_OUTCOME,
        annotations=_RUNS,
    )


def _object(properties: Mapping[str, Schema], required: Sequence[str]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        **({"required": list(required)} if required else {}),
        "additionalProperties": False,
    }


_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FILE = _object(
    {"uri": _TEXT, "name": _TEXT, "mime_type": _TEXT, "bytes": _COUNT, "path": _TEXT},
    ["uri", "name", "mime_type", "bytes"],
)
_FIELDS: dict[str, Schema] = {
    "run_id": _TEXT,
    "status": {
        "type": "string",
        "enum": [RUNNING, *map(str, StopReason)],
        "description": "Whether the run goes on, or why it ended.",
    },
    "message": {"type": "string", "description": "The answer, or what is being done."},
    "files": {"type": "array", "items": _FILE, "description": "The generated files."},
    "errors": {"type": "array", "items": _TEXT, "description": "What failed or was skipped, and why."},
    "done": {"type": "integer", "minimum": 0, "description": "Tasks that have ended, of `total`."},
    "total": _COUNT,
}
_OUTCOME = _object(_FIELDS, list(_FIELDS))
_RESULT: Schema = {
    "anyOf": [{"type": kind} for kind in ("object", "array", "null")],
    "description": "The result as data; null where there is none.",
}
_FORM: Schema = {"type": "string", "enum": ["", *SCHEMAS], "description": "The form that the result has."}
_TASK_OUTCOME = _object({**_FIELDS, "result": _RESULT, "form": _FORM}, [*_FIELDS, "result", "form"])
_PLANNED = _object(
    {
        "task": _TEXT,
        "id": {"type": "integer"},
        "dep": {"type": "array", "items": {"type": "integer"}},
        "args": {"type": "object"},
        "when": {"type": "object"},
    },
    ["task", "id", "dep", "args"],
)
_PLAN = _object(
    {
        "run_id": _TEXT,
        "tasks": {"type": "array", "items": _PLANNED, "description": "The plan, in JARVIS's format."},
        "problems": _TEXTS,
        "notes": _TEXTS,
    },
    ["run_id", "tasks", "problems", "notes"],
)
_ARG = _object(
    {"name": _TEXT, "kind": _TEXT, "required": {"type": "boolean"}, "many": {"type": "boolean"}, "about": _TEXT},
    ["name", "kind", "required", "many", "about"],
)
_TASKS = _object(
    {
        "tasks": {
            "type": "array",
            "items": _object(
                {"task": _TEXT, "about": _TEXT, "args": {"type": "array", "items": _ARG}, "gives": _TEXT},
                ["task", "about", "args", "gives"],
            ),
        }
    },
    ["tasks"],
)
