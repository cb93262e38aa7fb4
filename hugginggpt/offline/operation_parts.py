"""What a clause asks to be done to a file, part by part: several operations, and what cannot be done at all.

"Grey, upside down, 400 px wide" has no verb before which it could be split into clauses. It is split where its parts
are different operations: where the learned head takes each for one, and the words that this one needs are in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hugginggpt.core.operation_words import EDITING, IMPOSSIBLE, NOT_IN_BYTES
from hugginggpt.core.plan import Unplanned
from hugginggpt.core.results import Kind
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import COMMAND, FILE_NAMES, PLACEHOLDERS, Clause, clause_between
from hugginggpt.offline.conditions import Part
from hugginggpt.offline.heads import clause_scores
from hugginggpt.offline.parsing import is_statement
from hugginggpt.offline.saving import says_only_save

_BREAK = re.compile(
    r"\s*,\s+(?:(?:and|then|but|plus)\s+)?(?:also\s+)?|\s+(?:and|then|plus)\s+(?:also\s+)?(?!white\b)", re.IGNORECASE
)
_THICK = re.compile(
    r"^\W*(?:make it )?(?:about )?\d{1,4} ?(?:px|pixels?|%)(?: (?:thick|wide|broad))?\W*$", re.IGNORECASE
)
_FRAME = re.compile(r"\b(?:frame|border|margin)\b", re.IGNORECASE)
"""A border, and how thick it is: a detail of it."""
_ONLY_DOES = re.compile(
    r"\W*+(?:(?:please|so|can you|could you|now)\W++)*+(?:change|convert|do|fix) (?:it|that|this)(?: please| pls)?\W*",
    re.IGNORECASE,
)
_WISHES = re.compile(r"\W*+(?:i|we)(?:['’]d| would)? (?:need|want|like|love)\b", re.IGNORECASE)
_WHERE_IT_IS = re.compile(
    r"\W*+(?:where|which|who) (?!is\b|are\b|was\b|were\b)[\w' ]{1,40} (?:is|are|was|were)\W*", re.IGNORECASE
)
"""What says only of which part was spoken."""
_ASKS_ON = re.compile(
    r"\W*+(?:(?:and|so|please)\W++)*+(?:(?:what|which)(?:['’]?s| is| are| does| do)? (?:it|that|this|they|those)(?: say| mean)?|"
    r"(?:(?:give|tell) (?:me|us) )?(?:its|the) (?:digits|numbers?|figures|link|content)|can (?:that|it|this) be done)"
    r"(?: please| pls)?\W*",
    re.IGNORECASE,
)
"""What only asks for the answer of the operation before it: "what resolution has a.jpg. What is it?"."""
MIN_SCORE = 0.4
"""How likely a part of a clause must be an operation, to be one of its own."""
SURE_SCORE = 0.7
"""How likely it must be one that needs no words: "mirrored"."""
MIN_TOLD_SHARE = 0.25
"""The minimum share of a clause's total score for an operation whose clause says how it is to be done: "+6 dB on a.wav"."""
LOOKED_AT = 500
"""Characters: the patterns for what cannot be done take the square of the length of a text."""
REFUSED = "refused"
"""The claim on a part of a clause that cannot be done."""


def impossible(text: str, is_picture: bool = False) -> str:
    """Why what a text asks for cannot be done, with a picture or another file; "" where that is not known. Only its
    beginning is looked at.
    """
    beginning = text[:LOOKED_AT]
    rules = IMPOSSIBLE if is_picture else (*IMPOSSIBLE, NOT_IN_BYTES)
    return next((why for pattern, why in rules if re.search(pattern, beginning, re.IGNORECASE)), "")


def is_editing(text: str) -> bool:
    """Whether a text asks for a change of a file."""
    return bool(re.search(EDITING, text, re.IGNORECASE))


def by_operation(
    parts: Sequence[Part], request: str, named: Sequence[Resource], table: TaskTable, recent: Kind | None = None
) -> tuple[list[Part], list[Unplanned]]:
    """The parts of a request, each with one operation; and what cannot be done of it, with the reason. `recent` is the
    kind of the file that the chat was last about.
    """
    is_recent_picture = recent == "image" and not any(one.is_file for one in named)
    every = [
        replace(part, clause=one) for part in parts for one in operations_of(part.clause, request, named, table, recent)
    ]
    reasons = [impossible(one.clause.text, is_recent_picture or _is_picture(one.clause, named)) for one in every]
    refused = [
        Unplanned(request[part.clause.start : part.clause.end].strip(" \n,;:."), why)
        for part, why in zip(every, reasons, strict=True)
        if why and not part.clause.is_negated
    ]
    kept = [part for part, why in zip(every, reasons, strict=True) if part.clause.is_negated or not why]
    return kept, refused


def _is_picture(clause: Clause, named: Sequence[Resource]) -> bool:
    """Whether a clause is about a picture."""
    files = [one for one in (*clause.resources, *named) if one.is_file]
    return bool(files) and files[0].kind == "image"


def operations_of(
    clause: Clause, request: str, named: Sequence[Resource], table: TaskTable, recent: Kind | None = None
) -> list[Clause]:
    """The clause, or its parts where they are different operations; `recent` is the kind of the file in hand."""
    pieces = list(_pieces(clause, request))
    rows = [row for row in table if row.is_exact and row.result.makes and any(arg.pattern for arg in row.args)]
    if len(pieces) < 2 or clause.is_negated or not _may_hold_several(pieces, rows, _is_picture(clause, named)):
        return [clause]
    kinds = [one.kind for one in (*clause.resources, *named) if one.is_file]
    kinds = kinds or [recent if recent in ("audio", "video") else "image"]
    place = PLACEHOLDERS[kinds[0]]
    whole = [_with_verb(piece) for piece in pieces]
    scores = clause_scores([piece.text if piece.resources else f"{piece.text} {place}" for piece in whole])
    is_picture = _is_picture(clause, named)
    claims = [_claim(piece, row, rows, is_picture) for piece, row in zip(whole, scores, strict=False)]
    claims = _without_details(claims, pieces, {row.name: row for row in rows})
    groups = list(_groups(claims))
    if len(groups) < 2:
        return [clause]
    return [_joined(request, [whole[index] for index in group], clause) for group in groups]


def says_how(row: TaskType, clause: Clause) -> bool:
    """Whether a clause that names a file says how the operation of a row is to be done."""
    is_of_file = any(one.is_file for one in clause.resources)
    return row.is_exact and is_of_file and any(arg.pattern and arg.found_in(clause.text) for arg in row.required)


def said_before(row: TaskType, last: Clause, clause: Clause) -> Clause | None:
    """Two clauses that ask for the same operation as one, where it is on one file, and only one of them says how it is
    to be done: "my slides need 4:3, so crop a.jpg"; else None.
    """
    if not (row.is_exact and any(arg.pattern for arg in row.args)):
        return None
    says_how = [any(arg.found_in(FILE_NAMES.sub("", one.text)) for arg in row.args) for one in (last, clause)]
    resources = (*last.resources, *clause.resources)
    if all(says_how) and (_repeats(row, last.text, clause.text) or _is_reason(last, clause)):
        return replace(clause, resources=resources)
    files = [{one.text for one in part.resources if one.is_file} for part in (last, clause)]
    if says_how[0] == says_how[1] or (files[1] and files[0] != files[1] and files[0]):
        return None
    return replace(last, text=f"{last.text}, {clause.text}", end=clause.end, resources=resources)


def says_no_more(row: TaskType, last: Clause, clause: Clause) -> bool:
    """Whether a clause adds nothing to the task before it: what was made is a file, "my reader only eats jpeg. Change
    it", "the last page, where the signature is".
    """
    if row.result.makes and says_only_save(clause.text):
        return True
    is_told = _ONLY_DOES.fullmatch(clause.text) is not None and is_statement(last.text)
    asks_on = row.result.name == "answer" and _ASKS_ON.fullmatch(clause.text) is not None
    return row.is_exact and (is_told or asks_on or _WHERE_IT_IS.fullmatch(clause.text) is not None)


def _is_reason(last: Clause, clause: Clause) -> bool:
    """Whether a clause only says why the next one is asked for: "it is slightly blurry. Can you sharpen it?"."""
    wishes = COMMAND.search(clause.text) or _WISHES.match(clause.text)
    return bool(is_statement(last.text) and not COMMAND.match(last.text) and wishes)


def _repeats(row: TaskType, last: str, text: str) -> bool:
    """Whether two texts say the same of how an operation is to be done, one of them as what somebody else wants."""
    told = [{number for arg in row.args for number in re.findall(r"\d+", arg.found_in(one))} for one in (last, text)]
    return told[0] == told[1] != set() and COMMAND.match(text) is not None and COMMAND.match(last) is None


def _joined(request: str, pieces: Sequence[Clause], clause: Clause) -> Clause:
    """Neighbouring pieces as one clause, with the verb that the first was given."""
    return _with_verb(clause_between(request, pieces[0].start, pieces[-1].end, clause.resources))


def _with_verb(clause: Clause) -> Clause:
    """The clause, with a verb where it has none and can have one: the head has learned requests."""
    has_own = COMMAND.search(clause.text) or re.match(
        r"\W*+(?:as|to|in|into|with|without)\b", clause.text, re.IGNORECASE
    )
    return clause if has_own else replace(clause, text=f"make it {clause.text}")


def _pieces(clause: Clause, request: str) -> Iterator[Clause]:
    """The parts of a clause between commas and "and"."""
    start = clause.start
    for match in _BREAK.finditer(request, clause.start, clause.end):
        if match.start() > start and not any(one.start <= match.start() < one.end for one in clause.resources):
            yield clause_between(request, start, match.start(), clause.resources)
            start = match.end()
    yield clause_between(request, start, clause.end, clause.resources)


def _may_hold_several(pieces: Sequence[Clause], rows: Sequence[TaskType], is_picture: bool) -> bool:
    """Whether words of operations are in more than one piece, so that it is worth a look at their scores."""
    patterns = [arg.pattern for row in rows for arg in row.args if arg.pattern]
    patterns += [cue.pattern for row in rows for cue in row.cues]
    found = [any(re.search(one, piece.text, re.IGNORECASE) for one in patterns) for piece in pieces]
    return sum(found) > 1 or any(impossible(piece.text, is_picture) for piece in pieces)


def _claim(piece: Clause, scores: Mapping[str, float], rows: Sequence[TaskType], is_picture: bool) -> str:
    """The operation that a piece asks for by itself, or that it cannot be done; "" where it only goes on."""
    if impossible(piece.text, is_picture):
        return REFUSED
    of_row = {row: 1.0 if _is_sure(row, piece) else scores.get(row.name, 0.0) for row in rows}
    best = max(rows, key=lambda row: of_row[row])
    needs = any(arg.pattern for arg in best.required)
    is_said = any(arg.found_in(piece.text) for arg in best.args) or (not needs and of_row[best] > SURE_SCORE)
    return best.name if is_said and of_row[best] > MIN_SCORE else ""


def _without_details(claims: Sequence[str], pieces: Sequence[Clause], rows: Mapping[str, TaskType]) -> list[str]:
    """The claims, without that of a piece that only says how the operation before it is to be done: "a gif, only the
    first 3 seconds".
    """
    kept: list[str] = []
    last = 0
    for at, (claim, piece) in enumerate(zip(claims, pieces, strict=True)):
        row = rows.get(claims[last]) if at else None
        before = " ".join(one.text for one in pieces[last:at])
        is_detail = (
            row is not None
            and claim not in ("", REFUSED, row.name)
            and not (COMMAND.search(piece.text) or any(one.is_file for one in piece.resources))
            and (
                any(
                    arg.found_in(piece.text) and not arg.found_in(before)
                    for arg in row.args
                    if not (arg.takes_all and arg.required)
                )
                or any(arg.found_in(piece.text) for arg in row.args if row.input_kind == "video" and not arg.required)
                or (row.wording == "inscription" and any(arg.found_in(piece.text) for arg in row.args))
                or (bool(_FRAME.search(before) and _THICK.search(piece.text)))
            )
        )
        kept.append("" if is_detail else claim)
        last = at if claim and not is_detail else last
    return kept


def _is_sure(row: TaskType, piece: Clause) -> bool:
    return any(cue.sure and cue.regex.search(piece.text) for cue in row.cues)


def _groups(claims: Sequence[str]) -> Iterator[list[int]]:
    """The numbers of the pieces that belong together: one without a claim goes with the one before it."""
    group: list[int] = []
    claimed = ""
    for index, claim in enumerate(claims):
        if index and claim and claim != claimed and (claimed or claim == REFUSED):
            yield group
            group = []
        group.append(index)
        claimed = claim or claimed
    yield group
