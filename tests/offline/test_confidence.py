"""How sure the offline planner is, how that is calibrated, and which tasks it thinks likely."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.references import find_resources
from hugginggpt.offline.confidence import confidence
from hugginggpt.offline.planner import OfflinePlanner
from hugginggpt.offline.shortlist import SIZE, shortlist
from hugginggpt.offline.training.__main__ import calibrate
from hugginggpt.offline.training.calibration import (
    WANTED,
    Tried,
    calibrated,
    held_out_chances,
    is_right,
    kept_weights,
    threshold_of,
)
from hugginggpt.offline.training.labelled import Labelled
from hugginggpt.stages.run import Run
from tests.conftest import TABLE, MakeConfig


def tried(right: bool, odds: float, group: str = "a") -> Tried:
    return Tried({"talk sum": odds, "talk words": 1.0}, right, group)


PLANS = [tried(number > 10, number / 10, "abcd"[number % 4]) for number in range(100)]
"""Plans that are right where a signal is high."""


def test_the_threshold_is_the_lowest_chance_from_which_enough_plans_are_right() -> None:
    chances = np.linspace(1, 0.01, 100)
    right = np.arange(100) < 60
    threshold = threshold_of(chances, right)
    sure = chances >= threshold
    assert right[sure].mean() >= WANTED
    assert sure.sum() == 61  # one wrong of 61 is less than 2.5 %, two of 62 are more


def test_where_no_share_is_high_enough_nothing_is_sure() -> None:
    assert threshold_of(np.linspace(1, 0, 50), np.arange(50) % 2 == 0) == 1.0


def test_a_family_is_calibrated_on_plans_of_other_groups() -> None:
    chances = held_out_chances("talk", PLANS)
    assert chances[90] > 0.95 > 0.5 > chances[2]
    weights = calibrated("talk", PLANS)
    assert 0.5 < weights["talk.threshold"][0] < 1


def test_where_the_others_are_all_right_or_all_wrong_so_is_a_plan() -> None:
    assert held_out_chances("talk", [tried(True, 1.0, "a"), tried(False, 1.0, "b")]).tolist() == [0.0, 1.0]


def test_plans_that_were_all_right_tell_nothing_of_wrong_ones() -> None:
    assert calibrated("talk", [tried(True, 1.0)] * 50) == {}


def test_weights_are_kept_of_what_was_not_tried_again(tmp_path: Path) -> None:
    file = tmp_path / "confidence.safetensors"
    calibrate(PLANS, file)
    before = kept_weights(file)
    calibrate(
        [Tried({"foreign sum": one.signals["talk sum"]}, one.right, group) for one in PLANS for group in "xy"], file
    )
    after = kept_weights(file)
    assert set(after) == {"talk", "foreign"}
    assert np.array_equal(after["talk"]["talk.weight"], before["talk"]["talk.weight"])


def test_a_graph_is_right_with_the_tools_and_links_of_its_label_alone() -> None:
    from hugginggpt.offline.tool_network.tools import NAMES

    label = Labelled("", frozenset({0, 1}), frozenset({(0, 1)}))
    first, second = NAMES[:2]
    assert is_right([first, second], [(first, second)], label)
    assert not is_right([first, second], [], label)
    assert not is_right([first], [(first, second)], label)


def test_a_plan_that_says_nothing_of_itself_is_never_sure() -> None:
    assert confidence({}) == (0.0, 1.0)


def proposed(make_config: MakeConfig, request: str) -> Any:
    run = Run([{"role": "user", "content": request}], make_config().limits)
    return OfflinePlanner(TABLE).propose(run)


def test_the_planner_is_sure_of_plain_requests_and_of_no_muddled_ones(make_config: MakeConfig) -> None:
    plain = ("Describe /examples/a.jpg", "How many dogs are in park.jpg?", "Wie viele Hunde sind auf a.jpg?")
    assert all(not proposed(make_config, request).needs_model for request in plain)
    muddled = (
        "Draw me a picture like a.jpg but with cats in place of the giraffes, then say what it is in Italian, aloud",
        "transcribe talk.wav and make a rap of it",
        "is this any good?",
    )
    assert all(proposed(make_config, request).needs_model for request in muddled)


def test_the_shortlist_has_what_the_words_ask_for() -> None:
    request = "Transcribe talk.wav, then translate it into French"
    likely = shortlist(request, find_resources(request), ["text-to-speech"], TABLE)
    assert {"automatic-speech-recognition", "translation", "text-to-speech"} <= likely
    worded = {row.name for row in TABLE if row.is_free_text}
    assert len(likely - worded) <= SIZE + 1
    assert shortlist(request, find_resources(request), [], TABLE, frozenset({"translation"})) == {"translation"}


def test_tasks_that_nobody_has_learned_are_always_on_the_shortlist() -> None:
    from dataclasses import replace

    own = replace(TABLE["text-to-speech"], name="text-to-scent", cues=())
    table = TaskTable([*TABLE, own])
    assert "text-to-scent" in shortlist("Describe a.jpg", find_resources("Describe a.jpg"), [], table)


@pytest.mark.parametrize(
    "request_text",
    [
        "把 talk.mp3 转成 wav",
        "Wie laut ist talk.mp3?",
        "Drehe a.jpg um 90 Grad",
        "Convertis a.png en jpg",
        "Konvertiere a.png in jpg",
        "Spiegle a.jpg horizontal",
        "Gira a.jpg 90 grados",
        "Do a.jpg and b.jpg show the same person?",
        "Is the text in a.png in English?",
        "Describe a.jpg, but only if it was taken in winter",
        "Read notes.txt aloud backwards",
        "Translate 'bank' into German, as in river bank",
        "Anonymise notes.txt but keep the names",
        "Delete a.jpg",
        "How many sleeping dogs are in a.jpg?",
    ],
)
def test_the_planner_is_not_sure_where_words_are_left_over(make_config: MakeConfig, request_text: str) -> None:
    assert proposed(make_config, request_text).needs_model


def after_a_description(make_config: MakeConfig, request: str) -> Any:
    said = [("user", "Describe a.jpg"), ("assistant", "A dog on a lawn."), ("user", request)]
    run = Run([{"role": role, "content": content} for role, content in said], make_config().limits)
    return OfflinePlanner(TABLE).propose(run)


def test_a_follow_up_that_greets_or_names_nothing_is_not_sure(make_config: MakeConfig) -> None:
    apart = ("Hey, tell me a joke", "Say it in French", "What is the capital of France?")
    assert all(after_a_description(make_config, request).needs_model for request in apart)
    assert not any(after_a_description(make_config, request).needs_model for request in ("and b.jpg?", "read it aloud"))


def test_what_is_left_over_is_told(make_config: MakeConfig) -> None:
    assert proposed(make_config, "Read notes.txt aloud backwards").doubt == (
        "the offline planner cannot account for “backwards”"
    )


@pytest.mark.parametrize(
    ("request_text", "language", "needed"),
    [
        ("Écris un poème sur la mer", "fr", "text-generation"),
        ("Schneide a.jpg auf die linke Hälfte zu", "de", "crop-image"),
        ("Describe a.jpg", "", "conversational"),
    ],
)
def test_the_shortlist_keeps_what_a_head_cannot_tell(request_text: str, language: str, needed: str) -> None:
    assert needed in shortlist(request_text, find_resources(request_text), [], TABLE, language=language)
