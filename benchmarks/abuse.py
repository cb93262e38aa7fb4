"""What hostile and careless clients can do to the two servers, which run as programs.

    python -m benchmarks.abuse

The model server gets a FLAC of 1 MB that holds 100 minutes, and forty clients that hang up after their upload; then it
is told to end. The web server holds 500 connections that send nothing and 500 that never end their headers, while one
client asks. Only loopback is used. Seconds are those of this machine; memory is the growth of the server's peak.
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import requests

from hugginggpt.common.paths import ROOT
from hugginggpt.testing.servers import server_process
from tests.media.samples import silent_flac

MODEL, NEXT_MODEL = "whisper-tiny.en", "canny-control"
MINUTES, HANGING_UP, EACH = 100, 40, 500


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "config.yaml"
        config.write_text(
            f"public: {folder / 'public'}\nlog_file: {folder / 'debug.log'}\ndatabase: {folder / 'chats.sqlite'}\n"
            "llm: offline\nlocal_inference_endpoint: {port: 0}\nhttp_listen: {port: 0}\n"
        )
        model_server(config, silent_flac(folder / "bomb.flac", MINUTES, told=0).read_bytes())
        web_server(config)


def model_server(config: Path, bomb: bytes) -> None:
    """The three figures of the model server, and the memory of a fresh one."""
    with model_server_process(config) as (url, server):
        print(f"model server        {rss_mb(server):6.1f} MB fresh")
        route, files = f"{url}/models/{MODEL}", {"audio_url": ("short.flac", bomb)}
        for time_of in ("first", "second"):
            before = peak_mb(server)
            seconds, answer = timed(lambda: requests.post(route, files=files, timeout=120))
            assert answer.status_code == 400 and "max_minutes" in answer.text, answer.text
            grown = peak_mb(server) - before
            print(
                f"{MINUTES} minutes of FLAC {seconds:6.2f} s until it is refused, {grown:.1f} MB more ({time_of} time)"
            )
        speech = (ROOT / "public" / "examples" / "jfk.wav").read_bytes()
        for _ in range(HANGING_UP):
            hang_up(url, route, speech)
        seconds, answer = timed(lambda: requests.post(f"{url}/models/{NEXT_MODEL}", json=PICTURE, timeout=120))
        assert answer.ok, answer.text
        print(f"{HANGING_UP} abandoned        {seconds:6.2f} s for the next request, to another model")
        seconds, answer = timed(lambda: requests.post(route, files={"audio_url": ("jfk.wav", speech)}, timeout=120))
        assert answer.ok, answer.text
        print(f"                    {seconds:6.2f} s for the one after, to the same model")
        for _ in range(HANGING_UP):
            hang_up(url, route, speech)
        server.terminate()
        seconds, code = timed(lambda: server.wait(60))
        print(f"SIGTERM             {seconds:6.2f} s after {HANGING_UP} more, exit code {code}")


PICTURE = {"img_url": "/examples/b.jpg"}


def hang_up(url: str, route: str, speech: bytes) -> None:
    """Sends a whole request, and does not wait for the answer."""
    request = requests.Request("POST", route, files={"audio_url": ("jfk.wav", speech)}).prepare()
    assert isinstance(request.body, bytes)
    with socket.create_connection(("127.0.0.1", port_of(url)), timeout=30) as client:
        head = [
            f"POST {request.path_url} HTTP/1.1",
            "Host: localhost",
            *(f"{k}: {v}" for k, v in request.headers.items()),
        ]
        client.sendall("\r\n".join([*head, "", ""]).encode() + request.body)


def web_server(config: Path) -> None:
    """What one client waits for the status and for an answer, with a thousand useless connections and without."""
    with server_process(config) as (url, server), ExitStack() as held:
        print(f"web server          {rss_mb(server):6.1f} MB fresh")
        requests.post(f"{url}/hugginggpt", json=HELLO, timeout=60)
        show_waits("alone", url)
        for number in range(2 * EACH):
            idle = held.enter_context(socket.create_connection(("127.0.0.1", port_of(url)), timeout=30))
            if number % 2:
                idle.sendall(b"POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        show_waits(f"{EACH} idle, {EACH} slow", url)


HELLO = {"messages": [{"role": "user", "content": "Hello"}]}


def show_waits(name: str, url: str) -> None:
    waits = sorted(timed(lambda: requests.get(f"{url}/v1/status", timeout=60).raise_for_status())[0] for _ in range(40))
    seconds, answer = timed(lambda: requests.post(f"{url}/hugginggpt", json=HELLO, timeout=60))
    assert answer.ok and answer.json()["message"], answer.text
    median, longest = 1000 * statistics.median(waits), 1000 * waits[-1]
    print(f"{name:19} {median:6.0f} ms for the status (at most {longest:.0f}), {seconds:.2f} s for an answer")


@contextmanager
def model_server_process(config: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The model server as users start it, and its address."""
    command = [sys.executable, "-u", str(ROOT / "models_server.py"), "--config", str(config), "--device", "cpu"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            line = server.stdout.readline()
            yield next(word.rstrip(".") for word in line.split() if word.startswith("http://")), server
        finally:
            server.terminate()


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def port_of(url: str) -> int:
    return int(url.rstrip("/").rpartition(":")[2])


def rss_mb(server: subprocess.Popen[str]) -> float:
    return float(psutil.Process(server.pid).memory_info().rss) / 1e6


def peak_mb(server: subprocess.Popen[str]) -> float:
    """The most memory that the process had so far."""
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000


if __name__ == "__main__":
    main()
