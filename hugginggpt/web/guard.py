"""Access control of the web server: its page, and sessions beside the token."""

from __future__ import annotations

import hmac
import re
import secrets
import time
from hashlib import sha256
from typing import Any

import flask
from werkzeug.exceptions import Unauthorized

from hugginggpt.config import HttpListen
from hugginggpt.media.types import shown_as
from hugginggpt.net import guard
from hugginggpt.net.guard import FILE_POLICY

COOKIE = "hugginggpt"
SESSION_SECONDS = 30 * 24 * 3600
OPEN_TO_ALL = ("/", "/index.html", "/healthz", "/openapi.json", "/v1/login", "/v1/logout")
OPEN_FOLDERS = ("/app/", "/vendor/", "/examples/", "/share/")
"""Paths without a token: the page must load before it can ask for one. None of them shows user data but /share/, where
the secret is in the path.
"""
OPEN_PREVIEWS = re.compile(r"/previews/\d+/examples/")
GENERATED = re.compile(
    r"/(?:previews|images|audios|videos|documents|uploads|v1/goals/[^/]+/files|share/[^/]+/(?:files|previews))/"
)

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard(guard.Guard):
    """The access rules of the web server."""

    def __init__(self, listen: HttpListen) -> None:
        super().__init__(listen, "http_listen", shown_as, OPEN_TO_ALL)

    def init_app(self, app: flask.Flask) -> None:
        super().init_app(app)

        @app.post("/v1/login")
        def login() -> Any:
            """Exchanges the token for a session cookie that scripts cannot read and that ends after 30 days."""
            if not self.has_token():
                raise Unauthorized("This is not the token of the server (http_listen.token).")
            answer = flask.jsonify({"ok": True})
            self._set_cookie(answer, self._new_session(), SESSION_SECONDS)
            return answer

        @app.post("/v1/logout")
        def logout() -> Any:
            """Signs this browser out. All sessions end with another token of the server."""
            answer = flask.jsonify({"ok": True})
            self._set_cookie(answer, "", 0)
            return answer

    def may_be_read(self, request: flask.Request) -> bool:
        return super().may_be_read(request) and not request.path.startswith("/v1/")

    def is_open(self, path: str) -> bool:
        return super().is_open(path) or path.startswith(OPEN_FOLDERS) or bool(OPEN_PREVIEWS.match(path))

    def is_known(self) -> bool:
        return self.has_token() or self._has_session()

    @staticmethod
    def _set_cookie(answer: flask.Response, value: str, seconds: int) -> None:
        secure = flask.request.is_secure
        answer.set_cookie(COOKIE, value, max_age=seconds, httponly=True, samesite="Strict", secure=secure)

    def _new_session(self) -> str:
        session = f"{secrets.token_urlsafe(32)}.{int(time.time()) + SESSION_SECONDS}"
        return f"{session}.{self._signature(session)}"

    def _has_session(self) -> bool:
        session, _, signature = flask.request.cookies.get(COOKIE, "").rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(session).encode()):
            return False
        ends = session.rpartition(".")[2]  # it is ours, so that it is a number, but for those of older versions
        return ends.isdigit() and time.time() < int(ends)

    def _signature(self, session: str) -> str:
        """What only a server with the same token can have given out: any of several controllers knows its sessions."""
        return hmac.new((self.listen.token or "").encode(), f"session {session}".encode(), sha256).hexdigest()

    def add_security_headers(self, response: flask.Response) -> flask.Response:
        response.headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(self)"
        return super().add_security_headers(response)

    def policy(self) -> str:
        return FILE_POLICY if self.is_file() else PAGE_POLICY

    def is_file(self) -> bool:
        return bool(GENERATED.match(flask.request.path))
