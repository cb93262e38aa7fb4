"""Orderly shutdown: SIGTERM and Ctrl-C cancel active runs, and their records are kept."""

from __future__ import annotations

import atexit
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from hugginggpt.common.paths import APP_NAME, INSTALLED, install_command

DONE, NOTHING_DONE, WRONG_USE = 0, 1, 2
INTERRUPTED = 128 + signal.SIGINT
MOMENT_SECONDS = 0.01


_received_signals: list[int] = []


def run_program(main: Callable[[], int]) -> NoReturn:
    """Ends the program with the exit code of `main`.

    Until `main` calls `raise_on_signals`, a signal ends the program at once: an exception can get lost in a module that
    is just being imported, and there is nothing to save yet.
    """
    sys.unraisablehook = _repeat_lost_signal
    signal.signal(signal.SIGINT, _exit_at_once)
    signal.signal(signal.SIGTERM, _exit_at_once)
    code = _run_main(main)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a further signal ends it at once and silently
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _exit_program(code)


def _run_main(main: Callable[[], int]) -> int:
    try:
        return main()
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else DONE if end.code is None else NOTHING_DONE
    except Exception:
        if not _received_signals:
            sys.excepthook(*sys.exc_info())
            return NOTHING_DONE
        return 128 + _received_signals[0]  # a compiled module that was being imported turned it into another error


def _exit_program(code: int) -> NoReturn:
    """Runs the exit handlers and exits, bypassing the interpreter's shutdown: that would stop threads that return
    from a compiled library (an expert at work), which aborts the process.
    """
    atexit._run_exitfuncs()
    try:
        if sys.stdout:  # else the program was started without one
            sys.stdout.flush()
    except OSError as error:
        code = code or _report_write_error(error)
    os._exit(code)


def _report_write_error(error: OSError) -> int:
    """The exit code when the output cannot be written; a reader that has gone away is not reported."""
    if not isinstance(error, BrokenPipeError):
        print(f"error: Cannot write the output: {error.strerror}.", file=sys.stderr)
    return NOTHING_DONE


def exit_code_of(work: Callable[[], int]) -> int:
    """The exit code of `work`; an error that is not a bug is reported in one sentence on stderr."""
    from hugginggpt.core.errors import HuggingGPTError, UserError

    try:
        return work()
    except HuggingGPTError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_USE if isinstance(error, UserError) else NOTHING_DONE
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0] == APP_NAME:
            raise
        print(f"error: {_missing_package(error.name)}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        return _report_write_error(error)


def _missing_package(name: str) -> str:
    """What to do about a module that cannot be imported."""
    venv = "" if INSTALLED else ", or run it with .venv/bin/python, which make demo sets up"
    return f"The package {name} is not installed for {sys.executable}: {install_command('experts')}{venv}."


def raise_on_signals() -> None:
    """From here on SIGINT raises KeyboardInterrupt, and SIGTERM SystemExit, which only the program's end catches."""
    if signal.getsignal(signal.SIGTERM) is _exit_at_once:  # else this process is not one of our programs
        signal.signal(signal.SIGINT, _raise)
        signal.signal(signal.SIGTERM, _raise)


def forget_signals() -> None:
    """Ctrl-C has been handled and the program continues: later errors are not caused by it."""
    _received_signals.clear()


def _exit_at_once(number: int, *_: object) -> None:
    os._exit(128 + number)


def _raise(number: int, *_: object) -> None:
    _received_signals.append(number)
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)


def _repeat_lost_signal(unraisable: Any) -> None:
    """A signal that arrives where Python cannot raise (in a finalizer) is repeated a moment later."""
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
