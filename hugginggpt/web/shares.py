"""Read-only links to conversations, for people who do not have the token of the server.

A link holds 256 random bits, of which only a digest is kept. It shows the runs that one branch of a conversation had
when it was made, and the files that are part of them: no other conversation, no later run, also not in the place of one
that was there, no file that a text only names, nothing of the API, and neither the places where models run nor the
words of errors, which may name hosts.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import flask
from werkzeug.exceptions import Conflict, NotFound

from hugginggpt.common.paths import PUBLIC
from hugginggpt.core.results import files_of
from hugginggpt.media.types import file_types
from hugginggpt.net.public_files import found
from hugginggpt.web.chats import RUNNING, ChatStore, StoredTurn, branch_of
from hugginggpt.web.inputs import read_body
from hugginggpt.web.previews import SUFFIX, Previews
from hugginggpt.web.schemas import ShareRequest
from hugginggpt.web.share_store import Share

DAYS = 7
DAY_SECONDS = 24 * 3600
MOST = 100
"""How many links a conversation may have."""
PAGE = "share.html"
PUBLIC_FILE = re.compile(r"/(?:uploads|images|audios|videos|documents|examples)/[\w-][\w.-]*")
GONE = "This link does not exist, or is not valid any more."


class Shares:
    """The routes for those who share, which need the token, and for those with a link."""

    def __init__(self, chats: ChatStore, previews: Previews, has_token: bool) -> None:
        self.chats, self.previews, self.has_token = chats, previews, has_token

    def routes(self) -> Sequence[tuple[str, str, Any]]:
        return (
            ("/v1/chats/<chat>/shares", "GET", self.list_shares),
            ("/v1/chats/<chat>/shares", "POST", self.add_share),
            ("/v1/chats/<chat>/shares/<share>", "DELETE", self.remove_share),
            ("/share/<token>", "GET", self.shared_page),
            ("/share/<token>/conversation", "GET", self.shared_conversation),
            ("/share/<token>/files/<path:name>", "GET", self.shared_file),
            ("/share/<token>/previews/<int:size>/<path:name>", "GET", self.shared_preview),
        )

    # With the token of the server

    def list_shares(self, chat: str) -> Any:
        self._head(chat)
        return flask.jsonify({"shares": [share.to_json() for share in self.chats.shares_of(chat)]})

    def add_share(self, chat: str) -> Any:
        """Makes a link; it is told this once. Raises Conflict on a server without a token, where all is open anyway."""
        days = read_body(ShareRequest).get("days") or DAYS
        head = self._head(chat)
        if not self.has_token:
            raise Conflict("Links are for servers with a token (http_listen.token): this one has none.")
        if len(self.chats.shares_of(chat)) >= MOST:
            raise Conflict(f"This conversation has {MOST} links: revoke some of them first.")
        token, now = secrets.token_urlsafe(32), time.time()
        runs = frozenset(turn.run_id for turn in branch_of(self.chats.turns(chat), head["tip"]))
        share = Share(secrets.token_hex(6), chat, head["tip"], now, now + days * DAY_SECONDS, runs)
        self.chats.add_share(share, digest_of(token))
        return flask.jsonify({**share.to_json(), "path": f"/share/{token}"}), 201

    def remove_share(self, chat: str, share: str) -> Any:
        if not self.chats.remove_share(chat, share):
            raise NotFound("There is no such link.")
        return flask.jsonify({"deleted": share})

    def _head(self, chat: str) -> dict[str, Any]:
        head = self.chats.get(chat)
        if head is None:
            raise NotFound("There is no such chat.")
        return head

    # With a link alone

    def shared_page(self, token: str) -> Any:
        """The page, which says so where the link is not valid."""
        answer = flask.make_response(flask.send_file(PUBLIC / PAGE, max_age=0))
        answer.status_code = 200 if self._find(token) else 404
        return _kept_nowhere(answer)

    def shared_conversation(self, token: str) -> Any:
        share = self._needed(token)
        title = (self.chats.get(share.chat) or {}).get("title", "")
        turns = [shown_turn(turn) for turn in self._turns(share)]
        told = {"title": title, "expires": share.expires, "turns": turns, "file_types": file_types()}
        return _kept_nowhere(flask.jsonify(told))

    def shared_file(self, token: str, name: str) -> Any:
        self._check(token, name)
        path = found(name, self.previews.roots, self.previews.media.has)
        return _kept_nowhere(flask.send_file(path, conditional=True, max_age=0))

    def shared_preview(self, token: str, size: int, name: str) -> Any:
        self._check(token, name.removesuffix(SUFFIX))
        return _kept_nowhere(self.previews.preview(size, name))

    def _check(self, token: str, name: str) -> None:
        """Raises NotFound where a link does not show the file of a public path."""
        share = self._needed(token)
        if f"/{name}" not in {path for turn in self._turns(share) for path in files_shown(turn)}:
            raise NotFound("There is no such file.")

    def _find(self, token: str) -> Share | None:
        return self.chats.find_share(digest_of(token)) if self.has_token else None

    def _needed(self, token: str) -> Share:
        share = self._find(token)
        if share is None:
            raise NotFound(GONE)
        return share

    def _turns(self, share: Share) -> list[StoredTurn]:
        """The turns that a link shows: those of its runs whose end is stored."""
        branch = branch_of(self.chats.turns(share.chat), share.tip)
        return [turn for turn in branch if turn.run_id in share.runs and turn.status != RUNNING]


def digest_of(token: str) -> str:
    return sha256(token.encode(errors="replace")).hexdigest()


def _kept_nowhere(answer: flask.Response) -> flask.Response:
    """A response that no cache keeps, so that nothing is seen once a link is revoked, and no search engine lists."""
    answer.headers["Cache-Control"] = "private, no-store"
    answer.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return answer


# What is shown


def shown_turn(turn: StoredTurn) -> dict[str, Any]:
    """A turn as somebody with a link sees it: what is named here, and nothing else of the run record."""
    record = turn.record or {}
    results = {number: _shown_result(result) for number, result in _items(record.get("results"))}
    return {
        "position": turn.position,
        "request": turn.request,
        "files": [{**file.to_json(), "path": file.reference} for file in turn.files],
        "status": turn.status,
        "answer": _shown_answer(record),
        "record": {
            "plan": [_picked(task, ("task", "id", "dep", "args")) for task in _list(record.get("plan"))],
            "states": _mapping(record.get("states")),
            "results": results,
            "timings": _picked(_mapping(record.get("timings")), ("done", "answered", "tasks")),
        },
    }


def _shown_answer(record: Mapping[str, Any]) -> str:
    """What of the message answers the request. The parts about work, failures and notes, which may name hosts, are none
    of it; a record that does not keep it apart has none.
    """
    said = record.get("answer") or record.get("reply")
    return said if isinstance(said, str) else ""


def _shown_result(result: Mapping[str, Any]) -> dict[str, Any]:
    value = result.get("inference result")
    if error := _mapping(_mapping(value).get("error")):
        value = {"error": _picked(error, ("code",))}  # its words may name hosts
    return {
        "task": _picked(_mapping(result.get("task")), ("args",)),
        "inference result": value,
        "choose model result": _picked(_mapping(result.get("choose model result")), ("id",)),
        **_picked(result, ("form", "reading", "files")),
    }


def files_shown(turn: StoredTurn) -> Iterator[str]:
    """The public paths of the files that are part of a turn: attached, taken by a task that was done, or made by it. A
    path that a text merely names is none of them.
    """
    yield from (file.source for file in turn.files if PUBLIC_FILE.fullmatch(file.source))
    record = turn.record or {}
    states = _mapping(record.get("states"))
    for number, result in _items(record.get("results")):
        if states.get(number) != "finished":
            continue
        taken = _mapping(_mapping(result.get("task")).get("args")).values()
        values = [item for value in taken for item in (value if isinstance(value, list) else [value])]
        for path in (*values, *files_of(result.get("inference result"))):
            if isinstance(path, str) and PUBLIC_FILE.fullmatch(path):
                yield path


def _picked(value: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value[name] for name in names if name in value}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _items(value: Any) -> list[tuple[str, Mapping[str, Any]]]:
    return [(name, item) for name, item in _mapping(value).items() if isinstance(item, dict)]
