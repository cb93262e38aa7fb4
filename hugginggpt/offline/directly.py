"""Where a text cannot be translated, speech may still be written down in the wanted language at once."""

from __future__ import annotations

from collections.abc import Callable

from hugginggpt.core.plan import REFERENCE, Lack, references
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.outline import Outline


def write_directly(outline: Outline, table: TaskTable, lacking: Callable[[TaskType, str], Lack | None]) -> None:
    """Puts a task that writes a file's text in a language in the place of a translation of that text, where nothing can
    translate; the task that reads the file goes if nothing else needs it.
    """
    if not lacking(table[table.translator], ""):
        return
    by_id = {node.id: node for node in outline.nodes}
    for node in [node for node in outline.nodes if node.task == table.translator]:
        source = by_id.get(_source(node, table))
        row = source and _direct(table[source.task], str(node.args.get("language", "")), table)
        if source is None or not row or lacking(row, ""):
            continue
        node.args = {row.input_arg.name: source.args[table[source.task].input_arg.name]}
        node.task, node.dep = row.name, [number for number in node.dep if number != source.id]
        if not _is_needed(source, outline):
            outline.nodes.remove(source)
            node.dep += source.dep


def _source(node: Node, table: TaskTable) -> int:
    """The number of the task whose text is translated; -1 where that is another text."""
    match = REFERENCE.fullmatch(str(node.args.get(table[node.task].input_arg.name, "")))
    return int(match[1]) if match else -1


def _direct(reader: TaskType, language: str, table: TaskTable) -> TaskType | None:
    """The task that writes what one reads from a file in a language; where none is named, in the task's own."""
    if not reader.reads_files:
        return None
    rows = (row for row in table if row.writes_in and row.input_kind == reader.input_kind)
    return next((row for row in rows if language in ("", row.writes_in)), None)


def _is_needed(source: Node, outline: Outline) -> bool:
    """Whether a task's result is used, or a condition or question is put to it."""
    others = [node for node in outline.nodes if node is not source]
    used = {number for node in others for number in (*node.dep, *references(node.args))}
    used |= {number for node in others if node.when for number in node.when.question.tasks}
    asked = {number for question in outline.questions for number in question.tasks}
    return source.id in used | asked
