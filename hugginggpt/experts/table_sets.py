"""Tables together: below one another, joined by a column, and what is in both or in one of them only."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from hugginggpt.core.documents import counted
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import Column, TypedTable, typed
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_tokens import tokens_of
from hugginggpt.media.tables import Columns, NamedTable

MAX_LISTED = 20
MIN_SHARED = 0.5
"""Tables with so many of their columns in common go below one another, others beside one another."""
_ONCE = re.compile(r"\b(?:once|duplicates?|doublets?|unique|distinct|repeat\w*|doubles?|twice|union)\b", re.I)
_BY = re.compile(
    r"\b(?:by|on|using|via)\s+(?:the )?(?:column )?[\"“']?(?P<key>[\w ]+?)[\"”']?\s*(?:column)?\s*"
    r"(?:$|[,.;]| and\b| into\b| as\b)",
    re.I,
)
_BOTH = re.compile(r"\b(?:both|common|shared?|overlap\w*|each of (?:the|these) two|intersect\w*)\b", re.I)
_NEW = re.compile(r"\b(?:new(?:ly)?|added|joined|came|extra|additional|more recent)\b", re.I)
_GONE = re.compile(
    r"\b(?:left|gone|dropped(?: out)?|quit|disappeared|removed|missing|lost|no longer|resigned|stopped)\b",
    re.I,
)
_ONLY = re.compile(r"\b(?:only|just|not|n['’]t|without|but)\b", re.I)
_PERCENT = re.compile(r"%|\bper ?cent\w*|\bby how much\b", re.I)
_NOTHING: dict[str, Any] = {"cells": [], "columns": [], "rows": [], "aggregator": "NONE"}
_CHANGED = re.compile(r"\b(?:chang\w+|differ\w*|updated?|altered)\b", re.I)


def name_of(table: NamedTable, default: str) -> str:
    return table.place.get("name", "") or default


def stacked(tables: Sequence[NamedTable], how: str) -> tuple[Columns, str]:
    """The tables as one, and how that was done: below one another where they have most columns in common, else beside
    one another by a column with the same values. Raises ExpertUnavailable where they have none.
    """
    if len(tables) < 2:
        raise ExpertUnavailable("Two tables are needed to be put together.")
    named = [{name.casefold(): name for name in one.columns} for one in tables]
    shared = [name for name in named[0] if all(name in other for other in named)]
    every = list(dict.fromkeys(name for names in named for name in names))
    asked = _BY.search(how)
    key = asked["key"].strip().casefold() if asked else ""
    is_named = bool(key) and key in shared
    if not is_named and len(shared) >= MIN_SHARED * len(every):
        return _below(tables, named, every, shared, bool(_ONCE.search(how)))
    key = key if is_named else _key(tables, named, shared)
    if len(tables) > 2:
        raise ExpertUnavailable(f"Two tables at a time are joined by a column, not {len(tables)}.")
    return _beside(tables[0], tables[1], key)


def _below(
    tables: Sequence[NamedTable],
    named: Sequence[dict[str, str]],
    every: Sequence[str],
    shared: Sequence[str],
    once: bool,
) -> tuple[Columns, str]:
    rows: list[tuple[str, ...]] = []
    for one, names in zip(tables, named, strict=True):
        size = len(next(iter(one.columns.values())))
        cells = [one.columns[names[name]] if name in names else [""] * size for name in every]
        rows += list(zip(*cells, strict=True))
    told = f"{' and '.join(counted(len(next(iter(one.columns.values()))), 'row') for one in tables)} below one another"
    if once:
        first: dict[tuple[str, ...], tuple[str, ...]] = {}
        for row in rows:
            first.setdefault(tuple(cell.strip().casefold() for cell in row), row)
        told += f", {counted(len(rows) - len(first), 'duplicate')} left out"
        rows = list(first.values())
    names_of = {name: next(names[name] for names in named if name in names) for name in every}
    columns = {names_of[name]: [row[at] for row in rows] for at, name in enumerate(every)}
    if twice := _twice(columns, shared, names_of) if once else 0:
        told += f"; {counted(twice, 'name')} still stands twice, with other values beside it"
    return columns, told


def _twice(columns: Columns, shared: Sequence[str], names_of: dict[str, str]) -> int:
    """How many of the names of the rows stand in several rows."""
    label = typed(columns).labels[0].name
    cells = columns[label] if label in {names_of[name] for name in shared} else []
    return len(cells) - len({cell.casefold() for cell in cells})


def _key(tables: Sequence[NamedTable], named: Sequence[dict[str, str]], shared: Sequence[str]) -> str:
    """The column in common with the most values in common, unique in one of the tables."""
    best, most = "", 0
    for name in shared:
        cells = [
            [cell.casefold() for cell in one.columns[names[name]]] for one, names in zip(tables, named, strict=True)
        ]
        common = len(set(cells[0]).intersection(*cells[1:]) - {""})
        if common > most and any(len(set(column)) == len(column) for column in cells):
            best, most = name, common
    if not best:
        raise ExpertUnavailable(
            f"The tables have no column with the same values: {'; '.join(', '.join(one.columns) for one in tables)}."
        )
    return best


def _beside(first: NamedTable, second: NamedTable, key: str) -> tuple[Columns, str]:
    """Every row of the first table with the columns of the second that its value of the key has there."""
    left, right = ({name.casefold(): cells for name, cells in one.columns.items()} for one in (first, second))
    places = _places(right[key])
    if len(places) < len(right[key]) and len(set(left[key])) == len(left[key]):
        return _beside(second, first, key)
    found = [places.get(cell.strip().casefold()) for cell in left[key]]
    columns = dict(first.columns)
    for name, cells in second.columns.items():
        if name.casefold() != key:
            other = name if name not in columns else f"{name} (2)"
            columns[other] = ["" if at is None else cells[at] for at in found]
    matched = sum(at is not None for at in found)
    return columns, f"joined by {key}: {matched} of {counted(len(found), 'row')} found in the other table"


def _places(cells: Sequence[str]) -> dict[str, int]:
    """The row of each value, the first of several; values that differ in case alone are the same."""
    places: dict[str, int] = {}
    for at, cell in enumerate(cells):
        if cell.strip():
            places.setdefault(cell.strip().casefold(), at)
    return places


def compared(tables: Sequence[NamedTable], names: Sequence[str], question: str) -> dict[str, Any]:
    """What is in both tables, or in one of them only, by the column that names their rows: {"answer", "cells",
    "columns", "rows"}. Raises ExpertUnavailable where that cannot be told.
    """
    if len(tables) != 2:
        raise ExpertUnavailable(f"Two tables are compared with each other, not {len(tables)}.")
    sides = [typed(one.columns) for one in tables]
    keys = _common_names(sides)
    cells = [_places(key.cells) for key in keys]
    groups = {
        "both": [key for key in cells[0] if key in cells[1]],
        "first": [key for key in cells[0] if key not in cells[1]],
        "second": [key for key in cells[1] if key not in cells[0]],
    }
    if moved := _moved(sides, keys, cells, groups["both"], question):
        return moved
    wanted = _wanted(question, names)
    words = {
        "both": f"in both {names[0]} and {names[1]}",
        "first": f"only in {names[0]}, not in {names[1]}",
        "second": f"only in {names[1]}, not in {names[0]}",
    }
    sentences, shown_rows = [], []
    for which in wanted:
        side = 1 if which == "second" else 0
        shown = [keys[side].cells[cells[side][key]].strip() for key in groups[which]]
        shown_rows += [[cell, words[which].split(",")[0]] for cell in shown]
        listed = f": {', '.join(shown[:MAX_LISTED])}{' …' if len(shown) > MAX_LISTED else ''}" if shown else ""
        number = "None is" if not shown else "1 is" if len(shown) == 1 else f"{len(shown)} are"
        sentences.append(f"{number} {words[which]}{listed}.")
    if (wanted == ["both"] and _CHANGED.search(question)) or wanted == ["both", "first", "second"]:
        sentences += _changes(sides, keys, cells, groups["both"])
    told = f"I compared them by {keys[0].name}." if len(sides[0].columns) > 1 else ""
    return {
        "answer": " ".join([*sentences, told]).strip(),
        "cells": [row[0] for row in shown_rows],
        "columns": [keys[0].name, "where"],
        "rows": shown_rows,
        "aggregator": "NONE",
    }


def _common_names(sides: Sequence[TypedTable]) -> tuple[Column, Column]:
    """The columns of the two tables that name the same things: of the same name, or of the same values."""
    best, most = None, 0.0
    for left in sides[0].columns:
        for right in sides[1].columns:
            alike = left.name.casefold() == right.name.casefold()
            is_name = left.type == "text" or (left.type == "number" and alike and not left.is_intensive)
            if not is_name or left.type != right.type or not (left.is_unique or right.is_unique):
                continue
            mine, other = ({cell.strip().casefold() for cell in column.distinct} for column in (left, right))
            common = len(mine & other) / max(1, min(len(mine), len(other)))
            unique = (len(left.distinct) / max(1, len(left.present))) * (
                len(right.distinct) / max(1, len(right.present))
            )
            worth = unique * (common + alike)
            if worth > most:
                best, most = (left, right), worth
    if best is None:
        raise ExpertUnavailable("The tables have no column whose values could be compared.")
    return best


def _wanted(question: str, names: Sequence[str]) -> list[str]:
    """Which of the groups are asked for: "both", "first", "second"; all where that is not said."""
    lower = question.casefold()
    places = [_place(lower, name, names) for name in names]
    negated = _ONLY.search(question)
    if _BOTH.search(question) and not re.search(r"\bnot (?:in|on) both\b", lower):
        return ["both"]
    if re.search(r"\bnot (?:in|on) both\b", lower):
        return ["first", "second"]
    if negated and max(places) >= 0:
        only = re.search(r"\b(?:only|just)\b", lower)
        if only and min(places) < 0:
            return ["first" if places[0] >= 0 else "second"]
        if only:
            return ["first" if places[0] < places[1] else "second"]
        not_in = re.search(r"\b(?:not|n['’]t|without|missing)\b", lower)
        at = not_in.start() if not_in else 0
        denied = [place for place in places if place > at]  # else it is "which rooms are not …", of the table rooms
        return ["first" if places.index(min(denied or [max(places)])) == (1 if denied else 0) else "second"]
    is_new, is_gone = _NEW.search(question), _GONE.search(question)
    if is_new or is_gone:
        return [*["second"] * bool(is_new), *["first"] * bool(is_gone)]
    return ["both", "first", "second"]


def _place(text: str, name: str, names: Sequence[str]) -> int:
    """Where a text names a table, by its name or by a word that only this one has; -1 if it does not."""
    others = {token.stem for other in names if other != name for token in tokens_of(other)}
    own = [token.lower for token in tokens_of(re.sub(r"\.\w+$", "", name)) if token.stem not in others]
    found = [text.find(word) for word in (name.casefold(), *own) if word in text]
    ordinal = ("first", "second")[list(names).index(name)] if len(names) == 2 else ""
    found += [match.start() for match in re.finditer(rf"\b{ordinal} (?:list|table|file|one)\b", text)]
    return min(found, default=-1)


def _moved(
    sides: Sequence[TypedTable],
    keys: Sequence[Column],
    cells: Sequence[dict[str, int]],
    both: Sequence[str],
    question: str,
) -> dict[str, Any] | None:
    """What became more or less from the first table to the second, of what the question names or of all; None where
    that is not asked, or no numbers can be compared.
    """
    reading = Reading(sides[1], question)
    if (grows := _direction(reading)) is None and not _PERCENT.search(question):
        return None
    named = {cell.strip().casefold() for m in reading.of("value") if keys[1] in m.columns for cell in m.payload}
    told = [
        name for m in reading.of("column") for name in (column.name for column in m.columns) if m.columns[0].is_measure
    ]
    changes = [
        (keys[0].cells[cells[0][key]], left, before, after)
        for left, right in _numbers(sides, told)
        for key in (named & set(both) or both)
        for before, after in [(left.values[cells[0][key]], right.values[cells[1][key]])]
        if None not in (before, after) and (named or (before != after if grows is None else (after > before) is grows))
    ]
    changes = [one for one in changes if named or one[2] != one[3]]
    if not changes:
        return (
            {**_NOTHING, "answer": f"Nothing in both tables became {'more' if grows else 'less'}."}
            if grows is not None
            else None
        )
    shown = [f"{name} ({left.name} {left.shown(a)} → {left.shown(b)}{_percent(a, b)})" for name, left, a, b in changes]
    more = " …" if len(shown) > MAX_LISTED else ""
    rows = [[name, left.name, left.shown(a), left.shown(b)] for name, left, a, b in changes]
    head = "" if named else f"{len(changes)} became {'different' if grows is None else 'more' if grows else 'less'}: "
    return {
        "answer": f"{head}{', '.join(shown[:MAX_LISTED])}{more}.",
        "cells": [row[0] for row in rows],
        "columns": [keys[0].name, "of", "before", "after"],
        "rows": rows,
        "aggregator": "NONE",
    }


def _direction(reading: Reading) -> bool | None:
    """Whether something is asked for that rose, or that fell; None for neither, or for both."""
    ways = {mention.payload[0][1] for mention in reading.of("comparative")}
    ways |= {mention.payload[1] == "much" for mention in reading.words("change") if mention.payload[1] != "any"}
    return ways.pop() if len(ways) == 1 else None


def _numbers(sides: Sequence[TypedTable], told: Collection[str]) -> list[tuple[Column, Column]]:
    """The columns of numbers of the same name in both tables: those that are told, else all."""
    others = {column.name.casefold(): column for column in sides[1].columns if column.is_measure}
    pairs = [
        (one, others[name]) for one in sides[0].columns if one.is_measure and (name := one.name.casefold()) in others
    ]
    return [pair for pair in pairs if pair[1].name in told] or pairs


def _percent(before: float, after: float) -> str:
    """ ", +10.4 %"."""
    return f", {100 * (after - before) / before:+.1f} %".replace(".0 %", " %") if before > 0 and before != after else ""


def _changes(
    sides: Sequence[TypedTable], keys: Sequence[Column], cells: Sequence[dict[str, int]], both: Sequence[str]
) -> list[str]:
    """What differs in the other columns in common, for what is in both."""
    changes = []
    for left in sides[0].columns:
        right = next((column for column in sides[1].columns if column.name.casefold() == left.name.casefold()), None)
        if right is None or left is keys[0]:
            continue
        for key in both:
            before, after = left.cells[cells[0][key]], right.cells[cells[1][key]]
            if before.strip() != after.strip():
                name = keys[0].cells[cells[0][key]]
                changes.append(f"{left.name} of {name}: {before or 'empty'} → {after or 'empty'}")
    shown = "; ".join(changes[:MAX_LISTED]) + (" …" if len(changes) > MAX_LISTED else "")
    return [f"Other values in both: {shown}."] if changes else []
