"""Helpers for the tests of the page: the program as users start it, Debian's chromium, a connection that can be cut.

Each page that `open_page` opens fails its test on any console error, uncaught exception, or request to another host.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser, Page, expect, sync_playwright

from hugginggpt.common.paths import ROOT
from hugginggpt.testing import task
from hugginggpt.testing.fakes import FakeExperts, FakeLLM
from hugginggpt.testing.servers import program_serving
from tests.conftest import CATALOGUE_MODELS

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
)  # fmt: skip
Open = Callable[..., Page]
DETECT = task(0, "object-detection", image="/examples/b.jpg")
WAIT = 60_000
"""Milliseconds that the small experts may take on a busy machine."""
PATIENCE = 20_000
"""Milliseconds within which all else is shown; five are not enough on a machine that is busy for others, too."""
KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_API_KEY", "HF_TOKEN", "HUGGINGFACE_ACCESS_TOKEN")


def chromium() -> str:
    """The browser's path; without one the test is skipped, or fails where CI or REQUIRE_BROWSER is set."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next((path for name in names if (path := shutil.which(name))), None)
    if found:
        return found
    reason = "There is no chromium (apt-get install chromium, or set CHROMIUM to its path)."
    if os.environ.get("CI") or os.environ.get("REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextlib.contextmanager
def program(folder: Path, **settings: Any) -> Iterator[str]:
    """The server as users start it, with a public folder, log and database of its own; gives its URL."""
    with program_serving(config_file(folder, **settings)) as url:
        yield url


def config_file(folder: Path, **settings: Any) -> Path:
    """The configuration of such a server."""
    shutil.copytree(ROOT / "public" / "examples", folder / "public" / "examples")
    base = {
        "public": str(folder / "public"),
        "log_file": str(folder / "logs" / "debug.log"),
        "database": str(folder / "chats.sqlite"),
        "batches": {"folder": str(folder / "batches"), **settings.pop("batches", {})},
        "goals": {"folder": str(folder / "goals"), "rules": str(folder / "goal-rules.yaml")},
        "inference_mode": "huggingface",
        "http_listen": {"port": 0, **settings.pop("http_listen", {})},
        "limits": {"llm_retries": 0, "connect_seconds": 2, **settings.pop("limits", {})},
    }
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump({**base, **settings}), encoding="utf-8")
    return file


def scripted(llm: FakeLLM, experts: FakeExperts) -> dict[str, Any]:
    """Settings with which a scripted language model plans everything, and scripted experts do the work."""
    return {
        "planner": "llm",  # the offline planner would be sure of some requests, and plan them otherwise
        "local": {"endpoint": llm.url},
        "huggingface": {"base_url": experts.url},
        "embedded": False,
    }


class Line:
    """A line to a server on this machine that can be cut, as a network does; new connections then work again."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ends: list[socket.socket] = []
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self.listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self.target))
            with self.lock:
                self.ends += [here, there]
            for source, sink in ((here, there), (there, here)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> int:
        """Ends all connections; returns how many there were."""
        with self.lock:
            ends, self.ends = self.ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        return len(ends) // 2

    def close(self) -> None:
        self.listener.close()
        self.cut()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    expect.set_options(timeout=PATIENCE)
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
    with (
        FakeExperts(CATALOGUE_MODELS) as experts,
        program(tmp_path / "fakes", **scripted(llm_server, experts)) as url,
    ):
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
    assert wrong == [], wrong  # pytest shows the values of test modules alone


def ask(page: Page, request: str) -> None:
    page.get_by_label("Your request").fill(request)
    page.keyboard.press("Enter")


def until(page: Page, condition: str) -> None:
    """Waits in the page itself: what the driver evaluates again and again, the page's security policy refuses."""
    page.evaluate(
        f"""() => new Promise((met, failed) => {{
          const look = () => (({condition}) ? met() : requestAnimationFrame(look));
          setTimeout(() => failed(new Error({condition!r} + ": not so after {PATIENCE} ms")), {PATIENCE});
          look();
        }})"""
    )


def answered(page: Page) -> None:
    """Waits until no request is worked on and the last one is answered: an earlier one's buttons do not count."""
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible(timeout=WAIT)
    last = page.locator(".turn").last
    expect(last.get_by_role("button", name="Save record")).to_be_visible(timeout=WAIT)
