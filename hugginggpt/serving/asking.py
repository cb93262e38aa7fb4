"""What a client of the server asks of a model: which model, how long it waits, and what it is told of a failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any

import flask

from hugginggpt.common.paths import MODEL_SERVER
from hugginggpt.core.errors import BackendError, ExpertUnavailable, HuggingGPTError, MediaError, UserError
from hugginggpt.serving.model_pool import Busy, ModelPool, nobody_has_gone
from hugginggpt.serving.model_registry import Entry, ModelRegistry

MOST_SECONDS = 600.0
"""How long a request is worked on for a client that does not say how long it waits, in seconds."""
RETRY_AFTER_SECONDS = 2


class Overdue(BackendError):
    """The answer did not come in the time that its client has."""


class UnknownModel(UserError):
    """No model with this id is available here."""


def entry_of(model_registry: ModelRegistry, model: str) -> Entry:
    """The entry for a model's id. Raises UnknownModel, or ExpertUnavailable for one that lacks another model."""
    entry = model_registry.find(model)
    lender = model_registry.lender(model) if entry is None else ""
    if lender:
        raise ExpertUnavailable(
            f"{model} works with a model for {lender}, and none that fits is on this machine: "
            f"{MODEL_SERVER} --download standard fetches one, --preload FOLDER:{lender} uses your own."
        )
    if entry is None:
        raise UnknownModel(
            f"There is no model {model[:200]} here: GET /models lists those there are, "
            f"{MODEL_SERVER} --download fetches more."
        )
    return entry


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a model has, and the seconds that its client waits for the answer."""

    entry: Entry
    done: Future[Any]
    seconds: float

    def answer(self) -> Any:
        """What the model makes of it. Raises Overdue and the model's errors."""
        try:
            return self.done.result(self.seconds)
        except TimeoutError:
            raise self.overdue() from None
        except CancelledError:
            raise Overdue("Nobody waited for the answer any more; the request was dropped.") from None

    def overdue(self) -> Overdue:
        """The error of a request whose time is over, which is dropped."""
        self.done.cancel()
        return Overdue(f"{self.entry.id} did not answer within {self.seconds:g} s; the request was dropped.")


def ask(pool: ModelPool, entry: Entry, task: str, args: Mapping[str, Any]) -> Asked:
    """Hands the request of this Flask context to a model. Raises Busy."""
    seconds = patience(flask.request.headers.get("Prefer", ""))
    return Asked(entry, pool.submit(entry, task, args, seconds, client_has_gone()), seconds)


def client_has_gone() -> Callable[[], bool]:
    """Tells whether the client of this Flask context has gone, as far as the server can."""
    has_gone: Callable[[], bool] = flask.request.environ.get("waitress.client_disconnected", nobody_has_gone)
    return has_gone


def patience(prefer: str) -> float:
    """The seconds that a client waits, as it says by `Prefer: wait=60` (RFC 7240)."""
    said = re.search(r"\bwait\s*=\s*\"?(\d{1,6})\b", prefer)
    return min(float(said[1]), MOST_SECONDS) if said else MOST_SECONDS


_STATUSES: tuple[tuple[type[HuggingGPTError], int], ...] = (
    (UnknownModel, 404), (Busy, 503), (Overdue, 504), (MediaError, 400), (UserError, 400), (ExpertUnavailable, 422),
)  # fmt: skip


def status_of(error: HuggingGPTError) -> int:
    """The HTTP status for the cause of an error: the client, the model or the server."""
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def with_status(error: HuggingGPTError, body: Mapping[str, Any]) -> flask.Response:
    """A JSON answer about an error, which says when to try again if that helps."""
    answer = flask.jsonify(body)
    answer.status_code = status_of(error)
    if answer.status_code == 503:
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return answer
