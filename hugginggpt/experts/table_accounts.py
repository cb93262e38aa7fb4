"""Income and expenses: the words of columns, sheets and cells for them, and for what is left of one after the other."""

from __future__ import annotations

import re

from hugginggpt.experts.table_columns import Column

INCOME = frozenset([
    "income", "takings", "revenue", "earning", "earnings", "receipts", "turnover", "sales", "credit", "einnahme",
    "einnahmen", "erlös", "recette", "recettes", "ingreso", "ingresos", "ventas", "收入"
])  # fmt: skip
"""Words for all that comes in."""
CAME_IN = INCOME | frozenset([
    "fee", "donation", "dues", "membership", "member", "subscription", "collected", "receipt", "beitrag", "beiträge",
    "cuota", "cotisation"
])  # fmt: skip
"""Those, and words for what is a part of it."""
EXPENSES = frozenset([
    "expense", "expenses", "spending", "cost", "costs", "outgoing", "outgoings", "outlay", "outlays", "debit",
    "ausgabe", "ausgaben", "kosten", "dépense", "dépenses", "gasto", "gastos", "支出"
])  # fmt: skip
"""Words for all that goes out."""
WENT_OUT = EXPENSES | frozenset(["spent", "spend", "bill", "payment", "out"])
"""Those, and words for what is a part of it."""
LEFT = re.compile(
    r"\b(?:surplus|(?:net |overall )?profits?|net (?:income|result|gain)|deficit|"
    r"(?:what|how much)(?: money)?(?:['’]?s| is| was| do (?:we|i) have| have (?:we|i) got| did we have| remains)"
    r"(?: (?:still|now|there))? (?:left|remaining|over)(?: over)?(?! of\b)|what remains|"
    r"gewinn|überschuss|überschuß|saldo|bleibt\b.{0,40}\bübrig|übrig|"
    r"bénéfice|excédent|solde|(?:que|qu['’]est-ce qu['’]il|combien)(?: nous)? reste(?:-t-il)?|"
    r"ganancia|beneficio|superávit|(?:cu[aá]nto|qu[eé])(?: dinero)?(?: nos)? (?:sobra|queda))\b|"
    r"盈余|利润|结余|还剩|剩下",
    re.I,
)
"""What asks how much is left of the income after the expenses."""


def is_income(column: Column) -> bool:
    return column.is_measure and not column.computed and bool(INCOME & column.senses)


def is_expense(column: Column) -> bool:
    return column.is_measure and not column.computed and bool(EXPENSES & column.senses)
