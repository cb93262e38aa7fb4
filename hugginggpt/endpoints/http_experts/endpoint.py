"""Experts of services that are called over plain HTTP, as the configuration describes them (`http_experts`)."""

from __future__ import annotations

import json
import logging
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import NewConnectionError

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.config import Config
from hugginggpt.config.http_experts import HttpExpert, HttpToken
from hugginggpt.core.errors import BackendError, HuggingGPTError
from hugginggpt.core.result_paths import ResultMap, find
from hugginggpt.core.results import FILE_KINDS, INVALID_RESULT_ERRORS, TEXT
from hugginggpt.core.secrets import Secrets, Variables
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.endpoints.answered_files import with_files
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier, picture_to_draw_on, settle
from hugginggpt.endpoints.calls import Call, current_call
from hugginggpt.endpoints.http_experts.answers import MESSAGE_CHARS, Answer, Limits, read_answer
from hugginggpt.endpoints.http_experts.request import Inputs, request_for
from hugginggpt.endpoints.http_experts.tokens import Token, TokenSource
from hugginggpt.endpoints.registry import register_endpoint
from hugginggpt.media.store import MediaStore
from hugginggpt.net.http_limits import AnswerTooLarge
from hugginggpt.net.watched_http import Watch, watched, watched_session

log = logging.getLogger(__name__)

T = TypeVar("T")
BYTES_PER_MB = 1_400_000
"""Of an answer, for a megabyte of the largest file: it may come in base64."""
MAX_TOKEN_BYTES = 100_000
HERE = ("localhost", "127.0.0.1", "::1")
SAMPLES = {"text": "Hello, world.", "image": "/examples/a.jpg", "audio": "/examples/speech.wav", "table": "a,b\n1,2\n"}
"""What a check sends for an argument of each kind."""
SAMPLE_LABELS = ["one", "two"]
LIBRARY_LOGS = ("urllib3.connectionpool", "urllib3.connection")
"""What these log may hold the URL of a request, with a key in it."""


class _WithoutSecrets(logging.Filter):
    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self.secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self.secrets.mask(record.getMessage()), ()
        record.exc_info = record.exc_text = None  # it may quote what was received
        return True


class HttpService:
    """What the experts of a configuration share: connections, tokens, limits and the masking of secrets."""

    def __init__(self, config: Config, media: MediaStore) -> None:
        self.media = media
        self.limits = config.limits
        self.proxy = config.proxy
        self.secrets: Secrets = config.secrets
        self.variables: Variables = config.variables
        self.session = watched_session()
        self._sources: dict[str, TokenSource] = {}
        self._filter = _WithoutSecrets(self.secrets)
        for name in LIBRARY_LOGS:
            logging.getLogger(name).addFilter(self._filter)

    def close(self) -> None:
        self.session.close()
        for name in LIBRARY_LOGS:
            logging.getLogger(name).removeFilter(self._filter)

    def token_source(self, expert: HttpExpert, token: HttpToken) -> TokenSource:
        """The source of the tokens that a section describes, one for all experts with the same section."""
        key = json.dumps(token.model_dump(), sort_keys=True, default=str)
        return self._sources.setdefault(key, TokenSource(lambda: self._fetch(expert, token)))

    def _fetch(self, expert: HttpExpert, section: HttpToken) -> Token:
        who = f"{expert.id}: the token of {_host(section.url)}"

        def read(response: requests.Response, limits: Limits) -> Answer:
            return read_answer(response, TEXT, True, self.media, limits)

        request = request_for(section, self.variables)
        # for all threads: that one of them is no longer interested does not end it
        answer = self.call(who, request, self._seconds(expert), MAX_TOKEN_BYTES, read, Call())
        if problem := answer.problem(expert.error):
            raise self.failure(f"{who} {problem}", status=answer.status)
        try:
            text = find(answer.value, section.field)
            if not isinstance(text, str) or not text:
                raise ValueError(f"there is no text at {section.field}")
            seconds = float(find(answer.value, section.expires)) if section.expires else None
        except INVALID_RESULT_ERRORS as error:
            raise self.failure(f"{who} cannot be read: {error}") from None
        self.secrets.add(text)
        return Token(text, seconds)

    def _seconds(self, expert: HttpExpert) -> float:
        return expert.seconds or self.limits.inference_seconds

    def ask(self, expert: HttpExpert, task: TaskType, request: dict[str, object]) -> Answer:
        """The answer of an expert to a request. Raises BackendError as `call`."""
        most = int((expert.max_answer_mb or self.limits.max_file_mb * BYTES_PER_MB / 1e6) * 1e6)

        def read(response: requests.Response, limits: Limits) -> Answer:
            return read_answer(response, task.result, expert.result is not None, self.media, limits)

        return self.call(expert.id, request, self._seconds(expert), most, read, current_call())

    def call(
        self,
        who: str,
        request: dict[str, object],
        seconds: float,
        most: int,
        read: Callable[[requests.Response, Limits], T],
        call: Call,
    ) -> T:
        """What `read` makes of the response. Raises BackendError in one sentence, without secrets."""
        host = _host(str(request["url"]))
        proxies = {} if host in HERE or not self.proxy else {"http": self.proxy, "https": self.proxy}
        log.debug("%s: %s %s", who, request["method"], self.secrets.mask(str(request["url"])))
        with watched(seconds, call.when_over) as watch:
            limits = Limits(most, time.monotonic() + seconds, watch)
            try:
                with self.session.request(
                    **request, stream=True, allow_redirects=False, proxies=proxies,  # type: ignore[arg-type]
                    timeout=(min(self.limits.connect_seconds, seconds), seconds),
                ) as response:  # fmt: skip
                    log.debug("%s: answers %s, %s bytes", who, response.status_code, response.raw.length_remaining)
                    return read(response, limits)
            except AnswerTooLarge:
                raise self.failure(f"{who} answers more than {most / 1e6:g} MB") from None
            except (requests.RequestException, OSError, UnicodeError, ValueError) as error:
                if watch.stopped and call.is_over:
                    raise self.failure(f"{who} was stopped: nobody waits for it any more") from None
                down = _is_unreachable(error, watch)
                slow = watch.stopped or (isinstance(error, requests.Timeout) and not down)
                why = f"did not answer within {seconds:g} s" if slow else _cause(error, host, down)
                raise self.failure(f"{who} {why}", endpoint_down=down) from None

    def failure(self, sentence: str, *, status: int | None = None, endpoint_down: bool = False) -> BackendError:
        """An error whose text may quote the service: without secrets, and not too long."""
        text: str = self.secrets.mask(sentence)
        text = text if len(text) <= MESSAGE_CHARS else f"{text[:MESSAGE_CHARS]}…"
        return BackendError(f"{text.rstrip('.')}.", status=status, endpoint_down=endpoint_down)


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _is_unreachable(error: Exception, watch: Watch) -> bool:
    """Whether no connection came about, so that nothing was sent."""
    if isinstance(error, requests.exceptions.SSLError):  # also of a connection on which the request was sent
        return not watch.begun
    if isinstance(error, requests.ConnectTimeout | requests.exceptions.ProxyError):
        return True
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(reason, NewConnectionError)


def _cause(error: Exception, host: str, is_down: bool) -> str:
    if is_down and _is_about_certificate(error):
        return f"cannot be used: {host} has no valid certificate"
    if is_down and isinstance(error, requests.exceptions.SSLError):
        return f"cannot be used: {host} makes no encrypted connection"
    if is_down:
        return f"cannot be reached: {host} takes no connection"
    if isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError):
        return "broke off"
    return f"cannot be called: {type(error).__name__}"


def _is_about_certificate(error: BaseException | None) -> bool:
    while error and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error is not None


class HttpEndpoint(Endpoint):
    """The experts of one id, each for a task."""

    def __init__(self, experts: Sequence[HttpExpert], service: HttpService) -> None:
        self.experts = {expert.task: expert for expert in experts}
        self.service = service
        first = experts[0]
        self.id = first.id
        self.name = f"http:{self.id}"
        self.label = urlsplit(first.url).netloc
        self.tier = Tier.OWN_SERVER if _host(first.url) in HERE else Tier.REMOTE

    def close(self) -> None:
        self.service.close()

    def status(self) -> EndpointStatus:
        experts = self.experts.values()
        urls = dict.fromkeys(expert.url.partition("?")[0] for expert in experts)
        about = f"{', '.join(self.experts)} at {', '.join(urls)}"
        missing = self.service.variables.what_to_set([expert.sent for expert in experts])
        return EndpointStatus(about, missing, f"For {self.id}: {missing}." if missing else "", untried=not missing)

    def _missing(self, expert: HttpExpert) -> str:
        return self.service.variables.what_to_set(expert.sent)

    def what_to_set(self, task: TaskType) -> str:
        expert = self.experts.get(task.name)
        missing = self._missing(expert) if expert else ""
        return f"{missing} for {self.id}" if missing else ""

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        if not self.covers(task):
            return []
        about = self.experts[task.name].about or f"{self.id} at {self.label}."
        return [ModelCard(self.id, task.name, about, is_own=True)]

    def knows(self, model: str) -> bool:
        return model == self.id

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        expert = self.experts.get(task.name)
        return expert is not None and not self._missing(expert)

    def configured(self, model: str, task: TaskType) -> str:
        expert = self.experts.get(task.name)
        return expert.model_dump_json(exclude={"about", "check", "seconds"}) if expert else ""

    def repeatable(self, model: str, task: TaskType) -> bool:
        expert = self.experts.get(task.name)
        return expert is not None and expert.repeatable

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        expert = self.experts[task.name]
        if missing := self._missing(expert):
            raise BackendError(f"{self.id} is not set up: {missing}.")
        picture = picture_to_draw_on(task, args)
        raw = self._raw(expert, task, Inputs(expert, task, args, self.service.media))
        try:
            return Inference(settle(task, raw, args, self.service.media, picture))
        except BackendError as error:
            failed = self.service.failure(f"{expert.id}: {error}")
            failed.may_have_acted = not expert.repeatable
            raise failed from None

    def _raw(self, expert: HttpExpert, task: TaskType, inputs: Inputs) -> object:
        """The answer by its paths, files saved, secrets masked. Raises BackendError."""
        source = self.service.token_source(expert, expert.token) if expert.token else None
        token = source.get() if source else ""
        answer = self._answer(expert, task, inputs, token)
        if source and answer.token_expired(expert.error):
            source.refused(token)
            if expert.repeatable:
                answer = self._answer(expert, task, inputs, source.get())
        if problem := answer.problem(expert.error):
            hint = self._hint(expert) if answer.status in (401, 403) else ""
            failed = self.service.failure(f"{expert.id} {problem}{hint}", status=answer.status)
            failed.may_have_acted = answer.status >= 500 and not expert.repeatable  # else it says that it did not
            raise failed
        try:
            raw = ResultMap(task.result, expert.result).read(self.service.secrets.mask(answer.value))
            return raw if answer.is_saved else with_files(task, raw, self.service.media, expert.url)
        except (*INVALID_RESULT_ERRORS, BackendError) as error:
            failed = self.service.failure(f"The answer of {expert.id} cannot be used: {error}", status=answer.status)
            failed.may_have_acted = not expert.repeatable
            raise failed from None

    def _answer(self, expert: HttpExpert, task: TaskType, inputs: Inputs, token: str) -> Answer:
        try:
            request = request_for(expert, self.service.variables, inputs.look_up, token)
        except UnicodeError:  # lone surrogates
            raise self.service.failure(f"{expert.id} is not called: a text for it is not valid Unicode") from None
        try:
            return self.service.ask(expert, task, request)
        except BackendError as error:
            error.may_have_acted = not expert.repeatable and not error.endpoint_down
            raise

    def _hint(self, expert: HttpExpert) -> str:
        names = self.service.variables.names(expert.sent)
        return f": check {' and '.join(names)}" if names else ""

    def check(self, table: TaskTable) -> Iterator[tuple[str, str]]:
        for name, expert in self.experts.items():
            label = f"{self.id} ({name})"
            if missing := self._missing(expert):
                yield label, missing
            elif not expert.repeatable:
                yield label, "not called: it is not repeatable"
            else:
                yield label, self._checked(expert, table[name])

    def _checked(self, expert: HttpExpert, task: TaskType) -> str:
        """What comes of one call with small samples, in one line."""
        try:
            used = [arg for arg in task.args if arg.required or arg.name in expert.check]
            args = {arg.name: self._sample(expert, arg.name, arg.kind, arg.many) for arg in used}
            value = self.infer(self.id, task, args).value
            return f"works: {task.result.describe(value).splitlines()[0][:80]}"
        except (HuggingGPTError, OSError) as error:
            return f"fails: {error}"
        except IndexError:
            return "works"

    def _sample(self, expert: HttpExpert, name: str, kind: str, many: bool) -> object:
        is_file = kind in FILE_KINDS
        value = expert.check.get(name) or (SAMPLE_LABELS if many and not is_file else SAMPLES.get(kind))
        if value is None:
            raise BackendError(f"There is no example of a {kind}: give one under check.")
        if not is_file:
            return value
        file = self.service.media.open(str(value), kind)  # type: ignore[arg-type]
        return [file, file] if many else file


@register_endpoint
def make_http_experts(config: Config, media: MediaStore) -> list[Endpoint]:
    """An endpoint for each id; in the mode local only those of this machine."""
    by_id: dict[str, list[HttpExpert]] = {}
    for expert in config.http_experts:
        urls = [expert.url, *([expert.token.url] if expert.token else [])]
        if config.inference_mode != "local" or all(_host(url) in HERE for url in urls):
            by_id.setdefault(expert.id, []).append(expert)
    if not by_id:
        return []
    service = HttpService(config, media)
    return [HttpEndpoint(experts, service) for experts in by_id.values()]
