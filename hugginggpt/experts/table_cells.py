"""Rows of a document's tables that a question means by a cell or by a mark in a column: "which tablets in the
evening?", "what does she take at bedtime, and how much?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hugginggpt.core.documents import DocumentText, Table
from hugginggpt.experts.word_likeness import stems_of

MAX_ROWS, MAX_WORDS, MIN_ROWS = 4, 30, 2
_WHICH = re.compile(r"\b(?:which|what|who|whose|whom|wer|was|welche\w*|quel\w*|qui|qué|quién|cuál\w*)\b", re.IGNORECASE)
_MARK = re.compile(r"(?:\d{1,2}(?:[.,/]\d)?|x|✓|✔|yes|no|ja|nein|-|–|—|)", re.IGNORECASE)
_NO_MARK = frozenset(("", "0", "-", "–", "—", "no", "nein"))
_BELOW_QUESTION = re.compile(r" where (?:Who|What|When|By when|Where|Which) is (?P<cell>[^.]+)\.$", re.IGNORECASE)
_LIGHT = stems_of(
    "which what who whose does do did is are was in on at the a an of for to and how much many it he she they we i "
    "take takes get gets have has with by per day time when where mr mrs ms dr from this that his her their"
)


def rows_in_words(answer: str, tables: Sequence[Table]) -> str:
    """The rows of which an answer tells a cell below a heading that asks ("By when is 15 October where Who is Tom."),
    each as a whole: "Tom: Ask the council, by 15 October"; "" where the headings are names.
    """
    if (match := _BELOW_QUESTION.search(answer)) is None:
        return ""
    rows = [(table.rows[0], row) for table in tables for row in table.rows[1:] if match["cell"] in map(str.strip, row)]
    return "; ".join(_told(_with_by(header, row)) for header, row in rows) if len(rows) <= MAX_ROWS else ""


def _with_by(header: Sequence[str], row: Sequence[str]) -> list[str]:
    return [
        f"by {cell.strip()}" if cell.strip() and _cell(header, at).lower() == "by when" else cell
        for at, cell in enumerate(row)
    ]


def answer(question: str, text: str) -> dict[str, Any] | None:
    """The rows that a question means, each with its cells; None where it means none, or more than a few."""
    if not isinstance(text, DocumentText) or not _WHICH.search(question) or len(question.split()) > MAX_WORDS:
        return None
    asking = [piece for piece in re.split(r"[.!?]+\s+", question) if _WHICH.search(piece)]
    asked = stems_of(" ".join(asking)) - _LIGHT
    for table in text.tables:
        if len(table.rows) > MIN_ROWS and (rows := _marked(asked, table) or _holding(asked, table, text)):
            return {"answer": "; ".join(rows)}
    return None


def _marked(asked: frozenset[str], table: Table) -> list[str]:
    """The names of the rows with a mark in the only column of marks that is asked for, with what stands beside them."""
    header, *rows = table.rows
    columns = [at for at in range(1, len(header)) if all(_MARK.fullmatch(_cell(row, at)) for row in rows)]
    named = [at for at in columns if (own := stems_of(header[at])) and own <= asked]
    if len(named) != 1:
        return []
    chosen = [row for row in rows if _cell(row, named[0]).lower() not in _NO_MARK]
    beside = 1 if len(header) > 1 and 1 not in columns else 0
    return [f"{row[0]}, {row[1]}" if beside else row[0] for row in chosen]


def _holding(asked: frozenset[str], table: Table, text: DocumentText) -> list[str]:
    """The rows whose cells hold a word of the question that stands nowhere else in the text."""
    header, *rows = table.rows
    lines = {" | ".join(row) for row in table.rows}
    others = stems_of(" ".join(line for line in text.splitlines() if line.strip() not in lines)) | stems_of(
        " ".join(header)
    )
    words = asked - others
    if not words <= stems_of(" ".join(" ".join(row) for row in rows)):
        return []  # "her blood group", where a row says "blood pressure"
    held = [(words & stems_of(" ".join(row)), row) for row in rows]
    most = max((len(own) for own, _ in held), default=0)
    chosen = [row for own, row in held if own == words and len(own) == most]
    return [_told(row) for row in chosen] if 0 < len(chosen) <= min(MAX_ROWS, len(rows) - 1) else []


def _cell(row: Sequence[str], at: int) -> str:
    return row[at].strip() if at < len(row) else ""


def _told(row: Sequence[str]) -> str:
    first, *rest = (cell.strip() for cell in row if cell.strip())
    return f"{first}: {', '.join(rest)}" if rest else first
