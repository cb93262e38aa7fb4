"""E-mail addresses, phone numbers and web addresses are found by their form."""

from __future__ import annotations

import pytest

from hugginggpt.experts import contacts

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
        ("show me the urls and the emails", f"www.fern.example/tours; {MAILS}"),
        ("what is the phone number of Mr Lee?", None),
        ("write an email to the office", None),
        ("who sent this email", None),
    ],
)
def test_all_of_a_kind_are_found(question: str, told: str | None) -> None:
    answer = contacts.answer(question, LEAFLET)
    assert (answer and answer["answer"]) == told


def test_none_is_invented() -> None:
    answer = contacts.answer("what is the e-mail address?", "Call 12 on 2025-01-02.")
    assert answer == {"answer": "I do not find an e-mail address in the text.", "found": False}
    assert contacts.found(contacts.PHONE, "Room 014, 3 March 2025, 09:15, 1 200 300 euros, 02-03-2025") == []
