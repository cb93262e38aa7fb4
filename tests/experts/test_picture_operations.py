"""Operations on pictures: what words make of them, what is refused, in which format they answer."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hugginggpt.common.paths import PUBLIC
from hugginggpt.core.errors import UserError
from hugginggpt.experts import picture_operations as operations
from hugginggpt.experts.registry import experts_for
from hugginggpt.media.coded_pictures import handles_avif

RED, BLUE, CLEAR = (255, 0, 0), (0, 0, 255), (0, 0, 0, 0)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A PNG of 80x40 pixels: its left half is red, its right half blue."""
    image = Image.new("RGB", (80, 40), RED)
    image.paste(BLUE, (40, 0, 80, 40))
    image.save(tmp_path / "halves.png")
    return tmp_path / "halves.png"


def opened(answer: dict[str, Any]) -> Image.Image:
    return Image.open(io.BytesIO(answer["generated image"]))


@pytest.mark.parametrize(
    ("part", "size", "first"),
    [
        ("the left half", (40, 40), RED), ("right half", (40, 40), BLUE), ("a square", (40, 40), RED), ("16:8", (80, 40), RED),
        ("20x10", (20, 10), RED), ("bottom right corner", (40, 20), BLUE), ("remove the left half", (40, 40), BLUE),
        ("cut off the top 25 %", (80, 30), RED), ("10 px off each side", (60, 20), RED), ("top third", (80, 13), RED),
        ("the left three quarters", (60, 40), RED),
    ],
)  # fmt: skip
def test_crop(picture: Path, part: str, size: tuple[int, int], first: tuple[int, int, int]) -> None:
    cropped = opened(operations.crop(picture, part))
    assert (cropped.size, cropped.getpixel((1, 1))) == (size, first)


@pytest.mark.parametrize(
    ("size", "became"),
    [
        ("50 %", (40, 20)), ("half the size", (40, 20)), ("160 wide", (160, 80)), ("20 pixels high", (40, 20)),
        ("30x30", (30, 30)), ("twice as big", (160, 80)), ("four times smaller", (20, 10)), ("bigger by 50 %", (120, 60)),
        ("thumbnail", (80, 40)), ("smaller", (40, 20)), ("a factor of 3", (240, 120)), ("width of 40", (40, 20)),
        ("three quarters", (60, 30)), ("3/4 of the size", (60, 30)), ("a quarter smaller", (60, 30)), ("the third one, 40 wide", (40, 20)),
    ],
)  # fmt: skip
def test_resize(picture: Path, size: str, became: tuple[int, int]) -> None:
    assert opened(operations.resize(picture, size)).size == became


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("resize", "9" * 200 + " %"), ("crop", "1:" + "9" * 200), ("crop", "9" * 12 + " px off each side"), ("resize", "9" * 12 + " wide"),
        ("rotate", "9" * 200), ("adjust", "9" * 200 + " % brighter"), ("convert", "png " * 100), ("adjust", "brighter, " * 10),
    ],
)  # fmt: skip
def test_words_that_nobody_can_follow(picture: Path, operation: str, words: str) -> None:
    """As the user's error, which is not tried again."""
    run = next(one for one in experts_for(f"{operation}-image") if one.id == operation).run
    if operation == "adjust" and "%" in words:
        run(image=picture, change=words)  # "brighter" is all that is understood
        return
    name = {"resize": "size", "crop": "part", "rotate": "angle", "adjust": "change", "convert": "format"}[operation]
    with pytest.raises(UserError):
        run(image=picture, **{name: words})


def test_pictures_that_would_be_too_large_are_not_made(tmp_path: Path) -> None:
    """Not for the format, and not for the memory."""
    Image.new("RGB", (20_000, 10), RED).save(tmp_path / "wide.png")
    Image.new("RGB", (70_000, 3), RED).save(tmp_path / "wider.png")
    Image.new("RGB", (300, 1), RED).save(tmp_path / "line.png")
    Image.new("RGB", (100, 1200), BLUE).save(tmp_path / "high.png")
    for name, kind, most in (("wide", "webp", "16,383"), ("wider", "jpg", "65,500"), ("wider", "gif", "65,535")):
        with pytest.raises(UserError, match=f"{most} pixels a side at most"):
            operations.convert(tmp_path / f"{name}.png", kind)
    with pytest.raises(UserError, match="360000x1200|360108x1200"):
        operations.join([tmp_path / "line.png", tmp_path / "high.png"])
    with pytest.raises(UserError, match="megapixels"):
        operations.rotate(tmp_path / "wider.png", "45 degrees")
    below = opened(operations.join([tmp_path / "line.png", tmp_path / "high.png"], "in a column"))
    assert below.size == (300, 2408)  # two cells as high as the higher one
    assert below.getpixel((150, 1900))[0] < 60 and min(below.getpixel((10, 1900))) > 200


@pytest.mark.parametrize(
    ("angle", "degrees"),
    [
        ("90 degrees", 90), ("90 degrees to the left", -90), ("to the right", 90), ("upside down", 180), ("round", 180), ("a quarter turn", 90),
        ("-30", -30), ("counter-clockwise by 45°", -45), ("three quarters clockwise", 270), ("450 degrees", 90),
    ],
)  # fmt: skip
def test_angles(angle: str, degrees: float) -> None:
    assert operations._clockwise(angle) == degrees


def test_rotate_turns_clockwise_and_flip_mirrors(picture: Path) -> None:
    turned = opened(operations.rotate(picture, "90 degrees"))
    assert turned.size == (40, 80) and turned.getpixel((20, 10)) == RED
    assert opened(operations.flip(picture)).getpixel((5, 5)) == BLUE
    assert opened(operations.flip(picture, "vertically")).getpixel((5, 5)) == RED
    assert opened(operations.flip(picture, "both ways")).getpixel((5, 5)) == BLUE
    with pytest.raises(UserError, match="Which way"):
        operations.flip(picture, "diagonally")


def test_adjust_makes_all_the_changes(picture: Path) -> None:
    answer = operations.adjust(picture, "black and white and 20 % darker")
    red, green, blue = opened(answer).getpixel((5, 5))  # type: ignore[misc]
    assert red == green == blue and answer["note"] == "in greys, 20 % less brightness"


def test_what_is_transparent_stays_so_unless_the_format_cannot(tmp_path: Path) -> None:
    Image.new("RGBA", (8, 8), CLEAR).save(tmp_path / "clear.png")
    resized = opened(operations.resize(tmp_path / "clear.png", "200 %"))
    assert resized.mode == "RGBA" and resized.getpixel((3, 3)) == CLEAR
    assert opened(operations.convert(tmp_path / "clear.png", "jpg")).getpixel((3, 3)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("format", "kind"), [("a jpg", "JPEG"), ("WebP", "WEBP"), ("gif", "GIF"), ("bmp", "BMP"), ("tif", "TIFF")]
)
def test_convert(picture: Path, format: str, kind: str) -> None:
    assert opened(operations.convert(picture, format)).format == kind


def test_avif_is_written_where_pillow_can(picture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if handles_avif():
        assert opened(operations.convert(picture, "an avif")).format == "AVIF"
    monkeypatch.setattr(operations, "handles_avif", lambda: False)
    with pytest.raises(UserError, match="writes no AVIF"):
        operations.convert(picture, "an avif")


@pytest.mark.parametrize(
    ("layout", "count", "size"),
    [("", 2, (168, 40)), ("below each other", 2, (80, 88)), ("", 4, (168, 88)), ("in a row", 4, (344, 40))],
)
def test_collage(picture: Path, layout: str, count: int, size: tuple[int, int]) -> None:
    assert opened(operations.join([picture] * count, layout)).size == size


def test_what_cannot_be_done_is_said(picture: Path) -> None:
    for wrong, says in [
        (lambda: operations.crop(picture, "500x500"), "80x40"),
        (lambda: operations.crop(picture, "the frumious part"), "Which part"),
        (lambda: operations.crop(picture, "100 % off the left side"), "more than the picture has"),
        (lambda: operations.resize(picture, "90000 wide"), "megapixels"),
        (lambda: operations.resize(picture, "nicer"), "Which size"),
        (lambda: operations.rotate(picture, "somehow"), "By how much"),
        (lambda: operations.adjust(picture, "nicer"), "Possible are"),
        (lambda: operations.convert(picture, "docx"), "png"),
        (lambda: operations.join([picture]), "2 to 36"),
    ]:
        with pytest.raises(UserError, match=says):
            wrong()


@pytest.mark.slow
def test_an_object_is_cut_out_and_which_of_several_is_told(tmp_path: Path) -> None:
    giraffes = PUBLIC / "examples" / "b.jpg"
    likeliest, remaining, left, right, each = (
        operations.crop(giraffes, part)
        for part in (
            "the giraffe", "only the giraffe is left", "the giraffe on the left", "the rightmost giraffe", "each giraffe"
        )
    )  # fmt: skip
    assert opened(remaining).tobytes() == opened(likeliest).tobytes()
    assert "the likeliest of 2: say “the giraffe on the left”" in likeliest["note"]
    assert "the left one of 2" in left["note"]
    assert opened(left).tobytes() != opened(right).tobytes()
    assert each["note"] == "2 of 2 found, from left to right, on one sheet"
    with pytest.raises(UserError, match="finds no bus in the picture to cut out"):
        operations.crop(giraffes, "the bus")


def test_a_lower_quality_makes_a_smaller_file_of_the_same_format() -> None:
    photo = PUBLIC / "examples" / "c.jpg"
    fine, coarse = (operations.convert(photo, f"jpg, quality {value}")["generated image"] for value in (90, 30))
    own = operations.convert(photo, "quality of 30 %")
    assert len(coarse) < 0.5 * len(fine)
    assert opened(own).format == "JPEG" and len(own["generated image"]) == len(coarse)


def test_qualities_that_there_are_not(picture: Path) -> None:
    for words, says in [("png, quality 50", "no quality to choose"), ("jpg, quality 300", "1 to 100")]:
        with pytest.raises(UserError, match=says):
            operations.convert(picture, words)


def test_each_object_in_a_file_of_its_own() -> None:
    made = operations.crop(PUBLIC / "examples" / "b.jpg", "each giraffe as its own file")
    sizes = [Image.open(io.BytesIO(data)).size for data in made["generated image"]]
    assert len(sizes) == 2 and made["note"] == "2 of 2 found, from left to right, each in a file of its own"


def test_a_picture_is_made_to_fit_a_size_in_bytes(tmp_path: Path) -> None:
    file = tmp_path / "noise.jpg"
    Image.effect_noise((600, 400), 80).convert("RGB").save(file, quality=95)
    assert file.stat().st_size > 60_000
    assert len(operations.resize(file, "under 60 KB")["generated image"]) <= 60_000
    with pytest.raises(UserError, match="cannot be made"):
        operations.resize(file, "under 100 bytes")


def test_a_very_dark_picture_is_brightened_until_it_can_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "dark.png"
    Image.linear_gradient("L").point([value // 6 for value in range(256)]).convert("RGB").save(file)
    before, after = Image.open(file).convert("L"), opened(operations.adjust(file, "brighter")).convert("L")
    assert after.getextrema()[1] > 3 * before.getextrema()[1]
    told = opened(operations.adjust(file, "30 % brighter")).convert("L")
    assert told.getextrema()[1] <= 1.4 * before.getextrema()[1]


def test_what_is_turned_down_becomes_less(picture: Path) -> None:
    notes = [
        operations.adjust(picture, change)["note"]
        for change in ("turn down the contrast", "exposure down", "exposure up by 30 %")
    ]
    assert notes == ["30 % less contrast", "30 % less brightness", "30 % more brightness"]


def test_a_minus_makes_less_and_a_radius_is_that_of_the_blur(picture: Path) -> None:
    assert operations.adjust(picture, "-20 % brightness")["note"] == "20 % less brightness"
    assert operations.adjust(picture, "blur, 5 px")["note"] == "blurred with a radius of 5 pixels"
    with pytest.raises(UserError, match="1 to 200 pixels"):
        operations.adjust(picture, "blur with a radius of 500")


def test_shares_may_be_written_in_words(picture: Path) -> None:
    with Image.open(picture) as whole:
        width, height = whole.size
    assert opened(operations.crop(picture, "remove ten percent from the bottom")).size == (width, round(0.9 * height))
    assert opened(operations.resize(picture, "fifty percent")).size == (width // 2, height // 2)


def test_a_pencil_drawing_is_lines_on_white(picture: Path) -> None:
    drawn = opened(operations.adjust(picture, "pencil drawing")).convert("L")
    assert drawn.getpixel((5, 20)) > 250 < drawn.getpixel((75, 20))
    assert drawn.getextrema()[0] < 200
