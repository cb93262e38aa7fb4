"""The whole program with llama.cpp's own server as its language model: the command line, and a chat in which all goes wrong.

The model has random weights: what it says means nothing, and it never ends by itself.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console

from hugginggpt.common.paths import ROOT
from hugginggpt.common.threads import spawn
from hugginggpt.llm.llama_process import Served
from hugginggpt.terminal.chat import Chat
from hugginggpt.testing.servers import KEYS
from tests.conftest import MakeConfig, controller_with
from tests.llm.slots import PATIENCE, until_at_work
from tests.llm.test_llama_server import local, server

__all__ = ["server"]

pytestmark = pytest.mark.slow

PROGRAM_SECONDS = 300
BEYOND_THE_CONTEXT = "Tell me more: " + "so and so " * 8000


def test_a_plan_that_never_ends_is_made_offline_and_the_program_says_so(
    make_config: MakeConfig, server: Served
) -> None:
    bounds = {"reply_tokens": 2, "llm_retries": 2}  # fewer tokens than an empty plan has, which chance may choose
    file = make_config(llm="local", local=local(server), planner="llm", llm_role="leads", limits=bounds).source
    ended = subprocess.run(
        [sys.executable, str(ROOT / "awesome_chat.py"), "--config", file, 'What is the sentiment of "What a sad day"?'],
        capture_output=True, text=True, timeout=PROGRAM_SECONDS, env={**os.environ, **dict.fromkeys(KEYS, "")}, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "no usable plan" in ended.stderr and "the offline planner made one" in ended.stderr
    assert "negative" in ended.stdout


def test_a_chat_of_six_turns_goes_on_whatever_happens_to_its_server(make_config: MakeConfig, server: Served) -> None:
    """Bounded answers, a message beyond the context, and a server that is killed in mid-answer."""
    settings: dict[str, Any] = {"llm": "local", "local": local(server), "planner": "auto", "llm_role": "leads"}
    config = make_config(**settings, limits={"reply_tokens": 30, "llm_retries": 1})
    out = io.StringIO()
    chat = Chat(controller_with(config), Console(file=out, width=200), quiet=True)

    def said(line: str) -> str:
        """What the program says to a line."""
        before = len(out.getvalue())
        assert chat.say(line)
        return out.getvalue()[before:].strip()

    assert "… (cut off)" in said("Good morning!")
    assert "… (cut off)" in said("Thank you very much")
    assert len(chat.turns) == 2
    assert "context" in said(BEYOND_THE_CONTEXT)
    assert "… (cut off)" in said("Hello again")
    chat.controller = controller_with(make_config(**settings, limits={"llm_retries": 1}))
    answering = spawn(said, "Tell me a joke")
    until_at_work(server, answering)
    server.process.kill()
    assert re.search("broke off in the middle|cannot be reached", answering.result(PATIENCE))
    assert "cannot be reached" in said("Are you there?")
