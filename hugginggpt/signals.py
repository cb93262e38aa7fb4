"""How a program ends when it is told to: SIGTERM and Ctrl-C cancel what runs, and its record is kept."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

INTERRUPTED = 128 + signal.SIGINT
MOMENT_SECONDS = 0.01


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
    """A signal that happens to arrive where Python cannot raise (in a finalizer) comes once more a moment later."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt | SystemExit):
        sys.__unraisablehook__(unraisable)
        return
    number = signal.SIGINT if issubclass(unraisable.exc_type, KeyboardInterrupt) else signal.SIGTERM
    again = threading.Timer(MOMENT_SECONDS, _send_again, [number])
    again.daemon = True
    again.start()


def _send_again(number: int) -> None:
    """Sends a signal to the main thread, unless the program is ending anyway."""
    main = threading.main_thread().ident
    if main is not None and signal.getsignal(number) is not signal.SIG_DFL:
        signal.pthread_kill(main, number)
