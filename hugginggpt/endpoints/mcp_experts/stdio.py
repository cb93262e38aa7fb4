"""A server as a child process: messages in lines of bounded length, and an end that leaves no process behind.

The transport of the package mcp keeps a line in memory however long it becomes; here a line has a limit. The command
comes from the configuration file, and no shell reads it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.results import visible
from hugginggpt.endpoints.mcp_experts.transport import Transport

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

    Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

log = logging.getLogger(__name__)

PIECE_BYTES = 65536
ENDING_SECONDS = 2.0
"""How long a server may take to end when its input has ended, and again after SIGTERM."""
LAST_CHARS = 300
"""Of what a server wrote to its errors, kept for the sentence that says why it failed."""
_NAMES = {
    "win32": (
        "APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE",
        "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
    ),
}  # fmt: skip
INHERITED = _NAMES.get(sys.platform, ("HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "USER"))
"""The variables that a server gets besides those that the configuration names: no key of the user's is among them."""


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells the end of the process at once: `Process.wait` also waits for the end of its output."""

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit, loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


@dataclass
class Child(Transport):
    """A server's process, which ends with the connection."""

    command: Sequence[str]
    env: Mapping[str, str]
    folder: Path | None
    most_bytes: int
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)
    is_ending: bool = False

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Streams, None]:
        """Starts the process, and ends it with all that it started. Raises OSError if it cannot be started."""
        import anyio

        loop = asyncio.get_running_loop()
        channel, protocol = await loop.subprocess_exec(
            lambda: _Protocol(limit=PIECE_BYTES, loop=loop),
            *_with_parent(self.command),
            env={**{name: os.environ[name] for name in INHERITED if name in os.environ}, **self.env},
            cwd=self.folder,
            start_new_session=True,
        )
        self.process = process = asyncio.subprocess.Process(channel, protocol, loop)
        received, incoming = anyio.create_memory_object_stream[Any](0)
        outgoing, sent = anyio.create_memory_object_stream[Any](0)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read, process, received)
                tasks.start_soon(self._write, process, sent)
                tasks.start_soon(self._read_errors, process)
                tasks.start_soon(self._watch, protocol)
                try:
                    yield incoming, outgoing
                finally:
                    with anyio.CancelScope(shield=True):
                        await self._end(process)
                    tasks.cancel_scope.cancel()
        finally:
            self.kill()
            channel.close()  # a process outside its session may keep the other ends open
            for stream in (received, incoming, outgoing, sent):
                stream.close()

    async def _read(self, process: asyncio.subprocess.Process, received: Any) -> None:
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        assert process.stdout
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            async for line in self._lines(process.stdout):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:  # something that it printed
                    log.debug("%s printed what is no message: %r", self.command[0], line[:200])
                else:
                    await received.send(SessionMessage(message))
        received.close()
        self._has_ended()
        while await process.stdout.read(PIECE_BYTES):  # so that it is not kept from ending by a full pipe
            pass

    async def _watch(self, protocol: _Protocol) -> None:
        """The end of the process, where what it started keeps its output open."""
        await protocol.exited.wait()
        await asyncio.sleep(ENDING_SECONDS)  # for its last words to be read, whose end is told by `_read`
        self._has_ended()

    def _has_ended(self) -> None:
        if not self.is_ending:
            self.failure = self.failure or "it ended"
        self.gone()

    async def _lines(self, stdout: asyncio.StreamReader) -> AsyncGenerator[bytes, None]:
        """The lines of the output, until one is longer than it may be."""
        pieces: list[bytes] = []
        size = 0
        while piece := await stdout.read(PIECE_BYTES):
            *ends, rest = piece.split(b"\n")
            for end in ends:
                yield b"".join([*pieces, end])
                pieces, size = [], 0
            pieces.append(rest)
            size += len(rest)
            if size > self.most_bytes:
                self.failure = f"it answered more than {self.most_bytes / 1e6:.0f} MB at once"
                self.kill()
                return

    async def _write(self, process: asyncio.subprocess.Process, sent: Any) -> None:
        assert process.stdin
        with suppress(ConnectionError):
            async for message in sent:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(text.encode() + b"\n")
                await process.stdin.drain()

    async def _read_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr
        while piece := await process.stderr.read(PIECE_BYTES):
            text = visible(piece.decode(errors="replace"))
            log.debug("%s: %s", self.command[0], text)
            self.last_words = (self.last_words + text)[-LAST_CHARS:]

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """As the protocol asks: its input ends; what is left is terminated, then killed."""
        assert process.stdin
        self.is_ending = True
        process.stdin.close()
        for stop in (None, signal.SIGTERM):
            if stop:
                self.kill(stop)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), ENDING_SECONDS)
                break
        self.kill()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), ENDING_SECONDS)

    def kill(self, stop: signal.Signals = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL) -> None:
        """Ends the process and what it started, as far as that stayed in its session."""
        process = self.process
        if process is None:
            return
        if stop != signal.SIGTERM:
            self.process = None  # its number may soon be that of another
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, stop)


def _with_parent(command: Sequence[str]) -> list[str]:
    """The command, on Linux by way of `child.py`."""
    if sys.platform != "linux" or not sys.executable:
        return list(command)
    launcher = str(Path(__file__).with_name("child.py"))
    return [sys.executable, "-I", "-S", launcher, str(os.getpid()), *command]
