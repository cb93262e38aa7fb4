"""What batches take besides the weights of their model."""

from __future__ import annotations

import mmap
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from hugginggpt.core.errors import UserError
from hugginggpt.experts.families import Args
from hugginggpt.media.encoding import wav_bytes
from hugginggpt.serving.working_memory import CLEAR, WARM_UP, WorkingMemory, input_bytes
from tests.serving.plain_family import Hold, echo, entry, pool_of, weights

TASK = "text-generation"
MEGA = 1_000_000


def test_files_count_as_large_as_they_are_when_decoded(tmp_path: Path) -> None:
    picture, sound = tmp_path / "a.png", tmp_path / "a.wav"
    Image.new("RGB", (2000, 1000)).save(picture)
    sound.write_bytes(wav_bytes(np.zeros(20 * 8000, np.float32), 8000))
    assert input_bytes([{"image": picture, "text": "x"}], 600) == 6 * MEGA
    assert input_bytes([{"images": [picture, picture]}, {"audio": sound}], 600) == 12 * MEGA + 20 * 64_000
    assert input_bytes([{"audio": sound}], max_seconds=5) == 5 * 64_000
    (tmp_path / "half.png").write_bytes(b"\x89PNG")
    assert input_bytes([{"image": tmp_path / "half.png"}], 600) == 4


def test_the_first_batch_does_not_count_and_larger_inputs_are_measured_again() -> None:
    memory = WorkingMemory()
    memory.note(10, 900)
    assert memory.bytes == 900
    for peak in (100, 300, 200):
        memory.note(10, peak)
    assert memory.bytes == 300 and memory.batches == WARM_UP
    assert memory.is_known(10) and not memory.is_known(11)


@pytest.mark.skipif(not CLEAR.exists(), reason="only Linux tells the most memory of a process")
def test_the_peak_is_seen_although_it_is_freed() -> None:
    """In a process of its own: what other tests of this one free meanwhile would be counted, too."""
    program = """
import numpy as np
from hugginggpt.serving.working_memory import peak_of

with peak_of("cpu") as taken:
    assert np.ones(40_000_000, np.uint8).sum() == 40_000_000
with peak_of("cpu") as nothing:
    pass
print(taken[0], nothing[0])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    taken, nothing = map(int, ran.stdout.split())
    assert 35 * MEGA < taken < 150 * MEGA
    assert nothing < 20 * MEGA


def test_inputs_that_do_not_fit_beside_the_model_are_refused_before_they_are_decoded(
    tmp_path: Path, plain: Any
) -> None:
    plain(echo)
    pool, model = pool_of(budget=5 * MEGA), entry(weights(tmp_path / "mine", 250_000))
    Image.new("1", (2000, 1000)).save(tmp_path / "large.png")
    Image.new("1", (200, 100)).save(tmp_path / "small.png")
    with pytest.raises(UserError, match="6 MB when they are decoded, more than the 4 MB that are left beside mine"):
        pool.submit(model, TASK, {"text": "x", "image": tmp_path / "large.png"}).result(20)
    assert pool.submit(model, TASK, {"text": "x", "image": tmp_path / "small.png"}).result(20) == "x"
    pool.close()


def test_a_batch_has_idle_models_make_room_for_what_it_takes(tmp_path: Path, plain: Any) -> None:
    plain(echo)
    pool = pool_of(budget=10 * MEGA)
    idle, busy = (entry(weights(tmp_path / name, MEGA)) for name in ("idle", "busy"))
    for model in (idle, busy):
        pool.load(model).result(20)
    Image.new("1", (1000, 1000)).save(tmp_path / "a.png")
    assert pool.submit(busy, TASK, {"text": "x", "image": tmp_path / "a.png"}).result(20) == "x"
    assert (pool.status("idle").state, pool.status("busy").state) == ("available", "loaded")
    pool.close()


def test_batches_that_do_not_fit_at_once_run_one_after_the_other(tmp_path: Path, plain: Any) -> None:
    hold, ran = Hold(), []

    def run(asked: Sequence[Args]) -> list[Any]:
        ran.append(asked[0]["text"])
        if asked[0]["text"] == "first":
            hold()
        return echo(asked)

    plain(run)
    pool = pool_of(budget=10 * MEGA)
    one, two = (entry(weights(tmp_path / name, 250_000)) for name in ("one", "two"))
    Image.new("1", (1500, 1000)).save(tmp_path / "a.png")  # 4.5 MB each, beside 2 MB of weights
    first = pool.submit(one, TASK, {"text": "first", "image": tmp_path / "a.png"})
    assert hold.began.wait(20)
    second = pool.submit(two, TASK, {"text": "second", "image": tmp_path / "a.png"})
    pool.submit(two, TASK, {"text": "x"}, seconds=0)
    assert ran == ["first"]
    hold.over.set()
    assert (first.result(20), second.result(20)) == ("first", "second")
    pool.close()


@pytest.mark.skipif(not CLEAR.exists(), reason="only Linux tells the most memory of a process")
def test_what_a_batch_takes_is_told(tmp_path: Path, plain: Any) -> None:
    def run(asked: Sequence[Args]) -> list[Any]:
        with mmap.mmap(-1, 30 * MEGA) as taken:  # no memory that an earlier test freed and the allocator kept
            np.frombuffer(taken, np.uint8)[:] = 1
        return ["x" for _ in asked]

    plain(run)
    pool, model = pool_of(), entry(weights(tmp_path / "mine", 10))
    for _ in range(3):
        pool.submit(model, TASK, {"text": "x"}).result(20)
    pool.close()
    assert 25 * MEGA < pool.status("mine").working < 200 * MEGA
