"""What hostile files cost: each is opened in a process of its own, as the program opens it, after a sound file of its format.

    python -m benchmarks.hostile_files [--all] [WORDS ...]

A file is attached, checked and then read by what reads its kind; words choose the files that hold one of them. Seconds
are those of a processor, of the longest of these steps; memory is what the process and the one that
reads documents take more than for the sound file. Files above a second or 300 MB, and what is no sentence, are marked.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from benchmarks import hostile_samples as hostile
from hugginggpt.config import load
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.core.tasks import default_table
from hugginggpt.endpoints.embedded import Embedded
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import columns
from hugginggpt.media.texts import text_of_file
from hugginggpt.media.types import kind_of
from hugginggpt.media.video import looks

MOST_SECONDS, MOST_MB, GIVEN_UP = 1.0, 300.0, 120
CUT = (0.1, 0.5, 0.9)
"""The shares of a sound file that are left of it."""
Step = tuple[str, Callable[[MediaStore, Path], Any]]


def _infer(task: str, expert: str, **args: Any) -> Callable[[MediaStore, Path], Any]:
    """A task done by an embedded expert to the file, which is the argument that is left open."""

    def run(media: MediaStore, path: Path) -> Any:
        row = default_table()[task]
        return Embedded(media).infer(expert, row, {row.args[0].name: path, **args}).value

    return run


def _sound(media: MediaStore, path: Path) -> Any:
    media.check(path, "audio")
    return load_audio(path, 16_000)


def _looks(media: MediaStore, path: Path) -> Any:
    for _ in looks(path, 24, 1, media.max_pixels):
        pass


STEPS: dict[str, tuple[Step, ...]] = {
    "image": (
        ("measured", _infer("measure-image", "measure-picture")),
        ("made smaller", _infer("resize-image", "resize", size="a thumbnail")),
    ),
    "audio": (("decoded", _sound), ("measured", _infer("measure-audio", "measure"))),
    "video": (
        ("measured", _infer("measure-video", "measure-video")),
        ("looked at", _looks),
        ("its sound", _sound),
        ("a frame", _infer("video-frame", "frame", time="the middle")),
    ),
    "table": (("as columns", lambda _, path: columns(path)), ("asked", _infer("table-question-answering", "pandas-tables", text="How many rows?"))),
    "text": (("as text", lambda _, path: text_of_file(path)),),
}  # fmt: skip
MORE_STEPS: dict[str, tuple[Step, ...]] = {
    suffix: (("its last frame", _infer("image-frames", "frames", frames="the last one")),)
    for suffix in (".gif", ".tiff", ".webp")
}
MORE_STEPS[".pdf"] = (
    ("its first page", _infer("extract-pages", "pages", pages="page 1")),
    ("drawn", _infer("pdf-to-images", "draw", pages="page 1")),
)
"""What reads a file of each kind, with and without a model."""


def opened(media: MediaStore, file: Path) -> list[tuple[str, float, str]]:
    """What was done to a file: name, seconds, and the sentence that it ended in, "" where it did not."""
    done: list[tuple[str, float, str]] = []

    def attach() -> Path:
        path = media.attach(file)
        media.check(path, kind_of(path.name) or "text")
        return path

    path = _timed("attached", attach, done)
    if path is not None:
        steps = STEPS[kind_of(path.name) or "text"] + MORE_STEPS.get(path.suffix, ())
        for name, step in steps:
            _timed(name, lambda step=step: step(media, path), done)  # type: ignore[misc]
    return done


def _timed(name: str, call: Callable[[], Any], done: list[tuple[str, float, str]]) -> Any:
    begin, result, said = _processor_seconds(), None, ""
    try:
        result = call()
    except HuggingGPTError as error:
        said = str(error)
    except BaseException:
        said = f"TRACEBACK {traceback.format_exc(limit=-2)}"
    done.append((name, _processor_seconds() - begin, said))
    return result


def measure(good: Path, files: list[Path]) -> list[dict[str, Any]]:
    """The figures of files, each in a copy of this process, which has opened a sound file before."""
    with TemporaryDirectory() as folder:
        media = MediaStore(load(environment={}, public=folder))
        opened(media, good)
        return [_in_copy(media, file) for file in files]


def _in_copy(media: MediaStore, file: Path) -> dict[str, Any]:
    """What a copy of this process tells of a file; of one that takes too long, that it does."""
    told, tell = os.pipe()
    if not (child := os.fork()):
        signal.alarm(GIVEN_UP)
        own, childs = _peak(resource.RUSAGE_SELF), _peak(resource.RUSAGE_CHILDREN)
        done = opened(media, file)
        grown = max(_peak(resource.RUSAGE_SELF) - own, _peak(resource.RUSAGE_CHILDREN) - max(childs, own))
        with os.fdopen(tell, "w") as out:
            json.dump({"done": done, "mb": grown}, out)
        os._exit(0)
    os.close(tell)
    with os.fdopen(told) as answer:
        text = answer.read()
    _, status, used = os.wait4(child, 0)
    if text:
        figures: dict[str, Any] = json.loads(text)
        return figures
    cpu = used.ru_utime + used.ru_stime
    return {"done": [("all", cpu, f"TRACEBACK ended by signal {os.WTERMSIG(status)}")], "mb": used.ru_maxrss / 1000}


def _peak(who: int) -> float:
    """The most memory that this process, or one that it started, has taken so far, in MB."""
    return resource.getrusage(who).ru_maxrss / 1000


def _processor_seconds() -> float:
    """What this process and those that it started have taken of a processor: what else the machine does changes little."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def in_process(good: Path, files: list[Path]) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "benchmarks.hostile_files", "--measure", str(good), *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument(
        "--all", action="store_true", help="also files cut off, and under the name of each other format"
    )
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(Path(args.words[0]), [Path(file) for file in args.words[1:]])))
        return
    console = Console(width=190)
    with TemporaryDirectory() as name:
        folder = Path(name)
        by_suffix: dict[str, list[str]] = {}
        for about in hostile.SAMPLES:
            if not args.words or any(word in about for word in args.words):
                by_suffix.setdefault(about.split()[0].rpartition(".")[2], []).append(about)
        for suffix, abouts in by_suffix.items():
            files = [folder / about.split()[0] for about in abouts]
            for about, file in zip(abouts, files, strict=True):
                hostile.SAMPLES[about](file)
            figures = in_process(hostile.good_file(folder, suffix), files)
            for about, file, each in zip(abouts, files, figures, strict=True):
                console.print(*_cells(about, file.stat().st_size, each), sep=" | ", markup=False, soft_wrap=True)
                file.unlink()
        if args.all:
            for about, made in (("cut off", _cut_off), ("under other names", _renamed)):
                for suffix in hostile.GOOD:
                    if not args.words or f".{suffix}" in args.words:
                        _tell(console, about, suffix, made(folder, hostile.good_file(folder, suffix)))


def _cells(about: str, size: int, figures: dict[str, Any]) -> list[str]:
    done = figures["done"]
    slowest = max(done, key=lambda each: each[1])
    said = next((one for _, _, one in done if one), "(read)")
    bad = next((one for _, _, one in done if one.startswith("TRACEBACK")), "")
    mark = " !" if slowest[1] > MOST_SECONDS or figures["mb"] > MOST_MB or bad else ""
    return [
        about,
        f"{size / 1000:.0f}",
        f"{slowest[1]:.2f}{mark}",
        f"{figures['mb']:.0f}",
        slowest[0],
        _short(bad or said),
    ]


def _short(said: str) -> str:
    return re.sub(r"-[0-9a-f]{10}(?=\.)", "", said)[:600]


def _cut_off(folder: Path, good: Path) -> list[dict[str, Any]]:
    """Of a sound file a tenth, half and nine tenths."""
    content = good.read_bytes()
    files = [folder / f"cut-{100 * share:.0f}{good.suffix}" for share in CUT]
    for share, file in zip(CUT, files, strict=True):
        file.write_bytes(content[: int(share * len(content))])
    return in_process(good, files)


def _renamed(folder: Path, good: Path) -> list[dict[str, Any]]:
    """A sound file under the suffix of each other format."""
    files = [folder / f"named.{other}" for other in hostile.GOOD if f".{other}" != good.suffix]
    for file in files:
        shutil.copyfile(good, file)
    return in_process(good, files)


def _tell(console: Console, about: str, suffix: str, figures: list[dict[str, Any]]) -> None:
    steps = [step for each in figures for step in each["done"]]
    slowest = max(seconds for _, seconds, _ in steps)
    said = Counter(re.sub(r"\S+\.\w+", "X", _short(text)) for _, _, text in steps if text)
    memory = max(each["mb"] for each in figures)
    console.print(f"{suffix} {about}: {len(figures)} files, {slowest:.2f} s, {memory:.0f} MB", markup=False)
    for text, number in said.most_common():
        console.print(f"    {number:3} {text}", markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
