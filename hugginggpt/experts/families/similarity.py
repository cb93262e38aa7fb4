"""Models that put the meaning of a text into a vector, in the layout of sentence-transformers (arXiv 1908.10084)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.errors import ExpertUnavailable
from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.families.encoders import Encoder
from hugginggpt.experts.source import Source

if TYPE_CHECKING:
    import torch

    Pool = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    Step = Callable[[torch.Tensor], torch.Tensor]


@family("sentence-similarity", batch=16)
def sentence_similarity(source: Source) -> Run:
    """The cosine of the two texts' vectors.

    The vectors are made as modules.json says; by the mean of the tokens' where there is none.
    """
    from transformers import AutoModel

    layout = _layout(source.folder)
    root = layout.get("Transformer", "")
    encoder = Encoder(source, AutoModel, **({"subfolder": root} if root else {}))
    if encoder.model.config.is_encoder_decoder:
        encoder.model = encoder.model.get_encoder()
    stated = _settings(source.folder / root, "sentence_bert_config.json").get("max_seq_length")
    encoder.limit = min(encoder.limit, stated or encoder.limit)
    pool = _pooling(source, layout.get("Pooling"))
    steps = [_dense(source, layout["Dense"])] if "Dense" in layout else []

    def embed(texts: list[str]) -> torch.Tensor:
        """Unit vectors: float32, shape (texts, width)."""
        encoding = encoder.tokens(texts)
        vectors: torch.Tensor = pool(encoder(encoding).last_hidden_state.float().cpu(), encoding["attention_mask"])
        for step in steps:
            vectors = step(vectors)
        return vectors / vectors.norm(dim=-1, keepdim=True).clamp(min=1e-12)

    def run(requests: Sequence[Args]) -> list[Any]:
        vectors = embed([request[name] for name in ("text1", "text2") for request in requests])
        cosines = (vectors[: len(requests)] * vectors[len(requests) :]).sum(-1)
        return [[cosine] for cosine in cosines.tolist()]

    return run


def _settings(folder: Path, name: str) -> Any:
    """A JSON file; {} where there is none."""
    file = folder / name
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


KNOWN = ("Transformer", "Pooling", "Dense", "Normalize", "Dropout")


def _layout(folder: Path) -> dict[str, str]:
    """The folder of each module by its kind. Raises ExpertUnavailable for kinds that are not known here."""
    modules = {row["type"].rpartition(".")[2]: str(row["path"]) for row in _settings(folder, "modules.json")}
    unknown = [kind for kind in modules if kind not in KNOWN]
    if unknown:
        raise ExpertUnavailable(f"{folder.name} has modules that cannot be run here: {', '.join(unknown)}.")
    return modules


# How the vectors of a text's tokens become one; hidden is of shape (texts, tokens, width), mask of (texts, tokens)


def _mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask[..., None].float()
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)


def _root_mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask[..., None].float()
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9).sqrt()


def _max(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return hidden.masked_fill(mask[..., None] == 0, -float("inf")).amax(1)


def _first(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return _at(hidden, mask.int().argmax(1))


def _last(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return _at(hidden, mask.shape[1] - 1 - mask.flip(1).int().argmax(1))


def _at(hidden: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return hidden.take_along_dim(places[:, None, None], 1)[:, 0]


POOLS: dict[str, Pool] = {
    "mean": _mean, "mean_sqrt_len_tokens": _root_mean, "max": _max, "cls": _first, "lasttoken": _last,
}  # fmt: skip
FLAGS = {
    "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max", "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}  # fmt: skip
"""The keys of older configurations for each way of pooling."""


def _pooling(source: Source, path: str | None) -> Pool:
    """The pooling of 1_Pooling/config.json; several ways side by side. Raises ExpertUnavailable for unknown ones."""
    import torch

    config = _settings(source.folder / path, "config.json") if path is not None else {}
    modes = config.get("pooling_mode") or [mode for flag, mode in FLAGS.items() if config.get(flag)] or ["mean"]
    modes = [modes] if isinstance(modes, str) else list(modes)
    unknown = [mode for mode in modes if mode not in POOLS]
    if unknown:
        raise ExpertUnavailable(f"{source.id} pools its tokens by {', '.join(unknown)}, which is not known here.")
    return lambda hidden, mask: torch.cat([POOLS[mode](hidden, mask) for mode in modes], -1)


ACTIVATIONS = ("Tanh", "ReLU", "GELU", "Sigmoid", "Identity")


def _dense(source: Source, path: str) -> Step:
    """The layer after the pooling that some models have, on the CPU. Raises ExpertUnavailable for one unknown here."""
    import torch
    from safetensors.torch import load_file

    config = _settings(source.folder / path, "config.json")
    name = str(config.get("activation_function", "torch.nn.modules.linear.Identity")).rpartition(".")[2]
    if name not in ACTIVATIONS:
        raise ExpertUnavailable(f"{source.id} has a layer with {name}, which is not known here.")
    weights = Source(source.id, source.folder / path, source.task, source.placement).weight_files
    layer = torch.nn.Linear(config["in_features"], config["out_features"], bias=config.get("bias", True))
    layer.load_state_dict({key.removeprefix("linear."): value.float() for key, value in load_file(weights[0]).items()})
    activation: Step = getattr(torch.nn, name)()

    def step(vectors: torch.Tensor) -> torch.Tensor:
        with torch.inference_mode():
            return activation(layer(vectors))

    return step
