"""The program that reads aloud stays in memory, and is started again when it has ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.errors import BackendError
from hugginggpt.experts import speaking
from hugginggpt.experts.speaking import Voice

PROGRAM = """
import os, pathlib, sys
for number, line in enumerate(sys.stdin):
    if line == "fail\\n":
        sys.exit("this cannot be read")
    if line == "hang\\n":
        sys.stdin.read()
    file = pathlib.Path(sys.argv[1]) / f"{number}.wav"
    file.write_text(f"{os.getpid()} {line}", encoding="utf-8")
    print("a remark", file=sys.stderr)
    print("INFO: Wrote", file, file=sys.stderr, flush=True)
"""


@pytest.fixture
def voice() -> Iterator[Voice]:
    voice = Voice([sys.executable, "-X", "utf8", "-c", PROGRAM])
    yield voice
    voice.close()


def test_one_program_reads_all_texts(voice: Voice) -> None:
    first, second = (voice.read(text).decode().split(maxsplit=1) for text in ("déjà vu", "again"))
    assert first[0] == second[0] and (first[1], second[1]) == ("déjà vu\n", "again\n")


def test_it_is_started_again_after_it_ended(voice: Voice) -> None:
    first = voice.read("one").split()[0]
    with pytest.raises(BackendError, match="this cannot be read"):
        voice.read("fail")
    second = voice.read("two").split()[0]
    voice.close()
    assert len({first, second, voice.read("three").split()[0]}) == 3


def test_it_is_ended_when_it_takes_too_long(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speaking, "SPEAK_TIMEOUT_SECONDS", 0.01)
    with pytest.raises(BackendError, match="took longer than"):
        voice.read("hang")
    assert voice.process is None


def test_no_file_is_left_behind(voice: Voice) -> None:
    voice.read("one")
    assert voice._folder
    folder = Path(voice._folder.name)
    assert folder.name.startswith(scratch_prefix())  # a later process finds what a killed one has left
    assert not list(folder.iterdir())
    voice.close()
    assert not folder.exists()


def test_piper_is_run_with_threads_that_sleep_while_they_wait(tmp_path: Path) -> None:
    """Piper has no option for it: the library that it imports is prepared before it is run as a program."""
    (tmp_path / "onnxruntime.py").write_text(
        "class SessionOptions:\n    entries = {}\n"
        "    def add_session_config_entry(self, key, value):\n        self.entries[key] = value\n"
    )
    package = tmp_path / "piper"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(
        "import onnxruntime, sys\nprint(sys.argv[1:], onnxruntime.SessionOptions().entries)"
    )
    command = [sys.executable, "-c", speaking.PATIENT_PIPER, "-m", "voice.onnx"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "['-m', 'voice.onnx'] {'session.intra_op.allow_spinning': '0'}\n"
