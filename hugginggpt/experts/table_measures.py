"""What follows from a table's numbers: a price per kilo, the rent per square metre, a speed, a pace, how long it took.

The column that it is computed from is left out for the question, so that words for either ("the dearest per kilo", "who
pays most per person") are about the computed one; a note says how it was computed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.core.quantities import ONES
from hugginggpt.experts.table_columns import Column, TypedTable, holding
from hugginggpt.experts.table_query import Filter
from hugginggpt.experts.table_rewording import Computed, Rewording
from hugginggpt.experts.table_tokens import tokens_of
from hugginggpt.experts.table_units import phrases, unit_of, unit_of_column
from hugginggpt.experts.table_words import DIMENSIONS, PLANNED, adjectives, related, stem

_UNITS = "|".join(re.escape(phrase) for phrase in phrases())
_PER = re.compile(rf"\b(?:per|a|an|for (?:each|every|one)|each) (?P<unit>{_UNITS})(?:s|es)?\b", re.I)
_ONE_PER_OTHER = re.compile(r"\b([^\W\d_]+) (?:per|a|for each|for every) ([^\W\d_]+)\b", re.I)
_PACE = re.compile(
    r"\b(?:in )?(?:pace|min(?:ute)?s? ?/ ?(?:km|mi)|"
    r"minutes?(?: taken)? (?:per|a|for each) (?:k|km|kilomet\w+|miles?))\b",
    re.I,
)
_SPEED = re.compile(r"\b(?:in )?(?:speed|velocity|km ?/ ?h|kmh|kph|mph|(?:kilomet\w+|miles) (?:an|per) hour)\b", re.I)
_QUICKEST = re.compile(r"\b(?:fastest|quickest|slowest|faster|slower)\b", re.I)
_EACH_ROW = re.compile(
    r"\b(?:of|for|on|per) ?(?:each|every|all)? ?(?:the )?(?:runs?|rides?|trips?|walks?|rows?|ones?)\W*$", re.I
)
_LASTED = re.compile(
    r"\b(?:how long|long(?:est|er)?|short(?:est|er)?|duration|last(?:s|ed)? (?:long|most)|took|takes?|"
    r"how many (?:days|hours|minutes|weeks))\b",
    re.I,
)
_TAKEN = re.compile(r"\b(?:time taken|days|length of (?:stay|time))\b", re.I)
_FROM_TO = re.compile(r"\b(?:from|between) (?P<first>[^\W\d]+) (?:to|until|till|and) (?P<last>[^\W\d]+)\b", re.I)
_CLOCK = re.compile(r"(\d{1,2})[:.h](\d\d)")
_FIRST = re.compile(
    r"\b(?P<verb>[^\W\d]{3,})(?: (?:the|it|them|up|off|out|in))? "
    r"(?P<end>first|last|earliest|latest|soonest|most recently)\b(?! (?:year|month|week|day|summer|winter)s?\b)",
    re.I,
)
_BASES = {"got": "get", "went": "go", "woke": "wake", "left": "leave", "came": "come", "began": "begin", "ended": "end",
          "started": "start", "starts": "start", "ends": "end", "arrived": "arrive"}  # fmt: skip
"""The bare form of verbs that columns with times are called by."""
_DAYTIMES = {"morning": (0, 12), "forenoon": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (20, 24)}
"""The hours of the parts of a day, from and up to."""
_DAYTIME = re.compile(rf"\b(?:in|during|on) the (?P<part>{'|'.join(_DAYTIMES)})s?\b", re.I)
_IN_UNIT = re.compile(r"\bhow many (?P<unit>hours|minutes|days|weeks|kilos|grams|litres|metres|miles|km)\b", re.I)
_BOUND = re.compile(
    rf"(?P<before>\b(?:under|over|than|above|below|least|most|within|exceeds?|between|and|to) )"
    rf"(?P<number>\d+(?:\.\d+)?|an?|{'|'.join(ONES[1:13])}) (?P<unit>{_UNITS})(?:s|es)?\b",
    re.I,
)
_ALTOGETHER = re.compile(r"\b(?:in total|altogether|all together|overall)\b", re.I)


def with_measures(one: Rewording) -> None:
    """Adds what a question asks for and the table has not, of what it is computed from."""
    for step in (_in_its_unit, _paced, _per_unit, _per_column, _lasted, _in_unit, _at_times):
        step(one)


def measured(table: TypedTable, words: str) -> Column | None:
    """The column that words name and the table's numbers give: "the speed in km/h", "price per kilo"."""
    one = Rewording(table, words if _LASTED.search(words) or not _TAKEN.search(words) else f"how long {words}")
    names = set(table.names)
    with_measures(one)
    added = [column for column in one.table.columns if column.name not in names]
    told = next((note.told for note in one.notes if isinstance(note, Computed)), "")
    return replace(added[0], told=told) if len(added) == 1 else None


def _measures(table: TypedTable, kind: str) -> list[Column]:
    """The columns with numbers of a kind of unit."""
    return [column for column in table.columns if (unit := unit_of_column(column)) and unit[0] == kind]


def _in_its_unit(one: Rewording) -> None:
    """ "Under two hours", of a column in minutes: 120."""

    def converted(found: re.Match[str]) -> str:
        unit, number = unit_of([found["unit"].lower()]), found["number"].lower()
        columns = _measures(one.table, unit[0]) if unit else []
        held = unit_of_column(columns[0]) if len(columns) == 1 else None
        if unit is None or held is None or held == unit:
            return found[0]
        amount = ONES.index(number) if number in ONES else 1 if number.startswith("a") else float(number)
        return f"{found['before']}{amount * unit[1] / held[1]:g} {columns[0].name}"

    if not _PER.search(one.question):
        one.put(_BOUND, converted)


def _paced(one: Rewording) -> None:
    """Pace and speed, from a distance and a time; the fastest of several distances by its pace."""
    distances, times = _measures(one.table, "length"), _measures(one.table, "time")
    distances = [c for c in distances if (unit_of_column(c) or ("", 0))[1] >= 1] or distances  # not metres of climb
    if len(distances) != 1 or len(times) != 1 or one.says("pace", "speed"):
        return
    distance, taken = distances[0], times[0]
    is_pace = _PACE.search(one.question) or (_QUICKEST.search(one.question) and len(set(distance.present)) > 1)
    if _SPEED.search(one.question):
        quickest = _QUICKEST.search(one.question)
        _ratio(one, "speed", distance, taken, 60, "per hour")
        said = iter(["" if quickest else "speed"])
        one.put(_SPEED, lambda _: next(said, ""))
    elif is_pace:
        _ratio(one, "pace", taken, distance, 1, f"in minutes per {distance.measured_words[-1]}")
        quickest = _QUICKEST.search(one.question)
        said = iter(["" if quickest else "pace"])
        one.put(_PACE, lambda _: next(said, ""))
        one.put(_EACH_ROW, "")


def _ratio(one: Rewording, name: str, top: Column, bottom: Column, unit: float, in_words: str) -> None:
    """Adds a column divided by another, which is in so many of the wanted unit."""
    is_rate = name in ("speed", "pace")
    size, scale = ((unit_of_column(column) or ("", 1.0))[1] for column in (bottom, top))
    factor = unit * (scale if is_rate else 1) / size
    tops = [None if value is None else value * factor for value in top.values]
    pairs = zip(tops, bottom.values, strict=True)
    values = [None if None in pair or not pair[1] else pair[0] / pair[1] for pair in pairs]
    cells = ["" if value is None else f"{value:.4g}" for value in values]
    prefix, suffix = ("", "") if is_rate else (top.prefix, top.suffix)
    one.add(Column(name, "number", cells, values, prefix, suffix, computed=True, ratio=(tops, bottom.values)))
    one.note_computed(name, f"{top.name} divided by {bottom.name}{f', {in_words}' if in_words else ''}")


def _per_unit(one: Rewording) -> None:
    """ "the rent per square metre", "the cheapest per kilo": a column divided by that of the unit."""
    found = _PER.search(one.question)
    unit = unit_of([found["unit"].lower()]) if found else None
    is_dated = unit is not None and unit[0] == "time" and sum(c.type == "date" for c in one.table.columns) == 1
    if found and is_dated:  # "hours a day", of a table with a day for each row
        one.put(_PER, f"per {found['unit'].lower()}")
    is_named = found and any(c.type == "text" and found["unit"].lower() in c.words for c in one.table.columns)
    if found is None or unit is None or is_dated or is_named:
        return
    ready = [c for c in one.table.columns if c.is_measure and unit_of(c.words[len(c.measured_words) + 1 :]) == unit]
    ready = ready or [c for c in one.table.columns if c.is_measure and c.is_intensive and unit_of(c.words) == unit]
    if len(ready) == 1:  # "the dearest per kilo", of a price per kg, or "a day", of a day rate
        one.put(_PER, "")
        return
    bottoms = _measures(one.table, unit[0])
    if not bottoms and unit[0] == "time" and (lasted := _duration(one.table)):
        bottoms = [lasted[0]]  # "per day", of a trip from its dates
    tops = _asked(one, found, bottoms)
    if len(bottoms) != 1 or len(tops) != 1:
        return
    (top,), (bottom,) = tops, bottoms
    one.put(_PER, "")
    name = f"{' '.join(top.measured_words)} per {found['unit'].lower()}"
    _ratio(one, name, top, bottom, unit[1], f"per {found['unit'].lower()}")
    one.table = replace(one.table, columns=tuple(c for c in one.table.columns if c is not top))


def _per_column(one: Rewording) -> None:
    """ "Goals per game", of the columns goals and games."""
    given = [column for column in one.table.columns if column.is_measure and not column.computed]
    if len(given) < sum(column.is_measure for column in one.table.columns):
        return  # what there is per unit stands in a column of its own already
    for found in _ONE_PER_OTHER.finditer(one.question):
        tops, bottoms = ([c for c in given if set(map(stem, c.words)) == {stem(found[at].lower())}] for at in (1, 2))
        if len(tops) == len(bottoms) == 1 and tops != bottoms:
            if _names_groups(bottoms[0]):
                one.put(_ONE_PER_OTHER, f"sum of {tops[0].name} for each {bottoms[0].name}")
                return
            name = f"{tops[0].name} per {found[2].lower()}"
            _ratio(one, name, tops[0], bottoms[0], 1, "")
            return


def _names_groups(column: Column) -> bool:
    """Whether the numbers of a column name groups of rows, as wards have numbers: whole ones that come again, below a
    head in the singular.
    """
    is_whole = all(value == int(value) for value in column.present)
    return is_whole and not column.is_unique and not column.words[-1].endswith("s") and unit_of_column(column) is None


def _asked(one: Rewording, found: re.Match[str], without: list[Column]) -> list[Column]:
    """The columns with numbers that a question is about beside its "per": named, or by an adjective or a verb."""
    words = [token.lower for token in tokens_of(f"{one.question[: found.start()]} {one.question[found.end() :]}")]
    measures = [column for column in one.table.columns if column.is_measure and column not in without]
    named = [c for c in measures if any(related(word, name) for word in words for name in c.measured_words)]
    if named:
        return named
    verbs = {*words, *map(stem, words)}
    asked = [dimension for dimension in DIMENSIONS if verbs & set(dimension.verbs)]
    asked += [dimension for word in words for dimension, _, _ in adjectives().get(word, ())]
    held = [column for dimension in asked for column in holding(one.table, dimension)[0] if column in measures]
    return list(dict.fromkeys(held)) or (measures if len(measures) == 1 else [])


def _lasted(one: Rewording) -> None:
    """How long something took, of the dates or times of day of its beginning and end."""
    if not _LASTED.search(one.question) or _measures(one.table, "time") or _measures(one.table, "length"):
        return
    if (found := _duration(one.table)) is None:
        return
    duration, pair = found
    unit = duration.suffix.strip()
    one.add(duration)
    one.note_computed("The duration", f"from {pair[0].name} to {pair[1].name}")
    names = {word for column in pair for word in column.words}
    said = _FROM_TO.search(one.question)
    if said and all(any(word[:3].lower() == name[:3] for name in names) for word in (said["first"], said["last"])):
        one.put(_FROM_TO, "")
    one.put(re.compile(rf"\bhow many {unit}\b", re.I), "duration of")
    one.put(re.compile(r"\b(?:took|takes|take) (?:the )?(?=longest|shortest)", re.I), "is the ")
    one.put(re.compile(r"\bgo(?:es)? on(?: for)?\b|\bdid (?=.*\bneed)", re.I), "")
    one.put(re.compile(r"\b(?:need|needed|needs)\b(?= *\W*$)", re.I), "have")


def _duration(table: TypedTable) -> tuple[Column, Sequence[Column]] | None:
    """How long each row took, in days or minutes, and the columns of its beginning and end."""
    dates = [c for c in table.columns if c.type == "date" and c.present]
    dates = [c for c in dates if not PLANNED & c.senses] if len(dates) > 2 else dates
    pair, unit = (dates, "days") if len(dates) == 2 else (_clocks(table), "minutes")
    if len(pair) != 2:
        return None
    if unit == "days":
        spans = [None if None in two else (two[1] - two[0]).days for two in zip(*(c.values for c in pair), strict=True)]
    else:
        times = zip(*([_minutes(cell) for cell in column.cells] for column in pair), strict=True)
        spans = [None if begin is None or end is None else end - begin for begin, end in times]
    values = [None if span is None else float(span) for span in spans]
    if any(value is not None and value < 0 for value in values):
        return None
    cells = ["" if value is None else f"{value:g}" for value in values]
    return Column("duration", "number", cells, values, suffix=f" {unit}", computed=True), pair


def _clocks(table: TypedTable) -> list[Column]:
    """The columns of texts that hold times of day and nothing else."""
    texts = [column for column in table.columns if column.type == "text" and column.present]
    return [column for column in texts if all(_minutes(cell) is not None for cell in column.distinct)]


def _minutes(cell: str) -> int | None:
    """The minutes of a day until a time."""
    found = _CLOCK.fullmatch(cell.strip())
    return int(found[1]) * 60 + int(found[2]) if found and int(found[1]) < 25 and int(found[2]) < 60 else None


def _in_unit(one: Rewording) -> None:
    """ "How many hours", of minutes."""
    found = _IN_UNIT.search(one.question)
    unit = unit_of([found["unit"].lower()]) if found else None
    if found is None or unit is None or one.says(found["unit"], stem(found["unit"])):
        return
    columns = [column for column in _measures(one.table, unit[0]) if unit_of_column(column) != unit]
    if len(columns) != 1:
        return
    (column,), scale = columns, (unit_of_column(columns[0]) or unit)[1] / unit[1]
    name = f"{'time' if unit[0] == 'time' else unit[0]} in {found['unit'].lower()}"
    values = [None if value is None else value * scale for value in column.values]
    one.add(Column(name, "number", [f"{v:.4g}" if v is not None else "" for v in values], values, computed=True))
    one.note_computed(name, f"{column.name} {f'times {scale:g}' if scale >= 1 else f'divided by {1 / scale:g}'}")
    is_mean = re.search(r"\b(?:average|mean)\b", one.question, re.I)
    one.put(_IN_UNIT, name if is_mean else f"total {name}")
    one.put(_ALTOGETHER, "")


def _at_times(one: Rewording) -> None:
    """What begins first, and what is on in the morning, of times of day; what was sown last, of dates."""
    clocks = _clocks(one.table)
    for column in clocks if _FIRST.search(one.question) or _DAYTIME.search(one.question) else ():
        values = [None if (at := _minutes(cell)) is None else float(at) for cell in column.cells]
        timed = replace(column, type="number", values=values, clock=True)
        one.table = replace(one.table, columns=tuple(timed if c is column else c for c in one.table.columns))
    for column in clocks:
        verb = _BASES.get(column.words[0], column.words[0])
        rest = "".join(rf"(?: {re.escape(word)})?" for word in column.words[1:])
        asked = rf"\b(?:what time|when) (?:did|do|does) (?:the )?\w+ {re.escape(verb)}\b{rest}"
        one.put(re.compile(asked, re.I), f"what is {column.name}")
    if (found := _DAYTIME.search(one.question)) and clocks and not one.says(found["part"]):
        (low, high), begin = _DAYTIMES[found["part"].lower()], clocks[0].name
        one.filters.append((Filter(begin, "between", (low * 60.0, high * 60.0 - 1)),))
        one.notes.append(f"I took “{found[0]}” to mean {begin} from {low}:00 to {high}:00.")
        one.put(_DAYTIME, "")
        one.put(re.compile(r"^(what|who)(?:'s| is| are) on\b", re.I), "which ones are there")
    found = _FIRST.search(one.question)
    told = [c for c in one.table.columns if c.type == "date" or c.clock]
    verb = stem(found["verb"].lower()) if found else ""
    held = [c for c in told if found and any(related(verb, word) or word.startswith(verb) for word in c.words)]
    if found and len(held) == 1:
        is_first = found["end"].lower() in ("first", "earliest", "soonest")
        one.put(_FIRST, f"has the {'lowest' if is_first else 'highest'} {held[0].name}")
