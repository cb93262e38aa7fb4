"""The names that files which are made are to have: "save it as cover.png", "call it small.jpg"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.media.names import base_name
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.conditions import Part

_MADE_OF_SEVERAL = re.compile(
    r"\b(?:join|merge|combine|glue|stitch|concatenate|bind|put|add)\b[^;?!]*\b(?:to|into|in|as)\s+(?:an? |one )?(?:new |single )?(?:file )?$",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\b(?:(?:save|store|export|write|keep|output)\w*\b[^;]{0,80}?\b(?:as|to|under|in|into)|named|called|(?:re)?(?:name|call)(?: (?:it|this|that|them|the \w+))?(?: to| as)?|"
    r"(?:convert|turn|change(?!d)|transform)\w*\b[^;]{0,80}?\b(?:into|to)|\bas|under the name(?: of)?)\s+(?:an? )?(?:new |single |one )?(?:file )?(?:(?:named|called) )?['\"“]?$",
    re.IGNORECASE,
)
"""The words before the name of a file that is to be made."""
_ONLY = re.compile(
    r"\W*+(?:(?:and|then|also|please|finally|so|now)\W+)*(?:call|name|rename|save|store|export|write|keep|output)\b"
    r"(?: (?:it|this|that|them|the (?:result|file|picture|image|photo|recording|sound|video|clip|whole|new one)))?"
    r"(?: (?:to|as|under|in|into|with|the|a|an|new|file|name|named|called|of))*\W*",
    re.IGNORECASE,
)
"""The words of a clause that do nothing but name the file."""


def targets_of(request: str, clause: Clause) -> list[Resource]:
    """The files of a clause that are to be made: "save it as small.png", "join a.mp3 and b.mp3 into all.mp3"."""
    files = [one for one in clause.resources if one.is_file and one.has_place]
    found = [one for one in files if _TARGET.search(request[clause.start : one.start])]
    if not found and len(files) > 2 and _MADE_OF_SEVERAL.search(request[clause.start : files[-1].start]):
        return files[-1:]
    return found


def name_of(targets: Sequence[Resource]) -> str:
    """The name that the first of these files is to have; "" without any."""
    return base_name(targets[0].text) if targets else ""


def as_conversions(parts: Sequence[Part], request: str) -> list[Part]:
    """The parts of a request, of which those that do nothing but name a file ask for it in the format of that name."""
    return [replace(part, clause=_as_conversion(part.clause, request)) for part in parts]


def _as_conversion(clause: Clause, request: str) -> Clause:
    targets = targets_of(request, clause)
    if len(targets) != 1 or not _ONLY.fullmatch(request[clause.start : targets[0].start]):
        return clause
    if re.search(r"\w", request[targets[0].end : clause.end]):
        return clause
    return replace(clause, text=f"save it as a {targets[0].text.rpartition('.')[2].lower()} file")
