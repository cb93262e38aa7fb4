"""Work on a model that may take minutes, and what its client is told meanwhile: bytes of how many, as events."""

from __future__ import annotations

import json
import queue
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import flask

from hugginggpt.core.errors import BackendError, HuggingGPTError

Tell = Callable[[int, int], None]
"""Called with the bytes that are done, and all of them. It may raise BackendError where nobody waits any more."""

CHUNK_BYTES = 8_000_000
EVENTS = "text/event-stream"
SILENT_SECONDS = 15.0
"""A client is sent something so often, by which it is noticed that one has gone."""
SHARE_OF_MEMORY = 0.5
"""Files that are larger than so much of the free memory would not stay in it until they are loaded."""


NOBODY = "Nobody waits for it any more."


def to_nobody(done: int, total: int) -> None:
    """Tells nobody."""


def read_ahead(files: Sequence[Path], tell: Tell) -> None:
    """Reads files once, in their order, and tells how far it is. They are in the system's memory then, so that loading
    them takes no disk any more: it reads here and there and says nothing of it.
    """
    import psutil

    total, done = sum(file.stat().st_size for file in files), 0
    tell(done, total)
    if total > SHARE_OF_MEMORY * psutil.virtual_memory().available:
        return
    chunk = memoryview(bytearray(CHUNK_BYTES))
    for file in files:
        with file.open("rb", buffering=0) as stream:
            while size := stream.readinto(chunk):
                done += size
                tell(done, total)


def answered(
    event: str,
    start: Callable[[Tell], Future[Any]],
    answer: Callable[[Any], Mapping[str, Any]],
    error_body: Callable[[HuggingGPTError], Mapping[str, Any]],
) -> Any:
    """The answer to the request of this Flask context when the work is done; with its progress before it where the
    client accepts events: `event` (done, total), then "done" (the answer) or "failed" (the error).

    Raises what `start` raises, and without events what the work raises.
    """
    if EVENTS not in flask.request.headers.get("Accept", ""):
        return answer(_ended(start(to_nobody)))
    following = _Following()
    work = start(following.tell)
    work.add_done_callback(lambda _: following.told.put(None))
    headers = {"X-Accel-Buffering": "no"}
    return flask.Response(following.events(event, work, answer, error_body), mimetype=EVENTS, headers=headers)


def _ended(work: Future[Any]) -> Any:
    """What comes of the work. Raises its errors, and BackendError where it was dropped."""
    try:
        return work.result()
    except CancelledError:
        raise BackendError(NOBODY) from None


class _Following:
    """A client that follows some work."""

    def __init__(self) -> None:
        self.told: queue.SimpleQueue[tuple[int, int] | None] = queue.SimpleQueue()
        self.has_gone = False

    def tell(self, done: int, total: int) -> None:
        if self.has_gone:
            raise BackendError(NOBODY)
        self.told.put((done, total))

    def events(
        self,
        event: str,
        work: Future[Any],
        answer: Callable[[Any], Mapping[str, Any]],
        error_body: Callable[[HuggingGPTError], Mapping[str, Any]],
    ) -> Generator[str, None, None]:
        try:
            while (latest := self._latest()) is not None:
                yield _sent(event, {"done": latest[0], "total": latest[1]}) if latest else ": still at work\n\n"
            try:
                last = _sent("done", answer(_ended(work)))
            except HuggingGPTError as error:
                last = _sent("failed", error_body(error))
            yield last
        finally:
            self.has_gone = True
            work.cancel()

    def _latest(self) -> tuple[int, int] | tuple[()] | None:
        """What was told last; () where nothing was for a while, None at the end."""
        try:
            latest = self.told.get(timeout=SILENT_SECONDS)
            while latest is not None and not self.told.empty():
                newer = self.told.get()
                if newer is None:
                    self.told.put(None)
                    break
                latest = newer
        except queue.Empty:
            return ()
        return latest


def _sent(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
