"""The names that files are to have: read from requests, kept in plans, given to the files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

import hugginggpt
from hugginggpt.core.plan_repair import repair
from hugginggpt.media.names import without_number
from tests.conftest import TABLE, MakeConfig, plan_offline


@pytest.mark.parametrize(
    ("request_text", "tasks"),
    [
        ("flip selfie.jpg and save it as mirrored.jpg", [("flip-image", "mirrored.jpg")]),
        ("rotate plan.png by 90 degrees and name it upright.png", [("rotate-image", "upright.png")]),
        ("make dark.jpg brighter and save it as light.png", [("adjust-image", ""), ("convert-image", "light.png")]),
        ("merge one.pdf, two.pdf and three.pdf into all.pdf", [("join-pdf", "all.pdf")]),
        ("join a.wav and b.wav and call it both.wav", [("join-audio", "both.wav")]),
        ("flip selfie.jpg", [("flip-image", "")]),
    ],
)
def test_names_are_read_from_the_request(request_text: str, tasks: list[tuple[str, str]]) -> None:
    assert [(task["task"], task.get("save_as", "")) for task in plan_offline(request_text)] == tasks


def test_a_plan_keeps_the_name() -> None:
    plan = repair([{"task": "flip-image", "id": 0, "args": {"image": "a.jpg"}, "save_as": "b.jpg"}], TABLE)
    assert plan[0].save_as == "b.jpg" and plan.to_json()[0]["save_as"] == "b.jpg"


def test_the_file_bears_the_name_and_nothing_beyond_it(make_config: MakeConfig, tmp_path: Path) -> None:
    Image.new("RGB", (60, 40), "red").save(tmp_path / "small.png")
    with hugginggpt.HuggingGPT(make_config(llm="offline", inference_mode="local")) as gpt:
        answer = gpt.ask("flip small.png and save it as turned.png", files=[str(tmp_path / "small.png")])
    assert [without_number(str(file)) for file in answer.files] == ["turned.png"]


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ("/images/cover-0123456789ab.png", "cover.png"),
        ("/images/0123456789abcdef0123456789abcdef.png", "0123456789abcdef0123456789abcdef.png"),
    ],
)
def test_the_number_behind_a_name_is_left_out(made: str, name: str) -> None:
    assert without_number(made) == name
