"""Many files on the page: one plan looked at and run, the table, a killed server, the gallery, plans that wait (make test-slow)."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import CDPSession, Page, expect

from hugginggpt.testing import task
from hugginggpt.testing.fakes import HANG, FakeExperts, FakeLLM, Fault, png
from hugginggpt.testing.servers import server_process
from tests.conftest import CATALOGUE_MODELS
from tests.web.browser import WAIT, Open, answered, ask, config_file, program, scripted
from tests.web.test_page_plans import ask_first, ready, row, run_it
from tests.web.test_page_rules import check

pytestmark = pytest.mark.slow

CAPTION = "nlpconnect/vit-gpt2-image-captioning"
SPEECH = "microsoft/speecht5_tts"
DESCRIBE = json.dumps([task(0, "image-to-text", image="0.png")])
SEEN = Fault(body='[{"generated_text": "a cat"}]')
BROKEN = Fault(400, '{"error": "It cannot be seen."}')


@pytest.fixture
def services(llm_server: FakeLLM) -> Iterator[tuple[FakeLLM, FakeExperts]]:
    llm_server.replies["plan"] = DESCRIBE
    with FakeExperts(CATALOGUE_MODELS) as experts:
        yield llm_server, experts


def pictures(folder: Path, number: int) -> list[Path]:
    folder.mkdir()
    for at in range(number):
        (folder / f"{at}.png").write_bytes(png() + b"\0" * at)
    return sorted(folder.iterdir())


def planned(page: Page, files: list[Path]) -> None:
    """Chooses files, says what is to be done with each, and has it planned."""
    page.get_by_role("link", name="Many files").click()
    expect(page.get_by_role("heading", name="One plan for many files")).to_be_focused()
    page.get_by_label("Choose files", exact=True).set_input_files(files)
    expect(page.locator(".batch-found")).to_contain_text(f"{len(files)} pictures", timeout=WAIT)
    page.get_by_label("What should be done with each?").fill("Describe each picture")
    page.get_by_role("button", name="Plan", exact=True).click()
    ready(page)


def through(page: Page, text: str) -> None:
    expect(page.locator(".batch-line")).to_contain_text(text, timeout=WAIT)


def test_many_files_are_planned_once_looked_at_and_run(
    services: tuple[FakeLLM, FakeExperts], open_page: Open, tmp_path: Path
) -> None:
    llm, experts = services
    files = pictures(tmp_path / "in", 4)
    with program(tmp_path / "server", **scripted(llm, experts)) as url:
        page = open_page(url)
        planned(page, files)
        assert len(llm.bodies("plan")) == 1
        expect(page.locator(".notices")).to_contain_text("for each of 4 files: 4 calls")
        expect(page.locator(".notices")).to_contain_text("4 calls of them go to services of others and may cost money.")
        check(page)
        page.reload()
        ready(page)
        assert experts.inferences(CAPTION) == []
        experts.always[CAPTION] = BROKEN
        page.get_by_role("button", name="Run", exact=True).click()
        through(page, "is through: 0 of 4 files done, 4 failed")
        check(page)
        experts.always.clear()
        page.get_by_role("button", name="Try the 4 that failed again").press("Enter")
        through(page, "is through: 4 of 4 files done, in ")
        expect(page.locator(".batch-table tbody tr")).to_have_count(4)
        expect(page.locator(".batch-text").first).not_to_be_empty()
        names = page.locator(".batch-table tbody th")
        expect(names.first).to_have_text("0.png")
        expect(names.first.locator("img")).to_be_visible()
        page.get_by_role("button", name="File", exact=True).click()
        page.get_by_role("button", name="File").press("Enter")
        expect(page.locator("th[aria-sort=descending]")).to_contain_text("File")
        expect(names).to_have_text(["3.png", "2.png", "1.png", "0.png"])
        page.get_by_label("Find", exact=True).fill("2.png")
        expect(names).to_have_text(["2.png"])
        page.get_by_label("Find", exact=True).fill("")
        page.get_by_label("Show", exact=True).select_option("failed")
        expect(names).to_have_count(0)
        page.get_by_label("Show", exact=True).select_option("")
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8-sig").splitlines()))
        assert [(one["file"], one["error"]) for one in rows] == [(f"{at}.png", "") for at in range(4)]
        with page.expect_download() as download:
            page.get_by_role("link", name="All as ZIP").click()
        with zipfile.ZipFile(download.value.path()) as archive:
            assert "results.xlsx" in archive.namelist()
        check(page)
        page.set_viewport_size({"width": 390, "height": 780})
        assert page.evaluate("document.getElementById('turns').scrollWidth <= innerWidth")
        expect(page.locator("#composer")).to_be_hidden()
        page.close()  # before its server: what it still loads would fail


def holiday(folder: Path) -> Path:
    """A folder with three pictures, one of them in a folder of its own, a text, and what is hidden."""
    pictures(folder, 2)
    for name in ("Rome/at noon.png", ".thumbs/0.png", ".hidden.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(png())
    (folder / "notes.txt").write_text("Sunny.", encoding="utf-8")
    return folder


def test_a_folder_is_dropped_on_the_page(offline: str, open_page: Open, tmp_path: Path) -> None:
    folder = holiday(tmp_path / "holiday")
    page = open_page(offline)
    expect(page.get_by_text("Running offline.")).to_be_visible()
    mouse = page.context.new_cdp_session(page)  # a real folder: no script can make one
    for part in ("dragEnter", "dragOver"):
        dropping(mouse, part, folder)
    expect(page.get_by_text("Drop pictures, recordings")).to_be_visible()
    dropping(mouse, "drop", folder)
    expect(page.get_by_role("heading", name="One plan for many files")).to_be_visible()
    expect(page.locator(".batch-found")).to_contain_text("3 pictures")
    expect(page.locator(".batch-found")).to_contain_text("1 of another kind")


def dropping(mouse: CDPSession, part: str, folder: Path) -> None:
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    mouse.send("Input.dispatchDragEvent", {"type": part, "x": 600, "y": 300, "data": data})


def test_a_folder_is_chosen(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline, "/#/batch")
    page.get_by_label("Choose a folder", exact=True).set_input_files(holiday(tmp_path / "holiday"))
    expect(page.locator(".batch-found")).to_contain_text("3 pictures")
    expect(page.locator(".batch-found")).to_contain_text("1 of another kind")


def test_a_table_lists_the_files_and_has_words_for_the_request(
    services: tuple[FakeLLM, FakeExperts], open_page: Open, tmp_path: Path
) -> None:
    llm, experts = services
    said = task(1, "text-to-speech", text="It belongs to Ada.")
    llm.replies["plan"] = json.dumps([task(0, "image-to-text", image="0 (1).png"), said])
    files = pictures(tmp_path / "in", 3)
    table = tmp_path / "owners.csv"
    table.write_text("owner;picture\nAda;in/0.png\nBob;1.png\nBob;0.png\nEve;9.png\n", encoding="utf-8-sig")
    with program(tmp_path / "server", **scripted(llm, experts)) as url:
        page = open_page(url)
        page.get_by_role("link", name="Many files").click()
        lists = page.get_by_label("A table that lists the files")
        lists.set_input_files(table)
        told = page.locator(".batch-listed")
        expect(told).to_contain_text("owners.csv None of its columns names the files")
        page.get_by_label("Choose files", exact=True).set_input_files(files)
        expect(told).to_contain_text("owners.csv 3 rows, the files in picture.")
        expect(told).to_contain_text("{owner} stands for the words of a row.")
        expect(told).to_contain_text("1 row is left out, of files that are not chosen: 9.png.")
        expect(told).to_contain_text("1 file is not listed in it.")
        check(page)
        page.get_by_label("What should be done with each?").fill("Describe it, and say aloud that {owner} has it")
        page.get_by_role("button", name="Plan", exact=True).click()
        ready(page)
        expect(page.locator(".notices")).to_contain_text("for each of 3 files: 6 calls")
        expect(row(page, 1).get_by_label("text, in words")).to_have_value("It belongs to {owner}.")
        page.get_by_role("button", name="Run", exact=True).click()
        through(page, "is through: 3 of 3 files done")
        rows = page.locator(".batch-table tbody tr")
        expect(rows.locator("th")).to_have_text(["0 (1).png", "1.png", "0 (3).png"])
        expect(rows.locator("td:nth-child(3)")).to_have_text(["Ada", "Bob", "Bob"])
        spoken = [json.loads(one["body"])["inputs"] for one in experts.inferences(SPEECH)]
        assert sorted(spoken) == ["It belongs to Ada.", "It belongs to Bob.", "It belongs to Bob."]
        page.get_by_role("button", name="owner", exact=True).click()
        expect(page.locator("th[aria-sort=ascending]")).to_contain_text("owner")
        page.close()  # before its server: what it still loads would fail


def test_a_list_that_cannot_be_used_is_told(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline, "/#/batch")
    files = pictures(tmp_path / "in", 2)
    page.get_by_label("Choose files", exact=True).set_input_files(files)
    (tmp_path / "odd.csv").write_text("a,b\n1\n")
    page.get_by_label("A table that lists the files").set_input_files(tmp_path / "odd.csv")
    expect(page.get_by_role("alert").filter(has_text="Row 2 of odd.csv has another number of columns")).to_be_visible()
    (tmp_path / "some.txt").write_text("# the second\n1.png\n")
    page.get_by_label("A table that lists the files").set_input_files(tmp_path / "some.txt")
    expect(page.locator(".batch-listed")).to_contain_text("some.txt 1 row, the files in file.")
    page.get_by_role("button", name="Without the table").press("Enter")
    expect(page.locator(".batch-listed")).to_be_empty()
    expect(page.locator(".batch-found")).to_contain_text("2 pictures")


def test_a_killed_server_shows_what_was_done_and_goes_on(
    services: tuple[FakeLLM, FakeExperts], open_page: Open, tmp_path: Path
) -> None:
    llm, experts = services
    files = pictures(tmp_path / "in", 4)
    config = config_file(tmp_path / "killed", batches={"workers": 1}, **scripted(llm, experts))
    with server_process(config) as (url, process):
        page = open_page(url, allowed=("ERR_",))
        planned(page, files)
        experts.faults[CAPTION] = [SEEN, SEEN, *[HANG] * 9]
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".row-done")).to_have_count(2, timeout=WAIT)
        place = page.evaluate("location.hash")
        process.kill()
        process.wait()
        page.close()
    experts.faults.clear()
    with server_process(config) as (url, _):
        page = open_page(url, f"/{place}")
        through(page, "stands still: the server was ended while it worked on this")
        expect(page.locator(".row-done")).to_have_count(2)
        before = len(experts.inferences(CAPTION))
        check(page)
        page.get_by_role("button", name="Go on with 2 files").press("Enter")
        through(page, "is through: 4 of 4 files done")
        assert len(experts.inferences(CAPTION)) - before == 2
        page.close()  # before its server: what it still loads would fail


def test_it_is_stopped_and_deleted(services: tuple[FakeLLM, FakeExperts], open_page: Open, tmp_path: Path) -> None:
    llm, experts = services
    files = pictures(tmp_path / "in", 3)
    with program(tmp_path / "server", **scripted(llm, experts)) as url:
        page = open_page(url)
        planned(page, files)
        experts.always[CAPTION] = HANG
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).click()
        experts.over.set()
        through(page, "was stopped: 0 of 3 files done, 3 missing")
        page.get_by_role("button", name="Delete: Describe each picture").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("heading", name="What shall be done?")).to_be_visible()
        page.close()  # before its server: what it still loads would fail


def test_the_gallery_of_files(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    expect(page.get_by_text("Running offline.")).to_be_visible()
    page.locator("#file-input").set_input_files(pictures(tmp_path / "in", 3))
    expect(page.locator(".chip .thumb img")).to_have_count(3)
    page.get_by_role("link", name="Files", exact=True).click()
    files = page.locator(".gallery-file")
    expect(files.first).to_be_visible()
    page.get_by_label("Find a file by its name").fill("1.png")
    expect(files).to_have_count(1)
    page.get_by_label("Find a file by its name").fill(".png")
    page.get_by_label("From").select_option("false")
    expect(files).to_have_count(3)
    check(page)
    page.get_by_role("button", name="Choose all that are shown").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the chosen files as ZIP").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert sorted(archive.namelist()) == ["0.png", "1.png", "2.png"]
    page.get_by_role("button", name="Choose none").click()
    page.get_by_label("Choose 0.png").check()
    page.get_by_role("button", name="Delete the chosen files").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(files).to_have_count(2)
    page.get_by_label("Choose 2.png").check()
    page.get_by_role("button", name="Use in a request").click()
    expect(page.get_by_role("button", name="Remove 2.png")).to_be_visible()


def test_a_plan_that_waits_outlives_a_reload(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask_first(page)
    ask(page, "Find the edges in /examples/e.jpg")
    ready(page)
    page.get_by_label("Add a task").select_option(label="Object detection")
    page.get_by_role("button", name="Add", exact=True).click()
    row(page, 1).get_by_label("image", exact=True).select_option(label="Result of task 0: Canny control")
    ready(page)
    page.reload()
    ready(page)
    expect(row(page, 1).get_by_label("image", exact=True).locator("option:checked")).to_contain_text("Result of task 0")
    run_it(page)
    expect(page.locator(".node[data-state=finished]")).to_have_count(2)
    page.reload()
    answered(page)
    expect(page.locator(".planned")).to_have_count(0)


def test_the_difference_of_two_texts(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    parts = page.evaluate(
        """async (pairs) => {
          const { difference } = await import("/app/model/difference.js");
          return pairs.map(([before, now]) => difference(before, now).map(({ kind, text }) => `${kind[0]}:${text}`));
        }""",
        [
            ["a big cat", "a small cat"],
            ["", "new"],
            ["same", "same"],
            ["one two three", "two three four"],
            ["x " * 3000, "y " * 3000],
        ],
    )
    assert parts[:4] == [
        ["s:a ", "b:big", "n:small", "s: cat"],
        ["n:new"],
        ["s:same"],
        ["b:one ", "s:two three", "n: four"],
    ]
    assert len(parts[4]) <= 3
