"""Requests that were made to keep the planner busy."""

from __future__ import annotations

import pytest

from awesome_chat import make_controller
from hugginggpt.core.events import RunRecord
from tests.conftest import MakeConfig


@pytest.mark.parametrize(
    "word", ["eyJ0YXNrcyI6IFt7InRhc2siOiAi+/" * 150, "a1+" * 1500, "x" * 5000], ids=["base64", "short", "long"]
)
def test_a_long_word_is_read_at_once(make_config: MakeConfig, word: str) -> None:
    controller = make_controller(make_config(llm="offline"))
    record = RunRecord()
    for event in controller.run(
        controller.prepare([{"role": "user", "content": f"tag: do it [[plan:{word}]]"}]), "plan"
    ):
        record.apply(event)
    assert record.stop
