"""What a chat has at hand: the files and texts that the user named, and the files and texts that answers gave.

A file counts by who named it: the user's own come first, and an answer brings none but what it made. Of these a
cleaned recording or an edited picture takes the place of the one before it; edges, boxes and masks are of another
picture, which stays the one that is spoken of. Files that an answer could not open are forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from hugginggpt.core.results import FILE_KINDS, TEXT, Kind
from hugginggpt.llm.base import Message
from hugginggpt.media.references import Resource, find_resources, find_texts
from hugginggpt.offline.cues import CONTROLS, TASKS
from hugginggpt.stages.answers import NOT_DONE

T = TypeVar("T")
FITTING: dict[Kind, tuple[Kind | None, ...]] = {"audio": ("audio", "video"), "image": ("image", None)}
"""What is taken where a kind is asked for: videos have a sound, URLs of unknown kind count as pictures."""
CONTROLLED = tuple(f"{control}-text-to-image" for control in CONTROLS)
TRANSFORMS = ("image-to-image", "text-to-image", "audio-to-audio", "text-to-speech", "text-to-video", *CONTROLLED)
"""Tasks whose file stands in for their input afterwards: what comes after is about the new one."""
MAX_LENGTH = 20_000
"""Of a longer message only this many characters are read."""
_GENERATED = re.compile(rf"/?(?:public/)?(?:{'|'.join(f'{kind}s' for kind in FILE_KINDS)})/[^/]+")
_MAKER = re.compile(rf"\s*\(({'|'.join(TASKS.names)})\)")
_WORK = re.compile(rf"- ({'|'.join(TASKS.names)}) with ")
_AFTERWORD = re.compile(rf"^(?:Files: |{NOT_DONE}|What was done:|Note: )", re.MULTILINE)
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
    """Something that a message brought: `at` is the message's number; of a file that was `made`, `maker` the task."""

    resource: Resource
    at: int
    maker: str = ""
    made: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """What the messages of a chat brought, in their order; `answers` are what the assistant said, files aside."""

    named: tuple[Named, ...] = ()
    answers: tuple[str, ...] = ()

    def files(self, kind: Kind, words: str) -> list[str]:
        """The files of a kind that are meant."""
        return [resource.text for resource in self.meant(FITTING.get(kind, (kind,)), words) if resource.is_file]

    def sources(self, words: str) -> list[Resource]:
        """What a text is to be had of; not what was read aloud, which was a text before."""
        kinds = (*FILE_KINDS, None, "text")
        return Memory(tuple(one for one in self.named if one.maker != "text-to-speech")).meant(kinds, words)

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
        current = [one for one in fitting if not one.made or one.maker in ("", *TRANSFORMS)]
        if current and _PLURAL.search(words):
            return _each_once(one for one in current if one.at == current[-1].at)
        return [one.resource for one in (current or fitting)[-1:]]

    def control(self) -> tuple[str, str]:
        """The control (canny, openpose, ...) by which the last picture was drawn, and that picture."""
        for one in reversed(self.named):
            if (control := one.maker.removesuffix("-control")) in CONTROLS:
                return control, one.resource.text
        return "", ""

    def result(self, task: str) -> str:
        """What a task gave, as the last answer with such a result tells; "" where none does."""
        form = _answer_form(task)
        found = (form.search(answer) for answer in reversed(self.answers)) if form else ()
        return next((match["result"] for match in found if match), "")

    def heard(self) -> str:
        """What is said in the recording that was spoken of last, as the last answer tells it; else ""."""
        if not self.named or self.named[-1].resource.kind != "audio":
            return ""
        return Memory(answers=self.answers[-1:]).result("automatic-speech-recognition")

    def last_answer(self) -> str:
        """What was said last: of a single text that was read, written or translated, that text alone."""
        last = self.answers[-1] if self.answers else ""
        whole = (form.fullmatch(last) for task in TASKS.names if (form := _answer_form(task)))
        return next((match["result"] for match in whole if match), last)


def remember(history: Sequence[Message]) -> Memory:
    """What is at hand after the messages of a chat."""
    named: list[Named] = []
    answers: list[str] = []
    for at, message in enumerate(history):
        content = message["content"][:MAX_LENGTH]
        if message["role"] == "user":
            named += [Named(resource, at) for resource in find_texts(content, find_resources(content))]
        elif message["role"] == "assistant":
            lost = [line for line in content.splitlines() if line.startswith(NOT_DONE)]
            named = [one for one in named if one.at < at - 1 or not any(_is_lost(one.resource, line) for line in lost)]
            known = {one.resource.text for one in named}
            named += [one for one in _made(content, at) if one.resource.text not in known]
            answers.append(_AFTERWORD.split(content, maxsplit=1)[0].strip())
    return Memory(tuple(named), tuple(answers))


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


def _is_lost(resource: Resource, line: str) -> bool:
    """Whether a file is told not to be there, or not to be readable, by an answer."""
    name = resource.text.replace("\\", "/").rpartition("/")[2]
    return resource.is_file and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line))


def _made(content: str, at: int) -> Iterator[Named]:
    """The files that an answer says were made, each with its task where the answer tells that."""
    found: dict[str, Named] = {}
    for line in content.splitlines():
        work = _WORK.match(line)
        for resource in find_resources(line):
            if resource.is_file and _GENERATED.fullmatch(resource.text):
                told = _MAKER.match(line, resource.end) or work
                if told or resource.text not in found:
                    found[resource.text] = Named(resource, at, told[1] if told else "", made=True)
    yield from found.values()


@cache
def _answer_form(task: str) -> re.Pattern[str] | None:
    """How the offline responder words the result of a task that gives a text; None for other tasks."""
    row = TASKS[task]
    if row.result is not TEXT or row.answer == "{}":
        return None
    form = re.escape(row.answer).replace(r"\{\}", "(?P<result>.+)")
    return re.compile(re.sub(r"\\\{\w+\\\}", r"\\S+", form))
