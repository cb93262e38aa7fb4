"""What a message wants, and who it is from."""

from __future__ import annotations

import pytest

from hugginggpt.experts import messages

GARAGE = (
    "Hi, it's Martin from the garage. Your car is ready. Please pick it up before Friday six o'clock. "
    "The brakes cost 240 dollars. Thanks, bye."
)
PRACTICE = (
    "Hello, this is the dental practice of Doctor Brennan. Your appointment on Monday is cancelled. "
    "Can you come on Thursday at a quarter past two? Thank you."
)
NAMELESS = "Good morning everyone. The shop is closed on Monday. The key is under the stone."


@pytest.mark.parametrize(
    "question",
    [
        "what does he want??", "What does the man want from me", "Somebody rang while we were out. What do they want?",
        "what's the guy saying? i cant listen right now", "why did Martin call", "ok what does the garage want from me now",
        "Someone left this on my machine, who is it and what do they want", "so what does he have to say",
    ],
)  # fmt: skip
def test_what_somebody_wants_is_his_message_without_greeting_and_goodbye(question: str) -> None:
    assert messages.answer(question, GARAGE) == {
        "answer": "Martin from the garage: “Your car is ready. Please pick it up before Friday six o'clock. "
        "The brakes cost 240 dollars.”"
    }


@pytest.mark.parametrize(
    ("message", "sender"),
    [
        (GARAGE, "Martin from the garage"), (PRACTICE, "The dental practice of Doctor Brennan"), (NAMELESS, ""),
        ("Hello, this is Martha Collins, I would like to change my booking.", "Martha Collins"),
        ("Tom here. I am late.", "Tom"), ("It's Monday again. Nothing to say.", ""),
    ],
)  # fmt: skip
def test_a_sender_names_himself(message: str, sender: str) -> None:
    assert messages.sender(message) == sender
    asked = messages.answer("Who called?", message)
    assert asked == ({"answer": f"{sender}."} if sender else {"answer": messages.UNNAMED, "found": False})
    assert sender or messages.answer("who is it from?", message) is None  # which may be signed


def test_a_message_without_a_name_is_told_without_one() -> None:
    told = {"answer": "“The shop is closed on Monday. The key is under the stone.”"}
    assert messages.answer("what is she saying", NAMELESS) == told


def test_of_a_long_message_what_asks_for_something_is_told() -> None:
    chatter = "We were at the sea and it was lovely as ever. " * 20
    told = messages.digest(f"Hi Grandma, this is Toby. {chatter}Could you pick me up on Saturday at ten? Love, bye!")
    assert told == "Toby: “Could you pick me up on Saturday at ten?”"


@pytest.mark.parametrize(
    "question",
    ["what does he want me to change?", "who is on call?", "when is it?", "what do I have to bring?", "who called the vet?",
     "what does she say about the dog", "what does the repair cost", "what did she want originally"],
)  # fmt: skip
def test_a_question_for_one_thing_in_it_is_left_to_the_reader(question: str) -> None:
    assert messages.answer(question, GARAGE) is None


def test_an_email_names_its_writer_and_a_question_about_somebody_else_is_none_of_the_whole() -> None:
    mail = (
        "From: Tom Beck <tom@beck.example>\nTo: choir@hill.example\nSubject: Concert\n\nHi all,\n\n"
        "Jenny needs three people to help her serve soup.\nTell me by Friday.\n\nTom"
    )
    wanted = messages.answer("What does Tom want?", mail)
    assert wanted is not None and wanted["answer"].startswith("Tom Beck: “") and "To:" not in wanted["answer"]
    assert messages.answer("What does Jenny need?", mail) is None
