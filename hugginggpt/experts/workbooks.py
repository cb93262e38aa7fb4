"""Questions about the tables of a workbook: which sheet is meant, and in which the answer stands.

Sheets with the same columns are one table with a column for the sheet: "which month has the highest total?" is about
all of them, and "in 2025" picks the sheet of that name. Of other sheets the one that is named is asked, else each that
can answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.core.documents import in_words
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.table_conversations import answer_question
from hugginggpt.media.tables import Columns, NamedTable

SHEET = "Sheet"
MAX_ASKED = 8
"""So many sheets with other columns are asked one after the other."""
_BEFORE = r"(?:\b(?:in|on|of|from|for|according to)\s+)?(?:\bthe\s+)?(?:\b(?:sheet|tab|worksheet|table)\s+)?[\"“']?"
_BEHIND = r"[\"”']?(?:\s+(?:sheet|tab|worksheet)\b)?"


def answer_from_tables(tables: Sequence[NamedTable], title: str, question: str) -> dict[str, Any]:
    """The answer to a question (`table_conversations.answer_question`), with "where" it stands if there are several
    tables. Raises ExpertUnavailable, which says what was not understood.
    """
    if len(tables) == 1:
        return answer_question(typed(tables[0].columns, title), question)
    groups = _alike(tables)
    named = [group for group in groups if any(_naming(one).search(question) for one in group)]
    answers: list[tuple[list[NamedTable], dict[str, Any]]] = []
    errors: list[ExpertUnavailable] = []
    for group in (named or groups)[:MAX_ASKED]:
        try:
            answers.append((group, _answer(group, title, question)))
        except ExpertUnavailable as error:
            errors.append(error)
    if not answers:
        raise errors[0]
    return answers[0][1] if len(answers) == 1 else _together(answers)


def _alike(tables: Sequence[NamedTable]) -> list[list[NamedTable]]:
    """The tables, those with the same columns together."""
    groups: dict[tuple[str, ...], list[NamedTable]] = {}
    for one in tables:
        groups.setdefault(tuple(name.casefold() for name in one.columns), []).append(one)
    return list(groups.values())


def _naming(table: NamedTable) -> re.Pattern[str]:
    """The words by which a question names a table."""
    return re.compile(rf"{_BEFORE}(?<!\w){re.escape(table.place['name'])}(?!\w){_BEHIND}", re.IGNORECASE)


def _answer(group: Sequence[NamedTable], title: str, question: str) -> dict[str, Any]:
    meant = [one for one in group if _naming(one).search(question)]
    if len(group) == 1 or len(meant) == 1:
        (one,) = meant or group
        answer = answer_question(typed(one.columns, title), _without_name(question, one))
        return {**answer, "where": [one.place]}
    answer = answer_question(typed(_stacked(group), title), question)
    return {**answer, "where": _sheets_of(answer, group)}


def _without_name(question: str, table: NamedTable) -> str:
    """A question that a sheet's name says nothing more in; one that consists of nothing else asks what it holds."""
    rest = " ".join(_naming(table).sub(" ", question).split())
    return re.sub(r"\s+(?=[?.!,])", "", rest) if len(re.findall(r"\w+", rest)) > 1 else question


def _stacked(group: Sequence[NamedTable]) -> Columns:
    """The rows of tables with the same columns below one another, with the name of its sheet for each."""
    names = list(group[0].columns)
    sheet = SHEET if SHEET not in names else f"{SHEET} of the workbook"
    rows = [len(next(iter(one.columns.values()))) for one in group]
    values = [list(one.columns.values()) for one in group]
    stacked = {name: [cell for columns in values for cell in columns[at]] for at, name in enumerate(names)}
    origin = [one.place["name"] for one, number in zip(group, rows, strict=True) for _ in range(number)]
    return {**stacked, sheet: origin}


def _sheets_of(answer: dict[str, Any], group: Sequence[NamedTable]) -> list[dict[str, str]]:
    """The sheets of the rows that an answer shows, if they are some of all."""
    columns, rows = answer.get("columns") or [], answer.get("rows") or []
    at = next((at for at, name in enumerate(columns) if str(name).startswith(SHEET)), None)
    shown = {str(row[at]) for row in rows} if at is not None else set()
    return [one.place for one in group if one.place["name"] in shown] if len(shown) < len(group) else []


def _together(answers: Sequence[tuple[Sequence[NamedTable], dict[str, Any]]]) -> dict[str, Any]:
    """The answers from tables with other columns, each with where it stands."""
    sentences = []
    for group, answer in answers:
        where = in_words(answer["where"] or [one.place for one in group])
        sentences.append(f"{where[:1].upper()}{where[1:]}: {answer['answer']}" if where else answer["answer"])
    shown = next((answer for _, answer in answers if answer.get("rows")), answers[0][1])
    return {**shown, "answer": "\n".join(sentences), "where": []}
