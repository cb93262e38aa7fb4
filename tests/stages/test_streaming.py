"""A plan that is streamed gives the same plan and results as one that is not, however it is cut."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hugginggpt.core.errors import StopReason
from hugginggpt.core.events import Finished, Planned, Started, TaskPlanned
from hugginggpt.core.plan import Task
from hugginggpt.core.tasks import TaskType
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import Message, Reply, Stage
from hugginggpt.stages.selector import PerTaskSelection
from hugginggpt.stages.streamed_plan import StreamingPlanParser
from hugginggpt.testing import FakeEndpoint, ScriptedLLM, events, run, task
from tests.conftest import TABLE, MakeConfig, controller_at, parse_plan

A = "/examples/a.jpg"
MODELS = {
    "image-to-text": ["caption"],
    "object-detection": ["detect"],
    "canny-control": ["canny"],
    "text-to-speech": ["speak"],
    "question-answering": ["answer"],
}


def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
    """A result that depends on the arguments alone, so that a wrong input shows."""
    given = "|".join(f"{name}={getattr(value, 'name', value)}" for name, value in sorted(args.items()))
    return {
        "image-to-text": {"generated text": f"caption({given})"},
        "object-detection": {"generated image": A, "predicted": [{"label": "cat", "score": 0.9}]},
        "canny-control": {"generated image": A},
        "text-to-speech": {"generated audio": "/examples/speech.wav"},
        "question-answering": {"answer": f"answer({given})"},
    }[task.name]


class CutLLM(ScriptedLLM):
    """Streams its plan in pieces of the given lengths."""

    def __init__(self, plan: str, cuts: Sequence[int]) -> None:
        super().__init__(plan=[plan] * 2, respond="ok", chat="ok")
        self.cuts = cuts

    def stream(
        self, messages: Sequence[Message], *, stage: Stage, schema: Any = None, most: int | None = None
    ) -> Generator[str, None, Reply]:
        text = self.complete(messages, stage=stage).text
        at = 0
        for length in self.cuts if stage == "plan" else ():
            yield text[at : at + length]
            at += length
        yield text[at:]
        return Reply(text, Usage(1, 1, 1))


def outcome(config: Any, plan: str, cuts: Sequence[int], streamed: bool) -> Any:
    llm = CutLLM(plan, cuts)
    controller = controller_at(config, llm, FakeEndpoint("local", MODELS, work))
    controller.planner.planner.model.stream = streamed  # type: ignore[attr-defined]
    record = run(controller, "x")
    for done in record.tasks.values():
        done.choice = done.choice if done.ok else None  # whether one was made before a task is skipped is chance
        done.reason = "" if done.state == "skipped" else done.reason  # so is which of the tasks it needs failed first
    return record.plan.to_json(), record.results, sorted(record.errors), record.stop


@st.composite
def plans(draw: st.DrawFn) -> str:
    """Plans as models write them, good and bad: forward references, circles, repeated ids, several resources."""
    count = draw(st.integers(1, 7))
    names = st.sampled_from([*MODELS, "no-such-task"])
    ids = st.integers(0, count)
    refs = st.one_of(
        ids.map(lambda n: f"<GENERATED>-{n}"),
        st.tuples(ids, ids).map(lambda p: f"<GENERATED>-{p[0]}, <GENERATED>-{p[1]}"),
    )
    made = []
    for at in range(count):
        number = draw(st.one_of(st.just(at), ids, st.just(None), st.just(str(at))))
        args = draw(
            st.dictionaries(
                st.sampled_from(["image", "text", "context"]),
                st.one_of(st.just(A), refs, st.just("words"), st.just([A, A])),
                max_size=3,
            )
        )
        made.append(
            {
                "task": draw(names),
                **({"id": number} if number is not None else {}),
                "dep": draw(st.lists(st.integers(-1, count), max_size=2)),
                "args": args,
            }
        )
    text = json.dumps({"tasks": made} if draw(st.booleans()) else made, indent=draw(st.sampled_from([None, 1])))
    return draw(st.sampled_from(["{}", "Here it is:\n```json\n{}\n```", "{} and that is [all]."])).replace(
        "{}", text, 1
    )


@given(plan=plans(), seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_streamed_or_not_the_outcome_is_the_same(make_config: MakeConfig, plan: str, seed: int) -> None:
    lengths = random.Random(seed)
    cuts = [lengths.randint(1, 40) for _ in range(60)]
    config = make_config(embedded=False)
    assert outcome(config, plan, cuts, True) == outcome(config, plan, cuts, False)


@given(plan=plans(), seed=st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_what_is_begun_early_is_almost_always_as_the_whole_plan_says(plan: str, seed: int) -> None:
    """Tasks that are given early have no problem and know all their dependencies; each is given once."""
    lengths, early, at = random.Random(seed), StreamingPlanParser(TABLE, 50), 0
    given: list[Any] = []
    while at < len(plan):
        step = lengths.randint(1, 60)
        given += early.feed(plan[at : at + step])
        at += step
    ids = [task.id for task in given]
    assert len(ids) == len(set(ids))
    for number, found in enumerate(given):
        assert not found.problem
        assert set(found.dep) <= set(ids[:number])


@pytest.mark.parametrize("streamed", [True, False])
def test_models_are_chosen_along_the_critical_path_first(
    make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch, streamed: bool
) -> None:
    """Of tasks that are known at the same time: whoever is asked about first is answered first."""
    chosen: list[int] = []
    select = PerTaskSelection.select

    def noted(self: PerTaskSelection, task: Task, *guessed: Any) -> Any:
        chosen.append(task.id)
        return select(self, task, *guessed)

    monkeypatch.setattr(PerTaskSelection, "select", noted)
    plan = [
        task(0, "image-to-text", image=A), task(1, "object-detection", image=A),
        task(2, "canny-control", dep=[1], image="<GENERATED>-1"),
        task(3, "image-to-text", dep=[2], image="<GENERATED>-2"),
    ]  # fmt: skip
    assert not outcome(make_config(embedded=False), json.dumps(plan), [], streamed)[2]
    assert chosen == [1, 2, 0, 3]


def test_a_valid_plan_is_given_task_by_task() -> None:
    tasks = [
        task(0, "image-to-text", image=A),
        task(1, "text-to-speech", [0], text="<GENERATED>-0"),
        task(2, "image-to-text", image=A),
    ]
    text = json.dumps({"tasks": tasks})
    early = StreamingPlanParser(TABLE, 50)
    ends = [at for at, char in enumerate(text, 1) if early.feed(char)]
    assert len(ends) == 3
    assert text[ends[0] - 1] == "}" and ends[0] < len(text) / 2
    assert parse_plan(text).to_json() == tasks


@pytest.mark.parametrize(
    "text", ["", "No.", "[]", '{"tasks": []}', "[1, 2]", "[[{]]", '[{"task": 1}, {', "[{'task': 'x'}]"]
)
def test_what_is_no_strict_plan_gives_nothing_early(text: str) -> None:
    early = StreamingPlanParser(TABLE, 50)
    assert [task for char in text for task in early.feed(char)] == []


def test_the_first_task_runs_before_the_plan_is_whole(make_config: MakeConfig) -> None:
    """The model goes on writing only while the first task runs, which ends only when the plan is whole."""
    running, planned = threading.Event(), threading.Event()
    tasks = [task(0, "image-to-text", image=A), task(1, "text-to-speech", [0], text="<GENERATED>-0")]

    class Waiting(CutLLM):
        def stream(
            self, messages: Any, *, stage: Stage, schema: Any = None, most: int | None = None
        ) -> Generator[str, None, Reply]:
            text = self.complete(messages, stage=stage).text
            if stage == "plan":
                cut = text.index('{"task": "text-to-speech"')
                yield text[:cut]
                assert running.wait(20)
                text = text[cut:]
            yield text
            return Reply(text if stage != "plan" else json.dumps(tasks), Usage(1, 1, 1))

    def noting(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if model == "caption":
            running.set()
            assert planned.wait(20)
        return work(model, task, args)

    llm = Waiting(json.dumps(tasks), [])
    controller = controller_at(make_config(embedded=False), llm, FakeEndpoint("local", MODELS, noting))
    seen = []
    for event in controller.run(controller.prepare([{"role": "user", "content": "x"}])):
        seen.append(event)
        if isinstance(event, Planned):
            planned.set()
    kinds = [(type(event), getattr(event, "task_id", None)) for event in seen]
    assert kinds.index((Started, 0)) < kinds.index((Planned, None))
    assert kinds.index((Planned, None)) < kinds.index((Started, 1))


def test_what_the_whole_plan_says_otherwise_is_run_again(make_config: MakeConfig) -> None:
    """The answer that counts is not what was streamed at first (a model that corrects itself)."""
    first = [task(0, "image-to-text", image=A)]
    second = [task(0, "object-detection", image=A), task(1, "image-to-text", [0], image="<GENERATED>-0")]
    text = f"{json.dumps(first)} - no, better: {json.dumps(second)}"
    place = FakeEndpoint("local", MODELS, work)
    seen = events(controller_at(make_config(embedded=False), CutLLM(text, [5] * 20), place), "x")
    assert [event.task.task for event in seen if isinstance(event, TaskPlanned)] == ["image-to-text"]
    assert next(event.kept for event in seen if isinstance(event, Planned)) == ()
    assert [event.task_id for event in seen if isinstance(event, Finished)][-2:] == [0, 1]


def test_a_stream_that_breaks_off_ends_the_run_and_what_was_begun(make_config: MakeConfig) -> None:
    from hugginggpt.core.errors import BackendError

    class Broken(CutLLM):
        def stream(
            self, messages: Any, *, stage: Stage, schema: Any = None, most: int | None = None
        ) -> Generator[str, None, Reply]:
            yield json.dumps([task(0, "image-to-text", image=A)])[:-1]
            raise BackendError("It broke off in the middle.")

    record = run(controller_at(make_config(embedded=False), Broken("", []), FakeEndpoint("local", MODELS, work)), "x")
    assert record.stop is StopReason.FAILED
    assert "broke off" in record.error
    assert all(done.state in ("finished", "failed", "skipped") for done in record.tasks.values())
