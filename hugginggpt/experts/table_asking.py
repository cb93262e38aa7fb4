"""The commonest questions to a table in another language, in the English in which they are read: how much altogether,
how much each, who most.

Every word of such a question is a part of it (data/experts/table_asking.txt), or a column or cell of the table; verbs
as vague as "have", "put" and "make" limit nothing. A question with any other word is read word by word instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import table_glosses
from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_dictionary import TOKEN
from hugginggpt.experts.table_glosses import WITHOUT_BLANKS
from hugginggpt.experts.table_words import stem

NOTHING, HEADINGS = "-", "headings"
MAX_WORDS = 5
_MARKS = frozenset("?？¿!.。,，'’-:；;")
_UNITS = ("money", "hours", "pieces")
_OF_VERBS = {"paid": ("money",), "sold": ("pieces", "money")}
"""The measures that a verb speaks of, the likeliest first."""
_UNIT_PRICES = ("单价", "stückpreis", "einzelpreis", "unitaire", "unitario", "kilo", "kg", "stunde", "stundenlohn")
"""Words in the heading of what one thing costs: it is not summed up."""
_OF_NAMES = "份期"
"""The second character of a Chinese heading that is left out in a question: 月 for 月份."""

Parts = Mapping[tuple[str, ...], str]


def in_english(table: TypedTable, question: str) -> str:
    """A question in the words that are read: each line as it stands, or one in another language in English."""
    lines = [
        _plainly(table, line, at > 0) or table_glosses.in_english(table, line)
        for at, line in enumerate(question.splitlines())
    ]
    return "\n".join(lines)


def _plainly(table: TypedTable, line: str, is_further: bool) -> str:
    """A question of the commonest forms in English; "" for any other."""
    tokens = TOKEN.findall(line)
    own = _own(table)
    for code, parts in _data().items():
        if code != HEADINGS:
            asked = _Asked(table)
            if not asked.reads(tokens, own, parts, code in WITHOUT_BLANKS):
                continue
            if is_further and "that" in asked.parts and not asked.cells:
                return ""  # "that altogether" is about the rows of the answer before
            if said := asked.said():
                return said
    return ""


@dataclass(slots=True)
class _Asked:
    """What a question names: its parts, the columns among its words, and (column, cell) pairs."""

    table: TypedTable
    parts: set[str] = field(default_factory=set)
    columns: list[Column] = field(default_factory=list)
    cells: list[tuple[str, str]] = field(default_factory=list)
    last: str = ""
    """The part that was read last."""

    def reads(self, tokens: Sequence[str], own: Mapping[tuple[str, ...], object], parts: Parts, is_solid: bool) -> bool:
        """Takes in all words of a question; whether each was known."""
        lower = [token.casefold() for token in tokens]
        at = 0
        while at < len(lower):
            sizes = range(min(MAX_WORDS, len(lower) - at), 0, -1)
            size = next((one for one in sizes if self._take(tuple(lower[at : at + one]), own, parts, is_solid)), 0)
            if not size:
                return False
            at += size
        return True

    def _take(
        self, words: tuple[str, ...], own: Mapping[tuple[str, ...], object], parts: Parts, is_solid: bool
    ) -> bool:
        part = parts.get(words)
        named = own.get(words)
        if named is None and part is None and len(words) == 1 and not is_solid:
            named = own.get((stem(words[0]),))
        if isinstance(named, Column) and not (part in _UNITS and named.type != "number"):
            if self.last == "how much" and named.type == "text":
                return False  # that is to be counted: "how many customers"
            self.columns.append(named)
        elif isinstance(named, tuple):
            self.cells.append(named)
        elif part:
            self.parts |= {part} - {NOTHING}
        else:
            return len(words) == 1 and words[0] in _MARKS
        self.last = part or ""
        return True

    def said(self) -> str:
        """The question in English; "" where it has none of the forms, or its columns are not clear."""
        measure, group = self._measure(), self._group()
        where = " and ".join(f"{column} is {cell}" for column, cell in dict.fromkeys(self.cells))
        where = f" where {where}" if where else ""
        if measure is None or len({column for column, _ in self.cells}) < len(set(self.cells)):
            return ""
        if self._is_paid_by_piece(measure) and not self.parts & {"dearest"}:
            return self._of_takings(group, where)
        if "dearest" in self.parts:
            return f"which {group.name} has the highest {measure.name}{where}" if group else ""
        if end := next((word for part, word in (("most", "highest"), ("least", "lowest")) if part in self.parts), ""):
            return f"which {group.name} has the {end} {self._total(group)}{measure.name}{where}" if group else ""
        if "each" in self.parts:
            return f"total {measure.name} per {group.name}{where}" if group else ""
        if self.parts & {"who", "which"} or group is not None:
            return ""
        if self.cells and "how much" in self.parts and self._rows() == 1:
            return f"what is the {measure.name}{where}"
        is_clear = self.cells or self.parts & {"together", "paid", *_UNITS}
        return f"total {measure.name}{where}" if is_clear and self.parts & {"together", "how much"} else ""

    def _is_paid_by_piece(self, measure: Column) -> bool:
        """Whether money is asked for, of a price of a piece beside a number of pieces."""
        counted = any(_is_called(one, "pieces") for one in self.table.columns if one.is_measure)
        is_price = bool({"price", "rate"} & measure.senses) and measure not in self.columns
        return counted and is_price and bool(self.parts & {"money", "paid", "sold"})

    def _of_takings(self, group: Column | None, where: str) -> str:
        """The question for money, which is pieces times their price."""
        end = next((word for part, word in (("most", "most"), ("least", "least")) if part in self.parts), "")
        if end:
            return f"which {group.name} makes the {end} money{where}" if group else ""
        if "each" in self.parts:
            return f"money per {group.name}{where}" if group else ""
        return "" if group or self.parts & {"who", "which"} else f"how much money did we make{where}"

    def _total(self, group: Column) -> str:
        """The word for a sum, where a value of a column has several rows."""
        return "total " if len(set(group.cells)) < self.table.size else ""

    def _rows(self) -> int:
        """The number of rows that hold the cells."""
        wanted = [[cell == value for cell in self.table[name].cells] for name, value in self.cells]
        return sum(map(all, zip(*wanted, strict=True)))

    def _group(self) -> Column | None:
        """The column that the rows are grouped by: the one that is named, or that of persons; None without either."""
        texts = [column for column in self.table.columns if column.type == "text"]
        filtered = {column for column, _ in self.cells}
        named = [
            column for column in dict.fromkeys(self.columns) if column.type == "text" and column.name not in filtered
        ]
        persons = sorted((one for one in texts if _is_called(one, "person")), key=lambda one: _rank(one, "person"))
        if self.parts & {"who", "each"} and persons and set(named) <= set(persons):
            return named[0] if len(named) == 1 and "who" not in self.parts else persons[0]
        if not named and "dearest" in self.parts:
            return next((one for one in texts if len(set(one.cells)) == self.table.size), None)
        others = [one for one in named if one not in persons] or named
        return others[0] if len(others) == 1 and "who" not in self.parts else None

    def _measure(self) -> Column | None:
        """The column of numbers that is asked about; None where that is not clear."""
        numbers = [
            column for column in self.table.columns if column.type == "number" and not column.leads and not column.clock
        ]
        if named := [column for column in dict.fromkeys(self.columns) if column.type == "number"]:
            return named[0] if len(named) == 1 else None
        units = [unit for unit in _UNITS if unit in self.parts]
        units = units or [unit for verb, kinds in _OF_VERBS.items() if verb in self.parts for unit in kinds]
        units = units or ["money"] * ("dearest" in self.parts)
        for unit in units:
            if called := sorted((one for one in numbers if _is_called(one, unit)), key=lambda one: _rank(one, unit)):
                return called[0]
        summed = [column for column in numbers if not _is_price(column)]
        return summed[0] if len(numbers) == len(summed) == 1 and not set(units) & {"hours"} else None


def _is_called(column: Column, kind: str) -> bool:
    """Whether a column's name says that it holds a kind of thing: persons, money, hours, pieces."""
    return _rank(column, kind) < len(_headings()[kind]) and not (kind == "money" and _is_price(column))


def _rank(column: Column, kind: str) -> int:
    """The place of the first of a kind's words that is in a column's name; their number without one."""
    name = column.name.casefold()
    words = set(column.words)
    known = _headings()[kind]
    fits = (
        at
        for at, word in enumerate(known)
        if word == name or word in words or (not word.isascii() and _is_chinese(word) and word in name)
    )
    return next(fits, len(known))


def _is_price(column: Column) -> bool:
    name = column.name.casefold()
    return any(word in column.words or (_is_chinese(word) and word in name) for word in _UNIT_PRICES)


def _is_chinese(word: str) -> bool:
    return "\u3400" <= word[0] <= "\u9fff"


def _own(table: TypedTable) -> dict[tuple[str, ...], object]:
    """The columns and the cells of a table, a cell as (column, cell), by their tokens; a cell of two columns is left
    out. A word of its own of a cell ("Lenz" of "Dr. Lenz") stands for it where no other has it.
    """
    found: dict[tuple[str, ...], object] = {}
    counts: dict[tuple[str, ...], set[tuple[str, str]]] = {}
    for column in table.columns:
        if column.type == "text":
            for cell in list(column.distinct)[: table_glosses.MAX_CELLS]:
                tokens = tuple(token.casefold() for token in TOKEN.findall(cell))
                words = [(one,) for one in tokens if len(one) > 3 and one.isalpha()]
                for key in {tokens, *words}:
                    counts.setdefault(key, set()).add((column.name, cell))
    found.update({key: next(iter(cells)) for key, cells in counts.items() if len(cells) == 1 and len(key) <= MAX_WORDS})
    for column in table.columns:
        found[tuple(token.casefold() for token in TOKEN.findall(column.name))] = column
    for column in table.columns:
        if len(column.name) == 2 and column.name[1] in _OF_NAMES:
            found.setdefault((column.name[0],), column)
        found.setdefault((stem(column.name.casefold()),), column)
    return found


@cache
def _data() -> dict[str, dict[tuple[str, ...], str]]:
    """The parts of questions by their tokens, for each language."""
    return {
        code: {tuple(TOKEN.findall(word)): part for part, words in lines for word in words}
        for code, lines in _lines().items()
        if code != HEADINGS
    }


@cache
def _headings() -> dict[str, tuple[str, ...]]:
    return dict(_lines()[HEADINGS])


@cache
def _lines() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    sections = word_lists.sections(EXPERTS_DATA / "table_asking.txt")
    parted = {name: [line.partition(" = ") for line in lines] for name, lines in sections.items()}
    return {name: [(part, tuple(words.split(", "))) for part, _, words in lines] for name, lines in parted.items()}
