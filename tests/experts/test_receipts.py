"""What is asked of receipts, menus, quotes and letters beyond one line: named by meaning, below a heading, in percent."""

from __future__ import annotations

import pytest

from hugginggpt.core.results import ANSWERS
from hugginggpt.experts import affected, arrivals, bar_charts, listed, listed_questions, worked_questions
from tests.experts.test_boards import page

RECEIPT = """HARTLEY FOODS
09/10/2025  17:38
2 x Milk 2L @ 1.65  3.30
Wholemeal bread  1.45
Cheddar 400g  4.20
Washing powder  6.75
Dark chocolate  2.10
TOTAL GBP  17.80
CASH  20.00
CHANGE  2.20
VAT 20% incl.  1.48
"""
MENU = """Starters
Tomato soup (v)  5.20
Beef carpaccio  11.90
Desserts
Tiramisu  6.20
Lemon sorbet  4.60
(v) vegetarian · Prices in euros
"""
QUOTE = """Boiler  £1,180.00
Labour  £820.00
Total  £2,000.00
A deposit of 25 % of the total is due when you accept. Work can start three weeks after that.
"""


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (
            RECEIPT,
            "The cheese and the chocolate weren't for me. What do the two come to?",
            "Cheddar 4.20 + Dark chocolate",
        ),
        (RECEIPT, "how much was the cheese?", "Cheddar: 4.20"),
        (RECEIPT, "what did the bread cost", "Wholemeal bread: 1.45"),
        (RECEIPT, "does it add up?", "Yes: 3.30 + 1.45 + 4.20 + 6.75 + 2.10 = 17.80"),
        (RECEIPT, "what does one carton of milk work out at", "1.65 each"),
        (RECEIPT, "when did i go shopping there?", "09/10/2025, 17:38"),
        (MENU, "what desserts do they have?", "Tiramisu 6.20; Lemon sorbet 4.60"),
        (MENU, "which starters are vegetarian", "- Tomato soup (v) 5.20"),
        (QUOTE, "how much do they want up front?", "£500.00: 25 % of £2,000.00"),
    ],
)
def test_what_several_words_of_a_list_mean(text: str, question: str, told: str) -> None:
    given = worked_questions.answer(question, text, lambda part: {"answer": "", "found": False}, "{}")
    assert given and given["answer"].startswith(told)


@pytest.mark.parametrize("question", ["what did I pay for the lobster", "how much is the delivery"])
def test_what_is_not_on_a_list_has_no_price(question: str) -> None:
    assert listed_questions.answer(question, RECEIPT) is None


def test_a_tax_with_its_rate_is_no_item() -> None:
    assert listed.is_tax("VAT 20% incl.")
    assert not listed.is_tax("Tax advice")


def test_a_bare_price_is_told_with_its_line() -> None:
    value = ANSWERS.parse([{"answer": "13.50", "score": 0.66, "entry": "Mushroom risotto: 13.50"}])
    assert ANSWERS.describe(value) == "Mushroom risotto: 13.50"


NOTICE = """AVISO A LOS VECINOS
Corte de agua programado el jueves 13 de noviembre.
Calles afectadas:
• Calle del Olmo (números 1 a 48)
• Calle San Bernardo
"""
LETTER = """We have booked your procedure for Tuesday 25 November 2025 at 08:40.
Please report to the desk of the Endoscopy Unit 20 minutes before.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿Mi calle es la calle San Bernardo, me afecta?", "Sí: “Calle San Bernardo”"),
        ("am I affected? I live in Calle del Olmo 60", "No: “Calle del Olmo"),
        ("am I affected? my street is Mill Lane", ""),
        ("¿Qué día cortan el agua?", ""),
    ],
)
def test_whether_a_notice_is_about_a_street(question: str, told: str) -> None:
    given = affected.answer(question, NOTICE)
    assert given.startswith(told) if given and told else given is None and not told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When must Gordon be at the desk, not the procedure, the desk?", "At 08:20, 20 minutes before 08:40."),
        ("what time do i have to be there", "At 08:20"),
        ("when is the procedure", ""),
    ],
)
def test_by_when_to_be_there_follows_from_another_time(question: str, told: str) -> None:
    given = arrivals.answer(question, LETTER)
    assert given.startswith(told) if given and told else given is None and not told


def test_the_best_bar_is_held_against_the_worst_and_a_missing_month_is_said() -> None:
    chart = page("90 | 120 | 60\nJan | Feb | Mar")
    asked = "Which month was the best and how many more than in the worst one?"
    assert bar_charts.answer(asked, chart) == "February: 120, 60 more than March (60), which has the least."
    assert str(bar_charts.answer("And how many in August?", chart)).startswith("August is not on the chart")
