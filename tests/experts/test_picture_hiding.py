"""Parts of pictures are hidden: faces, texts, objects, regions, the background; what is not found is said."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from hugginggpt.common.paths import PUBLIC
from hugginggpt.core.errors import UserError
from hugginggpt.experts import picture_hiding as hiding
from hugginggpt.experts.lettering import font_file
from hugginggpt.experts.ocr import recognised

EXAMPLES = PUBLIC / "examples"


def opened(answer: dict[str, Any]) -> Image.Image:
    return Image.open(io.BytesIO(answer["generated image"])).convert("RGB")


def changed_share(before: Image.Image, after: Image.Image, box: tuple[int, int, int, int]) -> float:
    """The share of the pixels of a box that differ."""
    first, second = (np.asarray(one.convert("RGB").crop(box), int) for one in (before, after))
    return float((abs(first - second).max(-1) > 12).mean())


@pytest.fixture
def form(tmp_path: Path) -> Path:
    """A page with labels and values."""
    page = Image.new("RGB", (900, 420), "white")
    drawing, font = ImageDraw.Draw(page), ImageFont.truetype(str(font_file("DejaVuSans.ttf")), 28)
    rows = (
        "Name: Clara Jensen",
        "Phone: 0113 555 0199",
        "Born: 03.05.2018",
        "Mail: clara@example.org",
        "Total: 64.00 GBP",
    )
    for number, row in enumerate(rows):
        drawing.text((40, 30 + 70 * number), row, "black", font)
    page.save(tmp_path / "form.png")
    return tmp_path / "form.png"


@pytest.mark.parametrize(
    ("style", "colours"), [(hiding.BLACK, 1), (hiding.WHITE, 1), (hiding.PIXELS, 150), (hiding.BLUR, 5000)]
)
def test_a_covered_box_keeps_little_and_the_rest_is_as_it_was(style: str, colours: int) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (100, 120, 3), np.uint8)
    picture = Image.fromarray(noise)
    after = np.asarray(hiding.covered(picture, [(20, 30, 80, 70)], style))
    assert len(np.unique(after[30:70, 20:80].reshape(-1, 3), axis=0)) <= colours
    assert (after[:25] == noise[:25]).all()
    assert (after[:, 90:] == noise[:, 90:]).all()


@pytest.mark.parametrize(
    ("what", "line", "spans"),
    [
        ("black out the phone number", "Phone: 0113 555 0199", [(7, 20)]),
        ("hide the e-mail addresses", "Mail: clara@example.org", [(6, 23)]),
        ("redact the IBAN", "IBAN DE89 3704 0044 0532 0130 00", [(5, 32)]),
        ("cover all dates", "Born: 03.05.2018", [(6, 16)]),
        ("black out the prices", "Tulips 20 pcs 6.50", [(14, 18)]),
        ('hide "Jensen"', "Clara Jensen", [(6, 12)]),
    ],
)
def test_what_words_name_in_a_line(what: str, line: str, spans: list[tuple[int, int]]) -> None:
    wanted, _ = hiding._pattern_of(what)
    assert wanted is not None
    assert list(wanted(line)) == spans


def test_a_region_is_blacked_out(tmp_path: Path) -> None:
    file = tmp_path / "plain.png"
    Image.new("RGB", (80, 40), "white").save(file)
    answer = hiding.hide(file, "black out the left half")
    assert (answer["note"], opened(answer).getpixel((10, 20)), opened(answer).getpixel((60, 20))) == (
        "this part blacked out", (0, 0, 0), (255, 255, 255)
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "gone", "kept"),
    [
        ("black out the phone number", "0199", "Phone"), ("hide the total", "64.00", "Total"),
        ("cover the names", "Clara", "Born"), ("hide the name and the total", "64.00", "0199"), ('redact "clara@example.org"', "example", "0199"),
    ],
)  # fmt: skip
def test_texts_of_a_page_cannot_be_read_any_more(form: Path, what: str, gone: str, kept: str) -> None:
    texts = " ".join(text for text, _ in recognised(opened(hiding.hide(form, what))))
    assert gone not in texts
    assert kept in texts


@pytest.mark.slow
def test_a_text_that_is_not_there_is_said(form: Path) -> None:
    with pytest.raises(UserError, match="No IBAN is recognised"):
        hiding.hide(form, "black out the IBAN")


@pytest.mark.slow
def test_faces() -> None:
    portrait = Image.open(EXAMPLES / "f.jpg")
    answer = hiding.hide(EXAMPLES / "f.jpg", "pixelate her face")
    assert answer["note"].startswith("1 face pixelated: look whether")
    assert changed_share(portrait, opened(answer), (250, 110, 310, 190)) > 0.5
    assert changed_share(portrait, opened(answer), (0, 300, 640, 640)) < 0.01
    with pytest.raises(UserError, match="No face is found"):
        hiding.hide(EXAMPLES / "g.jpg", "blur all faces")


@pytest.mark.slow
def test_objects_and_the_background() -> None:
    cat = Image.open(EXAMPLES / "d.jpg")
    answer = hiding.hide(EXAMPLES / "d.jpg", "pixelate the cat")
    assert answer["note"] == "the cat pixelated"
    assert (
        changed_share(cat, opened(answer), (cat.width // 3, cat.height // 2, cat.width // 2, 2 * cat.height // 3)) > 0.4
    )
    portrait = Image.open(EXAMPLES / "f.jpg")
    behind = opened(hiding.hide(EXAMPLES / "f.jpg", "blur the background"))
    assert changed_share(portrait, behind, (250, 110, 310, 190)) < 0.1
    assert changed_share(portrait, behind, (400, 20, 640, 300)) > 0.1
    with pytest.raises(UserError, match="finds no dog"):
        hiding.hide(EXAMPLES / "d.jpg", "blur the dog")


@pytest.mark.slow
def test_words_that_name_nothing_are_told_what_can_be_said() -> None:
    with pytest.raises(UserError, match="What is to be hidden"):
        hiding.hide(EXAMPLES / "d.jpg", "hide the secret ingredient")
