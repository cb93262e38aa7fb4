"""llama.cpp's own server as `local.endpoint`, with a tiny model of random weights that never ends by itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hugginggpt.common.ends import wanted_until
from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, StopReason
from hugginggpt.core.events import Done, RunStarted
from hugginggpt.llm.base import Tool
from hugginggpt.llm.bounds import OTHER_REPLY
from hugginggpt.llm.llama_process import Served, end
from hugginggpt.llm.openai import OpenAILLM
from hugginggpt.llm.prompts import choice_schema
from hugginggpt.llm.services import make_llm
from tests.conftest import MakeConfig, controller_with
from tests.llm.slots import PATIENCE, until_at_work, written_when_idle
from tests.llm.tiny_gguf import write_tiny_gguf

pytestmark = pytest.mark.slow
pytest.importorskip("xllamacpp")
pytest.importorskip("gguf")

ASK = [{"role": "user", "content": "Hi"}]
TOOL = Tool("look", "look at a picture", {"type": "object", "properties": {"path": {"type": "string"}}})
ENDLESS = 50_000
"""Tokens of an answer that takes longer than a test."""
PLAN_TOKENS = 300
"""Fewer than any plan may have, so that a plan that was written to its bound has more."""
SLOTS = 4
"""Of the server below."""
Make = Callable[..., OpenAILLM]


CHILD = """
import os, sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port, params.use_jinja = sys.argv[1], ["127.0.0.1"], 0, True
params.n_ctx, params.n_parallel, params.kv_unified = 65536, 4, True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
told = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
server = xllamacpp.Server(params)
print(server.listening_address, file=told, flush=True)
sys.stdin.read()
os._exit(0)
"""
"""The server as people start it: a context, slots, nothing else."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    file = write_tiny_gguf(tmp_path / "tiny.gguf")
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(file)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout
    yield Served(process, process.stdout.readline().decode().strip(), "none", 1)
    end(process)


@pytest.fixture
def make(make_config: MakeConfig, server: Served) -> Iterator[Make]:
    """Makes language models behind the server; `settings` are of the configuration."""
    made: list[OpenAILLM] = []

    def make(**settings: Any) -> OpenAILLM:
        llm = make_llm(make_config(llm="local", local=local(server), **settings))
        assert isinstance(llm, OpenAILLM)
        made.append(llm)
        return llm

    yield make
    for llm in made:
        llm.close()


def local(server: Served) -> dict[str, str]:
    return {"endpoint": server.url, "api_key": server.key}


def written(server: Served) -> int:
    """The tokens of the longest answer of a slot, once all have nothing to do."""
    return max(written_when_idle(server, number) for number in range(SLOTS))


def test_it_streams_and_a_model_that_never_stops_is_bounded(make: Make) -> None:
    llm = make(limits={"reply_tokens": 30})
    pieces, reply = [], None
    with closing(llm.stream(ASK, stage="chat")) as stream:
        while reply is None:
            try:
                pieces.append(next(stream))
            except StopIteration as stop:
                reply = stop.value
    assert "".join(pieces) == reply.text and len(pieces) > 2
    assert reply.usage.completion_tokens == 30 and "30 tokens" in reply.cut_off


def test_a_choice_has_its_form_whatever_the_weights(make: Make) -> None:
    """Of a text within it a random model finds no end, and what is cut off the server does not give."""
    schema = choice_schema(["one/model", "other/model"])
    schema = {**schema, "properties": {"id": schema["properties"]["id"]}, "required": ["id"]}
    schema["additionalProperties"] = False
    reply = make().complete(ASK, stage="select", schema=schema, most=400)
    jsonschema.validate(json.loads(reply.whole()), schema)


def test_a_request_with_tools_is_answered(make: Make) -> None:
    reply = make(limits={"reply_tokens": 30}).complete(ASK, stage="goal", tools=[TOOL])
    assert reply.usage.completion_tokens == 30


Ask = Callable[[OpenAILLM], object]
ASKED: dict[str, Ask] = {
    "an answer as it is written": lambda llm: list(llm.stream(ASK, stage="respond")),
    "a plan once more": lambda llm: llm.complete(ASK, stage="plan"),
    "a choice": lambda llm: llm.complete(ASK, stage="select"),
    "a goal's step": lambda llm: llm.complete(ASK, stage="goal", tools=[TOOL]),
}


@pytest.mark.parametrize("what", ASKED)
def test_what_nobody_wants_any_more_ends_in_the_server(make: Make, server: Served, what: str) -> None:
    llm, over = make(limits={"llm_retries": 0}), Future[None]()

    def ask() -> None:
        with wanted_until(over):
            ASKED[what](llm)

    asked = spawn(ask)
    until_at_work(server, asked)
    over.set_result(None)
    with pytest.raises(BackendError):
        asked.result(PATIENCE)
    assert written(server) < ENDLESS / 2


@pytest.mark.parametrize(
    ("planner", "request_", "bound"),
    [("llm", "Describe /examples/a.jpg", PLAN_TOKENS), ("offline", "Hello, tell me a joke!", OTHER_REPLY)],
)
def test_a_run_that_is_cancelled_stops_the_server(
    make_config: MakeConfig, server: Served, planner: str, request_: str, bound: int
) -> None:
    """While it plans, and while it answers."""
    controller = controller_with(make_config(llm="local", local=local(server), planner=planner))
    run = controller.prepare([{"role": "user", "content": request_}])
    events = controller.run(run)
    assert isinstance(next(events), RunStarted)
    seen = spawn(list, events)
    until_at_work(server, seen)
    run.cancel()
    last = seen.result(PATIENCE)[-1]
    assert isinstance(last, Done) and last.stop is StopReason.CANCELLED
    assert written(server) < bound


def test_a_prompt_beyond_the_context_is_told(make: Make, server: Served) -> None:
    with pytest.raises(BackendError, match="context"):
        make().complete([{"role": "user", "content": "a b " * 40_000}], stage="chat")
    assert make(limits={"reply_tokens": 5}).complete(ASK, stage="chat").usage.completion_tokens == 5


def test_a_server_that_is_killed_in_mid_stream_is_told(make: Make, server: Served) -> None:
    with closing(make(limits={"llm_retries": 0}).stream(ASK, stage="chat")) as stream:
        while not next(stream):
            pass
        server.process.kill()
        with pytest.raises(BackendError, match="broke off in the middle"):
            list(stream)
