"""Serves the files of the public folder, but nothing outside that a symbolic link in it points to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import flask
from werkzeug.exceptions import MethodNotAllowed, NotFound

VERSIONED = "vendor/"
"""The folder of packages whose folders name their versions: a browser need not ask again."""
YEAR = 365 * 24 * 3600
READING = frozenset(("GET", "HEAD", "OPTIONS"))
"""The methods of the route of the files, which matches every path."""


def serve_files(app: flask.Flask, *folders: Path, bring: Callable[[str], object] = lambda name: None) -> None:
    """Adds routes for the files below the folders to an application; the first folder that has a file wins.

    `bring` may put a file that is missing into one of them.
    """
    roots = [folder.resolve() for folder in folders]

    @app.get("/<path:name>")
    def public_file(name: str) -> flask.Response:
        try:
            return _sent(found(name, roots, bring), is_versioned=name.startswith(VERSIONED))
        except NotFound:
            adapter = flask.globals.request_ctx.url_adapter
            if methods := set(adapter.allowed_methods() if adapter else ()) - READING:  # another route has this path
                raise MethodNotAllowed(sorted(methods)) from None
            raise


def _sent(path: Path, *, is_versioned: bool) -> flask.Response:
    answer = flask.send_file(path, conditional=True, max_age=YEAR if is_versioned else 0)
    answer.cache_control.immutable = is_versioned
    return answer


def found(name: str, roots: list[Path], bring: Callable[[str], object]) -> Path:
    """As `find`, after `bring` where there is none at first. Raises NotFound."""
    try:
        return find(name, roots)
    except NotFound:
        bring(name)
        return find(name, roots)


def find(name: str, roots: list[Path]) -> Path:
    """The file of that name below one of the roots, links resolved. Raises NotFound.

    A name must not hide the folder it leads to: access and headers depend on the folder.
    """
    if ".." in name.split("/"):
        raise NotFound("There is no such file.")
    for root in roots:
        try:
            path = (root / name).resolve()
            if path.is_relative_to(root) and path.is_file():
                return path
        except (OSError, ValueError):  # a name that no file can have
            break
    raise NotFound("There is no such file.")
