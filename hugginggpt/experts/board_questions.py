"""What a question means of a weekly plan, a rota or a chart of medicines (`boards`): one cell, what stands in a column,
or where something stands. Where a word of the question is understood neither by the board nor by the page, nothing is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.documents import enumerated
from hugginggpt.experts import boards, opening_hours, timetables, weeks
from hugginggpt.experts.boards import Board
from hugginggpt.experts.ocr import Line
from hugginggpt.experts.written_language import function_word

LANGUAGES = ("en", "de", "fr", "es")
MAX_WORDS, MAX_TOLD, SAME, MIN_CODES, MIN_SHORT = 30, 14, 4, 2, 3
_WORD = re.compile(r"[\u3400-\u9fff]|(?:(?![\u3400-\u9fff])[^\W_])+(?:['’][^\W\d_]+)*")
_YES_NO = re.compile(
    r"\W*+(?:(?:and|so|ok|hi|hello|und|et|y)\W++)*+(?:do|does|is|are|has|have|am|will|can|hat|haben|habe|hab|gibt|ist|bekommt|nimmt|ai|a-t|"
    r"est-ce|avons|tengo|tiene|hay|toma)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|n't|nicht|kein\w*|without|except|ohne|sans|sin)\b|n['’]t\b|不", re.IGNORECASE)
_SHIFT = re.compile(r"\b(early|late|night|day|morning|afternoon|evening|früh|spät|nacht|matin|nuit|noche)(?=s?\b)")
_EARLIES = re.compile(r"\bearlies\b")
_OFF = re.compile(r"\b(?:off|frei|free|libre|repos|rest)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"\W*(?:and|what about|how about|ok and|und|et|y)\b|\W*那", re.IGNORECASE)
MAX_WORDS_ON = 12
_AT = re.compile(
    r"(?<![\d.,])(?:(?:at|um|à|a las|las|from)\s+)?(\d{1,2})"
    r"(?:[:.h](\d\d)|\s?(?:(am|pm)|o'?clock|uhr|h|heures|点))(?!\w)",
    re.I,
)


@cache
def _words() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "board_words.txt")


def _spaced(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower().replace('’', chr(39))))} "


def _says(question: str, kind: str) -> bool:
    return word_lists.holds(_spaced(question), _words()[kind])


def asked_for(question: str) -> bool:
    """Whether words ask for something that a weekly plan, a rota, a chart of medicines or a timetable says."""
    asks = bool(_YES_NO.match(question)) or any(
        _says(question, kind) for kind in ("which", "when", "days", "count", "who")
    )
    if goes_on(question):
        return True
    if not asks or len(question.split()) > MAX_WORDS:
        return False
    is_ordered = _is_ordered(question)
    return (
        bool(weeks.days_in(question))
        or _says(question, "days")
        or (is_ordered and (_says(question, "lessons") or _says(question, "rides")))
        or (_says(question, "medicines") and bool(weeks.parts_in(question)))
        or _of_shifts(question)
    )


def _of_shifts(question: str) -> bool:
    """Whether words ask how many shifts somebody has, who has them, or when somebody is off."""
    is_of_them = bool(_shifts(question) or _OFF.search(question))
    return is_of_them and any(_says(question, kind) for kind in ("count", "who", "when"))


def _shifts(question: str) -> list[str]:
    return _SHIFT.findall(_EARLIES.sub("early", question.lower()))


def _is_ordered(question: str) -> bool:
    """Whether words ask for the first, third or last of something."""
    ordinals = [pair.partition("=")[0] for pair in _words()["ordinals"]]
    return _says(question, "last") or word_lists.holds(_spaced(question), ordinals)


def goes_on(question: str) -> bool:
    """Whether words ask for another one of another day: "and the first one on Saturday morning?"."""
    is_further = _GOES_ON.match(question) is not None and len(question.split()) <= MAX_WORDS_ON
    return is_further and bool(weeks.days_in(question)) and _is_ordered(question)


def answer(question: str, rows: Sequence[Sequence[Line]]) -> str:
    """What a board of the page says to a question; "" where there is none, or it means something else."""
    question = re.sub(r"\b(?:[A-Za-z]\.){2,}", lambda match: match[0].replace(".", ""), question)  # "P.E."
    if len(question.split()) > MAX_WORDS:
        return ""
    page = " ".join(line.text for row in rows for line in row)
    return next((told for board in boards.boards(rows) if (told := _Asked(question, board, page).answer())), "")


@dataclass(frozen=True)
class _Asked:
    """A question to a board on a page with a text."""

    question: str
    board: Board
    page: str

    def answer(self) -> str:
        columns, lines = self._columns(), self._rows()
        if self._codes() or self._whole_shifts():  # "nights" is a shift, and no time
            columns = [at for at in columns if weeks.days_in(self.board.heads[at], is_head=True)]
        values = self._values()
        if not (columns or lines or values) or self._unknown() or _NOT.search(self.question):
            return ""
        if values:
            return self._places(values, columns, lines)
        if columns and not lines and (told := self._number_of(columns)):
            return told
        if self._number() is not None or _says(self.question, "ends") or _says(self.question, "starts"):
            return self._counted(columns, lines)
        if columns and lines:
            return self._crossing(columns, lines)
        asks = any(_says(self.question, kind) for kind in ("which", "who", *(("when", "days") if lines else ())))
        if (columns or lines) and (asks or _YES_NO.match(self.question)):
            return self._line(columns, lines)
        return ""

    def _number_of(self, columns: Sequence[int]) -> str:
        """How many there are in a column: the sum of its numbers, else of its lessons."""
        if not _says(self.question, "count") or len(columns) != 1:
            return ""
        found = self._lessons(columns[0])
        cells = [self.board.cells[row][columns[0]] for row in found]
        number = sum(map(int, cells)) if all(cell.isdigit() for cell in cells) else len(found)
        told = [self._entry(self.board.names[row], cell) for row, cell in zip(found, cells, strict=True)]
        return f"{number}: {'; '.join(told)}"

    def _columns(self) -> list[int]:
        """The columns that the question names: by their day or part of the day, or by their words."""
        return self._named(self.board.heads, is_head=True)

    def _rows(self) -> list[int]:
        """The rows that the question names, also by a time in their span."""
        named = self._named(self.board.names)
        return named or self._at_time(self.board.names)

    def _named(self, names: Sequence[str], *, is_head: bool = False) -> list[int]:
        days, parts = weeks.days_in(self.question), weeks.parts_in(self.question)
        if any(_says(self.question, kind) for kind in ("after", "before")) and _says(self.question, "pauses"):
            parts -= {"noon"}  # "after lunch"
        by_slot = [
            at
            for at, name in enumerate(names)
            if (days & weeks.days_in(name, is_head=True)) or (parts & weeks.parts_in(name))
        ]
        if is_head and not by_slot:  # "late sat"
            words = set(_spaced(self.question).split())
            by_slot = [at for at, name in enumerate(names) if len(name) >= MIN_SHORT and name.lower() in words]
        if by_slot or is_head:
            return by_slot or self._at_time(names)
        asked = set(_content(self.question))
        every = [set(_content(name)) for name in names]
        telling = [
            {word for word in own if not word[0].isdigit() and sum(_has(word, other) for other in every) == 1}
            for own in every
        ]
        wholly = [at for at, own in enumerate(every) if own and all(_has(word, asked) for word in own)]
        return wholly or [at for at, own in enumerate(telling) if any(_has(word, asked) for word in own)]

    def _at_time(self, names: Sequence[str]) -> list[int]:
        """Where the time stands that the question names: a span that holds it, or the time itself."""
        match = _AT.search(self.question)
        time = timetables.time_of(f"{match[1]}:{match[2] or '00'} {match[3] or ''}") if match else None
        if time is None:
            return []
        spans = [boards.times_of(name) for name in names]
        within = [at for at, span in enumerate(spans) if len(span) == 2 and span[0] <= time < span[1]]
        return within or [at for at, span in enumerate(spans) if span[:1] == [time]]

    def _values(self) -> list[tuple[int, int]]:
        """The cells (row and column) that hold a word of the question that names no row or column."""
        heads = [*self.board.heads, *self.board.names]
        asked = [word for word in _content(self.question) if not any(_has(word, _content(head)) for head in heads)]
        is_beside = any(_says(self.question, kind) for kind in ("after", "before"))
        asked = [
            word for word in asked if word not in _words()["plain"] and not (is_beside and word in _words()["pauses"])
        ]
        codes = self._codes() | self._whole_shifts()
        is_off = bool(_OFF.search(self.question)) and any(
            _OFF.fullmatch(cell) for row in self.board.cells for cell in row
        )
        return [
            (row, at)
            for row, cells in enumerate(self.board.cells)
            for at, cell in enumerate(cells)
            if any(_has(word, _content(cell)) for word in asked)
            or cell in codes
            or (is_off and (_OFF.fullmatch(cell) or not cell.strip()))
        ]

    def _codes(self) -> frozenset[str]:
        """The cells of a rota that stand for the shifts that the question names, by their first letters."""
        cells = {cell for row in self.board.cells for cell in row if cell.strip()}
        codes = {cell for cell in cells if len(cell) == 1 and cell.isupper()}
        if len(codes) < MIN_CODES:
            return frozenset()
        return frozenset(shift[0].upper() for shift in _shifts(self.question)) & codes

    def _whole_shifts(self) -> frozenset[str]:
        """The cells of a rota that are the shifts that the question names: "nights" of "Night"."""
        asked = set(_shifts(self.question))
        return frozenset(cell for row in self.board.cells for cell in row if cell.strip().lower().rstrip("s") in asked)

    def _unknown(self) -> bool:
        """Whether a word of the question stands neither on the board nor as a name on the page, and is no plain one."""
        board = " ".join([*self.board.heads, *self.board.names, *(cell for row in self.board.cells for cell in row)])
        known = set(_content(" ".join([board, *re.findall(r"\b[^\W\d_a-zß-ÿ][\w'-]*", self.page)])))
        return any(
            not _has(word, known) and word not in _words()["plain"] and not _is_told(word)
            for word in _content(weeks.without(self.question))
        )

    def _number(self) -> int | None:
        """Which one of several the question asks for, from 0; -1 for the last."""
        numbers = dict(pair.split("=") for pair in _words()["ordinals"])
        found = [int(number) for word, number in numbers.items() if word_lists.holds(_spaced(self.question), [word])]
        if found:
            return found[0] - 1
        return -1 if _says(self.question, "last") else None

    def _is_filled(self, row: int, at: int) -> bool:
        return boards.filled(self.board.cells[row][at], _words()["blank"])

    def _lessons(self, at: int) -> list[int]:
        """The rows that are filled in a column, without pauses."""
        return [
            row
            for row in range(len(self.board.names))
            if self._is_filled(row, at) and self.board.cells[row][at].lower() not in _words()["pauses"]
        ]

    def _counted(self, columns: Sequence[int], lines: Sequence[int]) -> str:
        """The third or last of a column, or when it begins or ends."""
        if len(columns) != 1 or lines or not (found := self._lessons(columns[0])):
            return ""
        number, at = self._number(), columns[0]
        if number is None:
            times = boards.times_of(
                self.board.names[found[0]] if _says(self.question, "starts") else self.board.names[found[-1]]
            )
            if not times or not _says(self.question, "when"):
                return ""
            row = found[0] if _says(self.question, "starts") else found[-1]
            time = times[0] if _says(self.question, "starts") else times[-1]
            return f"{opening_hours.written(time)} ({self.board.cells[row][at]}, {self.board.heads[at]})"
        if number >= len(found):
            return f"There are only {len(found)} on {self.board.heads[at]}."
        return self._cell(found[number], at)

    def _cell(self, row: int, at: int) -> str:
        cell = self.board.cells[row][at]
        told = cell if self._is_filled(row, at) or _OFF.fullmatch(cell) else "Nothing"
        return f"{told} ({', '.join(filter(None, (self.board.heads[at], self.board.names[row])))})"

    def _crossing(self, columns: Sequence[int], lines: Sequence[int]) -> str:
        if len(columns) * len(lines) > MAX_TOLD:
            return ""
        if _YES_NO.match(self.question):
            held = [(row, at) for row in lines for at in columns if self._is_filled(row, at)]
            if any(boards.times_of(self.board.cells[row][at]) for row, at in held) and self._names_time():
                return ""  # whether a time falls into these hours is for others
            where = ", ".join([*(self.board.names[row] for row in lines), *(self.board.heads[at] for at in columns)])
            return f"Yes: {'; '.join(self._cell(*place) for place in held)}" if held else f"No ({where})"
        return "; ".join(self._cell(row, at) for row in lines for at in columns)

    def _line(self, columns: Sequence[int], lines: Sequence[int]) -> str:
        """All that stands in a column, or beside a row."""
        if columns and len(columns) > 1 and len(columns) == len(self.board.heads):
            return ""
        told = []
        for at in columns:
            filled = [row for row in self._around_pause(at) if self._is_filled(row, at)]
            named = [self._entry(self.board.names[row], self.board.cells[row][at]) for row in filled]
            told.append((self.board.heads[at], named))
        for row in lines:
            filled = [at for at in range(len(self.board.heads)) if self._is_filled(row, at)]
            named = [self._entry(self.board.heads[at], self.board.cells[row][at]) for at in filled]
            told.append((self.board.names[row], named))
        told = [(head, named or ["nothing"]) for head, named in told]
        if len(told) == 1:
            is_so = "Yes: " if _YES_NO.match(self.question) else ""
            return is_so * (told[0][1] != ["nothing"]) + "; ".join(told[0][1])
        return "\n".join(f"{head}: {'; '.join(named)}" for head, named in told)

    def _around_pause(self, at: int) -> Sequence[int]:
        """The rows of a column; those behind or before a pause that the question names: "after lunch"."""
        every = range(len(self.board.names))
        if not any(_says(self.question, kind) for kind in ("after", "before")) or not _says(self.question, "pauses"):
            return every
        pauses = [row for row in every if self.board.cells[row][at].lower() in _words()["pauses"]]
        if not pauses:
            return every
        return every[pauses[-1] + 1 :] if _says(self.question, "after") else every[: pauses[-1]]

    def _entry(self, name: str, cell: str) -> str:
        """A row's name with its cell; a mere mark, or "1", is not told."""
        if cell.lower() in _words()["marks"] or cell.strip() == "1" or not name:
            return name or cell
        return f"{name} ({cell})" if re.fullmatch(r"\d+(?:[.,/]\d+)?", cell) else f"{name}: {cell}"

    def _names_time(self) -> bool:
        return bool(weeks.parts_in(self.question)) or _AT.search(self.question) is not None

    def _places(self, values: Sequence[tuple[int, int]], columns: Sequence[int], lines: Sequence[int]) -> str:
        """Where something stands, on the days or in the rows that are named."""
        found = [(row, at) for row, at in values if (not columns or at in columns) and (not lines or row in lines)]
        asks_yes = bool(_YES_NO.match(self.question)) and not any(
            _says(self.question, kind) for kind in ("which", "when", "days", "count", "who")
        )
        if not found:
            return f"No, only {self._told(values)}" if asks_yes and columns else ""
        if len(found) > MAX_TOLD:
            return ""
        if (number := self._number()) is not None:
            if not -1 <= number < len(found):
                return ""
            found = [found[number]]
        if _says(self.question, "most"):
            return self._most(found) if _says(self.question, "who") else ""
        told = self._told(found)
        if _says(self.question, "count"):
            return f"{len(found)}: {told}"
        return f"Yes: {told}" if asks_yes else told

    def _most(self, found: Sequence[tuple[int, int]]) -> str:
        """The rows with the most of some cells, and how many these are."""
        numbers = Counter(row for row, _ in found)
        most = max(numbers.values())
        named = enumerated([self.board.names[row] for row, number in numbers.items() if number == most])
        return f"{named} ({most})"

    def _told(self, found: Sequence[tuple[int, int]]) -> str:
        """The heads below which cells stand, each with the names of their rows; the names first where these are asked
        for.
        """
        is_of_rows = _says(self.question, "who") or (_YES_NO.match(self.question) and not self._rows())
        if is_of_rows and len({at for _, at in found}) == 1 and all(self.board.names[row] for row, _ in found):
            return f"{', '.join(self.board.names[row] for row, _ in found)} ({self.board.heads[found[0][1]]})"
        by_head = {at: [row for row, column in found if column == at] for at in sorted({at for _, at in found})}
        return enumerated(
            [
                f"{self.board.heads[at]} ({', '.join(filter(None, (self._named_row(row, at) for row in rows)))})"
                for at, rows in by_head.items()
            ]
        )

    def _named_row(self, row: int, at: int) -> str:
        """The name of a row; of cells that say more than was asked for also these."""
        cell = self.board.cells[row][at]
        return f"{self.board.names[row]} {cell}".strip() if len(cell.split()) > 1 else self.board.names[row]


@cache
def _content(text: str) -> tuple[str, ...]:
    """The words of a text that say something, in lower case."""
    return tuple(
        word
        for word in (re.sub(r"'s$", "", one) for one in _WORD.findall(text.lower().replace("’", "'")))
        if not any(function_word(word, code) for code in LANGUAGES)
    )


def _has(word: str, others: Iterable[str]) -> bool:
    return any(_alike(word, other) for other in others)


def _alike(word: str, other: str) -> bool:
    """Whether two words are one but for their ends: "math" and "maths"."""
    if other in (word, f"{word}s") or word == f"{other}s":
        return True
    shorter, longer = sorted((word, other), key=len)
    return (
        len(shorter) >= SAME
        and longer.startswith(shorter[: max(SAME, len(shorter) - 2)])
        and len(longer) - len(shorter) <= SAME
    )


def _is_told(word: str) -> bool:
    """Whether a word says which, when or how many, and names nothing."""
    if re.match(r"[\u3400-\u9fff]", word):
        return any(word in one for words in _words().values() for one in words)
    kinds = ("ordinals", "last", "ends", "starts", "days", "when", "count", "who", "which", "pauses")
    return any(word in " ".join(_words()[kind]).replace("=", " ").split() for kind in kinds) or word[0].isdigit()
