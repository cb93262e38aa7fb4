"""The routes of batches: plan one over many files, look at it, run it, follow it, stop it, take its results away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import flask
from werkzeug.exceptions import BadGateway, Conflict, NotFound

from hugginggpt.batch.journal import BatchBusy
from hugginggpt.batch.planning import Planned, as_given, made_for_all, run_of_first
from hugginggpt.batch.rows import FILE, Row, Rows
from hugginggpt.batch.template import attachments_of, request_for
from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import ExpertUnavailable, HuggingGPTError, UserError
from hugginggpt.core.results import well_formed
from hugginggpt.media.store import MediaStore
from hugginggpt.records.live_runs import Runs
from hugginggpt.stages.plan_files import read_plan_file
from hugginggpt.stages.run import Runner
from hugginggpt.web.batch_schemas import MOST_ROWS, RESULT_TYPES, BatchRequest, BatchStart
from hugginggpt.web.batches import Batches, LiveBatch, files_for_zip
from hugginggpt.web.connections import connection_of, is_open
from hugginggpt.web.feeds import Followers, event_stream, last_event_id, sent, sent_items
from hugginggpt.web.inputs import read_body
from hugginggpt.web.zips import zipped

T = TypeVar("T")


class BatchRoutes:
    """The views. `is_named` says whether a conversation has the file of a public path."""

    def __init__(
        self,
        batches: Batches,
        controller: Runner,
        media: MediaStore,
        runs: Runs,
        followers: Followers,
        is_named: Callable[[str], bool],
    ) -> None:
        self.batches, self.controller, self.media = batches, controller, media
        self.runs, self.followers, self.is_named = runs, followers, is_named

    def routes(self) -> Sequence[tuple[str, str, Callable[..., Any]]]:
        return (
            ("/v1/batches", "POST", self.plan_batch),
            ("/v1/batches", "GET", self.list_batches),
            ("/v1/batches/<batch_id>", "GET", self.get_batch),
            ("/v1/batches/<batch_id>", "DELETE", self.stop_batch),
            ("/v1/batches/<batch_id>/start", "POST", self.start_batch),
            ("/v1/batches/<batch_id>/events", "GET", self.batch_events),
            ("/v1/batches/<batch_id>/rows", "GET", self.batch_rows),
            ("/v1/batches/<batch_id>/results/<kind>", "GET", self.batch_results),
        )

    # Planned, and run

    def plan_batch(self) -> Any:
        """Plans for the first file; nothing is run before `start`, unless that is said here."""
        body = read_body(BatchRequest)
        rows = self._rows(body)
        planned = self._given(body["plan"], rows) if body.get("plan") is not None else self._made(body, rows)
        request = well_formed(body.get("request") or "") or planned.plan.request
        live = self.batches.create(request, planned, rows.rows)
        if body.get("start"):
            live = _unless_busy(lambda: self.batches.start(live, None, body.get("workers"), body.get("max_calls")))
        return flask.jsonify(self._body(live)), 201

    def start_batch(self, batch_id: str) -> Any:
        """Runs what is missing or has failed."""
        body = read_body(BatchStart)
        live = self._batch(batch_id)
        planned = None
        if body.get("plan") is not None:
            planned = self._given(body["plan"], Rows(tuple(live.folder.rows)))
        started = _unless_busy(lambda: self.batches.start(live, planned, body.get("workers"), body.get("max_calls")))
        return flask.jsonify(self._body(started))

    def _rows(self, body: dict[str, Any]) -> Rows:
        """The rows of a body. Raises UserError, MediaError for what is no file that anybody may attach."""
        given = [{"path": file} if isinstance(file, str) else file for file in body["files"]]
        most = self.batches.settings.max_files
        if len(given) > most:
            raise UserError(f"These are {len(given)} files, more than the {most} of a batch (batches.max_files).")
        columns = [sorted(one.get("texts", {})) for one in given]
        if any(one != columns[0] for one in columns) or FILE in columns[0]:
            raise UserError(f'Each of the files should have the same "texts", of which none is called {FILE}.')
        found = [
            self.media.public_attachment(well_formed(one["path"]), well_formed(one.get("name", ""))) for one in given
        ]
        names = Counter(file.name for file in found)
        rows = [
            Row(
                file.name if names[file.name] == 1 else _numbered(file.name, number),
                {FILE: file.source},
                {name: well_formed(one["texts"][name]) for name in columns[0]},
            )
            for number, (file, one) in enumerate(zip(found, given, strict=True), 1)
        ]
        return Rows(tuple(rows))

    def _given(self, plan: Any, rows: Rows) -> Planned:
        """Raises UserError for a plan that cannot be run."""
        files = attachments_of(rows.rows[0], self.media, is_public=True)
        given = read_plan_file(plan)
        run, slots = run_of_first(self.controller, given, rows, files)
        return _with_models(lambda: as_given(self.controller, run, given, slots, len(rows.rows)))

    def _made(self, body: dict[str, Any], rows: Rows) -> Planned:
        """The plan for the first file. Raises UserError, BadGateway where planning failed."""
        asked = well_formed(body.get("request") or "")
        if not asked.strip():
            raise UserError('Say what is to be done with each file ("request"), or give a "plan".')
        files = attachments_of(rows.rows[0], self.media, is_public=True)
        messages = [{"role": "user", "content": request_for(asked, rows.rows[0], files)}]
        run = self.controller.prepare(messages, list(files.values()))
        live = self.runs.start(self.controller, run, "plan")
        connection = connection_of(flask.request.environ)
        record = live.wait(partial(is_open, connection) if connection else None)
        if record.error:
            raise BadGateway(record.error)
        again = self.controller.prepare(messages, list(files.values()))
        again.plan = record.plan
        if not record.plan.tasks:
            raise UserError("No task was found for this: say in other words what is to be done with each file.")
        return _with_models(lambda: made_for_all(self.controller, again, asked, rows, files))

    # What there is

    def list_batches(self) -> Any:
        return flask.jsonify({"batches": self.batches.summaries()})

    def get_batch(self, batch_id: str) -> Any:
        return flask.jsonify(self._body(self._batch(batch_id)))

    def batch_rows(self, batch_id: str) -> Any:
        """Rows with what came of them; `offset` and `limit` as parameters."""
        live = self._batch(batch_id)
        offset, limit = _number("offset", 0), _number("limit", MOST_ROWS)
        rows = live.rows(offset, min(limit, MOST_ROWS))
        return flask.jsonify({"rows": rows, "total": len(live.folder.rows)})

    def batch_events(self, batch_id: str) -> Any:
        """The rows as they come, after the last one that the client has received; then `end`."""
        live = self._batch(batch_id)
        after = last_event_id()
        self.followers.enter()

        def lines() -> Iterator[str]:
            yield sent("accepted", {"batch_id": live.id, "status": live.state["status"]})
            yield from sent_items(live.follow(after))
            yield sent("end", {"batch_id": live.id, "status": live.state["status"]})

        stream = event_stream(lines())
        stream.call_on_close(self.followers.leave)
        return stream

    def batch_results(self, batch_id: str, kind: str) -> Any:
        """The table of the results, also of those so far: csv, xlsx, jsonl, or a zip with all files."""
        if kind not in RESULT_TYPES:
            raise NotFound(f"There are results as {', '.join(RESULT_TYPES)}.")
        live = self._batch(batch_id)
        folder = self.batches.results(live)
        name = f"results-{live.id}.{kind}"
        if kind == "zip":
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            return flask.Response(zipped(files_for_zip(folder)), mimetype=RESULT_TYPES[kind], headers=headers)
        file = folder / f"results.{kind}"
        return flask.send_file(file, mimetype=RESULT_TYPES[kind], as_attachment=True, download_name=name, max_age=0)

    def stop_batch(self, batch_id: str) -> Any:
        """Stops a batch, which can go on; with `?remove=true` nothing is left of it."""
        live = self._batch(batch_id)
        if flask.request.args.get("remove", "false") == "true":
            files = _unless_busy(lambda: self.batches.remove(live))
            spawn(self._discard, files, name=f"files of batch {batch_id}")
            return flask.jsonify({})
        self.batches.stop(live)
        return flask.jsonify(self._body(self._batch(batch_id)))

    def _discard(self, files: set[str]) -> None:
        """Removes files that only a batch had."""
        for path in files:
            if not self.is_named(path):
                try:
                    self.media.discard(path)
                except HuggingGPTError:
                    continue  # it is gone, or cannot be removed

    def _batch(self, batch_id: str) -> LiveBatch:
        live = self.batches.find(batch_id)
        if live is None:
            raise NotFound("There is no such batch.")
        return live

    def _body(self, live: LiveBatch) -> dict[str, Any]:
        sample = live.rows(0, 1)[0]
        return {**live.summary, "plan": live.folder.plan.to_json(), "sample": sample, "events": len(live.events)}


def _number(name: str, usual: int) -> int:
    value = flask.request.args.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else usual


def _numbered(name: str, number: int) -> str:
    """The name of one of several files of that name: "a.png" as "a (2).png", still the name of a picture."""
    stem, dot, suffix = name.rpartition(".")
    return f"{stem} ({number}).{suffix}" if dot else f"{name} ({number})"


def _with_models(make: Callable[[], T]) -> T:
    """Raises UserError where a task has no model: the plan is what can be changed."""
    try:
        return make()
    except ExpertUnavailable as error:
        raise UserError(str(error)) from error


def _unless_busy(work: Callable[[], T]) -> T:
    """Raises Conflict where somebody works on the batch."""
    try:
        return work()
    except BatchBusy as error:
        raise Conflict(str(error)) from error
