"""Uploaded files of a request, in a temporary folder that is removed with the request, or at the next start."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from werkzeug.datastructures import FileStorage, MultiDict

from hugginggpt.common.scratch import remove_abandoned, scratch_prefix

_KIND = "models-server"
"""What the names of its folders begin with."""


@contextmanager
def saved_uploads(files: MultiDict[str, FileStorage]) -> Iterator[dict[str, Path | list[Path]]]:
    """The files of a multipart request as local files, within the context; a list where several have one name."""
    if not files:
        yield {}
        return
    folder = Path(tempfile.mkdtemp(prefix=scratch_prefix(_KIND)))
    try:
        saved: dict[str, list[Path]] = {}
        for number, (name, file) in enumerate(files.items(multi=True)):
            path = folder / f"{number}{_suffix(file.filename or '')}"
            file.save(path)
            saved.setdefault(name, []).append(path)
        yield {name: paths[0] if len(paths) == 1 else paths for name, paths in saved.items()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _suffix(name: str) -> str:
    """The end of a file's name, without characters that no file's name may have."""
    return re.sub(r"[^\w.-]", "", Path(name).suffix)[:10]


def remove_abandoned_uploads() -> None:
    """Removes the uploads of servers on this host that were killed during a request."""
    remove_abandoned(_KIND)
