"""What a text has, or plainly has not, is said in its own few words."""

import pytest

pytest.importorskip("spacy")

from hugginggpt.core.documents import DocumentText, Part
from hugginggpt.experts import absent, question_parts, recipes, shared_costs, text
from hugginggpt.experts.foreign_reading import answer as foreign
from hugginggpt.experts.plain_lookups import answer as looked_up

NOTE = """From: Ms Hill <hill@school.example>
Date: Monday 4 May 2026
Subject: Museum day

Dear parents,

The bus leaves at 8:20 from the school gate.
The day costs $14 per pupil.
Please bring a packed lunch.
"""
SLIP = "Corner Shop\nMilk 1.20\nBread 2.80\nTotal 4.00\nCash 5.00\nChange 1.00"


def test_the_only_price_is_quoted_for_what_one_owes() -> None:
    told = text.answer("when does the bus leave and what do I owe them?", NOTE)["answer"]
    assert "8:20" in told and "$14" in told and "not sure" not in told.lower()


def test_the_price_of_another_thing_is_no_answer() -> None:
    told = text.answer("how much is the window cleaning?", "The lift costs 900 pounds.\nThe yard is swept on Mondays.")
    assert told["answer"].startswith("I do not find this")


def test_what_must_i_bring_asks_for_no_price() -> None:
    letter = "Die Behandlung kostet 85 Euro.\nBitte bringen Sie die Versichertenkarte mit."
    assert "Versichertenkarte" in foreign("Was muss ich mitbringen?", letter, "de")["answer"]
    assert "85 Euro" in foreign("Was muss ich bezahlen?", letter, "de")["answer"]


def test_the_head_of_a_mail_tells_of_the_mail_alone() -> None:
    assert "4 May" not in text.answer("by when must I pay?", NOTE)["answer"]
    assert "4 May" in text.answer("when was this mail sent?", NOTE)["answer"]


@pytest.mark.parametrize(
    ("question", "context", "told"),
    [
        ("what card number did i pay with?", SLIP, "No card number is given. It says: “Cash 5.00”"),
        ("whats the shop's phone number", SLIP, "No telephone number is given."),
        ("und die Telefonnummer?", "Meier\nHauptstraße 4", "No telephone number is given."),
    ],
)
def test_what_no_text_gives_is_said_plainly(question: str, context: str, told: str) -> None:
    found = absent.answer(question, context)
    assert found and found["answer"] == told


def test_a_number_that_may_be_one_is_not_denied() -> None:
    assert absent.answer("what is his phone number?", "call me on 555 0177") is None
    assert absent.answer("which card number is it?", "VISA **** 4417") is None
    assert absent.answer("blur the phone number please", SLIP) is None


def test_a_shared_amount_is_divided() -> None:
    text_ = "The new boiler costs 4,800 pounds. It is shared by the 16 flats."
    assert shared_costs.answer("how much for each flat?", text_) == ""
    one = "The roof costs 4,800 pounds, which are divided among the 16 flats."
    assert shared_costs.answer("how much must each flat pay?", one).startswith("300.00 pounds: 4,800 pounds / 16")
    german = "Die Kosten von 900 Euro werden auf die 6 Wohnungen verteilt."
    assert shared_costs.answer("Was zahlt jede Wohnung?", german).startswith("150 Euro: 900 Euro / 6")


def test_ingredients_of_one_line_are_scaled() -> None:
    line = "Ingredients for 8 pancakes: 250 g flour, 2 eggs, 500 ml milk and a pinch of salt."
    assert recipes.scaled("how much flour do i need for 16 pancakes?", line) == "For 16 instead of 8:\n- 500 g flour"


def test_what_stands_around_a_question_is_no_part_of_it() -> None:
    assert question_parts.parts_of("What lay in the chest? No spoilers please.") == ["What lay in the chest?"]
    assert question_parts.parts_of("my aunt asks: when did he leave?") == ["when did he leave?"]


def test_blank_lines_of_a_text_in_another_language_are_read() -> None:
    told = foreign("Où est la fête ?", "La fête du village\n\nElle a lieu sur la place du Marché samedi.", "fr")
    assert "place du Marché" in told["answer"]


def test_a_slide_is_found_by_its_title() -> None:
    slides = DocumentText.of(
        [Part("slide", "1", "Bridges of the world\nAyo"), Part("slide", "2", "Famous bridges\nForth\nTower Bridge")]
    )
    found = looked_up("which slide of ayos talk is about famous bridges", slides)
    assert found and found["answer"].startswith("Slide 2")


SUBTITLES = "Mia: The tent is gone.\nTom: A bear took it!\nMia: Run to the car.\nTom: I lost the key."
ARTICLE = "“We will miss it,” said Ada Lund. The mayor was away. “It was time,” said the owner, Per Holt."


@pytest.mark.parametrize(
    ("question", "context", "told"),
    [
        ("who says run to the car in these subs", SUBTITLES, "Mia: “Run to the car.”"),
        ("And who said that he lost a key?", SUBTITLES, "Tom: “I lost the key.”"),
        ("who is quoted in the article?", ARTICLE, "Ada Lund, Per Holt"),
    ],
)
def test_who_says_something_is_named(question: str, context: str, told: str) -> None:
    assert text.answer(question, context)["answer"] == told


def test_a_presentation_is_summed_up_by_its_titles() -> None:
    deck = DocumentText.of(
        [
            Part("slide", "1", "Bees in town\nIda"),
            Part("slide", "2", "Where they live\nRoofs and gardens\nParks"),
            Part("slide", "3", "What they need\nFlowers"),
        ]
    )
    assert text.summary(deck) == "Bees in town\n- Where they live: Roofs and gardens\n- What they need: Flowers"
