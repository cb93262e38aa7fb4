"""Changes to a table, in words: columns added, computed, dropped, renamed, rows sorted, kept, removed, each once.

Which columns and rows are meant is read as in a question to the table (`table_conversations`); what is not understood
is refused by its name, so that no file is made that somebody did not ask for.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hugginggpt.core.documents import counted, enumerated
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.table_columns import Column, TypedTable, typed
from hugginggpt.experts.table_conversations import understood
from hugginggpt.experts.table_filters import Reading
from hugginggpt.experts.table_glosses import in_english
from hugginggpt.experts.table_measures import measured
from hugginggpt.experts.table_plain import plainly
from hugginggpt.experts.table_queries import chosen_rows
from hugginggpt.experts.table_tokens import number_of
from hugginggpt.media.tables import Columns

VERBS = (
    r"(?:add|append|insert|compute|calculate|drop|remove|delete|erase|take out|get rid of|throw out|cross out|rename|"
    r"sort|order|keep|"
    r"leave out|save|export|store)"
)
_STEP = re.compile(rf"\s*(?:;|\.\s|,? (?:and )?then (?!by\b)|,? and (?:also )?(?={VERBS}\b)|, (?={VERBS}\b))\s*", re.I)
_SAVES = re.compile(
    r"\W*+(?:(?:please|then|and|also)\W++)*+(?:save|store|export|give|send|download|write|put)\b[^,;]*$", re.I
)
MAX_SHOWN = 8
"""So many values of a new column are told."""
_DROPS = (
    r"(?:drop|remove|delete|erase|leave out|take (?:out|off)|get rid of|throw out|kick out|cross out|strike(?: out)?|"
    r"without)"
)
_COLUMN = r"(?:(?:the|a|an|another|new|this) )*(?:extra |additional )?columns?\b"
_COLUMNS = rf"(?:{_COLUMN} (?P<behind>.+)|(?:the )?(?P<before>.+?) columns?\b)"
_DROP = re.compile(rf"\b{_DROPS}\b {_COLUMNS}", re.I)
_KEEP = re.compile(rf"\b(?:keep|only|just)\b(?: only| just)? {_COLUMNS}", re.I)
_BARE_DROP = re.compile(rf"^\W*{_DROPS} (?:the )?(?P<before>.+?)$", re.I)
_BARE_KEEP = re.compile(r"^\W*(?:keep|only|just) (?:only |just )?(?:the )?(?P<before>.+?)$", re.I)
_RENAME = re.compile(
    rf"\b(?:rename|call)\b (?:{_COLUMN} )?(?:the )?(?P<old>.+?)(?: column)? (?:to|into|as|=>|->) (?:be )?(?P<new>.+)",
    re.I,
)
_ADD = re.compile(
    rf"\b(?:add|append|insert|make|compute|calculate|create|put in)\b (?:me )?{_COLUMN},?\s*"
    r"(?:(?:called|named) (?P<called>[\"“'].+?[\"”']|\w+)\s*)?(?P<expression>.*)",
    re.I,
)
_ADD_BEFORE = re.compile(
    r"\b(?:add|append|insert|make|create)\b (?:me )?(?:an?|another|the) (?P<before>.+?) columns?$", re.I
)
_NAMED = re.compile(r"^(?:for |with )?(?P<name>[^=]{1,60}?)\s*=\s*(?P<rest>.+)$")
_CALLED = re.compile(r",? (?:and )?(?:called|named|call it|name it) [\"“']?([^\"”']{1,60}?)[\"”']?$", re.I)
_LEADS = re.compile(
    r"^(?:with|that (?:is|has|shows|holds|says)|which is|showing|holding|containing|for|of|as|:|,|=|the|each)\s+", re.I
)
_OF_EACH = re.compile(r"\s+(?:(?:of|for|in|per) (?:each|every|the) \w+|for (?:all|everyone|everybody))$", re.I)
_OF_ROWS = re.compile(
    r"\b(?:every\w*|all|ones?|rows?|those|i|we|they|who|that|which|is|are|has|have|not|with|where)\b|n['’]t\b", re.I
)
"""Words that speak of rows, so that a column that is named says which."""
_RAISE = re.compile(
    r"^\W*(?:(?P<up>raise|increase|lift|put up)|reduce|lower|decrease|cut) (?:(?:all|the|every|each) )*"
    r"(?P<column>.+?) by (?P<amount>\d+(?:[.,]\d+)?) ?(?P<percent>%|percent|per cent)?",
    re.I,
)
_SET = re.compile(
    r"^\W*(?:change|set|update|correct) (?P<which>.+?) (?:to|=) [\"“'‘]?(?P<new>[^\"”'’]+)[\"”'’]?$", re.I
)
_NEW_ROW = re.compile(
    r"^\W*(?:add|append|insert|put in)\b (?:(?:a|another|one|the|new|more) )*(?:(?:row|line|entry|record)s?\b[:,]? ?)?"
    r"(?:for |with |of )?(?P<cells>[^=]+[,;][^=]+)$",
    re.I,
)
_ALL = re.compile(r"\b(?:all|each|every|row|rows|the (?:two|three|four|five|six|twelve)|numbers?|columns?)\b", re.I)
_ONCE = re.compile(
    r"\b(?:duplicates?|doublets?|(?:duplicate|double|repeated|identical) (?:rows?|lines?|entries))\b|"
    r"\beach (?P<each>\w+) (?:only )?once\b|\bdedup\w*",
    re.I,
)
_REMOVE_ROWS = re.compile(
    rf"\b{_DROPS}\b (?:(?:all|the|every|those) )*"
    r"(?:rows?|lines?|entries|ones|everyone|everybody|records?)\b "
    r"(?:(?:where|with|that|who|which|whose|of|from) )?(?P<which>.+)",
    re.I,
)
_AGGREGATE = re.compile(r"^(?P<what>sum|total|average|mean)\b(?: of| over)?\s*(?P<columns>.*)$", re.I)
_DIFFERENCE = re.compile(r"^difference (?:between|of) (?P<left>.+?) and (?P<right>.+)$", re.I)
_SHARE = re.compile(
    r"^(?:percent(?:age)?|share|%)(?: of| in)? (?:the )?(?:total |sum of |whole |overall )*(?P<column>.+)$", re.I
)
_PERCENT = re.compile(r"^(?P<percent>\d+(?:[.,]\d+)?) ?(?:%|percent) (?:of|on) (?P<column>.+)$", re.I)
_BINARY = re.compile(
    r"^(?P<left>.+?)\s*(?:(?P<sign>[+*×÷/−–-])|"
    r"\b(?P<word>plus|minus|less|times|multiplied by|divided by|per|x|and)\b)\s*(?P<right>.+)$",
    re.I,
)
_DECIMALS = re.compile(r"\d[.,](\d{1,6})\D*$")
_SIGNS: dict[str, Callable[[float, float], float]] = {
    **dict.fromkeys(("+", "plus", "and"), operator.add),
    **dict.fromkeys(("-", "−", "–", "minus", "less"), operator.sub),
    **dict.fromkeys(("*", "×", "x", "times", "multiplied by"), operator.mul),
    **dict.fromkeys(("/", "÷", "divided by", "per"), operator.truediv),
}
_WORDS = {operator.add: "plus", operator.sub: "minus", operator.mul: "times", operator.truediv: "divided by"}


@dataclass
class Edited:
    """A table while it is changed, and what was done to it, in words."""

    columns: Columns
    done: list[str] = field(default_factory=list)
    _typed: tuple[Columns, TypedTable] | None = field(default=None, repr=False)

    @property
    def table(self) -> TypedTable:
        if self._typed is None or self._typed[0] is not self.columns:
            self._typed = self.columns, typed(self.columns)
        return self._typed[1]

    def refusal(self, reason: str) -> ExpertUnavailable:
        return ExpertUnavailable(f"{reason}; the columns of the table are: {', '.join(self.columns)}.")


def edited(columns: Columns, words: str) -> Edited:
    """A table changed as words say, step by step. Raises ExpertUnavailable for a step that is not understood."""
    one = Edited(columns)
    said = " ".join(in_english(one.table, plainly(one.table, words)).split())
    steps = [step.strip(" .,;:!?") for step in _STEP.split(said)]
    steps = [step for step in steps if step and not _SAVES.match(step)]
    if not steps:
        raise one.refusal("I cannot tell what is to be changed")
    for step in steps:
        _apply(one, step)
    return one


def _apply(one: Edited, step: str) -> None:
    if found := _ONCE.search(step):
        _once(one, found["each"] or "")
    elif found := _RENAME.search(step):
        _rename(one, found["old"], found["new"].strip(" \"“”'"))
    elif found := _ADD.search(step):
        _add(one, found["called"] or "", found["expression"])
    elif found := _ADD_BEFORE.search(step):
        _add(one, "", found["before"])
    elif found := _RAISE.search(step):
        _raise(one, found["column"], number_of(found["amount"]) * (1 if found["up"] else -1), bool(found["percent"]))
    elif found := _SET.search(step):
        _set(one, found["which"], found["new"].strip())
    elif (found := _NEW_ROW.search(step)) and (cells := _cells_of(one, found["cells"])):
        one.columns = {name: [*old, new] for (name, old), new in zip(one.columns.items(), cells, strict=True)}
        one.done.append(f"a row added: {', '.join(cells)}")
    elif columns := _columns_of(one, step, _DROP, _BARE_DROP):
        _drop(one, columns)
    elif found := _REMOVE_ROWS.search(step) or _BARE_DROP.match(step):
        which = found["which"] if "which" in found.re.groupindex else found["before"]
        gone = set(_rows(one, f"which rows are {which}", f"rows where {which}", f"list {which}")[0])
        _take(one, [at for at in range(one.table.size) if at not in gone])
        one.done.append(f"{counted(len(gone), 'row')} removed ({which})")
    elif columns := _columns_of(one, step, _KEEP, _BARE_KEEP):
        kept = [column.name for column in columns]
        one.columns = {name: one.columns[name] for name in kept}
        one.done.append(f"only {enumerated(kept)}")
    else:
        chosen, told = _rows(one, step)
        _take(one, chosen)
        one.done.append(told)


def _cells_of(one: Edited, words: str) -> list[str]:
    """The cells of a new row, one for each column; [] for another number of them."""
    parts = [part.strip(" .\"“”'") for part in re.split(r";|, ?(?=\S)" if ";" not in words else ";", words)]
    return parts if len(parts) == len(one.columns) else []


def _raise(one: Edited, words: str, amount: float, is_percent: bool) -> None:
    """Every number of a column is made higher or lower."""
    column = _measure(one, words)
    values = [v if v is None else v * (1 + amount / 100) if is_percent else v + amount for v in column.values]
    one.columns = {**one.columns, column.name: _written(values, [column])}
    shown = ", ".join(one.columns[column.name][:MAX_SHOWN])
    one.done.append(f"{column.name} {'+' if amount > 0 else '−'}{abs(amount):g}{' %' if is_percent else ''}: {shown}")


def _set(one: Edited, which: str, new: str) -> None:
    """A cell is given another value: "Anton's food to vegan"."""
    table, query, _ = understood(one.table, f"what is {which}")
    rows = chosen_rows(table, query) if query.operation == "value" and query.filters else []
    if len(rows) != 1 or query.column not in one.columns:
        raise one.refusal(f"I cannot tell which cell “{which}” is")
    old = one.columns[query.column][rows[0]]
    cells = [new if at == rows[0] else cell for at, cell in enumerate(one.columns[query.column])]
    one.columns = {**one.columns, query.column: cells}
    one.done.append(f"{query.column} of {table.labels[0].cells[rows[0]]}: {old or 'empty'} → {new}")


def _drop(one: Edited, columns: Sequence[Column]) -> None:
    names = [column.name for column in columns]
    if len(names) == len(one.columns):
        raise one.refusal("No column would be left")
    one.columns = {name: cells for name, cells in one.columns.items() if name not in names}
    one.done.append(f"without {enumerated(names)}")


def _take(one: Edited, rows: Sequence[int]) -> None:
    one.columns = {name: [cells[at] for at in rows] for name, cells in one.columns.items()}


def _rows(one: Edited, *questions: str) -> tuple[list[int], str]:
    """The rows that the first question asks for that is understood, in its order, and how. Raises ExpertUnavailable."""
    errors: list[ExpertUnavailable] = []
    for question in questions:
        try:
            table, query, _ = understood(one.table, question)
        except ExpertUnavailable as error:
            errors.append(error)
            continue
        asks_rows = query.operation in ("rows", "value", "count", "distinct") and not query.group
        if not asks_rows or not (query.filters or query.order or query.n):
            continue
        order = (
            f"sorted by {query.order}, {'the highest' if query.descending else 'the lowest'} first"
            if query.order
            else ""
        )
        chosen = chosen_rows(table, query)
        kept = f"{len(chosen):,} of {counted(table.size, 'row')}" if len(chosen) < table.size or not order else ""
        return chosen, ", ".join(part for part in (order, kept) if part)
    raise errors[0] if errors else one.refusal(f"I cannot tell what “{questions[0]}” changes")


def _once(one: Edited, each: str) -> None:
    """Rows that are repeated are left out; those with the same value of a column, where that is named."""
    is_named = each and each not in ("row", "one", "line", "entry")
    keys = [column.name for column in _named(one, each)] if is_named else list(one.columns)
    rows = list(zip(*(one.columns[name] for name in keys), strict=True))
    first = _first(rows)
    one.done.append(f"{counted(len(rows) - len(first), 'duplicate')} removed")
    _take(one, first)


def _first(rows: Sequence[tuple[str, ...]]) -> list[int]:
    places: dict[tuple[str, ...], int] = {}
    for at, row in enumerate(rows):
        places.setdefault(row, at)
    return list(places.values())


def _rename(one: Edited, old: str, new: str) -> None:
    (column,) = _exactly(one, old, 1)
    if new in one.columns:
        raise one.refusal(f"There is a column {new} already")
    one.columns = {new if name == column.name else name: cells for name, cells in one.columns.items()}
    one.done.append(f"{column.name} renamed to {new}")


def _named(one: Edited, words: str) -> list[Column]:
    """The columns that words name, one after the other. Raises ExpertUnavailable for another word."""
    parts = [part.strip(" \"“”'") for part in re.split(r",| and | or | plus |&", words)]
    found = [column for part in parts if part for column in _of_name(one, re.sub(r"^the ", "", part, flags=re.I))]
    if not found:
        raise one.refusal("I cannot tell which column is meant")
    return list(dict.fromkeys(found))


def _of_name(one: Edited, words: str) -> Sequence[Column]:
    """The column that words name, or those of one kind."""
    table = one.table
    if exact := [column for column in table.columns if column.name.casefold() == words.casefold()]:
        return exact
    reading = Reading(table, words)
    mentions = reading.of("column")
    if reading.reader.left or len(mentions) != 1 or any(m.kind not in ("column", "row") for m in reading.mentions):
        raise one.refusal(f"There is no column “{words}”")
    columns = mentions[0].columns
    if len(columns) > 1 and mentions[0].payload != "kin":
        raise one.refusal(f"“{words}” may mean {' or '.join(column.name for column in columns)}")
    return columns


def _columns_of(one: Edited, step: str, named: re.Pattern[str], bare: re.Pattern[str]) -> list[Column]:
    """The columns that a step says something of: by the word "column", or by their names and nothing else, where other
    words may mean rows; [] where it says nothing of columns. Raises ExpertUnavailable for a column that there is not.
    """
    if found := named.search(step):
        return _named(one, found["behind"] or found["before"])
    found = bare.match(step)
    if found is None or _OF_ROWS.search(found["before"]):
        return []
    try:
        return _named(one, found["before"])
    except ExpertUnavailable:
        return []


def _exactly(one: Edited, words: str, number: int) -> list[Column]:
    columns = _named(one, words)
    if len(columns) != number:
        raise one.refusal(f"“{words}” names {counted(len(columns), 'column')}")
    return columns


def _add(one: Edited, called: str, expression: str) -> None:
    """A column computed from others."""
    if ends := _CALLED.search(expression):
        called, expression = ends[1], expression[: ends.start()]
    named = _NAMED.match(expression.strip())
    name = (called or (named["name"] if named else "")).strip(" \"“”'")
    words = (named["rest"] if named else expression).strip(" .,:;=")
    while led := _LEADS.match(words):
        words = words[led.end() :]
    words = _OF_EACH.sub("", words)
    if not words:
        raise one.refusal("I cannot tell what is to stand in the new column")
    values, sources, told = _computed(one, words)
    name = name or words
    if name in one.columns:
        raise one.refusal(f"There is a column {name} already")
    cells = _written(values, sources)
    one.columns = {**one.columns, name: cells}
    one.done.append(f"{name} is {told}: {', '.join(cells[:MAX_SHOWN])}{', …' if len(cells) > MAX_SHOWN else ''}")


def _written(values: Sequence[float | None], sources: Sequence[Column]) -> list[str]:
    """Numbers as the columns write them that they come from: with a decimal comma, and at least so many decimals."""
    comma = any(re.search(r",\d{1,2}\D*$", cell) for column in sources for cell in column.cells)
    decimals = [len(found[1]) for column in sources for cell in column.cells if (found := _DECIMALS.search(cell))]
    cells = ["" if value is None else f"{round(value, max([2, *decimals])):.12g}" for value in values]
    return [cell.replace(".", ",") for cell in cells] if comma else cells


def _computed(one: Edited, words: str) -> tuple[list[float | None], list[Column], str]:
    """The values of an expression for each row, the columns that it takes, and the expression in plain words."""
    if found := _AGGREGATE.match(words):
        return _aggregated(one, found["what"].lower(), found["columns"])
    if found := _SHARE.match(words):
        column = _measure(one, found["column"])
        whole = sum(column.present)
        return (
            [None if v is None or not whole else 100 * v / whole for v in column.values],
            [column],
            f"{column.name} in percent of its sum",
        )
    if found := _PERCENT.match(words):
        column, part = _measure(one, found["column"]), number_of(found["percent"])
        return [None if v is None else v * part / 100 for v in column.values], [column], f"{part:g} % of {column.name}"
    if found := _DIFFERENCE.match(words):
        return _two(one, found["left"], operator.sub, found["right"])
    if found_column := measured(one.table, words):
        return list(found_column.values), [], found_column.told
    if found := _BINARY.match(words):
        return _two(one, found["left"], _SIGNS[(found["sign"] or found["word"]).lower()], found["right"])
    raise one.refusal(f"I cannot tell how “{words}” is computed")


def _aggregated(one: Edited, what: str, words: str) -> tuple[list[float | None], list[Column], str]:
    measures = [column for column in one.table.columns if column.is_measure]
    told = {word.rstrip("s") for word in re.findall(r"\w+", words.lower())}
    family = [column for column in measures if told & {word.rstrip("s") for word in column.words}]
    named = re.search(r",|\band\b|\bplus\b", words)
    is_all = not words or _ALL.search(words)
    columns = _named(one, words) if named else family if len(family) > 1 else measures if is_all else _named(one, words)
    columns = [column for column in columns if column.is_measure]
    if len(columns) < 2:
        raise one.refusal(f"I cannot tell of which columns the {what} is wanted")
    divisor = len(columns) if what in ("average", "mean") else 1
    rows = zip(*(column.values for column in columns), strict=True)
    values = [None if None in row else sum(row) / divisor for row in rows]
    return (
        values,
        columns,
        f"the {'mean' if divisor > 1 else 'sum'} of {enumerated([column.name for column in columns])}",
    )


def _measure(one: Edited, words: str) -> Column:
    (column,) = _exactly(one, words, 1)
    if column.type != "number":
        raise one.refusal(f"{column.name} holds no numbers")
    return column


def _two(
    one: Edited, left: str, compute: Callable[[float, float], float], right: str
) -> tuple[list[float | None], list[Column], str]:
    """A computation with two columns, or a column and a number; "plus 19 %" is of the first."""
    sides: list[Sequence[float | None]] = []
    names, columns = [], []
    for words in (left, right):
        number = re.fullmatch(r"\s*(\d+(?:[.,]\d+)*)\s*(%|percent)?\s*", words)
        if number and number[2] and sides and compute in (operator.add, operator.sub):
            part = number_of(number[1]) / 100
            sides.append([None if value is None else value * part for value in sides[0]])
            names.append(f"{number[1]} %")
        elif number:
            sides.append([number_of(number[1])] * one.table.size)
            names.append(number[1])
        else:
            column = _measure(one, words)
            columns.append(column)
            sides.append(column.values)
            names.append(column.name)
    if not columns:
        raise one.refusal("A column of numbers is needed to compute with")
    pairs = list(zip(*sides, strict=True))
    divides = compute is operator.truediv
    values = [None if None in pair or (divides and not pair[1]) else compute(*pair) for pair in pairs]
    return values, columns, f"{names[0]} {_WORDS[compute]} {names[1]}"
