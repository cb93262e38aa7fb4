"""The models in memory: each is loaded once, on first use, by a worker thread that runs its requests.

Requests to one model are queued and, where its family allows, batched; different models run concurrently. Models are
loaded one after another, while loaded ones continue to run. Where memory is short, the least recently used idle models
are unloaded.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import install_command
from hugginggpt.core.errors import BackendError, ExpertUnavailable, HuggingGPTError, UserError
from hugginggpt.experts import registry
from hugginggpt.experts.families import Args, Family, Run, each, family_for
from hugginggpt.experts.source import Placement, Source
from hugginggpt.media.decoding import decoding
from hugginggpt.serving.devices import Devices
from hugginggpt.serving.jobs import Job, finish, size_of
from hugginggpt.serving.model_pool import Busy, Status, nobody_has_gone
from hugginggpt.serving.model_registry import Entry
from hugginggpt.serving.progress import Tell, read_ahead, to_nobody
from hugginggpt.serving.working_memory import WorkingMemory, input_bytes, peak_of

if TYPE_CHECKING:
    from hugginggpt.llm.llama_process import LlamaSettings

log = logging.getLogger(__name__)

UNWANTED_SECONDS = 1.0
"""How long a pool that closes waits for the end of what nobody wants any more, in seconds."""
MEMORY_WAIT_SECONDS = 60.0
"""How long a model waits for others to free memory, in seconds."""


class Pool:
    """The models in memory, within a budget of bytes on each device."""

    def __init__(
        self,
        devices: Devices,
        queue_size: int = 32,
        batch: int = 8,
        on_done: Callable[[str, float, float, str], None] = lambda *_: None,
        base: Callable[[], Path | None] = lambda: None,
        max_open: int = 80,
        max_minutes: float = math.inf,
        llama: Callable[[Path], LlamaSettings] | None = None,
    ) -> None:
        """`on_done` is called after each request: model, seconds queued, seconds run, "ok" or the error's type.

        `base` finds the folder of the Stable Diffusion model for ControlNets, None without one. `max_open` limits the
        open requests of all models together; the server has more threads, for requests that need no model. Of
        recordings `max_minutes` are decoded. `llama` says how a GGUF file is run.
        """
        self.devices = devices
        self.queue_size = queue_size
        self.batch = batch
        self.on_done = on_done
        self.base = base
        self.llama = llama
        self.max_open = max_open
        self.max_seconds = 60 * max_minutes
        self._open = 0
        self._workers: dict[str, ModelWorker] = {}
        self._status: dict[str, Status] = {}
        self._at_work: dict[str, int] = {}
        self._changed = threading.Condition()
        self._closed = False

    @property
    def budget(self) -> int:
        return self.devices.total

    @property
    def placement(self) -> Placement:
        return self.devices.placements[0]

    def start(self) -> None:
        """There is nothing to start."""

    def status(self, model: str) -> Status:
        with self._changed:
            return self._status.setdefault(model, Status())

    def statuses(self) -> dict[str, Status]:
        """The status of every model that was ever requested."""
        with self._changed:
            return dict(self._status)

    def waiting(self) -> int:
        """The number of waiting requests, over all models."""
        with self._changed:
            return sum(worker.jobs.qsize() for worker in self._workers.values())

    def submit(
        self,
        entry: Entry,
        task: str,
        args: Mapping[str, Any],
        seconds: float = math.inf,
        has_gone: Callable[[], bool] = nobody_has_gone,
    ) -> Future[Any]:
        """Queues a request, which is dropped when whoever asked `has_gone`, or after so many seconds. Cancelling the
        future drops it, too. Raises Busy when a queue is full.
        """
        return self._put(entry, Job(task, args, time.monotonic() + seconds, has_gone))

    def load(self, entry: Entry, tell: Tell = to_nobody, has_gone: Callable[[], bool] = nobody_has_gone) -> Future[Any]:
        """Starts to load a model; the future is done when it is loaded. `tell` is called with the bytes of its files
        that have been read.
        """
        return self._put(entry, Job("", {}, has_gone=has_gone, tell=tell))

    def drop_unwanted(self) -> None:
        """Cancels the requests for which nobody waits any more."""
        with self._changed:
            for worker in self._workers.values():
                worker.drop_unwanted()

    def _put(self, entry: Entry, job: Job) -> Future[Any]:
        with self._changed:
            if self._open >= self.max_open:
                self.drop_unwanted()
            if self._open >= self.max_open:
                raise Busy(f"{self.max_open} requests are being processed already; try again later.")
            self._worker(entry).put(job)
            self._open += 1
        job.done.add_done_callback(self._count_down)
        return job.done

    def _count_down(self, _: Future[Any]) -> None:
        with self._changed:
            self._open -= 1

    def unload(self, model: str) -> bool:
        """Frees a model's memory after the requests that wait for it; False if it was not loaded."""
        with self._changed:
            worker = self._workers.get(model)
            if worker is None:
                return False
            worker.drop_unwanted()
            worker.stop()
        worker.thread.join()
        return True

    def close(self) -> None:
        """Finishes the running and queued requests, then frees all memory; of one that runs and that nobody wants, the
        end is not waited for.
        """
        with self._changed:
            self._closed = True
            workers = list(self._workers.values())
            for worker in workers:
                worker.drop_unwanted()
                worker.stop()
        for worker in workers:
            worker.thread.join(UNWANTED_SECONDS if worker.runs_unwanted else None)

    def _worker(self, entry: Entry) -> ModelWorker:
        if self._closed:
            raise Busy("The server is shutting down.")
        worker = self._workers.get(entry.id)
        if worker is None or worker.stopping:
            worker = self._workers[entry.id] = ModelWorker(self, entry, after=worker)
            self._status.setdefault(entry.id, Status())
            worker.thread.start()
        return worker

    # Called by workers

    def reserve(self, model: str, needed: int) -> Placement:
        """Chooses a device for a model and reserves `needed` bytes there; further ones where it is loaded already.

        Raises ExpertUnavailable when they cannot be freed.
        """
        with self._changed:
            status = self._status[model]
            place = self._placed(status) or self.devices.choose(needed, self._room, self._room_without_idle)
            total, budget = status.bytes + needed, self.devices.budget(place.device)
            if total > budget:
                raise ExpertUnavailable(
                    f"{model} needs {size_of(total)}, more than the {size_of(budget)} that models may use (--memory)."
                )
            status.device, status.dtype = place.device, place.dtype
            self._wait_for_room(model, needed)
            status.bytes += needed
        return place

    def _placed(self, status: Status) -> Placement | None:
        """Where a model is that has been loaded for another task already."""
        places = (place for place in self.devices.placements if place.device == status.device)
        return next(places, None) if status.bytes else None

    @contextlib.contextmanager
    def at_work(self, model: str, inputs: int, working: int) -> Iterator[None]:
        """Within it a batch of a model runs: its inputs take so many bytes, decoded, and so many batches took so far.

        Raises UserError for inputs for which there is no memory beside the model; what is computed from them is not
        known for sure, so that a model that is alone runs. ExpertUnavailable, where others free no memory for it.
        """
        with self._changed:
            status = self._status[model]
            left = self.devices.budget(status.device) - status.bytes
            if inputs > left:
                raise UserError(
                    f"The files are {size_of(inputs)} when they are decoded, more than the {size_of(max(0, left))} "
                    f"that are left beside {model} of what models may use (--memory)."
                )
            needed = min(max(inputs, working), left)
            self._wait_for_room(model, needed)
            self._at_work[model] = needed
        try:
            yield
        finally:
            with self._changed:
                self._at_work.pop(model, None)
                self._changed.notify_all()

    def _wait_for_room(self, model: str, needed: int) -> None:
        """Frees `needed` bytes on the model's device and waits for them; to be called with the pool's lock held."""
        device = self._status[model].device
        deadline = time.monotonic() + MEMORY_WAIT_SECONDS
        while self._room(device) < needed:
            workers = self._workers_on(device)
            idle = [worker for worker in workers if worker.idle and self._bytes(worker)]
            being_freed = sum(self._bytes(worker) for worker in workers if worker.stopping)
            if idle and self._room(device) + being_freed < needed:
                oldest = min(idle, key=lambda worker: self._status[worker.entry.id].last_used)
                log.info("%s makes room for %s", oldest.entry.id, model)
                oldest.stop()
            if not self._changed.wait(timeout=deadline - time.monotonic()):
                raise ExpertUnavailable(
                    f"{model} needs {size_of(needed)}, but only {size_of(self._room(device))} are free and no model is "
                    "idle."
                )

    def _workers_on(self, device: str) -> list[ModelWorker]:
        return [worker for worker in self._workers.values() if self._status[worker.entry.id].device == device]

    def _room(self, device: str) -> int:
        """The bytes of a device's budget that are left."""
        held = sum(self._bytes(worker) for worker in self._workers_on(device))
        at_work = sum(taken for model, taken in self._at_work.items() if self._status[model].device == device)
        return self.devices.budget(device) - held - at_work

    def _room_without_idle(self, device: str) -> int:
        idle = (worker for worker in self._workers_on(device) if worker.idle or worker.stopping)
        return self._room(device) + sum(map(self._bytes, idle))

    def _bytes(self, worker: ModelWorker) -> int:
        return self._status[worker.entry.id].bytes

    def changed(self, worker: ModelWorker, **changes: Any) -> None:
        """Records a worker's state and wakes the workers that wait for memory."""
        with self._changed:
            status = self._status[worker.entry.id]
            for name, value in changes.items():
                setattr(status, name, value)
            self._changed.notify_all()

    def ended(self, worker: ModelWorker, error: str) -> None:
        with self._changed:
            status = self._status[worker.entry.id]
            status.bytes = 0
            status.device = status.dtype = status.quantize = ""
            if self._workers.get(worker.entry.id) is worker:  # else a new worker waits for this one to end
                del self._workers[worker.entry.id]
                status.error = error
                status.state = "failed" if error else "available"
            self._changed.notify_all()


class ModelWorker:
    """The thread that loads and runs one model, and its queue. It starts after the model's previous worker."""

    def __init__(self, pool: Pool, entry: Entry, after: ModelWorker | None = None) -> None:
        self.pool = pool
        self.entry = entry
        self.jobs: queue.Queue[Job | None] = queue.Queue()
        self.batch: Sequence[Job] = ()
        self.stopping = False
        self.running = False
        self.after = after
        self.thread = threading.Thread(target=self._run, name=entry.id, daemon=True)

    @property
    def idle(self) -> bool:
        return not self.running and self.jobs.empty() and not self.stopping

    @property
    def runs_unwanted(self) -> bool:
        """Whether it is at work, and nobody waits for what comes of it."""
        batch = self.batch
        return bool(batch) and self.jobs.qsize() <= 1 and not any(job.is_wanted for job in batch)

    def drop_unwanted(self) -> None:
        """Cancels the jobs for which nobody waits; must be called with the pool's lock held."""
        for job in self.batch:
            job.is_wanted  # noqa: B018  cancels it
        with self.jobs.mutex:
            kept = [job for job in self.jobs.queue if job is None or job.is_wanted]
            self.jobs.queue.clear()
            self.jobs.queue.extend(kept)

    def put(self, job: Job) -> None:
        if self.jobs.qsize() >= self.pool.queue_size:
            self.drop_unwanted()
        if self.jobs.qsize() >= self.pool.queue_size:
            raise Busy(f"{self.pool.queue_size} requests wait for {self.entry.id} already; try again later.")
        self.jobs.put(job)

    @property
    def followers(self) -> list[Tell]:
        """Who wants to be told how far the loading is."""
        with self.jobs.mutex:
            return [job.tell for job in self.jobs.queue if job and job.tell is not to_nobody]

    def tell(self, done: int, total: int) -> None:
        """Tells them; one who has gone does not end it for others."""
        for tell in self.followers:
            with contextlib.suppress(BackendError):
                tell(done, total)

    def stop(self) -> None:
        """Ends the worker after its queued jobs; must be called with the pool's lock held."""
        if not self.stopping:
            self.stopping = True
            self.jobs.put(None)

    def _run(self) -> None:
        """Loads the model, runs jobs until stopped, then frees its memory."""
        model = _Model(self)
        error = ""
        try:
            self.running = True
            if self.after:
                self.after.thread.join()
                self.after = None
            model.load()
            self._serve(model)
        except Exception as failure:  # a failed load is the error of the requests for the model
            if isinstance(failure, ModuleNotFoundError):
                needed = f"{self.entry.id} needs the package {failure.name}: {install_command('models')}."
                failure = ExpertUnavailable(needed)
            if not isinstance(failure, HuggingGPTError):
                log.warning("%s cannot be loaded", self.entry.id, exc_info=failure)
                text = f"{type(failure).__name__}: {failure}".replace(str(self.entry.folder), self.entry.id)
                failure = BackendError(f"{self.entry.id} cannot be loaded: {text[:500]}")
            error = str(failure)
            self.pool.changed(self, state="failed", error=error)
            self._refuse_all(failure)
        finally:
            model.unload()
            del model
            if not self.entry.embedded:  # embedded experts stay in memory, because they are shared by the process
                _free(self.pool.status(self.entry.id).device)
            self.pool.ended(self, error)

    def _serve(self, model: _Model) -> None:
        self.running = False
        self.pool.changed(self, state="loaded", error="")
        while True:
            job = self.jobs.get()
            if job is None:
                return
            self.running = True
            gathered, last = self._gather(job, model)
            self.batch = [job for job in gathered if job.is_wanted]
            model.run(self.batch)
            self.running, self.batch = False, ()
            self.pool.changed(self, last_used=time.monotonic())
            if last:
                return

    def _gather(self, first: Job, model: _Model) -> tuple[list[Job], bool]:
        """A batch of the first job and those queued behind it, and whether the worker is to stop after it."""
        batch = [first]
        while len(batch) < model.batch:
            try:
                job = self.jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                return batch, True
            batch.append(job)
        return batch, False

    def _refuse_all(self, error: Exception) -> None:
        """Fails the queued jobs of a model that could not be loaded; the next request tries again."""
        with self.pool._changed:
            self.stopping = True
        while True:
            try:
                job = self.jobs.get_nowait()
            except queue.Empty:
                return
            if job and job.is_wanted:
                finish(job, error)


class _Model:
    """The model of a worker: a family's `Run` for each task, or an embedded expert."""

    def __init__(self, worker: ModelWorker) -> None:
        self.worker = worker
        self.entry = worker.entry
        self.pool = worker.pool
        self.runs: dict[str, Run] = {}
        self.when_unloaded: list[Callable[[], object]] = []
        self.working = WorkingMemory()
        self.batch = 1

    @property
    def device(self) -> str:
        return self.pool.status(self.entry.id).device

    def load(self) -> None:
        if self.entry.embedded:
            self.runs = {task: each(registry.expert_for(self.entry.id, task).run) for task in self.entry.tasks}
            return
        self._load_for(self.entry.tasks[0])

    def unload(self) -> None:
        self.runs.clear()
        for end in self.when_unloaded:
            end()

    def _learn(self, task: str) -> None:
        """Makes the model do what it was not loaded for. Raises ExpertUnavailable."""
        if self.entry.embedded:
            self.runs[task] = each(registry.expert_for(self.entry.id, task).run)
            return
        for known in (task,) if task in self.entry.tasks else self.entry.tasks:
            if known not in self.runs:
                self._load_for(known)
            if task in self.runs:
                return
        raise ExpertUnavailable(f"{self.entry.id} is for {' and '.join(self.entry.tasks)}, not for {task}.")

    def _load_for(self, task: str) -> None:
        """Loads the model for one of its tasks, on first use. A failed load reserves no memory."""
        assert self.entry.folder is not None
        bytes_held = self.pool.status(self.entry.id).bytes
        self.pool.changed(self.worker, state="loading")
        source = Source(
            self.entry.id, self.entry.folder, task, self.pool.placement, base=self.pool.base, llama=self.pool.llama,
            quantize=self.entry.quantize,
        )  # fmt: skip
        try:
            bytes_held += self._load(source)
        finally:
            self.pool.changed(self.worker, bytes=bytes_held, state="loaded" if self.runs else "loading")

    def _load(self, source: Source) -> int:
        """Loads a model for a task when memory is free for it; returns its size in bytes."""
        started = time.monotonic()
        family: Family = family_for(source)
        needed = family.bytes_needed(source)
        source.placement = self.pool.reserve(self.entry.id, needed)
        log.info("%s: loading %s to %s", self.entry.id, size_of(needed), source.placement.device)
        if self.worker.followers:
            read_ahead(source.files, self.worker.tell)
        self.runs.update(family.load(source))
        self.when_unloaded += source.when_unloaded
        self.pool.changed(self.worker, quantize=self.entry.quantize if source.quantized else "")
        self.batch = min(family.batch, self.pool.batch)
        loaded = source.bytes_loaded or needed
        log.info("%s: loaded %s in %.1f s", self.entry.id, size_of(loaded), time.monotonic() - started)
        return loaded

    def run(self, jobs: Sequence[Job]) -> None:
        """Runs jobs as a batch; if that fails, one by one, so that each has its own error."""
        requests = [job for job in jobs if job.task]
        for job in jobs:
            if not job.task:
                finish(job, None)  # a job that only loads the model
        by_task: dict[str, list[Job]] = {}
        for job in requests:
            by_task.setdefault(job.task, []).append(job)
        for task, group in by_task.items():
            self._run_group(task, group)

    def _run_group(self, task: str, jobs: Sequence[Job]) -> None:
        started = time.monotonic()
        out_of_memory, reported = False, Exception()
        try:
            if task not in self.runs:
                self._learn(task)
            with decoding(self.pool.max_seconds, lambda: not any(job.is_wanted for job in jobs)):
                answers = self._answers(task, [job.args for job in jobs])
            if len(answers) != len(jobs):
                raise BackendError(f"{self.entry.id} gave {len(answers)} answers to {len(jobs)} requests.")
        except Exception as error:
            out_of_memory = type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError)
            reported = self._explained(error, out_of_memory)
        else:
            for job, answer in zip(jobs, answers, strict=True):
                self._end(job, started, answer)
            return
        unloaded = task not in self.runs
        if out_of_memory or unloaded:
            _free(self.device)  # not before: the error's traceback keeps the model's tensors alive
        if len(jobs) == 1 or unloaded:
            for job in jobs:
                self._end(job, started, reported)
            return
        for job in jobs:
            self._run_group(task, [job])

    def _answers(self, task: str, requests: Sequence[Args]) -> list[Any]:
        """What the model makes of requests within what models may use; the embedded experts do not count."""
        run, memory = self.runs[task], self.working
        if self.entry.embedded:
            return run(requests)
        inputs = input_bytes(requests, self.pool.max_seconds)
        with self.pool.at_work(self.entry.id, inputs, memory.bytes):
            if memory.is_known(inputs):
                return run(requests)
            with peak_of(self.device) as peak:
                answers = run(requests)
        for taken in peak:
            memory.note(inputs, taken)
        self.pool.changed(self.worker, working=memory.bytes)
        return answers

    def _end(self, job: Job, started: float, answer: Any) -> None:
        """Completes a job with a result or an error, and counts it."""
        status = self.pool.status(self.entry.id)
        status.uses += 1
        failed = isinstance(answer, Exception)
        kind = type(answer).__name__ if failed else "ok"
        self.pool.on_done(self.entry.id, started - job.queued_at, time.monotonic() - started, kind)
        finish(job, answer)

    def _explained(self, error: Exception, out_of_memory: bool) -> Exception:
        """A model's failure as an error that users may see."""
        if isinstance(error, HuggingGPTError):
            return error
        log.warning("%s failed", self.entry.id, exc_info=error)
        if out_of_memory:
            return BackendError(f"{self.entry.id} ran out of memory: give it a smaller input, or unload other models.")
        return BackendError(f"{self.entry.id} failed: {type(error).__name__}: {str(error)[:500]}")


def _free(device: str) -> None:
    """Returns unused memory to the device and the system."""
    gc.collect()
    if device.startswith("cuda"):
        import torch

        torch.cuda.empty_cache()
    else:
        _trim_heap()


def _trim_heap() -> None:
    """Makes glibc return freed memory to the system; does nothing elsewhere."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
