"""What only tells something beside a request, in words of any kind, is passed over; what is not done is told."""

from __future__ import annotations

import pytest

from hugginggpt.media.references import Resource
from hugginggpt.offline.planner import Draft, draft_plan
from hugginggpt.offline.remarks import only_tells
from tests.offline.test_planner import TABLE

FILES = {
    "image": Resource("/examples/a.jpg", "image"),
    "audio": Resource("/examples/sound.wav", "audio"),
}


def drafted(kind: str, text: str) -> Draft:
    return draft_plan(text, TABLE, resources=[FILES[kind]])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("image", "need it for my nephew's card. what animal is this"),
        ("image", "crop it to a square please. Profile pic"),
        ("image", "Found in the attic. What is on this photo?"),
        ("audio", "Need it for radio. Clean up the hiss"),
        ("audio", "cant hear a thing, make it louder"),
        ("audio", "recorded in the van bit noisy sorry. what is said"),
        ("image", "Ich brauche es für die Schule. Was ist auf dem Bild?"),
        ("image", "J'en ai besoin pour mon exposé. Combien de personnes y a-t-il ?"),
        ("image", "Lo necesito para el colegio. ¿Qué hay en la foto?"),
        ("image", "拍得有点暗。 调亮一点"),
    ],
)
def test_a_remark_beside_a_request_is_passed_over(kind: str, text: str) -> None:
    draft = drafted(kind, text)
    assert draft.tasks and not draft.unplanned


@pytest.mark.parametrize(
    ("kind", "text", "undone"),
    [
        ("image", "resize it to 500. needs a nice old-fashioned border too", "border"),
        ("image", "crop it. would be nice with a rainbow over it", "rainbow"),
        ("image", "blur the faces. Upload it to instagram", "Upload"),
        ("audio", "transcribe it. make him sound happier", "happier"),
        ("image", "Combien de chats ? Ajoute-leur des chapeaux.", "chapeaux"),
    ],
)
def test_an_order_that_is_not_done_is_told(kind: str, text: str, undone: str) -> None:
    draft = drafted(kind, text)
    tasks = [task["task"] for task in draft.tasks]
    assert any(undone in part.text for part in draft.unplanned) or len(tasks) > 1


@pytest.mark.parametrize("text", ["is it for sale", "give him a hat", "a bit brighter please", "mach es heller"])
def test_what_asks_for_something_is_no_remark(text: str) -> None:
    assert not only_tells(text)
