"""What a clause is about: the kind of file that it names, selects or goes on about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hugginggpt.core.picture_words import WRITTEN
from hugginggpt.core.results import FILE_KINDS, Kind
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import QUESTION, Clause
from hugginggpt.offline.selection import asks, kinds_named, pick

SCENE_SETTING = re.compile(
    r"\W*+(?:i(?:['’]ve| have)(?: got| just)?|we(?:['’]ve| have| had)|here(?:['’]s| is| are)|this is|attached|(?:take a )?look at|"
    r"listen to|based on|according to|given|(?:(?:i|we) )?(?:just )?(?:need|want) (?:the |some )?(?:key |main |hard |basic )?"
    r"(?:facts?|info|information|details|figures)(?= (?:from|of|about|on|out of) (?:this|the|my|our|that)\b[^?]*$))\b",
    re.IGNORECASE,
)
"""The start of a clause that only sets the scene for the next one."""
_INSCRIBED = re.compile(WRITTEN, re.IGNORECASE)  # what follows such words is about the picture


def topic_of(clause: Clause, clauses: Sequence[Clause], attached: Sequence[Resource]) -> Kind | None:
    """The kind of what a clause is about: what it names or selects ("the second"), else the clauses before it, or after
    it, else an attachment.
    """
    near = [clause, *(other for other in reversed(clauses) if other.start < clause.start), *clauses]
    named = [one for other in near for one in sorted(other.resources, key=lambda one: not one.is_file)
             if one.is_file or other is clause or not attached
             or (other.start <= clause.start and not _INSCRIBED.search(other.text))]  # fmt: skip
    if len({resource.kind for resource in (*named, *attached)}) > 1 and not clause.resources:
        files = [resource for other in clauses for resource in other.resources if resource.is_file]
        named = [*pick([*files, *attached], clause.text), *named]
    called = kinds_named(clause.text) & set(FILE_KINDS) if not clause.resources else set()
    first = next((one for one in (*named, *attached) if one.kind in called), None)
    is_table = {one.kind for one in (*named, *attached)} == {"table"}  # "how many films", of a list of films
    is_of_result = (
        called == {"image"} and clause is clauses[0] and not asks(clause.text)
    )  # "a picture of the last frame"
    if called and first is None and (named or attached) and not (is_table and asks(clause.text)) and not is_of_result:
        return min(called)
    first = first or next(iter([*named, *attached]), None)
    return (first.kind or "image") if first else None


def with_scene(clause: Clause, previous: Clause | None) -> str:
    """A question together with the preceding clause that holds its context ("Based on 'text', where …")."""
    has_text = (
        previous
        and SCENE_SETTING.match(previous.text)
        and any(resource.kind == "text" for resource in previous.resources)
    )
    return f"{previous.text}, {clause.text}" if previous and has_text and QUESTION.search(clause.text) else clause.text
