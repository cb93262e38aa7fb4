"""Models from the Hub: which files are needed and how large they are, and fetching them, told by their bytes."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

from hugginggpt.common.threads import spawn
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ExpertUnavailable, HuggingGPTError, brief
from hugginggpt.experts.families import companions_of
from hugginggpt.serving.model_pool import Busy
from hugginggpt.serving.progress import Tell, to_nobody

CONFIG_FILES = (".json", ".txt", ".model", ".spm", ".md", ".jinja")
WEIGHT_FILES = (".safetensors", ".skops")


def files_of(config: Config, model: str) -> dict[str, int]:
    """The files that a model needs and their bytes.

    Raises ExpertUnavailable for a model that is missing, gated or without safetensors, BackendError for a Hub that
    does not answer.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    try:
        api = HfApi(endpoint=config.huggingface.base_url or None, token=config.hub_token or False)
        info = api.model_info(model, files_metadata=True, timeout=30)
    except Exception as error:
        if isinstance(error, HfHubHTTPError) and error.response.status_code in (401, 403, 404):
            raise ExpertUnavailable(f"{model}: not on the Hub, or not for this token; left out") from error
        raise BackendError(f"The Hub cannot be asked about {model}: {brief(error)}") from error
    files = {file.rfilename: file.size or 0 for file in info.siblings or []}
    weights = {name: size for name, size in files.items() if name.endswith(WEIGHT_FILES)}
    needed = {name: size for name, size in weights.items() if not _is_variant(name, files) and not _unused(name)}
    if not needed:
        raise ExpertUnavailable(f"{model}: no safetensors, left out")
    return {**needed, **{name: size for name, size in files.items() if name.endswith(CONFIG_FILES)}}


def _is_variant(name: str, others: dict[str, int]) -> bool:
    """Whether a file repeats the weights of others, in another precision or merged into one file."""
    plain = name.replace(".fp16", "").replace(".bf16", "").replace(".non_ema", "")
    pipeline = "model_index.json" in others
    return (plain != name and plain in others) or (pipeline and "/" not in name)


def _unused(name: str) -> bool:
    """Whether a file belongs to a part of a pipeline that is never loaded (`Source.pipeline_parts`)."""
    return name.startswith("safety_checker/")


def fetch(config: Config, model: str, files: dict[str, int], tell: Tell | None = None) -> None:
    """Fetches files of a model; the terminal shows how far it is, or `tell` is called. Raises BackendError."""
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(
            model, allow_patterns=list(files), endpoint=config.huggingface.base_url or None,
            token=config.hub_token or False, tqdm_class=_bar(sum(files.values()), tell) if tell else None,
        )  # fmt: skip
    except HuggingGPTError:
        raise
    except Exception as error:
        raise BackendError(f"{model} cannot be fetched: {brief(error)}") from error


def _bar(total: int, tell: Tell) -> type:
    """A class of progress bars that are not drawn; those that count bytes are told of."""
    from huggingface_hub.utils.tqdm import tqdm

    class Bar(tqdm):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "disable": True})  # type: ignore[no-untyped-call]
            self.counts_bytes = options.get("unit") == "B"
            self.bytes = 0

        def update(self, n: float | None = 1) -> None:
            # The Hub has two bars for the same bytes: as they come, and as they are written.
            if self.counts_bytes and n:
                self.bytes += int(n)
                with lock:
                    most[0] = max(most[0], min(self.bytes, total))
                tell(most[0], total)

    most, lock = [0], threading.Lock()
    return Bar


class Downloads:
    """What clients of the server may have it download: the models that the configuration names, one at a time."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._free = threading.Lock()

    def allows(self, model: str) -> bool:
        """Whether the deployments or the models of the configuration name it, or one of those needs it."""
        own = (model.id for model in self.config.models_server.models if not model.path)
        named = [*self.config.deployed("full"), *own]
        return "/" in model and model in (*named, *companions_of(named))

    def start(self, model: str, tell: Tell = to_nobody) -> Future[int]:
        """Starts to fetch a model; the future has the bytes of its files. Raises Busy while another one is fetched."""
        if not self._free.acquire(blocking=False):
            raise Busy("Another model is being downloaded; try again later.")
        return spawn(self._fetch, model, tell, name=f"download {model}")

    def _fetch(self, model: str, tell: Tell) -> int:
        try:
            files = files_of(self.config, model)
            total = sum(files.values())
            tell(0, total)
            fetch(self.config, model, files, tell)
            tell(total, total)
            return total
        finally:
            self._free.release()
