"""Compressed responses: the files of the page, and JSON.

Neither a key nor the token nor a session ever stands in a body, so that its length, beside a text that an attacker
chose (BREACH), tells of no secret; a response that sets a cookie is sent as it is all the same. Event streams are never
held back for it, and pictures, sounds and videos are small already.
"""

from __future__ import annotations

import gzip
from functools import lru_cache, partial

import flask

TYPES = frozenset(
    ("application/json", "application/javascript", "image/svg+xml", "text/css", "text/html", "text/javascript")
)
LEAST_BYTES, MOST_BYTES = 1_000, 8_000_000
"""What is worth the time, and what is read into memory."""
JSON_LEVEL = 4

_file = lru_cache(maxsize=128)(partial(gzip.compress, mtime=0))
"""The files of the page are compressed once."""


def init_app(app: flask.Flask) -> None:
    """Has an application compress what it answers; to be called before other functions see the responses."""
    app.after_request(compress)


def compress(response: flask.Response) -> flask.Response:
    """The response, compressed with gzip where its client reads that and it is worth it."""
    is_file = response.direct_passthrough
    if response.mimetype not in TYPES or response.status_code in (206, 304) or response.is_streamed != is_file:
        return response
    response.vary.add("Accept-Encoding")
    length = response.content_length or 0
    if not LEAST_BYTES <= length <= MOST_BYTES or not flask.request.accept_encodings["gzip"]:
        return response
    if response.content_encoding or "Set-Cookie" in response.headers or "Range" in flask.request.headers:
        return response
    response.direct_passthrough = False
    data = response.get_data()
    response.set_data(_file(data) if is_file else gzip.compress(data, JSON_LEVEL, mtime=0))
    response.content_encoding = "gzip"
    response.headers.pop("Accept-Ranges", None)
    etag, _ = response.get_etag()
    if etag:
        response.set_etag(etag, weak=True)  # not the same bytes as without compression
    return response
