"""Who won and who came second or last, and how far behind the winner somebody was, of a table of results."""

from __future__ import annotations

import re

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_units import unit_of_column
from hugginggpt.experts.table_words import ORDINALS

_PLACE = frozenset(["place", "rank", "position", "pos", "platz", "rang", "puesto", "posición", "classement", "名次"])
_POINTS = frozenset(["points", "score", "pts", "punkte", "puntos"])
_EVENT = (
    r"(?: (?:the|this|that|our))?(?: (?P<whose>[\w’']+))?? "
    r"(?:race|run|marathon|competition|contest|event|match|final|tournament|league|game|quiz|heat|cup|title)"
)
_WON = re.compile(
    rf"\b(?:won|(?:is|was|are) (?:the )?(?:winner|champion)s?(?: of)?)\b(?:{_EVENT}\b)?"
    r"(?! (?:the )?(?:most|more|how|\d))",
    re.I,
)
_ORDINALS = "|".join(ORDINALS)
_CAME = re.compile(
    rf"\b(?:came|come|finished|ended up|got|was)(?: in)?(?: the)? (?P<place>last|{_ORDINALS})(?: place)?\b"
    r"(?! (?:to|name|time|of|day|week|month|year))",
    re.I,
)
_WINNER = r"(?: (?:the )?(?:winner|leader|first|champion|best))?"
_BEHIND = re.compile(
    rf"\b(?:how (?:far|much|long|many \w+)|by how much)(?: time)? (?:behind{_WINNER} (?:was|is|did|were|finished)|"
    rf"(?:was|is|did|were) (?P<who>.+?) (?:finish(?:ed)? |come in )?(?:behind|slower than){_WINNER})\b",
    re.I,
)
_BETWEEN = re.compile(
    r"\b(?:what (?:was|is) the (?:gap|difference|distance|time)|how (?:much|far|long|many \w+)(?: time)?"
    r"(?: (?:was|is|were|are|lay) (?:there )?)?) (?:in time )?between (?:the )?(?:first|winner|fastest)(?: place)? "
    r"and (?:the )?(?:last|slowest)(?: place| one)?\b",
    re.I,
)
_WINNING_TIME = re.compile(r"\b(?:the )?(?:winning|best|fastest) time\b", re.I)
_HER_TIME = re.compile(r"\b(?:her|his|their|[\w’']+['’]s) (?:finishing |final )?time\b", re.I)
_WHO = re.compile(r"\b(?:who|which \w+|whose)\b", re.I)


def with_places(one: Rewording) -> None:
    """Puts questions for places of results in the words of the table; a winner has the first place, else the best
    time, else the most points.
    """
    place = one.column(_PLACE, lambda column: column.type == "number")
    best = place or _time(one.table) or one.column(_POINTS, lambda column: column.is_measure)
    if best is None or one.says("won", "winner", "wins"):
        return
    low, high = ("highest", "lowest") if best is not place and _POINTS & best.senses else ("lowest", "highest")
    if (time := _time(one.table)) and _are_different(one.table):
        _behind(one, time)
        one.put(_BETWEEN, f"the range of {time.name}")
        if not one.says("time"):
            one.put(_WINNING_TIME, f"the lowest {time.name}")
            one.put(_HER_TIME, lambda found: re.sub(r"time$", time.name, found[0], flags=re.I))
    if not _WHO.search(one.question):
        return
    first = f"{place.name} 1" if place else f"the {low} {best.name}"
    one.put(_WON, lambda found: f"has {first} {_kept(one, found)}")
    has_dates = any(column.type == "date" for column in one.table.columns)
    if (found := _CAME.search(one.question)) and (place or not has_dates):
        nth = ORDINALS.get(found["place"].lower(), 0)
        if place:
            one.put(_CAME, f"has {place.name} {nth or int(max(place.present))}")
        elif nth <= 1:
            one.put(_CAME, f"has the {low if nth else high} {best.name}")


def _behind(one: Rewording, time: Column) -> None:
    """ "How many minutes behind was Lucy?": her time less the best one."""
    found = _BEHIND.search(one.question)
    if found is None or one.says("behind"):
        return
    first = min(time.present)
    values = [None if value is None else value - first for value in time.values]
    cells = ["" if value is None else f"{value:.10g}" for value in values]
    name = f"{time.name} behind the winner"
    one.add(Column(name, "number", cells, values, time.prefix, time.suffix, computed=True, seconds=time.seconds))
    one.put(_BEHIND, lambda found: f"what is the {name} of {found['who'] or ''}")


def _time(table: TypedTable) -> Column | None:
    """The only column of lengths of time."""
    times = [
        column
        for column in table.columns
        if column.is_measure
        and not column.computed
        and (column.seconds or (unit_of_column(column) or ("",))[0] == "time")
    ]
    return times[0] if len(times) == 1 else None


def _are_different(table: TypedTable) -> bool:
    """Whether each row is of somebody else, so that one of them is the first."""
    return all(column.is_unique for column in table.labels[:1])


def _kept(one: Rewording, found: re.Match[str]) -> str:
    """Whose race is meant, where the table knows that: "women", of a column for the sex."""
    whose = re.sub(r"['’]s?$", "", found["whose"] or "")
    return whose if whose and one.says(whose) else ""
