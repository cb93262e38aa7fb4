"""Calculations as they are written."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hugginggpt.core.arithmetic import calculated


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("191.75 - 182.40", Fraction("9.35")),
        ("2 * (3 + 4.5) / 3", Fraction(5)),
        ("-4 + 1", Fraction(-3)),
        ("0.1 + 0.2", Fraction("0.3")),
        ("18 / 4", Fraction("4.5")),
    ],
)
def test_a_calculation_has_its_exact_value(written: str, value: Fraction) -> None:
    assert calculated(written) == value


@pytest.mark.parametrize(
    "written",
    ["1e3000000", "1_0", "0x1f", "1j", "1\n+ 1", "", "1 +", "1 / 0", "2 ** 99999", "abs(1)", "a + 1", "1 if 1 else 2", "'1' * 9", "1 < 2", "True + 1", "1 +" * 99],
)  # fmt: skip
def test_anything_else_is_none(written: str) -> None:
    with pytest.raises(ValueError, match=r"calculat"):
        calculated(written)
