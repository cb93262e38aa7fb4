"""The files of this machine that a request names: only for a person, or a program, at this machine."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from hugginggpt.core.conversation import Attachment, find_attachment
from hugginggpt.core.errors import UserError
from hugginggpt.media.references import Resource

MAX_WORDS_BEFORE, MAX_NAME_CHARS = 6, 255
"""The maximum number of words in an unquoted file name with blanks."""


def named_files(request: str, named: Sequence[Resource], known: Sequence[Attachment] = ()) -> list[Attachment]:
    """The local files that a request names, except those whose names are `known`.

    Raises UserError when a name is ambiguous.
    """
    files: dict[str, Attachment] = {}
    for resource in named:
        if not resource.is_file or "://" in resource.text or find_attachment(resource.text, known):
            continue
        paths = ((name, path) for name in _longer_names(request, resource) if (path := file_here(name)))
        name, path = next(paths, ("", None))
        if path is None:
            continue
        file = Attachment(name, path.as_uri(), resource.kind)
        if files.setdefault(resource.text, file) != file:
            raise UserError(f"Several names end in {resource.text}: put each whole name in quotes.")
    return list(dict.fromkeys(files.values()))


def _longer_names(request: str, resource: Resource) -> Iterator[str]:
    """The name, then what it is with ever more of the words before it: "my cat.jpg" may stand there without quotes."""
    yield resource.text
    before = request[max(0, resource.start - MAX_NAME_CHARS) : resource.start].rpartition("\n")[2]
    for word in list(re.finditer(r"[^\s\"']+\s", before))[: -MAX_WORDS_BEFORE - 1 : -1]:
        yield (before[word.start() :] + resource.text).replace("\\ ", " ")


_ODD = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def odd_file(path: Path) -> str:
    """What something is that has a file's name and is none, with its article: opening it may wait for ever; "" for a
    file or folder. Raises OSError.
    """
    return _ODD.get(stat.S_IFMT(path.stat().st_mode), "")


def file_here(name: str) -> Path | None:
    """The file of that name; also what is none (`odd_file`), which is refused where it is attached."""
    try:
        path = Path(name).expanduser().absolute()  # a run may be resumed from another folder
        return path if path.is_file() or odd_file(path) else None
    except (OSError, RuntimeError, ValueError):  # not a valid file name, or ~name of an unknown user
        return None
