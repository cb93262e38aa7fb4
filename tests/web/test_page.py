"""The web page in a real browser, on the program as users start it: requests, files, conversations (make test-slow)."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any, ClassVar

import pytest
import requests
from playwright.sync_api import Page, expect

from hugginggpt.testing import task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault
from tests.conftest import CATALOGUE_MODELS, EXAMPLES
from tests.web.browser import DETECT, WAIT, Line, Open, answered, ask, program, scripted, until

pytestmark = pytest.mark.slow


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
    until(page, "document.querySelector('.made audio').currentTime > 0.1")


def test_copy_and_download(offline: str, open_page: Open) -> None:
    page = open_page(offline, permissions=["clipboard-read", "clipboard-write"])
    ask(page, 'Is "This is wonderful" positive?')
    answered(page)
    page.get_by_role("button", name="Copy answer").click()
    expect(page.get_by_text("The answer is copied.")).to_be_visible()
    assert "positive" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Copy record").click()
    expect(page.get_by_text("The run record is copied.")).to_be_visible()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    files = {}
    for name in ("Save answer", "Save record", "Keep or show the conversation"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
            if name.startswith("Keep"):
                page.get_by_role("button", name="JSON").click()
        files[name] = Path(saved.value.path()).read_text()
    assert "positive" in files["Save answer"]
    record = json.loads(files["Save record"])
    assert record == copied == requests.get(f"{offline}/v1/runs/{record['run_id']}", timeout=5).json()
    assert [turn["status"] for turn in json.loads(files["Keep or show the conversation"])["turns"]] == ["answered"]


def test_a_task_that_fails_says_why(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    ask(page, "Cut the person out of /examples/g.jpg. Find all objects in /examples/e.jpg")
    answered(page)
    failed = page.locator(".node[data-state=failed]", has_text="Image segmentation")
    expect(failed.locator(".node-why")).to_contain_text("No person was found")
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
          const { resultOf } = await import("/app/views/results.js");
          const video = resultOf({ form: "video", value: { "generated video": path } }).querySelector("video");
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
        """(field, data) => {
          const pasted = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
          Object.defineProperty(pasted, "clipboardData", { value: data }); // Firefox leaves files out of its copy
          field.dispatchEvent(pasted);
        }""",
        transfer,
    )
    expect(page.get_by_role("button", name="Remove giraffe.jpg")).to_have_count(2)
    page.get_by_role("button", name="Remove giraffe.jpg").first.click()
    ask(page, "How many giraffes are in it?")
    answered(page)
    expect(page.locator(".answer")).to_contain_text("1 giraffe")


def hold(page: Page, *paths: str) -> None:
    """Holds calls of the page until `held.pop()()`; runs are refused while `window.busy`."""
    page.evaluate(
        """(paths) => {
          const real = window.fetch;
          window.held = [];
          window.fetch = async (path, options) => {
            if (paths.includes(path)) await new Promise((go) => window.held.push(go));
            if (path === "/v1/runs" && window.busy) return new Response('{"error": {"message": "Busy."}}', { status: 429 });
            return real(path, options);
          };
          const { open, send } = XMLHttpRequest.prototype; // files are sent by it
          XMLHttpRequest.prototype.open = function (method, path) {
            this.isHeld = paths.includes(path);
            open.call(this, method, path);
          };
          XMLHttpRequest.prototype.send = function (body) {
            if (this.isHeld) window.held.push(() => send.call(this, body));
            else send.call(this, body);
          };
        }""",
        paths,
    )


def test_a_request_waits_for_its_files(offline: str, open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_text("<html></html>")
    page = open_page(offline, allowed=("status of 400", "400 (BAD REQUEST)"))
    hold(page, "/v1/files")
    told, request, files = page.get_by_role("alert"), page.get_by_label("Your request"), page.locator("#file-input")

    files.set_input_files(tmp_path / "page.jpg")
    ask(page, "How many giraffes are in it?")
    expect(told).to_have_text("This is sent when its files are uploaded.")
    page.evaluate("held.pop()()")
    expect(told).to_contain_text("page.jpg: ")

    files.set_input_files(EXAMPLES / "a.jpg")
    page.keyboard.press("Enter")
    expect(told).to_have_text("This is sent when its files are uploaded.")
    request.press_sequentially("!")  # who writes on has not finished
    page.evaluate("held.pop()()")
    expect(page.locator(".chip .thumb img")).to_be_visible()
    expect(request).to_have_value("How many giraffes are in it?!")

    page.evaluate("window.busy = true")
    page.keyboard.press("Enter")
    expect(told).to_contain_text("Busy.")
    expect(request).to_have_value("How many giraffes are in it?!")
    page.evaluate("window.busy = false")

    files.set_input_files(EXAMPLES / "e.jpg")
    page.keyboard.press("Enter")
    expect(told).to_have_text("This is sent when its files are uploaded.")
    page.evaluate("held.pop()()")
    answered(page)
    expect(page.locator(".answer")).to_contain_text("1 giraffe")
    expect(request).to_have_value("")
    expect(page.locator(".chip")).to_have_count(0)


def test_a_request_that_waits_for_its_files_waits_for_the_one_before_too(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    hold(page, "/v1/files", "/v1/runs")
    page.locator("#file-input").set_input_files(EXAMPLES / "a.jpg")
    ask(page, "How many giraffes are in it?")
    page.get_by_role("button", name="What is in it?").click()  # an example
    page.evaluate("held.shift()()")
    waiting = page.get_by_role("list", name="Requests that wait").get_by_role("listitem")
    expect(waiting).to_have_text(["How many giraffes are in it?"])
    expect(page.get_by_label("Your request")).to_have_value("")
    page.evaluate("held.shift()()")
    until(page, "held.length > 0")
    page.evaluate("held.shift()()")
    expect(page.locator(".turn")).to_have_count(2)
    answered(page)
    expect(page.locator(".answer").last).to_contain_text("1 giraffe")


def test_a_request_sent_before_the_status_is_there_is_kept(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    page.add_init_script(
        """const real = window.fetch;
        window.held = [];
        window.fetch = async (path, options) => {
          if (["/v1/status", "/v1/runs"].includes(path)) await new Promise((go) => window.held.push(go));
          return real(path, options);
        };"""
    )
    page.reload()
    until(page, "window.held.length > 0")
    ask(page, "How many giraffes are in /examples/b.jpg?")
    until(page, "window.held.length > 1")
    page.evaluate("held.shift()()")
    expect(page.locator("#file-input")).to_have_attribute("accept", re.compile(r"\.jpg"))  # the status is there
    page.evaluate("held.shift()()")
    answered(page)
    expect(page.locator(".turn")).to_contain_text("The detector found 2 giraffes")


def test_a_request_that_waits_for_its_files_is_sent_though_the_status_comes_meanwhile(
    offline: str, open_page: Open
) -> None:
    page = open_page(offline)
    page.add_init_script(
        """const real = window.fetch;
        window.held = {};
        window.fetch = async (path, options) => {
          if (path === "/v1/status") await new Promise((go) => window.held[path] = go);
          return real(path, options);
        };
        const { send } = XMLHttpRequest.prototype;
        XMLHttpRequest.prototype.send = function (body) { window.held["/v1/files"] = () => send.call(this, body); };"""
    )
    page.reload()
    until(page, "'/v1/status' in window.held")
    page.locator("#file-input").set_input_files(EXAMPLES / "a.jpg")
    ask(page, "How many giraffes are in it?")
    until(page, "'/v1/files' in window.held")
    page.evaluate("held['/v1/status']()")
    expect(page.get_by_text("Running offline.")).to_be_visible()
    page.evaluate("held['/v1/files']()")
    answered(page)
    expect(page.locator(".turn")).to_contain_text("1 giraffe")


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
    expect(page.locator(".answer")).to_contain_text("negative")
    expect(page.locator(".node[data-state=finished]", has_text="vader")).to_be_visible()
    page.get_by_role("link", name="New conversation").first.click()
    expect(page.get_by_role("heading", name="What shall be done?")).to_be_visible()
    kept = page.get_by_role("navigation").get_by_role("link", name='Is "What a sad day"')
    kept.first.click()
    expect(page.locator(".answer")).to_contain_text("negative")
    ask(page, 'And "What a happy day"?')
    answered(page)
    expect(page.locator(".turn")).to_have_count(2)
    before = kept.count()
    page.get_by_role("button", name='Delete: Is "What a sad day"').first.click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(kept).to_have_count(before - 1)
    expect(page.get_by_role("heading", name="What shall be done?")).to_be_visible()


def ask_for_what_hangs(page: Page, llm: FakeLLM, experts: FakeExperts) -> None:
    """Asks for a task that no expert comes to an end with, and waits until it runs."""
    llm.replies["plan"] = json.dumps([DETECT])
    experts.always["all"] = Fault(hang=True)
    ask(page, "What is in /examples/b.jpg?")
    expect(page.locator(".node[data-state=running]")).to_be_visible()


def test_a_run_is_cancelled(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, experts = fakes
    page = open_page(url)
    ask_for_what_hangs(page, llm, experts)
    page.get_by_role("button", name="Cancel the request").click()
    expect(page.get_by_text("Cancelled. What was done until then")).to_be_visible()
    expect(page.locator(".node[data-state=failed] .node-why")).to_contain_text("cancelled")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    assert requests.get(f"{url}/healthz", timeout=5).json()["runs"] == 0


def test_a_task_that_is_not_needed_is_no_failure(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, _ = fakes
    dogs = {"operation": "exists", "objects": [{"words": "dogs", "labels": ["dog"]}], "tasks": [0]}
    tasks = [
        task(0, "object-detection", image="/examples/b.jpg"),
        {**task(1, "image-to-text", image="/examples/b.jpg"), "when": {"question": dogs}},
    ]
    llm.replies["plan"] = json.dumps(tasks)
    page = open_page(url)
    ask(page, "If there is a dog in /examples/b.jpg, describe it")
    for _ in ("live", "stored"):
        answered(page)
        left_out = page.locator(".node[data-state=unneeded]")
        expect(left_out).to_contain_text("the detector found no dogs in b.jpg")
        expect(left_out).to_contain_text("not needed")
        expect(page.locator("summary").first).to_contain_text("1 of 2 tasks done, 1 not needed")
        page.reload()


def test_a_reload_takes_the_run_up(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, experts = fakes
    page = open_page(url)
    ask_for_what_hangs(page, llm, experts)
    page.reload()
    expect(page.locator(".node[data-state=running]")).to_be_visible()
    experts.always.clear()
    experts.over.set()
    answered(page)
    expect(page.locator(".answer")).to_contain_text("It is done.")


def test_a_dropped_connection_is_taken_up(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    url, llm, experts = fakes
    line = Line(int(url.rsplit(":", 1)[1]))
    try:
        page = open_page(line.url, allowed=("ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE"))
        ask_for_what_hangs(page, llm, experts)
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


NO_RUN = {"error": {"message": "There is no such run.", "type": "http", "code": "not_found"}}


def test_a_run_that_the_server_lost_is_told(fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open) -> None:
    """As after a restart of the server: it does not know the run any more."""
    url, llm, experts = fakes
    line = Line(int(url.rsplit(":", 1)[1]))
    try:
        page = open_page(line.url, allowed=("ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION", "ERR_EMPTY", "404"))
        page.route("**/events", lambda route: route.fulfill(status=404, json=NO_RUN))
        ask_for_what_hangs(page, llm, experts)  # a route counts for what is asked a moment later, not at once
        line.cut()
        expect(page.locator(".callout.bad")).to_have_text("There is no such run.")
        expect(page.locator(".node[data-state=skipped]")).to_be_visible()
        expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    finally:
        line.close()


class SlowWriter(FakeLLM):
    """Writes the first task of its plan and the first sentence of its answer, and the rest when it is told to."""

    parts: ClassVar = {"plan": "}}, ", "respond": "there. "}

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
    with (
        SlowWriter(plan=plan, respond="Two **cats** are there. No dog is.") as llm,
        FakeExperts(CATALOGUE_MODELS) as experts,
        program(tmp_path / "slow", **scripted(llm, experts)) as url,
    ):
        page = open_page(url)
        ask(page, "Count what is in /examples/b.jpg, aloud")
        expect(page.locator(".node[data-task='0'][data-state=finished]")).to_be_visible()
        expect(page.locator(".plan-summary")).to_have_text("being written …")
        expect(page.locator(".step-running").first).to_contain_text("Plan")
        page.evaluate("document.querySelector(\".node[data-task='0']\").dataset.mark = 'same'")
        llm.go_on["plan"].set()
        expect(page.locator(".answer.streaming")).to_contain_text("Two cats are there.", timeout=WAIT)
        expect(page.locator(".answer")).not_to_contain_text("No dog")
        expect(page.locator(".answer strong")).to_have_text("cats")
        llm.go_on["respond"].set()
        answered(page)
        expect(page.locator(".answer")).to_contain_text("No dog is.")
        expect(page.locator(".node[data-task='0']")).to_have_attribute("data-mark", "same")
        assert page.locator(".edge-label").all_inner_texts() == ["image", "text"]
        expect(page.locator(".node[data-task='1'] audio")).to_be_visible()
        page.close()  # before its server: what it still loads would fail
