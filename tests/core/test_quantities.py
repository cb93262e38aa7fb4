"""Numbers and times as people write them."""

import pytest

from hugginggpt.core.operation_rows import OPERATIONS
from hugginggpt.core.quantities import clock, fraction, number, seconds
from hugginggpt.core.task_types import TaskType


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


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("half the size", 1 / 2), ("two thirds", 2 / 3), ("Three-quarters of it", 3 / 4), ("2/3", 2 / 3), ("a tenth", 1 / 10),
        ("behalf", None), ("1/0", None), ("1/2/2026", None), ("0.5", None),
    ],
)  # fmt: skip
def test_fractions(words: str, value: float | None) -> None:
    assert fraction(words) == value


@pytest.mark.parametrize("words", ["1" * 400, "1." * 100_000, "9" * 400 + " s", "1 s " * 50_000])
def test_numbers_that_nobody_means_are_none_or_small(words: str) -> None:
    """Found or not, at once: a row of digits is not tried from each of them."""
    assert (number(words) or 0) < 1e9 and (seconds(words) or 0) < 1e9


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_the_words_of_operations_are_looked_for_in_time_that_grows_with_the_text(row: TaskType) -> None:
    """Of 30,000 digits: tried from each of them to the end, they would take minutes."""
    for words in ("1" * 30_000, "1." * 15_000, "very " * 6_000, "1 s " * 6_000):
        for arg in row.args:
            assert len(arg.found_in(f"cut a.mp3 to {words}")) < 40_000


def test_times_are_shown_as_clocks() -> None:
    assert [clock(value) for value in (7, 65.52, 3723)] == ["0:07", "1:05.5", "1:02:03"]
