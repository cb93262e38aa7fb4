"""Questions that no sentence of a text answers: what it is about, how many pages it has, what its tables say."""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.core.documents import DocumentText, counted
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.reading import Query
from hugginggpt.media.tables import with_columns

_WHOLE = frozenset(
    """document text file report page slide presentation deck chapter book letter article paper story note memo email
    mail minute website subtitle contain content write hold include read topic subject theme point message gist sheet
    recording""".split()
)
"""Words that ask for nothing in a text, but for the text."""
_HOW_MANY = re.compile(r"\bhow many (page|slide|chapter)s\b(?P<rest>[^?]*)", re.IGNORECASE)
_HAVING = re.compile(
    r"\W*(?:(?:does|do|has|have|are|is|in|of|there|it|this|that|the|document|file|report|book|presentation|deck)\b\W*)*"
)


SHORT_CHARS = 400
"""A text of so many characters is its own summary."""


def is_asked_for(question: str) -> bool:
    """Whether a question asks what a text is about or what it says, and names nothing in it."""
    query = Query.read(question)
    return query.asked.types == ("thing",) and "what" in query.words and query.weights.keys() <= _WHOLE


def count_of_parts(question: str, text: str) -> str:
    """How many pages, slides or chapters a document has, if that is asked for and known; else ""."""
    asked = _HOW_MANY.search(question)
    if not asked or not _HAVING.fullmatch(asked["rest"]) or not isinstance(text, DocumentText):
        return ""
    unit = asked[1].lower()
    number = max(
        (int(part.name) if part.name.isdecimal() else 1 for part in text.parts if part.unit == unit), default=0
    )
    number = max(number, sum(part.unit == unit for part in text.parts))
    return f"It has {counted(number, unit)}." if number else ""


def from_its_tables(question: str, text: str) -> dict[str, Any] | None:
    """The answer from a table of a document, None where none gives it."""
    tables = with_columns(text.tables) if isinstance(text, DocumentText) else []
    if not tables:
        return None
    from hugginggpt.experts.workbooks import answer_from_tables

    try:
        return answer_from_tables(tables, "", question)
    except ExpertUnavailable:
        return None
