"""What a follow-up stands for: the request before it with another file, or with the input that was asked back.

"And in b.jpg?" is the request before it, about b.jpg; "b.jpg", after "Which picture do you mean?", is the request that
the question was about. Both are read from the turns as data, so it does not matter how the answers were worded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hugginggpt.core.conversation import Turn
from hugginggpt.core.tasks import TaskTable
from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import QUESTION, split, with_context
from hugginggpt.offline.intents import has_cue
from hugginggpt.offline.memory import FITTING, MAX_LENGTH, resources_of
from hugginggpt.stages.run import Run

_AGAIN = re.compile(
    r"(?:(?:and|or|now|do|again|also|what|how|about|in|on|for|of|with|to|the|same|then|please|next) ?)+"
)
_DISMISSAL = re.compile(
    r"\W*(?:(?:no|nope|not now|(?:maybe )?later|never ?mind|(?:forget|skip|leave|drop) (?:it|that|this)|do(?: not|n['’]t) bother|"
    r"stop|cancel|wait|hold on|nothing|none|something else|i(?: have|['’]ve)? changed my mind|i have none|"
    r"i do(?: not|n['’]t) (?:know|have one|have any)|thank\w*|thx|you|bye|goodbye|ok(?:ay)?|yes|sure|oh|actually|then|please|"
    r"sorry|hello|hi|hey|there|jarvis|help|can you help me|who (?:are|made) you|what can you do(?: for me)?|how does (?:it|this) work|"
    r"what|why|huh|(?:what|which) (?:one|text)|what do you mean)\b[\W_]*)*",
    re.IGNORECASE,
)
"""A reply that gives nothing, whatever was asked for: a refusal, a greeting, a question about the question."""


@dataclass(frozen=True, slots=True)
class Request:
    """The words of a request, what it brings (`named`, places first), and the conversation before it."""

    text: str
    named: Sequence[Resource] = ()
    turns: Sequence[Turn] = ()

    @classmethod
    def of_run(cls, run: Run) -> Request:
        return cls.read(run.request, run.resources, run.turns)

    @classmethod
    def read(cls, text: str, named: Sequence[Resource], turns: Sequence[Turn] = ()) -> Request:
        """A request of which only the first MAX_LENGTH characters count, with the statements beside a question."""
        text = text[:MAX_LENGTH]
        inside = [resource for resource in named if resource.end <= len(text)]
        return cls(text, with_context(text, inside), turns)

    @property
    def placed(self) -> list[Resource]:
        """What the words name."""
        return [resource for resource in self.named if resource.has_place]

    @property
    def attached(self) -> list[Resource]:
        """What came beside the words."""
        return [resource for resource in self.named if not resource.has_place]

    @property
    def bare_words(self) -> str:
        """The words without what they name."""
        pieces, at = [], 0
        for resource in self.placed:
            pieces.append(self.text[at : resource.start])
            at = resource.end
        return " ".join((*pieces, self.text[at:]))


def in_full(request: Request, table: TaskTable) -> Request:
    """The request that a follow-up stands for, the request itself where it is none."""
    meant = _with_missing_input(request, table) or _for_another(request)
    return request if meant is None else in_full(meant, table)


def _for_another(request: Request) -> Request | None:
    """For "And in b.jpg?" the request before it with that file (or quoted text) in place of its own; else None."""
    words = re.sub(r"\W+", " ", request.bare_words).strip().lower()
    new = [resource for resource in request.named if resource.is_file] or list(request.named)
    if not new or not _AGAIN.fullmatch(words):
        return None
    before = _last_request(request.turns)
    if before is None:
        return Request("") if "same" in words else None
    old = [resource for resource in before.placed if resource.is_file == new[0].is_file]
    return _replaced(before, old, request, new)


def _replaced(before: Request, old: Sequence[Resource], request: Request, new: Sequence[Resource]) -> Request:
    """The earlier request with the new resources in the place of the old ones, at its end where there are none."""
    start, end = (old[0].start, old[-1].end) if old else (len(before.text), len(before.text))
    text = before.text[:start] if old else f"{before.text} "
    put: list[Resource] = []
    for resource in new:
        words = request.text[resource.start : resource.end] if resource.has_place else resource.text
        text += ", " if put else ""
        put.append(replace(resource, start=len(text), end=len(text) + len(words)))
        text += words
    shift = len(text) - end
    behind = [replace(one, start=one.start + shift, end=one.end + shift) for one in before.placed if one.start >= end]
    kept = [one for one in before.placed if one.end <= start]
    return Request(text + before.text[end:], [*kept, *put, *behind], before.turns)


def _with_missing_input(request: Request, table: TaskTable) -> Request | None:
    """For a reply that gives what was asked back, the request before it with that; None for a request of its own."""
    last = request.turns[-1] if request.turns else None
    if last is None or last.missing is None or _asks_for_something(request, table):
        return None
    kind = last.missing.kind
    given = [one for one in request.named if kind == "text" or (one.is_file and one.kind in FITTING.get(kind, (kind,)))]
    if not given and _DISMISSAL.fullmatch(request.text):
        return Request("")
    if kind == "text" and not given:
        given = [Resource(request.text.strip(), "text")]
    before = _last_request(request.turns)
    if not given or before is None:
        return None
    return Request(before.text, [*before.named, *(Resource(one.text, one.kind) for one in given)], before.turns)


def _asks_for_something(request: Request, table: TaskTable) -> bool:
    """Whether a reply is plainly a request of its own: its words name a task, or ask something of a file."""
    clauses = split(request.text, request.placed)
    files = any(resource.is_file for resource in request.named)
    return any(has_cue(clause, table) or (files and QUESTION.search(clause.text)) for clause in clauses)


def _last_request(turns: Sequence[Turn]) -> Request | None:
    at = next((at for at in reversed(range(len(turns))) if turns[at].request), None)
    return None if at is None else Request.read(turns[at].request, resources_of(turns, at), turns[:at])
