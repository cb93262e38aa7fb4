"""All things of a kind in a text, such as phone numbers and error codes, are found by their form."""

from __future__ import annotations

import pytest

from hugginggpt.experts import contacts, listings

LEAFLET = (
    "Bring 20250711 with you on 11-07-2025 at 18:30; it costs 1,250,000 kr. Write to info@fern.example or "
    "b.lee+tours@mail.fern.example, or ring 0171 234 5678, (020) 998877 or +49 30 901820. See www.fern.example/tours."
)
MAILS, PHONES = "info@fern.example, b.lee+tours@mail.fern.example", "0171 234 5678, (020) 998877, +49 30 901820"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which e-mail adresses are in the leaflet?", None),  # "leaflet" may limit them
        ("which e-mail adress can I find here", MAILS),
        ("list all the mail addreses in this document", MAILS),
        ("any phone nummbers?", PHONES),
        ("give me every telefone number", PHONES),
        ("what websites are mentioned", "www.fern.example/tours"),
        ("show me the urls and the emails", f"web address: www.fern.example/tours; e-mail address: {MAILS}"),
        ("finde alle Telefonnummern in diesen Dateien", PHONES),
        ("trouve tous les numéros de téléphone", PHONES),
        ("列出所有的电话号码", PHONES),
        ("list all the times", "18:30"),
        ("when does it begin?", None),
        ("what does it cost", None),
        ("what is the phone number of Mr Lee?", None),
        ("write an email to the office", None),
        ("who sent this email", None),
    ],
)
def test_all_of_a_kind_are_found(question: str, told: str | None) -> None:
    answer = listings.answer(question, LEAFLET)
    assert (answer and answer["answer"]) == told


def test_none_is_invented() -> None:
    answer = listings.answer("what is the e-mail address?", "Call 12 on 2025-01-02.")
    assert answer == {"answer": "I do not find an e-mail address in the text.", "found": False}
    assert contacts.found(contacts.PHONE, "Room 014, 3 March 2025, 09:15, 1 200 300 euros, 02-03-2025") == []


MANUAL = """Lamp A4
F1: The door is open.
F2: No water. Open the tap, see F1.
F10: Motor fault.
"""


@pytest.mark.parametrize("question", ["make a list of the error codes", "erstelle daraus eine Liste der Fehlercodes"])
def test_error_codes_are_listed_with_what_they_mean(question: str) -> None:
    told = "- F1: The door is open.\n- F2: No water. Open the tap, see F1.\n- F10: Motor fault."
    assert listings.answer(question, MANUAL) == {"answer": told}
    assert listings.answer("what is the code for the door?", MANUAL) is None
    assert listings.found(listings.CODE, "Room A4 is free.") == []


def test_dates_and_amounts_are_read_in_several_languages() -> None:
    text = "Am 3. Oktober 2026, le 5 mai, 2 de diciembre, 12月3日 or 2026-11-30: £3.50, 12 euros and 5,20 €."
    assert listings.found(listings.DATE, text) == [
        "3. Oktober 2026",
        "5 mai",
        "2 de diciembre",
        "12月3日",
        "2026-11-30",
    ]
    assert listings.found(listings.MONEY, text) == ["£3.50", "12 euros", "5,20 €"]
