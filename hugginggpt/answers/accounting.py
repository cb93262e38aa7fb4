"""Accounts for each part of a request: what its tasks gave, what could not be done and why, what was not needed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hugginggpt.answers import answers_in_turn, chosen_sources
from hugginggpt.answers.named_kinds import asked_kinds, asked_names
from hugginggpt.answers.names import FileNames
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.documents import enumerated
from hugginggpt.core.errors import ErrorCode
from hugginggpt.core.events import RunRecord, TaskRecord
from hugginggpt.core.moods import moods_of
from hugginggpt.core.plan import Unplanned, references
from hugginggpt.core.results import ANSWER, ANSWERS, ENTITIES, FILE_KINDS, LABELS, best_of
from hugginggpt.media.types import type_of

SENTIMENTS = ("positive", "negative", "neutral")
_WRITTEN = re.compile(
    r"\b(?:writ\w+|typ(?:e|es|ed|ing)|text|word for word|in words|transcript\w*|note|read)\b", re.IGNORECASE
)
"""Words with which the whole of what is said, or written, may be wanted."""
MIN_CONTAINED_CHARS = answers_in_turn.MIN_CONTAINED_CHARS
"""A result that is at least as long is not repeated where another one holds it."""


def result_sentences(
    record: RunRecord, names: FileNames, told: Collection[int], several: bool = False
) -> Iterator[str]:
    """What the tasks gave that are not `told` yet, those whose results no other one took first; no text twice. Where
    there are `several` files that may be meant, a file that was made is told with the one that it was made of.
    """
    finished = [(number, task) for number, task in record.tasks.items() if task.ok]
    used = {dep for _, task in finished for dep in task.task["dep"]}
    questions = [task for _, task in finished if task.type.result in (ANSWER, ANSWERS)]
    asked = {_question(task) for task in questions}
    sources = {number: _source(task, names, record) for number, task in finished if task in questions}
    chosen = _chosen(finished, sources, record)
    given: list[str] = []
    sure: list[str] = []
    steps = _steps(finished)
    for number, task in sorted(finished, key=lambda item: item[0] in used):
        if (
            number in told
            or number in steps.values()
            or chosen.get(number) == ""
            or _only_was_read(number, task, record)
        ):
            continue
        result, is_asked = " ".join(task.type.result.describe(task.value).split()), task in questions
        is_repeated = not is_asked and any(
            result == other or (len(result) >= MIN_CONTAINED_CHARS and result in other) for other in given
        )
        if is_repeated:
            continue
        sentence = chosen.get(number) or _sentence(task, names, record, len(asked) > 1 and task in questions)
        source = "" if number in chosen else sources.get(number, "")
        if source and len(set(sources.values())) > 1 and not sentence.startswith(f"{source}: "):
            sentence = f"{source}: {sentence}"
        elif source and given and task in questions and given[-1].startswith(f"{source}: "):
            sentence = sentence.removeprefix(f"{source}: ")  # which stands before the answer to the last question
        first = task
        if number in steps:
            first, sentence = _made_in_steps(number, steps, names, record)
        if several and task.type.is_exact and task.type.result.makes:
            sentence = f"{sentence}{_made_of(first, names, sentence)}"
        if is_asked and given:
            asked_in = str(task.task["args"].get(task.type.text_arg.name, "")) if task.type.text_arg else ""
            sentence = answers_in_turn.without_told(sentence, asked_in.strip(), task.value, given, sure)
        if not sentence:
            continue
        given.append(" ".join(sentence.split()))
        sure += given[-1:] if _is_told(task.value) else []
        yield sentence


def _chosen(
    finished: Sequence[tuple[int, TaskRecord]], sources: Mapping[int, str], record: RunRecord
) -> dict[int, str]:
    """What is told of the tasks that put one question to several files (`chosen_sources.told`)."""
    groups: dict[str, dict[int, TaskRecord]] = {}
    for number, task in finished:
        if number in sources:
            groups.setdefault(_question(task), {})[number] = task
    are_heard = any(task.type.reads_files and task.type.input_kind == "audio" for _, task in finished)
    found: dict[int, str] = {}
    for group in groups.values():
        found |= chosen_sources.told(group, {number: sources[number] for number in group}, record.request, are_heard)
    return found


def _made_in_steps(number: int, steps: dict[int, int], names: FileNames, record: RunRecord) -> tuple[TaskRecord, str]:
    """The first of the operations that one result took, and the sentence for that: only the last file is wanted, and
    what was done is told in its order. "The joined recording: /audios/1.mp3 (3 recordings; WAV became MP3)".
    """
    chain = [number]
    while chain[0] in steps:
        chain.insert(0, steps[chain[0]])
    tasks = [record.tasks[each] for each in chain]
    notes = [str(task.value["note"]) for task in tasks if task.value.get("note")]
    value = {key: each for key, each in tasks[-1].value.items() if key != "note"}
    told = tasks[-1].type.result.describe({**value, **({"note": "; ".join(notes)} if notes else {})})
    args = {name: names[each] if isinstance(each, str) else each for name, each in tasks[0].task["args"].items()}
    return tasks[0], tasks[0].type.sentence(told, args)


def on_the_way(record: RunRecord) -> set[int]:
    """The tasks that made a file which only another operation took, so that it is no result."""
    return set(_steps([(number, task) for number, task in record.tasks.items() if task.ok]).values())


def _steps(finished: Collection[tuple[int, TaskRecord]]) -> dict[int, int]:
    """For operations that changed what another one had just made, and nobody else took, the number of that one: the
    picture that was turned and then saved as PNG is one result, and the file on the way is told as that. A file of
    another kind (subtitles of a recording) is a second result.
    """
    makers = {number: task for number, task in finished if task.type.is_exact and task.type.result.makes}
    users: dict[int, list[int]] = {}
    for number, task in finished:
        for dep in task.task["dep"]:
            users.setdefault(dep, []).append(number)
    return {
        taken[0]: made
        for made, taken in users.items()
        if made in makers
        and len(taken) == 1
        and taken[0] in makers
        and makers[taken[0]].task["dep"] == [made]
        and makers[taken[0]].type.result is makers[made].type.result
    }


def _only_was_read(number: int, task: TaskRecord, record: RunRecord) -> bool:
    """Whether a text was written down only for questions that it answered: nobody asked for the whole of it."""
    is_wanted = any(cue.regex.search(record.request) for cue in task.type.cues) or _WRITTEN.search(record.request)
    if not task.type.reads_files or is_wanted or record.plan.language:
        return False
    users = [other for other in record.tasks.values() if number in other.task["dep"]]
    of_several = sum(other.ok and other.type is task.type for other in record.tasks.values()) > 1
    return bool(users) and all(
        one.ok and one.type.result in (ANSWER, ANSWERS) and (of_several or _is_told(one.value)) for one in users
    )


def _made_of(task: TaskRecord, names: FileNames, sentence: str) -> str:
    """ ", from a.jpg and b.jpg": the files that a task made its file of, but those that its sentence names."""
    given = [
        value for arg in task.type.args if arg.kind in FILE_KINDS for value in _listed(task.task["args"].get(arg.name))
    ]
    files = dict.fromkeys(names[one] for one in given)
    named = [name for name in files if name not in sentence and not name.startswith("/")]
    return f", from {enumerated(named)}" if named else ""


def _listed(value: Any) -> list[str]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


def _question(task: TaskRecord) -> str:
    """The words of the user that a task was asked; an English translation on a second line is not theirs."""
    argument = task.type.text_arg
    said = str(task.task["args"].get(argument.name, "")).strip() if argument else ""
    is_translated = task.type.wording == "question" and task.type.input_kind != "table"
    return said.partition("\n")[0] if is_translated else said


def _source(task: TaskRecord, names: FileNames, record: RunRecord) -> str:
    """The name of the file that a question was put to, or in which the text was read; "" for a text."""
    question = task.type.text_arg
    for name, value in task.task["args"].items():
        if not isinstance(value, str) or (question and name == question.name):
            continue
        for made in references({name: value}):
            if made in record.tasks:
                return _source(record.tasks[made], names, record)
        if names[value] != value or (type_of(value) and "\n" not in value):
            return names[value]
    read = [
        record.tasks[made] for made in task.task["dep"] if made in record.tasks and record.tasks[made].type.reads_files
    ]
    return _source(read[-1], names, record) if read else ""


def _sentence(task: TaskRecord, names: FileNames, record: RunRecord, with_question: bool) -> str:
    """The result in the sentence of its row in the task table, behind its question where there are several."""
    row = task.type
    value = task.value
    if row.result is ENTITIES:
        instruction = _instruction(record)
        value = asked_names(instruction, task.value)
        if task.value and not value:
            kinds = asked_kinds(instruction)
            return f"I see no {f'{kinds} named' if kinds else 'other names'} in the text."
    args = {name: names[value] if isinstance(value, str) else value for name, value in task.task["args"].items()}
    result = row.result.describe(value)
    is_named = with_question and row.text_arg and row.wording != "calculation"  # which stands in its sentence
    question = _question(task) if is_named and not _tells(task.value) else ""
    if row.result is LABELS and (sentiment := _sentiment(task, _instruction(record))):
        return sentiment
    is_refusal = row.result in (ANSWER, ANSWERS) and row.input_kind == "text" and not _is_found(task.value)
    answer = result if is_refusal else row.sentence(result, args)
    return f"“{question}” {answer}" if question else answer


def _instruction(record: RunRecord) -> str:
    """The request without the texts in it that its tasks read."""
    request = " ".join(record.request.split())
    for task in record.tasks.values():
        for value in task.task["args"].values():
            if isinstance(value, str) and (text := " ".join(value.split())):
                request = request.replace(text, " ")
    return request


def _sentiment(task: TaskRecord, instruction: str) -> str:
    """ "The text is negative (86 %).", with the mood that the request calls it; "" for other classes."""
    label, score = (
        str(task.value[0]["label"]).lower() if task.value else "",
        task.value[0]["score"] if task.value else 0,
    )
    if label not in SENTIMENTS:
        return ""
    mood = dict(zip(SENTIMENTS, moods_of(instruction), strict=False)).get(label, "")
    said = f"rather {mood}: it reads as {label}" if mood not in ("", label) else label
    return f"The text is {said} ({100 * float(score):.0f} %)."


def _is_found(value: Any) -> bool:
    """Whether an expert for questions found an answer."""
    return best_of(value).get("found") is not False


_VERDICT = re.compile(r"\W*+(?:yes|no|perhaps|probably|not sure|ja|nein|oui|non|sí|是|不|否)\b", re.IGNORECASE)


def _tells(value: Any) -> bool:
    """Whether an answer says of itself what it is about: one that is found or quoted, and no yes or no."""
    best = best_of(value)
    if not best or _VERDICT.match(str(best.get("answer", ""))):
        return False
    return "looked" not in best and (best.get("found", True) or "score" in best)


def _is_told(value: Any) -> bool:
    """Whether an answer is one, or probably is, so that the text which it was read in need not be told."""
    return _is_found(value) or "score" in best_of(value)


def unplanned_lines(parts: Iterable[Unplanned]) -> Iterator[str]:
    """A line for each part of a request that has no task; what would let some of them be done is said once."""
    told = list(dict.fromkeys(parts))
    for at, part in enumerate(told):
        if not part.why:
            yield f"Not understood: “{part.text}”."
            continue
        is_said_later = any(part.remedy == other.remedy for other in told[at + 1 :])
        remedy = f" ({part.remedy})" if part.remedy and not is_said_later else ""
        yield f"Not possible here: “{part.text}”. {part.why.rstrip('.')}{remedy}."


def failure_lines(record: RunRecord, attached: Iterable[Attachment] = ()) -> Iterator[str]:
    """Why the run failed, and each task that failed though it was needed, or was skipped for another reason than that;
    a reason is said once, and calls the files that are `attached` by their names.
    """
    if error := record.error or (record.message if record.refused else ""):
        yield f"Not done: {error}"
    by_reason: dict[str, list[str]] = {}
    asked = {task.task["task"] for task in record.tasks.values() if task.row and task.row.wording == "question"}
    of_file: set[str] = set()
    stored = {file.source.rpartition("/")[2]: file.name for file in (*record.attachments, *attached)}
    has_failed = any(task.undone and task.state == "failed" for task in record.tasks.values())
    for task in record.tasks.values():
        if task.undone and not (has_failed and task.state == "skipped"):
            reason = task.reason
            for name, own in stored.items():
                reason = reason.replace(name, own)
            by_reason.setdefault(reason, []).append(str(task.task["task"]))
            of_file |= {reason} if task.code == ErrorCode.MEDIA else set()
    for reason, tasks in by_reason.items():
        is_answer = asked.issuperset(tasks) and reason[:1].isupper()  # "From a picture I cannot tell …" says it itself
        # what a file is or has not says by itself why nothing came of it, too
        is_plain = is_answer or reason in of_file
        yield reason if is_plain else f"Not done ({', '.join(dict.fromkeys(tasks))}): {reason}"


def model_lines(record: RunRecord) -> Iterator[str]:
    """The models that the request names and that were not used, with the reason."""
    return filter(None, (use.sentence for use in record.models))


def left_out_lines(record: RunRecord) -> Iterator[str]:
    """The tasks whose conditions do not hold; those that follow from them need no word, nor those in whose place
    others were done.
    """
    decided = [task.task["when"]["question"] for task in record.tasks.values() if task.ok and "when" in task.task]
    for task in record.tasks.values():
        if task.not_needed and "when" in task.task and task.task["when"]["question"] not in decided:
            yield f"Not needed: {task.type.name}, as {task.reason}"
