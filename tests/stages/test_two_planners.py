"""Two planners for one plan: who plans, what the language model is shown, and what the record says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError
from hugginggpt.core.events import Event, Planned
from hugginggpt.core.plan import Plan, Unplanned
from hugginggpt.llm.prompts import DRAFT, Prompts, plan_schema, task_list
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.stages.demonstrations import Demonstrations
from hugginggpt.stages.planner import LLMPlanner
from hugginggpt.stages.rewording import Rewording
from hugginggpt.stages.run import Run
from hugginggpt.stages.two_planners import Proposal, TwoPlanners
from hugginggpt.testing import FakeEndpoint, plan, run, says, task
from tests.conftest import TABLE, MakeConfig, controller_at, repair

A = "/examples/a.jpg"
CAPTION = task(0, "image-to-text", image=A)
SPEAK = task(1, "text-to-speech", dep=[0], text="<GENERATED>-0")
LIKELY = frozenset({"image-to-text", "text-to-speech"})
Plans = Callable[..., Planned]


class OfflineStub:
    """An offline planner that is as sure as it is told to be; `said_again` are its proposals for other words."""

    def __init__(
        self,
        proposal: Proposal,
        likely: frozenset[str] = LIKELY,
        said_again: Mapping[str, Proposal] = MappingProxyType({}),
    ) -> None:
        self.proposal, self.likely, self.said_again = proposal, likely, said_again

    def plan(self, run: Run) -> Iterator[Event]:  # type: ignore[override]
        yield Planned(self.proposal.plan, planner="offline")

    def propose(self, run: Run) -> Proposal:
        return self.said_again.get(run.request, self.proposal)

    def shortlist(self, run: Run, plan: Plan) -> frozenset[str]:
        return self.likely


@pytest.fixture
def plans(make_config: MakeConfig, tmp_path: Path) -> Plans:
    """Plans a request with a scripted model and an offline planner of a given certainty."""

    def planned(
        llm: Any,
        offline: OfflineStub,
        planner: str = "auto",
        stream: bool = False,
        keeps_prompt: bool = False,
        completes: bool = False,
    ) -> Planned:
        config = make_config()
        (tmp_path / "pool.jsonl").write_text('{"request": "draw a red boat", "plan": [{"task": "text-to-image"}]}\n')
        demonstrations = Demonstrations(
            tmp_path / "pool.jsonl", 3, tmp_path, lambda texts: np.ones((len(texts), 1), np.float32)
        )
        model = LLMPlanner(llm, Prompts(config, TokenCounter(), TABLE), offline, stream)  # type: ignore[arg-type]
        rewording = Rewording(llm, model.prompts) if completes else None
        both = TwoPlanners(offline, model, demonstrations, keeps_prompt, rewording=rewording)  # type: ignore[arg-type]
        its_run = Run([{"role": "user", "content": f"Do it with {A}"}], config.limits, planner=planner)  # type: ignore[arg-type]
        its_run.offline_fallback = True
        seen = list(both.plan(its_run))
        return next(event for event in reversed(seen) if isinstance(event, Planned))

    return planned


SURE = Proposal(repair([CAPTION]), 0.981, is_sure=True)
UNSURE = replace(SURE, confidence=0.412, is_sure=False)


def test_what_is_sure_is_planned_offline_and_the_model_is_not_asked(plans: Plans, scripted: Any) -> None:
    planned = plans(scripted(), OfflineStub(SURE))
    assert (planned.planner, planned.why, planned.confidence) == ("offline", "planned offline: 0.98", 0.981)
    assert [one.task for one in planned.plan] == ["image-to-text"]


@pytest.mark.parametrize("stream", [False, True])
def test_else_the_model_plans_with_the_likely_tasks_and_the_nearest_demonstrations(
    plans: Plans, scripted: Any, stream: bool
) -> None:
    llm = scripted(plan=plan(CAPTION, SPEAK))
    planned = plans(llm, OfflineStub(UNSURE), stream=stream)
    assert (planned.planner, planned.confidence) == ("llm", 0.412)
    assert planned.why == "the offline planner is not sure: 0.41"
    assert [one.task for one in planned.plan] == ["image-to-text", "text-to-speech"]
    system, shown, answer, question = (message["content"] for message in llm.messages("plan")[0])
    assert task_list(TABLE, LIKELY | {"text-to-image"}) in system  # and those of the demonstrations
    assert "- object-detection(" not in system
    assert "draw a red boat" in shown
    assert "text-to-image" in answer
    assert f"{DRAFT} " in question
    assert '"image-to-text"' in question.partition(DRAFT)[2]


def test_a_model_that_keeps_its_prompt_is_shown_what_it_has_read(plans: Plans, scripted: Any) -> None:
    alone, together = scripted(plan=plan(CAPTION)), scripted(plan=plan(CAPTION))
    plans(alone, OfflineStub(UNSURE), planner="llm")
    plans(together, OfflineStub(UNSURE), keeps_prompt=True)
    before, after = alone.messages("plan")[0], together.messages("plan")[0]
    assert before[:-1] == after[:-1]
    assert DRAFT in after[-1]["content"]


def test_a_plan_that_leaves_a_part_open_goes_to_the_model_however_sure_it_is(plans: Plans, scripted: Any) -> None:
    open_plan = replace(SURE.plan, unplanned=(Unplanned("and sing it"),))
    planned = plans(scripted(plan=plan(CAPTION)), OfflineStub(replace(SURE, plan=open_plan)))
    assert planned.planner == "llm"
    assert planned.why == "the offline planner leaves a part open: “and sing it”"


def test_the_model_is_told_what_is_wrong_in_the_draft_and_not_asked_again_for_what_it_leaves(
    plans: Plans, scripted: Any
) -> None:
    """A small model that is asked again for what it cannot do gives up the rest of the plan, too."""
    of_a_picture = repair([CAPTION, task(1, "tabular-classification", table=A)])
    draft = Proposal(replace(of_a_picture, unplanned=(Unplanned("sing it"),)), 0.4, is_sure=False)
    likely = LIKELY | {"tabular-classification"}
    llm = scripted(plan=plan(CAPTION, task(1, "tabular-classification", table=A)))
    planned = plans(llm, OfflineStub(draft, likely))
    question = llm.messages("plan")[0][-1]["content"]
    assert f"Wrong in it: task 1 (tabular-classification): its argument table wants a table, but {A}" in question
    assert "nothing is planned for “sing it”" in question
    assert [bool(one.problem) for one in planned.plan] == [False, True]  # its reason is told, the rest runs


def test_a_mistake_of_the_model_itself_is_worth_a_second_question(plans: Plans, scripted: Any) -> None:
    wrong = plan(CAPTION, task(1, "tabular-classification", table=A))
    likely = LIKELY | {"tabular-classification"}
    planned = plans(scripted(plan=[wrong, plan(CAPTION)]), OfflineStub(UNSURE, likely))
    assert [one.task for one in planned.plan] == ["image-to-text"]


def test_how_sure_is_sure_enough_can_be_set(make_config: MakeConfig, scripted: Any) -> None:
    config = make_config(embedded=False, planner="auto", planner_sure_from=1.0)
    record = run(controller_at(config, scripted(plan=plan(CAPTION), respond="A cat."), place()), f"Describe {A}")
    assert record.planner == "llm"


def test_without_a_shortlist_the_model_is_shown_all_tasks(plans: Plans, scripted: Any) -> None:
    llm = scripted(plan=plan(CAPTION))
    plans(llm, OfflineStub(UNSURE, frozenset()))
    assert task_list(TABLE) in llm.messages("plan")[0][0]["content"]


def test_a_run_can_ask_for_one_of_the_two(plans: Plans, scripted: Any) -> None:
    assert plans(scripted(), OfflineStub(UNSURE), planner="offline").planner == "offline"
    planned = plans(scripted(plan=plan(CAPTION)), OfflineStub(SURE), planner="llm")
    assert (planned.planner, planned.why, planned.confidence) == ("llm", "", None)


def test_an_unusable_plan_of_the_model_is_replaced_as_ever(plans: Plans, scripted: Any) -> None:
    planned = plans(scripted(plan=["no", "never"]), OfflineStub(UNSURE))
    assert (planned.planner, planned.confidence) == ("offline", None)
    assert planned.why.startswith("The language model wrote no usable plan")


# The whole program, with the planner's own weights


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False, planner="auto")


def place() -> FakeEndpoint:
    return FakeEndpoint("local", {"image-to-text": ["caption"], "object-detection": ["detect"]}, says("a cat"))


def test_a_plain_request_costs_no_plan_of_the_model(config: Config, scripted: Any) -> None:
    record = run(controller_at(config, scripted(respond="A cat."), place()), f"Describe {A}")
    told = record.to_json()["planned_by"]
    assert told["planner"] == "offline"
    assert re.fullmatch(r"planned offline: 0\.9\d", told["why"])
    assert told["confidence"] > 0.9
    assert record.message.startswith("A cat.")
    assert "the offline planner made the plan" not in record.message  # nothing had failed


def test_an_unclear_request_is_planned_by_the_model(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(CAPTION), respond="A cat.")
    record = run(controller_at(config, llm, place()), f"Could {A} do for the thing my aunt told us about, somehow?")
    assert record.planner == "llm"
    assert "offline planner" in record.planner_reason


def test_a_configuration_keeps_to_one_planner(make_config: MakeConfig, scripted: Any) -> None:
    offline = make_config(embedded=False, planner="offline")
    record = run(controller_at(offline, scripted(respond="A cat."), place()), f"Describe {A}")
    assert record.to_json()["planned_by"] == {"planner": "offline", "why": ""}


def test_what_the_offline_planner_asks_back_is_asked(make_config: MakeConfig, scripted: Any) -> None:
    offline = make_config(embedded=False, planner="offline")
    record = run(controller_at(offline, scripted(), place()), "Count the people in the photo")
    assert record.missing
    assert record.message.startswith("Which picture do you mean?")


def test_the_schema_of_a_shortlist_allows_only_its_tasks() -> None:
    enum = plan_schema(TABLE, LIKELY)["properties"]["tasks"]["items"]["properties"]["task"]["enum"]
    assert set(enum) == LIKELY


# A model that only completes

OPEN = Proposal(Plan(unplanned=(Unplanned("sing it"),)), 0.3, is_sure=False)


def test_a_model_that_completes_is_not_asked_where_a_task_was_found(plans: Plans, scripted: Any) -> None:
    planned = plans(scripted(), OfflineStub(UNSURE), completes=True)
    assert (planned.planner, planned.confidence) == ("offline", 0.412)


AGAIN = f"Describe {A} and read the description aloud"
BOTH = replace(SURE, plan=repair([CAPTION, SPEAK]))


def test_it_says_the_request_again_and_what_the_offline_planner_makes_of_that_is_the_plan(
    plans: Plans, scripted: Any
) -> None:
    planned = plans(scripted(reword=AGAIN), OfflineStub(OPEN, said_again={AGAIN: BOTH}), completes=True)
    assert [(one.task, one.id) for one in planned.plan] == [("image-to-text", 0), ("text-to-speech", 1)]
    assert planned.plan.unplanned == ()
    assert (planned.planner, planned.why) == ("offline", f"planned offline, read as “{AGAIN}”")
    assert planned.usage.calls == 1


GERMAN = replace(SURE, plan=Plan(unplanned=(Unplanned("und mein Hund"),), language="de"))
QUESTION = {"task": "question-answering", "id": 0, "dep": [-1], "args": {"text": "May I bring a dog?", "context": "x"}}


def test_a_question_in_another_language_stands_above_the_english_one(plans: Plans, scripted: Any) -> None:
    again = replace(SURE, plan=repair([QUESTION]))
    planned = plans(scripted(reword=AGAIN), OfflineStub(GERMAN, said_again={AGAIN: again}), completes=True)
    assert planned.plan.language == "de"
    assert planned.plan[0].args["text"] == f"Do it with {A}\nMay I bring a dog?"


def test_in_another_language_words_left_over_do_not_matter_to_questions(plans: Plans, scripted: Any) -> None:
    asked = replace(repair([QUESTION]), language="de")
    planned = plans(scripted(), OfflineStub(replace(UNSURE, plan=asked, left="abgestellt")), completes=True)
    assert planned.plan == asked


LEFT = replace(BOTH, left="backwards")


@pytest.mark.parametrize(
    ("reply", "again"),
    [
        (AGAIN, LEFT),  # which are not understood either
        (AGAIN, replace(SURE, plan=Plan(unplanned=(Unplanned("aloud"),)))),
        ("Describe the picture", BOTH),  # which one?
        (f"Describe {A}", OPEN),
        (BackendError("it is down"), BOTH),
    ],
)
def test_whatever_it_says_the_draft_stands_unless_other_words_are_understood(
    plans: Plans, scripted: Any, reply: Any, again: Proposal
) -> None:
    offline = OfflineStub(OPEN, said_again={AGAIN: again, "Describe the picture": again})
    planned = plans(scripted(reword=reply), offline, completes=True)
    assert (planned.plan, planned.planner) == (OPEN.plan, "offline")


def test_numbers_stay_in_other_words(make_config: MakeConfig, scripted: Any) -> None:
    def said_again(reply: str) -> Run | None:
        config = make_config()
        rewording = Rewording(scripted(reword=reply), Prompts(config, TokenCounter(), TABLE))
        events = rewording.of(Run([{"role": "user", "content": f"turn {A} by 45, will you"}], config.limits))
        with pytest.raises(StopIteration) as ended:
            while True:
                next(events)
        return ended.value.value  # type: ignore[no-any-return]

    again = said_again(f"Rotate {A} by 45 degrees")
    assert again and again.request == f"Rotate {A} by 45 degrees"
    assert said_again(f"Rotate {A} by 54 degrees") is None


def test_models_on_machines_of_ones_own_complete_unless_the_configuration_says_otherwise(
    make_config: MakeConfig,
) -> None:
    by_default = {name: make_config().completes(name) for name in ("embedded", "local", "openai", "huggingface")}
    assert by_default == {"embedded": True, "local": True, "openai": False, "huggingface": False}
    assert make_config(llm_role="completes").completes("openai")
    assert not make_config(llm_role="leads").completes("local")
