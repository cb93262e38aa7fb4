"""Mistakes in `http_experts`: each is told with the file, the key and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hugginggpt import config as settings
from hugginggpt.core.errors import ConfigError
from hugginggpt.tables import make_task_table

URL = "https://api.example.com/v1"
GOOD: Mapping[str, Any] = {"id": "a", "task": "image-classification", "url": URL, "form": {"image": "{image:base64}"}}
TOKEN = {"url": "https://api.example.com/token", "form": {"client_secret": "$SECRET"}}


def load(*entries: Mapping[str, Any]) -> None:
    make_task_table(settings.load({"http_experts": list(entries)}, {}))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"headers": {"Authorization": "Bearer $KEY", "Content-Type": "{image:type}"}},
        {"query": {"access_token": "$token"}, "token": TOKEN, "error": {"code": "code", "expired": [1, "x"]}},
        {"form": None, "multipart": {"f": "{image:file}", "n": "{image:name}", "api_key": "${KEY}"}},
        {"form": None, "body": "{image:file}", "url": "http://[::1]:8000/$ACCOUNT/run"},
        {"form": None, "json": {"a": [{"b": "{image:data}"}], "n": 5, "max_tokens": "7", "no": None}},
        {"form": None, "method": "GET", "query": {"url": "{image:url}"}, "check": {"image": "/examples/b.jpg"}},
        {"result": {"rows": "a.0", "label": "b", "score": "c"}},
        {"task": "object-detection", "form": {"i": "{image:base64}", "l": "{labels|all}"}},
        {"task": "tabular-classification", "form": {"t": "{table}", "n": "{table:bytes}"}},
    ],
)
def test_what_is_right(changes: dict[str, Any]) -> None:
    load({**GOOD, **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": "a b"}, "0.id: string should match pattern"),
        ({"task": "image-clasification"}, "0.task: should be a task, such as image-classification"),
        ({"task": "ocr"}, "0.task: should be image-to-text."),
        ({"url": "api.example.com"}, "0.url: should be an address such as https://api.example.com/v1/images."),
        ({"url": "ftp://example.com"}, "0.url: should be an address"),
        ({"url": "https://me:pass@example.com"}, "0.url: its user name and password should come from the environment"),
        ({"url": "https://example.com/?api_key=abc"}, "0.url: api_key should come from the environment"),
        ({"url": "https://$HOST/v1"}, "0.url: should name its host; arguments belong in query"),
        ({"url": "https://example.com/{image}"}, "0.url: should name its host; arguments belong in query"),
        ({"headers": {"Authorization": "Bearer sk-12345678"}}, "0.headers.Authorization: should come from the environment"),
        ({"form": {"image": "{image:base64}", "key": {"api_key": "x"}}}, "0.form.key.api_key: should come from the environment"),
        ({"query": {"key": "abcdefgh"}}, "0.query.key: should come from the environment"),
        ({"password": "abcdefgh"}, "0.password: extra inputs are not permitted."),
        ({"headers": {"X-Api-Key": 1234567890}}, "0.headers.X-Api-Key: input should be a valid string."),
        ({"headers": {"X A": "b"}}, "0.headers: should be of printable ASCII characters."),
        ({"headers": {"X": "{text}"}}, "0.headers: {text} is no argument of image-classification: it has image."),
        ({"headers": {"X": "{image:base64}"}}, "0.headers: {image:base64} cannot stand here: write {image:bytes}, {image:suffix}"),
        ({"form": {"image": "{image}"}}, "0.form: {image} cannot stand here: write {image:base64}, {image:data}, {image:url}, {image:bytes}"),
        ({"form": {"image": "{image:file}"}}, "0.form: {image:file} cannot stand here: write {image:base64}"),
        ({"form": {"image": "{picture:base64}"}}, "0.form: {picture} is no argument of image-classification: it has image."),
        ({"form": {"image": "{image:base64"}}, "0.form: { is no slot such as {text} or {image:base64}; {{ is a brace."),
        ({"form": {"image": "abc"}}, "0.form: the argument image of image-classification is not sent."),
        ({"form": None}, "0.query: the argument image of image-classification is not sent."),
        ({"json": {"a": 1}}, "0: only one of form, json can be sent."),
        ({"method": "GET"}, "0: a GET has no form: use query, or POST."),
        ({"method": "DELETE"}, "0.method: input should be 'GET', 'POST', 'PUT' or 'PATCH'"),
        ({"form": None, "multipart": {"a": "x {image:file}"}}, "0.multipart.a: {image:file} should stand alone."),
        ({"query": {"t": "$token"}}, "0.token: should say where $token comes from."),
        ({"token": {"url": URL, "form": {"client_secret": "abc"}}}, "0.token.form.client_secret: should come from the environment"),
        ({"token": {"url": URL, "form": {"a": "$token"}}}, "0.token: $token is what this request is for"),
        ({"token": {"url": URL, "form": {"a": "{text}"}}}, "0.token: a token does not depend on {text}."),
        ({"error": {"code": "c", "expired": [1]}}, "0.error.expired: is about the token: there is no token."),
        ({"result": {"rows": "a", "label": "b"}}, "0.result: should say where score stands."),
        ({"result": {"rows": "a", "label": "b", "score": 1}}, "0.result: score should be a path"),
        ({"check": {"text": "a"}}, "0.check: text is no argument of image-classification."),
        ({"repeatable": "yes"}, "0.repeatable: input should be a valid boolean"),
        ({"seconds": 0}, "0.seconds: input should be greater than 0"),
        ({"colour": "red"}, "0.colour: extra inputs are not permitted"),
        ({"reslt": "text"}, "0.reslt: extra inputs are not permitted (did you mean result?)."),
    ],
)  # fmt: skip
def test_a_mistake_is_told(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        load({**GOOD, **changes})
    assert str(error.value).startswith(f"the settings: http_experts.{said}")
    assert not any(secret in str(error.value) for secret in ("12345678", "me:pass", "abc", "'x'", "1234567890"))


def test_an_id_and_a_task_are_there_once() -> None:
    load(GOOD, {**GOOD, "id": "b"})
    with pytest.raises(ConfigError, match=r"http_experts.1.id: there is a a for image-classification already\."):
        load(GOOD, GOOD)
