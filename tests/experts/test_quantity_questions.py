"""Questions whose answer follows from several quantities or times of a text (no weights but the sentence encoder's)."""

from __future__ import annotations

import pytest

from hugginggpt.experts import checks, elapsed, quantities, quantity_questions, worked_questions

MINUTES = """Minutes of the Rowing Club
Leo Brandt reported a balance of £3,460.50. The insurance of £610 falls due in June.
The new double costs £5,800. The town gives a grant of £2,000 and the supporters' club pays £1,250.
Tickets are £9 for adults and £4 for children. We expect about 60 adults and 25 children.
The general meeting can decide only if at least 30 members are present.
"""
HENS = """2 March: Bought 12 hens from Mr Alder for 9 pounds each.
15 March: The first eggs, 7 in all.
28 March: A fox got into the run and took 3 hens.
10 April: 54 eggs this week. Sold 40 of them to the neighbours at 30 pence each.
"""
HEATING = "Your monthly prepayment was £68.\nFrom 1 February we therefore raise your prepayment to £85 a month."
FINE = (
    "You drove 61 km/h where 50 km/h are allowed. The fine is 40 euros. If it is not paid in time, 25 euros are added."
)
LEASE = "The rent is £845 per month.\nThe tenant pays a deposit of £975.\nA lost key is charged at £18."
RECEIPT = "Potting soil   11.80\nWatering can   14.99\nGloves   4.49\nTOTAL GBP   31.28"
FOX = (
    "In 1911 a clockmaker called Emil Hartog moved into number nine. He was thirty-four years old. "
    "Twelve years later Emil fell ill, and Lotte ran the shop alone."
)
MENU = "Starters\nBruschetta (v)   6.50\nMain courses\nCarbonara   13.20\nRisotto (v)   14.50\n(v) = vegetarian."


@pytest.mark.parametrize(
    ("text", "question", "begins"),
    [
        (MINUTES, "what is left in the bank once the insurance is paid?", "3,460.50 - 610 = £2,850.50"),
        (MINUTES, "How much of the boat do we have to pay ourselves? The double I mean.", "5,800 - 2,000 - 1,250 = £2,550"),
        (MINUTES, "if everyone comes we expect, what do the tickets bring in", "60 x £9 + 25 x £4 = £640"),
        (HENS, "how many hens do i still have?", "12 - 3 = 9 hens"),
        (HENS, "how many eggs did we keep that week", "54 - 40 = 14 eggs"),
        (HENS, "what did the hens cost me", "12 x 9 pounds = 108 pounds"),
        (HENS, "how much did I make with the eggs in April?", "40 x 30 pence = £12.00"),
        (HEATING, "how much more is it each month from february?", "85 - 68 = £17"),
        (HEATING, "how much more is that a month, and over a year?", "85 - 68 = £17 a month; 12 x £17 = £204 a year"),
        (FINE, "how many km/h too fast is that", "61 - 50 = 11 km/h"),
        (FINE, "what if i forget to pay, what will i owe altogether", "40 + 25 = 65 euros"),
        (LEASE, "How much of the deposit is left if they keep one months rent?", "975 - 845 = £130"),
        ("The rent is £95 a month.\nThe deposit is two months' rent.", "how much is the deposit?", "2 x £95 = £190"),
        ("Ten lessons cost £85 per child.", "whats a single lesson then", "85 / 10 = £8.50 each"),
        (RECEIPT, "if i take the watering can back, what did I spend then", "16.29 (31.28 - 14.99 Watering can)"),
        (RECEIPT, "and how much is it without the gloves", "26.79 (31.28 - 4.49 Gloves)"),
        ("We take 8 percent off the price of £1,050.", "what do we pay with the 8 percent off?", "£966 (£1,050 - 8 %"),
        ("10 May: Late frost. Lost 5 tomato plants.", "I sowed 24, so how many were left after that", "24 - 5 = 19"),
    ],
)  # fmt: skip
def test_what_several_quantities_come_to_is_worked_out(text: str, question: str, begins: str) -> None:
    told = quantity_questions.answer(question, text)

    assert told and told.startswith(begins)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (MINUTES, "What does the boat cost?"),
        (MINUTES, "how much more will the tickets be"),  # nothing says what they were
        (MINUTES, "how much is left once the new roof is paid?"),  # of no roof the text speaks
        (HENS, "how many hens did i buy"),
        (HENS, "how many ducks are left?"),
        (LEASE, "How much notice do I have to give?"),
        (RECEIPT, "what did I pay without the flowers"),
        (FINE, "how much is the fine?"),
        ("Ten lessons cost £85 per child.", "how long is a single lesson"),
    ],
)
def test_nothing_is_worked_out_where_an_operand_is_not_told(text: str, question: str) -> None:
    assert quantity_questions.answer(question, text) is None


@pytest.mark.parametrize(
    ("text", "question", "begins"),
    [
        ("Off on Tuesday from 9:00 am to 2:30 pm.", "for how many hours is it off?", "5 hours 30 minutes"),
        ("The bus leaves at 8:45, and we are back at about 15:30.", "how long are they away", "6 hours 45 minutes"),
        ("Beginners: 16:30 to 17:15\nImprovers: 17:00 to 18:00", "how long is it for the beginners", "45 minutes"),
        ("Tuesday 8:00 - 12:00, 15:00 - 18:00\nFriday 8-13", "how many hours on tuesdays", "7 hours"),
        ("07:10 07:55\n09:30 10:15\n12:00 12:45", "how long does it take over?", "45 minutes each"),
        (FOX, "In which year was Emil born?", "1877 or the year before"),
    ],
)
def test_how_long_something_takes_follows_from_its_ends(text: str, question: str, begins: str) -> None:
    told = elapsed.answer(question, text)

    assert told and told.startswith(begins)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Bake for 25 minutes. Open from 8:00 to 12:00.", "how long do i bake it"),
        ("Open from 8:00 to 12:00.", "how long is the warranty?"),
        ("Day ticket 6.20 euros, single ticket 2.60 euros.", "how long does the trip take?"),  # prices are no times
        ("Beginners: 16:30 to 17:15\nImprovers: 17:00 to 18:00", "how long does it take"),
    ],
)
def test_no_length_is_told_that_another_sentence_may_tell(text: str, question: str) -> None:
    assert elapsed.answer(question, text) is None


@pytest.mark.parametrize(
    ("text", "question", "begins"),
    [
        (MINUTES, "There were 27 of us at the general meeting. Could we decide anything?", "No: 27 is less than 30"),
        ("5. A quorum is 20 members.", "We were 21 at the meeting. Was that enough?", "Yes: 21 is not less than 20"),
        ("The hut sleeps up to 12 people. Bring at least two blankets.", "we are 14, is that too many", "Yes: 14 is more"),
        ("1) 34 + 27 = 61\n2) 12 x 7 = 82\n3) 96 : 8 = 12", "which one did she get wrong?", "“12 x 7 = 82” is wrong: it is 84"),
        ("34 + 27 = 61\n12 x 7 = 84", "are these right?", "All 2 are right."),
        (MENU, "which of these can a vegetarian eat", "- Bruschetta (v) 6.50\n- Risotto (v) 14.50"),
        (MENU, "which main courses are vegetarian", "- Risotto (v) 14.50"),
        (MENU, "what is not vegetarian", "- Carbonara 13.20"),
    ],
)  # fmt: skip
def test_something_is_held_against_what_a_text_says(text: str, question: str, begins: str) -> None:
    told = checks.answer(question, text)

    assert told and told.startswith(begins)


@pytest.mark.parametrize(
    "question", ["is it enough?", "who is the chair?", "which line is wrong?", "we are 14, who sings?"]
)
def test_nothing_is_held_against_a_text_without_need(question: str) -> None:
    assert checks.answer(question, MINUTES) is None


def test_dates_clock_times_and_phone_numbers_are_no_quantities() -> None:
    found = quantities.read("On 9 May 2026 at 18:30 ring 01632 960 451; it costs 12 euros for 3 nights.")

    assert [one.written for sentence in found for one in sentence.quantities] == ["12 euros", "3 nights"]


def test_a_class_pays_the_price_of_a_child_for_each() -> None:
    told = worked_questions.answer(
        "We're 26 in the class. How much is that together?", "The trip costs £14 per child.", lambda part: {}, "{}"
    )

    assert told and told["answer"].startswith("26 x £14 = £364")


@pytest.mark.slow
def test_the_year_follows_from_one_that_is_told_before() -> None:
    told = elapsed.answer("what year did Emil fall ill", FOX)

    assert told and told.startswith("1911 + 12 = 1923")
