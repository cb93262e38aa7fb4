"""Access control: tokens, host names and origins, and the security headers of responses."""

from __future__ import annotations

import hmac
import re
import secrets
from typing import Any
from urllib.parse import urlsplit

import flask
from werkzeug.exceptions import Forbidden, Unauthorized

from hugginggpt.config import HttpListen
from hugginggpt.media.types import type_of
from hugginggpt.net.listener import is_loopback

COOKIE = "hugginggpt"
OPEN_TO_ALL = ("/", "/index.html", "/healthz", "/openapi.json", "/v1/login")
OPEN_FOLDERS = ("/app/", "/vendor/", "/examples/")
"""Paths without a token: the page must load before it can ask for one. None of them shows user data."""
GENERATED = re.compile(r"/(?:images|audios|videos|uploads|v1/goals/[^/]+/files)/")

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILE_POLICY = "default-src 'none'; sandbox"


class Guard:
    """The access rules of one server."""

    def __init__(self, listen: HttpListen) -> None:
        self.listen = listen
        self._sessions: set[str] = set()

    def init_app(self, app: flask.Flask) -> None:
        app.before_request(self.check)
        app.after_request(self.add_security_headers)

        @app.post("/v1/login")
        def login() -> Any:
            """Exchanges the token for a session cookie that scripts cannot read."""
            if not self._has_token():
                raise Unauthorized("This is not the token of the server (http_listen.token).")
            session = secrets.token_urlsafe(32)
            self._sessions.add(session)
            answer = flask.jsonify({"ok": True})
            answer.set_cookie(COOKIE, session, httponly=True, samesite="Strict", secure=flask.request.is_secure)
            return answer

    # Before a request

    def check(self) -> Any:
        request = flask.request
        if not self._is_our_name(request.host):
            raise Forbidden("The server is not called by this name (http_listen.hosts).")
        origin = request.headers.get("Origin")
        if origin and not self._is_allowed(origin):
            if request.method not in ("GET", "HEAD") or request.path.startswith("/v1/"):
                raise Forbidden(f"Pages of {origin[:100]} may not call this server (http_listen.origins).")
        elif not origin and request.headers.get("Sec-Fetch-Site") == "cross-site" and request.method != "GET":
            raise Forbidden("Pages of other sites may not call this server (http_listen.origins).")
        if request.method == "OPTIONS":
            return flask.Response(status=204)
        if self.listen.token and not self._is_open(request.path) and not self._has_token() and not self._has_session():
            raise Unauthorized("This server needs its token: Authorization: Bearer TOKEN (http_listen.token).")
        return None

    def _is_our_name(self, host: str) -> bool:
        """Whether the Host header names this server, which defeats DNS rebinding by pages of other sites."""
        name = urlsplit(f"//{host}").hostname or ""
        return is_loopback(name) or name == self.listen.host or name in self.listen.hosts or bool(self.listen.token)

    def _is_allowed(self, origin: str) -> bool:
        return origin == flask.request.host_url.rstrip("/") or origin in self.listen.origins

    @staticmethod
    def _is_open(path: str) -> bool:
        return path in OPEN_TO_ALL or path.startswith(OPEN_FOLDERS)

    def _has_token(self) -> bool:
        """Whether the bearer token is correct, compared in constant time."""
        kind, _, sent = flask.request.headers.get("Authorization", "").partition(" ")
        wanted = self.listen.token or ""
        return kind.lower() == "bearer" and hmac.compare_digest(sent.strip().encode(), wanted.encode())

    def _has_session(self) -> bool:
        sent = flask.request.cookies.get(COOKIE, "")
        return any(hmac.compare_digest(sent.encode(), session.encode()) for session in self._sessions)

    # After it

    def add_security_headers(self, response: flask.Response) -> flask.Response:
        """Adds security headers to a response."""
        headers = response.headers
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["X-Frame-Options"] = "DENY"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(self)"
        generated = bool(GENERATED.match(flask.request.path))
        headers["Content-Security-Policy"] = FILE_POLICY if generated else PAGE_POLICY
        if generated and response.status_code in (200, 206, 304):
            _only_media(response, flask.request.path)
        elif response.mimetype in ("application/json", "text/event-stream"):
            headers["Cache-Control"] = "no-store"
        origin = flask.request.headers.get("Origin", "")
        if origin in self.listen.origins:
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Allow-Methods"] = "GET, POST, DELETE"
            headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type, Last-Event-ID"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        headers.add("Vary", "Origin")
        return response


def _only_media(response: flask.Response, path: str) -> None:
    """Known pictures, sounds and videos are shown inline; anything else, such as SVG or HTML, is a download."""
    file_type = type_of(path)
    if file_type is not None and file_type.browser:
        response.headers["Content-Type"] = file_type.browser
    else:
        response.headers["Content-Type"] = "application/octet-stream"
        response.headers["Content-Disposition"] = "attachment"
