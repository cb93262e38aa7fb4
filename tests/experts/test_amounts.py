"""Sums and differences of the amounts in a quoted line."""

import pytest

from hugginggpt.experts.amounts import is_over_several, with_sums, worked_out
from hugginggpt.experts.text import answer

RISE = "From November your weekly amount will rise from £182.40 to £191.75."


@pytest.mark.parametrize(
    ("question", "line", "told"),
    [
        ("how much more is that?", RISE, "191.75 - 182.40 = £9.35"),
        ("By how much does it go up?", RISE, "191.75 - 182.40 = £9.35"),
        ("how much will I get?", RISE, ""),
        (
            "what does it cost altogether?",
            "The tiles will cost 165 pounds and the gutter 90 pounds, plus 120 pounds for the scaffolding.",
            "165 + 90 + 120 = 375 pounds",
        ),
        ("what is it in total?", "The fee is £1,200 and the deposit €300.", ""),
        ("what is it in total?", "Fee £20, postage £5, total £25", ""),
        ("how much cheaper is Dolan?", "Dolan for 4,900 euro and Hayes for 5,350 euro.", "5,350 - 4,900 = 450 euros"),
        ("what is the difference?", "It costs £3, £4 or £5.", ""),
        ("what do they cost together?", "Adults pay £9, children £4.", ""),
        ("By how much does it go up?", "It rises from 48 to 52 pounds.", "52 - 48 = 4 pounds"),
        ("By how much does it go up?", "It rises from 48 to 52 pounds; half plots stay at 26 pounds.", ""),
        ("what is it in total?", "They are 165, 90 and 120 pounds.", ""),
        ("what do two of them cost altogether?", "The lamp is £9 and the shade £4.", ""),
    ],
)
def test_amounts_of_one_currency_are_computed_where_that_is_asked(question: str, line: str, told: str) -> None:
    assert worked_out(question, line) == told


def test_the_line_stays_beside_the_result() -> None:
    read = {"answer": f"It says: “{RISE}”", "closest": RISE, "score": 0.6, "found": False}
    assert with_sums("how much more?", read)["answer"] == f"191.75 - 182.40 = £9.35 (It says: “{RISE}”)"
    assert with_sums("who?", read) == read


@pytest.mark.parametrize(
    ("question", "line", "several"),
    [
        ("what do I owe all in all?", "The cellar is 40 pounds a month, paid with the rent.", True),
        ("which bus takes the least time?", "Bus 7: 35 minutes.", True),
        ("who was the youngest?", "Ida was the youngest of them.", False),
        ("what is it in total?", "Total: 84 pounds", False),
        ("when must I leave at the latest?", "Leave by ten.", False),
        ("what do both cost altogether?", "The lamp is 9 pounds and the shade 4 pounds.", False),
    ],
)
def test_a_line_does_not_tell_what_several_come_to(question: str, line: str, several: bool) -> None:
    assert is_over_several(question, line) is several


def test_such_a_line_is_offered_as_a_hint() -> None:
    found = answer("Which bus takes the least time?", "Bus 7 takes 35 minutes. Bus 9 takes 20 minutes.")
    assert (
        found["answer"].startswith("Not sure; perhaps: “Bus")
        and not found["found"]
        and "not worked out" in found["note"]
    )
