"""The networks for soft edges, styles and safety, on real pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from hugginggpt.common.paths import ROOT
from hugginggpt.experts import registry, safety, styling
from hugginggpt.experts.control import edge_probability
from hugginggpt.media.decoding import load_image
from hugginggpt.offline.planner import plan_offline
from tests.conftest import TABLE

EXAMPLES = ROOT / "public" / "examples"


@pytest.mark.slow
def test_hed_draws_outlines_and_hardly_texture() -> None:
    picture = Image.new("RGB", (200, 160), (40, 40, 60))
    ImageDraw.Draw(picture).rectangle((50, 40, 150, 120), fill=(230, 220, 200))
    edges = edge_probability(np.asarray(picture))
    assert edges.shape == (160, 200)
    assert edges[40, 60:140].mean() > 0.7 and edges[60:100, 150].mean() > 0.7
    assert edges[70:90, 80:120].max() < 0.3 and edges[:15].mean() < 0.2


@pytest.mark.slow
def test_the_network_comes_before_its_substitute() -> None:
    for task in ("hed-control", "scribble-control"):
        assert [expert.id for expert in registry.experts_for(task)] == ["hed-bsds500", task]
    drawing = registry.expert_for("hed-bsds500", "scribble-control").run(image=EXAMPLES / "g.jpg")
    levels = np.asarray(drawing.convert("L"))
    assert drawing.size == load_image(EXAMPLES / "g.jpg").size
    assert 0.02 < (levels > 127).mean() < 0.2


@pytest.mark.slow
def test_ordinary_pictures_are_safe_for_work() -> None:
    for name in ("a.jpg", "d.jpg", "f.jpg", "person.jpg", "invoice.png"):
        first, second = safety.safety(EXAMPLES / name)
        assert first["label"] == safety.SAFE and first["score"] > 0.9
        assert second["score"] == pytest.approx(1 - first["score"])


@pytest.mark.slow
def test_a_picture_takes_the_colours_of_its_style(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    red = rng.integers(0, 60, (64, 64, 3)) + np.array([190, 20, 0])
    Image.fromarray(red.astype(np.uint8)).save(tmp_path / "red.png")
    made = styling.paint(EXAMPLES / "g.jpg", tmp_path / "red.png")
    before, after = (
        np.asarray(picture, float) for picture in (load_image(EXAMPLES / "g.jpg"), made["generated image"])
    )
    assert after.shape == before.shape and "384 pixels" in made["note"]
    assert (after[..., 0] - after[..., 2]).mean() > 60 > (before[..., 0] - before[..., 2]).mean()


@pytest.mark.slow
def test_a_narrow_strip_is_painted_too(tmp_path: Path) -> None:
    Image.new("RGB", (900, 2), "green").save(tmp_path / "strip.png")
    assert styling.paint(tmp_path / "strip.png", EXAMPLES / "c.jpg")["generated image"].size == (900, 2)


@pytest.mark.parametrize(
    "request_text",
    [
        "is this picture safe for work? team.jpg",
        "is there nudity in team.jpg",
        "Check whether team.jpg is NSFW",
        "can I show team.jpg at the office or is somebody naked?",
        "does team.jpg contain explicit content",
        "Is team.jpg appropriate for work?",
    ],
)
def test_safety_is_planned(request_text: str) -> None:
    plan = plan_offline(request_text, TABLE)
    assert [(one["task"], one["args"]) for one in plan] == [("image-safety", {"image": "team.jpg"})]


def test_other_safety_is_a_question() -> None:
    assert [one["task"] for one in plan_offline("is it safe to swim there? team.jpg", TABLE)] != ["image-safety"]
