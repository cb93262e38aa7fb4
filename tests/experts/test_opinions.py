"""Reviews are judged one by one."""

from __future__ import annotations

import pytest

from hugginggpt.experts import opinions, topical_items

REVIEWS = """1. The cabin was cosy and the hosts were very kind.
2. Dirty towels and a rude landlord, never again.
3. Wonderful walks, we loved it!
4. The shower was cold and the door was broken.
"""


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("sort the reviews into good and bad", True),
        ("what do the unhappy ones complain about?", True),
        ("how many of the guests are happy", True),
        ("split them into positive and negative", True),
        ("which of these comments are complaints?", True),
        ("which of them is good?", False),
        ("who liked the soup?", False),
        ("what is good about it?", False),
        ("is the customer service free?", False),
    ],
)
def test_which_questions_ask_for_opinions(question: str, is_asked: bool) -> None:
    assert opinions.asked_for(question) is is_asked


def test_complaints_without_plain_words_are_seen() -> None:
    comments = (
        "The ponies were lovely.\nParking was chaos and the toilets stank.\nFriendly people everywhere, thank you!"
    )
    told = opinions.answer("how many guests were unhappy?", comments)
    assert told and told["answer"] == "1 of 3 are bad:\n- Parking was chaos and the toilets stank."


def test_reviews_are_sorted_and_complaints_listed() -> None:
    sorted_ = opinions.answer("sort these reviews into good and bad", REVIEWS)
    assert sorted_ and sorted_["answer"].startswith("Of 4: 2 good, 2 bad.\nGood:\n1. The cabin was cosy")
    bad = opinions.answer("what do the unhappy guests complain about?", REVIEWS)
    assert bad and bad["answer"] == (
        "2 of 4:\n- Dirty towels and a rude landlord, never again.\n- The shower was cold and the door was broken."
    )
    assert opinions.answer("sort the reviews into good and bad", "A single sentence is no list of reviews.") is None


def test_entries_are_told_by_their_numbers() -> None:
    told = opinions.answer("How many of the four are bad ones?", REVIEWS)
    assert told and told["answer"].startswith("2 of 4 are bad (2 and 4):\n2. Dirty towels")
    told = opinions.answer("and how many are good?", REVIEWS)
    assert told and told["answer"].startswith("2 of 4 are good (1 and 3):")
    guests = "A: Lovely room, we slept well.\nB: Hair in the shower, never again.\nC: Friendly staff and good bread!"
    told = opinions.answer("Which of these guests was unhappy?", guests)
    assert told and told["answer"] == "B. Hair in the shower, never again."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which ones speak about the shower", "4. The shower was cold and the door was broken."),
        ("Who says something good about the hosts?", "1. The cabin was cosy and the hosts were very kind."),
        ("which of them complain about the walks?", None),
        ("which one is the longest?", None),
    ],
)
def test_entries_that_speak_of_something(question: str, said: str | None) -> None:
    told = topical_items.answer(question, REVIEWS)
    assert (told and told["answer"]) == said


def test_the_title_of_a_list_is_no_opinion() -> None:
    assert len(opinions.items("Guest book, summer\n" + REVIEWS)) == 4


LETTER = """The tent was wet inside when we unpacked it. The staff never answered the telephone.
The lake is close by. It was the worst holiday of our lives."""


def test_of_a_single_text_all_complaints_are_listed() -> None:
    told = opinions.answer("what does she complain about?", LETTER)

    assert told and "wet inside" in told["answer"] and "telephone" in told["answer"] and "lake" not in told["answer"]


def test_the_kind_of_reviews_is_no_further_question() -> None:
    assert opinions.asked_for("Which of these restaurant reviews are bad?")
    assert opinions.asked_for("which of them are negative?")
    assert not opinions.asked_for("which reviews complain about the soup?")
