"""Keeping and showing conversations, in a real browser: HTML, Markdown, PDF, links (make test-slow)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import Open, answered, ask, program, until
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow

TOKEN = "token-no-1"
REFUSED = ("status of 401", "status of 404")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a token."""
    with program(tmp_path_factory.mktemp("guarded"), http_listen={"token": TOKEN}) as url:
        yield url


def choose(page: Page, name: str) -> None:
    page.get_by_role("button", name="Keep or show the conversation").click()
    page.get_by_role("dialog").get_by_role("button", name=name).click()


def saved(page: Page, name: str) -> tuple[str, Path]:
    with page.expect_download() as download:
        choose(page, name)
    return download.value.suggested_filename, Path(download.value.path())


def test_a_conversation_is_saved_as_a_file_that_needs_nothing_else(
    offline: str, open_page: Open, browser: Browser, tmp_path: Path
) -> None:
    page = open_page(offline)
    ask(page, "Find the edges in /examples/e.jpg")
    answered(page)
    page.get_by_role("button", name="Keep or show the conversation").click()
    check(page)
    expect(page.get_by_role("button", name="Link to read it")).to_have_count(0)  # the server has no token
    page.keyboard.press("Escape")
    name, path = saved(page, "Web page")
    assert name.endswith(".html")
    text = path.read_text()
    assert not re.search(r"""(?:src|href)=["'](?!data:)""", text), "nothing is loaded"
    assert "<script" not in text and "<button" not in text
    kept = tmp_path / "kept.html"
    kept.write_text(text)
    context = browser.new_context(offline=True)
    alone = context.new_page()
    wrong: list[str] = []
    alone.on("console", lambda line: wrong.append(line.text))
    alone.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else wrong.append(request.url)
    )
    alone.goto(kept.as_uri())
    expect(alone.locator(".document")).to_contain_text("Find the edges in e.jpg")
    assert alone.locator(".document-files img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert alone.locator(".document-graph image").count() == 2
    assert wrong == []
    check(alone)
    context.close()

    name, path = saved(page, "Markdown")
    text = path.read_text()
    assert name.endswith(".md")
    assert "## Request\n\nFind the edges in /examples/e.jpg\n" in text
    assert re.search(r"- \*\*0\*\* Canny control \(`canny-control`; finished in ", text)
    assert f"](<{offline}/images/" in text


def test_a_conversation_is_printed_to_pdf(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline, color_scheme="dark")
    ask(page, "Find the edges in /examples/e.jpg")
    answered(page)
    page.evaluate(
        "() => { window.print = () => (window.printed = document.title); }"
    )  # headless, it has no window to ask
    choose(page, "PDF")
    until(page, "window.printed")
    assert page.evaluate("window.printed") == "Find the edges in e.jpg", "the name that the browser proposes"
    page.pdf(path=tmp_path / "kept.pdf", prefer_css_page_size=True)
    with pypdfium2.PdfDocument(tmp_path / "kept.pdf") as kept:
        words = " ".join(sheet.get_textpage().get_text_bounded() for sheet in kept).split()
        pictures = sum(1 for sheet in kept for part in sheet.get_objects(max_depth=4) if part.type == 3)
        corner = kept[0].render(scale=0.2).to_pil().getpixel((2, 2))
    text = " ".join(words)  # lines are broken elsewhere by each browser
    for said in ("Request", "Find the edges in e.jpg", "Canny control", "Answer", "Drawn of e.jpg"):
        assert said in text, said
    for said in ("New conversation", "Copy answer", "Ask me before running"):
        assert said not in text, said
    assert pictures >= 2
    assert min(corner) > 250, "paper is white, whatever the theme"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".print-sheet")).to_have_count(0)
    expect(page).to_have_title("Find the edges in e.jpg – HuggingGPT")


def test_a_link_is_read_without_the_token_until_it_is_revoked(guarded: str, open_page: Open) -> None:
    page = open_page(guarded, allowed=REFUSED)
    page.locator("#token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Running offline.")).to_be_visible()
    ask(page, "Find all objects in /examples/e.jpg")
    answered(page)
    choose(page, "Link to read it")
    window = page.get_by_role("dialog", name="Links to read this conversation")
    expect(window.get_by_text("There is none.")).to_be_visible()
    window.get_by_role("button", name="Make a link").click()
    link = window.locator("#share-url").input_value()
    assert link.startswith(f"{guarded}/share/")
    check(page)

    other = open_page(
        guarded,
        link.removeprefix(guarded),
        allowed=REFUSED,
        viewport={"width": 390, "height": 800},
        color_scheme="dark",
    )
    expect(other.get_by_role("heading", name="Find all objects in e.jpg")).to_be_visible()
    expect(other.locator(".answer")).to_contain_text("cup")
    made = other.locator(".document-files .picture")
    assert made.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert other.locator(".document-graph image").count() == 2
    check(other)
    assert other.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    made.click()
    until(other, "document.querySelector('.zoom-stage img')?.naturalWidth > 100")
    other.get_by_role("button", name="Marks").click()
    until(other, "document.querySelector('.zoom-stage img').src.endsWith('/files/examples/e.jpg')")
    other.keyboard.press("Escape")
    paths = other.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)")
    assert all(path.startswith(("/share/", "/app/", "/vendor/")) for path in paths), paths
    assert json.dumps(other.context.cookies()) == "[]"

    window.get_by_role("button", name=re.compile("Revoke the link")).click()
    expect(page.get_by_text("The link is revoked.")).to_be_visible()
    expect(window.get_by_text("There is none.")).to_be_visible()
    other.reload()
    expect(other.get_by_role("alert")).to_contain_text("This link does not exist, or is not valid any more.")
    page.close()
