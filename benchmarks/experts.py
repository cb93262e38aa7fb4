"""The embedded experts, each in a process of its own: the first answer, further ones, and the memory.

    python -m benchmarks.experts [--calls N] [--clients N] [--neighbours N] [EXPERT ...]

"library" is the part of a warm call that its own library takes (for networks: running them); what is above 1.2 times
that and 20 ms is marked. "own CPU" is the time of a processor that the rest
takes, whatever else the machine does, and "saved" what drawing and saving the result takes besides. With several clients each calls as
often, at the same time, and the library counts in the thread of its call. Neighbours are processes that do nothing but
spin meanwhile: one of them should not double the time of a call, on two cores. Files: public/examples, and what is made
of them. "least" is the fastest of the warm calls: on a busy machine it says the most.
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
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from hugginggpt.common.paths import ROOT
from hugginggpt.config import load
from hugginggpt.core.tasks import default_table
from hugginggpt.endpoints.base import settle
from hugginggpt.experts import registry
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


MADE: dict[str, Callable[[Path], object]] = {}
"""Files that are made of the examples before experts are measured, by their names: {"clip.mp4": writes it, ...}."""


def made(name: str) -> Callable[[Callable[[Path], object]], Callable[[Path], object]]:
    def note(write: Callable[[Path], object]) -> Callable[[Path], object]:
        MADE[name] = write
        return write

    return note


@made("clip.mp4")
def _clip(file: Path) -> None:
    """Three pictures, four seconds each, with the sound of speech.wav."""
    pictures = [EXAMPLES / name for name in ("b.jpg", "d.jpg", "f.jpg")]
    args = {"images": pictures, "each": "4 seconds each", "audio": EXAMPLES / "speech.wav"}
    file.write_bytes(registry.expert_for("slideshow", "images-to-video").run(**args)["generated video"])


@made("pages.pdf")
def _pages(file: Path) -> None:
    """Three pages, each a picture."""
    pictures = [EXAMPLES / name for name in ("invoice.png", "b.jpg", "d.jpg")]
    (data,) = registry.expert_for("pictures", "images-to-pdf").run(images=pictures)["generated document"]
    file.write_bytes(data)


@made("film.srt")
def _subtitles(file: Path) -> None:
    file.write_text("1\n00:00:01,000 --> 00:00:03,000\nGood morning.\n", encoding="utf-8")


@made("moving.gif")
def _moving(file: Path) -> None:
    from PIL import Image

    frames = [Image.new("RGB", (320, 240), (20 * number, 90, 120)) for number in range(10)]
    frames[0].save(file, save_all=True, append_images=frames[1:])


@made("code.png")
def _code(file: Path) -> None:
    import cv2
    from PIL import Image

    code = Image.fromarray(cv2.QRCodeEncoder.create().encode("https://example.org"))
    page = Image.new("L", (640, 480), 255)
    page.paste(code.convert("L").resize((240, 240), 0), (100, 100))
    page.save(file)


@made("rows.csv")
def _rows(file: Path) -> None:
    """A hundred flowers, of every third of which the kind is missing."""
    from sklearn.datasets import load_iris

    data = load_iris()
    rows = [[*map(str, row), "" if number % 3 == 0 else str(data.target[number])] for number, row in enumerate(data.data[:100])]  # fmt: skip
    file.write_text("\n".join(",".join(row) for row in [["a", "b", "c", "d", "kind"], *rows]))


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
    Case("zero-shot-classification", "all-MiniLM-L6-v2-labels", {"text": TEXT, "labels": ["animals", "money"]}, None),
    Case("question-answering", "sentence-reader", {"text": "Where does Ada live?", "context": f"{TEXT} Ada lives in Oslo."}, None),
    Case("summarization", "sumy-lexrank", {"text": f"{TEXT} Ada lives in Oslo. The dog sleeps. The fox is gone.", "shape": "one sentence"}, None),
    Case("tabular-classification", "random-forest", {"table": "rows.csv"}, None),
    Case("detect-language", "py3langid", {"text": TEXT}, None),
    Case("visual-question-answering", "nanodet-coco", {"image": EXAMPLES / "b.jpg", "text": "How many giraffes are there?"}),
    Case("speech-translation", "whisper-tiny.en", {"audio": EXAMPLES / "jfk.wav"}, WHISPER),
    Case("speech-translation", "whisper-base", {"audio": EXAMPLES / "jfk.wav"}, WHISPER),
    Case("audio-classification", "whisper-base", {"audio": EXAMPLES / "jfk.wav"}, None),
    Case("audio-classification", "firered-events", {"audio": EXAMPLES / "jfk.wav"}),
    Case("make-subtitles", "whisper", {"audio": EXAMPLES / "jfk.wav", "format": "srt"}, WHISPER),
    Case("scribble-control", "hed-bsds500", {"image": EXAMPLES / "f.jpg"}),
    *(Case(f"{control}-control", f"{control}-control", {"image": EXAMPLES / "f.jpg"}, None) for control in ("canny", "hed", "scribble", "mlsd", "seg")),
    Case("redact-image", "redact", {"image": EXAMPLES / "f.jpg", "what": "blur the faces"}, None),
    Case("read-code", "opencv-codes", {"image": "code.png"}, None),
    Case("crop-image", "crop", {"image": EXAMPLES / "f.jpg", "part": "the left half"}, None),
    Case("resize-image", "resize", {"image": EXAMPLES / "f.jpg", "size": "half the size"}, None),
    Case("rotate-image", "rotate", {"image": EXAMPLES / "f.jpg", "angle": "90 degrees"}, None),
    Case("flip-image", "flip", {"image": EXAMPLES / "f.jpg"}, None),
    Case("adjust-image", "adjust", {"image": EXAMPLES / "f.jpg", "change": "greyscale, sharper"}, None),
    Case("convert-image", "convert", {"image": EXAMPLES / "f.jpg", "format": "png"}, None),
    Case("join-images", "collage", {"images": [EXAMPLES / "f.jpg", EXAMPLES / "b.jpg"]}, None),
    Case("write-on-image", "write", {"image": EXAMPLES / "f.jpg", "text": "Hello"}, None),
    Case("measure-image", "measure-picture", {"image": EXAMPLES / "f.jpg"}, None),
    Case("images-to-video", "slideshow", {"images": [EXAMPLES / "f.jpg", EXAMPLES / "b.jpg"], "each": "2 seconds each"}, None),
    Case("cut-audio", "cut", {"audio": EXAMPLES / "jfk.wav", "part": "the first 5 seconds"}, None),
    Case("join-audio", "join", {"audios": [EXAMPLES / "jfk.wav", EXAMPLES / "tone.wav"]}, None),
    Case("convert-audio", "convert", {"audio": EXAMPLES / "jfk.wav", "format": "mp3"}, None),
    Case("adjust-audio", "adjust", {"audio": EXAMPLES / "jfk.wav", "change": "-16 LUFS"}, None),
    Case("measure-audio", "measure", {"audio": EXAMPLES / "jfk.wav"}, None),
    Case("cut-video", "cut", {"video": "clip.mp4", "part": "the first 5 seconds"}, None),
    Case("adjust-video", "adjust", {"video": "clip.mp4", "change": "twice as fast"}, None),
    Case("video-frame", "frame", {"video": "clip.mp4", "time": "0:05"}, None),
    Case("video-to-gif", "gif", {"video": "clip.mp4", "part": "the first 5 seconds"}, None),
    Case("add-sound", "add-sound", {"video": "clip.mp4", "audio": EXAMPLES / "jfk.wav"}, None),
    Case("measure-video", "measure-video", {"video": "clip.mp4"}, None),
    Case("join-pdf", "join", {"documents": ["pages.pdf", "pages.pdf"]}, None),
    Case("images-to-pdf", "pictures", {"images": [EXAMPLES / "f.jpg", EXAMPLES / "b.jpg"]}, None),
    Case("extract-pages", "pages", {"document": "pages.pdf", "pages": "page 2"}, None),
    Case("split-pdf", "split", {"document": "pages.pdf", "parts": "each page"}, None),
    Case("pdf-to-images", "draw", {"document": "pages.pdf", "pages": "page 1"}, None),
    Case("image-frames", "frames", {"image": "moving.gif"}, None),
    Case("move-subtitles", "shift", {"document": "film.srt", "by": "2 seconds later"}, None),
    Case("page-to-table", "lines", {"image": EXAMPLES / "invoice.png"}, None),
    Case("export-table", "export", {"table": STAFF, "format": "xlsx"}, None),
    Case("edit-table", "edit", {"table": STAFF, "change": "remove duplicates"}, None),
    Case("merge-tables", "merge", {"tables": [STAFF, STAFF]}, None),
    Case("compare-tables", "compare", {"tables": [STAFF, STAFF], "text": "What is only in the first?"}, None),
    Case("plot-table", "plot", {"table": STAFF, "chart": "a bar chart of the salary per employee"}, None),
    Case("save-text", "write", {"text": TEXT, "format": "pdf"}, None),
    Case("count-words", "count", {"text": TEXT}, None),
    Case("calculate", "exact-calculator", {"calculation": "0.17 * 240"}, None),
    Case("compare-texts", "difflib", {"text1": TEXT, "text2": f"{TEXT} Again."}, None),
)  # fmt: skip


def given(args: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The arguments of a call, with the paths of files that were made."""

    def path(value: Any) -> Any:
        if isinstance(value, list):
            return [path(one) for one in value]
        return folder / value if isinstance(value, str) and value in MADE else value

    return {name: path(value) for name, value in args.items()}


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


def measure(case: Case, calls: int, clients: int, files: Path) -> dict[str, Any]:
    """The figures of one case, in this process, which has done nothing else."""
    args = given(case.args, files)
    start = time.perf_counter()
    expert = registry.expert_for(case.expert, case.task)
    if expert.missing:
        return {"missing": expert.missing}
    expert.run(**args)
    cold = time.perf_counter() - start
    inside = OfThread()
    if case.library:
        timed(*case.library, inside)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(clients) as pool:
        media, task = MediaStore(load(environment={}, public=folder)), default_table()[case.task]

        def call(_: int) -> tuple[float, float, float, float]:
            inside.seconds.clear(), inside.cpu.clear()
            start, begun = time.perf_counter(), time.thread_time()
            raw = expert.run(**args)
            done, own = time.perf_counter(), time.thread_time() - begun - sum(inside.cpu)
            settle(task, raw, args, media)
            return done - start, sum(inside.seconds), own, time.perf_counter() - done

        measured = list(pool.map(call, range(calls * clients)))
    warm, library, own, saved = (statistics.median(column) for column in zip(*measured, strict=True))
    process = psutil.Process()
    memory = sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))
    seconds = {"cold": cold, "warm": warm, "least": min(each[0] for each in measured), "saved": saved}
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
    parser.add_argument("experts", nargs="*", help="ids or tasks of experts; without any, all")
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--neighbours", type=int, default=0)
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--files", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only is not None:
        print(json.dumps(measure(CASES[args.only], args.calls, args.clients, args.files)))
        return
    table = Table(
        "task",
        "expert",
        "cold, s",
        "warm, s",
        "least, s",
        "library, s",
        "ratio",
        "own CPU, s",
        "saved, s",
        "memory, MB",
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, write in MADE.items():
            write(Path(folder, name))
        options = ["--files", folder, "--calls", str(args.calls), "--clients", str(args.clients)]
        for number, case in enumerate(CASES):
            if args.experts and not {case.expert, case.task} & set(args.experts):
                continue
            command = [sys.executable, "-m", "benchmarks.experts", "--only", str(number), *options]
            with spinning(args.neighbours):
                done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode:
                table.add_row(case.task, case.expert, f"failed: {done.stderr.strip().splitlines()[-1]}")
            else:
                table.add_row(case.task, case.expert, *_cells(json.loads(done.stdout.splitlines()[-1])))
    Console(width=140).print(table)


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
        f"{figures['least']:.3f}",
        shown,
        ratio,
        f"{figures['own']:.3f}" if library else "",
        f"{figures['saved']:.3f}",
        f"{figures['memory'] / 1e6:.0f}",
    ]


if __name__ == "__main__":
    main()
