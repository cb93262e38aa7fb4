"""A model's folder: what it is, how large, and how it is loaded safely onto a device.

Weights are read from safetensors files only, never from pickles, and code that comes with a model is
never run.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.errors import ConfigError, ExpertUnavailable

if TYPE_CHECKING:
    import torch

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".h5", ".msgpack", ".joblib")
BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
FLOATS = ("F64", "F32", "F16", "BF16")
MODEL_ID = re.compile(r"[\w][\w.-]{0,95}(?:/[\w][\w.-]{0,95})?")
MAX_HEADER_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class Placement:
    """Where models are put: the device ("cpu", "cuda:0", "mps") and the type of their weights ("float32", ...)."""

    device: str
    dtype: str

    @property
    def torch_dtype(self) -> torch.dtype:
        import torch

        dtype: torch.dtype = getattr(torch, self.dtype)
        return dtype

    @property
    def float_bytes(self) -> int:
        return 4 if self.dtype == "float32" else 2


def place(device: str = "auto") -> Placement:
    """The placement for a device of the configuration: auto takes CUDA, then MPS, then the CPU.

    bfloat16 or float16 on a GPU, float32 on a CPU. Raises ConfigError for a device that is not there.
    """
    kind = device.partition(":")[0]
    if kind not in ("auto", "cpu", "cuda", "mps"):
        raise ConfigError(f'device: "{device}" is none of auto, cpu, cuda, cuda:N, mps.')
    if kind == "cpu":
        return Placement("cpu", "float32")
    import torch

    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if kind == "auto":
        kind = device = "cuda" if cuda else "mps" if mps else "cpu"
    if (kind == "cuda" and not cuda) or (kind == "mps" and not mps):
        raise ConfigError(f"device: {device} is not there on this machine; use auto or cpu.")
    if kind == "cpu":
        return Placement("cpu", "float32")
    half = "bfloat16" if kind == "cuda" and torch.cuda.is_bf16_supported() else "float16"
    return Placement("cuda:0" if device == "cuda" else device, half)


def free_bytes(device: str) -> int:
    """The memory that is free on a device, in bytes."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    import psutil

    return int(psutil.virtual_memory().available)


@dataclass
class Source:
    """A model to load: its id, its folder, the task it is for, and where it is to go."""

    id: str
    folder: Path
    task: str
    placement: Placement
    modules: list[Any] = field(default_factory=list)

    @cached_property
    def config(self) -> dict[str, Any]:
        """config.json, or model_index.json of a diffusers pipeline; {} where there is neither."""
        for name in ("config.json", "model_index.json"):
            if (self.folder / name).is_file():
                content = json.loads((self.folder / name).read_text(encoding="utf-8"))
                return content if isinstance(content, dict) else {}
        return {}

    @property
    def model_type(self) -> str:
        """The architecture in transformers' words ("bert"), or the class of a diffusers pipeline."""
        return str(self.config.get("model_type") or self.config.get("_class_name") or "")

    @property
    def architectures(self) -> tuple[str, ...]:
        return tuple(self.config.get("architectures") or ())

    @cached_property
    def weight_files(self) -> list[Path]:
        """The safetensors files. Raises ExpertUnavailable where there are only pickles, or nothing."""
        found = sorted(self.folder.rglob("*.safetensors"))
        if found:
            return found
        if any(file.suffix in PICKLES for file in self.folder.rglob("*")):
            raise ExpertUnavailable(
                f"{self.id} comes only with pickled weights, which can run code and are not loaded: "
                "convert it to safetensors or choose another model."
            )
        raise ExpertUnavailable(f"{self.id} has no weights in {self.folder.name}: download it again.")

    @cached_property
    def bytes_needed(self) -> int:
        """The size of the weights on the device, in bytes, from the headers of the files."""
        return sum(_weight_bytes(file, self.placement.float_bytes) for file in self._files_once())

    def _files_once(self) -> list[Path]:
        """Without variants of the same weights ("model.fp16.safetensors" beside "model.safetensors")."""
        names = {file.relative_to(self.folder).as_posix() for file in self.weight_files}
        return [
            file
            for file in self.weight_files
            if re.sub(r"\.(?:fp16|bf16|non_ema)(?=[.-])", "", file.relative_to(self.folder).as_posix()) not in names
            or not re.search(r"\.(?:fp16|bf16|non_ema)[.-]", file.name)
        ]

    # Loading. `auto` is one of the Auto* classes of transformers, or a model class.

    def model(self, auto: Any, **options: Any) -> Any:
        """The model in evaluation mode on its device; safetensors only, none of its own code."""
        self.weight_files  # noqa: B018 (refuses pickles)
        _quiet()
        model = auto.from_pretrained(
            self.folder, use_safetensors=True, trust_remote_code=False, local_files_only=True,
            dtype=options.pop("dtype", self.placement.torch_dtype), **options,
        )  # fmt: skip
        model = model.to(self.placement.device).eval()
        self.modules.append(model)
        return model

    def part(self, auto: Any, **options: Any) -> Any:
        """A tokenizer, processor or the like."""
        return auto.from_pretrained(self.folder, trust_remote_code=False, local_files_only=True, **options)

    def to_device(self, batch: Any) -> Any:
        """A dict of tensors on the model's device, floating point ones in its type."""
        moved = {}
        for name, value in dict(batch).items():
            if hasattr(value, "is_floating_point"):
                dtype = self.placement.torch_dtype if value.is_floating_point() else value.dtype
                value = value.to(self.placement.device, dtype)
            moved[name] = value
        return moved

    @property
    def bytes_loaded(self) -> int:
        """The size of what was loaded, in bytes."""
        tensors = {
            id(tensor): tensor
            for module in self.modules
            if hasattr(module, "parameters")
            for tensor in (*module.parameters(), *module.buffers())
        }
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())


@cache
def _quiet() -> None:
    """The progress bars of the libraries are not for a server's log."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _weight_bytes(file: Path, float_bytes: int) -> int:
    """The bytes of a safetensors file's tensors, floats counted at `float_bytes`. Raises ExpertUnavailable."""
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            header = json.loads(stream.read(min(length, MAX_HEADER_BYTES)))
        total = 0
        for name, entry in header.items():
            if name != "__metadata__":
                count = 1
                for side in entry["shape"]:
                    count *= side
                total += count * (float_bytes if entry["dtype"] in FLOATS else BYTES.get(entry["dtype"], 4))
        return total
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ExpertUnavailable(f"The weights {file.name} are damaged: download the model again.") from error
