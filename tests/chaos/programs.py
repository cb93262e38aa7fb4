"""Scenarios for whole programs: memory, the server under faults, signals in every stage, a model server killed."""

from __future__ import annotations

import json
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import requests

from awesome_chat import make_controller
from hugginggpt.common.paths import ROOT
from tests.chaos.invariants import Leaks, check
from tests.chaos.lab import DRAIN_SECONDS, LIMITS, SLACK_SECONDS, Lab, quiet_environment, run_case
from tests.chaos.plans import Case, mark, new_nonce, random_case
from tests.chaos.scenarios import healthy
from tests.chaos.services import nonces_in, unpacked

MEGABYTE = 1_000_000
ENDED = {signal.SIGINT: 130, signal.SIGTERM: 143}
END_SECONDS = 15.0
"""How long a program may take to end when it is told to; starting Python alone takes some of it here."""


def _start(*command: str, **kwargs: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", *command], cwd=ROOT, env=quiet_environment(), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs,
    )  # fmt: skip


def _ended(program: subprocess.Popen[str], codes: Sequence[int]) -> tuple[str, str]:
    """What a program said that should end now, without a traceback."""
    try:
        out, err = program.communicate(timeout=END_SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
        out, err = program.communicate()
        check(False, f"it does not end: {err[-500:]}")
    check("Traceback" not in err + out and "Exception ignored" not in err, f"it showed a traceback: {err[-1500:]}")
    check(program.returncode in codes, f"it ended with {program.returncode}, not {codes}: {err[-500:]}")
    return out, err


def _awaited(lab: Lab, port: str, key: str) -> None:
    """Waits until a service was asked something."""
    answer = requests.get(f"http://127.0.0.1:{lab.ports[port]}/awaited/{key}", timeout=30).json()
    check(answer["came"], f"nothing came for {key}")


def _record(folder: Path, nonce: str) -> dict[str, Any]:
    """The record that was kept of the run with that nonce in its plan."""
    texts = [file.read_text(encoding="utf-8") for file in (folder / "runs").glob("*.json")]
    found = [record for record in map(json.loads, texts) if unpacked(record["request"])[0]["nonce"] == nonce]
    check(len(found) == 1, f"{len(found)} records of {nonce} are kept")
    return dict(found[0])


# Memory and files


def small_files_only(lab: Lab, rng: random.Random) -> Counter[str]:
    """A program that may write no file larger than some bytes (RLIMIT_FSIZE), so that every write breaks off."""
    counts: Counter[str] = Counter()
    for most in (0, 100):
        case = healthy(rng)
        folder = lab.folder / f"limited-{most}"
        file = lab.config_file(
            f"limited-{most}", public=str(folder / "public"), log_file=str(folder / "logs" / "x.log")
        )
        program = _start(
            "awesome_chat.py", "--config", str(file), "--json", case.request,
            preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        )  # fmt: skip
        out, _ = _ended(program, [1])
        answer = json.loads(out)
        check(
            answer["stop"] == "failed" and len(answer["errors"]) == 2, f"it said {answer['stop']}, {answer['errors']}"
        )
        left = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".log"]
        check(not left, f"left behind: {left}")
        counts["runs"] += 1
    return counts


@contextmanager
def _server(lab: Lab, **own: Any) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The controller's server as a program, and its address."""
    file = lab.config_file(f"server-{uuid.uuid4().hex}", http_listen={"host": "127.0.0.1", "port": 0}, **own)
    program = _start("awesome_chat.py", "--mode", "server", "--config", str(file))
    assert program.stdout
    try:
        yield program.stdout.readline().split()[2], program
    finally:
        if program.poll() is None:
            program.kill()
        program.communicate()


def _ask(url: str, case: Case, route: str = "hugginggpt") -> requests.Response:
    body = {"messages": [{"role": "user", "content": case.request}]}
    return requests.post(f"{url}/{route}", json=body, timeout=LIMITS["max_seconds"] + SLACK_SECONDS)


def _works(url: str, rng: random.Random) -> None:
    """The server answers the next request."""
    answer = _ask(url, case := healthy(rng)).json()
    check(case.nonce in answer["message"] and not answer["errors"], f"the next request fails: {answer}")


def huge_answers(lab: Lab, rng: random.Random) -> Counter[str]:
    """Every service answers 200 MB; the server's memory stays far below that."""
    with _server(lab) as (url, program):
        _works(url, rng)
        process = psutil.Process(program.pid)
        before = process.memory_info().rss
        peak, over = before, threading.Event()

        def watch() -> None:
            nonlocal peak
            while not over.wait(0.02):
                peak = max(peak, process.memory_info().rss)

        watching = threading.Thread(target=watch)
        watching.start()
        try:
            for case in _huge_cases(rng):
                check(_ask(url, case).status_code in (200, 502), "a huge answer is no typed outcome")
        finally:
            over.set()
            watching.join()
        _works(url, rng)
    grown = (peak - before) // MEGABYTE
    check(grown < 150, f"the memory grew by {grown} MB")
    return Counter({"runs": 6, "MB grown at most": grown, "MB answered a time": 200})


def _huge_cases(rng: random.Random) -> Iterator[Case]:
    for stage in ("plan", "select", "respond"):
        nonce = new_nonce(rng)
        plan = [{"task": "text-classification", "id": 0, "dep": [-1], "args": {"text": mark(nonce, 0, None)}}]
        yield Case(nonce, plan, {stage: ("huge", "always")})
    for task in ("text-classification", "text-to-image", "summarization"):
        nonce = new_nonce(rng)
        text = mark(nonce, 0, ("huge", "always"))
        yield Case(nonce, [{"task": task, "id": 0, "dep": [-1], "args": {"text": text}}])


def server(lab: Lab, rng: random.Random, most: int) -> Counter[str]:
    """Faulty requests to the server, many at a time; nothing crosses, nothing stays, and the next request works."""
    counts: Counter[str] = Counter()
    with _server(lab) as (url, program):
        for _ in range(3):
            _works(url, rng)
        leaks = Leaks.before(psutil.Process(program.pid))
        cases = [random_case(rng, lab.public) for _ in range(most)]

        def ask(case: Case) -> int:
            answer = _ask(url, case, rng.choice(("hugginggpt", "results", "tasks")))
            check(nonces_in(answer.content) <= {case.nonce}, f"an answer of another run: {answer.text[:300]}")
            said = answer.json()
            check(answer.status_code == 200 or said["error"]["type"] in ("run", "busy"), f"untyped: {said}")
            return answer.status_code

        with ThreadPoolExecutor(12) as pool:
            for code in pool.map(ask, cases):
                counts[f"answers {code}"] += 1
        # what it keeps: connections for reuse (a few a service) and threads that wait for nothing longer than a call
        leaks.check(DRAIN_SECONDS, lab.public, spare_files=60)
        _works(url, rng)
        check(requests.get(f"{url}/healthz", timeout=5).json()["runs"] == 0, "a run goes on")
        program.send_signal(signal.SIGTERM)
        _ended(program, [0])
    return counts


# Signals


def signals(lab: Lab, rng: random.Random) -> Counter[str]:
    """SIGINT and SIGTERM to a single request in each stage and, at random moments, before the first."""
    attempts: list[Callable[[], str]] = []
    for number in ENDED:
        attempts += [
            partial(_in_stage, lab, new_nonce(rng), stage, number) for stage in ("plan", "select", "0", "respond")
        ]
        attempts += [partial(_at_start, lab, new_nonce(rng), rng.uniform(0, 1.2), number) for _ in range(4)]
    return _attempted(attempts)


def _attempted(attempts: Sequence[Callable[[], str]]) -> Counter[str]:
    with ThreadPoolExecutor(3) as pool:
        return Counter(pool.map(lambda attempt: attempt(), attempts))


def _stalling(nonce: str, stage: str) -> Case:
    """A case that stops at a stage, or at task 0, for longer than anybody waits."""
    stalls = ("stall", "always")
    plan = [
        {"task": "question-answering", "id": 0, "dep": [-1],
         "args": {"text": mark(nonce, 0, stalls if stage == "0" else None), "context": "a text"}},
        {"task": "text-classification", "id": 1, "dep": [0], "args": {"text": mark(nonce, 1, None) + "<GENERATED>-0"}},
    ]  # fmt: skip
    return Case(nonce, plan, {} if stage == "0" else {stage: stalls})


PATIENT = {"llm_seconds": 60, "inference_seconds": 60, "task_seconds": 60, "max_seconds": 60}


def _in_stage(lab: Lab, nonce: str, stage: str, number: signal.Signals) -> str:
    logs = lab.folder / f"logs-{nonce}"
    file = lab.config_file(f"patient-{nonce}", limits=PATIENT, inference_mode="local", log_file=str(logs / "x.log"))
    program = _start("awesome_chat.py", "--config", str(file), "-q", _stalling(nonce, stage).request)
    _awaited(lab, "local" if stage == "0" else "llm", f"{nonce}.{stage}")
    program.send_signal(number)
    _ended(program, [ENDED[number]])
    record = _record(logs, nonce)
    check(record["stop"] == "cancelled", f"the record says {record['stop']}")
    left = [error for error in record["errors"] if " running: " in error or " waiting: " in error]
    ended = [result["inference result"].get("error", {}).get("type") for result in record["results"].values()
             if isinstance(result["inference result"], dict)]  # fmt: skip
    check(not left and not {"running", "waiting"} & set(ended), f"the record leaves tasks open: {left}, {ended}")
    return f"{number.name} in a stage"


def _at_start(lab: Lab, nonce: str, after: float, number: signal.Signals) -> str:
    """The signal comes some time after the program's first lines, while it loads its modules, or later."""
    file = lab.config_file(f"patient-{nonce}", limits=PATIENT, log_file=None)
    program = _start("awesome_chat.py", "--config", str(file), "-q", _stalling(nonce, "plan").request)
    while not _catches_sigterm(program.pid):
        time.sleep(0.005)
    time.sleep(after)
    program.send_signal(number)
    _ended(program, [ENDED[number]])
    return f"{number.name} at the start"


def _catches_sigterm(pid: int) -> bool:
    """Whether the program has come as far as to say what is to happen at the end (Python's own start cannot)."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def signals_to_servers(lab: Lab, rng: random.Random) -> Counter[str]:
    """SIGINT and SIGTERM to both servers: idle, and the controller's with runs in the first and third stage."""
    attempts: list[Callable[[], str]] = []
    for number in ENDED:
        attempts += [partial(_to_server, lab, new_nonce(rng), stage, number) for stage in ("", "plan", "0")]
        attempts.append(partial(_to_model_server, lab, number))
    return _attempted(attempts)


def _to_model_server(lab: Lab, number: signal.Signals) -> str:
    with _model_server(lab, 0, f"models-{number.name}") as (_, program):
        program.send_signal(number)
        _ended(program, [0])
    return f"{number.name} to the model server"


def _to_server(lab: Lab, nonce: str, stage: str, number: signal.Signals) -> str:
    logs = lab.folder / f"logs-{nonce}"
    with _server(
        lab, limits=PATIENT, inference_mode="local", database=str(logs / "chats.sqlite"), log_file=str(logs / "x.log")
    ) as (
        url,
        program,
    ):
        answers: list[requests.Response] = []
        clients = [
            threading.Thread(target=lambda: answers.append(_ask(url, _stalling(nonce, stage)))),
            threading.Thread(target=lambda: _follow(url, _stalling(f"n{nonce[2:-1]}0z", stage), answers)),
        ]
        for client in clients if stage else []:
            client.start()
        if stage:
            _awaited(lab, "llm" if stage == "plan" else "local", f"{nonce}.{stage}")
            _awaited(lab, "llm" if stage == "plan" else "local", f"n{nonce[2:-1]}0z.{stage}")
        program.send_signal(number)
        for client in clients if stage else []:
            client.join(END_SECONDS)
        _ended(program, [0])
        if stage:
            said = [(answer.status_code, answer.text[-300:]) for answer in answers]
            check(len(said) == 2 and all("cancelled" in text for _, text in said), f"the clients were told {said}")
            check(_record(logs, nonce)["stop"] == "cancelled", "the record does not say that the run was cancelled")
    return f"{number.name} to the server"


def _follow(url: str, case: Case, answers: list[requests.Response]) -> None:
    body = {"messages": [{"role": "user", "content": case.request}], "chat": "new"}
    answers.append(requests.post(f"{url}/v1/runs", json=body, timeout=60))


# The real model server


@contextmanager
def _model_server(lab: Lab, port: int, name: str = "models") -> Iterator[tuple[int, subprocess.Popen[str]]]:
    file = lab.config_file(name, device="cpu", embedded=True, log_file=None)
    program = _start("models_server.py", "--config", str(file), "--host", "127.0.0.1", "--port", str(port))
    assert program.stdout
    try:
        line = program.stdout.readline()
        yield int(line.split()[3].rstrip(".").rpartition(":")[2]), program
    finally:
        if program.poll() is None:
            program.kill()
        program.communicate()


def model_server_killed(lab: Lab, rng: random.Random) -> Counter[str]:
    """The real model server is killed in the middle of a run and started again; the controller goes on with it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = lab.config(
        inference_mode="local",
        local_inference_endpoint={"host": "127.0.0.1", "port": port},
        limits={"status_seconds": 0.1, "inference_seconds": 10, "task_seconds": 15, "max_seconds": 20},
    )
    leaks, controller = Leaks.before(), make_controller(config)
    counts: Counter[str] = Counter()
    for _ in range(4):
        with _model_server(lab, port) as (_, program):
            deadline = time.monotonic() + END_SECONDS
            while not (works := run_case(controller, _sentiments(rng), config))["finished"]:
                check(time.monotonic() < deadline, f"the server is back, but is not used: {dict(works)}")
            counts["runs that worked"] += 1
            assassin = threading.Timer(rng.uniform(0.02, 0.3), program.kill)
            assassin.start()
            while program.poll() is None:  # one of these is in the middle when it dies
                counts.update(run_case(controller, _sentiments(rng), config))
            counts.update(run_case(controller, _sentiments(rng), config))
            assassin.join()
            counts["kills"] += 1
    controller.close()
    leaks.check(DRAIN_SECONDS, lab.public)
    return counts


def _sentiments(rng: random.Random) -> Case:
    nonce = new_nonce(rng)
    texts = [f"{mark(nonce, at, None)} I love it." for at in range(4)]
    plan = [
        {"task": "text-classification", "id": at, "dep": [at - 1], "args": {"text": text}}
        for at, text in enumerate(texts)
    ]
    return Case(nonce, plan)
