"""What a batch of requests takes besides the weights of its model: decoded inputs, and what is computed on the way.

The latter cannot be known: it is measured at the first batches of a model, its warm-up, and at those whose inputs are
larger than all before. On a GPU torch counts it; on Linux the kernel keeps the most memory that the process had, which
counts what other models took at the same time, too. Elsewhere it is not measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.media.types import kind_of

WARM_UP = 4
"""So many batches of a model are measured; the first one alone does not count, as libraries are still being loaded."""
PIXEL_BYTES = 3
SOUND_BYTES = 4 * 16_000
"""Of a second of sound, as most models hear it: float32 at 16 kHz."""
PEAK, NOW = re.compile(rb"VmHWM:\s+(\d+) kB"), re.compile(rb"VmRSS:\s+(\d+) kB")
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
FORGET_PEAK = "5"
"""Makes the kernel forget the most memory that the process had (proc_pid_clear_refs(5))."""


@dataclass(slots=True)
class WorkingMemory:
    """What batches of a model took at most: `bytes`, 0 as long as that is not known."""

    bytes: int = 0
    batches: int = 0
    largest: int = 0

    def is_known(self, inputs: int) -> bool:
        """Whether it need not be measured for a batch with inputs of so many bytes."""
        return self.batches >= WARM_UP and inputs <= self.largest

    def note(self, inputs: int, peak: int) -> None:
        self.bytes = peak if self.batches <= 1 else max(self.bytes, peak)
        self.batches += 1
        self.largest = max(self.largest, inputs)


@contextmanager
def peak_of(device: str) -> Iterator[list[int]]:
    """Measures the most memory of a device that is taken within it, beyond that at its beginning; [] if it cannot."""
    peak: list[int] = []
    if device.startswith("cuda"):
        import torch

        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        yield peak
        peak.append(int(torch.cuda.max_memory_allocated(device)) - int(before))
        return
    before = 0
    with suppress(OSError):
        CLEAR.write_text(FORGET_PEAK)
        before = _read(NOW)
    yield peak
    if before:
        with suppress(OSError):
            peak.append(max(0, _read(PEAK) - before))


def _read(figure: re.Pattern[bytes]) -> int:
    found = figure.search(STATUS.read_bytes())
    return 1000 * int(found[1]) if found else 0


def input_bytes(requests: Iterable[Mapping[str, Any]], max_seconds: float) -> int:
    """The bytes that the files of requests have when they are decoded, by their headers: nothing is decoded for it."""
    files = (value for request in requests for value in request.values())
    paths = (path for value in files for path in (value if isinstance(value, list) else [value]))
    return sum(_decoded_bytes(path, max_seconds) for path in paths if isinstance(path, Path))


def _decoded_bytes(path: Path, max_seconds: float) -> int:
    kind = kind_of(path.name)
    with suppress(Exception):  # of damaged files: whoever decodes them says so
        if kind == "image":
            from PIL import Image

            with Image.open(path) as image:
                return image.width * image.height * PIXEL_BYTES
        if kind == "audio":
            import av

            with av.open(str(path)) as sound:
                return int(min((sound.duration or 0) / av.time_base, max_seconds) * SOUND_BYTES)
    return path.stat().st_size if path.is_file() else 0
