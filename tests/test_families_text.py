"""Every family of text models: a tiny model of the architecture, over real HTTP through the model server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import tiny_text
from tests.conftest import MakeConfig
from tests.serving import Serving, serving

pytestmark = pytest.mark.slow


@pytest.fixture
def server(make_config: MakeConfig) -> Iterator[Serving]:
    with serving(make_config(device="cpu", log_file=None)) as running:
        yield running


def test_text_classification(server: Serving, tmp_path: Path) -> None:
    tiny_text.text_classification(tmp_path / "tiny")
    model = server.add(tmp_path / "tiny", "text-classification")
    answer = server.ask(model, text="the cat sat on the mat")
    assert {row["label"] for row in answer} == {"POSITIVE", "NEGATIVE"}
    assert sum(row["score"] for row in answer) == pytest.approx(1, abs=1e-4)
    assert answer == sorted(answer, key=lambda row: -row["score"])
    assert len(server.ask(model, text="word " * 500)) == 2  # longer than the model reads
