"""What no picture tells by itself is told from what one may, in five languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from hugginggpt.experts.picture_untold import BREED, TAKEN, camera_words, untold

WORTH, SEX = "what something is worth", "whether it is male or female"


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("what could I get for it?", WORTH),
        ("how much money could I ask for it?", WORTH),
        ("are these worth anything", WORTH),
        ("Was kriege ich dafür?", WORTH),
        ("Was ist sie denn wert?", WORTH),
        ("¿Cuánto vale?", WORTH),
        ("这个值多少钱？", WORTH),
        ("which breed exactly?", BREED),
        ("Welche Rasse ist das denn?", BREED),
        ("is it a he or a she", SEX),
        ("et c'est un mâle ou une femelle ?", SEX),
        ("where was this taken?", "where it was taken"),
        ("When did I take this and with which camera?", TAKEN),
        ("how many dogs are in it", ""),
        ("what did I pay for the bread?", ""),
        ("Was ist auf dem Bild?", ""),
        ("is he in the race", ""),
    ],
)
def test_what_a_question_asks_that_no_picture_tells(question: str, what: str) -> None:
    assert untold(question) == what


def test_the_file_may_say_when_a_picture_was_taken(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "CANON", "Canon EOS 80D"
    exif.get_ifd(0x8769)[0x9003] = "2025:06:03 14:20:11"
    file = tmp_path / "a.jpg"
    Image.new("RGB", (8, 8)).save(file, exif=exif)
    assert camera_words(file) == "taken on 2025-06-03 at 14:20 with the camera Canon EOS 80D"
    Image.new("RGB", (8, 8)).save(file)
    assert camera_words(file) == ""
