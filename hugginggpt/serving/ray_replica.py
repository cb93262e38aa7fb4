"""A replica of Ray Serve: the embedded pool, with its queues, batches and memory, in a process of the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hugginggpt.common.scratch import remove_abandoned
from hugginggpt.experts.source import cached_folder, choose_placement
from hugginggpt.llm.llama_process import LlamaSettings
from hugginggpt.serving.devices import Devices
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.pool import Pool
from hugginggpt.serving.ray_messages import SCRATCH, Answer, Done, Failure, ReplicaState, Request, Told, received

LOOPBACK = "127.0.0.1:0"


@dataclass(frozen=True, slots=True)
class ReplicaSettings:
    """How the replicas of a group run models: on a device, within `memory` bytes, None: a share of what is free there;
    GGUF files as `llama` says.

    `warm` are loaded before a replica gets requests. `on_loopback` says that nobody on another machine needs it.
    `version` tells replicas of other settings, or of another version of the program, apart.
    """

    version: str
    device: str
    memory: int | None
    share_of_free: float
    queue: int
    batch: int
    max_open: int
    max_minutes: float
    controlnet_base: tuple[str, Path]
    llama: LlamaSettings
    warm: tuple[Entry, ...] = ()
    on_loopback: bool = False


class Replica:
    """The deployment of a group of models."""

    def __init__(self, settings: ReplicaSettings) -> None:
        """Loads the models that are to be warm; one that cannot be loaded fails the replica."""
        if settings.on_loopback:
            _listen_on_loopback()
        remove_abandoned(SCRATCH)
        self.settings = settings
        devices = Devices(lambda: [choose_placement(settings.device)], settings.memory, settings.share_of_free)
        if not settings.memory:
            devices.total  # noqa: B018  of what is free now
        self.pool = Pool(
            devices, queue_size=settings.queue, batch=settings.batch, on_done=self._count,
            base=lambda: _found(*settings.controlnet_base), max_open=settings.max_open,
            max_minutes=settings.max_minutes, llama=lambda file: replace(settings.llama, file=file),
        )  # fmt: skip
        self.done: list[Done] = []
        for entry in settings.warm:
            self.pool.load(_here(entry)).result()

    def _count(self, model: str, queued: float, seconds: float, outcome: str) -> None:
        self.done.append(Done(model, queued, seconds, outcome))

    def _take_done(self) -> tuple[Done, ...]:
        taken, self.done = tuple(self.done), []
        return taken

    async def version(self) -> str:
        return self.settings.version

    async def run(self, request: Request) -> Answer:
        """Runs a request, which is dropped when this call is cancelled."""
        return await self._answer(request, asyncio.Queue())

    async def stream(self, request: Request) -> AsyncIterator[Told | Answer]:
        """As `run`, after what the model tells while it runs."""
        told: asyncio.Queue[Told | None] = asyncio.Queue()
        answer = asyncio.create_task(self._answer(request, told))
        try:
            while (one := await told.get()) is not None:
                yield one
            yield await answer
        finally:
            answer.cancel()

    async def _answer(self, request: Request, told: asyncio.Queue[Told | None]) -> Answer:
        loop = asyncio.get_running_loop()
        try:
            arguments = received(request.args, lambda one: loop.call_soon_threadsafe(told.put_nowait, one))
            args = await asyncio.to_thread(arguments.__enter__)
            try:
                done = self.pool.submit(_here(request.entry), request.task, args, request.seconds)
                value = await asyncio.wrap_future(done)
            finally:
                await asyncio.to_thread(arguments.__exit__, None, None, None)
        except Exception as error:
            return Answer(failure=Failure.of(error), done=self._take_done())
        finally:
            loop.call_soon(told.put_nowait, None)
        return Answer(value, done=self._take_done())

    async def load(self, entry: Entry) -> Answer:
        try:
            await asyncio.wrap_future(self.pool.load(_here(entry)))
        except Exception as error:
            return Answer(failure=Failure.of(error))
        return Answer()

    async def unload(self, model: str) -> bool:
        return await asyncio.to_thread(self.pool.unload, model)

    async def state(self) -> ReplicaState:
        models = self.pool.statuses()
        placement = self.pool.placement if any(status.bytes for status in models.values()) else None
        return ReplicaState(self.pool.budget, self.pool.waiting(), placement, models)


def _here(entry: Entry) -> Entry:
    """The entry with the model's folder on this node: the same path, else that of the Hub's cache here."""
    return replace(entry, folder=_found(entry.id, entry.folder) or entry.folder) if entry.folder else entry


def _found(model: str, folder: Path) -> Path | None:
    if folder.exists():
        return folder
    with suppress(Exception):  # an id that is none of the Hub's
        return cached_folder(model)
    return None


def _listen_on_loopback() -> None:
    """Has Ray Serve 2.60 open a replica's port for calls between deployments, which it opens on all interfaces and
    which nobody here uses, on the loopback interface.
    """
    from ray.serve._private import replica as serve_replica

    add = serve_replica.add_port_to_grpc_server
    serve_replica.add_port_to_grpc_server = lambda server, _: add(server, LOOPBACK)
