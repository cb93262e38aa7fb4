"""What a conversation has at hand: the files and texts that the user named, and the files and texts that tasks gave.

It is read from the turns as data (`core.conversation.Turn`), never from the wording of answers. A file counts by who
named it: the user's come first, and an answer brings none but what its tasks made. Of these a cleaned recording or an
edited picture takes the place of the one before it; edges, boxes and masks are of another picture, which stays the one
that is spoken of. Files that a task could not open are forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from hugginggpt.core.conversation import PastTask, Turn, earlier_files
from hugginggpt.core.errors import ErrorCode
from hugginggpt.core.results import FILE_KINDS, Kind, files_of
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource, find_resources, find_texts, with_attachments
from hugginggpt.media.types import kind_of

T = TypeVar("T")
FITTING: dict[Kind, tuple[Kind | None, ...]] = {"audio": ("audio", "video"), "image": ("image", None)}
"""What is taken where a kind is asked for: videos have a sound, URLs of unknown kind count as pictures."""
MAX_LENGTH = 20_000
"""Of a longer message only this many characters are read."""
PAST_REQUESTS = 256
"""Requests of earlier turns whose resources are kept: each is read once, not once for every later request."""
_GENERATED = re.compile(rf"/?(?:public/)?(?:{'|'.join(f'{kind}s' for kind in FILE_KINDS)})/[^/]+")
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_THING = r"(?:one|picture|image|photo(?:graph)?|drawing|recording|audio|sound|clip|file|table|text)\b"
_ORDINAL = re.compile(
    rf"\bthe ({'|'.join(_PLACES)}|last|latest)(?: {_THING}|(?= (?:of (?:them|these|those)|aloud|out loud|and|to|into)\b)|\W*$)", re.I
)  # fmt: skip
_SEVERAL = re.compile(
    rf"\b(?:(?P<both>both)\b|all (?:the |of the )?(?P<number>{'|'.join(_NUMBERS)})\b|"
    r"(?:all|each|every) (?:of )?(?:them|these|those|(?:the )?(?:picture|image|photo|recording|file)s?)\b)",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"\b(?:they|them|their|these|those|which (?:one|of (?:them|these|those|the two)))\b", re.IGNORECASE
)
_DRAWN = re.compile(
    r"\b(?:that|the (?:new|resulting|generated|drawn|marked|annotated)) (?:mask|map|drawing|sketch|outline|skeleton|pose|result)\b|"
    r"\bthe (?:result|(?:new|resulting|generated|changed|edited|marked|annotated) (?:picture|image|photo|one))\b",
    re.IGNORECASE,
)
"""Words that mean what was drawn of a picture, and not the picture."""


@dataclass(frozen=True, slots=True)
class Named:
    """Something that a turn brought: `at` is the turn's number; of a file that was `made`, `maker` is the task, if known."""

    resource: Resource
    at: int
    maker: TaskType | None = None
    made: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """What the turns of a conversation brought, in their order."""

    table: TaskTable
    named: tuple[Named, ...] = ()
    turns: tuple[Turn, ...] = ()

    def files(self, kind: Kind, words: str) -> list[str]:
        """The files of a kind that are meant."""
        return [resource.text for resource in self.meant(FITTING.get(kind, (kind,)), words) if resource.is_file]

    def sources(self, words: str) -> list[Resource]:
        """What a text is to be had of; not what was read aloud, which was a text before."""
        kinds = (*FILE_KINDS, None, "text")
        others = (one for one in self.named if not (one.maker and one.maker.wording == "speech"))
        return Memory(self.table, tuple(others)).meant(kinds, words)

    def meant(self, kinds: Sequence[Kind | None], words: str) -> list[Resource]:
        """The files and texts of some kinds that a clause means; most often the one that was spoken of last."""
        fitting = [one for one in self.named if one.resource.kind in kinds]
        given = _each_once(one for one in fitting if not one.made)
        if picked := pick(given, words):
            return picked
        if _DRAWN.search(words) and any(one.made for one in fitting):
            return [next(one.resource for one in reversed(fitting) if one.made)]
        if re.search(r"\boriginal\b", words) and given:
            return given[-1:]
        current = [one for one in fitting if one.maker is None or one.maker.transforms_input]
        if current and _PLURAL.search(words):
            return _each_once(one for one in current if one.at == current[-1].at)
        return [one.resource for one in (current or fitting)[-1:]]

    def control(self) -> tuple[str, str]:
        """The control (canny, openpose, ...) by which the last picture was drawn, and that picture."""
        for one in reversed(self.named):
            if one.maker and one.maker.draws_control:
                return one.maker.draws_control, one.resource.text
        return "", ""

    def result(self, task: str) -> str:
        """The text that a task gave last; "" where none did."""
        texts = (past.text for turn in reversed(self.turns) for past in reversed(turn.tasks) if past.task == task)
        return next(filter(None, texts), "")

    def heard(self) -> str:
        """What is said in the recording that was spoken of last, if the last request was about it; else ""."""
        if not self.named or self.named[-1].resource.kind != "audio":
            return ""
        return Memory(self.table, turns=self.turns[-1:]).result(self.table.readers.get("audio", ""))

    def last_answer(self) -> str:
        """What the last turn told: the text that it was all about, else its answer in words."""
        last = self._last_results()
        text = last[0].text if len(last) == 1 else ""
        return text or (self.turns[-1].answer or self.turns[-1].message if self.turns else "")

    def last_answer_in_words(self) -> str:
        """As `last_answer`, of a turn whose tasks are known to have given words; "" where they made files."""
        forms = {past.form for past in self._last_results()}
        return self.last_answer() if forms and not forms & set(FILE_KINDS) else ""

    def _last_results(self) -> list[PastTask]:
        """The tasks of the last turn whose results no other task has used."""
        done = [past for past in self.turns[-1].tasks if past.ok] if self.turns else []
        used = {dep for past in done for dep in past.dep}
        return [past for past in done if past.id not in used]


def remember(turns: Sequence[Turn], table: TaskTable) -> Memory:
    """What is at hand after the turns of a conversation."""
    named: list[Named] = []
    for at, turn in enumerate(turns):
        lost = set(_unusable(turn.tasks))
        named += [
            Named(resource, at)
            for resource in resources_of(turns, at)
            if not (resource.is_file and resource.text in lost)
        ]
        known = {one.resource.text for one in named}
        named += [one for one in _made(turn, at, table) if one.resource.text not in known]
    return Memory(table, tuple(named), tuple(turns))


def resources_of(turns: Sequence[Turn], at: int) -> list[Resource]:
    """What the request of an earlier turn brought."""
    request, files = turns[at].request, turns[at].files
    return with_attachments(request, _resources_in(request[:MAX_LENGTH]), files, earlier_files(turns[:at]))


@lru_cache(PAST_REQUESTS)
def _resources_in(request: str) -> tuple[Resource, ...]:
    return tuple(find_texts(request, find_resources(request)))


def pick(things: Sequence[T], words: str) -> list[T]:
    """Those of several things that words like "the second one", "both" or "all three" mean; none without such words."""
    if match := _SEVERAL.search(words):
        number = 2 if match["both"] else _NUMBERS.get((match["number"] or "").lower(), len(things))
        return list(things[-number:]) if len(things) >= number else []
    if match := _ORDINAL.search(words):
        place = match[1].lower()
        at = _PLACES.index(place) if place in _PLACES else len(things) - 1
        return list(things[at : at + 1])
    return []


def _each_once(named: Iterable[Named]) -> list[Resource]:
    return list({one.resource.text: one.resource for one in named}.values())


def _unusable(tasks: Iterable[PastTask]) -> Iterator[str]:
    """The arguments of the tasks that could not open a file."""
    for past in tasks:
        if past.code == ErrorCode.MEDIA:
            yield from (value for value in past.args.values() if isinstance(value, str))


def _made(turn: Turn, at: int, table: TaskTable) -> Iterator[Named]:
    """The files that the tasks of a turn made; of one without tasks, those whose paths stand in its message, and the
    task that its request most likely asked for.
    """
    for past in turn.tasks:
        if past.ok:
            for path in files_of(past.value):
                yield Named(Resource(path, kind_of(path)), at, table.find(past.task), made=True)
    if not turn.tasks:
        for resource in _resources_in(turn.message[:MAX_LENGTH]):
            if resource.is_file and _GENERATED.fullmatch(resource.text):
                yield Named(resource, at, _likely_maker(turn.request, resource.kind, table), made=True)


def _likely_maker(request: str, kind: Kind | None, table: TaskTable) -> TaskType | None:
    """The task that makes such files and that a request names by its words; None where it names none."""
    matches = [
        (not cue.sure, match.start(), row.name)
        for row in table
        if kind in row.result.kinds
        for cue in row.cues
        if (match := cue.regex.search(request))
    ]
    return table[min(matches)[2]] if matches else None
