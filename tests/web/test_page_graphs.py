"""Graphs of plans in a real browser: zoom, overview, full screen, and as files (make test-slow)."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from hugginggpt.testing.fakes import FakeExperts, FakeLLM
from tests.conftest import CATALOGUE_MODELS
from tests.web.browser import Open, answered, ask, program, scripted, until
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"


def planned(count: int) -> list[dict[str, Any]]:
    """A plan of five chains."""
    return [
        {
            "task": "image-to-text",
            "id": number,
            "dep": [number - 5 if number >= 5 else -1],
            "args": {"image": f"/examples/{'abcde'[number % 5]}.jpg"},
        }
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[tuple[str, str]]:
    """A server with a conversation whose plan has 20 tasks: its URL, and the path of the conversation."""
    with FakeLLM() as llm, FakeExperts(CATALOGUE_MODELS) as experts:
        llm.replies["plan"] = json.dumps(planned(20))
        with program(tmp_path_factory.mktemp("large"), **scripted(llm, experts)) as url:
            page = browser.new_page()
            page.goto(url)
            ask(page, "Describe them all, four times")
            answered(page)
            path = page.evaluate("location.hash")
            page.close()
            yield url, f"/{path}"


def percent(page: Page) -> int:
    return int(page.locator(".graph-frame .zoom-scale").inner_text().removesuffix("%"))


def test_a_large_graph_is_seen_as_a_whole_and_in_parts(large: tuple[str, str], open_page: Open) -> None:
    url, path = large
    page = open_page(url, path)
    expect(page.locator(".node[data-task]")).to_have_count(20)
    until(page, "document.querySelector('.overview svg')")
    high = page.locator(".graph").evaluate("graph => graph.clientHeight")
    assert high <= 620 < page.locator(".graph-canvas").evaluate("canvas => canvas.offsetHeight")
    assert page.locator(".overview .mini").count() == 25
    check(page)
    page.get_by_role("button", name="Show the whole plan").click()
    fits = "(() => { const g = document.querySelector('.graph'); return g.scrollHeight <= g.clientHeight + 1 && g.scrollWidth <= g.clientWidth + 1; })()"
    until(page, fits)
    expect(page.locator(".overview")).to_be_hidden()
    whole = percent(page)
    page.get_by_role("button", name="Larger", exact=True).focus()
    for _ in range(4):
        page.keyboard.press("+")
    assert percent(page) > 2 * whole
    expect(page.locator(".overview")).to_be_visible()
    mini = page.locator(".overview svg").bounding_box()
    assert mini
    page.mouse.click(mini["x"] + mini["width"] - 4, mini["y"] + mini["height"] - 4)
    until(
        page,
        "(() => { const g = document.querySelector('.graph'); return g.scrollTop + g.clientHeight >= g.scrollHeight - 2; })()",
    )
    last = page.get_by_role("button", name="Image to text", exact=True).last
    last.focus()  # it is scrolled to where it is seen
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Image to text")).to_be_visible()
    page.keyboard.press("Escape")
    expect(last).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_graph_fills_the_screen(large: tuple[str, str], open_page: Open, scheme: str) -> None:
    url, path = large
    page = open_page(url, path, color_scheme=scheme)
    page.get_by_role("button", name="Full screen").click()
    window = page.get_by_role("dialog", name="Plan")
    until(page, "document.querySelector('dialog .graph').clientHeight > 660")
    expect(window.locator(".node[data-task]")).to_have_count(20)
    check(page)
    window.get_by_role("button", name="Image to text", exact=True).first.click()
    expect(page.get_by_role("dialog", name="Image to text")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".plan .graph .node[data-task]")).to_have_count(20)
    expect(page.get_by_role("button", name="Full screen")).to_be_focused()


def test_a_graph_on_a_phone(large: tuple[str, str], open_page: Open) -> None:
    url, path = large
    page = open_page(url, path, viewport={"width": 360, "height": 760}, has_touch=True, is_mobile=True)
    expect(page.locator(".node[data-task]")).to_have_count(20)
    expect(page.locator(".graph.stacked")).to_have_count(1)
    expect(page.get_by_role("button", name="Larger", exact=True)).to_have_count(0)
    assert page.evaluate("document.getElementById('turns').scrollWidth <= innerWidth")
    page.get_by_role("button", name="Full screen").click()
    expect(page.get_by_role("dialog", name="Plan").locator(".node[data-task]")).to_have_count(20)
    check(page)


def test_a_graph_is_kept_as_svg_and_png(large: tuple[str, str], open_page: Open) -> None:
    url, path = large
    page = open_page(url, path)
    files = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save the plan as {kind}").click()
        assert saved.value.suggested_filename.endswith(kind.lower())
        files[kind] = Path(saved.value.path())
    root = ET.parse(files["SVG"]).getroot()
    words = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    for number in range(20):
        assert f"{number} · Image to text" in words
    pictures = [image.get("href", "") for image in root.iter(f"{SVG}image")]
    assert len(pictures) == 5 and all(picture.startswith("data:image/png;base64,") for picture in pictures)
    assert root.tag == f"{SVG}svg" and not list(root.iter(f"{SVG}foreignObject"))
    with Image.open(files["PNG"]) as picture:
        assert picture.size == (2 * int(root.get("width", 0)), 2 * int(root.get("height", 0)))
        assert len(picture.convert("RGB").resize((300, 200)).getcolors(60_000) or ()) > 500, "photos are in it"
