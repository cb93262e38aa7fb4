"""Several devices: each model is loaded as a whole onto the one with the most room, and each has a budget of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import requests

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.source import Placement
from hugginggpt.serving.app import create_app
from hugginggpt.serving.commands import make_model_registry
from hugginggpt.serving.devices import Devices
from hugginggpt.serving.pool import Pool
from hugginggpt.testing.servers import served
from tests.conftest import MakeConfig
from tests.serving.plain_family import Hold, echo, entry, weights

TASK = "text-generation"
GPUS = [Placement("gpu:0", "bfloat16"), Placement("gpu:1", "bfloat16")]
BYTES = 2 * 20
"""Of a model with 20 numbers in half precision."""


def pool_with(free: dict[str, int], each: int | None = None, **options: Any) -> Pool:
    return Pool(Devices(lambda: GPUS, each, free=free.__getitem__), **options)


def places(pool: Pool) -> dict[str, str]:
    return {model: status.device for model, status in pool.statuses().items()}


def test_a_model_goes_where_most_is_free(tmp_path: Path, plain: Any) -> None:
    plain(echo)
    free = {"gpu:0": 500, "gpu:1": 900}
    pool = pool_with(free, each=1000)
    for name, most in (("a", "gpu:1"), ("b", "gpu:0"), ("c", "gpu:1")):
        free.update(dict.fromkeys(free, 100) | {most: 950})  # other programs use the devices, too
        pool.load(entry(weights(tmp_path / name, 20))).result(20)
    assert places(pool) == {"a": "gpu:1", "b": "gpu:0", "c": "gpu:1"}
    assert pool.status("a").dtype == "bfloat16" and pool.status("a").bytes == BYTES
    pool.close()
    assert places(pool) == {"a": "", "b": "", "c": ""}


def test_what_is_loaded_counts_on_its_own_device_alone(tmp_path: Path, plain: Any) -> None:
    plain(echo)
    pool = pool_with({"gpu:0": 10**6, "gpu:1": 10**6}, each=100)
    for name in ("a", "b", "c", "d"):
        pool.load(entry(weights(tmp_path / name, 20))).result(20)
    assert places(pool) == {"a": "gpu:0", "b": "gpu:1", "c": "gpu:0", "d": "gpu:1"}
    pool.submit(entry(tmp_path / "a"), TASK, {"text": "x"}).result(20)
    pool.load(entry(weights(tmp_path / "e", 20))).result(
        20
    )  # one that is idle makes room: the one not used for longest
    held = {model for model, status in pool.statuses().items() if status.bytes}
    assert len(held) == 4 and {"a", "e"} < held
    with pytest.raises(ExpertUnavailable, match="needs 0 kB, more than the 0 kB that models may use"):
        pool.load(entry(weights(tmp_path / "f", 60))).result(20)
    assert pool.budget == 200
    pool.close()


def test_a_model_that_fits_nowhere_goes_where_idle_ones_make_room(tmp_path: Path, plain: Any) -> None:
    hold = Hold()

    def run(asked: Sequence[Any]) -> list[Any]:
        hold()
        return echo(asked)

    plain(run)
    pool = pool_with({"gpu:0": 10**6, "gpu:1": 10**6}, each=60)
    busy, idle = entry(weights(tmp_path / "busy", 20)), entry(weights(tmp_path / "idle", 25))
    running = pool.submit(busy, TASK, {"text": "x"})
    assert hold.began.wait(20)
    pool.load(idle).result(20)
    pool.load(entry(weights(tmp_path / "next", 20))).result(20)
    assert places(pool) == {"busy": "gpu:0", "idle": "", "next": "gpu:1"}
    hold.over.set()
    assert running.result(20) == "x"
    pool.close()


def test_the_budget_is_a_share_of_what_is_free_on_each() -> None:
    free = {"gpu:0": 1000, "gpu:1": 3000}
    devices = Devices(lambda: GPUS, share=0.8, free=free.__getitem__)
    assert (devices.total, devices.budget("gpu:1")) == (3200, 2400)
    free["gpu:1"] = 0
    assert devices.total == 3200  # that of the beginning


def test_devices_are_not_asked_for_before_a_model_is_loaded() -> None:
    def find() -> list[Placement]:
        raise AssertionError

    assert Devices(find, 100).total == 100
    found = Devices(lambda: GPUS, 100)
    assert found.placements == tuple(GPUS) and found.total == 200


def test_the_status_of_a_model_tells_its_device(make_config: MakeConfig, tmp_path: Path, plain: Any) -> None:
    plain(echo)
    config = make_config(device="cpu", log_file=None)
    registry, pool = make_model_registry(config), pool_with({"gpu:0": 1, "gpu:1": 10**6}, each=10**6)
    model = registry.add(f"{weights(tmp_path / 'mine', 20)}:{TASK}").id
    with served(create_app(config, registry, pool)) as url:
        assert requests.get(f"{url}/status/{model}", timeout=10).json()["device"] is None
        assert requests.post(f"{url}/models/{model}/load", timeout=20).json()["device"] == "gpu:1"
        told = requests.get(f"{url}/status/{model}", timeout=10).json()
        assert (told["device"], told["dtype"], told["state"]) == ("gpu:1", "bfloat16", "loaded")
        requests.post(f"{url}/models/{model}/unload", timeout=20)
        assert requests.get(f"{url}/status/{model}", timeout=10).json()["device"] is None
    pool.close()
