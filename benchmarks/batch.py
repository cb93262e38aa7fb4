"""One plan for many files against a bare loop over the same experts, and the memory that it takes.

    python -m benchmarks.batch [--pictures N] [--workers N] [--memory N,N]

Both begin in a fresh process and write the same results: objects with their boxes drawn, and edges. The loop calls the
experts' endpoint for one picture after the other, and does nothing else. Nothing is remembered: all pictures differ, and
the cache is off. The memory is the peak of this process and its workers together, for small pictures and one task.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
from PIL import Image

from awesome_chat import make_controller
from hugginggpt import config as settings
from hugginggpt.batch.journal import BatchFolder
from hugginggpt.batch.results import write_results
from hugginggpt.batch.rows import read_rows
from hugginggpt.batch.running import Batch
from hugginggpt.common.paths import ROOT
from hugginggpt.config import Config
from hugginggpt.stages.plan_files import Input, PlanFile

EXAMPLES = [ROOT / "public" / "examples" / f"{name}.jpg" for name in ("a", "b", "c", "d", "e", "f", "g", "person")]
TASKS = {"object-detection": "nanodet-coco", "canny-control": "canny-control"}
SMALL = {"canny-control": "canny-control"}
GOAL = 1.15
LOOK_SECONDS = 0.05


def config_in(folder: Path) -> Config:
    """The default settings, offline, without a cache; all files in a folder."""
    values = {"llm": "offline", "log_file": None, "public": str(folder / "public"), "cache": {"embedded": False}}
    return settings.load(values, environment={})


def plan_of(tasks: dict[str, str]) -> PlanFile:
    planned = [
        {"task": task, "id": at, "dep": [-1], "args": {"image": "file"}, "model": model}
        for at, (task, model) in enumerate(tasks.items())
    ]
    return PlanFile(planned, (Input("file", "image"),))


def make_pictures(folder: Path, number: int, side: int) -> None:
    """Pictures of which no two are the same."""
    folder.mkdir(parents=True)
    originals = [Image.open(file).convert("RGB") for file in EXAMPLES]
    for at in range(number):
        picture = originals[at % len(originals)].resize((side, side * 3 // 4))
        picture.putpixel((at % side, at // side), (at % 256, at // 256, 99))
        picture.save(folder / f"{at:05}.png")


def bare_loop(folder: Path) -> None:
    """The experts' endpoint for each picture and task."""
    with closing(make_controller(config_in(folder))) as controller:
        places = {endpoint.name: endpoint for endpoint in controller.endpoints}
        for file in sorted((folder / "in").iterdir()):
            for task, model in TASKS.items():
                places["embedded"].infer(model, controller.table[task], {"image": file})


def batch(folder: Path, tasks: dict[str, str], workers: int) -> None:
    rows = read_rows([str(folder / "in")]).rows
    with closing(make_controller(config_in(folder))) as controller:
        made = BatchFolder.begin(folder / f"out-{time.time_ns()}", plan_of(tasks), {"file": "file"}, rows)
        with closing(made):
            for _, outcome in Batch(made, controller, make_controller).run(workers, own_processes=True):
                assert not outcome["error"], outcome["error"]
            write_results(made)


def measured(*options: str, memory: bool = False) -> tuple[float, float, float]:
    """Seconds, seconds of CPU and, if wanted, peak megabytes of this program with some options, and of its workers."""
    began = time.monotonic()
    program = psutil.Popen([sys.executable, "-m", "benchmarks.batch", *options], cwd=ROOT)
    peak = [0.0]
    over = threading.Event()

    def look() -> None:
        while memory and not over.wait(LOOK_SECONDS):
            peak[0] = max(peak[0], _memory(program))

    looking = threading.Thread(target=look)
    looking.start()
    before = _children_cpu()
    if program.wait():
        raise SystemExit("The measured program failed.")
    over.set()
    looking.join()
    return time.monotonic() - began, _children_cpu() - before, peak[0]


def _children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _memory(program: psutil.Process) -> float:
    """Megabytes that the program and its children alone hold."""
    try:
        return sum(one.memory_full_info().uss for one in (program, *program.children(recursive=True))) / 1e6
    except psutil.Error:  # one has ended
        return 0.0


def compare(folder: Path, pictures: int, workers: int) -> None:
    make_pictures(folder / "in", pictures, 320)
    loop = measured("--bare", str(folder))
    ours = measured("--batch", str(folder), "--workers", str(workers))
    for name, (seconds, cpu, _) in (("bare loop", loop), (f"batch, {workers} workers", ours)):
        print(f"{name:18} {seconds:7.1f} s, CPU {cpu:7.1f} s")
    print(f"ratio: {ours[0] / loop[0]:.2f} (CPU {ours[1] / loop[1]:.2f}), the goal is at most {GOAL}")


def memory(folder: Path, numbers: list[int]) -> None:
    for number in numbers:
        make_pictures(folder / str(number) / "in", number, 64)
        seconds, _, peak = measured("--small", str(folder / str(number)), "--workers", "1", memory=True)
        print(f"{number:5} files: {peak:6.0f} MB at most, {seconds:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--memory", default="100,2000")
    for name in ("bare", "batch", "small"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    args = parser.parse_args()
    inner: dict[str, Callable[[], Any]] = {
        "bare": lambda: bare_loop(Path(args.bare)),
        "batch": lambda: batch(Path(args.batch), TASKS, args.workers),
        "small": lambda: batch(Path(args.small), SMALL, args.workers),
    }
    for name, run in inner.items():
        if getattr(args, name):
            run()
            return
    with tempfile.TemporaryDirectory() as folder:
        if args.pictures:
            compare(Path(folder), args.pictures, args.workers)
        if args.memory:
            memory(Path(folder) / "memory", [int(number) for number in args.memory.split(",")])


if __name__ == "__main__":
    main()
