"""Limits on the body of an HTTP answer: its bytes, and the seconds that it may take as a whole.

The timeouts of HTTP libraries are for a single read: a server that sends a byte now and then never runs into
them, and one that sends without end fills the memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx2
import requests
import urllib3

PIECE_BYTES = 65536


class AnswerTooLarge(requests.RequestException):
    """The body is larger than allowed."""


class AnswerTooSlow(requests.Timeout):
    """The body is not there after the seconds that it may take."""


def limited_body(response: requests.Response, most: int, deadline: float) -> bytes:
    """The body of a response that was asked for with `stream=True`, `most` bytes long at most.

    `deadline` is a time of the monotonic clock. Raises AnswerTooLarge, AnswerTooSlow, or requests' errors.
    """
    data = bytearray()
    try:
        while piece := response.raw.read1(PIECE_BYTES, decode_content=True):
            data += piece
            if len(data) > most:
                raise AnswerTooLarge(f"the answer is larger than {most / 1e6:g} MB", response=response)
            if time.monotonic() > deadline:
                raise AnswerTooSlow("the answer came too slowly", response=response)
    except urllib3.exceptions.ReadTimeoutError as error:
        raise requests.ReadTimeout(error, response=response) from error
    except urllib3.exceptions.HTTPError as error:
        raise requests.ConnectionError(error, response=response) from error
    return bytes(data)


class BodyTooLarge(httpx2.RemoteProtocolError):
    """As AnswerTooLarge, for those that ask with httpx2."""


class BoundedClient(httpx2.Client):
    """An httpx2 client that holds bodies to `most` bytes and `seconds`, streams of events to `stream_seconds`.

    Reading beyond raises BodyTooLarge or httpx2.ReadTimeout. Its connections are closed with it.
    """

    def __init__(self, most: int, seconds: float, stream_seconds: float, **options: Any) -> None:
        def bound(response: httpx2.Response) -> None:
            streamed = response.headers.get("content-type", "").startswith("text/event-stream")
            deadline = time.monotonic() + (stream_seconds if streamed else seconds)
            assert isinstance(response.stream, httpx2.SyncByteStream)
            response.stream = _Bounded(response.stream, most, deadline)

        super().__init__(follow_redirects=True, event_hooks={"response": [bound]}, **options)

    def __del__(self) -> None:
        with suppress(Exception):  # the interpreter may be ending
            self.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, most: int, deadline: float) -> None:
        self.stream = stream
        self.most = most
        self.deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self.stream:
            size += len(piece)
            if size > self.most:
                raise BodyTooLarge(f"its answer is larger than {self.most / 1e6:g} MB")
            if time.monotonic() > self.deadline:
                raise httpx2.ReadTimeout("its answer came too slowly")
            yield piece

    def close(self) -> None:
        self.stream.close()
