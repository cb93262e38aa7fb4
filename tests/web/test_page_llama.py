"""The page with llama.cpp's own server behind the program: its words arrive, and to cancel stops the server."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from hugginggpt.llm.bounds import OTHER_REPLY
from hugginggpt.llm.llama_process import Served
from tests.llm.test_llama_server import local, server, written
from tests.web.browser import Open, ask, program

__all__ = ["server"]

pytestmark = pytest.mark.slow


def test_an_answer_arrives_and_who_cancels_it_stops_the_server(tmp_path: Path, server: Served, open_page: Open) -> None:
    settings = {"llm": "local", "local": local(server), "llm_role": "leads"}
    with program(tmp_path / "server", **settings) as url:
        page = open_page(url)
        ask(page, "Good morning!")
        expect(page.locator(".answer")).not_to_have_text("")
        page.get_by_role("button", name="Cancel the request").click()
        expect(page.get_by_text("Cancelled. What was done until then")).to_be_visible()
        assert written(server) < OTHER_REPLY
        page.close()
