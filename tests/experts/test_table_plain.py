"""What a message says beside its question to a table is left out, unless the table knows it."""

import pytest

from hugginggpt.experts.table_columns import typed
from hugginggpt.experts.table_plain import plainly

_TABLE = typed({
    "Datum": ["02.10.2026", "05.10.2026"],
    "Zweck": ["Kuchen", "Saal"],
    "Einnahme": ["184,50", ""],
    "Ausgabe": ["", "120,00"],
})  # fmt: skip
_TIMES = typed({"name": ["Zoe", "Ravi"], "time": ["08:00", "09:00"], "event": ["100 free", "50 back"], "u": ["1", "2"]})


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("till sheet attached. total income pls", "total income pls"),
        ("a chart of the costs for our committee", "a chart of the costs"),
        ("who paid n how much", "who paid and how much"),
        ("Was hat unser Verein eingenommen?", "Was haben wir eingenommen?"),
        ("what is left after our costs?", "total Einnahme minus total Ausgabe?"),
        ("total expenditure", "total expenses"),
        ("which Zweck made the biggest profit", "which Zweck made the biggest Einnahme minus Ausgabe"),
        ("total income, my wife wants to know", "total income"),
        ("which are below 10, need to order more", "which are below 10"),
        ("income in october so I can tell the mayor", "income in october"),
        ("income for my stepbrother's supplier", "income for my stepbrother's supplier"),
    ],
)
def test_what_says_nothing_of_the_table_is_left_out(said: str, plain: str) -> None:
    assert plainly(_TABLE, said) == plain


def test_a_distance_is_no_bound_and_a_known_word_is_kept() -> None:
    assert plainly(_TIMES, "who was quickest over 100 free today") == "who was quickest in 100 free"
    assert plainly(_TIMES, "the lowest u over 100") == "the lowest u over 100"
