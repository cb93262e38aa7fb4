"""A planner that needs no language model: words name the tasks, types wire them.

Each cue in the request is a task; its inputs are the files and quoted texts that are named, else what
earlier tasks make. A text that is needed and only there as a picture or a recording is read or written
down first.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.events import Event, Planned
from hugginggpt.llm import Message
from hugginggpt.offline.cues import CUES, DOCUMENT, LANGUAGE, QUESTION, RESULT_WORDS
from hugginggpt.offline.resources import Resource, find_resources
from hugginggpt.plan import reference
from hugginggpt.repair import repair
from hugginggpt.results import FILE_KINDS, Kind
from hugginggpt.run import Run
from hugginggpt.tasks import TASKS

TRANSFORMS = ("image-to-image", "text-to-image", "audio-to-audio", "text-to-speech", "text-to-video")
"""Tasks whose file stands in for their input afterwards: what comes after is about the new one."""
READERS: dict[Kind, str] = {
    "image": "image-to-text",
    "audio": "automatic-speech-recognition",
    "video": "automatic-speech-recognition",
}
"""How a text is had of a file."""


class OfflinePlanner:
    def plan(self, run: Run) -> Generator[Event, None, None]:
        yield Planned(repair(plan_offline(run.request, run.history), run.limits.max_tasks))


def plan_offline(request: str, history: Sequence[Message] = ()) -> list[dict[str, Any]]:
    """The tasks of a request, in JARVIS's format; none where no cue is found."""
    named = find_resources(request)
    earlier = [resource for message in reversed(history) for resource in reversed(find_resources(message["content"]))]
    wiring = _Wiring(request, named, [resource for resource in earlier if resource.kind in FILE_KINDS])
    for place, task, kind in _tasks_named(request, named, wiring):
        wiring.add(task, kind, place)
    return [node.to_json() for node in wiring.nodes]


def _tasks_named(request: str, named: Sequence[Resource], wiring: _Wiring) -> list[tuple[int, str, Kind]]:
    """(place, task, kind of its input) of each cue, in the order of the text; without any, the question itself."""
    masked = _masked(request, named)
    found: dict[str, tuple[int, str, Kind]] = {}
    for cue in CUES:
        for match in cue.pattern.finditer(masked):
            if wiring.can_have(cue.kind, match.start()):
                found.setdefault(cue.task, (match.start(), cue.task, cue.kind))
                break
    if question := _question_task(masked, found, wiring):
        found[question[1]] = question
    return sorted(found.values())


def _question_task(masked: str, found: dict[str, Any], wiring: _Wiring) -> tuple[int, str, Kind] | None:
    """A question that no cue explains is put to the picture, the page or the quoted text."""
    if found or not QUESTION.search(masked):
        return None
    if wiring.can_have("image", 0):
        task = "document-question-answering" if DOCUMENT.search(wiring.request) else "visual-question-answering"
        return (0, task, "image")
    if any(resource.kind == "text" for resource in wiring.named):
        return (0, "question-answering", "text")
    return None


def _masked(request: str, named: Sequence[Resource]) -> str:
    """The request with files and quoted texts blanked out, places unchanged."""
    text = request
    for resource in named:
        text = text[: resource.start] + " " * (resource.end - resource.start) + text[resource.end :]
    return text


@dataclass(slots=True)
class _Node:
    id: int
    task: str
    args: dict[str, Any]
    source: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"task": self.task, "id": self.id, "args": self.args}


@dataclass(slots=True)
class _Wiring:
    """The plan as it grows, and what is at hand for the next task."""

    request: str
    named: Sequence[Resource]
    earlier: Sequence[Resource]
    nodes: list[_Node] = field(default_factory=list)

    def files(self, kind: Kind) -> list[str]:
        """The request's files of a kind (URLs of unknown kind count as pictures), else the chat's last one."""
        fits = ("audio", "video") if kind == "audio" else (kind, None) if kind == "image" else (kind,)
        own = [resource.text for resource in self.named if resource.kind in fits]
        return own or [resource.text for resource in self.earlier if resource.kind in fits][:1]

    def can_have(self, kind: Kind, place: int) -> bool:
        """Whether a task at that place could get such an input from what is named; texts can be had of anything."""
        if kind != "text":
            return bool(self.files(kind)) or (kind in ("image", "audio") and self._will_make(kind, place))
        return True

    def _will_make(self, kind: Kind, place: int) -> bool:
        """Whether the words before `place` ask for such a file to be made."""
        maker = {"image": "text-to-image", "audio": "text-to-speech"}[kind]
        return any(cue.task == maker and cue.pattern.search(self.request[:place]) for cue in CUES)

    def add(self, task: str, kind: Kind, place: int) -> None:
        """Adds a task about a kind of input: once for each file it is about."""
        clause = self._clause(place)
        args = _extra_args(task, self.request, clause)
        if kind == "text":
            if task == "sentence-similarity":
                quoted = self._quoted()
                self._append(task, {"text1": "".join(quoted[:1]), "text2": "".join(quoted[1:2])})
                return
            for text in self._texts(task, clause):
                self._append(task, {_text_arg(task): text, **args})
            return
        for source in self._inputs(kind, clause):
            self._append(task, {kind: source, **args})

    def _append(self, task: str, args: dict[str, Any]) -> _Node:
        node = _Node(len(self.nodes), task, {name: value for name, value in args.items() if value})
        self.nodes.append(node)
        return node

    def _inputs(self, kind: Kind, clause: str) -> list[str]:
        """The files for a task: what the last transforming task made of them, else those that are named."""
        made = [node for node in self.nodes if node.task in TRANSFORMS and kind in TASKS[node.task].form.kinds]
        here = [resource.text for resource in find_resources(clause) if resource.kind == kind]
        if made and not here:
            last = made[-1].task
            return [reference(node.id) for node in made if node.task == last]
        files = self.files(kind)
        return [file for file in files if file in here] or files

    def _texts(self, task: str, clause: str) -> list[str]:
        """The texts for a task: quoted, made by an earlier task, in a file, or written out in the request."""
        quoted = self._quoted()
        here = [resource.text for resource in find_resources(clause) if resource.kind == "text"]
        if here:
            return here[:1]
        makers = [node for node in self.nodes if "text" in TASKS[node.task].form.kinds]
        if makers and (not quoted or RESULT_WORDS.search(clause)):
            last = makers[-1].task
            return [reference(node.id) for node in makers if node.task == last]
        if quoted:
            return quoted[:1]
        kinds: tuple[Kind, ...] = ("audio", "image")
        for kind in kinds:
            if sources := self._inputs(kind, clause):
                return [reference(self._append(READERS[kind], {kind: source}).id) for source in sources]
        return [text] if (text := _written_text(self.request)) else []

    def _quoted(self) -> list[str]:
        return [resource.text for resource in self.named if resource.kind == "text"]

    def _clause(self, place: int) -> str:
        """The part of the request around a place, between strong punctuation and "then"."""
        start = max((m.end() for m in _BREAK.finditer(self.request, 0, place)), default=0)
        following = _BREAK.search(self.request, place)
        return self.request[start : following.start() if following else len(self.request)]


_BREAK = re.compile(r"[.;!?]\s+|,?\s+(?:and\s+)?then\s+|\n")


def _text_arg(task: str) -> str:
    return "context" if task == "question-answering" else "text"


def _extra_args(task: str, request: str, clause: str) -> dict[str, str]:
    if task == "translation" and (language := LANGUAGE.search(request)):
        return {"language": language[1].capitalize()}
    if task in ("visual-question-answering", "document-question-answering", "image-to-image", "question-answering"):
        return {"text": _without_files(clause)}
    return {}


def _without_files(text: str) -> str:
    """A question without the files that it names, nor the preposition before each."""
    for resource in reversed(find_resources(text)):
        before = re.sub(r"\s+(?:in|on|of|from|at|for)\s*$", "", text[: resource.start])
        text = before + text[resource.end :]
    return " ".join(text.split()).strip(" ,:")


def _written_text(request: str) -> str:
    """The text that a request brings along without quoting it: what follows a colon or the word "of"."""
    for pattern in (r":\s+(\S.+)$", r"\b(?:of|about|showing)\s+(\S.+?)[.!?]?$"):
        if match := re.search(pattern, request, re.DOTALL):
            return match[1].strip()
    return ""
