"""Answers about the values of a column, each with all its rows: those within a bound, those without a fitting row, and
the mean of their sums.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

MAX_SHOWN = 12
_WORDS = {"<": "below", "<=": "of at most", ">": "above", ">=": "of at least"}
_COUNTS = {"<": "fewer than", "<=": "at most", ">": "more than", ">=": "at least"}
_FITS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
Entry = tuple[str, float]
"""A value of the group's column and what was computed of its rows."""


def held(
    group: str, what: str, entries: Sequence[Entry], having: tuple[str, float], show: Callable[[float], str]
) -> dict[str, Any]:
    """The answer for the values whose number is within a bound, a relation and a number; `what` says what it is."""
    sign, bound = having
    fitting = [(name, value) for name, value in entries if _FITS[sign](value, bound)]
    of = f"a {what} {_WORDS[sign]} {show(bound)}" if what.startswith("sum") else f"{_COUNTS[sign]} {show(bound)} {what}"
    listed = "; ".join(f"{name}: {show(value)}" for name, value in (fitting or entries)[:MAX_SHOWN])
    if fitting:
        names = [name for name, _ in fitting]
        number = f"{len(fitting)} of {len(entries)} by {group}"
        answer = f"{in_a_row(names[:MAX_SHOWN])} {'has' if len(names) == 1 else 'have'} {of} ({number}: {listed})."
    else:
        answer = f"No {group} has {of} ({listed})."
    return {
        "answer": answer,
        "cells": [name for name, _ in fitting],
        "columns": [group, what],
        "rows": [[name, show(value)] for name, value in fitting],
    }


def without(group: str, names: Sequence[str], others: Sequence[str], where: str) -> dict[str, Any]:
    """The answer for the values of which no row fits a condition: `others` have one."""
    beside = f" ({in_a_row(others[:MAX_SHOWN])} {'has' if len(others) == 1 else 'have'} one)" if others else ""
    if not names:
        return {"answer": f"Each {group} has a row{where}{beside}.", "cells": []}
    shown = in_a_row(names[:MAX_SHOWN])
    answer = f"{shown} {'has' if len(names) == 1 else 'have'} no row{where}{beside}."
    return {"answer": answer, "cells": list(names), "columns": [group], "rows": [[name] for name in names]}


def averaged(
    group: str, what: str, entries: Sequence[Entry], where: str, show: Callable[[float], str]
) -> dict[str, Any]:
    """The answer for the mean of the sums of each value."""
    mean = sum(value for _, value in entries) / len(entries)
    listed = "; ".join(f"{name}: {show(value)}" for name, value in entries[:MAX_SHOWN])
    more = " …" if len(entries) > MAX_SHOWN else ""
    return {
        "answer": f"{show(mean)}: the average {what} per {group}{where}, of {len(entries)} ({listed}{more}).",
        "cells": [show(mean)],
        "number": mean,
        "columns": [group, what],
        "rows": [[name, show(value)] for name, value in entries],
    }


def in_a_row(names: Sequence[str]) -> str:
    """Names as a sentence has them: "a, b and c"."""
    return "".join(names[:1]) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"
