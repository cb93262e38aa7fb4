"""How a program ends when it is told to: SIGTERM and Ctrl-C cancel what runs, and its record is kept."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Any

INTERRUPTED = 128 + signal.SIGINT


def run_program(main: Callable[[], int]) -> int:
    """The exit code of `main`. SIGTERM ends it by SystemExit, which nothing but the end of the program catches."""
    signal.signal(signal.SIGTERM, end)
    sys.unraisablehook = _not_lost
    try:
        return main()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:  # while the interpreter cleans up, a further signal ends it at once and without a word
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end(number: int, *_: object) -> None:
    """Ends the program with the exit code that shells give to a signal."""
    raise SystemExit(128 + number)


def _not_lost(unraisable: Any) -> None:
    """A signal that happens to arrive where Python cannot raise (in a finalizer) is raised once more behind it."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    elif issubclass(unraisable.exc_type, SystemExit):
        signal.raise_signal(signal.SIGTERM)
    else:
        sys.__unraisablehook__(unraisable)
