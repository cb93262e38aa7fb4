"""The outline of a plan: its tasks, and the parts of the request that are none.

Tasks that nothing that is set up can do are dropped, with those that need their results, and noted with the reason.
A file with which nothing particular is asked for gets the default task of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hugginggpt.core.conversation import PastTask
from hugginggpt.core.documents import wanted_in
from hugginggpt.core.plan import Lack, Unplanned, references
from hugginggpt.core.questions import Question
from hugginggpt.core.results import Kind
from hugginggpt.core.task_aspects import BEYOND, UNMADE
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.experts import grammar
from hugginggpt.media.references import Resource
from hugginggpt.media.types import type_of
from hugginggpt.offline import remarks, rows_in_hand, speaking_manner, table_wishes, two_tables
from hugginggpt.offline.clauses import Clause, masked
from hugginggpt.offline.follow_ups import Request
from hugginggpt.offline.intents import Intent, Reading
from hugginggpt.offline.memory import remember
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.operation_parts import is_editing
from hugginggpt.offline.parsing import is_question, is_statement, only_names
from hugginggpt.offline.small_talk import AGAIN, LACKING, UNCLEAR, VAGUE
from hugginggpt.offline.tool_network.scoring import ToolGraph

NO_RESULT = Lack("It needs the result of another part, which cannot be done.")
NEEDED: dict[Kind, str] = {
    "image": "a picture",
    "audio": "a recording",
    "video": "a video",
    "document": "a document",
    "table": "a table",
    "text": "a text",
}
MAX_CONTEXT = 3
"""So many questions before one are given with it."""


_LEAD_IN = re.compile(
    r"\W*+(?:(?:please|kindly|can|could|would|will|you|say|tell|me|us|help|look|see|have a look|sorry|hello|hi|quickly|ok|"
    r"now|then|and|so|pity|thanks|well|take|this|that|the) ?\W*+){1,9}(?:cat|dog|picture|photo|image|one|file)?\W*|"
    r"\W*+(?:(?:i|we|just|only|please|give me|i'd like) ?\W*+){0,4}(?:need|want|give me)?\W*(?:the|some|a few) (?:key |main )?"
    r"(?:facts?|details?|infos?|information|answers?|numbers?|figures?)(?: (?:from|of|in|on|for|about) (?:this|that|the|my|our) \w+)?\W*",
    re.IGNORECASE,
)
"""What only leads to what is asked: "please can you say", "then take this picture"."""


@dataclass(slots=True)
class Outline:
    """The tasks for a request and what was read in it; `recent` is the resource that the chat was last about.

    `questions` are put to the results of tasks, `unplanned` are parts of the request without one; `about` are files about which something is asked that cannot be judged: their default tasks may help.
    `graph` is what the network predicted, where the tasks come from it.
    """

    request: Request
    nodes: list[Node]
    reading: Reading = Reading((), 1.0, has_other=True)
    recent: Resource | None = None
    questions: list[Question] = field(default_factory=list)
    unplanned: list[Unplanned] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    graph: ToolGraph | None = None

    def intent_of(self, node: Node) -> Intent | None:
        """What a task was planned for; None where it is not known."""
        return self.reading.intents[node.group - 1] if 0 < node.group <= len(self.reading.intents) else None

    def words(self, clause: Clause | None) -> str:
        """A clause as the user wrote it, or the whole request."""
        text = self.request.text
        return (text[clause.start : clause.end] if clause else text).strip(" \n,;:")

    def parts_without_task(self) -> Iterator[Unplanned]:
        """The parts of the request for which no task is left, there is no task type, or that are not understood."""
        yield from self.unplanned
        for other in self.reading.untasked:
            if self.nodes and _LEAD_IN.fullmatch(other.clause.text):
                continue
            if about := BEYOND.get(other.part):
                yield Unplanned(self.words(other.clause), f"No expert can {about}.")
            elif about := UNMADE.get(other.part):
                yield Unplanned(self.words(other.clause), f"No expert here can {about}.")
            elif other.part == LACKING and other.kind and self.nodes:
                yield Unplanned(self.words(other.clause), f"It needs {NEEDED[other.kind]}.")
            elif self.nodes and (
                is_statement(other.clause.text)
                or self._is_named_first(other.clause)
                or (other.part == UNCLEAR and remarks.only_tells(other.clause.text))
            ):
                continue  # "this picture lies on its side", which explains what is asked for beside it
            elif other.part == UNCLEAR or not self.nodes or (self.reading.intents and is_question(other.clause.text)):
                yield Unplanned(self.words(other.clause))

    def _is_named_first(self, clause: Clause) -> bool:
        """Whether a clause but names what is planned behind it: "lots of noise on this tape, clean it up"."""
        behind = [intent for intent in self.reading.intents if intent.clause.start > clause.start]
        return bool(behind) and only_names(clause.text)

    def _is_open(self) -> bool:
        """Whether nothing particular is asked for."""
        return (
            not self.unplanned
            and not self.reading.intents
            and not any(other.part in (*BEYOND, *UNMADE, LACKING) for other in self.reading.untasked)
        )

    def _is_edited(self, named: Sequence[Resource]) -> bool:
        """Whether a picture, recording or video is to be changed in a way that is not understood: then it is not
        described instead.
        """
        unclear = [other.clause for other in self.reading.untasked if other.part in (UNCLEAR, LACKING)]
        is_medium = any(one.kind in ("image", "audio", "video") for one in named)
        return is_medium and any(is_editing(clause.text) for clause in unclear)

    def asks_something(self) -> bool:
        """Whether the request is a question of which nothing is planned."""
        unclear = [other.clause for other in self.reading.untasked if other.part == UNCLEAR]
        is_marked = self.request.bare_words.rstrip().endswith("?")
        return not self.nodes and bool(unclear) and (is_marked or any(is_question(one.text) for one in unclear))

    def files_without_task(self) -> list[Resource]:
        """The files that are to get the default task of their kind."""
        named = [resource for resource in self.request.named if resource.is_file]
        wanted = [resource for resource in named if resource.text in self.about]
        vague = [other.clause for other in self.reading.untasked if other.part in (VAGUE, AGAIN)]
        wanted += [resource for clause in vague for resource in clause.resources if resource.is_file]
        if (
            self._is_open()
            and not self._is_edited(named)
            and (vague or self.reading.untasked or not self.reading.has_other)
        ):
            wanted += named
        if not wanted and vague and not self.nodes and self.recent is not None and self.recent.is_file:
            wanted = [self.recent]
        used = {value for node in self.nodes for value in node.args.values() if isinstance(value, str)}
        return [resource for resource in dict.fromkeys(wanted) if resource.text not in used]


def drop_impossible(outline: Outline, table: TaskTable, lacking: Callable[[TaskType, str], Lack | None]) -> None:
    """Drops the tasks that cannot be done, and those that need their results; notes their parts of the request."""
    kept: list[Node] = []
    dropped: set[int] = set()
    parts: dict[str, Unplanned] = {}
    for node in outline.nodes:
        row, intent = table[node.task], outline.intent_of(node)
        aspect = intent.aspect if intent and intent.task == node.task else ""
        lack = lacking(row, aspect)
        named = row.aspect(aspect)
        is_left_out = bool(lack and named and named.is_manner and not lacking(row, ""))
        if not lack and dropped & {*node.dep, *references(node.args)}:
            lack = NO_RESULT
        if lack:
            words = outline.words(intent.clause if intent else None)
            if is_left_out and speaking_manner.is_met(words):
                kept.append(node)
                continue
            parts.setdefault(words, Unplanned(words, lack.why, lack.remedy))
        if lack and not is_left_out:
            dropped.add(node.id)
            # a digest answers no question about a text, nor a description one for what a picture does not tell
            if not row.result.makes and row.input_kind not in ("text", "image"):
                outline.about += [str(node.args.get(row.input_arg.name))]
        else:
            kept.append(node)
    used = {dep for node in kept for dep in (*node.dep, *references(node.args))}
    only_for = {
        dep for node in outline.nodes if node.id in dropped for dep in (*node.dep, *references(node.args))
    } - used
    outline.nodes = [node for node in kept if node.id not in only_for]
    outline.questions = [question for question in outline.questions if not dropped & set(question.tasks)]
    outline.unplanned += parts.values()


def add_defaults(outline: Outline, table: TaskTable, allowed: frozenset[str] | None) -> None:
    """Adds the default task for each file that has none and should have one."""
    number = max((node.id for node in outline.nodes), default=-1)
    for resource in outline.files_without_task():
        task = table.question_task("text")
        if resource.kind == "text" and outline.asks_something() and (allowed is None or task in allowed):
            number += 1
            question = outline.words(None)
            outline.nodes.append(Node(number, task, {"text": question, "context": resource.text}, 0, "a question"))
            outline.reading = replace(outline.reading, untasked=())
            continue
        rows = table.defaults.get(resource.kind or "image", ())
        untasked = [outline.words(other.clause) for other in outline.reading.untasked] or [outline.words(None)]
        named = outline.request.text[resource.start : resource.end] if resource.has_place else ""
        words = " ".join(untasked) if resource.kind == "table" and "." not in named else ""  # no path is in them
        for row in (one for one in rows if allowed is None or one.name in allowed):
            number += 1
            text = {row.text_arg.name: words or row.default} if row.default and row.text_arg else {}
            args = {row.input_arg.name: resource.text, **text}
            outline.nodes.append(Node(number, row.name, args, 0, f"{resource.text} is given"))


def ask_table_in_hand(outline: Outline, table: TaskTable) -> None:
    """Puts a question of which nothing is planned to the table that was spoken of last."""
    rows = remember(outline.request.turns, table).table_in_hand() if outline.asks_something() else None
    row = next(iter(table.defaults.get("table", ())), None) if rows and not outline.request.named else None
    if rows and row and row.default and row.text_arg:
        args = {row.input_arg.name: rows.text, row.text_arg.name: outline.request.text.strip()}
        outline.nodes.append(Node(0, row.name, args, 0, f"{rows.text} is in hand"))
        outline.reading = replace(outline.reading, untasked=())


def add_context(outline: Outline, table: TaskTable) -> None:
    """Makes the questions of the request to one table one, and puts those that came before it, and were answered, on
    lines before it: "and in May?".
    """
    outline.nodes = two_tables.joined(
        outline.nodes, outline.request.text, remember(outline.request.turns, table), table
    )
    _join_questions(outline, table)
    _take_up_rest(outline, table)
    table_wishes.put_right(outline.nodes, outline.request, table)
    rows_in_hand.turn_back(outline.nodes, outline.request, table)
    rows_in_hand.take_up(outline.nodes, outline.request, table)
    past = [one for turn in outline.request.turns[-1:] for one in turn.tasks]
    asked = [(one.task, one.args if one.ok else _without_last_question(table, one)) for one in past]
    for node in outline.nodes:
        row = table[node.task]
        if row.input_kind != "table" or row.text_arg is None or row.default is None:
            continue
        name, file = row.text_arg.name, node.args.get(row.input_arg.name)
        earlier = [str(args.get(name, "")) for task, args in asked if task == node.task and file in args.values()]
        asked.append((node.task, dict(node.args)))
        question = str(node.args.get(name, ""))
        if earlier and question != row.default:
            lines = earlier[-1].splitlines()[-MAX_CONTEXT:]
            node.args[name] = "\n".join([*lines, " ".join(question.split())])


def _without_last_question(table: TaskTable, past: PastTask) -> Mapping[str, Any]:
    """The arguments of a task that failed, without the question that it failed at: it would fail each later one, too."""
    row = table.find(past.task)
    name = row.text_arg.name if row and row.text_arg else ""
    lines = str(past.args.get(name, "")).splitlines()[:-1]
    return {**past.args, name: "\n".join(lines)}


def add_pages(outline: Outline, table: TaskTable) -> None:
    """Puts the pages that a clause names behind the document that its task is about: "summarise page 2 of a.pdf"."""
    for node in outline.nodes:
        row, intent = table[node.task], outline.intent_of(node)
        wanted, _ = wanted_in(outline.words(intent.clause if intent else None))
        if wanted is None or row.wording == "question" or row.input_kind == "document":  # which say so themselves
            continue
        for name, value in node.args.items():
            file_type = type_of(value) if isinstance(value, str) and "\n" not in value else None
            if file_type and file_type.reader and file_type.kind == "text":
                node.args[name] = f"{value}{wanted.fragment}"


_RATE = re.compile(
    r"(?:^|[.!?]\s)(?P<told>[^.!?]{0,80}?(?<!\d)\d{1,9}(?:[.,]\d+)? ?(?:[€$£]|euros?|pounds?|dollars?)? ?(?:an?|per|each|every|/) ?[a-z]+)"
    r"[.!?]\s*$",
    re.I,
)
"""A sentence that says what one hour or piece comes to, before what is asked: "Imani earns 22 a lesson."."""


def _take_up_rest(outline: Outline, table: TaskTable) -> None:
    """Asks the only question of a request, if it is to a table, together with what stands behind it, or leads its
    sentence: "in June, how much …", "what do I order? Everything below its minimum".
    """
    asked = [node for node in outline.nodes if table[node.task].input_kind == "table" and table[node.task].default]
    intent = outline.intent_of(asked[0]) if len(asked) == len(outline.reading.intents) == 1 else None
    row = table[asked[0].task] if intent else None
    others = [other for other in outline.reading.untasked if other.part not in (UNCLEAR, VAGUE)]
    if row is None or intent is None or row.text_arg is None or others:
        return
    text, clause, resources = outline.request.text, intent.clause, outline.request.placed
    words = masked(text, resources)
    before, behind = words[: clause.start].rpartition("\n")[2], words[clause.end :]
    led = re.search(r"(?:^|[.!?;:]\s)\s*([^.!?;:]*)$", before)
    first = next(iter(grammar.words(led[1])), None) if led else None
    lead = led[1].strip(" ,") if led and first and first.tag == "IN" else ""
    if led and first and first.tag.startswith("W"):  # "which are not back yet and who has them?"
        lead = re.sub(r"\W+and\W*$", "", led[1]).strip(" ,")
    rest = behind.strip(" \n,;:.!?")
    rate = _RATE.search(before)
    lead = lead or (rate["told"].strip() if rate else "")
    if "▯" in lead + rest or not (lead or rest):
        return
    question = str(asked[0].args.get(row.text_arg.name, "")).strip()
    if lead and lead not in question:
        question = f"{lead}{'.' if rate else ','} {question}"
    if rest and rest not in question:
        question = f"{question.rstrip(' ,;.?!')}; {rest}"
    asked[0].args[row.text_arg.name] = question
    taken = [one for one in outline.reading.untasked if outline.words(one.clause) in question]
    outline.reading = replace(
        outline.reading, untasked=tuple(one for one in outline.reading.untasked if one not in taken)
    )


def _join_questions(outline: Outline, table: TaskTable) -> None:
    """Joins the tasks that ask the same table under the same condition: "Rossi: how many jobs, and what in total?"."""
    kept: list[Node] = []
    used = {number for node in outline.nodes for number in references(node.args)}
    used |= {number for question in outline.questions for number in question.tasks}
    for node in outline.nodes:
        row = table[node.task]
        last = kept[-1] if kept else node
        name = row.text_arg.name if row.text_arg else ""
        is_question = row.input_kind == "table" and row.default is not None and last is not node
        files = [one.args.get(row.input_arg.name) for one in (last, node)]
        is_same = is_question and last.task == node.task and files[0] == files[1] and last.when == node.when
        if is_same and node.id not in used:
            first, second = (str(one.args.get(name, "")).rstrip(" ,;") for one in (last, node))
            last.args[name] = f"{first}{' ' if first.endswith(('?', '.', '!')) else '; '}{second}"
        else:
            kept.append(node)
    outline.nodes = kept
