"""How a program ends when it is told to: SIGTERM and Ctrl-C cancel what runs, and its record is kept."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

DONE, NOTHING_DONE, WRONG_USE = 0, 1, 2
INTERRUPTED = 128 + signal.SIGINT
MOMENT_SECONDS = 0.01


_told: list[int] = []


def run_program(main: Callable[[], int]) -> int:
    """The exit code of `main`. Until it calls `ready_to_end`, a signal ends the program at once: modules that are just
    being imported can lose an exception, and there is nothing to keep yet.
    """
    sys.unraisablehook = _not_lost
    signal.signal(signal.SIGINT, _leave)
    signal.signal(signal.SIGTERM, _leave)
    try:
        return main()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        if not _told:
            raise
        return 128 + _told[0]  # a compiled module that was being imported made another error of it
    finally:  # while the interpreter cleans up, a further signal ends it at once and without a word
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def told(work: Callable[[], int]) -> int:
    """The exit code of `work`; an error that is no bug is told in a sentence on stderr."""
    from hugginggpt.errors import HuggingGPTError, UserError

    try:
        return work()
    except HuggingGPTError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_USE if isinstance(error, UserError) else NOTHING_DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away
        sys.stderr.close()
        return NOTHING_DONE


def ready_to_end() -> None:
    """From here on SIGINT raises KeyboardInterrupt, and SIGTERM SystemExit, which only the program's end catches."""
    if signal.getsignal(signal.SIGTERM) is _leave:  # else this is no program of ours
        signal.signal(signal.SIGINT, _raise)
        signal.signal(signal.SIGTERM, _raise)


def _leave(number: int, *_: object) -> None:
    os._exit(128 + number)


def _raise(number: int, *_: object) -> None:
    _told.append(number)
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)


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
