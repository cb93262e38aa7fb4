"""The form of the page and its settings in a real browser: what waits, uploads, drafts, a language model of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Route, expect

from hugginggpt.testing.fakes import FakeExperts, FakeLLM
from tests.conftest import EXAMPLES
from tests.web.browser import DETECT, Open, answered, ask, program, until
from tests.web.test_page import ask_for_what_hangs, hold
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow

Fakes = tuple[str, FakeLLM, FakeExperts]


def test_requests_wait_for_the_one_before(fakes: Fakes, open_page: Open) -> None:
    """Enter during a run queues; one can be taken back, the others are sent in turn."""
    url, llm, _ = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    page = open_page(url)
    hold(page, "/v1/runs")
    ask(page, "What is in /examples/b.jpg?")
    expect(page.get_by_role("button", name="Cancel the request")).to_be_visible()
    hint = page.locator("#composer-hint")
    expect(hint).to_have_text("Enter sends it after this one, Shift+Enter breaks the line")
    ask(page, "And the second one?")
    ask(page, "And the third one?")
    waiting = page.get_by_role("list", name="Requests that wait").get_by_role("listitem")
    expect(waiting).to_have_count(2)
    expect(page.get_by_label("Your request")).to_have_value("")
    page.get_by_role("button", name="Take back: And the second one?").click()
    expect(page.get_by_label("Your request")).to_have_value("And the second one?")
    expect(waiting).to_have_text(["And the third one?"])
    page.evaluate("held.shift()()")
    until(page, "held.length > 0")
    page.evaluate("held.shift()()")
    expect(page.locator(".ask-text").nth(1)).to_have_text("And the third one?")
    answered(page)
    expect(waiting).to_have_count(0)
    expect(page.locator(".turn")).to_have_count(2)
    expect(hint).to_have_text("Enter sends, Shift+Enter breaks the line")


def test_what_waits_comes_back_when_the_run_is_cancelled(fakes: Fakes, open_page: Open) -> None:
    url, llm, experts = fakes
    page = open_page(url)
    ask_for_what_hangs(page, llm, experts)
    ask(page, "And then?")
    page.get_by_role("button", name="Cancel the request").click()
    expect(page.locator(".callout", has_text="Cancelled.")).to_be_visible()
    expect(page.get_by_label("Your request")).to_have_value("And then?")
    expect(page.locator(".turn")).to_have_count(1)


def test_a_draft_is_kept_over_a_reload(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    page.locator("#file-input").set_input_files(EXAMPLES / "e.jpg")
    expect(page.get_by_role("button", name="Remove e.jpg")).to_be_visible()
    expect(page.locator(".chip img")).to_be_visible()  # it is uploaded: what is under way ends with its page
    page.get_by_label("Your request").fill("Find all objects\nin this picture")
    page.reload()
    expect(page.get_by_label("Your request")).to_have_value("Find all objects\nin this picture")
    expect(page.get_by_role("button", name="Remove e.jpg")).to_be_visible()
    page.get_by_label("Your request").press("Enter")
    answered(page)
    expect(page.locator(".answer")).to_contain_text("cup")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("cup")
    expect(page.get_by_label("Your request")).to_have_value("")


def test_an_upload_tells_how_far_it_is_and_keeps_its_name(offline: str, open_page: Open, tmp_path: Path) -> None:
    picture = tmp_path / "写真 ひまわり.jpg"
    picture.write_bytes((EXAMPLES / "e.jpg").read_bytes())
    page = open_page(offline)
    page.evaluate(
        """() => {
          window.seen = [];
          new MutationObserver(() => {
            const bar = document.querySelector(".chip progress");
            if (bar) seen.push(bar.getAttribute("aria-label"));
          }).observe(document.getElementById("attachments"), { childList: true });
        }"""
    )
    page.locator("#file-input").set_input_files(picture)
    expect(page.get_by_role("button", name="Remove 写真 ひまわり.jpg")).to_be_visible()
    until(page, 'document.querySelector(".chip img") !== null')
    assert page.evaluate("seen")[0] == "Upload of 写真 ひまわり.jpg"
    ask(page, "Find all objects in this picture")
    answered(page)
    expect(page.locator(".ask-files")).to_contain_text("写真 ひまわり.jpg")


def test_a_file_that_is_too_large_is_not_sent(tmp_path: Path, open_page: Open) -> None:
    large = tmp_path / "large.wav"
    large.write_bytes(b"RIFF" + bytes(1_100_000))
    with program(tmp_path / "small", limits={"max_file_mb": 1}) as url:
        page = open_page(url)
        expect(page.get_by_text("Running offline.")).to_be_visible()
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        page.locator("#file-input").set_input_files(large)
        note = page.get_by_role("alert").filter(has_text="large.wav")
        expect(note).to_have_text("large.wav: It has 1.2 MB, and this server takes 1 MB (limits.max_file_mb).")
        assert not [one for one in sent if one.endswith("/v1/files")]
        page.close()


def test_settings_hold_for_the_requests_of_this_browser(fakes: Fakes, open_page: Open) -> None:
    """Who plans and the model are kept; a key is kept in its tab alone."""
    url, llm, _ = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    page = open_page(url)
    page.get_by_role("button", name="Settings").click()
    window = page.get_by_role("dialog", name="Settings")
    served = requests.get(f"{url}/v1/status", timeout=10).json()["llm"]["model"]
    expect(window).to_contain_text(f"{served} (local)")
    window.get_by_label("Who plans").select_option("llm")
    window.get_by_label("A key of your own").fill("sk of mine")
    window.get_by_role("button", name="Save").click()
    expect(window.get_by_role("alert")).to_contain_text("without blanks")
    window.get_by_label("A key of your own").fill("sk-of-mine")
    window.get_by_label("Model").fill("my-model")
    window.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="my-model, your key")).to_be_visible()
    llm.requests.clear()
    ask(page, "What is in /examples/b.jpg?")
    answered(page)
    expect(page.locator(".usage")).to_contain_text("of the language model")
    asked = [request for request in llm.requests if request["body"]]
    assert {json.loads(request["body"])["model"] for request in asked} == {"my-model"}
    assert {request["headers"]["Authorization"] for request in asked} == {"Bearer sk-of-mine"}
    told = page.locator(".usage").inner_text()
    page.reload()
    expect(page.locator(".usage")).to_have_text(told)
    expect(page.get_by_role("button", name="my-model, your key")).to_be_visible()
    assert "sk-of-mine" not in page.evaluate("JSON.stringify(localStorage)")
    other = page.context.new_page()
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    other.route("**/v1/status", keep)
    with other.expect_request("**/v1/status"):
        other.goto(url)
    other.get_by_role("button", name="Settings").click()  # before the server has answered
    held[0].continue_()
    expect(other.get_by_role("dialog", name="Settings")).to_contain_text(f"{served} (local)")
    expect(other.get_by_label("Model")).to_have_value("my-model")
    expect(other.get_by_label("A key of your own")).to_have_value("")
    other.get_by_role("button", name="Forget all").click()
    other.get_by_role("button", name="Settings").click()
    expect(other.get_by_label("Model")).to_have_value("")
    assert other.get_by_label("Who plans").input_value() == ""


def test_a_model_by_name_needs_a_key_where_the_server_has_none(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    expect(page.get_by_text("Running offline.")).to_be_visible()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Model").fill("gpt-x")
    page.get_by_label("Model").press("Enter")
    expect(page.get_by_role("alert").filter(has_text="needs a key of your own")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Settings")).to_be_focused()


def test_a_conversation_that_was_deleted_elsewhere_begins_anew(offline: str, open_page: Open) -> None:
    page = open_page(offline, allowed=("404",))
    ask(page, "Hello")
    answered(page)
    chat = page.url.rpartition("/")[2]
    assert requests.delete(f"{offline}/v1/chats/{chat}", timeout=10).ok
    ask(page, "Hello again")
    expect(page.get_by_role("alert").filter(has_text="was deleted")).to_contain_text(
        "What you ask next begins a new one."
    )
    expect(page.get_by_label("Your request")).to_have_value("Hello again")
    page.get_by_label("Your request").press("Enter")
    expect(page.locator(".turn")).to_have_count(2)
    answered(page)
    assert chat not in page.url and page.url != f"{offline}/"
    page.goto(f"{offline}/#/{chat}")
    expect(page.get_by_role("alert").filter(has_text="was deleted")).to_be_visible()
    ask(page, "Hello once more")
    answered(page)
    expect(page.locator(".turn")).to_have_count(1)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 700)])
def test_the_first_line_of_an_answer_stays_in_sight(fakes: Fakes, open_page: Open, width: int, height: int) -> None:
    url, llm, _ = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    lines = ["This is the first line.", *["Such pictures are often taken at home."] * 40, "This is the last line."]
    llm.replies["respond"] = "\n\n".join(lines)
    page = open_page(url, viewport={"width": width, "height": height})
    ask(page, "What is in /examples/b.jpg?")
    answered(page)
    top = """() => {
      const turns = document.getElementById("turns").getBoundingClientRect();
      return document.querySelector(".answer").getBoundingClientRect().top - turns.top;
    }"""
    assert 0 <= page.evaluate(top) < height / 2
    page.reload()
    expect(page.locator(".answer")).to_contain_text("This is the last line.")
    assert 0 <= page.evaluate(top) < height / 2
    page.get_by_role("button", name="To the end").click()
    assert page.evaluate(top) < 0


def test_one_missing_model_is_told_once(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    plan = [
        {"task": "depth-estimation", "id": n, "dep": [-1], "args": {"image": f"/examples/{name}.jpg"}}
        for n, name in enumerate("abcdef")
    ]
    llm.replies["plan"] = json.dumps(plan)
    page = open_page(url)
    ask(page, "How deep are all pictures?")
    answered(page)
    assert page.locator(".answer").inner_text().count("Not done") == 1


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_settings_and_what_waits_can_be_used_by_all(offline: str, open_page: Open, scheme: Any, width: int) -> None:
    """axe-core has no finding, and nothing is wider than a phone."""
    page = open_page(offline, color_scheme=scheme, viewport={"width": width, "height": 780})
    expect(page.get_by_text("Running offline.")).to_be_visible()
    hold(page, "/v1/runs")
    ask(page, "Hello")
    ask(page, "And a second, much longer request, that waits until the first one has been answered in full")
    expect(page.get_by_role("list", name="Requests that wait")).to_be_visible()
    check(page)
    if width < 860:
        page.get_by_role("button", name="Open the conversations").click()
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    check(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    page.evaluate("held.shift()()")
