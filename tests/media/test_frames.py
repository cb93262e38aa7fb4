"""Frames of pictures with several: a small file cannot make large pictures of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from hugginggpt.core.errors import MediaError
from hugginggpt.media import frames


def film(path: Path, *sizes: int) -> Path:
    pages = [Image.new("L", (size, size), 10 * number) for number, size in enumerate(sizes, 1)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    return path


def test_frames_are_counted_without_drawing_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import ImageFile

    for name in ("a.gif", "a.tif"):
        path = film(tmp_path / name, *[16] * 9)
        monkeypatch.setattr(ImageFile.ImageFile, "load", lambda image: pytest.fail("a frame was drawn"))
        assert frames.count(path) == 9
        monkeypatch.undo()


@pytest.mark.parametrize(("limit", "most"), [("MAX_TAKEN", 3 * 16 * 16), ("MAX_DRAWN", 3 * 16 * 16)])
def test_no_more_pixels_are_taken_than_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    path = film(tmp_path / "a.gif", *[16] * 9)
    monkeypatch.setattr(frames, limit, most)
    assert len(frames.load(path, [1, 2, 3])) == 3
    with pytest.raises(MediaError, match="The frames of a.gif are too large"):
        frames.load(path, [1, 2, 3, 4])


def test_each_page_has_a_size_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = film(tmp_path / "a.tif", 16, 64)
    monkeypatch.setattr(frames, "MAX_TAKEN", 32 * 32)
    assert frames.load(path, [1])[0].size == (16, 16)
    with pytest.raises(MediaError, match="The pages of a.tif are too large"):
        frames.load(path, [2])


def test_no_more_pages_are_counted_than_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow's own counting of 100,000 pages takes minutes."""
    monkeypatch.setattr(frames, "MAX_PAGES", 4)
    assert frames.count(film(tmp_path / "a.tif", *[16] * 9)) == 4
