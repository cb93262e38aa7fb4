"""Questions that no sentence of a text answers: what it is about, how many pages it has, what its tables say."""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.core.documents import DocumentText, counted
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import page_sentences, pages, reading, table_cells
from hugginggpt.experts.asked_query import Query
from hugginggpt.experts.joint_answers import together
from hugginggpt.experts.ocr import MIN_COLUMN_WORDS, pages_of
from hugginggpt.experts.question_parts import MAX_PARTS, parts_of
from hugginggpt.media.tables import with_columns

_WHOLE = frozenset(
    """document text file report page slide presentation deck chapter book letter article paper story note memo email
    mail minute website subtitle contain content write hold include read topic subject theme point message gist sheet
    recording""".split()
)
"""Words that ask for nothing in a text, but for the text."""
_HOW_MANY = re.compile(r"\bhow many (page|slide|chapter)s\b(?P<rest>[^?]*)", re.IGNORECASE)
_HAVING = re.compile(
    r"\W*+(?:(?:does|do|has|have|had|got|contains?|altogether|in total|are|is|in|of|there|it|this|that|the|document|file|report|book|presentation|deck)\b\W*)*"
)
_LISTED = re.compile(r"(?:what(?:'s| is| are| was| were) )?(?:the )?(?P<names>[^?.!:;]+?)\W*", re.IGNORECASE)
_BETWEEN = re.compile(r",? (?:and|&|plus) (?:the )?|, (?:the )?", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(?:of|for|in|on|at|by|from|with|between|to|who|when|where|why|how|what|which|is|are|was|were|does|do|did)\b",
    re.I,
)
MAX_NAME_WORDS = 3


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


def asked_before_count(question: str) -> str:
    """What a question asks before it asks how many pages or chapters there are: "who wrote it and how many …"."""
    asked = _HOW_MANY.search(question)
    return re.sub(r"[\s,]+(?:and|&)\s*$", "", question[: asked.start()]).strip() if asked else ""


def from_its_form(question: str, text: str) -> dict[str, Any] | None:
    """The value that answers a question on the pages of a form, whose lines are short; None of any other document.

    Of several questions in one each is answered, or said to be left open, if the form has a value for any of them.
    """
    if not isinstance(text, DocumentText) or not text.lines:
        return None
    words = [len(line.split()) for _, lines in text.lines for line, *_ in lines]
    if sum(words) >= MIN_COLUMN_WORDS * len(words):
        return None
    asked = _names_in(question) or parts_of(question)
    values = [_from_pages(part, text) for part in asked]
    if (
        len(asked) > 1
        and (whole := _from_pages(question, text))
        and " and " in whole.get("entry", "").partition(":")[0]
    ):
        return whole  # "terms and conditions" is one name
    if len(asked) == 1 or not any(values):
        return values[0]
    given = [value or _from_sentences(part, text) for value, part in zip(values, asked, strict=True)]
    places = [place for value in values if value for place in value["where"]]
    where = [dict(place) for place in dict.fromkeys(tuple(place.items()) for place in places)]
    return {**together(given, asked, reading.PLAINLY), "where": where}


def _from_sentences(name: str, text: str) -> dict[str, Any]:
    """What a sentence of a form says of a name, if anything: an unlikely one is no "perhaps" where names have values."""
    return {key: value for key, value in reading.answer(name, text).items() if key != "chance"}


def _names_in(question: str) -> list[str]:
    """The names that a question lists: "what are the total and the due date?"; none of any other question."""
    listed = _LISTED.fullmatch(question.strip())
    names = _BETWEEN.split(listed["names"]) if listed else []
    is_list = 1 < len(names) <= MAX_PARTS and all(0 < len(name.split()) <= MAX_NAME_WORDS for name in names)
    return names if is_list and not any(_PREPOSITION.search(name) for name in names) else []


def from_its_layout(question: str, text: str) -> dict[str, Any] | None:
    """The answer from the layout of a document's pages, or from one of its tables; None where none gives it."""
    return (_from_pages(question, text) or _from_tables(question, text)) if isinstance(text, DocumentText) else None


def _from_pages(question: str, text: DocumentText) -> dict[str, Any] | None:
    """The likeliest value of all pages; what their running text says is left to the reader of texts."""
    found = [
        {**answer, "where": [{"unit": "page", "name": page}]}
        for page, rows in pages_of(text)
        for answer in _values(question, pages.Page(rows))
    ]
    return max(found, key=lambda answer: answer.get("score", 1.0), default=None)


def _values(question: str, page: pages.Page) -> list[dict[str, Any]]:
    """The likeliest value of a page, if any; half a sentence of its running text is none."""
    values = [one for one in pages.answers_of(question, page)[:1] if "entry" in one or "score" not in one]
    return [one for one in values if page_sentences.whole(text := str(one["answer"]), page.running) == text]


def _from_tables(question: str, text: DocumentText) -> dict[str, Any] | None:
    tables = with_columns(text.tables)
    if not tables:
        return None
    from hugginggpt.experts.workbooks import answer_from_tables

    try:
        answered = answer_from_tables(tables, "", question)
    except ExpertUnavailable:
        return None
    rows = table_cells.rows_in_words(str(answered["answer"]), text.tables)
    return {"answer": rows} if rows else answered
