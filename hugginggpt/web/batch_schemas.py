"""The JSON bodies of the routes of batches and of the gallery of files."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hugginggpt.core.results import Kind
from hugginggpt.web.schemas import MAX_GOAL_CHARS, GivenPlan, PlanBody

MOST_ZIPPED = 2000
MOST_ROWS = 1000
"""The rows of one answer."""
RESULT_TYPES = {
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "jsonl": "application/x-ndjson",
    "zip": "application/zip",
}
Calls = Annotated[int, Field(ge=0, le=1_000_000_000, strict=True)]
Workers = Annotated[int, Field(ge=1, le=1000, strict=True)]

# Requests


class BatchFile(BaseModel):
    """A row: a file, and texts that take the places of {column} in the request."""

    model_config = ConfigDict(strict=True)

    path: str = Field(description="A public path, as of an upload, or a URL.")
    name: Annotated[str, Field(max_length=500)] = Field("", description="What the row is called.")
    texts: dict[str, str] = Field({}, description="The same names in each row.")


class BatchRequest(BaseModel):
    """The body of POST /v1/batches."""

    request: Annotated[str, Field(max_length=MAX_GOAL_CHARS)] | None = Field(
        None, description="What is to be done with each file; planned once, for the first."
    )
    plan: GivenPlan | None = Field(None, description="In place of the request: a plan with an input for the file.")
    files: Annotated[list[str | BatchFile], Field(min_length=1)]
    start: Annotated[bool, Field(strict=True)] = Field(False, description="Whether it is run without being looked at.")
    workers: Workers | None = Field(None, description="Rows at the same time, up to what the server allows.")
    max_calls: Calls | None = Field(None, description="Calls to services of others, up to what the server allows.")


class BatchStart(BaseModel):
    """The body of POST /v1/batches/ID/start."""

    plan: GivenPlan | None = Field(None, description="In place of the one it has; what was done before does not count.")
    workers: Workers | None = None
    max_calls: Calls | None = None


class ZipRequest(BaseModel):
    """The body of POST /v1/files/zip."""

    paths: Annotated[list[str], Field(min_length=1, max_length=MOST_ZIPPED)] = Field(description="Public paths.")


# Responses


class BatchSummary(BaseModel):
    id: str
    title: str
    request: str
    status: str = Field(
        description="waiting (for leave), working, stopped, interrupted (its server ended: it can go on), or done."
    )
    began: float
    updated: float
    seconds: float = Field(description="The time that was worked on it.")
    rows: int
    done: int
    failed: int
    calls: dict[str, int] = Field(description="The calls that all rows take, by the place of the models.")
    paid: int = Field(description="Those of them that go to services of others.")
    findings: list[dict[str, Any]] = Field(description="The answers to questions over all rows.")
    error: str


class BatchBody(BatchSummary):
    plan: PlanBody
    sample: dict[str, Any] = Field(description="The first row, for which the plan was made.")
    events: int = Field(description="The number of the last event.")


class BatchList(BaseModel):
    batches: list[BatchSummary]


class RowTask(BaseModel):
    state: str
    text: str = Field(description="The result in words, the first 300 characters.")
    files: list[str] = Field(description="Public paths.")


class BatchRow(BaseModel):
    number: int
    name: str
    files: dict[str, str]
    texts: dict[str, str]
    state: Literal["waiting", "done", "failed"]
    seconds: float | None
    model: str
    error: str
    tasks: dict[str, RowTask] = Field(description="By the ids of the tasks.")


class RowList(BaseModel):
    rows: list[BatchRow]
    total: int


class GalleryFile(BaseModel):
    path: str
    name: str
    kind: Kind | None
    bytes: int
    changed: float
    made: bool = Field(description="Whether an expert made it; else it was uploaded.")


class FileList(BaseModel):
    files: list[GalleryFile]
    total: int
    bytes: int = Field(description="Of all files that were asked for.")
