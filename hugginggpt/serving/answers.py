"""What the server answers, as its description says it (`openapi`). A test holds the answers against it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hugginggpt.serving.model_pool import State


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Cause(Answer):
    message: str
    type: str


class ErrorBody(Answer):
    """What is wrong, and what to do. `path` is the unchanged picture, where a segmentation found nothing."""

    error: Cause
    path: str = ""


class Running(Answer):
    running: Literal[True]


class Health(Answer):
    status: Literal["ok"]
    waiting: int


class Readiness(Answer):
    ready: bool
    reason: str = ""


class Reading(Answer):
    """How many bytes of how many have been fetched, or read from the disk."""

    done: int
    total: int


class ModelInfo(Answer):
    """A model: what it is for, where it is loaded, the bytes of its weights there and what batches take besides."""

    id: str
    task: str
    tasks: list[str]
    description: str
    state: State
    device: str | None
    dtype: str | None
    bytes: int
    working_bytes: int
    uses: int
    quantize: str = ""
    error: str = ""


class ModelList(Answer):
    models: list[ModelInfo]


class ModelStatus(ModelInfo):
    loaded: Literal[True]


class NoModel(Answer):
    loaded: Literal[False]
    id: str
    state: Literal["absent"]


class Unloaded(Answer):
    id: str
    unloaded: bool


class Fetched(Answer):
    """A model that was downloaded, and the bytes of its files."""

    id: str
    bytes: int


# OpenAI's API


class OpenAICause(Answer):
    message: str
    type: Literal["invalid_request_error", "server_error"]
    param: str | None
    code: str | None


class OpenAIError(Answer):
    error: OpenAICause


class ServedModel(Answer):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    serves: str


class ServedModels(Answer):
    object: Literal["list"]
    data: list[ServedModel]


class Usage(Answer):
    prompt_tokens: int
    completion_tokens: int = 0
    total_tokens: int


class Message(Answer):
    role: Literal["assistant"]
    content: str
    refusal: None


class Choice(Answer):
    index: int
    message: Message
    finish_reason: Literal["stop", "length"]
    logprobs: None


class ChatCompletion(Answer):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: Usage


class Embedding(Answer):
    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class Embeddings(Answer):
    object: Literal["list"]
    data: list[Embedding]
    model: str
    usage: Usage


class Transcript(Answer):
    """The text alone, or with times (verbose_json)."""

    text: str
    task: Literal["transcribe"] = "transcribe"
    language: str = ""
    duration: float = 0
    segments: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []


class MadePicture(Answer):
    url: str = ""
    b64_json: str = Field(default="", json_schema_extra={"contentEncoding": "base64"})


class MadePictures(Answer):
    created: int
    data: list[MadePicture]
