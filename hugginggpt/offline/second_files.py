"""Tells apart the files of a task that takes two of a kind: "paint a.jpg in the style of b.jpg"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.core.tasks import Arg, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import PLACEHOLDERS, Clause


def second_arg(row: TaskType) -> Arg | None:
    """The argument for the second file of the kind that a task is about."""
    first = row.input_arg
    alike = (arg for arg in row.required if arg.kind == first.kind != "text" and arg is not first and not arg.many)
    return next(alike, None)


def apart(arg: Arg, clause: Clause, named: Sequence[Resource]) -> tuple[Resource | None, Clause]:
    """The file that the argument takes, and the clause with the others.

    That is the one at which the argument's pattern ends in the words, else the last of several in the clause, else, where
    it names none, of several in the request.
    """
    here = [one for one in clause.resources if _fits(one, arg)]
    files = here or [one for one in named if _fits(one, arg)]
    chosen = _by_words(arg, clause, here) or (files[-1] if len(files) > 1 else None)
    return chosen, replace(clause, resources=tuple(one for one in files if one is not chosen))


def _fits(resource: Resource, arg: Arg) -> bool:
    return resource.is_file and resource.kind in (arg.kind, None)


def _by_words(arg: Arg, clause: Clause, files: Sequence[Resource]) -> Resource | None:
    """The file that the pattern finds in the words, where a placeholder stands for each file."""
    found = re.search(arg.pattern, clause.text, re.IGNORECASE) if arg.pattern else None
    places = [match.start() for match in re.finditer(re.escape(PLACEHOLDERS[arg.kind]), clause.text)]
    if found is None or len(places) != len(files):
        return None
    inside = [file for file, place in zip(files, places, strict=True) if found.start() <= place < found.end()]
    return inside[-1] if inside else None
