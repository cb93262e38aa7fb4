"""The conversations of the page: their routes, and their turns as the runs of a server have left them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import flask
from werkzeug.exceptions import NotFound

from hugginggpt.core.conversation import Attachment, Turn
from hugginggpt.core.errors import HuggingGPTError, StopReason, UserError
from hugginggpt.core.results import INVALID_RESULT_ERRORS
from hugginggpt.media.store import MediaStore
from hugginggpt.records.live_runs import LiveRun, Runs
from hugginggpt.records.run_log import RunLog
from hugginggpt.web.chats import RUNNING, ChatStore, StoredTurn, branch_of, newest_tip
from hugginggpt.web.inputs import read_body
from hugginggpt.web.schemas import ChatChange

INTERRUPTED = "interrupted"
"""The status of a turn whose run ended with its server."""
LISTED = 200


class Conversations:
    """Conversations as clients see them: each a tree of turns, of which one branch is shown."""

    def __init__(
        self,
        chats: ChatStore,
        runs: Runs,
        records: RunLog,
        media: MediaStore,
        is_used: Callable[[str], bool] = lambda path: False,
    ) -> None:
        """`is_used` says whether something besides conversations has the file of a public path."""
        self.is_used = is_used
        self.chats = chats
        self.runs = runs
        self.records = records
        self.media = media

    def routes(self) -> Sequence[tuple[str, str, Callable[..., Any]]]:
        return (
            ("/v1/chats", "GET", self.list_chats),
            ("/v1/chats/<chat>", "GET", self.get_chat),
            ("/v1/chats/<chat>", "PATCH", self.change_chat),
            ("/v1/chats/<chat>", "DELETE", self.delete_chat),
        )

    # For runs

    def past(self, chat: str, after: int | None = None) -> list[Turn]:
        """What a request gets to know of those before it: of the branch that ends at a turn, or is shown. Raises
        UserError for a turn that there is not.
        """
        turns = self.turns(chat)
        if after is None:
            after = (self.chats.get(chat) or {}).get("tip", 0)
        elif after and all(turn.position != after for turn in turns):
            raise UserError(f'The conversation has no turn {after} ("after").')
        return [turn.as_turn() for turn in branch_of(turns, after) if turn.status != RUNNING]

    def begin(self, live: LiveRun, chat: str, resumes: str | None, after: int | None) -> None:
        """Stores a turn when its run starts, so that it survives the death of the server."""
        if resumes is None:
            live.position = self.chats.begin(chat, live.run.id, live.run.request, live.run.files, after)
        else:
            live.position = self.chats.resume(chat, resumes, live.run.id)
            if live.position is None:
                raise UserError(f"This conversation has no run {resumes}.")

    def end(self, live: LiveRun) -> None:
        """Stores how the run of a conversation ended."""
        if live.chat:
            record = live.record
            self.chats.finish(live.chat, live.run.id, record.stop or StopReason.FAILED, record.message, record.to_log())

    def turns(self, chat: str) -> list[StoredTurn]:
        """All turns of a conversation, also those whose end is not stored."""
        return [turn if turn.status != RUNNING else self._without_end(turn) for turn in self.chats.turns(chat)]

    def _without_end(self, turn: StoredTurn) -> StoredTurn:
        """A turn whose run is active, or whose end could not be stored, as on a full disk; of one whose server was
        killed, what the journal of the run holds.
        """
        known = self.runs.find(turn.run_id)
        if known and not known.over:
            return turn
        if known:
            record = for_clients(known.told())
            return replace(turn, status=record["stop"] or StopReason.FAILED, answer=record["message"], record=record)
        kept = self.records.load(turn.run_id) or turn.record
        return replace(turn, status=INTERRUPTED, record=kept and for_clients(kept))

    # Routes

    def list_chats(self) -> Any:
        """Those that are pinned, then the latest; `search` and `offset` as parameters."""
        asked = flask.request.args
        offset = asked.get("offset", "0")
        start = int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 10 else 0
        found = self.chats.list(LISTED + 1, asked.get("search", "").strip(), start)
        return flask.jsonify({"chats": found[:LISTED], "more": len(found) > LISTED})

    def get_chat(self, chat: str) -> Any:
        """The turns of the branch that is shown, each with those that stand beside it, and the id of the run that
        goes on.
        """
        head = self._head(chat)
        turns = self.turns(chat)
        going = next((turn.run_id for turn in turns if turn.status == RUNNING), None)
        shown = [
            {**turn.to_json(), "versions": [one.position for one in turns if one.parent == turn.parent]}
            for turn in branch_of(turns, head["tip"])
        ]
        last = max((turn.position for turn in turns), default=0)
        return flask.jsonify({**head, "turns": shown, "last": last, "run_id": going})

    def change_chat(self, chat: str) -> Any:
        """Renames or pins a conversation, or shows another branch of it: the newest through the turn `tip`."""
        head, body = self._head(chat), read_body(ChatChange)
        title, tip = body.get("title"), body.get("tip")
        if title is not None and not (title := " ".join(title.split())):
            raise UserError("The title is empty.")
        if tip is not None:
            turns = self.chats.turns(chat)
            if all(turn.position != tip for turn in turns):
                raise UserError(f'The conversation has no turn {tip} ("tip").')
            tip = newest_tip(turns, tip)
        self.chats.change(chat, title, body.get("pinned"), tip)
        return flask.jsonify(self.chats.get(chat) or head)

    def delete_chat(self, chat: str) -> Any:
        """Deletes a conversation with the files that only it has, and ends its active run: nobody would get to see
        what comes of it.
        """
        files = self.chats.own_files(chat)
        if not self.chats.delete(chat):
            raise NotFound("There is no such chat.")
        if going := self.runs.of_chat(chat):
            going.cancel()
        for path in files:
            if self.is_used(path):
                continue
            with suppress(HuggingGPTError):  # it is gone, or it cannot be removed: the conversation is deleted
                self.media.discard(path)
        return flask.jsonify({"deleted": chat})

    def _head(self, chat: str) -> dict[str, Any]:
        head = self.chats.get(chat)
        if head is None:
            raise NotFound("There is no such chat.")
        return head


def for_clients(record: Mapping[str, Any]) -> dict[str, Any]:
    """A run record without the conversation before the run, and without paths of this machine: of a run that was
    started in a terminal it has both.
    """
    shown = {name: value for name, value in record.items() if name not in ("messages", "turns", "named_files")}
    try:
        files = [Attachment.from_json(file) for file in record.get("attachments", ())]
    except INVALID_RESULT_ERRORS:  # a damaged record
        files = []
    return {**shown, "attachments": [{**file.to_json(), "path": file.reference} for file in files]}
