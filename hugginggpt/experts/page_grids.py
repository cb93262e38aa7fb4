"""Timetables and price lists on a page: rows with a name and several values of a kind, below the names of the columns.

A cell answers a question that names its row and its column: by the column's head, by another value in it ("I get on at
the Hospital at 8:24"), or as the first or last. Where nothing tells which column is meant, the row as a whole is the
answer, and so it is where a word of the question is not understood; where a condition cannot be found on the page,
nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from hugginggpt.experts import grammar
from hugginggpt.experts.ocr import Line

MIN_COLUMNS = 2
EMPTY = "no entry"
KINDS: dict[str, re.Pattern[str]] = {
    "time": re.compile(r"\d{1,2}[:.]\d\d(?:\s?[ap]m)?|[-–—]+", re.IGNORECASE),
    "money": re.compile(
        r"(?:[$€£¥]\s?\d+(?:[.,]\d\d)?|\d+[.,]\d\d|\d+(?:[.,]\d\d)?\s?(?:[$€£¥]|EUR|USD|GBP|CHF))|[-–—]+"
    ),
}
"""What all cells of a row are; a dash is an empty one. Those of an invoice hold numbers of pieces, too."""
_WORDS = re.compile(r"[a-z]+|\d+(?:[:.]\d\d)?")
_FIRST, _LAST = frozenset(["first", "earliest"]), frozenset(["last", "latest", "final"])
_BOUNDS = frozenset(["after", "before", "next", "between", "by", "until", "till", "past"])
_WEEK = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
_PARTS = frozenset(["morning", "afternoon", "evening", "noon", "midnight", "winter", "spring", "summer", "autumn"])
_NAMED_DAYS = frozenset(["today", "tonight", "tomorrow", "yesterday", "christmas", "easter"])
_MONTHS = frozenset(["january", "february", "march", "april", "june", "july", "august", "september"]) | frozenset(
    ["october", "november", "december"]  # "may" is a verb, too
)
_DAYS = _NAMED_DAYS | frozenset(
    f"{day}{plural}" for day in _WEEK | _PARTS | _MONTHS | {"weekday", "weekend", "holiday"} for plural in ("", "s")
)
_PLAIN = frozenset(
    [
        "time", "clock", "hour", "price", "cost", "fare", "fee", "ticket", "entry", "departure", "arrival",
        "ride", "trip", "bus", "train", "tram", "ferry", "boat", "coach", "stop", "station", "class", "timetable",
        "schedule", "list", "table", "page", "picture", "photo", "much", "many", "one",
        "connection", "am", "pm", "leave", "arrive", "depart",
    ]
)  # fmt: skip
"""Lemmas of what a timetable or price list is about: they limit nothing."""
_FROM_THE_END = re.compile(
    r"\b(?:last|latest|final)[ -]but\b|\b(?:next|second|third|fourth|fifth|\d+(?:nd|rd|th))[ -](?:to[ -])?(?:the[ -])?"
    r"(?:last|latest)\b|\bpenultimate\b",
    re.IGNORECASE,
)
_ORDINALS = {"first": "1st", "second": "2nd", "third": "3rd"}
_CLASS = re.compile(r"\b(first|second|third)(?=[ -]class\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Grid:
    """Rows of cells of a kind below each other ("2.40" may be of several); `heads` are the columns' names, () if they
    have none.
    """

    kinds: frozenset[str]
    heads: tuple[str, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def texts(self) -> frozenset[str]:
        """The cells and the columns' names."""
        return frozenset([*self.heads, *(cell for row in self.cells for cell in row)]) - {EMPTY}

    def misreads(self, name: str, value: str) -> bool:
        """Whether a pair is of a cell and what merely stands beside or above it: a guess at the column."""
        return value in self.texts and (not name or name in self.texts or name in self.names)

    def rows_named(self, question: str) -> list[int]:
        """The rows that a question names: by all their words, or by one that no other row has."""
        words, every = set(_words(question)), [set(_words(name)) for name in self.names]
        telling = [
            {word for word in name if len(word) > 3 and sum(word in other for other in every) == 1} for name in every
        ]
        named = [at for at, name in enumerate(every) if (name and name <= words) or telling[at] & words]
        others = {word for at in named for word in every[at]} | {word for head in self.heads for word in _words(head)}
        return [at for at in named if not _is_longer(every[at] & words, others, question)]


def grids(rows: Sequence[Sequence[Line]]) -> Iterator[Grid]:
    """The grids of a page, from top to bottom."""
    at = 0
    while at < len(rows):
        kinds = _kinds(rows[at])
        end = at + 1
        while kinds and end < len(rows) and kinds & _kinds(rows[end]):
            kinds &= _kinds(rows[end])
            end += 1
        if kinds and end - at > 1:
            yield _grid(kinds, rows[at - 1] if at else (), rows[at:end])
        at = end


def _grid(kinds: frozenset[str], above: Sequence[Line], rows: Sequence[Sequence[Line]]) -> Grid:
    """The grid of some rows; a cell belongs to the nearest column of the widest row, as empty cells are not read."""
    columns = [line.middle for line in max(rows, key=len)[1:]]
    cells = []
    for row in rows:
        placed = dict.fromkeys(range(len(columns)), EMPTY)
        for line in row[1:]:
            nearest = min(placed, key=lambda at: abs(columns[at] - line.middle))
            placed[nearest] = line.text if _is_filled(line.text) else EMPTY
        cells.append(tuple(placed.values()))
    is_head = len(above) in (len(columns), len(columns) + 1) and not any(_is_cell(line.text) for line in above)
    heads = tuple(line.text for line in above[-len(columns) :]) if is_head else ()
    return Grid(kinds, heads, tuple(row[0].text for row in rows), tuple(cells))


def _is_cell(text: str) -> bool:
    return any(form.fullmatch(text.strip()) for form in KINDS.values())


def _is_filled(text: str) -> bool:
    return any(map(str.isalnum, text))


def _kinds(row: Sequence[Line]) -> frozenset[str]:
    """The kinds that all cells of a row behind its name are of; none for a row of another shape."""
    if len(row) <= MIN_COLUMNS or not re.search(r"[A-Za-z]{2}", row[0].text):
        return frozenset()
    return frozenset(kind for kind, form in KINDS.items() if all(form.fullmatch(line.text.strip()) for line in row[1:]))


def names_an_end(question: str) -> bool:
    """Whether a question asks for the first or last of several."""
    return not (_FIRST | _LAST).isdisjoint(_words(question)) or bool(_FROM_THE_END.search(question))


def looked_up(question: str, grid: Grid) -> tuple[str, str] | None:
    """(value, what it was found by) for a question that names a row of a grid; None where the column that it means
    cannot be told, or it names no row.
    """
    question = _CLASS.sub(lambda match: _ORDINALS[match[0].lower()], question)
    words, named = _words(question), grid.rows_named(question)
    heads = [_head_words(head) for head in grid.heads]
    told = {word for at in named for word in _words(grid.names[at])}.union(*heads)
    conditions = {word for word in words if word[0].isdigit()} - _numbers(grid, named)
    at_head = {at for at, head in enumerate(heads) if head <= set(words)}
    conditions -= {word for at in at_head for word in heads[at]}
    every = range(len(grid.cells[0]))
    held = {(row, at) for row in named for at in every if _clock(grid.cells[row][at]) in set(map(_clock, words))}
    conditions -= {word for word in conditions if any(_clock(grid.cells[row][at]) == _clock(word) for row, at in held)}
    unread = conditions or set(words) & (_BOUNDS | _DAYS) - told or _FROM_THE_END.search(question)
    asked = [row for row in named if row not in {one for one, _ in held}] or named
    if len(asked) != 1 or unread:
        return None
    if _limiting(question, told):
        return _told(grid, asked[0], every, ())
    columns = _meant(grid.cells[asked[0]], set(words), at_head, {at for _, at in held})
    if not columns:
        return None
    if (asked[0], columns[0]) in held and not at_head:  # the time is given: which one it is was asked
        entry = _told(grid, asked[0], columns, ())[1]
        return (", ".join(grid.heads[at] for at in columns), entry) if heads else None
    return _told(grid, asked[0], columns, held)


def _meant(cells: Sequence[str], words: Collection[str], at_head: set[int], held: set[int]) -> list[int]:
    """The columns of a row that its question means; all where it says nothing of them."""
    columns = [at for at in range(len(cells)) if at in (at_head or {at}) and at in (held or {at})]
    first, last = bool(_FIRST & set(words)), bool(_LAST & set(words))
    if first == last:
        return columns
    filled = [at for at in columns if cells[at] != EMPTY] or columns
    return filled[:1] if first else filled[-1:]


def _limiting(question: str, told: Collection[str]) -> set[str]:
    """The nouns, adjectives and number words of a question that are neither in the grid nor plain: each may be a
    condition, "the express bus".
    """
    known = {*told, *_FIRST, *_LAST}
    return {
        word.lower
        for word in grammar.words(question)
        if word.tag.startswith(("NN", "JJ", "CD")) and word.lower.isalpha() and not _is_known(word, known)
    }


def _is_known(word: grammar.Word, known: Collection[str]) -> bool:
    return not _PLAIN.isdisjoint((word.lower, word.lemma)) or word.lower in known or word.lemma in known


def _is_longer(name: Collection[str], others: Collection[str], question: str) -> bool:
    """Whether words of a row stand in a question only as a part of a longer name: "Mill Street" is not the Old Mill."""
    spoken, longer = grammar.words(question), []
    for at, word in enumerate(spoken):
        if word.lower in name:
            near = [(one, to) for one, to in ((at - 1, at), (at + 1, at)) if 0 <= one < len(spoken)]
            longer.append(any(_is_of_name(spoken, one, to, others, question) for one, to in near))
    return bool(longer) and all(longer)


def _is_of_name(spoken: Sequence[grammar.Word], at: int, to: int, others: Collection[str], question: str) -> bool:
    """Whether a word beside one of a row's name belongs to a name with it: with a capital, a noun or an adjective."""
    word, (left, right) = spoken[at], sorted((spoken[at], spoken[to]), key=lambda one: one.start)
    if not word.lower.isalpha() or question[left.end : right.start].strip() or _is_known(word, others):
        return False
    begins = at == 0 or spoken[at - 1].lower in ".?!"
    is_capital = question[word.start].isupper() and not begins
    return is_capital or (word.tag.startswith(("NN", "JJ")) and not {word.lower} & (_FIRST | _LAST | _DAYS))


def _told(grid: Grid, row: int, columns: Sequence[int], held: Collection[tuple[int, int]]) -> tuple[str, str]:
    cells = [f"{grid.heads[at]} {grid.cells[row][at]}" if grid.heads else grid.cells[row][at] for at in columns]
    if len(columns) > 1:
        return ", ".join(cells), f"{grid.names[row]}: {', '.join(cells)}"
    by = [f"{grid.names[one]} {grid.cells[one][at]}" for one, at in sorted(held) if at in columns and one != row]
    return grid.cells[row][columns[0]], "; ".join([f"{grid.names[row]} {cells[0]}", *by])


def _numbers(grid: Grid, named: Collection[int]) -> set[str]:
    return {word for at in named for word in _words(grid.names[at]) if word[0].isdigit()}


def _head_words(head: str) -> set[str]:
    """The words of a column's name, "first" as 1st."""
    return set(_words(re.sub(r"[a-z]+", lambda match: _ORDINALS.get(match[0], match[0]), head.lower())))


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())


def _clock(text: str) -> str:
    """A time as 8:05 is written with two digits for the hour: 08:05; other texts as they are."""
    match = re.fullmatch(r"(\d{1,2})[:.](\d\d)", text.strip())
    return f"{int(match[1]):02d}:{match[2]}" if match else text.strip().lower()
