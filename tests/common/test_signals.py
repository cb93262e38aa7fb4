"""Programs end in order, however they are told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hugginggpt.common.paths import ROOT


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_program_in_order(number: signal.Signals, code: int) -> None:
    program = (
        "import sys, threading\nfrom hugginggpt.common.signals import raise_on_signals, run_program\n"
        "def main():\n"
        "    raise_on_signals()\n"
        "    try:\n        print('ready', flush=True); threading.Event().wait()\n"
        "    finally:\n        print('in order')\n"
        "run_program(main)"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert started.stdout and started.stdout.readline() == "ready\n"
    started.send_signal(number)
    out, err = started.communicate(timeout=20)
    assert (started.returncode, out, err) == (code, "in order\n", "")


def test_a_program_ends_past_the_end_of_the_interpreter() -> None:
    """That would stop threads which come back from a compiled library (an expert at work), and so abort the program."""
    program = (
        "import atexit, sys\nfrom hugginggpt.common.signals import run_program\n"
        "class Kept:\n    def __del__(self): print('taken apart', flush=True)\n"
        "kept = Kept()\n"
        "atexit.register(print, 'registered')\n"
        "def main():\n    print('done')\n    return 7\n"
        "run_program(main)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (7, "done\nregistered\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which stands for a full disk")
def test_output_that_cannot_be_written_is_told() -> None:
    command = [sys.executable, "awesome_chat.py", "--version"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, timeout=30, env=buffered
        )
    assert (done.returncode, done.stderr) == (1, "error: Cannot write the output: No space left on device.\n")


@pytest.mark.parametrize("script", ["awesome_chat.py", "models_server.py"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(script: str) -> None:
    command = [sys.executable, "-S", script, "--config", "none.yaml"]  # -S: without the installed packages
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=30, env=environment)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("error: The package ")
    assert "pip install" in done.stderr


def test_a_signal_that_comes_while_a_finalizer_runs_is_not_lost() -> None:
    program = (
        "import signal, sys, threading\nfrom hugginggpt.common.signals import raise_on_signals, run_program\n"
        "class Odd:\n    def __del__(self): signal.raise_signal(signal.SIGTERM)\n"
        "def main():\n    raise_on_signals()\n    Odd()\n    threading.Event().wait(20)\n    return 7\n"
        "run_program(main)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert (done.returncode, done.stderr) == (143, "")
