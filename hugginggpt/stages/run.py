"""A run: one request with its conversation, files and limits, as the four stages share it."""

from __future__ import annotations

import queue
import re
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hugginggpt.common.ends import wanted_until
from hugginggpt.common.threads import spawn
from hugginggpt.config import Config, Limits, PlannerName
from hugginggpt.core.conversation import Attachment, PastTask, Turn, earlier_files, find_attachment, list_files
from hugginggpt.core.errors import RunStopped, StopReason, UserError
from hugginggpt.core.results import Kind, well_formed
from hugginggpt.core.usage import Usage
from hugginggpt.llm.base import LLM, Message, Stage
from hugginggpt.media.model_names import NamedModel, find_models, without_models
from hugginggpt.media.references import Resource, find_resources, find_texts, with_attachments
from hugginggpt.media.types import kind_of

if TYPE_CHECKING:
    from hugginggpt.core.events import Choice, Event, Finished, RunRecord, TaskRecord
    from hugginggpt.core.plan import Change, Plan
    from hugginggpt.core.tasks import TaskTable
    from hugginggpt.endpoints.base import Endpoint

NOT_RUN = "It was not run."
P = TypeVar("P")
T = TypeVar("T")


class Runner(Protocol):
    """The interface of the controller for terminal and server."""

    config: Config
    table: TaskTable

    @property
    def endpoints(self) -> Sequence[Endpoint]: ...

    def prepare(
        self, messages: Sequence[Message], files: Sequence[Attachment] = (), turns: Sequence[Turn] = ()
    ) -> Run: ...

    def resume(self, run_id: str, record: Mapping[str, Any] | None = None) -> Run: ...

    def run(self, run: Run, until: Any = ...) -> Generator[Event, None, None]: ...

    def again(self, run_id: str, change: Change) -> Run: ...

    def choose(self, run: Run) -> Mapping[int, Choice]: ...

    def with_llm(self, llm: LLM) -> Runner: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Run:
    """The state that the stages share. `files` are attached to the request; `turns` are the conversation before it,
    derived from the messages by default. `tasks` are the task types that a plan should keep to, None for all. `nearby`
    are names of further files, to be proposed where one that the request names is missing. `may_fetch` says which
    addresses may be fetched, whoever put them into the plan; None: all. `planner` is who plans where there is a
    language model. With `offline_fallback` the offline planner plans where the language model fails; `without_llm` is
    then why it is asked nothing more.

    A run may have its `plan` already, in `planned_by` who made it, and in `done` the results that are kept; one that
    `is_resumed` says so. `rejected` is a plan that the user wants changed, as the request says. `is_model` knows the
    ids of models. `spent_by` are the tokens of each stage, also of replies that nobody could use. A run that is not
    `is_kept` leaves no record. A service that was asked too often is to be left alone for `wait_seconds`.
    One that does a task of an earlier run again is a `version_of` it.
    """

    messages: Sequence[Message]
    limits: Limits
    files: Sequence[Attachment] = ()
    turns: Sequence[Turn] = ()
    plan: Plan | None = None
    planned_by: Mapping[str, Any] = field(default_factory=dict)
    done: Mapping[int, Finished] = field(default_factory=dict)
    is_resumed: bool = False
    rejected: Sequence[Mapping[str, Any]] = ()
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    cancelled: Future[None] = field(default_factory=Future)
    spent_by: dict[str, Usage] = field(default_factory=dict)
    retries: int = 0
    tasks: frozenset[str] | None = None
    nearby: Sequence[str] = ()
    may_fetch: Callable[[str], bool] | None = None
    is_model: Callable[[str], bool] = lambda name: False
    planner: PlannerName = "auto"
    offline_fallback: bool = False
    without_llm: str = ""
    is_kept: bool = True
    version_of: str = ""
    wait_seconds: float = 0.0
    _deadline: float = 0.0
    _lock: Lock = field(default_factory=Lock)
    _named: list[Resource] | None = None
    _models: list[NamedModel] | None = None

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.limits.max_seconds
        if not self.turns:
            self.turns = turns_of(self.history)
        elif len(self.messages) == 1:
            self.messages = [*messages_of(self.turns), *self.messages]

    @property
    def request(self) -> str:
        """The last message of the user."""
        return self.messages[-1]["content"]

    @property
    def history(self) -> Sequence[Message]:
        return self.messages[:-1]

    @property
    def context(self) -> list[dict[str, Any]]:
        """The conversation before the request, for the prompt: messages, each request with its attachments under
        "files".
        """
        context: list[dict[str, Any]] = [dict(message) for message in self.history]
        requests = [message for message in context if message["role"] == "user"]
        turns = [turn for turn in self.turns if turn.request]
        for message, turn in zip(reversed(requests), reversed(turns), strict=False):
            if files := list_files(turn.files, turn.request):
                message["files"] = files
        return context

    @property
    def named(self) -> list[Resource]:
        """The files, URLs and quoted texts in the request, extracted once."""
        with self._lock:
            if self._named is None:
                self._named = find_resources(self.request)
            return self._named

    @property
    def models(self) -> list[NamedModel]:
        """The models that the request names, found once."""
        with self._lock:
            if self._models is None:
                self._models = find_models(self.request, self.is_model)
            return self._models

    @property
    def wording(self) -> str:
        """The request without the models that it names: what is to be done."""
        return without_models(self.request, self.models)

    @property
    def worded_turns(self) -> list[Turn]:
        """The turns before the request, each with the wording of its request."""
        return [
            replace(turn, request=without_models(turn.request, models))
            if (models := find_models(turn.request, self.is_model))
            else turn
            for turn in self.turns
        ]

    @property
    def resources(self) -> list[Resource]:
        """All resources of the wording: those that it names, a text without quotes, and the attachments.

        The names of earlier attachments of the conversation refer to these.
        """
        named = find_resources(self.wording) if self.models else self.named
        return with_attachments(self.wording, find_texts(self.wording, named), self.files, earlier_files(self.turns))

    @property
    def known_files(self) -> list[Attachment]:
        """The files that came with the request, then those of the conversation before it, the latest first."""
        return [*self.files, *earlier_files(self.turns)]

    def kind_of(self, text: str) -> Kind | None:
        """The kind of file that an argument means: one that the request names or that came with it, or a single word
        with the suffix of a file; None for any other text.
        """
        if file := find_attachment(text, self.known_files):
            return file.kind or kind_of(file.name)
        is_name = not re.search(r"\s", text) or any(one.is_file and one.text == text for one in self.named)
        return kind_of(text) if is_name else None

    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    @property
    def spent(self) -> Usage:
        """What the language model has used so far."""
        with self._lock:
            return sum(self.spent_by.values(), Usage())

    def spend(self, usage: Usage, stage: Stage) -> Usage:
        """Adds the usage of a call of the language model and returns it. Raises RunStopped beyond the limit."""
        with self._lock:
            if usage.calls:
                self.spent_by[stage] = self.spent_by.get(stage, Usage()) + usage
        self.check()
        return usage

    def may_retry(self) -> bool:
        """Takes one of the run's retries; False when none are left."""
        with self._lock:
            self.retries += 1
            return self.retries <= self.limits.retries

    def check(self) -> None:
        """Raises RunStopped when the run was cancelled or a limit is passed."""
        if self.cancelled.done():
            raise RunStopped(StopReason.CANCELLED, "The request was cancelled.")
        if self.seconds_left() <= 0:
            raise self.out_of_time()
        if self.spent.total_tokens > self.limits.max_tokens:
            raise RunStopped(
                StopReason.MAX_TOKENS,
                f"The request used more than {self.limits.max_tokens} tokens (limits.max_tokens).",
            )

    def out_of_time(self) -> RunStopped:
        return RunStopped(
            StopReason.MAX_SECONDS, f"The request took longer than {self.limits.max_seconds:g} s (limits.max_seconds)."
        )

    def cancel(self) -> None:
        """Ends the run: waiting threads wake up, active calls are no longer waited for. Further calls do nothing."""
        with self._lock:
            if not self.cancelled.done():
                self.cancelled.set_result(None)

    def stream(self, pieces: Generator[P, None, T]) -> Generator[P, None, T]:
        """The items of a generator as they arrive, and its return value.

        Raises RunStopped when the run ends first; the thread that reads the generator then ends with the next item.
        """
        arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def pump() -> T:
            with closing(pieces), wanted_until(self.cancelled):
                while True:
                    try:
                        arrived.put(next(pieces))
                        self.check()
                    except StopIteration as end:
                        result: T = end.value
                        return result

        done = spawn(pump, name="stream")
        for ending in (done, self.cancelled):
            ending.add_done_callback(lambda _: arrived.put(None))
        while True:
            self.check()
            try:
                piece = arrived.get(timeout=max(0.0, self.seconds_left()))
            except queue.Empty:
                raise self.out_of_time() from None
            if piece is not None:
                yield piece
            elif done.done():
                return done.result()


def checked_messages(messages: Any, limits: Limits) -> list[Message]:
    """The validated chat: {"role", "content"} messages, the request last. Raises UserError."""
    form = 'messages should be a list of {"role": "user" or "assistant", "content": text}, the request last'
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        raise UserError(f"There is no request: {form}.")
    checked: list[Message] = []
    for message in messages:
        role, content = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else (None, None)
        content = _text_of_parts(content) if isinstance(content, list) else content
        if role not in ("user", "assistant", "system") or not isinstance(content, str):
            raise UserError(f"A message cannot be read: {form}.")
        checked.append({"role": role, "content": well_formed(content)})
    request = checked[-1]["content"]
    if checked[-1]["role"] != "user" or not request.strip():
        raise UserError("The request is empty: say what is to be done.")
    if len(request) > limits.max_request_chars:
        raise UserError(
            f"The request has {len(request)} characters, more than the {limits.max_request_chars} allowed "
            "(limits.max_request_chars): shorten it."
        )
    return checked


def _text_of_parts(parts: Sequence[Any]) -> str:
    """The text of a message in OpenAI's form of several parts; the addresses of pictures stand in it, as people write
    them. Raises UserError for a part that is neither.
    """
    lines = []
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) else None
        picture = part.get("image_url") if isinstance(part, Mapping) else None
        url = picture.get("url") if isinstance(picture, Mapping) else picture
        said = text if text is not None else url
        if not isinstance(said, str) or said.startswith("data:"):
            raise UserError(
                "A part of a message should be a text or the http(s) address of a picture: upload other files "
                '(POST /v1/files) and name them in "files".'
            )
        lines.append(said)
    return "\n".join(lines)


def turn_of(run: Run, record: RunRecord) -> Turn:
    """The turn of a finished run, for later requests of the conversation."""
    tasks = tuple(_past_task(number, task) for number, task in record.tasks.items())
    answer = (record.message, record.missing, tuple(record.notices), record.answer, record.findings)
    return Turn(run.request, run.id, tuple(run.files), tasks, *answer)


def _past_task(number: int, task: TaskRecord) -> PastTask:
    error = "" if task.ok else task.reason or NOT_RUN
    dep = tuple(dep for dep in task.task["dep"] if dep >= 0)
    return PastTask(
        number, task.task["task"], task.task["args"], task.value, error, dep, task.form, str(task.code or "")
    )


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns of a conversation of which only the messages are known: texts without tasks."""
    turns: list[Turn] = []
    for message in messages:
        if message["role"] == "user":
            turns.append(Turn(message["content"]))
        elif message["role"] == "assistant":
            asked = turns.pop() if turns and not turns[-1].message else Turn("")
            turns.append(replace(asked, message=message["content"]))
    return turns


def messages_of(turns: Sequence[Turn]) -> list[Message]:
    """The messages of a conversation."""
    said = [message for turn in turns for message in (("user", turn.request), ("assistant", turn.message))]
    return [{"role": role, "content": content} for role, content in said if content]
