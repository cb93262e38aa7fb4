"""The goals of the server: each at work in its own thread, or waiting; all of what they are is in their journals.

A goal that waits for a decision holds no thread, and may be closed: the decision opens it again. So a server that was
restarted knows its goals, and decisions that were awaited before can be given afterwards.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError, HuggingGPTError
from hugginggpt.goals.build import GoalWorks
from hugginggpt.goals.events import GoalEvent, Stop, to_json
from hugginggpt.goals.goal import Goal, Limits
from hugginggpt.goals.journal import GOAL_ID, NAME, GoalBusy, read_events
from hugginggpt.goals.loop import Decision, GoalLoop
from hugginggpt.goals.records import remove_goal
from hugginggpt.goals.state import DecisionRejected, GoalState
from hugginggpt.llm.services import make_llm
from hugginggpt.records.feeds import Feed, TooManyRuns
from hugginggpt.stages.run import Runner

log = logging.getLogger(__name__)

WAITING, WORKING, INTERRUPTED = "waiting", "working", "interrupted"
"""The status of a goal that is not over: for a decision, at work, or left by a server that was ended."""
KEPT_GOALS = 40
"""How many goals that are not at work are kept in memory."""
LISTED_GOALS = 200
CANCEL_SECONDS = 5.0
"""How long a cancellation waits for the command that runs."""
SETTLE_SECONDS = 10.0
NO_PROGRAMS = "a server without a token runs no programs (http_listen.token)."


class LiveGoal(Feed):
    """A goal, its state, and its events as clients see them; `loop` while it is open."""

    def __init__(self, goal_id: str, events: Sequence[GoalEvent] = (), loop: GoalLoop | None = None) -> None:
        super().__init__(map(for_clients, events))
        self.id, self.loop = goal_id, loop
        self.working = False
        self.state = GoalState()
        for event in events:
            self.state.apply(event)
        self.began = events[0].at if events else 0.0
        self.updated = events[-1].at if events else 0.0

    def add(self, event: GoalEvent) -> None:
        """Adds an event that the loop has given out, and which stands in the journal."""
        with self.changed:
            self.state.apply(event)
            self.updated = event.at
            self.append(for_clients(event))

    @property
    def status(self) -> str:
        """WORKING, WAITING, INTERRUPTED, or why it ended (`Stop`)."""
        if self.state.done:
            return str(self.state.done.stop)
        if self.state.pending:
            return WAITING
        return WORKING if self.working else INTERRUPTED

    @property
    def summary(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": " ".join(" ".join(self.state.goal.goals).split())[:60],
            "began": self.began,
            "updated": self.updated,
            "status": self.status,
        }


class Goals:
    """All goals of a server; so many at work at the same time."""

    def __init__(self, folder: Path, make_works: Callable[[], GoalWorks], most: int) -> None:
        self.folder, self.most = folder, most
        self._make_works = make_works
        self._made: GoalWorks | None = None
        self._live: OrderedDict[str, LiveGoal] = OrderedDict()
        self._known: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}
        self._working = 0
        self._closed = False
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)

    def works(self) -> GoalWorks:
        """What begins goals: made when the first one needs it."""
        with self._lock:
            self._made = self._made or self._make_works()
            return self._made

    # What there is

    def summaries(self) -> list[dict[str, Any]]:
        """Summaries, the latest first."""
        files = sorted(self.folder.glob(f"*/{NAME}"), key=_changed, reverse=True)[:LISTED_GOALS]
        summaries = [self._summary(file) for file in files if GOAL_ID.fullmatch(file.parent.name)]
        return [summary for summary in summaries if summary]

    def _summary(self, file: Path) -> dict[str, Any] | None:
        goal_id, stamp = file.parent.name, _stamp(file)
        with self._lock:
            live = self._live.get(goal_id)
            if live and live.loop:
                return live.summary
            known = self._known.get(goal_id)
        if known and known[0] == stamp:
            return known[1]
        try:
            summary = LiveGoal(goal_id, read_events(file.parent)).summary
        except HuggingGPTError as error:
            log.warning("goal %s: %s", goal_id, error)
            return None
        self._known[goal_id] = (stamp, summary)
        return summary

    def find(self, goal_id: str) -> LiveGoal | None:
        """A goal; None if there is no such one. Raises BackendError if its journal is damaged."""
        file = self.folder / goal_id / NAME
        if not GOAL_ID.fullmatch(goal_id) or not file.is_file():
            return None
        with self._lock:
            live = self._live.get(goal_id)
            if live and live.loop:
                return live
            events = self._read(goal_id)
            if live and len(live.events) == len(events):
                return live
            return self._keep(LiveGoal(goal_id, events))

    def _read(self, goal_id: str) -> list[GoalEvent]:
        try:
            return read_events(self.folder / goal_id)
        except HuggingGPTError as error:  # it names a path of this machine
            log.warning("goal %s: %s", goal_id, error)
            raise BackendError("The journal of this goal is damaged; the server's log says where.") from error

    def _keep(self, live: LiveGoal) -> LiveGoal:
        """Keeps a goal in memory, in place of what was known of it, and forgets those that nobody asked for lately."""
        with self._lock:
            if before := self._live.pop(live.id, None):
                before.end()
            self._live[live.id] = live
            if live.status not in (WORKING, WAITING) and not live.loop:
                live.end()
            idle = [each for each in self._live.values() if not each.working and each is not live]
            for old in idle[: max(0, len(idle) - KEPT_GOALS)]:
                self._forget(old)
        return live

    def _forget(self, live: LiveGoal) -> None:
        if live.loop:
            live.loop.close()
            live.loop = None
        live.end()
        self._live.pop(live.id, None)

    # What is done with them

    def begin(self, goal: Goal, files: Sequence[Attachment], limits: Limits, continuous: int = 0) -> LiveGoal:
        """Begins a goal. `limits` may be narrower than those of the configuration. Raises TooManyRuns, UserError."""
        works = self.works()
        return self._at_work(
            lambda: works.begin(goal, files, limits=_narrowed(limits, works.limits), continuous=continuous)
        )

    def resume(self, live: LiveGoal, limits: Limits, continuous: int = 0) -> LiveGoal:
        """Goes on with a goal that was interrupted or that ended before it was complete.

        One that ran out of its budget gets the limits of the configuration once more. Raises GoalBusy, TooManyRuns,
        UserError.
        """
        works, state = self.works(), live.state
        with self._lock:
            self._check_room()
            self._settle(live)
            if live.status in (WORKING, WAITING):
                raise GoalBusy("This goal is not over: follow it, decide what it waits for, or cancel it.")
            spent = bool(state.done and state.done.stop is Stop.BUDGET)
            most = _further(works.limits, state) if spent else state.limits
            return self._at_work(lambda: works.resume(live.id, limits=_narrowed(limits, most), continuous=continuous))

    def decide(self, live: LiveGoal, decision: Decision) -> None:
        """Applies a decision, and has the goal go on. Raises DecisionRejected, GoalBusy, TooManyRuns."""
        with self._lock:
            self._settle(live)
            pending = live.state.pending
            if pending is None:
                raise DecisionRejected("Nothing waits for a decision: it was given already, or the goal is over.")
            if (decision.step, decision.hash) != (pending.step, pending.hash):
                raise DecisionRejected("The decision is about another command than the one that waits: look again.")
            self._check_room()
            loop = self._opened(live)
            live.add(loop.decide(decision))
            self._start(live)

    def cancel(self, live: LiveGoal) -> None:
        """Ends a goal; while a command runs, when that is over. Raises GoalBusy, TooManyRuns."""
        with self._lock:
            self._settle(live)
            if live.state.done:
                return
            if live.loop and live.working:
                live.loop.cancel()
            else:
                self._check_room()
                self._opened(live).cancel()
                self._start(live)
        live.ended.wait(CANCEL_SECONDS)

    def remove(self, live: LiveGoal) -> None:
        """Ends a goal and removes it with its journal and its files.

        Raises GoalBusy while a command still runs, BackendError if its files cannot be removed.
        """
        with self._lock:
            live = self._settled(live)
            if live.loop and live.working:
                live.loop.cancel()
        if live.working:
            live.ended.wait(CANCEL_SECONDS)
        with self._lock:
            live = self._settled(live)
            if live.working:
                raise GoalBusy("A command of this goal still runs: remove the goal when it is over.")
            self._forget(live)
            self._known.pop(live.id, None)
            self._remove_files(live.id)

    def _remove_files(self, goal_id: str) -> None:
        try:
            remove_goal(self.folder, goal_id)
        except GoalBusy:
            raise
        except HuggingGPTError as error:  # it names a path of this machine
            log.warning("goal %s: %s", goal_id, error)
            raise BackendError("The files of this goal cannot be removed; the server's log says why.") from error

    def close(self, seconds: float = 0) -> None:
        """Stops all goals where they stand, once their present events are over; they can be resumed."""
        with self._lock:
            self._closed = True
            for live in [each for each in self._live.values() if not each.working]:
                self._forget(live)
            idle = self._idle.wait_for(lambda: not self._working, timeout=seconds)
            if idle and self._made and self._made.llm:
                self._made.llm.close()

    # At work

    def _settle(self, live: LiveGoal) -> None:
        """Waits until the thread of a goal that is over, or that waits, is at its end: clients know it before."""
        self._idle.wait_for(lambda: live.status == WORKING or not live.working, timeout=SETTLE_SECONDS)

    def _settled(self, live: LiveGoal) -> LiveGoal:
        """The goal as it stands once that is so: another client may have gone on with it since it was found."""
        self._settle(self._live.get(live.id, live))
        return self._live.get(live.id, live)

    def _check_room(self) -> None:
        if self._closed:
            raise TooManyRuns("The server is ending; try again when it is back.")
        if self._working >= self.most:
            raise TooManyRuns(f"{self.most} goals are being worked on already; try again in a moment.")

    def _opened(self, live: LiveGoal) -> GoalLoop:
        """The loop of a goal that is not over, opened if it is not; that leaves an event, too."""
        if live.loop is None:
            live.loop = self.works().resume(live.id, limits=live.state.limits, continuous=live.state.continuous)
            for event in self._read(live.id)[len(live.events) :]:
                live.add(event)
            live.ended.clear()
        return live.loop

    def _at_work(self, open_loop: Callable[[], GoalLoop]) -> LiveGoal:
        """Opens a goal and starts it."""
        with self._lock:
            self._check_room()
            self._working += 1  # a place for it while its files are fetched
        try:
            loop = open_loop()
            live = LiveGoal(loop.state.id, self._read(loop.state.id), loop)
        finally:
            with self._lock:
                self._working -= 1
        with self._lock:
            self._start(live)
            return self._keep(live)

    def _start(self, live: LiveGoal) -> None:
        live.working = True
        self._working += 1
        spawn(self._work, live, name=f"goal {live.id}")

    def _work(self, live: LiveGoal) -> None:
        loop = live.loop
        assert loop
        try:
            for event in loop.advance():
                live.add(event)
                if self._closed:
                    break
        except HuggingGPTError as error:
            log.warning("goal %s: %s", live.id, error)
        except Exception:  # a bug: the goal stands where it stood, and can be resumed
            log.exception("goal %s", live.id)
        finally:
            with self._idle:
                live.working = False
                if live.status != WAITING or self._closed:
                    loop.close()
                    live.loop = None
                    live.end()
                self._working -= 1
                self._idle.notify_all()


def make_goals(controller: Runner, config: Config) -> Goals:
    """The goals of a server. Without a token it runs no programs."""
    listen = config.http_listen
    no_programs = "" if listen.token else NO_PROGRAMS
    return Goals(
        config.path(config.goals.folder),
        lambda: GoalWorks(config, controller, make_llm(config), no_programs),
        listen.max_runs,
    )


def for_clients(event: GoalEvent) -> dict[str, Any]:
    """The event as JSON, without paths of this machine."""
    return {name: value for name, value in to_json(event).items() if name != "workspace"}


def _narrowed(wanted: Limits, most: Limits) -> Limits:
    """The limits that are wanted, none beyond the most."""
    pairs = {name: (getattr(wanted, name), getattr(most, name)) for name in ("steps", "tokens", "seconds", "cost")}
    return Limits(**{name: min((v for v in pair if v is not None), default=None) for name, pair in pairs.items()})


def _further(limits: Limits, state: GoalState) -> Limits:
    """The limits counted from what was taken until now."""
    spent = state.spent
    taken = {"steps": state.number, "tokens": spent.usage.total_tokens, "seconds": spent.seconds, "cost": spent.cost}
    further = {name: None if (most := getattr(limits, name)) is None else most + taken[name] for name in taken}
    return replace(limits, **further)


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
