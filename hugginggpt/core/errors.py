"""All errors of the project, by who has to act on them.

    HuggingGPTError
    ├── UserError            the request or the configuration: reported, exit code 2, HTTP 4xx
    │   ├── ConfigError      a setting is missing or wrong
    │   └── MediaError       a file or URL that cannot be used
    ├── ModelOutputError     a language model gave an unusable answer: one repair turn, then the fallback
    ├── BackendError         a service or expert failed: retry, next candidate, next endpoint, then the task fails
    │   ├── ExpertUnavailable    no configured endpoint can do the task
    │   └── StoreUnavailable     where runs, conversations or files are kept cannot be reached: HTTP 503
    └── RunStopped           a limit was reached or the user cancelled; carries a `StopReason`

The text of every error may be shown to a user: it names the cause and says what to do next, and it
never contains a secret. Programs read its `code` instead. Any other exception is a bug.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote, quote_plus

from hugginggpt.core.usage import Usage

SECRET_CHARS = 8
"""Shorter values are placeholders for services that need no key (`1`, `none`); they occur in any text."""


class ErrorCode(StrEnum):
    """What went wrong, for programs: in events, records and the bodies of HTTP errors, beside the sentence for people.

    New codes may be added; a client treats one that it does not know as `error`.
    """

    ERROR = "error"
    USER = "user"
    CONFIG = "config"
    MEDIA = "media"
    MODEL_OUTPUT = "model_output"
    BACKEND = "backend"
    UNAVAILABLE = "unavailable"
    CANCELLED = "cancelled"
    MAX_SECONDS = "max_seconds"
    MAX_TOKENS = "max_tokens"
    TASK_SECONDS = "task_seconds"
    """One task took longer than limits.task_seconds."""
    INVALID_TASK = "invalid_task"
    """A task of the plan that cannot be run as it was planned."""
    DEPENDENCY = "dependency"
    """A task that was skipped because one it needs has no result."""
    NOT_NEEDED = "not_needed"
    """A task that was skipped because its condition does not hold: no failure."""
    UNDECIDED = "undecided"
    """A task that was skipped because the results do not decide its condition."""
    NOTHING_DONE = "nothing_done"
    """A run for which nothing could be planned, or all of whose tasks failed or were skipped; each says why."""
    BUSY = "busy"
    """The server does as much as it can; the same request may be sent again later."""
    CHAT_BUSY = "chat_busy"
    """A run of this conversation goes on."""
    INTERNAL = "internal"
    """A bug; the server's log says more."""


class HuggingGPTError(Exception):
    """Base of all errors that are not bugs; `str(error)` can be shown to users. `usage` is what the language
    model spent on what failed so.
    """

    code: ErrorCode = ErrorCode.ERROR
    usage: Usage = Usage()


class UserError(HuggingGPTError):
    """Caused by the user's request or configuration."""

    code = ErrorCode.USER


class ConfigError(UserError):
    """A setting is missing, unknown or of the wrong type; the message names the file and the key."""

    code = ErrorCode.CONFIG


class MediaError(UserError):
    """A file or URL is missing, refused, too large or not of the expected type."""

    code = ErrorCode.MEDIA


class ModelOutputError(HuggingGPTError):
    """A language model's answer could not be used, even after repair."""

    code = ErrorCode.MODEL_OUTPUT


class BackendError(HuggingGPTError):
    """A language model service, an endpoint or an expert failed.

    `endpoint_down` says that the whole endpoint is at fault (connection refused, key rejected), so that
    its other models need not be tried; `status` is the HTTP status where there was one. `may_have_acted` says that what
    must not be done twice may have been done: no other model is tried. `retry_after` is for how many seconds a service
    that is asked too often wants to be left alone, where it says so.
    """

    code = ErrorCode.BACKEND
    retry_after: float | None = None

    def __init__(
        self, message: str, *, endpoint_down: bool = False, status: int | None = None, may_have_acted: bool = False
    ) -> None:
        super().__init__(message)
        self.endpoint_down = endpoint_down
        self.status = status
        self.may_have_acted = may_have_acted


class ExpertUnavailable(BackendError):
    """No reachable model does this task; the message says what to set or install."""

    code = ErrorCode.UNAVAILABLE


class StoreUnavailable(BackendError):
    """Where runs, conversations or files are kept cannot be reached at the moment; the message says what to do."""

    code = ErrorCode.UNAVAILABLE


class StopReason(StrEnum):
    """Why a run ended."""

    ANSWERED = "answered"
    PLANNED = "planned"
    EXECUTED = "executed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    MAX_SECONDS = "max_seconds"
    MAX_TOKENS = "max_tokens"


class RunStopped(HuggingGPTError):
    """The run was stopped before its answer."""

    def __init__(self, reason: StopReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.code = _STOP_CODES.get(reason, ErrorCode.ERROR)


_STOP_CODES = {
    StopReason.CANCELLED: ErrorCode.CANCELLED,
    StopReason.MAX_SECONDS: ErrorCode.MAX_SECONDS,
    StopReason.MAX_TOKENS: ErrorCode.MAX_TOKENS,
}


def brief(error: Exception) -> str:
    """The first line of a library's error message, for use within one of ours."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:300]


def masked(text: str, secrets: Iterable[str | None]) -> str:
    """The text with all secrets replaced, the longest first: one may be a prefix of another.

    They are found as they stand in a URL or in JSON, too.
    """
    for secret in sorted((secret for secret in secrets if secret), key=len, reverse=True):
        if len(secret) >= SECRET_CHARS:
            for written in _written(secret):
                text = text.replace(written, "***")
    return text


@lru_cache(maxsize=200)
def _written(secret: str) -> tuple[str, ...]:
    """The ways to write a secret: plainly, in a URL, in the form of a page, and in JSON."""
    ways = (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1])
    return tuple(dict.fromkeys(ways))
