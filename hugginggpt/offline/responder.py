"""Composes the answer from the run record without a language model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from hugginggpt.answers.accounting import failure_lines, left_out_lines, model_lines, result_sentences, unplanned_lines
from hugginggpt.answers.findings import caveat, findings_of, names_of
from hugginggpt.answers.made_files import made_before
from hugginggpt.answers.names import FileNames
from hugginggpt.core.conversation import Attachment, MissingInput
from hugginggpt.core.events import Answered, Event, RunRecord
from hugginggpt.core.findings import Finding
from hugginggpt.core.plan import Plan
from hugginggpt.core.questions import Objects, Question
from hugginggpt.core.results import ANSWER, ANSWERS, Kind
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import object_questions, registry
from hugginggpt.experts.extras import USUAL
from hugginggpt.media.references import find_resources, with_attachments
from hugginggpt.media.types import unreadable_reason
from hugginggpt.offline import about_program, spans, undoing
from hugginggpt.offline.about_program import ABILITIES, INTRODUCTION
from hugginggpt.offline.clauses import Clause, has_condition, split
from hugginggpt.offline.conditions import parts
from hugginggpt.offline.follow_ups import Request
from hugginggpt.offline.languages.answering import note as language_note
from hugginggpt.offline.languages.answering import refusal as language_refusal
from hugginggpt.offline.memory import remember
from hugginggpt.offline.planner import full_request, has_only_video
from hugginggpt.offline.small_talk import ABOUT, FEEDBACK, HELP, REPLY, THANKS
from hugginggpt.stages.answers import Composed, files_line, work_text
from hugginggpt.stages.planner import OFFLINE
from hugginggpt.stages.run import Run

WORDS: dict[Kind, str] = {
    "image": "picture",
    "audio": "recording",
    "video": "video",
    "table": "table",
    "document": "document",
}

NO_TASK = "I found no task for an expert model in this request"
MORE = (
    "To have a language model plan and answer, set OPENAI_API_KEY or HF_TOKEN, or local.endpoint in the configuration, "
    "or fetch one: --download-llm."
)

WELCOME = "You are welcome."
ACKNOWLEDGED = "All right. Ask for whatever else you need."
NOTED = (
    "Thank you for telling me. I cannot learn from remarks, and the same experts would find the same again: if an answer "
    "is wrong, ask in other words, or name the file or the part of it that you mean."
)
REPLIES = {THANKS: WELCOME, REPLY: ACKNOWLEDGED, FEEDBACK: NOTED}
"""The answers to small talk of a kind; to any other it is an introduction."""


class OfflineResponder:
    """Answers the questions first, then says what else the tasks gave, what was not done, and which models did it."""

    def __init__(self, table: TaskTable) -> None:
        self.table = table

    def respond(self, run: Run, record: RunRecord) -> Iterator[Event]:
        answer = self._answer(run, record)
        notes = [] if record.tasks else list(model_lines(record))
        is_said = record.plan.small_talk or _only_quotes(record)
        if not (answer.refused or is_said) and (note := language_note(record.plan.language)):
            notes.append(note)
        yield replace(answer, message="\n\n".join([answer.message, *notes])) if notes else answer

    def compose(self, run: Run, record: RunRecord) -> Composed:
        """What the results say, for a responder that words it otherwise."""
        return composed(record, self._full_request(run, record.plan), self._known_files(run))

    def _known_files(self, run: Run) -> list[Attachment]:
        """The files that came with the conversation, and those that were made in it before this run."""
        return [*run.known_files, *made_before(run.worded_turns, self.table, run.known_files)]

    def _answer(self, run: Run, record: RunRecord) -> Answered:
        plan = record.plan
        request = self._full_request(run, plan)
        refusals = (unreadable_reason(resource.text) for resource in request.named if resource.is_file)
        if record.tasks:
            return answered(record, request, attached=self._known_files(run))
        if refusal := next(filter(None, refusals), ""):
            return Answered(refusal, refused=True)
        if plan.missing:
            question = ask_for(plan.missing, request, self.table)
            return Answered(question, reply=question, missing=plan.missing)
        if plan.small_talk == undoing.UNDONE:
            reply = _undone(run, record, self.table)
            return Answered(reply, reply=reply)
        if plan.small_talk:
            reply = converse(plan.small_talk, self._is_offline(record), run.wording)
            return Answered(reply, reply=reply)
        if plan.language:
            return Answered(language_refusal(plan.language, plan.unplanned), refused=True)
        return Answered(
            "\n".join(unplanned_lines(plan.unplanned)) or converse(offline=self._is_offline(record)), refused=True
        )

    @staticmethod
    def _is_offline(record: RunRecord) -> bool:
        """Whether the run has no language model; one that completes leaves small talk to this responder."""
        return record.llm in ("", OFFLINE)

    def _full_request(self, run: Run, plan: Plan) -> Request:
        """The request that the message stands for, as the offline planner has read it."""
        if not plan.request:
            return full_request(run.wording, run.resources, run.worded_turns, self.table)
        if plan.request == run.wording:
            return Request.read(run.wording, run.resources, run.worded_turns)
        named = with_attachments(plan.request, find_resources(plan.request), (), run.known_files)
        return Request.read(plan.request, named, run.worded_turns)


def _undone(run: Run, record: RunRecord, table: TaskTable) -> str:
    """What is in hand again after the last change was taken back."""
    before = undoing.as_undone(run.worded_turns)
    after = undoing.without_last_change(before)
    files = [item.resource for item in remember(after, table).named if item.resource.is_file]
    if after == before or not files:
        return "There is no change that could be taken back."
    name = FileNames([files[-1].text], run.known_files)[files[-1].text]
    return f"Undone: I go on with {name if '.' in name else files[-1].text}."


def _only_quotes(record: RunRecord) -> bool:
    """Whether an answer is but what stands in a text, in its own language."""
    tasks = [task for task in record.tasks.values() if task.ok]
    return bool(tasks) and all(task.type.result in (ANSWER, ANSWERS) or task.type.reads_files for task in tasks)


def ask_for(missing: MissingInput, request: Request, table: TaskTable) -> str:
    """The question for the input that a request lacks."""
    if missing.kind == "image" and has_only_video(request, table):
        return "This is done to a picture: name one, or take it from the video first (“the frame at 0:05”)."
    row = table.find(missing.task)
    if row and (arg := row.arg(missing.argument)) and arg.pattern and arg.kind in WORDS:
        return f"Name the file of {arg.about}, or attach it."
    if row and (arg := row.arg(missing.argument)) and arg.pattern:
        return f"Which {arg.name} do you mean? Nothing in the request is written as {row.name} takes it ({row.about})."
    if missing.kind == "text":
        return "Which text do you mean? Put it in quotes, or name its file."
    return f"Which {WORDS[missing.kind]} do you mean? Name its file, or attach it."


def converse(small_talk: str = "", offline: bool = True, request: str = "") -> str:
    """The answer to small talk of a kind, or to a request without a task: what it asks about the program, or an
    introduction and examples. Where there is no task, and no language model (`offline`), also how to get one.
    """
    if reply := REPLIES.get(small_talk):
        return reply
    if small_talk in (*ABOUT, HELP) and (said := about_program.about(request, offline)):
        return said
    if small_talk:
        return f"{INTRODUCTION} {abilities()}"
    return f"{NO_TASK}, and I run offline. {abilities()} {MORE}" if offline else f"{NO_TASK}. {abilities()}"


def abilities() -> str:
    """What can be done on this machine; where packages of the usual extra are missing, how they are installed."""
    experts = [expert for expert in registry.all_experts() if expert.extra == USUAL]
    lacking = [expert for expert in experts if expert.missing]
    if not lacking:
        return ABILITIES
    able = len(experts) - len(lacking)
    remedies = "; ".join(dict.fromkeys(expert.remedy for expert in lacking))
    return f"Of the {len(experts)} experts on this machine {able or 'none'} can run; for the others: {remedies}."


def answered(
    record: RunRecord, request: Request | None = None, stage: str = "respond", attached: Sequence[Attachment] = ()
) -> Answered:
    """The answer to a request with tasks: findings, other results, what was not done and why, files, work.

    `request` is the full one where it is a follow-up ("and b.jpg?"), `attached` are the files of the conversation.
    """
    request = request or Request.read(record.request, find_resources(record.request))
    made = composed(record, request, attached)
    answer = made.text if any(task.ok for task in record.tasks.values()) else ""
    refusals = [
        *unplanned_lines(record.plan.unplanned), *failure_lines(record, attached), *left_out_lines(record), *model_lines(record),
    ]  # fmt: skip
    paragraphs = [
        answer or ("" if refusals else "I could not do this."),
        made.caveat,
        "\n".join(refusals),
        files_line(record, answer),
        _condition_note(record, request),
        work_text(record, made.told),
    ]
    return Answered("\n\n".join(filter(None, paragraphs)), stage=stage, answer=answer, findings=made.findings)


def composed(record: RunRecord, request: Request, attached: Sequence[Attachment] = ()) -> Composed:
    """What the results of a run say; the questions are those of the plan, or else those that the request puts."""
    names = names_of(record, attached)
    findings = findings_of(record, names, record.plan.questions or questions_of(request, record))
    told = {task for finding in findings if finding.operation != "mentions" for task in finding.tasks}
    sentences = [finding.reading for finding in findings]
    # what only decided a condition shows in what was done, and in the reason for what was not
    told |= {number for task in record.plan if task.when for number in task.when.question.tasks}
    if rest := _other_objects(record, names, told):
        sentences.append(rest.reading)
        told |= set(rest.tasks)
    values = [record.tasks[number].value for number in sorted(told) if number in record.tasks]
    notes = dict.fromkeys(f"{value['note']}." for value in values if isinstance(value, dict) and value.get("note"))
    sentences += result_sentences(record, names, told, several=len(attached) > 1 or bool(request.turns))
    caveats = [caveat(findings), *(f"{note[:1].upper()}{note[1:]}" for note in notes)]
    return Composed(tuple(sentences), findings, frozenset(told), " ".join(filter(None, caveats)))


def _other_objects(record: RunRecord, names: FileNames, told: Collection[int]) -> Finding | None:
    """What detections gave that no question is about."""
    tasks = tuple(
        number
        for number, task in record.tasks.items()
        if task.ok and number not in told and task.type.result.draws == "boxes"
    )
    question = Question("list", (Objects("objects", everything=True),), tasks)
    return next(iter(findings_of(record, names, [question])), None) if tasks else None


def _condition_note(record: RunRecord, request: Request) -> str:
    """A note that a condition in the request was not understood, so that its tasks were run in any case."""
    is_planned = any("when" in task.task for task in record.tasks.values())
    is_planned |= any(question.when for question in record.plan.questions)
    if is_planned or len(record.tasks) < 2 or not has_condition(request.text, request.placed):
        return ""
    if not any(part.conditions for part in parts(request.text, request.placed)):  # "if there is a castle, tell me"
        return ""
    return 'Note: what "if" or "otherwise" stands before was done in any case, as I did not understand the condition.'


def questions_of(request: Request, record: RunRecord) -> tuple[Question, ...]:
    """The questions about objects that a request puts to the detections of a plan without questions; none where they
    decide a condition of it.
    """
    if any(task.when for task in record.plan):
        return ()
    detections = tuple(number for number, task in record.tasks.items() if task.row and task.row.result.draws == "boxes")
    if not detections:
        return ()
    asked = filter(None, map(object_questions.read, _clauses(request)))
    return tuple(replace(question, tasks=detections) for question in asked)


def _clauses(request: Request) -> list[str]:
    """The clauses of a request without its files, so that "a cat in a.jpg and a bird in b.jpg" are alike."""
    whole = Clause(request.text, 0, len(request.text), tuple(request.placed))
    return [clause.text for clause in split(spans.without_files(request.text, whole, keep_quoted=False), ())]
