"""The runs of a server: each in its own thread, with its events kept for clients that reconnect."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, ErrorCode, HuggingGPTError, StopReason
from hugginggpt.core.events import Done, Event, RunRecord, to_json
from hugginggpt.records.feeds import TooManyRuns
from hugginggpt.records.run_log import conversation_of, journal_line
from hugginggpt.records.run_store import KnownRun, LeaseLost, MemoryRunStore, Orphan, OwnRun, RunHead, RunStore
from hugginggpt.stages.run import Run, Runner

log = logging.getLogger(__name__)

WANTED_SECONDS = 5.0
"""How often the connection of a waiting client is checked, in seconds."""
MOST_LOST = 3
"""With so many controllers lost over it, a run is given up: it may be what ended them."""


class LiveRun(OwnRun):
    """An active or finished run of this process: its events as JSON, numbered from 1, and its record."""

    def __init__(self, run: Run, head: RunHead | None = None, events: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(head or RunHead(run.id), events)
        self.run = run
        self.position: int | None = None
        self.record = RunRecord()

    @property
    def chat(self) -> str | None:
        return self.head.chat

    def cancel(self) -> None:
        self.run.cancel()

    def told(self) -> dict[str, Any]:
        return {**self.record.to_log(), **conversation_of(self.run)}

    def until_over(self) -> str | None:
        return self.wait().stop

    def wait(self, wanted: Callable[[], bool] | None = None) -> RunRecord:
        """Waits for the end of the run and returns its record.

        The run is cancelled when `wanted`, which is called periodically, returns False.
        """
        while not self.ended.wait(WANTED_SECONDS if wanted else None):
            if wanted and not wanted():
                self.run.cancel()
        return self.record


class Runs:
    """The runs that this process works on, limited in number together with those of others in the same store."""

    def __init__(self, most: int, store: RunStore | None = None) -> None:
        self.most = most
        self.store = store or MemoryRunStore()
        self._working: set[LiveRun] = set()
        self._closed = False
        self._ended = threading.Condition()

    def start(
        self,
        controller: Runner,
        run: Run,
        until: str,
        on_start: Callable[[LiveRun], None] = lambda live: None,
        on_done: Callable[[LiveRun], None] = lambda live: None,
        chat: str | None = None,
        may_move: bool = False,
    ) -> LiveRun:
        """Starts a run. Raises TooManyRuns beyond the limit, ChatBusy for a second one of a conversation.

        `on_start` is called when the run is accepted, before its first event; `on_done` when it is over, before
        waiting clients are notified. Another controller goes on with the run if it `may_move`.
        """
        again = _again(run) if may_move and self.store.is_shared else None
        live = LiveRun(run, RunHead(run.id, run.request, until, chat, again))
        with self._ended:
            if self._closed:
                raise TooManyRuns("The server is ending; try again when it is back.")
            self._working.add(live)
        try:
            self.store.begin(live, self.most)
            try:
                on_start(live)
                spawn(self._go, controller, live, on_done, name=f"run {run.id}")
            except BaseException:
                self.store.discard(live)
                raise
        except BaseException:
            self._saved(live)
            raise
        return live

    def get(self, run_id: str) -> LiveRun | None:
        """A run of this process."""
        found = self.store.find(run_id)
        return found if isinstance(found, LiveRun) else None

    def find(self, run_id: str) -> KnownRun | None:
        """A run, whoever works on it."""
        return self.store.find(run_id)

    def newest(self, most: int) -> list[LiveRun]:
        """The runs of this process that are kept, the newest first."""
        return [live for live in self.store.newest(most) if isinstance(live, LiveRun)]

    def known(self, most: int) -> Sequence[KnownRun]:
        """The runs that are known, whoever works on them, the newest first."""
        return self.store.newest(most)

    def going(self) -> int:
        """How many runs go on, over all controllers."""
        return self.store.count()

    def working(self) -> int:
        """How many runs this process works on."""
        return len(self._working)

    def of_chat(self, chat: str) -> KnownRun | None:
        """The active run of a conversation, if there is one."""
        return self.store.of_chat(chat)

    def watch(self, controller: Runner, on_done: Callable[[LiveRun], None]) -> None:
        """From now on, goes on with runs whose controllers are lost."""
        self.store.watch(partial(spawn, self._take_over, controller, on_done, name="take over"))

    def close(self, seconds: float) -> None:
        """Refuses further runs, hands the active ones over to other controllers or cancels them, and waits until their
        records are written.
        """
        with self._ended:
            self._closed = True
            going = list(self._working)
        self.store.hand_over(going)
        for live in going:
            live.cancel()
        with self._ended:
            self._ended.wait_for(lambda: not self._working, timeout=seconds)
        self.store.close()

    def _saved(self, live: LiveRun) -> None:
        with self._ended:
            self._working.discard(live)
            self._ended.notify_all()

    # At work

    def _take_over(self, controller: Runner, on_done: Callable[[LiveRun], None], orphan: Orphan) -> None:
        """Goes on with a run whose controller was lost: finished tasks are not repeated."""
        head = orphan.head
        try:
            run = _resumed(controller, orphan)
            error = None
        except Exception as problem:
            if not isinstance(problem, HuggingGPTError):
                log.exception("run %s: it cannot be taken over", head.id)
                problem = BackendError(
                    "The controller that worked on it is gone, and another one cannot go on with it."
                )
            run, error = Run([{"role": "user", "content": head.request}], controller.config.limits, id=head.id), problem
        live = LiveRun(run, head, orphan.events)
        with self._ended:
            if self._closed:  # the lease runs out, and a third one takes it over
                return
            self._working.add(live)
        self.store.adopt(live)
        log.warning("run %s: its controller was lost; this one goes on with it", head.id)
        if error is None:
            self._go(controller, live, on_done)
            return
        live.record.began = time.monotonic()
        self._add(live, Done(StopReason.FAILED, str(error), error.code), {})
        self._end(live, on_done)
        self._saved(live)

    def _go(self, controller: Runner, live: LiveRun, on_done: Callable[[LiveRun], None]) -> None:
        conversation = conversation_of(live.run) if self.store.is_shared else {}
        try:
            with closing(controller.run(live.run, live.head.until)) as events:
                for event in events:
                    self._add(live, event, conversation)
                    if isinstance(event, Done):  # waiting clients need not wait for the record to be written
                        self._end(live, on_done)
        except LeaseLost:
            log.warning("run %s: another controller has taken it over", live.run.id)
            live.end()
        except Exception:  # a bug: logged with its traceback, reported in one sentence; the server continues
            log.exception("run %s", live.run.id)
            if not live.over:
                self._tell_bug(live)
        finally:
            self._end(live, on_done)
            self._saved(live)

    def _add(self, live: LiveRun, event: Event, conversation: dict[str, Any]) -> None:
        with live.changed:
            live.record.apply(event)
            line = journal_line(event, live.record, conversation) if conversation else None
            self.store.add(live, to_json(event, live.record), line)

    def _tell_bug(self, live: LiveRun) -> None:
        reason = "Something went wrong inside the server"
        for event in list(live.record.closing_events(f"{reason}.", ErrorCode.INTERNAL)):
            self._add(live, event, {})
        self._add(live, Done(StopReason.FAILED, f"{reason}; its log says what.", ErrorCode.INTERNAL), {})

    def _end(self, live: LiveRun, on_done: Callable[[LiveRun], None]) -> None:
        if live.over:
            return
        try:
            on_done(live)
        except HuggingGPTError as error:
            log.warning("run %s: %s", live.run.id, error)
        except Exception:
            log.exception("run %s: its end could not be noted", live.run.id)
        self.store.end(live)


def _again(run: Run) -> dict[str, Any]:
    """What another controller needs to go on with a run of which nothing is known yet, as a run record has it."""
    files = [file.to_json() for file in run.files]
    plan = run.plan.to_json() if run.plan else []
    wishes = {"planner": run.planner, "offline_fallback": run.offline_fallback}
    return {
        "request": run.request,
        "attachments": files,
        **wishes,
        **conversation_of(run),
        "plan": plan,
        "results": {},
        "states": {},
    }


def _resumed(controller: Runner, orphan: Orphan) -> Run:
    """The run of a lost controller, to go on with. Raises BackendError where nobody should, UserError for a damaged
    record.
    """
    head = orphan.head
    if head.again is None:
        raise BackendError("The controller that worked on this request is gone: send the request again.")
    if orphan.lost >= MOST_LOST:
        raise BackendError(f"{orphan.lost} controllers ended while they worked on this request: it is given up.")
    run = controller.resume(head.id, orphan.record)
    run.id, run.planner, run.offline_fallback = head.id, head.again["planner"], head.again["offline_fallback"]
    if orphan.is_cancelled:
        run.cancel()
    return run
