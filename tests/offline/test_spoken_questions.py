"""Which questions about recordings and videos are answered from what is said in them."""

from __future__ import annotations

import pytest

from hugginggpt.core.results import Kind
from hugginggpt.media.references import find_resources, find_texts
from hugginggpt.offline.several_documents import of_one
from hugginggpt.offline.spoken_questions import is_asked, without_quotes


@pytest.mark.parametrize(
    ("words", "kind", "is_of_speech"),
    [
        ("Where is the emergency exit?", "video", True),
        ("and what must I never do", "video", True),
        ("what are they called?", "video", True),
        ("tell me when the breaks are", "video", True),
        ("What shall I not forget?", "audio", True),
        ("where is the cat?", "video", False),
        ("what colour is the car", "video", False),
        ("what is she holding in her hand?", "video", False),
        ("what is he eating?", "video", False),
        ("how long is the clip?", "video", False),
        ("what is said in it?", "audio", False),
        ("which language is it?", "audio", False),
        ("where is the emergency exit?", "image", False),
        ("cut off the end", "audio", False),
    ],
)
def test_what_is_said_answers(words: str, kind: Kind, is_of_speech: bool) -> None:
    assert is_asked(words, kind) is is_of_speech


@pytest.mark.parametrize(
    "question",
    [
        "Which one is about the boiler?",
        "in which recording do they talk about the boiler",
        "Three messages came in, which of them mentions the boiler?",
        "what message is about the boiler",
    ],
)
def test_the_one_that_speaks_of_something(question: str) -> None:
    assert of_one(question) == "does it say anything about the boiler?"


def test_a_word_in_quotes_that_is_counted_is_no_text() -> None:
    text = "how often does he say “country”?"
    assert without_quotes(text, find_texts(text, find_resources(text))) == (
        "how often does he say the word country?",
        [],
    )


def test_what_is_written_short_is_read_at_full_length() -> None:
    from hugginggpt.offline.spelling import corrected

    assert corrected("gimme a pic from 6 secs") == "give me a picture from 6 seconds"
