"""What the lines of a list come to that are measured alike: the kilometres of a week, the minutes of all pieces, the
square metres of all rooms, the pieces that came.

Each line counts by the only measure of the kind on it; where one has two, or a name is not on the list, nothing
is added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hugginggpt.experts import listed
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.stated_numbers import listed as words_of
from hugginggpt.experts.stated_numbers import pairs, says, spaced, value_of
from hugginggpt.experts.word_likeness import stem, stems_of

SQUARES, PIECES, MINUTES, HOURS = "m²", "pcs", "min", "h"
MAX_HEAD_WORDS = 6
_SQUARES = re.compile(
    r"(?<![\w.,])(\d+(?:[.,]\d+)?)\s?(?:m²|m2|sqm|qm|sq\.? ?m\b|square met(?:re|er)s?)", re.IGNORECASE
)
_MEASURED = re.compile(r"(?<![\w.,:/-])(?P<number>\d+(?:[.,]\d+)?)\s?(?P<unit>[^\W\d_]+)(?![\w²])")
_HOW_MANY = re.compile(
    r"\b(?:how (?:many|much|long|far|big|large)|whats?|wie ?viele?|wie lange|combien|cuánt[oa]s?|what|which|add|"
    r"sum)\b|多少",
    re.I,
)
_HOW_LONG = re.compile(r"\b(?:how long|wie lange|combien de temps|cuánto dura)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measured:
    """A line with the number that is measured on it."""

    line: str
    number: float
    written: str


def asked_sum(question: str, text: str) -> tuple[str, bool] | None:
    """What the lines that a question means come to, and whether it is sure that it means these; None where it asks for
    no such sum, or they do not tell.
    """
    if not _HOW_MANY.search(question):
        return None
    lines = listed.lines_of(text)
    heads = [at for at, line in enumerate(lines) if _is_head(line)]
    section = _section(question, lines, heads)
    if not section and not says(question, "sums"):
        return None
    unit = _unit_of(question, lines)
    if not unit:
        return None
    own = lines[section.start : section.stop] if section else lines
    found = _measured(own, unit)
    if found is None or len(found) < 2:
        return None
    totals = [one for one in found if listed.Record(_label(one.line), ()).is_sum]
    if totals:
        return (f"{totals[-1].written} (“{_plain(totals[-1].line)}”)", True) if len(totals) == 1 else None
    return _told(question, found, unit, lines[section.start - 1] if section else "")


def _told(question: str, found: Sequence[Measured], unit: str, head: str) -> tuple[str, bool] | None:
    chosen, is_sure = _meant(question, found, head)
    if len(chosen) < 2:
        return None
    shown = re.sub(r"^[\d.,]+\s*", "", chosen[0].written) or {PIECES: "pieces"}.get(unit, unit)
    whole = sum(one.number for one in chosen)
    terms = " + ".join(f"{one.number:g}" for one in chosen)
    left = [one for one in found if one not in chosen]
    without = f", without “{_plain(left[0].line)}”" if len(left) == 1 else ""
    below = f"; {head.strip(' :')}" if head else ""
    return f"{round(whole, 4):g} {shown} ({terms}{below}{without})", is_sure


def _is_head(line: str) -> bool:
    words = line.split()
    return len(words) <= MAX_HEAD_WORDS and not re.search(r"[.,;]", line) and not _MEASURED.search(line)


def _section(question: str, lines: Sequence[str], heads: Sequence[int]) -> range | None:
    """The lines below the only heading that a question names by all of its words."""
    asked = _with_numbers(question)
    named = [at for at in heads if (own := _words(lines[at])) and all(f" {word} " in asked for word in own)]
    if len(named) != 1:
        return None
    start = named[0] + 1
    return range(
        start, next((at for at in heads if at > named[0] and _is_like(lines[at], lines[named[0]])), len(lines))
    )


def _is_like(line: str, head: str) -> bool:
    """Whether a line heads a section of the same kind: "Week 2" after "Week 1"."""
    first, other = (one.lower().split(maxsplit=1)[0] for one in (line, head))
    return first == other or (line.endswith(":") and head.endswith(":"))


def _words(head: str) -> list[str]:
    return re.findall(r"\w+", head.lower())


def _with_numbers(question: str) -> str:
    """The words of a question, each number in digits: "the second week" -> "week 2"."""
    ordinals = pairs("ordinals")
    words = re.findall(r"\w+", question.lower())
    for at, word in enumerate(words[:-1]):
        if word in ordinals:
            words[at], words[at + 1] = words[at + 1], ordinals[word]
    numbers = [f"{value:g}" if (value := value_of(word)) is not None else word for word in words]
    return f" {' '.join(numbers)} "


def _unit_of(question: str, lines: Sequence[str]) -> str:
    """The measure that a question asks to be added up; "" for none."""
    if says(question, "squares") or re.search(r"\bm[²2](?!\w)|\bsize\b", question):
        return SQUARES
    measures = pairs("measures")
    named = next((measures[word] for word in spaced(question).split() if word in measures), "")
    if not named and _HOW_LONG.search(question):
        units = {measures.get(match["unit"].lower()) for line in lines for match in _MEASURED.finditer(line)}
        return next((unit for unit in (MINUTES, HOURS) if unit in units), "")
    return named


def _measured(lines: Sequence[str], unit: str) -> list[Measured] | None:
    """The lines with one measure of a kind each; None where a line has several."""
    if unit == PIECES and (found := _in_column(lines)):
        return found
    measures = pairs("measures")
    found = []
    for line in lines:
        if unit == SQUARES:
            values = [(listed.number_of(match[1]), match[0]) for match in _SQUARES.finditer(line)]
        else:
            values = [
                (listed.number_of(match["number"]), match[0])
                for match in _MEASURED.finditer(line)
                if measures.get(match["unit"].lower()) == unit
            ]
        if len(values) > 1 and unit != SQUARES:  # the rooms of a plan stand beside each other
            return None
        found += [Measured(line, number, written) for number, written in values]
    return found


def _in_column(lines: Sequence[str]) -> list[Measured]:
    """The lines of a table with one column of pieces, each with what stands in it."""
    found: list[Measured] = []
    head: list[str] = []
    column = -1
    for line in lines:
        cells = re.split(r"\s{2,}|\t|\s\|\s", line.strip())
        named = [at for at, cell in enumerate(cells) if cell.lower().strip(" .:") in words_of("column of pieces")]
        if len(named) == 1 and not re.search(r"\d", line):
            head, column = cells, named[0]
        elif head and len(cells) == len(head) and re.fullmatch(r"\d+", cells[column]):
            found.append(Measured(line, float(cells[column]), cells[column]))
    return found


def _meant(question: str, found: Sequence[Measured], head: str) -> tuple[list[Measured], bool]:
    """The lines that a question means: those that hold a noun of it which not all hold, without those that it leaves
    out; [] where a name in it stands on none of them. A break counts only where it is asked for.
    """
    known = stems_of(f"{head} {' '.join(one.line for one in found)}")
    chosen, is_sure = list(found), True
    breaks = [one for one in found if says(one.line, "interval")]
    if breaks and len(breaks) < len(found):
        is_named = says(question, "interval")
        if not (is_named and says(question, "with") and not says(question, "without")):
            chosen = [one for one in chosen if one not in breaks]
            is_sure = is_named or bool(
                re.search(r"\b(?:music|pieces?|songs?|works?|lessons?|talks?)\b", question.lower())
            )
    elif says(question, "without"):
        return [], False
    measures = pairs("measures")
    for token in parse(question, entities=False):
        own = stem(token.text)
        if token.pos_ not in ("NOUN", "PROPN") or token.lower_ in measures or says(token.text, "sums"):
            continue
        if says(token.text, "interval") or own in stems_of(head) or token.lower_ in _GENERIC:
            continue
        holding = [one for one in chosen if own in stems_of(one.line)]
        if holding and len(holding) < len(chosen):
            chosen = holding
        elif not holding and token.pos_ == "PROPN" and own not in known:
            return [], False
    return chosen, is_sure


_GENERIC = frozenset(
    [
        "week",
        "day",
        "plan",
        "list",
        "flat",
        "house",
        "room",
        "rooms",
        "size",
        "programme",
        "program",
        "concert",
        "evening",
    ]
)


def _label(line: str) -> str:
    return re.split(r"\s{2,}|[:\d]", line)[0].strip()


def _plain(line: str) -> str:
    return " ".join(line.split())
