"""Plans in hand over HTTP: checked, run with other files, fetched from a run."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from hugginggpt.config import Config
from hugginggpt.testing import task
from hugginggpt.testing.fakes import FakeLLM
from tests.conftest import Start
from tests.web.test_runs import begin, kinds, stream

TASKS = [task(0, "object-detection", image="photo.jpg"), task(1, "image-to-text", [0], image="<GENERATED>-0")]
PLAN = {"request": "What is in photo.jpg?", "inputs": [{"name": "photo.jpg", "kind": "image"}], "tasks": TASKS}


@pytest.fixture
def url(hub_config: Config, start: Start) -> str:
    return start(hub_config)


def post(url: str, path: str, **body: Any) -> tuple[int, Any]:
    response = requests.post(f"{url}{path}", json=body, timeout=30)
    return response.status_code, response.json()


def test_a_plan_is_run_with_other_files_and_fetched_again(url: str) -> None:
    with requests.post(
        f"{url}/v1/runs", json={"plan": PLAN, "files": ["/examples/b.jpg"]}, stream=True, timeout=30
    ) as answer:
        events = list(stream(answer))
    planned = next(event["data"] for event in events if event["event"] == "plan")
    assert [one["args"]["image"] for one in planned["plan"]] == ["/examples/b.jpg", "<GENERATED>-0"]
    assert planned["planner"] == "given"
    assert kinds(events)[-2:] == ["answer", "done"]
    run_id = events[0]["data"]["run_id"]
    kept = requests.get(f"{url}/v1/runs/{run_id}/plan", timeout=10).json()
    assert kept["inputs"] == [{"name": "b.jpg", "kind": "image"}]
    assert kept["request"] == "What is in b.jpg?"
    assert [one["args"]["image"] for one in kept["tasks"]] == ["b.jpg", "<GENERATED>-0"]


def test_only_a_plan_that_can_be_run_is_run(url: str) -> None:
    def refused(**body: Any) -> str:
        status, answer = post(url, "/v1/runs", **body)
        assert status == 400
        return str(answer["message"])

    assert refused(plan=PLAN).startswith("The plan needs a picture in place of photo.jpg")
    assert refused(plan=[task(0, "image-to-txt", image="/examples/b.jpg")]).startswith("The plan cannot be run: task 0")
    assert refused(plan=7).startswith('"plan" should be')
    assert refused(plan=PLAN, resume="0a1b").startswith('"resume" goes on')
    assert refused(plan=[{"no": "task"}]).startswith("That is no plan")


def test_a_plan_is_checked_without_being_run(url: str) -> None:
    wrong = [task(0, "text-to-speech", image="photo.jpg"), {"task": "image-to-text", "args": {"img": "photo.jpg"}}]
    status, answer = post(url, "/v1/plans", plan={**PLAN, "tasks": wrong})
    assert status == 200
    assert answer["tasks"][1]["args"] == {"image": "photo.jpg"}
    assert [one["id"] for one in answer["problems"]] == [0]
    assert answer["inputs"] == PLAN["inputs"]
    assert post(url, "/v1/plans", plan=PLAN)[1]["problems"] == []
    assert post(url, "/v1/plans", plan=PLAN, files=["/examples/speech.wav"])[0] == 400


def test_the_models_for_a_task(url: str) -> None:
    answer = requests.get(f"{url}/v1/tasks/image-to-text/models", timeout=10).json()
    assert {"id", "about", "downloads", "endpoint", "place"} == set(answer["models"][0])
    assert requests.get(f"{url}/v1/tasks/no-such/models", timeout=10).status_code == 404
    assert requests.get(f"{url}/v1/runs/0123456789ab/plan", timeout=10).status_code == 404


def test_a_run_may_end_with_its_plan(url: str) -> None:
    with begin(url, until="plan") as answer:
        assert kinds(list(stream(answer)))[-1] == "done"


def test_a_task_is_done_again_in_its_turn(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["plan"] = json.dumps([task(0, "image-to-text", image="/examples/b.jpg")])
    with begin(url, chat="new") as answer:
        first, *_ = (event["data"] for event in list(stream(answer)))
    again = {"run_id": first["run_id"], "task": 0, "model": "nlpconnect/vit-gpt2-image-captioning"}
    body = {"again": again, "chat": first["chat"]}
    with requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30) as answer:
        events = list(stream(answer))
    assert events[0]["data"]["position"] == first["position"]
    assert events[1]["data"]["version_of"] == first["run_id"]
    assert next(event["data"] for event in events if event["event"] == "selected")["choice"]["id"] == again["model"]
    (turn,) = requests.get(f"{url}/v1/chats/{first['chat']}", timeout=10).json()["turns"]
    assert (turn["run_id"], turn["record"]["version_of"]) == (events[0]["data"]["run_id"], first["run_id"])
    assert post(url, "/v1/runs", again={**again, "task": 9})[0] == 400
    assert post(url, "/v1/runs", again={**again, "task": "0"})[1]["message"].startswith('"again" should be')
    assert post(url, "/v1/runs", again=again, plan=PLAN)[1]["message"].startswith('"again" is about')
    unknown = post(url, "/v1/runs", again={**again, "model": "nobody/has-it"})
    assert unknown[0] == 400
    assert unknown[1]["message"].startswith("Nothing that is set up here has the model nobody/has-it")


def test_a_task_is_done_again_with_a_new_file(url: str, llm_server: FakeLLM) -> None:
    llm_server.replies["plan"] = json.dumps([task(0, "image-to-text", image="/examples/b.jpg")])
    with begin(url) as answer:
        first, *_ = (event["data"] for event in list(stream(answer)))
    again = {"run_id": first["run_id"], "task": 0, "args": {"image": "my zoo.jpg"}}
    body = {"again": again, "files": [{"name": "my zoo.jpg", "path": "/examples/a.jpg"}]}
    with requests.post(f"{url}/v1/runs", json=body, stream=True, timeout=30) as answer:
        events = list(stream(answer))
    finished = next(event["data"] for event in events if event["event"] == "finished")
    assert finished["args"] == {"image": "/examples/a.jpg"}


def test_a_plan_to_be_looked_at_is_no_turn(url: str, llm_server: FakeLLM) -> None:
    """It is planned from the turns that there are; a language model is shown the plan that was not wanted."""
    with begin(url, "What is in /examples/b.jpg?", chat="new") as answer:
        first, *_ = stream(answer)
    chat = first["data"]["chat"]
    unwanted = [task(0, "depth-estimation", image="/examples/c.jpg")]
    with begin(url, "And now?", chat=chat, until="plan", rejected=unwanted) as answer:
        events = list(stream(answer))
    assert (events[0]["data"]["chat"], events[0]["data"]["position"]) == (None, None)
    assert "started" not in kinds(events) and events[-1]["data"]["stop"] == "planned"
    asked = json.dumps(llm_server.bodies("plan")[-1]["messages"])
    assert "What is in /examples/b.jpg?" in asked and "depth-estimation" in asked
    assert len(requests.get(f"{url}/v1/chats/{chat}", timeout=10).json()["turns"]) == 1
    assert post(url, "/v1/runs", messages=[], rejected="x")[1]["message"].startswith('"rejected" should be')


def test_a_plan_without_a_task_has_its_request_answered(url: str, llm_server: FakeLLM) -> None:
    with begin(url, "Hello", plan=[]) as answer:
        events = list(stream(answer))
    assert next(event["data"] for event in events if event["event"] == "answer")["message"]
    assert llm_server.bodies("plan") == []
    assert post(url, "/v1/runs", plan=[])[0] == 400


def test_characters_that_no_connection_takes_are_question_marks(url: str) -> None:
    broken = {**PLAN, "tasks": [{**TASKS[0], "model": "m\ud800"}], "request": "In \ud800 photo.jpg?"}
    with requests.post(
        f"{url}/v1/runs", json={"plan": broken, "files": ["/examples/b.jpg"]}, stream=True, timeout=30
    ) as answer:
        events = list(stream(answer))
    assert kinds(events)[-1] == "done"
    assert next(event["data"] for event in events if event["event"] == "plan")["plan"][0]["model"] == "m?"
