"""The resources of a conversation: files and texts that the user named, and those that tasks generated.

They are read from the turns as data (`core.conversation.Turn`), never from the wording of answers. The user's files
come first; an answer adds only files that its tasks generated. A cleaned recording or an edited picture replaces its
input; edges, boxes and masks do not: a later "it" still means their input. Files that a task could not open are
dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from hugginggpt.core.conversation import PastTask, Turn, earlier_files
from hugginggpt.core.errors import ErrorCode
from hugginggpt.core.results import FILE_KINDS, Kind, files_of
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource, find_resources, find_texts, with_attachments
from hugginggpt.media.types import kind_of

T = TypeVar("T")
ACCEPTED_KINDS: dict[Kind, tuple[Kind | None, ...]] = {"audio": ("audio", "video"), "image": ("image", None)}
"""The kinds accepted for a kind of input: videos have sound, URLs of unknown kind count as pictures."""
MAX_LENGTH = 20_000
"""Further characters of a message are ignored."""
PAST_REQUESTS = 256
"""The number of requests of earlier turns whose resources are cached, so that each is parsed once."""
_GENERATED = re.compile(rf"/?(?:public/)?(?:{'|'.join(f'{kind}s' for kind in FILE_KINDS)})/[^/]+")
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
MEDIUM = (
    r"(?:ones?|(?:picture|image|photo(?:graph)?|drawing|scan|screenshot|letter|invoice|document|page|recording|audio|sound|song|"
    r"clip|video|file|table|text)s?)\b"
)
"""The nouns for a file or text of a request."""
_ORDINAL = re.compile(
    rf"\bthe ({'|'.join(_PLACES)}|last|latest)(?: {MEDIUM}|(?= (?:of (?:them|these|those)|aloud|out loud|and|to|into)\b)|\W*$)", re.I
)  # fmt: skip
_SEVERAL = re.compile(
    rf"\b(?:(?P<both>both)\b|all (?:the |of the )?(?P<number>{'|'.join(_NUMBERS)})\b|"
    r"(?:all|each|every) (?:of )?(?:them|these|those|(?:the )?(?:picture|image|photo|recording|file)s?)\b)",
    re.IGNORECASE,
)
_OTHER = re.compile(rf"\bthe others?\b(?: {MEDIUM})?", re.IGNORECASE)
_PLURAL = re.compile(
    r"\b(?:they|them|their|these|those|which (?:one|of (?:them|these|those|the two)))\b", re.IGNORECASE
)
_DERIVED_PICTURE = re.compile(
    r"\b(?:that|the (?:new|resulting|generated|drawn|marked|annotated)) (?:mask|map|drawing|sketch|outline|skeleton|pose|result)\b|"
    r"\bthe (?:result|(?:new|resulting|generated|changed|edited|marked|annotated) (?:picture|image|photo|one))\b",
    re.IGNORECASE,
)
"""Words that refer to a picture derived from another one, and not to the original."""


@dataclass(frozen=True, slots=True)
class KnownResource:
    """A resource from a turn: `turn` is its index; for a `generated` file, `maker` is the task type, if known."""

    resource: Resource
    turn: int
    maker: TaskType | None = None
    generated: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """The resources of a conversation, in the order of its turns."""

    table: TaskTable
    named: tuple[KnownResource, ...] = ()
    turns: tuple[Turn, ...] = ()

    def without_files(self) -> Memory:
        """The memory without the files of the conversation; its texts and results stay."""
        return replace(self, named=tuple(item for item in self.named if not item.resource.is_file))

    def files(self, kind: Kind, words: str) -> list[str]:
        """The files of a kind that a clause refers to."""
        return [resource.text for resource in self.meant(ACCEPTED_KINDS.get(kind, (kind,)), words) if resource.is_file]

    def sources(self, words: str) -> list[Resource]:
        """The sources of a text that a clause refers to, without generated speech, which was a text before."""
        kinds = (*FILE_KINDS, None, "text")
        others = (item for item in self.named if not (item.maker and item.maker.wording == "speech"))
        return Memory(self.table, tuple(others)).meant(kinds, words)

    def meant(self, kinds: Sequence[Kind | None], words: str) -> list[Resource]:
        """The resources of some kinds that a clause refers to; by default the one mentioned last."""
        candidates = [item for item in self.named if item.resource.kind in kinds]
        provided = _unique(item for item in candidates if not item.generated)
        if picked := pick(provided, words):
            return picked
        if _DERIVED_PICTURE.search(words) and any(item.generated for item in candidates):
            return [next(item.resource for item in reversed(candidates) if item.generated)]
        if re.search(r"\boriginal\b", words) and provided:
            return provided[-1:]
        current = [item for item in candidates if item.maker is None or item.maker.transforms_input]
        if current and _PLURAL.search(words):
            return _unique(item for item in current if item.turn == current[-1].turn)
        return [item.resource for item in (current or candidates)[-1:]]

    def selected(self, words: str) -> list[Resource]:
        """The user's files that "the first" or "the other one" refer to, of the kind that the last turn's tasks used."""
        provided = _unique(item for item in self.named if not item.generated and item.resource.is_file)
        used = {
            value
            for past in (self.turns[-1].tasks if self.turns else ())
            for value in past.args.values()
            if isinstance(value, str)
        }
        kinds = {resource.kind for resource in provided if resource.text in used}
        candidates = [resource for resource in provided if not kinds or resource.kind in kinds]
        if match := _OTHER.search(words):
            others = [resource for resource in candidates if resource.text not in used]
            candidates = others if match[0].lower().endswith("s") else others[-1:]
        else:
            candidates = pick(candidates, words)
        return [Resource(resource.text, resource.kind) for resource in candidates]

    def control(self) -> tuple[str, str]:
        """The type of the last control image (canny, openpose, ...), and its path; ("", "") without one."""
        for item in reversed(self.named):
            if item.maker and item.maker.draws_control:
                return item.maker.draws_control, item.resource.text
        return "", ""

    def result(self, task: str) -> str:
        """The last text result of a task type; "" without one."""
        texts = (past.text for turn in reversed(self.turns) for past in reversed(turn.tasks) if past.task == task)
        return next(filter(None, texts), "")

    def last_transcript(self) -> str:
        """The transcript of the recording mentioned last, if the last request was about it; else ""."""
        if not self.named or self.named[-1].resource.kind != "audio":
            return ""
        return Memory(self.table, turns=self.turns[-1:]).result(self.table.readers.get("audio", ""))

    def last_answer(self) -> str:
        """The result of the last turn: the text of its only final task, else its answer."""
        last = self._last_results()
        text = last[0].text if len(last) == 1 else ""
        return text or (self.turns[-1].answer or self.turns[-1].message if self.turns else "")

    def last_answer_in_words(self) -> str:
        """Like `last_answer`, but "" for a turn whose tasks generated files."""
        forms = {past.form for past in self._last_results()}
        return self.last_answer() if forms and not forms & set(FILE_KINDS) else ""

    def _last_results(self) -> list[PastTask]:
        """The final tasks of the last turn, whose results no other task has used."""
        finished = [past for past in self.turns[-1].tasks if past.ok] if self.turns else []
        used = {dep for past in finished for dep in past.dep}
        return [past for past in finished if past.id not in used]


def remember(turns: Sequence[Turn], table: TaskTable) -> Memory:
    """The memory after the turns of a conversation."""
    named: list[KnownResource] = []
    for index, turn in enumerate(turns):
        unreadable = set(_unusable(turn.tasks))
        named += [
            KnownResource(resource, index)
            for resource in resources_of(turns, index)
            if not (resource.is_file and resource.text in unreadable)
        ]
        known_texts = {item.resource.text for item in named}
        named += [item for item in _generated_by(turn, index, table) if item.resource.text not in known_texts]
    return Memory(table, tuple(named), tuple(turns))


def resources_of(turns: Sequence[Turn], index: int) -> list[Resource]:
    """The resources of an earlier turn's request."""
    request, files = turns[index].request, turns[index].files
    return with_attachments(request, _resources_in(request[:MAX_LENGTH]), files, earlier_files(turns[:index]))


@lru_cache(PAST_REQUESTS)
def _resources_in(request: str) -> tuple[Resource, ...]:
    return tuple(find_texts(request, find_resources(request)))


def find_selection(words: str) -> re.Match[str] | None:
    """The words that select some files of a conversation: "the second one", "both", "the other one"."""
    return _SEVERAL.search(words) or _ORDINAL.search(words) or _OTHER.search(words)


def pick(items: Sequence[T], words: str) -> list[T]:
    """The items that "the second one", "both" or "all three" refer to; [] without such words."""
    if match := _SEVERAL.search(words):
        number = 2 if match["both"] else _NUMBERS.get((match["number"] or "").lower(), len(items))
        return list(items[-number:]) if len(items) >= number else []
    if match := _ORDINAL.search(words):
        word = match[1].lower()
        index = _PLACES.index(word) if word in _PLACES else len(items) - 1
        return list(items[index : index + 1])
    return []


def _unique(items: Iterable[KnownResource]) -> list[Resource]:
    return list({item.resource.text: item.resource for item in items}.values())


def _unusable(tasks: Iterable[PastTask]) -> Iterator[str]:
    """The arguments of tasks that could not open a file."""
    for past in tasks:
        if past.code == ErrorCode.MEDIA:
            yield from (value for value in past.args.values() if isinstance(value, str))


def _generated_by(turn: Turn, at: int, table: TaskTable) -> Iterator[KnownResource]:
    """The files that the tasks of a turn generated; of a turn without task records, the paths in its message, with the
    task type that its request most likely asked for.
    """
    for past in turn.tasks:
        if past.ok:
            for path in files_of(past.value):
                yield KnownResource(Resource(path, kind_of(path)), at, table.find(past.task), generated=True)
    if not turn.tasks:
        for resource in _resources_in(turn.message[:MAX_LENGTH]):
            if resource.is_file and _GENERATED.fullmatch(resource.text):
                yield KnownResource(resource, at, _likely_maker(turn.request, resource.kind, table), generated=True)


def _likely_maker(request: str, kind: Kind | None, table: TaskTable) -> TaskType | None:
    """The task type that generates such files and has a cue in the request; None without one."""
    matches = [
        (not cue.sure, match.start(), row.name)
        for row in table
        if kind in row.result.kinds
        for cue in row.cues
        if (match := cue.regex.search(request))
    ]
    return table[min(matches)[2]] if matches else None
