"""The process that runs the embedded language model: started on first use, shared, started again if it dies.

llama.cpp computes in compiled code that can crash and that cannot be interrupted: in a process of its own it takes
nothing else with it. `llama_child.py` is what runs there.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from hugginggpt.common.atomic_files import atomic_write_text
from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError
from hugginggpt.core.lenient_json import read_json

log = logging.getLogger(__name__)

CHILD = Path(__file__).with_name("llama_child.py")
INHERITED = re.compile(r"PATH|HOME|TMP|TEMP|LANG|LC_|LD_|DYLD_|SYSTEMROOT|PYTHONPATH|CUDA_|NVIDIA_|HIP_|ROC|VK_|GGML_")
"""The variables that the process gets: what its libraries and drivers need, no key."""
SLOTS = 5
KEPT = "prompts"
"""The folder of the prompts that were read, within the model's folder."""
FIGURES = "figures.json"
LOG = "llama.log"
END_SECONDS = 5.0
MOMENT_SECONDS = 1.0
KEY_BYTES = 32
ONE_REQUEST = {"Connection": "close"}
"""The header of every request: llama.cpp closes the connection after a stream, and the next one may be too quick."""


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """What to run and how; `threads` None: as many as prove fastest. `folder` is where figures and prompts are kept."""

    file: Path
    folder: Path
    context: int
    threads: int | None
    gpu_layers: int | None
    reply_tokens: int
    start_seconds: float


@dataclass(frozen=True, slots=True)
class Served:
    """A process that serves: its address, its key, and the threads it uses."""

    process: subprocess.Popen[bytes]
    url: str
    key: str
    threads: int

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def memory(self) -> int:
        """The bytes of memory that it occupies; 0 if it has ended."""
        try:
            return int(psutil.Process(self.process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def ended(self) -> bool:
        """Whether it has ended; a process that is killed loses its connections a moment before."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(MOMENT_SECONDS)
        return not self.alive

    def ending(self) -> str:
        """How it ended, in words."""
        code = self.process.wait()
        return f"was ended by signal {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


class LlamaProcess:
    """The process for one `LlamaSettings`; the language models with these settings share it."""

    def __init__(self, settings: LlamaSettings) -> None:
        self.settings = settings
        self.served: Served | None = None
        self._lock = threading.Lock()  # held during a start, which may take minutes
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._changing = threading.Lock()  # of the two above, held for a moment
        self._identity = f"{settings.file} {settings.gpu_layers} {os.cpu_count()}"

    def running(self) -> Served:
        """The process that serves; it is started if it does not run. Raises BackendError if it cannot be, or after
        `close`.
        """
        with self._lock:
            if self._closed:
                raise self._is_closed()
            if self.served is None or not self.served.alive:
                if self.served:
                    log.warning(
                        "The process of the embedded language model %s: starting it again", self.served.ending()
                    )
                self.served = self._start()
            return self.served

    def figures(self) -> dict[str, Any]:
        """What is known of this model on this machine: threads, tokens a second, memory in bytes."""
        with suppress(OSError, ValueError):
            known = read_json((self.settings.folder / FIGURES).read_bytes())
            if isinstance(known, dict) and isinstance(mine := known.get(self._identity), dict):
                return mine
        return {}

    def note(self, **figures: Any) -> None:
        """Keeps figures for later processes; a folder that cannot be written to is not an error."""
        file = self.settings.folder / FIGURES
        with suppress(OSError, ValueError):
            known = read_json(file.read_bytes()) if file.is_file() else {}
            if isinstance(known, dict):
                known[self._identity] = {**self.figures(), **figures}
                atomic_write_text(file, json.dumps(known, indent=1))

    def close(self) -> None:
        """Ends the process for good, also one that is only starting."""
        with self._changing:
            self._closed, child = True, self._child
        if child:
            end(child)

    def _start(self) -> Served:
        settings, key = self.settings, secrets.token_urlsafe(KEY_BYTES)
        if not settings.file.is_file():
            raise BackendError(f"There is no file {settings.file} for the embedded language model.", endpoint_down=True)
        kept = settings.folder / KEPT
        try:
            kept.mkdir(parents=True, exist_ok=True, mode=0o700)
            process = self._spawn()
        except OSError as error:
            raise BackendError(
                f"The embedded language model cannot be started: {error.strerror or error} ({settings.folder}).",
                endpoint_down=True,
            ) from error
        chosen = settings.threads or self.figures().get("threads")
        wanted = {
            "file": str(settings.file), "context": settings.context, "gpu_layers": settings.gpu_layers, "key": key,
            "threads": [chosen] if chosen else thread_counts(), "slots": SLOTS, "kept": str(kept),
            "reply_tokens": settings.reply_tokens,
        }  # fmt: skip
        about = self._told(process, wanted)
        if "measured" in about:
            log.info("Seconds for a few tokens by threads: %s", about["measured"])
            self.note(threads=about["threads"])
        return Served(process, about["url"], key, about["threads"])

    def _spawn(self) -> subprocess.Popen[bytes]:
        """A new child, known to `close` from its first moment on. Raises BackendError after `close`, OSError."""
        with self._changing:
            if self._closed:
                raise self._is_closed()
            self._child = process = _spawned(self.settings.folder)
        if not _started:
            atexit.unregister(_end_all)
            atexit.register(_end_all)
        _started.add(process)
        return process

    def _is_closed(self) -> BackendError:
        return BackendError(
            f"The embedded language model {self.settings.file.name} has been closed.",
            endpoint_down=True,
        )

    def _told(self, process: subprocess.Popen[bytes], wanted: dict[str, Any]) -> dict[str, Any]:
        """What the process says once it serves. Raises BackendError, and ends it, if it does not come to that."""
        assert process.stdin and process.stdout
        why = ""
        try:
            process.stdin.write(json.dumps(wanted).encode() + b"\n")
            process.stdin.flush()
            said: Future[bytes] = spawn(process.stdout.readline, name="llama start")
            about = read_json(said.result(self.settings.start_seconds))
            if isinstance(about, dict) and "url" in about:
                return about
            why = str(about.get("error")) if isinstance(about, dict) else ""
        except TimeoutError:
            why = f"it was not ready within {self.settings.start_seconds:g} s (limits.max_seconds)"
        except (OSError, ValueError):  # it has ended without a word
            pass
        end(process)
        if self._closed:
            raise self._is_closed()
        why = why or "its process has ended"
        raise BackendError(
            f"The embedded language model {self.settings.file.name} cannot be loaded: {why}. Its log is "
            f"{self.settings.folder / LOG}; the file must be a GGUF of a model for chats.",
            endpoint_down=True,
        )


def _spawned(folder: Path) -> subprocess.Popen[bytes]:
    """The child, in a session of its own: Ctrl-C ends the request
    in the chat, not the model.
    """
    environment = {name: value for name, value in os.environ.items() if INHERITED.match(name)}
    # A thread that waits for the others does so without spinning: on a busy machine that is six times as fast.
    environment["OMP_WAIT_POLICY"] = "passive"
    with (folder / LOG).open("wb") as log_file:
        return subprocess.Popen(  # noqa: S603  our own file
            [sys.executable, "-P", str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log_file,
            env=environment, start_new_session=True,
        )  # fmt: skip


def thread_counts() -> list[int]:
    """The numbers of threads that may be fastest: one, half of the cores, all of them."""
    cores = psutil.cpu_count(logical=False) or 1
    if hasattr(os, "sched_getaffinity"):
        cores = max(1, min(cores, len(os.sched_getaffinity(0))))
    return sorted({1, max(1, cores // 2), cores})


_started: set[subprocess.Popen[bytes]] = set()
"""The processes that run, to be ended with the program. They end by themselves, too, but the program waits for it."""


def _end_all() -> None:
    for process in list(_started):
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process: its standard input ends, and it is killed if that does not help."""
    assert process.stdin and process.stdout
    with suppress(OSError, ValueError):  # it has ended; another thread closes it, too
        process.stdin.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()  # not before: a thread may still read it
    _started.discard(process)


_shared: dict[LlamaSettings, tuple[LlamaProcess, int]] = {}
_lock = threading.Lock()


def acquire(settings: LlamaSettings) -> LlamaProcess:
    """The process for these settings, which is not started yet; `release` it when it is no longer needed."""
    with _lock:
        process, users = _shared.get(settings) or (LlamaProcess(settings), 0)
        _shared[settings] = (process, users + 1)
        return process


def release(process: LlamaProcess) -> None:
    """Ends the process if nobody else uses it."""
    with _lock:
        _, users = _shared.get(process.settings, (process, 0))
        if users > 1:
            _shared[process.settings] = (process, users - 1)
            return
        _shared.pop(process.settings, None)
    process.close()
