"""Looking at results in a real browser: zoom, marks, before and after, waveforms, TIFF, code, formulas (make test-slow)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from hugginggpt.testing.fakes import FakeExperts, FakeLLM
from tests.conftest import EXAMPLES
from tests.web.browser import Open, answered, ask, until
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow


def is_loaded(image: str) -> str:
    return f"document.querySelector({json.dumps(image)})?.complete && document.querySelector({json.dumps(image)}).naturalWidth"


def scale(page: Page) -> int:
    return int(page.locator("dialog .zoom-scale").inner_text().removesuffix("%"))


def test_a_picture_is_zoomed_and_compared_with_its_input(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask(page, "Find all objects in /examples/e.jpg")
    answered(page)
    page.locator(".made .picture").click()
    window = page.locator("dialog.viewer")
    until(page, is_loaded(".zoom-stage img"))
    whole = scale(page)
    check(page)
    for key in ("+", "+", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert scale(page) > 1.5 * whole
    page.keyboard.press("0")
    assert scale(page) == whole
    frame = page.locator(".zoom-frame").bounding_box()
    assert frame
    page.mouse.move(frame["x"] + 40, frame["y"] + 40)
    page.mouse.wheel(0, -400)
    until(page, f"parseInt(document.querySelector('dialog .zoom-scale').textContent) > {whole}")
    before = page.locator(".zoom-stage").get_attribute("style")
    page.mouse.down()
    page.mouse.move(frame["x"] + 10, frame["y"] + 20, steps=3)
    page.mouse.up()
    assert page.locator(".zoom-stage").get_attribute("style") != before, "it is moved by dragging"
    shown = window.locator(".zoom-stage img")
    marked = shown.get_attribute("src")
    zoomed = scale(page)
    window.get_by_role("button", name="Marks").click()
    expect(shown).to_have_attribute("src", "/examples/e.jpg")
    until(page, is_loaded(".zoom-stage img"))
    assert scale(page) == zoomed, "what was looked at is still seen"
    window.get_by_role("button", name="Marks").click()
    expect(shown).to_have_attribute("src", str(marked))
    window.get_by_role("button", name="Compare with the input").click()
    slider = window.get_by_role("slider")
    expect(slider).to_be_focused()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "0 % Input, 100 % Result")
    check(page)
    page.keyboard.press("Escape")
    expect(page.locator(".made .picture")).to_be_focused()
    page.get_by_role("button", name="Object detection", exact=True).click()
    marks = page.get_by_role("dialog").get_by_role("button", name="Marks")
    marks.click()
    expect(page.locator(".regions img")).to_have_attribute("src", "/examples/e.jpg")
    expect(page.locator(".regions .overlay")).to_be_hidden()


def test_the_viewer_fits_a_phone(offline: str, open_page: Open) -> None:
    page = open_page(
        offline, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, color_scheme="dark"
    )
    ask(page, "Find the edges in /examples/e.jpg")
    answered(page)
    page.locator(".made .picture").click()
    until(page, is_loaded(".zoom-stage img"))
    check(page)
    assert page.locator("dialog.viewer").evaluate("window => window.scrollWidth <= window.clientWidth")
    page.get_by_role("button", name="Larger").click()
    assert scale(page) > 30


def test_a_tiff_is_seen(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    Image.open(EXAMPLES / "e.jpg").save(tmp_path / "scan.tiff")
    page.locator("#file-input").set_input_files(tmp_path / "scan.tiff")
    until(page, is_loaded(".chip .thumb img"))
    page.get_by_role("button", name="scan.tiff", exact=True).click()
    until(page, is_loaded(".zoom-stage img"))
    assert page.locator(".zoom-stage img").evaluate("image => image.naturalWidth") > 600
    link = page.get_by_role("dialog").get_by_role("link", name="Download")
    assert str(link.get_attribute("href")).endswith(".tiff")


def test_what_the_empty_page_loads_is_small(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    expect(page.locator(".example")).to_have_count(6)
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate(
        "() => performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType === 'img')"
        ".map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])"
    )
    photos = [size for path, size in sizes if "/examples/" in path]
    assert len(photos) == 6
    assert sum(photos) < 25_000, sizes


def test_a_recording_has_a_waveform_that_seeks(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    expect(page.locator(".example")).to_have_count(6)
    page.evaluate(
        """async () => {
          const { mediaOf } = await import("/app/ui/media.js");
          const box = document.createElement("ul");
          box.className = "made";
          for (const [path, kind] of [["/examples/speech.wav", "audio"], ["/examples/a.jpg", "image"]]) {
            const card = document.createElement("li");
            card.className = "made-file";
            card.append(mediaOf(path, kind));
            box.append(card);
          }
          document.querySelector(".column").replaceChildren(box);
        }"""
    )
    until(page, "document.querySelector('.wave-all path') && document.querySelector('.made img').complete")
    path = str(page.locator(".wave-all path").get_attribute("d"))
    heights = [
        abs(float(bar.partition("V")[2]) - float(bar.split()[1].partition("V")[0])) for bar in path.split("M")[1:]
    ]
    assert len(heights) == 160
    assert min(heights) < 6 < 30 < max(heights), "a voice is loud and quiet"
    cards = [box.bounding_box() for box in page.locator(".made-file").all()]
    assert cards[0] and cards[1]
    assert cards[0]["height"] < cards[1]["height"], "a player is not stretched to the height of a picture"
    wave = page.locator(".wave").bounding_box()
    assert wave
    page.mouse.click(wave["x"] + wave["width"] / 2, wave["y"] + 20)
    share = page.locator("audio").evaluate("audio => audio.currentTime / audio.duration")
    assert 0.45 < share < 0.55


ANSWER = r"""The root is $x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}$ and \(e^{i\pi}=-1\); it costs $5 or $6, in all 11$.

$$\int_0^1 x^2\,dx = \frac13$$

Not this: $\href{javascript:alert(1)}{x}$, nor `$y$`.

```python
def f(x): return "<b>"  # comment
```

שלום עולם, hello.

3. third
"""


def show(page: Page, text: str) -> None:
    expect(page.locator(".example").first.or_(page.locator(".answer"))).to_be_visible()  # the page has opened
    page.evaluate(
        """async (text) => {
          const { markdown } = await import("/app/views/markdown.js");
          const shown = document.createElement("div");
          shown.className = "answer markdown";
          shown.append(markdown(text));
          document.querySelector(".column").replaceChildren(shown);
        }""",
        text,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_and_formulas_in_answers(offline: str, open_page: Open, scheme: str) -> None:
    page = open_page(offline, color_scheme=scheme, permissions=["clipboard-read", "clipboard-write"])
    vendored: list[str] = []
    page.on("request", lambda request: vendored.append(request.url) if "/vendor/" in request.url else None)
    show(page, "An answer with neither: 2 * 3 = 6, for $5.")
    expect(page.locator(".answer p")).to_have_text("An answer with neither: 2 * 3 = 6, for $5.")
    assert not any("temml" in url or "highlight" in url for url in vendored), "they are loaded when they are needed"
    show(page, ANSWER)
    expect(page.locator(".answer math")).to_have_count(3)
    expect(page.locator(".answer")).to_contain_text("it costs $5 or $6, in all 11$.")
    expect(page.locator("[data-math]:not(:has(math))")).to_have_text(r"\href{javascript:alert(1)}{x}")
    expect(page.locator(".answer :not(pre) > code")).to_have_text("$y$")
    expect(page.locator(".hljs-keyword").first).to_have_text("def")
    expect(page.locator(".hljs-string")).to_have_text('"<b>"')
    page.get_by_role("button", name="Copy the code").click()
    expect(page.get_by_text("The code is copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").strip() == 'def f(x): return "<b>"  # comment'
    expect(page.locator(".answer ol")).to_have_attribute("start", "3")
    hebrew = page.locator(".answer p", has_text="hello")
    assert hebrew.evaluate("text => getComputedStyle(text).direction") == "rtl"
    check(page)


def test_the_cards_bear_the_numbers_of_their_tasks(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["plan"] = json.dumps(
        [
            {"task": "image-to-text", "id": number, "dep": [-1], "args": {"image": "/examples/a.jpg"}}
            for number in (0, 1)
        ]
    )
    page = open_page(url)
    ask(page, "Describe it")
    answered(page)
    assert page.locator(".node-number").all_inner_texts() == ["0", "1"]
    for card in page.locator(".node[data-task]").all():
        expect(card.locator(".node-number")).to_have_text(str(card.get_attribute("data-task")))


def test_folded_plans_are_drawn_when_they_are_opened(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask(page, "Find the edges in /examples/e.jpg")
    answered(page)
    ask(page, "Find all objects in /examples/e.jpg")
    answered(page)
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").last.locator(".node[data-task]")).to_be_visible()
    folded = page.locator(".turn").first
    expect(folded.locator(".plan-summary")).to_have_text("1 of 1 task done")
    expect(folded.locator(".node")).to_have_count(0)
    folded.locator("summary").first.click()
    expect(folded.locator(".node[data-task]")).to_be_visible()
    assert folded.locator(".graph-canvas").evaluate("canvas => canvas.getBoundingClientRect().height") > 60
