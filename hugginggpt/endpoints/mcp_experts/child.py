"""Becomes the server that is to run, in a process that the system ends together with the program that started it.

It is run as a file of its own, by a Python without packages; its arguments are the number of the process that started
it, and the command. Only Linux can be asked for this (PR_SET_PDEATHSIG); elsewhere a server ends when its input does.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import NoReturn

PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> NoReturn:
    """Raises OSError if the command cannot be run."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before it could be asked for
        os._exit(1)
    os.execvp(command[0], command)  # noqa: S606  no shell is meant


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
