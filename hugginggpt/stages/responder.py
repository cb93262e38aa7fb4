"""Stage 4: words the answer from the results."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from hugginggpt.answers.accounting import unplanned_lines
from hugginggpt.answers.checking import Checker
from hugginggpt.answers.findings import names_of
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import AnswerDelta, Answered, Event, Notice, PromptRead, RunRecord
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import LLM, Reading, Reply, Stage
from hugginggpt.llm.bounds import CUT_OFF, OTHER_REPLY, answer_tokens
from hugginggpt.llm.prompts import Prompts
from hugginggpt.stages.answers import CheckedAnswer, Composed, failures_text, files_line, only_real_paths, work_text
from hugginggpt.stages.planner import OFFLINE
from hugginggpt.stages.run import Run

NOTHING = Usage()


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
        if record.planner == OFFLINE and not record.tasks and (record.plan.unplanned or record.plan.missing):
            yield from self.fallback.respond(run, record)  # what the offline planner asks back, or says that nobody can
            return
        if not record.tasks:
            yield from self.chat(run, record)
            return
        try:
            yield from self._answer(run, record, self.fallback.compose(run, record))
        except BackendError as error:
            said = f"The answer is composed without the language model: {error}"
            yield Notice(said)
            yield from self._composed(run, record, f"Note: {said[0].lower()}{said[1:]}")

    def _composed(self, run: Run, record: RunRecord, note: str, usage: Usage = NOTHING) -> Iterator[Event]:
        """The fallback's answer, and why it is that; `usage` is what was spent on another one."""
        for event in self.fallback.respond(run, record):
            if isinstance(event, Answered):
                event = replace(event, message=f"{event.message}\n\n{note}", usage=usage)
            yield event

    def _answer(self, run: Run, record: RunRecord, composed: Composed) -> Iterator[Event]:
        """The model's answer, in which sentences that the results do not bear out are replaced, sentence by sentence;
        then what stands behind it, and the whole.
        """
        results = [task.to_json() for _, task in sorted(record.tasks.items())]
        messages = self.prompts.respond(run.request, results, [finding.reading for finding in composed.findings])
        reply = Replying(
            run,
            "respond",
            self.llm.stream(messages, stage="respond", most=answer_tokens(composed.text, self.llm.count)),
        )
        names = names_of(record, run.known_files)
        checked = CheckedAnswer(Checker(record, names, composed.sentences, composed.findings))
        words = yield from _told(only_real_paths(checked.sentences(reply), record), checked)
        if reply.whole.cut_off or not words:
            why = f"was cut off {reply.whole.cut_off}" if reply.whole.cut_off else "holds nothing that the results say"
            said = f"The language model's answer {why}; this one is composed from the results."
            yield Notice(said)
            yield from self._composed(run, record, f"Note: {said[0].lower()}{said[1:]}", reply.whole.usage)
            return
        if after := _behind(record):
            yield AnswerDelta(f"\n\n{after}")
        yield Answered(f"{words}\n\n{after}".strip(), reply.whole.usage, answer=words, findings=composed.findings)

    def chat(self, run: Run, record: RunRecord) -> Iterator[Event]:
        """A conversational answer, in pieces and then as a whole."""
        messages = self.prompts.chat(run.messages, run.files)
        reply = Replying(run, "chat", self.llm.stream(messages, stage="chat", most=OTHER_REPLY))
        words = yield from _told(only_real_paths(reply, record))
        after = _behind(record)
        if rest := "".join((CUT_OFF if reply.whole.cut_off else "", f"\n\n{after}" if after else "")):
            yield AnswerDelta(rest)
        if reply.whole.cut_off:
            words += CUT_OFF
            yield Notice(f"The language model's answer was cut off {reply.whole.cut_off}.")
        yield Answered(f"{words}\n\n{after}".strip(), reply.whole.usage, "chat", words)


class Replying:
    """The pieces of a reply while it is written; `whole` is the reply when they have ended."""

    def __init__(self, run: Run, stage: Stage, pieces: Generator[str, None, Reply]) -> None:
        self.run = run
        self.stage = stage
        self.pieces = pieces
        self.whole = Reply("", NOTHING)

    def __iter__(self) -> Iterator[str]:
        """Raises BackendError where nothing was said."""
        self.whole = yield from self.run.stream(self.pieces)
        self.run.spend(self.whole.usage, self.stage)
        if not self.whole.text.strip():
            cut_off = f": its answer was cut off {self.whole.cut_off}" if self.whole.cut_off else ""
            raise BackendError(f"The language model answered nothing{cut_off}.")


def _told(pieces: Iterable[str], checked: CheckedAnswer | None = None) -> Generator[Event, None, str]:
    """The events of the pieces of an answer; returns the words of all."""
    words = ""
    for text in pieces:
        if isinstance(text, Reading):
            yield PromptRead(text.read, text.total)
            continue
        yield from checked.new_corrections() if checked else ()
        words += text
        yield AnswerDelta(text)
    yield from checked.new_corrections() if checked else ()
    return words.strip()


def _behind(record: RunRecord) -> str:
    """What stands behind a model's answer: what was not done, who planned instead, files, and who did what."""
    unplanned = "\n".join(unplanned_lines(record.plan.unplanned))
    notes = "\n".join(filter(None, (unplanned, failures_text(record), _planning_note(record))))
    return "\n\n".join(filter(None, (notes, files_line(record), work_text(record))))


def _planning_note(record: RunRecord) -> str:
    """That another planner has planned in place of the language model, and why; "" where nothing had failed."""
    failed = record.planner == OFFLINE and record.planner_reason and record.confidence is None
    return f"Note: the offline planner made the plan. {record.planner_reason}" if failed else ""
