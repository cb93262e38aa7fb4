"""The graph of a request in people's own words: each task that was asked for gets its inputs.

An input is what the clause itself names, else what it points to ("it", "the summary"), else what the tasks before
made, else what the request or the chat names. A text that is only there as a picture or a recording is read or
written down first; a picture that is to follow another one's pose gets that pose drawn first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hugginggpt.core.plan import reference
from hugginggpt.core.results import Kind
from hugginggpt.media.references import Resource
from hugginggpt.offline import spans
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.cues import CONTROLS, TASKS, picture_question
from hugginggpt.offline.intents import EXPLICIT, Intent, input_kind
from hugginggpt.offline.memory import CONTROLLED, FITTING, TRANSFORMS, Memory, pick

READERS: dict[Kind, str] = {
    "image": "image-to-text",
    "audio": "automatic-speech-recognition",
    "video": "automatic-speech-recognition",
}
"""How a text is had of a file."""
WRITERS = (
    "image-to-text", "automatic-speech-recognition", "summarization", "translation", "text2text-generation", "text-generation",
    "conversational", "question-answering", "visual-question-answering", "document-question-answering",
)  # fmt: skip
"""Tasks whose result is a text to work on; of the others only what is asked for by name."""
_NAMED_RESULTS = {
    "summary": "summarization", "gist": "summarization", "translation": "translation", "caption": "image-to-text",
    "description": "image-to-text", "transcript": "automatic-speech-recognition",
    "transcription": "automatic-speech-recognition", "poem": "text-generation", "story": "text-generation",
    "reply": "conversational",
}  # fmt: skip
_ALIKE = re.compile(r"\b(?:too|also|as well|original)\b", re.IGNORECASE)
_THAT_FILE = re.compile(r"\b(?:that|this|the (?:new|resulting|generated|changed|edited)) (?:picture|image|photo|mask|map|drawing|recording|audio|file|one)\b|\bthe result\b", re.I)  # fmt: skip
_THE_LIST = re.compile(r"\b(?:them|the (?:names|people|places|entities|list))\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|them)\b", re.IGNORECASE)
_ANSWER = re.compile(r"\b(?:that|this|the (?:answer|result|reply|message)s?)\b", re.IGNORECASE)


def _names(text: str, result: str) -> bool:
    return bool(re.search(rf"\bthe (?:\w+ )?{result}\b", text, re.IGNORECASE))


@dataclass(slots=True)
class Node:
    """A task of the plan. `group` tells the tasks of one intent from others; `why` is for people."""

    id: int
    task: str
    args: dict[str, Any]
    group: int
    why: str
    dep: list[int] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {"task": self.task, "id": self.id, "args": self.args, **({"dep": self.dep} if self.dep else {})}


@dataclass(slots=True)
class Wiring:
    """The plan as it grows. `memory` is what the chat has at hand."""

    request: str
    named: Sequence[Resource]
    clauses: Sequence[Clause]
    memory: Memory = Memory()
    nodes: list[Node] = field(default_factory=list)
    _group: int = 0
    _why: str = ""

    def add(self, intent: Intent) -> None:
        """Adds what a clause asks for: a task for each file or text that it is about."""
        self._group += 1
        self._why = intent.why
        task, clause = intent.task, intent.clause
        if task in ("text-to-image", "image-to-image") and (controlled := self._follows_control(task, clause)):
            task = controlled
        if task in CONTROLLED:
            self._add_controlled(task, clause)
        elif task == "sentence-similarity":
            self._add_similarity(clause)
        elif task == "question-answering":
            self._add_question(clause)
        elif input_kind(task) != "text":
            self._add_about_file(task, clause)
        else:
            self._add_about_text(task, clause)
        if task in ("image-to-text", "summarization"):
            self._add_language(clause)

    def _add_language(self, clause: Clause) -> None:
        """For "describe it in French": what was written is translated."""
        said = spans.without_files(self.request, clause, keep_quoted=False)
        made = [
            node for node in self.nodes if node.group == self._group and node.task in ("image-to-text", "summarization")
        ]
        for language in spans.languages(said):
            for node in made[-1:]:
                self._append("translation", {"text": reference(node.id), "language": language})

    def _append(self, task: str, args: dict[str, Any], why: str = "") -> Node:
        for node in self.nodes:  # the same thing is done once
            if node.task == task and node.args == args:
                return node
        filled = {name: value for name, value in args.items() if value}
        self.nodes.append(node := Node(len(self.nodes), task, filled, self._group, why or self._why))
        return node

    # about files

    def _add_about_file(self, task: str, clause: Clause) -> None:
        kind = input_kind(task)
        extra = {}
        if any(arg.name == "text" for arg in TASKS[task].args):
            quoted = self._quoted(clause)
            asked = (
                spans.question(self.request, clause) if task != "image-to-image" else spans.plain(self.request, clause)
            )
            extra = {"text": quoted[-1] if quoted and task != "image-to-image" else asked}
        for source in self.files(kind, clause):
            self._append(task, {kind: source, **extra})

    def files(self, kind: Kind, clause: Clause) -> list[str]:
        """The files for a task, or references to what makes them."""
        if here := self._named_files(kind, clause.resources):
            return here
        text = self.request[clause.start : clause.end]
        makers = [node for node in self.nodes if kind in TASKS[node.task].result.kinds]
        pointed = makers if _THAT_FILE.search(text) else [node for node in makers if node.task in TRANSFORMS]
        if pointed and "original" not in text:
            made = self._group_of(pointed[-1])
            return pick(made, text) or made
        named = self._named_files(kind, self.named)
        if picked := self._picked(kind, named, text):
            return picked
        for other in reversed([other for other in self.clauses if other.start < clause.start]):
            if found := self._named_files(kind, other.resources):
                return found
        return named or self.memory.files(kind, text)

    def _picked(self, kind: Kind, named: Sequence[str], text: str) -> list[str]:
        """Those of the request's files that "the second one" or "both" mean: counted among all of them, of any kind,
        where that is one of the kind, else among those of the kind.
        """
        files = [resource.text for resource in self.named if resource.is_file]
        picked = pick(files, text)
        return picked if picked and set(picked) <= set(named) else pick(named, text)

    def _named_files(self, kind: Kind, resources: Sequence[Resource]) -> list[str]:
        """Files of a kind; URLs of unknown kind count as pictures, videos have a sound."""
        fits = FITTING.get(kind, (kind,))
        files = (resource.text for resource in resources if resource.kind in fits and resource.is_file)
        return list(dict.fromkeys(files))

    def _group_of(self, node: Node) -> list[str]:
        """References to a task and to those of the same intent."""
        return [reference(n.id) for n in self.nodes if n.task == node.task and n.group == node.group]

    # about texts

    def _add_about_text(self, task: str, clause: Clause) -> None:
        text = self.request[clause.start : clause.end]
        if task in ("text-to-image", "text-to-video"):
            self._append(task, {"text": self._scene(clause)})
            return
        if task == "text-generation" and not re.match(
            r"\W*(?:\w+\s+)?(?:continue|finish|complete|extend|go on)", text, re.I
        ):
            makers = [node for node in self.nodes if node.task in WRITERS]
            pointed = makers and re.search(
                r"\b(?:it|them|the (?:result|text|summary|description|answer|transcript))\b", text, re.I
            )
            said = spans.plain(self.request, clause)
            read = self._read([resource for resource in clause.resources if resource.kind in READERS])
            self._append(task, {"text": reference(makers[-1].id) if pointed else ": ".join((said, *read))})
            return
        extra: dict[str, Any] = {}
        if task == "zero-shot-classification":
            extra = {"labels": spans.labels(self.request, clause, self.named)}
        wanted = (
            spans.languages(spans.without_files(self.request, clause, keep_quoted=False))
            if task == "translation"
            else []
        )
        sources = self.texts(task, clause)
        if task == "text-to-speech" and re.search(r"\bthe (?:result|answer|total)\b", text, re.IGNORECASE):
            sources = [". ".join(sources)] if sources else []  # one recording of the results for several files
        for source in sources:
            for language in wanted or [""]:
                self._append(task, {"text": source, **({"language": language} if language else {}), **extra})

    def texts(self, task: str, clause: Clause) -> list[str]:
        """The texts for a task: what is pointed to by name, quoted here, read from a file here, made before, ..."""
        text = self.request[clause.start : clause.end]
        if named := self._result_by_name(text) or self._list_found(task, text):
            return self._group_of(named)
        if quoted := self._quoted(clause):
            return quoted if self._listed(clause) else quoted[-1:]
        if read := self._read(clause.resources):
            return read
        if task == "text-to-speech" and (said := spans.spoken(self.request, clause)):
            return [said]
        makers = [node for node in self.nodes if node.task in WRITERS]
        if task in ("text-to-speech", "translation") and not makers:
            makers = [node for node in self.nodes if "text" in TASKS[node.task].result.kinds]
        if makers and task != "text-to-speech" and (same := self._same_as_before(clause)):
            return same
        if makers:
            return self._group_of(makers[-1])
        if written := spans.after_colon(self.request, clause):
            return [written]
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        if everywhere:
            return everywhere[:1]
        if read := self._read(self._nearest_files(clause)) or self._of_chat(task, text):
            return read
        return [spans.plain(self.request, clause)] if task in ("conversational", "text-generation") else []

    def _of_chat(self, task: str, text: str) -> list[str]:
        """Texts of the chat: a result by its name, what was answered, or what was spoken of, which is read anew."""
        named = [result for name, result in _NAMED_RESULTS.items() if _names(text, name)]
        if found := next(filter(None, map(self.memory.result, named)), ""):
            return [found]
        spoken = self.memory.sources(text)
        if named and not spoken:
            return []
        if task == "text-to-speech" and _IT.search(text) and (answer := self.memory.last_answer_in_words()):
            return [answer]
        is_file = any(resource.is_file for resource in spoken)
        if task == "text-to-speech" and (_ANSWER.search(text) or not is_file):
            return [answer] if (answer := self.memory.last_answer()) else []
        read = self._read(spoken)
        if "summarization" in named and task != "summarization":
            return [reference(self._append("summarization", {"text": source}).id) for source in read]
        return read

    def _listed(self, clause: Clause) -> bool:
        """Whether a clause's quoted texts are a list ("… 'this' and of 'that'"), so that each is meant."""
        quoted = [resource for resource in clause.resources if resource.kind == "text" and not resource.is_file]
        gaps = [self.request[one.end : other.start] for one, other in itertools.pairwise(quoted)]
        return all(re.fullmatch(r"\W*(?:and|or)?(?: (?:of|also|in))?\W*", gap) for gap in gaps)

    def _nearest_files(self, clause: Clause) -> Sequence[Resource]:
        for other in reversed([other for other in self.clauses if other.start < clause.start]):
            if files := [resource for resource in other.resources if resource.kind in READERS]:
                return files
        return [resource for resource in self.named if resource.kind in READERS or resource.kind is None]

    def _result_by_name(self, text: str) -> Node | None:
        for name, task in _NAMED_RESULTS.items():
            made = [node for node in self.nodes if node.task == task]
            if made and _names(text, name):
                return made[-1]
        return None

    def _list_found(self, task: str, text: str) -> Node | None:
        """The names that were found last, for "say them aloud"."""
        found = self.nodes and self.nodes[-1].task == "token-classification"
        return self.nodes[-1] if found and task == "text-to-speech" and _THE_LIST.search(text) else None

    def _same_as_before(self, clause: Clause) -> list[str]:
        """For "… too" and "both … and …": the text that the last task took."""
        before = [other for other in self.clauses if other.start < clause.start]
        both = before and re.search(r"\bboth\b", self.request[before[-1].start : before[-1].end])
        last = self.nodes[-1]
        alike = both or _ALIKE.search(self.request[clause.start : clause.end])
        return [last.args["text"]] if alike and "text" in last.args and last.task in WRITERS else []

    def _read(self, resources: Sequence[Resource]) -> list[str]:
        """The texts in files: of a text file the file itself, else the results of the tasks that read it."""
        texts: list[str] = []
        for resource in resources:
            kind = resource.kind or "image"
            if kind == "text":
                texts.append(resource.text)
            elif kind in READERS:
                name: Kind = "audio" if kind in ("audio", "video") else "image"
                cleaned = [n for n in self.nodes if n.task in TRANSFORMS and n.args.get(name) == resource.text]
                source = reference(cleaned[-1].id) if cleaned else resource.text
                texts.append(
                    reference(self._append(READERS[kind], {name: source}, f"{resource.text} has to be read").id)
                )
        return texts

    def _quoted(self, clause: Clause) -> list[str]:
        return [resource.text for resource in clause.resources if resource.kind == "text" and not resource.is_file]

    def _scene(self, clause: Clause) -> str:
        """What a picture or video is to show: described in words, or a text that is made or read before."""
        said = spans.description(self.request, clause)
        text = self.request[clause.start : clause.end]
        quoted = self._quoted(clause)
        pointed = re.search(
            r"\b(?:it|this|that|them|there|the (?:text|story|poem|summary|description|transcript|answer|translation|result|caption|speech|scene)s?)\b", text, re.I)  # fmt: skip
        if quoted and len(re.sub(r"[\"'“”‘’`«»„].*[\"'“”‘’`«»„]", "", said).split()) < 3:
            return quoted[-1]
        if pointed and not quoted:
            named = self._result_by_name(text)
            makers = [node for node in self.nodes if node.task in WRITERS]
            if named or makers:
                return reference((named or makers[-1]).id)
            if read := self._read([r for r in clause.resources if r.kind in READERS]) or self._read(
                self._nearest_files(clause)
            ):
                return read[0]
        return said

    # tasks with inputs of their own kind

    def _add_question(self, clause: Clause) -> None:
        """A question and the text that holds its answer: quoted, in a file, or made before."""
        quoted = self._quoted(clause)
        asked = [text for text in quoted if text.endswith("?")]
        contexts = [text for text in quoted if text not in asked[:1]] if len(quoted) > 1 or not asked else []
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        makers = [node for node in self.nodes if node.task in WRITERS]
        words = spans.question(self.request, clause, keep_quoted=False)
        answer = re.match(
            r"\W*(?:please )?(?:answer|reply)\b.*\b(?:it|that|the question)\b", clause.text, re.IGNORECASE
        )
        words = re.sub(r"^(?:(?:based on|according to|from|in|given|using) (?:this|the)(?: \w+)? ?(?:text|article|story|passage)?[,:]?|(?:text|context|passage|article)\b)\s*", "", words, flags=re.I)  # fmt: skip
        words = re.sub(r"(?<=\?)\s*(?:the )?(?:text|context|passage|article)\W*$", "", words, flags=re.IGNORECASE)
        put = asked and re.fullmatch(
            r"\W*(?:answer )?(?:the|this|my)?(?: following)? ?question\W*", words, re.IGNORECASE
        )
        said = asked[0] if asked and (contexts or put) else words.strip(" :-–")
        question = said
        if contexts and makers and answer:
            question = reference(makers[-1].id)
        context = next(iter(contexts), "") or next((text for text in everywhere if text != question), "")
        if put and not context and not makers and (pictures := self._looked_at(clause)):
            for picture in pictures:
                self._append(picture_question(question), {"image": picture, "text": question})
            return
        for source in [context] if context else self._answering(clause, makers) or [""]:
            self._append("question-answering", {"text": question, "context": source})

    def _looked_at(self, clause: Clause) -> list[str]:
        """The pictures that a question without a text is about; none where a recording was named last."""
        near = [resource for resource in clause.resources if resource.is_file] or self._nearest_files(clause)
        drawn = any("image" in TASKS[node.task].result.kinds for node in self.nodes)
        recorded = not drawn and any(resource.kind in ("audio", "video") for resource in near)
        return [] if recorded else self.files("image", clause)

    def _answering(self, clause: Clause, makers: Sequence[Node]) -> list[str]:
        """What a question is to be answered from: the files that it names, what was made before, the files nearby, the
        chat. A summary and the answer to another question are not meant unless there is nothing else, or by name.
        """
        if read := self._read([resource for resource in clause.resources if resource.is_file]):
            return read
        before = max((other.start for other in self.clauses if other.start < clause.start), default=clause.start)
        if not _names(self.request[before : clause.end], "summary"):
            partial = ("question-answering", "summarization")
            makers = [node for node in makers if not node.task.endswith(partial)] or makers
        if makers:
            return self._group_of(makers[-1])
        return self._read(self._nearest_files(clause)) or self._of_chat("question-answering", clause.text)

    def _add_similarity(self, clause: Clause) -> None:
        texts = [*self._quoted(clause), *self._read([r for r in clause.resources if r.is_file])]
        makers = [node for node in self.nodes if node.task in WRITERS]
        if len(texts) < 2 and makers:
            texts.insert(0, reference(makers[-1].id))
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        texts += [text for text in everywhere if text not in texts]
        if len(texts) < 2 and len(makers) > 1:
            texts.append(reference(makers[-2].id))
        if not texts:
            texts = [resource.text for one in self.memory.named if (resource := one.resource).kind == "text"][-2:]
        self._append("sentence-similarity", dict(zip(("text1", "text2"), texts, strict=False)))

    def _follows_control(self, task: str, clause: Clause) -> str:
        """The task for "… and make a picture of … from them" after edges, a pose, ... were drawn; else nothing."""
        if task == "image-to-image" and not re.search(
            r"\b(?:a|an|another) (?:new )?(?:picture|image|painting|photo)\b", clause.text
        ):
            return ""
        control, _ = self.memory.control()
        if not self.nodes and not self.named and control and EXPLICIT.search(clause.text):
            return f"{control}-text-to-image"
        if not self.nodes or self.nodes[-1].task.removesuffix("-control") not in CONTROLS:
            return ""
        control = self.nodes[-1].task.removesuffix("-control")
        drawn = next((c for c in reversed(self.clauses) if c.start < clause.start), clause)
        keeps = re.match(r"\W*(?:please )?(?:use|keep|with|from|take|following|based on)\b", drawn.text, re.IGNORECASE)
        if keeps or EXPLICIT.search(clause.text) or "pose" in clause.text:
            return f"{control}-text-to-image"
        return ""

    def _add_controlled(self, task: str, clause: Clause) -> None:
        """A picture that keeps another one's edges, pose, ...: these are drawn first, unless they are there."""
        control = task.removesuffix("-text-to-image")
        drawn = [node for node in self.nodes if node.task.removesuffix("-control") in CONTROLS]
        here = self._named_files("image", clause.resources)
        if drawn and not here:
            control = drawn[-1].task.removesuffix("-control")
            image = reference(drawn[-1].id)
        elif not here and not self._named_files("image", self.named) and any(self.memory.control()):
            control, image = self.memory.control()
        else:
            image = next(iter(self.files("image", clause)), "")
            if control != "scribble":
                image = reference(self._append(f"{control}-control", {"image": image}).id)
        self._append(f"{control}-text-to-image", {"image": image, "text": spans.description(self.request, clause)})
