"""Whether a text mentions something: which questions ask that, and what they are answered."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import BackendError
from hugginggpt.experts import mentions

LETTER = "We took the slow train to Porto. The landlord, Mr Costa, never answered. It rained all Tuesday."


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("is milk mentioned", "milk"),
        ("Are the trains mentioned in it?", "trains"),
        ("does she say anything about the weather", "weather"),
        ("any word of a bus in it?", "bus"),
        ("Do they bring up the lift at all?", "lift"),
        ("is the word holiday in it", "holiday"),
        ("does Peter come up?", "Peter"),
        ("does the speaker talk about coffee?", "coffee"),
        ("is Berlin in there?", "Berlin"),
        ("what does she say about the weather", ""),
        ("is anybody named in this one?", ""),
        ("are any people mentioned", ""),
        ("does he say who called?", ""),
        ("does the train come on Friday", ""),
        ("did he write to Peter", ""),
        ("is the flat in Lisbon", ""),
    ],
)
def test_what_a_text_is_searched_for(question: str, topic: str) -> None:
    assert " ".join(token.text for token in mentions.topic_of(question)) == topic


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("are trains mentioned?", "Yes: We took the slow train to Porto."),
        ("is milk mentioned", "No, “milk” does not occur in the text."),
        ("is the weather mentioned", "“weather” does not occur in the text; closest is: “It rained all Tuesday.”"),
        ("when did it rain?", None),
    ],
)
def test_whether_a_text_mentions_it(question: str, answer: str | None) -> None:
    given = mentions.answer(question, LETTER)
    assert (given and given["answer"]) == answer


def test_an_empty_text_mentions_nothing() -> None:
    with pytest.raises(BackendError, match="empty"):
        mentions.answer("is milk mentioned", " ")


def test_a_negated_question_about_a_mention_gets_no_yes() -> None:
    assert mentions.answer("Is milk not mentioned?", "We bought milk.") is None


def test_a_mention_that_is_denied_is_no_yes() -> None:
    given = mentions.answer("Is Antarctica mentioned?", "There won't be questions about Antarctica.")
    assert given and given["answer"] == "There won't be questions about Antarctica."


def test_whether_somebody_says_a_word() -> None:
    said = mentions.answer("does he say the word Porto anywhere?", LETTER)
    assert said and said["answer"].startswith("Yes: ") and "Porto" in said["answer"]
    said = mentions.answer("does he say the word peace?", LETTER)
    assert said and said["answer"] == "No, “peace” does not occur in the text."
