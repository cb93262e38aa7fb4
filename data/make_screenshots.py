"""Makes the README's pictures of the web page: runs the server offline in a temporary folder, with a real browser.

    python data/make_screenshots.py [chromium]

Needs playwright and chromium. Writes demos/screenshots/*.png with a palette of 256 colours.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "demos" / "screenshots"
MAX_BYTES = 200_000
DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
WAIT = 120_000  # ms


@contextmanager
def server() -> Iterator[str]:
    """The server without a key, on copies of the examples; yields its URL."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "public" / "examples", folder / "public" / "examples")
        settings = {
            "public": str(folder / "public"),
            "database": str(folder / "chats.sqlite"),
            "log_file": None,
            "http_listen": {"port": 0},
        }
        (folder / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        command = [sys.executable, "-u", "awesome_chat.py", "--mode", "server", "--llm", "offline"]
        process = subprocess.Popen(  # noqa: S603
            [*command, "--config", str(folder / "config.yaml")], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout
            yield process.stdout.readline().split()[2]
        finally:
            process.terminate()
            process.communicate()


def shoot(page: Page, name: str) -> None:
    """Saves a screenshot after the end of animations."""
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(500)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    file = FOLDER / f"{name}.png"
    picture.quantize(256, Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1000:.0f} kB")
    assert file.stat().st_size < MAX_BYTES


def ask(page: Page, request: str) -> None:
    page.get_by_label("Your request").fill(request)
    page.keyboard.press("Enter")


def answered(page: Page) -> None:
    page.get_by_role("button", name="Save record").last.wait_for(timeout=WAIT)
    page.locator("#turns").evaluate("turns => turns.scrollTo(0, 0)")


def take_all(browser: Browser, url: str) -> None:
    page = browser.new_page(viewport=DESKTOP, color_scheme="light")
    page.goto(url)
    page.get_by_text("Running offline.").wait_for()
    shoot(page, "empty")
    page.get_by_role("button", name="Clean, write down").click()
    page.locator(".node[data-task='1'][data-state=running]").wait_for(timeout=WAIT)
    shoot(page, "running")
    answered(page)
    shoot(page, "finished")
    page.get_by_role("link", name="New conversation").first.click()
    page.locator("#file-input").set_input_files(ROOT / "public" / "examples" / "g.jpg")
    page.get_by_role("button", name="Remove g.jpg").wait_for()
    ask(page, "Remove the background of this picture, and describe it")
    answered(page)
    shoot(page, "failed")
    dark = browser.new_page(viewport=DESKTOP, color_scheme="dark")
    dark.goto(url)
    dark.get_by_role("button", name="Who and where").click()
    answered(dark)
    shoot(dark, "dark")
    phone = browser.new_page(viewport=PHONE, color_scheme="light", has_touch=True, is_mobile=True)
    phone.goto(url)
    phone.get_by_role("button", name="Pose and edges").click()
    answered(phone)
    shoot(phone, "phone")


def main() -> None:
    executable = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not executable:
        sys.exit("There is no chromium: install it, or give its path.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with server() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        take_all(browser, url)
        browser.close()


if __name__ == "__main__":
    main()
