"""The routes of goals: begin, follow, decide, cancel, remove, and the files of their workspaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import flask
from werkzeug.exceptions import Conflict, NotFound

from hugginggpt.core.errors import UserError
from hugginggpt.core.results import well_formed
from hugginggpt.goals.events import Verdict
from hugginggpt.goals.goal import DEFAULT_NAME, DEFAULT_ROLE, Limits, checked_goal
from hugginggpt.goals.journal import WORKSPACE, GoalBusy
from hugginggpt.goals.loop import Decision
from hugginggpt.goals.state import DecisionRejected
from hugginggpt.goals.workspace import Workspace, WorkspaceError
from hugginggpt.media.store import MediaStore
from hugginggpt.web.feeds import Followers, event_stream, last_event_id, sent, sent_items
from hugginggpt.web.goals import Goals, LiveGoal
from hugginggpt.web.inputs import read_attachments, read_body
from hugginggpt.web.schemas import GoalDecision, GoalLimits, GoalRequest

T = TypeVar("T")
Route = tuple[str, str, Callable[..., Any]]


class GoalRoutes:
    """The views."""

    def __init__(self, goals: Goals, media: MediaStore, followers: Followers) -> None:
        self.goals, self.media, self.followers = goals, media, followers

    def routes(self) -> Sequence[Route]:
        return (
            ("/v1/goals", "POST", self.start_goal),
            ("/v1/goals", "GET", self.list_goals),
            ("/v1/goals/<goal_id>", "GET", self.get_goal),
            ("/v1/goals/<goal_id>", "DELETE", self.cancel_goal),
            ("/v1/goals/<goal_id>/events", "GET", self.goal_events),
            ("/v1/goals/<goal_id>/decisions", "POST", self.decide),
            ("/v1/goals/<goal_id>/files/<path:name>", "GET", self.goal_file),
        )

    def start_goal(self) -> Any:
        """Begins a goal, or goes on with one; answers with its events, or with its state if JSON is preferred."""
        body = read_body(GoalRequest)
        if _prefers_json():
            return flask.jsonify(self._body(self._begun(body))), 201
        self.followers.enter()
        try:
            live = self._begun(body)
        except BaseException:
            self.followers.leave()
            raise
        return self._stream(live, 0)

    def _begun(self, body: dict[str, Any]) -> LiveGoal:
        wanted = body.get("limits") or {}
        limits = Limits(**{name: wanted.get(name) for name in GoalLimits.model_fields})
        continuous, resumed = body.get("continuous", 0), body.get("resume")
        if resumed is not None:
            if body.get("goal") is not None or body.get("files") is not None:
                raise UserError('"resume" goes on with a goal: give no "goal" or "files" beside it.')
            live = self._goal(resumed)
            return _unless_busy(lambda: self.goals.resume(live, limits, continuous))
        goals = body.get("goal")
        texts = [well_formed(text) for text in ([goals] if isinstance(goals, str) else goals or [""])]
        name, role = (well_formed(body.get(key) or "") for key in ("name", "role"))
        goal = checked_goal(list(texts), name or DEFAULT_NAME, role or DEFAULT_ROLE)
        return self.goals.begin(goal, read_attachments(body.get("files"), self.media), limits, continuous)

    def list_goals(self) -> Any:
        return flask.jsonify({"goals": self.goals.summaries()})

    def get_goal(self, goal_id: str) -> Any:
        return flask.jsonify(self._body(self._goal(goal_id)))

    def goal_events(self, goal_id: str) -> Any:
        """The events after the last one that the client has received, until the goal is over or nobody works on it."""
        live = self._goal(goal_id)
        self.followers.enter()
        return self._stream(live, last_event_id())

    def _stream(self, live: LiveGoal, after: int) -> flask.Response:
        def lines() -> Iterator[str]:
            yield sent("accepted", {"goal_id": live.id, "status": live.status})
            yield from sent_items(live.follow(after))
            yield sent("end", {"goal_id": live.id, "status": live.status})

        stream = event_stream(lines())
        stream.call_on_close(self.followers.leave)
        return stream

    def decide(self, goal_id: str) -> Any:
        """Applies a decision about the command that waits. A replayed or altered one is refused (409)."""
        body = read_body(GoalDecision)
        live = self._goal(goal_id)
        verdict, text = Verdict(body["decision"]), well_formed(body.get("text", ""))
        decision = Decision(body["step"], body["hash"], verdict, text, body.get("count", 1))
        if verdict is Verdict.TELL and not text.strip():
            raise UserError('"tell" needs a "text" for the model.')
        _unless_busy(lambda: self.goals.decide(live, decision))
        return flask.jsonify(self._body(live))

    def cancel_goal(self, goal_id: str) -> Any:
        """Cancels a goal; with `?remove=true` nothing is left of it."""
        live = self._goal(goal_id)
        if flask.request.args.get("remove", "false") == "true":
            _unless_busy(lambda: self.goals.remove(live))
            return flask.jsonify({})
        _unless_busy(lambda: self.goals.cancel(live))
        return flask.jsonify(self._body(live))

    def goal_file(self, goal_id: str, name: str) -> Any:
        """A file of the workspace; all but pictures, sound and video is a download (`guard`)."""
        live = self._goal(goal_id)
        try:
            content = self._workspace(live).read_bytes(name)
        except WorkspaceError as error:
            raise NotFound(str(error)) from error
        return flask.Response(content, mimetype="application/octet-stream", headers={"Cache-Control": "no-store"})

    def _goal(self, goal_id: str) -> LiveGoal:
        live = self.goals.find(goal_id)
        if live is None:
            raise NotFound("There is no such goal.")
        return live

    def _workspace(self, live: LiveGoal) -> Workspace:
        return Workspace(self.goals.folder / live.id / WORKSPACE)

    def _body(self, live: LiveGoal) -> dict[str, Any]:
        """The state for clients."""
        state = live.state
        body = {name: value for name, value in state.to_json().items() if name not in ("workspace", "goal_id")}
        pending = None
        if state.pending:
            ask, step = state.pending, state.step
            pending = {
                "step": ask.step, "hash": ask.hash, "command": step.command, "args": dict(step.args),
                "risk": step.risk, "reason": ask.reason, "question": ask.question,
            }  # fmt: skip
        files = [{"path": entry.path, "bytes": entry.size} for entry in self._workspace(live).files()]
        more = {"llm": state.llm, "pending": pending, "files": files, "events": len(live.events)}
        return {**body, **live.summary, **more}


def _prefers_json() -> bool:
    accepted = flask.request.accept_mimetypes
    return accepted["application/json"] > accepted["text/event-stream"]


def _unless_busy(work: Callable[[], T]) -> T:
    """Raises Conflict where the goal is not in the state for it: decided already, at work, or of another process."""
    try:
        return work()
    except (DecisionRejected, GoalBusy) as error:
        raise Conflict(str(error)) from error
