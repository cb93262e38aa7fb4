"""Charts of a table's numbers: bars, lines, parts of a whole, how often values occur (matplotlib).

What is to be drawn is read as a question to the table. The numbers stand on the chart, in a size that can be read on a
phone, and in the note, as nobody can search a picture or have it read aloud.
"""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import table_told
from hugginggpt.experts.table_columns import Column, TypedTable, shown_number
from hugginggpt.experts.table_conversations import understood
from hugginggpt.experts.table_glosses import in_english
from hugginggpt.experts.table_plain import plainly
from hugginggpt.experts.table_queries import by_group, chosen_rows
from hugginggpt.experts.table_query import Query

Kind = Literal["bar", "line", "pie", "histogram", "scatter"]
MAX_BARS, MAX_SLICES, MAX_POINTS, MAX_LABELLED, MAX_TOLD = 30, 10, 500, 16, 12
MAX_CHARS = 18
MIN_SEVERAL, MOST_APART = 2, 20
"""So many columns are drawn together whose largest numbers are no more than so many times as large as each other."""
MIN_LABELLED = 0.06
"""Where a slice is a smaller part, the labels stand in a legend: beside the slices they would overlap."""
WIDTH, HEIGHT, DOTS = 6.4, 4.8, 150
"""Inches, and dots an inch: 960 × 720, of which a phone shows a third, with letters of 11 points."""
BLUE = "#2f6ba8"
COLOURS = (
    BLUE, "#d9822b", "#3f8f5f", "#8e4f9e", "#b8443c", "#6b7a8f", "#a08428", "#2a8c96", "#c06a94", "#5c5c5c"
)  # fmt: skip
EAST_ASIAN_FONTS = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "PingFang SC",
    "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "Arial Unicode MS", "Noto Sans CJK JP", "Droid Sans Fallback",
)  # fmt: skip
_EAST_ASIAN = re.compile(r"[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
_KIND = re.compile(r"\b(bar|column|line|pie|scatter|histogram)\b", re.I)
_NOUN = r"(?:charts?|graphs?|plots?|diagrams?|histograms?)"
_CHART = re.compile(
    rf"\b(?:as|in|into|with|on) (?:an? )?(?:\w+ ){{0,2}}?{_NOUN}\b|\bas (?:an? )?(?:pie|bars?|lines?)\b(?! of\b)|"
    rf"(?:(?:^|\b(?:an?|the) )(?:\w+ ){{0,2}}?)?(?:(?:bar|column|line|pie|scatter)[ -]?)?\b{_NOUN}\b"
    r"(?: (?:of|for|showing|with|that shows)|:)?|\ban? (?:line|curve) (?:of|for|with)\b(?=[^.?!]* over\b)",
    re.I,
)
_POLITE = re.compile(
    r"^(?:of|for|the|my|our)\s+|\b(?:please|pls|plz|thanks|thx)\b|\bover (?:time|the days)\b|"
    r",? (?:and )?(?:as|in|save (?:it )?as) (?:an? )?(?:pdf|png|jpe?g|image|picture)(?: file)?\b",
    re.I,
)
_OVER_TIME = re.compile(r"\b(?:over|across|through) (?:the )?(?:time|days|weeks|months|years|season)\b", re.I)
_TITLED = re.compile(
    r",? (?:and |with )?(?:the |a )?(?:title|titled|called|call|headed|named)(?: it)?(?: is| of)?:? "
    r"[\"“'](?P<title>[^\"”']{1,80})[\"”']",
    re.I,
)
_ASKS = re.compile(
    r"^\W*(?:(?:please|can|could|would|you|i|we|want|need|like|d|to|now|and|then|also|make|create|draw|plot|graph|show|give|get|me|us|"
    r"visuali[sz]e|chart|generate|produce|build|turn|have|see|an?|as)\b\W*)*",
    re.I,
)
_POINTING = frozenset(["", "it", "that", "this", "them", "those", "these", "the same", "the result", "same"])
_COUNTS = re.compile(r"\b(?:how (?:many|often)|numbers? of|counts?|rows?|entries|times|bookings|orders)\b", re.I)


@dataclass(frozen=True)
class Series:
    """What a chart shows: a number for each name, what the numbers and the names are, and in words where from."""

    names: list[str]
    values: list[float]
    of: str
    by: str
    where: str = ""

    @property
    def told(self) -> str:
        pairs = zip(self.names[:MAX_TOLD], self.values[:MAX_TOLD], strict=True)
        listed = "; ".join(f"{name}: {shown_number(value)}" for name, value in pairs)
        return f"{self.of} by {self.by}: {listed}{' …' if len(self.names) > MAX_TOLD else ''}"


def drawn(table: TypedTable, words: str) -> tuple[bytes, str]:
    """A PNG of the chart that words ask for, and what it shows; the lines before the last are what was asked before,
    which is drawn where the last says no more than how. Raises ExpertUnavailable where that cannot be told.
    """
    told, words = table_told.parted(words)
    *before, words = in_english(table, plainly(table, words)).splitlines() or [""]
    titled = _TITLED.search(words)
    title, words = (titled["title"] if titled else ""), _TITLED.sub("", words)
    found = _KIND.search(words)
    said = found[1].lower() if found else ""
    kind: Kind | Literal[""] = "bar" if said == "column" else said  # type: ignore[assignment]
    rest = _asked_for(words)
    if rest.lower() in _POINTING and before:
        words, rest = before[-1], "\n".join(_asked_for(line) for line in before)
        with suppress(ExpertUnavailable):  # of what was not answered, the table is drawn
            return _as_asked(table, rest, words, kind, title)
        rest = ""
    if told:
        rest = f"{json.dumps(told)}\n{rest or 'those'}"
    return _as_asked(table, rest, words, kind, title)


def _as_asked(table: TypedTable, rest: str, words: str, kind: Kind | Literal[""], title: str) -> tuple[bytes, str]:
    """The chart of what the `rest` of some words asks for; of the whole table without a rest."""
    table, query, notes = understood(table, rest) if rest else (table, Query("describe"), [])
    if kind in ("histogram", "scatter"):
        columns = _measures(table, query)
        if len(columns) < (2 if kind == "scatter" else 1):
            raise ExpertUnavailable(f"I cannot tell of which column{'s' * (kind == 'scatter')} the {kind} is wanted.")
        return _drawn_points(table, query, columns, kind, title)
    if query.operation == "count" and not _COUNTS.search(words):
        query = _of_amounts(table, query)
    if kind != "pie" and (columns := _alike(table, query)):
        return _drawn_several(table, query, columns, kind, title)
    series, is_time = _series(table, query, bool(_OVER_TIME.search(words)))
    if not series.values:
        raise ExpertUnavailable("There is no number to draw.")
    kind = kind or ("line" if is_time and len(series.names) > 6 else "bar")
    if re.search(r"\bpdf\b", words, re.I):
        notes = [*notes, "It is a picture (PNG), which “make it a PDF” turns into a PDF."]
    return _drawn(series, kind, title), " ".join([f"{series.told}{'.' * bool(notes)}", *notes])


def _asked_for(words: str) -> str:
    """What is to be drawn, in words, without those that say how: "" where that is all they say."""
    rest = " ".join(_ASKS.sub("", " ".join(_CHART.sub(" ", words).split())).split())
    return _POLITE.sub("", rest).strip(" ,.?!")


def _measures(table: TypedTable, query: Query) -> list[Column]:
    named = [table[name] for name in dict.fromkeys([query.column, *query.wanted]) if name]
    return [column for column in named if column.type == "number"]


def _alike(table: TypedTable, query: Query) -> list[Column]:
    """Several columns of numbers of about the same size that are drawn together: those that are named, else all; []
    where one is meant, or groups are.
    """
    named = _measures(table, query)
    columns = named or [one for one in table.columns if one.is_measure and not one.computed]
    if query.group or (query.column and len(named) < MIN_SEVERAL) or not table.labels or not table.labels[0].is_unique:
        return []
    largest = [max(map(abs, (float(value) for value in one.present)), default=0.0) for one in columns]
    is_alike = bool(largest) and 0 < max(largest) <= MOST_APART * min(largest)
    return columns if MIN_SEVERAL <= len(columns) <= len(COLOURS) and is_alike else []


def _series(table: TypedTable, query: Query, is_over_time: bool) -> tuple[Series, bool]:
    """The numbers of a query: of its groups, of the rows, or how often the values of a column occur; and whether they
    run over time.
    """
    if query.group:
        group = table[query.group]
        return _grouped(table, replace(query, pick=False), group), bool(group.order) or group.type == "date"
    column = table[query.column] if query.column else None
    if column and column.type != "number":
        amounts = _of_amounts(table, Query("count", "", query.filters, column.name))
        return _grouped(table, amounts, column), column.type == "date"
    measures = [column] if column else [one for one in table.columns if one.is_measure and not one.computed]
    if len(measures) != 1:
        raise ExpertUnavailable(
            f"I cannot tell which numbers to draw: {', '.join(one.name for one in measures) or 'none'}."
        )
    (measure,) = measures
    dates = [one for one in table.columns if one.type == "date"]
    label = dates[0] if len(dates) == 1 and (is_over_time or dates[0].is_unique) else table.labels[0]
    if not label.is_unique:
        operation: Any = "mean" if measure.is_intensive else "sum"
        return _grouped(table, Query(operation, measure.name, query.filters, label.name), label), label.type == "date"
    rows = [at for at in chosen_rows(table, replace(query, operation="rows")) if measure.values[at] is not None]
    if label.type == "date":
        rows.sort(key=lambda at: label.values[at])
    names = [label.shown(label.values[at]) for at in rows]
    return Series(names, [float(measure.values[at]) for at in rows], measure.name, label.name), label.type == "date"


def _of_amounts(table: TypedTable, query: Query) -> Query:
    """The sums of groups in place of how many rows they have, for a table of amounts: one whose rows are no named
    things, with a single column of numbers that can be added.
    """
    name = next((one for one in table.columns if one.type == "text"), None)
    measures = [one for one in table.columns if one.is_measure and not one.is_intensive and not one.computed]
    is_of_things = name is None or name.is_unique
    if not query.group or is_of_things or len(measures) != 1:
        return query
    return replace(query, operation="sum", column=measures[0].name)


def _grouped(table: TypedTable, query: Query, group: Column) -> Series:
    what, values = by_group(table, query)
    if group.type == "date":
        values = dict(sorted(values.items()))
    elif not group.order:
        values = dict(sorted(values.items(), key=lambda pair: -pair[1]))
    return Series(list(values), list(values.values()), what, group.name)


def _figure() -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained", dpi=DOTS)
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _drawn(series: Series, kind: str, title: str) -> bytes:
    figure, axes = _figure()
    axes.set_title(_text(title or f"{series.of} by {series.by}"), fontsize=13)
    names = [_short(name) for name in series.names]
    if kind == "pie":
        _pie(axes, names, series.values)
    elif kind == "line":
        _line(axes, names, series)
    else:
        _bars(axes, names, series)
    return _png(figure)


def _bars(axes: Any, names: Sequence[str], series: Series) -> None:
    """Bars that lie, as long names can be read there, the first one at the top."""
    if len(names) > MAX_BARS:
        raise ExpertUnavailable(f"{len(names)} bars cannot be told apart, {MAX_BARS} can: ask for groups.")
    places = range(len(names))
    bars = axes.barh(places, series.values, color=BLUE)
    axes.bar_label(bars, [shown_number(value) for value in series.values], padding=3, fontsize=11)
    axes.set_yticks(places, names, fontsize=11)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel(_text(series.of), fontsize=11)
    axes.set_ylabel(_text(series.by), fontsize=11)


def _line(axes: Any, names: Sequence[str], series: Series) -> None:
    if len(names) > MAX_POINTS:
        raise ExpertUnavailable(f"{len(names):,} points are too many for a line; {MAX_POINTS} are drawn.")
    places = range(len(names))
    axes.plot(places, series.values, color=BLUE, marker="o", markersize=5)
    if len(names) <= MAX_LABELLED:
        for place, value in zip(places, series.values, strict=True):
            axes.annotate(
                shown_number(value), (place, value), (0, 7), textcoords="offset points", ha="center", fontsize=10
            )
    _name_ticks(axes, names)
    axes.margins(y=0.15)
    axes.set_xlabel(_text(series.by), fontsize=11)
    axes.set_ylabel(_text(series.of), fontsize=11)


def _name_ticks(axes: Any, names: Sequence[str]) -> None:
    """Names below the places 0, 1, 2, …, as many of them as can be read."""
    step = max(1, -(-len(names) // MAX_LABELLED))
    axes.set_xticks(range(len(names))[::step], names[::step], rotation=45, ha="right", fontsize=10)


def _pie(axes: Any, names: Sequence[str], values: Sequence[float]) -> None:
    if min(values) < 0 or sum(values) <= 0:
        raise ExpertUnavailable("Parts of a whole cannot be negative: a bar chart shows these numbers.")
    if len(names) > MAX_SLICES:
        raise ExpertUnavailable(f"{len(names)} slices cannot be told apart; {MAX_SLICES} can: a bar chart shows them.")
    whole = sum(values)
    is_small = min(values) < MIN_LABELLED * whole
    labels = [
        f"{name}{': ' if is_small else chr(10)}{shown_number(v)} ({100 * v / whole:.0f} %)"
        for name, v in zip(names, values, strict=True)
    ]
    slices = axes.pie(
        values, labels=None if is_small else labels, colors=COLOURS[: len(values)], startangle=90, counterclock=False,
        wedgeprops={"edgecolor": "white"}, textprops={"fontsize": 11},
    )  # fmt: skip
    if is_small:
        axes.legend(slices[0], labels, loc="center left", bbox_to_anchor=(0.95, 0.5), fontsize=11, frameon=False)


def _drawn_points(
    table: TypedTable, query: Query, columns: Sequence[Column], kind: str, title: str
) -> tuple[bytes, str]:
    figure, axes = _figure()
    rows = chosen_rows(table, replace(query, operation="rows"))
    if kind == "histogram":
        (column, *_) = columns
        values = [float(column.values[at]) for at in rows if column.values[at] is not None]
        counts, _, bars = axes.hist(values, bins=min(12, max(4, len(set(values)) // 2)), color=BLUE, edgecolor="white")
        axes.bar_label(bars, [f"{int(count)}" if count else "" for count in counts], fontsize=11)
        axes.set_ylabel("number of rows", fontsize=11)
        told = f"{column.name} in {len(values)} rows, from {column.shown(min(values))} to {column.shown(max(values))}"
    else:
        left, right = columns[:2]
        pairs = [(left.values[at], right.values[at]) for at in rows if None not in (left.values[at], right.values[at])]
        axes.scatter(*zip(*pairs, strict=True), color=BLUE)
        axes.set_ylabel(_text(right.name), fontsize=11)
        column, told = left, f"{right.name} against {left.name} in {len(pairs)} rows"
    axes.set_xlabel(_text(column.name), fontsize=11)
    axes.set_title(_text(title or told.split(",")[0]), fontsize=13)
    return _png(figure), told


def _drawn_several(
    table: TypedTable, query: Query, columns: Sequence[Column], kind: str, title: str
) -> tuple[bytes, str]:
    """Several numbers of each row beside each other, or as lines over time."""
    label = next((one for one in table.columns if one.type == "date" and one.is_unique), table.labels[0])
    rows = chosen_rows(table, replace(query, operation="rows"))[:MAX_POINTS]
    names = [label.shown(label.values[at]) for at in rows]
    if kind != "line" and len(names) * len(columns) > 2 * MAX_BARS:
        raise ExpertUnavailable(f"{len(names)} groups of {len(columns)} bars cannot be told apart: ask for lines.")
    figure, axes = _figure()
    width = 0.8 / len(columns)
    for number, (column, colour) in enumerate(zip(columns, COLOURS, strict=False)):
        values = [float("nan") if column.values[at] is None else float(column.values[at]) for at in rows]
        if kind == "line":
            axes.plot(range(len(rows)), values, color=colour, marker="o", markersize=4, label=_text(column.name))
        else:
            places = [at + (number - (len(columns) - 1) / 2) * width for at in range(len(rows))]
            axes.bar(places, values, width, color=colour, label=_text(column.name))
    _name_ticks(axes, [_short(name) for name in names])
    axes.set_xlabel(_text(label.name), fontsize=11)
    figure.legend(loc="outside right upper", fontsize=11, frameon=False)
    told = f"{', '.join(column.name for column in columns)} by {label.name}, of {len(rows)} rows"
    axes.set_title(_text(title or told.split(", of ", maxsplit=1)[0]), fontsize=13)
    return _png(figure), told


def _png(figure: Any) -> bytes:
    """The figure as a PNG, in a font of this machine for letters that matplotlib's own lacks (Chinese)."""
    from matplotlib.text import Text

    data = io.BytesIO()
    texts = figure.findobj(Text)
    if any(_EAST_ASIAN.search(text.get_text()) for text in texts):
        for text in texts:
            text.set_fontfamily(["DejaVu Sans", *_east_asian_fonts()])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Glyph .* missing")
        try:
            figure.savefig(data, format="png")
        except UserWarning:
            raise ExpertUnavailable(
                "No font here has the letters of this table's language: install one, such as Noto Sans CJK."
            ) from None
    return data.getvalue()


@cache
def _east_asian_fonts() -> tuple[str, ...]:
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return tuple(name for name in EAST_ASIAN_FONTS if name in installed)


def _short(name: str) -> str:
    return _text(name if len(name) <= MAX_CHARS else f"{name[: MAX_CHARS - 1]}…")


def _text(text: str) -> str:
    """A text escaped for matplotlib, which reads "$" as a formula."""
    return text.replace("$", r"\$")
