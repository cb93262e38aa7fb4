"""Uploaded files of a request, in a temporary folder that is removed with the request, or at the next start."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from werkzeug.datastructures import FileStorage

from hugginggpt.common.scratch import remove_abandoned, scratch_prefix

_KIND = "models-server"
"""What the names of its folders begin with."""


@contextmanager
def saved_uploads(files: Mapping[str, FileStorage]) -> Iterator[dict[str, Path]]:
    """The files of a multipart request as local files, within the context."""
    if not files:
        yield {}
        return
    folder = Path(tempfile.mkdtemp(prefix=scratch_prefix(_KIND)))
    try:
        saved: dict[str, Path] = {}
        for number, (name, file) in enumerate(files.items()):
            path = folder / f"{number}{Path(file.filename or '').suffix[:10]}"
            file.save(path)
            saved[name] = path
        yield saved
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned_uploads() -> None:
    """Removes the uploads of servers on this host that were killed during a request."""
    remove_abandoned(_KIND)
