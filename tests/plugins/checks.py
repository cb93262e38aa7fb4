"""What a plug-in brings is used like what the project has: `python -m tests.plugins.checks FOLDER` where it is installed.

The folder is empty; configuration, files and logs are written there. Raises AssertionError.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import requests
from PIL import Image

from awesome_chat import Controller, make_controller
from hugginggpt.core.conversation import Attachment
from hugginggpt.media.encoding import mp4_bytes
from hugginggpt.testing import FakeLLM, ScriptedLLM, plan, run, task, web_serving, write_config

TASK = "clip-classification"
CLIP = "/videos/clip.mp4"
REQUEST = f"Tell me whether anything moves in {CLIP}"


def make_clip(public: Path) -> None:
    """A video of a square that moves."""
    frames = []
    for at in range(0, 48, 8):
        pixels = np.zeros((64, 64, 3), np.uint8)
        pixels[16:48, at : at + 16] = 255
        frames.append(Image.fromarray(pixels))
    (public / "videos").mkdir(parents=True, exist_ok=True)
    (public / CLIP.lstrip("/")).write_bytes(mp4_bytes(frames, 8))


def check_all(folder: Path) -> None:
    """Planned by a language model and offline, run by the endpoint and the expert, answered, shown over HTTP."""
    make_clip(folder / "public")
    check_planned_by_a_language_model(folder)
    with closing(make_controller(write_config(folder))) as controller:
        check_offline(controller)
    check_the_expert(folder)
    check_over_http(folder)


def check_planned_by_a_language_model(folder: Path) -> None:
    """Its row is in the prompt and the schema; a name of its own and a tag are understood; it is chosen from two."""
    llm = ScriptedLLM(
        plan=plan(task(0, "video-motion", video=CLIP)),
        select='{"id": "frame-difference", "reason": "It is here."}',
        respond="Yes.",
    )
    with closing(make_controller(write_config(folder, selection="each"), llm)) as controller:
        record = run(controller, REQUEST)
    asked = llm.calls[0][1][0]["content"]
    assert f"Giving text:\n- {TASK}(video): say whether anything moves in a video\n" in asked
    done = record.tasks[0]
    assert done.ok, record.errors
    assert done.task["task"] == TASK
    assert done.choice and (done.choice.id, done.choice.endpoint) == ("frame-difference", "embedded")
    assert done.value[0]["label"] == "moving"
    llm.check_used_up()


def check_offline(controller: Controller) -> None:
    """Planned by its words; the endpoint ranks before the embedded expert; the answer is in the row's words."""
    for request, files in ((REQUEST, ()), ("Is there motion in my clip?", (Attachment("clip.mp4", CLIP, "video"),))):
        record = run(controller, request, files=files)
        assert [done.task for done in record.tasks.values()] == [task(0, TASK, [-1], video=CLIP)], record.plan
        assert record.message.startswith("The clip clip.mp4 is moving (75 %).")
        assert f"{TASK} with studio/viewer on the studio" in record.message
    asked = run(controller, "Tell me whether anything moves")
    assert asked.message.startswith("Which video do you mean?")


def check_the_expert(folder: Path) -> None:
    with closing(make_controller(write_config(folder, inference_mode="local"))) as controller:
        record = run(controller, REQUEST)
    assert record.tasks[0].choice and record.tasks[0].choice.id == "frame-difference"
    assert record.message.startswith("The clip clip.mp4 is moving (")
    assert record.message.endswith("with frame-difference on this machine")


def check_over_http(folder: Path) -> None:
    """What the page gets: the endpoint and expert in the status, the plan and the result in the events of a run."""
    with FakeLLM(plan=json.dumps({"tasks": [task(0, TASK, [-1], video=CLIP)]}), respond="It moves.") as service:
        config = write_config(folder, local={"endpoint": service.url})
        with closing(make_controller(config)) as controller, web_serving(controller, config) as url:
            status = requests.get(f"{url}/v1/status", timeout=10).json()
            studio = next(endpoint for endpoint in status["endpoints"] if endpoint["name"] == "studio")
            assert (studio["label"], studio["ready"]) == ("the studio", True)
            assert studio["hint"] in status["hints"]
            assert "frame-difference" in [expert["id"] for expert in status["experts"]]
            row = next(row for row in status["tasks"] if row["name"] == TASK)
            assert (row["args"], row["gives"]) == ([{"name": "video", "kind": "video", "required": True}], "labels")
            body = {"messages": [{"role": "user", "content": REQUEST}]}
            planned = requests.post(f"{url}/tasks", json=body, timeout=20).json()
            assert [each["task"] for each in planned] == [TASK]
            told = requests.post(f"{url}/v1/runs", json=body, timeout=20).text
            events = [json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: ")]
            finished = next(event for event in events if event.get("event") == "finished")
            assert (finished["form"], finished["value"][0]["label"]) == ("labels", "moving")
            assert finished["choice"]["endpoint"] in ("studio", "embedded")
            assert "moving (" in finished["reading"]


if __name__ == "__main__":
    check_all(Path(sys.argv[1]))
    print("The plug-in works.")
