"""Has a model server of ours load a model before its first request, and tells who follows the run how far that is."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import requests

from hugginggpt.core.errors import BackendError
from hugginggpt.core.lenient_json import read_json
from hugginggpt.endpoints.calls import current_call
from hugginggpt.net.http_limits import limited_pieces

log = logging.getLogger(__name__)

EVENTS = "text/event-stream"
MAX_BYTES = 5_000_000
"""Of all events together."""


def load(session: requests.Session, url: str, model: str, connect_seconds: float, seconds: float) -> None:
    """Loads a model, for so many seconds at most: a load that takes longer goes on at the server.

    Raises BackendError where the server says that it cannot be loaded. Whatever else goes wrong, the request for the
    model will tell.
    """
    call = current_call()
    try:
        with session.post(
            f"{url}/models/{quote(model)}/load", headers={"Accept": EVENTS}, timeout=(connect_seconds, seconds),
            stream=True, allow_redirects=False,
        ) as response:  # fmt: skip
            if response.headers.get("Content-Type", "").partition(";")[0] != EVENTS:
                return
            call.when_over(response.close)
            for event, data in _events(limited_pieces(response, MAX_BYTES, time.monotonic() + seconds)):
                if event == "loading":
                    done, total = float(data["done"]), float(data["total"])
                    what = f"the weights of {model} are read" if done < total else f"{model} is put into memory"
                    call.report(done, total, what)
                elif event == "failed":
                    raise BackendError(f"{model} on the model server failed: {str(data['error']['message'])[:300]}")
    except (requests.RequestException, ValueError, TypeError, KeyError, AttributeError) as error:
        log.info("%s: loading it was not followed to its end (%s)", model, type(error).__name__)


def _events(pieces: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    """The events of a stream as they arrive: their names, and their data. Raises ValueError for one that is none."""
    waiting = b""
    for piece in pieces:
        *blocks, waiting = (waiting + piece).split(b"\n\n")
        for block in blocks:
            fields = dict(line.partition(b": ")[::2] for line in block.split(b"\n"))
            if b"event" in fields:
                yield fields[b"event"].decode(), read_json(fields[b"data"])
