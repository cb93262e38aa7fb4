"""Answers as a program that composes them, and asks a language model for what that leaves open: a question whose answer
no expert found, or a part of the request that nobody understood, is put to it with the texts that are in hand.

It is asked where the texts speak of what the question is about, which code looks for: a small model finds an answer in
any text, or in none. What it reads has to be borne out (`model_reading.py`); else what was composed stands.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hugginggpt.answers.accounting import failure_lines, left_out_lines, unplanned_lines
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Answered, Event, Notice, RunRecord, TaskRecord
from hugginggpt.core.plan import REFERENCE
from hugginggpt.core.results import ANSWER, ANSWERS, best_of
from hugginggpt.media.types import kind_of
from hugginggpt.stages.answers import files_line, work_text
from hugginggpt.stages.model_reading import ModelReader, Read, content_of
from hugginggpt.stages.responder import NOTHING, LLMResponder
from hugginggpt.stages.run import Run
from hugginggpt.stages.texts_in_hand import TextInHand, TextsInHand

MOST = 3
"""The most open questions of a request that are put to the language model."""
READ = "Read by the language model in"
WHOLE_QUESTION, BEFORE_CHARS = 3, 300
"""A question with so many words of its own stands for itself; with others that much of the last request is told."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A question that a run leaves open: of a `task` without an answer, or a part of the request without a task."""

    question: str
    task: int | None = None


class CompletingResponder:
    """Composes answers, and has a language model read what they leave open from the texts in hand. Where the request is
    words alone and asks for nothing that an expert does, it replies itself, as `leading`, which words whole answers.
    """

    def __init__(self, leading: LLMResponder, texts: TextsInHand) -> None:
        self.leading = leading
        self.composer = leading.fallback
        self.reader = ModelReader(leading.llm, leading.prompts)
        self.texts = texts

    def respond(self, run: Run, record: RunRecord) -> Iterator[Event]:
        if run.without_llm or run.planner == "llm":
            yield from self.leading.respond(run, record)
            return
        gaps = list(open_questions(run, record))[:MOST]
        texts = self.texts.of(run, record) if gaps else []
        try:
            if gaps and is_words_alone(run, record) and not texts:
                understood = replace(record, plan=replace(record.plan, unplanned=()))
                yield from self.leading.chat(run, understood)
                return
            found = yield from self._read_all(run, record, gaps, texts)
        except BackendError as error:
            yield Notice(f"The answer is composed without the language model: {error}")
            found = {}
        if found:
            yield self._with(found, run, record)
        else:
            yield from self.composer.respond(run, record)

    def _read_all(
        self, run: Run, record: RunRecord, gaps: Sequence[Gap], texts: Sequence[TextInHand]
    ) -> Generator[Event, None, dict[Gap, Read]]:
        """What the language model reads from the texts; only what is borne out by them."""
        found: dict[Gap, Read] = {}
        for gap in gaps:
            before = question_before(run, gap.question)
            read = yield from self.reader.read(gap.question, before, texts, run, record, gap.task is not None)
            if read:
                found[gap] = read
        return found

    def _with(self, found: Mapping[Gap, Read], run: Run, record: RunRecord) -> Answered:
        """The answers that were read, then what else the results say, what is left open, files and work."""
        gone = {gap.task for gap in found if gap.task is not None and not is_likely(record.tasks[gap.task])}
        tasks = {number: task for number, task in record.tasks.items() if number not in gone}
        parts = {gap.question for gap in found if gap.task is None}
        unplanned = tuple(part for part in record.plan.unplanned if part.text not in parts)
        rest = replace(record, tasks=tasks, plan=replace(record.plan, unplanned=unplanned), refused=False, message="")
        composed = self.composer.compose(run, rest)
        read = [one.answer for one in found.values()]
        answer = "\n".join([*read, *composed.sentences])
        names = dict.fromkeys(name for one in found.values() for name in one.names)
        worked_out = [one.how for one in found.values() if one.how]
        how = f", and worked out by code: {'; '.join(worked_out)}" if worked_out else ""
        paragraphs = [
            answer,
            composed.caveat,
            "\n".join([*unplanned_lines(unplanned), *failure_lines(rest), *left_out_lines(rest)]),
            f"{READ} {', '.join(names)}{how}.",
            files_line(record, answer),
            work_text(record),
        ]
        message = "\n\n".join(filter(None, paragraphs))
        return Answered(message, run.spent_by.get("respond", NOTHING), answer=answer, findings=composed.findings)


def open_questions(run: Run, record: RunRecord) -> Iterator[Gap]:
    """What a run leaves open that a text may answer. Not what needs an expert that there is none of."""
    plan = record.plan
    unanswered = [number for number, task in record.tasks.items() if is_unanswered(task)]
    if plan.language:  # of other languages few questions to texts are understood, and the texts are in them, too
        if unanswered or not record.tasks:
            yield Gap(run.request, *unanswered[:1])
        return
    for number in unanswered:
        task = record.tasks[number]
        asked = task.task["args"].get(task.type.text_arg.name) if task.type.text_arg else None
        lines = str(asked or "").strip().splitlines() or [run.request]
        yield Gap(lines[-1], number)  # to a table the questions before stand above
    yield from (Gap(part.text) for part in plan.unplanned if not part.why)
    if not (record.tasks or plan.unplanned or plan.small_talk):
        yield Gap(run.request)


def is_unanswered(task: TaskRecord) -> bool:
    """Whether a question is left that a text, a page or a table may answer: no expert found it, or none was asked."""
    row = task.row
    if (
        row is not None and row.wording == "remark"
    ):  # a language model has replied: to words alone, or to a text in hand
        text = str(task.task["args"].get(row.input_arg.name, ""))
        return not (REFERENCE.search(text) or kind_of(text))
    if row is None or row.wording != "question":
        return False
    if task.undone:
        return row.input_kind != "image" or row.subject is not None  # of a photograph there is no text
    return row.result in (ANSWER, ANSWERS) and best_of(task.value).get("found") is False


def is_likely(task: TaskRecord) -> bool:
    """Whether an expert that is not sure has told the passage in which the answer probably stands: that stays."""
    return "score" in best_of(task.value)


def is_words_alone(run: Run, record: RunRecord) -> bool:
    """Whether there is no file in the whole conversation, and no expert was asked or is lacking."""
    has_files = run.known_files or any(one.is_file for one in run.named) or any(turn.tasks for turn in run.turns)
    return not (has_files or record.tasks or record.plan.missing or any(part.why for part in record.plan.unplanned))


def question_before(run: Run, question: str) -> str:
    """The request before a short question, which may go on with it. Not its answer: small models repeat that."""
    is_short = len(content_of(question)) < WHOLE_QUESTION
    return run.turns[-1].request[:BEFORE_CHARS] if is_short and run.turns else ""
