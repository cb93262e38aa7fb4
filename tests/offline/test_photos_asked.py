"""Requests about photos, as people put them: what is planned for them."""

from __future__ import annotations

import pytest

from hugginggpt.core.tasks import default_table
from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.offline.planner import draft_plan

TABLE = default_table()


def _tasks(text: str) -> list[tuple[str, dict[str, object]]]:
    resources = [*find_texts(text, find_resources(text)), Resource("/uploads/photo.jpg", "image")]
    draft = draft_plan(text, TABLE, resources=resources)
    assert not draft.unplanned
    return [(task["task"], task["args"]) for task in draft.tasks]


@pytest.mark.parametrize(
    "text",
    [
        "please take the gps data out of this picture",
        "save it without the location, it goes on the internet",
        "Entferne bitte die Standortdaten aus dem Foto",
    ],
)
def test_a_copy_without_the_place_is_a_change_of_the_picture(text: str) -> None:
    (task, args) = _tasks(text)[-1]
    assert task == "adjust-image" and "change" in args


@pytest.mark.parametrize(
    "text",
    ["is it a parrot?", "which phone was it taken with?", "what did I drink there", "hex codes of the colours please"],
)
def test_the_picture_itself_is_asked(text: str) -> None:
    assert [task for task, _ in _tasks(text)] == ["visual-question-answering"]


def test_words_are_written_in_either_of_two_cases() -> None:
    tasks = _tasks("If you see a dog in it, write WOOF top left, otherwise write MIAOW.")
    written = [args for task, args in tasks if task == "write-on-image"]
    assert [args["text"] for args in written] == ["WOOF", "MIAOW"]
    assert {args["look"] for args in written} == {"top left"}


def test_what_is_cut_out_by_its_outline_is_not_cropped_before() -> None:
    assert [task for task, _ in _tasks("Cut the cat out for me, without the background")] == ["image-segmentation"]


@pytest.mark.parametrize(
    ("text", "part"),
    [("make it a 200x200 square for my profile", "200x200 square"), ("Mach ein Quadrat aus der Mitte", "square")],
)
def test_squares(text: str, part: str) -> None:
    assert ("crop-image", part) in [(task, args.get("part")) for task, args in _tasks(text)]


def test_a_photo_is_turned_the_right_way_up() -> None:
    ((task, args),) = _tasks("It lies on its side, please turn it the right way up")
    assert task == "rotate-image" and "right way up" in str(args["angle"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Please write For Grandma underneath in red letters", "For Grandma"),
        ("put 120 ono in the bottom right corner pls", "120 ono"),
    ],
)
def test_what_is_written_goes_without_the_words_for_its_place(text: str, words: str) -> None:
    ((task, args),) = _tasks(text)
    assert task == "write-on-image" and args["text"] == words


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("looks a bit dark, make it brighter", "brighter"),
        ("Could you put a white border around it so I can frame it?", "white border"),
        ("lovely. And now that one in black and white please", "black and white"),
        ("make it black and white but keep it the same size", "black and white"),
        ("Mach mir daraus bitte ein Schwarzweißbild", "greyscale"),
        ("mets un filtre sépia stp", "sepia"),
    ],
)
def test_a_picture_is_changed_once(text: str, change: str) -> None:
    assert [args.get("change") for _, args in _tasks(text)] == [change]


@pytest.mark.parametrize("text", ["Was macht der Hund?", "Was macht die Frau auf dem Foto?", "Que fait le chien ?"])
def test_what_somebody_does_is_no_operation(text: str) -> None:
    assert not {task for task, _ in _tasks(text)} & {"image-to-image", "adjust-image", "crop-image"}


@pytest.mark.parametrize(
    "text",
    [
        "Ist die Tasse rot oder blau?",
        "La tasse est-elle rouge ou bleue ?",
        "¿La taza es roja o azul?",
        "杯子是红色还是蓝色？",
    ],
)
def test_one_of_two_colours_is_asked_in_other_languages(text: str) -> None:
    ((task, args),) = _tasks(text)
    assert task == "visual-question-answering" and str(args["text"]).endswith("Is the cup red or blue?")


def test_two_questions_in_one_clause_are_both_asked() -> None:
    ((_, args),) = _tasks("Was für ein Tier ist das und welche Farben hat es?")
    assert str(args["text"]).endswith("What kind of animal is it? What colours does it have?")
