"""Columns that a question is about though the table has only what they are computed from.

What is left is a whole less its part (places and people enrolled, days of holiday and days taken), how full something
is their ratio. Each is added to the table, with a note that says how, and the question is put in words for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hugginggpt.experts.table_columns import Column, TypedTable
from hugginggpt.experts.table_rewording import Rewording
from hugginggpt.experts.table_tokens import closeness
from hugginggpt.experts.table_words import PRICES, related, stem

REMAINING, FULLNESS, UNPAID, PROFIT = "remaining", "percent full", "unpaid", "profit"
MIN_SIMILARITY = 0.6
"""How close in meaning a verb must be to a column of numbers, to be what it counts: "scored" and goals."""
_WHOLES = frozenset(
    ["allowed", "allowance", "entitlement", "total", "place", "seat", "space", "spot", "capacity",
     "budget", "holiday", "goal", "target", "quota", "year", "due", "available", "plätze", "plätz",
     "platz", "plaza", "urlaub", "congé", "kapazität"]
)  # fmt: skip
"""Stems of words of the columns that say how much there is altogether."""
_PARTS = frozenset(
    ["taken", "used", "booked", "sold", "spent", "registered", "signed", "enrolled", "enroled", "done",
     "read", "filled", "occupied", "reserved", "consumed", "inscrit", "inscrito", "belegt", "genommen",
     "gebucht", "réservé", "pris", "usado", "angemeldet"]
)  # fmt: skip
"""Stems of words of the columns that say how much of it is gone."""
_INCOMES = frozenset(
    ["takings", "income", "revenue", "turnover", "sales", "sale", "selling", "earned", "earnings", "einnahmen"]
)
_COSTS = frozenset(
    ["cost", "costs", "expense", "expenses", "spent", "buying", "purchase", "purchased", "ausgaben", "kosten"]
)
_IN, _OUT = {("in",), ("money", "in"), ("received",)}, {("out",), ("money", "out"), ("paid", "out")}
"""The names of columns of a ledger."""
_OF_TIME = re.compile(
    r"\b(?:for|of|in|this) (?:the |this )?(?:whole )?(?:year|season|month|club year)\b(?: so far)?", re.I
)
_OF_EACH = re.compile(
    r"\b(?:each|every|per|by|which|who|list|show|total|sum|average|mean|most|least|highest|lowest|best|worst|over|under|in|of)\b",
    re.I,
)
"""What is asked of profits that is not their sum, or says that it is."""
_EARNED = re.compile(r"\b(?:profits?|margins?|surplus|net (?:result|income|earnings))\b", re.I)
_PAYMENTS = frozenset(["paid", "received", "settled", "payment", "bezahlt", "gezahlt", "payé", "pagado"])
_DEBTS = frozenset(["owed", "owing", "debt", "balance", "arrears", "outstanding"])
_BEHIND = re.compile(
    r"\b(?:(?:is|are|was|were) )?(?:still )?(?:behind|in arrears|short|overdue|owe[sd]?|owing|outstanding|missing|"
    r"left to pay|still to pay)\b|"
    r"\b(?:has|have|did)(?: not|\s*n['’]t) (?:paid|pay)(?: (?:in full|up|everything|all|enough|the full \w+))?",
    re.I,
)
_WHOS = re.compile(r"\bwhos\b", re.I)
_SHORT = re.compile(r",? (?:and )?(?:by how much|how far|with how much)\b(?: (?:each|is it))?", re.I)
_LEFT = re.compile(
    r"\b(?:still )?(?:(?:got|have|has|are|is|there) )?(?:still )?"
    r"(?:left|remaining|remains?|unused|untaken|free|available|to go)\b(?: over)?",
    re.I,
)
_MAYBE_LEFT = re.compile(r"\b(?:free|available)$", re.I)
"""What may as well mean that something costs nothing, or is there at all."""
_NONE_LEFT = re.compile(
    r"\b(?:(?:is|are|has|have|['’]s|been) )?(?:used up|booked (?:up|out)|sold out|full(?:y booked)?|maxed out|"
    r"out of (?:days|holidays?|leave|places|seats))\b(?: (?:all|every one of) (?:their|his|her|its|the))?"
    r"(?: (?:leave|holidays?|days|places|seats)\b)*(?: (?:yet|already))?",
    re.I,
)
_HOW_FULL = re.compile(r"\bhow full (?:is|are)\b|\b(?:the )?(?:fullest|best (?:booked|attended))\b", re.I)
_THINGS = re.compile(
    r"\b(?:annual |paid )?(?:days?|holidays?|leave|vacation|places?|seats?|spots?|spaces?|budget|money)\b"
    r"(?: (?:of )?(?:annual )?(?:holidays?|leave|vacation|days?|off))?",
    re.I,
)
_NOT_ANY = re.compile(
    r"\b(?:(?:has|have|had|did|does|do|is|are)(?:\s*n['’]?t| not| never)|never)\b(?: yet| ever)? (?P<verb>\w+)"
    r"(?: (?:a single|any(?:thing)?|one|even one)\b)?(?: (?:days?|holidays?|leave|thing|money|one)\b)*"
    r"(?: (?:off|yet|so far|at all)\b)*",
    re.I,
)


def with_computed(table: TypedTable, question: str) -> Rewording:
    """A question with its table, which has the columns that it needs computed."""
    one = Rewording(table, question)
    for step in (_left, _owing, _profit, _none):
        step(one)
    return one


def _left(one: Rewording) -> None:
    """What is left of a whole, and how full it is."""
    pair = _whole_and_part(one.table)
    if pair is None:
        return
    whole, part = pair
    if _HOW_FULL.search(one.question):
        _add(one, FULLNESS, whole, part, lambda total, used: 100 * used / total if total else None)
        one.note_computed(FULLNESS, f"{part.name} divided by {whole.name}")
        is_most = re.search(r"\b(?:fullest|best)\b", one.question, re.I)
        one.put(_HOW_FULL, f"highest {FULLNESS}" if is_most else f"what is {FULLNESS} of")
        one.put(re.compile(r",? (?:in )?(?:percent|%)(?! full)", re.I), "")
        return
    is_gone = _NONE_LEFT.search(one.question)
    names = "|".join(re.escape(name) for name in sorted((whole.name, *whole.words), key=len, reverse=True))
    things = re.compile(rf"{_THINGS.pattern}|\b(?:{names})\b", re.I)
    is_left = _LEFT.search(one.question)
    if not is_gone and (not is_left or (_MAYBE_LEFT.search(is_left[0]) and not things.search(one.question))):
        return
    one.put(re.compile(r"\bstill\b", re.I), "")
    _add(one, REMAINING, whole, part, lambda total, used: total - used)
    one.note_computed(REMAINING, f"{whole.name} minus {part.name}")
    if is_gone:
        one.put(_NONE_LEFT, f" have {REMAINING} at most 0")
        return
    one.put(_LEFT, " " if things.search(one.question) else REMAINING)
    one.put(re.compile(rf"(?:{things.pattern})", re.I), REMAINING)


def _owing(one: Rewording) -> None:
    """What is not paid yet, of what is to be paid and what was; "by how much" somebody is behind asks for it."""
    one.put(_WHOS, "who is")
    if not _BEHIND.search(one.question) and not (UNPAID in one.table.names and _SHORT.search(one.question)):
        return
    pair = _charge_and_payment(one.table)
    if pair is None:
        return
    charge, payment = pair
    if UNPAID not in one.table.names:
        _add(one, UNPAID, charge, payment, lambda due, paid: due - paid)
        one.note_computed(UNPAID, f"{charge.name} minus {payment.name}")
    names = "|".join(re.escape(name) for name in (charge.name, payment.name))
    one.put(
        re.compile(
            rf"(?<=behind )(?:with|on|in) (?:(?:the|their|his|her|its|my) )?(?:{names}|payments?|money)\b", re.I
        ),
        "",
    )
    one.put(_SHORT, f", {UNPAID}")
    one.put(_BEHIND, "owes")


def _profit(one: Rewording) -> None:
    """What is earned after costs, unless the question says itself how."""
    measures = [column for column in one.table.columns if column.is_measure and not column.computed]
    incomes = [column for column in measures if _INCOMES & column.senses or column.words in _IN]
    costs = [
        column for column in measures if (_COSTS & column.senses or column.words in _OUT) and column not in incomes
    ]
    is_told = re.search(r"\b(?:minus|less)\b", one.question, re.I) or one.says("profit", "margin", "surplus")
    if is_told or len(incomes) != 1 or len(costs) != 1 or not _EARNED.search(one.question):
        return
    if PROFIT not in one.table.names:
        pairs = list(zip(incomes[0].values, costs[0].values, strict=True))
        if all(None in pair for pair in pairs):  # a row for either
            pairs = [(earned or 0, spent or 0) for earned, spent in pairs]
        _put(one, PROFIT, [None if None in pair else pair[0] - pair[1] for pair in pairs])
    one.note_computed(PROFIT, f"{incomes[0].name} minus {costs[0].name}")
    if not one.says("year", "month", "season"):
        one.put(_OF_TIME, "")
    one.put(_EARNED, PROFIT if _OF_EACH.search(one.question) else f"total {PROFIT}")


def _charge_and_payment(table: TypedTable) -> tuple[Column, Column] | None:
    """The column of what is to be paid and that of what was paid of it, as amounts."""
    measures = [column for column in table.columns if column.is_measure and column.name != UNPAID]
    payments = [column for column in measures if _PAYMENTS & column.senses]
    charges = [column for column in measures if column not in payments and (PRICES | _WHOLES) & column.senses]
    if len(payments) != 1 or len(charges) != 1 or any(_DEBTS & column.senses for column in measures):
        return None
    pairs = [pair for pair in zip(charges[0].values, payments[0].values, strict=True) if None not in pair]
    return (charges[0], payments[0]) if any(paid < due for due, paid in pairs) else None


def _whole_and_part(table: TypedTable) -> tuple[Column, Column] | None:
    """The column of a whole and that of its part, nowhere larger; None where there is no such pair, or a column that
    says what remains.
    """
    if any({"left", "remaining", "rest", "free"} & column.senses for column in table.columns):
        return None
    measures = [column for column in table.columns if column.is_measure]
    parts = [column for column in measures if _PARTS & {*column.words, *map(stem, column.words)}]
    if len(parts) != 1:
        return None
    wholes = [column for column in measures if column is not parts[0] and _WHOLES & set(map(stem, column.words))]
    if len(wholes) != 1 or parts[0].suffix != wholes[0].suffix or parts[0].prefix != wholes[0].prefix:
        return None
    pairs = zip(wholes[0].values, parts[0].values, strict=True)
    is_within = all(total >= used for total, used in pairs if None not in (total, used))
    return (wholes[0], parts[0]) if is_within else None


def _none(one: Rewording) -> None:
    """ "Who hasn't taken a day off?", beside a column of numbers with a 0: where it is 0."""
    found = _NOT_ANY.search(one.question)
    if found is None:
        return
    said = stem(found["verb"].lower())
    told = [column for column in one.table.columns if column.type in ("flag", "date")]
    if any(related(said, word) for column in told for word in column.words):
        return  # "who hasn't paid", beside the day of each payment
    measures = [column for column in one.table.columns if column.is_measure]
    held = [column for column in measures if said in map(stem, column.words)]
    if not held and len(measures) > 1:
        nearness = closeness(said, [" ".join(column.words) for column in measures])
        held = [column for column, near in zip(measures, nearness, strict=True) if near >= MIN_SIMILARITY]
    if len(held) == 1 and min(held[0].present) >= 0 and not re.match(r" \d", one.question[found.end() :]):
        one.put(_NOT_ANY, f"has {held[0].name} at most 0", f"I took “{{said}}” to mean {held[0].name} 0.")


def _add(
    one: Rewording, name: str, first: Column, second: Column, computed: Callable[[float, float], float | None]
) -> None:
    pairs = zip(first.values, second.values, strict=True)
    _put(one, name, [None if None in pair else computed(*pair) for pair in pairs])


def _put(one: Rewording, name: str, values: list[float | None]) -> None:
    cells = ["" if value is None else f"{value:.4g}" for value in values]
    one.add(Column(name, "number", cells, values, computed=True))
