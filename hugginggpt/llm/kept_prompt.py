"""The part of the prompts of a stage that is the same for every request: read once, then kept on disk.

On a processor a small model reads some twenty tokens a second, and what is fixed is more than a thousand for plans (the
task table, the demonstrations) and two hundred where a request is said again. llama.cpp saves the state of a slot after
reading it; a new process restores it in a moment. Nothing of a request is kept: only the messages that are `Fixed`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import httpx2

from hugginggpt.config import LLAMA_PACKAGE, Config
from hugginggpt.core.lenient_json import read_json
from hugginggpt.llm.base import Fixed, Message, Reading
from hugginggpt.llm.llama_process import KEPT, ONE_REQUEST, LlamaSettings, Served
from hugginggpt.llm.replies import lines_of
from hugginggpt.net.http_limits import BoundedClient

log = logging.getLogger(__name__)

WORTH_CHARS = 500
"""A shorter part, such as that of the choices and answers, is read in a few seconds and not worth a file."""
FILES = 4
MAX_ANSWER_BYTES = 10_000_000


class KeptPrompt:
    """The fixed parts of the prompts in one process of llama.cpp, one in a slot."""

    def __init__(self, served: Served, settings: LlamaSettings, config: Config) -> None:
        self.folder = settings.folder / KEPT
        self._of = _identity(settings)
        self._held: dict[int, str] = {}
        self._lock = threading.Lock()
        limits = config.limits
        self._client = BoundedClient(
            MAX_ANSWER_BYTES, limits.max_seconds, limits.max_seconds, base_url=served.url, trust_env=False,
            headers={"Authorization": f"Bearer {served.key}", **ONE_REQUEST}, timeout=limits.llm_seconds,
        )  # fmt: skip

    def close(self) -> None:
        self._client.close()

    def read(self, messages: Sequence[Message], slot: int) -> Iterator[Reading]:
        """Sees to it that the slot holds the fixed messages that a prompt begins with. Yields how far they are read; if
        anything fails, they are read with the request.
        """
        fixed = list(takewhile(lambda message: isinstance(message, Fixed), messages))
        if sum(len(message["content"]) for message in fixed) < WORTH_CHARS:
            return
        name = hashlib.sha256(json.dumps([self._of, fixed]).encode()).hexdigest()[:32] + ".bin"
        with self._lock:
            if name == self._held.get(slot):
                return
            try:
                if not self._restored(name, slot):
                    yield from self._read(fixed, slot)
                    self._post(f"/slots/{slot}?action=save", {"filename": name})
                    _remove_old(self.folder)
                self._held[slot] = name
            except (httpx2.HTTPError, ValueError, KeyError) as error:
                log.info("The fixed part of the prompt is not kept: %s", type(error).__name__)

    def _restored(self, name: str, slot: int) -> bool:
        file = self.folder / name
        if not file.is_file():
            return False
        try:
            self._post(f"/slots/{slot}?action=restore", {"filename": name})
            file.touch()
        except httpx2.HTTPStatusError:  # damaged, or of another version
            file.unlink(missing_ok=True)
            return False
        return True

    def _read(self, fixed: Sequence[Message], slot: int) -> Iterator[Reading]:
        """Has the slot read what prompts with these messages have in common, in the form of the model's template."""
        prompts = [
            self._post("/apply-template", {"messages": [*fixed, {"role": "user", "content": content}]})["prompt"]
            for content in ("a", "b")
        ]
        ask = {"prompt": _common_start(*prompts), "n_predict": 0, "id_slot": slot, "cache_prompt": True}
        ask |= {"stream": True, "return_progress": True}
        with self._client.stream("POST", "/completion", json=ask) as response:
            response.raise_for_status()
            for line in lines_of(response.iter_bytes()):
                chunk = read_json(line[5:]) if line.startswith("data:") else {}
                if isinstance(chunk, dict) and (progress := chunk.get("prompt_progress")):
                    yield Reading(progress["processed"], progress["total"])

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        response = self._client.post(path, json=body)
        response.raise_for_status()
        return response.json()


def _common_start(one: str, other: str) -> str:
    return one[: next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))]


def _identity(settings: LlamaSettings) -> list[Any]:
    """What a saved state belongs to: the model's file, the context, and the version of llama.cpp."""
    from importlib.metadata import version

    status = settings.file.stat()
    return [status.st_size, status.st_mtime_ns, settings.context, settings.gpu_layers, version(LLAMA_PACKAGE)]


def _remove_old(folder: Path) -> None:
    """Keeps the files that were used last."""
    with suppress(OSError):
        files = sorted(folder.glob("*.bin"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[FILES:]:
            file.unlink(missing_ok=True)
