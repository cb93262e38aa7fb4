"""Previews of pictures over real HTTP: what browsers cannot show, small ones, and who may see them."""

from __future__ import annotations

import io
import os
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import requests
from PIL import Image

from hugginggpt.config import Config
from hugginggpt.web import previews
from tests.conftest import MakeConfig, Start

TOKEN = {"Authorization": "Bearer token-no-1"}


def write(config: Config, name: str, image: Image.Image, **options: object) -> Path:
    path = config.public_dir / name
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, **options)
    return path


def opened(answer: requests.Response) -> Image.Image:
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/webp"), answer.text
    return Image.open(io.BytesIO(answer.content))


def test_a_tiff_is_shown_as_webp(make_config: MakeConfig, start: Start) -> None:
    config = make_config()
    write(config, "uploads/scan.tiff", Image.new("RGB", (300, 200), "red"))
    url = start(config)
    answer = requests.get(f"{url}/previews/2048/uploads/scan.tiff.webp", timeout=10)
    assert opened(answer).size == (300, 200)
    assert np.abs(np.asarray(opened(answer).convert("RGB"), int)[100, 150] - (255, 0, 0)).max() < 12
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "private" in answer.headers["Cache-Control"]
    again = requests.get(answer.url, headers={"If-None-Match": answer.headers["ETag"]}, timeout=10)
    assert (again.status_code, again.content) == (304, b"")


def test_thumbnails_are_small_and_upright(make_config: MakeConfig, start: Start) -> None:
    config = make_config()
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    write(config, "images/photo.jpg", Image.effect_noise((800, 400), 60).convert("RGB"), exif=exif)
    url = start(config)
    small = requests.get(f"{url}/previews/96/images/photo.jpg.webp", timeout=10)
    assert opened(small).size == (48, 96)
    assert len(small.content) < 6000
    examples = [requests.get(f"{url}/previews/96/examples/{name}.jpg.webp", timeout=10) for name in "abcdefg"]
    assert sum(len(answer.content) for answer in examples if opened(answer)) < 40_000


@pytest.mark.parametrize("values", [np.uint16, np.float32, np.int32])
def test_pictures_of_numbers_are_stretched(make_config: MakeConfig, start: Start, values: type) -> None:
    config = make_config()
    ramp = np.tile(np.linspace(0, 4000, 64).astype(values), (8, 1))
    write(config, "images/depth.tiff", Image.fromarray(ramp))
    shown = opened(requests.get(f"{start(config)}/previews/480/images/depth.tiff.webp", timeout=10)).convert("L")
    grey = np.asarray(shown, int)[4]
    assert grey[0] < 20 < 110 < grey[32] < 145 < 235 < grey[-1]


def test_a_large_picture_of_numbers_is_not_copied_as_a_whole() -> None:
    image = Image.fromarray(np.tile(np.linspace(0, 1, 2000, dtype=np.float32), (2000, 1)))
    tracemalloc.start()
    try:
        grey = previews._stretched(image, 96)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grey.size == (96, 96) and grey.getpixel((0, 50)) < 10 < 245 < grey.getpixel((95, 50))  # type: ignore[operator]
    assert most < 3 * 4 * 2000 * 2000


def test_who_waits_too_long_is_told_to_come_back(
    make_config: MakeConfig, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "AT_ONCE", 0)
    monkeypatch.setattr(previews, "WAIT_SECONDS", 0.01)
    config = make_config()
    write(config, "images/good.png", Image.new("RGB", (20, 20)))
    answer = requests.get(f"{start(config)}/previews/96/images/good.png.webp", timeout=10)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")


def test_what_is_transparent_stays_so_and_what_changes_is_made_anew(make_config: MakeConfig, start: Start) -> None:
    config = make_config()
    path = write(config, "images/cut.png", Image.new("RGBA", (50, 50), (255, 0, 0, 0)))
    url = f"{start(config)}/previews/96/images/cut.png.webp"
    assert opened(requests.get(url, timeout=10)).getpixel((25, 25))[3] == 0
    write(config, "images/cut.png", Image.new("RGB", (40, 20), "blue"))
    os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns + 1_000_000))
    assert opened(requests.get(url, timeout=10)).size == (40, 20)


def test_what_is_no_picture_has_no_preview(make_config: MakeConfig, start: Start, tmp_path: Path) -> None:
    config = make_config(limits={"max_megapixels": 0.01})
    write(config, "images/large.png", Image.new("RGB", (200, 200)))
    write(config, "images/good.png", Image.new("RGB", (20, 20)))
    (config.public_dir / "images" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    (config.public_dir / "images" / "evil.png").write_text("<script>alert(1)</script>")
    (config.public_dir / "images" / "page.html").write_text("<script>alert(1)</script>")
    (tmp_path / "outside.png").write_bytes((config.public_dir / "images" / "good.png").read_bytes())
    (config.public_dir / "images" / "link.png").symlink_to(tmp_path / "outside.png")
    url = start(config)
    assert requests.get(f"{url}/previews/96/images/good.png.webp", timeout=10).ok
    for path in (
        "96/images/large.png.webp", "96/images/broken.png.webp", "96/images/evil.png.webp", "96/images/page.html.webp",
        "96/images/link.png.webp", "96/images/none.png.webp", "97/images/good.png.webp", "4096/images/good.png.webp",
        "96/images/good.png", "96/../images/good.png.webp", "96/images/..%2f..%2foutside.png.webp",
    ):  # fmt: skip
        assert requests.get(f"{url}/previews/{path}", timeout=10).status_code == 404, path


def test_who_may_not_see_the_picture_may_not_see_its_preview(make_config: MakeConfig, start: Start) -> None:
    config = make_config(http_listen={"token": "token-no-1"})
    write(config, "uploads/mine.png", Image.new("RGB", (20, 20)))
    url = start(config)
    assert requests.get(f"{url}/previews/96/examples/a.jpg.webp", timeout=10).ok, "the page shows examples at once"
    mine = "/previews/96/uploads/mine.png.webp"
    assert requests.get(url + mine, timeout=10).status_code == 401
    assert requests.get(url + mine, headers=TOKEN, timeout=10).ok
    session = requests.Session()
    for way in (
        "/previews/96/examples/../uploads/mine.png.webp", "/previews/96/examples/..%2fuploads/mine.png.webp",
        "/previews/96/examples/%2e%2e/uploads/mine.png.webp", "/previews/96/examples/..%5cuploads/mine.png.webp",
        "/previews/96/examples//..//uploads/mine.png.webp", "//previews/96/uploads/mine.png.webp",
    ):  # fmt: skip
        request = requests.Request("GET", url).prepare()
        request.url = url + way
        assert session.send(request, timeout=10).status_code in (308, 401, 404), way
