"""The answer of a language model is held against the results, comes first, and is no longer than it need be."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import AnswerDelta, Corrected, RunRecord, to_json
from hugginggpt.core.tasks import TaskType
from hugginggpt.core.usage import Usage
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.llm.base import Reply
from hugginggpt.llm.bounds import MORE_ROOM, OTHER_REPLY
from hugginggpt.terminal.follow import follow
from hugginggpt.testing import FakeEndpoint, ScriptedLLM, events, plan, run, task
from tests.conftest import MakeConfig, controller_at

A = "/examples/a.jpg"
ASKED = f"How many giraffes are in {A}?"
FOUND = "The detector found 2 giraffes in a.jpg."
BEHIND = "Files: /images/x.png (boxes and labels drawn, object-detection)\n\nWhat was done:\n- object-detection with detector on local"


def detect(model: str, row: TaskType, args: Mapping[str, Any]) -> Any:
    boxes = [{"label": "giraffe", "score": 0.9, "box": {"xmin": at, "ymin": 1, "xmax": 9, "ymax": 9}} for at in (1, 5)]
    return {"generated image": "/images/x.png", "predicted": boxes}


def answering(config: Config, said: str) -> Any:
    llm = ScriptedLLM(plan=plan(task(0, "object-detection", image=A)), respond=said)
    return controller_at(config, llm, FakeEndpoint("local", {"object-detection": ["detector"]}, detect))


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def test_a_wrong_sentence_gives_way_to_that_of_the_results(config: Config) -> None:
    seen = events(answering(config, "There are five giraffes in a.jpg. They stand there. Ansel Adams took it."), ASKED)
    record = RunRecord()
    for event in seen:
        record.apply(event)
    assert record.answer == f"{FOUND} They stand there."
    assert record.message == f"{record.answer}\n\n{BEHIND}"
    assert (
        "".join(event.text for event in seen if isinstance(event, AnswerDelta)).replace(" \n", "\n") == record.message
    )
    first, second = (event for event in seen if isinstance(event, Corrected))
    assert first.to_json() == {
        "said": "There are five giraffes in a.jpg.", "instead": FOUND, "why": "the results do not hold five giraffes",
    }  # fmt: skip
    assert (second.said, second.instead) == ("Ansel Adams took it.", "")
    assert record.to_json()["corrections"] == [first.to_json(), second.to_json()]
    assert to_json(first, record)["event"] == "corrected"
    before = next(event for event in seen if isinstance(event, AnswerDelta))
    assert seen.index(first) < seen.index(before)  # nothing wrong was told before


def test_a_right_answer_is_told_as_it_is(config: Config) -> None:
    record = run(answering(config, "Two giraffes are in a.jpg."), ASKED)
    assert (record.answer, record.corrections) == ("Two giraffes are in a.jpg.", [])


def test_where_nothing_is_left_the_answer_is_composed(config: Config) -> None:
    record = run(answering(config, "Ansel Adams took it."), ASKED)
    assert record.message.startswith(f"{FOUND}\n\n")
    assert "holds nothing that the results say; this one is composed" in record.notices[0]
    assert record.usage["respond"].calls == 1


def test_the_terminal_tells_of_it_in_a_line(config: Config, capsys: pytest.CaptureFixture[str]) -> None:
    for said, told in (
        ("Three giraffes. Two giraffes.", "(1 sentence of the language model was"),
        ("Two giraffes.", ""),
    ):
        controller = answering(config, said)
        follow(
            controller,
            controller.prepare([{"role": "user", "content": ASKED}]),
            "answer",
            quiet=False,
            speak=io.StringIO(),
        )
        assert (told in capsys.readouterr().err) is True
    controller = answering(config, "Three giraffes.")
    follow(controller, controller.prepare([{"role": "user", "content": ASKED}]), "answer", quiet=True)
    assert capsys.readouterr().err == ""


# Bounds


def test_every_stage_is_bounded(make_config: MakeConfig) -> None:
    steps = plan(
        task(0, "image-to-text", image=A), task(1, "translation", [0], text="<GENERATED>-0", language="French")
    )
    llm = ScriptedLLM(
        plan=["no plan", steps], select='{"id": "one", "reason": "r"}', task="un chat", respond="Un chat."
    )
    both = FakeEndpoint("local", {"image-to-text": ["one", "two"]}, lambda *_: {"generated text": "a cat"})
    with_llm = controller_at(make_config(embedded=False), llm, both)
    with_llm.selector.endpoints = (LanguageModel(llm, with_llm.selector.prompts), both)
    record = run(with_llm, f"Describe {A} in French")
    assert record.errors == [], record.errors
    bounds = dict(reversed(llm.bounds))
    assert [stage for stage, _ in llm.bounds] == ["plan", "plan", "select", "task", "respond"]
    first, again = (most for stage, most in llm.bounds if stage == "plan")
    assert first and first < 600 and again == MORE_ROOM * first
    assert (bounds["select"] or 999) < 120
    assert OTHER_REPLY < (bounds["task"] or 0) < OTHER_REPLY + 50
    assert 200 < (bounds["respond"] or 0) < 300


def test_a_plan_that_never_ends_is_not_shown_again_whole(make_config: MakeConfig) -> None:
    class Endless(ScriptedLLM):
        def complete(self, *args: Any, **kwargs: Any) -> Reply:
            reply = super().complete(*args, **kwargs)
            return Reply(reply.text, reply.usage, "", "at the bound of 300 tokens") if "again" in reply.text else reply

    endless = json.dumps({"tasks": [task(n, "image-to-text", image=A) for n in range(60)]}) + "again"
    llm = Endless(plan=[endless, plan(task(0, "image-to-text", image=A))], respond="A cat.")
    place = FakeEndpoint("local", {"image-to-text": ["one"]}, lambda *_: {"generated text": "a cat"})
    record = run(controller_at(make_config(embedded=False, stream_plan=False), llm, place), f"Describe {A}")
    assert len(record.tasks) == 1
    *_, shown, told = llm.messages("plan")[1]
    assert len(shown["content"]) == 500 and "cut off at the bound of 300 tokens" in told["content"]


class CutOff(ScriptedLLM):
    """A language model whose texts of one stage are cut off."""

    stage = "task"

    def complete(self, *args: Any, **kwargs: Any) -> Reply:
        reply = super().complete(*args, **kwargs)
        return replace(reply, cut_off="at the bound of 9 tokens" if kwargs["stage"] == self.stage else "")


@pytest.mark.parametrize(
    ("step", "text", "is_kept"),
    [
        (task(0, "text-generation", text="Write a story of a cat."), "There was a cat", True),
        (task(0, "text-generation", text="Write a story of a cat."), "", False),
        (task(0, "translation", text="a cat", language="French"), "Un chat", False),
    ],
)
def test_a_story_that_is_cut_off_is_kept_and_all_is_counted(
    make_config: MakeConfig, step: dict[str, Any], text: str, is_kept: bool
) -> None:
    llm = CutOff(plan=plan(step), task=text, **{"respond": "There was a cat."} if is_kept else {})
    made = controller_at(make_config(embedded=False), llm)
    made = controller_at(make_config(embedded=False), llm, LanguageModel(llm, made.selector.prompts))
    request = made.prepare([{"role": "user", "content": "Write a story of a cat, or translate 'a cat' into French"}])
    record = RunRecord()
    for event in made.run(request):
        record.apply(event)
    kept = {"generated text": f"{text} … (cut off)"}
    assert record.tasks[0].value == kept if is_kept else not record.tasks[0].ok
    assert sum(record.usage.values(), Usage()) == request.spent
    assert record.usage["task"].calls == 1


def test_what_failed_plans_and_choices_cost_is_in_the_record(make_config: MakeConfig) -> None:
    both = FakeEndpoint("local", {"image-to-text": ["one", "two"]}, lambda *_: {"generated text": "a cat"})
    for planned in (["no plan", "none either"], ["no plan", BackendError("It is down.")]):
        answers = {} if isinstance(planned[1], Exception) else {"select": "none", "respond": "A cat."}
        llm = ScriptedLLM(plan=planned, **answers)
        made = controller_at(make_config(embedded=False), llm, both)
        request = made.prepare([{"role": "user", "content": f"Describe {A}"}])
        record = RunRecord()
        for event in made.run(request):
            record.apply(event)
        assert sum(record.usage.values(), Usage()) == request.spent
        assert request.spent.calls >= len([one for one in planned if isinstance(one, str)])
