"""An HTTP session that reaches public addresses only.

The address is checked on the connected socket, before anything is sent: neither a name that resolves to
a private address, nor a redirect, nor a DNS answer that changes between check and use gets through.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager


class AddressRefused(requests.RequestException):
    """The host's address is private, loopback, link-local or reserved."""


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, also when it is mapped into IPv6."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        ip = ip.ipv4_mapped or ip.sixtofour or ip
    return ip.is_global and not ip.is_multicast


class _Guarded:
    """A connection that refuses addresses that are not public."""

    allowed: tuple[str, ...] = ()
    host: str

    def _new_conn(self) -> socket.socket:
        if (
            self.host.lower() not in self.allowed
        ):  # a refused connection must not reveal which private ports are open either
            for *_, address in socket.getaddrinfo(self.host, None, type=socket.SOCK_STREAM):
                self._refuse_private(str(address[0]))
        sock: socket.socket = super()._new_conn()  # type: ignore[misc]
        try:
            self._refuse_private(sock.getpeername()[0])
        except AddressRefused:
            sock.close()
            raise
        return sock

    def _refuse_private(self, address: str) -> None:
        if self.host.lower() not in self.allowed and not is_public(address):
            raise AddressRefused(
                f"{self.host} is the address {address} of a private network (allowed_hosts in the configuration "
                "can permit it)"
            )


class _Adapter(HTTPAdapter):
    def __init__(self, allowed: tuple[str, ...]) -> None:
        self.allowed = allowed
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        plain = type("GuardedHTTP", (_Guarded, HTTPConnection), {"allowed": self.allowed})
        tls = type("GuardedHTTPS", (_Guarded, HTTPSConnection), {"allowed": self.allowed})
        self.poolmanager = PoolManager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {
            "http": type("HTTPPool", (HTTPConnectionPool,), {"ConnectionCls": plain}),
            "https": type("HTTPSPool", (HTTPSConnectionPool,), {"ConnectionCls": tls}),
        }


class _Session(requests.Session):
    """Follows no redirects: requests would read their bodies, however long, even without following."""

    def resolve_redirects(self, *_: Any, **__: Any) -> Iterator[requests.Response]:
        return iter(())


def get_public(session: requests.Session, url: str, timeout: tuple[float, float]) -> requests.Response:
    """The response after at most five redirects, all bodies unread. Raises requests' errors."""
    for _ in range(session.max_redirects + 1):
        response = session.get(url, stream=True, allow_redirects=False, timeout=timeout)
        target = session.get_redirect_target(response)
        if target is None:
            return response
        response.close()
        url = urljoin(url, target)
    raise requests.TooManyRedirects(f"more than {session.max_redirects} redirects")


def public_session(allowed_hosts: tuple[str, ...] = ()) -> requests.Session:
    """A session for public addresses and the given hosts."""
    session = _Session()
    session.trust_env = False
    session.max_redirects = 5
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter(allowed_hosts))
    return session
