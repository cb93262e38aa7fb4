"""What no picture tells by itself is told from what one may, in five languages."""

from __future__ import annotations

import pytest

from hugginggpt.experts.picture_untold import BREED, untold

WORTH, SEX = "what something is worth", "whether it is male or female"


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("what could I get for it?", WORTH),
        ("how much money could I ask for it?", WORTH),
        ("are these worth anything", WORTH),
        ("Was kriege ich dafür?", WORTH),
        ("¿Cuánto vale?", WORTH),
        ("这个值多少钱？", WORTH),
        ("which breed exactly?", BREED),
        ("Welche Rasse ist das denn?", BREED),
        ("is it a he or a she", SEX),
        ("et c'est un mâle ou une femelle ?", SEX),
        ("where was this taken?", "where or when it was taken"),
        ("how many dogs are in it", ""),
        ("what did I pay for the bread?", ""),
        ("Was ist auf dem Bild?", ""),
        ("is he in the race", ""),
    ],
)
def test_what_a_question_asks_that_no_picture_tells(question: str, what: str) -> None:
    assert untold(question) == what
