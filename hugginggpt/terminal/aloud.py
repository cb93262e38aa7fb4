"""Says a sentence aloud with the embedded voice, by a player that the system has."""

from __future__ import annotations

import logging
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from hugginggpt.core.errors import HuggingGPTError

log = logging.getLogger(__name__)

PLAYERS = (("paplay",), ("aplay", "-q"), ("afplay",), ("ffplay", "-nodisp", "-autoexit", "-loglevel", "quiet"))
PLAY_SECONDS = 60


@cache
def player() -> tuple[str, ...]:
    """The command that plays a sound file; empty where there is none, which the log says once."""
    for command in PLAYERS:
        if path := shutil.which(command[0]):
            return (path, *command[1:])
    log.warning("Nothing is said aloud: there is no player (%s).", ", ".join(command[0] for command in PLAYERS))
    return ()


def say(text: str) -> None:
    """Says the text, and waits until it is said; what hinders it is logged."""
    if not (command := player()) or not text.strip():
        return
    from hugginggpt.experts.speaking import speak

    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "said.wav"
            file.write_bytes(speak(text))
            subprocess.run([*command, str(file)], timeout=PLAY_SECONDS, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    except (HuggingGPTError, OSError, subprocess.TimeoutExpired) as error:
        log.warning("The sentence could not be said: %s", error)
