"""Secrets: variables of the environment in the configuration, and what is masked where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hugginggpt.core.errors import masked
from hugginggpt.core.secrets import (
    MOST_TOKENS,
    Secrets,
    Variables,
    login_of,
    mentions,
    secret_in_url,
    without_login,
    written_secret,
)

KEY = "top/secret+key=1"


def test_a_value_is_filled_from_the_environment_alone() -> None:
    variables = Variables(
        {"KEY": f" {KEY} ", "OTHER": "not named"}, {"headers": {"A": "Bearer $KEY", "B": ["${KEY}x"]}}
    )
    assert list(variables) == [KEY]
    assert variables.filled({"A": "Bearer $KEY", "B": ["${KEY}x", 3], "C": "5 $$KEY, $unknown"}) == {
        "A": f"Bearer {KEY}", "B": [f"{KEY}x", 3], "C": "5 $KEY, $unknown",
    }  # fmt: skip
    assert variables.filled("$token/$KEY", token="abc") == f"abc/{KEY}"
    assert mentions([{"a": "$token"}], "token") and not mentions("$$token", "token")


def test_what_is_missing_is_said() -> None:
    used = {"a": "$FIRST", "b": ["$SECOND and $FIRST"]}
    assert Variables({}, used).what_to_set(used) == "set FIRST and SECOND"
    assert Variables({"FIRST": "1", "SECOND": "2"}, used).what_to_set(used) == ""
    assert (
        Variables({"FIRST": "clé", "SECOND": "2"}, used).what_to_set(used) == "set FIRST to printable ASCII characters"
    )
    with pytest.raises(KeyError):
        Variables({}).filled("$FIRST")


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"Authorization": "Bearer abcdefghijkl"}, "Authorization"),
        ({"form": {"client_secret": "abc"}}, "form.client_secret"),
        ({"apiKey": "abc"}, "apiKey"),
        ({"X-Api-Key": "abc"}, "X-Api-Key"),
        ({"note": "sk-abcdefghijklmnop"}, "note"),
        ([{"password": "abc"}], "password"),
        ({"pwd": "abc"}, "pwd"),
        ({"note": "AIzaSyA-0123456789abcdefghij"}, "note"),
        ({"note": "Bearer abc$$def$$ghi"}, "note"),
        ({"Authorization": "Bearer $KEY", "token": "${TOKEN}", "access_token": "$token"}, ""),
        ({"max_tokens": "100", "key": "value", "tokenizer": "bpe", "password": "", "monkey": "x", "api_key": 5}, ""),
    ],
)
def test_a_secret_that_is_written_out_is_found(values: Any, where: str) -> None:
    assert written_secret(values) == where


def test_a_secret_in_a_query_may_be_called_key() -> None:
    assert written_secret({"key": "abc"}, in_query=True) == "key"
    assert written_secret({"a": [{"Key": "abc"}]}, in_query=True) == "a.Key"
    assert written_secret({"key": "$API_KEY", "word": "{text}"}, in_query=True) == ""
    assert written_secret({"key": "{text}"}, in_query=True) == ""


def test_a_secret_in_a_url_is_found() -> None:
    assert secret_in_url("https://me:pw@example.com/") == "its user name and password"
    assert secret_in_url("https://example.com/?a=1&key=abc") == "api_key"
    assert secret_in_url("https://example.com/?access_token=abc") == "access_token"
    assert secret_in_url("https://example.com/?access_token=$KEY&q=1") == ""


def test_secrets_are_masked_as_they_stand_in_urls_and_json() -> None:
    texts = (KEY, "top%2Fsecret%2Bkey%3D1", "top/secret%2Bkey%3D1", json.dumps({"key": 'quo"ted-key'}))
    assert [masked(text, [KEY, 'quo"ted-key']) for text in texts] == ["***", "***", "***", '{"key": "***"}']
    assert Secrets([KEY]).mask({KEY: [KEY, {"a": f"x{KEY}"}], "n": 1}) == {KEY: ["***", {"a": "x***"}], "n": 1}


def test_old_tokens_are_forgotten() -> None:
    secrets = Secrets(["known-for-ever"])
    for number in range(MOST_TOKENS + 5):
        secrets.add(f"token-{number:09}")
    secrets.add("token-000000050")
    assert len(list(secrets)) == MOST_TOKENS + 1
    assert {"known-for-ever", "token-000000050", f"token-{MOST_TOKENS + 4:09}"} < set(secrets)
    assert "token-000000001" not in secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://host:6379/0", "redis://host:6379/0"),
        ("redis://me:a-secret-word@host:1/0?password=a-secret-word", "redis://host:1/0"),
        ("redis://:a-secret@word@host/0", "redis://host/0"),
        ("redis://:a-secret[word@host/0", "redis://host/0"),
        ("redis://:a-secret/word@host/0", "redis://…"),
        ("redis://:a-secret?word@host/0", "redis://…"),
        ("redis://:a@secret#word@host/0", "redis://…"),
        ("postgresql://me:word@one:1,two:2/x", "postgresql://one:1,two:2/x"),
    ],
)
def test_a_password_is_not_shown_whatever_signs_it_has(url: str, shown: str) -> None:
    assert without_login(url) == shown
    assert "secret" not in Secrets(login_of(url)).mask(f"It is {url}.")
