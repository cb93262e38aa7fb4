"""Services that several controllers share, as programs of this machine: on loopback, with a new folder each."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hugginggpt.common.threads import spawn
from hugginggpt.net import listener as listening
from hugginggpt.net.draining import DrainingServer

STOP_SECONDS = 20


class NoService(Exception):
    """A program that is needed is not installed."""


@contextmanager
def redis_service(port: int | None = None, *options: str) -> Iterator[str]:
    """A Redis (or Valkey) that keeps nothing on disk; gives its URL. Raises NoService."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if not program:
        raise NoService("redis-server is not installed")
    with tempfile.TemporaryDirectory() as folder:
        port = port or free_port()
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder, *options]
        with _running(command, "Ready to accept connections", stderr=subprocess.STDOUT):
            yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def postgres_service(port: int | None = None) -> Iterator[str]:
    """A PostgreSQL with an empty database; gives its URL. Raises NoService."""
    programs = _postgres_programs()
    with tempfile.TemporaryDirectory() as folder:
        data, port, who = Path(folder) / "data", port or free_port(), _not_root()
        data.mkdir(mode=0o700)
        if who:
            Path(folder).chmod(0o711)
            shutil.chown(data, who, who)
        account: dict[str, Any] = {"user": who, "group": who, "extra_groups": []} if who else {}
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "jarvis", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL, cwd=data, **account,
        )  # fmt: skip
        settings = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=40")
        command = [str(programs / "postgres"), "-D", str(data), "-p", str(port)]
        command += [part for setting in settings for part in ("-c", setting)]
        said = "database system is ready to accept connections"
        ends = signal.SIGINT  # with SIGTERM it would wait for its clients
        with _running(command, said, ends, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=data, **account):
            yield f"postgresql://jarvis@127.0.0.1:{port}/postgres"


def _postgres_programs() -> Path:
    """The folder of PostgreSQL's programs, which Debian does not have on the PATH."""
    if found := shutil.which("postgres"):
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        raise NoService("PostgreSQL is not installed")
    return folders[-1]


def _not_root() -> str:
    """The account for a program that refuses to be run by root; "" where this is another one."""
    return "postgres" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""


@contextmanager
def _running(
    command: list[str], ready: str, ends: signal.Signals = signal.SIGTERM, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """Runs a program until the block ends; the block begins when it says that it is ready."""
    options = {"stdout": subprocess.PIPE, **options}
    with subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL, **options) as process:
        said = process.stderr if options.get("stderr") == subprocess.PIPE else process.stdout
        assert said
        try:
            lines: list[str] = []
            for line in said:
                lines.append(line)
                if ready in line:
                    break
            else:
                raise RuntimeError(f"{command[0]} did not start: {''.join(lines[-5:])}")
            spawn(said.read)  # what it says further must not fill the pipe
            yield process
        finally:
            process.send_signal(ends)
            process.wait(STOP_SECONDS)


def free_port() -> int:
    """A port of this machine that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def s3_service(bucket: str) -> Iterator[str]:
    """A service in this process that speaks S3 (moto), with an empty bucket; gives its address. Raises NoService."""
    try:
        import boto3
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    except ModuleNotFoundError as missing:
        raise NoService(f"the package {missing.name} is not installed") from missing

    app = DomainDispatcherApplication(create_backend_app)
    listener, url = listening.listen("127.0.0.1", 0)
    server = DrainingServer(app, listener, threads=8)
    thread = spawn(server.run)
    try:
        client = boto3.client(
            "s3", endpoint_url=url, aws_access_key_id="x", aws_secret_access_key="x", region_name="us-east-1"
        )
        client.create_bucket(Bucket=bucket)
        client.close()
        yield url
    finally:
        server.stop()
        thread.result(STOP_SECONDS)
        server.close()
