"""Weekly plans, rotas and charts of medicines on a page: tables whose columns or rows are days, times or parts of the
day, of which a question means a cell, a column, or where something stands: "what is my third lesson on Wednesday?",
"which days do I have PE?", "what does she take at night?".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.experts import weeks
from hugginggpt.experts.ocr import Line

MIN_SLOTS, MIN_ROWS, MIN_HEADS = 2, 2, 3
MAX_APART = 4.0
"""So many times its height a row may stand below the one before."""
_CLOCK = re.compile(r"(?<!\d)(?:[01]?\d|2[0-4])[:.h][0-5]\d(?!\d)")
_SPAN = re.compile(r"\s*(?:-|–|—|to|bis|à|a)\s*")


@dataclass(frozen=True, slots=True)
class Board:
    """A table: the heads of its columns and the names of its rows, which are joined where a row has several before the
    first slot ("Metformin 500 mg"); "" for an empty cell.
    """

    heads: tuple[str, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def turned(self) -> Board:
        """The same with its rows as columns."""
        return Board(self.names, self.heads, tuple(zip(*self.cells, strict=True)))


def is_slot(text: str) -> bool:
    """Whether a head names a day, a part of the day or a time."""
    return weeks.is_of_week(text) or (bool(_CLOCK.search(text)) and not re.search(r"[^\W\d_]{4}", text))


def boards(rows: Sequence[Sequence[Line]]) -> Iterator[Board]:
    """The boards of a page, from top to bottom; one with its slots beside the rows is turned."""
    at = 0
    while at < len(rows):
        heads = _split(rows[at])
        end = _end(rows, at, heads) if len(heads) >= MIN_SLOTS else at
        board = _below(heads, rows[at + 1 : end]) if end - at > MIN_ROWS else None
        if board is not None and len(board.names) >= MIN_ROWS and board.heads:
            yield board
            at = end
        else:
            at += 1


def _below(heads: Sequence[Line], rows: Sequence[Sequence[Line]]) -> Board | None:
    slots = [line for line in heads if is_slot(line.text)]
    if len(slots) >= MIN_SLOTS:
        cells = rows[0][len(rows[0]) > len(slots) :]
        is_of_times = all(_CLOCK.search(line.text) for line in (*slots, *cells))  # departures, without heads
        return None if is_of_times else _board(heads, rows)
    board = _board(heads, rows, beside=True) if not slots else None
    return board.turned if board and board.names and all(map(is_slot, board.names)) else None


def _split(row: Sequence[Line]) -> list[Line]:
    """A row of heads; days that were read as one text stand apart."""
    found: list[Line] = []
    for line in row:
        words = line.text.split()
        is_several = len(words) >= MIN_SLOTS and all(len(weeks.days_in(word, is_head=True)) == 1 for word in words)
        found += _words_of(line) if is_several else [line]
    return found


def _words_of(line: Line) -> list[Line]:
    """The words of a line, each with its place in it by its letters."""
    width = (line.right - line.left) / max(1, len(line.text))
    return [
        Line(match[0], line.left + width * match.start(), line.top, line.left + width * match.end(), line.bottom)
        for match in re.finditer(r"\S+", line.text)
    ]


def _end(rows: Sequence[Sequence[Line]], at: int, heads: Sequence[Line]) -> int:
    """Where the rows below some heads end: at one that stands far below, or that is a sentence."""
    end, bottom = at + 1, max(line.bottom for line in rows[at])
    while end < len(rows):
        row = rows[end]
        is_far = row[0].top - bottom > MAX_APART * row[0].height
        is_text = len(row) == 1 and len(row[0].text.split()) > 4
        is_head = len({line.text for line in row if weeks.is_of_week(line.text)}) >= max(MIN_HEADS, len(heads) - 1)
        if is_far or is_text or is_head:
            break
        bottom = max(line.bottom for line in row)
        end += 1
    return end


def _board(heads: Sequence[Line], rows: Sequence[Sequence[Line]], *, beside: bool = False) -> Board:
    """The board below some heads: what stands before the first slot names the rows; `beside` only the first column."""
    lefts = [at for at, line in enumerate(heads) if is_slot(line.text)]
    first = 1 if beside else lefts[0]
    columns = list(heads[first:])
    names: list[str] = []
    cells: list[list[str]] = []
    bottom = 0.0
    for row in rows:
        placed: list[list[str]] = [[] for _ in columns]
        named: list[str] = []
        for line in (word for each in row for word in _apart(each, columns)):
            column = _column(line, heads, columns)
            (named if column is None else placed[column]).append(line.text)
        told = [" ".join(own) for own in placed]
        if not named and names and row[0].top - bottom < 0.9 * row[0].height:  # it goes on below the row before
            cells[-1] = [" ".join(filter(None, pair)) for pair in zip(cells[-1], told, strict=True)]
        elif any(told) and (named or first == 0):
            names.append(" ".join(named))
            cells.append(told)
        bottom = max(line.bottom for line in row)
    return Board(tuple(line.text for line in columns), tuple(names), tuple(map(tuple, cells)))


def _apart(line: Line, columns: Sequence[Line]) -> list[Line]:
    """A line, or its words where it lies below several columns."""
    below = [each for each in columns if line.left < each.middle < line.right]
    return _words_of(line) if len(below) > 1 and len(line.text.split()) >= len(below) else [line]


def _column(line: Line, heads: Sequence[Line], columns: Sequence[Line]) -> int | None:
    """The column that a cell stands in; None for what names the row."""
    first = columns[0]
    gap = min((other.left - each.right for each, other in itertools.pairwise(heads)), default=0.0)
    is_left = line.middle < first.left - max(0.0, gap) / 2 and line.left < first.left - line.height / 2
    if is_left and (len(heads) > len(columns) or line.right < first.left):
        before = heads[: len(heads) - len(columns)]
        if not before or min(each.offset(line) for each in before) <= first.offset(line):
            return None
    return min(range(len(columns)), key=lambda at: columns[at].offset(line))


def times_of(name: str) -> list[int]:
    """The times in the name of a row, in minutes: when it begins and ends."""
    return [60 * int(hour) + int(minute) for hour, minute in re.findall(r"(\d{1,2})[:.h](\d\d)", name)]


def filled(cell: str, blank: Collection[str]) -> bool:
    return bool(cell.strip()) and cell.strip().lower() not in blank
