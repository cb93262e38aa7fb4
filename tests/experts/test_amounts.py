"""Sums and differences of the amounts in a quoted line."""

import pytest

from hugginggpt.experts.amounts import with_sums, worked_out

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
        ("what do two of them cost altogether?", "The lamp is £9 and the shade £4.", ""),
    ],
)
def test_amounts_of_one_currency_are_computed_where_that_is_asked(question: str, line: str, told: str) -> None:
    assert worked_out(question, line) == told


def test_the_line_stays_beside_the_result() -> None:
    answer = {"answer": f"Probably: “{RISE}”", "closest": RISE, "score": 0.6, "found": False}
    assert with_sums("how much more?", answer)["answer"] == f"191.75 - 182.40 = £9.35 (Probably: “{RISE}”)"
    assert with_sums("who?", answer) == answer
