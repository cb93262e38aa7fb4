"""How files and JSON travel: compressed, kept by browsers, in parts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import requests

from tests.conftest import MakeConfig, Start

PLAIN = {"Accept-Encoding": "identity"}
VENDORED = "/vendor/marked-18.2.1/marked.esm.js"


@pytest.fixture
def url(make_config: MakeConfig, start: Start) -> str:
    return start(make_config(llm="offline"))


@pytest.mark.parametrize(
    "path", ["/", "/app/main.js", "/app/page.css", "/app/icon.svg", VENDORED, "/openapi.json", "/v1/status"]
)
def test_the_page_and_json_are_compressed(url: str, path: str) -> None:
    plain = requests.get(url + path, headers=PLAIN, timeout=10)
    packed = requests.get(url + path, headers={"Accept-Encoding": "gzip, br"}, timeout=10, stream=True)
    raw = packed.raw.read(decode_content=False)
    small = len(plain.content) < 1000
    assert packed.headers.get("Content-Encoding") == (None if small else "gzip")
    assert (raw if small else gzip.decompress(raw)) == plain.content
    assert int(packed.headers["Content-Length"]) == len(raw)
    assert small or len(raw) < 0.6 * len(plain.content)
    assert "Accept-Encoding" in packed.headers["Vary"] and "Accept-Encoding" in plain.headers["Vary"]
    assert "Content-Encoding" not in plain.headers


def test_what_is_small_already_or_refused_is_sent_as_it_is(url: str) -> None:
    for path in ("/examples/a.jpg", "/examples/speech.wav", "/healthz"):
        assert "Content-Encoding" not in requests.get(url + path, timeout=10).headers
    refused = requests.get(f"{url}/app/page.css", headers={"Accept-Encoding": "gzip;q=0"}, timeout=10)
    assert "Content-Encoding" not in refused.headers
    head = requests.head(f"{url}/app/page.css", headers={"Accept-Encoding": "gzip"}, timeout=10)
    assert (head.headers["Content-Encoding"], head.content) == ("gzip", b"")


def test_events_are_not_held_back(url: str) -> None:
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    answer = requests.post(f"{url}/v1/runs", json=body, headers={"Accept-Encoding": "gzip"}, timeout=20)
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert "Content-Encoding" not in answer.headers


def test_a_session_is_not_compressed(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config(llm="offline", http_listen={"token": "token-no-1"}))
    login = requests.post(f"{url}/v1/login", headers={"Authorization": "Bearer token-no-1"}, timeout=5)
    assert login.headers["Set-Cookie"] and "Content-Encoding" not in login.headers


def test_files_of_a_version_are_kept_for_a_year_and_others_asked_for(url: str) -> None:
    vendored = requests.get(url + VENDORED, timeout=5)
    assert vendored.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    ours = requests.get(f"{url}/app/main.js", timeout=5)
    assert ours.headers["Cache-Control"] == "no-cache, max-age=0"
    for path, answer in ((VENDORED, vendored), ("/app/main.js", ours)):
        again = requests.get(url + path, headers={"If-None-Match": answer.headers["ETag"]}, timeout=5)
        assert (again.status_code, again.content) == (304, b"")
        other = requests.get(url + path, headers={"If-None-Match": '"other"'}, timeout=5)
        assert other.status_code == 200


def test_a_part_of_a_file_can_be_asked_for(url: str) -> None:
    whole = requests.get(f"{url}/examples/speech.wav", timeout=5)
    assert whole.headers["Accept-Ranges"] == "bytes"
    for path, headers in (("/examples/speech.wav", {}), ("/app/page.css", {"Accept-Encoding": "gzip"})):
        content = requests.get(url + path, timeout=5).content
        part = requests.get(url + path, headers={"Range": "bytes=100-199", **headers}, timeout=5)
        assert part.status_code == 206
        assert part.headers["Content-Range"] == f"bytes 100-199/{len(content)}"
        assert part.content == content[100:200]


def test_a_generated_text_is_a_download_and_not_compressed(make_config: MakeConfig, start: Start, public: Path) -> None:
    (public / "documents").mkdir()
    (public / "documents" / "x.json").write_text(json.dumps(["x"] * 1000))
    answer = requests.get(f"{start(make_config(llm='offline'))}/documents/x.json", timeout=5)
    assert answer.headers["Content-Disposition"] == "attachment"
    assert answer.json() == ["x"] * 1000
