"""Models whose linear layers are kept in fewer bits, on a CPU: smaller, and nearly the same answers."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import quantization
from hugginggpt.experts.families import VECTORS, Run, family_for
from hugginggpt.experts.source import Placement, Source
from hugginggpt.testing.servers import serving
from tests.conftest import TABLE, MakeConfig
from tests.experts.families import tiny_diffusion, tiny_text
from tests.serving.plain_family import CPU, weights

TEXTS = ["A cat sits on the mat.", "A kitten rests on a rug.", "Shares fell sharply in New York."]


def loaded(folder: Path, task: str, quantize: str) -> tuple[Source, Run | Any]:
    source = Source(folder.name, folder, task, CPU, quantize=quantize)
    return source, family_for(source).load(source)


@pytest.mark.slow
def test_a_published_model_is_smaller_and_nearly_as_good(minilm_folder: Path) -> None:
    """all-MiniLM-L6-v2: half of its weights are embeddings, which stay."""
    vectors, sizes = [], []
    for quantize in ("none", "int8"):
        source, runs = loaded(minilm_folder, "sentence-similarity", quantize)
        vectors.append(runs[VECTORS]([{"texts": TEXTS}])[0]["vectors"])
        sizes.append(source.bytes_loaded)
        assert source.quantized is (quantize == "int8")
    full, small = vectors
    assert sizes[1] < 0.7 * sizes[0]
    cosines = (full * small).sum(1) / np.linalg.norm(full, axis=1) / np.linalg.norm(small, axis=1)
    assert cosines.min() > 0.998 and not np.array_equal(full, small)
    near, far = small[0] @ small[1], small[0] @ small[2]
    assert near > far + 0.2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning")
@pytest.mark.parametrize(
    ("make", "task", "request_"),
    [
        (tiny_text.text_classification, "text-classification", {"text": "the cat sat on the mat"}),
        (tiny_text.llama_chat, "text-generation", {"text": "good morning"}),
        (tiny_text.bart, "summarization", {"text": "the cat sat on the mat and looked at the moon"}),
        (tiny_diffusion.stable_diffusion, "text-to-image", {"text": "a cat"}),
    ],
)
def test_models_of_every_kind_run(
    models: Path, same_weights: None, make: Callable[[Path], None], task: str, request_: dict[str, Any]
) -> None:
    make(models / "tiny")
    whole, _ = loaded(models / "tiny", task, "none")
    source, runs = loaded(models / "tiny", task, "int8")
    run = runs[task]
    (answer,) = run([request_])
    assert answer
    assert source.bytes_loaded < whole.bytes_loaded
    kinds = {type(tensor).__name__ for module in source.modules for tensor in module.parameters()}
    assert "Int8Tensor" in kinds


@pytest.mark.slow
def test_the_server_quantises_as_configured_and_says_so(
    make_config: MakeConfig, models: Path, same_weights: None
) -> None:
    tiny_text.text_classification(models / "small")
    shutil.copytree(models / "small", models / "whole")
    own = [
        {"id": "small", "task": "text-classification", "path": str(models / "small")},
        {"id": "whole", "task": "text-classification", "path": str(models / "whole"), "quantize": "none"},
    ]
    config = make_config(device="cpu", log_file=None, models_server={"models": own, "quantize": "int8"})
    with serving(config) as server:
        answers = {name: server.ask(name, text="the cat sat") for name in ("small", "whole")}
        told = {name: requests.get(f"{server.url}/status/{name}", timeout=10).json() for name in answers}
    assert told["small"]["quantize"] == "int8" and "quantize" not in told["whole"]
    assert told["small"]["bytes"] < told["whole"]["bytes"]
    scores = [{row["label"]: row["score"] for row in answer} for answer in answers.values()]
    assert scores[0].keys() == scores[1].keys()
    assert all(abs(scores[0][label] - scores[1][label]) < 0.02 for label in scores[0])


@pytest.mark.slow
def test_int4_needs_a_gpu(models: Path) -> None:
    tiny_text.text_classification(models / "tiny")
    with pytest.raises(ExpertUnavailable, match=r"int4 needs a GPU .* loaded on cpu: take int8"):
        loaded(models / "tiny", "text-classification", "int4")


def test_without_the_package_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    quantization.check("me/mine", "none", "cpu")
    with pytest.raises(ExpertUnavailable, match=r"me/mine is to be quantised \(int8\): .*quantize"):
        quantization.check("me/mine", "int8", "cpu")


def test_what_a_model_will_take_is_told_from_its_headers(tmp_path: Path) -> None:
    """On a GPU, where its layers come one by one; on a CPU it is whole at first."""
    from safetensors.numpy import save_file

    folder = weights(tmp_path / "mine", 1)
    layer, words, bias = np.zeros((100, 100), np.float32), np.zeros((50, 100), np.float32), np.zeros(100, np.float32)
    save_file({"a.query.weight": layer, "embeddings.weight": words, "a.query.bias": bias}, folder / "model.safetensors")
    gpu = Placement("cuda:0", "bfloat16")

    def bytes_needed(quantize: str, place: Placement = gpu) -> int:
        return Source("mine", folder, "x", place, quantize=quantize).bytes_needed

    assert bytes_needed("none") == 2 * (10_000 + 5000 + 100)
    assert bytes_needed("int8") == 10_500 + 2 * 5100
    assert bytes_needed("int4") == 6000 + 2 * 5100
    assert bytes_needed("int8", CPU) == 4 * 15_100


def test_files_that_are_quantised_already_stay_as_they_are(make_config: MakeConfig, tmp_path: Path) -> None:
    from hugginggpt.serving.commands import make_model_registry

    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    folder = weights(tmp_path / "mine", 10)
    registry = make_model_registry(make_config(models_server={"quantize": "int8"}))
    task = next(row.name for row in TABLE if row.wording == "remark")
    assert registry.add(str(tmp_path / "small.gguf")).quantize == "none"
    assert registry.add(f"{folder}:{task}").quantize == "int8"
