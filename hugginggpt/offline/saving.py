"""What a clause asks to be saved as a file: its format, and what else the clause asks for.

"Save the summary of a.pdf as a text file" is two tasks: it is split before the words for the file. Which rows of a table
are to be saved is an argument of the task that saves it, so that such a clause stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from hugginggpt.core.document_words import FORMATS, made_of, saved_as
from hugginggpt.core.results import Kind
from hugginggpt.media.references import Resource
from hugginggpt.media.types import type_of
from hugginggpt.offline.clauses import PURPOSE, Clause, clause_between
from hugginggpt.offline.conditions import Part
from hugginggpt.offline.parsing import is_statement

TABLE_FORMATS, TEXT_FORMATS = ("xlsx", "csv", "tsv"), ("txt", "md", "docx")
OTHER = "other"
"""The formats that nothing here makes."""
_SAVED = {name: re.compile(saved_as(name), re.IGNORECASE) for name in FORMATS}
_MADE = {name: re.compile(made_of(name), re.IGNORECASE) for name in FORMATS}
_ASKS = re.compile(r"^\W*+(?:and |so |but )?(?:how|what|why|when|where|who|whose|is|are|was|does|did)\b", re.IGNORECASE)
_BARE = frozenset(
    """save store export convert turn make create change transform write put give me us please pls can could would will
    you u i we want need like love to it this that them these those the a an all whole entire complete full of in from
    file files document documents pdf pdfs table tables data text texts content contents result results answer answers
    sheet sheets spreadsheet everything and then also now so just only download get output print let have be as for with
    out up down list my our your his her their its new version copy format saved exported converted send keep turned into
    csv excel xlsx txt json page pages picture pictures photo photos image images scan scans recording video letter report
    number numbers total figure value outcome findings found pull hand proper
    there here ok okay hey hi thanks kindly maybe again too one single together d ll s what is was written says said
    photo.jpg sound.wav clip.mp4 table.csv notes.txt""".split()
)
"""Words that name nothing but the file that is saved."""
_WHOLE = re.compile(
    r"\b(?:table|file|sheets?|spreadsheet|workbook|everything|whole|entire|document|data|csv|tsv|json|xlsx?|excel)\b",
    re.I,
)
_ONLY_SAVE = re.compile(
    r"\W*+(?:(?:and|then|please|also|just|now)\W++)*+(?:save|store|keep|export|download)"
    r"(?: (?:it|that|this|them|the (?:list|file|table|result|picture|chart|sheet)))?(?: (?:please|for me|too|as (?:a )?file))?\W*",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:and|then|also|now|so|but|ok|okay|please|pls|can|could|would|you|i|i'd|like|want|need|to|have|give|get|show|"
    r"me|us|save|export|put|store|keep|write|download)\W+)+|"
    r"\W++(?:please|pls|thanks|thank you)\W*$",
    re.IGNORECASE,
)
_A_TABLE = re.compile(r"\b(?:table|sheet|spreadsheet|list)s?\b")
_WHICH = re.compile(
    r"\d|[<>]|\b(?:over|above|under|below|more|less|than|from|in|with|without|not|no|who|whose|where|which|that|only|"
    r"just|rows?|columns?|entries|lines|all|every|by|before|after|since|until|between)\b"
)
"""What tells some rows of a table from the others."""
_BEFORE_NAME = re.compile(
    r"(?:\b(?:save|store|export|write|keep|put|output|dump|convert|turn|change(?!d)|transform|copy)\w*\b[^;?!]{0,80}?"
    r"(?P<link>\b(?:as|(?<!next )to|into|in|under)\s+)|(?P<name>\b(?:as|named|called)\s+))"
    r"(?:an? )?(?:new )?(?:file )?(?:named |called )?['\"“]?$",
    re.IGNORECASE,
)
"""What stands before the name of a file that is to be made."""
MAX_BEFORE = 120


@dataclass(frozen=True, slots=True)
class Wish:
    """The format of a file that a clause asks for, and the place in the clause of the words that do; `is_first` where
    they stand before what is to be in the file.
    """

    format: str
    start: int
    end: int
    is_first: bool = False


def wish(text: str) -> Wish | None:
    """What a text asks to be saved as, if it does."""
    if _ASKS.match(text):
        return None
    found = [Wish(name, match.start(), match.end()) for name in FORMATS for match in _SAVED[name].finditer(text)]
    if found:
        return max(found, key=lambda one: one.start)
    made = [Wish(name, match.start(), match.end(), True) for name in FORMATS if (match := _MADE[name].match(text))]
    return made[0] if made else None


def format_of(name: str) -> str:
    """The format that the name of a file tells, as in `FORMATS`."""
    row = type_of(name)
    suffix = row.suffixes[0] if row and row.kind in ("text", "table") else ""
    return suffix if suffix in FORMATS or not suffix else OTHER


def apart(parts: Sequence[Part], request: str, kinds: Collection[Kind | None], results: Collection[str]) -> list[Part]:
    """The parts of a request, what makes a text before what saves it; `kinds` are those of the files in hand, `results`
    the names of results, which are made before where a later part calls them so.
    """
    return [
        replace(part, clause=one)
        for at, part in enumerate(parts)
        for one in _apart(part.clause, request, kinds, results if at and not part.clause.resources else ())
    ]


def _apart(clause: Clause, request: str, kinds: Collection[Kind | None], made_before: Collection[str]) -> list[Clause]:
    whole = request[clause.start : clause.end]
    if called := _named(clause, request):
        clause = replace(clause, text=f"{rest_of(clause, request)} as a {called.format} file")
    elif (tail := whole.rfind(", ")) > 0 and is_statement(whole[tail + 2 :]) and wish(whole[:tail]):
        clause = clause_between(
            request, clause.start, clause.start + tail, clause.resources
        )  # "…, my editor needs that"
        whole = whole[:tail]
    found = called or wish(whole)
    if found is None or found.format == "pdf" or clause.is_negated or is_bare(clause, request, made_before):
        return [clause]
    own = {one.kind for one in clause.resources if one.is_file} or set(kinds)
    if found.format in TABLE_FORMATS and (not own or own & {"table", "text"}):
        return [clause]
    at = clause.start + (found.end if found.is_first else found.start)
    first, second = (
        clause_between(request, clause.start, at, clause.resources),
        clause_between(request, at, clause.end, clause.resources),
    )
    made, saved = (second, first) if found.is_first else (first, second)
    if called:
        saved = replace(saved, text=f"save it as a {called.format} file")
    return [made, saved] if re.search(r"\w", made.text) else [saved]


def _named(clause: Clause, request: str) -> Wish | None:
    """The file that a clause names for what is to be saved: "to summary.txt"."""
    if _ASKS.match(clause.text):
        return None
    for one in clause.resources:
        if (match := _before(one, request)) and (name := format_of(one.text)):
            link = match.start("link") if match["link"] else match.start("name")
            return Wish(name, max(0, _window(one) + link - clause.start), one.end - clause.start)
    return None


def _window(resource: Resource) -> int:
    return max(0, resource.start - MAX_BEFORE)


def _before(resource: Resource, request: str) -> re.Match[str] | None:
    """The words before the name of a file that is to be made; None for any other."""
    if not resource.is_file or not resource.has_place:
        return None
    return _BEFORE_NAME.search(request[_window(resource) : resource.start])


def targets_of(clauses: Sequence[Clause], request: str) -> list[Resource]:
    """The documents that are to be made, of those that clauses name."""
    asked = [one for clause in clauses if not _ASKS.match(clause.text) for one in clause.resources]
    return [one for one in asked if format_of(one.text) and _before(one, request)]


def without(clause: Clause, targets: Collection[Resource]) -> Clause:
    """The clause without the files that are to be made."""
    return replace(clause, resources=tuple(one for one in clause.resources if one not in targets))


def rest_of(clause: Clause, request: str) -> str:
    """The words of a clause besides those that say as what it is saved, and the names of files."""
    whole = request[clause.start : clause.end]
    found = _named(clause, request) or wish(whole)
    spans = [(one.start - clause.start, one.end - clause.start) for one in clause.resources if one.has_place]
    spans += [(found.start, found.end)] if found else []
    for start, end in sorted(spans, reverse=True):
        whole = f"{whole[:start]} {whole[end:]}"
    rest = _POLITE.sub("", PURPOSE.sub("", " ".join(whole.split()))).strip(" ,;:.!")
    return re.sub(r"(?:\s+(?:of|from|in|out of))+$", "", rest)


def says_only_save(text: str) -> bool:
    """Whether a text says only that something is to be saved, in no format."""
    return bool(_ONLY_SAVE.fullmatch(text))


def is_bare(clause: Clause, request: str, made_before: Collection[str] = ()) -> bool:
    """Whether a clause asks for nothing but that something is saved: a file, or what was `made_before`."""
    rest = rest_of(clause, request).lower()
    stems = {word for one in clause.resources for word in re.findall(r"[a-z]+", one.text.lower())}
    return set(re.findall(r"[\w.]+", rest)) <= _BARE.union(stems, made_before) or bool(
        _A_TABLE.search(rest) and not _WHICH.search(rest)
    )


def is_of_whole(clause: Clause, request: str) -> bool:
    """Whether a clause names the file itself, and not what was found in it."""
    rest = rest_of(clause, request)
    named = [one for one in clause.resources if one.is_file and one.has_place and not _before(one, request)]
    return bool(named) or bool(_WHOLE.search(rest))


def cannot_be_made(clause: Clause, topic: Kind | None) -> bool:
    """Whether a clause asks for a file that nothing makes of what it is about."""
    found = wish(clause.text)
    name = found.format if found else ""
    return (
        name == OTHER
        or (name in TABLE_FORMATS and topic in ("image", "audio", "video"))
        or (name == "pdf" and topic in ("audio", "video"))
        or (name == "docx" and topic == "table")
    )
