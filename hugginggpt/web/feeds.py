"""Events as they are sent to the clients of the web server: Server-Sent Events, and how many clients may follow."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import flask

from hugginggpt.records.feeds import Numbered, TooManyRuns

RETRY_AFTER_SECONDS = 2
MAX_DIGITS = 10
LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}
"""They end no line of an event, but many clients, Python's `splitlines` among them, take them for line ends."""


class Followers:
    """Limits how many clients follow events at the same time: each has a thread of the server."""

    def __init__(self, most: int) -> None:
        self._free = threading.BoundedSemaphore(most)

    def enter(self) -> None:
        """Takes a place, which `leave` gives back. Raises TooManyRuns."""
        if not self._free.acquire(blocking=False):
            raise TooManyRuns("As many clients as can be served follow runs and goals already; try again in a moment.")

    def leave(self) -> None:
        self._free.release()


def last_event_id() -> int:
    """The number of the last event that the client has received; 0 for none."""
    last = flask.request.headers.get("Last-Event-ID") or flask.request.args.get("after") or "0"
    return int(last) if last.isascii() and last.isdigit() and len(last) < MAX_DIGITS else 0


def sent(name: str, data: Mapping[str, Any], number: int | None = None) -> str:
    """An event as it is sent; one without a number is not counted."""
    text = json.dumps(data, ensure_ascii=False, default=str).translate(LINE_ENDS)
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {text}\n\n"


def sent_items(items: Iterable[Numbered | None]) -> Iterator[str]:
    """The items of `Feed.follow` as they are sent."""
    for item in items:
        yield ": still there\n\n" if item is None else sent(item[1]["event"], item[1], item[0])


def event_stream(lines: Iterable[str]) -> flask.Response:
    return flask.Response(lines, mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})
