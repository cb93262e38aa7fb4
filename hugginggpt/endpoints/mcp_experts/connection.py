"""The connection to an MCP server: made when it is first needed, made anew when it broke, ended without a trace.

The protocol runs in an event loop in a thread of its own. A server that keeps failing is left alone for a while, twice
as long each time.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import logging
import re
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, brief
from hugginggpt.core.results import visible
from hugginggpt.endpoints.calls import Call
from hugginggpt.endpoints.mcp_experts.transport import Transport

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, ReadResourceResult, Tool

log = logging.getLogger(__name__)

MOST_TOOLS = 100
FIRST_DELAY, LONGEST_DELAY = 1.0, 60.0
"""Seconds between attempts at a server that fails; they double."""
GRACE_SECONDS = 5.0
"""For the protocol to notice that a call took too long, and for a server to end."""
SHOWN_CHARS = 300
_NO_PROTOCOL = re.compile(r"validation errors? for|Failed to parse JSON|Unexpected content type|SSE stream ended")
"""What the package says when something else than a message of the protocol is answered."""
T = TypeVar("T")


class _Live:
    """One connection, from its making to its end."""

    def __init__(self, transport: Transport, mode: str) -> None:
        self.transport = transport
        self.mode = mode
        self.begun = time.monotonic()
        self.used = False
        self.tools: list[Tool] = []
        self.listed_at: float | None = None
        self.ready: Future[tuple[Client, list[Tool]]] = Future()
        self.tools_changed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = threading.Event()
        _running.add(self)
        self.ended = spawn(self._run, name="mcp")

    @property
    def was_ready(self) -> bool:
        return self.ready.done() and not self.ready.exception()

    def _run(self) -> None:
        try:
            asyncio.run(self._connect())
        except BaseException as error:
            if not self.ready.done():
                self.ready.set_exception(_innermost(error))
            log.info("An MCP connection ended: %r", _innermost(error))
        if not self.ready.done():
            self.ready.set_exception(ConnectionError("it was stopped"))
        _running.discard(self)

    async def _connect(self) -> None:
        import anyio
        from mcp import Client

        logging.getLogger("mcp").addHandler(logging.NullHandler())  # it reports what we put into sentences
        self._stop = asyncio.Event()
        with anyio.CancelScope() as self._scope:
            self._loop = asyncio.get_running_loop()
            self.transport.gone = self._stop.set
            if self._stopped.is_set():
                return
            client = Client(self.transport.streams(), mode=self.mode, cache=None, message_handler=self._noted)
            async with client:
                # the package would hold results against the server's schema, with regular expressions and references
                # that can keep the whole program waiting; schema.py does it in bounded time
                client.session.validate_tool_result = _unchecked  # type: ignore[method-assign]
                tools = await _listed(client)
                self.transport.status = None  # that of an attempt
                self.ready.set_result((client, tools))
                await self._stop.wait()

    async def _noted(self, message: Any) -> None:
        if "list_changed" in str(getattr(message, "method", "")):
            self.tools_changed = True

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Starts work on the connection; cancelling the future reaches the server. Raises ConnectionError."""
        try:
            if self._loop:
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # the loop is closed
            pass
        work.close()
        raise ConnectionError("it was closed")

    def stop(self) -> None:
        """Ends the connection, and its server if that is a child, and waits for its end."""
        self.ask_to_stop()
        self.wait()

    def ask_to_stop(self) -> None:
        self._stopped.set()
        connected = self.ready.done()
        with suppress(RuntimeError):  # the loop has ended
            if self._loop:
                self._loop.call_soon_threadsafe(self._stop.set if connected else self._scope.cancel)

    def wait(self, seconds: float = 3 * GRACE_SECONDS) -> None:
        """Waits for the end, and brings it about where it does not come."""
        with suppress(concurrent.futures.TimeoutError):
            self.ended.result(max(0.0, seconds))
        self.transport.kill()


async def _unchecked(name: str, result: CallToolResult) -> None:
    pass


async def _listed(client: Client) -> list[Tool]:
    """The tools of the server. Raises ConnectionError if there are too many."""
    tools: list[Tool] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        if len(tools) > MOST_TOOLS:
            raise ConnectionError(f"it lists more than {MOST_TOOLS} tools")
        cursor = page.next_cursor
        if cursor is None:
            return tools


class Connection:
    """A server that is connected when it is needed. `about` names it in sentences: "the MCP server clock"."""

    def __init__(
        self,
        about: str,
        make_transport: Callable[[], Transport],
        mask: Callable[[str], str],
        *,
        mode: str = "auto",
        start_seconds: float = 30.0,
        fresh_seconds: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.about = about
        self._subject = about[0].upper() + about[1:]
        self._make_transport = make_transport
        self._mask = mask
        self._mode = mode
        self._start_seconds = start_seconds
        self._fresh_seconds = fresh_seconds
        self._clock = clock
        self._live: _Live | None = None
        self._failures = 0
        self._not_before = 0.0
        self._problem = ""
        self._lock = threading.Lock()

    @property
    def problem(self) -> str:
        """Why the server could not be used the last time, as a sentence; "" if it could, or was not needed yet."""
        return self._problem

    def tools(self, seconds: float | None = None) -> list[Tool]:
        """The tools that the server lists, connecting to it first if need be, within so many seconds.

        Raises BackendError.
        """
        live = self._connected(seconds)
        if live.tools_changed or self._clock() - (live.listed_at or 0.0) > self._fresh_seconds:
            live.tools_changed = False
            client, _ = live.ready.result()
            self._keep(live, self._result(live, self._submit(live, _listed(client)), self._start_seconds))
        return live.tools

    def call(
        self, tool: Tool, arguments: dict[str, Any], seconds: float, call: Call, *, again: bool = False
    ) -> CallToolResult:
        """What a tool, as it was listed, answers. The server is told to stop when the call is over or takes longer.

        A server that was started again meanwhile and lists the tool otherwise is not called: nobody looked at that.
        With `again`, a connection that was used before and turns out to be broken is made anew and the tool called once
        more: a server elsewhere may have been restarted meanwhile. Raises BackendError.
        """
        live = self._connected()
        try:
            return self._call(live, tool, arguments, seconds, call)
        except BackendError as error:
            if not (again and live.used and error.endpoint_down) or call.is_over:
                raise
        return self._call(self._connected(), tool, arguments, seconds, call)

    def _call(self, live: _Live, tool: Tool, arguments: dict[str, Any], seconds: float, call: Call) -> CallToolResult:
        client, _ = live.ready.result()
        if tool not in live.tools:
            raise BackendError(f"{self._subject} was started again, and its tool {tool.name} has changed.")

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            call.report(progress, total, self._mask(message or ""))

        work = client.call_tool(tool.name, arguments, read_timeout_seconds=seconds, progress_callback=tell)
        future = self._submit(live, work)
        call.when_over(future.cancel)
        result = self._result(live, future, seconds + GRACE_SECONDS)
        live.used = True
        self._failures, self._problem = 0, ""
        return result

    def read(self, uri: str, seconds: float) -> ReadResourceResult:
        """A resource of the server. Raises BackendError."""
        live = self._connected()
        client, _ = live.ready.result()
        return self._result(live, self._submit(live, client.read_resource(uri)), seconds)

    def close(self) -> None:
        """Ends the connection and the server's process."""
        with self._lock:
            live, self._live = self._live, None
        if live:
            live.stop()

    def _connected(self, seconds: float | None = None) -> _Live:
        """The live connection. Callers that come meanwhile wait for the one that is being made. Raises BackendError."""
        with self._lock:
            if self._live and self._live.ended.done() and self._live.was_ready:
                if self._live.used:
                    self._live = None
                else:
                    self._count(self._live, "it ended before it was used")
            if self._live is None or self._live.ended.done():
                if (wait := self._not_before - self._clock()) > 0:
                    raise BackendError(f"{self._problem} It is tried again in {wait:.0f} s.", endpoint_down=True)
                self._live = _Live(self._make_transport(), self._mode)
            live = self._live
        patience = self._start_seconds if seconds is None else min(seconds, self._start_seconds)
        try:
            _, tools = live.ready.result(patience)
        except concurrent.futures.TimeoutError:
            if seconds is not None and seconds < self._start_seconds:
                raise BackendError(f"{self._subject} is still starting.") from None
            error = TimeoutError(f"it did not start within {self._start_seconds:g} s")
            raise self._failed(live, error) from None
        except Exception as error:
            raise self._failed(live, error) from error
        if live.listed_at is None:
            self._keep(live, tools)
        return live

    def _keep(self, live: _Live, tools: list[Tool]) -> None:
        live.tools, live.listed_at, self._problem = tools, self._clock(), ""

    def _submit(self, live: _Live, work: Coroutine[Any, Any, T]) -> Future[T]:
        try:
            return live.submit(work)
        except ConnectionError as error:
            raise self._failed(live, error) from error

    def _failed(self, live: _Live, error: BaseException) -> BackendError:
        """The error to raise for a connection that cannot be used any more; the next one is made after a while."""
        clause = live.transport.failure or self._worded(error)
        if not live.was_ready and _NO_PROTOCOL.search(clause):
            clause = "what answers at its address is no MCP server: check its url, with the path"
        said = live.transport.last_words.strip().rpartition("\n")[2]
        if said and not live.transport.failure.startswith("it answered"):
            clause = f"{clause} ({said})"
        status = live.transport.status
        if status:
            clause = f"it answers {status}" + (": check its headers" if status in (401, 403) else "")
        with self._lock:
            if self._live is live:
                self._count(live, clause)
        spawn(live.stop)
        return BackendError(self._problem, endpoint_down=True, status=status)

    def _count(self, live: _Live, clause: str) -> None:
        """Counts the live connection as a failure; the lock is held."""
        self._live = None
        if self._failures or not live.was_ready:  # the first time, one that was ready is made anew at once
            delay = min(FIRST_DELAY * 2**self._failures, LONGEST_DELAY)
            self._not_before = self._clock() + max(delay, time.monotonic() - live.begun)
        self._failures += 1
        self._problem = f"{self._subject} cannot be used: {self._mask(clause)}."

    def _result(self, live: _Live, future: Future[T], seconds: float) -> T:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

        about = self._subject
        try:
            return future.result(seconds)
        except concurrent.futures.CancelledError as error:
            if live.ended.done() or live.transport.failure:
                raise self._failed(live, ConnectionError("it ended")) from error
            raise BackendError(f"{about} was told to stop.") from None
        except (concurrent.futures.TimeoutError, TimeoutError):
            future.cancel()
            raise BackendError(f"{about} did not answer in time.") from None
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise BackendError(f"{about} did not answer in time.") from None
            if error.code == CONNECTION_CLOSED or live.transport.failure or "Session terminated" in error.message:
                raise self._failed(live, error) from error
            raise BackendError(f"{about} failed: {self._worded(error)}.") from error
        except Exception as error:
            if live.ended.done() or live.transport.failure:
                raise self._failed(live, error) from error
            raise BackendError(f"{about} answered what it may not: {self._worded(error)}.") from error

    def _worded(self, error: BaseException) -> str:
        text = getattr(error, "message", "") or brief(error if isinstance(error, Exception) else Exception(str(error)))
        return self._mask(" ".join(visible(str(text)).split()))[:SHOWN_CHARS].rstrip(".")


def _innermost(error: BaseException) -> BaseException:
    """Of a group of errors the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


_running: set[_Live] = set()
"""All connections that have not ended, those too that are not used any more."""


@atexit.register
def _close_all() -> None:
    """No server is left when the program ends."""
    live = list(_running)
    for one in live:
        one.ask_to_stop()
    deadline = time.monotonic() + 3 * GRACE_SECONDS
    for one in live:
        one.wait(deadline - time.monotonic())
