"""Leave for plans: nothing is run before it; edited and planned anew."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

import awesome_chat
from hugginggpt.core.errors import BackendError, HuggingGPTError
from hugginggpt.core.events import Planned
from hugginggpt.terminal.approval import Approval
from hugginggpt.terminal.chat import Chat
from hugginggpt.terminal.follow import prepared
from hugginggpt.testing import FakeEndpoint, plan, says, task
from tests.conftest import MakeConfig, controller_at

REQUEST = "What is in /examples/a.jpg?"
ONE = task(0, "image-to-text", image="/examples/a.jpg")
TWO = task(1, "object-detection", image="/examples/a.jpg")
Make = Callable[..., tuple[Approval, FakeEndpoint, io.StringIO]]


@pytest.fixture
def make(make_config: MakeConfig, scripted: Any) -> Make:
    """An approval that reads its answers from a list, and an editor that gives one text after the other."""

    def made(answers: list[str], edits: list[str | None] | None = None, **script: Any) -> Any:
        place = FakeEndpoint("place", {"image-to-text": ["captioner"], "object-detection": ["detector"]}, says("a cat"))
        controller = controller_at(make_config(embedded=False, planner="llm"), scripted(**script), place)
        out, left, texts = io.StringIO(), iter(answers), iter(edits or ())
        console = Console(file=out, width=200)

        def ask(prompt: str) -> str:
            if (answer := next(left, None)) is None:
                raise EOFError
            return answer

        return Approval(controller, console, ask, lambda text: next(texts)), place, out

    return made


def run_of(approval: Approval) -> Any:
    return approval.run_of(prepared(approval.controller, REQUEST))


def test_nothing_is_run_before_leave_is_given(make: Make) -> None:
    """Also of a plan that is streamed, whose tasks are begun early otherwise."""
    approval, place, out = make(["", "y"], plan=plan(ONE), respond="A cat.")
    assert approval.controller.config.stream_plan
    run = run_of(approval)
    assert place.calls == []
    assert "image-to-text" in out.getvalue() and "image: /examples/a.jpg" in out.getvalue()
    events = list(approval.controller.run(run))
    assert len(place.calls) == 1
    planned = next(event for event in events if isinstance(event, Planned))
    assert (planned.planner, planned.usage.calls) == ("llm", 1)


@pytest.mark.parametrize("answers", [["n"], [], ["no"]])
def test_without_leave_nothing_is_run(make: Make, answers: list[str]) -> None:
    approval, place, _ = make(answers, plan=plan(ONE))
    assert run_of(approval) is None and place.calls == []


def test_a_plan_is_edited_until_it_can_be_run(make: Make) -> None:
    wrong = json.dumps([{**ONE, "task": "image-to-txt"}])
    approval, _, out = make(["e", "", "", "y"], ["{", wrong, json.dumps([ONE, TWO])], plan=plan(ONE))
    run = run_of(approval)
    assert [one.task for one in run.plan] == ["image-to-text", "object-detection"]
    assert run.planned_by["planner"] == "given"
    shown = out.getvalue()
    assert "The plan is no JSON" in shown
    assert "task 0 (image-to-txt)" in shown


def test_an_editor_that_is_left_changes_nothing(make: Make) -> None:
    approval, _, out = make(["e", "e", "n", "y"], [None, "{"], plan=plan(ONE))
    assert run_of(approval).planned_by["planner"] == "llm"
    assert "Nothing was changed." in out.getvalue()


def test_a_sentence_plans_anew_with_what_was_before(make: Make) -> None:
    approval, _, _ = make(["also find the objects", "y"], plan=[plan(ONE), plan(ONE, TWO)])
    run = run_of(approval)
    assert run.request == f"{REQUEST}\nalso find the objects"
    assert [one.id for one in run.plan] == [0, 1]
    asked = approval.controller.parts.planner.planner.model.llm.messages("plan")[1][-1]["content"]  # type: ignore[attr-defined]
    assert "also find the objects" in asked and "The plan that was made before" in asked
    assert asked.count('"image-to-text"') >= 1


def test_the_same_plan_again_and_none_are_told(make: Make) -> None:
    approval, _, out = make(["again", "nothing", "n"], plan=[plan(ONE), plan(ONE), plan()])
    assert run_of(approval) is None
    assert "the same plan again" in out.getvalue()
    assert "the one before stands" in out.getvalue()


def test_of_small_talk_nothing_is_asked(make: Make) -> None:
    approval, _, _ = make([], plan=plan())
    assert run_of(approval).plan.tasks == ()


def test_a_planning_that_fails_is_told(make: Make) -> None:
    approval, _, _ = make([], plan=[BackendError("The service is down.", status=401)])
    with pytest.raises(HuggingGPTError, match="The service is down"):
        run_of(approval)


def test_hidden_characters_of_a_plan_are_shown_as_codes(make: Make) -> None:
    approval, _, out = make(["n"], plan=plan(task(0, "text-to-speech", text="safe\u202edangerous\x1b[2J")))
    run_of(approval)
    assert "\\u202e" in out.getvalue() and "\x1b[2J" not in out.getvalue()


def test_a_chat_asks_where_it_is_told_to(make: Make) -> None:
    approval, place, out = make(["n", "y"], plan=[plan(ONE), plan(ONE), plan(ONE)], respond=["A cat.", "A cat."])
    talk = Chat(approval.controller, approval.console, quiet=True, approval=approval)
    talk.say(REQUEST)
    assert (place.calls, talk.turns) == ([], [])
    assert "Nothing was run." in out.getvalue()
    talk.say(REQUEST)
    assert len(talk.turns) == 1
    talk.say("/approve")
    talk.say(REQUEST)
    assert len(place.calls) == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["Hello", "--approve"], "--approve asks on a terminal, and the input is none"),
        (["-", "--approve"], "--approve asks on a terminal, and the input is none"),
        (["Hello", "--approve", "--plan"], "leave out --plan and --resume"),
        (["--approve", "--mode", "test"], "are for requests, not for a mode"),
    ],
)
def test_without_a_terminal_nobody_can_be_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, args: list[str], said: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert awesome_chat.main(args) == 2
    assert said in capsys.readouterr().err
