"""Access control of the servers: tokens, host names, origins, and files that are never shown as pages."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import flask
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized

from hugginggpt.config import Guarded
from hugginggpt.net.listener import is_loopback

FILE_POLICY = "default-src 'none'; sandbox"
WRONG_TOKENS, WRONG_SECONDS = 10, 60.0
"""How many wrong tokens may come from an address in how many seconds, until none from there is looked at."""
KNOWN_ADDRESSES = 10_000

log = logging.getLogger(__name__)


class WrongTokens:
    """The wrong tokens that came from each address, so that none can be guessed. Safe for several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, list[float]] = OrderedDict()

    def wait_seconds(self, address: str) -> float:
        """How long no token of an address is looked at; 0: it is."""
        with self._lock:
            times = self._recent(_network(address))
        return WRONG_SECONDS - (self._clock() - times[0]) if len(times) >= WRONG_TOKENS else 0.0

    def add(self, address: str) -> None:
        """Counts a wrong one."""
        network = _network(address)
        with self._lock:
            times = [*self._recent(network), self._clock()]
            self._known[network] = times
            self._known.move_to_end(network)
            if len(self._known) > KNOWN_ADDRESSES:
                self._known.popitem(last=False)
        log.warning("a wrong token from %s (%d in a minute)", network, len(times))

    def _recent(self, network: str) -> list[float]:
        since = self._clock() - WRONG_SECONDS
        return [at for at in self._known.get(network, ()) if at > since]


def _network(address: str) -> str:
    """An IPv4 address, or the /64 of an IPv6 one: who has one address there has them all."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:  # a Unix socket, a name
        return address
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)


class Guard:
    """The access rules of one server; `section` is that of the configuration, `open_paths` need no token.

    `shown_as` is the media type as which a file may be shown, "" for one that may not be.
    """

    def __init__(
        self, listen: Guarded, section: str, shown_as: Callable[[str], str], open_paths: tuple[str, ...] = ()
    ) -> None:
        self.listen = listen
        self.section = section
        self.shown_as = shown_as
        self.open_paths = open_paths
        self.wrong_tokens = WrongTokens()

    def init_app(self, app: flask.Flask) -> None:
        app.before_request(self.check)
        app.after_request(self.add_security_headers)

    # Before a request

    def check(self) -> Any:
        request = flask.request
        if not self._is_our_name(request.host):
            raise Forbidden(f"The server is not called by this name ({self.section}.hosts).")
        origin = request.headers.get("Origin")
        if origin and not self._is_allowed(origin):
            if not self.may_be_read(request):
                raise Forbidden(f"Pages of {origin[:100]} may not call this server ({self.section}.origins).")
        elif not origin and request.headers.get("Sec-Fetch-Site") == "cross-site" and request.method != "GET":
            raise Forbidden(f"Pages of other sites may not call this server ({self.section}.origins).")
        if request.method == "OPTIONS":
            return flask.Response(status=204)
        if self.listen.token and not self.is_open(request.path) and not self.is_known():
            raise Unauthorized(f"This server needs its token: Authorization: Bearer TOKEN ({self.section}.token).")
        return None

    def may_be_read(self, request: flask.Request) -> bool:
        """Whether a page of another origin may send this: it cannot read the answer."""
        return request.method in ("GET", "HEAD")

    def is_open(self, path: str) -> bool:
        """Whether a path needs no token."""
        return path in self.open_paths

    def is_known(self) -> bool:
        """Whether whoever asks may."""
        return self.has_token()

    def _is_our_name(self, host: str) -> bool:
        """Whether the Host header names this server, which defeats DNS rebinding by pages of other sites."""
        name = urlsplit(f"//{host}").hostname or ""
        return is_loopback(name) or name == self.listen.host or name in self.listen.hosts or bool(self.listen.token)

    def _is_allowed(self, origin: str) -> bool:
        return origin == flask.request.host_url.rstrip("/") or origin in self.listen.origins

    def has_token(self) -> bool:
        """Whether the bearer token is right, compared in constant time. Raises TooManyRequests after wrong ones."""
        kind, _, sent = flask.request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer":
            return False
        address = flask.request.remote_addr or ""
        if seconds := self.wrong_tokens.wait_seconds(address):
            wait = int(seconds) + 1
            raise TooManyRequests(f"Too many wrong tokens came from your address: wait {wait} s.", retry_after=wait)
        is_right = hmac.compare_digest(sent.strip().encode(), (self.listen.token or "").encode())
        if not is_right:
            self.wrong_tokens.add(address)
        return is_right

    # After it

    def add_security_headers(self, response: flask.Response) -> flask.Response:
        """Adds security headers to a response."""
        headers = response.headers
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["X-Frame-Options"] = "DENY"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Content-Security-Policy"] = self.policy()
        if self.is_file() and response.status_code in (200, 206, 304):
            self._only_media(response, flask.request.path)
        elif response.mimetype in ("application/json", "text/event-stream"):
            headers["Cache-Control"] = "no-store"
        origin = flask.request.headers.get("Origin", "")
        if origin in self.listen.origins:
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Allow-Methods"] = "GET, POST, PATCH, DELETE"
            headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type, Last-Event-ID"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        headers.add("Vary", "Origin")
        return response

    def policy(self) -> str:
        """The Content Security Policy of the response."""
        return FILE_POLICY

    def is_file(self) -> bool:
        """Whether the path is that of a file, which is not shown unless it is a picture, a sound or a video."""
        return flask.request.endpoint == "public_file"

    def _only_media(self, response: flask.Response, path: str) -> None:
        """Known pictures, sounds and videos are shown inline; anything else, such as SVG or HTML, is a download."""
        shown = self.shown_as(path)
        response.headers["Content-Type"] = shown or "application/octet-stream"
        if not shown:
            response.headers["Content-Disposition"] = "attachment"
