"""Replicas on Ray beside the pool in the server's process: what a request costs more, and what a second replica gives.

    python -m benchmarks.ray_pool [--requests 200]

The model sleeps 50 ms and computes nothing, so that two cores do not bound what several replicas reach; another one only
answers. Needs the extra `ray`. Only the ratios are meaningful.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

from hugginggpt.experts.source import Placement
from hugginggpt.serving.devices import Devices
from hugginggpt.serving.model_pool import ModelPool
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.pool import Pool
from tests.serving import told_plugin  # noqa: F401  registers the models of told_models here, too
from tests.serving.on_ray import plugin_path, ray_pool, started
from tests.serving.told_models import TASK, write_model

CLIENTS = 8
SLEEP, ANSWER = "sleep 0.05", "x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200)
    count: int = parser.parse_args().requests
    with tempfile.TemporaryDirectory() as folder:
        model = Entry("told", (TASK,), write_model(Path(folder) / "told"))
        with closing(Pool(Devices(lambda: [Placement("cpu", "float32")], 10**6))) as pool:
            measure("in the process", pool, model, count)
        rates = []
        for replicas in (1, 2):
            with on_ray(replicas) as pool:
                rates.append(measure(f"Ray, {replicas} replica{'s'[: replicas - 1]}", pool, model, count))
        print(f"two replicas     {rates[1] / rates[0]:.2f} times one ({CLIENTS} clients, a model of 50 ms)")


@contextmanager
def on_ray(replicas: int) -> Iterator[ModelPool]:
    group = {"name": "all", "replicas": replicas, "cpus": 0.5}
    begin = time.perf_counter()
    with plugin_path(), started(ray_pool(queue=32, batch=1, max_open=80, groups=[group])) as pool:
        print(f"started          {time.perf_counter() - begin:5.1f} s")
        yield pool


def measure(name: str, pool: ModelPool, model: Entry, count: int) -> float:
    """Prints the milliseconds of a single request and the rate with several clients, which it returns."""
    pool.load(model).result()

    def ask(text: str) -> float:
        begin = time.perf_counter()
        pool.submit(model, TASK, {"text": text}).result()
        return time.perf_counter() - begin

    for _ in range(CLIENTS):
        ask(ANSWER)
    single = 1000 * statistics.median(ask(ANSWER) for _ in range(count))
    begin = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(ask, [SLEEP] * count))
    rate = count / (time.perf_counter() - begin)
    print(f"{name:16} {single:6.2f} ms for a request   {rate:6.1f} /s with a model of 50 ms")
    return rate


if __name__ == "__main__":
    main()
