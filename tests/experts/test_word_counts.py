"""How often something is said in a text."""

from __future__ import annotations

import pytest

from hugginggpt.experts.word_counts import answer, asked_for

TEXT = "Ask not what your country can do for you, ask what you can do for your country. Mrs Bell rang."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how often does he say the word country", "“country” occurs twice."),
        ("How many times is “country” mentioned in it?", "“country” occurs twice."),
        ("how many times does she say you?", "“you” occurs twice."),
        ("How often does the name Mrs Bell come up?", "“Mrs Bell” occurs once."),
        ("how often does the word tree appear in the text?", "“tree” occurs not at all."),
    ],
)
def test_words_are_counted(question: str, said: str) -> None:
    found = answer(question, TEXT)
    assert found is not None and found["answer"] == said


@pytest.mark.parametrize("question", ["how often does the bus go?", "how many times a day?", "how many words is that?"])
def test_other_questions_are_not(question: str) -> None:
    assert not asked_for(question)
