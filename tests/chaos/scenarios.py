"""Scenarios in one process: random plans and faults, every fault alone, bad disks, a jumping clock."""

from __future__ import annotations

import os
import queue
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from awesome_chat import make_controller
from hugginggpt.config import Config
from hugginggpt.core.tasks import default_table
from hugginggpt.offline.planner import plan_offline
from tests.chaos.invariants import Broken, Leaks, check
from tests.chaos.lab import DRAIN_SECONDS, Lab, run_case
from tests.chaos.plans import Case, every_fault, mark, new_nonce, random_case

WORKERS = 16


class Skip(Exception):
    """The scenario cannot be tried on this machine; says why."""


def run_together(config: Config, cases: Iterable[Case], workers: int = WORKERS) -> Counter[str]:
    """Runs cases with one controller, several at a time; then one without faults, and holds what is left behind.

    Raises Broken with the number of the case.
    """
    before = Leaks.before()
    controller = make_controller(config)
    waiting: queue.SimpleQueue[tuple[int, Case] | None] = queue.SimpleQueue()
    counts: Counter[str] = Counter()
    broken: list[str] = []

    def work() -> None:
        while (item := waiting.get()) is not None:
            try:
                counts.update(run_case(controller, item[1], config))
            except Broken as error:
                broken.append(f"case {item[0]}: {error}; faults {item[1].faults}, plan {item[1].plan}")
            except Exception as error:
                broken.append(f"case {item[0]}: raised {error!r}; faults {item[1].faults}, plan {item[1].plan}")

    for item in enumerate(cases):
        waiting.put(item)
    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        waiting.put(None)
        thread.start()
    for thread in threads:
        thread.join()
    controller.close()
    if broken:
        raise Broken("; ".join(broken[:3]))
    before.check(DRAIN_SECONDS, config.public_dir)
    counts["runs"] = sum(number for what, number in counts.items() if what.startswith("run "))
    return counts


def warm_up(lab: Lab) -> Counter[str]:
    """One run, and an answer without a language model, so that what is loaded once a process (NumPy's threads, too) does
    not count as left behind.
    """
    plan_offline("How many dogs are in /examples/a.jpg?", default_table())
    return run_together(lab.config(), [healthy(random.Random(0))], workers=1)


def healthy(rng: random.Random) -> Case:
    """A case without faults that makes a file."""
    nonce = new_nonce(rng)
    plan = [
        {"task": "text-to-image", "id": 0, "dep": [-1], "args": {"text": mark(nonce, 0, None)}},
        {"task": "image-to-text", "id": 1, "dep": [0], "args": {"image": "<GENERATED>-0"}},
    ]
    return Case(nonce, plan)


VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"stream_plan": False, "selection": "batch"},
    {"selection": "each"},
    {"run_ahead": "repeatable"},
    {"limits": {"hedge_seconds": 0.3, "retries": 3}},
    {"inference_mode": "huggingface"},
    {"inference_mode": "local"},
    {"cache": {"enabled": True, "folder": "CACHE", "max_mb": 1}},
)


def random_plans(lab: Lab, rng: random.Random, most: int) -> Counter[str]:
    """Random plans with random faults, under each of the variants of the configuration, then a healthy one."""
    counts: Counter[str] = Counter()
    for variant in VARIANTS:
        variant = (
            {**variant, "cache": {**variant["cache"], "folder": str(lab.folder / "cache")}}
            if "cache" in variant
            else variant
        )
        cases = [random_case(rng, lab.public) for _ in range(most // len(VARIANTS))]
        counts += run_together(lab.config(**variant), cases)
        counts += _next_one_answers(lab.config(**variant), rng)
    return counts


def _next_one_answers(config: Config, rng: random.Random) -> Counter[str]:
    counts = run_together(config, [healthy(rng)], workers=1)
    check(counts["run answered"] == 1 and counts["finished"] == 2, f"the next run does not work: {dict(counts)}")
    return counts


def each_fault(lab: Lab, rng: random.Random, most: int) -> Counter[str]:
    """Every way to fail, at every place, once and always (a sample of them where there is no time for all)."""
    cases = [case for case in every_fault(rng) if "huge" not in str((case.faults, case.plan))]
    rng.shuffle(cases)
    return run_together(lab.config(), cases[:most], workers=12)


def refused_connections(lab: Lab, rng: random.Random) -> Counter[str]:
    """Services that are not there: each by itself, and all."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    nobody = {
        "llm": {"local": {"endpoint": f"http://127.0.0.1:{port}"}},
        "hub": {"huggingface": {"base_url": f"http://127.0.0.1:{port}"}},
        "local": {"local_inference_endpoint": {"host": "127.0.0.1", "port": port}},
    }
    counts: Counter[str] = Counter()
    for missing in (("llm",), ("hub",), ("local",), ("hub", "local"), tuple(nobody)):
        changes = {key: value for name in missing for key, value in nobody[name].items()}
        counts += run_together(lab.config(**changes), [random_case(rng, lab.public, 0) for _ in range(4)])
    return counts


# The machine


def jumping_clock(lab: Lab, rng: random.Random, most: int) -> Counter[str]:
    """time.time() jumps by years, back and forth, at every call; the monotonic clock goes on."""
    real, jumps = time.time, random.Random(rng.random())
    time.time = lambda: real() + jumps.uniform(-1e9, 1e9)
    try:
        return run_together(lab.config(), [random_case(rng, lab.public) for _ in range(most)])
    finally:
        time.time = real


@contextmanager
def small_disk(kilobytes: int, options: str = "") -> Iterator[Path]:
    """A file system of its own. Raises Skip where it may not be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-disk-", dir="/tmp"))  # not below the folder whose leaks are looked for
    mount = shutil.which("mount")
    try:
        if os.geteuid() != 0 or mount is None:
            raise Skip("a small disk can only be mounted as root")
        command = [mount, "-t", "tmpfs", "-o", f"size={kilobytes}k{options}", "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        if done.returncode:
            raise Skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
        try:
            yield folder
        finally:
            subprocess.run([shutil.which("umount") or "umount", "-l", str(folder)], check=True, timeout=10)
    finally:
        folder.rmdir()


def full_disk(lab: Lab, rng: random.Random) -> Counter[str]:
    """Results, records, log and cache on a disk that is full; then it has room again."""
    with small_disk(300) as disk:
        (disk / "public").mkdir()
        (disk / "filler").write_bytes(b"")
        own = {
            "public": str(disk / "public"),
            "log_file": str(disk / "logs" / "debug.log"),
            "cache": {"enabled": True, "folder": str(disk / "cache"), "max_mb": 1},
        }
        config = lab.config(**own)
        with (disk / "filler").open("wb", buffering=0) as filler:
            _fill(filler.write)
        counts = _without_records(lambda: run_together(config, [healthy(rng) for _ in range(4)]))
        check(counts["failed"] > 0, "no task noticed that the disk is full")
        (disk / "filler").unlink()
        return counts + _next_one_answers(config, rng)


def _fill(write: Callable[[bytes], int]) -> None:
    for size in (4096, 1):
        try:
            while True:
                write(b"x" * size)
        except OSError:
            pass


def _without_records(work: Callable[[], Counter[str]]) -> Counter[str]:
    """For places where no record can be kept, which the log says and which ends no run."""
    from tests.chaos import lab

    real = lab.check
    lab.check = lambda holds, said: None if said == "its record was not kept" else real(holds, said)
    try:
        return work()
    finally:
        lab.check = real


def read_only_public(lab: Lab, rng: random.Random) -> Counter[str]:
    """A public folder that cannot be written to; where none can be mounted, one with files in place of its folders."""
    try:
        with small_disk(300, ",ro") as disk:
            counts = run_together(lab.config(public=str(disk)), [healthy(rng) for _ in range(4)])
    except Skip:
        folder = lab.folder / "blocked"
        folder.mkdir()
        for name in ("images", "audios", "videos", "uploads"):
            (folder / name).write_text("a file where the folder should be")
        counts = run_together(lab.config(public=str(folder)), [healthy(rng) for _ in range(4)])
    check(counts["failed"] == 4 and counts["skipped"] == 4, f"tasks that cannot keep their files: {dict(counts)}")
    return counts + _next_one_answers(lab.config(), rng)
