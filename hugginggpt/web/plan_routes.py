"""The routes of plans in hand: check one, fetch that of a run, and the models that may do a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import flask
from werkzeug.exceptions import NotFound

from hugginggpt.common.threads import spawn
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.plan import Plan
from hugginggpt.core.plan_repair import repair, with_models
from hugginggpt.core.questions import Question
from hugginggpt.core.results import INVALID_RESULT_ERRORS
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.plan_files import PlanFile, checked_plan, filled, plan_file, read_plan_file
from hugginggpt.stages.run import Runner
from hugginggpt.web.inputs import read_attachments, read_body
from hugginggpt.web.schemas import PlanCheck

TOP = 10
"""The number of models of a place that are told."""
RecordOf = Callable[[str], Mapping[str, Any]]


class PlanRoutes:
    """The views. `record_of` gives the record of a run, or raises NotFound."""

    def __init__(self, controller: Runner, media: MediaStore, record_of: RecordOf) -> None:
        self.controller, self.media, self.record_of = controller, media, record_of

    def routes(self) -> Sequence[tuple[str, str, Any]]:
        return (
            ("/v1/plans", "POST", self.check_plan),
            ("/v1/runs/<run_id>/plan", "GET", self.plan_of_run),
            ("/v1/tasks/<task>/models", "GET", self.models_for),
        )

    def check_plan(self) -> Any:
        """The plan as it would be run, with what is wrong with each task; nothing is run."""
        body = read_body(PlanCheck)
        given = read_plan_file(body["plan"])
        files = read_attachments(body.get("files"), self.media)
        complete = filled(given, files) if files else given
        slots = [Attachment(one.name, one.name, one.kind) for one in given.inputs]
        run = self.controller.prepare(
            [{"role": "user", "content": given.request or "Check this plan."}], files or slots
        )
        plan = checked_plan(complete, self.controller.table, run)
        problems = [{"id": task.id, "problem": task.problem} for task in plan if task.problem]
        inputs = [one.to_json() for one in given.inputs]
        return flask.jsonify(
            {"tasks": plan.to_json(), "inputs": inputs, "problems": problems, "notes": list(plan.notes)}
        )

    def plan_of_run(self, run_id: str) -> Any:
        """The plan of a run with its files as inputs, to be kept as a file."""
        return flask.jsonify(self._plan_file(self.record_of(run_id)).to_json())

    def _plan_file(self, record: Mapping[str, Any]) -> PlanFile:
        table = self.controller.table
        try:
            files = [Attachment.from_json(file) for file in record.get("attachments", ())]
            plan = with_models(repair(record["plan"], table, len(record["plan"])), record["plan"])
            questions = tuple(map(Question.from_json, record.get("questions", ())))
        except INVALID_RESULT_ERRORS as error:
            raise NotFound("The record of this run is damaged: it has no plan.") from error
        return plan_file(Plan(plan.tasks, questions=questions), record.get("request", ""), files)

    def models_for(self, task: str) -> Any:
        """The models that can do a task now, where each runs, and what is known of it."""
        row = self.controller.table.find(task)
        if row is None:
            raise NotFound("There is no such task.")
        lookups = [(endpoint, spawn(endpoint.models, row, TOP)) for endpoint in self.controller.endpoints]
        models = [
            {
                "id": card.id,
                "about": card.description,
                "downloads": card.downloads,
                "endpoint": endpoint.name,
                "place": endpoint.label,
            }
            for endpoint, cards in lookups
            for card in cards.result()
        ]
        return flask.jsonify({"models": models})
