"""The embedded language model: llama.cpp in a process of its own, with a tiny model of random weights."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import numpy as np
import psutil
import pytest

from hugginggpt.common.paths import ROOT
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, StopReason
from hugginggpt.core.events import Done, PromptRead
from hugginggpt.endpoints.language import LanguageModel
from hugginggpt.llm.base import Message, Reading, Reply, Stage
from hugginggpt.llm.embedded import SLOT_OF, EmbeddedLLM
from hugginggpt.llm.llama_process import KEPT, SLOTS, Served
from hugginggpt.llm.prompts import Prompts, plan_schema
from hugginggpt.stages.run import Run
from tests.conftest import TABLE, MakeConfig, controller_with
from tests.llm.slots import client_of, written_when_idle
from tests.llm.tiny_gguf import LETTERS_FROM, TEMPLATE, write_tiny_gguf

pytestmark = pytest.mark.slow
pytest.importorskip("xllamacpp")
pytest.importorskip("gguf")

ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
ENDLESS = 50_000
"""Tokens of an answer that takes longer than a test."""
PLAN_TOKENS = 300
"""Fewer than any plan may have, so that a plan that was written to its bound has more."""
PATIENCE = 60
VARYING = "Plan for {{input}} with {{tasks}}"
Make = Callable[..., EmbeddedLLM]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_gguf(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture
def embedded_config(make_config: MakeConfig, tiny: Path) -> Callable[..., Config]:
    """Builds a configuration with the tiny model and one thread: nothing needs to be measured."""

    def make(**embedded: Any) -> Config:
        settings = {"file": str(tiny), "threads": 1, "reply_tokens": 40, "context": 20_000, **embedded}
        return make_config(llm="embedded", embedded_llm=settings, context_length=20_000, llm_role="leads")

    return make


@pytest.fixture
def make(embedded_config: Callable[..., Config]) -> Iterator[Make]:
    made: list[EmbeddedLLM] = []

    def make(**embedded: Any) -> EmbeddedLLM:
        made.append(EmbeddedLLM(embedded_config(**embedded)))
        return made[-1]

    yield make
    for llm in made:
        llm.close()


def streamed(
    llm: EmbeddedLLM, messages: Sequence[Message], stage: Stage = "chat", **how: Any
) -> tuple[list[str], Reply]:
    pieces, generator = [], llm.stream(messages, stage=stage, **how)
    while True:
        try:
            pieces.append(next(generator))
        except StopIteration as end:
            return pieces, end.value


def process_of(llm: EmbeddedLLM) -> Served:
    assert llm.process.served
    return llm.process.served


def kept_by(llm: EmbeddedLLM) -> list[Path]:
    """The states that are kept in the model's folder."""
    return list((llm.process.settings.folder / KEPT).iterdir())


def plan_messages(llm: EmbeddedLLM, request: str) -> list[Message]:
    return Prompts(llm.config, llm.count, TABLE).plan(request, [])


def test_it_starts_on_first_use_streams_and_ends_when_closed(make: Make) -> None:
    llm = make()
    assert llm.process.served is None and not llm.state()["running"]
    pieces, reply = streamed(llm, ASK)
    assert "".join(pieces) == reply.text and reply.model == "tiny"
    state = llm.state()
    assert state["running"] and state["memory"] > 1e6 and state["read"] > 0 and state["written"] > 0
    pid = process_of(llm).process.pid
    llm.close()
    assert not psutil.pid_exists(pid)


def test_a_model_that_can_think_first_is_told_not_to(make: Make, tmp_path: Path) -> None:
    """As Qwen3's templates have it: an empty thought is where the answer begins."""
    thought = "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>{% endif %}"
    template = TEMPLATE.replace("assistant\n{% endif %}", "assistant\n" + thought + "{% endif %}")
    served = make(file=str(write_tiny_gguf(tmp_path / "thinks.gguf", template=template))).process.running()
    with client_of(served) as client:
        asked = client.post(
            "/apply-template", json={"messages": ASK}, headers={"Authorization": f"Bearer {served.key}"}
        )
    assert asked.json()["prompt"].endswith("assistant\n<think>\n\n</think>")


def test_an_answer_that_never_ends_is_bounded(make: Make) -> None:
    reply = make(reply_tokens=30).complete(ASK, stage="chat")
    assert reply.usage.completion_tokens == 30 and "limit of tokens" in reply.cut_off


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_answer_has_the_form_of_its_schema_whatever_the_weights(make: Make, tmp_path: Path, seed: int) -> None:
    task = {"type": "object", "properties": {"task": {"enum": [*TABLE.names]}, "sure": {"type": "boolean"}}}
    schema = {**task, "required": ["task", "sure"], "additionalProperties": False}
    llm = make(file=str(write_tiny_gguf(tmp_path / "other.gguf", seed=seed)), reply_tokens=300)
    reply = llm.complete(ASK, stage="select", schema=schema)
    jsonschema.validate(json.loads(reply.whole()), schema)


@pytest.mark.parametrize("seed", [0, 4, 5])
def test_a_plan_is_one_as_far_as_it_is_written(make: Make, tmp_path: Path, seed: int) -> None:
    """With random weights a text within a plan may never end: what there is of the plan is of its form."""
    llm = make(file=str(write_tiny_gguf(tmp_path / "other.gguf", seed=seed)), reply_tokens=300)
    schema = plan_schema(TABLE)
    reply = llm.complete(plan_messages(llm, "Describe a.jpg"), stage="plan", schema=schema)
    if reply.cut_off:
        assert "".join(reply.text.split()).startswith('{"tasks":[')
    else:
        jsonschema.validate(json.loads(reply.text), schema)


def test_who_stops_reading_stops_the_model(make: Make) -> None:
    llm = make(reply_tokens=ENDLESS, context=65_536)
    with closing(llm.stream(ASK, stage="chat")) as pieces:
        while not next(pieces):
            pass
    assert written_when_idle(process_of(llm), SLOTS - 1) < ENDLESS / 2


def test_a_run_that_is_cancelled_stops_the_model(embedded_config: Callable[..., Config]) -> None:
    controller = controller_with(embedded_config(reply_tokens=ENDLESS, context=65_536))
    run = Run([{"role": "user", "content": "Hello"}], controller.config.limits)
    for event in controller.run(run):
        if isinstance(event, PromptRead):
            run.cancel()
    assert isinstance(event, Done) and event.stop is StopReason.CANCELLED
    (llm,) = [endpoint.llm for endpoint in controller.endpoints if isinstance(endpoint, LanguageModel)]
    assert isinstance(llm, EmbeddedLLM)
    assert written_when_idle(process_of(llm), SLOT_OF["plan"]) < PLAN_TOKENS


def test_a_process_that_is_killed_in_mid_answer_is_told_and_started_again(make: Make) -> None:
    llm = make(reply_tokens=ENDLESS, context=65_536)
    pieces = llm.stream(ASK, stage="chat")
    while not next(pieces):
        pass
    first = process_of(llm).process
    first.kill()
    with pytest.raises(BackendError, match="was ended by signal SIGKILL in the middle of its answer"):
        list(pieces)
    with closing(llm.stream(ASK, stage="chat")) as again:
        while not next(again):
            pass
    assert process_of(llm).process.pid != first.pid


def test_a_process_that_dies_before_the_first_word_is_started_again_at_once(make: Make) -> None:
    llm = make()
    pieces = llm.stream(plan_messages(llm, "Describe a.jpg"), stage="plan", schema=plan_schema(TABLE))
    assert isinstance(next(pieces), Reading)
    first = process_of(llm).process
    first.kill()
    assert "".join(pieces).lstrip().startswith("{")
    assert process_of(llm).process.pid != first.pid


def test_a_prompt_beyond_the_context_is_told_and_the_next_one_answered(make: Make) -> None:
    llm = make(context=600)
    with pytest.raises(BackendError, match=r"tiny cannot read \d+ tokens: its context has \d+ \(embedded_llm.context"):
        llm.complete([{"role": "user", "content": "a b " * 2000}], stage="chat")
    assert llm.complete(ASK, stage="chat").usage.completion_tokens


def token_bytes(text: str) -> bytes:
    """A text as it stands in a saved state: the ids of its characters."""
    return np.array([LETTERS_FROM + ord(letter) - ord("!") for letter in text], "<i4").tobytes()


def readings(llm: EmbeddedLLM, messages: Sequence[Message], stage: Stage, **how: Any) -> list[int]:
    pieces, _ = streamed(llm, messages, stage, **how)
    return [piece.read for piece in pieces if isinstance(piece, Reading)]


def test_what_all_plans_begin_with_is_read_once_also_by_another_process(make: Make) -> None:
    def planned(llm: EmbeddedLLM, request: str) -> list[int]:
        return readings(llm, plan_messages(llm, request), "plan", schema=plan_schema(TABLE))

    llm = make()
    first = planned(llm, "Describe a.jpg")
    fixed = max(first[:-1])
    assert min(first) < fixed / 10 and fixed > 1000
    assert min(planned(llm, "Read b.png")) >= fixed
    llm.close()
    other = make()
    assert min(planned(other, "Count the cats in c.jpg")) >= fixed
    kept = kept_by(other)
    assert len(kept) == 1
    other.close()
    kept[0].write_bytes(b"damaged")
    assert min(planned(make(), "Describe a.jpg")) < fixed / 10


def test_nothing_of_a_request_is_kept_also_where_a_plan_is_asked_for_once_more(make: Make) -> None:
    llm = make()
    messages = plan_messages(llm, "Describe wedding.jpg")
    again = Prompts(llm.config, llm.count, TABLE).repair(messages, "{}", "There is no task.", "the plan")
    for asked in (again, messages, again):
        llm.complete(asked, stage="plan", schema=plan_schema(TABLE))
    (kept,) = kept_by(llm)
    state = kept.read_bytes()
    assert token_bytes("Stage:") in state and token_bytes("wedding.jpg") not in state


def test_what_is_said_before_each_request_that_is_said_again_is_kept_beside_the_plans(make: Make) -> None:
    def reworded(llm: EmbeddedLLM, request: str) -> list[int]:
        return readings(llm, Prompts(llm.config, llm.count, TABLE).reword(request, "", []), "reword")

    llm = make()
    fixed = max(reworded(llm, "Dreh es")[:-1])
    assert fixed > 500
    llm.complete(plan_messages(llm, "Describe a.jpg"), stage="plan", schema=plan_schema(TABLE))
    assert min(reworded(llm, "Lies es vor")) >= fixed
    llm.close()
    other = make()
    assert min(reworded(other, "Was steht da")) >= fixed
    assert len(kept_by(other)) == 2


def test_what_varies_from_request_to_request_is_not_kept(make: Make) -> None:
    llm = make()
    varying = llm.config.model_copy(update={"tprompt": llm.config.tprompt.model_copy(update={"parse_task": VARYING})})
    messages = Prompts(varying, llm.count, TABLE).plan("Describe a.jpg", [])
    llm.complete(messages, stage="plan", schema=plan_schema(TABLE))
    assert kept_by(llm) == []


def test_only_who_has_the_key_is_answered_and_no_other_key_gets_there(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-service")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    llm = make()
    llm.complete(ASK, stage="chat")
    served = process_of(llm)
    assert served.url.startswith("http://127.0.0.1:")
    for path in ("/slots", "/v1/models", "/props"):
        assert httpx2.get(f"{served.url}{path}", trust_env=False).status_code == 401
    assert "OPENAI_API_KEY" not in psutil.Process(served.process.pid).environ()


def test_models_with_the_same_settings_share_a_process(make: Make) -> None:
    one, other = make(), make()
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(llm.complete, ASK, stage=stage) for llm in (one, other) for stage in ("chat", "select")]
        assert all(reply.result().text for reply in asked)
    pid = process_of(one).process.pid
    assert process_of(other).process.pid == pid
    one.close()
    assert psutil.pid_exists(pid) and other.complete(ASK, stage="chat").text
    other.close()
    assert not psutil.pid_exists(pid)


def test_the_number_of_threads_is_measured_once(make: Make) -> None:
    llm = make(threads=None)
    llm.complete(ASK, stage="chat")
    chosen = process_of(llm).threads
    assert chosen >= 1 and llm.state()["threads"] == chosen
    llm.process.note(threads=3)
    llm.close()
    again = make(threads=None)
    again.complete(ASK, stage="chat")
    assert process_of(again).threads == 3


def test_a_file_that_is_no_model_is_told(make: Make, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model")
    with pytest.raises(BackendError, match="broken.gguf cannot be loaded: .*llama.log"):
        make(file=str(broken)).complete(ASK, stage="chat")
    with pytest.raises(BackendError, match="There is no file"):
        make(file=str(tmp_path / "none.gguf")).complete(ASK, stage="chat")


PROGRAM = """
import sys
from hugginggpt import config
from hugginggpt.llm.embedded import EmbeddedLLM
llm = EmbeddedLLM(config.load(sys.argv[1], {}))
llm.complete([{"role": "user", "content": "Hi"}], stage="chat")
print(llm.process.served.process.pid, flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, None], ids=["killed", "terminated", "ended"])
def test_the_process_ends_with_the_program(
    embedded_config: Callable[..., Config], ending: signal.Signals | None
) -> None:
    config = embedded_config()
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, config.source],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdin and program.stdout
    with program:
        model = psutil.Process(int(program.stdout.readline()))
        if ending:
            os.kill(program.pid, ending)
        else:
            program.stdin.write("\n")
            program.stdin.flush()
        psutil.wait_procs([model], PATIENCE)
        assert not model.is_running()


def test_a_run_of_the_controller(embedded_config: Callable[..., Config]) -> None:
    """The plan of random weights is held by its schema; the answer is told as cut off."""
    controller = controller_with(embedded_config(reply_tokens=60))
    events = list(controller.run(Run([{"role": "user", "content": "Hello"}], controller.config.limits)))
    assert any(isinstance(event, PromptRead) and event.total > 1000 for event in events)
    assert isinstance(events[-1], Done) and events[-1].stop in (StopReason.ANSWERED, StopReason.FAILED)


def test_each_stage_has_a_slot() -> None:
    assert max(SLOT_OF.values()) == SLOTS - 2
