"""Runs a command under limits that the system does not set for several processes together, and ends all of it.

The processes are looked at twenty times a second: their number, memory, and what they have written to their folder.
Their output is read as it comes and kept up to its limit.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import IO

import psutil

from hugginggpt.goals import folders

SAMPLE_SECONDS = 0.05
ENDING_SECONDS = 2.0
"""How long the end of killed processes is waited for."""
PIECE_BYTES = 65536
RESERVE_BYTES = 500_000_000
"""The free space that a program leaves on the disk."""


@dataclass(frozen=True)
class SandboxLimits:
    """What a program in the sandbox may use, all its processes together."""

    seconds: float = 60.0
    cpu_seconds: int = 60
    """Processor time of each process."""
    memory_bytes: int = 1_000_000_000
    processes: int = 32
    """Processes and threads."""
    output_bytes: int = 200_000
    """Of standard output and of the errors, each."""
    file_bytes: int = 20_000_000
    """Of a file that it writes."""
    disk_bytes: int = 200_000_000
    """Of what it writes beside the files that were there before."""
    files: int = 5000
    """Files and folders beside those that were there before."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its exit code (128 + n after signal n), its output, and the limit that ended it, if any."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    limit: str = ""
    timed_out: bool = False


@dataclass
class _Reader:
    """Reads a pipe to its end in a thread and keeps the beginning."""

    pipe: IO[bytes]
    most: int
    kept: bytearray = field(default_factory=bytearray)
    full: bool = False

    def __post_init__(self) -> None:
        self.thread = Thread(target=self._read, name="sandbox-output", daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # it was closed
            while piece := os.read(self.pipe.fileno(), PIECE_BYTES):
                room = self.most - len(self.kept)
                self.kept += piece[:room]
                if len(piece) > room:
                    self.full = True
                    return

    def finish(self) -> bytes:
        """What was kept, when all has been read."""
        self.thread.join(ENDING_SECONDS)
        return bytes(self.kept)


class _Disk:
    """What is written to a folder beside the files that are there already."""

    def __init__(self, folder: Path, limits: SandboxLimits) -> None:
        self.folder, self.limits = folder, limits
        self.free = _free_bytes(folder)
        with folders.opened(folder) as top:
            entries = list(folders.walk(top))
        self.most_files = len(entries) + limits.files
        self.most_bytes = sum(map(_disk_bytes, entries)) + limits.disk_bytes
        self.due = 0.0

    @property
    def is_due(self) -> bool:
        """Whether to look again: many files take long to look at, and the next look comes after four times as long."""
        return time.monotonic() >= self.due

    def exceeded(self) -> str:
        """The limit that is exceeded now, in words; empty if none is."""
        begin = time.monotonic()
        size = 0
        with folders.opened(self.folder) as top:
            for count, entry in enumerate(folders.walk(top), 1):
                size += _disk_bytes(entry)
                if entry.is_folder and entry.status.st_mode & 0o700 != 0o700:
                    return "folders that can be read"
                if entry.is_folder and entry.depth == folders.MAX_DEPTH:
                    return f"{folders.MAX_DEPTH} folders within each other"
                if size > self.most_bytes:
                    return f"{self.limits.disk_bytes / 1e6:g} MB of files"
                if count > self.most_files:
                    return f"{self.limits.files} files"
        now = time.monotonic()
        self.due = now + 4 * (now - begin)
        free = _free_bytes(self.folder)
        return "the space on the disk" if free < min(RESERVE_BYTES, self.free) else ""


def supervise(
    command: Sequence[str],
    folder: Path,
    limits: SandboxLimits,
    descriptors: Sequence[int] = (),
    cancelled: Event | None = None,
) -> Outcome:
    """Runs a command with an empty environment until it ends or exceeds a limit; nothing that it started is left.

    `folder` is where it writes. Raises OSError if it cannot be started.
    """
    disk = _Disk(folder, limits)
    process = subprocess.Popen(  # noqa: S603  the command is the sandbox's
        command,
        env={},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=descriptors,
        start_new_session=True,
    )
    assert process.stdout and process.stderr
    readers = [_Reader(pipe, limits.output_bytes) for pipe in (process.stdout, process.stderr)]
    watch = _Watch(process, disk, limits, readers, cancelled)
    limit = ""
    try:
        while process.poll() is None and not limit:
            with suppress(subprocess.TimeoutExpired):
                process.wait(SAMPLE_SECONDS)
                break
            limit = watch.exceeded()
    finally:
        watch.end()
    stdout, stderr = (reader.finish() for reader in readers)
    process.stdout.close()
    process.stderr.close()
    limit = limit or watch.exceeded_at_the_end()
    code = process.returncode
    return Outcome(128 - code if code < 0 else code, stdout, stderr, limit, limit == watch.time_limit)


class _Watch:
    """Looks at the processes of a command and ends them."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        disk: _Disk,
        limits: SandboxLimits,
        readers: Sequence[_Reader],
        cancelled: Event | None,
    ) -> None:
        self.process = process
        self.disk = disk
        self.limits = limits
        self.readers = readers
        self.cancelled = cancelled
        self.deadline = time.monotonic() + limits.seconds
        self.time_limit = f"{limits.seconds:g} seconds"
        self.seen: dict[int, psutil.Process] = {}

    def exceeded(self) -> str:
        """The limit that is exceeded now, in words; empty if none is."""
        if time.monotonic() > self.deadline:
            return self.time_limit
        if self.cancelled and self.cancelled.is_set():
            return "it was cancelled"
        processes = self._processes()
        if len(processes) > self.limits.processes + 4:  # the sandbox's own
            return f"{self.limits.processes} processes"
        if _memory(processes) > self.limits.memory_bytes:
            return f"{self.limits.memory_bytes / 1e6:g} MB of memory"
        return self._exceeded_output() or (self.disk.exceeded() if self.disk.is_due else "")

    def exceeded_at_the_end(self) -> str:
        """As `exceeded`, of what is left when the processes have ended."""
        return self._exceeded_output() or self.disk.exceeded()

    def _exceeded_output(self) -> str:
        return f"{self.limits.output_bytes} bytes of output" if any(reader.full for reader in self.readers) else ""

    def _processes(self) -> list[psutil.Process]:
        """The processes below the command's that live now."""
        with suppress(psutil.Error):
            self.seen |= {child.pid: child for child in psutil.Process(self.process.pid).children(recursive=True)}
        self.seen = {pid: child for pid, child in self.seen.items() if _lives(child)}
        return list(self.seen.values())

    def end(self) -> None:
        """Kills the command and what it started.

        The sandbox's namespace of processes ends with its first; where there is none, each is killed, stopped before so
        that none starts another meanwhile.
        """
        deadline = time.monotonic() + ENDING_SECONDS
        for stop in (signal.SIGSTOP, signal.SIGKILL):
            for child in self._processes():
                with suppress(psutil.Error):
                    child.send_signal(stop)
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        while (left := self._processes()) and time.monotonic() < deadline:
            for child in left:
                with suppress(psutil.Error):
                    child.kill()
            psutil.wait_procs(left, timeout=SAMPLE_SECONDS)


def _lives(process: psutil.Process) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _memory(processes: Sequence[psutil.Process]) -> int:
    """The bytes in memory; pages that processes share count for each."""
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def _disk_bytes(entry: folders.Entry) -> int:
    return entry.status.st_blocks * 512


def _free_bytes(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
