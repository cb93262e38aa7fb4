"""The totals of several bills are added and compared by what their readers recorded, or not at all."""

import pytest

from hugginggpt.answers import totals
from hugginggpt.answers.evidence import Evidence
from hugginggpt.core.questions import Objects, Question, Relation


def bill(name: str, amount: float, due: str = "", day: str = "", unit: str = "£") -> Evidence:
    told = {"amount": amount, "unit": unit, "written": f"{unit}{amount:,.2f}"}
    if due:
        told |= {"due": due, "due_day": day}
    return Evidence(0, name, name, "answer", {"answer": "", "bill": told})


BILLS = [bill("a.txt", 306, "2 July 2026", "2026-07-02"), bill("b.png", 1546, "22 June 2026", "2026-06-22")]


def asked(what: str, relation: Relation | None = None) -> Question:
    return Question("totals", (Objects(what),), (0,), relation=relation)


@pytest.mark.parametrize(
    ("question", "told", "value"),
    [
        (asked("sum"), "£1,852.00 in all: £306.00 (a.txt) + £1,546.00 (b.png).", 1852),
        (asked("total", "<"), "a.txt has the lowest total: £306.00; b.png: £1,546.00 (£1,240.00 more).", ("a.txt",)),
        (asked("total", ">"), "b.png has the highest total: £1,546.00; a.txt: £306.00 (£1,240.00 less).", ("b.png",)),
        (asked("due", "<"), "b.png has to be paid first: by 22 June 2026 (£1,546.00); a.txt: 2 July 2026.", ("b.png",)),
        (asked("difference"), "£1,240.00: £1,546.00 (b.png) - £306.00 (a.txt).", None),
        (asked("list"), "Of each:\n- a.txt: due 2 July 2026, £306.00\n- b.png: due 22 June 2026, £1,546.00", None),
    ],
)
def test_what_the_totals_come_to(question: Question, told: str, value: object) -> None:
    assert totals.sentence(question, BILLS) == told
    assert totals.value_of(question, BILLS) == value


def test_nothing_is_added_or_chosen_where_a_total_is_missing() -> None:
    sources = [*BILLS, Evidence(2, "c.txt", "c.txt", "answer", {"answer": "perhaps"})]
    for question in (asked("sum"), asked("total", "<"), asked("due", "<")):
        assert totals.value_of(question, sources) is None
        assert totals.sentence(question, sources).startswith("I do not find the total of c.txt, so I cannot tell.")


def test_pounds_and_euros_are_neither_added_nor_compared() -> None:
    sources = [BILLS[0], bill("d.txt", 5, unit="€")]
    assert totals.value_of(asked("total", "<"), sources) is None
    assert totals.sentence(asked("sum"), sources).startswith("These cannot be compared")


def test_equal_totals_have_no_cheapest() -> None:
    sources = [BILLS[0], bill("e.txt", 306)]
    assert totals.sentence(asked("total", "<"), sources).startswith("They have the same total")
