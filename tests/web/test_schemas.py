"""The models of request bodies: error texts for invalid fields, and their OpenAPI description."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hugginggpt.core.errors import UserError
from hugginggpt.web.openapi import description
from hugginggpt.web.schemas import JarvisRequest, RunRequest, validate


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("until", "yesterday", '"until" should be "plan", "results" or "answer".'),
        ("until", None, '"until" should be "plan", "results" or "answer".'),
        ("resume", "last", '"resume" should be the id of a run.'),
        ("resume", 7, '"resume" should be the id of a run.'),
        ("chat", 7, 'There is no such chat: give its id, or "new".'),
        ("api_key", "two words", "api_key should be a key: printable characters without blanks."),
        ("api_key", "k" * 501, "api_key should be a key: printable characters without blanks."),
        ("api_endpoint", 7, "api_endpoint should be an address: https://..."),
        ("files", "a.png", '"files" should be a list of public paths or URLs, or of {"name": text, "path": path or URL}.'),
        ("files", [{"name": "a.png"}], 'A file cannot be read: "files" should be a list of public paths or URLs, or of {"na'),
        ("files", ["/examples/a.jpg"] * 51, "51 files are attached, more than the 50 that a request may have."),
    ],
)  # fmt: skip
def test_a_field_of_another_form_is_told_in_a_sentence(field: str, value: Any, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        validate({"messages": [], field: value}, RunRequest)
    assert str(error.value).startswith(sentence)


def test_what_else_a_client_sends_is_left_alone() -> None:
    body = {"messages": "checked by the run", "until": "for JARVIS this is no field", "api_key": None, "files": None}
    assert validate(dict(body), JarvisRequest) == body
    assert validate({"resume": "0a1b"}, RunRequest) == {"resume": "0a1b"}


def test_every_reference_of_the_description_leads_somewhere() -> None:
    whole = description()
    names = {part.split('"')[0] for part in json.dumps(whole).split("#/components/schemas/")[1:]}
    assert {"RunRequest", "ErrorBody", "ChatTurn"} <= names == names & set(whole["components"]["schemas"])
    assert whole["components"]["schemas"]["TaskResult"]["required"] == [
        "task",
        "inference result",
        "choose model result",
    ]
