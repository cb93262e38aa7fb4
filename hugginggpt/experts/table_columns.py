"""The columns of a table with their types: numbers with units, dates, yes/no, texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from hugginggpt.experts.table_dictionary import english_of
from hugginggpt.experts.table_words import (
    INTENSIVE,
    MONEY_TAKEN,
    MONTHS,
    PRICES,
    QUANTITIES,
    RATES,
    WEEKDAYS,
    Dimension,
    same_name,
    stem,
)

if TYPE_CHECKING:
    import pandas

Type = Literal["number", "date", "flag", "text"]
END_OF_DAY = time(23, 59, 59)
MISSING = frozenset({"", "?", "-", "–", "—", "n/a", "na", "nan", "null", "none", "#n/a"})
FLAGS = {
    **dict.fromkeys(
        ("yes", "true", "y", "ja", "j", "wahr", "oui", "vrai", "sí", "si", "是", "x", "✓", "✔", "✅"), True
    ),
    **dict.fromkeys(("no", "false", "n", "nein", "falsch", "non", "faux", "否", "✗", "✘", "❌"), False),
}
"""The cells of columns of yes and no; a column of marks alone says no where it is empty."""
_SETTLED = re.compile(r"\b(?:paid|payed|settled|returned|bezahlt|gezahlt|payée?|pagad[oa])\b|已付", re.I)
_UNSETTLED = frozenset(
    ["open", "pending", "unpaid", "outstanding", "due", "not yet", "offen", "ausstehend", "noch nicht",
     "impayé", "en attente", "pendiente", "未付"]
)  # fmt: skip
"""What stands beside yes and no in a column of what is paid, and means no."""
_IDS = frozenset(["id", "no", "nr", "number", "invoice", "ref", "reference", "rechnung"])
_PER = frozenset(["per", "pro", "je", "par", "por", "each"])
_LETTERS = {"s": "seconds", "h": "hours", "m": "metres", "g": "grams"}
_STOCK = frozenset(["stock", "inventory"])
_GONE = frozenset(["sold out", "out of stock"])
DATE_FORMATS = (
    "%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y",
    "%b %d, %Y", "%Y-%m", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%d.%m.%y", "%B %Y", "%b %Y",
)  # fmt: skip
MAX_NUMBER = 1e100
"""What is larger is no quantity: sums and squares of numbers stay finite."""
_NUMBER = re.compile(
    r"(?P<sign>[-+−]?)\s*+(?P<before>[^\w\s.,+−-]{0,2}|eur|usd|gbp|chf|rs|kr)\s*+(?P<sign2>[-+−]?)"
    r"(?P<digits>\d[\d.,'’\u00a0\u202f ]*+|[.,]\d++)\s*+"
    r"(?P<after>[^\w\s.,]{0,2}|[kcmµ]?[mg]|km/h|mph|kmh|mi|ft|in|lbs?|oz|°?[cf]|m?l|h|hrs?|min|m?s|"
    r"[kmgt]?b|k?wh?|eur|usd|gbp|chf|rs|kr|sqm|[kcm]?m[²2]|pts?|pcs)",
    re.IGNORECASE,
)
"""A number with a unit before or after it; other words make it a text (a class 7A, a flat 3B)."""

_COMMAS = str.maketrans(",.", ".,")
_DECIMALS = re.compile(r"[.,](\d{1,2})\D*$")
_LENGTH = re.compile(r"(?:(?P<hours>\d{1,2}):)?(?P<minutes>\d{1,3}):(?P<seconds>[0-5]\d)(?:[.,](?P<part>\d{1,3}))?")
_TAKES = re.compile(
    r"\b(?:laps?|splits?|legs?|race|run|swim|finish|best|pb|duration|length|pace|marathon|trial|attempt|rundenzeit)\b|"
    r"\d ?(?:k|km|m|mi)\b",
    re.IGNORECASE,
)
"""Names of columns in which 12:30 is how long something took, not a time of day."""
_PHONE = re.compile(
    r"\b(?:tele)?phone|\b(?:tel|mobile|cell|fax|handy|telefon\w*|teléfono|téléphone|móvil)\b|电话|手机", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Column:
    """A column: its `cells` as they stand, and their `values` (float, datetime, bool or str; None where missing).

    `unit` stands before ("$") or after (" €") its numbers, or in its name ("area_sqm").
    """

    name: str
    type: Type
    cells: Sequence[str]
    values: Sequence[Any]
    prefix: str = ""
    suffix: str = ""
    leads: bool = False
    """Whether it is the first of its table, where numbers may name the rows."""
    computed: bool = False
    """Whether it was computed from others for an earlier question."""
    ratio: tuple[Sequence[float | None], Sequence[float | None]] | None = None
    """What its numbers were divided from: their mean over some rows is the ratio of the sums."""
    told: str = ""
    """How it was computed, in words."""
    is_product: bool = False
    """Whether it was computed as a quantity times a price."""
    clock: bool = False
    """Whether its numbers are times of day, in minutes."""
    seconds: bool = False
    """Whether its numbers are lengths of time in seconds, written as 22:41 or 1:02.5."""
    order: tuple[str, ...] = ()
    """The different values of a period in their own order, such as the months of a year."""
    date_format: str = ""
    """How its dates are written, as `strftime` takes it."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the name, in lower case: "unit_price ($)" and "unitPrice" -> unit, price."""
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return tuple(re.findall(r"[^\W_]+", name.casefold()))

    @cached_property
    def measured_words(self) -> tuple[str, ...]:
        """The words of the name that say what it measures: not "night" in price_per_night."""
        at = next((at for at, word in enumerate(self.words) if at and word in _PER), len(self.words))
        return self.words[:at]

    @cached_property
    def unit_words(self) -> frozenset[str]:
        """What a unit in brackets says that stands in the name as a letter: "100m (s)" -> seconds."""
        return frozenset(word for letter, word in _LETTERS.items() if f"({letter})" in self.name.lower())

    @cached_property
    def senses(self) -> frozenset[str]:
        """The words of the name, and what they mean in English: "Preis" -> preis, price."""
        return frozenset(self.words).union(*map(english_of, self.words))

    @property
    def title(self) -> str:
        return self.name

    @cached_property
    def present(self) -> list[Any]:
        return [value for value in self.values if value is not None]

    @cached_property
    def distinct(self) -> dict[str, int]:
        """The different cells that are not missing, with their numbers, in order."""
        return dict(Counter(cell for cell, value in zip(self.cells, self.values, strict=True) if value is not None))

    @property
    def is_unique(self) -> bool:
        return len(self.distinct) == len(self.cells)

    @cached_property
    def is_year(self) -> bool:
        if self.type != "number" or self.is_id or self.prefix + self.suffix:
            return False
        return all(value == int(value) and 1800 <= value <= 2100 for value in self.present)

    @cached_property
    def is_id(self) -> bool:
        """Whether its numbers name the rows and are not to be computed with."""
        if self.type != "number" or any(value != int(value) for value in self.present):
            return False
        named = any(word in ("id", "no", "nr", "number", "code", "zip", "index") for word in self.words)
        first = min(self.present, default=0)
        numbered = [first + step for step in range(len(self.cells))]  # 1001, 1002, 1003, …
        return named or (self.leads and len(numbered) > (2 if first == 1 else 4) and self.present == numbered)

    @cached_property
    def _is_monthly(self) -> bool:
        """Whether its dates are months, without a day."""
        return all(re.fullmatch(r"\d{4}-\d\d", cell) for cell in self.distinct)

    @cached_property
    def decimals(self) -> int | None:
        """How many decimals its numbers have, one or two; None where they are not written alike."""
        ends = {len(found[1]) if (found := _DECIMALS.search(cell)) else 0 for cell in self.distinct}
        is_exact = ends == {2} or (ends == {1} and not (PRICES | MONEY_TAKEN) & self.senses)  # an amount of 7.5 is 7.50
        return ends.pop() if is_exact and not self.computed else None

    @property
    def is_measure(self) -> bool:
        return self.type == "number" and not self.is_id and not self.is_year and not self.clock

    @property
    def is_intensive(self) -> bool:
        """Whether sums of its numbers mean nothing: prices of a piece, temperatures, ages, marks."""
        is_of_one = len(self.measured_words) < len(self.words)  # a price per night
        return is_of_one or bool(INTENSIVE & self.senses) or self.suffix.strip() in ("%", "°", "°C")

    def shown(self, value: Any) -> str:
        """A value of the column, or one computed from its values, in words."""
        if value is None:
            return "no value"
        if isinstance(value, bool):
            told = [cell for cell, one in zip(self.cells, self.values, strict=True) if one is value and cell]
            return next((cell for cell in told if cell.casefold() in FLAGS), told[0] if told else "no")
        if isinstance(value, datetime):
            if self._is_monthly:
                return value.strftime("%Y-%m")
            has_time = value.time() not in (time.min, END_OF_DAY)
            own = self.date_format if "%d" in self.date_format and "%H" not in self.date_format else "%Y-%m-%d"
            return value.strftime(f"{own} %H:%M" if has_time else own)
        if isinstance(value, int | float):
            if self.clock:
                return f"{int(value) // 60:02}:{int(value) % 60:02}"
            if self.seconds:
                return shown_length(float(value))
            whole = self.is_year or self.is_id
            return f"{self.prefix}{shown_number(float(value), not whole, self.decimals)}{self.suffix}"
        return str(value)


_TIMES_OF_DAY = frozenset(["time", "daytime", "moment", "uhrzeit", "tageszeit", "zeit", "hora", "momento", "heure"])


@dataclass(frozen=True, eq=False)
class TypedTable:
    """A table with typed columns. `title` is what its file is called, "" where unknown."""

    columns: tuple[Column, ...]
    title: str = ""
    has_decimal_comma: bool = False
    """Whether its numbers are written with a comma before the decimals."""
    _by_name: dict[str, Column] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._by_name.update((column.name, column) for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        return self._by_name[name]

    def joined(self, other: TypedTable) -> TypedTable:
        """This table with the columns of another that it lacks, such as computed ones."""
        return replace(self, columns=(*self.columns, *(one for one in other.columns if one.name not in self.names)))

    @property
    def size(self) -> int:
        return len(self.columns[0].cells)

    @cached_property
    def title_words(self) -> frozenset[str]:
        """The words of what the file is called, and these without the ending of a plural."""
        words = re.findall(r"[^\W\d_]+", self.title.casefold())
        return frozenset(words).union(map(stem, words))

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @cached_property
    def frame(self) -> pandas.DataFrame:
        """The values as a pandas frame with the columns' names; missing ones are NaN, NaT or None."""
        import pandas

        def series(column: Column) -> pandas.Series[Any]:
            dtype = {"number": "float64", "date": "datetime64[us]"}.get(column.type, "object")
            return pandas.Series(list(column.values), dtype=dtype)

        return pandas.DataFrame({column.name: series(column) for column in self.columns})

    @cached_property
    def labels(self) -> tuple[Column, ...]:
        """The columns that name a row, such as its title or a first and last name."""
        names = [column for column in self.columns if column.type == "text" and {"first", "last"} & column.senses]
        if len(names) == 2:
            return tuple(names)
        texts = [column for column in self.columns if column.type == "text"]
        unique = next(
            (column for column in texts if len(column.distinct) >= 0.9 * self.size and not is_code(column)), None
        )
        often = next(
            (column for column in texts if len(column.distinct) >= 0.6 * self.size and not is_code(column)), None
        )
        coded = next((c for c in self.columns if c.is_unique and c.type != "flag" and not c.is_measure), None)
        coded = often if often and coded and coded.type == "date" else coded  # rather what was done than when
        best = unique or coded or (texts[0] if texts else self.columns[0])
        dates = [column for column in self.columns if column.type == "date" and len(column.present) == self.size]
        is_time = not (unique or coded) and _TIMES_OF_DAY & best.senses
        if is_time and len(dates) == 1 and len(set(zip(dates[0].cells, best.cells, strict=True))) == self.size:
            return (dates[0], best)  # the morning of which day
        at = self.columns.index(best)
        maker = self.columns[at - 1] if at and best is unique and best.words[0] == "model" else None
        return (maker, best) if maker else (best,)


def holding(table: TypedTable, dimension: Dimension) -> tuple[list[Column], bool]:
    """The columns that may hold a dimension, and whether their high values are much of it; ([], True) for none."""
    types = ("number",) if dimension.alternative else ("number", "date")
    numeric = [column for column in table.columns if column.type in types and not column.is_id]
    for words, direct in ((dimension.columns, True), (dimension.reversed, False)):
        for word in words:
            columns = [c for c in numeric if any(same_name(word, other) for other in _before_per(c))]
            if "price" in dimension.columns:  # an amount of pieces is no price
                columns = [c for c in columns if word in c.senses or not set(QUANTITIES) & c.senses]
            if columns:
                return [column for column in columns if not column.computed] or columns, direct
    return [], True


def _before_per(column: Column) -> Collection[str]:
    """The words of a name that say what it measures, and what they mean in English."""
    words = [word for word in column.measured_words if word in RATES] or column.measured_words
    return column.unit_words.union(words, *map(english_of, words))


def is_timetable(table: TypedTable) -> bool:
    """Whether several columns hold nothing but times of day, and none is for departures or arrivals alone."""
    times = [c for c in table.columns if c.distinct and all(re.fullmatch(r"\d{1,2}:\d\d", cell) for cell in c.distinct)]
    return len(times) > 1 and not any(
        re.match("dep|arr|leav|from|to$", word) for c in table.columns for word in c.words
    )


def stock_column(table: TypedTable) -> Column | None:
    """The only column with numbers that says how much is in stock."""
    measures = [column for column in table.columns if column.is_measure]
    columns = [column for column in measures if _STOCK & column.senses]
    columns = columns or [column for column in measures if {"on", "shelf"} <= set(column.words)]
    if not columns and re.search(r"stock|inventor|inventar|lager|bestand|库存", table.title, re.IGNORECASE):
        columns = [column for column in measures if set(QUANTITIES) & column.senses]
    return columns[0] if len(columns) == 1 else None


def is_gone(table: TypedTable, words: str) -> bool:
    """Whether words say that nothing is left of what a row of the table stands for."""
    return words in _GONE and stock_column(table) is not None


def is_calendar(column: Column) -> bool:
    """Whether the cells of a column are names of months or weekdays, in any language that is known."""
    names = {*MONTHS, *WEEKDAYS}
    return column.type == "text" and all(
        {cell.casefold().split()[0], *english_of(cell.casefold())} & names for cell in column.distinct if cell.strip()
    )


def is_code(column: Column) -> bool:
    """Whether the cells of a text column are codes such as A-100."""
    return all(re.search(r"\d", cell) and " " not in cell for cell in column.distinct)


def typed(columns: Mapping[str, Sequence[str]], title: str = "") -> TypedTable:
    """The columns with their types: a column of which every cell is a number, a date or yes/no is one of these."""
    has_decimal_comma = any(
        re.fullmatch(r"\D{0,3}\d+(?:\.\d{3})*,\d{1,2}\D{0,4}", cell) for cells in columns.values() for cell in cells
    )
    first, *others = (_typed(name, cells, has_decimal_comma) for name, cells in columns.items())
    numbers = [cell for column in (first, *others) if column.type == "number" for cell in column.distinct]
    is_mixed = any(re.fullmatch(r"\D{0,3}\d+\.\d{1,2}\D{0,4}", cell) for cell in numbers)
    return TypedTable((replace(first, leads=True), *others), title, has_decimal_comma and not is_mixed)


def _are_letters(cells: Sequence[str]) -> bool:
    """Whether cells with an x in them are names of groups, such as x and y, and no ticks."""
    letters = {cell.casefold() for cell in cells if cell.isalpha()}
    return "x" in letters and len(letters) > 1


def _typed(name: str, cells: Sequence[str], has_decimal_comma: bool) -> Column:
    present = [cell for cell in cells if cell.casefold() not in MISSING]
    if not present:
        return Column(name, "text", cells, [None] * len(cells))
    is_settled = _SETTLED.search(name) is not None
    told = FLAGS.keys() | _UNSETTLED if is_settled else FLAGS.keys()
    if all(cell.casefold() in told for cell in present) and not _are_letters(present):
        are_ticks = all((FLAGS.get(cell.casefold()) and not cell.isalpha()) or cell in "xX" for cell in present)
        blank = False if are_ticks or is_settled else None
        return Column(name, "flag", cells, [FLAGS.get(cell.casefold(), blank) for cell in cells])
    is_numbered = _IDS & set(re.findall(r"[^\W_]+", name.casefold()))  # invoice 2025-04
    if found := None if is_numbered else _dates(present):
        return Column(name, "date", cells, _placed(cells, found[1]), date_format=found[0])
    if lengths := _lengths(name, present):
        return Column(name, "number", cells, _placed(cells, lengths), seconds=True)
    if (numbers := _numbers(present, has_decimal_comma)) and not _PHONE.search(name):
        parsed, prefix, suffix = numbers
        return Column(name, "number", cells, _placed(cells, parsed), prefix, suffix)
    return Column(name, "text", cells, _placed(cells, present))


def _placed(cells: Sequence[str], present: Sequence[Any]) -> list[Any]:
    """The values of the cells that are present, in their places, with None in the others."""
    values = iter(present)
    return [None if cell.casefold() in MISSING else next(values) for cell in cells]


def _numbers(cells: Sequence[str], has_decimal_comma: bool) -> tuple[list[float], str, str] | None:
    matches = [match for cell in cells if (match := _NUMBER.fullmatch(cell))]
    if len(matches) < len(cells) or any(re.match(r"0\d", cell) for cell in cells):
        return None
    units = {(match["before"], match["after"]) for match in matches}
    if len(units - {("", "")}) > 1:
        return None
    before, after = next(iter(units - {("", "")}), ("", ""))
    digits = [re.sub(r"['’\u00a0\u202f ]", "", match["digits"]).rstrip(".,") for match in matches]
    is_decimal_comma = has_decimal_comma and not any(re.search(r",\d{3}\.|\d\.\d{1,2}$", text) for text in digits)
    if not is_decimal_comma and any(re.search(r",(?!\d{3}(?!\d))", text) for text in digits):
        return None
    values: list[float] = []
    for match, text in zip(matches, digits, strict=True):
        plain = text.replace(".", "").replace(",", ".") if is_decimal_comma else text.replace(",", "")
        try:
            values.append(
                -float(plain) if "-" in (sign := match["sign"] + match["sign2"]) or "−" in sign else float(plain)
            )
        except ValueError:
            return None
    if any(abs(value) > MAX_NUMBER for value in values):
        return None
    space = " " if re.search(r"\d\s+[^\d\s]", cells[0]) else ""
    return values, before, space + after if after else ""


def _lengths(name: str, cells: Sequence[str]) -> list[float] | None:
    """The seconds of lengths of time ("22:41", "1:02.5"); None for other cells, such as times of day."""
    matches = [match for cell in cells if (match := _LENGTH.fullmatch(cell))]
    if len(matches) < len(cells):
        return None
    is_told = any(match["part"] or (int(match["minutes"]) > 23 and not match["hours"]) for match in matches)
    if not is_told and not _TAKES.search(name):
        return None
    return [
        3600.0 * int(match["hours"] or 0)
        + 60 * int(match["minutes"])
        + float(f"{match['seconds']}.{match['part'] or 0}")
        for match in matches
    ]


def shown_length(seconds: float) -> str:
    """A length of time as it is written in tables: 22:41, 1:02.50, 1:47:10."""
    sign, seconds = "-" if seconds < 0 else "", round(abs(seconds), 2)
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    shown = f"{left:02.0f}" if left == int(left) else f"{left:05.2f}"
    return f"{sign}{hours:.0f}:{minutes:02.0f}:{shown}" if hours else f"{sign}{minutes:.0f}:{shown}"


def _dates(cells: Sequence[str]) -> tuple[str, list[datetime]] | None:
    """How the dates in cells are written, and these; None for other cells."""
    if not all(re.search(r"\d", cell) and len(cell) < 30 for cell in cells):
        return None
    fitting = [(format, dates) for format in DATE_FORMATS if (dates := _read_dates(cells, format))]
    # 03/04/2024 alone may be March or April: such a column stays text
    return fitting[0] if fitting and all(dates == fitting[0][1] for _, dates in fitting) else None


def _read_dates(cells: Sequence[str], format: str) -> list[datetime] | None:
    try:
        return [datetime.strptime(cell, format) for cell in cells]
    except ValueError:
        return None


_with_comma: ContextVar[bool] = ContextVar("with_comma", default=False)


@contextmanager
def written_like(table: TypedTable) -> Iterator[None]:
    """Within it, numbers are shown as the table writes them: 1.321,80 where it has decimal commas."""
    token = _with_comma.set(table.has_decimal_comma)
    try:
        yield
    finally:
        _with_comma.reset(token)


def shown_number(value: float, grouped: bool = True, decimals: int | None = None) -> str:
    """A number with at most two decimals (three digits that count for small ones) and grouped thousands; with as many
    `decimals` as the numbers have that it is computed from, if these say it all.
    """
    if decimals and (decimals == 2 or value != int(value)) and round(value, decimals) == round(value, 6):
        text = f"{value:,.{decimals}f}"
    elif value == int(value):
        text = f"{int(value):,}"
    else:
        text = f"{value:,.2f}" if abs(value) >= 0.1 else f"{value:.3g}"
    text = text if grouped else text.replace(",", "")
    return text.translate(_COMMAS) if _with_comma.get() else text
