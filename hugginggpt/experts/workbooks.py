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
from hugginggpt.experts.table_accounts import INCOME
from hugginggpt.experts.table_columns import shown_number, typed
from hugginggpt.experts.table_conversations import answer_question
from hugginggpt.experts.table_cover import covered, left_over
from hugginggpt.experts.table_meaning import MeaningReader
from hugginggpt.experts.table_sets import compared
from hugginggpt.experts.table_tokens import tokens_of
from hugginggpt.experts.table_words import ORDINALS, WEIGHTLESS, stem
from hugginggpt.media.tables import Columns, NamedTable

SHEET = "Sheet"
MAX_ASKED = 8
"""So many sheets with other columns are asked one after the other."""
_MINUS = re.compile(
    r"(?<![^,;?:])(?P<left>[^,;?:]{1,300}?)(?<!\s)\s++(?:minus|less)\s++(?P<right>[^,;?]+)", re.IGNORECASE
)
_COMPARES = re.compile(
    r"\bcompare\b|\bdifferences?\b|\b(?:in|on) both\b|\bwho (?:has )?(?:left|quit|gone)\b|"
    r"\b(?:in|on) .{1,60}?,? (?:but|and) (?:(?:is|was|are|were) )?(?:not|n['’]t) (?:in|on) |"
    r"\b(?:is|are) (?:new|missing|gone|no longer)\b|"
    r"\b(?:who|which (?:ones|\w+)|what) (?:has |have )?(?:joined|changed)\b",
    re.IGNORECASE,
)
"""What asks how two sheets of one kind differ."""
_OTHER_SHEET = re.compile(r"\b(?:(?:on|in|of|from) )?the other (?:sheet|tab|worksheet|page|table)\b", re.IGNORECASE)
_ROWS_BEFORE = re.compile(r"\b(?:they|them|those|these|their)\b", re.IGNORECASE)
"""What speaks of rows that were told before, which are in the sheet that was asked then."""
_ABOUT_NET = frozenset(["profit", "total", "totals", "everything", "overall"])
_BEFORE = r"(?:\b(?:in|on|of|from|for|according to)\s+)?(?:\bthe\s+)?(?:\b(?:sheet|tab|worksheet|table)\s+)?[\"“']?"
_BEHIND = r"[\"”']?(?:\s+(?:sheet|tab|worksheet)\b)?"


def answer_from_tables(tables: Sequence[NamedTable], title: str, question: str, partly: bool = False) -> dict[str, Any]:
    """The answer to a question (`table_conversations.answer_question`), with "where" it stands if there are several
    tables; `partly` allows one without unknown words. Raises ExpertUnavailable, which says what was not understood.
    """
    asked = question.splitlines()[-1] if question else ""
    if over := covered(tables, asked) or left_over(tables, asked):
        return over
    if len(tables) == 1:
        return answer_question(typed(tables[0].columns, title), question, partly)
    groups, question = _alike(tables), _with_names(tables, question)
    if len(tables) == 2 and len(groups) == 1 and _COMPARES.search(question.splitlines()[-1] if question else ""):
        try:
            return {"aggregator": "NONE", **compared(tables, [one.place["name"] for one in tables], question)}
        except ExpertUnavailable:
            pass
    *earlier, last = question.splitlines() or [""]
    if net := _net(groups, last):
        return net
    named = _named(groups, last)
    if earlier and (found := _OTHER_SHEET.search(last)):
        asked_before = (_knowing(groups, title, line) for line in reversed(earlier))
        known = next((one for one in asked_before if len(one) == 1), [])
        named = [group for group in groups if group not in known] if known and len(groups) == 2 else named
        question = f"{last[: found.start()]}{last[found.end() :]}" if named else question
    if not named and (before := _named(groups, "\n".join(earlier))):  # the sheet that the talk is about, if it can
        try:
            return answer_from_groups(before, title, question)  # without what is not sure
        except ExpertUnavailable:
            pass
    if not named and earlier and _ROWS_BEFORE.search(last):
        named = before if len(before := _knowing(groups, title, earlier[-1])) == 1 else []
    known = named or _knowing(groups, title, last)
    if len(known) > 1 and not named and earlier:  # the sheet that was asked last, of those that know as much of it
        known = _knowing(known, title, earlier[-1])
    return answer_from_groups(known, title, question, partly)


def _with_names(tables: Sequence[NamedTable], question: str) -> str:
    """A question in which a sheet is called by its name, also where it is told by its place: "on the second sheet"."""
    for at, one in enumerate(tables):
        places = [word for word, number in ORDINALS.items() if number == at + 1]
        places += ["last"] * (at + 1 == len(tables))
        said = (
            rf"\b(?:(?:{'|'.join(places)}) (?:sheet|tab|worksheet|page)|(?:sheet|tab|worksheet) (?:no\.? )?{at + 1})\b"
        )
        if one.place["name"].casefold() not in (f"sheet{at + 1}", f"sheet {at + 1}"):
            question = re.sub(said, f"sheet {one.place['name']}".replace("\\", r"\\"), question, flags=re.IGNORECASE)
    return question


def _knowing(groups: Sequence[list[NamedTable]], title: str, line: str) -> list[list[NamedTable]]:
    """The sheets that have most of the values and columns that a question names, or are called so, and leave fewest of
    its words unknown; all where none does.
    """
    known = []
    said = {token.stem for token in tokens_of(line)}
    for group in groups[:MAX_ASKED]:
        reader = MeaningReader(typed(group[0].columns, title), line)
        held = sum(one.kind == "value" or (one.kind == "column" and not one.note) for one in reader.read())
        called = any(said & {token.stem for token in tokens_of(one.place["name"])} - WEIGHTLESS for one in group)
        known.append((held + called, -len(reader.left)))
    return [group for group, number in zip(groups, known, strict=False) if number == max(known)]


def _named(groups: Sequence[list[NamedTable]], text: str) -> list[list[NamedTable]]:
    return [group for group in groups if any(_naming(one).search(text) for one in group)]


def answer_from_groups(
    groups: Sequence[list[NamedTable]], title: str, question: str, partly: bool = False
) -> dict[str, Any]:
    """The answer of the only group of sheets that has one, or those of several. Raises ExpertUnavailable for none."""
    partly = partly and len(groups) == 1
    answers: list[tuple[list[NamedTable], dict[str, Any]]] = []
    errors: list[ExpertUnavailable] = []
    for group in groups[:MAX_ASKED]:
        try:
            answers.append((group, _answer(group, title, question, partly)))
        except ExpertUnavailable as error:
            errors.append(error)
    if not answers:
        raise errors[0]
    return answers[0][1] if len(answers) == 1 else _together(answers)


def _net(groups: Sequence[list[NamedTable]], line: str) -> dict[str, Any] | None:
    """ "income minus all expenses", over two sheets: the sum of a column of one less that of the other. None where
    either is not the only one it can be, or another word may be a condition.
    """
    found = _MINUS.search(line)
    if found is None:
        return None
    sides = []
    for said in (found["left"], found["right"]):
        words = [token.stem for token in tokens_of(said) if token.lower not in WEIGHTLESS | _ABOUT_NET]
        named = [group for group in groups if {stem(group[0].place["name"].casefold())} & set(words)]
        sides.append((words, named))
    (left, first), (right, second) = sides
    first = first or [group for group in groups if group not in second]
    if len(first) != 1 or len(second) != 1 or len(first[0]) + len(second[0]) != 2 or first == second:
        return None
    income, expenses = _total(first[0][0], left), _total(second[0][0], right)
    if income is None or expenses is None:
        return None
    (one, gained), (two, spent) = income, expenses
    shown = [shown_number(value) for value in (gained, spent, gained - spent)]
    answer = f"The sum of {one} is {shown[0]}, that of {two} is {shown[1]}: {shown[0]} minus {shown[1]} is {shown[2]}."
    return {"answer": answer, "cells": shown[:2], "columns": [], "rows": [], "aggregator": "NONE", "where": []}


def _total(sheet: NamedTable, words: Sequence[str]) -> tuple[str, float] | None:
    """The sum of the column that the words name, or of the only one with amounts; and what it is called."""
    table, name = typed(sheet.columns), sheet.place["name"]
    measures = [column for column in table.columns if column.is_measure]
    named = [column for column in measures if set(words) & set(column.words)]
    known = {stem(name.casefold()), *map(stem, INCOME), *(word for column in named for word in column.words)}
    chosen = named or measures
    if len(chosen) != 1 or set(words) - known:
        return None
    return f"{chosen[0].name} (sheet “{name}”)", float(sum(chosen[0].present))


def _alike(tables: Sequence[NamedTable]) -> list[list[NamedTable]]:
    """The tables, those with the same columns together."""
    groups: dict[tuple[str, ...], list[NamedTable]] = {}
    for one in tables:
        groups.setdefault(tuple(name.casefold() for name in one.columns), []).append(one)
    return list(groups.values())


def _naming(table: NamedTable) -> re.Pattern[str]:
    """The words by which a question names a table."""
    return re.compile(rf"{_BEFORE}(?<!out of )(?<!\w){re.escape(table.place['name'])}(?!\w){_BEHIND}", re.IGNORECASE)


def _answer(group: Sequence[NamedTable], title: str, question: str, partly: bool) -> dict[str, Any]:
    meant = [one for one in group if _naming(one).search(question)]
    is_talk = len(question.splitlines()) > 1  # of which one line may name a sheet
    if len(group) == 1 or (len(meant) == 1 and not is_talk):
        (one,) = meant or group
        answer = answer_question(typed(one.columns, title), _without_name(question, one), partly)
        return {**answer, "where": [one.place]}
    answer = answer_question(typed(_stacked(group), title), question, partly)
    return {**answer, "where": _sheets_of(answer, group)}


def _without_name(question: str, table: NamedTable) -> str:
    """A question that a sheet's name says nothing more in; one that consists of nothing else asks what it holds."""
    return "\n".join(_line_without_name(line, table) for line in question.splitlines())


def _line_without_name(line: str, table: NamedTable) -> str:
    rest = " ".join(_naming(table).sub(" ", line).split())
    return re.sub(r"\s+(?=[?.!,])", "", rest) if len(re.findall(r"\w+", rest)) > 1 else line


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
