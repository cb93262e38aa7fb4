"""What numbers come to after a rise or a cut: "the total rent if I raise everybody by 4 percent", "prices 10 % off".

The changed numbers are a column of their own, so that their sum, or each of them, can be asked for.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hugginggpt.experts.table_columns import Column, shown_number
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_words import MONTHS, PRICES, stem

_PERCENT = r"(?P<by>\d{1,3}(?:[.,]\d+)?) ?(?:%|per ?cent|prozent|pour ?cent|por ciento)"
_WHOM = r"(?:[^\W\d_]+['’]?s? ){0,5}?"
_RISES = (
    r"raise[sd]?|raising|increase[sd]?|increasing|put|lift(?:ed)?|adds?|added|goes|go|went|rises?|rose|"
    r"reduced?|reduces|lower(?:s|ed)?|cuts?|drop(?:s|ped)?|fell|falls?"
)
_RAISED = re.compile(
    rf"\b(?P<verb>(?:{_RISES}) {_WHOM}(?:up |down )?)(?:by )?{_PERCENT}|"
    rf"\b(?:gets?|got|pays?|paid|costs?|earns?|is|are|was|were|all) (?:all )?{_PERCENT.replace('<by>', '<by2>')} "
    r"(?P<way>more|less|dearer|cheaper|higher|lower|off|discount)\b",
    re.I,
)
_CUTS = re.compile(r"reduc|lower|\bcut|drop|down|fell|falls?|less|cheaper|off|discount", re.I)
_TOTAL = re.compile(
    r"\b(?:total|altogether|all together|together|in all|comes? in|overall|(?:per|a) (?:month|year))\b|"
    r"\bhow much\b|\bsum\b",
    re.I,
)
_EACH = re.compile(
    r"\b(?:each|every one|everyone's|everybody's|new (?:\w+ )?list|list|show|table|individual(?:ly)?)\b", re.I
)


def with_raises(one: Rewording) -> None:
    """Adds the column that a rise or cut gives, and asks for its sum or for each value."""
    found = _RAISED.search(one.question)
    column = _raised(one) if found else None
    if found is None or column is None:
        return
    percent = float((found["by"] or found["by2"]).replace(",", "."))
    sign = -1 if _CUTS.search(found["verb"] or found["way"]) else 1
    factor = 1 + sign * percent / 100
    begun = [at.start() for at in re.finditer(r"\bif\b", one.question[: found.start()], re.I)]
    start = begun[-1] if begun else found.start()
    rest = f"{one.question[:start]} {one.question[found.end() :]}"
    raised, whose = _rows(one, one.question[start : found.end()])
    values = [
        None if value is None else value * (factor if is_raised else 1)
        for value, is_raised in zip(column.values, raised, strict=True)
    ]
    name = f"new {column.name}"
    cells = ["" if value is None else f"{value:.2f}" for value in values]
    made = Column(name, "number", cells, values, column.prefix, column.suffix, computed=True)
    kept = tuple(other for other in one.table.columns if other is not column)
    one.table = replace(one.table, columns=(*kept, made))
    where = _conditions(one, rest)
    is_each = _EACH.search(rest) and not _TOTAL.search(rest)
    one.question = f"{one.table.labels[0].name} and {name}" if is_each else f"total {name}"
    one.question += f" where {where}" if where else ""
    before = "" if is_each or where else f"; before it was {shown_number(float(sum(column.present)))}"
    one.note_computed(name, f"{column.name} {'plus' if sign > 0 else 'minus'} {percent:g} %{whose}{before}")


def is_asked(line: str) -> bool:
    """Whether a message speaks of a rise or a cut by a part of a hundred; it is one question."""
    return _RAISED.search(line) is not None


def _rows(one: Rewording, whom: str) -> tuple[list[bool], str]:
    """Which rows are raised, and what they are called: those of the cells that are named, "the kitchen salaries", else
    all.
    """
    for column in one.table.columns:
        texts = column.distinct if column.type == "text" else ()
        cells = [cell for cell in texts if re.search(rf"\b{re.escape(cell)}\b", whom, re.I)]
        if cells:
            return [cell in cells for cell in column.cells], f" for {', '.join(cells)}"
    return [True] * one.table.size, ""


def _raised(one: Rewording) -> Column | None:
    """The column that is raised: the one that the question names, else the only one with what is to be paid."""
    measures = [column for column in one.table.columns if column.is_measure and not column.computed]
    said = {stem(word) for word in re.findall(r"[^\W\d_]+", one.question.casefold())}
    named = [(len(said & set(map(stem, column.senses))), column) for column in measures]
    most = max((number for number, _ in named), default=0)
    if most and len(best := [column for number, column in named if number == most]) == 1:
        return best[0]
    money = [column for column in measures if (PRICES | {"due"}) & column.senses and not {"paid"} & column.senses]
    return money[0] if len(money) == 1 else measures[0] if len(measures) == 1 else None


def _conditions(one: Rewording, rest: str) -> str:
    """The cells that are named beside the rise: "in the kitchen"."""
    where = []
    for column in one.table.columns:
        for cell in column.distinct if column.type == "text" else ():
            if cell.casefold() not in MONTHS and re.search(rf"\b{re.escape(cell)}\b", rest, re.I):
                where.append(f'{column.name} is "{cell}"')
    return " and ".join(where)
