"""Where the photographs of a collage begin and end; no model is loaded."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PIL import Image, ImageDraw

from hugginggpt.experts.panels import panels, tiles


def photograph(seed: int, width: int, height: int) -> Image.Image:
    """Soft random colours, without straight borders."""
    pixels = np.random.default_rng(seed).integers(0, 255, (5, 5, 3), np.uint8)
    return Image.fromarray(pixels).resize((width, height), Image.Resampling.BICUBIC)


def collage(columns: int, rows: int, gap: int) -> Image.Image:
    picture = Image.new("RGB", (columns * 160 + (columns - 1) * gap, rows * 140 + (rows - 1) * gap), "white")
    for at in range(columns * rows):
        column, row = at % columns, at // columns
        picture.paste(photograph(at, 160, 140), (column * (160 + gap), row * (140 + gap)))
    return picture


@pytest.mark.parametrize("gap", [0, 8])
@pytest.mark.parametrize(("columns", "rows"), [(3, 1), (1, 3), (2, 2), (3, 3)])
def test_a_collage_has_its_photographs(columns: int, rows: int, gap: int) -> None:
    parts = panels(collage(columns, rows, gap))
    assert len(parts) == columns * rows
    assert all(abs(right - left - 160) < 8 and abs(bottom - top - 140) < 8 for left, top, right, bottom in parts)


def test_a_photograph_and_a_page_are_whole() -> None:
    assert panels(photograph(1, 400, 300)) == [(0, 0, 400, 300)]
    page = Image.new("RGB", (400, 500), "white")
    ImageDraw.Draw(page).rectangle((0, 0, 400, 90), "navy")
    ImageDraw.Draw(page).line((0, 300, 400, 300), "black", 2)
    assert panels(page) == [(0, 0, 400, 500)]


def test_only_a_panorama_has_tiles_that_cover_it() -> None:
    assert tiles(Image.new("RGB", (300, 200))) == []
    wide, tall = tiles(Image.new("RGB", (800, 200))), tiles(Image.new("RGB", (200, 800)))
    assert wide[0][0] == 0 and wide[-1][2] == 800
    assert all(one[2] > other[0] for one, other in itertools.pairwise(wide))
    assert tall == [(top, left, bottom, right) for left, top, right, bottom in wide]
