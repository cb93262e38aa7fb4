"""The process of the embedded language model, played by a small program."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError
from hugginggpt.llm import llama_process
from hugginggpt.llm.llama_process import LlamaProcess, LlamaSettings, acquire, release

SERVES = """
import json, sys
sys.stdin.readline()
print(json.dumps({"url": "http://127.0.0.1:9", "threads": 1}), flush=True)
sys.stdin.read()
"""
NEVER_READY = """
import os, sys
sys.stdin.readline()
with open(FIFO, "w") as fifo:
    fifo.write(str(os.getpid()))
sys.stdin.read()
"""
PATIENCE = 30
Make = Callable[[str], LlamaProcess]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    def make(program: str) -> LlamaProcess:
        child = tmp_path / "child.py"
        child.write_text(program)
        monkeypatch.setattr(llama_process, "CHILD", child)
        file = tmp_path / "tiny.gguf"
        file.write_bytes(b"")
        return acquire(LlamaSettings(file, tmp_path, 1000, 1, None, 10, PATIENCE))

    return make


def test_nothing_is_started_for_who_comes_after_the_end(make: Make) -> None:
    process = make(SERVES)
    first = process.running()
    assert process.running() is first and first.alive
    release(process)
    assert not first.alive
    with pytest.raises(BackendError, match=r"tiny\.gguf has been closed"):
        process.running()


def test_a_process_that_was_ended_can_be_had_anew(make: Make) -> None:
    release(make(SERVES))
    again = make(SERVES)
    assert again.running().alive
    release(again)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_process_that_is_only_starting_is_ended_at_once(make: Make, tmp_path: Path) -> None:
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    process = make(f"FIFO = {str(fifo)!r}\n{NEVER_READY}")
    starting = spawn(process.running)
    child = psutil.Process(int(fifo.read_text()))
    release(process)
    assert not child.is_running()
    with pytest.raises(BackendError, match="has been closed"):
        starting.result(PATIENCE)
