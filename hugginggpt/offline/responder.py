"""Composes the answer from the run record without a language model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hugginggpt.core.conversation import MissingInput
from hugginggpt.core.events import Answered, Event, RunRecord, TaskRecord
from hugginggpt.core.results import Kind, count_labels, plural
from hugginggpt.core.tasks import TaskTable
from hugginggpt.experts import coco, registry
from hugginggpt.media.references import find_resources
from hugginggpt.media.types import unreadable_reason
from hugginggpt.offline import spans
from hugginggpt.offline.clauses import Clause, has_condition, split
from hugginggpt.offline.follow_ups import Request, in_full
from hugginggpt.offline.planner import find_missing_input, has_only_video
from hugginggpt.stages.answers import failures_text, files_line
from hugginggpt.stages.run import Run

WORDS: dict[Kind, str] = {"image": "picture", "audio": "recording", "video": "video", "table": "table"}
MAX_RESULT_CHARS = 90

INTRODUCTION = (
    "I am JARVIS (HuggingGPT). I turn a request into a graph of tasks, give each to an expert model and answer from "
    "their results. Right now I run offline: without a language model I plan by words and answer in set sentences."
)
ABILITIES = (
    "I can, for example, count and find objects in pictures, read the text in a picture, draw edges and poses, "
    "transcribe recordings, remove noise from them, read text aloud, find names in a text, tell its mood, summarise it "
    "and answer questions from it. Name the files in your request, such as /examples/a.jpg."
)
MORE = (
    "To have a language model plan and answer, set OPENAI_API_KEY or HF_TOKEN, or local.endpoint in the configuration."
)


class OfflineResponder:
    """Answers the question first, then lists each task with its model and result."""

    def __init__(self, table: TaskTable) -> None:
        self.table = table

    def respond(self, run: Run, record: RunRecord) -> Iterator[Event]:
        request = in_full(Request.of_run(run), self.table)
        refusals = (unreadable_reason(resource.text) for resource in request.named if resource.is_file)
        if record.tasks:
            yield answered(record, request)
        elif refusal := next(filter(None, refusals), ""):
            yield Answered(refusal, refused=True)
        elif missing := find_missing_input(request, self.table, run.tasks):
            yield Answered(ask_for(missing, request, self.table), missing=missing)
        else:
            is_small_talk = is_greeting(run.request) or is_thanks(run.request)
            yield Answered(converse(run.request), refused=not is_small_talk)


def ask_for(missing: MissingInput, request: Request, table: TaskTable) -> str:
    """The question for the input that a request lacks."""
    if missing.kind == "image" and has_only_video(request, table):
        return "Of a video only the sound can be used: name a picture, or ask for what is said in the video."
    if missing.kind == "text":
        return "Which text do you mean? Put it in quotes, or name its file."
    return f"Which {WORDS[missing.kind]} do you mean? Name its file, or attach it."


def converse(request: str) -> str:
    """The answer to a request without a task: an introduction and examples."""
    if is_thanks(request):
        return "You are welcome."
    unknown = "I found no task for an expert model in this request, and I run offline."
    return f"{INTRODUCTION if is_greeting(request) else unknown} {abilities()} {MORE}"


def is_greeting(request: str) -> bool:
    words = r"\b(?:hello|hi|hey|hiya|good (?:morning|day|evening)|who are you|what are you|what can you)\b"
    return bool(re.search(words, request.lower()))


def is_thanks(request: str) -> bool:
    return bool(re.search(r"\b(?:thank\w*|bye|goodbye)\b", request.lower()))


def abilities() -> str:
    """What can be done on this machine; with experts whose packages are missing, how these are installed instead."""
    experts = registry.all_experts()
    lacking = [expert for expert in experts if expert.missing]
    if not lacking:
        return ABILITIES
    able = len(experts) - len(lacking)
    remedies = "; ".join(dict.fromkeys(expert.remedy for expert in lacking))
    return f"Of the {len(experts)} experts on this machine {able or 'none'} can run; for the others: {remedies}."


def answered(record: RunRecord, request: Request | None = None, stage: str = "respond") -> Answered:
    """The answer to a request with tasks; `request` is the full one where it is a follow-up ("and b.jpg?")."""
    request = request or Request.read(record.request, find_resources(record.request))
    finished = [task for task in record.tasks.values() if task.ok]
    objects, counted = _objects_answer(request, finished)
    answer = "\n".join(filter(None, (objects, _each_answer(record, besides="boxes" if counted else ""))))
    if not finished:
        answer = "I could not do this."
    work = "\n".join(f"- {_work_line(task)}" for task in finished)
    note = _condition_note(record, request)
    parts = [answer, failures_text(record), files_line(record, answer), note, f"What was done:\n{work}" if work else ""]
    return Answered("\n\n".join(filter(None, parts)), stage=stage, answer=answer)


def _condition_note(record: RunRecord, request: Request) -> str:
    """A note that conditions in the request were ignored: a plan is a graph without branches."""
    if len(record.tasks) < 2 or not has_condition(request.text, request.placed):
        return ""
    return 'Note: a plan has no conditions, so what "if" or "otherwise" stands before was planned in any case.'


def _objects_answer(request: Request, finished: list[TaskRecord]) -> tuple[str, bool]:
    """A sentence for each object that a request wants counted or detected, if a detector was run; and whether one of
    them reports a detection.
    """
    labels_by_image = {
        str(task.task["args"].get(task.type.input_arg.name, "the picture")): count_labels(task.value)
        for task in finished
        if _draws(task, "boxes")
    }
    if not labels_by_image:
        return "", False
    queries = [
        (wording, query)
        for question in _questions(request)
        for wording, objects in ((_count, coco.counted_objects), (_presence, coco.looked_for_objects))
        for query in objects(question)
    ]
    sentences = [
        wording(query, {image: query.count(labels) for image, labels in labels_by_image.items()})
        for wording, query in queries
    ]
    return " ".join(dict.fromkeys(sentences)), any(query.labels for _, query in queries)


def _questions(request: Request) -> list[str]:
    """The clauses of a request without its files, so that "a cat in a.jpg and a bird in b.jpg" are alike."""
    whole = Clause(request.text, 0, len(request.text), tuple(request.placed))
    return [clause.text for clause in split(spans.without_files(request.text, whole, keep_quoted=False), ())]


def _count(query: coco.ObjectQuery, counts: dict[str, int]) -> str:
    """ "There are 3 giraffes in these pictures: 1 in a.jpg, 2 in b.jpg, none in c.jpg."""
    if not query.labels:
        return _unknown(query)
    total = sum(counts.values())
    noun = query.word if len(query.labels) > 1 else query.labels[0] if total == 1 else plural(query.labels[0])
    verb = "is" if total == 1 else "are"
    if len(counts) == 1:
        return f"There {verb} {total or 'no'} {noun} in {next(iter(counts))}."
    each = ", ".join(f"{count or 'none'} in {image}" for image, count in counts.items())
    return f"There {verb} {total or 'no'} {noun} in these {len(counts)} pictures: {each}."


def _presence(query: coco.ObjectQuery, counts: dict[str, int]) -> str:
    """ "Yes, the detector found dog: 1 in a.jpg." or "No, the detector found no dog in a.jpg."""
    if not query.labels:
        return _unknown(query)
    counts_text = [f"{count} in {image}" for image, count in counts.items() if count]
    noun = query.labels[0] if len(query.labels) == 1 else query.word
    if counts_text:
        return f"Yes, the detector found {noun}: {', '.join(counts_text)}."
    return f"No, the detector found no {noun} in {' or '.join(counts)}."


def _unknown(query: coco.ObjectQuery) -> str:
    return f'The detector knows {len(coco.labels())} kinds of objects, and "{query.word}" is none of them.'


def _each_answer(record: RunRecord, besides: str = "") -> str:
    """A sentence for each result except those that draw `besides`; final results come first."""
    used = {dep for task in record.tasks.values() if task.ok for dep in task.task["dep"]}
    ordered = sorted(record.tasks.items(), key=lambda item: item[0] in used)
    return "\n".join(_sentence(task) for _, task in ordered if task.ok and not _draws(task, besides))


def _draws(task: TaskRecord, what: str) -> bool:
    return bool(what) and task.type.result.draws == what


def _sentence(task: TaskRecord) -> str:
    """The result in the sentence of its row in the task table."""
    row = task.type
    args = task.task["args"]
    return row.sentence(row.result.describe(task.value), args)


def _work_line(task: TaskRecord) -> str:
    row = task.type
    model = f" with {task.choice.id} {task.choice.place}".rstrip() if task.choice else ""
    description = " ".join(row.result.describe(task.value).split())
    return f"{row.name}{model}: {description[:MAX_RESULT_CHARS]}{'…' if len(description) > MAX_RESULT_CHARS else ''}"
