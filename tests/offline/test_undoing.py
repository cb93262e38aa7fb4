"""A change that is taken back is not in hand any more."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Attachment, PastTask, Turn
from hugginggpt.offline.memory import remember
from hugginggpt.offline.planner import draft_plan
from hugginggpt.offline.undoing import UNDONE, as_undone, rest_of, without_last_change
from tests.conftest import TABLE

MADE, LATER = "/images/turned.jpg", "/images/grey.jpg"


def made(request: str, task: str, source: str, result: str) -> Turn:
    past = PastTask(0, task, {"image": source}, {"generated image": result}, form="image")
    return Turn(request, "run", tasks=(past,), message=f"The picture: {result}")


FIRST = Turn("hello", "run", files=(Attachment("a.jpg", "/uploads/a.jpg", "image"),))
TURNED = made("turn it upside down", "rotate-image", "/uploads/a.jpg", MADE)
GREY = made("in black and white", "adjust-image", MADE, LATER)


def in_hand(*turns: Turn) -> str:
    return remember(as_undone(turns), TABLE).meant(("image",), "it")[-1].text


@pytest.mark.parametrize(
    ("request_text", "rest"),
    [
        ("undo that", ""),
        ("no, put it back the way it was", ""),
        ("Mach das rückgängig bitte", ""),
        ("annule ça", ""),
        ("撤销", ""),
        ("undo that and make it brighter instead", "make it brighter instead"),
        ("put it back to back with the other one", None),
        ("take the background away", None),
        ("undoubtedly a cat", None),
    ],
)
def test_what_takes_a_change_back(request_text: str, rest: str | None) -> None:
    assert rest_of(request_text) == rest


def test_the_file_before_the_change_is_in_hand_again() -> None:
    assert in_hand(FIRST, TURNED) == MADE
    assert in_hand(FIRST, TURNED, Turn("undo that", "run")) == "/uploads/a.jpg"
    assert in_hand(FIRST, TURNED, GREY, Turn("undo that", "run")) == MADE
    assert in_hand(FIRST, TURNED, GREY, Turn("undo that", "run"), Turn("undo that too", "run")) == "/uploads/a.jpg"
    assert without_last_change((FIRST,)) == (FIRST,)


def test_what_is_asked_for_behind_it_is_done_to_that_file() -> None:
    draft = draft_plan("undo that and make it brighter", TABLE, [FIRST, TURNED], resources=[])
    assert [(task["task"], task["args"]["image"]) for task in draft.tasks] == [("adjust-image", "/uploads/a.jpg")]
    assert draft_plan("undo that", TABLE, [FIRST, TURNED], resources=[]).small_talk == UNDONE


def test_the_one_before_that_is_what_the_last_change_was_made_of() -> None:
    memory = remember([FIRST, TURNED, GREY], TABLE)
    referent = memory.referent("in the one before that, blur the background")
    assert referent is not None and referent.text == MADE
