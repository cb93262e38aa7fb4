"""The web page in a real browser: safety, phone, keyboard, screen reader, and JARVIS's own client (make test-slow)."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from hugginggpt.core import results
from hugginggpt.testing.fakes import FakeExperts, FakeLLM, Fault
from tests.conftest import EXAMPLES
from tests.media.samples import write_pdf
from tests.web.browser import DETECT, WAIT, Open, answered, ask, program, until

pytestmark = pytest.mark.slow


# Safety


MARKUP = """Look: <img src=x onerror=alert(1)> <script>alert(2)</script> [click](javascript:alert(3))
![remote](http://example.invalid/pixel.png) <svg onload=alert(4)> **bold** [site](https://example.invalid/)

<style>body { display: none }</style> <a href="data:text/html,<script>alert(5)</script>">data</a>

| a | b |
|---|---|
| <iframe src="javascript:alert(6)"></iframe> | `<b>` |
"""


RESULTS = {
    "scores": ([0.83], "0.83"),
    "classes": (["a", "b"], "a, b"),
    "text": ({"generated text": "x"}, "x"),
    "labels": ([{"label": "cat", "score": 0.9}], "cat90 %"),
    "boxes": ({"predicted": [{"label": "cat"}, {"label": "cat"}]}, "cat ×2"),
    "masks": ({"predicted": []}, "nothing recognised"),
    "answer": ({"answer": "two", "score": 0.9}, "two90 % sure"),
    "answers": ([{"answer": "two"}], "two"),
    "entities": ([{"entity_group": "PER", "word": "Ada"}], "peopleAda"),
    "data": ({"of": ["a", "tool"]}, '{\n "of": [\n  "a",\n  "tool"\n ]\n}'),
    "filled": ([{"sequence": "x", "score": 0.5}], "x"),
    "image": ({"generated image": "https://example.invalid/x.png"}, "https://example.invalid/x.png"),
    "audio": ({"generated audio": "/nowhere/x.wav"}, "/nowhere/x.wav"),
    "video": ({"generated video": "/nowhere/x.mp4"}, "/nowhere/x.mp4"),
    "document": ({"generated document": "/documents/x.pdf"}, "x.pdf"),
    "text-file": ({"generated text": "said", "generated document": "/documents/x.srt"}, "saidx.srt"),
}
DAMAGED = [None, [], {}, "text", 7, [None], [[1]], {"error": {"message": "x"}}]


def test_every_form_of_result_is_shown(offline: str, open_page: Open) -> None:
    forms = {schema.name for schema in vars(results).values() if isinstance(schema, results.ResultSchema)}
    assert set(RESULTS) == forms
    page = open_page(offline)
    show = """async (tasks) => {
      const { resultOf } = await import("/app/views/results.js");
      return tasks.map((task) => resultOf(task).textContent);
    }"""
    assert page.evaluate(show, [{"form": form, "value": value} for form, (value, _) in RESULTS.items()]) == [
        text for _, text in RESULTS.values()
    ]
    value = {"generated text": "x", "of": ["a", "plug-in"]}
    for unknown in ({"form": "anything", "value": value}, {"value": value}):
        assert json.loads(page.evaluate(show, [unknown])[0]) == value
    page.evaluate(show, [{"form": form, "value": value} for form in forms for value in DAMAGED])  # nothing is thrown


def test_documents_are_links_to_save_them(offline: str, open_page: Open) -> None:
    page = open_page(offline)
    links = """async ([form, value, full]) => {
      const { resultOf } = await import("/app/views/results.js");
      const shown = resultOf({ form, value }, { full });
      return [shown.textContent, [...shown.querySelectorAll("a[download]")].map((link) => link.pathname)];
    }"""
    parts = ["/documents/a.pdf", "/documents/b.pdf"]
    value = {"generated document": parts[0], "generated documents": parts}
    assert page.evaluate(links, ["document", value, True]) == ["a.pdfb.pdf", parts]
    assert page.evaluate(links, ["document", value, False]) == ["a.pdf", parts[:1]]
    assert page.evaluate(links, ["text-file", {"generated text": "said"}, True]) == ["said", []]
    elsewhere = {"generated document": "javascript:alert(1)//x.pdf"}
    assert page.evaluate(links, ["document", elsewhere, True]) == ["javascript:alert(1)//x.pdf", []]


def test_joined_pdfs_are_saved_from_the_page(offline: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(offline)
    files = [write_pdf(tmp_path / "one.pdf", ["First."]), write_pdf(tmp_path / "two.pdf", ["Second.", "Third."])]
    page.locator("#file-input").set_input_files(files)
    expect(page.locator(".chip")).to_have_count(2)
    ask(page, "Join these PDFs into one document")
    answered(page)
    with page.expect_download() as download:
        page.locator(".node a.file-link").first.click()
    with pypdfium2.PdfDocument(download.value.path()) as joined:
        assert len(joined) == 3


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


def test_a_corrected_sentence_is_told_below_the_answer(
    fakes: tuple[str, FakeLLM, FakeExperts], open_page: Open
) -> None:
    """Folded, live and after a reload; what was wrong is markup, too."""
    url, llm, _ = fakes
    llm.replies["plan"] = json.dumps([DETECT])
    llm.replies["respond"] = "There are <b>two</b> pictures. A zebra <i onclick=alert(1)>stands</i> there."
    page = open_page(url)
    ask(page, "What is in /examples/b.jpg?")
    answered(page)
    for again in (False, True):
        if again:
            page.reload()
        told = page.locator(".corrections")
        expect(told).to_contain_text("1 sentence of the language model corrected")
        expect(told.locator("del")).to_be_hidden()
        told.locator("summary").click()
        expect(told.locator("del")).to_have_text("A zebra <i onclick=alert(1)>stands</i> there.")
        expect(told).to_contain_text("the results hold no zebra")
        expect(page.locator(".answer")).not_to_contain_text("zebra")


def test_markdown_is_made_harmless_by_the_page_itself(offline: str, open_page: Open) -> None:
    """The server takes addresses that it does not know out of answers; the page does not rely on it."""
    page = open_page(offline)
    hrefs = page.evaluate(
        """async (text) => {
          const { markdown } = await import("/app/views/markdown.js");
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
    with program(tmp_path / "token", http_listen={"token": "token-no-1"}) as url:
        page = open_page(url, allowed=("401 (UNAUTHORIZED)",))
        window = page.get_by_role("dialog", name="This server asks for its token")
        window.get_by_label("Token").fill("token-no-2")
        page.keyboard.press("Enter")
        expect(window.get_by_role("alert")).to_contain_text("not the token")
        window.get_by_label("Token").fill("token-no-1")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Running offline.")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Running offline.")).to_be_visible()
        expect(window).to_have_count(0)
        ask(page, "Find the edges in /examples/e.jpg")
        answered(page)
        assert page.locator(".made img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
        page.close()  # before its server: what it still loads would fail


def test_a_refusal_that_comes_after_the_token_asks_no_second_time(tmp_path: Path, open_page: Open) -> None:
    """The page asks two things at once as it opens; on a busy machine one refusal can be late."""
    with program(tmp_path / "late", http_listen={"token": "token-no-1"}) as url:
        page = open_page(url, allowed=("status of 401",))
        window = page.get_by_role("dialog", name="This server asks for its token")
        expect(window).to_be_visible()
        page.add_init_script(
            """const real = window.fetch;
            window.fetch = async (path, options) => {
              const answer = await real(path, options);
              if (path === "/v1/status" && !window.refusal) await new Promise((go) => { window.refusal = { answer, go }; });
              return answer;
            };"""
        )
        page.reload()
        until(page, "window.refusal")
        window.get_by_label("Token").fill("token-no-1")
        page.keyboard.press("Enter")
        expect(window).to_have_count(0)
        assert page.evaluate("refusal.answer.status") == 401
        page.evaluate("refusal.go()")
        expect(page.get_by_text("Running offline.")).to_be_visible()
        expect(window).to_have_count(0)
        page.close()  # before its server: what it still loads would fail


def test_the_server_says_which_arguments_are_files(tmp_path: Path, open_page: Open) -> None:
    """A task type of the configuration is drawn as those of the project, however its arguments are called."""
    row = {
        "name": "watch",
        "about": "watch",
        "args": [{"name": "clip", "kind": "video"}, {"name": "image"}],
        "gives": "text",
    }
    with program(tmp_path / "row", tasks=[row]) as url:
        page = open_page(url)
        expect(page.get_by_text("Running offline.")).to_be_visible()
        tasks = '[[0, {id: 0, task: "watch", dep: [], planned: {clip: "/videos/a.mp4", image: "a b.png"}}]]'
        graph = page.evaluate(f"async () => (await import('/app/model/graph.js')).graphOf(new Map({tasks}))")
        page.close()  # before its server: what it still loads would fail
    files = [(node["file"], node["kind"]) for node in graph["nodes"] if "file" in node]
    assert files == [("/videos/a.mp4", "video")]
    assert [edge["kinds"] for edge in graph["edges"]] == [["video"]]


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
    for _ in range(400):  # once around: each conversation of the tests before has its stops in the list
        page.keyboard.press("Tab")
        name, is_back = page.evaluate("""() => {
          const { activeElement: at } = document;
          return [at.getAttribute("aria-label") ?? at.innerText, at.id === "request"];
        }""")
        if is_back:
            break
        reached.add(name)
    else:
        pytest.fail("The keyboard does not come back to the request.")
    assert {"Copy answer", "Save record", "Ask again", "Text classification", "Attach files", "Record sound"} <= reached
    expect(page.locator("#announcer")).not_to_be_empty()


def test_no_cards_of_a_plan_overlap(offline: str, open_page: Open) -> None:
    """A few hundred random plans: every task to the right of (in a column, below) those it waits for, and apart."""
    page = open_page(offline)
    faults = page.evaluate(
        """async () => {
          const { inLayers, inColumn } = await import("/app/model/layout.js");
          let seed = 7;
          const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
          const faults = [];
          for (let trial = 0; trial < 300; trial++) {
            const nodes = Array.from({ length: 1 + random(14) }, (_, n) => ({ key: `task ${n}`, width: 200, height: 60 + random(200), port: 24 }));
            const edges = [];
            nodes.forEach((node, n) => {
              for (let at = 0; at < n; at++) if (random(5) === 0) edges.push({ from: nodes[at].key, to: node.key, kinds: ["text"] });
            });
            for (const [name, place, gaps] of [["layers", inLayers, { gapX: 64, gapY: 22 }], ["column", inColumn, { gapY: 34, lane: 14, most: 4 }]]) {
              const { at, lines, width, height } = place(nodes, edges, gaps);
              const boxes = nodes.map((node) => ({ ...at.get(node.key), node }));
              boxes.forEach((a, n) => {
                if (a.x < 0 || a.y < 0 || a.x + 200 > width + 1 || a.y + a.node.height > height + 1) faults.push(`${name} ${trial}: outside`);
                for (const b of boxes.slice(n + 1)) {
                  const apart = a.x + 200 <= b.x || b.x + 200 <= a.x || a.y + a.node.height <= b.y || b.y + b.node.height <= a.y;
                  if (!apart) faults.push(`${name} ${trial}: overlap`);
                }
              });
              for (const edge of edges) {
                const [from, to] = [at.get(edge.from), at.get(edge.to)];
                if (name === "layers" ? to.x < from.x + 200 : to.y <= from.y) faults.push(`${name} ${trial}: backwards`);
                if (!lines.get(edge).every(({ x, y }) => Number.isFinite(x + y))) faults.push(`${name} ${trial}: line`);
              }
            }
          }
          return faults;
        }"""
    )
    assert faults == []


# A change of the layout ends fades that it does not need, whose `finished` then rejects, and may begin others.
STILL = """async () => {
  const fades = () =>
    document.getAnimations().filter((a) => a.playState === "running" && a.effect.getTiming().iterations === 1);
  for (let left = fades(); left.length > 0; left = fades()) {
    await Promise.allSettled(left.map((a) => a.finished));
  }
}"""


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
    page.evaluate(STILL)
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
    """As JARVIS's Vue client does from port 9999 of this machine; another origin is refused by the browser."""

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
    other = ThreadingHTTPServer(("127.0.0.1", 0), Client)
    for each in (server, other):
        threading.Thread(target=each.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    page = browser.new_page()
    try:
        for name in ("localhost", "127.0.0.1"):
            page.goto(f"http://{name}:9999/")
            page.wait_for_function("document.title.startsWith('loaded ')", timeout=WAIT)
        page.goto(f"http://127.0.0.1:{other.server_port}/")  # not on the list of origins
        with page.expect_event("pageerror", timeout=WAIT) as error:
            page.reload()
        assert "fetch" in str(error.value)
    finally:
        page.close()
        for each in (server, other):
            each.shutdown()
            each.server_close()
