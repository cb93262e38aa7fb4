"""The models in replicas on Ray Serve, on this machine or in a cluster.

A group of models has replicas, processes with the embedded pool in them, and Ray Serve gives a request to the one that
has fewer of two. The server stays the front: its routes, its guard and its limits. A request whose replica is lost is
sent to another one: experts only compute, so that nothing is done twice by it.
"""

from __future__ import annotations

import fnmatch
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hugginggpt.common.threads import spawn
from hugginggpt.config.ray import RayServe, ReplicaGroup
from hugginggpt.core.errors import BackendError, ConfigError, ExpertUnavailable, HuggingGPTError, brief
from hugginggpt.experts.source import Placement
from hugginggpt.serving.jobs import Job
from hugginggpt.serving.model_pool import Busy, State, Status, nobody_has_gone
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.progress import Tell, to_nobody
from hugginggpt.serving.ray_cluster import Cluster, application, gpu_share
from hugginggpt.serving.ray_messages import Answer, Listener, ReplicaState, Request, Told, sent
from hugginggpt.serving.ray_replica import Replica, ReplicaSettings

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""So many replicas are tried for a request when they are lost while they work on it."""
STATE_SECONDS = 1.0
"""For so long what the replicas said of themselves is shown; and so long they have to say it."""
LOST = (
    "RayActorError", "ObjectLostError", "WorkerCrashedError", "NodeDiedError", "ReplicaUnavailableError",
)  # fmt: skip
"""Ray's errors, each with those derived from it, that say that a process or a node has gone."""
FURTHER: tuple[State, ...] = ("available", "failed", "loading", "loaded")
"""The states of a model in replicas, the one that is shown last."""


@dataclass(slots=True)
class RemoteJob(Job):
    """A request that a replica works on; `response` is Ray Serve's."""

    response: Any = None


@dataclass(slots=True)
class _States:
    """What the replicas said of themselves, and when."""

    at: float = -math.inf
    states: list[ReplicaState] = field(default_factory=list)


class RayPool:
    """The replicas of each group of models, and the requests that this server has sent them."""

    def __init__(
        self, settings: RayServe, replica: ReplicaSettings, memory: float | None = None, max_open: int = 80
    ) -> None:
        """`replica` are the settings of all groups' replicas, without their memory, which is that of the group, else
        `memory` in GB. `max_open` limits the open requests of this server.
        """
        self.settings = settings
        self.replica = replica
        self.memory = memory
        self.max_open = max_open
        self.on_done: Callable[[str, float, float, str], None] = lambda *_: None
        self.cluster = Cluster(settings)
        self._handles: dict[str, DeploymentHandle[Replica]] = {}
        self._open: dict[Future[Any], RemoteJob] = {}
        self._uses: dict[str, int] = {}
        self._known = _States()
        self._changed = threading.Condition()
        self._state = "being started"

    # Beginning and end

    def start(self) -> None:
        """Connects, and waits for a replica of each group. Raises ConfigError and BackendError."""
        self.cluster.connect()
        resources = self.cluster.resources()
        self._check_cpus(resources.get("CPU", 0))
        for group in self.settings.groups:
            gpus = self._gpus(group, resources)
            self._handles[group.name] = self.cluster.deploy(group, self._settings_of(group, gpus), gpus)
        self._state = ""

    def application(self, name: str) -> Any:
        """A group as an application of Ray Serve, for whoever deploys it in place of `start`, within the cluster.

        Raises ConfigError.
        """
        group = next((group for group in self.settings.groups if group.name == name), None)
        if not group:
            raise ConfigError(f"There is no group {name} in models_server.ray.groups.")
        gpus = self._gpus(group, self.cluster.resources())
        return application(group, self._settings_of(group, gpus), gpus)

    def _gpus(self, group: ReplicaGroup, resources: Mapping[str, float]) -> float:
        has_gpus = self.replica.device != "cpu" and resources.get("GPU", 0) > 0
        if self.replica.device.startswith("cuda") and not has_gpus:
            raise ConfigError(f"device: {self.replica.device} is not there: no node of the Ray cluster has a GPU.")
        return gpu_share(group, self.settings.gpu_memory, has_gpus)

    def _check_cpus(self, there: float) -> None:
        """A cluster may get further nodes; this machine does not."""
        needed = sum(group.cpus * group.replicas for group in self.settings.groups)
        if self.cluster.is_local and needed > there:
            raise ConfigError(
                f"models_server.ray.groups: the replicas take {needed:g} CPUs, and this machine has {there:g}."
            )

    def _settings_of(self, group: ReplicaGroup, gpus: float) -> ReplicaSettings:
        """Without a setting for memory, the replicas on CPUs share what is free, as if all were on one node."""
        memory = group.memory or self.memory
        settings = replace(
            self.replica,
            device="cuda" if gpus else "cpu",
            memory=int(memory * 1e9) if memory else None,
            share_of_free=self.replica.share_of_free / (1 if gpus else sum(each.most for each in self.settings.groups)),
            warm=tuple(entry for entry in self.replica.warm if self._group(entry.id) is group),
            on_loopback=self.cluster.is_local,
        )
        return replace(settings, version=f"{settings.version} {hash_of(settings, group)}")

    def close(self) -> None:
        """Finishes the running and queued requests, then leaves the cluster."""
        self._state = "shutting down"
        self.drop_unwanted()
        with self._changed:
            self._changed.wait_for(lambda: not self._open)
        if self._handles:
            self.cluster.leave()

    # Requests

    def submit(
        self,
        entry: Entry,
        task: str,
        args: Mapping[str, Any],
        seconds: float = math.inf,
        has_gone: Callable[[], bool] = nobody_has_gone,
    ) -> Future[Any]:
        """As ModelPool. A request that cannot be dropped because nobody asks for it is found at the next one."""
        job = RemoteJob(task, args, time.monotonic() + seconds, has_gone)
        handle = self._handle(entry.id)
        with self._changed:
            self.drop_unwanted()
            if len(self._open) >= self.max_open:
                raise Busy(f"{self.max_open} requests are being processed already; try again later.")
            self._open[job.done] = job
        job.done.add_done_callback(lambda _: self._ended(job))
        spawn(self._run, job, entry, handle, name=entry.id)
        return job.done

    def _handle(self, model: str) -> DeploymentHandle[Replica]:
        if self._state:
            raise Busy(f"The server is {self._state}.")
        return self._handles[self._group(model).name]

    def _group(self, model: str) -> ReplicaGroup:
        for group in self.settings.groups:
            if any(fnmatch.fnmatchcase(model, pattern) for pattern in group.models):
                return group
        raise ExpertUnavailable(f"{model} is in no group of models_server.ray.groups.")

    def _ended(self, job: RemoteJob) -> None:
        with self._changed:
            self._open.pop(job.done, None)
            self._changed.notify_all()
        if job.done.cancelled() and job.response is not None:
            job.response.cancel()

    def _run(self, job: RemoteJob, entry: Entry, handle: DeploymentHandle[Replica]) -> None:
        """Completes a job with what comes of it, whatever that is."""
        try:
            answer = self._answer(job, entry, handle)
            if answer.failure:
                raise answer.failure.as_error()
        except Exception as error:
            if job.is_wanted:
                job.done.set_exception(_explained(entry.id, error))
            return
        with suppress(Exception):  # cancelled meanwhile
            job.done.set_result(answer.value)

    def _answer(self, job: RemoteJob, entry: Entry, handle: DeploymentHandle[Replica]) -> Answer:
        """The answer of a replica, of another one when that is lost. Raises Ray's errors."""
        args = sent(job.args)
        for attempt in range(1, ATTEMPTS + 1):
            request = Request(entry, job.task, args, job.end - time.monotonic())
            told: list[Told] = []
            try:
                answer = self._ask(job, request, handle, told)
            except Exception as error:
                if not is_lost(error) or told or attempt == ATTEMPTS or not job.is_wanted:
                    raise
                log.warning("%s: its replica was lost (%s), another one is asked", entry.id, type(error).__name__)
                continue
            self._count(answer, entry.id)
            return answer
        raise AssertionError("the last attempt returns or raises")

    def _ask(self, job: RemoteJob, request: Request, handle: DeploymentHandle[Replica], told: list[Told]) -> Answer:
        if not any(isinstance(value, Listener) for value in request.args.values()):
            job.response = handle.run.remote(request)
            self._cancel_if_unwanted(job)
            answer: Answer = job.response.result()
            return answer
        job.response = handle.options(stream=True).stream.remote(request)
        self._cancel_if_unwanted(job)
        for one in job.response:
            if isinstance(one, Answer):
                return one
            told.append(one)
            job.args[one.name](*one.values)
        raise BackendError(f"{request.entry.id} ended without an answer.")

    @staticmethod
    def _cancel_if_unwanted(job: RemoteJob) -> None:
        """Cancels what was not wanted any more before there was a response to cancel."""
        if job.done.cancelled():
            job.response.cancel()

    def _count(self, answer: Answer, model: str) -> None:
        for done in answer.done:
            self.on_done(done.model, done.queued, done.seconds, done.outcome)
        with self._changed:
            self._uses[model] = self._uses.get(model, 0) + 1
            if not any(state.models.get(model, Status()).state == "loaded" for state in self._known.states):
                self._known = _States()

    def drop_unwanted(self) -> None:
        """Cancels the requests for which nobody waits any more."""
        with self._changed:
            for job in list(self._open.values()):
                job.is_wanted  # noqa: B018  cancels it

    def waiting(self) -> int:
        """The requests that are not answered yet: which of them run, only the replicas know."""
        with self._changed:
            return len(self._open)

    # Models

    def load(self, entry: Entry, tell: Tell = to_nobody, has_gone: Callable[[], bool] = nobody_has_gone) -> Future[Any]:
        """Loads a model in all replicas that there are; how far they are is not told."""
        handle = self._handle(entry.id)
        return spawn(self._load, entry, handle, name=f"load {entry.id}")

    def _load(self, entry: Entry, handle: DeploymentHandle[Replica]) -> None:
        try:
            answers = handle.broadcast("load", entry).results()
        except Exception as error:
            raise _explained(entry.id, error) from error
        finally:
            self._known = _States()
        for answer in answers:
            if answer.failure:
                raise answer.failure.as_error()

    def unload(self, model: str) -> bool:
        try:
            unloaded = any(self._handle(model).broadcast("unload", model).results())
        except HuggingGPTError:
            raise
        except Exception as error:
            raise _explained(model, error) from error
        self._known = _States()
        return unloaded

    def status(self, model: str) -> Status:
        return self.statuses().get(model, Status())

    def statuses(self) -> dict[str, Status]:
        """As the replicas said a second ago: the bytes of a model in all of them, the state in the one where it is best
        off. The uses are those by this server.
        """
        found: dict[str, Status] = {}
        for state in self._states():
            for model, status in state.models.items():
                known = found.setdefault(model, Status(last_used=status.last_used))
                known.bytes += status.bytes
                known.uses = self._uses.get(model, 0)
                if FURTHER.index(status.state) >= FURTHER.index(known.state):
                    known.state, known.error = status.state, status.error
                    known.device, known.dtype = status.device or known.device, status.dtype or known.dtype
        return found

    def _states(self) -> list[ReplicaState]:
        known = self._known
        if time.monotonic() - known.at < STATE_SECONDS or self._state:
            return known.states
        states: list[ReplicaState] = []
        for handle in list(self._handles.values()):
            with suppress(Exception):  # a replica that has just gone
                said = handle.broadcast("state").results(timeout_s=STATE_SECONDS, return_exceptions=True)
                states += [state for state in said if isinstance(state, ReplicaState)]
        self._known = _States(time.monotonic(), states)
        return states

    @property
    def budget(self) -> int:
        return sum(state.budget for state in self._states())

    @property
    def placement(self) -> Placement:
        """That of a replica which has loaded a model."""
        found: Iterator[Placement] = (state.placement for state in self._states() if state.placement)
        return next(found, Placement("cpu", "float32"))


def is_lost(error: Exception) -> bool:
    """Whether a request failed because its replica, or the node of it, has gone."""
    return any(kind.__name__ in LOST for kind in type(error).__mro__)


def _explained(model: str, error: Exception) -> Exception:
    """Ray's errors as ours, in a sentence."""
    if isinstance(error, HuggingGPTError):
        return error
    name = type(error).__name__
    if name == "BackPressureError":
        return Busy(f"Too many requests wait for the replicas of {model} already; try again later.")
    if is_lost(error):
        return BackendError(f"{model}: {ATTEMPTS} replicas were lost while they worked on the request.")
    log.warning("%s failed on Ray", model, exc_info=error)
    return BackendError(f"{model} failed: {name}: {brief(error)}")


def hash_of(*settings: object) -> str:
    """A short text that differs where the settings do."""
    import hashlib

    return hashlib.sha256(repr(settings).encode()).hexdigest()[:12]
