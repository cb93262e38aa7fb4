"""The page with a language model that runs on the server: what it says of it, and how far it has read."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Sequence
from typing import Any

import pytest
from playwright.sync_api import expect

from hugginggpt.llm.base import Message, Reading, Reply, Schema, Stage
from hugginggpt.testing import ScriptedLLM, web_serving
from hugginggpt.testing.scripted import plan, task
from tests.conftest import MakeConfig, controller_with
from tests.web.browser import Open, ask

pytestmark = pytest.mark.slow


class ModelHere(ScriptedLLM):
    """Has read a part of its prompt and waits with the rest until it may go on."""

    def __init__(self, **script: Any) -> None:
        super().__init__(**script)
        self.go_on = threading.Event()

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Schema | None = None, most: int | None = None
    ) -> Generator[str, None, Reply]:
        yield Reading(128, 1300)
        assert self.go_on.wait(60)
        return (yield from super().stream(messages, stage=stage, schema=schema, most=most))

    def state(self) -> dict[str, Any]:
        figures = {"threads": 2, "memory": 2_400_000_000, "read": 18.5, "written": 9.1}
        return {"model": self.model, "bytes": 1_100_000_000, "running": True, "context": 16384, **figures}


def test_the_model_and_how_far_it_has_read(make_config: MakeConfig, open_page: Open) -> None:
    llm = ModelHere(plan=[plan()], chat=["Good evening to you."])
    config = make_config()
    with web_serving(controller_with(config, llm), config) as url:
        page = open_page(url)
        expect(page.locator(".example").first).to_be_visible()  # the page has begun
        page.locator("#status").click()
        expect(page.get_by_role("dialog")).to_contain_text(
            f"{llm.model}, on this server (1.1 GB, running, 2.4 GB of memory, threads 2, "
            "18.5 tokens a second read, 9.1 written)"
        )
        page.keyboard.press("Escape")
        ask(page, "Good evening")
        expect(page.get_by_text("the language model reads: 128 of 1300 tokens")).to_be_visible()
        llm.go_on.set()
        expect(page.locator(".answer")).to_contain_text("Good evening to you.")
        expect(page.get_by_text("the language model reads")).to_have_count(0)
        page.close()  # before its server: what it still loads would fail


def test_who_planned_and_why_stands_at_the_plan(make_config: MakeConfig, open_page: Open) -> None:
    mood = plan(task(0, "text-classification", text="fine"))
    llm = ScriptedLLM(plan=[mood], respond=["It is negative.", "It is positive."])
    config = make_config(planner="auto", selection="first")
    with web_serving(controller_with(config, llm), config) as url:
        page = open_page(url)
        ask(page, 'What is the sentiment of "What a sad day"?')
        expect(page.locator(".answer")).to_contain_text("It is negative.")
        expect(page.locator(".plan-by")).to_have_text(re.compile(r"Planned by the offline planner: 9\d % sure"))
        ask(page, 'Think about "fine" backwards.')
        expect(page.locator(".answer").last).to_contain_text("It is positive.")
        by_model = re.compile("Planned by the language model: the offline planner .+")
        expect(page.locator(".plan-by").last).to_have_text(by_model)
        page.reload()
        expect(page.locator(".plan-by")).to_have_text([re.compile("the offline planner: 9"), by_model])
        page.close()
