"""Tokens that are guessed, and sessions that end."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import requests

from hugginggpt.net.guard import WRONG_SECONDS, WRONG_TOKENS, WrongTokens
from hugginggpt.web import guard
from tests.conftest import MakeConfig, Start

TOKEN = "token-no-1"


@pytest.fixture
def url(make_config: MakeConfig, start: Start) -> str:
    return start(make_config(http_listen={"token": TOKEN}))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_token_cannot_be_guessed_by_trying(url: str, caplog: pytest.LogCaptureFixture) -> None:
    browser = requests.Session()
    assert browser.post(f"{url}/v1/login", headers=bearer(TOKEN), timeout=5).ok
    for number in range(WRONG_TOKENS):
        assert requests.get(f"{url}/v1/chats", headers=bearer(f"guess-{number}"), timeout=5).status_code == 401
    for path, token in (("/v1/chats", "one-more"), ("/v1/chats", TOKEN)):
        refused = requests.get(f"{url}{path}", headers=bearer(token), timeout=5)
        assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= WRONG_SECONDS
        assert refused.json()["message"].startswith("Too many wrong tokens")
    assert requests.post(f"{url}/v1/login", headers=bearer(TOKEN), timeout=5).status_code == 429
    assert browser.get(f"{url}/v1/chats", timeout=5).ok  # who is signed in works on
    assert requests.get(f"{url}/healthz", timeout=5).ok
    assert "a wrong token from 127.0.0.1" in caplog.text
    assert "guess-" not in caplog.text


@pytest.fixture
def clock() -> Iterator[list[float]]:
    yield [1000.0]


def test_wrong_tokens_are_forgotten_after_a_while(clock: list[float]) -> None:
    wrong = WrongTokens(lambda: clock[0])
    for _ in range(WRONG_TOKENS):
        assert wrong.wait_seconds("192.0.2.1") == 0
        wrong.add("192.0.2.1")
    assert wrong.wait_seconds("192.0.2.1") == WRONG_SECONDS
    assert wrong.wait_seconds("192.0.2.2") == 0
    clock[0] += WRONG_SECONDS
    assert wrong.wait_seconds("192.0.2.1") == 0


def test_the_addresses_of_an_ipv6_network_count_together(clock: list[float]) -> None:
    wrong = WrongTokens(lambda: clock[0])
    for number in range(WRONG_TOKENS):
        wrong.add(f"2001:db8:1:2::{number:x}")
    assert wrong.wait_seconds("2001:db8:1:2:ffff::1") > 0
    assert wrong.wait_seconds("2001:db8:1:3::1") == 0


def test_a_session_ends_after_thirty_days(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = requests.Session()
    login = browser.post(f"{url}/v1/login", headers=bearer(TOKEN), timeout=5)
    assert f"Max-Age={30 * 24 * 3600}" in login.headers["Set-Cookie"]
    cookies = dict(browser.cookies)
    assert requests.get(f"{url}/v1/chats", cookies=cookies, timeout=5).ok
    now = time.time
    monkeypatch.setattr(guard.time, "time", lambda: now() + guard.SESSION_SECONDS + 1)
    assert requests.get(f"{url}/v1/chats", cookies=cookies, timeout=5).status_code == 401


def test_a_session_cannot_be_made_longer(url: str) -> None:
    browser = requests.Session()
    browser.post(f"{url}/v1/login", headers=bearer(TOKEN), timeout=5)
    name, value = next(iter(browser.cookies.items()))
    session, ends, signature = value.split(".")
    longer = f"{session}.{int(ends) + 1000}.{signature}"
    assert requests.get(f"{url}/v1/chats", cookies={name: longer}, timeout=5).status_code == 401


def test_who_signs_out_has_to_sign_in_again(url: str) -> None:
    browser = requests.Session()
    browser.post(f"{url}/v1/login", headers=bearer(TOKEN), timeout=5)
    assert browser.post(f"{url}/v1/logout", timeout=5).ok
    assert not browser.cookies
    assert browser.get(f"{url}/v1/chats", timeout=5).status_code == 401
