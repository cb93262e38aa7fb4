"""Builds the task graph of a request in free text: gives each requested task its inputs.

An input is a resource that the clause names, else the one it refers to ("it", "the summary"), else the output of an
earlier task, else a resource of the whole request or of the chat. A text inside a picture or recording is read or
transcribed first; for a new picture with another one's pose that pose is extracted first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hugginggpt.core.plan import Unplanned, reference, references
from hugginggpt.core.questions import Condition, Objects, Question
from hugginggpt.core.results import ENTITIES, Kind
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import Resource
from hugginggpt.media.types import kind_of
from hugginggpt.offline import exact, joint_bills, moving, second_files, several_documents, spans, statements, writing
from hugginggpt.offline.asked_together import in_full, introduces, is_to_be_answered, put
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.conditions import Stated
from hugginggpt.offline.intents import REFERRING, Intent
from hugginggpt.offline.memory import ACCEPTED_KINDS, Memory
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.pairs import add_differences
from hugginggpt.offline.parts_of_texts import narrowed
from hugginggpt.offline.queries import chooses_among_files, condition_of, is_further_count
from hugginggpt.offline.selection import pick

_SAME_INPUT = re.compile(r"\b(?:too|also|as well|original)\b", re.IGNORECASE)
_RESULT_REFERENCE = re.compile(r"\b(?:that|this|the (?:new|resulting|generated|changed|edited)) (?:picture|image|photo|mask|map|drawing|recording|audio|file|one)\b|\bthe result\b", re.I)  # fmt: skip
_LIST_REFERENCE = re.compile(r"\b(?:them|the (?:names|people|places|entities|list))\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|them)\b", re.IGNORECASE)
_ANSWER_REFERENCE = re.compile(r"\b(?:that|this|the (?:answer|result|reply|message)s?)\b", re.IGNORECASE)


def _refers_to(text: str, result: str) -> bool:
    return bool(re.search(rf"\bthe (?:\w+ )?{result}\b", text, re.IGNORECASE))


@dataclass(slots=True)
class Wiring:
    """The plan under construction. `memory` has the resources of the chat, `targets` are files that are to be made,
    `group` is the number of the last intent.
    """

    request: str
    named: Sequence[Resource]
    clauses: Sequence[Clause]
    memory: Memory
    table: TaskTable
    targets: Sequence[Resource] = ()
    nodes: list[Node] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    unplanned: list[Unplanned] = field(default_factory=list)
    group: int = 0
    _why: str = ""
    _when: Condition | None = None

    def add(self, intent: Intent) -> None:
        """Adds the tasks that a clause asks for: one for each input file or text."""
        self.group, self._why = self.group + 1, intent.why
        row, clause = self.table[intent.task], intent.clause
        if "image" in row.result.makes and (control := self._control_to_follow(row, clause)):
            row = self._following(control)
        if row.follows_control:
            self._add_controlled(row.follows_control, clause)
        elif row.is_exact:
            exact.add(self, row, clause)
        elif row.wording == "pair":
            self._add_comparison(row, clause)
        elif row.wording == "question" and row.input_kind == "text":
            self._add_question(row.name, clause)
        elif row.input_kind != "text":
            self._add_about_file(row, clause)
        else:
            self._add_about_text(row, clause)
            exact.add_sound_format(self, row, clause)
        if row.name in self.table.describers:
            self._add_translation(clause)

    @property
    def results(self) -> list[Node]:
        """The tasks whose results further tasks may use: none of those that are done where the next ones are not."""
        other = Condition(self._when.question, not self._when.holds) if self._when else None
        return [node for node in self.nodes if not node.only_decides and (other is None or node.when != other)]

    @property
    def condition(self) -> Condition | None:
        """The condition under which the next tasks are planned."""
        return self._when

    def makes(self, node: Node, kind: Kind) -> bool:
        """Whether a task makes a file of that kind, and nothing else."""
        return self._row(node).result.name == kind

    def named_result(self, clause: Clause) -> Node | None:
        """The task whose result a clause calls by its name: "the summary"."""
        return self._result_by_name(self.request[clause.start : clause.end])

    def asked_of_table(self, with_drawn: bool = False) -> tuple[str, str]:
        """The table that a question was put to last, in the request or before it, and the question, or `with_drawn` the
        words for what was drawn of it; two "" without one.
        """
        planned = [(node.task, node.args, True) for node in self.results]
        past = [(task.task, task.args, task.ok) for turn in self.memory.turns[-1:] for task in turn.tasks]
        for name, args, ok in reversed([*past, *planned]):  # what was not understood tells no rows
            row = self.table.find(name)
            is_asked = row and (row.wording == "question" or (with_drawn and "image" in row.result.makes))
            if row and is_asked and row.input_kind == "table" and row.text_arg:
                return str(args.get(row.input_arg.name, "")), str(args.get(row.text_arg.name, "")) if ok else ""
        return "", ""

    def _row(self, node: Node) -> TaskType:
        return self.table[node.task]

    def writers(self) -> list[Node]:
        """The tasks whose result is a text for further work; other results are used only when referred to by name."""
        return [node for node in self.results if self._row(node).writes_text]

    def _following(self, control: str) -> TaskType:
        return next(row for row in self.table if row.follows_control == control)

    def _drawing(self, control: str) -> TaskType:
        return next(row for row in self.table if row.draws_control == control)

    def _add_translation(self, clause: Clause) -> None:
        """Translates the description for "describe it in French"."""
        text = spans.without_files(self.request, clause, keep_quoted=False)
        descriptions = [node for node in self.nodes if node.group == self.group and node.task in self.table.describers]
        for language in spans.languages(text):
            for node in descriptions[-1:]:
                self.append(self.table.translator, {"text": reference(node.id), "language": language})

    def append(self, task: str, args: dict[str, Any], why: str = "", group: int | None = None) -> Node:
        """Adds a task; none is planned twice under the same condition."""
        for node in self.nodes:
            if node.task == task and node.args == args and node.when == self._when:
                node.only_decides &= group == 0
                return node
        filled = {name: value for name, value in args.items() if value}
        group = self.group if group is None else group
        self.nodes.append(node := Node(len(self.nodes), task, filled, group, why or self._why, when=self._when))
        return node

    # questions and conditions

    def ask(self, question: Question, clause: Clause, group: int = 0) -> bool:
        """Adds a question about objects and the detections that answer it; False where there is no picture for it.
        `group` is the number of the intent that it stands for.
        """
        files = self._pictures_in_question(question, clause)
        if not files or (question.operation == "when" and not self._are_videos(files)):
            return False
        detector = self.table.detector
        nodes = [self.append(detector.name, {detector.input_arg.name: file}, clause.text, group) for file in files]
        question = replace(question, tasks=tuple(node.id for node in nodes), text=self._words(clause))
        if self.questions and is_further_count(question, last := self.questions[-1]):
            joint = f"{last.text} and {question.text}"
            question = replace(last, objects=(*last.objects, *question.objects), text=joint)
            self.questions.pop()
        self.questions.append(question)
        return True

    def ask_for_writing(self, task: str, clause: Clause, group: int) -> bool:
        """Adds the question for what is written in videos, and the tasks that read it; False where there is no video.
        `group` is the number of the intent.
        """
        name = self.table[task].input_arg.name
        nodes = [self.append(task, {name: video}, clause.text, group) for video in self._videos_seen(clause)]
        if nodes:
            asked = (Objects("text"),)
            self.questions.append(Question("written", asked, tuple(node.id for node in nodes), self._words(clause)))
        return bool(nodes)

    def say(self, text: str) -> None:
        """Adds a text that is the answer itself under the present condition."""
        if self._when:
            self.questions.append(Question("say", (), self._when.question.tasks, text, when=self._when))

    def _words(self, clause: Clause) -> str:
        return self.request[clause.start : clause.end].strip(" \n,;:")

    def _pictures_in_question(self, question: Question, clause: Clause) -> list[str]:
        named = self.named_files("image", clause.resources)
        if not chooses_among_files(question) and (videos := self._videos_seen(clause)):
            return [*named, *videos]
        if len(named) > 1 or not chooses_among_files(question):
            return named or self.memory.together(clause.text, self.named, self.results) or self.files("image", clause)
        in_hand = [*self.named_files("image", self.named), *self.named_files("video", self.named)]
        if len(in_hand) < 2:
            in_hand = self.memory.in_hand("image")
        return list(dict.fromkeys([*named, *in_hand])) or self.files("image", clause)

    def under(self, conditions: Sequence[Stated]) -> str:
        """Plans what is added next under conditions, the outermost first, after the tasks that decide them. Returns
        why a condition cannot be decided, else "".
        """
        self._when = None
        for stated in conditions:
            words = self._words(stated.clause)
            known = [] if self._when else [one.when.question for one in self.nodes if one.when]
            question = next((one for one in known if one.text == words), None)  # the picture before "if so" changed it
            question = question or condition_of(stated.clause, [one for one in self.questions if one.objects])
            evidence = self._evidence(question, stated.clause) if question else ()
            if question is None or not evidence:
                return f"I cannot tell whether {spans.bare_text(self.request, stated.clause)}."
            question = replace(question, tasks=evidence, text=words)
            self._when = Condition(question, stated.holds)
        return ""

    def _evidence(self, question: Question, clause: Clause) -> tuple[int, ...]:
        """The tasks whose results decide a condition."""
        if question.tasks and self._when is None:
            return question.tasks
        why = f'the condition "{clause.text}"'
        if question.operation == "is":
            is_sound = question.objects[0].words in ("speech", "music")
            row = self.table.classifier("audio" if is_sound else "text")
            inputs = self.files("audio", clause) if is_sound else self.texts(row, clause)
        elif question.operation == "mentions":
            return self._readings(clause)
        else:
            row, inputs = self.table.detector, self._pictures_in_question(question, clause)
        before = len(self.nodes)
        nodes = [self.append(row.name, {row.input_arg.name: given}, why, 0) for given in inputs if given]
        for node in self.nodes[before:]:
            node.only_decides = True
        return tuple(node.id for node in nodes)

    def _readings(self, clause: Clause) -> tuple[int, ...]:
        """The tasks that read the texts which a clause is about."""
        makers = self.writers()
        resources = [resource for resource in clause.resources if resource.is_file]
        if makers and not resources:
            return (makers[-1].id,)
        texts = self.read(resources) or self.read(self.nearest_files(clause)) or self._of_chat_files(clause)
        return tuple(number for text in texts for number in references({"": text}))

    def _of_chat_files(self, clause: Clause) -> list[str]:
        return self.read([one for one in self.memory.sources(clause.text) if one.is_file])

    # tasks on files

    def _add_about_file(self, row: TaskType, clause: Clause) -> None:
        argument = row.input_arg
        extra = {}
        if second := second_files.second_arg(row):
            file, clause = second_files.apart(second, clause, self.named)
            if file is None:
                return  # what is missing is asked for
            extra = {second.name: file.text}
        if row.text_arg:
            quoted = self._quoted(clause)
            is_question = row.wording != "instruction"
            text = spans.question_text(self.request, clause) if is_question else spans.bare_text(self.request, clause)
            if argument.kind == "table" and not clause.resources:  # "the second" is a row of it, no file
                text = self.request[clause.start : clause.end]
            text = in_full(text, self.nodes, self.memory.turns) if row.input_kind == "image" and is_question else text
            extra |= {row.text_arg.name: quoted[-1] if quoted and is_question else text}
        words = spans.without_files(self.request, clause, keep_quoted=False)
        extra |= {arg.name: arg.found_in(words) for arg in row.args if arg.pattern and not arg.required}
        videos = self._videos_seen(clause) if argument.may_be_video else []
        if videos and row.text_arg:
            name = row.text_arg.name
            extra[name] = moving.when_of(clause.text) or moving.in_picture_words(extra[name])
        is_of_pictures = not videos or self.named_files(argument.kind, clause.resources)
        for source in [*(self.files(argument.kind, clause) if is_of_pictures else []), *videos]:
            if source not in extra.values():
                self.append(row.name, {argument.name: source, **extra})

    def _videos_seen(self, clause: Clause) -> list[str]:
        """The videos that a task for pictures is done to; [] where it is done to pictures alone."""
        here = self.named_files("video", clause.resources)
        if here or any(self.named_files("image", named) for named in (clause.resources, self.named)):
            return here
        if any("image" in self._row(node).result.makes and self._row(node).transforms_input for node in self.results):
            return []
        is_meant = self.named_files("video", self.named) or self.memory.has_moving_pictures(clause.text)
        return self.files("video", clause) if is_meant else []

    def _are_videos(self, files: Sequence[str]) -> bool:
        return all(kind_of(file) == "video" or references({"": file}) for file in files)

    def files(self, kind: Kind, clause: Clause) -> list[str]:
        """The input files of a task, or references to the tasks that generate them."""
        if named_here := self.named_files(kind, clause.resources):
            return named_here
        text = self.request[clause.start : clause.end]
        makers = [node for node in self.results if kind in self._row(node).result.kinds]
        referenced = (
            makers if _RESULT_REFERENCE.search(text) else [node for node in makers if self._row(node).transforms_input]
        )
        if referenced and "original" not in text:
            references = self._group_of(referenced[-1])
            return pick(references, text) or references
        named_files = self.named_files(kind, self.named)
        if picked := self._picked(kind, named_files, text):
            return picked
        for other in reversed([other for other in self.clauses if other.start < clause.start]):
            if earlier := self.named_files(kind, other.resources):
                return earlier
        return named_files or self.memory.files(kind, text)

    def _picked(self, kind: Kind, named: Sequence[str], text: str) -> list[str]:
        """The files that "the second one" or "both" mean: counted among all files of the request, where that gives
        files of the kind, else among those of the kind.
        """
        files = [resource.text for resource in self.named if resource.is_file]
        picked = pick(files, text)
        return picked if picked and set(picked) <= set(named) else pick(named, text)

    def named_files(self, kind: Kind, resources: Sequence[Resource]) -> list[str]:
        """Files of a kind; URLs of unknown kind count as pictures, videos as audio, too."""
        accepted = ACCEPTED_KINDS.get(kind, (kind,))
        files = (resource.text for resource in resources if resource.kind in accepted and resource.is_file)
        return list(dict.fromkeys(files))

    def _group_of(self, node: Node) -> list[str]:
        """References to a task and to the equal tasks of the same intent."""
        return [reference(n.id) for n in self.nodes if n.task == node.task and n.group == node.group]

    # tasks on texts

    def _add_about_text(self, row: TaskType, clause: Clause) -> None:
        text, task, argument = self.request[clause.start : clause.end], row.name, row.input_arg.name
        if args := self._by_patterns(row, text):
            self.append(task, args)
            return
        if row.wording == "scene":
            self.append(task, {argument: self._scene(clause)})
            return
        if row.wording == "writing" and (to_write := writing.told(self, row, clause)):
            for one in to_write:
                self.append(task, {argument: one})
            return
        lists = [arg.name for arg in row.required if arg.many]
        extra: dict[str, Any] = {name: spans.labels(self.request, clause, self.named) for name in lists}
        languages = (
            spans.languages(spans.without_files(self.request, clause, keep_quoted=False)) if row.arg("language") else []
        )
        words = spans.without_files(self.request, clause, keep_quoted=False)
        extra |= {arg.name: arg.found_in(words) for arg in row.args if arg.pattern and not arg.required}
        sources = narrowed(self, row, clause, self.texts(row, clause))
        if row.wording == "speech" and re.search(r"\bthe (?:result|answer|total)\b", text, re.IGNORECASE):
            sources = [". ".join(sources)] if sources else []  # one recording of the results for several files
        for source in sources:
            for language in languages or [""]:
                self.append(task, {argument: source, **({"language": language} if language else {}), **extra})

    def _by_patterns(self, row: TaskType, text: str) -> dict[str, str]:
        """The arguments that their patterns find in a clause, else in the request; none if a required one is missing."""
        found = {arg.name: arg.found_in(text) or arg.found_in(self.request) for arg in row.args if arg.pattern}
        is_whole = all(found.get(arg.name) for arg in row.required)
        return {name: value for name, value in found.items() if value} if found and is_whole else {}

    def texts(self, row: TaskType, clause: Clause) -> list[str]:
        """The input texts of a task: referred to by name, quoted here, read from a file here, generated before, ..."""
        text = self.request[clause.start : clause.end]
        if named := self._result_by_name(text) or self._list_found(row, text):
            return self._group_of(named)
        if quoted := self._quoted(clause):
            return quoted if spans.are_listed(self.request, clause) else quoted[-1:]
        if contents := self.read(clause.resources):
            return contents
        if row.wording == "speech" and (to_speak := spans.text_to_speak(self.request, clause)):
            return [to_speak]
        makers = self.writers()
        if (row.wording == "speech" or row.arg("language")) and not makers:
            makers = [node for node in self.results if "text" in self._row(node).result.kinds]
        if makers and row.wording != "speech" and (shared := self._same_as_before(clause)):
            return shared
        if makers:
            return self._group_of(makers[-1])
        if unquoted := spans.after_colon(self.request, clause):
            return [unquoted]
        if everywhere := [resource for resource in self.named if resource.kind == "text"]:
            return self.read(several_documents.worked_on(text, everywhere))
        if contents := self.read(self.nearest_files(clause)) or self._of_chat(row, text):
            return contents
        return [spans.bare_text(self.request, clause)] if row.wording in ("remark", "writing") else []

    def _of_chat(self, row: TaskType, text: str) -> list[str]:
        """Texts of the chat: a result by its name, the last answer, or a resource, which is read again."""
        named = [task for name, task in self.table.by_result_name.items() if _refers_to(text, name)]
        if result := next(filter(None, map(self.memory.result, named)), ""):
            return [result]
        if not named and (texts := self.memory.texts_meant(row, text)):
            return texts
        resources = self.memory.sources(text)
        if named and not resources:
            return []
        if row.wording == "speech" and _PRONOUN.search(text) and (answer := self.memory.last_answer_in_words()):
            return [answer]
        is_file = any(resource.is_file for resource in resources)
        if row.wording == "speech" and (_ANSWER_REFERENCE.search(text) or not is_file):
            return [answer] if (answer := self.memory.last_answer()) else []
        contents = self.read(resources)
        digest = next((self.table[task] for task in named if self.table[task].is_digest), None)
        if digest and digest is not row:
            return [reference(self.append(digest.name, {digest.input_arg.name: source}).id) for source in contents]
        return contents

    def nearest_files(self, clause: Clause) -> Sequence[Resource]:
        for other in reversed([other for other in self.clauses if other.start < clause.start]):
            if files := [resource for resource in other.resources if resource.kind in self.table.readers]:
                return files
        return [resource for resource in self.named if resource.kind in self.table.readers or resource.kind is None]

    def _result_by_name(self, text: str) -> Node | None:
        for name, task in self.table.by_result_name.items():
            makers = [node for node in self.results if node.task == task]
            if makers and _refers_to(text, name):
                return makers[-1]
        return None

    def _list_found(self, row: TaskType, text: str) -> Node | None:
        """The last task, if it gave named entities, for "say them aloud"."""
        has_entities = self.results and self._row(self.results[-1]).result is ENTITIES
        return self.results[-1] if has_entities and row.wording == "speech" and _LIST_REFERENCE.search(text) else None

    def _same_as_before(self, clause: Clause) -> list[str]:
        """For "… too" and "both … and …": the input text of the last task."""
        earlier = [other for other in self.clauses if other.start < clause.start]
        both = earlier and re.search(r"\bboth\b", self.request[earlier[-1].start : earlier[-1].end])
        last = self.results[-1]
        same_input = both or _SAME_INPUT.search(self.request[clause.start : clause.end])
        argument = self._row(last).text_arg
        text = last.args.get(argument.name) if argument and self._row(last).writes_text else None
        return [text] if same_input and text else []

    def read(self, resources: Sequence[Resource]) -> list[str]:
        """The texts of resources: a text or text file itself, else a reference to a task that reads it."""
        texts: list[str] = []
        for resource in resources:
            kind = resource.kind or "image"
            if kind == "text":
                made = [n for n in self.nodes if self._row(n).result.name == "document" and n.takes(resource.text)]
                texts.append(reference(made[-1].id) if made and resource.is_file else resource.text)
            elif kind in self.table.readers:
                name = self.table[self.table.readers[kind]].input_arg.name
                transformed = [
                    n
                    for n in self.nodes
                    if self._row(n).transforms_input and n.args.get(self._row(n).input_arg.name) == resource.text
                ]
                source = reference(transformed[-1].id) if transformed else resource.text
                texts.append(
                    reference(
                        self.append(self.table.readers[kind], {name: source}, f"{resource.text} has to be read").id
                    )
                )
        return texts

    def _quoted(self, clause: Clause) -> list[str]:
        return [resource.text for resource in clause.resources if resource.kind == "text" and not resource.is_file]

    def _scene(self, clause: Clause) -> str:
        """The description for a picture or video: in words, or a text that is generated or read before."""
        description = spans.description(self.request, clause)
        text = self.request[clause.start : clause.end]
        quoted = self._quoted(clause)
        refers_back = re.search(
            r"\b(?:it|this|that|them|there|the (?:text|story|poem|summary|description|transcript|answer|translation|result|caption|speech|scene)s?)\b", text, re.I)  # fmt: skip
        if quoted and len(re.sub(r"[\"'“”‘’`«»„].*[\"'“”‘’`«»„]", "", description).split()) < 3:
            return quoted[-1]
        if refers_back and not quoted:
            named = self._result_by_name(text)
            makers = self.writers()
            if named or makers:
                return reference((named or makers[-1]).id)
            if contents := self.read([r for r in clause.resources if r.kind in self.table.readers]) or self.read(
                self.nearest_files(clause)
            ):
                return contents[0]
        return description

    # tasks with special inputs

    def _add_question(self, task: str, clause: Clause) -> None:
        """A question and its context: quoted, in a file, or generated before."""
        quoted = self._quoted(clause)
        questions = [text for text in quoted if text.endswith("?")]
        contexts = [text for text in quoted if text not in questions[:1]] if len(quoted) > 1 or not questions else []
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        if any(resource.kind in self.table.readers and resource.is_file for resource in clause.resources):
            contexts, everywhere = [], []  # the question quotes words of a file: "when does he say 'goodbye' in a.wav?"
        makers = self.writers()
        words = spans.question_text(self.request, clause, keep_quoted=bool(quoted and not contexts and not questions))
        words = statements.with_statement(spans.without_source(words), clause, self.clauses)
        only_introduces = questions and introduces(words)
        literal_question = questions[0] if questions and (contexts or only_introduces) else words.strip(" :-–")
        question = literal_question
        if contexts and makers and is_to_be_answered(clause.text):
            question = reference(makers[-1].id)
        listed = "" if makers else several_documents.in_lines(self.request, self.named)
        question = f"{question.partition('?')[0]}?" if listed and "?" in question else question
        literal_question = question if listed else literal_question
        context = listed or next(iter(contexts), "") or next((text for text in everywhere if text != question), "")
        if only_introduces and not context and not makers and (pictures := self._looked_at(clause)):
            for picture in pictures:
                self.append(self.table.question_task("image", question), {"image": picture, "text": question})
            return
        earlier = [item.resource for item in self.memory.named]
        named = several_documents.with_earlier(self._words(clause), self.named, earlier)
        asked = several_documents.Asked(self._words(clause), clause.resources, named)
        documents = [] if contexts or question != literal_question else self.read(asked.files)
        if documents and asked.is_comparison and add_differences(self, clause):
            return
        joint = joint_bills.read(question) if len(documents) > 1 else None
        sources = documents or ([context] if context else self._answering(task, clause, makers) or [""])
        question = several_documents.put_to_each(question) if len(sources) > 1 else question
        nodes = put(self.append, task, question, sources, self.nodes, self.memory.turns)
        self.questions += joint_bills.compared(joint, nodes, self._words(clause))

    def _looked_at(self, clause: Clause) -> list[str]:
        """The pictures that a question without a context is about; none where a recording was named last."""
        nearest = [resource for resource in clause.resources if resource.is_file] or self.nearest_files(clause)
        has_pictures = any("image" in self._row(node).result.kinds for node in self.nodes)
        is_recording = not has_pictures and any(resource.kind in ("audio", "video") for resource in nearest)
        return [] if is_recording else self.files("image", clause)

    def _answering(self, task: str, clause: Clause, makers: Sequence[Node]) -> list[str]:
        """The context of a question: the files that it names, earlier results, the nearest files, the chat.

        A summary or another question's answer is used only by name, or where there is nothing else.
        """
        if contents := self.read([resource for resource in clause.resources if resource.is_file]):
            return contents
        before = max((other.start for other in self.clauses if other.start < clause.start), default=clause.start)
        if not _refers_to(self.request[before : clause.end], "summary"):
            derived = [node for node in makers if self._row(node).is_digest or self._row(node).wording == "question"]
            makers = [node for node in makers if node not in derived] or makers
        if makers:
            return self._group_of(makers[-1])
        return self.read(self.nearest_files(clause)) or self._of_chat(self.table[task], clause.text)

    def _add_comparison(self, row: TaskType, clause: Clause) -> None:
        """Adds what compares two texts; nothing beside their totals: "which is cheaper, and what is the difference?"."""
        if any(question.operation == "totals" for question in self.questions):
            return
        if not several_documents.differ(self.request, self.named):
            self._add_similarity(row.name, clause)
        add_differences(self, clause)

    def _add_similarity(self, task: str, clause: Clause) -> None:
        texts = [*self._quoted(clause), *self.read([r for r in clause.resources if r.is_file])]
        makers = self.writers()
        if len(texts) < 2 and makers:
            texts.insert(0, reference(makers[-1].id))
        everywhere = [resource.text for resource in self.named if resource.kind == "text"]
        texts += [text for text in everywhere if text not in texts]
        if len(texts) < 2 and len(makers) > 1:
            texts.append(reference(makers[-2].id))
        if not texts:
            texts = [resource.text for item in self.memory.named if (resource := item.resource).kind == "text"][-2:]
        if len(texts) < 2 and self.table[task].result.name == "text":
            self._add_question(self.table.question_task("text"), clause)
            return
        self.append(task, dict(zip((arg.name for arg in self.table[task].args), texts[:2], strict=False)))

    def _control_to_follow(self, row: TaskType, clause: Clause) -> str:
        """The control for "… and make a picture of … from them" after edges, a pose, ... were extracted; else ""."""
        if row.wording not in ("scene", "instruction"):
            return ""
        if row.wording == "instruction" and not re.search(
            r"\b(?:a|an|another) (?:new )?(?:picture|image|painting|photo)\b", clause.text
        ):
            return ""
        control, _ = self.memory.control()
        if not self.nodes and not self.named and control and REFERRING.search(clause.text):
            return control
        control = self._row(self.results[-1]).draws_control if self.results else ""
        if not control:
            return ""
        previous = next((c for c in reversed(self.clauses) if c.start < clause.start), clause)
        keeps = re.match(
            r"\W*+(?:please )?(?:use|keep|with|from|take|following|based on)\b", previous.text, re.IGNORECASE
        )
        return control if keeps or REFERRING.search(clause.text) or "pose" in clause.text else ""

    def _add_controlled(self, control: str, clause: Clause) -> None:
        """Adds a picture that keeps another one's edges, pose, ...: these are extracted first, unless available."""
        controls = [node for node in self.nodes if self._row(node).draws_control]
        named_here = self.named_files("image", clause.resources)
        if controls and not named_here:
            control = self._row(controls[-1]).draws_control
            image = reference(controls[-1].id)
        elif not named_here and not self.named_files("image", self.named) and any(self.memory.control()):
            control, image = self.memory.control()
        else:
            image = next(iter(self.files("image", clause)), "")
            if control != "scribble":
                image = reference(self.append(self._drawing(control).name, {"image": image}).id)
        text = spans.description(self.request, clause)
        self.append(self._following(control).name, {"image": image, "text": text})
