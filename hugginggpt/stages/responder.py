"""Stage 4: words the answer from the results."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Protocol

from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import AnswerDelta, Answered, Event, Notice, PromptRead, RunRecord
from hugginggpt.core.findings import Finding
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import LLM, Message, Reading, Reply, Stage
from hugginggpt.llm.prompts import Prompts
from hugginggpt.stages.answers import Composed, failures_text, files_line, only_real_paths, work_text
from hugginggpt.stages.run import Run

CUT_OFF = " … (cut off)"
"""Appended to an incomplete answer: half a sentence can mean the opposite of the whole one."""


class Responder(Protocol):
    def respond(self, run: Run, record: RunRecord) -> Iterator[Event]:
        """Events that end with Answered; without tasks in the plan the answer is conversational."""


class Composer(Responder, Protocol):
    """A responder that words answers by code, from which another one can take what the results say."""

    def compose(self, run: Run, record: RunRecord) -> Composed: ...


class LLMResponder:
    """Has a language model word the answer; failures, files and who did what stand behind it, from the run record. What
    code can count and compare is given to the model, which need not count itself.

    If the model fails, the composed answer takes its place, so that no result is lost.
    """

    def __init__(self, llm: LLM, prompts: Prompts, fallback: Composer) -> None:
        self.llm = llm
        self.prompts = prompts
        self.fallback = fallback

    def respond(self, run: Run, record: RunRecord) -> Iterator[Event]:
        if run.without_llm:
            note = f"Note: the language model failed, so this was planned and answered without it: {run.without_llm}"
            yield from self._composed(run, record, note)
            return
        if record.tasks and not any(task.ok for task in record.tasks.values()):
            yield from self.fallback.respond(run, record)
            return
        if not record.tasks:
            yield from self._say(run, record, self.prompts.chat(run.messages, run.files), "chat")
            return
        composed = self.fallback.compose(run, record)
        results = [task.to_json() for _, task in sorted(record.tasks.items())]
        messages = self.prompts.respond(run.request, results, [finding.reading for finding in composed.findings])
        try:
            yield from self._say(run, record, messages, "respond", composed.findings)
        except BackendError as error:
            said = f"The answer is composed without the language model: {error}"
            yield Notice(said)
            yield from self._composed(run, record, f"Note: {said[0].lower()}{said[1:]}")

    def _composed(self, run: Run, record: RunRecord, note: str) -> Iterator[Event]:
        """The fallback's answer, and why it is that."""
        for event in self.fallback.respond(run, record):
            yield replace(event, message=f"{event.message}\n\n{note}") if isinstance(event, Answered) else event

    def _say(
        self, run: Run, record: RunRecord, messages: list[Message], stage: Stage, findings: tuple[Finding, ...] = ()
    ) -> Iterator[Event]:
        """The model's answer in pieces, then what stands behind it, and the whole."""
        reply = Reply("", Usage())

        def pieces() -> Generator[str, None, None]:
            nonlocal reply
            reply = yield from run.stream(self.llm.stream(messages, stage=stage))
            run.spend(reply.usage)
            if not reply.text.strip():
                cut_off = f": its answer was cut off {reply.cut_off}" if reply.cut_off else ""
                raise BackendError(f"The language model answered nothing{cut_off}.")
            if reply.cut_off:
                yield CUT_OFF

        words: list[str] = []
        for text in only_real_paths(pieces(), record):
            if isinstance(text, Reading):
                yield PromptRead(text.read, text.total)
                continue
            words.append(text)
            yield AnswerDelta(text)
        answer = "".join(words).strip()
        after = _behind(record)
        if after:
            yield AnswerDelta(f"\n\n{after}")
        if reply.cut_off:
            yield Notice(f"The language model's answer was cut off {reply.cut_off}.")
        yield Answered(f"{answer}\n\n{after}".strip(), reply.usage, stage, answer, findings=findings)


def _behind(record: RunRecord) -> str:
    """What stands behind a model's answer: what was not done, who planned instead, files, and who did what."""
    notes = "\n".join(filter(None, (failures_text(record), _planning_note(record))))
    return "\n\n".join(filter(None, (notes, files_line(record), work_text(record))))


def _planning_note(record: RunRecord) -> str:
    """That another planner than the language model has planned, and why; "" where it was the language model."""
    return f"Note: the offline planner made the plan. {record.planner_reason}" if record.planner_reason else ""
