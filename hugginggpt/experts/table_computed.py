"""Columns that a question is about though the table has only what they are computed from.

What is left is a whole less its part (places and people enrolled, days of holiday and days taken), how full something
is their ratio; a pace or speed are computed from distances and times, hours from minutes. Each is added to the table,
with a note that says how, and the question is put in words for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_tokens import closeness
from hugginggpt.experts.table_words import stem

REMAINING, FULLNESS, PACE, SPEED, HOURS = "remaining", "percent full", "pace", "speed", "time in hours"
MIN_SIMILARITY = 0.6
"""How close in meaning a verb must be to a column of numbers, to be what it counts: "scored" and goals."""
_WHOLES = frozenset(
    ["allowed", "allowance", "entitlement", "total", "place", "seat", "space", "spot", "capacity",
     "budget", "holiday", "goal", "target", "quota", "year", "due", "available", "plätze", "plätz",
     "platz", "plaza", "urlaub", "congé", "kapazität"]
)  # fmt: skip
"""Stems of words of the columns that say how much there is altogether."""
_PARTS = frozenset(
    ["taken", "used", "booked", "sold", "spent", "registered", "signed", "enrolled", "enroled", "done",
     "read", "filled", "occupied", "reserved", "consumed", "inscrit", "inscrito", "belegt", "genommen",
     "gebucht", "réservé", "pris", "usado", "angemeldet"]
)  # fmt: skip
"""Stems of words of the columns that say how much of it is gone."""
_LEFT = re.compile(
    r"\b(?:still )?(?:(?:got|have|has|are|is|there) )?(?:still )?"
    r"(?:left|remaining|remains?|unused|untaken|free|available|to go)\b(?: over)?",
    re.I,
)
_MAYBE_LEFT = re.compile(r"\b(?:free|available)$", re.I)
"""What may as well mean that something costs nothing, or is there at all."""
_NONE_LEFT = re.compile(
    r"\b(?:(?:is|are|has|have|['’]s|been) )?(?:used up|booked (?:up|out)|sold out|full(?:y booked)?|maxed out|"
    r"out of (?:days|holidays?|leave|places|seats))\b(?: (?:all|every one of) (?:their|his|her|its|the))?"
    r"(?: (?:leave|holidays?|days|places|seats)\b)*(?: (?:yet|already))?",
    re.I,
)
_HOW_FULL = re.compile(r"\bhow full (?:is|are)\b|\b(?:the )?(?:fullest|best (?:booked|attended))\b", re.I)
_THINGS = re.compile(
    r"\b(?:annual |paid )?(?:days?|holidays?|leave|vacation|places?|seats?|spots?|spaces?|budget|money)\b"
    r"(?: (?:of )?(?:annual )?(?:holidays?|leave|vacation|days?|off))?",
    re.I,
)
_NOT_ANY = re.compile(
    r"\b(?:(?:has|have|had|did|does|do|is|are)(?:\s*n['’]?t| not| never)|never)\b(?: yet| ever)? (?P<verb>\w+)"
    r"(?: (?:a single|any(?:thing)?|one|even one)\b)?(?: (?:days?|holidays?|leave|thing|money|one)\b)*"
    r"(?: (?:off|yet|so far|at all)\b)*",
    re.I,
)
_DISTANCES = frozenset(["km", "kilometre", "kilometer", "distance", "mile", "miles", "k"])
_MINUTES = frozenset(["minute", "minutes", "min", "mins"])
_PACE = re.compile(r"\b(?:pace|minutes?(?: taken)? (?:per|a|for each) (?:k|km|kilomet\w+|miles?)|min ?/ ?km)\b", re.I)
_SPEED = re.compile(r"\b(?:speed|velocity)\b", re.I)
_SPEED_UNIT = re.compile(r"\b(?:in )?(?:km ?/ ?h|kmh|kph|mph|kilomet\w+ (?:an|per) hour)\b", re.I)
_QUICKEST = re.compile(r"\b(fastest|quickest|slowest)\b", re.I)
_EACH_ROW = re.compile(
    r"\b(?:for|of|on|per) ?(?:each|every|all)? ?(?:the )?(?:runs?|rides?|trips?|walks?|rows?|ones?)\W*$", re.I
)
_IN_HOURS = re.compile(r"\bhow many hours\b", re.I)


def with_computed(table: TypedTable, question: str) -> Rewording:
    """A question with its table, which has the columns that it needs computed."""
    one = Rewording(table, question)
    for step in (_left, _none, _paced, _in_hours):
        step(one)
    return one


def _left(one: Rewording) -> None:
    """What is left of a whole, and how full it is."""
    pair = _whole_and_part(one.table)
    if pair is None:
        return
    whole, part = pair
    if _HOW_FULL.search(one.question):
        _add(one, FULLNESS, whole, part, lambda total, used: 100 * used / total if total else None)
        one.notes.append(f"{FULLNESS} is {part.name} divided by {whole.name}.")
        is_most = re.search(r"\b(?:fullest|best)\b", one.question, re.I)
        one.put(_HOW_FULL, f"highest {FULLNESS}" if is_most else f"what is {FULLNESS} of")
        one.put(re.compile(r",? (?:in )?(?:percent|%)(?! full)", re.I), "")
        return
    is_gone = _NONE_LEFT.search(one.question)
    names = "|".join(re.escape(name) for name in sorted((whole.name, *whole.words), key=len, reverse=True))
    things = re.compile(rf"{_THINGS.pattern}|\b(?:{names})\b", re.I)
    is_left = _LEFT.search(one.question)
    if not is_gone and (not is_left or (_MAYBE_LEFT.search(is_left[0]) and not things.search(one.question))):
        return
    one.put(re.compile(r"\bstill\b", re.I), "")
    _add(one, REMAINING, whole, part, lambda total, used: total - used)
    one.notes.append(f"{REMAINING} is {whole.name} minus {part.name}.")
    if is_gone:
        one.put(_NONE_LEFT, f" have {REMAINING} at most 0")
        return
    one.put(_LEFT, " " if things.search(one.question) else REMAINING)
    one.put(re.compile(rf"(?:{things.pattern})", re.I), REMAINING)


def _whole_and_part(table: TypedTable) -> tuple[Column, Column] | None:
    """The column of a whole and that of its part, nowhere larger; None where there is no such pair, or a column that
    says what remains.
    """
    if any({"left", "remaining", "rest", "free"} & column.senses for column in table.columns):
        return None
    measures = [column for column in table.columns if column.is_measure]
    parts = [column for column in measures if _PARTS & {*column.words, *map(stem, column.words)}]
    if len(parts) != 1:
        return None
    wholes = [column for column in measures if column is not parts[0] and _WHOLES & set(map(stem, column.words))]
    if len(wholes) != 1 or parts[0].suffix != wholes[0].suffix or parts[0].prefix != wholes[0].prefix:
        return None
    pairs = zip(wholes[0].values, parts[0].values, strict=True)
    is_within = all(total >= used for total, used in pairs if None not in (total, used))
    return (wholes[0], parts[0]) if is_within else None


def _none(one: Rewording) -> None:
    """ "Who hasn't taken a day off?", beside a column of numbers with a 0: where it is 0."""
    found = _NOT_ANY.search(one.question)
    if found is None:
        return
    said = stem(found["verb"].lower())
    measures = [column for column in one.table.columns if column.is_measure]
    held = [column for column in measures if said in map(stem, column.words)]
    if not held and len(measures) > 1:
        nearness = closeness(said, [" ".join(column.words) for column in measures])
        held = [column for column, near in zip(measures, nearness, strict=True) if near >= MIN_SIMILARITY]
    if len(held) == 1 and min(held[0].present) >= 0 and not re.match(r" \d", one.question[found.end() :]):
        one.put(_NOT_ANY, f"has {held[0].name} at most 0", f"I took “{{said}}” to mean {held[0].name} 0.")


def _paced(one: Rewording) -> None:
    """Pace and speed, from a distance and minutes; the fastest of several distances by its pace."""
    distance = one.column(_DISTANCES, lambda column: column.is_measure)
    minutes = one.column(_MINUTES, lambda column: column.is_measure)
    if distance is None or minutes is None or one.says("pace", "speed", "fastest"):
        return
    if _SPEED.search(one.question) or _SPEED_UNIT.search(one.question):
        _add(one, SPEED, distance, minutes, lambda far, taken: far / taken * 60 if taken else None)
        one.notes.append(f"{SPEED} is {distance.name} divided by {minutes.name}, per hour.")
        quickest = _QUICKEST.search(one.question)
        is_named = one.put(_SPEED, "" if quickest else SPEED) or quickest
        one.put(_SPEED_UNIT, "" if is_named else SPEED)
        one.put(_QUICKEST, lambda said: f"{'lowest' if said[1].lower() == 'slowest' else 'highest'} {SPEED}")
        return
    quickest = _QUICKEST.search(one.question)
    if not _PACE.search(one.question) and not (quickest and len(set(distance.present)) > 1):
        return
    _add(one, PACE, minutes, distance, lambda taken, far: taken / far if far else None)
    one.notes.append(f"{PACE} is {minutes.name} divided by {distance.name}.")
    if quickest:
        one.put(re.compile(rf",? ?(?:in |by )?(?:{_PACE.pattern})", re.I), "")
        one.put(_QUICKEST, lambda said: f"{'highest' if said[1].lower() == 'slowest' else 'lowest'} {PACE}")
    else:
        one.put(_PACE, PACE)
        one.put(_EACH_ROW, "")


def _in_hours(one: Rewording) -> None:
    """ "How many hours", of minutes."""
    minutes = one.column(_MINUTES, lambda column: column.is_measure)
    if minutes and _IN_HOURS.search(one.question) and not one.says("hours", "hour"):
        cells = [None if value is None else value / 60 for value in minutes.values]
        _put(one, HOURS, cells)
        one.notes.append(f"{HOURS} is {minutes.name} divided by 60.")
        is_mean = re.search(r"\b(?:average|mean)\b", one.question, re.I)
        one.put(_IN_HOURS, HOURS if is_mean else f"total {HOURS}")
        one.put(re.compile(r"\b(?:in total|altogether|all together|overall)\b", re.I), "")


def _add(
    one: Rewording, name: str, first: Column, second: Column, computed: Callable[[float, float], float | None]
) -> None:
    pairs = zip(first.values, second.values, strict=True)
    _put(one, name, [None if None in pair else computed(*pair) for pair in pairs])


def _put(one: Rewording, name: str, values: list[float | None]) -> None:
    cells = ["" if value is None else f"{value:.4g}" for value in values]
    one.add(Column(name, "number", cells, values, computed=True))
