"""A model's folder: its type, its size, and how it is loaded safely onto a device.

Weights are read from safetensors (or skops) files only, never from pickles, and code in a model's folder is never run.
"""

from __future__ import annotations

import importlib.util
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import install_command
from hugginggpt.core.errors import ConfigError, ExpertUnavailable
from hugginggpt.experts import quantization

if TYPE_CHECKING:
    import torch

    from hugginggpt.llm.llama_process import LlamaSettings

GGUF_SUFFIX = ".gguf"
CONFIG_FILE, PIPELINE_FILE = "config.json", "model_index.json"
PICKLE_SUFFIXES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".h5", ".msgpack", ".joblib")
DTYPE_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
FLOAT_DTYPES = ("F64", "F32", "F16", "BF16")
MODEL_ID = re.compile(r"[\w][\w.-]{0,95}(?:/[\w][\w.-]{0,95})?")
MAX_HEADER_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class Placement:
    """Where models are loaded: the device ("cpu", "cuda:0", "mps") and the type of their weights ("float32", ...)."""

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


def choose_placement(device: str = "auto") -> Placement:
    """The placement for a device of the configuration: auto takes CUDA, then MPS, then the CPU.

    bfloat16 or float16 on a GPU, float32 on a CPU. Raises ConfigError for an unavailable device.
    Without torch, which only the models of the families need, auto is the CPU.
    """
    kind = device.partition(":")[0]
    if kind not in ("auto", "cpu", "cuda", "mps"):
        raise ConfigError(f'device: "{device}" is none of auto, cpu, cuda, cuda:N, mps.')
    if kind == "cpu":
        return Placement("cpu", "float32")
    try:
        import torch
    except ModuleNotFoundError as error:
        if kind == "auto":
            return Placement("cpu", "float32")
        raise ConfigError(f"device: {device} needs the package torch: {install_command('models')}.") from error

    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if kind == "auto":
        kind = device = "cuda" if cuda else "mps" if mps else "cpu"
    number = device.partition(":")[2]
    is_gpu = cuda and (not number or (number.isdigit() and int(number) < torch.cuda.device_count()))
    if (kind == "cuda" and not is_gpu) or (kind == "mps" and not mps):
        raise ConfigError(f"device: {device} is not there on this machine; use auto or cpu.")
    if kind == "cpu":
        return Placement("cpu", "float32")
    half = "bfloat16" if kind == "cuda" and torch.cuda.is_bf16_supported() else "float16"
    return Placement("cuda:0" if device == "cuda" else device, half)


def choose_placements(device: str = "auto") -> list[Placement]:
    """All placements for a device of the configuration: auto and cuda take every GPU there is. Raises ConfigError."""
    first = choose_placement(device)
    if device not in ("auto", "cuda") or not first.device.startswith("cuda"):
        return [first]
    import torch

    return [Placement(f"cuda:{number}", first.dtype) for number in range(torch.cuda.device_count())]


def free_bytes(device: str) -> int:
    """The free memory of a device, in bytes."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    import psutil

    return int(psutil.virtual_memory().available)


def cached_folder(model: str) -> Path | None:
    """The folder of a model in the Hub's cache on this machine, None for one that is not cached."""
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    if not (Path(constants.HF_HUB_CACHE) / f"models--{model.replace('/', '--')}").is_dir():
        return None
    try:
        # Without patterns, the files that were not downloaded (pickles, variants) would count as missing.
        return Path(snapshot_download(model, local_files_only=True, allow_patterns=[CONFIG_FILE, PIPELINE_FILE]))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        return None


@dataclass
class Source:
    """A model to load: its id, folder, task and placement.

    `quantize` says in how few bits its linear layers are kept (`quantization`), `quantized` that they are.
    `base` finds the folder of the base model that this one extends, None where it is not on this machine. `folder` may
    be a GGUF file; `llama` says how such a file is run, and `bytes_outside` what another process occupies for it.
    What stands in `when_unloaded` is called when the model is no longer needed.
    """

    id: str
    folder: Path
    task: str
    placement: Placement
    modules: list[Any] = field(default_factory=list)
    base: Callable[[], Path | None] = lambda: None
    quantize: str = quantization.NONE
    quantized: bool = False
    llama: Callable[[Path], LlamaSettings] | None = None
    bytes_outside: int = 0
    when_unloaded: list[Callable[[], object]] = field(default_factory=list)

    @cached_property
    def config(self) -> dict[str, Any]:
        """model_index.json of a diffusers pipeline, else config.json; {} without either."""
        for name in (PIPELINE_FILE, CONFIG_FILE):
            if (self.folder / name).is_file():
                content = json.loads((self.folder / name).read_text(encoding="utf-8"))
                return content if isinstance(content, dict) else {}
        return {}

    @property
    def model_type(self) -> str:
        """The architecture as transformers names it ("bert"), or the class of a diffusers pipeline."""
        return str(self.config.get("model_type") or self.config.get("_class_name") or "")

    @cached_property
    def gguf(self) -> Path | None:
        """The GGUF file that this is, or the only one in its folder; None for other models."""
        if self.folder.is_file():
            return self.folder if self.folder.suffix == GGUF_SUFFIX else None
        files = [*self.folder.glob(f"*{GGUF_SUFFIX}")]
        return files[0] if len(files) == 1 else None

    @property
    def architectures(self) -> tuple[str, ...]:
        return tuple(self.config.get("architectures") or ())

    @cached_property
    def weight_files(self) -> list[Path]:
        """The safetensors files, or the skops files of a scikit-learn model.

        Raises ExpertUnavailable where there are only pickles, or no weights.
        """
        files = sorted(self.folder.rglob("*.safetensors")) or sorted(self.folder.rglob("*.skops"))
        if files:
            return files
        if any(file.suffix in PICKLE_SUFFIXES for file in self.folder.rglob("*")):
            raise ExpertUnavailable(
                f"{self.id} comes only with pickled weights, which can run code and are not loaded: "
                "convert it to safetensors or choose another model."
            )
        raise ExpertUnavailable(f"{self.id} has no weights in {self.folder.name}: download it again.")

    @cached_property
    def bytes_needed(self) -> int:
        """The size of the weights on the device, in bytes, from the headers of the files.

        On a CPU the whole weights are there before they are quantised.
        """
        kind = quantization.NONE if self.placement.device == "cpu" else self.quantize
        return sum(_weight_bytes(file, self.placement.float_bytes, kind) for file in self._files_once())

    @property
    def files(self) -> list[Path]:
        """The files with the weights, which are read when it is loaded."""
        return [self.gguf] if self.gguf else self._files_once()

    def _files_once(self) -> list[Path]:
        """The weight files that are loaded: no variants ("model.fp16.safetensors" beside "model.safetensors"), and of
        a pipeline's folder only its parts, because some repeat them in one large file."""
        parts = self.pipeline_parts
        files = [f for f in self.weight_files if not parts or f.relative_to(self.folder).parts[0] in parts]
        names = {file.relative_to(self.folder).as_posix() for file in files}
        return [
            file
            for file in files
            if re.sub(r"\.(?:fp16|bf16|non_ema)(?=[.-])", "", file.relative_to(self.folder).as_posix()) not in names
            or not re.search(r"\.(?:fp16|bf16|non_ema)[.-]", file.name)
        ]

    # Loading. `auto` is one of the Auto* classes of transformers, or a model class.

    def model(self, auto: Any, **options: Any) -> Any:
        """The model in evaluation mode on its device; from safetensors only, without running its code.

        Raises ExpertUnavailable for a model of another type, or one without the layers that the task needs.
        """
        self.weight_files  # noqa: B018 (refuses pickles)
        quantization.check(self.id, self.quantize, self.placement.device)
        _disable_progress_bars()
        try:
            model, loaded = auto.from_pretrained(
                self.folder, use_safetensors=True, trust_remote_code=False, local_files_only=True,
                dtype=options.pop("dtype", self.placement.torch_dtype), output_loading_info=True, **options,
            )  # fmt: skip
        except ValueError as error:
            if "Unrecognized configuration class" in str(error):
                raise self.unfit() from error
            raise
        tuned = any(kind in name for name in self.architectures for kind in ("Classification", "QuestionAnswering"))
        is_base_model = type(model).__name__ in (*self.architectures, self.model_type)
        if not is_base_model and (tuned or loaded["missing_keys"]):
            raise self.unfit()  # its last layer would be random, or trained for another task
        self.quantise(model)
        model = model.to(self.placement.device).eval()
        self.modules.append(model)
        return model

    def quantise(self, module: torch.nn.Module) -> None:
        """Quantises a model that has been read, if it is to be."""
        if self.quantize != quantization.NONE:
            quantization.quantise(module, self.quantize, self.placement.device)
            self.quantized = True

    def unfit(self) -> ExpertUnavailable:
        """The error for a model that does not support the task."""
        kind = " ".join(self.architectures) or self.model_type or "no config.json"
        return ExpertUnavailable(f"{self.id} ({kind}) is not a model that can be run here for {self.task}.")

    @property
    def pipeline_parts(self) -> dict[str, tuple[str, str]]:
        """The parts of a diffusers pipeline that are loaded: (package, class) by name; {} for other models."""
        if not (self.folder / PIPELINE_FILE).is_file():
            return {}
        listed = {name: value for name, value in self.config.items() if isinstance(value, list) and len(value) == 2}
        parts = {name: (package, kind) for name, (package, kind) in listed.items() if package and kind}
        return {name: part for name, part in parts.items() if name != "safety_checker"}

    def pipeline(self, pipeline: Any, **options: Any) -> Any:
        """A diffusers pipeline on its device; from safetensors only, and only with parts of the libraries' own classes.

        `pipeline` is its class, or one of the AutoPipeline* classes. It has no safety checker: the operator of the
        server decides what may be generated.
        """
        from diffusers.utils import logging

        logging.disable_progress_bar()
        _disable_progress_bars()
        self._check_parts()
        quantization.check(self.id, self.quantize, self.placement.device)
        # The class that AutoPipeline* will choose is unknown here; every class with a checker takes both of these.
        if "safety_checker" in self.config:
            options = {"safety_checker": None, "requires_safety_checker": False, **options}
        pipe = pipeline.from_pretrained(
            self.folder, use_safetensors=True, local_files_only=True, dtype=self.placement.torch_dtype,
            low_cpu_mem_usage=importlib.util.find_spec("accelerate") is not None, **self._variant(), **options,
        )  # fmt: skip
        for part in pipe.components.values():
            # a part that another one has loaded, such as a ControlNet, is there already
            if hasattr(part, "parameters") and not any(part is known for known in self.modules):
                self.quantise(part)
        pipe = pipe.to(self.placement.device)
        pipe.set_progress_bar_config(disable=True)
        self.modules.extend(part for part in pipe.components.values() if hasattr(part, "parameters"))
        return pipe

    def _variant(self) -> dict[str, str]:
        """The `variant` option for a pipeline that is stored in half precision only."""
        files = [file.name for file in self._files_once()]
        return {"variant": "fp16"} if files and all(".fp16" in name for name in files) else {}

    def _check_parts(self) -> None:
        """Raises ExpertUnavailable for pickled parts and for parts that are not classes of the libraries."""
        import diffusers

        self.weight_files  # noqa: B018 (refuses pickles)
        for name, (package, kind) in self.pipeline_parts.items():
            if package not in ("diffusers", "transformers") and not hasattr(diffusers.pipelines, package):
                raise ExpertUnavailable(f"{self.id} comes with code of its own ({package}.{kind}), which is not run.")
            files = list((self.folder / name).rglob("*"))
            pickled = any(file.suffix in PICKLE_SUFFIXES for file in files)
            if pickled and not any(file.suffix == ".safetensors" for file in files):
                raise ExpertUnavailable(
                    f"{name} of {self.id} comes only with pickled weights, which can run code and are not loaded: "
                    "convert it to safetensors or choose another model."
                )

    def beside(self, folder: Path) -> Source:
        """A source for another folder's model that is loaded together with this one."""
        return Source(self.id, folder, self.task, self.placement, self.modules, quantize=self.quantize)

    def part(self, auto: Any, **options: Any) -> Any:
        """A tokenizer, processor or similar part."""
        return auto.from_pretrained(self.folder, trust_remote_code=False, local_files_only=True, **options)

    def to_device(self, batch: Any) -> Any:
        """A dict of tensors moved to the model's device, floating-point ones converted to its dtype."""
        moved = {}
        for name, value in dict(batch).items():
            if hasattr(value, "is_floating_point"):
                dtype = self.placement.torch_dtype if value.is_floating_point() else value.dtype
                value = value.to(self.placement.device, dtype)
            moved[name] = value
        return moved

    @property
    def bytes_loaded(self) -> int:
        """The size of the loaded tensors, in bytes."""
        tensors = {
            id(tensor): tensor
            for module in self.modules
            if hasattr(module, "parameters")
            for tensor in (*module.parameters(), *module.buffers())
        }
        inside = sum(map(quantization.bytes_of, tensors.values()))
        return self.bytes_outside + inside


@cache
def _disable_progress_bars() -> None:
    """Keeps the progress bars of transformers out of a server's log."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _weight_bytes(file: Path, float_bytes: int, quantize: str = quantization.NONE) -> int:
    """The bytes of a safetensors file's tensors, floats counted at `float_bytes` or as they are quantised.

    Raises ExpertUnavailable.
    """
    if file.suffix != ".safetensors":
        return file.stat().st_size
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            header = json.loads(stream.read(min(length, MAX_HEADER_BYTES)))
        total = 0.0
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            is_float = entry["dtype"] in FLOAT_DTYPES
            each, kind = (
                (float_bytes, quantize) if is_float else (DTYPE_BYTES.get(entry["dtype"], 4), quantization.NONE)
            )
            total += quantization.bytes_expected(name, entry["shape"], each, kind)
        return int(total)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ExpertUnavailable(f"The weights {file.name} are damaged: download the model again.") from error
