"""What a clause asks to be made of a document or table that no task makes: a file of a type that nothing writes, a
document that is changed.

The classes of clauses know nothing of it, so that each such clause would be taken for a task that nobody asked for.
"""

from __future__ import annotations

import re

from hugginggpt.core.document_words import EDITED_TABLE, MERGED_TABLES
from hugginggpt.core.results import Kind
from hugginggpt.media.references import Resource
from hugginggpt.offline import saving
from hugginggpt.offline.clauses import Clause

FILE, CHANGED = "file", "changed"
_ASKING = r"\W*+(?:(?:please|pls|plz|and|then|now|also|just|ok|can|could|would|will|you|u|i|we|d|like|want|need|to|it|me)\W+)*"
_PART = r"(?:columns?|rows?|lines?|cells?|sheets?|slides?|paragraphs?|sections?|chapters?|tables?|headers?|headings?)"
_CHANGED = re.compile(
    rf"{_ASKING}(?:(?:delete|remove|drop|erase|insert|rename|reorder|duplicate|swap)\b(?: \w+){{0,3}}? {_PART}\b(?! names? in\b)|"
    rf"add (?:an?|another|the|new)(?: \w+)? (?:column|row|sheet|page|slide)\b|"
    r"(?:rename|reorder|duplicate|insert|swap)\b(?: \w+){0,3}? pages?\b|"
    r"(?:split|divide|break up)\b(?: \w+)?(?: \w+)? (?:spreadsheets?|workbooks?|tables?|columns?)\b|"
    r"(?:split|divide|break up)\b[^;]* (?:in(?:to)?|by) (?:chapters?|sections?)\b|"
    r"(?:merge|combine|join)\b(?: \w+){0,3}? (?:spreadsheets?|workbooks?|tables)\b)",
    re.IGNORECASE,
)
_TABLE_CHANGES = re.compile(rf"{EDITED_TABLE}|{MERGED_TABLES}", re.IGNORECASE)
_NAMES = re.compile(r"\b(?:photo\.jpg|sound\.wav|clip\.mp4|table\.csv|notes\.txt)\b")
_KINDS: tuple[Kind | None, ...] = ("text", "table")


def part_of(clause: Clause, topic: Kind | None) -> str:
    """As what a clause is refused: all that it asks for is a file or a changed document that nothing makes; "" for any
    other clause.
    """
    if saving.cannot_be_made(clause, topic):
        return FILE
    is_table = topic == "table" and _TABLE_CHANGES.search(clause.text)
    is_changed = (
        topic in _KINDS
        and not is_table
        and _has_file(clause.resources)
        and _CHANGED.match(_NAMES.sub("it", clause.text))
    )
    return CHANGED if is_changed and not saving.wish(clause.text) else ""


def _has_file(resources: tuple[Resource, ...]) -> bool:
    """Whether the clause is about a file, named or not, rather than about a text in quotes."""
    return not resources or any(one.is_file for one in resources)
