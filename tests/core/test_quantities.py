"""Numbers and times as people write them."""

import pytest

from hugginggpt.core.quantities import clock, number, seconds


@pytest.mark.parametrize(
    ("words", "value"),
    [("1.5 times", 1.5), ("2,5", 2.5), ("half the size", 0.5), ("a couple of", 2), ("thirty", 30), ("nothing", None)],
)
def test_numbers(words: str, value: float | None) -> None:
    assert number(words) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("0:30", 30), ("1:02:03", 3723), ("1:05.5", 65.5), ("90 s", 90), ("two minutes", 120), ("half a minute", 30),
        ("1 minute and 10 seconds", 70), ("1m30s", 90), ("a minute and a half", 90), ("500 ms", 0.5), ("the dog", None),
    ],
)  # fmt: skip
def test_times(words: str, value: float | None) -> None:
    assert seconds(words) == value


def test_times_are_shown_as_clocks() -> None:
    assert [clock(value) for value in (7, 65.52, 3723)] == ["0:07", "1:05.5", "1:02:03"]
