"""The runs of a server: each in its own thread, with its events kept for clients that reconnect."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import ErrorCode, HuggingGPTError, StopReason
from hugginggpt.core.events import Done, Event, RunRecord, to_json
from hugginggpt.records.feeds import Feed, TooManyRuns
from hugginggpt.stages.run import Run, Runner

log = logging.getLogger(__name__)

KEPT_RUNS = 200
"""The number of finished runs whose events are kept."""
WANTED_SECONDS = 5.0
"""How often the connection of a waiting client is checked, in seconds."""


class LiveRun(Feed):
    """An active or finished run: its events as JSON, numbered from 1, and its record."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run
        self.chat: str | None = None
        self.position: int | None = None
        self.record = RunRecord()

    def add(self, event: Event) -> None:
        with self.changed:
            self.record.apply(event)
            self.append(to_json(event, self.record))

    def wait(self, wanted: Callable[[], bool] | None = None) -> RunRecord:
        """Waits for the end of the run and returns its record.

        The run is cancelled when `wanted`, which is called periodically, returns False.
        """
        while not self.ended.wait(WANTED_SECONDS if wanted else None):
            if wanted and not wanted():
                self.run.cancel()
        return self.record


class Runs:
    """All runs of a server, limited in number."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._runs: OrderedDict[str, LiveRun] = OrderedDict()
        self._going = 0
        self._unsaved = 0
        self._closed = False
        self._lock = threading.Lock()
        self._ended = threading.Condition(self._lock)

    def start(
        self,
        controller: Runner,
        run: Run,
        until: str,
        on_start: Callable[[LiveRun], None] = lambda live: None,
        on_done: Callable[[LiveRun], None] = lambda live: None,
    ) -> LiveRun:
        """Starts a run. Raises TooManyRuns beyond the limit.

        `on_start` is called when the run is accepted, before its first event; `on_done` when it is over, before
        waiting clients are notified.
        """
        live = LiveRun(run)
        with self._lock:
            if self._closed:
                raise TooManyRuns("The server is ending; try again when it is back.")
            if self._going >= self.most:
                raise TooManyRuns(f"{self.most} requests are being worked on already; try again in a moment.")
            self._going += 1
            self._unsaved += 1
            self._runs[live.run.id] = live
            for old in [run_id for run_id, known in self._runs.items() if known.over][: -KEPT_RUNS or None]:
                del self._runs[old]
        try:
            on_start(live)
            spawn(self._go, controller, live, until, on_done, name=f"run {live.run.id}")
        except BaseException:
            with self._lock:
                self._going -= 1
                self._unsaved -= 1
                del self._runs[live.run.id]
            raise
        return live

    def get(self, run_id: str) -> LiveRun | None:
        with self._lock:
            return self._runs.get(run_id)

    def newest(self, most: int) -> list[LiveRun]:
        """The runs that are kept, the newest first."""
        with self._lock:
            return list(reversed(self._runs.values()))[:most]

    def going(self) -> int:
        return self._going

    def of_chat(self, chat: str) -> LiveRun | None:
        """The active run of a conversation, if there is one."""
        with self._lock:
            return next((live for live in reversed(self._runs.values()) if live.chat == chat and not live.over), None)

    def close(self, seconds: float) -> None:
        """Refuses further runs, cancels the active ones, and waits until their records are written."""
        with self._lock:
            self._closed = True
            going = [live.run for live in self._runs.values() if not live.over]
        for run in going:
            run.cancel()
        with self._ended:
            self._ended.wait_for(lambda: not self._unsaved, timeout=seconds)

    def _go(self, controller: Runner, live: LiveRun, until: str, on_done: Callable[[LiveRun], None]) -> None:
        try:
            for event in controller.run(live.run, until):
                live.add(event)
                if isinstance(event, Done):  # waiting clients need not wait for the record to be written
                    self._end(live, on_done)
        except Exception:  # a bug: logged with its traceback, reported in one sentence; the server continues
            log.exception("run %s", live.run.id)
            if not live.over:
                self._tell_bug(live)
        finally:
            self._end(live, on_done)
            with self._ended:
                self._unsaved -= 1
                self._ended.notify_all()

    @staticmethod
    def _tell_bug(live: LiveRun) -> None:
        for event in list(live.record.closing_events("Something went wrong inside the server.", ErrorCode.INTERNAL)):
            live.add(event)
        error = "Something went wrong inside the server; its log says what."
        live.add(Done(StopReason.FAILED, error, ErrorCode.INTERNAL))

    def _end(self, live: LiveRun, on_done: Callable[[LiveRun], None]) -> None:
        if live.over:
            return
        with self._lock:
            self._going -= 1
        try:
            on_done(live)
        except HuggingGPTError as error:
            log.warning("run %s: %s", live.run.id, error)
        except Exception:
            log.exception("run %s: its end could not be noted", live.run.id)
        live.end()
