"""The JSON bodies of the API as models: requests are validated by them, and the OpenAPI description is made from them.

A body may have further fields, which are ignored: JARVIS's clients send some.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, ValidationError

from hugginggpt.config import PlannerName
from hugginggpt.core.errors import ErrorCode, StopReason, UserError
from hugginggpt.core.results import Kind
from hugginggpt.goals.answers import MAX_COUNT
from hugginggpt.goals.events import Stop
from hugginggpt.goals.goal import MAX_GOALS

MAX_FILES = 50
MAX_KEY_CHARS = 500
MAX_MODEL_CHARS = 200
MAX_GOAL_CHARS, MAX_NAME_CHARS = 10_000, 100
MOST = 1_000_000_000
_FILES_FORM = '"files" should be a list of public paths or URLs, or of {"name": text, "path": path or URL}'
_SENTENCES = {
    "after": '"after" should be the number of a turn, or 0.',
    "title": f'"title" should be a text of at most {MAX_NAME_CHARS} characters.',
    "pinned": '"pinned" should be true or false.',
    "tip": '"tip" should be the number of a turn.',
    "days": '"days" should be a whole number from 1 to 365.',
    "until": '"until" should be "plan", "results" or "answer".',
    "resume": '"resume" should be the id of a run.',
    "chat": 'There is no such chat: give its id, or "new".',
    "api_key": "api_key should be a key: printable characters without blanks.",
    "llm_model": '"llm_model" should be the name of a language model: printable characters without blanks.',
    "api_endpoint": "api_endpoint should be an address: https://...",
    "plan": '"plan" should be {"tasks": [...], "inputs": [...]}, or a list of {"task", "id", "dep", "args"}.',
    "again": '"again" should be {"run_id", "task": the number of a task}, with a "model" or "args".',
    "rejected": '"rejected" should be a list of {"task", "id", "dep", "args"}.',
    "planner": '"planner" should be "auto", "llm" or "offline".',
    "files": f"A file cannot be read: {_FILES_FORM}.",
    "goal": f'"goal" should be a text of at most {MAX_GOAL_CHARS} characters, or a list of up to {MAX_GOALS}.',
    "name": f'"name" should be a text of at most {MAX_NAME_CHARS} characters.',
    "role": f'"role" should be a text of at most {MAX_GOAL_CHARS} characters.',
    "limits": '"limits" should be {"steps", "tokens", "seconds", "cost"}, each a number above 0 or left out.',
    "continuous": f'"continuous" should be a whole number from 0 to {MAX_COUNT}.',
    "step": '"step" should be the number of the step that waits.',
    "hash": '"hash" should be that of the command that waits: 32 hexadecimal digits.',
    "decision": '"decision" should be "approve", "deny", "tell" or "stop".',
    "count": f'"count" should be a whole number from 1 to {MAX_COUNT}.',
    "request": f'"request" should be a text of at most {MAX_GOAL_CHARS} characters.',
    "start": '"start" should be true or false.',
    "workers": '"workers" should be a whole number from 1 to 1000.',
    "max_calls": '"max_calls" should be a whole number from 0.',
    "paths": '"paths" should be a list of 1 to 2000 public paths.',
    "text": f'"text" should be a text of at most {MAX_GOAL_CHARS} characters.',
}
"""What is said of a field that does not have its form."""

# Requests


class TextPart(BaseModel):
    type: Literal["text"] = "text"
    text: str


class PictureAddress(BaseModel):
    url: str = Field(description="http or https.")


class PicturePart(BaseModel):
    type: Literal["image_url"] = "image_url"
    image_url: PictureAddress


class Message(BaseModel):
    role: Literal["user", "assistant", "system"]
    content: str | list[TextPart | PicturePart] = Field(description="A text, or OpenAI's list of parts.")


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
    llm_model: Annotated[str, Field(pattern=rf"^[!-~]{{0,{MAX_MODEL_CHARS}}}$")] | None = Field(
        None, description="The language model, by name, for a request with an api_key, or where the server's is local."
    )
    planner: PlannerName | None = Field(
        None, description="Who plans this request, where there is a language model; by default as the server is set up."
    )
    files: Annotated[list[str | NamedFile], Field(max_length=MAX_FILES)] | None = Field(
        None, description="Files that come with the request: public paths (of uploads, examples, results) and URLs."
    )


class GoalLimits(BaseModel):
    """Limits that are narrower than those of the configuration."""

    model_config = ConfigDict(strict=True)

    steps: Annotated[int, Field(ge=1, le=MOST)] | None = None
    tokens: Annotated[int, Field(ge=1, le=MOST)] | None = None
    seconds: Annotated[float, Field(gt=0, le=MOST)] | None = None
    cost: Annotated[float, Field(gt=0, le=MOST)] | None = None


class GoalRequest(BaseModel):
    """The body of POST /v1/goals."""

    model_config = ConfigDict(strict=True)

    goal: (
        Annotated[str, Field(max_length=MAX_GOAL_CHARS)]
        | Annotated[list[Annotated[str, Field(max_length=MAX_GOAL_CHARS)]], Field(max_length=MAX_GOALS)]
        | None
    ) = Field(None, description="What is to be reached: a text, or a list of up to five.")
    name: Annotated[str, Field(max_length=MAX_NAME_CHARS)] | None = Field(None, description="The name of the agent.")
    role: Annotated[str, Field(max_length=MAX_GOAL_CHARS)] | None = Field(None, description="What the agent is.")
    files: Annotated[list[str | NamedFile], Field(max_length=MAX_FILES)] | None = Field(
        None, description="Files that are copied into the workspace: public paths (of uploads, examples) and URLs."
    )
    limits: GoalLimits | None = None
    continuous: Annotated[int, Field(ge=0, le=MAX_COUNT)] = Field(
        0, description="How many commands may run without leave; it needs all limits and a sandbox for programs."
    )
    resume: Annotated[str, Field(pattern="^[0-9a-f]{12}$")] | None = Field(
        None, description="In place of goal and files: the id of a goal to go on with that is not complete."
    )


class GoalDecision(BaseModel):
    """The body of POST /v1/goals/ID/decisions. `step` and `hash` are those of the event ApprovalNeeded."""

    model_config = ConfigDict(strict=True)

    step: int = Field(ge=1, le=MOST)
    hash: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    decision: Literal["approve", "deny", "tell", "stop"] = Field(
        description="approve: run it; deny: do not run it, and go on; tell: the same, with a text for the model; "
        "stop: do not run it, and pause the goal."
    )
    count: Annotated[int, Field(ge=1, le=MAX_COUNT)] = Field(
        1, description="approve: this and so many minus one further commands; programs are asked for each time."
    )
    text: Annotated[str, Field(max_length=MAX_GOAL_CHARS)] = Field("", description="tell: what the model is told.")


class PlanInput(BaseModel):
    """A file that a plan takes: where an argument is its name, one of the files that are given stands."""

    name: Annotated[str, Field(min_length=1)]
    kind: Kind


class PlanBody(BaseModel):
    """A plan in hand: tasks in JARVIS's format, each perhaps with a "model"; what they take; the request; questions."""

    tasks: list[dict[str, Any]]
    inputs: list[PlanInput] = []
    request: str = ""
    questions: list[dict[str, Any]] = []


class ChatChange(BaseModel):
    """The body of PATCH /v1/chats/ID."""

    title: Annotated[str, Field(max_length=MAX_NAME_CHARS, pattern=r"\S")] | None = None
    pinned: Annotated[bool, Field(strict=True)] | None = Field(None, description="Pinned ones are listed first.")
    tip: Annotated[int, Field(ge=1, le=MOST, strict=True)] | None = Field(
        None, description="A turn: the newest branch through it is shown."
    )


class ShareRequest(BaseModel):
    """The body of POST /v1/chats/ID/shares."""

    days: Annotated[int, Field(ge=1, le=365, strict=True)] | None = Field(None, description="How long it is valid; 7.")


class ShareSummary(BaseModel):
    id: str
    created: float
    expires: float


class ShareList(BaseModel):
    shares: list[ShareSummary]


class NewShare(ShareSummary):
    path: str = Field(description="The path of the link, which is told this once.")


class SharedConversation(BaseModel):
    title: str
    expires: float
    turns: list[dict[str, Any]]
    file_types: dict[str, list[str]] = Field(description="The suffixes of files by their kinds.")


GivenPlan = PlanBody | list[dict[str, Any]]


class PlanCheck(BaseModel):
    """The body of POST /v1/plans."""

    plan: GivenPlan
    files: Annotated[list[str | NamedFile], Field(max_length=MAX_FILES)] | None = Field(
        None, description="The files for its inputs; without any the plan alone is checked."
    )


class AgainRequest(BaseModel):
    """A task of a recorded run that is to be done again; only it, and what depends on it, is run."""

    run_id: Annotated[str, Field(pattern="^[0-9a-f]{1,32}$")]
    task: Annotated[int, Field(ge=0, strict=True)]
    model: Annotated[str, Field(max_length=MAX_GOAL_CHARS)] | None = None
    args: dict[str, str | list[str]] | None = Field(
        None, description="Arguments in place of those it had; an empty one is left out."
    )


class RunRequest(JarvisRequest):
    """The body of POST /v1/runs."""

    until: Literal["plan", "results", "answer"] = "answer"
    chat: str | None = Field(
        None,
        description='The id of a conversation to add to, or "new". Its context is what is stored: of the messages only '
        "the last counts. While a run of it goes on, others are refused (409, chat_busy).",
    )
    after: Annotated[int, Field(ge=0, le=MOST, strict=True)] | None = Field(
        None,
        description="With a chat: the number of the turn that this one follows, 0 for a first one; by default the last "
        "that is shown. So a request is asked again, or in other words, in a branch of its own.",
    )
    resume: Annotated[str, Field(pattern="^[0-9a-f]{1,32}$")] | None = Field(
        None,
        description="In place of messages and files: the id of a run to go on with; only what is not finished is run. "
        "With a chat it takes the place of its turn.",
    )
    again: AgainRequest | None = Field(
        None,
        description="In place of messages: a task to be done again, perhaps with further files. The run is a version "
        "of the other one; with a chat it takes the place of its turn.",
    )
    plan: GivenPlan | None = Field(
        None, description="A plan to run: its inputs take the files; the messages may be left out, as it has a request."
    )
    rejected: list[dict[str, Any]] | None = Field(
        None, description="The tasks of a plan that was not wanted: a language model is shown them."
    )


def validate(body: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """The body, if its fields have the form of the model; that of the messages is checked by the run.

    Raises UserError with a sentence about the first field that has not.
    """
    try:
        model.model_validate(body if "messages" not in model.model_fields else {"messages": [], **body})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        if model is GoalRequest and first["loc"][0] == "resume":
            raise UserError('"resume" should be the id of a goal.') from None
        raise UserError(_sentence(str(first["loc"][0]), first["type"], body)) from None
    return body


def _sentence(field: str, problem: str, body: dict[str, Any]) -> str:
    if field == "files" and problem == "too_long":
        return f"{len(body['files'])} files are attached, more than the {MAX_FILES} that a request may have."
    if field == "files" and problem == "too_short":
        return '"files" is empty: name at least one.'
    if field == "files" and problem == "list_type":
        return f"{_FILES_FORM}."
    return _SENTENCES[field]


# Responses


class Error(BaseModel):
    message: str
    type: str = Field(description="Where it went wrong: request, run, busy, store, http.")
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
    when: dict[str, Any] | None = Field(
        None, description="The condition under which it is run, if there is one: a question over results, and holds."
    )
    model: str = Field("", description="The model that a person named for it.")


class TaskProblem(BaseModel):
    id: int
    problem: str


class CheckedPlan(BaseModel):
    tasks: list[PlannedTask] = Field(description="The tasks as they would be run, each after those it depends on.")
    inputs: list[PlanInput]
    problems: list[TaskProblem]
    notes: list[str] = Field(description="What was repaired.")


class ModelFacts(BaseModel):
    id: str
    about: str
    downloads: int
    endpoint: str
    place: str


class ModelList(BaseModel):
    models: list[ModelFacts]


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
    findings: list[dict[str, Any]] = Field([], description="What the questions of the request came to, as data.")


class RunSummary(BaseModel):
    run_id: str
    request: str
    chat: str | None = Field(description="The conversation that it belongs to.")
    over: bool


class RunList(BaseModel):
    runs: list[RunSummary]


class ChatSummary(BaseModel):
    id: str
    title: str
    updated: float
    pinned: bool
    tip: int = Field(description="The number of the last turn of the branch that is shown.")


class ChatList(BaseModel):
    chats: list[ChatSummary]
    more: bool = Field(description="Whether there are further ones: `offset` leaves these out.")


class AttachedFile(BaseModel):
    name: str
    path: str
    kind: Kind | None


class ChatTurn(BaseModel):
    position: int = Field(ge=1)
    parent: int = Field(ge=0, description="The number of the turn that it follows, 0 for none.")
    versions: list[int] = Field(description="The turns that follow the same one: it, and those asked in its place.")
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
    turns: list[ChatTurn] = Field(description="Those of the branch that is shown.")
    last: int = Field(description="The highest number of a turn, in whatever branch.")
    run_id: str | None = Field(description="The run of it that goes on, if there is one.")


class UploadedFile(AttachedFile):
    bytes: int


class GoalSummary(BaseModel):
    id: str
    title: str
    began: float
    updated: float
    status: str = Field(
        description="working, waiting (for a decision), interrupted (its server was ended: it can be resumed), or why "
        f"it ended: {', '.join(Stop)}."
    )


class GoalList(BaseModel):
    goals: list[GoalSummary]


class WorkspaceFile(BaseModel):
    path: str
    bytes: int


class PendingCommand(BaseModel):
    """What waits for a decision."""

    step: int
    hash: str
    command: str
    args: dict[str, Any]
    risk: str
    reason: str
    question: str = Field(description="What the model asks, if that is the command.")


class GoalBody(GoalSummary):
    goal: dict[str, Any]
    llm: str
    steps: int
    plan: list[str]
    notes: list[str]
    pending: PendingCommand | None
    limits: dict[str, float | None]
    warnings: list[str] = Field(description="Which limits have no effect, and why.")
    spent: dict[str, Any]
    files: list[WorkspaceFile]
    message: str
    events: int = Field(description="How many events there are.")
