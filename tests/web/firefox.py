"""Debian's Firefox as a browser that Playwright starts: `python -m tests.web.firefox` in place of its program.

Playwright drives Firefox by WebDriver BiDi (the channel "moz-firefox"). It sends a command with each page that the
release with long support does not know; a relay between the two says that it is done. And it passes over downloads
that no navigation began, as those of links with the attribute "download" are; the relay gives each a name. And it
takes the centimetres of a printed page for inches.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import ServerConnection, serve

UNKNOWN = {"emulation.setMediaFeaturesOverride"}
"""Commands without which the tests can do; Firefox answers them with an error where it does not know them."""
CENTIMETRES = 2.54
"""Of an inch."""
MOST = 64 * 1024 * 1024
"""The largest message, in bytes: pictures of a page."""


def program(folder: Path) -> Path | None:
    """A program that Playwright can start as Firefox; None where there is no Firefox."""
    if not (found := os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")):
        return None
    script = folder / "firefox"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" "{found}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def main(command: list[str]) -> int:
    """Starts Firefox, and relays between it and whoever connects to the address that is printed."""
    browser = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert browser.stderr is not None
    for line in browser.stderr:
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
            break
        print(line, end="", file=sys.stderr, flush=True)
    else:
        return browser.wait()
    threading.Thread(target=_drain, args=(browser.stderr,), daemon=True).start()

    def relayed(client: ServerConnection) -> None:
        with connect(f"{found[1]}/session", max_size=MOST, compression=None) as firefox:
            _relay(client, firefox)

    with serve(relayed, "127.0.0.1", 0, max_size=MOST, compression=None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        print(f"WebDriver BiDi listening on ws://127.0.0.1:{port}", file=sys.stderr, flush=True)
        return browser.wait()


def _drain(lines: Any) -> None:
    for _ in lines:
        pass


class _Downloads:
    """Names for the downloads of one session: what begins and what ends is told apart by its page and address."""

    def __init__(self) -> None:
        self.numbers = itertools.count()
        self.begun: dict[tuple[str, str], list[str]] = {}

    def named(self, message: dict[str, Any]) -> bool:
        """Gives the download that an event tells of a name, if it lacks one; says whether it did."""
        method, event = message.get("method"), message.get("params") or {}
        if method not in ("browsingContext.downloadWillBegin", "browsingContext.downloadEnd"):
            return False
        if event.get("download") or event.get("navigation"):
            return False
        names = self.begun.setdefault((event["context"], event["url"]), [])
        if method == "browsingContext.downloadWillBegin":
            names.append(f"download-{next(self.numbers)}")
        if not names:
            return False
        event["download"] = names[-1] if method == "browsingContext.downloadWillBegin" else names.pop(0)
        return True


def _relay(client: ServerConnection, firefox: ClientConnection) -> None:
    waived: set[int] = set()
    downloads = _Downloads()

    def answers() -> None:
        try:
            for text in firefox:
                message = json.loads(text)
                if message.get("error") == "unknown command" and message.get("id") in waived:
                    text = json.dumps({"type": "success", "id": message["id"], "result": {}})
                elif downloads.named(message):
                    text = json.dumps(message)
                client.send(text)
        except ConnectionClosed:
            pass
        client.close()

    threading.Thread(target=answers, daemon=True).start()
    try:
        for text in client:
            command = json.loads(text)
            if command.get("method") in UNKNOWN:
                waived.add(command["id"])
            elif command.get("method") == "browsingContext.print":
                text = json.dumps(_in_centimetres(command))
            firefox.send(text)
    except ConnectionClosed:
        pass


def _in_centimetres(command: dict[str, Any]) -> dict[str, Any]:
    """The command to print, its lengths as the protocol has them."""
    lengths = ("page", "margin")
    asked = command["params"]
    known = {kind: {side: inches * CENTIMETRES for side, inches in asked[kind].items()} for kind in lengths}
    return {**command, "params": {**asked, **known}}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
