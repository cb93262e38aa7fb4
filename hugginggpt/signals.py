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
    told: list[int] = []

    def end(number: int, *_: object) -> None:
        told.append(number)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    sys.unraisablehook = _not_lost
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    try:
        return main()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        if not told:
            raise
        return 128 + told[0]  # a compiled module that is being imported may make another error of it
    finally:  # while the interpreter cleans up, a further signal ends it at once and without a word
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


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
