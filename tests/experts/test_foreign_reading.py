"""Questions to texts and pages in German, French, Spanish and Chinese."""

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import foreign_reading

GERMAN = "Der Laden öffnet um 9 Uhr.\nDie Rechnung kommt per Post.\nDer Hund von Frau Adam bellt nachts."
FRENCH = "Le marché a lieu le mardi matin.\nLe parking coûte 3 euros par jour.\nMme Berthe Colin vend du miel."
SPANISH = "La reunión es el viernes 3 de mayo.\nEl alquiler es de 500 euros.\nDebe llamar a Pablo Ruiz."
CHINESE = "超市早上八点开门。\n会员卡每年三十元。\n停车场由王师傅管理。"


@pytest.mark.parametrize(
    ("question", "text", "code", "quoted"),
    [
        ("Wann macht der Laden auf?", GERMAN, "de", "9 Uhr"),
        ("Wessen Hunde sind das?", GERMAN, "de", "Frau Adam"),
        ("Quand est le marché ?", FRENCH, "fr", "mardi"),
        ("Combien coûte le parking ?", FRENCH, "fr", "3 euros"),
        ("¿Cuándo es la reunión?", SPANISH, "es", "viernes"),
        ("¿Cuánto pago de alquiler?", SPANISH, "es", "500"),
        ("超市几点开门？", CHINESE, "zh", "八点"),
        ("谁管理停车场？", CHINESE, "zh", "王师傅"),
    ],
)
def test_the_sentence_that_shares_most_is_offered_and_not_asserted(
    question: str, text: str, code: str, quoted: str
) -> None:
    assert foreign_reading.asked_in(question, text) == (question, code)
    answer = foreign_reading.answer(question, text, code)
    assert quoted in answer["closest"]
    assert answer["found"] is False
    assert answer["answer"].startswith(("Probably: “", "Not sure; perhaps: “"))


def test_each_of_two_questions_is_answered() -> None:
    answer = foreign_reading.answer("Wann macht der Laden auf und wer hat einen Hund?", GERMAN, "de")
    assert "9 Uhr" in answer["answer"] and "Frau Adam" in answer["answer"]


def test_what_a_text_shares_nothing_with_is_not_found() -> None:
    answer = foreign_reading.answer("Warum fliegen Vögel?", GERMAN, "de")
    assert answer == {"answer": "I do not find this in the text.", "found": False}


def test_a_usual_question_is_put_to_an_english_text_in_english() -> None:
    both = "Wie hoch ist der Betrag?\nWhat is the total amount?"
    english = "The total amount is 40 pounds, and it is due in May."
    assert foreign_reading.asked_in(both, english) == ("What is the total amount?", "en")
    assert foreign_reading.asked_in(both, GERMAN) == ("Wie hoch ist der Betrag?", "de")


def test_english_questions_stay_as_they_are() -> None:
    for question in ("Who is it?", "When was it sent?\nAnd who was it?"):
        assert foreign_reading.asked_in(question, "The letter was sent by Ann.") == (question, "en")


def test_a_question_in_another_language_than_its_text_is_refused() -> None:
    with pytest.raises(ExpertUnavailable, match="seems to be in German"):
        foreign_reading.asked_in("Quand est le marché dans la ville ?", GERMAN)
    with pytest.raises(ExpertUnavailable, match="not understood in German"):
        foreign_reading.asked_in("Wer ist der Lehrer von Anna?", "The teacher of the class is Mr. Bell, and he is 40.")
