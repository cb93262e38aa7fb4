"""Weights in fewer bits (torchao): those of linear layers, which hold nearly all of a transformer's.

int8 keeps a scale for each row of a layer; int4 one for each 128 weights, in the layout of the kernel for CUDA. Layers
are converted one by one, so that the device holds the quantised model and one layer besides.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import install_command
from hugginggpt.core.errors import ExpertUnavailable

if TYPE_CHECKING:
    import torch

NONE, INT8, INT4 = "none", "int8", "int4"
GROUP = 128
"""So many weights share a scale of int4; layers whose rows are no multiple of it stay as they are."""
LINEAR_BYTES = {INT8: 1.05, INT4: 0.6}
"""Of a weight of a linear layer, with its share of the scales."""
ALSO_FLAT = ("embed", "wte", "wpe", "shared.", "lm_head")
"""In the names of weights with two dimensions that are those of no linear layer, or of one that stays as it is."""
INT4_CAPABILITY = (8, 0)
"""The first GPUs that int4's kernel runs on: Ampere."""


def check(model: str, kind: str, device: str) -> None:
    """Raises ExpertUnavailable where a model cannot be quantised: without the package, or the GPU that int4 needs."""
    if kind == NONE:
        return
    if importlib.util.find_spec("torchao") is None:
        raise ExpertUnavailable(f"{model} is to be quantised ({kind}): {install_command('quantize')}.")
    if kind != INT4:
        return
    import torch

    if not device.startswith("cuda") or torch.cuda.get_device_capability(device) < INT4_CAPABILITY:
        raise ExpertUnavailable(
            f"{model}: int4 needs a GPU (CUDA, Ampere or newer), and it is loaded on {device}: take int8 "
            "(models_server.quantize), or a GGUF file."
        )


def quantise(module: torch.nn.Module, kind: str, device: str) -> None:
    """Converts the linear layers of a model that has been read, and puts them on a device.

    The last layer of a language model stays as it is: it often shares its weights with the embeddings.
    """
    import torch
    from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
    from torchao.quantization import Int4WeightOnlyConfig, Int8WeightOnlyConfig, quantize_
    from torchao.quantization.quantize_.workflows import Int4PackingFormat

    find_head = getattr(module, "get_output_embeddings", None)
    head = find_head() if find_head else None

    def is_taken(layer: torch.nn.Module, name: str) -> bool:
        if not isinstance(layer, torch.nn.Linear) or isinstance(layer, NonDynamicallyQuantizableLinear):
            return False  # the latter is a part of torch's own attention, which takes its weight and does not call it
        return layer is not head and (kind != INT4 or layer.in_features % GROUP == 0)

    if kind == INT8:
        quantize_(module, Int8WeightOnlyConfig(set_inductor_config=False), is_taken, device=device)
        return
    with torch.cuda.device(device):  # the layout of int4 is made on the current device
        config = Int4WeightOnlyConfig(
            GROUP, set_inductor_config=False, int4_packing_format=Int4PackingFormat.TILE_PACKED_TO_4D
        )
        quantize_(module, config, is_taken, device=device)


def bytes_of(tensor: Any) -> int:
    """The bytes of a tensor; of a quantised one, those of its parts."""
    if not hasattr(tensor, "__tensor_flatten__"):
        return int(tensor.numel() * tensor.element_size())
    parts = (getattr(tensor, name) for name in tensor.__tensor_flatten__()[0])
    return sum(bytes_of(part) for part in parts)


def bytes_expected(name: str, shape: list[int], float_bytes: int, kind: str) -> float:
    """The bytes of a weight that will be on a device: by its name and shape, as a file's header tells them."""
    count = 1
    for dimension in shape:
        count *= dimension
    is_linear = len(shape) == 2 and name.endswith("weight") and not any(part in name for part in ALSO_FLAT)
    return count * min(LINEAR_BYTES.get(kind, float_bytes) if is_linear else float_bytes, float_bytes)
