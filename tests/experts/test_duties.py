"""What a notice asks of its readers, as a list."""

from __future__ import annotations

import pytest

from hugginggpt.experts import duties

NOTICE = """The boiler is replaced on 9 December.
What you need to do
- Let the engineer in on 10 December.
- Keep the hallway clear of bicycles.
All radiator valves must be open. There will be no hot water until 17:00.
"""


@pytest.mark.parametrize(
    "question",
    [
        "List me what we have to do.",
        "what do we have to do?",
        "so what must I do now",
        "make me a to-do list of this letter",
    ],
)
def test_what_is_asked_of_the_readers_is_listed(question: str) -> None:
    told = "- Let the engineer in on 10 December.\n- Keep the hallway clear of bicycles.\n- All radiator valves must be open."

    assert duties.answer(question, NOTICE) == told


@pytest.mark.parametrize(
    "question", ["what does the boiler do?", "what do we have to do with the old boiler", "what is it?"]
)
def test_other_questions_are_left_to_the_reader(question: str) -> None:
    assert duties.answer(question, NOTICE) is None


def test_a_text_that_asks_for_nothing_gives_no_list() -> None:
    assert duties.answer("what do we have to do?", "The sun was shining. We ate cake.") is None
