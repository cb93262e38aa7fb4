"""The catalogue of models: the one that comes with the project, and a user's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hugginggpt.catalog.catalog import Catalog
from hugginggpt.common.paths import CATALOGUE
from hugginggpt.core.errors import ConfigError
from tests.conftest import TABLE


def test_the_catalogue_that_comes_with_the_project() -> None:
    lines = [json.loads(line) for line in CATALOGUE.read_text(encoding="utf-8").splitlines()]
    by_task: dict[str, int] = {}
    for entry in lines:
        assert set(entry) >= {"id", "task", "downloads", "likes", "meta", "description"}
        assert entry["description"].endswith(".")
        by_task[entry["task"]] = by_task.get(entry["task"], 0) + 1
    assert len({entry["description"] for entry in lines}) == len(lines)
    assert set(by_task) <= set(TABLE.names)
    assert len(by_task) == 24
    assert all(count >= 10 for task, count in by_task.items() if task != "text-to-video")


def test_a_catalogue_of_ones_own_is_added(tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text(
        '{"id": "me/mine", "task": "object-detection", "downloads": 10000000}\n\n{"id": "me/b", "task": "my-task"}\n'
    )
    catalog = Catalog(CATALOGUE, own)
    assert [card.id for card in catalog.models("object-detection")][:2] == ["me/mine", "hustvl/yolos-tiny"]
    assert [card.id for card in catalog.models("my-task")] == ["me/b"]
    unfit = "pyannote/voice-activity-detection"  # listed under speech recognition, but does not transcribe
    assert unfit not in [card.id for card in catalog.models("automatic-speech-recognition")]


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "x"}', '{"id": "x", "task": "y", "likes": "many"}'])
def test_a_broken_catalogue_names_the_line(tmp_path: Path, line: str) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text('{"id": "x", "task": "y"}\n' + line)
    with pytest.raises(ConfigError, match="own.jsonl, line 2"):
        Catalog(own).models("y")
