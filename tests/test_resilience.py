"""What keeps a request going: breakers, the budget of further tries, a second try beside a slow one, kept results,
one question for all choices, look-ups that are tried again."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.common.atomic_files import ABANDONED_SECONDS, atomic_write_text, remove_partial
from hugginggpt.common.threads import TTLCache, spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, StopReason
from hugginggpt.core.events import Retried, Selected
from hugginggpt.core.plan import Plan, Task
from hugginggpt.core.results import BOXES, CLASSES, IMAGE, LABELS, SCORES, TEXT, ResultSchema
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.circuit_breaker import FAILURES, SECONDS, Breakers
from hugginggpt.media.store import MediaStore
from hugginggpt.stages.result_cache import ResultCache
from hugginggpt.testing import FakeEndpoint, events, plan, run, says, task
from hugginggpt.testing.fakes import HANG, FakeExperts, FakeLLM, png
from tests.conftest import TABLE, MakeConfig, controller_at, controller_with

A, B = "/examples/a.jpg", "/examples/b.jpg"

TWO = {"image-to-text": ["one", "two"]}
CHOOSE_ONE = '{"id": "one", "reason": "r"}'


class Clock:
    """Stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


# Breakers


def test_a_breaker_opens_after_failures_in_a_row_and_lets_one_try_through_later() -> None:
    clock = Clock()
    breakers = Breakers(clock)
    for _ in range(FAILURES):
        assert breakers.allows("hub")
        breakers.was_down("hub")
    assert not breakers.allows("hub")
    assert breakers.allows("local")
    clock.now = SECONDS - 0.1
    assert not breakers.allows("hub")
    clock.now = SECONDS
    assert [breakers.allows("hub") for _ in range(3)] == [True, False, False]
    breakers.was_down("hub")
    clock.now += SECONDS - 0.1
    assert not breakers.allows("hub")
    clock.now += 0.1
    assert breakers.allows("hub")
    breakers.worked("hub")
    assert all(breakers.allows("hub") for _ in range(3))


def test_a_success_in_between_keeps_a_breaker_closed() -> None:
    breakers = Breakers(Clock())
    for _ in range(2 * FAILURES):
        breakers.was_down("hub")
        breakers.worked("hub")
    assert breakers.allows("hub")


def test_an_endpoint_that_is_down_is_left_alone_by_later_runs(make_config: MakeConfig, scripted: Any) -> None:
    def refuse(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError("Nobody is there.", endpoint_down=True)

    down, up = (
        FakeEndpoint("hub", {"image-to-text": ["far"]}, refuse),
        FakeEndpoint("local", {"image-to-text": ["near"]}, says("x")),
    )
    llm = scripted(
        plan=[plan(task(0, "image-to-text", image=A))] * 5,
        select=['{"id": "far", "reason": "r"}'] * 5,
        respond=["ok"] * 5,
    )
    controller = controller_at(make_config(embedded=False), llm, down, up)
    records = [run(controller, "x") for _ in range(5)]
    assert [record.tasks[0].state for record in records] == ["finished"] * 5
    assert len(down.calls) == FAILURES
    assert "slow or cannot be reached" in (records[4].tasks[0].choice or pytest.fail()).reason


def test_all_places_down_is_a_failure_with_a_reason(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)))
    controller = controller_at(
        make_config(embedded=False), llm, FakeEndpoint("hub", {"image-to-text": ["far"]}, says("x"))
    )
    for _ in range(FAILURES):
        controller.executor.breakers.was_down("hub")
    record = run(controller, "x")
    assert record.tasks[0].reason == "All places where it could run are down."
    assert record.stop is StopReason.FAILED


# Further tries


def test_the_budget_of_further_tries_is_the_requests_not_the_tasks(make_config: MakeConfig, scripted: Any) -> None:
    def fail(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        raise BackendError(f"{model} is broken.")

    place = FakeEndpoint("local", {"image-to-text": ["one", "two", "three"]}, fail)
    llm = scripted(plan=plan(*(task(n, "image-to-text", image=A) for n in range(4))), select=[CHOOSE_ONE] * 4)
    record = run(controller_at(make_config(embedded=False, limits={"retries": 2}), llm, place), "x")
    assert len(place.calls) == 4 + 2
    assert all(t.state == "failed" for t in record.tasks.values())
    assert sum("limits.retries" in t.reason for t in record.tasks.values()) >= 3


# A second try beside a slow one


def hedged(make_config: MakeConfig, llm: Any, work: Any, seconds: float | None) -> tuple[Any, FakeEndpoint]:
    place = FakeEndpoint("local", TWO, work)
    return controller_at(make_config(embedded=False, limits={"hedge_seconds": seconds}), llm, place), place


def test_a_slow_model_is_overtaken(make_config: MakeConfig, scripted: Any) -> None:
    over = threading.Event()

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if model == "one":
            over.wait(60)
        return {"generated text": f"said by {model}"}

    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=CHOOSE_ONE, respond="ok")
    controller, place = hedged(make_config, llm, work, 0.05)
    seen = events(controller, "x")
    over.set()
    retried = [event for event in seen if isinstance(event, Retried)]
    assert [call[0] for call in place.calls] == ["one", "two"]
    assert [event.choice.id for event in retried] == ["two"]
    assert "one is slow" in retried[0].reason


def test_the_slow_one_counts_where_the_second_fails(make_config: MakeConfig, scripted: Any) -> None:
    second_failed = threading.Event()

    def work(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
        if model == "two":
            second_failed.set()
            raise BackendError("two is broken.")
        assert second_failed.wait(60)
        return {"generated text": "slow but sure"}

    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=CHOOSE_ONE, respond="ok")
    controller, _ = hedged(make_config, llm, work, 0.05)
    record = run(controller, "x")
    assert record.tasks[0].value == {"generated text": "slow but sure"}
    assert (record.tasks[0].choice or pytest.fail()).id == "one"


def test_without_the_setting_nothing_is_run_twice(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), select=CHOOSE_ONE, respond="ok")
    controller, place = hedged(make_config, llm, says("x"), None)
    assert run(controller, "x").tasks[0].ok
    assert [call[0] for call in place.calls] == ["one"]


# Kept results


@pytest.fixture
def cache(make_config: MakeConfig, tmp_path: Path) -> ResultCache:
    return ResultCache(tmp_path / "cache", 2000, MediaStore(make_config()))


def test_a_key_is_of_the_model_the_task_and_the_contents(cache: ResultCache, tmp_path: Path) -> None:
    same, other = tmp_path / "same.png", tmp_path / "other.png"
    same.write_bytes(png())
    other.write_bytes(png("L"))
    (tmp_path / "copy.png").write_bytes(png())
    args = {"image": same, "text": "what?", "labels": ["a", "b"]}
    key = cache.key("hub", "m", "t", args)
    assert key == cache.key("hub", "m", "t", {**args, "image": tmp_path / "copy.png"})
    others = [
        cache.key("local", "m", "t", args),
        cache.key("hub", "m2", "t", args),
        cache.key("hub", "m", "t2", args),
        cache.key("hub", "m", "t", {**args, "image": other}),
        cache.key("hub", "m", "t", {**args, "text": "What?"}),
        cache.key("hub", "m", "t", {**args, "labels": ["a,b"]}),
        cache.key("hub", "m", "t", {"text": "what?", "labels": ["a", "b"]}),
    ]
    assert len({key, *others}) == 8


def test_what_was_put_is_got_while_its_files_are_there(cache: ResultCache) -> None:
    from PIL import Image

    path = cache.media.save_image(Image.new("RGB", (4, 4)))
    results: list[tuple[ResultSchema, Any]] = [
        (IMAGE, {"generated image": path}), (LABELS, [{"label": "ä", "score": 0.5}]), (TEXT, {"generated text": ""}),
        (SCORES, [0.5]), (BOXES, {"generated image": path, "predicted": []}),
    ]  # fmt: skip
    for form, value in results:
        cache.put("k", value)
        assert cache.get("k", form) == value
    cache.media.resolve(path).unlink()
    assert cache.get("k", BOXES) is None
    assert not (cache.folder / "k.json").exists()
    assert cache.get("never put", TEXT) is None


@pytest.mark.parametrize(
    "content",
    [b"", b'{"generated text": "cut of', b"\xff\xfe", b"[" * 100_000, b"5", b"[]", b"{}", b"null", b'"x"',
     b'{"generated text": null}', b'{"generated_text": "x"}'],
)  # fmt: skip
def test_a_damaged_entry_counts_as_none(cache: ResultCache, content: bytes) -> None:
    cache.put("k", {"generated text": "x"})
    (cache.folder / "k.json").write_bytes(content)
    assert cache.get("k", TEXT) is None
    assert not list(cache.folder.iterdir())
    cache.put("k", {"generated text": "y"})
    assert cache.get("k", TEXT) == {"generated text": "y"}


def test_the_folder_stays_small_and_the_latest_stay(cache: ResultCache) -> None:
    import os

    for number in range(30):
        cache.put(f"k{number:02}", ["x" * 200])
        os.utime(cache.folder / f"k{number:02}.json", (number, number))
    sizes = [file.stat().st_size for file in cache.folder.iterdir()]
    assert sum(sizes) <= 2000 + 210  # the bound is held when one is put; the clock was turned back after that
    assert cache.get("k29", CLASSES) and not cache.get("k00", CLASSES)


def test_what_a_crash_in_the_middle_of_writing_leaves(cache: ResultCache) -> None:
    """It is neither read nor kept for ever."""
    import os

    cache.put("a", [1.0])
    abandoned = cache.folder / "0-0.part"
    abandoned.write_text('{"generated te')
    cache.put("b", [1.0])
    assert abandoned.exists()  # somebody may be writing it just now
    os.utime(abandoned, (1, 1))
    cache.put("c", [1.0])
    assert not abandoned.exists()
    assert ABANDONED_SECONDS >= 60


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        atomic_write_text(tmp_path / "taken", "text")
    assert list(tmp_path.iterdir()) == [tmp_path / "taken"]
    with pytest.raises(OSError):
        atomic_write_text(tmp_path / "none" / "file", "text")
    own = tmp_path / "own"
    atomic_write_text(own, "text")
    remove_partial(tmp_path)
    assert own.read_text() == "text"


def test_a_cache_that_cannot_be_written_to_fails_nothing(cache: ResultCache, tmp_path: Path) -> None:
    cache.folder.write_text("a file where the folder should be")
    cache.put("k", [1.0])
    assert cache.get("k", SCORES) is None


def test_the_same_model_on_the_same_input_is_run_once(make_config: MakeConfig, scripted: Any, tmp_path: Path) -> None:
    config = make_config(embedded=False, cache={"enabled": True, "folder": str(tmp_path / "cache"), "max_mb": 1})
    place = FakeEndpoint("local", {"image-to-text": ["caption"]}, says("a cat"))
    for image in (A, A, B):
        llm = scripted(plan=plan(task(0, "image-to-text", image=image)), respond="ok")
        assert run(controller_at(config, llm, place), "x").tasks[0].value == {"generated text": "a cat"}
    assert [call[2]["image"].name for call in place.calls] == ["a.jpg", "b.jpg"]
    for entry in (tmp_path / "cache").iterdir():
        entry.write_text("5")
    llm = scripted(plan=plan(task(0, "image-to-text", image=A)), respond="ok")
    assert run(controller_at(config, llm, place), "x").tasks[0].value == {"generated text": "a cat"}
    assert len(place.calls) == 3


# One question for all choices


def asked(llm: Any, stage: str) -> list[str]:
    return [messages[-1]["content"] for name, messages in llm.calls if name == stage]


BATCH = plan(
    task(0, "image-to-text", image=A),
    task(1, "image-to-text", image=B),
    task(2, "object-detection", image=A),
    task(3, "text-to-speech", [0], text="<GENERATED>-0"),
)
MANY = {"image-to-text": ["one", "two"], "object-detection": ["detect"], "text-to-speech": ["say", "speak"]}


def done(model: str, task: TaskType, args: Mapping[str, Any]) -> Any:
    made = {
        "object-detection": {"generated image": A, "predicted": []},
        "text-to-speech": {"generated audio": "/x.wav"},
    }
    return made.get(task.name, {"generated text": "x"})


def batch(make_config: MakeConfig, llm: Any) -> Any:
    return controller_at(make_config(embedded=False, selection="batch"), llm, FakeEndpoint("local", MANY, done))


def test_one_call_chooses_for_all_tasks_that_have_a_choice(make_config: MakeConfig, scripted: Any) -> None:
    choices = {"choices": [{"task": 0, "id": "two", "reason": "It reads."}, {"task": 3, "id": "speak", "reason": "r"}]}
    llm = scripted(plan=BATCH, select=json.dumps(choices), respond="ok")
    seen = events(batch(make_config, llm), "x")
    chosen = {event.task_id: event.choice for event in seen if isinstance(event, Selected)}
    assert {number: choice.id for number, choice in chosen.items()} == {0: "two", 1: "one", 2: "detect", 3: "speak"}
    assert chosen[0].reason == "It reads."
    assert "did not choose for this task" in chosen[1].reason
    (question,) = asked(llm, "select")
    assert [f"Task {n}:" in question for n in range(4)] == [True, True, False, True]
    assert sum(event.usage.calls for event in seen if isinstance(event, Selected)) == 1


@pytest.mark.parametrize("answer", ["no JSON", "[]", '{"choices": 7}', '[{"id": "x"}]', BackendError("It is down.")])
def test_a_batch_that_is_not_answered_costs_nothing(make_config: MakeConfig, scripted: Any, answer: Any) -> None:
    llm = scripted(plan=BATCH, select=answer, respond="ok")
    record = run(batch(make_config, llm), "x")
    assert [t.choice.id if t.choice else "" for t in record.tasks.values()] == ["one", "one", "detect", "say"]
    assert all("ranks first" in (record.tasks[n].choice or pytest.fail()).reason for n in (0, 1, 3))


def test_a_batch_without_any_choice_asks_nothing(make_config: MakeConfig, scripted: Any) -> None:
    llm = scripted(plan=plan(task(0, "object-detection", image=A)), respond="ok")
    assert run(batch(make_config, llm), "x").tasks[0].ok


def test_what_ends_a_batch_is_told_to_all_who_wait(make_config: MakeConfig, scripted: Any) -> None:
    controller = batch(make_config, scripted(select=RuntimeError("a bug")))
    request = controller.prepare([{"role": "user", "content": "x"}])
    selecting = controller.selector.for_run(request)
    tasks = [Task(n, "image-to-text", (), {"image": A}, row=TABLE["image-to-text"]) for n in range(3)]
    waiting = [selecting.select(each) for each in tasks]
    selecting.all_known(Plan(tuple(tasks)))
    for future in waiting:
        assert isinstance(future.exception(timeout=20), RuntimeError)


# Look-ups


def test_a_look_up_that_failed_is_not_remembered_for_long() -> None:
    answers: list[Any] = [OSError("no network"), "found", "too often"]

    def look_up(key: str) -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    known = TTLCache(look_up, 60.0, failed_seconds=0.0)
    assert isinstance(known.get("k").exception(timeout=20), OSError)
    assert known.get("k").result(timeout=20) == "found"
    assert known.get("k").result(timeout=20) == "found"
    for_long = TTLCache(look_up, 60.0)
    answers.insert(0, OSError("no network"))
    assert for_long.get("k").exception(timeout=20)
    assert for_long.get("k").exception(timeout=20)


# What is done while something else is waited for


@pytest.fixture
def with_urls(make_config: MakeConfig, llm_server: FakeLLM, expert_server: FakeExperts) -> Config:
    """The language model and the Hub on loopback; the Hub also has a picture that may be fetched."""
    expert_server.files["/there.png"] = png()
    return make_config(
        local={"endpoint": llm_server.url}, huggingface={"base_url": expert_server.url}, embedded=False,
        allowed_hosts=["127.0.0.1"],
    )  # fmt: skip


def test_a_url_is_fetched_while_the_model_is_being_chosen(
    with_urls: Config, llm_server: FakeLLM, expert_server: FakeExperts
) -> None:
    llm_server.replies["plan"] = plan(task(0, "object-detection", image=f"{expert_server.url}/there.png"))
    llm_server.always["select"] = HANG
    controller = controller_with(with_urls)
    request = controller.prepare([{"role": "user", "content": "What is there?"}])
    seen = spawn(list, controller.run(request))
    deadline = time.monotonic() + 20
    while not any(asked["path"] == "/there.png" for asked in expert_server.requests) and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    request.cancel()
    assert not any(isinstance(event, Selected) for event in seen.result(timeout=20))
    assert any(asked["path"] == "/there.png" for asked in expert_server.requests)


def test_what_no_model_can_do_or_waits_for_another_task_is_not_fetched(
    with_urls: Config, llm_server: FakeLLM, expert_server: FakeExperts
) -> None:
    url = f"{expert_server.url}/there.png"
    llm_server.replies["plan"] = plan(
        task(0, "visual-question-answering", image=url, text="What is it?"),
        task(1, "image-to-image", [0], image=url, text="more of <GENERATED>-0"),
    )
    record = run(controller_with(with_urls), "What is there?")
    assert [done.state for done in record.tasks.values()] == ["failed", "skipped"]
    assert not any(asked["path"] == "/there.png" for asked in expert_server.requests)
