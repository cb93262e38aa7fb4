"""Demonstrations for the planner: which are nearest, which are sent, and what happens without the weights."""

from __future__ import annotations

import difflib
import json
import logging
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import ConfigError
from hugginggpt.evaluate.formats import project_graph
from hugginggpt.experts import minilm, weights
from hugginggpt.llm.base import Message
from hugginggpt.llm.prompts import DEMONSTRATION_SHARE, REPLY_TOKENS, Demonstration, Prompts
from hugginggpt.llm.tokens import TokenCounter
from hugginggpt.offline.planner import OfflinePlanner
from hugginggpt.stages.demonstrations import Demonstrations, make_demonstrations, read_pool, without_files
from hugginggpt.stages.planner import LLMPlanner
from hugginggpt.stages.run import Run
from hugginggpt.testing import ScriptedLLM, task
from tests.conftest import TABLE, MakeConfig, repair

POOL = ROOT / "demos" / "planning_pool.jsonl"
OWN = ROOT / "data" / "planning_eval.jsonl"
REQUESTS = {
    "count the sheep in hill.jpg": [task(0, "object-detection", image="hill.jpg")],
    "transcribe tape.wav": [task(0, "automatic-speech-recognition", audio="tape.wav")],
    "paint a red boat": [task(0, "text-to-image", text="a red boat")],
    "count the boats in bay.jpg": [task(0, "object-detection", image="bay.jpg")],
}


class Words:
    """Embeds texts by their words, without a model; counts what it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        vectors = np.full((len(texts), 256), 1e-6, np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                vector[zlib.crc32(word.encode()) % 256] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    file = tmp_path / "pool.jsonl"
    rows = [{"request": request, "plan": plan} for request, plan in REQUESTS.items()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def questions(messages: Sequence[Message]) -> list[str]:
    """The requests of the example turns that are sent."""
    return [re.sub(r"(?s).*My request: ", "", turn["content"]) for turn in messages[1:-1] if turn["role"] == "user"]


def sent(llm: ScriptedLLM, config: Any, request: str, demonstrations: Demonstrations | None, **run: Any) -> list[str]:
    """The example requests that the language model is shown."""
    planner = LLMPlanner(llm, Prompts(config, llm.count, TABLE), OfflinePlanner(TABLE), demonstrations=demonstrations)
    list(planner.plan(Run([{"role": "user", "content": request}], config.limits, **run)))
    return questions(llm.calls[-1][1])


def test_the_nearest_are_sent_in_place_of_the_fixed_the_nearest_last(
    pool: Path, tmp_path: Path, make_config: MakeConfig, scripted: Callable[..., ScriptedLLM]
) -> None:
    config, llm = make_config(), scripted(plan=['{"tasks": []}'] * 3)
    nearest = Demonstrations(pool, 2, tmp_path, Words())
    asked = "how many? count the sheep in IMG_1.png"
    assert sent(llm, config, asked, nearest) == ["count the boats in bay.jpg", "count the sheep in hill.jpg"]
    assert sent(llm, config, "paint a red barn", nearest, tasks=frozenset({"text-to-image"})) == ["paint a red boat"]
    fixed = sent(llm, config, asked, None)
    assert len(fixed) == 4 and not set(fixed) & set(REQUESTS)
    assert llm.calls[0][1][2]["content"] == json.dumps({"tasks": REQUESTS["count the boats in bay.jpg"]})


def test_a_limit_of_tasks_holds_for_the_table_and_the_fixed_demonstrations(
    make_config: MakeConfig, scripted: Callable[..., ScriptedLLM]
) -> None:
    llm = scripted(plan='{"tasks": []}')
    shown = sent(llm, make_config(), "hello", None, tasks=frozenset({"object-detection"}))
    assert len(shown) == 2  # the one with two pictures and the one without a task
    table = [line for line in llm.calls[0][1][0]["content"].splitlines() if line.startswith(" - ") or line[:2] == "- "]
    assert len(table) == 1 and table[0].strip().startswith("- object-detection(")


def test_demonstrations_keep_to_their_share_of_the_context(make_config: MakeConfig) -> None:
    config = make_config(context_length=4000)
    count = TokenCounter()
    demos = [Demonstration(f"request {n} " + "word " * 120, [task(0, "translation", text="x")]) for n in range(9)]
    messages = Prompts(config, count, TABLE).plan("hello", (), demos)
    used = sum(count(turn["content"]) for turn in messages[1:-1])
    assert 0 < len(questions(messages)) < 9
    assert used <= (4000 - REPLY_TOKENS) * DEMONSTRATION_SHARE
    assert questions(messages)[-1].startswith("request 0 ")  # the nearest is kept, and comes last


def test_the_history_of_a_demonstration_is_shown(make_config: MakeConfig) -> None:
    history = [{"role": "user", "content": "Describe q.png"}, {"role": "assistant", "content": "A well."}]
    demo = Demonstration("read it", [task(0, "text-to-speech", text="A well.")], history)
    assert "Describe q.png" in Prompts(make_config(), TokenCounter(), TABLE).plan("hello", (), [demo])[1]["content"]


def test_the_pool_is_embedded_once_and_kept_until_it_changes(pool: Path, tmp_path: Path) -> None:
    first, again, changed = Words(), Words(), Words()
    Demonstrations(pool, 1, tmp_path, first).nearest("count")
    Demonstrations(pool, 1, tmp_path, again).nearest("count")
    assert (first.asked, again.asked) == (1 + 4 + 1, 1 + 1)  # a probe, the pool, the request
    pool.write_text(pool.read_text() + json.dumps({"request": "one more", "plan": []}) + "\n")
    assert Demonstrations(pool, 1, tmp_path, changed).nearest("one more")[0].plan == []
    assert changed.asked == 1 + 5 + 1
    for kept in tmp_path.glob("*.npy"):
        kept.write_bytes(b"broken")
    assert Demonstrations(pool, 1, tmp_path, Words()).nearest("one more")[0].request == "one more"


def test_without_the_weights_the_fixed_ones_are_used_and_the_log_says_so_once(
    pool: Path,
    tmp_path: Path,
    make_config: MakeConfig,
    scripted: Callable[..., ScriptedLLM],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:

    def fresh(texts: Sequence[str]) -> Any:
        """`embed` with weights of its own: another test may have loaded the right ones before."""
        return minilm._MiniLM()(texts)

    monkeypatch.setitem(weights.SHA256, "minilm/model.safetensors", "0" * 64)
    demonstrations = Demonstrations(pool, 2, tmp_path, fresh)
    llm = scripted(plan=['{"tasks": []}'] * 2)
    with caplog.at_level(logging.WARNING, "hugginggpt"):
        shown = [sent(llm, make_config(), "count the sheep", demonstrations) for _ in range(2)]
    assert [len(requests) for requests in shown] == [4, 4]
    assert [record.getMessage()[:40] for record in caplog.records] == ["The demonstrations nearest to a request "]


def test_the_configuration_turns_it_on(make_config: MakeConfig, pool: Path, tmp_path: Path) -> None:
    assert make_demonstrations(make_config()) is None
    config = make_config(demonstrations="nearest", demonstrations_count=3, demonstrations_pool=str(pool))
    demonstrations = make_demonstrations(config)
    assert demonstrations and demonstrations.count == 3 and len(demonstrations.pool()) == 4
    with pytest.raises(ConfigError, match="demonstrations"):
        make_config(demonstrations="near")


@pytest.mark.parametrize("line", ["{", "[1]", '{"request": 1, "plan": []}', '{"request": "x", "plan": [1]}', "{}"])
def test_a_broken_pool_names_the_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "pool.jsonl"
    file.write_text('{"request": "fine", "plan": []}\n' + line)
    with pytest.raises(ConfigError, match=r"pool\.jsonl, line 2 should be"):
        read_pool(file)
    with pytest.raises(ConfigError, match="Cannot read"):
        read_pool(tmp_path / "none")


def test_files_are_left_out_of_what_is_compared() -> None:
    assert (
        without_files("what is on dogs.jpg and in https://x.org/cats.wav?") == "what is on the image and in the audio?"
    )
    assert without_files("translate 'good day'") == "translate 'good day'"


def test_the_pool_has_right_plans_of_every_task_and_shape() -> None:
    demos = read_pool(POOL)
    assert len(demos) >= 60 and len({demo.request for demo in demos}) == len(demos)
    for demo in demos:
        plan = repair(demo.plan)
        assert not plan.problems and not plan.notes, demo.request
        assert plan.to_json() == list(demo.plan), demo.request
    assert {step["task"] for demo in demos for step in demo.plan} == set(TABLE.names)
    shapes = [project_graph(demo.plan).shape() for demo in demos]
    assert all(shapes.count(shape) >= 5 for shape in ("none", "single", "chain", "dag"))
    assert sum(bool(demo.history) for demo in demos) >= 5


@pytest.mark.skipif(not OWN.exists(), reason="data/planning_eval.jsonl is not there")
def test_no_demonstration_is_a_request_that_is_measured() -> None:
    """The nearest in words: what a planner is shown must not be what it is measured on."""

    def normal(request: str) -> str:
        return " ".join(re.findall(r"\w+", without_files(request).lower()))

    measured = {normal(json.loads(line)["request"]) for line in OWN.read_text(encoding="utf-8").splitlines()}
    for demo in read_pool(POOL):
        near = difflib.get_close_matches(normal(demo.request), measured, 1, cutoff=0.85)
        assert not near, f"{demo.request!r} is too close to {near[0]!r}"


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Demonstrations:
    return Demonstrations(POOL, 3, tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_text", "wanted"),
    [
        ("How many ducks swim on pond.jpg?", "object-detection"),
        ("put 'see you soon' into Polish", "translation"),
        ("clean the hiss out of tape.wav", "audio-to-audio"),
        ("hello, how are you?", ""),
    ],
)
def test_sentence_embeddings_find_what_is_like_the_request(
    embedded: Demonstrations, request_text: str, wanted: str
) -> None:
    nearest = embedded.nearest(request_text)
    first = [demo.plan[0]["task"] if demo.plan else "" for demo in nearest]
    assert wanted in first
