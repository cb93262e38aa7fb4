"""Plans in hand on the page: leave, changes, one task again, plan files (make test-slow)."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import requests
from playwright.sync_api import Locator, Page, Route, expect

from hugginggpt.testing import task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault
from tests.conftest import CATALOGUE_MODELS, EXAMPLES
from tests.web.browser import DETECT, WAIT, Open, answered, ask
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow

Fakes = tuple[str, FakeLLM, FakeExperts]
CAPTION = "nlpconnect/vit-gpt2-image-captioning"
RECORD = re.compile(r"/v1/runs/\w+$")


def ask_first(page: Page) -> None:
    page.get_by_role("switch", name="Ask me before running").check()


def row(page: Page, number: int) -> Locator:
    """The part of the list in which a task is changed."""
    return page.locator(f".draft-task[data-task='{number}']")


def ready(page: Page) -> None:
    expect(page.locator(".draft-state")).to_contain_text("The plan can be run.", timeout=WAIT)


def run_it(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    answered(page)


# Leave


def test_nothing_is_run_before_there_is_leave(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    ask_first(page)
    page.reload()
    expect(page.get_by_role("switch", name="Ask me before running")).to_be_checked()
    page.locator("#file-input").set_input_files(shutil.copy(EXAMPLES / "b.jpg", tmp_path / "my zoo.jpg"))
    expect(page.get_by_role("button", name="Remove my zoo.jpg")).to_be_visible()
    before = len(requests.get(f"{offline}/v1/chats", timeout=10).json()["chats"])
    ask(page, "How many giraffes are in it?")
    expect(page.get_by_role("heading", name="Shall this be run?")).to_be_focused()
    ready(page)
    expect(row(page, 0).get_by_label("image", exact=True).locator("option:checked")).to_have_text("my zoo.jpg")
    expect(page.locator(".planned .node[data-state=waiting]")).to_have_count(1)
    assert len(requests.get(f"{offline}/v1/chats", timeout=10).json()["chats"]) == before
    check(page)
    run_it(page)
    expect(page.locator(".planned")).to_have_count(0)
    expect(page.locator(".answer")).to_contain_text("my zoo.jpg")
    expect(page.locator(".plan-by")).to_have_text("Planned by you")
    chats = requests.get(f"{offline}/v1/chats", timeout=10).json()["chats"]
    assert len(chats) == before + 1


def test_a_plan_is_changed_before_it_is_run(offline: str, open_page: Open) -> None:
    """A task is added and rewired, a model chosen, words written, a task removed; each time the plan is checked."""
    page = open_page(offline)
    ask_first(page)
    ask(page, "Find all objects in /examples/e.jpg")
    ready(page)
    page.get_by_label("Add a task").select_option(label="Text to speech")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(row(page, 1).get_by_role("heading")).to_be_focused()
    expect(row(page, 1).locator(".draft-problem")).to_contain_text("its argument text")
    expect(page.locator(".draft-state")).to_have_text("1 task cannot be run as it is.")
    check(page)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(row(page, 1).get_by_role("heading")).to_be_focused()
    row(page, 1).get_by_label("text", exact=True).focus()
    row(page, 1).get_by_label("text", exact=True).select_option(label="Result of task 0: Object detection")
    expect(row(page, 1).get_by_label("text", exact=True)).to_be_focused()
    ready(page)
    expect(page.locator(".planned .edge-label")).to_have_text(["image", "text"])
    row(page, 1).get_by_label("text", exact=True).select_option(label="Words")
    row(page, 1).get_by_label("text, in words").press_sequentially("Two cups.")  # as a user: what a script fills in is
    # no change to Firefox
    page.keyboard.press("Tab")
    model = row(page, 0).get_by_label("Model")
    expect(model.locator("option", has_text="nanodet-coco")).to_have_count(1)
    model.select_option("nanodet-coco")
    expect(row(page, 0).locator(".facts")).not_to_be_empty()
    ready(page)
    expect(page.locator(".planned .node")).to_have_count(3)
    run_it(page)
    expect(page.locator(".node[data-state=finished]")).to_have_count(2)
    detection = page.locator(".node", has_text="Object detection")
    expect(detection.locator(".model")).to_have_text("nanodet-coco")
    expect(detection.locator(".place")).to_have_text("on this machine")
    expect(page.locator(".made audio")).to_have_count(1)


def test_a_task_is_removed_and_the_plan_left(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    detect, speak = (
        task(0, "image-to-text", image="/examples/b.jpg"),
        task(1, "text-to-speech", [0], text="<GENERATED>-0"),
    )
    llm.replies["plan"] = json.dumps([detect, speak])
    page = open_page(url)
    ask_first(page)
    ask(page, "Describe b.jpg aloud")
    ready(page)
    expect(page.locator(".planned .edge-label")).to_have_text(["image", "text"])
    page.get_by_role("button", name="Remove task 0, Image to text").press("Enter")
    expect(row(page, 0)).to_have_count(0)
    expect(page.get_by_role("heading", name="Shall this be run?")).to_be_focused()
    expect(row(page, 1).locator(".draft-problem")).to_contain_text("its argument text")
    page.get_by_role("button", name="Cancel", exact=True).press("Enter")
    expect(page.locator(".planned")).to_have_count(0)
    expect(page.get_by_label("Your request")).to_have_value("Describe b.jpg aloud")
    expect(page.get_by_role("heading", name="What shall be done?")).to_be_visible()
    assert requests.get(f"{url}/v1/chats", timeout=10).json()["chats"] == []
    page.close()  # before its server: what it still loads would fail


def test_a_plan_stays_when_the_server_tells_of_itself_late(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    page = open_page(url)
    ask_first(page)
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route("**/v1/status", keep)
    page.route(RECORD, keep)
    page.reload()
    with page.expect_request(RECORD):
        ask(page, "What is in b.jpg?")
    expect(page.locator(".turn")).to_have_count(1)
    status, record = held
    status.continue_()
    expect(page.locator("#status")).not_to_have_text("Asking the server …")
    record.continue_()
    ready(page)
    page.close()  # before its server: what it still loads would fail


def test_a_sentence_plans_anew(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    describe = task(0, "image-to-text", image="/examples/b.jpg")
    llm.replies["plan"] = [json.dumps([DETECT]), json.dumps([describe])]
    page = open_page(url)
    ask_first(page)
    ask(page, "What is in b.jpg?")
    ready(page)
    page.get_by_label("What should be different?").fill("I want a caption instead")
    page.keyboard.press("Enter")
    expect(row(page, 0).get_by_role("heading")).to_contain_text("Image to text")
    expect(page.locator(".planned")).to_have_count(1)
    expect(page.locator(".ask-text")).to_have_text("What is in b.jpg?\nI want a caption instead")
    assert "object-detection" in json.dumps(llm.bodies("plan")[-1]["messages"][-1])
    ready(page)
    run_it(page)
    expect(page.locator(".node", has_text="Image to text")).to_have_attribute("data-state", "finished")
    page.close()  # before its server: what it still loads would fail


def test_a_request_without_tasks_is_answered(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["plan"] = "[]"
    page = open_page(url)
    ask_first(page)
    ask(page, "Hello")
    answered(page)
    expect(page.locator(".answer")).not_to_be_empty()
    expect(page.locator(".turn")).to_have_count(1)
    assert len(llm.bodies("plan")) == 1
    page.close()  # before its server: what it still loads would fail


# One task again


def test_a_task_is_run_again_and_both_versions_are_shown(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    ask(page, "Find the edges in /examples/e.jpg, and find all objects in /examples/e.jpg")
    answered(page)
    page.get_by_role("button", name="Run again: task 0").press("Enter")
    window = page.get_by_role("dialog", name="Run again")
    expect(window.get_by_label("Model").locator("option")).not_to_have_count(1)
    check(page)
    window.locator("input[type=file]").first.set_input_files(shutil.copy(EXAMPLES / "b.jpg", tmp_path / "zoo.jpg"))
    expect(window.locator("select option:checked").first).to_have_text("zoo.jpg")
    window.get_by_role("button", name="Run again").click()
    for _ in range(2):  # also after the page was loaded anew
        answered(page)
        expect(page.locator(".versions figure")).to_have_count(2)
        expect(page.locator(".versions .beside img")).to_have_count(2)
        expect(page.locator(".versions figcaption").first).to_contain_text("image: e.jpg")
        expect(page.locator(".turn")).to_have_count(1)
        slider = page.locator(".versions").get_by_role("slider")
        slider.press("End")
        expect(slider).to_have_attribute("aria-valuetext", "100 % Before, 0 % Now")
        check(page)
        page.reload()


def test_the_sounds_of_both_versions_have_players_side_by_side(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["plan"] = json.dumps([task(0, "text-to-speech", text="Good morning.")])
    page = open_page(url)
    ask(page, "Say good morning")
    answered(page)
    page.get_by_role("button", name="Run again: task 0").press("Enter")
    window = page.get_by_role("dialog", name="Run again")
    window.get_by_label("text, in words").select_text()
    page.keyboard.type("Good night.")
    window.get_by_role("button", name="Run again").click()
    answered(page)
    captions = page.locator(".versions figcaption")
    expect(captions).to_contain_text(["text: Good morning.", "text: Good night."])
    players = page.locator(".versions figure audio")
    expect(players).to_have_count(2)
    heard = [str(player.get_attribute("src")) for player in players.all()]
    assert len(set(heard)) == 2
    for player in players.all():  # each can be played
        player.evaluate(
            """audio => new Promise((known, failed) => {
              audio.onerror = () => failed(new Error(audio.error.message));
              audio.readyState ? known() : (audio.onloadedmetadata = known);
            })"""
        )
    before, now = (player.bounding_box() for player in players.all())
    assert before and now
    assert before["x"] + before["width"] <= now["x"], "before stands left of now"
    assert before["y"] < now["y"] + now["height"], "in one row"
    assert now["y"] < before["y"] + before["height"], "in one row"
    check(page)
    page.close()  # before its server: what it still loads would fail


def test_only_what_failed_is_tried_again(fakes: Fakes, open_page: Open) -> None:
    url, llm, experts = fakes
    llm.replies["plan"] = json.dumps([task(0, "image-to-text", image="/examples/b.jpg"), {**DETECT, "id": 1}])
    experts.faults[CAPTION] = [Fault(body='[{"generated_text": "a zoo"}]')]
    for model in CATALOGUE_MODELS:
        if CATALOGUE_MODELS[model] == "object-detection":
            experts.always[model] = Fault(400, '{"error": "It cannot be seen."}')
    page = open_page(url)
    ask(page, "Describe b.jpg and find all objects in it")
    answered(page)
    states = page.locator(".turn .node[data-task]")
    expect(states.and_(page.locator("[data-state=failed]"))).to_have_count(1)
    expect(states.and_(page.locator("[data-state=finished]"))).to_have_count(1)
    experts.always.clear()
    before = len(experts.inferences(CAPTION))
    page.get_by_role("button", name="Retry what failed").press("Enter")
    expect(states.and_(page.locator("[data-state=finished]"))).to_have_count(2, timeout=WAIT)
    answered(page)
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.get_by_role("button", name="Retry what failed")).to_have_count(0)
    assert len(experts.inferences(CAPTION)) == before
    page.reload()
    expect(states.and_(page.locator("[data-state=finished]"))).to_have_count(2)
    page.close()  # before its server: what it still loads would fail


def test_the_texts_of_both_versions_are_compared(fakes: Fakes, open_page: Open) -> None:
    url, llm, experts = fakes
    llm.replies["plan"] = json.dumps([task(0, "image-to-text", image="/examples/b.jpg")])
    experts.faults[CAPTION] = [
        Fault(body=json.dumps([{"generated_text": f"a {size} cat"}])) for size in ("big", "small")
    ]
    page = open_page(url)
    ask(page, "Describe b.jpg")
    answered(page)
    page.get_by_role("button", name="Run again: task 0").press("Enter")
    window = page.get_by_role("dialog", name="Run again")
    window.get_by_label("Model").select_option(CAPTION)
    window.get_by_role("button", name="Run again").click()
    parts = page.locator(".versions section .differences")
    for _ in range(2):  # also after the page was loaded anew
        answered(page)
        expect(parts.locator("del")).to_contain_text("big")
        expect(parts.locator("ins")).to_contain_text("small")
        check(page)
        page.reload()
    page.close()  # before its server: what it still loads would fail


# Plan files


def test_a_plan_is_saved_and_run_with_another_file(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    ask(page, "How many giraffes are in /examples/b.jpg?")
    answered(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save plan").click()
    file = tmp_path / "count.json"
    saved.value.save_as(file)
    assert json.loads(file.read_text())["inputs"] == [{"name": "b.jpg", "kind": "image"}]
    page.goto(f"{offline}/")
    page.locator("#plan-input").set_input_files(file)
    expect(page.locator(".draft-state")).to_have_text("Choose a file in place of b.jpg.")
    check(page)
    page.locator(".slots input[type=file]").set_input_files(shutil.copy(EXAMPLES / "a.jpg", tmp_path / "other.jpg"))
    ready(page)
    expect(page.locator(".ask-text")).to_have_text("How many giraffes are in other.jpg?")
    with page.expect_download() as again:
        page.get_by_role("button", name="Save plan").click()
    kept = json.loads(Path(again.value.path()).read_text())
    assert (kept["inputs"], kept["tasks"][0]["args"]) == (
        [{"name": "other.jpg", "kind": "image"}],
        {"image": "other.jpg"},
    )
    run_it(page)
    expect(page.locator(".answer")).to_contain_text("other.jpg")
    expect(page.locator(".ask-files button")).to_have_text(["other.jpg"])


def test_what_is_no_plan_is_told(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    for text, said in (("{", "is no JSON"), ('{"a": 1}', "That file holds no plan")):
        (tmp_path / "plan.json").write_text(text)
        page.locator("#plan-input").set_input_files(tmp_path / "plan.json")
        expect(page.locator(".toast", has_text=said)).to_be_visible()
