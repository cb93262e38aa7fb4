"""Results out: the answer as text and as data, links to the files, a small preview, all within what clients take."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mcp import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    ImageContent,
    ReadResourceResult,
    Resource,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from hugginggpt.core.errors import HuggingGPTError, MediaError, StopReason
from hugginggpt.core.events import RunRecord, TaskRecord
from hugginggpt.core.results import Kind
from hugginggpt.mcp.inputs import FILES, public_path
from hugginggpt.mcp.steps import Steps
from hugginggpt.mcp.tools import RUNNING
from hugginggpt.media.decoding import load_image
from hugginggpt.media.store import MediaStore
from hugginggpt.media.types import kind_of, type_of
from hugginggpt.records.live_runs import LiveRun
from hugginggpt.records.run_log import RunLog

RUNS = "hugginggpt://runs"
MAX_RESULT_BYTES = 700_000
"""Claude Desktop takes results of 1 MiB; Base64 and JSON are counted."""
TEXT_CHARS, SHORT_TEXT_CHARS = 50_000, 5_000
MAX_ERRORS, ERROR_CHARS = 20, 1000
PREVIEW_SIDE, PREVIEW_QUALITY = 512, 80
"""Pixels, and JPEG's scale of 1 to 95; some 30 to 100 kB."""
MAX_READ_BYTES = 20_000_000
TEXT_KINDS: tuple[Kind, ...] = ("text", "table")
ANSWERED = (RUNNING, StopReason.ANSWERED, StopReason.PLANNED, StopReason.EXECUTED)


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a result is sent: the fullest that is small enough."""

    preview: bool = True
    data: bool = True
    chars: int = TEXT_CHARS


SHAPES = (Shape(), Shape(preview=False), Shape(preview=False, data=False), Shape(False, False, SHORT_TEXT_CHARS))


class Outputs:
    """Makes the results of one server; one at this machine (`is_local`) also says where the files are."""

    def __init__(self, media: MediaStore, log: RunLog, is_local: bool) -> None:
        self.media = media
        self.log = log
        self.is_local = is_local

    # Results of tools

    def outcome(self, live: LiveRun, task: bool = False) -> CallToolResult:
        """How a run stands or ended; of a run of a single `task` also its result as data."""
        with live.changed:
            record, over = live.record, live.over
            status = str(record.stop or StopReason.FAILED) if over else RUNNING
            steps = Steps(event for event in live.events if event is not None)
            fields: dict[str, Any] = {
                "run_id": live.run.id, "status": status, "message": _message(record, over), "files": record.files,
                "errors": [error[:ERROR_CHARS] for error in record.errors[:MAX_ERRORS]],
                "done": steps.tasks_over, "total": len(steps.names),
            }  # fmt: skip
            only = record.tasks.get(0) if task else None
            if task:
                fields |= {"result": only.value if only and only.ok else None, "form": only.form if only else ""}
        for path in fields["files"]:  # in words, too, a file is called as it can be read
            fields["message"] = fields["message"].replace(path, f"{FILES}{path}")
        fields["files"] = [entry for path in fields["files"] if (entry := self._entry(path))]
        return self._smallest(self._masked(fields), is_error=status not in ANSWERED)

    def plan(self, record: RunRecord) -> CallToolResult:
        plan = record.plan
        fields = {
            "run_id": record.run_id, "tasks": plan.to_json(), "problems": plan.problems, "notes": list(plan.notes),
        }  # fmt: skip
        if record.error:
            return self.failed(record.error)
        return self.data(fields)

    def data(self, fields: dict[str, Any]) -> CallToolResult:
        """A result that is nothing but data."""
        fields = self._masked(fields)
        text = json.dumps(fields, ensure_ascii=False)
        return CallToolResult(content=[TextContent(text=text)], structured_content=fields)

    def failed(self, sentence: str) -> CallToolResult:
        """An error that the caller's model is to read."""
        return CallToolResult(content=[TextContent(text=self._masked(sentence))], is_error=True)

    def _smallest(self, fields: dict[str, Any], is_error: bool) -> CallToolResult:
        """The fullest shape of a result that is small enough; what is left out can be read as a resource."""
        for shape in SHAPES:
            shown = dict(fields)
            rest = f"\n[The rest is left out: read {RUNS}/{fields['run_id']}.]"
            if len(shown["message"]) > shape.chars:
                shown["message"] = shown["message"][: shape.chars] + rest
            if not shape.data and "result" in shown:
                shown["result"], shown["message"] = None, shown["message"].removesuffix(rest) + rest
            content = [TextContent(text=_text(shown)), *map(_link, shown["files"])]
            if shape.preview and (preview := self._preview(shown["files"])):
                content.append(preview)
            result = CallToolResult(content=content, structured_content=shown, is_error=is_error)
            if len(result.model_dump_json(by_alias=True).encode()) <= MAX_RESULT_BYTES:
                return result
        return self.failed(f"The result is too large for a tool's result: read {RUNS}/{fields['run_id']}.")

    def _entry(self, path: str) -> dict[str, Any] | None:
        """A file as data; None if it is gone."""
        try:
            file = self.media.resolve(path)
            size = file.stat().st_size
        except (MediaError, OSError):
            return None
        entry = {"uri": f"{FILES}{quote(path)}", "name": file.name, "mime_type": _mime(file.name), "bytes": size}
        return {**entry, "path": str(file)} if self.is_local else entry

    def _preview(self, files: list[dict[str, Any]]) -> ImageContent | None:
        """The first picture, small and as JPEG."""
        path = next((public_path(file["uri"]) for file in files if kind_of(file["name"]) == "image"), None)
        if path is None:
            return None
        try:
            picture = load_image(self.media.open(path, "image"))
        except HuggingGPTError:
            return None
        picture.thumbnail((PREVIEW_SIDE, PREVIEW_SIDE))
        data = io.BytesIO()
        picture.save(data, "JPEG", quality=PREVIEW_QUALITY)
        return ImageContent(data=base64.b64encode(data.getvalue()).decode(), mime_type="image/jpeg")

    def _masked(self, value: Any) -> Any:
        """The value without secrets, as JSON has it."""
        return json.loads(self.log.to_text(value))

    # Resources

    def resources(self, runs: list[LiveRun]) -> Iterator[Resource]:
        """The files of runs, for clients that list what can be read."""
        for live in runs:
            with live.changed:
                files = live.record.files
            for file in filter(None, map(self._entry, files)):
                yield Resource(**_resource(file))

    def read_file(self, uri: str) -> ReadResourceResult:
        """A file of the public folder. Raises MCPError for anything else."""
        try:
            path = public_path(uri)
            if "/../" in f"{path}/" or not type_of(path):
                raise MediaError("no such file")
            file = self.media.resolve(path)
            size = file.stat().st_size
            data = file.read_bytes() if size <= MAX_READ_BYTES else b""
        except (MediaError, OSError) as error:
            raise MCPError(INVALID_PARAMS, f"There is no file {uri[:200]}.") from error
        if size > MAX_READ_BYTES:
            raise MCPError(
                INVALID_PARAMS, f"{uri[:200]} has {size / 1e6:.0f} MB, more than the {MAX_READ_BYTES / 1e6:.0f} sent."
            )
        mime = _mime(file.name)
        file_type = type_of(file.name)
        if file_type and file_type.kind in TEXT_KINDS and not file_type.content:  # no PDF
            text = data.decode("utf-8", "replace")
            return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=mime, text=text)])
        blob = base64.b64encode(data).decode()
        return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type=mime, blob=blob)])

    def read_run(self, uri: str, live: LiveRun) -> ReadResourceResult:
        """All that a run has come to."""
        with live.changed:
            record = live.record
            told = {
                "message": record.message, "plan": record.plan.to_json(), "results": record.results,
                "files": record.files, "errors": record.errors,
            }  # fmt: skip
            text = self.log.to_text(told, indent=1)
        contents = TextResourceContents(uri=uri, mime_type="application/json", text=text)
        return ReadResourceResult(contents=[contents])


def _message(record: RunRecord, over: bool) -> str:
    """The answer; of a run without one what its tasks came to, or what it is doing."""
    if record.message:
        return record.message
    if record.error:
        return record.error
    lines = [_line(number, task, len(record.tasks)) for number, task in sorted(record.tasks.items())]
    return "\n".join(lines) or ("" if over else "The request is being planned.")


def _line(number: int, task: TaskRecord, count: int) -> str:
    told = task.reading or task.reason or task.state
    return told if count == 1 else f"task {number} ({task.task['task']}): {told}"


def _text(fields: dict[str, Any]) -> str:
    """The result as text, complete by itself: many clients show their model nothing else."""
    head = f"Run {fields['run_id']} is {RUNNING}, {fields['done']} of {fields['total']} tasks are done.\n"
    lines = [(head if fields["status"] == RUNNING else "") + fields["message"]]
    if files := fields["files"]:
        lines.append("\nFiles:")
        lines += [f"- {file['uri']} ({file['mime_type']}){_place(file)}" for file in files]
    missing = [error for error in fields["errors"] if error not in fields["message"]]
    return "\n".join([*lines, *(f"Error: {error}" for error in missing)])


def _place(file: dict[str, Any]) -> str:
    return f", on this machine {file['path']}" if "path" in file else ""


def _resource(file: dict[str, Any]) -> dict[str, Any]:
    return {"uri": file["uri"], "name": file["name"], "mime_type": file["mime_type"], "size": file["bytes"]}


def _link(file: dict[str, Any]) -> ContentBlock:
    return ResourceLink(**_resource(file))


def _mime(name: str) -> str:
    """The media type of a file; of plain text by its suffix."""
    file_type = type_of(name)
    texts = {"csv": "text/csv", "tsv": "text/tab-separated-values", "json": "application/json", "md": "text/markdown"}
    suffix = Path(name).suffix[1:].lower()
    return (file_type and (file_type.browser or file_type.content)) or texts.get(suffix, "text/plain")
