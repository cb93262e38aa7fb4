"""The order of joined files, as words say it."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import PastTask, Turn
from hugginggpt.media.references import Resource
from hugginggpt.offline.orders import as_said, swapped, untold
from hugginggpt.offline.planner import draft_plan, plan_offline
from tests.offline.test_planner import TABLE

FILES = ["/uploads/verse-0123456789.wav", "/uploads/intro-abcdef0123.wav"]
SWAPPED = FILES[::-1]


@pytest.mark.parametrize(
    ("request_text", "order"),
    [
        ("Stick these two together, intro first and then the verse", SWAPPED),
        ("join them, the intro goes first", SWAPPED),
        ("the intro, then the verse, as one file", SWAPPED),
        ("put the verse behind the intro", SWAPPED),
        ("the verse after the intro please", SWAPPED),
        ("the verse last", SWAPPED),
        ("first the verse and then the intro", FILES),
        ("the verse first", FILES),
        ("join them", FILES),
        ("join them in reverse order", SWAPPED),
    ],
)
def test_files_are_joined_in_the_order_that_is_said(request_text: str, order: list[str]) -> None:
    assert as_said(FILES, request_text) == order


@pytest.mark.parametrize("text", ["the other way round please", "andersherum bitte", "al revés", "反过来"])
def test_the_other_way_round_swaps_the_files_that_were_joined(text: str) -> None:
    turn = Turn(
        "join them", run_id="1", tasks=(PastTask(0, "join-audio", {"audios": FILES}, {"audio": "/audios/a.wav"}),)
    )
    assert swapped(text, [turn], TABLE) == ("join-audio", {"audios": SWAPPED})
    assert swapped("make it an mp3", [turn], TABLE) is None
    assert swapped(text, [], TABLE) is None


def test_days_are_called_by_their_short_names() -> None:
    files = ["/uploads/memo_sat-5a6c5fe00c.wav", "/uploads/memo_sun-1f2d2f59b2.wav"]
    assert as_said(files, "make one recording out of these, sunday first") == files[::-1]


def test_the_one_that_is_put_first_is_called_by_another_word_for_the_same() -> None:
    files = ["/uploads/plumber.mp3", "/uploads/granny_message.wav"]
    assert as_said(files, "join these into one mp3, grandma first") == files[::-1]
    turn = Turn(
        "join them", run_id="1", tasks=(PastTask(0, "join-audio", {"audios": files}, {"audio": "/audios/a.wav"}),)
    )
    assert swapped("put granny first instead", [turn], TABLE) == ("join-audio", {"audios": files[::-1]})
    assert swapped("put the plumber first", [turn], TABLE) is None


def test_what_no_name_tells_is_said() -> None:
    files = ["/uploads/memo1-5a6c5fe00c.wav", "/uploads/memo2-1f2d2f59b2.wav"]
    assert untold(files, "join my memos, the flower pot one first") == "the flower pot one"
    assert untold(files, "join my memos, the first one first") == ""
    assert untold(["/uploads/pot.wav", "/uploads/key.wav"], "join my memos, the pot one first") == ""


def test_of_files_that_are_named_one_may_come_first() -> None:
    said = "join intro.mp3, talk.mp3 and outro.mp3, outro first"
    (task,) = plan_offline(said, TABLE)
    assert task["args"]["audios"] == ["outro.mp3", "intro.mp3", "talk.mp3"]


@pytest.mark.parametrize(
    ("request_text", "files", "order"),
    [
        ("Join these, part 1 first", ["b_part2.mp3", "a_part1.wav"], ["a_part1.wav", "b_part2.mp3"]),
        ("put them together, number 2 first", ["a.wav", "b.wav"], ["b.wav", "a.wav"]),
        ("join them, part 2 then part 1", ["a.wav", "b.wav"], ["b.wav", "a.wav"]),
    ],
)
def test_files_are_called_by_their_numbers(request_text: str, files: list[str], order: list[str]) -> None:
    attached = [Resource(name, "audio") for name in files]
    draft = draft_plan(request_text, TABLE, resources=attached)
    assert [task["args"]["audios"] for task in draft.tasks] == [order]
    assert not draft.unplanned
