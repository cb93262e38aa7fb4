"""Runs one task: opens its files, tries the chosen model, then the next candidates."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from hugginggpt.common.threads import TTLCache, spawn
from hugginggpt.core.conversation import Attachment, find_attachment
from hugginggpt.core.documents import split_name
from hugginggpt.core.errors import BackendError, HuggingGPTError, MediaError, ModelOutputError
from hugginggpt.core.events import Choice, Finished, Progressed, Retried
from hugginggpt.core.looking import seconds_between
from hugginggpt.core.plan import REFERENCE, Task
from hugginggpt.core.results import FILE_KINDS, Kind, with_files
from hugginggpt.core.task_types import Arg
from hugginggpt.core.usage import Usage
from hugginggpt.endpoints.base import Inference
from hugginggpt.endpoints.calls import Call, calling
from hugginggpt.endpoints.circuit_breaker import Breakers
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import is_file
from hugginggpt.media.texts import text_of_file
from hugginggpt.media.types import kind_of
from hugginggpt.stages import first_frames
from hugginggpt.stages.ahead import Ahead
from hugginggpt.stages.documents import excerpt, located, page_reader, said_at, with_pages_asked_for
from hugginggpt.stages.frames import infer_over, version_of, video_of
from hugginggpt.stages.result_cache import ResultCache
from hugginggpt.stages.run import Run
from hugginggpt.stages.screening import Screening
from hugginggpt.stages.selector import Candidate, Guess, Selection

log = logging.getLogger(__name__)

_MADE_DOCUMENT = re.compile(r"/documents/(?:[0-9a-f]{32}|[\w-]+-[0-9a-f]{12})\.\w+")
REMEMBERED = "Its result for the same content was remembered."
"""What the reason of a choice says of a result that was computed before."""
TOO_MANY, PAUSE_SECONDS = 429, 5.0
"""The status of a service that is asked too often, and how long it is left alone if it does not say."""
Report = Callable[[Retried | Progressed], None]


@dataclass(frozen=True, slots=True)
class TaskSuccess:
    """A task that succeeded: its result, its arguments as the record shows them, and the model that did it."""

    inference: Inference
    args: Mapping[str, Any]
    choice: Choice

    def finished(self, task: Task) -> Finished:
        """The event that tells of it."""
        value, schema = self.inference.value, task.type.result
        return Finished(
            task.id, self.args, value, self.choice, self.inference.usage, schema.name, schema.describe(value)
        )


@dataclass(slots=True)
class _Attempts:
    """The attempts at one task: the active ones, and the errors of the others. `over` is done when no result is waited
    for any more; `closed` says that nothing else may be tried.
    """

    over: Future[None]
    told: Callable[[float, float | None, str], None]
    going: dict[Future[Inference], tuple[Candidate, Choice]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    down: set[str] = field(default_factory=set)
    spent: Usage = Usage()
    closed: bool = False

    def add(self, future: Future[Inference], candidate: Candidate, choice: Choice) -> None:
        self.going[future] = (candidate, choice)

    def reason(self, otherwise: str) -> str:
        return self.failures[-1] if self.failures else otherwise


class TaskRunner:
    """Runs the tasks of one run; each file and URL is opened once."""

    def __init__(
        self,
        run: Run,
        media: MediaStore,
        breakers: Breakers,
        cache: ResultCache | None,
        screening: Screening | None = None,
    ) -> None:
        self.run = run
        self.media = media
        self.breakers = breakers
        self.cache = cache
        self.screening = screening
        self._read_page = page_reader()
        self._opened: TTLCache[Path] = TTLCache(self._open, float("inf"), own_thread=False)

    def fetch_early(self, task: Task, wanted: Callable[[], bool]) -> None:
        """Starts downloading the URLs of a task, if it is `wanted`, while its model is still being chosen."""
        for name, value in task.args.items():
            for item in value if isinstance(value, list) else [value]:
                if "://" in str(item) and (key := file_of(task, name, item, self.run.known_files)):
                    spawn(self._fetch, key, wanted, name="fetch")

    def _fetch(self, key: tuple[str, Kind], wanted: Callable[[], bool]) -> None:
        if wanted() and not self.run.cancelled.done():
            self._opened.get(key)

    def run_ahead(self, task: Task, args: Mapping[str, Any], guess: Guess, over: Future[None]) -> Ahead | None:
        """Begins a task with a model that is probably chosen; `run_task` goes on with it. None where its endpoint was
        down lately.
        """
        if not self.breakers.is_closed(guess.candidate.endpoint.name):
            return None

        open_files = partial(self._with_files, task, args)
        infer = partial(self._result, guess.candidate, task)
        return Ahead(guess, open_files, infer, (self.run.cancelled, over), self.run.request)

    def run_task(
        self,
        task: Task,
        args: Mapping[str, Any],
        selection: Selection,
        report: Report,
        over: Future[None],
        ahead: Ahead | None = None,
    ) -> TaskSuccess:
        """Tries the chosen model, then the next candidates, until one succeeds; `report` is called for each change.

        `args` are those of the task with the references replaced. The caller completes `over` when the task has ended
        and attempts that go on are of no use. What the chosen model has begun `ahead` is its attempt. Raises MediaError
        for a file that cannot be used, BackendError with all reasons when no model succeeds.
        """
        opened = ahead.opened.result() if ahead else self._with_files(task, args)
        attempts = _Attempts(over, lambda *how_far: report(Progressed(task.id, *how_far)))
        for candidate, choice in self._in_turn(task, selection, report, attempts, ahead):
            once = not candidate.repeatable(task.type)
            if once and (done := self._first_success(attempts, None)):
                return self._success(task, done, self._shown(args, opened))
            if attempts.closed:
                break
            if ahead and candidate == ahead.candidate:
                attempts.add(ahead.keep(attempts.told), candidate, choice)
            else:
                attempts.add(self._begin(candidate, task, opened, attempts), candidate, choice)
            patience = self.run.limits.hedge_seconds if len(attempts.going) == 1 and not once else None
            if done := self._first_success(attempts, patience):
                return self._success(task, done, self._shown(args, opened))
        if done := self._first_success(attempts, None):
            return self._success(task, done, self._shown(args, opened))
        failed = BackendError(" ".join(dict.fromkeys(attempts.failures)) or "All places where it could run are down.")
        failed.usage = attempts.spent
        raise failed

    def _success(self, task: Task, done: tuple[Inference, Choice], args: Mapping[str, Any]) -> TaskSuccess:
        """A result that is there, its files under the name that they are to have."""
        inference, choice = done
        value = inference.value
        if task.save_as and isinstance(value, dict):
            value = with_files(value, lambda file: self.media.named(file, task.save_as))
        return TaskSuccess(inference._replace(value=value), args, _noted(inference, choice))

    def _in_turn(
        self, task: Task, selection: Selection, report: Report, attempts: _Attempts, ahead: Ahead | None
    ) -> Iterator[tuple[Candidate, Choice]]:
        """The candidates to try, one after the other, within the limits. What has begun `ahead` needs no endpoint that
        works now.
        """
        first = selection.candidates[0]
        for candidate in _best_of_each_place(selection.candidates, self.run.limits.attempts):
            place = candidate.endpoint.name
            if attempts.closed:
                return
            has_begun = ahead is not None and candidate == ahead.candidate
            if not has_begun and (place in attempts.down or not self.breakers.allows(place)):
                continue
            choice = selection.choice
            if candidate is not first:
                if not self.run.may_retry():
                    attempts.failures.append("No more models are tried for this request (limits.retries).")
                    return
                reason = attempts.reason(f"{first.card.id} is slow or cannot be reached.")
                choice = candidate.choice(f"{reason} It is the next candidate.")
                report(Retried(task.id, reason, choice))
            self.run.check()
            yield candidate, choice

    def _begin(
        self, candidate: Candidate, task: Task, args: Mapping[str, Any], attempts: _Attempts
    ) -> Future[Inference]:
        """Runs a model: in another thread if attempts may overlap (hedging), else in this one."""
        if self.run.limits.hedge_seconds is not None:
            return spawn(self._infer, candidate, task, args, attempts)
        future: Future[Inference] = Future()
        try:
            future.set_result(self._infer(candidate, task, args, attempts))
        except Exception as error:
            future.set_exception(error)
        return future

    def _first_success(self, attempts: _Attempts, patience: float | None) -> tuple[Inference, Choice] | None:
        """The first attempt that succeeds; None when all have failed, or none has ended in `patience` seconds."""
        while attempts.going:
            ended, _ = wait(attempts.going, timeout=patience, return_when=FIRST_COMPLETED)
            if not ended:
                return None
            for future in ended:
                candidate, choice = attempts.going.pop(future)
                try:
                    inference = future.result()
                except (BackendError, ModelOutputError, OSError) as error:  # OSError: a file has been removed meanwhile
                    self._note_failure(attempts, candidate, error)
                    continue
                self.breakers.worked(candidate.endpoint.name)
                self.run.spend(inference.usage, "task")
                return inference._replace(usage=attempts.spent + inference.usage), choice
        return None

    def _note_failure(self, attempts: _Attempts, candidate: Candidate, error: Exception) -> None:
        log.info("%s: %s", candidate.card.id, error)
        attempts.failures.append(str(error))
        if isinstance(error, HuggingGPTError):
            attempts.spent += self.run.spend(error.usage, "task")
        if isinstance(error, BackendError) and error.may_have_acted:
            attempts.closed = True
        if isinstance(error, BackendError) and error.status == TOO_MANY:
            self.run.wait_seconds = max(self.run.wait_seconds, error.retry_after or PAUSE_SECONDS)
        if isinstance(error, BackendError) and error.endpoint_down:
            attempts.down.add(candidate.endpoint.name)
            self.breakers.was_down(candidate.endpoint.name)

    def _infer(self, candidate: Candidate, task: Task, args: Mapping[str, Any], attempts: _Attempts) -> Inference:
        with calling(Call((self.run.cancelled, attempts.over), attempts.told, self.run.request)):
            return self._result(candidate, task, args)

    def _result(self, candidate: Candidate, task: Task, args: Mapping[str, Any]) -> Inference:
        """Runs a model, or returns its cached result for the same inputs."""
        inference = said_at(task.type, args) or self._remembered(candidate, task, args)
        if self.screening:
            self.screening.check(task.type, inference.value)
        return first_frames.told(task.type, located(inference, args.values()), args)

    def _remembered(self, candidate: Candidate, task: Task, args: Mapping[str, Any]) -> Inference:
        endpoint, model = candidate.endpoint, candidate.card.id
        version = endpoint.version(model, task.type)
        kept = self.cache is not None and (self.cache.everything or version is not None)
        if self.cache is None or not kept or not candidate.repeatable(task.type):
            return self._inferred(candidate, task, args)
        version = (version or "") + endpoint.configured(model, task.type)
        version += version_of(self.run.limits, seconds_between(self.run.request)) if video_of(task.type, args) else ""
        key = self.cache.key(endpoint.name, model, task.task, args, version)
        if (known := self.cache.get(key, task.type.result)) is not None:
            return Inference(known, remembered=True)
        inference = self._inferred(candidate, task, args)
        self.cache.put(key, inference.value)
        return inference

    def _inferred(self, candidate: Candidate, task: Task, args: Mapping[str, Any]) -> Inference:
        """The result of a model; where it takes a picture and is given a video, that of some of its pictures."""
        infer = partial(candidate.endpoint.infer, candidate.card.id)
        if video_of(task.type, args) is None:
            return infer(task.type, args)
        return infer_over(task.type, args, infer, self.run.limits, seconds_between(self.run.request))

    # Files

    def _with_files(self, task: Task, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with local files in place of paths and URLs. Raises MediaError."""
        opened = {
            name: [self._with_file(task, name, item) for item in value]
            if isinstance(value, list)
            else self._with_file(task, name, value)
            for name, value in args.items()
        }
        return with_pages_asked_for(task.type, opened)

    def _with_file(self, task: Task, name: str, value: Any) -> Any:
        """A value of an argument: the local file in place of a path or URL, the text in place of a text file."""
        key = file_of(task, name, value, self.run.known_files)
        if key is None:
            return value
        path = self._opened.get(key).result()
        return self._text(path, value) if key[1] == "text" else path

    def _text(self, path: Path, name: str) -> str:
        return excerpt(text_of_file(path, self._read_page), split_name(name)[1], path.name)

    def _open(self, key: tuple[str, Kind]) -> Path:
        if self.run.may_fetch and "://" in key[0] and not self.run.may_fetch(key[0]):
            raise MediaError(f"{key[0][:200]} is not fetched: the request does not name this address.")
        return self.media.open(*key, self.run.known_files, self.run.nearby, self.run.may_fetch)

    def _shown(self, args: Mapping[str, Any], opened: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments for the record: public paths for files, URLs unchanged."""

        def shown(value: Any, file: Any) -> Any:
            if isinstance(value, list):
                return [shown(*pair) for pair in zip(value, file, strict=True)]
            return self.media.public_path(file) if isinstance(file, Path) and "://" not in value else value

        return {name: shown(value, opened.get(name)) for name, value in args.items()}


def _noted(inference: Inference, choice: Choice) -> Choice:
    """The choice, whose reason says so where the result was remembered."""
    return replace(choice, reason=f"{choice.reason} {REMEMBERED}".strip()) if inference.remembered else choice


def _best_of_each_place(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """The candidates to try: the best ones, and the best of every further endpoint."""
    first = list(candidates[:most])
    seen = {candidate.endpoint.name for candidate in first}
    for candidate in itertools.islice(candidates, most, None):
        if candidate.endpoint.name not in seen:
            seen.add(candidate.endpoint.name)
            first.append(candidate)
    return first


def file_of(task: Task, name: str, value: Any, files: Sequence[Attachment]) -> tuple[str, Kind] | None:
    """The file and its kind, for an argument that is one and no reference; `files` are those attached."""
    arg = task.type.arg(name)
    if arg is None or not isinstance(value, str) or REFERENCE.search(value):
        return None
    is_path = (
        arg.kind in FILE_KINDS
        or (arg.kind == "table" and is_file(value))
        or (arg.kind == "text" and value == task.args.get(name) and _is_to_be_read(value, files))
        or (REFERENCE.fullmatch(str(task.args.get(name))) and _MADE_DOCUMENT.fullmatch(value))
    )  # a text that another task generated is never taken for a file name, but for that of a document it made
    name = split_name(value)[0]
    return (name, _kind_of(arg, name, files)) if is_path else None


def _kind_of(arg: Arg, name: str, files: Sequence[Attachment]) -> Kind:
    """The kind of file that an argument is given: its own, unless that may be another and the file is one."""
    file = find_attachment(name, files)
    kind = (file.kind if file else None) or kind_of(name)
    return kind if kind in arg.kinds and kind else arg.kind


def _is_to_be_read(value: str, files: Sequence[Attachment]) -> bool:
    """Whether a text names a file with text and is not itself what is to be read: one word, or an attached file."""
    value = split_name(value)[0]
    is_name = find_attachment(value, files) is not None or not re.search(r"\s", value)
    return kind_of(value) in ("text", "table") and is_name
