"""The Flask application: its routes, and their JSON."""

from __future__ import annotations

import logging
import tempfile
import threading
import uuid
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import flask
from werkzeug.exceptions import Forbidden, HTTPException, NotFound

from hugginggpt.common.paths import PUBLIC
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError, ErrorCode, HuggingGPTError, StopReason, StoreUnavailable, UserError
from hugginggpt.core.events import RunRecord
from hugginggpt.core.plan import Change, Plan
from hugginggpt.core.results import well_formed
from hugginggpt.llm.base import LLM
from hugginggpt.llm.services import LOCAL, OPENAI_URL, llm_by_name, llm_with_key
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import kind_in
from hugginggpt.net import compression
from hugginggpt.net.listener import as_json
from hugginggpt.net.public_files import serve_files
from hugginggpt.records.again import with_change
from hugginggpt.records.feeds import ChatBusy, TooManyRuns
from hugginggpt.records.live_runs import LiveRun, Runs
from hugginggpt.records.run_log import RunLog
from hugginggpt.records.run_store import KnownRun
from hugginggpt.stages.plan_files import read_plan_file, refuse_problems, run_of_plan
from hugginggpt.stages.run import Run, Runner, checked_messages
from hugginggpt.status import status_of
from hugginggpt.web.batch_routes import BatchRoutes
from hugginggpt.web.batches import Batches, make_batches
from hugginggpt.web.chats import ChatStore
from hugginggpt.web.connections import connection_of, is_open
from hugginggpt.web.conversations import Conversations, for_clients
from hugginggpt.web.feeds import (
    RETRY_AFTER_SECONDS,
    Followers,
    event_stream,
    last_event_id,
    sent,
    sent_items,
)
from hugginggpt.web.gallery import Gallery
from hugginggpt.web.goal_routes import GoalRoutes
from hugginggpt.web.goals import Goals, make_goals
from hugginggpt.web.guard import COOKIE, Guard
from hugginggpt.web.inputs import read_attachments, read_body, safe_name, shown_name
from hugginggpt.web.openapi import description
from hugginggpt.web.plan_routes import PlanRoutes
from hugginggpt.web.previews import Previews
from hugginggpt.web.schemas import JarvisRequest, RunRequest
from hugginggpt.web.shares import Shares
from hugginggpt.web.stores import make_chats, make_runs

log = logging.getLogger(__name__)

STATUS = {StopReason.FAILED: 502, StopReason.MAX_SECONDS: 504, StopReason.MAX_TOKENS: 503, StopReason.CANCELLED: 503}
"""The HTTP status of a run that ended without an answer."""
FORM_ROOM = 100_000
"""The size of an upload form without its file, in bytes."""
LISTED_RUNS = 200
JARVIS_ROUTES = ("/hugginggpt", "/tasks", "/results")


def create_app(
    controller: Runner,
    config: Config,
    chats: ChatStore | None = None,
    runs: Runs | None = None,
    goals: Goals | None = None,
    batches: Batches | None = None,
) -> flask.Flask:
    """The application; nothing is shared between two of them. Raises ConfigError when the database cannot be opened."""
    app = flask.Flask(__name__, static_folder=None)
    media = MediaStore(config)
    app.config["MAX_CONTENT_LENGTH"] = media.max_bytes + FORM_ROOM
    compression.init_app(app)
    Guard(config.http_listen).init_app(app)
    runs = runs or make_runs(config)
    spare = config.http_listen.threads - config.http_listen.max_runs
    followers = Followers(max(1, spare // 2))  # the rest is for short requests
    batches = batches or make_batches(controller)
    conversations = Conversations(chats or make_chats(config), runs, RunLog(config), media, batches.names)
    is_named = conversations.chats.is_named
    api = _Api(controller, config, media, conversations, runs, followers)
    goal_routes = GoalRoutes(goals or make_goals(controller, config), media, followers)
    runs.watch(controller, conversations.end)
    plan_routes = PlanRoutes(controller, media, api.record_of)
    previews = Previews(media)
    shares = Shares(conversations.chats, previews, has_token=bool(config.http_listen.token))
    batch_routes = BatchRoutes(batches, controller, media, runs, followers, is_named)
    gallery = Gallery(media, lambda path: is_named(path) or batches.names(path))
    parts = (api, conversations, goal_routes, plan_routes, previews, batch_routes, gallery, shares)
    for rule, method, view in (route for part in parts for route in part.routes()):
        app.add_url_rule(rule, view.__name__, view, methods=[method])
    serve_files(app, config.public_dir, PUBLIC, bring=media.has)
    app.register_error_handler(HuggingGPTError, api.told)
    app.register_error_handler(HTTPException, _http_error)
    return app


class _Api:
    """The views, and what they share."""

    def __init__(
        self,
        controller: Runner,
        config: Config,
        media: MediaStore,
        conversations: Conversations,
        runs: Runs,
        followers: Followers,
    ) -> None:
        self.controller = controller
        self.config = config
        self.media = media
        self.conversations = conversations
        self.runs = runs
        self.records = conversations.records
        self._starting = threading.Lock()
        self.followers = followers

    def routes(self) -> Sequence[tuple[str, str, Any]]:
        return (
            ("/", "GET", self.page),
            ("/hugginggpt", "POST", self.hugginggpt),
            ("/tasks", "POST", self.tasks),
            ("/results", "POST", self.results),
            ("/v1/runs", "POST", self.start_run),
            ("/v1/runs", "GET", self.list_runs),
            ("/v1/runs/<run_id>", "GET", self.run_record),
            ("/v1/runs/<run_id>/events", "GET", self.run_events),
            ("/v1/runs/<run_id>", "DELETE", self.cancel_run),
            ("/v1/files", "POST", self.upload),
            ("/v1/status", "GET", self.status),
            ("/healthz", "GET", self.healthz),
            ("/openapi.json", "GET", self.openapi),
        )

    # JARVIS's routes

    def hugginggpt(self) -> Any:
        record = self._run_to_its_end("answer")
        findings = [finding.to_json() for finding in record.findings]
        body = {"message": record.message, "files": record.files, "errors": record.errors, "findings": findings}
        return self._answered(record, body, has_result=bool(record.message))

    def tasks(self) -> Any:
        record = self._run_to_its_end("plan")
        if record.plan.tasks or record.error:
            return self._answered(record, record.plan.to_json(), has_result=False)
        return self._small_talk(record.plan)

    def results(self) -> Any:
        record = self._run_to_its_end("results")
        if record.plan.tasks or record.error:
            return self._answered(record, record.results, has_result=bool(record.tasks))
        return self._small_talk(record.plan)

    def _small_talk(self, plan: Plan) -> Any:
        """Of a request without tasks JARVIS's routes give the answer in place of the plan or the results."""
        record = self._run_to_its_end("answer", plan)
        return self._answered(record, {"message": record.message}, has_result=bool(record.message))

    def _run_to_its_end(self, until: str, plan: Plan | None = None) -> RunRecord:
        """The record of a run. The run ends when its client hangs up: no other client knows its id."""
        body = read_body(JarvisRequest)
        connection = connection_of(flask.request.environ)
        # JARVIS's clients are told of a failure by the status
        live = self._start(body, until, offline_fallback=False, may_move=False, plan=plan)
        return live.wait(partial(is_open, connection) if connection else None)

    def _answered(self, record: RunRecord, body: Any, *, has_result: bool) -> Any:
        """The body; with an error and a fitting status when the run failed and nothing came of it."""
        if record.error and not has_result:
            status = STATUS.get(record.stop or StopReason.FAILED, 502)
            return self._told_as_jarvis(_error(record.error, "run", record.code or ErrorCode.ERROR, status))
        return flask.jsonify(body)

    def _told_as_jarvis(self, answer: flask.Response) -> flask.Response:
        """JARVIS had one status: its clients read `message`."""
        if self.config.http_listen.jarvis_errors and flask.request.path in JARVIS_ROUTES:
            answer.status_code = 200
        return answer

    def told(self, error: HuggingGPTError) -> flask.Response:
        """What is answered to a request that cannot be run."""
        return self._told_as_jarvis(_told(error))

    def _start(
        self,
        body: dict[str, Any],
        until: str,
        chat: str | None = None,
        offline_fallback: bool = True,
        may_move: bool = True,
        reads: str | None = None,
        plan: Plan | None = None,
    ) -> LiveRun:
        """Starts the run of a request body, with its own language model if the body has a key: such a run stays with
        this controller, and so does one that may not move. It becomes a turn of `chat`; of a conversation that it
        `reads` it only knows the turns. A `plan` is there where the request was planned before.
        """
        own = self._own_llm(body)
        controller = self.controller.with_llm(own) if own else self.controller

        def begin(live: LiveRun) -> None:
            if chat:
                resumes = body.get("resume") or (body.get("again") or {}).get("run_id")
                self.conversations.begin(live, chat, resumes, body.get("after"))

        def done(live: LiveRun) -> None:
            if own:
                own.close()
            self.conversations.end(live)

        try:
            run = self._run(controller, body, chat or reads)
            run.plan = run.plan if plan is None else plan
            run.offline_fallback &= offline_fallback
            run.planner = body.get("planner") or run.planner
            run.rejected = body.get("rejected") or run.rejected
            return self.runs.start(controller, run, until, begin, done, chat, may_move and own is None)
        except BaseException:  # `done` is not called for a run that was refused
            if own:
                own.close()
            raise

    def _run(self, controller: Runner, body: dict[str, Any], chat: str | None) -> Run:
        """The run for a request body. In a conversation only its last message counts: earlier turns are stored."""
        resume, messages, files = body.get("resume"), body.get("messages"), body.get("files")
        if resume is not None:
            if any(body.get(name) is not None for name in ("messages", "files", "plan", "again")):
                raise UserError('"resume" goes on with a recorded request: give no other one beside it.')
            return self._resumed(controller, resume)
        if body.get("again") is not None:
            return self._again(controller, body)
        attached = read_attachments(files, self.media)
        if body.get("plan") is not None:
            return self._planned(controller, body, attached, chat)
        if chat is None:
            return controller.prepare(messages, attached)  # type: ignore[arg-type]  # it is checked there
        last: Any = messages[-1:] if isinstance(messages, list) else messages
        return controller.prepare(last, attached, self.conversations.past(chat, body.get("after")))

    def _planned(self, controller: Runner, body: dict[str, Any], files: list[Attachment], chat: str | None) -> Run:
        """The run of a plan that a client has in hand. Raises UserError for one that cannot be run."""
        messages = body.get("messages")
        request = checked_messages(messages, self.config.limits)[-1]["content"] if messages is not None else ""
        turns = self.conversations.past(chat, body.get("after")) if chat else ()
        run = run_of_plan(controller, read_plan_file(body["plan"]), files, request=request, turns=turns)
        plan = run.plan or Plan()
        if plan.tasks or not request:  # a request without tasks is answered
            refuse_problems(plan)
        return run

    def _resumed(self, controller: Runner, run_id: str) -> Run:
        """A run that resumes a recorded run, or one whose server was killed. Raises UserError."""
        known = self.runs.find(run_id)
        if known and not known.over:
            raise UserError(f"The run {run_id} goes on: follow it, or cancel it first.")
        run = controller.resume(run_id, known.told() if known else None)
        if any(file.local_path for file in run.known_files):
            raise UserError(
                f"The run {run_id} uses files of the server's machine: resume it there (--resume {run_id})."
            )
        return run

    def _again(self, controller: Runner, body: dict[str, Any]) -> Run:
        """A version of a run in which one task is done again, perhaps with further files. Raises UserError."""
        if any(body.get(name) is not None for name in ("messages", "plan")):
            raise UserError('"again" is about a recorded request: give no other one beside it.')
        asked = body["again"]
        run = self._resumed(controller, asked["run_id"])
        run.files = (*run.files, *read_attachments(body.get("files"), self.media))
        change = Change(asked["task"], asked.get("model") or "", well_formed(asked.get("args") or {}))
        return with_change(run, change, asked["run_id"], controller.table, controller.endpoints)

    def _own_llm(self, body: dict[str, Any]) -> LLM | None:
        """The language model for a request that brings a key of its own, or names another model of a local service.

        The key is used for this request only and goes to the configured service or to OpenAI; the server's
        own key goes nowhere else. Raises Forbidden for another api_endpoint, and for a model by name that the server's
        key would pay for.
        """
        endpoint, key, model = body.get("api_endpoint"), body.get("api_key"), body.get("llm_model")
        if endpoint and not self._may_be_asked(str(endpoint)):
            raise Forbidden("api_endpoint names a service that this server may not ask (http_listen.llm_hosts).")
        if key:
            return llm_with_key(self.config, key, str(endpoint) if endpoint else None, model)
        if not model:
            return None
        if self.config.llm_name != LOCAL:
            raise Forbidden("llm_model is for requests with an api_key, and for servers whose language model is local.")
        return llm_by_name(self.config, model)

    def _may_be_asked(self, endpoint: str) -> bool:
        try:
            parts = urlsplit(endpoint)
        except ValueError:
            return False
        if parts.scheme == "https" and parts.netloc == urlsplit(OPENAI_URL).netloc:
            return True
        return parts.scheme in ("http", "https") and parts.netloc in self.config.http_listen.llm_hosts

    # Runs as event streams

    def start_run(self) -> Any:
        body = read_body(RunRequest)
        until, chat = str(body.get("until", "answer")), self._chat(body.get("chat"))
        if chat is None or until == "plan":  # a plan to be looked at is no turn yet; it knows of those before
            live = self._start(body, until, reads=chat)
        else:
            with self._starting:  # the previous run is stored completely, or this one is refused
                if going := self.runs.of_chat(chat):
                    raise ChatBusy(going.head.id)
                live = self._start(body, until, chat)
        head = {"run_id": live.run.id, "chat": live.chat, "position": live.position}
        return event_stream(chain([sent("accepted", head)], sent_items(live.follow())))

    def _chat(self, asked: Any) -> str | None:
        """The conversation that a run belongs to; of "new" an id, it is made when the run begins. Raises NotFound."""
        if asked is None:
            return None
        if asked == "new":
            return uuid.uuid4().hex
        if not isinstance(asked, str) or not asked.isascii() or not self.conversations.chats.get(asked):
            raise NotFound('There is no such chat: give its id, or "new".')
        return asked

    def run_events(self, run_id: str) -> Any:
        """The events after the last one that the client has received."""
        known = self._known(run_id)
        self.followers.enter()
        stream = event_stream(sent_items(known.follow(last_event_id())))
        stream.call_on_close(self.followers.leave)
        return stream

    def run_record(self, run_id: str) -> Any:
        return flask.jsonify(for_clients(self.record_of(run_id)))

    def record_of(self, run_id: str) -> dict[str, Any]:
        """The record of a run, also of an active one. Raises NotFound."""
        known = self.runs.find(run_id)
        record = known.told() if known else self.records.load(run_id) if run_id != "last" else None
        if record is None:
            raise NotFound("There is no such run.")
        return record

    def list_runs(self) -> Any:
        """The runs that go on and those that ended lately, whoever works on them."""
        return flask.jsonify({"runs": [_summary(known) for known in self.runs.known(LISTED_RUNS)]})

    def cancel_run(self, run_id: str) -> Any:
        known = self._known(run_id)
        known.cancel()
        return flask.jsonify({"run_id": run_id, "stop": known.until_over()})

    def _known(self, run_id: str) -> KnownRun:
        known = self.runs.find(run_id)
        if known is None:
            raise NotFound("There is no such run, or it is long over.")
        return known

    # Files

    def upload(self) -> Any:
        """Takes a picture, recording, video or table in; gives the path to name in a request."""
        file = flask.request.files.get("file")
        if file is None:
            raise UserError('Send the file as multipart/form-data under the name "file".')
        with tempfile.TemporaryDirectory() as folder:
            received = Path(folder) / safe_name(file.filename or "")
            try:
                file.save(received)
            except OSError as error:
                raise BackendError(f"The file cannot be taken in: {error.strerror or error}.") from error
            saved = self.media.receive(received)
        name, size = shown_name(file.filename or saved.name), saved.stat().st_size
        path, kind = self.media.public_path(saved), kind_in(saved)
        return flask.jsonify({"name": name, "path": path, "kind": kind, "bytes": size}), 201

    # About the server

    def status(self) -> Any:
        told = status_of(self.config, self.controller.endpoints, self.controller.table)
        return flask.jsonify(
            {**told, "signed_in": bool(self.config.http_listen.token) and COOKIE in flask.request.cookies}
        )

    def healthz(self) -> Any:
        return flask.jsonify({"status": "ok", "runs": self.runs.working()})

    def openapi(self) -> Any:
        return flask.jsonify(description())

    def page(self) -> Any:
        return flask.send_file(PUBLIC / "index.html", max_age=0)


def _summary(known: KnownRun) -> dict[str, Any]:
    head = known.head
    return {"run_id": head.id, "request": head.request, "chat": head.chat, "over": known.over}


# Errors


def _body(message: str, kind: str, code: str) -> dict[str, Any]:
    """`kind` says where it went wrong (request, run, busy, store, http), `code` what."""
    return {"message": message, "error": {"message": message, "type": kind, "code": code}}


def _error(message: str, kind: str, code: str, status: int) -> flask.Response:
    answer = flask.jsonify(_body(message, kind, code))
    answer.status_code = status
    return answer


def _told(error: HuggingGPTError) -> flask.Response:
    if isinstance(error, ChatBusy):
        body = {**_body(str(error), "busy", error.code), "run_id": error.run_id}
        return flask.make_response(flask.jsonify(body), 409)
    if isinstance(error, TooManyRuns):
        answer = _error(str(error), "busy", error.code, 429)
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return answer
    if isinstance(error, StoreUnavailable):
        answer = _error(str(error), "store", error.code, 503)
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return answer
    return _error(str(error), "request", error.code, 400 if isinstance(error, UserError) else 500)


def _http_error(error: HTTPException) -> Any:
    code = error.name.lower().replace(" ", "_")  # not_found, unauthorized, request_entity_too_large
    answer = as_json(error, _body(error.description or error.name, "http", code))
    if error.code == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer
