"""Questions over several lines of a list: menus, receipts, price lists, recipes."""

import pytest

pytest.importorskip("spacy")

from hugginggpt.core.documents import DocumentText, Part, Table
from hugginggpt.experts import listed, listed_questions, text

BAKERY = """Golden Crust Bakery
Bread
White loaf £2.40
Rye loaf £3.10 (from May £3.30)
Baguette ..... £1.80

Cakes
Carrot cake slice £2.90
Apple pie slice £3.20
"""
SLIP = """CORNER SHOP
12/03/2025 14:22
2 x Milk 1.20      2.40
Bread               1.90
Cheddar 400g        4.35
TOTAL              £8.65
CASH               20.00
CHANGE             11.35"""
FANS = """Model  Power  Noise
Breeze  40 W  38 dB
Storm  75 W  53 dB
Whisper  35 W  29 dB"""
SALON = """Damen
Waschen und Schneiden 38,00 €
Färben 55,00 €
Herren
Schneiden 24,00 €
Bart 12,00 €"""
CAMP = """Pitch per night 18.00 EUR
Adult per night 7.50 EUR
Child (4-14) per night 4.00 EUR
Dog 3.00 EUR"""


def test_a_line_is_a_record_with_its_heading_its_number_and_its_values() -> None:
    breads = listed.records(BAKERY)
    assert [(one.label, one.section) for one in breads][:2] == [("White loaf", "Bread"), ("Rye loaf", "Bread")]
    assert [one.values[-1].number for one in breads] == [2.4, 3.1, 1.8, 2.9, 3.2]
    milk, *_, change = listed.records(SLIP)
    assert (milk.label, milk.count, milk.each, milk.values[-1].number) == ("Milk", 2, 1.2, 2.4)
    assert change.is_sum
    assert [value.column for value in listed.records(FANS)[0].values] == ["Power", "Noise"]
    assert (
        listed.records("It rained for most of the day, and nobody paid the 20 pounds that were due for the boats.")
        == ()
    )


@pytest.mark.parametrize(
    ("written", "number"), [("1,234.50", 1234.5), ("3,50", 3.5), ("1.200", 1200), ("½", 0.5), ("1/4", 0.25)]
)
def test_numbers_as_people_write_them(written: str, number: float) -> None:
    assert listed.number_of(written) == number


@pytest.mark.parametrize(
    ("page", "question", "told"),
    [
        (BAKERY, "whats the cheapest bread?", "Baguette: £1.80 (the lowest of 3 lines)"),
        (BAKERY, "what is the most expensive cake", "Apple pie slice: £3.20 (the highest of 2 lines)"),
        (BAKERY, "how much for 2 baguettes and a carrot cake", "2 × Baguette £1.80 + Carrot cake slice £2.90 = £6.50"),
        (BAKERY, "what costs less than 2.50", "White loaf £2.40; Baguette £1.80 (2 of 5 below 2.5)"),
        (BAKERY, "which is dearer, the rye or the white loaf?", "Rye loaf: £3.10 (the highest of 2 lines)"),
        (SLIP, "most expensive thing i bought", "Cheddar: 4.35 (the highest of 3 lines)"),
        (SLIP, "how much was one milk", "1.20 each (2 x Milk 1.20      2.40)"),
        (SLIP, "what did i pay for bread and milk", "Bread 1.90 + 2 × Milk 1.20 = 4.30"),
        (SLIP, "did they add it up right?", "Yes: 2.40 + 1.90 + 4.35 = £8.65, as it says."),
        (SLIP, "how much more was the cheddar than the bread?", "2.45 (Cheddar 4.35 - Bread 1.90)"),
        (SLIP, "split it 4 ways", "£8.65 / 4 = £2.16"),
        (SLIP, "how many items did I buy", "4 in 3 lines: Milk, Bread, Cheddar"),
        (FANS, "which model makes the least noise?", "Whisper: 29 dB (the lowest of 3 lines)"),
        (FANS, "what is the average power of the models?", "(40 + 75 + 35) / 3 = 50 W"),
        (SALON, "Was ist am teuersten?", "Färben: 55,00 € (the highest of 4 lines)"),
        (SALON, "Was kostet das günstigste bei den Herren?", "Bart: 12,00 € (the lowest of 2 lines)"),
    ],
)
def test_what_several_lines_come_to(page: str, question: str, told: str) -> None:
    assert listed_questions.answer(question, page) == {"answer": told}


def test_a_wrong_total_is_told_with_what_the_lines_come_to() -> None:
    told = listed_questions.answer("is the total correct?", SLIP.replace("£8.65", "£9.65"))
    assert told is not None and told["answer"].startswith("No: ") and "8.65, but the total says £9.65" in told["answer"]


@pytest.mark.parametrize(
    ("page", "question"),
    [
        (BAKERY, "when do they open?"),
        (BAKERY, "price of rye from May"),
        (BAKERY, "which is the cheaper one?"),
        (BAKERY, "desserts 3 for 2?"),
        (SLIP, "what was the second most expensive item"),
        (CAMP, "what do we pay for 2 adults and a dog for 3 nights?"),
        (CAMP, "¿cuánto cuesta la entrada para los niños?"),
        ("Dear all, the trip costs £14.50, which covers the coach (£9).", "what costs less than 10?"),
    ],
)
def test_what_the_lines_do_not_tell_is_left_to_others(page: str, question: str) -> None:
    assert listed_questions.answer(question, page) is None


@pytest.mark.parametrize(
    ("page", "question"),
    [
        (BAKERY, "which gluten-free cake is the cheapest?"),  # of that it says nothing
        (
            f"{BAKERY}Only today: our famous chocolate tart for no more than £1 each",
            "the cheapest?",
        ),
    ],
)
def test_what_a_question_or_a_list_leaves_open_is_only_perhaps(page: str, question: str) -> None:
    told = listed_questions.answer(question, page)
    assert told is not None and told["found"] is False and told["answer"].startswith("Not sure; perhaps: ")


def test_a_table_of_a_document_is_read_once() -> None:
    table = Table("table", "1", (("Extra", "Price"), ("Helmet", "12 euros"), ("Rain cover", "8 euros")))
    page = DocumentText.of([Part("", "", "Extra | Price\nHelmet | 12 euros\nRain cover | 8 euros")], tables=[table])
    told = listed_questions.answer("the cheapest extra?", page)
    assert told == {"answer": "Rain cover: 8 euros (the lowest of 2 lines)"}


def test_a_text_is_asked_so() -> None:
    assert text.answer("what is the cheapest bread?", BAKERY)["answer"].startswith("Baguette: £1.80")


def test_a_thing_whose_name_begins_like_a_sum_is_a_thing() -> None:
    curtains, montana, total = listed.records("Net curtains £12.00\nMontana cheese £4.50\nTotal £16.50")
    assert (curtains.is_sum, montana.is_sum, total.is_sum) == (False, False, True)
