"""Chats with tiny models of random weights: pieces, stops, sampling, and what a model cannot do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from hugginggpt.core.errors import BackendError
from hugginggpt.experts.families import CHAT, VECTORS
from hugginggpt.experts.families.chats import NOT_WRITTEN, Refused, Spelling, StopTexts
from hugginggpt.serving.commands import make_model_registry, make_pool
from tests.conftest import MakeConfig
from tests.experts.families import tiny_text
from tests.llm.tiny_gguf import write_tiny_gguf

HI = [{"role": "user", "content": "good morning"}]
Ask = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("pieces", [["one STOP two"], ["one S", "TO", "P two"], list("one STOP two")])
def test_a_text_ends_where_a_stop_begins_however_it_comes(pieces: list[str]) -> None:
    stops = StopTexts(["STOP", "STILL"])
    told = "".join(stops.take(piece) for piece in pieces if not stops.found)
    assert (told, stops.found) == ("one ", True)


def test_what_might_have_become_a_stop_is_told_in_the_end() -> None:
    stops = StopTexts(["\n\n", "###"])
    assert stops.take("a#") + stops.take("b##") == "a#b"
    assert (stops.rest(), stops.found) == ("##", False)


def test_characters_of_several_tokens_are_told_when_they_are_whole() -> None:
    text = "Füße: 日本 🙂."
    spelling = Spelling(lambda tokens: bytes(tokens).decode(errors="replace"))
    pieces = [spelling.add(byte) for byte in text.encode()]
    assert "".join(pieces) + spelling.rest() == text
    assert not any(NOT_WRITTEN in piece for piece in pieces)


@pytest.fixture(scope="module", params=["transformers", pytest.param("llama.cpp", marks=pytest.mark.slow)])
def chat(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Asks a tiny model by a pool."""
    from hugginggpt import testing

    folder = tmp_path_factory.mktemp("chat")
    if request.param == "transformers":
        import torch

        torch.manual_seed(0)
        tiny_text.llama_chat(folder / "tiny")
        name = f"{folder}/tiny:conversational"
    else:
        pytest.importorskip("xllamacpp")
        name = str(write_tiny_gguf(folder / "tiny.gguf"))
    config = testing.write_config(
        folder, None, device="cpu", log_file=None, embedded_llm={"folder": str(folder), "context": 2048, "threads": 1}
    )
    pool = make_pool(config, 1.0)
    entry = make_model_registry(config).add(name)
    yield lambda **asked: pool.submit(entry, CHAT, {"messages": HI, "max_tokens": 12, **asked}).result(60)
    pool.close()


@pytest.mark.slow
def test_the_pieces_are_the_text(chat: Ask) -> None:
    pieces: list[str] = []
    answer = chat(tell=pieces.append, temperature=0)
    assert "".join(pieces) == answer["text"] and len(pieces) > 1
    assert (answer["finish_reason"], answer["completion_tokens"]) == ("length", 12)
    assert answer["prompt_tokens"] > len("good morning") / 8
    longer = chat(messages=[*HI, {"role": "assistant", "content": "Good morning."}, *HI])
    assert longer["prompt_tokens"] > answer["prompt_tokens"]


@pytest.mark.slow
def test_an_answer_ends_before_a_stop(chat: Ask) -> None:
    whole = chat(temperature=0)["text"]
    stop = next(char for char in whole[2:] if char.isascii() and char not in whole[:2])
    ended = chat(temperature=0, stop=[stop, "never written"])
    # llama.cpp leaves out a character that is still incomplete there
    assert ended["text"].rstrip(NOT_WRITTEN) == whole[: whole.index(stop)].rstrip(NOT_WRITTEN)
    assert ended["finish_reason"] == "stop"


@pytest.mark.slow
def test_a_seed_makes_chance_repeatable(chat: Ask) -> None:
    drawn = [chat(temperature=1.5, top_p=0.9, seed=seed)["text"] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.slow
def test_messages_beyond_the_context_are_refused_with_both_numbers(chat: Ask) -> None:
    with pytest.raises(Refused, match=r"The messages have \d{4,} tokens, and the model reads \d+ ") as refused:
        chat(messages=[{"role": "user", "content": "good morning " * 1000}])
    assert (refused.value.param, refused.value.reason) == ("messages", "context_length_exceeded")
    assert chat()["text"]


@pytest.mark.slow
def test_what_a_model_cannot_do_is_refused_by_its_name(make_config: MakeConfig, models: Path) -> None:
    pool = make_pool(make_config(device="cpu"), 1.0)
    registry = make_model_registry(make_config(device="cpu"))
    tiny_text.llama_chat(models / "chatty")
    tiny_text.gpt2(models / "base")
    chatty, base = (registry.add(f"{models / name}:text-generation") for name in ("chatty", "base"))
    for param, value in (("schema", {"type": "object"}), ("presence_penalty", 1.0), ("logit_bias", {"99999": 1})):
        with pytest.raises(Refused) as refused:
            pool.submit(chatty, CHAT, {"messages": HI, param: value}).result(60)
        assert refused.value.param == {"schema": "response_format"}.get(param, param)
    with pytest.raises(Refused, match="no chat template"):
        pool.submit(base, CHAT, {"messages": HI}).result(60)
    assert pool.submit(base, "text-generation", {"text": "the cat"}).result(60).startswith("the cat")
    with pytest.raises(BackendError, match="is for text-generation, not for vectors"):
        pool.submit(base, VECTORS, {"texts": ["x"]}).result(60)
    pool.close()


@pytest.mark.slow
def test_a_gguf_file_is_run_by_a_process_that_ends_with_the_model(make_config: MakeConfig, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    config = make_config(device="cpu", embedded_llm={"folder": str(tmp_path), "context": 1024, "threads": 1})
    pool, file = make_pool(config, 1.0), write_tiny_gguf(tmp_path / "small.gguf")
    entry = make_model_registry(config).add(str(file))
    before = set(psutil.Process().children())
    text = pool.submit(entry, "conversational", {"text": "good morning"}).result(60)
    assert entry.id == "small" and text
    (process,) = set(psutil.Process().children()) - before
    assert pool.status("small").bytes > file.stat().st_size
    with pytest.raises(Refused):
        pool.submit(entry, CHAT, {"messages": [{"role": "user", "content": "x" * 9000}]}).result(60)
    both = [pool.submit(entry, CHAT, {"messages": HI, "max_tokens": 5}) for _ in range(3)]
    assert all(one.result(60)["completion_tokens"] == 5 for one in both)
    pool.unload("small")
    assert not process.is_running()
    pool.close()


@pytest.mark.slow
def test_a_gguf_file_too_large_for_the_memory_is_refused(make_config: MakeConfig, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    pool = make_pool(make_config(device="cpu"), 1e-4)
    entry = make_model_registry(make_config()).add(str(write_tiny_gguf(tmp_path / "small.gguf")))
    with pytest.raises(BackendError, match=r"needs \d+ kB, more than the 100 kB"):
        pool.submit(entry, CHAT, {"messages": HI}).result(60)
    pool.close()
