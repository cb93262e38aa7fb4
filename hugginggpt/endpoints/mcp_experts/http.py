"""A server at a URL, by streamable HTTP: bounded answers, keys for its own host alone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from hugginggpt.endpoints.mcp_experts.transport import Transport


class BodyTooLarge(httpx2.StreamError):
    """An answer that is larger than it may be."""


@dataclass
class Remote(Transport):
    """A server at a URL."""

    url: str
    headers: Mapping[str, str]
    seconds: float
    connect_seconds: float
    most_bytes: int
    proxy: str | None = None
    is_here: bool = False
    """Whether it is a server of this machine: no proxy of the environment gets its keys."""

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Any, None]:
        """The connection. Its redirects lead to the same scheme, host and port, or are not followed."""
        from mcp.client.streamable_http import streamable_http_client

        timeout = httpx2.Timeout(self.connect_seconds, read=self.seconds)
        async with (
            httpx2.AsyncClient(
                # an answer that is not compressed is as large as it is
                headers={**self.headers, "Accept-Encoding": "identity"},
                timeout=timeout,
                proxy=self.proxy,
                trust_env=not self.is_here,
                event_hooks={"response": [self._bound]},
            ) as client,
            streamable_http_client(self.url, http_client=client, max_sse_event_size=self.most_bytes) as streams,
        ):
            yield streams

    async def _bound(self, response: httpx2.Response) -> None:
        if response.request.method == "POST":  # a server may refuse the others
            self.status = response.status_code if response.status_code >= 400 else None
        if response.headers.get("content-encoding", "identity") != "identity":
            self.failure = "it answered compressed, unasked"
            raise BodyTooLarge(self.failure)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Bounded(response.stream, self)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, remote: Remote) -> None:
        self.stream = stream
        self.remote = remote

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self.stream:
            size += len(piece)
            if size > self.remote.most_bytes:
                self.remote.failure = f"it answered more than {self.remote.most_bytes / 1e6:.0f} MB at once"
                raise BodyTooLarge(self.remote.failure)
            yield piece

    async def aclose(self) -> None:
        await self.stream.aclose()
