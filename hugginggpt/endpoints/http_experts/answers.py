"""Answers of services over plain HTTP: read within limits, and whether they tell of an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from hugginggpt.config.http_experts import Code, HttpErrors
from hugginggpt.core.lenient_json import read_json
from hugginggpt.core.result_paths import find
from hugginggpt.core.results import ResultSchema, visible
from hugginggpt.media.store import MediaStore
from hugginggpt.net.http_limits import AnswerTooSlow, limited_body, limited_pieces
from hugginggpt.net.watched_http import Watch

MESSAGES = ("error.message", "error", "message", "detail", "error_msg", "error_description", "msg", "detail.0.msg")
"""Where services say what is wrong, if the configuration does not know better."""
MESSAGE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may be: bytes of JSON or text, and the time of the monotonic clock by which it is whole."""

    bytes: int
    deadline: float
    watch: Watch


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its status and its value, of JSON or a text; of a body that `is_saved`, the public path of the file.

    `leads_to` is the host that a redirect names.
    """

    status: int
    value: Any
    leads_to: str = ""
    is_saved: bool = False

    def problem(self, errors: HttpErrors | None) -> str:
        """What is wrong, as the rest of a sentence about the service; "" if nothing is."""
        if self.leads_to:
            return f"leads to {self.leads_to}, and no redirect is followed: set the url to where it is"
        if self.status >= HTTPStatus.BAD_REQUEST:
            return f"answers {self.status}{self._message(errors)}"
        code = self.code(errors)
        if code in (None, "", False) or errors is None or _is_in(code, errors.ok):
            return ""
        return f"answers with the error {_words(str(code))}{self._message(errors)}"

    def code(self, errors: HttpErrors | None) -> Code:
        """The code of an error, where the answer has one."""
        try:
            code = find(self.value, errors.code) if errors else None
        except LookupError:
            return None
        return code if isinstance(code, int | str) else None

    def token_expired(self, errors: HttpErrors | None) -> bool:
        """Whether it says that the token has expired or is not valid."""
        if self.status == HTTPStatus.UNAUTHORIZED:
            return True
        return errors is not None and _is_in(self.code(errors), errors.expired)

    def _message(self, errors: HttpErrors | None) -> str:
        """What the service says, in brackets."""
        paths = [errors.message] if errors and errors.message else []
        for path in (*paths, *MESSAGES):
            try:
                said = find(self.value, path)
            except LookupError:
                continue
            if isinstance(said, str) and (words := _words(said)):
                return f" ({words})"
        return ""


def _words(text: str) -> str:
    """On one line, and whole: half a key would not be masked any more."""
    return " ".join(visible(text).split())


def _is_in(code: Code, codes: list[Code]) -> bool:
    return code is not None and str(code) in map(str, codes)


def read_answer(
    response: requests.Response, schema: ResultSchema, has_paths: bool, media: MediaStore, limits: Limits
) -> Answer:
    """The answer of a service; a body that is the file itself is saved as it arrives.

    Raises AnswerTooLarge, AnswerTooSlow or requests' errors, and BackendError for a body that is no such file.
    """
    status = response.status_code
    if response.is_redirect or 300 <= status < 400:
        target = urljoin(response.url, response.headers.get("Location", ""))
        return Answer(status, None, leads_to=_host(target))
    content_type = response.headers.get("Content-Type", "").lower()
    as_text = "json" in content_type or content_type.startswith("text/") or has_paths
    if status < HTTPStatus.MULTIPLE_CHOICES and schema.makes and not as_text:
        pieces = _whole(limited_pieces(response, media.max_bytes, limits.deadline), limits.watch)
        return Answer(status, {f"generated {schema.makes[0]}": media.save(schema.makes[0], pieces)}, is_saved=True)
    body = limited_body(response, limits.bytes, limits.deadline)
    if limits.watch.stopped:
        raise AnswerTooSlow("the answer came too slowly", response=response)
    return Answer(status, _value(body))


def _whole(pieces: Iterator[bytes], watch: Watch) -> Iterator[bytes]:
    """The pieces of a body whose end may be that it was stopped."""
    yield from pieces
    if watch.stopped:
        raise AnswerTooSlow("the answer came too slowly")


def _value(body: bytes) -> Any:
    """The value of JSON; the text of any other body, and bytes that are none."""
    decoders: tuple[Callable[[bytes], Any], ...] = (read_json, bytes.decode)
    for decode in decoders:
        try:
            return decode(body)
        except ValueError:
            continue
    return body


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or "nowhere"
    except ValueError:
        return "an odd address"
