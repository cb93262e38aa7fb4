"""The controller over HTTP: JARVIS's POST /hugginggpt, /tasks and /results, and the files of public/."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import socket
from collections.abc import Callable
from typing import Any

import flask
import waitress
from werkzeug.exceptions import HTTPException

from hugginggpt.config import Config
from hugginggpt.errors import ConfigError, HuggingGPTError, StopReason, UserError
from hugginggpt.events import RunRecord
from hugginggpt.run import Runner

log = logging.getLogger(__name__)

STATUS = {StopReason.FAILED: 502, StopReason.MAX_SECONDS: 504, StopReason.MAX_TOKENS: 503, StopReason.CANCELLED: 503}
"""The HTTP status of a run that ended without an answer."""
MAX_BODY_BYTES = 2_000_000
BACKLOG = 512


def create_app(controller: Runner, config: Config) -> flask.Flask:
    """The application; nothing is shared between two of them."""
    app = flask.Flask(__name__, static_folder=str(config.public_dir.resolve()), static_url_path="/")
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES

    @app.before_request
    def check_token() -> None:
        token = config.http_listen.token
        sent = flask.request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and not hmac.compare_digest(sent.encode(), token.encode()):
            flask.abort(401)

    @app.post("/hugginggpt")
    def answer() -> Any:
        record = _run(controller, "answer")
        body = {"message": record.message, "files": record.files, "errors": record.errors}
        return _answered(record, body, any(task.ok for task in record.tasks.values()) or not record.tasks)

    @app.post("/tasks")
    def tasks() -> Any:
        record = _run(controller, "plan")
        return _answered(record, record.plan.to_json(), True)

    @app.post("/results")
    def results() -> Any:
        record = _run(controller, "results")
        return _answered(record, record.results, bool(record.tasks))

    app.register_error_handler(UserError, _user_error)
    app.register_error_handler(HTTPException, _http_error)
    return app


def _run(controller: Runner, until: str) -> RunRecord:
    """The record of the run that the request's messages ask for. Raises UserError for a body that is none."""
    body = flask.request.get_json(silent=True)
    if not isinstance(body, dict):
        raise UserError('The body should be JSON: {"messages": [{"role": "user", "content": "..."}]}.')
    record = RunRecord()
    for event in controller.run(body.get("messages"), until=until):  # type: ignore[arg-type]
        record.apply(event)
    return record


def _answered(record: RunRecord, body: Any, worth_it: bool) -> Any:
    """The body; with an error and a fitting status when the run failed and nothing came of it."""
    if record.error and not (worth_it and record.message):
        status = STATUS.get(record.stop or StopReason.FAILED, 502)
        return flask.jsonify({"message": record.message or record.error, "error": _error(record.error, "run")}), status
    return flask.jsonify(body)


def _error(message: str, kind: str) -> dict[str, str]:
    return {"message": message, "type": kind}


def _user_error(error: HuggingGPTError) -> Any:
    return flask.jsonify({"message": str(error), "error": _error(str(error), "request")}), 400


def _http_error(error: HTTPException) -> Any:
    message = error.description or error.name
    return flask.jsonify({"message": message, "error": _error(message, "http")}), error.code or 500


def serve(controller: Runner, config: Config, ready: Callable[[str], None] = print) -> None:
    """Serves until the process is ended. Raises ConfigError when the address may not or cannot be used."""
    listen = config.http_listen
    if not _is_loopback(listen.host) and not listen.token:
        raise ConfigError(
            f"http_listen.host {listen.host} can be reached from other machines: set http_listen.token, "
            "or host 127.0.0.1."
        )
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        listener = socket.create_server((listen.host, listen.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigError(f"Cannot listen on {listen.host}:{listen.port}: {error.strerror}.") from error
    server: Any = waitress.create_server(
        create_app(controller, config), sockets=[listener], threads=listen.threads, ident=None
    )
    address = f"http://{listen.host}:{listener.getsockname()[1]}"
    ready(f"Listening on {address} (language model: {config.llm_name}). Ctrl-C ends it.")
    server.run()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
