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
from hugginggpt.core.results import ENTITIES, Kind
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.offline import spans
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.cues import picture_question
from hugginggpt.offline.intents import EXPLICIT, Intent
from hugginggpt.offline.memory import FITTING, Memory, pick

_ALIKE = re.compile(r"\b(?:too|also|as well|original)\b", re.IGNORECASE)
_THAT_FILE = re.compile(r"\b(?:that|this|the (?:new|resulting|generated|changed|edited)) (?:picture|image|photo|mask|map|drawing|recording|audio|file|one)\b|\bthe result\b", re.I)  # fmt: skip
_THE_LIST = re.compile(r"\b(?:them|the (?:names|people|places|entities|list))\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|them)\b", re.IGNORECASE)
_ANSWER = re.compile(r"\b(?:that|this|the (?:answer|result|reply|message)s?)\b", re.IGNORECASE)


DESCRIBERS = ("image-to-text", "summarization")
"""Tasks whose clause may name the language that their result is to be in: "describe it in French"."""


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
    memory: Memory
    table: TaskTable
    nodes: list[Node] = field(default_factory=list)
    _group: int = 0
    _why: str = ""

    def add(self, intent: Intent) -> None:
        """Adds what a clause asks for: a task for each file or text that it is about."""
        self._group += 1
        self._why = intent.why
        row, clause = self.table[intent.task], intent.clause
        if "image" in row.result.makes and (control := self._control_to_follow(row, clause)):
            row = self._following(control)
        if row.follows_control:
            self._add_controlled(row.follows_control, clause)
        elif row.wording == "pair":
            self._add_similarity(row.name, clause)
        elif row.wording == "question" and row.input_kind == "text":
            self._add_question(row.name, clause)
        elif row.input_kind != "text":
            self._add_about_file(row, clause)
        else:
            self._add_about_text(row, clause)
        if row.name in DESCRIBERS:
            self._add_language(clause)

    def _row(self, node: Node) -> TaskType:
        return self.table[node.task]

    def _writers(self) -> list[Node]:
        """The tasks whose result is a text to work on; of the others only what is asked for by name."""
        return [node for node in self.nodes if self._row(node).writes_text]

    def _following(self, control: str) -> TaskType:
        return next(row for row in self.table if row.follows_control == control)

    def _drawing(self, control: str) -> TaskType:
        return next(row for row in self.table if row.draws_control == control)

    def _add_language(self, clause: Clause) -> None:
        """For "describe it in French": what was written is translated."""
        said = spans.without_files(self.request, clause, keep_quoted=False)
        made = [node for node in self.nodes if node.group == self._group and node.task in DESCRIBERS]
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

    def _add_about_file(self, row: TaskType, clause: Clause) -> None:
        about = next(arg for arg in row.args if arg.kind == row.input_kind)
        extra = {}
        if row.arg("text"):
            quoted = self._quoted(clause)
            is_question = row.wording != "instruction"
            asked = spans.question(self.request, clause) if is_question else spans.plain(self.request, clause)
            extra = {"text": quoted[-1] if quoted and is_question else asked}
        for source in self.files(about.kind, clause):
            self._append(row.name, {about.name: source, **extra})

    def files(self, kind: Kind, clause: Clause) -> list[str]:
        """The files for a task, or references to what makes them."""
        if here := self._named_files(kind, clause.resources):
            return here
        text = self.request[clause.start : clause.end]
        makers = [node for node in self.nodes if kind in self._row(node).result.kinds]
        pointed = makers if _THAT_FILE.search(text) else [node for node in makers if self._row(node).transforms_input]
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

    def _add_about_text(self, row: TaskType, clause: Clause) -> None:
        text, task = self.request[clause.start : clause.end], row.name
        if row.wording == "scene":
            self._append(task, {"text": self._scene(clause)})
            return
        if row.wording == "writing" and not re.match(
            r"\W*(?:\w+\s+)?(?:continue|finish|complete|extend|go on)", text, re.I
        ):
            makers = self._writers()
            pointed = makers and re.search(
                r"\b(?:it|them|the (?:result|text|summary|description|answer|transcript))\b", text, re.I
            )
            said = spans.plain(self.request, clause)
            read = self._read([resource for resource in clause.resources if resource.kind in self.table.readers])
            self._append(task, {"text": reference(makers[-1].id) if pointed else ": ".join((said, *read))})
            return
        lists = [arg.name for arg in row.required if arg.many]
        extra = {name: spans.labels(self.request, clause, self.named) for name in lists}
        wanted = (
            spans.languages(spans.without_files(self.request, clause, keep_quoted=False)) if row.arg("language") else []
        )
        sources = self.texts(row, clause)
        if row.wording == "speech" and re.search(r"\bthe (?:result|answer|total)\b", text, re.IGNORECASE):
            sources = [". ".join(sources)] if sources else []  # one recording of the results for several files
        for source in sources:
            for language in wanted or [""]:
                self._append(task, {"text": source, **({"language": language} if language else {}), **extra})

    def texts(self, row: TaskType, clause: Clause) -> list[str]:
        """The texts for a task: what is pointed to by name, quoted here, read from a file here, made before, ..."""
        text = self.request[clause.start : clause.end]
        if named := self._result_by_name(text) or self._list_found(row, text):
            return self._group_of(named)
        if quoted := self._quoted(clause):
            return quoted if self._listed(clause) else quoted[-1:]
        if read := self._read(clause.resources):
            return read
        if row.wording == "speech" and (said := spans.spoken(self.request, clause)):
            return [said]
        makers = self._writers()
        if (row.wording == "speech" or row.arg("language")) and not makers:
            makers = [node for node in self.nodes if "text" in self._row(node).result.kinds]
        if makers and row.wording != "speech" and (same := self._same_as_before(clause)):
            return same
        if makers:
            return self._group_of(makers[-1])
        if written := spans.after_colon(self.request, clause):
            return [written]
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        if everywhere:
            return everywhere[:1]
        if read := self._read(self._nearest_files(clause)) or self._of_chat(row, text):
            return read
        return [spans.plain(self.request, clause)] if row.wording in ("remark", "writing") else []

    def _of_chat(self, row: TaskType, text: str) -> list[str]:
        """Texts of the chat: a result by its name, what was answered, or what was spoken of, which is read anew."""
        named = [result for name, result in self.table.by_result_name.items() if _names(text, name)]
        if found := next(filter(None, map(self.memory.result, named)), ""):
            return [found]
        spoken = self.memory.sources(text)
        if named and not spoken:
            return []
        if row.wording == "speech" and _IT.search(text) and (answer := self.memory.last_answer_in_words()):
            return [answer]
        is_file = any(resource.is_file for resource in spoken)
        if row.wording == "speech" and (_ANSWER.search(text) or not is_file):
            return [answer] if (answer := self.memory.last_answer()) else []
        read = self._read(spoken)
        if "summarization" in named and row.name != "summarization":
            return [reference(self._append("summarization", {"text": source}).id) for source in read]
        return read

    def _listed(self, clause: Clause) -> bool:
        """Whether a clause's quoted texts are a list ("… 'this' and of 'that'"), so that each is meant."""
        quoted = [resource for resource in clause.resources if resource.kind == "text" and not resource.is_file]
        gaps = [self.request[one.end : other.start] for one, other in itertools.pairwise(quoted)]
        return all(re.fullmatch(r"\W*(?:and|or)?(?: (?:of|also|in))?\W*", gap) for gap in gaps)

    def _nearest_files(self, clause: Clause) -> Sequence[Resource]:
        for other in reversed([other for other in self.clauses if other.start < clause.start]):
            if files := [resource for resource in other.resources if resource.kind in self.table.readers]:
                return files
        return [resource for resource in self.named if resource.kind in self.table.readers or resource.kind is None]

    def _result_by_name(self, text: str) -> Node | None:
        for name, task in self.table.by_result_name.items():
            made = [node for node in self.nodes if node.task == task]
            if made and _names(text, name):
                return made[-1]
        return None

    def _list_found(self, row: TaskType, text: str) -> Node | None:
        """The names that were found last, for "say them aloud"."""
        found = self.nodes and self._row(self.nodes[-1]).result is ENTITIES
        return self.nodes[-1] if found and row.wording == "speech" and _THE_LIST.search(text) else None

    def _same_as_before(self, clause: Clause) -> list[str]:
        """For "… too" and "both … and …": the text that the last task took."""
        before = [other for other in self.clauses if other.start < clause.start]
        both = before and re.search(r"\bboth\b", self.request[before[-1].start : before[-1].end])
        last = self.nodes[-1]
        alike = both or _ALIKE.search(self.request[clause.start : clause.end])
        return [last.args["text"]] if alike and "text" in last.args and self._row(last).writes_text else []

    def _read(self, resources: Sequence[Resource]) -> list[str]:
        """The texts in files: of a text file the file itself, else the results of the tasks that read it."""
        texts: list[str] = []
        for resource in resources:
            kind = resource.kind or "image"
            if kind == "text":
                texts.append(resource.text)
            elif kind in self.table.readers:
                name: Kind = "audio" if kind in ("audio", "video") else "image"
                cleaned = [n for n in self.nodes if self._row(n).transforms_input and n.args.get(name) == resource.text]
                source = reference(cleaned[-1].id) if cleaned else resource.text
                texts.append(
                    reference(
                        self._append(self.table.readers[kind], {name: source}, f"{resource.text} has to be read").id
                    )
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
            makers = self._writers()
            if named or makers:
                return reference((named or makers[-1]).id)
            if read := self._read([r for r in clause.resources if r.kind in self.table.readers]) or self._read(
                self._nearest_files(clause)
            ):
                return read[0]
        return said

    # tasks with inputs of their own kind

    def _add_question(self, task: str, clause: Clause) -> None:
        """A question and the text that holds its answer: quoted, in a file, or made before."""
        quoted = self._quoted(clause)
        asked = [text for text in quoted if text.endswith("?")]
        contexts = [text for text in quoted if text not in asked[:1]] if len(quoted) > 1 or not asked else []
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        makers = self._writers()
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
        for source in [context] if context else self._answering(task, clause, makers) or [""]:
            self._append(task, {"text": question, "context": source})

    def _looked_at(self, clause: Clause) -> list[str]:
        """The pictures that a question without a text is about; none where a recording was named last."""
        near = [resource for resource in clause.resources if resource.is_file] or self._nearest_files(clause)
        drawn = any("image" in self._row(node).result.kinds for node in self.nodes)
        recorded = not drawn and any(resource.kind in ("audio", "video") for resource in near)
        return [] if recorded else self.files("image", clause)

    def _answering(self, task: str, clause: Clause, makers: Sequence[Node]) -> list[str]:
        """What a question is to be answered from: the files that it names, what was made before, the files nearby, the
        chat. A summary and the answer to another question are not meant unless there is nothing else, or by name.
        """
        if read := self._read([resource for resource in clause.resources if resource.is_file]):
            return read
        before = max((other.start for other in self.clauses if other.start < clause.start), default=clause.start)
        if not _names(self.request[before : clause.end], "summary"):
            partial = [node for node in makers if node.task == "summarization" or self._row(node).wording == "question"]
            makers = [node for node in makers if node not in partial] or makers
        if makers:
            return self._group_of(makers[-1])
        return self._read(self._nearest_files(clause)) or self._of_chat(self.table[task], clause.text)

    def _add_similarity(self, task: str, clause: Clause) -> None:
        texts = [*self._quoted(clause), *self._read([r for r in clause.resources if r.is_file])]
        makers = self._writers()
        if len(texts) < 2 and makers:
            texts.insert(0, reference(makers[-1].id))
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        texts += [text for text in everywhere if text not in texts]
        if len(texts) < 2 and len(makers) > 1:
            texts.append(reference(makers[-2].id))
        if not texts:
            texts = [resource.text for one in self.memory.named if (resource := one.resource).kind == "text"][-2:]
        self._append(task, dict(zip((arg.name for arg in self.table[task].args), texts, strict=False)))

    def _control_to_follow(self, row: TaskType, clause: Clause) -> str:
        """The control for "… and make a picture of … from them" after edges, a pose, ... were drawn; else ""."""
        if row.wording not in ("scene", "instruction"):
            return ""
        if row.wording == "instruction" and not re.search(
            r"\b(?:a|an|another) (?:new )?(?:picture|image|painting|photo)\b", clause.text
        ):
            return ""
        control, _ = self.memory.control()
        if not self.nodes and not self.named and control and EXPLICIT.search(clause.text):
            return control
        control = self._row(self.nodes[-1]).draws_control if self.nodes else ""
        if not control:
            return ""
        drawn = next((c for c in reversed(self.clauses) if c.start < clause.start), clause)
        keeps = re.match(r"\W*(?:please )?(?:use|keep|with|from|take|following|based on)\b", drawn.text, re.IGNORECASE)
        return control if keeps or EXPLICIT.search(clause.text) or "pose" in clause.text else ""

    def _add_controlled(self, control: str, clause: Clause) -> None:
        """A picture that keeps another one's edges, pose, ...: these are drawn first, unless they are there."""
        drawn = [node for node in self.nodes if self._row(node).draws_control]
        here = self._named_files("image", clause.resources)
        if drawn and not here:
            control = self._row(drawn[-1]).draws_control
            image = reference(drawn[-1].id)
        elif not here and not self._named_files("image", self.named) and any(self.memory.control()):
            control, image = self.memory.control()
        else:
            image = next(iter(self.files("image", clause)), "")
            if control != "scribble":
                image = reference(self._append(self._drawing(control).name, {"image": image}).id)
        text = spans.description(self.request, clause)
        self._append(self._following(control).name, {"image": image, "text": text})
