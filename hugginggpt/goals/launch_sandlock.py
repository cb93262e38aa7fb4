"""Runs a command within sandlock: `python launch_sandlock.py JSON`, with the settings of its Sandbox and the command.

It is a process of its own so that it, and with it the sandbox, can be ended. Nothing that the command has started
outlives it, nor the program that has started it.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import psutil

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ENDING_SECONDS = 2.0
FAILED = 125
"""The exit code where sandlock itself failed."""


def main(order: str) -> int:
    """Returns the exit code of the command, or that of SIGKILL after any signal, with a sentence of why."""
    orders = json.loads(order)
    signal.signal(signal.SIGTERM, _end)
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)  # daemons stay below this process, where they are ended
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    codes: list[int] = []
    running = threading.Thread(target=lambda: codes.append(_run(orders)), daemon=True)
    running.start()
    running.join()  # signals reach this thread meanwhile
    _end_all()
    code = codes[0] if codes else FAILED
    if code < 0:
        print("The program was ended by a signal: its own, or the sandbox's because of its memory.", file=sys.stderr)
        return 128 + signal.SIGKILL
    return code


def _run(orders: dict[str, Any]) -> int:
    from sandlock import Sandbox

    return int(Sandbox(**orders["settings"]).run_interactive(orders["command"]))


def _end(*_: object) -> None:
    _end_all()
    os._exit(128 + signal.SIGTERM)


def _end_all() -> None:
    """Kills what runs below this process."""
    deadline = time.monotonic() + ENDING_SECONDS
    while (left := _living()) and time.monotonic() < deadline:
        for child in left:
            with suppress(psutil.Error):
                child.kill()
        psutil.wait_procs(left, timeout=0.1)


def _living() -> list[psutil.Process]:
    """What runs below this process; what has ended and nobody has waited for does not."""
    living = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if child.status() != psutil.STATUS_ZOMBIE:
                living.append(child)
    return living


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
