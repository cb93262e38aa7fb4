"""The files of the server as a gallery: uploads and what experts made, listed, removed, taken away as a ZIP."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import flask
from werkzeug.exceptions import Conflict, NotFound

from hugginggpt.core.errors import UserError
from hugginggpt.core.results import well_formed
from hugginggpt.media.store import UPLOADS, MediaStore
from hugginggpt.media.types import KIND_NAMES, kind_of
from hugginggpt.web.batch_schemas import ZipRequest
from hugginggpt.web.feeds import MAX_DIGITS
from hugginggpt.web.inputs import read_body
from hugginggpt.web.zips import once, zipped

FOLDERS = (UPLOADS, "images", "audios", "videos", "documents")
LISTED = 200
_DIGEST = re.compile(r"-[0-9a-f]{10,12}(?=\.\w+$)")
"""What is added to the name of an upload."""


class Gallery:
    """The views. `is_used` says whether a conversation or batch has the file of a public path."""

    def __init__(self, media: MediaStore, is_used: Callable[[str], bool]) -> None:
        self.media, self.is_used = media, is_used

    def routes(self) -> Sequence[tuple[str, str, Callable[..., Any]]]:
        return (
            ("/v1/files", "GET", self.list_files),
            ("/v1/files/zip", "POST", self.zip_files),
            ("/v1/files/<folder>/<name>", "DELETE", self.delete_file),
        )

    def list_files(self) -> Any:
        """The newest first; `kind`, `search` (in names), `made` and `offset` as parameters."""
        asked = flask.request.args
        offset, kind, words = asked.get("offset", "0"), asked.get("kind", ""), asked.get("search", "").strip().lower()
        start = int(offset) if offset.isascii() and offset.isdigit() and len(offset) < MAX_DIGITS else 0
        if kind and kind not in KIND_NAMES:
            raise UserError(f'"kind" should be one of {", ".join(KIND_NAMES)}.')
        made = {"true": True, "false": False}.get(asked.get("made", ""))
        found = [
            file
            for file in self._files()
            if (not kind or file["kind"] == kind) and words in file["name"].lower() and made in (None, file["made"])
        ]
        found.sort(key=lambda file: file["changed"], reverse=True)
        total = sum(file["bytes"] for file in found)
        return flask.jsonify({"files": found[start : start + LISTED], "total": len(found), "bytes": total})

    def _files(self) -> Iterator[dict[str, Any]]:
        """The files in the public folder of this controller, those that are still written left out."""
        for folder in FOLDERS:
            place = self.media.public / folder
            for file in place.iterdir() if place.is_dir() else ():
                try:
                    state = file.stat()
                except OSError:  # it was removed meanwhile
                    continue
                if (kind := kind_of(file.name)) and file.is_file():
                    yield {
                        "path": f"/{folder}/{file.name}",
                        "name": _shown(file),
                        "kind": kind,
                        "bytes": state.st_size,
                        "changed": state.st_mtime,
                        "made": folder != UPLOADS,
                    }

    def zip_files(self) -> Any:
        """Files by their public paths, in one archive."""
        paths = [well_formed(path) for path in read_body(ZipRequest)["paths"]]
        files = [self._file(path) for path in dict.fromkeys(paths)]
        named = once((_shown(file), file) for file in files)
        headers = {"Content-Disposition": 'attachment; filename="files.zip"'}
        return flask.Response(zipped(named), mimetype="application/zip", headers=headers)

    def _file(self, path: str) -> Path:
        if path.strip("/").partition("/")[0] not in (*FOLDERS, "examples") or not self.media.has(path):
            raise UserError(f"There is no file {path[:200]}.")
        return self.media.resolve(path)

    def delete_file(self, folder: str, name: str) -> Any:
        """Removes a file that no conversation or batch has; with `?used=true` also one that is used."""
        path = f"/{folder}/{name}"
        if folder not in FOLDERS or not self.media.has(path):
            raise NotFound("There is no such file.")
        if flask.request.args.get("used", "false") != "true" and self.is_used(path):
            raise Conflict("A conversation or a batch has this file: delete that, or the file with ?used=true.")
        self.media.discard(path)
        return flask.jsonify({"deleted": path})


def _shown(file: Path) -> str:
    """The name of an upload as it was sent, as far as it is kept; of another file its own."""
    return _DIGEST.sub("", file.name) if file.parent.name == UPLOADS else file.name
