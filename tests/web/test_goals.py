"""Goals over HTTP: begun, followed, decided, cancelled, and gone on with after the server's end."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.goals import records
from hugginggpt.goals.goal import Limits, checked_goal
from hugginggpt.goals.journal import GoalBusy
from hugginggpt.testing import served, web_serving
from hugginggpt.testing.fakes import FakeLLM, Fault
from hugginggpt.web import goals as goals_of_server
from hugginggpt.web.app import create_app
from hugginggpt.web.chats import Chats
from hugginggpt.web.goals import make_goals
from tests.conftest import MakeConfig, controller_with
from tests.goals.conftest import said
from tests.web.test_runs import kinds, stream

WRITE = said("write_to_file", file="a.txt", text="one")
DELETE = said("delete_file", file="a.txt")
COMPLETE = said("task_complete", reason="It is done.")
JSON = {"Accept": "application/json"}
Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def config(make_config: MakeConfig, llm_server: FakeLLM) -> Config:
    return make_config(local={"endpoint": llm_server.url}, embedded=False)


@pytest.fixture
def serve(config: Config) -> Serve:
    """A server over the same folder each time, as after a restart."""
    return lambda changed=config: web_serving(controller_with(changed), changed)


@pytest.fixture
def url(serve: Serve) -> Iterator[str]:
    with serve() as running:
        yield running


def begin(url: str, **body: Any) -> dict[str, Any]:
    """The state of a new goal."""
    answer = requests.post(f"{url}/v1/goals", json={"goal": "Do it.", **body}, headers=JSON, timeout=10)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def follow(url: str, goal: str, after: int = 0) -> Iterator[dict[str, Any]]:
    headers = {"Last-Event-ID": str(after)}
    with requests.get(f"{url}/v1/goals/{goal}/events", headers=headers, stream=True, timeout=20) as answer:
        yield from stream(answer)


def waiting(url: str, goal: str) -> dict[str, Any]:
    """What a goal waits for, once it does."""
    for event in follow(url, goal):
        pending = event["event"] == "ApprovalNeeded" and state(url, goal)["pending"]
        if pending and pending["step"] == event["data"]["step"]:
            return dict(pending)
    raise AssertionError("it waits for nothing")


def state(url: str, goal: str) -> dict[str, Any]:
    return dict(requests.get(f"{url}/v1/goals/{goal}", timeout=5).json())


def decide(url: str, goal: str, pending: dict[str, Any], decision: str, **more: Any) -> requests.Response:
    body = {"step": pending["step"], "hash": pending["hash"], "decision": decision, **more}
    return requests.post(f"{url}/v1/goals/{goal}/decisions", json=body, timeout=10)


def ended(url: str, goal: str) -> list[dict[str, Any]]:
    """All events, once the goal is over."""
    events = list(follow(url, goal))
    assert events[-1]["event"] == "end"
    return events


def test_a_goal_runs_to_its_end(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [said("set_plan", items=["write", "end"]), WRITE, COMPLETE]
    with requests.post(f"{url}/v1/goals", json={"goal": ["Do it."], "name": "Ann"}, stream=True, timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        whole = list(stream(answer))
    accepted, started, *events, done, end = whole
    goal = accepted["data"]["goal_id"]
    assert (accepted["event"], started["event"], done["event"], end["event"]) == (
        "accepted",
        "GoalStarted",
        "Done",
        "end",
    )
    assert end["data"] == {"goal_id": goal, "status": "complete"} and "id" not in end
    assert [int(event["id"]) for event in [started, *events, done]] == list(range(1, len(events) + 3))
    assert kinds(events)[:5] == ["Thought", "Proposed", "Decided", "CommandStarted", "CommandFinished"]
    assert "workspace" not in started["data"] and started["data"]["goal"]["name"] == "Ann"
    after = state(url, goal)
    assert (after["status"], after["message"], after["steps"]) == ("complete", "It is done.", 3)
    assert after["files"] == [{"path": "a.txt", "bytes": 3}] and after["plan"] == ["write", "end"]
    assert after["spent"]["usage"]["calls"] == 3 and after["pending"] is None
    (listed,) = requests.get(f"{url}/v1/goals", timeout=5).json()["goals"]
    assert (listed["id"], listed["title"], listed["status"]) == (goal, "Do it.", "complete")


def test_events_are_taken_up_after_any(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [WRITE, COMPLETE]
    goal = begin(url)["id"]
    whole = ended(url, goal)
    for after in (1, 4, len(whole)):
        assert list(follow(url, goal, after))[1:] == whole[after + 1 :] or after == len(whole)
    assert kinds(list(follow(url, goal, len(whole)))) == ["accepted", "end"]


def test_a_command_waits_for_leave(url: str, llm_server: FakeLLM, config: Config) -> None:
    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    goal = begin(url)["id"]
    pending = waiting(url, goal)
    assert (pending["command"], pending["args"], pending["risk"]) == ("delete_file", {"file": "a.txt"}, "delete")
    assert state(url, goal)["status"] == "waiting"
    answer = decide(url, goal, pending, "approve")
    assert answer.ok and answer.json()["pending"] is None
    ended(url, goal)
    assert state(url, goal)["files"] == []


@pytest.mark.parametrize("decision", ["deny", "tell", "stop"])
def test_a_command_is_not_run(url: str, llm_server: FakeLLM, decision: str) -> None:
    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    goal = begin(url)["id"]
    assert decide(url, goal, waiting(url, goal), decision, text="Keep a.txt!" if decision == "tell" else "").ok
    ended(url, goal)
    after = state(url, goal)
    assert after["files"] == [{"path": "a.txt", "bytes": 3}]
    assert after["status"] == ("stopped" if decision == "stop" else "complete")
    told = json.dumps(llm_server.bodies("goal")[-1]["messages"])
    assert ("Keep a.txt!" in told) is (decision == "tell")


def test_leave_for_several_commands(url: str, llm_server: FakeLLM) -> None:
    other = [text.replace("a.txt", "b.txt") for text in (WRITE, DELETE)]
    llm_server.replies["goal"] = [WRITE, other[0], DELETE, other[1], COMPLETE]
    goal = begin(url)["id"]
    assert decide(url, goal, waiting(url, goal), "approve", count=2).ok
    assert [event["data"]["by"] for event in ended(url, goal) if event["event"] == "Decided"] == [
        "policy", "policy", "person", "grant", "policy",
    ]  # fmt: skip


def test_an_answer_to_a_question(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [said("ask_user", question="Which one?"), COMPLETE]
    goal = begin(url)["id"]
    pending = waiting(url, goal)
    assert pending["question"] == "Which one?"
    assert decide(url, goal, pending, "approve").status_code == 409
    assert decide(url, goal, pending, "tell", text=" ").status_code == 400
    assert decide(url, goal, pending, "tell", text="The red one").ok
    ended(url, goal)
    assert "The red one" in json.dumps(llm_server.bodies("goal")[-1]["messages"])


def test_replayed_and_altered_decisions_are_refused(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [WRITE, DELETE, said("delete_file", file="b.txt"), COMPLETE]
    goal = begin(url)["id"]
    first = waiting(url, goal)
    for altered in ({**first, "hash": "0" * 32}, {**first, "step": 1}, {**first, "step": 3}):
        answer = decide(url, goal, altered, "approve")
        assert answer.status_code == 409 and "another command" in answer.json()["message"]
    other = {"Origin": "https://evil.example"}
    body = {"step": first["step"], "hash": first["hash"], "decision": "approve"}
    answer = requests.post(f"{url}/v1/goals/{goal}/decisions", json=body, headers=other, timeout=5)
    assert answer.status_code == 403
    assert state(url, goal)["pending"] == first and state(url, goal)["files"] == [{"path": "a.txt", "bytes": 3}]
    assert decide(url, goal, first, "deny").ok
    second = waiting(url, goal)
    assert second["step"] == 3
    assert decide(url, goal, first, "approve").status_code == 409  # a replay
    assert decide(url, goal, second, "deny").ok
    ended(url, goal)
    assert decide(url, goal, second, "approve").status_code == 409
    assert state(url, goal)["files"] == [{"path": "a.txt", "bytes": 3}]


def test_of_decisions_at_the_same_time_one_counts(url: str, llm_server: FakeLLM) -> None:
    from concurrent.futures import ThreadPoolExecutor

    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    goal = begin(url)["id"]
    pending = waiting(url, goal)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: decide(url, goal, pending, "approve").status_code, range(4)))
    assert sorted(answers) == [200, 409, 409, 409]
    assert kinds(ended(url, goal)).count("CommandStarted") == 3


def test_a_second_client_sees_the_decision(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    goal = begin(url)["id"]
    other = follow(url, goal)
    next(event for event in other if event["event"] == "ApprovalNeeded")
    assert decide(url, goal, waiting(url, goal), "deny").ok
    assert next(other)["data"]["verdict"] == "deny"
    assert kinds(list(other))[-2:] == ["Done", "end"]


# The server's end


def test_a_restarted_server_knows_what_waits(serve: Serve, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    with serve() as url:
        goal = begin(url)["id"]
        pending, before = waiting(url, goal), state(url, goal)["events"]
    with serve() as url:
        assert state(url, goal)["status"] == "waiting" and state(url, goal)["pending"] == pending
        other = follow(url, goal, before)
        assert next(other)["data"]["status"] == "waiting"
        assert decide(url, goal, {**pending, "hash": "0" * 32}, "approve").status_code == 409
        assert state(url, goal)["events"] == before  # a refused decision leaves nothing
        assert decide(url, goal, pending, "approve").ok
        assert kinds(list(other)) == [
            "Resumed", "Decided", "CommandStarted", "CommandFinished", "Thought", "Proposed", "Decided",
            "CommandStarted", "CommandFinished", "Done", "end",
        ]  # fmt: skip
        assert state(url, goal)["status"] == "complete" and len(llm_server.bodies("goal")) == 3


def test_of_a_command_that_ran_the_outcome_is_unknown(serve: Serve, llm_server: FakeLLM, config: Config) -> None:
    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    with serve() as url:
        goal = begin(url)["id"]
        pending = waiting(url, goal)
    journal = config.path(config.goals.folder) / goal / "journal.jsonl"
    decided = {"step": 2, "hash": pending["hash"], "verdict": "approve", "by": "person", "text": "", "grants": 0}
    with journal.open("a") as file:  # as of a server that was killed while the command ran
        for event in (
            {"event": "Decided", **decided},
            {"event": "CommandStarted", "step": 2, "command": "delete_file"},
        ):
            file.write(json.dumps(event) + "\n")
        file.write('{"event": "Comm')
    with serve() as url:
        assert state(url, goal)["status"] == "interrupted"
        assert kinds(list(follow(url, goal)))[-2:] == ["CommandStarted", "end"]
        assert decide(url, goal, pending, "approve").status_code == 409
        answer = requests.post(f"{url}/v1/goals", json={"resume": goal}, headers=JSON, timeout=10)
        assert answer.status_code == 201
        events = ended(url, goal)
        (failed,) = [event["data"] for event in events if event["event"] == "CommandFailed"]
        assert failed["unknown"] is True
        after = state(url, goal)
        assert after["status"] == "complete" and after["files"] == [{"path": "a.txt", "bytes": 3}]
        assert "whether it had its effect is unknown" in json.dumps(llm_server.bodies("goal")[-1]["messages"])


def test_a_server_that_ends_leaves_its_goals_to_be_resumed(serve: Serve, config: Config, llm_server: FakeLLM) -> None:
    """The language model answers only when the server is ending already."""
    llm_server.replies["goal"] = [WRITE, COMPLETE, COMPLETE]
    gate, reply = threading.Event(), llm_server.next_reply
    llm_server.next_reply = lambda stage: (gate.wait(20), reply(stage))[1]  # type: ignore[method-assign]
    controller = controller_with(config)
    goals = make_goals(controller, config)
    chats = Chats(config.path(config.database))
    with closing(chats), served(create_app(controller, config, chats, goals=goals)) as url:
        goal = begin(url)["id"]
        ending = spawn(goals.close, 20)
        while requests.post(f"{url}/v1/goals", json={"resume": goal}, timeout=5).status_code == 409:
            pass
        gate.set()
        ending.result()
        assert state(url, goal)["status"] == "interrupted"
    with serve() as url:
        begin(url, goal=None, resume=goal)
        assert kinds(ended(url, goal)).count("CommandStarted") == 2
        assert state(url, goal)["files"] == [{"path": "a.txt", "bytes": 3}]


# Cancelled, out of budget


def test_a_cancelled_goal_can_be_resumed(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [WRITE, DELETE, COMPLETE]
    goal = begin(url)["id"]
    pending = waiting(url, goal)
    other = follow(url, goal)
    assert requests.delete(f"{url}/v1/goals/{goal}", timeout=10).json()["status"] == "cancelled"
    assert kinds(list(other))[-2:] == ["Done", "end"]
    assert requests.delete(f"{url}/v1/goals/{goal}", timeout=10).json()["status"] == "cancelled"
    assert decide(url, goal, pending, "approve").status_code == 409
    begin(url, goal=None, resume=goal)
    ended(url, goal)
    assert state(url, goal)["status"] == "complete" and state(url, goal)["files"]
    again = requests.post(f"{url}/v1/goals", json={"resume": goal}, timeout=5)
    assert again.status_code == 400 and "complete" in again.json()["message"]


def test_a_goal_out_of_budget_gets_it_once_more(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [WRITE, said("do_nothing"), "That is all.", COMPLETE]
    goal = begin(url, limits={"steps": 2})["id"]
    ended(url, goal)
    after = state(url, goal)
    assert (after["status"], after["message"], after["limits"]["steps"]) == ("budget", "That is all.", 2)
    assert begin(url, goal=None, resume=goal)["limits"]["steps"] == 2 + 25
    ended(url, goal)
    assert state(url, goal)["status"] == "complete"


# What is refused


def test_limits_are_not_wider_than_the_configuration(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [COMPLETE]
    limits = begin(url, limits={"steps": 1000, "seconds": 5})["limits"]
    assert (limits["steps"], limits["seconds"], limits["tokens"]) == (25, 5, 200_000)


def test_without_a_token_no_program_is_run(url: str, llm_server: FakeLLM) -> None:
    program = said("execute_python_file", file="a.txt")
    llm_server.replies["goal"] = [WRITE, program, COMPLETE]
    goal = begin(url)["id"]
    denied = [event["data"] for event in ended(url, goal) if event["event"] == "Decided"][1]
    assert (denied["verdict"], denied["by"]) == ("deny", "rule") and "http_listen.token" in denied["text"]


def test_with_a_token_programs_wait_for_leave(serve: Serve, make_config: MakeConfig, llm_server: FakeLLM) -> None:
    llm_server.replies["goal"] = [WRITE, said("execute_python_file", file="a.txt"), COMPLETE]
    config = make_config(local={"endpoint": llm_server.url}, embedded=False, http_listen={"token": "token-no-1"})
    key = {"Authorization": "Bearer token-no-1"}
    with serve(config) as url:
        assert requests.post(f"{url}/v1/goals", json={"goal": "x"}, timeout=5).status_code == 401
        with requests.post(f"{url}/v1/goals", json={"goal": "x"}, headers=key, stream=True, timeout=10) as answer:
            events = stream(answer)
            goal = next(events)["data"]["goal_id"]
            asked = next(event["data"] for event in events if event["event"] == "ApprovalNeeded")
        body = {"step": 2, "hash": asked["hash"], "decision": "approve"}
        assert requests.post(f"{url}/v1/goals/{goal}/decisions", json=body, timeout=5).status_code == 401
    with serve() as url:  # the same folder without a token: what waits cannot be approved any more
        answer = requests.post(f"{url}/v1/goals/{goal}/decisions", json=body, timeout=5)
        assert answer.status_code == 409 and "http_listen.token" in answer.json()["message"]
        assert requests.post(f"{url}/v1/goals/{goal}/decisions", json={**body, "decision": "deny"}, timeout=5).ok


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "say in words"), ({"goal": " "}, "say in words"), ({"goal": []}, "say in words"), ({"goal": 7}, '"goal"'),
    ({"goal": ["x"] * 6}, '"goal"'), ({"goal": "x", "name": 3}, '"name"'), ({"goal": "x", "limits": {"steps": 0}}, '"limits"'),
    ({"goal": "x", "limits": {"cost": float("inf")}}, '"limits"'), ({"goal": "x", "continuous": -1}, '"continuous"'),
    ({"resume": "last"}, '"resume"'), ({"goal": "x", "resume": "0" * 12}, '"resume"'),
    ({"goal": "x", "files": ["/etc/passwd"]}, "no file"), ({"goal": "x", "files": ["/examples/../../config.yaml"]}, "no file"),
    ({"goal": "x", "files": [{"name": "\x1b.jpg", "path": "/examples/b.jpg"}]}, "character"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "told"), BAD)
def test_what_cannot_be_begun_is_told(url: str, body: dict[str, Any], told: str) -> None:
    answer = requests.post(
        f"{url}/v1/goals", data=json.dumps(body), headers={"Content-Type": "application/json"}, timeout=5
    )
    assert answer.status_code == 400 and told in answer.json()["message"], answer.text
    assert requests.get(f"{url}/v1/goals", timeout=5).json() == {"goals": []}


@pytest.mark.parametrize("change", [
    {"step": "1"}, {"step": 0}, {"step": True}, {"hash": "x"}, {"hash": None}, {"decision": "yes"}, {"decision": None},
    {"decision": "approve", "count": 0}, {"count": 1001}, {"text": 3}, {"text": "", "decision": "tell"},
])  # fmt: skip
def test_a_decision_of_another_form_is_refused(url: str, llm_server: FakeLLM, change: dict[str, Any]) -> None:
    llm_server.replies["goal"] = [DELETE]
    goal = begin(url)["id"]
    pending = waiting(url, goal)
    body = {"step": pending["step"], "hash": pending["hash"], "decision": "approve", **change}
    answer = requests.post(f"{url}/v1/goals/{goal}/decisions", json=body, timeout=5)
    assert answer.status_code == 400 and any(f'"{key}"' in answer.text.replace("\\", "") for key in change), answer.text
    assert state(url, goal)["pending"] == pending


@pytest.mark.parametrize("goal", ["0" * 12, "last", "..", "%2e%2e", "0" * 300])
def test_there_is_no_such_goal(url: str, goal: str) -> None:
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/files/a.txt")):
        assert requests.request(method, f"{url}/v1/goals/{goal}{path}", timeout=5).status_code in (404, 405)


def test_as_many_goals_as_may_be_are_at_work(serve: Serve, make_config: MakeConfig, llm_server: FakeLLM) -> None:
    config = make_config(local={"endpoint": llm_server.url}, embedded=False, http_listen={"max_runs": 1})
    llm_server.replies["goal"] = [DELETE, COMPLETE]
    with serve(config) as url:
        waits = begin(url)["id"]
        pending = waiting(url, waits)  # it takes no place
        llm_server.always["goal"] = Fault(hang=True)
        begin(url)
        for refused in (
            requests.post(f"{url}/v1/goals", json={"goal": "x"}, timeout=5),
            decide(url, waits, pending, "deny"),
        ):
            assert refused.status_code == 429 and refused.headers["Retry-After"]
        assert state(url, waits)["pending"] == pending
        llm_server.always.clear()
        llm_server.over.set()


def test_followers_leave_room_for_others(serve: Serve, make_config: MakeConfig, llm_server: FakeLLM) -> None:
    """Runs and goals share the places; who gets none is told so, and may ask and decide all the same."""
    config = make_config(
        local={"endpoint": llm_server.url}, embedded=False, http_listen={"max_runs": 1, "threads": 5}
    )  # fmt: skip
    llm_server.replies["goal"] = [DELETE, COMPLETE]
    with serve(config) as url:
        goal = begin(url)["id"]
        while not (pending := state(url, goal)["pending"]):
            pass
        followers = [follow(url, goal) for _ in range(2)]
        assert [next(follower)["event"] for follower in followers] == ["accepted"] * 2
        refused = requests.get(f"{url}/v1/goals/{goal}/events", timeout=5)
        assert refused.status_code == 429 and refused.headers["Retry-After"]
        assert "follow runs and goals already" in refused.json()["message"]
        assert decide(url, goal, pending, "deny").status_code == 200
        assert all(kinds(list(follower))[-1] == "end" for follower in followers)
        while requests.get(f"{url}/v1/goals/{goal}/events", timeout=5).status_code == 429:
            pass  # the places are given back when the last bytes are sent


# Removed


def held_up(llm_server: FakeLLM) -> tuple[threading.Event, threading.Event]:
    """Has the language model answer only when the second event is set; the first one tells that it was asked."""
    asked, gate, reply = threading.Event(), threading.Event(), llm_server.next_reply

    def late(stage: str) -> Any:
        asked.set()
        gate.wait(20)
        return reply(stage)

    llm_server.next_reply = late  # type: ignore[method-assign]
    return asked, gate


def test_a_goal_is_removed_for_good(url: str, llm_server: FakeLLM, config: Config) -> None:
    """One that is over, and one that waits for a decision."""
    folder = config.path(config.goals.folder)
    llm_server.replies["goal"] = [WRITE, COMPLETE, WRITE, DELETE]
    done, waits = begin(url)["id"], ""
    ended(url, done)
    waits = begin(url)["id"]
    pending = waiting(url, waits)
    for goal in (done, waits):
        assert requests.delete(f"{url}/v1/goals/{goal}?remove=true", timeout=10).status_code == 200
        assert not (folder / goal).exists()
        assert requests.delete(f"{url}/v1/goals/{goal}?remove=true", timeout=10).status_code == 404
        assert requests.get(f"{url}/v1/goals/{goal}", timeout=5).status_code == 404
    assert decide(url, waits, pending, "approve").status_code == 404
    assert requests.get(f"{url}/v1/goals", timeout=5).json() == {"goals": []}


def test_a_goal_at_work_is_ended_before_it_is_removed(
    url: str, llm_server: FakeLLM, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the language model is asked it cannot be removed, and stays whole; afterwards it can."""
    monkeypatch.setattr(goals_of_server, "CANCEL_SECONDS", 0.1)
    llm_server.replies["goal"] = [WRITE, COMPLETE]
    asked, gate = held_up(llm_server)
    goal = begin(url)["id"]
    assert asked.wait(20)
    refused = requests.delete(f"{url}/v1/goals/{goal}?remove=true", timeout=10)
    assert refused.status_code == 409 and "still runs" in refused.json()["message"]
    gate.set()
    assert ended(url, goal)[-1]["data"]["status"] == "cancelled"
    assert requests.delete(f"{url}/v1/goals/{goal}?remove=true", timeout=10).status_code == 200
    assert not (config.path(config.goals.folder) / goal).exists()


def test_a_goal_that_another_client_went_on_with_is_not_removed_while_it_is_at_work(
    config: Config, llm_server: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between finding it and removing it."""
    monkeypatch.setattr(goals_of_server, "CANCEL_SECONDS", 0.1)
    goals = make_goals(controller_with(config), config)
    llm_server.replies["goal"] = [WRITE, COMPLETE]
    begun = goals.begin(checked_goal(["Do it."]), [], Limits(steps=1))
    assert begun.ended.wait(20)
    found = goals.find(begun.id)
    assert found
    asked, gate = held_up(llm_server)
    resumed = goals.resume(found, Limits())
    assert asked.wait(20)
    with pytest.raises(GoalBusy, match="still runs"):
        goals.remove(found)
    assert (goals.folder / begun.id).is_dir()
    gate.set()
    assert resumed.ended.wait(20)
    goals.remove(found)
    assert not (goals.folder / begun.id).exists()
    goals.close(seconds=20)


def test_files_that_cannot_be_removed_are_told_without_a_path_of_the_server(
    url: str, llm_server: FakeLLM, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(place: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(records.shutil, "rmtree", refuse)
    llm_server.replies["goal"] = [COMPLETE]
    goal = begin(url)["id"]
    ended(url, goal)
    refused = requests.delete(f"{url}/v1/goals/{goal}?remove=true", timeout=10)
    assert not refused.ok and "cannot be removed" in refused.json()["message"]
    assert str(config.path(config.goals.folder)) not in refused.text


# Files


def test_files_come_in_under_their_names_and_go_out(
    url: str, llm_server: FakeLLM, config: Config, tmp_path: Path
) -> None:
    llm_server.replies["goal"] = [
        said("write_to_file", file="out/page.html", text="<script>alert(1)</script>"),
        COMPLETE,
    ]
    files = ["/examples/b.jpg", {"name": "../../my zoo.jpg", "path": "/examples/b.jpg"}, {"name": "b.jpg", "path": "/examples/a.jpg"}]  # fmt: skip
    goal = begin(url, files=files)["id"]
    ended(url, goal)
    assert [file["path"] for file in state(url, goal)["files"]] == ["b-2.jpg", "b.jpg", "my zoo.jpg", "out/page.html"]
    at = f"{url}/v1/goals/{goal}/files"
    picture = requests.get(f"{at}/my zoo.jpg", timeout=5)
    assert picture.content == config.public_file("/examples/b.jpg").read_bytes()
    assert picture.headers["Content-Type"] == "image/jpeg"
    page = requests.get(f"{at}/out/page.html", timeout=5)
    assert page.headers["Content-Type"] == "application/octet-stream"
    assert page.headers["Content-Disposition"] == "attachment"
    assert page.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    folder = config.path(config.goals.folder) / goal / "workspace"
    (folder / "link.txt").symlink_to("/etc/passwd")
    for name in ("link.txt", "..%2fjournal.jsonl", "out/..%2f..%2fjournal.jsonl", "nothing.txt", "out"):
        assert requests.get(f"{at}/{name}", timeout=5).status_code == 404, name
