"""The web page in a real browser, on the program as users start it (make test-slow).

Each page fails its test on any console error, uncaught exception, or request to another host.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import FLAGS, Line, chromium, program
from tests.conftest import CATALOGUE_MODELS, EXAMPLES, task
from tests.fakes import FakeExperts, FakeLLM, Fault

pytestmark = pytest.mark.slow

Open = Callable[..., Page]
DETECT = task(0, "object-detection", image="/examples/b.jpg")
WAIT = 60_000
"""Milliseconds that the small experts may take on a busy machine."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without any key: the embedded experts do the work."""
    with program(tmp_path_factory.mktemp("offline")) as url:
        yield url


@pytest.fixture
def fakes(tmp_path: Path, llm_server: FakeLLM) -> Iterator[tuple[str, FakeLLM, FakeExperts]]:
    """A server whose language model and experts are scripted, for what cannot be had of real ones at will."""
    with FakeExperts(CATALOGUE_MODELS) as experts:
        settings = {"local": {"endpoint": llm_server.url}, "huggingface": {"base_url": experts.url}, "embedded": False}
        with program(tmp_path / "fakes", **settings) as url:
            yield url, llm_server, experts


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens the page of a server in a fresh profile; what goes wrong in it fails the test at the end."""
    wrong: list[str] = []
    contexts = []

    def begin(url: str, path: str = "/", allowed: tuple[str, ...] = (), **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"uncaught: {error}"))
        page.on(
            "console",
            lambda line: (
                wrong.append(f"console: {line.text}")
                if line.type in ("error", "warning") and not any(part in line.text for part in allowed)
                else None
            ),
        )
        page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((url, "blob:", "data:")) else wrong.append(f"request: {request.url}")
            ),
        )
        page.goto(url + path)
        return page

    yield begin
    for context in contexts:
        context.close()
    assert wrong == []


def ask(page: Page, request: str) -> None:
    page.get_by_label("Your request").fill(request)
    page.keyboard.press("Enter")


def answered(page: Page) -> None:
    expect(page.get_by_role("button", name="Save record").last).to_be_visible(timeout=WAIT)


def watch_states(page: Page) -> None:
    """Notes each state of each task as the page shows it, in `window.seen`."""
    page.evaluate(
        """() => {
          window.seen = [];
          new MutationObserver(() => {
            for (const node of document.querySelectorAll(".node[data-state]")) {
              const told = `${node.querySelector(".node-title").textContent}: ${node.dataset.state}`;
              if (!seen.includes(told)) seen.push(told);
            }
          }).observe(document.getElementById("turns"), { subtree: true, childList: true, attributes: true });
        }"""
    )


# A request, from the upload to the answer


def test_a_request_with_an_uploaded_picture(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    expect(page.get_by_text("Running offline.")).to_be_visible()
    page.locator("#file-input").set_input_files(EXAMPLES / "e.jpg")
    expect(page.get_by_role("button", name="Remove e.jpg")).to_be_visible()
    expect(page.locator(".chip .thumb img")).to_be_visible()
    watch_states(page)
    ask(page, "Find all objects in this picture and show me its edges")
    answered(page)
    seen = page.evaluate("seen")
    for name in ("Object detection", "Canny control"):
        states = [told.partition(": ")[2] for told in seen if told.startswith(name)]
        assert states == ["waiting", "running", "finished"]
    node = page.locator(".node", has_text="Object detection")
    expect(node).to_contain_text("nanodet-coco")
    expect(node).to_contain_text("on this machine")
    expect(node.locator(".node-reason")).not_to_be_empty()
    expect(node.locator(".node-time")).to_contain_text("s")
    assert node.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert page.locator(".edge").count() == 2
    assert page.locator(".edge-label").all_inner_texts() == ["image", "image"]
    expect(page.locator(".answer")).to_contain_text("cup")
    assert page.locator(".made img").count() == 2


def test_all_of_a_task_in_its_window(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask(page, "Find all objects in /examples/e.jpg")
    answered(page)
    title = page.get_by_role("button", name="Object detection", exact=True)
    title.focus()
    page.keyboard.press("Enter")
    window = page.get_by_role("dialog", name="Object detection")
    for part in ("Result", "Model", "Takes"):
        expect(window.get_by_role("heading", name=part)).to_be_visible()
    box = window.locator(".region-list button").first
    box.focus()
    expect(window.locator(".overlay rect.marked")).to_have_count(1)
    with page.expect_download() as saved:
        window.get_by_role("button", name="Result as JSON").click()
    assert json.loads(Path(saved.value.path()).read_text())["predicted"]
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    expect(title).to_be_focused()


def test_an_audio_result_can_be_played(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    page.get_by_role("button", name="Read a page aloud").click()
    answered(page)
    player = page.locator(".made audio")
    seconds = player.evaluate(
        """audio => new Promise((resolve, reject) => {
          audio.onerror = () => reject(audio.error.message);
          audio.readyState ? resolve(audio.duration) : (audio.onloadedmetadata = () => resolve(audio.duration));
        })"""
    )
    assert seconds > 1
    player.evaluate("audio => { audio.muted = true; return audio.play(); }")
    page.wait_for_function("() => document.querySelector('.made audio').currentTime > 0.1")


def test_copy_and_download(offline: str, open_page: Open) -> None:
    page = open_page(offline, permissions=["clipboard-read", "clipboard-write"])
    ask(page, 'Is "This is wonderful" positive?')
    answered(page)
    page.get_by_role("button", name="Copy answer").click()
    expect(page.get_by_text("The answer is copied.")).to_be_visible()
    assert "POSITIVE" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy record").click()
    expect(page.get_by_text("The run record is copied.")).to_be_visible()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    files = {}
    for name in ("Save answer", "Save record", "Download the conversation"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
        files[name] = Path(saved.value.path()).read_text()
    assert "POSITIVE" in files["Save answer"]
    record = json.loads(files["Save record"])
    assert record == copied == requests.get(f"{offline}/v1/runs/{record['run_id']}", timeout=5).json()
    assert [turn["role"] for turn in json.loads(files["Download the conversation"])["turns"]] == ["user", "assistant"]


def test_a_task_that_fails_says_why(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask(page, "Make a depth map of /examples/g.jpg. Find all objects in /examples/e.jpg")
    answered(page)
    failed = page.locator(".node[data-state=failed]", has_text="Depth estimation")
    expect(failed.locator(".node-why")).to_contain_text("No model for depth-estimation")
    expect(page.locator(".node[data-state=finished]", has_text="Object detection")).to_be_visible()
    expect(page.locator(".plan-summary")).to_have_text("1 of 2 tasks done, 1 not")
    expect(page.locator(".step-failed")).to_contain_text("Tasks")


# Files


def test_a_video_is_shown(offline: str, open_page: Open, tmp_path: Path) -> None:
    import av
    import numpy as np

    with av.open(str(tmp_path / "clip.mp4"), "w") as clip:
        stream = clip.add_stream("libx264", rate=10, width=64, height=48, pix_fmt="yuv420p")
        for shade in range(0, 200, 20):
            picture = np.full((48, 64, 3), shade, np.uint8)
            clip.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        clip.mux(stream.encode())
    page = open_page(offline)
    page.locator("#file-input").set_input_files(tmp_path / "clip.mp4")
    page.get_by_role("button", name="clip.mp4", exact=True).click()
    video = page.get_by_role("dialog", name="clip.mp4").locator("video")
    expect(video).to_have_js_property("videoWidth", 64)
    size = page.evaluate(
        """async (path) => {
          const { resultOf } = await import("/app/results.js");
          const video = resultOf({ "generated video": path }).querySelector("video");
          document.getElementById("main").append(video);
          await new Promise((resolve) => video.addEventListener("loadedmetadata", resolve));
          return [video.videoWidth, video.videoHeight, video.controls, Math.round(video.duration)];
        }""",
        video.get_attribute("src"),
    )
    assert size == [64, 48, True, 1]


def test_files_are_dropped_and_pasted(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    transfer = page.evaluate_handle(
        """async () => {
          const made = new DataTransfer();
          const bytes = await (await fetch("/examples/a.jpg")).blob();
          made.items.add(new File([bytes], "giraffe.jpg", { type: "image/jpeg" }));
          return made;
        }"""
    )
    page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
    expect(page.get_by_text("Drop pictures, recordings")).to_be_visible()
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})
    expect(page.get_by_text("Drop pictures, recordings")).to_be_hidden()
    expect(page.get_by_role("button", name="Remove giraffe.jpg")).to_have_count(1)
    page.get_by_label("Your request").evaluate(
        "(field, data) => field.dispatchEvent(new ClipboardEvent('paste', "
        "{ clipboardData: data, bubbles: true, cancelable: true }))",
        transfer,
    )
    expect(page.get_by_role("button", name="Remove giraffe.jpg")).to_have_count(2)
    page.get_by_role("button", name="Remove giraffe.jpg").first.click()
    ask(page, "How many giraffes are in it?")
    answered(page)
    expect(page.locator(".answer")).to_contain_text("1 giraffe")


def test_sound_is_recorded(offline: str, open_page: Open) -> None:
    """Chromium's fake microphone beeps; what arrives is a WAV file that the server takes."""
    page = open_page(offline, permissions=["microphone"])
    page.get_by_role("button", name="Record sound").click()
    expect(page.get_by_role("timer")).to_have_text("0:01", timeout=10_000)
    page.get_by_role("button", name="Stop recording").click()
    expect(page.get_by_role("button", name="Remove recording-")).to_be_visible()
    expect(page.get_by_role("timer")).to_be_hidden()
    ask(page, "Is there any speech in it?")
    answered(page)
    expect(page.locator(".node[data-state=finished]", has_text="Audio classification")).to_be_visible()


def test_a_file_of_another_type_is_refused_in_words(offline: str, open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_text("<html><script>alert(1)</script>")
    page = open_page(offline, allowed=("400 (BAD REQUEST)",))
    page.locator("#file-input").set_input_files(tmp_path / "page.jpg")
    expect(page.get_by_role("alert")).to_contain_text("page.jpg")
    expect(page.locator(".chip")).to_have_count(0)


# Conversations


def test_a_conversation_is_found_again_and_deleted(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask(page, 'Is "What a sad day" negative? And <b>why</b>?')
    answered(page)
    page.reload()
    expect(page.locator(".ask-text")).to_have_text('Is "What a sad day" negative? And <b>why</b>?')
    expect(page.locator(".answer")).to_contain_text("NEGATIVE")
    expect(page.locator(".node[data-state=finished]", has_text="vader")).to_be_visible()
    page.get_by_role("link", name="New conversation").first.click()
    expect(page.get_by_role("heading", name="What shall be done?")).to_be_visible()
    kept = page.get_by_role("navigation").get_by_role("link", name='Is "What a sad day"')
    kept.first.click()
    expect(page.locator(".answer")).to_contain_text("NEGATIVE")
    ask(page, 'And "What a happy day"?')
    answered(page)
    expect(page.locator(".turn")).to_have_count(2)
    before = kept.count()
    page.get_by_role("button", name='Delete: Is "What a sad day"').first.click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(kept).to_have_count(before - 1)
    expect(page.get_by_role("heading", name="What shall be done?")).to_be_visible()


def test_a_run_is_cancelled(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, experts = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    experts.always["all"] = Fault(hang=True)
    page = open_page(url)
    ask(page, "What is in /examples/b.jpg?")
    expect(page.locator(".node[data-state=running]")).to_be_visible()
    page.get_by_role("button", name="Cancel the request").click()
    expect(page.get_by_text("Cancelled. What was done until then")).to_be_visible()
    expect(page.locator(".node[data-state=failed] .node-why")).to_contain_text("cancelled")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    assert requests.get(f"{url}/healthz", timeout=5).json()["runs"] == 0


def test_a_reload_takes_the_run_up(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, experts = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    experts.always["all"] = Fault(hang=True)
    page = open_page(url)
    ask(page, "What is in /examples/b.jpg?")
    expect(page.locator(".node[data-state=running]")).to_be_visible()
    page.reload()
    expect(page.locator(".node[data-state=running]")).to_be_visible()
    experts.always.clear()
    experts.over.set()
    answered(page)
    expect(page.locator(".answer")).to_contain_text("It is done.")


def test_a_dropped_connection_is_taken_up(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, experts = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    experts.always["all"] = Fault(hang=True)
    line = Line(int(url.rsplit(":", 1)[1]))
    try:
        page = open_page(line.url, allowed=("ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE"))
        ask(page, "What is in /examples/b.jpg?")
        expect(page.locator(".node[data-state=running]")).to_be_visible()
        with page.expect_request(lambda request: request.url.endswith("/events")) as again:
            assert line.cut() > 0
        assert int(again.value.headers["last-event-id"]) > 0
        experts.always.clear()
        experts.over.set()
        answered(page)
        expect(page.locator(".node")).to_have_count(2)
        expect(page.locator(".node[data-state=finished]")).to_be_visible()
        assert page.locator(".answer").inner_text().count("It is done.") == 1
    finally:
        line.close()


class SlowWriter(FakeLLM):
    """Writes the first part of its plan and of its answer, and the rest when it is told to."""

    parts: ClassVar = {"plan": "}}, ", "respond": " and "}

    def __init__(self, **replies: str) -> None:
        super().__init__(**replies)
        self.go_on = {stage: threading.Event() for stage in self.parts}

    def answer(self, call: Any) -> None:
        stage = self.stage(json.loads(call.body)) if call.command == "POST" else ""
        if stage in self.parts:
            self.write_slowly(call, stage)
        else:
            super().answer(call)

    def write_slowly(self, call: Any, stage: str) -> None:
        first, mark, rest = self.replies[stage].partition(self.parts[stage])
        call.send_response(200)
        call.send_header("Content-Type", "text/event-stream")
        call.send_header("Connection", "close")
        call.end_headers()
        for piece in (first + mark, rest):
            choices = [{"index": 0, "delta": {"content": piece}}]
            chunk = {"id": "x", "created": 1, "model": "m", "object": "chat.completion.chunk", "choices": choices}
            call.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            call.wfile.flush()
            self.go_on[stage].wait(60)
        call.wfile.write(b"data: [DONE]\n\n")
        call.close_connection = True


def test_plan_and_answer_appear_while_they_are_written(tmp_path: Path, open_page: Open) -> None:
    plan = json.dumps({"tasks": [DETECT, task(1, "text-to-speech", [0], text="<GENERATED>-0")]})
    with SlowWriter(plan=plan, respond="Two **cats** and no dog.") as llm, FakeExperts(CATALOGUE_MODELS) as experts:
        settings = {"local": {"endpoint": llm.url}, "huggingface": {"base_url": experts.url}, "embedded": False}
        with program(tmp_path / "slow", **settings) as url:
            page = open_page(url)
            ask(page, "Count what is in /examples/b.jpg, aloud")
            expect(page.locator(".node[data-task='0'][data-state=finished]")).to_be_visible()
            expect(page.locator(".plan-summary")).to_have_text("being written …")
            expect(page.locator(".step-running").first).to_contain_text("Plan")
            page.evaluate("document.querySelector(\".node[data-task='0']\").dataset.mark = 'same'")
            llm.go_on["plan"].set()
            expect(page.locator(".answer.streaming")).to_contain_text("Two cats and", timeout=WAIT)
            expect(page.locator(".answer")).not_to_contain_text("no dog.")
            expect(page.locator(".answer strong")).to_have_text("cats")
            llm.go_on["respond"].set()
            answered(page)
            expect(page.locator(".answer")).to_contain_text("no dog.")
            expect(page.locator(".node[data-task='0']")).to_have_attribute("data-mark", "same")
            assert page.locator(".edge-label").all_inner_texts() == ["image", "text"]
            expect(page.locator(".node[data-task='1'] audio")).to_be_visible()


# Safety


MARKUP = """Look: <img src=x onerror=alert(1)> <script>alert(2)</script> [click](javascript:alert(3))
![remote](http://example.invalid/pixel.png) <svg onload=alert(4)> **bold** [site](https://example.invalid/)

<style>body { display: none }</style> <a href="data:text/html,<script>alert(5)</script>">data</a>

| a | b |
|---|---|
| <iframe src="javascript:alert(6)"></iframe> | `<b>` |
"""


def test_markup_in_answers_results_and_names_does_nothing(
    fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open, tmp_path: Path
) -> None:
    url, llm, experts = fakes
    evil = "<img src=x onerror=alert(7)>"
    body = json.dumps([{"label": evil, "score": 0.9, "box": {"xmin": 1, "ymin": 1, "xmax": 9, "ymax": 9}}])
    for model in ("hustvl/yolos-tiny", "facebook/detr-resnet-50"):
        experts.always[model] = Fault(body=body)
    llm.replies["plan"] = json.dumps([DETECT])
    llm.replies["respond"] = MARKUP
    named = tmp_path / "<img src=x onerror=alert(8)>.jpg"
    named.write_bytes((EXAMPLES / "a.jpg").read_bytes())
    page = open_page(url, permissions=["clipboard-read", "clipboard-write"])
    page.locator("#file-input").set_input_files(named)
    expect(page.locator(".chip .thumb img")).to_be_visible()
    ask(page, "<img src=x onerror=alert(9)> # heading")
    answered(page)
    answer = page.locator(".answer")
    expect(answer.locator("strong")).to_have_text("bold")
    for tag in ("img:not(.thumb img)", "script", "svg:not(.icon)", "iframe", "style", "[onerror]", "[style]"):
        assert answer.locator(tag).count() == 0
    expect(answer).to_contain_text("<script>alert(2)</script>")
    expect(page.locator(".node .tag")).to_have_text(evil)
    page.reload()
    expect(page.locator(".node .tag")).to_have_text(evil)
    page.get_by_role("button", name="Object detection", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text(evil)
    page.wait_for_load_state("networkidle")  # whatever could have run has run; `open_page` has counted it


def test_markdown_is_made_harmless_by_the_page_itself(offline: str, open_page: Open) -> None:
    """The server takes addresses that it does not know out of answers; the page does not rely on it."""
    page = open_page(offline)
    hrefs = page.evaluate(
        """async (text) => {
          const { markdown } = await import("/app/markdown.js");
          const shown = document.createElement("div");
          document.getElementById("main").append(shown);
          shown.append(markdown(text));
          if (shown.querySelector("img, script, svg, iframe, style, [onerror], [onload], [style]")) return null;
          return [...shown.querySelectorAll("a")].map((link) => [link.href, link.target, link.rel]);
        }""",
        MARKUP,
    )
    new_tab = ["_blank", "noopener noreferrer"]
    assert hrefs == [["http://example.invalid/pixel.png", *new_tab], ["https://example.invalid/", *new_tab]]
    page.wait_for_load_state("networkidle")


def test_the_token_is_asked_for_once(tmp_path: Path, open_page: Open) -> None:
    with program(tmp_path / "token", http_listen={"token": "tok-1"}) as url:
        page = open_page(url, allowed=("401 (UNAUTHORIZED)",))
        window = page.get_by_role("dialog", name="This server asks for its token")
        window.get_by_label("Token").fill("tok-2")
        page.keyboard.press("Enter")
        expect(window.get_by_role("alert")).to_contain_text("not the token")
        window.get_by_label("Token").fill("tok-1")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Running offline.")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Running offline.")).to_be_visible()
        expect(window).to_have_count(0)
        ask(page, "Find the edges in /examples/e.jpg")
        answered(page)
        assert page.locator(".made img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100


# Phone, keyboard, screen reader, light and dark


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_phone_needs_no_scrolling_sideways(offline: str, open_page: Open, width: int) -> None:
    page = open_page(offline, viewport={"width": width, "height": 780}, has_touch=True, is_mobile=True)
    fits = "() => document.scrollingElement.scrollWidth <= innerWidth && document.getElementById('turns').scrollWidth <= innerWidth"
    assert page.evaluate(fits)
    page.get_by_role("button", name="Pose and edges").click()
    answered(page)
    assert page.evaluate(fits)
    inside = "nodes => nodes.every((node) => node.getBoundingClientRect().right <= innerWidth)"
    assert page.locator(".node").evaluate_all(inside)
    expect(page.get_by_role("navigation", name="Earlier conversations")).to_be_hidden()
    page.get_by_role("button", name="Open the conversations").click()
    expect(page.get_by_role("navigation", name="Earlier conversations")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Open the conversations")).to_be_focused()


def test_the_keyboard_alone_is_enough(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    expect(page.get_by_label("Your request")).to_be_focused()
    page.keyboard.type('Is "I love it" positive?')
    page.keyboard.press("Enter")
    answered(page)
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText")
        )
    assert {"Copy answer", "Save record", "Ask again", "Text classification", "Attach files", "Record sound"} <= reached
    expect(page.locator("#announcer")).not_to_be_empty()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_accessibility_fault(offline: str, open_page: Open, scheme: Any) -> None:
    """axe-core, on the empty page, a finished and a failed request, the windows, and on a phone."""
    page = open_page(offline, color_scheme=scheme)
    expect(page.get_by_text("Running offline.")).to_be_visible()
    check(page)
    page.get_by_role("button", name="Who and where").click()
    answered(page)
    check(page)
    page.get_by_role("button", name="Token classification", exact=True).click()
    check(page)
    page.keyboard.press("Escape")
    ask(page, "Make a depth map of /examples/g.jpg")
    answered(page)
    check(page)
    page.get_by_role("button", name="Offline").click()
    check(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 780})
    check(page)


def check(page: Page) -> None:
    """Waits for fades to end, then has axe look at the page as it is."""
    page.evaluate(
        "Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations === 1).map((a) => a.finished))"
    )
    found = Axe().run(page).response["violations"]
    bad = [
        (
            fault["id"],
            fault["help"],
            [node["html"][:200] for node in fault["nodes"]],
            fault["nodes"][0]["failureSummary"],
        )
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
    assert bad == []


def test_light_and_dark(offline: str, open_page: Open) -> None:
    page = open_page(offline, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Switch to dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Switch to light").click()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == dark, "a choice that is the system's follows the system"


# JARVIS's own client


CLIENT = """<!doctype html><title>client</title><script>
addEventListener("load", async () => {
  const messages = [{ role: "user", content: "Find the edges in /examples/e.jpg" }];
  const answer = await fetch("%s/hugginggpt", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "gpt-3.5-turbo", messages }),
  });
  const { message } = await answer.json();
  const image = document.createElement("img");
  image.src = "%s" + message.match(/\\/images\\/\\w+\\.(?:png|jpg)/)[0];
  image.onload = () => (document.title = `loaded ${image.naturalWidth}`);
  image.onerror = () => (document.title = "the picture did not load");
  document.body.append(image);
});
</script><body></body>"""


def test_a_page_of_the_origin_of_jarvis_asks_and_loads_what_was_made(offline: str, browser: Browser) -> None:
    """As JARVIS's Vue client does from http://localhost:9999; another origin is refused by the browser."""

    class Client(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((CLIENT % (offline, offline)).encode())

        def log_message(self, *_: Any) -> None:
            pass

    try:
        server = ThreadingHTTPServer(("127.0.0.1", 9999), Client)
    except OSError:
        pytest.skip("Port 9999, which JARVIS's client has, is taken.")
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    page = browser.new_page()
    try:
        page.goto("http://localhost:9999/")
        page.wait_for_function("document.title.startsWith('loaded ')", timeout=WAIT)
        page.goto("http://127.0.0.1:9999/")  # not on the list of origins
        with page.expect_event("pageerror", timeout=WAIT) as error:
            page.reload()
        assert "fetch" in str(error.value)
    finally:
        page.close()
        server.shutdown()
        server.server_close()
