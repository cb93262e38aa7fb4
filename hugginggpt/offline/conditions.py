"""The conditions in a request: "if there is a dog in a.jpg, say woof, otherwise name the animal".

A request is cut where conditions begin and end. What stands under one is split into clauses like any other part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hugginggpt.media.references import Resource
from hugginggpt.offline.clauses import COMMAND, NO_TITLE, Clause, masked, split, with_placeholders

_ASKING = (
    r"(?:tell|know|see|say|check|find|determine|wonder|ask|decide|sure|detect|look|verify|test|even|what|as|examine)"
)
_MARKER = re.compile(
    rf"(?P<asked>\b{_ASKING}(?: me| us| out)? )?"
    r"\b(?:(?P<otherwise>otherwise|or else|(?<!thing )(?<!body )(?<!one )(?<!who )(?<!what )(?<!where )else(?= )|if not\b(?! there| a| any)|in (?:any|every) other case)(?:,? (?P<again>(?:only )?if|unless))?|"
    r"(?P<only>only )?(?P<if>if|in case|whenever|when|provided(?: that)?|as long as|assuming(?: that)?)|(?P<unless>unless))\b[\s,]*",
    re.IGNORECASE,
)
_NO_CONDITION = re.compile(
    r"(?:(?:it|that)(?: is|['’]s) (?:ok|okay|alright|all right|fine|not too|no)\b|"
    r"you (?:can|could|would|will|do not mind|don['’]t mind|please|want|like|are|have time|leave|ignore|skip|exclude|(?:don['’]t|do not) count)|possible|needed|necessary|(?:you['’]re|we|i)\b)",
    re.I,
)
"""What follows an "if" that states no condition: "if you can"."""
_WHEN_ASKED = re.compile(
    r"(?:\w+ly )?(?:is|are|am|was|were|did|does|do|will|has|have|can|could|must|should|shall|would|may|might|to)\b",
    re.I,
)
"""What follows a "when" that asks for a time."""
_TOLD = re.compile(
    r"\W*+(?:then )?(?:please )?(?:tell (?:me|us)|let (?:me|us) know|say)(?: so)?(?: (?:for|about|of|in|from|on) ▯+)?\s*(?:[.!?,;]|\band\b|$)",
    re.IGNORECASE,
)
"""What follows an "if" that is a question: "if there is a castle, tell me so"."""
_SENTENCE_END = re.compile(rf"{NO_TITLE}[.!?](?=\s|$)|\n+")
_CONDITION_END = re.compile(r"[^\S\n]*+(?:,|:|;|\bthen\b|[.!?](?=\s|$)|\n|[–—])[\s,]*", re.IGNORECASE)
_LOOSE_END = re.compile(r"(?:\b(?:and|but|then|so|or)\b|[\s,;:])+$", re.IGNORECASE)
_ANSWER = re.compile(r"(?:so|yes|true)\b[\s,]*", re.IGNORECASE)
"""A condition that takes up the question before it."""
_NO_COMMAND_AFTER = re.compile(
    r"\b(?:to|you|i|we|they|(?<!in )(?<!on )it|he|she|who|that|which|and|or|not|n['’]t|do|does|did|can|could|will|would|a|an|the|any|no|some|"
    r"is|are|be|[\w]+ing|than|of|with|more|at least|at most)\s*$",
    re.IGNORECASE,
)
"""What stands before a verb that is no command, or before a noun that looks like one."""
_JOINT = re.compile(r"(?:^|[,;:–—.!?]|\b(?:and|but|then|also|so))\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stated:
    """A condition as a clause of the request, and whether it has to hold or not to hold."""

    clause: Clause
    holds: bool = True

    @property
    def opposite(self) -> Stated:
        return replace(self, holds=not self.holds)


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a request and the conditions under which it is to be done, the outermost first."""

    clause: Clause
    conditions: tuple[Stated, ...] = ()


def parts(request: str, resources: Sequence[Resource]) -> list[Part]:
    """The clauses of a request with their conditions."""
    text = masked(request, resources)
    markers = [marker for marker in _MARKER.finditer(text) if _begins_condition(text, marker)]
    if not markers:
        return [Part(clause) for clause in split(request, resources)]
    return list(_Cut(request, text, resources, markers).parts())


def _begins_condition(text: str, marker: re.Match[str]) -> bool:
    if marker["asked"] or _NO_CONDITION.match(text, marker.end()):
        return False
    if (marker["if"] or "").lower() != "when":
        return not (marker["if"] and _is_to_be_told(text, marker.end()))
    is_asked = _WHEN_ASKED.match(text, marker.end()) or not _has_main_clause(text, marker)
    return not is_asked and _stands_alone(text, marker)


def _is_to_be_told(text: str, start: int) -> bool:
    """Whether what is to be done in a case is no more than to say whether it is the case."""
    stop = _SENTENCE_END.search(text, start)
    end = stop.start() if stop else len(text)
    begins = (match for match in COMMAND.finditer(text, start, end) if match[0].lower() in ("tell", "say", "let"))
    verb = next((match.start() for match in begins), None)
    let = text.find("let me know", start, end)
    at = min((place for place in (verb, let if let >= 0 else None) if place is not None), default=None)
    return at is not None and bool(_TOLD.match(text, at, end))


def _has_main_clause(text: str, marker: re.Match[str]) -> bool:
    """Whether there is anything that a "when" can be a condition of, before it or in its sentence behind it."""
    stop = _SENTENCE_END.search(text, marker.end())
    sentence = text[marker.end() : stop.start() if stop else len(text)]
    end = _CONDITION_END.search(sentence)
    return (
        bool(re.search(r"\w\w", text[: marker.start()]))
        or bool(end and re.search(r"\w\w", sentence[end.end() :]))
        or COMMAND.search(sentence) is not None
    )


def _stands_alone(text: str, marker: re.Match[str]) -> bool:
    """Whether a "when" begins a sentence or has a clause before a comma: "When it shows a dog, blur it"."""
    return not text[: marker.start()].strip() or bool(_JOINT.search(text[: marker.start()]))


class _Cut:
    """Cuts a request at its markers; `active` are the conditions of what stands next, `last` those stated last."""

    def __init__(
        self, request: str, text: str, resources: Sequence[Resource], markers: Sequence[re.Match[str]]
    ) -> None:
        self.request, self.text, self.resources, self.markers = request, text, resources, markers
        self.active: tuple[Stated, ...] = ()
        self.last: tuple[Stated, ...] = ()

    def parts(self) -> Iterator[Part]:
        at = 0
        for index, marker in enumerate(self.markers):
            limit = self.markers[index + 1].start() if index + 1 < len(self.markers) else len(self.text)
            before = list(self._clauses(at, marker.start()))
            outer: tuple[Stated, ...] = ()
            if marker["otherwise"] and self.last:
                outer = (*self.last[:-1], self.last[-1].opposite)
            at = marker.end()
            if marker["otherwise"] and not marker["again"]:
                yield from before
                self.active = self.last = outer
                continue
            end, at = self._condition_end(marker.end(), limit)
            unless = marker["unless"] or (marker["again"] or "").lower() == "unless"
            conditions = (*outer, Stated(self._clause(marker.end(), end), not unless))
            follows = self._something_follows(at, limit)
            if before and not marker["otherwise"] and self._is_behind(marker, follows):
                yield from before[:-1]
                yield Part(before[-1].clause, conditions)
                self.active = ()
            else:
                yield from before
                self.active = conditions
            self.last = conditions
        yield from self._clauses(at, len(self.text))

    def _is_behind(self, marker: re.Match[str], follows: bool) -> bool:
        """Whether a condition stands behind what it is for: "describe it if there is a dog"."""
        if _JOINT.search(self.text[: marker.start()].rstrip(" ")) and follows:
            return False
        sentence = _SENTENCE_END.split(self.text[: marker.start()])[-1]
        return bool(re.search(r"\w\w", sentence)) and not re.search(r"\b(?:and|but|then)\s*$", sentence)

    def _something_follows(self, at: int, limit: int) -> bool:
        sentence_end = _SENTENCE_END.search(self.text, max(at - 1, 0), limit)
        return bool(re.search(r"\w\w", self.text[at : sentence_end.start() if sentence_end else limit]))

    def _condition_end(self, start: int, limit: int) -> tuple[int, int]:
        """(where a condition ends, where what it is for begins)."""
        mark = _CONDITION_END.search(self.text, start, limit)
        end, after = mark.span() if mark else (limit, limit)
        verb = self._verb_after(start, end)
        if verb is None:
            return end, after
        return verb, verb

    def _verb_after(self, start: int, end: int) -> int | None:
        """Where the main clause begins that follows a condition without a comma: "if it shows a dog say woof"."""
        if answer := _ANSWER.match(self.text, start, end):
            return answer.end() if answer.end() < end else None
        verbs = (match for match in COMMAND.finditer(self.text, start, end) if match.start() > start)
        return next(
            (match.start() for match in verbs if not _NO_COMMAND_AFTER.search(self.text[start : match.start()])), None
        )

    def _clauses(self, start: int, end: int) -> Iterator[Part]:
        """The clauses between two places; a condition ends with its sentence."""
        end = start + len(_LOOSE_END.sub("", self.text[start:end])) if end < len(self.text) else end
        offset = start
        for stop in (*_SENTENCE_END.finditer(self.text, start, end), None):
            until = stop.end() if stop else end
            inside = [resource for resource in self.resources if offset <= resource.start < until]
            for clause in split(self.request, inside, offset, until):
                yield Part(clause, self.active)
            if stop and re.search(r"\w", self.text[offset:until]):
                self.active = ()
            offset = until

    def _clause(self, start: int, end: int) -> Clause:
        inside = tuple(resource for resource in self.resources if start <= resource.start < end)
        return Clause(with_placeholders(self.request, start, end, inside), start, end, inside)
