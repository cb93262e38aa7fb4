"""Experts over HTTPS: whether an error means that nothing was sent."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.core.errors import BackendError
from hugginggpt.core.tasks import default_table
from hugginggpt.endpoints.http_experts.endpoint import make_http_experts
from hugginggpt.media.store import MediaStore
from tests.conftest import MakeConfig
from tests.net.certificates import write_certificate

TABLE = default_table()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(tmp_path_factory.mktemp("tls") / "both.pem")


@contextmanager
def served(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """The URL of a server that has one conversation."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def work() -> None:
            with suppress(OSError):  # also ssl.SSLError
                connection, _ = server.accept()
                with connection:
                    talk(connection)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{server.getsockname()[1]}/"
        thread.join(60)


def fails(make_config: MakeConfig, url: str, trusted: Path | bool, **changes: Any) -> BackendError:
    entry = {"id": "once", "task": "summarization", "url": url, "json": {"q": "{text}"}, "result": "text"}
    config = make_config({}, http_experts=[{**entry, **changes}])
    endpoint: Any = make_http_experts(config, MediaStore(config))[0]
    endpoint.service.session.verify = str(trusted) if isinstance(trusted, Path) else trusted
    try:
        with pytest.raises(BackendError) as caught:
            endpoint.infer("once", TABLE["summarization"], {"text": "Long."})
        return caught.value
    finally:
        endpoint.close()


def encrypted(connection: socket.socket, certificate: Path) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context.wrap_socket(connection, server_side=True)


def test_what_was_sent_before_the_encryption_broke_may_have_acted(make_config: MakeConfig, certificate: Path) -> None:
    got: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        with encrypted(connection, certificate) as tls:
            received = b""
            while not received.endswith(b'{"q": "Long."}'):
                received += tls.recv(65536)
            got.append(received)
            os.write(tls.fileno(), b"no record of TLS" * 10)
            tls.recv(1)  # until the other side hangs up

    with served(talk) as url:
        error = fails(make_config, url, certificate)
    assert len(got) == 1
    assert (str(error), error.endpoint_down, error.may_have_acted) == ("once broke off.", False, True)


def test_without_a_valid_certificate_nothing_was_sent(make_config: MakeConfig, certificate: Path) -> None:
    with served(lambda connection: encrypted(connection, certificate).close()) as url:
        error = fails(make_config, url, True)
    assert str(error) == "once cannot be used: 127.0.0.1 has no valid certificate."
    assert (error.endpoint_down, error.may_have_acted) == (True, False)


def test_a_service_without_encryption_is_none_at_https(make_config: MakeConfig) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with served(talk) as url:
        error = fails(make_config, url, True)
    assert str(error) == "once cannot be used: 127.0.0.1 makes no encrypted connection."
    assert (error.endpoint_down, error.may_have_acted) == (True, False)
