"""HuggingGPT from Python.

    >>> import hugginggpt
    >>> answer = hugginggpt.ask("How many giraffes are in /examples/b.jpg?")
    >>> print(answer)
    The detector found 2 giraffes in b.jpg.
    ...
    >>> answer.plan
    Plan(0 object-detection)
    >>> answer.results[0].value["predicted"][0]["label"]
    'giraffe'

`ask` sets everything up for one request. A `HuggingGPT` is set up once for many requests, from any number of threads;
its `chat` remembers earlier turns. Notebooks display answers, plans, results and files.

Errors: a request, file or setting that cannot be used raises `UserError` (its subclasses are `MediaError` and
`ConfigError`), with a sentence that says what to do. Later failures raise nothing: they are in
`answer.errors`, beside the results of the finished tasks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, get_args

from awesome_chat import Controller, Until, make_controller
from hugginggpt import config as settings
from hugginggpt.config import Config
from hugginggpt.core import plan as core
from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.errors import HuggingGPTError, UserError
from hugginggpt.core.events import Event, RunRecord, TaskRecord
from hugginggpt.core.usage import Usage
from hugginggpt.notebook import File, file_html, plan_svg, table_html, text_html

if TYPE_CHECKING:
    from hugginggpt.llm.base import LLM
    from hugginggpt.stages.run import Run

FileLike = str | os.PathLike[str]
"""A path of this machine, or an http(s) URL."""
Settings = Config | Mapping[str, Any] | FileLike | None


class Plan(core.Plan):
    """The tasks of a request, in an order in which each comes after those that it depends on.

    >>> with hugginggpt.HuggingGPT({"llm": "offline"}) as gpt:
    ...     plan = gpt.plan("Read the text in /examples/invoice.png aloud")
    >>> plan
    Plan(0 image-to-text, 1 text-to-speech after 0)
    >>> plan[1].task, plan[1].dep, dict(plan[1].args)
    ('text-to-speech', (0,), {'text': '<GENERATED>-0'})
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Plan({', '.join(map(_outline, self))})"

    def _repr_html_(self) -> str:
        """The graph, and a table of the tasks with their arguments."""
        rows = [(task.id, task.task, ", ".join(map(str, task.dep)), task.args, task.problem) for task in self]
        return plan_svg(self.tasks) + table_html(("id", "task", "after", "arguments", "problem"), rows) if self else ""


def _outline(task: core.Task) -> str:
    after = f" after {' and '.join(map(str, task.dep))}" if task.dep else ""
    return f"{task.id} {task.task}{after}"


@dataclass(frozen=True)
class Result:
    """The outcome of one task.

    `state` is "finished", "failed" or "skipped"; `value` is the result in the form that JARVIS gives to this type of
    task (None unless finished), `text` its summary in one line, `error` the reason of a failure. `model` is
    the id of the chosen expert and `endpoint` where it ran.
    """

    id: int
    task: str
    state: str
    args: Mapping[str, Any]
    value: Any = None
    text: str = ""
    files: tuple[File, ...] = ()
    error: str = ""
    model: str = ""
    endpoint: str = ""
    seconds: float | None = None

    @property
    def ok(self) -> bool:
        return self.state == "finished"

    def _repr_html_(self) -> str:
        """A line of text, then the files."""
        shown = [file_html(file) for file in self.files if file.is_file()]
        return text_html(f"{self.task}: {self.text or self.error or self.state}") + "<br>".join(shown)


@dataclass(frozen=True)
class Answer:
    """The answer to a request, with its plan and results. `str(answer)` is the message.

    `results` has the ids of the plan's tasks as keys; `files` are the generated ones. `errors` has a sentence for
    each task that was not finished, and for the run itself if a limit or a failure ended it. `run_id` names the record
    of the run, which the command's `--resume` takes.
    """

    message: str
    plan: Plan
    results: Mapping[int, Result]
    files: tuple[File, ...]
    errors: tuple[str, ...]
    notices: tuple[str, ...]
    usage: Usage
    run_id: str

    @property
    def ok(self) -> bool:
        """Whether all planned tasks were finished."""
        return not self.errors

    def __str__(self) -> str:
        return self.message

    def _repr_markdown_(self) -> str:
        """The message, which is Markdown where a language model wrote it, with its HTML escaped; links to the files."""
        return "\n\n".join(
            [self.message.replace("<", "&lt;"), *(f"[{file.name}]({file.as_uri()})" for file in self.files)]
        )

    def _repr_html_(self) -> str:
        """The message, the files, the errors, and the plan with the results to unfold."""
        parts = [text_html(self.message), *(file_html(file) for file in self.files if file.is_file())]
        parts += [text_html(f"⚠ {error}") for error in self.errors]
        if self.plan:
            states = {number: result.state for number, result in self.results.items()}
            rows = [(r.id, r.task, r.model, r.state, r.text or r.error) for r in self.results.values()]
            table = table_html(("id", "task", "model", "state", "result"), rows)
            parts.append(f"<details><summary>Plan</summary>{plan_svg(self.plan.tasks, states)}{table}</details>")
        return "".join(parts)


class Events(Iterator[Event]):
    """The events of a run as they happen (`hugginggpt.core.events` has their types); `answer` is complete at the end.

    Closing it, or leaving it as a context manager, ends the run.

    >>> with hugginggpt.HuggingGPT({"llm": "offline"}) as gpt, gpt.run("Hello, who are you?") as events:
    ...     names = [type(event).__name__ for event in events]
    >>> names[0], names[-1], events.answer.message == str(events.answer)
    ('RunStarted', 'Done', True)
    """

    def __init__(self, conversation: _Conversation, run: Run, until: Until) -> None:
        self.run_id = run.id
        self._conversation, self._run = conversation, run
        self._events = conversation.controller.run(run, until)
        self._record = RunRecord()

    def __next__(self) -> Event:
        event = next(self._events)
        self._record.apply(event)
        if self._record.stop:
            self._conversation.remember(self._run, self._record)
        return event

    @property
    def answer(self) -> Answer:
        """The answer so far."""
        return _answer(self._record, self._conversation.controller.config)

    def close(self) -> None:
        """Cancels the run if it has not ended."""
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Conversation:
    """Requests to a controller; `remember` may store turns for the next request."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self._turns: list[Turn] = []

    def ask(self, request: str, files: Sequence[FileLike] = ()) -> Answer:
        """Runs a request and answers it. Raises UserError for a request or file that cannot be used.

        `files` are paths of this machine and URLs, attached to the request in this order.
        """
        return self._follow(request, files, "answer").answer

    def plan(self, request: str, files: Sequence[FileLike] = ()) -> Plan:
        """The plan for a request, without running it; it is empty where the request needs no expert.

        Raises UserError for a request or file that cannot be used, HuggingGPTError when the planning fails.
        """
        answer = self._follow(request, files, "plan").answer
        if not answer.plan and answer.errors:
            raise HuggingGPTError(" ".join(answer.errors))
        return answer.plan

    def run(self, request: str, files: Sequence[FileLike] = (), until: Until = "answer") -> Events:
        """The events of a request as it runs, up to its plan, its results or its answer.

        Raises UserError for a request or file that cannot be used. The run starts when the first event is read.
        """
        if until not in get_args(Until):
            raise UserError(f"until should be one of {', '.join(get_args(Until))}, not {until!r}.")
        return Events(self, self._prepared(request, files), until)

    def remember(self, run: Run, record: RunRecord) -> None:
        """Stores nothing: only a chat has turns."""

    def _follow(self, request: str, files: Sequence[FileLike], until: Until) -> Events:
        with closing(self.run(request, files, until)) as events:
            for _ in events:
                pass
        return events

    def _prepared(self, request: str, files: Sequence[FileLike]) -> Run:
        from hugginggpt.terminal.follow import prepared

        if isinstance(files, str | bytes | os.PathLike):
            raise UserError("files should be a list of paths and URLs, also for a single one: files=[...].")
        return prepared(self.controller, request, self._attachments(files), self._turns)

    def _attachments(self, files: Sequence[FileLike]) -> list[Attachment]:
        from hugginggpt.media.store import MediaStore

        for file in files:
            if not isinstance(file, str | os.PathLike) or isinstance(os.fspath(file), bytes):
                raise UserError(f"files should be paths and URLs, not {type(file).__name__}.")
        media = MediaStore(self.controller.config)
        return [media.attachment(os.fspath(file)) for file in files]


class Chat(_Conversation):
    """A conversation: a request may refer to earlier ones, their files and their results.

    >>> with hugginggpt.HuggingGPT({"llm": "offline"}) as gpt:
    ...     chat = gpt.chat()
    ...     print(chat.ask("How many giraffes are in /examples/a.jpg?"))
    ...     print(chat.ask("And in /examples/b.jpg?"))
    The detector found 1 giraffe in a.jpg.
    ...
    The detector found 2 giraffes in b.jpg.
    ...
    >>> [turn.request for turn in chat.turns]
    ['How many giraffes are in /examples/a.jpg?', 'And in /examples/b.jpg?']
    """

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The answered requests so far."""
        return tuple(self._turns)

    def remember(self, run: Run, record: RunRecord) -> None:
        from hugginggpt.stages.run import turn_of

        if record.message:
            self._turns.append(turn_of(run, record))


class HuggingGPT(_Conversation):
    """The program, set up once for many requests.

    `config` is a file of settings, or the settings themselves as a mapping; either overrides config.default.yaml.
    Keys and tokens may be in the environment. `llm` is a language model in place of the configured one. Raises
    ConfigError for settings that cannot be used.

    >>> with hugginggpt.HuggingGPT({"llm": "offline", "limits": {"max_tasks": 5}}) as gpt:
    ...     answer = gpt.ask("Is 'I love this place' positive or negative?")
    >>> answer.ok, answer.usage.calls
    (True, 0)
    """

    def __init__(self, config: Settings = None, llm: LLM | None = None) -> None:
        checked = config if isinstance(config, Config) else settings.load(config)
        super().__init__(make_controller(checked, llm))

    @property
    def config(self) -> Config:
        """The validated settings in use."""
        return self.controller.config

    def chat(self) -> Chat:
        """A new conversation."""
        return Chat(self.controller)

    def close(self) -> None:
        """Closes all connections."""
        self.controller.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def ask(request: str, files: Sequence[FileLike] = (), *, config: Settings = None, llm: LLM | None = None) -> Answer:
    """Runs one request and answers it: `HuggingGPT(config, llm).ask(request, files)`."""
    with HuggingGPT(config, llm) as gpt:
        return gpt.ask(request, files)


def _answer(record: RunRecord, config: Config) -> Answer:
    plan = Plan(**{slot.name: getattr(record.plan, slot.name) for slot in fields(core.Plan)})
    return Answer(
        message=record.message,
        plan=plan,
        results={number: _result(number, task, config) for number, task in sorted(record.tasks.items())},
        files=tuple(File(config.public_file(path)) for path in record.files),
        errors=tuple(record.errors),
        notices=tuple(record.notices),
        usage=sum(record.usage.values(), Usage()),
        run_id=record.run_id,
    )


def _result(number: int, task: TaskRecord, config: Config) -> Result:
    from hugginggpt.core.results import files_of

    choice = task.choice
    return Result(
        id=number,
        task=task.task["task"],
        state=task.state,
        args=task.task["args"],
        value=task.value,
        text=task.reading,
        files=tuple(File(config.public_file(path)) for path in files_of(task.value)),
        error=task.reason,
        model=choice.id if choice else "",
        endpoint=choice.endpoint if choice else "",
        seconds=task.seconds,
    )
