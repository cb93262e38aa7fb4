"""The lines of a list as records: "Lamb shank with mash £18.90", "Turbo 2000 W 53 dB", "3 Postcard 2.70".

A record has a label, the heading that it stands under, how many there are of it, and values, each with its unit and the
name of its column where one stands above. What has no such form, as running text, is no record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from hugginggpt.common import word_lists
from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.core.documents import DocumentText
from hugginggpt.experts.ocr import pages_of, text_of

MAX_LABEL_WORDS, MAX_HEAD_WORDS, MAX_ITEM_WORDS, MAX_TOTAL_WORDS = 7, 8, 12, 6
CENT = 0.005
MAX_LINES, MAX_LINE_CHARS = 1000, 200
PRICE_UNITS = frozenset(
    (
        "£",
        "$",
        "€",
        "¥",
        "eur",
        "euro",
        "euros",
        "usd",
        "gbp",
        "chf",
        "fr",
        "pound",
        "pounds",
        "dollar",
        "dollars",
        "元",
        "块",
    )
)
_NUMBER = r"\d{1,3}(?:[,.]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?![\d])"
_UNIT = r"[£$€¥%]|[^\W\d_]+[23²³]?(?: (?:of|per) [a-z]+)?"
_MEASURE = rf"(?P<sign>[£$€¥]\s?)?(?P<number>{_NUMBER})(?![.,:/-]\d)(?:\s?(?P<unit>{_UNIT}))?"
_ANONYMOUS = re.sub(r"\?P<\w+>", "?:", _MEASURE)
_RECORD = re.compile(
    r"^(?P<label>\S.*?)(?<=[^\s….])(?:\s*+(?::(?=\s)|[….]{2,}+|…|\.(?=\s)|[-–](?=\s))|(?=\s))\s*+"
    r"(?:(?P<times>\d{1,3})\s?[x×*]\s?(?P<each>[£$€¥]?\s?\d+[.,]\d\d)\s*)?"
    rf"(?P<rest>{_ANONYMOUS}(?:(?:\s*+[,;|/-]\s*+|\s++){_ANONYMOUS})*)\.?"
)
_FREE = re.compile(
    r"(?P<label>[^\W\d_][\w']+(?: [\w']+){0,2}?)\s*:?\s+(?:free|gratis|kostenlos|gratuit|umsonst)", re.IGNORECASE
)
_COUNTED = re.compile(r"(?P<count>\d{1,3})\s?[x×]?\s+(?P<label>[^\W\d_].*)")
_AMOUNT_FIRST = re.compile(
    r"^(?:[-*•]\s*+)?(?P<number>\d+(?:[.,]\d+)?|\d/\d|[½¼¾])\s?(?P<unit>(?:k?g|m?l|cl|dl|mg|litres?|liters?|teaspoons?|"
    r"tablespoons?|tsp|tbsp|cups?|pinch(?:es)?|slices?|cans?|el|tl|prise|cuillères?|cucharadas?|ounces?|oz|lbs?|pounds?)\b\.?)?"
    r"\s+(?:of )?(?P<label>[^\W\d_][^.:;!?]{1,50})",
    re.IGNORECASE,
)
_PIECES = re.compile(
    r"(?<=[\w€£$)])(?<!\bincl)(?<!\bexcl)(?<!\binkl)(?<!\binc)[.;!] +(?=[A-ZÀ-Þ])|"
    r"(?:(?<=[€£$\d])|(?<=euros)|(?<=pounds)|(?<=dollars)), (?=[^\W\d_])|"
    r"\s+[-–]\s+(?=[^\W\d_])"
)
_REMARK = re.compile(r"(?<=[\d€£$%])\s?\([^()]*\)$")
_PRICED = re.compile(r"[£$€¥]\s?\d|\d\s?(?:[€元块]|(?:euros?|pounds?|dollars?|EUR|USD|GBP)\b)|\s\d+[.,]\d\d$")
_CELLS = re.compile(r"\s{2,}|\t|\s\|\s")
_HOURS, _MINUTES = frozenset(["hour", "hours", "h"]), frozenset(["minute", "minutes", "min", "mins", "m"])
_WITH_TAX = re.compile(
    r"\(?\b(?:incl(?:\.|uding|usive of|udes)?|inc\.?|inkl(?:\.|usive)?|with|mit|tva comprise|iva incluido|con)\s*"
    r"(?:\d+ ?%\s*)?(?:vat|tax(?:es)?|gst|mwst|ust|tva|iva)?\b\.?\)?",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"(?:sub|grand )?[- ]?total\b|zwischensumme|gesamt|summe\b|sous-total", re.IGNORECASE)
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its unit, and the name of its column ("" if none stands above)."""

    number: float
    unit: str = ""
    column: str = ""
    written: str = ""

    @property
    def is_price(self) -> bool:
        return self.unit.lower() in PRICE_UNITS or (not self.unit and bool(re.search(r"[.,]\d\d$", self.written)))


@dataclass(frozen=True, slots=True)
class Record:
    """A line of a list. `count` is the number before its label, `each` the price of one where the line tells it, `kind`
    what stands above the labels ("Model").
    """

    label: str
    values: tuple[Value, ...]
    section: str = ""
    count: float | None = None
    each: float | None = None
    line: str = ""
    kind: str = ""

    @property
    def price(self) -> Value | None:
        """Its price, the last one if it has several."""
        return next((value for value in reversed(self.values) if value.is_price), None)

    @property
    def is_sum(self) -> bool:
        """Whether it is no item, but a total, a tax or what was paid."""
        return (
            is_called(self.label, "sums")
            or is_tax(self.label)
            or bool(_TOTAL.match(self.label) or total_kind(self.label))
        )


@cache
def phrases(kind: str) -> tuple[str, ...]:
    """The words of a kind in data/experts/listing_words.txt, the longest first."""
    return tuple(sorted(dict.fromkeys(_words()[kind]), key=len, reverse=True))


@cache
def _words() -> dict[str, tuple[str, ...]]:
    return word_lists.lists(EXPERTS_DATA / "listing_words.txt")


def is_called(label: str, kind: str) -> bool:
    """Whether a label is one of these words, with no more than numbers and units beside it."""
    bare = re.sub(r"[\d.,:%€£$()]+|\b(?:eur|usd|gbp|chf)\b", " ", label.lower())
    return " ".join(bare.split()) in phrases(kind)


def is_tax(label: str) -> bool:
    """Whether a label is but a tax with its rate: "VAT 20% incl.", "davon 7 % MwSt"."""
    words = set(re.findall(r"[^\W\d_]+", label.lower()))
    return bool(words & set(phrases("taxes"))) and words <= {*phrases("taxes"), *phrases("of a tax")}


def total_kind(label: str) -> str:
    """Whether a line is called as the sum that is to be paid ("payable") or as a sum ("whole"); "" for any other, and
    for a part of the sum, as the net amount.
    """
    bare = re.sub(r"[\d.,:%€£$()]+|\b(?:eur|usd|gbp|chf)\b", " ", _WITH_TAX.sub(" ", label.lower()))
    if len(bare.split()) > MAX_TOTAL_WORDS:
        return ""
    if says(bare, "payable") or re.search(r"\bttc\b", label, re.IGNORECASE):
        return "payable"
    return "whole" if says(bare, "whole") and not says(bare, "part") else ""


def says(text: str, kind: str) -> bool:
    """Whether a text has one of these words, whole."""
    words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", text.lower())
    return word_lists.holds(f" {' '.join(words)} ", phrases(kind))


def number_of(text: str) -> float:
    """The value of a number as people write it: "1,234.50", "3,50", "½"."""
    if text in _FRACTIONS:
        return _FRACTIONS[text]
    if "/" in text:
        above, below = text.split("/")
        return int(above) / int(below) if int(below) else 0.0
    text = re.sub(r"[^\d.,]", "", text)
    whole, point, rest = max(
        (text.rpartition("."), text.rpartition(",")), key=lambda parts: len(parts[0]) * bool(parts[1])
    )
    if point and len(rest) != 3:
        return float(f"{re.sub('[.,]', '', whole)}.{rest}")
    return float(re.sub("[.,]", "", text))


_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+[.,]\d\d(?!\d)")


def lines_of(text: str) -> list[str]:
    """The lines of a text with two spaces between the cells of a row: of a document's pages by where these stand."""
    if isinstance(text, DocumentText) and text.lines:
        pages = (text_of(rows) for _, rows in pages_of(text))
        lines = [line for page in pages for line in page.splitlines()]
    else:
        lines = text.splitlines()
    if isinstance(text, DocumentText):  # one of a word processor has tables apart from its text
        shown = {" ".join(_CELLS.sub(" ", line).split()) for line in lines}
        rows = ["  ".join(row) for table in text.tables for row in table.rows]
        lines += [row for row in rows if " ".join(row.split()) not in shown]
    return [_whole_sum(line.strip()) for line in lines if line.strip()][:MAX_LINES]


def _whole_sum(line: str) -> str:
    """A line that is called a total with its thousands together: "Total TTC 1 259,50 €". Elsewhere such a 1 may be how
    many there are.
    """
    if not (_TOTAL.match(line) or total_kind(line)):
        return line
    return _THOUSANDS.sub(lambda one: "".join(one[0].split()), line)


@lru_cache(16)
def records(text: str) -> tuple[Record, ...]:
    """The records of a text, in order."""
    found: list[Record] = []
    section, head, width = "", "", 0
    lines = lines_of(text)
    for at, line in enumerate(lines):
        if own := _records(line, head):
            width = width or len(own[0].values)
            if len(own[0].values) != width and len(_CELLS.split(line)) != len(_CELLS.split(head)):
                head, own = "", _records(line, "")  # it has none of the columns above
            found += [replace(record, section=section, line=line) for record in own]
        elif _is_head(line):
            follows = _records(lines[at + 1], "") if at + 1 < len(lines) else []
            is_columns = bool(follows) and len(follows[0].values) > 1
            section, head, width = ("", line, 0) if is_columns else (line.strip(" :*#"), "", 0)
        else:
            head = ""
    return tuple(found)


def ingredients(text: str) -> list[tuple[str, Value, str]]:
    """The lines that begin with an amount ("200 g flour"): each line, its amount, and what it is of."""
    found = []
    for line in lines_of(text):
        if (match := _AMOUNT_FIRST.fullmatch(line)) and not _record(line):
            value = Value(number_of(match["number"]), match["unit"] or "", written=match["number"])
            found.append((line, value, match["label"].strip()))
    return found


def _records(line: str, head: str) -> list[Record]:
    pieces = [line] if len(line) > MAX_LINE_CHARS else _PIECES.split(line)
    cells = _CELLS.split(line)
    if len(cells) > 1 and all(_PRICED.search(cell) and _record(cell) for cell in cells):
        pieces = cells  # "Adults £4  Children £2"
    return [record for piece in pieces if (record := _row(piece, head) or _record(piece, head))]


def _is_head(line: str) -> bool:
    return (
        len(line.split()) <= MAX_HEAD_WORDS
        and line[-1] not in ".!?,"
        and bool(re.search(r"^[^\d]*[^\W\d_]{2}[^\d]*$", line))
    )


def _row(line: str, head: str) -> Record | None:
    """A row of three cells or more, each but the first a measure, or not known ("any", "-")."""
    label, *cells = _CELLS.split(line)
    measured = [next(_values(cell)) if re.fullmatch(_MEASURE, cell) else None for cell in cells]
    if len(cells) < 2 or 2 * sum(value is not None for value in measured) <= len(cells) or not _is_label(label):
        return None
    named = zip(measured, _columns(head, len(cells)), strict=True)
    values = tuple(replace(value, column=name) for value, name in named if value)
    return Record(label, values, kind=_kind(head, len(cells)))


def _kind(head: str, number: int) -> str:
    """What stands above the labels where as many columns follow them."""
    names = _CELLS.split(head)
    return names[0] if len(names) == number + 1 else ""


def _columns(head: str, number: int) -> list[str]:
    """The names of so many columns in the line above them, "" where that does not tell."""
    names = _CELLS.split(head) if head else []
    names = names[1:] if len(names) == number + 1 else names
    return names if len(names) == number else _halves(head, number) if number > 1 else [head]


def _halves(head: str, number: int) -> list[str]:
    """The names of two columns that were read as one text: what begins it is of the first, what ends it of the last."""
    words = head.split()
    if not words or number != 2 or len(words) % 2:
        return [""] * number
    return [" ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])]


def _record(piece: str, head: str = "") -> Record | None:
    piece = _REMARK.sub("", re.sub(r"\s*\|\s*", "  ", piece.strip(" *•")))
    if free := _FREE.fullmatch(piece.rstrip(".")):
        return Record(free["label"], (Value(0.0, "euro", written=piece),))
    match = _RECORD.fullmatch(piece)
    if match is None:
        return None
    label = match["label"].strip(" -–:.,…@")
    if not _is_label(label):
        return None
    values = list(_values(match["rest"]))
    named = zip(values, _columns(head, len(values)), strict=True)
    each = number_of(match["each"]) if match["each"] else None
    count = float(match["times"]) if match["times"] else None
    if counted := _COUNTED.fullmatch(label):
        count, label = float(counted["count"]), counted["label"]
    if count and len(values) > 1 and abs(count * values[0].number - values[-1].number) < CENT:
        each = values[0].number
    values = [replace(value, column=name) for value, name in named]
    return Record(label, tuple(values), count=count, each=each, kind=_kind(head, len(values)))


def _is_label(text: str) -> bool:
    return len(text.split()) <= MAX_LABEL_WORDS and bool(re.search(r"[^\W\d_]{2}|[\u3400-\u9fff]", text))


def _values(rest: str) -> Iterator[Value]:
    """The values of a text; hours with the minutes behind them are one."""
    hours: Value | None = None
    for one in re.finditer(_MEASURE, rest):
        value = Value(number_of(one["number"]), (one["sign"] or one["unit"] or "").strip(), written=one[0].strip())
        if hours and value.unit in _MINUTES:
            value = replace(value, number=60 * hours.number + value.number, written=f"{hours.written} {value.written}")
        elif hours:
            yield hours
        hours = value if value.unit in _HOURS else None
        if not hours:
            yield value
    if hours:
        yield hours


def unread(text: str) -> bool:
    """Whether a short line of a text holds a price of which there is no record, so that more may be on the list."""
    read = {record.line for record in records(text)}
    short = (line for line in lines_of(text) if len(line.split()) <= MAX_ITEM_WORDS)
    return any(_PRICED.search(line) and line not in read for line in short)


def priced(found: Sequence[Record]) -> list[Record]:
    """Those with a price, where two or more have one, so that "8.15" is hardly a time."""
    having = [record for record in found if record.price]
    return having if len(having) > 1 else []


def shown(number: float, like: Value) -> str:
    """A number as another is written: with its sign, decimals and comma."""
    is_whole = not re.search(r"[.,]\d", like.written) and abs(number - round(number)) < CENT
    sep = "," if re.search(r"\d,\d{3}(?!\d)", like.written) or (number >= 10_000 and like.unit in ("£", "$")) else ""
    text = f"{number:{sep}.0f}" if is_whole else f"{number:{sep}.2f}" if like.is_price else f"{number:.4g}"
    text = text.replace(".", ",") if re.search(r"\d,\d{1,2}(?!\d)", like.written) else text
    if not like.unit:
        return text
    return f"{like.unit}{text}" if like.written.startswith(like.unit) else f"{text} {like.unit}"
