"""The JSON bodies of the API as models: requests are validated by them, and the OpenAPI description is made from them.

A body may have further fields, which are ignored: JARVIS's clients send some.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, SkipValidation, ValidationError

from hugginggpt.core.errors import ErrorCode, StopReason, UserError
from hugginggpt.core.results import Kind

MAX_FILES = 50
MAX_KEY_CHARS = 500
_FILES_FORM = '"files" should be a list of public paths or URLs, or of {"name": text, "path": path or URL}'
_SENTENCES = {
    "until": '"until" should be "plan", "results" or "answer".',
    "resume": '"resume" should be the id of a run.',
    "chat": 'There is no such chat: give its id, or "new".',
    "api_key": "api_key should be a key: printable characters without blanks.",
    "api_endpoint": "api_endpoint should be an address: https://...",
    "files": f"A file cannot be read: {_FILES_FORM}.",
}
"""What is said of a field that does not have its form."""

# Requests


class Message(BaseModel):
    role: Literal["user", "assistant", "system"]
    content: str


class NamedFile(BaseModel):
    name: str = ""
    path: str


class JarvisRequest(BaseModel):
    """The body of POST /hugginggpt, /tasks and /results; the content of the messages is checked by the run."""

    messages: SkipValidation[Annotated[list[Message], Field(min_length=1)]] = Field(
        description="The chat, the request last."
    )
    api_key: Annotated[str, Field(pattern=rf"^[!-~]{{0,{MAX_KEY_CHARS}}}$")] | None = Field(
        None, description="A key for the language model, for this request only."
    )
    api_endpoint: str | None = Field(None, description="OpenAI's own address, or one of http_listen.llm_hosts.")
    files: Annotated[list[str | NamedFile], Field(max_length=MAX_FILES)] | None = Field(
        None, description="Files that come with the request: public paths (of uploads, examples, results) and URLs."
    )


class RunRequest(JarvisRequest):
    """The body of POST /v1/runs."""

    until: Literal["plan", "results", "answer"] = "answer"
    chat: str | None = Field(
        None,
        description='The id of a conversation to add to, or "new". Its context is what is stored: of the messages only '
        "the last counts. While a run of it goes on, others are refused (409, chat_busy).",
    )
    resume: Annotated[str, Field(pattern="^[0-9a-f]{1,32}$")] | None = Field(
        None,
        description="In place of messages and files: the id of a run to go on with; only what is not finished is run. "
        "With a chat it takes the place of its turn.",
    )


def validate(body: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """The body, if its fields have the form of the model; that of the messages is checked by the run.

    Raises UserError with a sentence about the first field that has not.
    """
    try:
        model.model_validate({"messages": [], **body})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        raise UserError(_sentence(str(first["loc"][0]), first["type"], body)) from None
    return body


def _sentence(field: str, problem: str, body: dict[str, Any]) -> str:
    if field == "files" and problem == "too_long":
        return f"{len(body['files'])} files are attached, more than the {MAX_FILES} that a request may have."
    if field == "files" and problem == "list_type":
        return f"{_FILES_FORM}."
    return _SENTENCES[field]


# Responses


class Error(BaseModel):
    message: str
    type: str = Field(description="Where it went wrong: request, run, busy, http.")
    code: str = Field(
        description=f"What went wrong: {', '.join(ErrorCode)}, or the name of the HTTP status, such as not_found."
    )


class ErrorBody(BaseModel):
    message: str
    error: Error


class PlannedTask(BaseModel):
    task: str
    id: int
    dep: list[int]
    args: dict[str, Any]


class TaskResult(BaseModel):
    task: PlannedTask
    inference_result: Any = Field(
        alias="inference result", description='The result, or {"error": {"message", "type", "code"}}.'
    )
    choose_model_result: dict[str, Any] = Field(alias="choose model result")
    form: str = Field("", description="Which form a result has: text, labels, boxes, image, ...")
    reading: str = Field("", description="A result in words.")
    files: list[str] = Field([], description="The public paths of the files in a result.")


class AnswerBody(BaseModel):
    message: str
    files: list[str]
    errors: list[str]


class ChatSummary(BaseModel):
    id: str
    title: str
    updated: float


class ChatList(BaseModel):
    chats: list[ChatSummary]


class AttachedFile(BaseModel):
    name: str
    path: str
    kind: Kind | None


class ChatTurn(BaseModel):
    position: int = Field(ge=1)
    run_id: str = Field(description="Empty where it is not known, of conversations of older versions.")
    request: str
    files: list[AttachedFile]
    status: str = Field(
        description="running, interrupted (its server was killed: it can be resumed), or why the run ended: "
        f"{', '.join(StopReason)}."
    )
    answer: str
    record: dict[str, Any] | None = Field(
        description="The run record; of an interrupted run what was kept until then, null if nothing."
    )


class Chat(ChatSummary):
    turns: list[ChatTurn]
    run_id: str | None = Field(description="The run of it that goes on, if there is one.")


class UploadedFile(AttachedFile):
    bytes: int
