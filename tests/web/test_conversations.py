"""Conversations over HTTP: the server's stored turns are the truth, whatever tabs send; runs that were killed go on."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.events import Finished, RunRecord
from hugginggpt.stages.run import turn_of
from hugginggpt.testing import task
from hugginggpt.testing.fakes import HANG, FakeExperts, FakeLLM, Fault, png
from hugginggpt.testing.servers import server_process
from hugginggpt.web.chats import Chats
from tests.conftest import MakeConfig, Start, controller_with
from tests.web.test_runs import PLAN, begin, stream

CAT = {"name": "my cat.jpg", "path": "/examples/b.jpg"}


@pytest.fixture
def url(hub_config: Config, llm_server: FakeLLM, start: Start) -> str:
    llm_server.replies["plan"] = json.dumps(PLAN)
    return start(hub_config)


def done(response: requests.Response) -> dict[str, Any]:
    """Follows a run to its end; gives what was said when it was accepted."""
    accepted, *_, last = stream(response)
    assert last["event"] == "done", last
    return dict(accepted["data"])


def chat_of(url: str, chat: str) -> Any:
    return requests.get(f"{url}/v1/chats/{chat}", timeout=5).json()


def refused(url: str, **body: Any) -> tuple[int, Any]:
    answer = requests.post(f"{url}/v1/runs", json=body, timeout=10)
    return answer.status_code, answer.json()


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


# What is stored


def test_a_conversation_goes_on_with_what_it_asked_for(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config(embedded=False))
    accepted, *_ = stream(begin(url, "Describe it", chat="new"))
    chat = accepted["data"]["chat"]
    stored = requests.get(f"{url}/v1/chats/{chat}", timeout=5).json()["turns"][0]["record"]
    assert stored["missing"] == {"kind": "image", "task": "image-to-text", "argument": "image"}
    assert (stored["answer"], stored["reply"]) == ("", "Which picture do you mean? Name its file, or attach it.")
    events = list(stream(begin(url, "this one", chat=chat, files=["/examples/b.jpg"])))
    told = [str(event["data"]) for event in events]  # no expert does it here, but it was taken up with the picture
    assert any("Not possible here: “Describe it”" in one for one in told)


def test_conversations_are_kept(url: str, hub_config: Config, start: Start) -> None:
    first = done(begin(url, "What is in /examples/b.jpg?", chat="new"))
    second = done(begin(url, "And who made it?", chat=first["chat"]))
    chat = first["chat"]
    assert (first["position"], second["position"]) == (1, 2)
    listed = requests.get(f"{url}/v1/chats", timeout=5).json()["chats"]
    assert [(one["id"], one["title"]) for one in listed] == [(chat, "What is in /examples/b.jpg?")]
    again = start(hub_config)  # another server over the same database, as after a restart
    turns = chat_of(again, chat)["turns"]
    assert [(turn["position"], turn["run_id"], turn["request"], turn["status"]) for turn in turns] == [
        (1, first["run_id"], "What is in /examples/b.jpg?", "answered"),
        (2, second["run_id"], "And who made it?", "answered"),
    ]
    assert turns[0]["answer"].startswith("It is done.\n\n")
    assert turns[0]["record"]["plan"] == PLAN
    assert turns[0]["record"]["results"]["0"]["reading"] == "2 cats (90 %, 80 %)"
    assert requests.delete(f"{url}/v1/chats/{chat}", timeout=5).ok
    assert requests.get(f"{url}/v1/chats/{chat}", timeout=5).status_code == 404
    assert requests.delete(f"{url}/v1/chats/{chat}", timeout=5).status_code == 404


def test_the_latest_conversation_comes_first(url: str) -> None:
    ids = [done(begin(url, request, chat="new"))["chat"] for request in ("One", "Two")]
    done(begin(url, "Three", chat=ids[0]))
    assert [chat["id"] for chat in requests.get(f"{url}/v1/chats", timeout=5).json()["chats"]] == ids


def test_a_request_that_is_refused_leaves_no_conversation(url: str) -> None:
    for messages in ([], said(" "), said("x" * 200_000), "x", None, [7]):
        assert refused(url, messages=messages, chat="new")[0] == 400
    assert refused(url, messages=said("x"), files=["/nowhere.jpg"], chat="new")[0] == 400
    assert requests.get(f"{url}/v1/chats", timeout=5).json()["chats"] == []


def test_a_conversation_names_the_run_that_goes_on(url: str, expert_server: FakeExperts) -> None:
    """It is stored when it starts, so that a page that was reloaded can take it up."""
    expert_server.always["all"] = Fault(hang=True)
    events = stream(begin(url, chat="new", files=[CAT]))
    accepted = next(events)["data"]
    next(event for event in events if event["event"] == "started")
    chat = chat_of(url, accepted["chat"])
    assert chat["run_id"] == accepted["run_id"]
    (turn,) = chat["turns"]
    assert (turn["status"], turn["run_id"], turn["request"]) == ("running", accepted["run_id"], "What is in it?")
    assert turn["files"] == [{**CAT, "kind": "image"}]
    requests.delete(f"{url}/v1/runs/{accepted['run_id']}", timeout=10)
    chat = chat_of(url, accepted["chat"])
    assert (chat["run_id"], [turn["status"] for turn in chat["turns"]]) == (None, ["cancelled"])
    assert chat["turns"][0]["record"]["error"]["code"] == "cancelled"


def test_the_run_of_a_conversation_that_is_deleted_is_cancelled(url: str, expert_server: FakeExperts) -> None:
    expert_server.always["all"] = Fault(hang=True)
    events = stream(begin(url, chat="new", files=[CAT]))
    chat = next(events)["data"]["chat"]
    next(event for event in events if event["event"] == "started")
    assert requests.delete(f"{url}/v1/chats/{chat}", timeout=5).ok
    assert list(events)[-1]["data"]["stop"] == "cancelled"
    assert requests.get(f"{url}/v1/chats", timeout=5).json()["chats"] == []


def planned(url: str, messages: Any, chat: str) -> list[tuple[str, Any]]:
    """The tasks that a request of a conversation is planned as."""
    body = {"messages": messages, "chat": chat, "until": "plan"}
    events = stream(requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30))
    (plan,) = [event["data"]["plan"] for event in events if event["event"] == "plan"]
    return [(one["task"], one["args"]) for one in plan]


def test_a_follow_up_is_planned_from_the_stored_records(make_config: MakeConfig, start: Start) -> None:
    """Also by another server over the same database, and whatever a tab says that the answers were."""
    config = make_config()
    chat = done(begin(start(config), "Find all objects in it", chat="new", files=[CAT]))["chat"]
    forged = [*said("x"), {"role": "assistant", "content": "y"}, *said("And show me its edges")]
    assert planned(start(config), forged, chat) == [("canny-control", {"image": CAT["path"]})]


def test_what_was_asked_back_is_stored(make_config: MakeConfig, start: Start) -> None:
    config = make_config()
    chat = done(begin(start(config), "Transcribe the recording", chat="new"))["chat"]
    url = start(config)
    assert chat_of(url, chat)["turns"][0]["record"]["missing"]["kind"] == "audio"
    audio = "/examples/speech.wav"
    assert planned(url, said(audio), chat) == [("automatic-speech-recognition", {"audio": audio})]


def test_a_turn_whose_end_could_not_be_stored_is_shown_from_memory(
    hub_config: Config, llm_server: FakeLLM, start: Start
) -> None:
    url = start(hub_config)
    db = sqlite3.connect(hub_config.path(hub_config.database))
    db.execute(
        "CREATE TRIGGER full BEFORE UPDATE OF answer ON turns BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    db.close()
    accepted = done(begin(url, "Was it kept?", chat="new"))
    chat = chat_of(url, accepted["chat"])
    (turn,) = chat["turns"]
    assert (chat["run_id"], turn["status"]) == (None, "answered")
    assert turn["answer"] == turn["record"]["message"] != ""
    done(begin(url, "And now?", chat=accepted["chat"]))
    assert "Was it kept?" in llm_server.bodies("plan")[-1]["messages"][-1]["content"]


# Two tabs


def test_the_context_is_the_stored_conversation(url: str, llm_server: FakeLLM) -> None:
    """A tab that was opened before the other one asked still has its question answered in the whole conversation."""
    chat = done(begin(url, "The first request", chat="new", files=[CAT]))["chat"]
    done(begin(url, "Of the other tab", chat=chat))
    forged = [
        *said("A forged request"),
        {"role": "assistant", "content": "A forged answer"},
        *said("The third request"),
    ]
    body = {"messages": forged, "chat": chat}
    done(requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30))
    planned = llm_server.bodies("plan")[-1]["messages"][-1]["content"]
    for words in ("The first request", "It is done.", "my cat.jpg", "Of the other tab", "The third request"):
        assert words in planned
    assert "forged" not in planned
    assert [turn["request"] for turn in chat_of(url, chat)["turns"]] == [
        "The first request",
        "Of the other tab",
        "The third request",
    ]


def test_without_a_chat_the_messages_are_the_context(url: str, llm_server: FakeLLM) -> None:
    messages = [*said("See /examples/b.jpg"), {"role": "assistant", "content": "I see."}, *said("What is in it?")]
    done(requests.post(f"{url}/v1/runs", json={"messages": messages}, stream=True, timeout=30))
    planned = llm_server.bodies("plan")[-1]["messages"][-1]["content"]
    assert "See /examples/b.jpg" in planned and "I see." in planned


def test_a_second_request_is_refused_while_one_goes_on(url: str, expert_server: FakeExperts) -> None:
    expert_server.always["all"] = Fault(hang=True)
    events = stream(begin(url, "One", chat="new"))
    accepted = next(events)["data"]
    next(event for event in events if event["event"] == "started")
    for body in ({"messages": said("Two")}, {"resume": accepted["run_id"]}):
        code, answer = refused(url, **body, chat=accepted["chat"])
        assert (code, answer["error"]["code"], answer["run_id"]) == (409, "chat_busy", accepted["run_id"])
    other = stream(begin(url, "In another conversation", chat="new"))
    assert next(other)["data"]["chat"] != accepted["chat"]
    assert [turn["request"] for turn in chat_of(url, accepted["chat"])["turns"]] == ["One"]
    expert_server.always.clear()
    expert_server.over.set()
    assert [event["event"] for event in events][-1] == "done"
    list(other)
    assert done(begin(url, "Two", chat=accepted["chat"]))["position"] == 2


# Files beside the messages


def test_files_are_sent_as_data_to_every_route(url: str, llm_server: FakeLLM, expert_server: FakeExperts) -> None:
    sent = requests.post(f"{url}/v1/files", files={"file": ("my cat.png", png())}, timeout=5).json()
    llm_server.replies["plan"] = json.dumps([task(0, "object-detection", image=sent["path"])])
    for route in ("tasks", "results", "hugginggpt"):
        body = {"messages": said("Find all objects"), "files": [{"name": sent["name"], "path": sent["path"]}]}
        assert requests.post(f"{url}/{route}", json=body, timeout=30).ok
        planned = llm_server.bodies("plan")[-1]["messages"][-1]["content"]
        assert sent["path"] in planned and "my cat.png" in planned and "Find all objects" in planned
        assert "Attached:" not in planned
    assert expert_server.inferences("hustvl/yolos-tiny") or expert_server.inferences("facebook/detr-resnet-50")


def test_files_may_be_plain_paths_and_urls(make_config: MakeConfig, start: Start) -> None:
    url = start(make_config())
    for files in (["/examples/b.jpg"], ["public/examples/b.jpg"], [{"path": "/examples/b.jpg"}], [CAT]):
        plan = requests.post(
            f"{url}/tasks", json={"messages": said("Find all objects in it"), "files": files}, timeout=30
        ).json()
        assert [(one["task"], one["args"]) for one in plan] == [("object-detection", {"image": "/examples/b.jpg"})]
    remote = "https://example.invalid/x.jpg"
    plan = requests.post(
        f"{url}/tasks", json={"messages": said("Find all objects in it"), "files": [remote]}, timeout=30
    )
    assert plan.json()[0]["args"] == {"image": remote}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("/examples/a.jpg", '"files" should be a list'),
        ({"path": "/examples/a.jpg"}, '"files" should be a list'),
        ([7], "A file cannot be read"),
        ([{"name": "x"}], "A file cannot be read"),
        ([{"path": "/examples/a.jpg", "name": 7}], "A file cannot be read"),
        ([["/examples/a.jpg"]], "A file cannot be read"),
        (["/etc/passwd"], "There is no file /etc/passwd"),
        (["/../config.yaml"], "There is no file"),
        (["../config.yaml"], "There is no file"),
        (["~/.ssh/id_rsa"], "There is no file"),
        (["file:///etc/passwd"], "is not a path or an http"),
        (["/examples/a.jpg\0.txt"], "is not a path or an http"),
        (["/examples"], "There is no file"),
        (["/examples/a.jpg"] * 51, "51 files are attached"),
    ],
)
@pytest.mark.parametrize("route", ["v1/runs", "tasks"])
def test_files_that_are_none(make_config: MakeConfig, start: Start, route: str, files: Any, message: str) -> None:
    answer = requests.post(f"{start(make_config())}/{route}", json={"messages": said("x"), "files": files}, timeout=10)
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]


def test_a_file_of_the_disk_is_refused_by_its_true_path(make_config: MakeConfig, start: Start, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jpg"
    secret.write_bytes(png())
    (tmp_path / "public" / "link.jpg").symlink_to(secret)
    url = start(make_config())
    for path in (str(secret), "/link.jpg", secret.as_uri()):
        assert refused(url, messages=said("What is in it?"), files=[path])[1]["error"]["code"] == "media"


# Killed servers


def killed(config: Config, request: str, chat: str) -> str:
    """What a server leaves that is killed when the first task of a run is finished; gives the run's id."""
    controller = controller_with(config)
    run = controller.prepare(said(request))
    chats = Chats(config.path(config.database))
    chats.begin(chat, run.id, request, run.files)
    chats.close()
    events = controller.run(run)
    next(event for event in events if isinstance(event, Finished))
    folder = controller.log.folder
    assert folder
    (journal,) = folder.glob(f"*-{run.id}.jsonl")
    lines = journal.read_bytes()
    events.close()  # which ends the run in order
    journal.with_suffix(".json").unlink()
    journal.write_bytes(lines)
    return run.id


def test_a_killed_server_shows_and_resumes_the_run(
    hub_config: Config, llm_server: FakeLLM, expert_server: FakeExperts, start: Start
) -> None:
    llm_server.replies["plan"] = json.dumps(PLAN)
    chat = "0" * 32
    run_id = killed(hub_config, "What is in it?", chat)
    url = start(hub_config)
    stored = chat_of(url, chat)
    (turn,) = stored["turns"]
    assert (stored["run_id"], turn["status"], turn["run_id"]) == (None, "interrupted", run_id)
    assert turn["record"]["plan"] == PLAN
    assert turn["record"]["states"] == {"0": "finished", "1": "waiting"}
    assert turn["record"]["results"]["0"]["reading"] == "2 cats (90 %, 80 %)"
    assert "messages" not in turn["record"]
    inferences = [request["path"] for request in expert_server.requests if request["body"]]
    planned = len(llm_server.bodies("plan"))
    body = {"resume": run_id, "chat": chat}
    accepted = done(requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30))
    assert accepted["position"] == 1 and accepted["run_id"] != run_id
    assert len(llm_server.bodies("plan")) == planned
    again = [request["path"] for request in expert_server.requests if request["body"]][len(inferences) :]
    assert [path.rpartition("/")[2] for path in again] == ["vit-gpt2-image-captioning"]
    (turn,) = chat_of(url, chat)["turns"]
    assert (turn["status"], turn["run_id"]) == ("answered", accepted["run_id"])
    assert set(turn["record"]["states"].values()) == {"finished"}
    assert turn["record"]["results"]["0"]["reading"] == "2 cats (90 %, 80 %)"


def test_an_interrupted_turn_is_a_part_of_the_context(hub_config: Config, llm_server: FakeLLM, start: Start) -> None:
    llm_server.replies["plan"] = json.dumps(PLAN)
    chat = "0" * 32
    killed(hub_config, "What was asked before the end", chat)
    assert done(begin(start(hub_config), "And now?", chat=chat))["position"] == 2
    assert "What was asked before the end" in llm_server.bodies("plan")[-1]["messages"][-1]["content"]


def test_without_a_journal_the_request_is_still_there(hub_config: Config, start: Start, tmp_path: Path) -> None:
    chats = Chats(hub_config.path(hub_config.database))
    chats.begin("0" * 32, "abcabcabcabc", "What is in it?")
    chats.close()
    url = start(hub_config)
    (turn,) = chat_of(url, "0" * 32)["turns"]
    assert (turn["request"], turn["status"], turn["record"]) == ("What is in it?", "interrupted", None)
    code, answer = refused(url, resume="abcabcabcabc", chat="0" * 32)
    assert (code, answer["error"]["message"][:34]) == (400, "There is no record of the run abca")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"resume": "last"}, '"resume" should be the id of a run'),
        ({"resume": 7}, '"resume" should be the id of a run'),
        ({"resume": "../../x"}, '"resume" should be the id of a run'),
        ({"resume": "abc"}, "There is no record of the run abc"),
        ({"resume": "abc", "messages": [{"role": "user", "content": "x"}]}, '"resume" goes on with a recorded request'),
        ({"resume": "abc", "files": []}, '"resume" goes on with a recorded request'),
    ],
)
def test_what_cannot_be_resumed(make_config: MakeConfig, start: Start, body: Any, message: str) -> None:
    code, answer = refused(start(make_config()), **body)
    assert code == 400
    assert message in answer["error"]["message"]


def test_only_a_run_of_the_conversation_is_resumed_in_it(url: str, hub_config: Config, llm_server: FakeLLM) -> None:
    run_id = done(begin(url, "One", chat="new"))["run_id"]
    other = done(begin(url, "Two", chat="new"))["chat"]
    code, answer = refused(url, resume=run_id, chat=other)
    assert (code, answer["error"]["message"]) == (400, f"This conversation has no run {run_id}.")
    assert [turn["request"] for turn in chat_of(url, other)["turns"]] == ["Two"]
    assert done(begin(url, "Three", chat=other))["position"] == 2  # it is not taken for busy


def test_a_run_with_files_of_the_machine_is_not_resumed_over_http(
    hub_config: Config, start: Start, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.jpg"
    secret.write_bytes(png())
    controller = controller_with(hub_config)
    run = controller.prepare(said("See secret.jpg"), [Attachment("secret.jpg", secret.as_uri(), "image")])
    list(controller.run(run))
    url = start(hub_config)
    code, answer = refused(url, resume=run.id)
    assert code == 400
    assert "files of the server's machine" in answer["error"]["message"]
    follow_up = controller.prepare(said("Describe secret.jpg"), (), [turn_of(run, RunRecord())])
    list(controller.run(follow_up))
    assert "files of the server's machine" in refused(url, resume=follow_up.id)[1]["error"]["message"]
    for run_id in (run.id, follow_up.id):
        shown = requests.get(f"{url}/v1/runs/{run_id}", timeout=5)
        assert shown.json()["run_id"] == run_id
        assert str(tmp_path) not in shown.text
        assert not {"messages", "turns"} & shown.json().keys()
    assert requests.get(f"{url}/v1/runs/{run.id}", timeout=5).json()["attachments"] == [
        {"name": "secret.jpg", "path": "secret.jpg", "kind": "image"}
    ]
    assert str(tmp_path) not in refused(url, resume="abc")[1]["error"]["message"]


@pytest.mark.slow
def test_kill_9_of_the_real_server(
    make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts, tmp_path: Path
) -> None:
    make_config(
        local={"endpoint": llm_server.url}, huggingface={"base_url": expert_server.url}, embedded=False,
        http_listen={"port": 0},
    )  # fmt: skip
    llm_server.replies["plan"] = json.dumps(PLAN)
    expert_server.always = {model: HANG for model, kind in expert_server.models.items() if kind == "image-to-text"}
    with server_process(tmp_path / "config.yaml") as (url, process):
        events = stream(begin(url, chat="new", files=[CAT]))
        accepted = next(events)["data"]
        next(event for event in events if event["event"] == "finished")
        process.kill()
        with pytest.raises(requests.RequestException):
            list(events)
    expert_server.always = {}
    with server_process(tmp_path / "config.yaml") as (url, _):
        (turn,) = chat_of(url, accepted["chat"])["turns"]
        assert (turn["status"], turn["files"]) == ("interrupted", [{**CAT, "kind": "image"}])
        assert turn["record"]["states"]["0"] == "finished"
        body = {"resume": accepted["run_id"], "chat": accepted["chat"]}
        assert done(requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30))["position"] == 1
        (turn,) = chat_of(url, accepted["chat"])["turns"]
        assert (turn["status"], turn["files"]) == ("answered", [{**CAT, "kind": "image"}])
        assert set(turn["record"]["states"].values()) == {"finished"}
