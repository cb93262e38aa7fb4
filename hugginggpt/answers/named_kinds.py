"""Which kinds of names a request asks for: "only people, no places"."""

from __future__ import annotations

import re
from typing import Any

from hugginggpt.core.results import ENTITY_NAMES

KIND_WORDS = {
    "people": "person persons people men women characters", "dates": "date dates days",
    "places": "place places town towns city cities country countries village villages location locations",
    "organisations": "organisation organisations organization organizations company companies firm firms club clubs",
}  # fmt: skip
_KINDS = {word: kind for kind, words in KIND_WORDS.items() for word in words.split()}
_QUOTED = re.compile(r"[\"“«].*?[\"”»]", re.DOTALL)
MAX_BEFORE = 80
"""So many characters before a kind may exclude it."""
_EXCLUDED = re.compile(
    r"\b(?:no|not|without|except|besides|apart from|leav\w+ (?:out|aside)|ignor\w+|skip\w*|omit)\s(?:[\w,]+\s){0,2}$",
    re.IGNORECASE,
)


def asked_names(instruction: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The named entities of the kinds that an instruction asks for, without those that it excludes; all if it names
    none.
    """
    wanted, unwanted = _named_kinds(instruction)
    return [
        row
        for row in rows
        if (kind := ENTITY_NAMES.get(str(row["entity_group"]).upper(), "")) not in unwanted
        and (not wanted or kind in wanted)
    ]


def asked_kinds(instruction: str) -> str:
    """The kinds that an instruction asks for, as "people and places"; "" for none."""
    return " and ".join(_named_kinds(instruction)[0])


def _named_kinds(instruction: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds that are asked for, and those that are excluded."""
    bare = _QUOTED.sub(" ", instruction)
    wanted: dict[str, None] = {}
    unwanted: dict[str, None] = {}
    for match in re.finditer(r"\w+", bare):
        if kind := _KINDS.get(match[0].lower()):
            is_excluded = _EXCLUDED.search(bare[max(0, match.start() - MAX_BEFORE) : match.start()])
            (unwanted if is_excluded else wanted)[kind] = None
    return tuple(kind for kind in wanted if kind not in unwanted), tuple(unwanted)
