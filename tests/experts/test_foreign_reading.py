"""Questions to texts and pages in German, French, Spanish and Chinese."""

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import foreign_reading, text

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
def test_the_sentence_that_shares_most_answers(question: str, text: str, code: str, quoted: str) -> None:
    assert foreign_reading.asked_in(question, text) == (question, code)
    assert quoted in foreign_reading.answer(question, text, code)["answer"]


def test_what_is_far_ahead_is_asserted_and_the_rest_offered() -> None:
    assert foreign_reading.answer("¿Cuándo es la reunión?", SPANISH, "es") == {
        "answer": "La reunión es el viernes 3 de mayo."
    }
    answer = foreign_reading.answer("Wessen Hunde sind das?", GERMAN + "\nDer Hund von Herrn Ott ist still.", "de")
    assert answer["found"] is False
    assert answer["answer"].startswith(("It says: “", "Not sure; perhaps: “"))


NOTICE = (
    "Hausordnung\nDie Ruhezeiten sind von 13 bis 15 Uhr.\nDer Müll wird dienstags abgeholt.\nHerr Krug ist Hausmeister."
)


@pytest.mark.parametrize(
    ("question", "text", "quoted"),
    [
        ("Wann darf man keinen Lärm machen?", NOTICE, "Ruhezeiten"),
        ("when are the quiet hours?", NOTICE, "13 bis 15 Uhr"),
        ("who is the caretaker?", NOTICE, "Krug"),
        ("¿Cuándo recogen la basura?", NOTICE, "dienstags"),
        ("À quelle heure s'arrête la musique ?", "On danse dès 20 heures.\nLa musique s'arrêtera à minuit.", "minuit"),
        ("Wann fährt der Bus ab?", "The bus leaves at 8 am.\nThe trip costs 5 euros.", "8 am"),
        ("Was kostet der Ausflug?", "The bus leaves at 8 am.\nThe trip costs 5 euros.", "5 euros"),
        ("when is the water off?", "停水通知\n本小区于12月3日停水。\n电梯正常运行。", "12月3日"),
    ],
)
def test_words_of_about_the_same_meaning_join_questions_and_texts(question: str, text: str, quoted: str) -> None:
    text_of, code = foreign_reading.asked_in(question, text)
    answer = foreign_reading.answer(text_of, text, code)
    assert quoted in answer["answer"] and "\n" not in answer["answer"]


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


def test_a_text_in_a_language_that_nobody_reads_is_refused() -> None:
    with pytest.raises(ExpertUnavailable, match="seems to be in Dutch"):
        foreign_reading.asked_in(
            "Wann macht der Laden auf?", "De winkel is open van 9 tot 5 en het is niet duur bij ons."
        )


BILL = "Malerei Wolff\nRechnung 2026-31\nAnfahrt 30,00 EUR\nGesamtbetrag 210,60 EUR\nZahlbar bis 12.12.2026\nTelefon 030 445 99 12"


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Was kriegt der Maler von mir?", "Gesamtbetrag 210,60 EUR"),
        ("Wie viel kostet die Anfahrt?", "Anfahrt 30,00 EUR"),
        ("Wo kann ich anrufen?", "Telefon 030 445 99 12"),
    ],
)
def test_the_kind_of_thing_that_is_asked_for_chooses_the_line(question: str, line: str) -> None:
    assert line in foreign_reading.answer(question, BILL, "de")["answer"]


def test_a_time_of_day_is_no_mere_day() -> None:
    text = "Los lunes por la mañana se cierra por limpieza.\nLa piscina abre de 11:00 a 21:00."
    assert "21:00" in foreign_reading.answer("¿A qué hora cierra la piscina?", text, "es")["answer"]


def test_the_sum_before_taxes_is_not_what_is_to_be_paid() -> None:
    text = "Garage Morel\nTotal HT : 298,00 €\nTVA : 59,60 €\nTotal TTC : 357,60 €"
    assert "357,60" in foreign_reading.answer("Combien je dois payer en tout ?", text, "fr")["answer"]


def test_a_line_that_is_called_what_is_asked_for_comes_first() -> None:
    text = "Vermieter: Hans Brandt\nMieterin: Aylin Demir\nHaustiere nur mit Zustimmung des Vermieters."
    assert "Hans Brandt" in foreign_reading.answer("Wer ist der Vermieter?", text, "de")["answer"]


def test_a_sentence_over_two_lines_of_a_page_answers_as_a_whole() -> None:
    text = (
        "La cuota extra es de 45 € por piso y se\npaga antes del 31 de enero en la cuenta.\nEl ascensor no funcionará."
    )
    told = foreign_reading.answer("¿Cuánto hay que pagar y antes de cuándo?", text, "es")["answer"]
    assert "45 €" in told and "31 de enero" in told and told.count("cuota") == 1


def test_the_letters_of_a_rota_are_no_french() -> None:
    rota = "Okafor N N off off L\nMarsh off L L N N\nPereira L off E E N\nNurse in charge of nights: Lindqvist."
    assert foreign_reading.asked_in("who's in charge of the nights", rota)[1] == "en"


def test_the_thousands_of_a_total_may_stand_apart() -> None:
    bill = "Peinture salon 1 049,58 €\nTVA 20 % 209,92 €\nTotal TTC 1 259,50 €"
    told = text.answer("Quel est le montant total TTC de cette facture ?", bill)
    assert str(told["answer"]).startswith("1259,50 €")


def test_what_one_gets_back_is_the_credit_and_not_the_total() -> None:
    letter = "Der Gesamtbetrag ist 480,20 Euro.\nIhr Guthaben von 31,10 Euro überweisen wir.\nBitte rufen Sie uns an."
    told = foreign_reading.answer("Wie viel Geld bekomme ich zurück?", letter, "de")
    assert "31,10" in told["answer"] and "480,20" not in told["answer"]
