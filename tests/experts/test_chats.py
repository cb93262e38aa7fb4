"""Chats and e-mails: who wrote what, and who says that they come."""

from __future__ import annotations

import pytest

from hugginggpt.experts import chats

CHAT = """[01.06.26, 18:02:11] Mia: Picnic on Sunday, who comes?
[01.06.26, 18:05:40] Ben: Can't wait!
[01.06.26, 18:07:02] Ola: Sorry, my mum is visiting.
[01.06.26, 18:20:30] Joe Park: maybe, have to check
[01.06.26, 18:31:00] Ben: I'll bring
two melons
"""
MAIL = """From: Lea Winter <lea@post.example>
To: Sam
Date: 3 May 2026
Subject: Keys

Hello Sam, the keys are with Otto.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many messages did Ben write?", "Ben wrote 2 messages."),
        ("how many messages are there?", "5 messages: Ben 2, Mia 1, Ola 1, Joe Park 1."),
        ("who wrote the most?", "Ben, with 2 messages; Mia 1, Ola 1, Joe Park 1."),
        ("what was the last message?", "Ben: “I'll bring two melons” (01.06.26, 18:31:00)"),
        ("who is in this chat?", "4 people write: Mia, Ben, Ola, Joe Park."),
        ("who can't come?", "Ola: “Sorry, my mum is visiting.”\nNot sure yet: Joe Park: “maybe, have to check”"),
        ("wer kommt nicht?", "Ola: “Sorry, my mum is visiting.”\nNot sure yet: Joe Park: “maybe, have to check”"),
        ("when is the picnic?", None),
        ("what does Ben bring?", None),
    ],
)
def test_a_chat_is_read_by_its_form(question: str, told: str | None) -> None:
    answer = chats.answer(question, CHAT)
    assert (answer and answer["answer"]) == told


def test_times_of_messages_are_left_out_of_what_they_say() -> None:
    assert chats.without_stamps(CHAT).startswith("Mia: Picnic on Sunday, who comes?\nBen: Can't wait!")
    assert chats.without_stamps(MAIL) == MAIL


def test_a_mail_is_a_message_and_a_form_is_none() -> None:
    assert chats.messages(MAIL) == (chats.Message("Lea Winter", "Hello Sam, the keys are with Otto.", "3 May 2026"),)
    assert chats.messages("Name: Ann Lee\nAge: 40\nTown: Leeds\nPhone: 12") == ()
