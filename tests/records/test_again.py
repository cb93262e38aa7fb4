"""A task of a recorded run done again: only it, and what depends on it, is run."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from hugginggpt.config import Config
from hugginggpt.core.errors import UserError
from hugginggpt.core.events import RunRecord
from hugginggpt.core.plan import Change
from hugginggpt.terminal.chat import Chat
from hugginggpt.testing import FakeEndpoint, plan, run, task
from tests.conftest import MakeConfig, controller_at

A = "/examples/a.jpg"
PLAN = plan(
    task(0, "image-to-text", image=A),
    task(1, "translation", [0], text="<GENERATED>-0", language="German"),
    task(2, "image-to-text", image="/examples/b.jpg"),
)
MODELS = {"image-to-text": ["captioner", "other"], "translation": ["translator"]}


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False, planner="llm", selection="first")


@pytest.fixture
def place() -> FakeEndpoint:
    return FakeEndpoint(
        "place", MODELS, lambda model, row, args: {"generated text": f"{model} {args.get('language', '')}"}
    )


def done(controller: Any, run_id: str, change: Change) -> RunRecord:
    record = RunRecord()
    for event in controller.run(controller.again(run_id, change)):
        record.apply(event)
    return record


def test_only_the_task_and_what_depends_on_it_is_run(config: Config, scripted: Any, place: FakeEndpoint) -> None:
    first = run(controller_at(config, scripted(plan=PLAN, respond="One."), place), "Look")
    place.calls.clear()
    controller = controller_at(config, scripted(respond="Two."), place)
    second = done(controller, first.run_id, Change(0, "other"))
    assert [call[0] for call in place.calls] == ["other", "translator"]
    assert (second.version_of, second.tasks[0].reading.strip()) == (first.run_id, "other")
    assert second.results["2"] == first.results["2"]
    assert second.planned_by["why"] == "task 0 is done again with other"
    assert controller.log.load(second.run_id)["version_of"] == first.run_id
    assert controller.log.load(first.run_id)["version_of"] == ""


def test_another_argument(config: Config, scripted: Any, place: FakeEndpoint) -> None:
    first = run(controller_at(config, scripted(plan=PLAN, respond="One."), place), "Look")
    place.calls.clear()
    second = done(
        controller_at(config, scripted(respond="Two."), place), first.run_id, Change(1, args={"language": "French"})
    )
    assert [(name, args.get("language")) for name, _, args in place.calls] == [("translator", "French")]
    assert second.plan[1].args == {"text": "<GENERATED>-0", "language": "French"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Change(7, "other"), r"has no task 7: it has 0 \(image-to-text\), 1 \(translation\), 2 \(image-to-text\)"),
        (Change(2, args={"image": ""}), "its argument image .*is missing"),
        (Change(0, args={"image": "<GENERATED>-1"}), "circle"),
    ],
)
def test_what_cannot_be_changed(config: Config, scripted: Any, place: FakeEndpoint, change: Change, said: str) -> None:
    first = run(controller_at(config, scripted(plan=PLAN, respond="One."), place), "Look")
    with pytest.raises(UserError, match=said):
        controller_at(config, None, place).again(first.run_id, change)


def test_in_a_chat_the_new_answer_takes_the_place_of_the_old(
    config: Config, scripted: Any, place: FakeEndpoint
) -> None:
    out = io.StringIO()
    controller = controller_at(config, scripted(plan=PLAN, respond=["One.", "Two."]), place)
    talk = Chat(controller, Console(file=out, width=200), quiet=True)
    talk.say("/again 0 other")
    assert "Say which task of the last request" in out.getvalue()
    talk.say("Look at both")
    for line in ("/again", "/again 0", "/again x other", "/again 9 other", "/again 1 language=French"):
        talk.say(line)
    assert "has no task 9" in out.getvalue()
    (turn,) = talk.turns
    assert turn.message.startswith("Two.") and "offline planner" not in turn.message
    assert turn.tasks[1].args["language"] == "French"


def test_in_a_chat_the_old_answer_stays_where_nothing_could_be_done(
    config: Config, scripted: Any, place: FakeEndpoint
) -> None:
    script = scripted(plan=plan(task(0, "image-to-text", image=A)), respond="One.")
    talk = Chat(controller_at(config, script, place), Console(file=io.StringIO()), quiet=True)
    talk.say("Look")
    talk.say("/again 0 nobody-has-it")
    assert [turn.message[:4] for turn in talk.turns] == ["One."]
