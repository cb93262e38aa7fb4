"""What no picture tells by itself is told from what one may, in five languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from hugginggpt.experts.picture_origin import CAMERA, TAKEN, WHERE, answer, origin_of
from hugginggpt.experts.picture_untold import BREED, all_untold, untold

WORTH, SEX, DOING = "what something is worth", "whether it is male or female", "what someone is doing"


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
        ("And what is it doing there?", DOING),
        ("Was macht die Katze da?", DOING),
        ("De quelle couleur sont les yeux ?", "what colour the eyes are"),
        ("what are you doing?", ""),
        ("how many dogs are in it", ""),
        ("what did I pay for the bread?", ""),
        ("Was ist auf dem Bild?", ""),
        ("is he in the race", ""),
    ],
)
def test_what_a_question_asks_that_no_picture_tells(question: str, what: str) -> None:
    assert untold(question) == what


def _photo(file: Path, place: bool = False) -> Path:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "CANON", "Canon EOS 80D"
    exif.get_ifd(0x8769)[0x9003] = "2025:06:03 14:20:11"
    if place:
        exif.get_ifd(0x8825).update({1: "N", 2: (47.0, 33.0, 27.0), 3: "W", 4: (10.0, 44.0, 58.0)})
    Image.new("RGB", (8, 8)).save(file, exif=exif)
    return file


def test_the_file_may_say_when_a_picture_was_taken(tmp_path: Path) -> None:
    file = _photo(tmp_path / "a.jpg")
    assert origin_of(file).words == "taken on 2025-06-03 at 14:20 with the camera Canon EOS 80D"
    assert answer([CAMERA], "which camera?", file).endswith("as the file says")
    Image.new("RGB", (8, 8)).save(file)
    assert origin_of(file).words == ""
    assert "no date" in answer([TAKEN], "what year was it taken?", file)


@pytest.mark.parametrize(
    "question",
    [
        "does it also save where I was standing",
        "is there any GPS data in it?",
        "Steht der Standort in dem Foto?",
        "有定位吗",
    ],
)
def test_the_file_may_say_where_a_picture_was_taken(question: str, tmp_path: Path) -> None:
    file = _photo(tmp_path / "a.jpg", place=True)
    assert all_untold(question) == [WHERE]
    assert "47.5575° N, 10.7494° W" in answer([WHERE], question, file)


def test_it_is_said_that_a_file_holds_no_place(tmp_path: Path) -> None:
    file = _photo(tmp_path / "a.jpg")
    assert answer([WHERE], "is my location in it?", file).startswith("no, ")
    assert answer([WHERE], "is the location gone now?", file).startswith("yes, ")
    both = answer(all_untold("when and where was this taken?"), "when and where was this taken?", file)
    assert "2025-06-03" in both and "no location" in both
