"""The model server over HTTP: JARVIS's wire format, and routes for models, health and metrics."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import flask
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from hugginggpt.config import Config, Guarded
from hugginggpt.core.errors import ExpertUnavailable, HuggingGPTError, UserError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.tasks import Arg, TaskTable, TaskType
from hugginggpt.endpoints.base import settle
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import is_file
from hugginggpt.media.types import shown_as
from hugginggpt.net.guard import Guard
from hugginggpt.net.listener import as_json
from hugginggpt.net.public_files import READING, serve_files
from hugginggpt.serving import openai_api
from hugginggpt.serving.asking import UnknownModel, ask, client_has_gone, entry_of, with_status
from hugginggpt.serving.downloads import Downloads
from hugginggpt.serving.metrics import Metrics
from hugginggpt.serving.model_pool import ModelPool
from hugginggpt.serving.model_registry import Entry, ModelRegistry
from hugginggpt.serving.progress import answered
from hugginggpt.serving.uploads import saved_uploads

log = logging.getLogger(__name__)

WIRE_NAMES = {"img_url": "image", "audio_url": "audio", "question": "text"}
"""JARVIS's names of arguments that have another name in the task table."""
UPLOADED: tuple[Kind, ...] = (*FILE_KINDS, "table")
"""The kinds of arguments that may come as a file."""
MAX_FILES = 64
"""So many files may a list hold: each may be an address that has to be fetched."""
ARGUMENTS = "arguments"
"""The field of a form that holds arguments as JSON, beside the files: lists, and texts as they are."""
SECTION = "local_inference_endpoint"
DESCRIPTION = "/openapi.json"
OPEN_PATHS = ("/healthz", "/readyz", DESCRIPTION)
"""What needs no token: it tells nothing but that the server is there, and what it is."""


def create_app(
    config: Config,
    model_registry: ModelRegistry,
    pool: ModelPool,
    metrics: Metrics | None = None,
    *,
    listening: Guarded | None = None,
    not_ready: Callable[[], str] = str,
) -> flask.Flask:
    """The application: the registered models, and the pool that runs them.

    It listens at the address of the configuration unless `listening` says otherwise. `not_ready` says why no requests
    should be sent yet or any more, "" if they should.
    """
    media = MediaStore(config)
    app = flask.Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = media.max_bytes + 1_000_000
    Guard(listening or config.local_inference_endpoint, SECTION, shown_as, OPEN_PATHS).init_app(app)
    _add_probes(app, pool, metrics or Metrics(pool), not_ready)

    @app.get(DESCRIPTION)
    def openapi() -> Any:
        from hugginggpt.serving.openapi import description

        return description(model_registry.table)

    _add_models(app, model_registry, pool, media)
    _add_loading(app, model_registry, pool, Downloads(config))
    openai_api.add_routes(app, model_registry, pool, media)
    serve_files(app, config.public_dir)
    app.register_error_handler(HuggingGPTError, _error_response)
    app.register_error_handler(HTTPException, _http_error)
    return app


def _add_probes(app: flask.Flask, pool: ModelPool, metrics: Metrics, not_ready: Callable[[], str]) -> None:
    """The routes that tell how the server is."""

    @app.get("/running")
    def running() -> Any:
        return {"running": True}

    @app.get("/healthz")
    def healthz() -> Any:
        return {"status": "ok", "waiting": pool.waiting()}

    @app.get("/readyz")
    def readyz() -> Any:
        reason = not_ready()
        return {"ready": not reason, **({"reason": reason} if reason else {})}, 503 if reason else 200

    @app.get("/metrics")
    def show_metrics() -> Any:
        text, content_type = metrics.text(flask.request.headers.get("Accept", ""))
        return flask.Response(text, content_type=content_type)


def _add_models(app: flask.Flask, model_registry: ModelRegistry, pool: ModelPool, media: MediaStore) -> None:
    """The routes of the models."""

    @app.get("/models")
    def models() -> Any:
        return {"models": [_info(entry, pool) for entry in model_registry.entries()]}

    @app.get("/status/<path:model>")
    def status(model: str) -> Any:
        entry = model_registry.find(model)
        return {"loaded": entry is not None, **(_info(entry, pool) if entry else {"id": model, "state": "absent"})}

    @app.post("/models/<path:model>")
    def infer(model: str) -> Any:
        entry = entry_of(model_registry, model)
        data = _request_data(flask.request)
        with saved_uploads(flask.request.files) as uploads:
            data.update(uploads)
            row = _task(entry, data, model_registry.table)
            args = _arguments(row, data, media, model_registry.table.arg_aliases)
            try:
                raw = ask(pool, entry, row.name, args).answer()
            except ExpertUnavailable as error:
                return _error_response(error, **_unchanged_picture(row, args, media))
            return flask.jsonify(_wire_result(row, raw, args, media))


def _add_loading(app: flask.Flask, model_registry: ModelRegistry, pool: ModelPool, downloads: Downloads) -> None:
    """The routes that fetch, load and unload models. They tell of their progress to clients that accept events."""

    @app.post("/models/<path:model>/load")
    def load(model: str) -> Any:
        entry = entry_of(model_registry, model)
        has_gone = client_has_gone()
        return answered(
            "loading", lambda tell: pool.load(entry, tell, has_gone), lambda _: _info(entry, pool), _error_body
        )

    @app.post("/models/<path:model>/download")
    def download(model: str) -> Any:
        if not downloads.allows(model):
            raise UnknownModel(
                f"{model[:200]} is not downloaded for clients: only what the configuration's deployments and "
                "models_server.models name."
            )
        return answered(
            "downloading", lambda tell: downloads.start(model, tell), lambda size: {"id": model, "bytes": size},
            _error_body,
        )  # fmt: skip

    @app.post("/models/<path:model>/unload")
    def unload(model: str) -> Any:
        return {"id": entry_of(model_registry, model).id, "unloaded": pool.unload(model)}


def _info(entry: Entry, pool: ModelPool) -> dict[str, Any]:
    status = pool.status(entry.id)
    loaded = status.state in ("loading", "loaded") and not entry.embedded
    return {
        "id": entry.id,
        "task": entry.tasks[0],
        "tasks": list(entry.tasks),
        "description": entry.about,
        "state": status.state,
        "device": (status.device or None) if loaded else None,
        "dtype": (status.dtype or None) if loaded else None,
        "bytes": status.bytes,
        "working_bytes": status.working,
        "uses": status.uses,
        **({"quantize": status.quantize} if loaded and status.quantize else {}),
        **({"error": status.error} if status.error else {}),
    }


# Requests


def _request_data(request: flask.Request) -> dict[str, Any]:
    """The fields of a JSON body or of a form. Raises UserError for another body, or one with invalid text."""
    form: dict[str, Any] = {}
    try:
        if request.mimetype == "multipart/form-data":
            form = dict(request.form)
            data = read_json(form.pop(ARGUMENTS).encode()) if ARGUMENTS in form else {}
        else:
            data = read_json(request.get_data()) if request.is_json else None
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise UserError(
            "A text in the body holds half of a character (a lone surrogate): send the whole one."
        ) from error
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise UserError(
            'The body should be JSON, such as {"text": "..."} or {"img_url": "..."}, or a form with a file.'
        )
    return {**data, **form}


def _task(entry: Entry, data: Mapping[str, Any], table: TaskTable) -> TaskType:
    """The requested task: by its name, else the model's task whose required arguments are present."""
    task = data.get("task")
    if task:
        if task not in entry.tasks:
            raise UserError(f"{entry.id} is for {' and '.join(entry.tasks)}, not for {str(task)[:100]}.")
        return table[str(task)]
    rows = [table[name] for name in entry.tasks]
    argument_names = {_table_name(name) for name in data}
    candidates = [row for row in rows if _fits(row, argument_names)]
    return max(candidates, key=lambda row: len(row.required), default=rows[0])


def _fits(row: TaskType, argument_names: set[str]) -> bool:
    """Whether a task's required arguments are present; an upload named `file` replaces one of them."""
    missing = [arg.kind for arg in row.required if arg.name not in argument_names]
    return not missing or ("file" in argument_names and len(missing) == 1 and missing[0] in UPLOADED)


def _table_name(name: str) -> str:
    return WIRE_NAMES.get(name, name)


def _arguments(row: TaskType, data: Mapping[str, Any], media: MediaStore, names: Mapping[str, str]) -> dict[str, Any]:
    """The task's arguments: texts as strings, files as checked local paths. Raises UserError for a missing one."""
    values = {_table_name(name): value for name, value in data.items() if value is not None}
    if isinstance(values.get("file"), Path | list):
        values.setdefault(next((arg.name for arg in row.args if arg.kind in UPLOADED), "file"), values["file"])
    args: dict[str, Any] = {}
    for arg in row.args:
        aliases = [alias for alias, name in names.items() if name == arg.name]
        value = next((values[name] for name in (arg.name, *aliases) if name in values), None)
        if value is None or (isinstance(value, str) and not value.strip()):
            if arg.required:
                raise UserError(f"{row.name} needs {_wire_name(arg)}{f' ({arg.about})' if arg.about else ''}.")
            continue
        args[arg.name] = _argument(arg, value, media)
    return args


def _argument(arg: Arg, value: Any, media: MediaStore) -> Any:
    """The value of an argument: each element of a list is opened and checked as a single value is."""
    if not arg.many:
        return _one(arg, value, media)
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
    if any(isinstance(item, list | dict) for item in items):
        raise UserError(f"{_wire_name(arg)} should be a list of texts.")
    if arg.kind in UPLOADED and len(items) > MAX_FILES:
        raise UserError(f"{_wire_name(arg)} should be {MAX_FILES} files at most, but is {len(items)}.")
    return [_one(arg, item if isinstance(item, Path) else str(item).strip(), media) for item in items]


def _one(arg: Arg, value: Any, media: MediaStore) -> Any:
    if isinstance(value, Path):
        if arg.kind not in UPLOADED:
            raise UserError(f"{_wire_name(arg)} should be a text, not a file.")
        media.check(value, arg.kind)
        return value
    if not isinstance(value, str):
        raise UserError(f"{_wire_name(arg)} should be a text, but is {type(value).__name__}.")
    names_file = arg.kind in FILE_KINDS or (arg.kind == "table" and is_file(value))
    return media.open(value, arg.kind) if names_file else value


def _wire_name(arg: Arg) -> str:
    return next((wire for wire, name in WIRE_NAMES.items() if name == arg.name and wire.endswith("_url")), arg.name)


# Responses


def _wire_result(row: TaskType, raw: Any, args: Mapping[str, Any], media: MediaStore) -> Any:
    """JARVIS's form of a result: "path" for a file, a bare list of boxes for a detection."""
    if row.result.draws == "boxes":
        value = row.result.parse(raw)
        return value["predicted"]
    value = settle(row, raw, args, media)
    if isinstance(value, dict):
        return {("path" if name.removeprefix("generated ") in FILE_KINDS else name): v for name, v in value.items()}
    return value


def _unchanged_picture(row: TaskType, args: Mapping[str, Any], media: MediaStore) -> dict[str, str]:
    """The "path" beside the error of a segmentation: JARVIS's client fails without it. One that was sent is kept."""
    image = args.get("image")
    if row.result.draws != "masks" or not isinstance(image, Path):
        return {}
    return {"path": media.public_path(image if media.is_public(image) else media.attach(image))}


def _error_response(error: HuggingGPTError, **fields: str) -> Any:
    """An error as JSON with further fields, and an HTTP status for its cause."""
    return with_status(error, {**_error_body(error), **fields})


def _error_body(error: HuggingGPTError) -> dict[str, Any]:
    return {"error": {"message": str(error), "type": type(error).__name__}}


def _http_error(error: HTTPException) -> Any:
    if isinstance(error, MethodNotAllowed) and READING.issuperset(error.valid_methods or ()) and _is_only_a_file():
        error = NotFound()
    if flask.request.path.startswith(openai_api.PREFIX):
        return as_json(error, openai_api.http_error_body(error.description or error.name, error.code or 500))
    return as_json(error, {"error": {"message": error.description or error.name, "type": error.name}})


def _is_only_a_file() -> bool:
    """Whether no route has the path of the request but that of the public files, which may have any."""
    adapter = flask.globals.request_ctx.url_adapter
    try:
        return adapter is not None and adapter.match(method="GET")[0] == "public_file"
    except HTTPException:
        return False
