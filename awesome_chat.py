#!/usr/bin/env python3
"""The controller: a request goes through four stages, as in HuggingGPT (arXiv 2303.17580).

    python awesome_chat.py                        chat in the terminal
    python awesome_chat.py "request" -a FILE      a single request
    python awesome_chat.py --mode server          POST /hugginggpt, /tasks, /results
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn

if TYPE_CHECKING:  # importing this file, or asking for --help, loads nothing heavy
    from hugginggpt.build import Parts
    from hugginggpt.config import Config
    from hugginggpt.core.conversation import Attachment, Turn
    from hugginggpt.core.events import Choice, Event, RunRecord
    from hugginggpt.core.plan import Change
    from hugginggpt.endpoints.base import Endpoint
    from hugginggpt.llm.base import LLM, Message
    from hugginggpt.stages.run import Run

Until = Literal["plan", "results", "answer"]


class Controller:
    """Runs requests. A run is one stream of events; terminal, server and log are folds over it."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.planner, self.selector = parts.planner, parts.selector
        self.executor, self.responder = parts.executor, parts.responder
        self.log, self.table, self.config = parts.log, parts.table, parts.config

    def stages(self, run: Run, record: RunRecord, until: Until) -> Iterator[Event]:
        """The four stages; `record` is what happened so far."""
        planning = self.planner.plan(run)                                   # 1. request -> graph of tasks
        if until == "plan":
            yield from run.stream(planning)
            return
        selecting = self.selector.for_run(run)                              # 2. task -> model, all at the same time
        yield from self.executor.execute(run, planning, selecting)          # 3. the graph runs, as it is planned
        if until == "answer":
            yield from self.responder.respond(run, record)                  # 4. results -> answer

    def prepare(
        self, messages: Sequence[Message], files: Sequence[Attachment] = (), turns: Sequence[Turn] = ()
    ) -> Run:
        """A run that has not begun. `messages` is the chat, the request last; `files` are attached to the request.

        `turns` are the conversation before it as data: the messages before the request may then be left out. Raises
        UserError for a request that cannot be run at all.
        """
        from hugginggpt.stages.run import Run, checked_messages

        limits, is_model = self.config.limits, self.selector.is_model
        run = Run(checked_messages(messages, limits), limits, tuple(files), tuple(turns), is_model=is_model)
        run.planner, run.offline_fallback = self.config.planner, self.config.llm_fallback == "offline"
        return run

    def resume(self, run_id: str, record: Mapping[str, Any] | None = None) -> Run:
        """A run that goes on where a recorded one ended ("last": the newest), of which another controller may have
        the `record`. Raises UserError if there is none.
        """
        from hugginggpt.records.resume import recorded, resumed

        run = resumed(record or recorded(self.log, run_id), run_id, self.parts.media, self.config, self.table)
        run.is_model = self.selector.is_model
        return run

    def again(self, run_id: str, change: Change) -> Run:
        """A version of a recorded run in which one task is done again. Raises UserError if that cannot be."""
        from hugginggpt.records.again import with_change

        return with_change(self.resume(run_id), change, run_id, self.table, self.endpoints)

    def run(self, run: Run, until: Until = "answer") -> Generator[Event, None, None]:
        """The events of a run, from RunStarted to Done; its record is kept at the end."""
        from hugginggpt.core.events import RunRecord

        record = RunRecord()
        journal = self.log.open(run)
        try:
            for event in self._until_done(run, record, until):
                record.apply(event)
                journal.add(event, record)
                yield event
        finally:
            run.cancel()
            record.cut_off()
            journal.close(record)

    def choose(self, run: Run) -> Mapping[int, Choice]:
        """The models for the tasks of a plan that a run has. Raises BackendError for a task without one."""
        return self.selector.choices(run)

    def _until_done(self, run: Run, record: RunRecord, until: Until) -> Iterator[Event]:
        """The events of the stages between RunStarted and Done; what ends a run early is told in its own words."""
        from hugginggpt.core.errors import ErrorCode, HuggingGPTError, RunStopped, StopReason
        from hugginggpt.core.events import Done, RunStarted
        from hugginggpt.offline.responder import answered

        yield RunStarted(run.id, run.request, self.config.llm_name, tuple(run.files), run.version_of)
        try:
            yield from self.stages(run, record, until)
        except HuggingGPTError as error:
            yield from record.closing_events(str(error), error.code)
            if record.files or any(task.ok for task in record.tasks.values()):
                yield answered(record, stage="compose", attached=run.known_files)
            reason = error.reason if isinstance(error, RunStopped) else StopReason.FAILED
            yield Done(reason, str(error), error.code, dict(run.spent_by))
            return
        ended = {"plan": StopReason.PLANNED, "results": StopReason.EXECUTED, "answer": StopReason.ANSWERED}[until]
        stop, code = (StopReason.FAILED, ErrorCode.NOTHING_DONE) if record.nothing_done else (ended, None)
        yield Done(stop, code=code, usage=dict(run.spent_by))

    @property
    def endpoints(self) -> Sequence[Endpoint]:
        """Where models run."""
        return self.selector.endpoints

    def close(self) -> None:
        """Gives all connections back."""
        for endpoint in self.endpoints:
            endpoint.close()

    def with_llm(self, llm: LLM) -> Controller:
        """The same controller with another language model, for a request that brings its own key."""
        return Controller(self.parts.with_llm(llm))


def make_controller(config: Config, llm: LLM | None = None) -> Controller:
    """A controller as the configuration says; `llm` in place of the configured language model."""
    from hugginggpt.build import build

    return Controller(build(config, llm))


def chat_huggingface(
    messages: Sequence[Message],
    api_key: str = "",
    api_type: str = "",
    api_endpoint: str = "",
    return_planning: bool = False,
    return_results: bool = False,
) -> Any:
    """JARVIS's function of this name (`hugginggpt.jarvis`); what `api_type` told follows from `api_endpoint`."""
    from hugginggpt import jarvis

    until = "plan" if return_planning else "results" if return_results else "answer"
    return jarvis.chat_huggingface(make_controller, messages, api_key, api_endpoint, until)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line. Exit codes: 0 answered, 1 nothing could be done, 2 wrong usage or configuration."""
    from hugginggpt.terminal.cli import main as cli_main

    return cli_main(make_controller, argv)


def program() -> NoReturn:
    """The command `hugginggpt`."""
    from hugginggpt.common.signals import run_program

    run_program(main)


if __name__ == "__main__":
    program()
