"""Goals on the page: leave is given, refused and replaced by words; reload, two tabs, a killed server (make test-slow)."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Locator, Page, expect

from hugginggpt.testing import task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM
from hugginggpt.testing.servers import server_process
from tests.conftest import EXAMPLES
from tests.goals.conftest import said
from tests.web.browser import Open, config_file
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow

PLAN = said("set_plan", items=["Write a note", "Delete it"])
WRITE = said("write_to_file", "A note comes first.", file="notes/a.txt", text="one\ntwo")
DELETE = said("delete_file", "It is not needed any more.", file="notes/a.txt")
LOOK = said("hugginggpt", request="Describe it", files=["my zoo.jpg"])
COMPLETE = said("task_complete", reason="**All** is done.")
Fakes = tuple[str, FakeLLM, FakeExperts]


def aim(page: Page, goal: str) -> None:
    """Begins a goal with the keyboard."""
    page.get_by_role("radio", name="Goal").check()
    page.get_by_label("Your goal").fill(goal)
    page.keyboard.press("Enter")


def card(page: Page, number: int) -> Locator:
    return page.locator(".card").nth(number - 1)


def status(page: Page, wanted: str) -> None:
    expect(page.locator(f".goal[data-status={wanted}]")).to_be_visible()


def goal_of(page: Page) -> str:
    return str(page.evaluate("location.hash")).rpartition("/")[2]


def test_a_goal_is_worked_on_with_leave(fakes: Fakes, open_page: Open, tmp_path: Path) -> None:
    url, llm, _ = fakes
    llm.replies["goal"] = [PLAN, WRITE, DELETE, COMPLETE, LOOK, COMPLETE]
    llm.replies["plan"] = json.dumps([task(0, "image-to-text", image="my zoo.jpg")])
    page = open_page(url)
    page.locator("#file-input").set_input_files(shutil.copy(EXAMPLES / "e.jpg", tmp_path / "my zoo.jpg"))
    aim(page, "Write a note about my zoo.jpg")
    expect(page.locator(".goal-plan li")).to_have_text(["Write a note", "Delete it"])
    expect(page.locator(".ask-files a")).to_have_text("my zoo.jpg")
    waits = card(page, 3)
    expect(waits).to_have_attribute("data-state", "waiting")
    expect(waits).to_contain_text("delete_file")
    expect(waits.locator("pre")).to_have_text("notes/a.txt")
    expect(page.locator("#announcer")).to_contain_text("needs your leave: it deletes a file")
    expect(page.get_by_role("meter", name="Steps")).to_have_attribute("aria-valuetext", "3 of 25")
    expect(page.get_by_role("heading", level=1)).to_have_text("Write a note about my zoo.jpg")
    check(page)
    waits.get_by_role("button", name="Approve", exact=True).click()
    status(page, "complete")
    expect(waits).to_have_attribute("data-state", "finished")
    expect(waits).to_be_focused()
    expect(card(page, 4)).to_have_attribute("data-state", "failed")
    expect(card(page, 4)).to_contain_text("Not confirmed: my zoo.jpg was never opened.")
    expect(card(page, 5)).to_have_attribute("data-state", "finished")
    expect(card(page, 5)).to_contain_text("It is done.")
    expect(page.locator(".answer strong")).to_have_text("All")
    expect(page.get_by_role("link", name="Goal: Write a note about my zoo.jpg")).to_have_attribute(
        "aria-current", "page"
    )
    with page.expect_download() as saved:
        page.locator(".ask-files a").click()
    assert Path(saved.value.path()).read_bytes() == (EXAMPLES / "e.jpg").read_bytes()
    check(page)


def test_deny_and_tell(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["goal"] = [WRITE, DELETE, DELETE, said("ask_user", question="Which one?"), COMPLETE]
    page = open_page(url)
    aim(page, "Do it")
    card(page, 2).get_by_role("button", name="Deny").click()
    expect(card(page, 2)).to_have_attribute("data-state", "refused")
    words = card(page, 3).get_by_label("What to do instead")
    words.fill("Keep the note!")
    words.press("Enter")
    expect(card(page, 3)).to_contain_text("You said: Keep the note!")
    expect(card(page, 4)).to_contain_text("Which one?")
    card(page, 4).get_by_label("Your answer").fill("The red one")
    card(page, 4).get_by_role("button", name="Answer").click()
    status(page, "complete")
    told = json.dumps(llm.bodies("goal")[-1]["messages"])
    assert "Keep the note!" in told and "The red one" in told
    with page.expect_download() as saved:
        page.locator(".goal-files").get_by_role("link", name="notes/a.txt").click()
    assert Path(saved.value.path()).read_text() == "one\ntwo"


def test_several_commands_are_approved_by_the_keyboard(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    other = [text.replace("a.txt", "b.txt") for text in (WRITE, DELETE)]
    llm.replies["goal"] = [WRITE, other[0], DELETE, other[1], DELETE]
    page = open_page(url)
    aim(page, "Do it")
    count = card(page, 3).get_by_label("How many commands to approve")
    count.focus()
    count.press("ControlOrMeta+a")
    page.keyboard.type("2")
    page.keyboard.press("Shift+Tab")
    expect(card(page, 3).get_by_role("button", name="Approve 2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(card(page, 3)).to_contain_text("You approved it, and the next 1 command.")
    expect(card(page, 4)).to_have_attribute("data-state", "finished")
    expect(card(page, 5)).to_have_attribute("data-state", "waiting")
    card(page, 5).get_by_role("button", name="Pause").click()
    status(page, "stopped")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_reload_and_a_second_tab(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["goal"] = [WRITE, DELETE, COMPLETE]
    first = open_page(url)
    aim(first, "Do it")
    expect(card(first, 2)).to_have_attribute("data-state", "waiting")
    before = first.locator(".goal").inner_text()
    first.reload()
    expect(card(first, 2).get_by_role("button", name="Deny")).to_be_visible()
    assert first.locator(".goal").inner_text() == before
    second = open_page(url, "/" + first.evaluate("location.hash"), allowed=("409",))
    expect(card(second, 2).get_by_role("button", name="Deny")).to_be_visible()
    pending = requests.get(f"{url}/v1/goals/{goal_of(first)}", timeout=5).json()["pending"]
    card(first, 2).get_by_role("button", name="Deny").click()
    for page in (first, second):
        expect(card(page, 2)).to_contain_text("You denied it.")
        status(page, "complete")
    body = {"step": pending["step"], "hash": pending["hash"], "decision": "approve"}
    assert second.evaluate(
        "async ([id, body]) => (await import('/app/model/api.js')).api.decide(id, body).then(() => 200, (error) => error.status)",
        [goal_of(first), body],
    ) == 409  # fmt: skip
    assert [event.count("notes/a.txt") for event in [second.locator(".goal-files").inner_text()]] == [1]


def test_a_changed_decision_is_refused_and_said(fakes: Fakes, open_page: Open) -> None:
    """The page sends another hash than that of what waits, as an old or altered page would."""
    url, llm, _ = fakes
    llm.replies["goal"] = [WRITE, DELETE, COMPLETE]
    page = open_page(url, allowed=("409",))
    aim(page, "Do it")
    expect(card(page, 2)).to_have_attribute("data-state", "waiting")

    def alter(route: Any) -> None:
        route.continue_(post_data=json.dumps({**route.request.post_data_json, "hash": "0" * 32}))

    page.route("**/decisions", alter)
    card(page, 2).get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".toast.bad")).to_contain_text("another command than the one that waits")
    expect(card(page, 2).get_by_role("button", name="Approve", exact=True)).to_be_enabled()
    page.unroute("**/decisions")
    card(page, 2).get_by_role("button", name="Deny").click()
    status(page, "complete")


def test_a_goal_is_cancelled_and_resumed(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["goal"] = [WRITE, DELETE, COMPLETE]
    page = open_page(url)
    aim(page, "Do it")
    expect(card(page, 2)).to_have_attribute("data-state", "waiting")
    page.get_by_role("button", name="Cancel the goal").click()
    status(page, "cancelled")
    check(page)
    page.get_by_role("button", name="Resume").click()
    status(page, "complete")
    expect(page.locator(".goal-note")).to_contain_text("It goes on.")
    page.get_by_role("link", name="New conversation").first.click()
    expect(page.get_by_label("Your request")).to_be_visible()
    page.go_back()
    status(page, "complete")


def test_limits_and_leave_for_several_commands(fakes: Fakes, open_page: Open) -> None:
    """What is typed is what the goal gets; what cannot be is pointed at and not sent."""
    url, llm, _ = fakes
    llm.replies["goal"] = [WRITE, DELETE, COMPLETE]
    page = open_page(url)
    bounds = page.get_by_text("Limits and leave")
    expect(bounds).to_be_hidden()
    page.get_by_role("radio", name="Goal").check()
    bounds.click()
    check(page)
    page.get_by_label("Steps").fill("0")
    bounds.click()
    page.get_by_label("Your goal").fill("Do it")
    page.get_by_label("Your goal").press("Enter")
    expect(page.get_by_label("Steps")).to_be_focused()
    assert {request["path"] for request in llm.requests} <= {"/v1/models"}  # what the settings show
    page.get_by_label("Steps").fill("7")
    page.get_by_label("Minutes").fill("1.5")
    page.get_by_label("Commands without asking").fill("2")
    page.get_by_label("Your goal").press("Enter")
    status(page, "complete")
    expect(page.get_by_role("meter", name="Steps")).to_have_attribute("aria-valuetext", "3 of 7")
    expect(page.get_by_role("meter", name="Time")).to_have_attribute("aria-valuemax", "90")
    began = requests.get(f"{url}/v1/goals/{goal_of(page)}", timeout=5).json()
    assert began["limits"]["steps"] == 7 and began["limits"]["seconds"] == 90
    expect(card(page, 2)).to_have_attribute("data-state", "finished")


def test_a_goal_is_deleted_for_good(fakes: Fakes, open_page: Open) -> None:
    url, llm, _ = fakes
    llm.replies["goal"] = [WRITE, DELETE]
    page = open_page(url)
    aim(page, "Do it")
    expect(card(page, 2)).to_have_attribute("data-state", "waiting")
    goal = goal_of(page)
    delete = page.get_by_role("button", name="Delete: Do it")
    delete.click()
    page.get_by_role("button", name="Keep it").click()
    assert requests.get(f"{url}/v1/goals/{goal}", timeout=5).status_code == 200
    delete.click()
    expect(page.get_by_role("dialog")).to_contain_text("all files of its workspace")
    check(page)
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("The goal is deleted.")
    expect(page.get_by_role("link", name="Goal: Do it")).to_have_count(0)
    expect(page.locator(".goal")).to_have_count(0)
    assert requests.get(f"{url}/v1/goals/{goal}", timeout=5).status_code == 404


def test_a_killed_server_runs_nothing_twice(tmp_path: Path, open_page: Open, llm_server: FakeLLM) -> None:
    """Killed while it waits, the same decision is given to the next server; killed at work, it is resumed."""
    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    gate, reply = threading.Event(), llm_server.next_reply
    config = config_file(tmp_path / "killed", local={"endpoint": llm_server.url}, embedded=False)
    with server_process(config) as (url, process):
        page = open_page(url, allowed=("ERR_",))
        aim(page, "Do it")
        expect(card(page, 2)).to_have_attribute("data-state", "waiting")
        path = "/" + page.evaluate("location.hash")
        process.kill()
        process.wait()
        expect(page.get_by_text("The connection was lost; trying again")).to_be_visible()
        page.close()
    # what the killed server still asks for is not taken from the script of the next one
    llm_server.next_reply = lambda _: (gate.wait(30), COMPLETE)[1]  # type: ignore[method-assign]
    with server_process(config) as (url, process):
        page = open_page(url, path, allowed=("ERR_",))
        card(page, 2).get_by_role("button", name="Approve", exact=True).click()
        expect(card(page, 2)).to_have_attribute("data-state", "finished")
        process.kill()
        process.wait()
        page.close()
    gate.set()
    llm_server.next_reply = reply  # type: ignore[method-assign]
    llm_server.replies["goal"] = [COMPLETE]
    with server_process(config) as (url, process):
        page = open_page(url, path)
        expect(page.get_by_text("The server was stopped while it worked on this.")).to_be_visible()
        check(page)
        page.get_by_role("button", name="Resume").click()
        status(page, "complete")
        expect(page.locator(".card")).to_have_count(3)
        journal = (config.parent / "goals" / path.rpartition("/")[2] / "journal.jsonl").read_text()
        started = [json.loads(line)["command"] for line in journal.splitlines() if '"CommandStarted"' in line]
        assert started == ["write_to_file", "delete_file", "task_complete"]
        page.close()  # before its server: what it still loads would fail


def test_what_the_model_writes_is_shown_as_text(fakes: Fakes, open_page: Open) -> None:
    """Markup does nothing, and characters that hide or reorder what is approved are seen as their codes."""
    url, llm, _ = fakes
    evil = "<img src=x onerror=alert(1)>"
    llm.replies["goal"] = [said("delete_file", evil, file="a\u202etxt.exe\x1b[2K")]
    page = open_page(url)
    aim(page, f"Do it {evil}")
    expect(card(page, 1).locator("pre")).to_have_text("a\\u202etxt.exe\\x1b[2K")
    expect(card(page, 1)).to_contain_text(evil)
    assert page.locator(".goal img").count() == 0


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_goal_on_a_phone(fakes: Fakes, open_page: Open, width: int, scheme: Any) -> None:
    url, llm, _ = fakes
    llm.replies["goal"] = [PLAN, said("write_to_file", file="a" * 60 + ".txt", text="x" * 900), DELETE]
    page = open_page(url, viewport={"width": width, "height": 780}, has_touch=True, is_mobile=True, color_scheme=scheme)
    aim(page, "Do it")
    expect(card(page, 3)).to_have_attribute("data-state", "waiting")
    fits = "() => document.scrollingElement.scrollWidth <= innerWidth && document.getElementById('turns').scrollWidth <= innerWidth"
    assert page.evaluate(fits)
    check(page)
