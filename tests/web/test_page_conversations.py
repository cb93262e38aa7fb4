"""Conversations on the page: attached files by their names, two tabs, and a server that was killed (make test-slow)."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect

from hugginggpt.testing import task
from hugginggpt.testing.fakes import HANG, FakeExperts, FakeLLM, Fault
from hugginggpt.testing.servers import server_process
from hugginggpt.web.chats import Chats
from tests.conftest import CATALOGUE_MODELS, EXAMPLES
from tests.web.browser import DETECT, Open, answered, ask, config_file, program, scripted, until
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow


def shown(page: Page) -> list[list[str]]:
    """What the page says of a finished request."""
    answered(page)
    parts = (".ask-text", ".ask-files button", ".node-file button", ".node .tag", ".answer p")
    texts = [page.locator(part).all_inner_texts() for part in parts]
    return [*texts, page.locator(".made img").evaluate_all("images => images.map((image) => image.alt)")]


def test_attached_files_are_shown_by_their_names(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    page.locator("#file-input").set_input_files(shutil.copy(EXAMPLES / "e.jpg", tmp_path / "mein Früh-stück (2).jpg"))
    ask(page, "Find all objects in it")
    before = shown(page)
    request, attached, inputs, *_, alts = before
    assert (request, attached) == (["Find all objects in it"], ["mein Früh-stück (2).jpg"])
    assert len(inputs) == 1 and inputs[0].endswith("ück (2).jpg")
    assert len(alts) == 1 and "cup" in alts[0]  # the summary of the result
    answer = page.locator(".answer").inner_text()
    assert "in mein Früh-stück (2).jpg: " in answer and "/uploads/" not in answer
    page.reload()
    assert shown(page) == before
    page.get_by_role("button", name="Object detection", exact=True).click()
    window = page.get_by_role("dialog", name="Object detection")
    expect(window.get_by_role("button", name="mein Früh-stück (2).jpg")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".ask-files button").click()
    expect(page.get_by_role("dialog", name="mein Früh-stück (2).jpg")).to_be_visible()


def test_the_field_for_files_offers_what_the_server_reads(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    expect(page.get_by_text("Running offline.")).to_be_visible()
    accepted = (page.locator("#file-input").get_attribute("accept") or "").split(",")
    assert {".jpg", ".wav", ".mp4", ".csv", ".txt"} <= set(accepted)
    assert ".svg" not in accepted


def test_two_tabs_cannot_fork_a_conversation(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, experts = fakes
    first = open_page(url)
    ask(first, "One")
    answered(first)
    second = open_page(url, "/" + first.evaluate("location.hash"), allowed=("409",))
    expect(second.locator(".turn")).to_have_count(1)

    llm.replies["plan"] = json.dumps([DETECT])
    experts.always["all"] = Fault(hang=True)
    ask(first, "Two")
    expect(first.locator(".node[data-state=running]")).to_be_visible()
    ask(second, "Three")
    expect(second.get_by_role("alert")).to_contain_text("Another request of this conversation is being worked on")
    expect(second.get_by_label("Your request")).to_have_value("Three")
    expect(second.locator(".turn")).to_have_count(2)
    expect(second.locator(".node[data-state=running]")).to_be_visible()
    experts.always.clear()
    experts.over.set()
    for page in (first, second):
        expect(page.locator(".answer").last).to_contain_text("It is done.")
    llm.replies["plan"] = json.dumps({"tasks": []})

    expect(second.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    second.get_by_label("Your request").press("Enter")
    expect(second.locator(".turn")).to_have_count(3)
    answered(second)
    ask(first, "Four")  # this tab has not seen the third
    for page in (first, second):
        if page is second:
            page.reload()
        expect(page.locator(".ask-text")).to_have_text(["One", "Two", "Three", "Four"])


def test_a_killed_server_shows_what_was_done_and_resumes_it(
    tmp_path: Path, open_page: Open, llm_server: FakeLLM
) -> None:
    plan = [DETECT, task(1, "image-to-text", [0], image="<GENERATED>-0")]
    llm_server.replies["plan"] = json.dumps(plan)
    with FakeExperts(CATALOGUE_MODELS) as experts:
        config = config_file(tmp_path / "killed", **scripted(llm_server, experts))
        experts.always = {model: HANG for model, kind in experts.models.items() if kind == "image-to-text"}
        with server_process(config) as (url, process):
            page = open_page(url, allowed=("ERR_",))
            page.locator("#file-input").set_input_files(EXAMPLES / "a.jpg")
            ask(page, "What is in it?")
            expect(page.locator(".node[data-state=finished]")).to_have_count(1)
            expect(page.locator(".node[data-state=running]")).to_have_count(1)
            chat = page.evaluate("location.hash")
            process.kill()
            process.wait()
            page.close()
        experts.always = {}
        with server_process(config) as (url, _):
            page = open_page(url, "/" + chat)
            expect(page.get_by_text("The server was stopped while it worked on this.")).to_be_visible()
            expect(page.locator(".ask-files button")).to_have_text("a.jpg")
            expect(page.locator(".node[data-state=finished]")).to_have_count(1)
            expect(page.locator(".node[data-state=skipped]")).to_have_count(1)
            check(page)
            resume = page.get_by_role("button", name="Resume")
            resume.focus()
            page.keyboard.press("Enter")
            expect(page.locator(".node[data-state=finished]")).to_have_count(2)
            answered(page)
            expect(page.locator(".answer")).to_contain_text("It is done.")
            expect(page.locator(".turn")).to_have_count(1)
            page.reload()
            expect(page.locator(".turn")).to_have_count(1)
            expect(page.locator(".node[data-state=finished]")).to_have_count(2)
            page.close()  # before its server: what it still loads would fail


def test_more_conversations_than_are_listed_at_first(tmp_path: Path, open_page: Open) -> None:
    config = config_file(tmp_path)
    chats = Chats(tmp_path / "chats.sqlite")
    for number in range(1, 232):
        chats.begin(f"{number:032x}", f"run{number}", f"Request number {number}")
        chats.finish(f"{number:032x}", f"run{number}", "answered", f"Answer {number}.", {})
    chats.close()
    with server_process(config) as (url, _):
        page = open_page(url)
        items = page.locator(".chat-item a")
        expect(items).to_have_count(200)
        expect(items.first).to_have_text("Request number 231")
        page.get_by_role("button", name="Show more").press("Enter")
        expect(items).to_have_count(231)
        expect(page.get_by_role("button", name="Show more")).to_have_count(0)
        page.get_by_label("Find a conversation").fill("number 7")
        expect(items.last).to_have_text("Request number 7")
        items.last.click()
        expect(page.locator(".ask-text")).to_have_text("Request number 7")
        page.close()  # before its server: what it still loads would fail


def test_the_examples_work_where_files_are_kept_elsewhere(tmp_path: Path, open_page: Open) -> None:
    with program(tmp_path / "server", public=str(tmp_path / "elsewhere")) as url:
        page = open_page(url)
        pictures = page.locator(".example img")
        expect(pictures.first).to_be_visible()
        until(page, "[...document.querySelectorAll('.example img')].every((image) => image.naturalWidth)")
        page.get_by_role("button", name="What is in it?").click()
        answered(page)
        expect(page.locator(".answer")).to_contain_text("cup")
        until(page, "[...document.querySelectorAll('.made img')].every((image) => image.naturalWidth)")
        assert not (tmp_path / "elsewhere" / "examples").exists()
        page.close()  # before its server: what it still loads would fail


def test_what_a_language_model_used_is_told_with_its_cost(tmp_path: Path, llm_server: FakeLLM, open_page: Open) -> None:
    llm_server.replies["plan"] = json.dumps([DETECT])
    prices = {"prices": {"prompt": 1000.0, "completion": 10000.0}}  # of a million tokens
    with FakeExperts(CATALOGUE_MODELS) as experts:
        config = config_file(tmp_path / "server", **scripted(llm_server, experts))
        given = yaml.safe_load(config.read_text())
        given["goals"] |= prices
        config.write_text(yaml.safe_dump(given))
        with server_process(config) as (url, _):
            page = open_page(url)
            ask(page, "What is in /examples/b.jpg?")
            answered(page)
            usage = page.locator(".usage")
            told = re.fullmatch(
                r"(\d+) tokens read, (\d+) written in \d+ calls? of the language model; ([\d.]+) at the server's prices",
                usage.inner_text(),
            )
            assert told, usage.inner_text()
            read, written, cost = float(told[1]), float(told[2]), float(told[3])
            assert read > 0 and cost == pytest.approx(read / 1000 + written / 100)
            page.reload()
            expect(usage).to_have_text(told[0])
            page.close()  # before its server: what it still loads would fail
