"""When words are said in a recording."""

import pytest

from hugginggpt.core.spoken_times import begin_of, in_words, times_of, words_asked_for

WORDS = [
    (" Ask", 3.3),
    (" not", 3.9),
    (" what", 4.5),
    (" your", 5.7),
    (" country", 6.0),
    (" can", 6.4),
    (" country.", 10.2),
]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ('at which second is "country" said?', ("country", True)),
        ("when does he say country?", ("country", False)),
        ("at what time does the speaker say 'my fellow Americans'?", ("my fellow americans", True)),
        ("When is the word country mentioned?", ("country", True)),
        ("at what point do you hear country in the recording?", ("country", False)),
        ("tell me when he says hello", ("hello", False)),
        ("when did she say the meeting is?", ("", False)),
        ("when does he say it?", ("", False)),
        ("when does the train leave?", ("", False)),
    ],
)
def test_what_is_asked_for(question: str, asked: tuple[str, bool]) -> None:
    assert words_asked_for(question) == asked


def test_times() -> None:
    assert times_of("country", WORDS) == [6.0, 10.2]
    assert times_of("ask not", WORDS) == [3.3]
    assert times_of("your can", WORDS) == times_of("?", WORDS) == []
    assert in_words("country", [6.0, 10.2]) == "“country” is said at about 0:06 and 0:10.2."
    assert "is not said" in in_words("banana", [])


def test_a_pause_before_a_word_is_no_part_of_it() -> None:
    assert begin_of(2.26, 3.88) == 3.28
    assert begin_of(2.26, 2.9) == begin_of(2.26, None) == 2.26
