"""The pool of models: loads, queues, batches, memory."""

from __future__ import annotations

import logging
import sys
import threading
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.core.errors import BackendError, ConfigError, ExpertUnavailable
from hugginggpt.experts import families
from hugginggpt.experts.families import Args, Run
from hugginggpt.experts.source import Source, choose_placement
from hugginggpt.serving.model_pool import Busy
from hugginggpt.serving.model_registry import Entry
from hugginggpt.testing.servers import Serving
from tests.experts.families import tiny_text
from tests.serving.plain_family import Hold, echo, entry, pool_of, weights


def test_two_loads_at_the_same_time_are_one(tmp_path: Path, plain: Any) -> None:
    loaded = plain(echo)
    pool = pool_of()
    model = entry(weights(tmp_path / "mine", 10))
    waiting = [pool.load(model) for _ in range(4)] + [pool.submit(model, "text-generation", {"text": "x"})]
    assert [future.result(20) for future in waiting] == [None] * 4 + ["x"]
    assert loaded == ["mine"]
    pool.close()


def test_a_model_whose_library_is_not_installed_says_what_to_install(
    tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(source: Any) -> Any:
        import package_that_is_not_there  # noqa: F401  # type: ignore[import-not-found]

    plain(echo)
    (family,) = families._families["text-generation"]
    monkeypatch.setitem(families._families, "text-generation", [replace(family, function=without)])
    pool = pool_of()
    with pytest.raises(
        ExpertUnavailable, match=r"^mine needs the package package_that_is_not_there: pip install .*models"
    ):
        pool.load(entry(weights(tmp_path / "mine", 10))).result(20)
    pool.close()


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_without_torch_the_device_is_the_cpu(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert choose_placement(device).device == "cpu"
    with pytest.raises(ConfigError, match="device: cuda needs the package torch: pip install"):
        choose_placement("cuda")


def test_a_model_of_two_tasks_does_both(tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain(echo)
    generation = families._families["text-generation"][0]
    shouting = replace(generation, task="summarization", function=lambda source: lambda asked: ["!"] * len(asked))
    monkeypatch.setitem(families._families, "summarization", [shouting])
    pool = pool_of()
    model = Entry("mine", ("text-generation", "summarization"), weights(tmp_path / "mine", 10))
    assert pool.submit(model, "text-generation", {"text": "x"}).result(20) == "x"
    assert pool.submit(model, "summarization", {"text": "x"}).result(20) == "!"
    assert pool.status("mine").bytes == 80
    pool.close()


def test_a_second_task_that_cannot_be_loaded_takes_up_no_memory(
    tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = Hold()
    tried: list[str] = []

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        return echo(requests)

    def load(source: Source) -> Run:
        tried.append(source.task)
        raise ValueError("no such layer")

    plain(run, batch=4)
    broken = replace(families._families["text-generation"][0], task="summarization", function=load)
    monkeypatch.setitem(families._families, "summarization", [broken])
    pool = pool_of(budget=100)
    model = Entry("mine", ("text-generation", "summarization"), weights(tmp_path / "mine", 10))
    first = pool.submit(model, "text-generation", {"text": "x"})
    assert hold.began.wait(20)
    waiting = [pool.submit(model, "summarization", {"text": "x"}) for _ in range(3)]
    hold.over.set()
    assert first.result(20) == "x"
    for future in waiting:
        with pytest.raises(BackendError, match="mine failed: ValueError: no such layer"):
            future.result(20)
    assert tried == ["summarization"]  # once for all who waited for it
    assert pool.submit(model, "text-generation", {"text": "y"}).result(20) == "y"
    assert (pool.status("mine").bytes, pool.status("mine").state) == (40, "loaded")
    pool.close()


def test_a_request_for_a_model_that_is_leaving_gets_it_anew(tmp_path: Path, plain: Any) -> None:
    """Its memory is its own once the one that leaves has gone; both do not fit."""
    hold = Hold()

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        return echo(requests)

    loaded = plain(run)
    pool = pool_of(budget=60)
    model = entry(weights(tmp_path / "mine", 10))
    first = pool.submit(model, "text-generation", {"text": "0"})
    assert hold.began.wait(20)
    leaving = threading.Thread(target=pool.unload, args=["mine"])
    leaving.start()
    while not pool._workers["mine"].stopping:
        pass
    second = pool.submit(model, "text-generation", {"text": "1"})
    hold.over.set()
    assert (first.result(20), second.result(20)) == ("0", "1")
    leaving.join(20)
    assert loaded == ["mine", "mine"]
    assert pool.status("mine").bytes == 40
    pool.close()
    assert pool.status("mine").bytes == 0


def test_all_models_together_have_a_limit_of_requests(tmp_path: Path, plain: Any) -> None:
    over = threading.Event()

    def run(requests: Sequence[Args]) -> list[Any]:
        over.wait(20)
        return echo(requests)

    plain(run)
    pool = pool_of(max_open=3)
    models = [entry(weights(tmp_path / name, 10)) for name in ("a", "b")]
    waiting = [pool.submit(models[at % 2], "text-generation", {"text": "x"}) for at in range(3)]
    with pytest.raises(Busy, match="3 requests are being processed already"):
        pool.submit(models[1], "text-generation", {"text": "x"})
    over.set()
    assert [future.result(20) for future in waiting] == ["x"] * 3
    pool.submit(models[1], "text-generation", {"text": "x"}).result(20)
    pool.close()


def test_after_running_out_of_memory_each_is_tried_with_the_memory_given_back(
    tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("hugginggpt.serving.pool"), "disabled", True)  # pytest keeps what is logged
    hold = Hold()
    held: list[weakref.ref[Any]] = []

    class Tensors:
        pass

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        assert not [tensors for tensors in held if tensors()]
        if len(requests) > 1:
            tensors = Tensors()
            held.append(weakref.ref(tensors))
            raise MemoryError
        return echo(requests)

    plain(run, batch=4)
    pool = pool_of(batch=4)
    model = entry(weights(tmp_path / "mine", 10))
    waiting = [pool.submit(model, "text-generation", {"text": str(number)}) for number in range(3)]
    assert hold.began.wait(20)
    hold.over.set()
    assert [future.result(20) for future in waiting] == ["0", "1", "2"]
    assert held
    pool.close()


def test_requests_that_wait_are_run_together_and_each_gets_its_own_answer(tmp_path: Path, plain: Any) -> None:
    hold = Hold()
    sizes: list[int] = []

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        sizes.append(len(requests))
        return echo(requests)

    plain(run, batch=4)
    pool = pool_of(batch=4)
    model = entry(weights(tmp_path / "mine", 10))
    first = pool.submit(model, "text-generation", {"text": "0"})
    assert hold.began.wait(20)
    others = [pool.submit(model, "text-generation", {"text": str(n)}) for n in range(1, 8)]
    hold.over.set()
    assert [future.result(20) for future in [first, *others]] == [str(n) for n in range(8)]
    assert sizes == [1, 4, 3]
    pool.close()


def test_one_bad_request_of_a_batch_fails_alone(tmp_path: Path, plain: Any) -> None:
    hold = Hold()

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        if any(request["text"] == "bad" for request in requests):
            raise ValueError("bad input")
        return echo(requests)

    plain(run, batch=8)
    pool = pool_of(batch=8)
    model = entry(weights(tmp_path / "mine", 10))
    futures = [pool.submit(model, "text-generation", {"text": text}) for text in ("first", "a", "bad", "b")]
    assert hold.began.wait(20)
    hold.over.set()
    assert [f.result(20) for f in (futures[0], futures[1], futures[3])] == ["first", "a", "b"]
    with pytest.raises(BackendError, match="mine failed: ValueError: bad input"):
        futures[2].result(20)
    pool.close()


def test_different_models_run_at_the_same_time(tmp_path: Path, plain: Any) -> None:
    meeting = threading.Barrier(3, timeout=20)

    def run(requests: Sequence[Args]) -> list[Any]:
        meeting.wait()
        return echo(requests)

    plain(run)
    pool = pool_of()
    models = [entry(weights(tmp_path / f"m{n}", 10)) for n in range(3)]
    futures = [pool.submit(model, "text-generation", {"text": model.id}) for model in models]
    assert [future.result(20) for future in futures] == ["m0", "m1", "m2"]
    pool.close()


def test_models_are_loaded_one_after_another_while_others_run(
    tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain(echo)
    hold = Hold()
    inside: list[str] = []
    together: list[int] = []

    def load(source: Source) -> Run:
        if source.id != "ready":
            inside.append(source.id)
            together.append(len(inside))
            hold()
            inside.remove(source.id)
        return echo

    slow = replace(families._families["text-generation"][0], function=load)
    monkeypatch.setitem(families._families, "text-generation", [slow])
    pool = pool_of()
    ready, first, second = (entry(weights(tmp_path / name, 10)) for name in ("ready", "first", "second"))
    pool.load(ready).result(20)
    loads = [pool.load(first)]
    assert hold.began.wait(20)
    loads.append(pool.load(second))
    leaving = threading.Thread(target=pool.unload, args=["second"])
    leaving.start()
    while pool.status("second").state != "loading":
        pass
    for number in range(20):
        assert pool.submit(ready, "text-generation", {"text": str(number)}).result(20) == str(number)
    hold.over.set()
    assert [loaded.result(20) for loaded in loads] == [None, None]
    leaving.join(20)
    assert together == [1, 1]
    assert pool.status("second").state == "available"
    pool.close()


@pytest.mark.slow
def test_models_that_are_asked_for_at_the_same_time_are_all_loaded(model_server: Serving, models: Path) -> None:
    """transformers swaps methods of its classes while it loads: two loads at once would break all later ones."""
    tiny_text.gpt2(models / "generator")
    tiny_text.masked(models / "filler")
    tasks = {"generator": "text-generation", "filler": "fill-mask"}
    found = [model_server.model_registry.find(model_server.add(models / name, task)) for name, task in tasks.items()]
    for _ in range(8):
        loads = [model_server.pool.load(model) for model in found if model]
        assert [loaded.result(60) for loaded in loads] == [None, None]
        assert all(model_server.pool.unload(name) for name in tasks)


def test_a_full_queue_is_told(server: Serving, tmp_path: Path, plain: Any) -> None:
    hold = Hold()

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        return echo(requests)

    plain(run)
    server.pool.queue_size = 2
    model = server.add(weights(tmp_path / "mine", 10), "text-generation")
    found = server.model_registry.find(model)
    assert found
    futures = [server.pool.submit(found, "text-generation", {"text": "0"})]
    assert hold.began.wait(20)
    futures += [server.pool.submit(found, "text-generation", {"text": str(n)}) for n in (1, 2)]
    full = server.post(model, {"text": "one too many"})
    assert (full.status_code, full.headers["Retry-After"]) == (503, "2")
    assert "2 requests wait for mine already" in full.json()["error"]["message"]
    hold.over.set()
    assert [future.result(20) for future in futures] == ["0", "1", "2"]


def test_those_used_least_recently_make_room(tmp_path: Path, plain: Any) -> None:
    loaded = plain(echo)
    pool = pool_of(budget=10_000)
    a, b, c = (entry(weights(tmp_path / name, 1000)) for name in "abc")  # 4,000 bytes each
    for model in (a, b, a, c):  # b is the one that was not used for longest
        pool.submit(model, "text-generation", {"text": "x"}).result(20)
    assert loaded == ["a", "b", "c"]
    assert {name: status.state for name, status in pool.statuses().items()} == {
        "a": "loaded",
        "b": "available",
        "c": "loaded",
    }
    assert sum(status.bytes for status in pool.statuses().values() if status.state == "loaded") == 8000
    pool.submit(b, "text-generation", {"text": "x"}).result(20)
    assert loaded == ["a", "b", "c", "b"]
    assert pool.status("a").state == "available"
    pool.close()


def test_a_model_that_cannot_fit_says_so_with_both_numbers(tmp_path: Path, plain: Any) -> None:
    plain(echo)
    pool = pool_of(budget=2_000_000)
    with pytest.raises(ExpertUnavailable, match=r"big needs 4 MB, more than the 2 MB that models may use \(--memory\)"):
        pool.submit(entry(weights(tmp_path / "big", 1_000_000)), "text-generation", {"text": "x"}).result(20)
    pool.close()


def test_a_busy_model_is_not_evicted(tmp_path: Path, plain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hugginggpt.serving.pool.MEMORY_WAIT_SECONDS", 0.2)
    hold = Hold()

    def run(requests: Sequence[Args]) -> list[Any]:
        hold()
        return echo(requests)

    plain(run)
    pool = pool_of(budget=5000)
    busy = pool.submit(entry(weights(tmp_path / "busy", 1000)), "text-generation", {"text": "x"})
    assert hold.began.wait(20)
    with pytest.raises(ExpertUnavailable, match="no model is idle"):
        pool.submit(entry(weights(tmp_path / "other", 1000)), "text-generation", {"text": "x"}).result(20)
    hold.over.set()
    assert busy.result(20) == "x"
    pool.close()


def test_running_out_of_memory_is_one_requests_error(tmp_path: Path, plain: Any) -> None:
    def run(requests: Sequence[Args]) -> list[Any]:
        if requests[0]["text"] == "large":
            raise MemoryError
        return echo(requests)

    plain(run)
    pool = pool_of()
    model = entry(weights(tmp_path / "mine", 10))
    with pytest.raises(BackendError, match="ran out of memory: give it a smaller input"):
        pool.submit(model, "text-generation", {"text": "large"}).result(20)
    assert pool.submit(model, "text-generation", {"text": "small"}).result(20) == "small"
    pool.close()


def test_a_load_that_failed_is_tried_again(tmp_path: Path, plain: Any) -> None:
    plain(echo)
    pool = pool_of()
    folder = tmp_path / "late"
    folder.mkdir()
    with pytest.raises(ExpertUnavailable):
        pool.submit(entry(folder), "text-generation", {"text": "x"}).result(20)
    weights(folder, 10)
    assert pool.submit(entry(folder), "text-generation", {"text": "x"}).result(20) == "x"
    assert pool.status("late").state == "loaded"
    pool.close()


def test_closing_finishes_what_waits_and_takes_no_more(tmp_path: Path, plain: Any) -> None:
    plain(echo)
    pool = pool_of()
    model = entry(weights(tmp_path / "mine", 10))
    futures = [pool.submit(model, "text-generation", {"text": str(n)}) for n in range(5)]
    pool.close()
    assert [future.result(0) for future in futures] == list("01234")
    with pytest.raises(Busy, match="shutting down"):
        pool.submit(model, "text-generation", {"text": "x"})
    assert not [thread for thread in threading.enumerate() if thread.name == "mine"]
