"""Several controllers on one machine: processes that answer on the same socket and share their runs, in a file unless
`run_store` says otherwise.

One process ends at what its interpreter can do at a time. The program that was started serves nothing itself: it starts
them, starts another one where one dies, and ends them with itself. A process whose parent is gone notices that its
standard input ends.
"""

from __future__ import annotations

import logging
import os
import queue
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial

from hugginggpt.common.signals import DONE
from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError
from hugginggpt.net import listener as listening
from hugginggpt.web.stores import run_store

log = logging.getLogger(__name__)

READY = "Listening on"
END_SECONDS = 30
"""How long a process may take to end when it is told to."""


class Worker:
    """A process that serves; `code` is its exit code once it has ended."""

    def __init__(self, command: Sequence[str], listener: socket.socket, said: queue.SimpleQueue[Worker]) -> None:
        self.process = subprocess.Popen(  # noqa: S603  the command that this program was started with
            [*command, "--listener", str(listener.fileno())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=[listener.fileno()],
        )  # fmt: skip
        self.is_ready = False
        self.code: int | None = None
        self._said = said
        self._watched = spawn(self._watch, name="worker")

    def _watch(self) -> None:
        """Tells when it is ready, and when it has ended."""
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(READY):
                self.is_ready = True
                self._said.put(self)
        self.code = self.process.wait()
        self._said.put(self)

    def end(self) -> None:
        self.process.terminate()

    def wait(self) -> None:
        """Waits for its end, which is forced when it takes too long."""
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._watched.result(END_SECONDS)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream
            stream.close()


def serve_with_workers(config: Config, count: int, ready: Callable[[str], None]) -> int:
    """Serves with so many processes until SIGTERM or Ctrl-C; gives the exit code.

    Raises ConfigError for an address and for a store of runs that cannot be used.
    """
    if os.name != "posix":
        raise ConfigError("--workers needs Linux or macOS: start one server with each of several ports instead.")
    listening.check_reachable(config.http_listen)
    run_store(config, is_one_of_several=True).close()  # where it cannot be used, that is said once
    listener, url = listening.listen(config.http_listen.host, config.http_listen.port)
    said: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    start = partial(Worker, sys.orig_argv, listener, said)
    workers: list[Worker] = []
    try:
        workers += [start() for _ in range(count)]
        announcement = f"Listening on {url} (language model: {config.llm_name}), {count} processes. Ctrl-C ends them."
        return _supervise(workers, start, said, lambda: ready(announcement))
    except (KeyboardInterrupt, SystemExit):
        return DONE
    finally:
        listener.close()
        for worker in workers:
            worker.end()
        for worker in workers:
            worker.wait()


def _supervise(
    workers: list[Worker], start: Callable[[], Worker], said: queue.SimpleQueue[Worker], ready: Callable[[], None]
) -> int:
    """Starts another process for each that ends; gives the exit code of one that ended before it was ready."""
    waiting = set(workers)
    while True:
        worker = said.get()
        if worker.code is None:
            if waiting and not (waiting := waiting - {worker}):
                ready()
            continue
        if not worker.is_ready:
            return worker.code
        log.warning("A server process ended (exit code %s); another one is started.", worker.code)
        worker.wait()
        workers[workers.index(worker)] = start()


def end_with_parent() -> None:
    """Ends this process as SIGTERM does when the one that started it is gone."""

    def watch() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)

    spawn(watch, name="parent")
