"""Requests to services of the configuration: templates filled with the arguments of a task, and with keys."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from hugginggpt.common.paths import install_command
from hugginggpt.config.http_experts import HttpExpert, HttpToken
from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.core.request_templates import MISSING, Slot, rendered
from hugginggpt.core.results import FILE_KINDS
from hugginggpt.core.secrets import Variables
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args
from hugginggpt.endpoints.calls import current_call
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import csv_of
from hugginggpt.media.types import type_of


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as it is sent: its name, its content, and its media type."""

    name: str
    data: bytes
    type: str

    @property
    def suffix(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode()


class Inputs:
    """The arguments of a task as the slots of an expert's templates want them."""

    def __init__(self, expert: HttpExpert, task: TaskType, args: Args, media: MediaStore) -> None:
        self.expert = expert
        self.task = task
        self.args = args
        self.media = media
        self.max_mb = expert.max_input_mb or media.max_bytes / 1e6
        self._files: dict[tuple[str, Path], SentFile] = {}

    def look_up(self, slot: Slot) -> Any:
        """The value of a slot; of an argument with several files, a list. Raises BackendError for a file that the
        service does not take.
        """
        value = self.args.get(slot.name)
        if value is None or value in ("", []):
            return MISSING if slot.default is None else slot.default
        if isinstance(value, list) and self._is_file(slot.name):
            return [self._of_path(slot, Path(each)) for each in value]
        if isinstance(value, Path) and slot.form == "":  # a table
            return csv_of(value) or self._read(slot.name, value).decode("utf-8", "replace")
        if isinstance(value, str | list) and not self._is_file(slot.name):
            return self._of_text(slot, value)
        return self._of_path(slot, Path(value))

    def _of_path(self, slot: Slot, path: Path) -> Any:
        if slot.form == "url":
            return self._public_url(slot.name, path)
        return self._of_file(slot.form, self.file(slot.name, path))

    def _of_text(self, slot: Slot, value: str | list[str]) -> Any:
        if slot.form == "quoted":
            return quote(value if isinstance(value, str) else ", ".join(value), safe="")
        if slot.form == "":
            return value
        return self._of_file(slot.form, SentFile(f"{slot.name}.csv", str(value).encode(), "text/csv"))

    @staticmethod
    def _of_file(form: str, file: SentFile) -> Any:
        values: Mapping[str, Callable[[], Any]] = {
            "base64": lambda: file.base64,
            "data": lambda: f"data:{file.type};base64,{file.base64}",
            "file": lambda: file,
            "bytes": lambda: len(file.data),
            "suffix": lambda: file.suffix,
            "type": lambda: file.type,
            "name": lambda: file.name,
        }
        return values[form]()

    def file(self, name: str, path: Path) -> SentFile:
        """A file of an argument, read once; a recording converted, where the expert wants a certain rate."""
        if (name, path) not in self._files:
            arg = self.task.arg(name)
            data, shown = self._read(name, path), path.name
            if arg and arg.kind == "audio" and self.expert.audio_rate:
                data, shown = self._wav(path, self.expert.audio_rate), f"{path.stem}.wav"
            known = type_of(shown)
            media_type = (known.browser or known.content) if known else ""
            self._files[name, path] = SentFile(shown, data, media_type or "application/octet-stream")
        return self._files[name, path]

    def _read(self, name: str, path: Path) -> bytes:
        if (size := path.stat().st_size) > self.max_mb * 1e6:
            raise BackendError(
                f"{self.expert.id} takes at most {self.max_mb:g} MB (max_input_mb), and {name} has {size / 1e6:.1f} MB."
            )
        return path.read_bytes()

    def _wav(self, path: Path, rate: int) -> bytes:
        from hugginggpt.media.decoding import decoding, load_audio
        from hugginggpt.media.encoding import wav_bytes

        try:
            with decoding(60 * self.media.max_minutes, lambda: current_call().is_over):
                return wav_bytes(load_audio(path, rate), rate)
        except ImportError as error:
            raise BackendError(f"{self.expert.id} wants recordings converted: {install_command('experts')}.") from error
        except MediaError as error:
            raise BackendError(f"{self.expert.id}: {error}") from error

    def _public_url(self, name: str, path: Path) -> str:
        url = self.media.source_of(path)
        if url and (urlsplit(url).hostname or "") not in self.media.allowed_hosts:
            return url
        raise BackendError(f"{self.expert.id} takes {name} by a public address alone, and it was not given by one.")

    def _is_file(self, name: str) -> bool:
        arg = self.task.arg(name)
        return isinstance(self.args.get(name), Path) or bool(arg and arg.kind in FILE_KINDS)


def nothing(slot: Slot) -> Any:
    """For templates that have no slots."""
    return MISSING


def request_for(
    template: HttpExpert | HttpToken, variables: Variables, look_up: Callable[[Slot], Any] = nothing, token: str = ""
) -> dict[str, Any]:
    """The arguments of `requests.Session.request`. Raises BackendError as `look_up` does."""

    def fill(text: str) -> str:
        return variables.filled(text, token=token)  # type: ignore[no-any-return]

    made = {key: rendered(part, look_up, fill) for key, part in template.templates.items() if part is not None}
    request: dict[str, Any] = {
        "method": template.method,
        "url": variables.in_url(template.url, token=token),
        "headers": {name: str(value) for name, value in made["headers"].items()},
        "params": list(_pairs(made["query"])),
    }
    if "form" in made:
        request["data"] = list(_pairs(made["form"]))
    if "json" in made:
        request["json"] = made["json"]
    if "multipart" in made:
        request["files"] = list(_parts(made["multipart"]))
    if (body := made.get("body")) is not None and body is not MISSING:
        is_file = isinstance(body, SentFile)
        request["data"] = body.data if is_file else str(body).encode()
        usual = body.type if is_file else "text/plain; charset=utf-8"
        if not any(name.lower() == "content-type" for name in request["headers"]):
            request["headers"]["Content-Type"] = usual
    return request


def _pairs(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values as a form or a query has them; each item of a list is a pair of its own."""
    for name, value in fields.items():
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                yield name, _plain(item)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parts(fields: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for name, value in fields.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, SentFile):
                yield name, (item.name, item.data, item.type)
            elif item is not None:
                yield name, (None, _plain(item))
