"""What is worked out from the lines of bills, price lists, plans and recipes, with the calculation shown."""

import pytest

pytest.importorskip("spacy")

from hugginggpt.experts import bills, line_sums, rates, recipes, stated_numbers, worked_questions

SLIP = """PAWS & CLAWS
Cat litter 10 l  8.99
2 x Tuna pouches 3.25  6.50
Subtotal  15.49
TOTAL GBP  14.49
VISA  14.49"""
ROOF = """Dachdecker Brandt GmbH
Dachrinne erneuern  640,00 €
Netto  675,00 €
MwSt. 19 %  128,25 €
Gesamtbetrag  803,25 €
Bei Zahlung innerhalb von 10 Tagen 2 % Skonto."""
WATER = """Eaux du Val Clair - Facture
Eau potable  98,70 €
Abonnement  21,00 €
Total à payer  119,70 €"""
RENT = """The rent is £875 per month, payable in advance.
The deposit is £1,200.
Council tax of £140 per month is paid by the tenant."""
TRIP = """On 18 June our class visits the Roman baths.
The cost is £14.50 per child, including the coach."""
FEES = "A late book costs 20 pence a day, up to 5 pounds.\nPrinting: 15 pence a page."
BAND = "Hi all,\nthe Anchor pays us 420 pounds for the night.\nFirst set at 8:15 pm."
PLAN = """Week 1
Monday: easy run, 5 km
Sunday: long run, 10 km

Week 2
Monday: easy run, 6 km
Sunday: long run, 12 km"""
CONCERT = """Overture - 12 minutes
Interval - 20 minutes
Piano quartet - 24 minutes"""
NOTE = """DELIVERY NOTE 4471
Article  Description  Pieces
A-10  Ring binder  40
C-31  Desk lamp  6"""
MUFFINS = """Muffins
Makes 12 muffins
250 g flour
2 eggs
80 g butter"""
SCONES = """Scones (for 4 people)
200 g flour
½ teaspoon salt
1. Mix the flour and the salt."""
METER = """ELECTRICITY METER CARD
Last reading (1 March)  18240
This reading (1 June)  18655
Price per unit  0.30"""
MENU = """Set menu  13.50
Terrace supplement per person  1.50
Glass of wine  4.20
Water  2.80"""


def worked(question: str, text: str) -> str:
    given = worked_questions.answer(question, text, lambda part: {"answer": f"read: {part}"}, "closest: {}")
    return str(given["answer"]) if given and given.get("found", True) else ""


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (SLIP, "what did i spend at the pet shop alltogether?", "£14.49 (“TOTAL GBP 14.49”)"),
        (SLIP, "me and my sister want to go halves on it, how much each", "£7.25 each: £14.49 / 2 (“TOTAL GBP 14.49”)"),
        (ROOF, "Was muss ich dem Dachdecker insgesamt bezahlen?", "803,25 € (“Gesamtbetrag 803,25 €”)"),
        (
            ROOF,
            "und mit Skonto?",
            "787,18 €: 803,25 € less 2 % (16,07 €). It says: “Bei Zahlung innerhalb von 10 Tagen 2 % Skonto.”",
        ),
        (
            ROOF.replace("2 % Skonto", "2\n% Skonto"),
            "und mit Skonto?",
            "787,18 €: 803,25 € less 2 % (16,07 €). It says: “Bei Zahlung innerhalb von 10 Tagen 2 % Skonto.”",
        ),
        (WATER, "combien je dois payer pour l'eau ?", "119,70 € (“Total à payer 119,70 €”)"),
        (
            RENT,
            "How much rent is that in a whole year",
            "12 x £875 = £10,500 (“The rent is £875 per month, payable in advance.”)",
        ),
        (TRIP, "Two of mine are going. What does that come to?", f"2 x £14.50 = £29.00 (“{TRIP.splitlines()[1]}”)"),
        (FEES, "My book is 6 days late. What do I owe?", f"6 x 20 pence = £1.20 (“{FEES.splitlines()[0]}”)"),
        (
            BAND,
            "we are five in the band, so how much each?",
            f"84.00 pounds each: 420 pounds / 5 (“{BAND.splitlines()[1]}”)",
        ),
        (PLAN, "How many km do they run in the second week", "18 km (6 + 12; Week 2)"),
        (CONCERT, "How long is all the music together?", "36 minutes (12 + 24, without “Interval - 20 minutes”)"),
        (CONCERT, "minutes in total, with the interval? how many", "56 minutes (12 + 20 + 24)"),
        (NOTE, "how many pieces came in total?", "46 pieces (40 + 6)"),
        (MUFFINS, "I need 30 muffins, how much flour?", "For 30 instead of 12:\n- 625 g flour"),
        (MUFFINS, "how many eggs if i make 24 instead of 12", "For 24 instead of 12:\n- 4 eggs"),
        (SCONES, "what do I need for 6 people?", "For 6 instead of 4:\n- 300 g flour\n- 0.75 teaspoon salt"),
        (SCONES, "how much flour for just 2?", "For 2 instead of 4:\n- 100 g flour"),
        (
            METER,
            "How many units did we use since the last reading, and what does that cost?",
            "415 units (18655 - 18240); 415 x 0.30 = 124.50",
        ),
        (
            "No 4471-B\nkWh 04728",
            "Last reading was 4391. How many units is that and what do I bill at 28.5p each?",
            "337 units (4728 - 4391); 337 x 28.5p = £96.05",
        ),
        (MENU, "three glasses of wine and a water?", "3 × Glass of wine 4.20 + Water 2.80 = 15.40"),
        (
            MENU,
            "We are four and want the set menu on the terrace. What would that be all together?",
            "4 × (Set menu 13.50 + Terrace supplement per person 1.50) = 60.00",
        ),
    ],
)
def test_what_is_worked_out_shows_its_calculation(text: str, question: str, told: str) -> None:
    assert worked(question, text) == told


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (WATER, "Dans le total il y a combien pour l'abonnement ?"),  # a line of it, not the whole
        (SLIP, "what did we pay in total for drinks?"),  # none is listed
        (SLIP, "what was the subtotal?"),
        (RENT, "what is the deposit?"),
        (RENT, "how much is the rent?"),
        (TRIP, "what did the two museums cost last year?"),
        (BAND, "how much each?"),  # of how many?
        (PLAN, "How many km does Carla run in week 1?"),
        (MUFFINS, "how much flour do I need?"),
        (METER, "what was the last reading?"),
        ("Last reading  18655\nThis reading  18240", "how many units were used since the last reading?"),
    ],
)
def test_no_sum_is_made_up_where_the_lines_do_not_tell(text: str, question: str) -> None:
    assert "=" not in worked(question, text) and "instead" not in worked(question, text)
    assert not bills.asked_sum(question, text)


def test_of_several_questions_each_is_worked_out_or_read() -> None:
    told = worked("What do I owe the pet shop and by when?", SLIP)
    assert "£14.49" in told
    assert "read: by when" in told


def test_a_fee_ends_at_its_most() -> None:
    told = rates.answer("My book is 60 days late. What do I owe?", FEES)
    assert told and told[0].startswith("5 pounds, which is the most (60 x 20 pence would be more)")


def test_the_rest_is_to_be_paid_where_a_part_was_before() -> None:
    text = "Tent hire  300.00\nTotal  300.00\nDeposit paid  100.00\nBalance due  200.00"
    assert (total := bills.total_of(text)) and total.number == 200
    assert (whole := bills.total_of(text, to_pay=False)) and whole.number == 300


def test_numbers_that_a_question_states() -> None:
    twins, year = stated_numbers.counted("both my twins, for a year")
    assert (twins.number, twins.is_people, year.time) == (2, True, "year")
    assert stated_numbers.counted("we are four")[0].are_we
    assert not stated_numbers.counted("at 10:30")


def test_a_line_with_two_measures_is_added_to_nothing() -> None:
    assert line_sums.asked_sum("how many km in total?", "Mon 5 km or 8 km\nTue 6 km\nWed 7 km") is None


def test_a_recipe_is_scaled_only_for_another_number() -> None:
    assert recipes.asked_for("I want to bake two tins, how many eggs?")
    assert not recipes.asked_for("how many eggs are in the cake?")
    assert not recipes.asked_for("Please make it black and white now, and bake nothing into it.")


_MENU = "Mains\nLasagne  13.90\nGrilled sea bass  18.40\nMushroom risotto (v)  14.50\nDesserts\nTiramisu  6.90"
_ENTRANCE = "Swimming gala\nAdults £4  Children £2"


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (_MENU, "There's two of us. One lasagne, one sea bass and two tiramisu. What will that come to?",
         "Lasagne 13.90 + Grilled sea bass 18.40 + 2 × Tiramisu 6.90 = 46.10"),
        (_MENU, "the sea bass and a tiramisu please, how much is that",
         "Grilled sea bass 18.40 + Tiramisu 6.90 = 25.30"),
        (_MENU, "a risotto for me and the sea bass for my wife, what do we pay",
         "Mushroom risotto (v) 14.50 + Grilled sea bass 18.40 = 32.90"),
        (_MENU, "I have 20 euros. Risotto and tiramisu, is that enough?",
         "No: Mushroom risotto (v) 14.50 + Tiramisu 6.90 = 21.40, more than 20 euros."),
        (_ENTRANCE, "2 adults and 3 kids (7, 9 and 10) at the gala, what do we pay?", "£14 (2 × Adults £4 + 3 × Children £2)"),
    ],
)  # fmt: skip
def test_what_is_ordered_comes_to_its_sum(text: str, question: str, told: str) -> None:
    given = worked_questions.answer(question, text, lambda part: {"answer": ""}, "{}")

    assert given and given["answer"] == told


def test_a_thing_that_no_line_has_leaves_a_sum_unsure() -> None:
    given = worked_questions.answer(
        "a lasagne, a tiramisu and a lobster, how much is that", _MENU, lambda part: {}, "{}"
    )

    assert given is None or not given.get("found", True)
