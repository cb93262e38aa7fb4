"""Saying a sentence aloud."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from hugginggpt.terminal import aloud


@pytest.fixture(autouse=True)
def look_again() -> None:
    aloud.player.cache_clear()


@pytest.mark.slow
def test_a_sentence_is_played_as_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real voice, and a program in the place of a player that keeps what it is given."""
    player = tmp_path / "aplay"
    player.write_text(f'#!/bin/sh\n[ "$1" = -q ] && /bin/cp "$2" {tmp_path}/heard.wav\n')
    player.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    aloud.say("I write the report.")
    heard = (tmp_path / "heard.wav").read_bytes()
    assert heard[:4] == b"RIFF" and len(heard) > 20_000


def test_without_a_player_nothing_is_said_and_the_log_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with caplog.at_level(logging.WARNING):
        aloud.say("Hello.")
        aloud.say("Hello.")
    assert caplog.text.count("there is no player") == 1
