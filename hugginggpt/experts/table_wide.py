"""Wide tables, such as hours with a column for each day, or outlays with one for each kind.

"Who works the most hours?", "which day is the busiest?" and "what did we spend most on?" are about all of these columns
together. They are asked of a table with a row for each cell: whose it is, of which day or kind, and the number. So is
what somebody earns who gets so much an hour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.experts.table_columns import Column, TypedTable, is_calendar
from hugginggpt.experts.table_grammar import is_yes_or_no
from hugginggpt.experts.table_query import Query
from hugginggpt.experts.table_rotas import day_of
from hugginggpt.experts.table_tokens import number_of, tokens_of
from hugginggpt.experts.table_units import unit_of_column
from hugginggpt.experts.table_words import MONTHS, QUANTITIES, WEEKDAYS, WEIGHTLESS, is_person, stem

MIN_COLUMNS = 3
PAY = "pay"
_COUNTED = re.compile(
    r"\b(?:how many|(?:the )?(?:most|fewest|least|total|all))(?: of)?(?: (?:the|his|her|their))? (\w+s)\b", re.I
)
"""What the numbers of a table with days count, behind these words: "the most lessons"."""
_SPENDING = re.compile(
    r"\b(?:spen[dt]\w*|pay|pays|paid|cost\w*|expen[sd]\w*|dear(?:er|est)|cheap(?:er|est)?|outlays?|outgoings?|money)\b",
    re.I,
)
_SPENT_ON = re.compile(
    r"\b(?:what|which (?:thing|kind|category|area|item)s?) (?:did|do|have) (?:we|i|they) (?:spen[dt])(?: the)? "
    r"(?P<end>most|least)(?: money)? (?:on|for)\b|"
    r"\b(?:what|where) did (?:the )?most(?: of (?:the|our|my))?(?: money)? go\b",
    re.I,
)
_OF_HEADINGS = re.compile(
    r"\b(?P<noun>subject|exam|test|paper|discipline|module|fach|matière|asignatura)s?\b(?!\s*\d)", re.I
)
"""What the columns of marks or points are called together."""
_JUDGED = re.compile(
    r"\b(?:(?P<high>best|highest|strongest|easiest|better)|worst|lowest|weakest|hardest|poorest)\b"
    r"(?! (?:student|pupil|child))",
    re.I,
)
_OF_PERSONS = re.compile(r"\b(?:who|whose|whom|each|every|per)\b", re.I)
MOST_APART = 5
"""Columns are of one kind where the greatest values of any two differ by at most so many times."""
_ALTOGETHER = re.compile(r"\b(?:overall|altogether|all together|in total|all in all|in all)\b", re.I)
_ENDS = re.compile(r"\b(?:most|least|fewest|highest|lowest|biggest|smallest|\w+est)\b", re.I)
_WHOLE_TIME = re.compile(
    r"\b(?:(?:in|during|over|for) )?(?:the |this |that |last )(?:whole )?(?:week|month|year)\b", re.I
)
_WHO = re.compile(r"\W*(?:and )?(?:who|which (?!days?\b)|how many (?:people|persons)\b)", re.I)
_FREE = re.compile(r"\b(?:(?:a |the )?(?:free|day off)|off)\b", re.I)
_RATE = re.compile(
    r"\b(?:(?:gets?|earns?|makes?|is paid|are paid|costs?|charges?|at|takes?|for) )?(?:only )?"
    r"(?P<amount>[$€£]? ?\d+(?:[.,]\d{1,2})?) ?(?:€|euros?|pounds?|dollars?|quid|bucks)? ?"
    r"(?:an?|per|/|each|every|for (?:an?|each|every)) ?(?P<unit>[a-z]+)\b",
    re.I,
)
_ASKS_PAY = re.compile(
    r"\b(?:pay|paid|wages?|salary|earn\w*|owe[sd]?|bill|due|cost|makes?|gets?|come to|comes to|how much|whats?)\b", re.I
)
_LIGHT = frozenset(
    [
        "pay",
        "paid",
        "wage",
        "wages",
        "salary",
        "earn",
        "earns",
        "earned",
        "earning",
        "earnings",
        "owe",
        "owes",
        "bill",
        "due",
        "cost",
        "make",
        "makes",
        "get",
        "gets",
        "money",
        "total",
        "week",
        "altogether",
        "together",
        "amount",
        "come",
        "comes",
        "much",
        "work",
        "works",
        "worked",
        "him",
        "her",
        "them",
        "his",
        "their",
        "she",
        "he",
        "they",
        "everyone",
    ]
)


@dataclass(frozen=True)
class LongForm:
    """A table with a row for each cell of several columns of a wide one, and what its numbers are."""

    table: TypedTable
    key: str
    unit: str


def long_form(table: TypedTable, question: str) -> LongForm | None:
    """The long form of a table in which a question may be meant; None for any other table or question."""
    measures = [column for column in table.columns if column.is_measure and not column.computed]
    labels = [column for column in table.labels if column not in measures]
    if len(labels) != 1 or len(measures) < MIN_COLUMNS:
        return None
    days = [column for column in measures if day_of(column.name)]
    months = [column for column in measures if column.name.casefold() in MONTHS]
    if days == measures:
        return _melted(table, labels[0], days, "day", _unit(table, question))
    if months == measures:
        return _melted(table, labels[0], months, "month", _unit(table, question))
    are_outlays = len(measures) + 1 == len(table.columns) and (is_calendar(labels[0]) or labels[0].type == "date")
    if are_outlays and _SPENDING.search(question) and not any(map(_is_counted, measures)):
        return _melted(table, labels[0], measures, "kind", "amount")
    if judged := _judged(question, measures):
        return _melted(table, labels[0], measures, judged[0], "mark")
    return None


def _judged(question: str, measures: Sequence[Column]) -> tuple[str, str] | None:
    """What the columns are called together of which the best or worst on average is asked for, and which end it is."""
    noun, end = _OF_HEADINGS.search(question), _JUDGED.search(question)
    tops = [max(column.present, default=0) for column in measures]
    are_kin = min(tops) > 0 and max(tops) <= MOST_APART * min(tops)
    if not (noun and end and are_kin) or _OF_PERSONS.search(question):
        return None
    return noun["noun"].lower(), "highest" if end["high"] else "lowest"


def _is_counted(column: Column) -> bool:
    """Whether numbers are no sums of money: pieces, kilometres, prices of one."""
    return column.is_intensive or bool(set(QUANTITIES) & column.senses) or unit_of_column(column) is not None


def _unit(table: TypedTable, question: str) -> str:
    """What the numbers count: as the question says, or the name of the file."""
    known = {stem(word) for column in table.columns for word in column.words}
    found = _COUNTED.search(question) or _RATE.search(question)
    word = (found["unit"] if found and "unit" in found.re.groupindex else found[1] if found else "").lower()
    if word and stem(word) not in known and word not in WEIGHTLESS and day_of(word) == "" and not is_person(stem(word)):
        return word if word.endswith("s") else f"{word}s"
    return next(
        (one for one in ("hours", "lessons", "shifts", "minutes", "sales") if one in table.title_words), "amount"
    )


def _melted(table: TypedTable, label: Column, columns: Sequence[Column], key: str, unit: str) -> LongForm:
    names = [column.name for column in columns]
    shown = [day_of(name).capitalize() if key == "day" else name for name in names]
    cells = [
        (label.cells[row], name, column)
        for row in range(table.size)
        for name, column in zip(shown, columns, strict=True)
    ]
    at = [row for row in range(table.size) for _ in columns]
    values = [column.values[row] for row, (_, _, column) in zip(at, cells, strict=True)]
    first = columns[0]
    made = (
        Column(label.name, label.type, [cell for cell, _, _ in cells], [label.values[row] for row in at]),
        Column(key, "text", [name for _, name, _ in cells], [name for _, name, _ in cells], order=tuple(shown)),
        Column(
            unit, "number", [column.cells[row] for row, (_, _, column) in zip(at, cells, strict=True)], values,
            first.prefix, first.suffix,
        ),
    )  # fmt: skip
    return LongForm(TypedTable(made, table.title, table.has_decimal_comma), key, unit)


def is_of_cells(long: LongForm, query: Query) -> bool:
    """Whether a question is about the numbers, or a day or kind, and not how many rows the long form has."""
    limited = {one.column for group in query.filters for one in group}
    if query.operation in ("rows", "count", "describe", "columns", "distinct", "count distinct", "value", "share"):
        return long.unit in limited or (query.operation == "value" and long.unit in (query.column, *query.wanted))
    return bool({long.key, long.unit} & {query.column, query.group, query.order, *limited})


def in_words_of(long: LongForm, question: str) -> str:
    """A question to a wide table in the words of its long form."""
    if long.unit == "mark":
        return _of_marks(long, question)
    asked = _SPENT_ON.sub(lambda found: f"which {long.key} has the {_end(found)} total {long.unit}", question)
    asked = _WHOLE_TIME.sub(" ", asked)
    if _ENDS.search(asked):
        asked = _ALTOGETHER.sub(" ", asked)
    if long.key == "day":
        asked = re.sub(r"\w+", lambda word: day_of(word[0].rstrip(".")).capitalize() or word[0], asked)
        asked, number = _FREE.subn(f"{long.unit} 0", asked)
        is_named = any(column.title() in asked for column in WEEKDAYS)
        asks_if = is_yes_or_no(asked)
        if (
            not number
            and is_named
            and (asks_if or _WHO.match(asked))
            and long.unit not in asked.lower()
            and not _ENDS.search(asked)
        ):
            asked = f"{asked.rstrip(' ?.!')} with {long.unit} above 0"
    return " ".join(asked.split())


def _of_marks(long: LongForm, question: str) -> str:
    """The question for the best of the columns on average, or for some of the rows."""
    end = _JUDGED.search(question)
    if end is None or not _OF_HEADINGS.search(question):
        return question
    label = long.table.columns[0]
    named = [cell for cell in label.distinct if re.search(rf"\b{re.escape(cell)}\b", question, re.I)]
    where = f" where {label.name} is {named[0]}" if len(named) == 1 else ""
    return f"which {long.key} has the {'highest' if end['high'] else 'lowest'} average mark{where}"


def _end(found: re.Match[str]) -> str:
    return "lowest" if (found["end"] or "most").lower() == "least" else "highest"


def paid_at_a_rate(table: TypedTable, line: str) -> tuple[TypedTable, str] | None:
    """What so much an hour or a piece comes to: the table with that as a column, and the question for its sum; None
    where anything else is asked, or it is not clear what is counted or for whom.
    """
    found = _RATE.search(line)
    if found is None or not _ASKS_PAY.search(line[: found.start()] + line[found.end() :]):
        return None
    unit, rest = stem(found["unit"].lower()), f"{line[: found.start()]} {line[found.end() :]}"
    held = [c for c in table.columns if c.is_measure and not c.computed and unit in map(stem, c.words)]
    said = {token.lower for token in tokens_of(rest)}
    named: list[tuple[Column, str]] = []
    for column in table.columns:
        if column.type == "text":
            named += [(column, cell) for cell in column.distinct if set(re.findall(r"\w+", cell.casefold())) & said]
    known = {word for _, cell in named for word in re.findall(r"\w+", cell.casefold())}
    if len(held) != 1 or len(named) > 1 or said - known - WEIGHTLESS - _LIGHT - set(held[0].words):
        return None
    rate = number_of(found["amount"].lstrip("$€£ "))
    values = [None if value is None else value * rate for value in held[0].values]
    cells = ["" if value is None else f"{value:.2f}" for value in values]
    pay = Column(PAY, "number", cells, values, computed=True, told=f"{held[0].name} times {rate:g}")
    columns = (*(column for column in table.columns if column.name != PAY), pay)
    where = "".join(f' where {column.name} is "{cell}"' for column, cell in named)
    is_each = not named and bool(re.search(r"\b(?:each|every|everyone|everybody|per)\b", rest, re.I))
    each = f" by {table.labels[0].name}" if is_each else ""
    return TypedTable(columns, table.title, table.has_decimal_comma), f"total {PAY}{each}{where}"
