"""Links to conversations: what they show, and all that they must not show, over real HTTP."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from PIL import Image

from hugginggpt.core.conversation import Attachment
from hugginggpt.web.chats import Chats
from hugginggpt.web.share_store import Share
from hugginggpt.web.shares import digest_of
from tests.conftest import MakeConfig, Start

TOKEN = "token-no-1"
OWNER = {"Authorization": f"Bearer {TOKEN}"}
CHAT, OTHER = "a" * 32, "b" * 32
SECRETS = ("10.0.0.7", "secret-host", "run-of-mine", "tokens-used", "why it was chosen", "turn after", "branch beside")
"""What stands in the records and must not be shown."""


def record(**results: Any) -> dict[str, Any]:
    tasks = [{"task": "image-to-text", "id": int(number[1:]), "dep": [-1], "args": {}} for number in results]
    return {
        "run_id": "run-of-mine", "llm": "http://secret-host/v1", "usage": {"tokens-used": 7}, "notices": ["at 10.0.0.7"],
        "messages": [{"role": "user", "content": "secret-host"}], "plan": tasks, "retries": {"0": ["10.0.0.7 refused"]},
        "states": {number[1:]: value.pop("state", "finished") for number, value in results.items()},
        "results": {number[1:]: value for number, value in results.items()},
        "timings": {"done": 1.5, "tasks": {"0": 1.0}}, "answer": "Not /uploads/named.png.",
    }  # fmt: skip


def result(made: str, **args: Any) -> dict[str, Any]:
    return {
        "task": {"task": "image-to-image", "id": 0, "dep": [-1], "args": args},
        "choose model result": {"id": "canny", "reason": "why it was chosen", "place": "on http://10.0.0.7:8005"},
        "inference result": {"generated image": made},
        "form": "image", "reading": made, "files": [made],
    }  # fmt: skip


FAILED = {
    "state": "failed",
    "task": {"task": "image-to-text", "id": 1, "dep": [-1], "args": {"image": "/uploads/untouched.png"}},
    "choose model result": {},
    "inference result": {"error": {"message": "http://10.0.0.7:8005 refuses", "type": "run", "code": "backend"}},
}
MESSAGE = """Not /uploads/named.png.

Not done (image-to-text): http://10.0.0.7:8005 refuses

What was done:
- image-to-image with canny on http://10.0.0.7:8005"""
SHOWN = ("/uploads/mine.png", "/images/made.png", "/uploads/taken.png", "/documents/page.html")
HIDDEN = (
    "/uploads/other.png",
    "/images/other.png",
    "/uploads/later.png",
    "/uploads/named.png",
    "/uploads/untouched.png",
)


@dataclass
class Site:
    url: str
    database: Path
    files: Path

    def add(self, chat: str = CHAT, **body: Any) -> dict[str, Any]:
        answer = requests.post(f"{self.url}/v1/chats/{chat}/shares", json=body, headers=OWNER, timeout=10)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def get(self, path: str, **options: Any) -> requests.Response:
        """Asks as somebody who has the link alone; the path is sent as it is."""
        request = requests.Request("GET", self.url, **options).prepare()
        request.url = self.url + path
        return requests.Session().send(request, timeout=10, allow_redirects=False)


@pytest.fixture
def site(make_config: MakeConfig, start: Start) -> Iterator[Site]:
    config = make_config(http_listen={"token": TOKEN})
    for path in (*SHOWN, *HIDDEN):
        file = config.public_dir / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (30, 20), "red").save(file, "PNG")
    chats = Chats(config.path(config.database))
    mine = Attachment("mine.png", "/uploads/mine.png", "image")
    chats.begin(CHAT, "one", "Edges of it, not of /uploads/named.png", [mine])
    done = result("/images/made.png", image="/uploads/taken.png", other=["/documents/page.html"])
    chats.finish(CHAT, "one", "answered", MESSAGE, record(_0=done, _1=dict(FAILED)))
    chats.begin(CHAT, "beside", "branch beside", [Attachment("o", "/uploads/other.png", "image")], after=0)
    chats.change(CHAT, tip=1)
    chats.begin(OTHER, "two", "secret-host", [Attachment("o", "/uploads/other.png", "image")])
    chats.finish(OTHER, "two", "answered", "x", record(_0=result("/images/other.png")))
    yield Site(start(config), config.path(config.database), config.public_dir)
    chats.close()


def test_a_link_shows_its_conversation(site: Site) -> None:
    share = site.add()
    assert re.fullmatch(r"/share/[\w-]{43}", share["path"])
    assert 6.9 < (share["expires"] - time.time()) / 86_400 < 7.1
    page = site.get(share["path"])
    assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    shown = site.get(f"{share['path']}/conversation").json()
    assert [(turn["request"][:11], turn["answer"], turn["status"]) for turn in shown["turns"]] == [
        ("Edges of it", "Not /uploads/named.png.", "answered")
    ]
    done = shown["turns"][0]["record"]
    assert done["results"]["0"]["choose model result"] == {"id": "canny"}
    assert done["results"]["1"]["inference result"] == {"error": {"code": "backend"}}
    for path in SHOWN:
        assert site.get(f"{share['path']}/files{path}").content == (site.files / path[1:]).read_bytes()
    small = site.get(f"{share['path']}/previews/96/images/made.png.webp")
    assert (small.status_code, small.headers["Content-Type"]) == (200, "image/webp")


def test_a_link_shows_nothing_else(site: Site) -> None:
    share = site.add()["path"]
    chats = Chats(site.database)
    chats.begin(CHAT, "three", "turn after", [Attachment("later", "/uploads/later.png", "image")])
    chats.finish(CHAT, "three", "answered", "turn after", record(_0=result("/uploads/later.png")))
    chats.close()
    told = site.get(f"{share}/conversation").text
    for secret in (*SECRETS, OTHER, CHAT):
        assert secret not in told, secret
    for path in HIDDEN:
        assert site.get(f"{share}/files{path}").status_code == 404, path
        assert site.get(f"{share}/previews/96{path}.webp").status_code == 404, path
    for way in (
        "/files/images/../uploads/other.png", "/files/images/..%2fuploads%2fother.png", "/files//uploads/other.png",
        "/files/images/made.png/../other.png", "/files/uploads/mine.png%00", "/files/../../../uploads/other.png",
        "/files/uploads%5cother.png", "/files/app/main.js", "/files/index.html", "/files/..%2f..%2fconfig.yaml", "/files/",
        "/previews/97/images/made.png.webp", "/previews/96/uploads/mine.png/../other.png.webp", "/v1/chats", "/x",
    ):  # fmt: skip
        assert site.get(share + way).status_code in (308, 404), way


def test_a_run_in_the_place_of_another_is_not_shown(site: Site) -> None:
    share = site.add()["path"]
    chats = Chats(site.database)
    chats.resume(CHAT, "one", "again")
    chats.finish(CHAT, "again", "answered", "y", record(_0=result("/uploads/later.png")))
    chats.close()
    assert site.get(f"{share}/conversation").json()["turns"] == []
    assert {site.get(f"{share}/files{path}").status_code for path in (*SHOWN, *HIDDEN)} == {404}
    assert len(site.get(f"{site.add()['path']}/conversation").json()["turns"]) == 1, "a new link shows it"


def test_of_a_message_the_answer_or_the_reply_is_shown(site: Site) -> None:
    chats = Chats(site.database)
    said: tuple[dict[str, Any], ...] = ({"answer": "", "reply": "Hello!"}, {"answer": ""}, {}, {"answer": 7})
    for number, kept in enumerate(said):
        chats.begin(CHAT, f"run-{number}", "x")
        chats.finish(CHAT, f"run-{number}", "answered", "at 10.0.0.7", kept)
    chats.close()
    shown = site.get(f"{site.add()['path']}/conversation").json()["turns"]
    assert [turn["answer"] for turn in shown[1:]] == ["Hello!", "", "", ""]


def test_a_link_is_no_way_into_the_server(site: Site) -> None:
    share = site.add()["path"]
    token = share.rpartition("/")[2]
    for path in (
        "/v1/chats", f"/v1/chats/{CHAT}", f"/v1/chats/{CHAT}/shares", "/v1/runs", "/v1/status", "/v1/goals",
        "/uploads/mine.png", "/images/made.png", "/previews/96/images/made.png.webp", "/share.html",
        "/share/../uploads/mine.png", "/share/%2e%2e/v1/chats", f"/share/{token}/../../v1/chats", "/share//v1/chats",
        "/share/", "/share",
    ):  # fmt: skip
        for headers in ({}, {"Authorization": f"Bearer {token}"}, {"Cookie": f"hugginggpt={token}"}):
            assert site.get(path, headers=headers).status_code in (308, 401, 404, 429), path
    for method in ("POST", "PATCH", "DELETE", "PUT"):
        answer = requests.request(method, f"{site.url}{share}/conversation", json={}, timeout=10)
        assert answer.status_code in (401, 404, 405), method
    made = requests.post(f"{site.url}/v1/chats/{CHAT}/shares", json={}, timeout=10)
    assert made.status_code == 401
    assert requests.delete(f"{site.url}/v1/chats/{CHAT}/shares/{'0' * 12}", timeout=10).status_code == 401
    assert site.get(share).headers.get("Set-Cookie") is None


def test_nothing_of_a_link_is_kept_listed_or_run(site: Site) -> None:
    share = site.add()["path"]
    for path in (
        "",
        "/conversation",
        "/files/images/made.png",
        "/files/documents/page.html",
        "/previews/96/images/made.png.webp",
    ):
        headers = site.get(share + path).headers
        assert "no-store" in headers["Cache-Control"], path
        assert headers["X-Robots-Tag"] == "noindex, nofollow, noarchive", path
        assert headers["Referrer-Policy"] == "no-referrer", path
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["X-Frame-Options"] == "DENY", path
        if "files" in path or "previews" in path:
            assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox", path
        else:
            assert "script-src 'self'" in headers["Content-Security-Policy"], path
    page = site.get(f"{share}/files/documents/page.html").headers
    assert (page["Content-Type"], page["Content-Disposition"]) == ("application/octet-stream", "attachment")


def test_a_link_ends(site: Site) -> None:
    first, second = site.add(days=1), site.add()
    listed = requests.get(f"{site.url}/v1/chats/{CHAT}/shares", headers=OWNER, timeout=10).json()["shares"]
    assert [share["id"] for share in listed] == [first["id"], second["id"]]
    assert all(set(share) == {"id", "created", "expires"} for share in listed), "the secret is told once"
    assert first["path"].rpartition("/")[2].encode() not in site.database.read_bytes(), "and kept nowhere"

    def gone(share: dict[str, Any]) -> bool:
        paths = ("", "/conversation", "/files/images/made.png", "/previews/96/images/made.png.webp")
        return {site.get(share["path"] + path).status_code for path in paths} == {404}

    foreign = f"{site.url}/v1/chats/{OTHER}/shares/{first['id']}"
    assert requests.delete(foreign, headers=OWNER, timeout=10).status_code == 404, "it is of another conversation"
    revoked = requests.delete(f"{site.url}/v1/chats/{CHAT}/shares/{first['id']}", headers=OWNER, timeout=10)
    assert revoked.ok and gone(first) and not gone(second)
    db = sqlite3.connect(site.database)
    with db:
        db.execute("UPDATE shares SET expires = ?", (time.time() - 1,))
    db.close()
    assert gone(second)
    assert requests.get(f"{site.url}/v1/chats/{CHAT}/shares", headers=OWNER, timeout=10).json() == {"shares": []}
    third = site.add()
    assert not gone(third)
    assert requests.delete(f"{site.url}/v1/chats/{CHAT}", headers=OWNER, timeout=10).ok
    assert gone(third), "it goes with its conversation"


def test_links_are_made_with_care(site: Site, make_config: MakeConfig, start: Start) -> None:
    for days in (0, 366, 1.5, "7", True):
        refused = requests.post(f"{site.url}/v1/chats/{CHAT}/shares", json={"days": days}, headers=OWNER, timeout=10)
        assert (refused.status_code, "from 1 to 365" in refused.text) == (400, True), days
    none = requests.post(f"{site.url}/v1/chats/{'c' * 32}/shares", json={}, headers=OWNER, timeout=10)
    assert none.status_code == 404
    evil = {**OWNER, "Origin": "https://evil.example"}
    assert requests.post(f"{site.url}/v1/chats/{CHAT}/shares", json={}, headers=evil, timeout=10).status_code == 403


def test_a_server_without_a_token_makes_no_links(make_config: MakeConfig, start: Start) -> None:
    config = make_config()
    chats = Chats(config.path(config.database))
    chats.begin(CHAT, "one", "x")
    now = time.time()
    chats.add_share(Share("0" * 12, CHAT, 1, now, now + 100), digest_of("known"))
    chats.close()
    url = start(config)
    refused = requests.post(f"{url}/v1/chats/{CHAT}/shares", json={}, timeout=10)
    assert refused.status_code == 409 and "http_listen.token" in refused.json()["message"]
    assert requests.get(f"{url}/share/known/conversation", timeout=10).status_code == 404


def test_damaged_records_are_shown_as_far_as_they_go(site: Site) -> None:
    chats = Chats(site.database)
    for number, damaged in enumerate(
        ({"plan": 7, "results": [1], "states": "x"}, {"results": {"0": 1, "1": {"task": 2}}}), 3
    ):
        chats.begin(CHAT, f"damaged-{number}", "x")
        chats.finish(CHAT, f"damaged-{number}", "failed", "y", damaged)
    chats.close()
    share = site.add()["path"]
    shown = site.get(f"{share}/conversation")
    assert shown.status_code == 200 and len(json.loads(shown.text)["turns"]) == 3
