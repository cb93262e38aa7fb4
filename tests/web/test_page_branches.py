"""Conversations that branch, are renamed, pinned and found, and signing out, on the page (make test-slow)."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser import Open, answered, ask, program
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow
FIRST, SECOND, OTHER = "Is 'I love it' positive?", "And 'I hate it'?", "How many words has 'one two three'?"


def edit(page: Page, turn: int, text: str) -> None:
    page.get_by_role("button", name="Edit the request").nth(turn).press("Enter")
    page.get_by_label("The request in other words").fill(text)
    page.get_by_role("button", name="Ask this").click()


def test_a_former_message_is_edited_and_both_branches_are_kept(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    for request in (FIRST, SECOND):
        ask(page, request)
        answered(page)
    edit(page, 1, OTHER)
    expect(page.locator(".ask-text")).to_have_text([FIRST, OTHER])
    answered(page)
    versions = page.get_by_role("group", name="Versions of this request")
    expect(versions).to_have_text("2 of 2")
    check(page)
    versions.get_by_role("button", name="The version before").click()
    expect(page.locator(".ask-text")).to_have_text([FIRST, SECOND])
    expect(versions).to_have_text("1 of 2")
    ask(page, "Thanks!")
    answered(page)
    page.reload()
    expect(page.locator(".ask-text")).to_have_text([FIRST, SECOND, "Thanks!"])
    page.get_by_role("button", name="The next version").press("Enter")
    expect(page.locator(".ask-text")).to_have_text([FIRST, OTHER])


def test_a_request_that_is_asked_again_stands_beside_the_first(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask(page, FIRST)
    answered(page)
    page.get_by_role("button", name="Ask again").click()
    expect(page.get_by_role("group", name="Versions of this request")).to_have_text("2 of 2")
    answered(page)
    expect(page.locator(".ask-text")).to_have_text([FIRST])
    page.get_by_role("button", name="Edit the request").press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".ask-text")).to_have_text([FIRST])


def test_conversations_are_found_renamed_and_pinned(tmp_path: Path, open_page: Open) -> None:
    with program(tmp_path) as url:
        page = open_page(url)
        for request in ("Hello", FIRST):
            page.get_by_role("link", name="New conversation").first.click()
            ask(page, request)
            answered(page)
        items = page.locator(".chat-item a")
        expect(items).to_have_text([FIRST, "Hello"])
        page.get_by_role("button", name="Rename or pin: Hello").press("Enter")
        window = page.get_by_role("dialog", name="This conversation")
        window.get_by_label("Name").fill("Small talk")
        window.get_by_label("Keep it at the top").check()
        check(page)
        window.get_by_role("button", name="Save").click()
        expect(items).to_have_text(["Small talk", FIRST])
        expect(page.locator(".chats-day").first).to_have_text("Pinned")
        page.get_by_label("Find a conversation").fill("love")
        expect(items).to_have_text([FIRST])
        page.get_by_label("Find a conversation").fill("nothing has this")
        expect(page.get_by_text("No conversation has these words.")).to_be_visible()
        page.get_by_label("Find a conversation").fill("")
        items.first.click()
        expect(page.locator("#title")).to_have_text("Small talk")


def test_who_has_signed_in_can_sign_out(tmp_path: Path, open_page: Open) -> None:
    with program(tmp_path, http_listen={"port": 0, "token": "token-no-1"}) as url:
        page = open_page(url, allowed=("401",))
        page.get_by_role("textbox", name="Token").fill("token-no-1")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_text("Running offline.")).to_be_visible()
        page.locator("#status").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("dialog", name="This server asks for its token")).to_be_visible()
