"""The process that reads a document (`formats.__main__`): started for one order, bounded, and ended with us."""

from __future__ import annotations

import json
import logging
import math
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from hugginggpt.common.ends import is_unwanted, when_unwanted
from hugginggpt.common.environment import without_keys
from hugginggpt.core.errors import MediaError
from hugginggpt.media.formats import __main__ as child

log = logging.getLogger(__name__)

READ_SECONDS = 60
"""A busy machine takes long for little: what counts is the time of a processor."""
MEMORY_BYTES, LEAST_MEMORY_BYTES, MEMORY_SHARE = 1_500_000_000, 400_000_000, 20
"""The most and the least address space of the process that reads, and what it may take for each byte of a document:
large ones take ten.
"""
LEAST_SECONDS, SECONDS_PER_MEGABYTE = 2.0, 3.0
"""The time of a processor that it may take: what is well made takes half a second a megabyte."""
PAGE_BYTES, PIXEL_BYTES = 1_000_000, 2
"""A page that is drawn, and a pixel of a picture that is decoded, count as so much of a document."""
TOLD_BYTES = 120_000_000
"""The longest answer: the most text and cells that a document may have take up three quarters of it."""
PROCESSES = 2
"""So many at once; each may take all of its memory."""
_free = threading.BoundedSemaphore(PROCESSES)


class Interrupted(MediaError):
    """Nobody waits for the document any more: that says nothing about the document."""


def asked(path: Path, order: dict[str, Any]) -> dict[str, Any]:
    """The answer of a process that is started for an order about a document. Raises MediaError."""
    order = {**_bounds(path, order), **order, "path": str(path), "seconds": READ_SECONDS, "told": TOLD_BYTES}
    with _free, TemporaryFile() as told, TemporaryFile() as said:
        if is_unwanted():
            raise Interrupted(f"{path.name} was not read: the request was cancelled.")
        try:
            status, is_late = _run(order, told, said)
        except OSError as error:
            raise MediaError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        if is_late:
            raise MediaError(f"{path.name} cannot be read: it takes longer than {READ_SECONDS} s.")
        if is_unwanted():
            raise Interrupted(f"{path.name} was not read: the request was cancelled.")
        return _answer(path, status, told, said)


def _bounds(path: Path, order: dict[str, Any]) -> dict[str, int]:
    """How much memory and time of a processor an order may take, which grows with the document: a small one that takes
    more was made to. A file that is made of others may take all that there is.
    """
    size = path.stat().st_size + PAGE_BYTES * len(order.get("pages", ())) + PIXEL_BYTES * order.get("pixels", 0)
    if "files" in order:
        return {"memory": MEMORY_BYTES, "cpu": READ_SECONDS}
    memory = min(MEMORY_BYTES, LEAST_MEMORY_BYTES + MEMORY_SHARE * size)
    return {
        "memory": memory,
        "cpu": min(READ_SECONDS, math.ceil(LEAST_SECONDS + SECONDS_PER_MEGABYTE * size / 1e6)),
    }


def _answer(path: Path, status: int, told: IO[bytes], said: IO[bytes]) -> dict[str, Any]:
    """What the process wrote before it ended."""
    why = "it is damaged, or takes more memory than a document may"
    if status == -getattr(signal, "SIGXCPU", 0):
        why = "it takes far longer than a document of its size does"
    if told.seek(0, os.SEEK_END) > TOLD_BYTES:
        raise MediaError(f"{path.name} cannot be read: {why}.")
    told.seek(0)
    try:
        answer: dict[str, Any] = json.loads(told.read())
    except ValueError:  # the process was ended by the system
        said.seek(max(0, said.seek(0, os.SEEK_END) - 500))
        log.info("%s: the reader ended with %d: %s", path.name, status, said.read(500).decode("utf-8", "replace"))
        raise MediaError(f"{path.name} cannot be read: {why}.") from None
    return answer


def _run(order: dict[str, Any], told: IO[bytes], said: IO[bytes]) -> tuple[int, bool]:
    """Waits for the process; its status, and whether it took too long. Its input stays open for as long as we live."""
    late = threading.Event()

    def expire() -> None:
        late.set()
        process.kill()

    # -B: what it may write is limited, and a module cut off there would stay so
    process = subprocess.Popen(  # noqa: S603  our own file
        [sys.executable, "-PB", str(child.__file__)],
        stdin=subprocess.PIPE,
        stdout=told,
        stderr=said,
        env=without_keys(),
    )
    timer = threading.Timer(READ_SECONDS, expire)
    timer.daemon = True
    try:
        timer.start()
        when_unwanted(process.kill)
        assert process.stdin
        with suppress(BrokenPipeError):
            process.stdin.write(f"{json.dumps(order)}\n".encode())
            process.stdin.flush()
        return process.wait(), late.is_set()
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        if process.stdin:
            with suppress(BrokenPipeError):
                process.stdin.close()
