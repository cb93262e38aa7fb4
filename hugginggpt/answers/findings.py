"""Findings: the answers to a plan's questions, from evidence or from a whole run record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hugginggpt.answers import wording
from hugginggpt.answers.deciding import value_of
from hugginggpt.answers.evidence import Counts, Evidence, count_all, once_per_file
from hugginggpt.answers.names import FileNames
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.events import RunRecord, TaskRecord
from hugginggpt.core.findings import Finding, SourceCounts
from hugginggpt.core.plan import REFERENCE
from hugginggpt.core.questions import Condition, Question
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.core.task_types import TaskType

THE_INPUT: dict[Kind, str] = {
    "text": "the text",
    "image": "the picture",
    "audio": "the recording",
    "video": "the video",
    "document": "the document",
    "table": "the table",
}
"""What an input is called that has no name."""


def answer(question: Question, evidence: Iterable[Evidence]) -> Finding | None:
    """The answer to a question; None if none of its tasks has been run, so that there is nothing to be said."""
    given = [one for one in evidence if one.task in question.tasks]
    if given and question.operation == "say" and question.when:
        return _said(question, question.when, given)
    if not given or not question.objects:
        return None
    sources = once_per_file(given)
    counts = count_all(question.objects, sources)
    value = value_of(question, counts, sources)
    return Finding(
        question.operation,
        question.text,
        value,
        wording.sentence(question, value, counts, sources),
        tuple(_source_counts(source, counts) for source in sources if source.has_regions or not _is_counted(question)),
        tuple(one.task for one in given if not one.missing),
        wording.open_points(counts, sources) if _is_counted(question) else (),
        min(counts.scores, default=None),
    )


def holds(condition: Condition, evidence: Iterable[Evidence]) -> tuple[bool | None, str]:
    """(whether a condition holds, None if the results do not decide it; the reason, in words)."""
    given = list(evidence)
    finding = answer(condition.question, given)
    if finding is None:
        return None, "its condition has no result to be decided by"
    sources = once_per_file(one for one in given if one.task in condition.question.tasks)
    counts = count_all(condition.question.objects, sources)
    reason = wording.clause_of(condition.question, finding.value, counts, sources)
    return (finding.value is condition.holds if isinstance(finding.value, bool) else None), reason


def _said(question: Question, when: Condition, given: Iterable[Evidence]) -> Finding | None:
    """The text that is to be said if a condition holds, with the reason."""
    holding, reason = holds(when, given)
    if holding is False:
        return None
    reading = f"{question.text}, as {reason}." if holding else f"I cannot tell what to say: {reason}."
    tasks = tuple(one.task for one in given if not one.missing)
    return Finding(question.operation, question.text, holding, reading, (), tasks)


def _is_counted(question: Question) -> bool:
    return question.operation not in ("is", "mentions", "say", "measure", "totals")


def _source_counts(source: Evidence, counts: Counts) -> SourceCounts:
    numbers = {cell.objects.words: cell.number for cell in counts.of(source=source) if cell.known}
    return SourceCounts(source.task, source.file, source.name, numbers)


def caveat(findings: Iterable[Finding]) -> str:
    """What is to be known of a detector where it found none, or many, of what was asked for; else ""."""
    gaps = {point.gap for finding in findings for point in finding.open}
    return wording.CAVEAT if "overlooked" in gaps else ""


# From run records


def findings_of(
    record: RunRecord, names: FileNames, questions: Iterable[Question] | None = None
) -> tuple[Finding, ...]:
    """The answers to questions, by default those of the plan, in their order; each is given once."""
    evidence = list(evidence_of(record.tasks, names))
    answers = (answer(question, evidence) for question in (record.plan.questions if questions is None else questions))
    return tuple({finding.reading: finding for finding in answers if finding}.values())


def evidence_of(tasks: Mapping[int, TaskRecord], names: FileNames) -> Iterator[Evidence]:
    """What the tasks gave; nothing of those that were not needed."""
    for number, task in tasks.items():
        if task.row is not None and not task.not_needed:
            one = evidence_from(number, task.row, task.task["args"], names, task.value, ok=task.ok)
            yield replace(one, name=name, file=name) if (name := _name_of_text(task, tasks, names)) else one


def _name_of_text(task: TaskRecord, tasks: Mapping[int, TaskRecord], names: FileNames) -> str:
    """The name of the file of which a question asked the total; "" for any other task, or for a text."""
    if not (isinstance(task.value, dict) and "bill" in task.value):
        return ""
    question = task.type.text_arg.name if task.type.text_arg else ""
    given = [value for name, value in task.task["args"].items() if isinstance(value, str) and name != question]
    readers = [tasks[made] for made in task.task["dep"] if made in tasks and tasks[made].type.reads_files]
    given = [str(one.task["args"].get(one.type.input_arg.name, "")) for one in readers] or given
    return next((names[value] for value in given if "\n" not in value), "")


def evidence_from(
    number: int, row: TaskType, args: Mapping[str, Any], names: FileNames, value: Any, *, ok: bool
) -> Evidence:
    """What a task gave that was run with these arguments."""
    arg = row.input_arg
    given = args.get(arg.name)
    is_known = isinstance(given, str) and given and not REFERENCE.search(given)
    file = str(given) if is_known else f"task {number}"
    name = names[file] if is_known and arg.kind in FILE_KINDS else THE_INPUT[arg.kind]
    return Evidence(number, file, name, row.result.name if ok else "", value)


def names_of(record: RunRecord, attached: Sequence[Attachment] = ()) -> FileNames:
    """The names of all files that a run takes or makes; `attached` came with it or earlier in the conversation."""
    planned = {task.id: task.args for task in record.plan}
    args = [(task.row, task.task["args"], planned.get(number, {})) for number, task in record.tasks.items() if task.row]
    return names_of_args(args, [*record.attachments, *attached], record.files)


def _references(value: Any) -> list[str]:
    """The files of an argument that takes one or several."""
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def names_of_args(
    tasks: Iterable[tuple[TaskType, Mapping[str, Any], Mapping[str, Any]]],
    attached: Sequence[Attachment],
    generated: Iterable[str] = (),
) -> FileNames:
    """The names of the files among the arguments of tasks: (row, arguments as they were run, as they were planned).

    A file of the user's machine is planned under its name and run under the public path of its copy.
    """
    known = {file.reference: file for file in attached}
    files = list(attached)
    references = []
    for row, args, planned in tasks:
        for name, value in args.items():
            if (arg := row.arg(name)) is None:
                continue
            if arg.kind not in FILE_KINDS and not (isinstance(value, str) and value in known):
                continue  # a text may be given as the file that holds it
            as_planned = _references(planned.get(name))
            for at, each in enumerate(_references(value)):
                references.append(each)
                if at < len(as_planned) and (file := known.get(as_planned[at])) and each not in known:
                    files.append(Attachment(file.name, each, file.kind))
    return FileNames(references, files, generated)
