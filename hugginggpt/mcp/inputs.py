"""Files in: what the arguments of a call may name, and under which path the run then knows it.

A client at this machine (stdio) may name its files, below one folder if the user says so; one that calls over HTTP may
name none of the server's.
"""

from __future__ import annotations

import base64
import mimetypes
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes, urlsplit
from urllib.request import url2pathname

from hugginggpt.core.conversation import LOCAL, Attachment
from hugginggpt.core.errors import MediaError
from hugginggpt.core.results import FILE_KINDS, well_formed
from hugginggpt.core.tasks import Arg, TaskType
from hugginggpt.media.named_files import named_files
from hugginggpt.media.store import MediaStore
from hugginggpt.media.tables import is_file
from hugginggpt.media.types import kind_of
from hugginggpt.stages.run import Run

FILES = "hugginggpt://files"
"""How the address of a file of the public folder begins, as resources/read takes it."""
SHOWN_CHARS = 100
_DATA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[^;,]*)*(;base64)?,(.*)", re.DOTALL | re.IGNORECASE)


def public_path(uri: str) -> str:
    """The public path of a hugginggpt://files/ address."""
    return unquote(uri.removeprefix(FILES))


class Inputs:
    """The rules for one server: `is_local` for stdio; there only files below `root` may be named, if it is given."""

    def __init__(self, media: MediaStore, is_local: bool, root: Path | None = None) -> None:
        self.media = media
        self.is_local = is_local
        self.root = root.resolve() if root else None

    def attachment(self, item: str) -> Attachment:
        """What a call names as a file. Raises MediaError for anything that it may not, or that cannot be used."""
        item = well_formed(item)
        if item.startswith(f"{FILES}/"):
            return self.media.public_attachment(public_path(item))
        if item[:5].lower() == "data:":
            return self._data(item)
        if item.lower().startswith(("http://", "https://")):
            return self.media.public_attachment(item)
        try:
            return self._local(item) if self.is_local else self.media.public_attachment(item)
        except MediaError:
            if self.is_local:
                raise
            raise MediaError(
                f"{item[:SHOWN_CHARS]!r} is no file that can be named here: give an http(s) URL, a data: URL, or the "
                "hugginggpt:// link of an earlier result."
            ) from None

    def named(self, run: Run) -> list[Attachment]:
        """The files of this machine that the words of a request name; none over HTTP. Raises UserError."""
        if not self.is_local:
            return []
        return [self._below_root(file) for file in named_files(run.request, run.named, run.known_files)]

    def arguments(self, row: TaskType, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a task, with public paths and URLs in place of what they name. Raises MediaError."""

        def known(name: str, value: Any) -> Any:
            if isinstance(value, list):
                return [known(name, item) for item in value]
            return self.attachment(value).source if _names_file(row.arg(name), value) else value

        return {name: known(name, value) for name, value in args.items()}

    def _local(self, item: str) -> Attachment:
        path = url2pathname(urlsplit(item).path) if item.lower().startswith(LOCAL) else item
        try:
            found = (self.root or Path()).joinpath(Path(path).expanduser())
            if found.exists():
                self._check_root(found, item)
                return self.media.attachment(str(found))
        except (OSError, RuntimeError, ValueError):  # no valid file name, or ~name of an unknown user
            pass
        return self.media.public_attachment(path)

    def _below_root(self, file: Attachment) -> Attachment:
        if file.local_path:
            self._check_root(file.local_path, file.name)
        return file

    def _check_root(self, path: Path, name: str) -> None:
        """Raises MediaError for a file that --root leaves out, wherever a link leads."""
        if self.root and not path.resolve().is_relative_to(self.root):
            raise MediaError(f"{name[:SHOWN_CHARS]} is not below the folder that this server may read (--root).")

    def _data(self, url: str) -> Attachment:
        match = _DATA.fullmatch(url)
        if not match:
            raise MediaError("A data: URL cannot be read: it should be data:TYPE;base64,CONTENT.")
        mime, is_base64, content = match.groups()
        if len(content) > 4 * self.media.max_bytes // 3 + 4 * (not is_base64) * self.media.max_bytes:
            raise MediaError("A data: URL holds more than a file may have (limits.max_file_mb).")
        try:
            data = unquote_to_bytes(content)
            data = base64.b64decode(data, validate=True) if is_base64 else data
        except ValueError as error:
            raise MediaError("The content of a data: URL is no base64.") from error
        suffix = mimetypes.guess_extension((mime or "text/plain").lower()) or ""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"data{suffix}"
            file.write_bytes(data)
            saved = self.media.receive(file)
        return Attachment(saved.name, self.media.public_path(saved), kind_of(saved.name))


def _names_file(arg: Arg | None, value: Any) -> bool:
    """Whether an argument's value is a file: by its kind; a text, if it is the name or the address of a text file."""
    if arg is None or not isinstance(value, str):
        return False
    if arg.kind in FILE_KINDS or value.startswith((f"{FILES}/", "data:")):
        return True
    if arg.many and arg.kind == "text":  # labels and such: no text of a list is read from a file
        return False
    return is_file(value) if arg.kind == "table" else kind_of(value) == "text" and not re.search(r"\s", value)
