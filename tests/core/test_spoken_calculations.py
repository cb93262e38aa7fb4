"""Calculations that are asked for in a sentence."""

import pytest

from hugginggpt.core.arithmetic import calculated
from hugginggpt.core.spoken_calculations import calculation_in, in_words


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("How much is 8 percent of 1,250?", "100"),
        ("7 Prozent von 300", "21"),
        ("combien font 9 fois 12,5 ?", "112.5"),
        ("¿Cuánto es 144 dividido entre 12?", "12"),
        ("300的25%是多少", "75"),
        ("(4 + 5) * 3 =", "27"),
        ("Please divide 100 by 3", "about 33.33"),
        ("Share 45 between 9 kids", "5"),
        ("There were 6 people and it came to $81.60, what does each owe?", "13.6"),
        ("put a 10% tip on 56.40", "5.64"),
        ("add 15 % tip to 40", "46"),
        ("the coat is 120 with 30 percent off", "84"),
        ("12345678901234567890 plus 1", "12,345,678,901,234,567,891"),
    ],
)
def test_a_calculation_in_a_sentence_is_exact(words: str, value: str) -> None:
    assert in_words(calculated(calculation_in(words))) == value


@pytest.mark.parametrize(
    "words",
    [
        "What happened in 1990 and 2001?",
        "is 2024 minus 10 better",  # asks for more than a calculation
        "12:30 plus 4",
        "2026-11-27",
        "make it 20 % brighter and 6 dB louder",
        "split it into 3 parts of 30 seconds",
        "how many dogs are there?",
        "1,20,3 plus 4",  # may be read in two ways
        "5 / 0",
        "0$0",
        "0#0",
    ],
)
def test_other_sentences_are_no_calculations(words: str) -> None:
    assert calculation_in(words) == ""
