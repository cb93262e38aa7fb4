"""Expands follow-ups: to the previous request with another file, or with the missing input.

"And in b.jpg?" repeats the previous request with b.jpg; so does "and in this one?" with b.jpg attached, or "and in the
second one?" if b.jpg was the second file of the conversation. "b.jpg", after "Which picture do you mean?", completes
the request that lacked a picture. All use the turns as data, so the wording of answers does not matter.
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
from hugginggpt.offline.memory import ACCEPTED_KINDS, MAX_LENGTH, MEDIUM, find_selection, remember, resources_of
from hugginggpt.stages.run import Run

_REPEATING_WORDS = re.compile(
    r"(?:(?:and|or|now|do|again|also|too|as well|what|how|about|in|on|for|of|from|with|to|the|same|(?:task|question) (?=for|with|about|on|of)|then|please|next)(?: |$))+"
)
_ATTACHMENT_REFERENCE = re.compile(
    rf"\b(?:(?:this|that|these|those|the|my)(?: (?:new|next|attached|other|second))? {MEDIUM}|(?:this|that|these|those|it|them|here|the attached|the attachments?))(?: here\b)?",
    re.IGNORECASE,
)
"""Words that refer to an attached file."""
_DISMISSAL = re.compile(
    r"\W*(?:(?:no|nope|not now|(?:maybe )?later|never ?mind|(?:forget|skip|leave|drop) (?:it|that|this)|do(?: not|n['’]t) bother|"
    r"stop|cancel|wait|hold on|nothing|none|something else|i(?: have|['’]ve)? changed my mind|i have none|"
    r"i do(?: not|n['’]t) (?:know|have one|have any)|thank\w*|thx|you|bye|goodbye|ok(?:ay)?|yes|sure|oh|actually|then|please|"
    r"sorry|hello|hi|hey|there|jarvis|help|can you help me|who (?:are|made) you|what can you do(?: for me)?|how does (?:it|this) work|"
    r"what|why|huh|(?:what|which) (?:one|text)|what do you mean)\b[\W_]*)*",
    re.IGNORECASE,
)
"""A reply without the missing input: a refusal, a greeting, a question in return."""


@dataclass(frozen=True, slots=True)
class Request:
    """The text of a request, its resources (`named`, those in the text first), and the turns before it."""

    text: str
    named: Sequence[Resource] = ()
    turns: Sequence[Turn] = ()

    @classmethod
    def of_run(cls, run: Run) -> Request:
        return cls.read(run.request, run.resources, run.turns)

    @classmethod
    def read(cls, text: str, named: Sequence[Resource], turns: Sequence[Turn] = ()) -> Request:
        """A request truncated to MAX_LENGTH characters, with the statements beside a question as a resource."""
        text = text[:MAX_LENGTH]
        included = [resource for resource in named if resource.end <= len(text)]
        return cls(text, with_context(text, included), turns)

    @property
    def placed(self) -> list[Resource]:
        """The resources in the text."""
        return [resource for resource in self.named if resource.has_place]

    @property
    def attached(self) -> list[Resource]:
        """The resources outside of the text."""
        return [resource for resource in self.named if not resource.has_place]

    @property
    def bare_words(self) -> str:
        """The text without its resources."""
        parts, offset = [], 0
        for resource in self.placed:
            parts.append(self.text[offset : resource.start])
            offset = resource.end
        return " ".join((*parts, self.text[offset:]))


def in_full(request: Request, table: TaskTable) -> Request:
    """The full request that a follow-up stands for; any other request unchanged."""
    expanded = _with_missing_input(request, table) or _with_other_input(request, table)
    return request if expanded is None else in_full(expanded, table)


def _with_other_input(request: Request, table: TaskTable) -> Request | None:
    """For "And in b.jpg?" the previous request with that file (or quoted text) in place of its own; else None.

    The file may also be attached ("and in this one?") or be one of the conversation ("the same for the first").
    """
    words = request.bare_words
    new_resources = [resource for resource in request.named if resource.is_file] or list(request.named)
    if request.attached:
        words = _ATTACHMENT_REFERENCE.sub(" ", words)
    elif not new_resources and (selection := find_selection(words)):
        words = words[: selection.start()] + words[selection.end() :]
        new_resources = remember(request.turns, table).selected(selection[0])
    words = " ".join(re.findall(r"\w+", words)).lower()
    only_refers = not words and request.bare_words.strip()
    if not new_resources or not (only_refers or _REPEATING_WORDS.fullmatch(words)):
        return None
    previous = _last_request(request.turns)
    if previous is None:
        return Request("") if "same" in words else None
    return _replaced(previous, request, new_resources)


def _replaced(previous: Request, request: Request, new_resources: Sequence[Resource]) -> Request:
    """The previous request with the new resources in place of the old ones, or of a reference such as "the second
    one". Without either, files are attached and texts appended.
    """
    is_file = new_resources[0].is_file
    old_spans = [(resource.start, resource.end) for resource in previous.placed if resource.is_file == is_file]
    if not old_spans and is_file:
        selection = find_selection(previous.text)
        if selection is None or any(resource.start < selection.end() for resource in previous.placed):
            attached = [Resource(resource.text, resource.kind) for resource in new_resources]
            return Request(previous.text, [*previous.placed, *attached], previous.turns)
        old_spans = [selection.span()]
    start, end = (old_spans[0][0], old_spans[-1][1]) if old_spans else (len(previous.text), len(previous.text))
    text = previous.text[:start] if old_spans else f"{previous.text} "
    inserted: list[Resource] = []
    for resource in new_resources:
        words = request.text[resource.start : resource.end] if resource.has_place else resource.text
        text += ", " if inserted else ""
        inserted.append(replace(resource, start=len(text), end=len(text) + len(words)))
        text += words
    shift = len(text) - end
    after = [
        replace(resource, start=resource.start + shift, end=resource.end + shift)
        for resource in previous.placed
        if resource.start >= end
    ]
    before_them = [resource for resource in previous.placed if resource.end <= start]
    return Request(text + previous.text[end:], [*before_them, *inserted, *after], previous.turns)


def _with_missing_input(request: Request, table: TaskTable) -> Request | None:
    """For a reply with the missing input, the previous request completed by it; None for a new request."""
    last = request.turns[-1] if request.turns else None
    if last is None or last.missing is None or _asks_for_something(request, table):
        return None
    kind = last.missing.kind
    provided = [
        resource
        for resource in request.named
        if kind == "text" or (resource.is_file and resource.kind in ACCEPTED_KINDS.get(kind, (kind,)))
    ]
    if not provided and _DISMISSAL.fullmatch(request.text):
        return Request("")
    if kind == "text" and not provided:
        provided = [Resource(request.text.strip(), "text")]
    previous = _last_request(request.turns)
    if not provided or previous is None:
        return None
    return Request(
        previous.text,
        [*previous.named, *(Resource(resource.text, resource.kind) for resource in provided)],
        previous.turns,
    )


def _asks_for_something(request: Request, table: TaskTable) -> bool:
    """Whether a reply is a new request: it has a cue of a task, or a question about a file."""
    clauses = split(request.text, request.placed)
    files = any(resource.is_file for resource in request.named)
    return any(has_cue(clause, table) or (files and QUESTION.search(clause.text)) for clause in clauses)


def _last_request(turns: Sequence[Turn]) -> Request | None:
    index = next((index for index in reversed(range(len(turns))) if turns[index].request), None)
    return None if index is None else Request.read(turns[index].request, resources_of(turns, index), turns[:index])
