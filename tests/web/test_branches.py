"""Conversations that branch, are renamed, pinned and found, and the files that go with them, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.testing.fakes import png
from tests.conftest import MakeConfig, Start
from tests.web.test_conversations import chat_of, done, refused, said
from tests.web.test_runs import begin


@pytest.fixture
def url(make_config: MakeConfig, start: Start) -> str:
    return start(make_config(llm="offline"))


def requests_of(url: str, chat: str) -> list[str]:
    return [turn["request"] for turn in chat_of(url, chat)["turns"]]


def change(url: str, chat: str, **body: Any) -> requests.Response:
    return requests.patch(f"{url}/v1/chats/{chat}", json=body, timeout=5)


def test_a_former_message_is_edited_in_a_branch_of_its_own(url: str) -> None:
    chat = done(begin(url, "How many words has 'one two three'?", chat="new"))["chat"]
    done(begin(url, "And how many has 'one two'?", chat=chat))
    assert done(begin(url, "Is 'I love it' positive?", chat=chat, after=1))["position"] == 3
    assert requests_of(url, chat) == ["How many words has 'one two three'?", "Is 'I love it' positive?"]
    first, last = chat_of(url, chat)["turns"]
    assert (first["versions"], last["versions"], last["parent"]) == ([1], [2, 3], 1)
    assert change(url, chat, tip=2).json()["tip"] == 2
    assert requests_of(url, chat)[-1] == "And how many has 'one two'?"
    done(begin(url, "Thanks!", chat=chat))
    assert requests_of(url, chat)[1:] == ["And how many has 'one two'?", "Thanks!"]
    assert change(url, chat, tip=1).json()["tip"] == 4  # the newest branch through it


def test_a_branch_does_not_know_the_other_one(url: str) -> None:
    chat = done(begin(url, "Summarise: 'Bees make honey. Honey is sweet. Bears like honey.'", chat="new"))["chat"]
    done(begin(url, "Is 'I love it' positive?", chat=chat, after=0))
    done(begin(url, "Tell me the language of the summary", chat=chat))
    assert "honey" not in chat_of(url, chat)["turns"][-1]["answer"].lower()


@pytest.mark.parametrize(
    ("body", "said_of_it"),
    [({"tip": 9}, "no turn 9"), ({"tip": "x"}, "number of a turn"), ({"title": " "}, "text"), ({"pinned": 1}, "true or false")],
)  # fmt: skip
def test_what_cannot_be_changed(url: str, body: Any, said_of_it: str) -> None:
    chat = done(begin(url, "Hello", chat="new"))["chat"]
    answer = change(url, chat, **body)
    assert answer.status_code == 400 and said_of_it in answer.json()["message"]


def test_nothing_follows_a_turn_that_there_is_not(url: str) -> None:
    chat = done(begin(url, "Hello", chat="new"))["chat"]
    status, answer = refused(url, messages=said("x"), chat=chat, after=7)
    assert status == 400 and "no turn 7" in answer["message"]
    assert requests_of(url, chat) == ["Hello"]
    assert change(url, "0" * 32, title="x").status_code == 404


def test_conversations_are_found_renamed_and_pinned(url: str) -> None:
    chat = done(begin(url, "Hello there", chat="new"))["chat"]
    other = done(begin(url, "Good bye", chat="new"))["chat"]
    assert change(url, chat, title="  My   chat ", pinned=True).json()["title"] == "My chat"
    found = requests.get(f"{url}/v1/chats", timeout=5).json()
    assert [head["id"] for head in found["chats"]] == [chat, other] and not found["more"]
    for words, ids in (("my CHAT", [chat]), ("good", [other]), ("zzz", [])):
        listed = requests.get(f"{url}/v1/chats", params={"search": words}, timeout=5).json()["chats"]
        assert [head["id"] for head in listed] == ids, words
    assert [head["id"] for head in requests.get(f"{url}/v1/chats?offset=1", timeout=5).json()["chats"]] == [other]


def upload(url: str, name: str, color: int = 0) -> Any:
    data = png(size=(8 + color, 8))
    return requests.post(f"{url}/v1/files", files={"file": (name, data)}, timeout=5).json()


def test_the_files_of_a_conversation_go_with_it(make_config: MakeConfig, start: Start) -> None:
    config = make_config(llm="offline")
    url = start(config)
    own, shared = upload(url, "own.png"), upload(url, "shared.png", color=1)
    chat = done(begin(url, "Flip both pictures", chat="new", files=[own, shared]))["chat"]
    other = done(begin(url, "Rotate it by 90 degrees", chat="new", files=[shared]))["chat"]
    made = chat_of(url, chat)["turns"][0]["record"]["files"]
    assert made
    public = Path(config.public_dir)
    assert requests.delete(f"{url}/v1/files{own['path']}", timeout=5).status_code == 409
    assert requests.delete(f"{url}/v1/chats/{chat}", timeout=5).ok
    for path in (own["path"], *made):
        assert not (public / path[1:]).exists(), path
    assert (public / shared["path"][1:]).exists()
    assert requests.delete(f"{url}/v1/chats/{other}", timeout=5).ok
    assert not (public / shared["path"][1:]).exists()
    assert requests.get(f"{url}/examples/a.jpg", timeout=5).ok


def test_an_upload_that_nobody_uses_can_be_deleted(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config(llm="offline"))
    path = upload(url, "own.png")["path"]
    assert requests.delete(f"{url}/v1/files{path}", timeout=5).json() == {"deleted": path}
    assert requests.get(f"{url}{path}", timeout=5).status_code == 404
    assert requests.delete(f"{url}/v1/files{path}", timeout=5).status_code == 404
    assert requests.delete(f"{url}/v1/files/uploads/..%2f..%2fchats.sqlite", timeout=5).status_code in (404, 405)
