"""The embedded experts, each in a process of its own: the first answer, further ones, and the memory.

    python -m benchmarks.experts [--calls N] [--clients N] [--neighbours N] [EXPERT ...]

"library" is the part of a warm call that its own library takes (for networks: running them); what is above 1.2 times
that and 20 ms is marked. "own CPU" is the time of a processor that the rest
takes, whatever else the machine does, and "saved" what drawing and saving the result takes besides. With several clients each calls as
often, at the same time, and the library counts in the thread of its call. Neighbours are processes that do nothing but
spin meanwhile: one of them should not double the time of a call, on two cores. Files: public/examples.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from hugginggpt.common.paths import ROOT
from hugginggpt.config import load
from hugginggpt.core.tasks import default_table
from hugginggpt.endpoints.base import settle
from hugginggpt.media.store import MediaStore

EXAMPLES = ROOT / "public" / "examples"
STAFF = ROOT / "tests" / "experts" / "tables" / "staff.csv"
FACTOR, MARGIN = 1.2, 0.020
"""A warm call may take so many times as long as its library, and so many seconds more."""
RUN = ("onnxruntime", "InferenceSession", "run")


@dataclass(frozen=True)
class Case:
    """A call of an expert, and the method or function in which its library works: module, class or "", name."""

    task: str
    expert: str
    args: dict[str, Any]
    library: tuple[str, str, str] | None = RUN


TEXT = "The quick brown fox jumps over the lazy dog."
WHISPER = ("faster_whisper", "WhisperModel", "transcribe")
CASES = (
    Case("object-detection", "nanodet-coco", {"image": EXAMPLES / "b.jpg"}),
    Case("image-classification", "efficientnet-lite0", {"image": EXAMPLES / "d.jpg"}),
    Case("image-segmentation", "selfie-segmentation", {"image": EXAMPLES / "f.jpg"}),
    Case("image-segmentation", "grabcut", {"image": EXAMPLES / "b.jpg"}, ("cv2", "", "grabCut")),
    Case("openpose-control", "openpose-control", {"image": EXAMPLES / "person.jpg"}),
    Case("super-resolution", "upconv7-photo", {"image": EXAMPLES / "f.jpg"}),
    Case("hed-control", "hed-bsds500", {"image": EXAMPLES / "f.jpg"}),
    Case("style-transfer", "magenta-stylization", {"image": EXAMPLES / "f.jpg", "style": EXAMPLES / "c.jpg"}),
    Case("image-safety", "open-nsfw", {"image": EXAMPLES / "f.jpg"}),
    Case("voice-activity-detection", "firered-events", {"audio": EXAMPLES / "jfk.wav"}),
    Case("translation", "apertium", {"text": TEXT, "language": "Spanish"}, None),
    Case("image-to-text", "rapidocr-nanodet", {"image": EXAMPLES / "invoice.png"}, ("rapidocr", "RapidOCR", "__call__")),
    Case("document-question-answering", "rapidocr-minilm", {"image": EXAMPLES / "invoice.png", "text": "What is the total?"}, ("rapidocr", "RapidOCR", "__call__")),
    Case("table-question-answering", "pandas-tables", {"table": STAFF, "text": "Who earns the most?"}, None),
    Case("automatic-speech-recognition", "whisper-tiny.en", {"audio": EXAMPLES / "jfk.wav"}, WHISPER),
    Case("automatic-speech-recognition", "whisper-base", {"audio": EXAMPLES / "jfk.wav"}, WHISPER),
    Case("text-to-speech", "piper-joe", {"text": TEXT}, None),
    Case("audio-to-audio", "deepfilternet3", {"audio": EXAMPLES / "noisy.wav"}, None),
    Case("audio-classification", "silero-vad", {"audio": EXAMPLES / "jfk.wav"}, ("faster_whisper.vad", "SileroVADModel", "__call__")),
    Case("text-classification", "vader", {"text": TEXT}, None),
    Case("token-classification", "en_core_web_sm", {"text": TEXT}, ("spacy.language", "Language", "__call__")),
    Case("sentence-similarity", "all-MiniLM-L6-v2", {"text1": TEXT, "text2": "A dog sleeps."}, None),
)  # fmt: skip


class OfThread(threading.local):
    """The seconds that a library took in the calls of this thread."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.cpu: list[float] = []


def timed(module: str, owner: str, name: str, inside: OfThread) -> None:
    """Replaces a method by one that notes how long it takes; a generator in its result is read to its end."""
    kind = importlib.import_module(module)
    kind = getattr(kind, owner) if owner else kind
    method: Callable[..., Any] = getattr(kind, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        start, begun = time.perf_counter(), time.thread_time()
        result = method(*args, **kwargs)
        if isinstance(result, tuple) and hasattr(result[0], "__next__"):
            result = (iter(list(result[0])), *result[1:])
        inside.seconds.append(time.perf_counter() - start)
        inside.cpu.append(time.thread_time() - begun)
        return result

    setattr(kind, name, call)


def measure(case: Case, calls: int, clients: int) -> dict[str, Any]:
    """The figures of one case, in this process, which has done nothing else."""
    start = time.perf_counter()
    from hugginggpt.experts import registry

    expert = registry.expert_for(case.expert, case.task)
    if expert.missing:
        return {"missing": expert.missing}
    expert.run(**case.args)
    cold = time.perf_counter() - start
    inside = OfThread()
    if case.library:
        timed(*case.library, inside)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(clients) as pool:
        media, task = MediaStore(load(environment={}, public=folder)), default_table()[case.task]

        def call(_: int) -> tuple[float, float, float, float]:
            inside.seconds.clear(), inside.cpu.clear()
            start, begun = time.perf_counter(), time.thread_time()
            raw = expert.run(**case.args)
            done, own = time.perf_counter(), time.thread_time() - begun - sum(inside.cpu)
            settle(task, raw, case.args, media)
            return done - start, sum(inside.seconds), own, time.perf_counter() - done

        measured = list(pool.map(call, range(calls * clients)))
    warm, library, own, saved = (statistics.median(column) for column in zip(*measured, strict=True))
    process = psutil.Process()
    memory = sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))
    seconds = {"cold": cold, "warm": warm, "saved": saved}
    return {**seconds, **({"library": library, "own": own} if case.library else {"library": None}), "memory": memory}


@contextmanager
def spinning(number: int) -> Iterator[None]:
    """So many processes that take all of a processor that they get."""
    neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experts", nargs="*", help="ids of experts; without any, all")
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--neighbours", type=int, default=0)
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only is not None:
        print(json.dumps(measure(CASES[args.only], args.calls, args.clients)))
        return
    table = Table("task", "expert", "cold, s", "warm, s", "library, s", "ratio", "own CPU, s", "saved, s", "memory, MB")
    for number, case in enumerate(CASES):
        if args.experts and case.expert not in args.experts:
            continue
        options = ["--only", str(number), "--calls", str(args.calls), "--clients", str(args.clients)]
        command = [sys.executable, "-m", "benchmarks.experts", *options]
        with spinning(args.neighbours):
            done = subprocess.run(command, check=True, capture_output=True, text=True)
        table.add_row(case.task, case.expert, *_cells(json.loads(done.stdout.splitlines()[-1])))
    Console(width=130).print(table)


def _cells(figures: dict[str, Any]) -> list[str]:
    if "missing" in figures:
        return [f"not installed: {', '.join(figures['missing'])}"]
    library = figures["library"]
    ratio = ""
    if library:
        is_above = figures["warm"] > FACTOR * library + MARGIN
        ratio = f"{figures['warm'] / library:.2f}{' above' if is_above else ''}"
    shown = f"{library:.3f}" if library else ""
    return [
        f"{figures['cold']:.1f}",
        f"{figures['warm']:.3f}",
        shown,
        ratio,
        f"{figures['own']:.3f}" if library else "",
        f"{figures['saved']:.3f}",
        f"{figures['memory'] / 1e6:.0f}",
    ]


if __name__ == "__main__":
    main()
