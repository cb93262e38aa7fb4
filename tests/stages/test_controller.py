"""The four stages together: order, parallelism, failures, limits, answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.config import Config
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import BackendError, StopReason, UserError
from hugginggpt.core.events import (
    AnswerDelta,
    Done,
    Failed,
    Finished,
    Planned,
    Retried,
    RunRecord,
    RunStarted,
    Selected,
    Skipped,
    Started,
    TaskPlanned,
)
from hugginggpt.core.tasks import TaskType
from hugginggpt.stages.answers import only_real_paths
from hugginggpt.testing import FakeEndpoint, events, plan, run, says, task
from hugginggpt.testing.endpoint import Work
from tests.conftest import MakeConfig, controller_at, controller_with

ONE = {"image-to-text": ["caption"], "object-detection": ["detect"], "question-answering": ["answer"]}
A, B = "/examples/a.jpg", "/examples/b.jpg"


@pytest.fixture
def config(make_config: MakeConfig) -> Config:
    return make_config(embedded=False)


def test_the_events_of_a_run_in_their_order(config: Config, scripted: Any) -> None:
    llm = scripted(
        plan=plan(
            task(0, "image-to-text", image=A), task(1, "question-answering", text="who?", context="<GENERATED>-0")
        ),
        respond="A cat.",
    )
    place = FakeEndpoint(
        "local", ONE, lambda model, task, args: {"generated text": "a cat"} if model == "caption" else {"answer": "cat"}
    )
    seen = events(controller_at(config, llm, place), "Who is in it?")
    kinds = [type(event) for event in seen]
    assert kinds[:2] == [RunStarted, TaskPlanned]  # the first task is begun before the plan is whole
    assert [event.kept for event in seen if isinstance(event, Planned)] == [(0, 1)]
    assert kinds[-1] is Done
    of_task = [
        [
            type(event)
            for event in seen
            if getattr(event, "task_id", None) == number and not isinstance(event, AnswerDelta)
        ]
        for number in (0, 1)
    ]
    assert of_task == [[Selected, Started, Finished]] * 2
    started = next(i for i, e in enumerate(seen) if isinstance(e, Started) and e.task_id == 1)
    finished = next(i for i, e in enumerate(seen) if isinstance(e, Finished) and e.task_id == 0)
    assert finished < started
    assert place.calls[1][2]["context"] == "a cat"
    assert [event.at for event in seen] == sorted(event.at for event in seen)


def test_a_text_file_is_read_and_a_generated_name_is_only_a_text(
    config: Config, scripted: Any, public: Path, tmp_path: Path
) -> None:
    (public / "examples" / "letter.txt").write_text("Dear Ada", encoding="utf-8")
    (tmp_path / "my letter.txt").write_text("Dear Bob", encoding="utf-8")
    who = {"text": "who?"}
    llm = scripted(
        plan=plan(
            task(0, "question-answering", context="/examples/letter.txt", **who),
            task(1, "question-answering", context="my letter.txt", **who),
            task(2, "question-answering", context="none.txt", **who),
            task(3, "question-answering", context="Where/what is letter.txt?", **who),
            task(4, "image-to-text", image=A),
            task(5, "question-answering", [4], context="<GENERATED>-4", **who),
            task(6, "question-answering", context="It is said in a letter.txt", **who),
        ),
        respond="ok",
    )

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        return {"generated text": "/examples/letter.txt"} if model == "caption" else {"answer": args["context"]}

    attached = [Attachment("my letter.txt", (tmp_path / "my letter.txt").as_uri(), "text")]
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, work)), "x", files=attached)
    answers = {n: task.value["answer"] for n, task in record.tasks.items() if task.ok and n != 4}
    assert answers == {
        0: "Dear Ada",
        1: "Dear Bob",
        3: "Where/what is letter.txt?",
        5: "/examples/letter.txt",
        6: "It is said in a letter.txt",
    }
    assert "There is no file none.txt" in record.tasks[2].reason


def test_independent_tasks_run_at_the_same_time(config: Config, scripted: Any) -> None:
    """Each waits for the others at a barrier: run one after another, they would never get past it."""
    meeting = threading.Barrier(8, timeout=20)

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        meeting.wait()
        return {"generated text": "x"}

    llm = scripted(plan=plan(*(task(n, "image-to-text", image=A) for n in range(8))), respond="ok")
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, work)), "Describe it eight times")
    assert all(t.ok for t in record.tasks.values())


def test_a_task_starts_when_its_own_dependencies_are_done_not_the_whole_level(config: Config, scripted: Any) -> None:
    """Task 2 needs task 0 only; task 1, beside task 0, ends only after task 2."""
    second_done = threading.Event()

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if args.get("image", Path()).name == "b.jpg":
            assert second_done.wait(20)
        if task.name == "question-answering":
            second_done.set()
            return {"answer": "x"}
        return {"generated text": "x"}

    llm = scripted(
        plan=plan(
            task(0, "image-to-text", image=A),
            task(1, "image-to-text", image=B),
            task(2, "question-answering", [0], text="?", context="<GENERATED>-0"),
        ),
        respond="ok",
    )
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, work)), "x")
    assert [t.state for t in record.tasks.values()] == ["finished"] * 3


def test_selection_does_not_wait_for_execution(config: Config, scripted: Any) -> None:
    """All choices of a chain of three are asked for before the first task may end."""
    asked = threading.Semaphore(0)

    def choose(messages: Any) -> str:
        asked.release()
        return '{"id": "one", "reason": "r"}'

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if task.name == "image-to-text":
            for _ in range(3):
                assert asked.acquire(timeout=20)
        return {"answer": "x"} if task.name == "question-answering" else {"generated text": "x"}

    two = dict.fromkeys(["image-to-text", "question-answering"], ["one", "two"])
    llm = scripted(
        plan=plan(
            task(0, "image-to-text", image=A),
            task(1, "question-answering", [0], text="?", context="<GENERATED>-0"),
            task(2, "question-answering", [1], text="Who?", context="<GENERATED>-1"),
        ),
        select=[choose] * 3,
        respond="ok",
    )
    assert run(controller_at(config, llm, FakeEndpoint("local", two, work)), "x").stop is StopReason.ANSWERED


# Failures


def test_the_next_candidate_then_the_next_endpoint(config: Config, scripted: Any) -> None:
    def fails(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError(f"{model} is broken.")

    many = {"image-to-text": [f"m{n}" for n in range(6)]}
    first, second = (
        FakeEndpoint("huggingface", many, fails),
        FakeEndpoint("embedded", {"image-to-text": ["own"]}, says("a cat")),
    )
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select='{"id": "m2", "reason": "r"}', respond="ok")
    seen = events(controller_at(config, llm, first, second), "x")
    assert [call[0] for call in first.calls] == ["m2", "m0", "m1"]  # limits.attempts models, then the other place
    assert [call[0] for call in second.calls] == ["own"]
    retried = [event for event in seen if isinstance(event, Retried)]
    assert [event.choice.id for event in retried] == ["m0", "m1", "own"]
    assert "m2 is broken." in retried[0].choice.reason


def test_an_endpoint_that_is_down_is_left_at_once(config: Config, scripted: Any) -> None:
    def fails(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError("Refused.", endpoint_down=True)

    first = FakeEndpoint("huggingface", {"image-to-text": ["a", "b", "c"]}, fails)
    second = FakeEndpoint("embedded", {"image-to-text": ["own"]}, says("a cat"))
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select='{"id": "a", "reason": "r"}', respond="ok")
    record = run(controller_at(config, llm, first, second), "x")
    assert len(first.calls) == 1
    assert record.tasks[0].ok


def test_a_failed_task_takes_its_dependents_with_it_and_no_other(config: Config, scripted: Any) -> None:
    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if task.name == "object-detection":
            raise BackendError("No.")
        return {"generated text": "a cat"}

    llm = scripted(
        plan=plan(
            task(0, "object-detection", image=A),
            task(1, "image-to-text", [0], image="<GENERATED>-0"),
            task(2, "question-answering", [1], text="?", context="<GENERATED>-1"),
            task(3, "image-to-text", image=B),
        ),
        respond="Here you are.",
    )
    seen = events(controller_at(config, llm, FakeEndpoint("local", ONE, work)), "x")
    record = RunRecord()
    for event in seen:
        record.apply(event)
    assert {n: t.state for n, t in record.tasks.items()} == {0: "failed", 1: "skipped", 2: "skipped", 3: "finished"}
    assert "needs the result of task 0 (object-detection)" in record.tasks[1].reason
    assert "needs the result of task 1" in record.tasks[2].reason
    ended = [event.task_id for event in seen if isinstance(event, Finished | Failed | Skipped)]
    assert sorted(ended) == [0, 1, 2, 3]
    for reason in record.errors:
        assert reason in record.message  # the answer names what failed
    assert record.stop is StopReason.ANSWERED


def test_a_problem_of_the_plan_fails_its_task_and_the_others_go_on(config: Config, scripted: Any) -> None:
    broken = plan(task(0, "image-to-text", image=A), task(1, "no-such-task"), task(2, "image-to-text", [9], image=B))
    llm = scripted(plan=[broken, broken], respond="ok")  # shown its mistakes once
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, says("x"))), "x")
    assert {n: t.state for n, t in record.tasks.items()} == {0: "finished", 1: "failed", 2: "failed"}
    assert "task 9, which is not in the plan" in record.message


def test_nothing_done_is_said_without_asking_the_language_model(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image="/examples/none.jpg")))  # no respond in the script
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, says("x"))), "x")
    assert record.stop is StopReason.FAILED
    assert "There is no file /examples/none.jpg" in record.message


def test_without_any_model_the_task_says_what_to_set(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "text-to-image", text="a cat")))
    record = run(controller_with(config, llm), "x")
    assert "No model for text-to-image can be reached: set HF_TOKEN for Hugging Face." in record.errors[0]


def test_a_bug_is_raised(config: Config, scripted: Any) -> None:
    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise ZeroDivisionError

    llm = scripted(plan=plan(task(0, "image-to-text", image=A)))
    with pytest.raises(ZeroDivisionError):
        run(controller_at(config, llm, FakeEndpoint("local", ONE, work)), "x")


# Planning


def test_a_plan_that_cannot_be_read_gets_one_repair_turn(config: Config, scripted: Any) -> None:
    llm = scripted(plan=["I will describe it.", plan(task(0, "image-to-text", image=A))], respond="ok")
    assert run(controller_at(config, llm, FakeEndpoint("local", ONE, says("x"))), "x").tasks[0].ok
    second = [messages for stage, messages in llm.calls if stage == "plan"][1]
    assert second[-2] == {"role": "assistant", "content": "I will describe it."}
    assert "no JSON list" in second[-1]["content"]


def test_after_the_repair_turn_the_offline_planner_takes_over(config: Config, scripted: Any) -> None:
    llm = scripted(plan=["no", "no again"], respond="ok")
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, says("x"))), f"Describe {A}")
    assert [t.task["task"] for t in record.tasks.values()] == ["image-to-text"]
    assert "offline planner" in record.notices[0]


def test_no_task_is_a_conversation(config: Config, scripted: Any) -> None:
    llm = scripted(plan="[]", chat="Hello to you, too.")
    record = run(controller_at(config, llm), "Hello!")
    assert record.message == "Hello to you, too."
    assert record.stop is StopReason.ANSWERED
    assert llm.calls[-1][1][-1]["content"] == "Hello!"


def test_the_chat_before_the_request_reaches_the_planner_as_far_as_it_fits(
    make_config: MakeConfig, scripted: Any
) -> None:
    llm = scripted(plan="[]", chat="ok")
    history = [
        {"role": role, "content": f"turn {n} " + "x" * 2000} for n in range(20) for role in ("user", "assistant")
    ]
    run(controller_with(make_config(context_length=12000), llm), "and now?", history=history)
    last = llm.calls[0][1][-1]["content"]
    assert "turn 19" in last and "and now?" in last
    assert "turn 0 " not in last


# Answers


def test_files_are_listed_by_us_and_made_up_paths_do_not_survive(config: Config, scripted: Any) -> None:
    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        return {"generated image": "/images/real.png", "predicted": [{"label": "cat", "score": 0.9}]}

    answer = (
        f"See /images/real.png and /images/fake.png, https://evil.example/x.png or (images/fake2.png); yours is {A}."
    )
    llm = scripted(plan=plan(task(0, "object-detection", image=A)), respond=answer)
    controller = controller_at(config, llm, FakeEndpoint("local", ONE, work))
    seen = events(controller, f"Find the cat in {A}")
    record = RunRecord()
    for event in seen:
        record.apply(event)
    streamed = "".join(event.text for event in seen if isinstance(event, AnswerDelta))
    assert record.message == streamed.strip()
    assert record.files == ["/images/real.png"]
    assert record.message.endswith(
        "Files: /images/real.png (boxes and labels drawn, object-detection)\n\nWhat was done:\n- object-detection with detect on local"
    )
    assert "fake" not in record.message and "evil" not in record.message
    assert f"yours is {A}." in record.message


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("[ok](https://example.com/)", "[ok](https://example.com/)"),
        ("See https://example.com/docs?page=2, please.", "See https://example.com/docs?page=2, please."),
        ("Try /examples/b.jpg or examples/a.jpg.", "Try /examples/b.jpg or examples/a.jpg."),
        ("Try /examples/none.jpg.", "Try (no such file)."),
        ("Try /examples/../../secret.", "Try (no such file)."),
        ("Here: https://example.com/images/fake.png?x=1", "Here: (no such file)"),
        ("http://[x", "http://[x"),
    ],
)
def test_links_to_pages_and_examples_stay_and_files_are_not_made_up(said: str, shown: str) -> None:
    assert "".join(only_real_paths([said], RunRecord())) == shown


@pytest.mark.parametrize("failure", [BackendError("It is gone."), ""])
def test_without_its_words_the_results_are_still_told(config: Config, scripted: Any, failure: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), respond=failure)
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, says("a tabby cat"))), "x")
    assert "a tabby cat" in record.message
    assert record.stop is StopReason.ANSWERED
    assert "composed without the language model" in record.notices[-1]


def test_jarvis_results(config: Config, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), respond="ok")
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, says("a cat"))), "x")
    assert record.results == {
        "0": {
            "task": task(0, "image-to-text", image=A),
            "inference result": {"generated text": "a cat"},
            "choose model result": {
                "id": "caption",
                "reason": "It is the only model available.",
                "endpoint": "local",
                "place": "on local",
            },
            "form": "text",
            "reading": "a cat",
            "files": [],
        }
    }
    assert "reading" not in llm.calls[-1][1][-1]["content"]  # the prompt is JARVIS's


# Limits


@pytest.mark.parametrize(
    "messages",
    [None, [], "hi", [{"role": "user"}], [{"role": "user", "content": " \n"}], [{"role": "assistant", "content": "x"}],
     [{"role": "user", "content": "x" * 1_000_000}], [{"role": "user", "content": ["x"]}], [7]],
)  # fmt: skip
def test_a_request_that_is_none(config: Config, messages: Any) -> None:
    with pytest.raises(UserError):
        controller_with(config).prepare(messages)


def hanging() -> tuple[Work, threading.Event]:
    over = threading.Event()

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if args["image"].name == "b.jpg":
            over.wait(60)
        return {"generated text": "a cat"}

    return work, over


TWO = plan(
    task(0, "image-to-text", image=A),
    task(1, "image-to-text", image=B),
    task(2, "question-answering", [1], text="?", context="<GENERATED>-1"),
)


def test_a_task_that_hangs_is_ended_and_the_others_count(make_config: MakeConfig, scripted: Any) -> None:
    work, over = hanging()
    llm = scripted(plan=TWO, respond="ok")
    config = make_config(embedded=False, limits={"task_seconds": 0.3})
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, work)), "x")
    over.set()
    assert {n: t.state for n, t in record.tasks.items()} == {0: "finished", 1: "failed", 2: "skipped"}
    assert "longer than 0.3 s" in record.tasks[1].reason
    assert record.stop is StopReason.ANSWERED


def test_a_run_out_of_time_tells_what_is_done(make_config: MakeConfig, scripted: Any) -> None:
    work, over = hanging()
    llm = scripted(plan=TWO)
    config = make_config(embedded=False, limits={"max_seconds": 0.4})
    record = run(controller_at(config, llm, FakeEndpoint("local", ONE, work)), "x")
    over.set()
    assert record.stop is StopReason.MAX_SECONDS
    assert {n: t.state for n, t in record.tasks.items()} == {0: "finished", 1: "failed", 2: "skipped"}
    assert "a cat" in record.message
    assert "longer than 0.4 s" in record.error


def test_a_language_model_that_hangs_does_not_hold_the_run(make_config: MakeConfig, scripted: Any) -> None:
    over = threading.Event()
    llm = scripted(plan=lambda messages: str(over.wait(60)))
    record = run(controller_with(make_config(limits={"max_seconds": 0.3}), llm), "x")
    over.set()
    assert record.stop is StopReason.MAX_SECONDS


def test_too_many_tokens(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)))
    record = run(controller_with(make_config(limits={"max_tokens": 5}), llm), "x")
    assert record.stop is StopReason.MAX_TOKENS
    assert "max_tokens" in record.error
    assert record.to_json()["usage"]["plan"]["calls"] == 1 and record.to_json()["usage"]["total"]["total_tokens"] > 5


def test_tokens_of_a_reply_that_nobody_could_use_count(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), respond="")
    record = run(controller_with(make_config(), llm), "x")
    assert record.stop is StopReason.ANSWERED and "answered nothing" in record.message
    assert record.usage["respond"].calls == 1


def test_a_cancelled_run_ends_at_once_and_wakes_who_waits(config: Config, scripted: Any) -> None:
    work, over = hanging()
    controller = controller_at(config, scripted(plan=TWO), FakeEndpoint("local", ONE, work))
    stream = controller.run(controller.prepare([{"role": "user", "content": "x"}]))
    seen = [next(event for event in stream if isinstance(event, Finished))]
    stream.close()  # as Ctrl-C does
    over.set()
    assert seen[0].task_id == 0


def test_usage_is_counted_by_stage(config: Config, scripted: Any) -> None:
    two = {"image-to-text": ["one", "two"]}
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select='{"id": "one", "reason": "r"}', respond="ok")
    record = run(controller_at(config, llm, FakeEndpoint("local", two, says("x"))), "x")
    assert {stage: usage.calls for stage, usage in record.usage.items()} == {"plan": 1, "select": 1, "respond": 1}
    total = record.to_json()["usage"]["total"]
    assert total["calls"] == 3
    assert total["total_tokens"] == sum(usage.total_tokens for usage in record.usage.values())
    assert set(record.timings) == {"planned", "answered", "done", "tasks"}
