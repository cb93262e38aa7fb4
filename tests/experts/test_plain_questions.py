"""Questions without what only says whose they are."""

from __future__ import annotations

import pytest

from hugginggpt.experts.plain_questions import in_short


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("hi, what does my daughter have to bring on this trip? thx", "What do they need to bring?"),
        ("what should the kids wear", "What do they need to wear?"),
        ("And what do we all need to pack for it?", "What do they need to pack?"),
        ("what did they bring", "what did they bring"),
        (
            "what does Tom have to bring to the fair on Saturday?",
            "what does Tom have to bring to the fair on Saturday?",
        ),
        ("what does the trip cost", "what does the trip cost"),
    ],
)
def test_whose_question_it_is_says_nothing_of_what_is_to_be_brought(question: str, short: str) -> None:
    assert in_short(question) == short
