"""An HTTP session that reaches public addresses only.

The address is checked on the connected socket, before anything is sent: neither a name that resolves to
a private address, nor a redirect, nor a DNS answer that changes between check and use gets through.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.models import PreparedRequest
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

from hugginggpt.net.http_limits import AnswerTooSlow


class AddressRefused(requests.RequestException):
    """The host's address is private, loopback, link-local or reserved."""


class RedirectRefused(requests.RequestException):
    """A redirect to another host, to which nobody has agreed; `target` is where it leads."""

    def __init__(self, url: str, target: str) -> None:
        super().__init__(f"{url[:200]} leads to another host, {target[:200]}")
        self.target = target


NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as an IPv6-only network sees them (RFC 6052)."""
PRIVATE_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
"""As NAT64, of a network's own (RFC 8215): which part is the IPv4 address cannot be told."""


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, also when it is mapped into IPv6 or translated (NAT64)."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in PRIVATE_NAT64 or ip.is_site_local:
            return False
        translated = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None
        ip = translated or ip.ipv4_mapped or ip.sixtofour or ip
    return ip.is_global and not ip.is_multicast


class _Cuttable:
    """A connection that its session can cut."""

    session: _Session
    sock: socket.socket | None

    def _new_conn(self) -> socket.socket:
        self.session.connections.append(self)
        sock: socket.socket = super()._new_conn()  # type: ignore[misc]
        if self.session.is_cut:  # a connection that comes too late, of a redirect
            sock.close()
            raise AnswerTooSlow("it was cut before it was connected")
        return sock


class _Guarded(_Cuttable):
    """A connection that also refuses addresses that are not public."""

    allowed: tuple[str, ...] = ()
    host: str

    def _new_conn(self) -> socket.socket:
        if (
            self.host.lower() not in self.allowed
        ):  # a refused connection must not reveal which private ports are open either
            for *_, address in socket.getaddrinfo(self.host, None, type=socket.SOCK_STREAM):
                self._refuse_private(str(address[0]))
        sock = super()._new_conn()
        try:
            self._refuse_private(sock.getpeername()[0])
        except AddressRefused:
            sock.close()
            raise
        return sock

    def _refuse_private(self, address: str) -> None:
        if self.host.lower() not in self.allowed and not is_public(address):
            raise AddressRefused(
                f"{self.host} is an address of a private network (allowed_hosts in the configuration can permit it)"
            )


class _Adapter(HTTPAdapter):
    def __init__(self, session: _Session, allowed: tuple[str, ...] | None = None) -> None:
        """`allowed` are the hosts that need not be public; None: all."""
        self.base = _Cuttable if allowed is None else _Guarded
        self.known = {"session": session, "allowed": allowed}
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        plain = type("OwnHTTP", (self.base, HTTPConnection), self.known)
        tls = type("OwnHTTPS", (self.base, HTTPSConnection), self.known)
        self.poolmanager = PoolManager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {
            "http": type("HTTPPool", (HTTPConnectionPool,), {"ConnectionCls": plain}),
            "https": type("HTTPSPool", (HTTPSConnectionPool,), {"ConnectionCls": tls}),
        }


class _Session(requests.Session):
    """Follows no redirects: requests would read their bodies, however long, even without following."""

    def __init__(self) -> None:
        super().__init__()
        self.connections: list[_Cuttable] = []
        self.is_cut = False

    def resolve_redirects(self, *_: Any, **__: Any) -> Iterator[requests.Response]:
        return iter(())


@contextmanager
def ended_after(
    session: _Session, seconds: float, when_over: Callable[[Callable[[], None]], None] = lambda cut: None
) -> Iterator[None]:
    """Cuts the session's connections after so many seconds, or when `when_over` calls the function that it is given.

    Raises AnswerTooSlow, in place of what that led to; the session cannot be used any more. The timeouts of requests
    are for single reads: headers that come byte by byte never exceed them.
    """
    over = Event()

    def cut() -> None:
        session.is_cut = True
        over.set()
        for connection in list(session.connections):
            if sock := connection.sock:
                with suppress(OSError):  # closed meanwhile
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)  # TLS's own would wait for the other end

    timer = Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    when_over(cut)
    try:
        yield
    except Exception as error:  # also that of a reader of what was cut, which may look whole
        if over.is_set():
            raise AnswerTooSlow(f"it took longer than {seconds:g} s") from error
        raise
    finally:
        timer.cancel()
    if over.is_set():  # what was cut may look whole
        raise AnswerTooSlow(f"it took longer than {seconds:g} s")


def get_public(
    session: requests.Session,
    url: str,
    timeout: tuple[float, float],
    may_redirect: Callable[[str], bool] | None = None,
) -> requests.Response:
    """The response after at most five redirects, all bodies unread. `may_redirect` says whether an address on another
    host may be visited; None: any. Raises requests' errors, RedirectRefused.
    """
    url = as_sent(url)
    for _ in range(session.max_redirects + 1):
        response = session.get(url, stream=True, allow_redirects=False, timeout=timeout)
        target = session.get_redirect_target(response)
        if target is None:
            return response
        response.close()
        target = as_sent(urljoin(url, target))
        if may_redirect and _site(target) != _site(url) and not may_redirect(target):
            raise RedirectRefused(url, target)
        url = target
    raise requests.TooManyRedirects(f"more than {session.max_redirects} redirects")


def as_sent(url: str) -> str:
    """The URL that requests makes of a text: what is decided about a host has to be about the one that is asked.

    `http://a\\@b/` has the host a there, and b for urlsplit. Raises requests' errors for what is no URL.
    """
    prepared = PreparedRequest()
    prepared.prepare_url(url, None)
    return str(prepared.url)


def _site(url: str) -> tuple[str, int | None]:
    """Host, without "www.", and port; the usual ports of http and https are one."""
    parts = urlsplit(url)
    port = None if parts.port == {"http": 80, "https": 443}.get(parts.scheme) else parts.port
    return (parts.hostname or "").removeprefix("www."), port


def service_session() -> _Session:
    """A session for a service that the configuration names, wherever it is; it follows no redirect by itself."""
    return _session(None)


def public_session(allowed_hosts: tuple[str, ...] = ()) -> _Session:
    """A session for public addresses and the given hosts."""
    session = _session(allowed_hosts)
    session.max_redirects = 5
    return session


def _session(allowed: tuple[str, ...] | None) -> _Session:
    session = _Session()
    session.trust_env = False
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter(session, allowed))
    return session
