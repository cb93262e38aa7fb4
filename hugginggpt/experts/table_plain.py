"""A message about a table without what says nothing of it: that a file is attached, for whom it is, chat words."""

from __future__ import annotations

import re

from hugginggpt.experts.table_accounts import EXPENSES, INCOME, LEFT, is_expense, is_income
from hugginggpt.experts.table_columns import TypedTable
from hugginggpt.experts.table_everyday import without_introduction
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_words import is_person, stem

_ATTACHED = re.compile(
    r"^\W*[^.:;!?\n]{1,60}?\b(?:attached|enclosed|angehängt|im anhang|ci-joint|adjunto)\s*[.:;!]+\s+", re.I
)
_PURPOSE = re.compile(
    r"[\s,]*\bfor (?:(?:the|my|our|a|her|his) (?:[\w-]+ ){0,2})?(?P<whom>[\w-]+)\b"
    r"(?: (?:on|next|this) \w+)?(?= *[.!?]* *$)",
    re.I,
)
_OCCASIONS = frozenset([
    "committee", "board", "notes", "record", "minutes", "newsletter", "noticeboard", "website", "meeting", "agm",
    "handover", "report", "presentation", "taxman", "return", "wall", "fridge", "bay", "office", "parents", "secretary",
    "accountant", "assistant", "council", "homework", "magazine", "paper", "boss", "mum", "mom", "dad", "wife",
    "husband", "sister", "brother", "bank", "grant", "audit", "files", "co-op", "landlord", "kids", "headmaster",
    "choir", "club", "class", "team", "school", "church", "parish", "invoice"
])  # fmt: skip
"""For whom or what something is wanted, beside people by what they do: "for my tax adviser"."""
_TO_KNOW = re.compile(
    r"[\s,]*,? (?:(?:my|our|the) [\w-]+ (?:wants?|needs?|asks?|asked|is asking)\b[^?!,;]*|"
    r"so (?:that )?(?:i|we) (?:can|could|know)\b[^?!,;]*)(?= *[.!?]* *$)|"
    r"\s*[,;–-]\s*(?:i |we )?(?:must|need to|have to|should|time to) (?!be\b|know|see|find|spend|pay)"
    r"[^?!,;]*(?= *[.!?]* *$)",
    re.I,
)
"""What says behind a question why it is asked: "my wife wants to know", "must reorder"."""
_CHAT = (("w", "with"), ("n", "and"), ("u", "you"), ("ive", "I've"), ("avg", "average"))
"""What people write short, and in full."""
_MIN_QUESTION = 8
"""So many letters at least stand before the words that say why something is asked."""
_TODAY = re.compile(r"\s*\btoday\b", re.I)
_GROUPS = (
    r"(?P<group>chor|verein|klub|club|mannschaft|klasse|gruppe|laden|choir|team|society|shop|stall|band|kiosk|café|cafe|"
    r"bakery|farm|business|company|firm|charity|school)"
)
_HAS_GROUP = re.compile(rf"\b(?P<verb>hat|did|has)(?: der| die| das| unser| unsere| the| our| my) {_GROUPS}\b", re.I)
_WE = {"hat": "haben wir", "did": "did we", "has": "have we"}
_AFTER_COSTS = re.compile(
    r",? ?\b(?:after|nach|abzüglich)(?: abzug)?(?: all)?(?: the| our| der| aller| unserer)? "
    r"(?:costs|expenses|spending|outgoings|ausgaben|kosten)\b",
    re.I,
)
_MINUS = re.compile(r"\w (?:minus|less) \w", re.I)
_OF_EACH = re.compile(
    r"\b(?:which|who|each|every|per|average|most|least|biggest|highest|lowest|smallest|best|worst)\b", re.I
)
_EXPENDITURE = re.compile(r"\bexpenditures?\b|\boutgoings\b", re.I)
_COMES_TO = re.compile(r"\bwhat (?:do|does|did)(?: (?P<what>[^?.,;]+?))?? (?:come|add up|amount) to\b", re.I)
_OVER_CELL = re.compile(r"\b(?:over|for)(?: the)? (?=\d)", re.I)


def plainly(table: TypedTable, question: str) -> str:
    """The lines of a conversation, each without what says nothing of the table."""
    return "\n".join(_plain(table, line) for line in without_introduction(question).splitlines())


def _plain(table: TypedTable, line: str) -> str:
    one = Rewording(table, line)
    one.put(_ATTACHED, "")
    if (found := _PURPOSE.search(line)) and _is_no_condition(one, found):
        one.put(_PURPOSE, "")
    if (found := _TO_KNOW.search(line)) and found.start() > _MIN_QUESTION and not one.says(*found[0].split()):
        one.put(_TO_KNOW, "")
    dated = [column for column in table.columns if column.type == "date"]
    if not dated and any("time" in column.words for column in table.columns) and not one.says("today"):
        one.put(_TODAY, "")  # times of a single day
    for short, full in _CHAT:
        pattern = re.compile(rf"(?<![\w'’.=]){short}(?![\w'’.=])")
        if pattern.search(one.question) and not one.says(short):
            one.put(pattern, full)
    if (found := _HAS_GROUP.search(one.question)) and not one.says(found["group"]):
        one.put(_HAS_GROUP, _WE[found["verb"].lower()])
    one.put(_COMES_TO, lambda found: f"total {found['what'] or ''}")
    _of_accounts(one)
    return _over_a_distance(one)


def _is_no_condition(one: Rewording, found: re.Match[str]) -> bool:
    """Whether words behind "for" name somebody or some occasion that the table does not know."""
    whom = found["whom"].lower()
    is_occasion = whom in _OCCASIONS or stem(whom) in _OCCASIONS or (" my " in found[0] and is_person(stem(whom)))
    return is_occasion and not one.says(whom)


def _of_accounts(one: Rewording) -> None:
    """What is left after the expenses, and expenditure, beside a column of expenses."""
    costs = one.column(EXPENSES, is_expense)
    income = one.column(INCOME, is_income)
    if costs and not one.says("expenditure", "outgoings"):
        one.put(_EXPENDITURE, "expenses")
    if costs and income and LEFT.search(one.question) and not _MINUS.search(one.question):
        total = "" if _OF_EACH.search(one.question) else "total "
        one.put(_AFTER_COSTS, "")
        one.put(LEFT, f"{total}{income.name} minus {total}{costs.name}")


def _over_a_distance(one: Rewording) -> str:
    """ "Quickest over 100 free", beside a cell "100 free": it is not a bound."""
    for found in _OVER_CELL.finditer(one.question):
        behind = one.question[found.end() :].casefold()
        for column in one.table.columns if len(one.table.columns) < 30 else ():
            cells = column.distinct if column.type == "text" else ()
            if any(" " in cell and re.match(rf"{re.escape(cell.casefold())}\b", behind) for cell in cells):
                return f"{one.question[: found.start()]}in {one.question[found.end() :]}"
    return one.question
