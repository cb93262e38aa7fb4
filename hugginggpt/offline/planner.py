"""A planner that works without a language model.

A request in free text is split into clauses (`clauses.py`), each is classified by task (`intents.py`), and the tasks
are connected by types and references (`wiring.py`). Where a plan is restricted to TaskBench's tools, a network trained
on its requests predicts tasks and links (`tool_network/`); so it does for a long request with unclear clauses.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from hugginggpt.core.conversation import Attachment, MissingInput, Turn, find_attachment
from hugginggpt.core.events import Event, Planned
from hugginggpt.core.operation_rows import OPERATIONS
from hugginggpt.core.plan import Lack, Plan, Unplanned
from hugginggpt.core.plan_repair import repair
from hugginggpt.core.questions import Question
from hugginggpt.core.results import FILE_KINDS, Kind, number_of
from hugginggpt.core.spoken_calculations import calculation_after, calculation_in
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.media.references import MAX_WORDS_OF_NAME, Resource, find_resources, find_texts
from hugginggpt.media.types import type_of
from hugginggpt.offline import (
    about_program,
    complaints,
    forms,
    heard,
    inscriptions,
    looking,
    named_again,
    naming,
    orders,
    spoken_questions,
    tabulated,
    undoing,
    working_out,
)
from hugginggpt.offline.assembly import assemble
from hugginggpt.offline.attachments import distributed
from hugginggpt.offline.clauses import Clause, split, with_placeholders
from hugginggpt.offline.conditions import Part
from hugginggpt.offline.conditions import parts as find_parts
from hugginggpt.offline.confidence import clause_signals, confidence, foreign_signals, network_signals, talk_signals
from hugginggpt.offline.directly import write_directly
from hugginggpt.offline.fewer_steps import without_repeated
from hugginggpt.offline.follow_ups import Request, in_full
from hugginggpt.offline.intents import Reading, find_intents
from hugginggpt.offline.languages import operations
from hugginggpt.offline.languages.detection import request_language
from hugginggpt.offline.languages.planning import plan as plan_foreign
from hugginggpt.offline.languages.reading import read
from hugginggpt.offline.languages.vocabulary import CODES
from hugginggpt.offline.memory import Memory, remember, resources_of
from hugginggpt.offline.missing_inputs import missing_input
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.open_words import open_words, stands_apart
from hugginggpt.offline.operation_parts import by_operation
from hugginggpt.offline.outline import Outline, add_context, add_defaults, add_pages, ask_table_in_hand, drop_impossible
from hugginggpt.offline.parsing import is_question
from hugginggpt.offline.queries import is_complement, literal_of
from hugginggpt.offline.said_beside import courtesy, without_asides
from hugginggpt.offline.saving import apart, targets_of, without
from hugginggpt.offline.selection import find_selection, refers_back
from hugginggpt.offline.several_documents import is_put_to_two
from hugginggpt.offline.shortlist import shortlist
from hugginggpt.offline.small_talk import ABOUT, REPLY, UNCLEAR, small_talk
from hugginggpt.offline.tool_network.plan import has_inputs, tool_nodes
from hugginggpt.offline.tool_network.scoring import tool_graph
from hugginggpt.offline.tool_network.tools import TOOL_TASKS
from hugginggpt.offline.unchanged import without_unchanged
from hugginggpt.offline.wiring import Wiring
from hugginggpt.offline.withdrawn import left_standing
from hugginggpt.stages.planner import OFFLINE
from hugginggpt.stages.run import Run
from hugginggpt.stages.two_planners import Proposal

log = logging.getLogger(__name__)
MIN_CONFIDENCE, LONG_REQUEST_WORDS = 0.8, 18
"""The minimum share of a clear clause's score, and the number of words from which a request counts as long."""
MOST_PAGES = 3
"""Of more pictures at once it is not asked whether they are pages."""

_OPERATIONS = frozenset(row.name for row in OPERATIONS)
_ASKS = re.compile(
    r"\W*+(?:(?:and|so|but|on|in|of|hi|hello|please)\W+)*(?:which|who|where|when|how (?:many|much))\b", re.IGNORECASE
)
_CODE = re.compile(r"(?<![\w.])[A-Z]{1,2}-?\d{1,3}(?![\w.])")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_THEN = re.compile(r"(?:[,;.?!]\s*|\s+)(?:and then|and|then|und dann|und|dann|et|puis|y|luego)\s+", re.IGNORECASE)
"""What stands between a question and a calculation with its answer."""
PLAN_PARTS = ("questions", "unplanned", "language", "missing", "small_talk", "request")
"""What a draft and a plan have in common beside the tasks."""
Lacking = Callable[[TaskType, str], Lack | None]
"""Why a task, or an aspect of it, cannot be done by what is set up; None where it can."""


class Known(NamedTuple):
    """What is known beside the words of a request: what no expert does, and which of its pictures show pages of text."""

    lacking: Lacking = lambda task, aspect: None
    shows_page: Callable[[str], bool] = lambda name: False


NOTHING_KNOWN = Known()


class OfflinePlanner:
    """Plans without a language model, and plans no task for what is `lacking`."""

    def __init__(
        self,
        table: TaskTable,
        lacking: Lacking = lambda task, aspect: None,
        shows_page: Callable[[Attachment], bool] = lambda file: False,
    ) -> None:
        """`lacking` tells what no expert does, `shows_page` which of the user's pictures are of pages of text."""
        self.table = table
        self.lacking = lacking
        self.shows_page = shows_page

    def plan(self, run: Run) -> Generator[Event, None, None]:
        plan, _ = self.draft(run)
        yield Planned(plan, planner=OFFLINE)

    def propose(self, run: Run) -> Proposal:
        """The plan, and how sure it is."""
        return self.proposal(run, *self.draft(run))

    def proposal(self, run: Run, plan: Plan, draft: Draft) -> Proposal:
        """How sure a plan is that was made of a draft."""
        chance, threshold = confidence(draft.signals)
        return Proposal(plan, chance, chance >= threshold, self._left(run, plan, draft))

    def _left(self, run: Run, plan: Plan, draft: Draft) -> str:
        """What of a request the plan does not account for; "" where it is limited to TaskBench's tools, on whose requests
        the network was measured.
        """
        is_of_network = "network sum" in draft.signals and run.tasks is not None and run.tasks <= TOOL_TASKS
        if plan.small_talk or is_of_network:
            return ""
        if draft.signals.get("clauses without task") or (run.turns and stands_apart(run.wording, run.resources)):
            return run.wording
        return " ".join(open_words(run.wording, run.resources, plan))

    def shortlist(self, run: Run, plan: Plan) -> frozenset[str]:
        """The tasks that a plan for the run may need, with those of this plan and of the turn before; none without the
        weights.
        """
        recent = [task.task for turn in run.turns[-1:] for task in turn.tasks]
        planned = [name for name in (*(task.task for task in plan), *recent) if name in self.table]
        text, resources = plan.request or run.wording, run.resources
        named = resources if text == run.wording else find_texts(text, find_resources(text))
        return shortlist(text, named, planned, self.table, run.tasks, plan.language)

    def draft(self, run: Run) -> tuple[Plan, Draft]:
        """The plan for a run, and the draft that it was made of."""
        known = Known(self.lacking, lambda name: self._is_page(name, run))
        draft = draft_plan(run.wording, self.table, run.worded_turns, run.tasks, run.resources, known)
        plan = repair(draft.tasks, self.table, run.limits.max_tasks, run.kind_of)
        return replace(plan, **{part: getattr(draft, part) for part in PLAN_PARTS}), draft

    def _is_page(self, name: str, run: Run) -> bool:
        file = find_attachment(name, run.known_files)
        return file is not None and self.shows_page(file)


@dataclass(frozen=True, slots=True)
class Draft:
    """What is planned for a request: tasks in JARVIS's format, and what else a `Plan` holds.

    `signals` tell how sure it is (`confidence.py`).
    """

    tasks: list[dict[str, Any]] = field(default_factory=list)
    questions: tuple[Question, ...] = ()
    unplanned: tuple[Unplanned, ...] = ()
    language: str = ""
    missing: MissingInput | None = None
    small_talk: str = ""
    request: str = ""
    signals: Mapping[str, float] = field(default_factory=dict, compare=False)


def plan_offline(
    text: str,
    table: TaskTable,
    turns: Sequence[Turn] = (),
    tasks: frozenset[str] | None = None,
    resources: Sequence[Resource] | None = None,
) -> list[dict[str, Any]]:
    """The tasks of `draft_plan` alone."""
    return draft_plan(text, table, turns, tasks, resources).tasks


def draft_plan(
    text: str,
    table: TaskTable,
    turns: Sequence[Turn] = (),
    tasks: frozenset[str] | None = None,
    resources: Sequence[Resource] | None = None,
    known: Known = NOTHING_KNOWN,
) -> Draft:
    """The draft for a request, with tasks of the types in the table; none where none is asked for, or where all files
    that they would use are of types that cannot be read. `turns` are the conversation before it, `tasks` limits the
    types of tasks, `resources` are what the request brings, where that is known.

    Why there is each task and each link is logged at the level debug.
    """
    if resources is None:
        resources = find_texts(text, find_resources(text))
    text, resources = spoken_questions.without_quotes(text, resources)
    turns = undoing.as_undone(turns)
    if undone := _undone_draft(text, table, turns, tasks, resources, known):
        return undone
    row = table.calculator
    if row and not resources and (tasks is None or row.name in tasks) and (written := calculation_in(text)):
        node = Node(0, row.name, {row.input_arg.name: written}, 0, "numbers and what is to be done with them")
        return Draft(_logged([node]), request=text)
    if (
        row
        and (tasks is None or row.name in tasks)
        and (further := _calculated_further(text, row, table, turns, resources))
    ):
        return further
    if not resources and (other := orders.swapped(text, turns, table)) and (tasks is None or other[0] in tasks):
        return Draft(_logged([Node(0, *other, 0, "the files in the opposite order")]), request=text)
    if (tabled := tabulated.task(text, resources, turns, table)) and (tasks is None or tabled[0] in tasks):
        return Draft(_logged([Node(0, *tabled, 0, "what stands on a page as a table")]), request=text)
    if (said := operations.in_english(_without_asides(text, resources), resources)) and (
        draft := _operations_draft(said, table, turns, tasks, known)
    ):
        return draft
    request = full_request(text, resources, turns, table)
    draft = _foreign_draft(request, table, tasks, known) or _english_draft(request, table, tasks, known)
    if not request.text and not draft.small_talk:  # a question that was asked back is not answered
        draft = replace(draft, small_talk=small_talk(text) or REPLY)
    elif (
        not (draft.tasks or draft.questions or draft.small_talk)
        and (about := _about_program(text))
        and (draft.missing is None or about_program.asks_abilities(text))
    ):
        draft = replace(draft, small_talk=about, unplanned=(), missing=None)
    if "clauses sum" in draft.signals:
        draft = replace(draft, signals={**draft.signals, "clauses follow-up": float(request.text != text)})
    return replace(draft, request=request.text)


def _undone_draft(
    text: str,
    table: TaskTable,
    turns: Sequence[Turn],
    tasks: frozenset[str] | None,
    resources: Sequence[Resource],
    known: Known,
) -> Draft | None:
    """The draft for "undo that", and for what is asked for behind it; None for any other message."""
    rest = undoing.rest_of(text)
    if rest is None or any(one.has_place for one in resources):
        return None
    if not rest:
        return Draft(small_talk=undoing.UNDONE, request=text)
    if (other := orders.swapped(rest, turns, table)) and (tasks is None or other[0] in tasks):
        return Draft(_logged([Node(0, *other, 0, "the files in another order")]), request=rest)
    return replace(draft_plan(rest, table, undoing.without_last_change(turns), tasks, resources, known), request=rest)


def _without_asides(text: str, resources: Sequence[Resource]) -> str:
    """A request in another language with blanks in the place of what is only told in it."""
    placed = [one for one in resources if one.has_place]
    code = request_language(text, placed)
    return without_asides(text, placed, code) if code in CODES else text


def _about_program(text: str) -> str:
    """The kind of a question about this program in a request that says other things as well ("What can you do? My
    grandson put this on my computer"); "" where there is none.
    """
    sentences = _SENTENCE_END.split(text)
    kinds = map(small_talk, sentences) if len(sentences) > 1 else ()
    return next((kind for kind in kinds if kind in ABOUT), ABOUT[0] if about_program.is_asked(text) else "")


def _calculated_further(
    text: str, row: TaskType, table: TaskTable, turns: Sequence[Turn], resources: Sequence[Resource]
) -> Draft | None:
    """The draft for a calculation with the number that was answered last ("and what is 15 % of that?"), or with the one
    that the rest of the request asks for ("what is the total rent, then add 20 % VAT"). None for another request.
    """
    why = "a calculation with the number before"
    last = next((task for task in reversed(turns[-1].tasks) if task.ok), None) if turns else None
    known = number_of(last.value) if last else ""
    if known and not resources and (written := calculation_after(text, known)):
        return Draft(_logged([Node(0, row.name, {row.input_arg.name: written}, 0, why)]), request=text)
    for joint in reversed(list(_THEN.finditer(text))):
        head, tail = text[: joint.start()], text[joint.end() :]
        if not head.strip() or not calculation_after(tail, "1"):
            continue
        if any(one.start >= joint.start() for one in resources):
            continue
        draft = draft_plan(head, table, turns, None, resources)
        if len(draft.tasks) != 1 or draft.unplanned or (asked := table.find(draft.tasks[0]["task"])) is None:
            continue
        if asked.result.name in ("answer", "answers"):
            number = draft.tasks[0]["id"]
            written = calculation_after(tail, f"<GENERATED>-{number}")
            node = Node(number + 1, row.name, {row.input_arg.name: written}, joint.end(), why, [number])
            return replace(draft, tasks=[*draft.tasks, node.to_json()], request=text)
    return None


def _operations_draft(
    said: operations.EnglishRequest,
    table: TaskTable,
    turns: Sequence[Turn],
    tasks: frozenset[str] | None,
    known: Known,
) -> Draft | None:
    """The draft for operations in another language, as it would be in English; None where they are neither planned, all
    of them, nor refused for a reason.
    """
    draft = draft_plan(said.text, table, turns, tasks, said.resources, known)
    rows = [table.find(task["task"]) for task in draft.tasks]
    is_whole = any(row is not None and (row.name in _OPERATIONS or _redraws(row)) for row in rows)
    is_whole = is_whole and not draft.unplanned
    is_refused = not rows and any(part.why for part in draft.unplanned)
    return replace(draft, language=said.language) if is_whole or is_refused else None


def _redraws(row: TaskType) -> bool:
    """Whether a task draws a picture anew, as its lines, depths or poses, which no words have to say more of."""
    return row.input_kind == "image" and row.result.name == "image" and row.text_arg is None


def _english_draft(request: Request, table: TaskTable, tasks: frozenset[str] | None, known: Known) -> Draft:
    outline = _outline(request, table, tasks, known)
    outline.nodes = without_repeated(outline.nodes, table)
    write_directly(outline, table, known.lacking)
    drop_impossible(outline, table, known.lacking)
    add_defaults(outline, table, tasks)
    ask_table_in_hand(outline, table)
    add_context(outline, table)
    add_pages(outline, table)
    if _all_unreadable(outline.nodes):
        return Draft()
    unplanned = tuple(outline.parts_without_task())
    if outline.nodes or any(part.why for part in unplanned):
        signals = _signals(outline)
        return Draft(_logged(outline.nodes), tuple(outline.questions), unplanned, signals=signals)
    polite = "" if request.attached else courtesy(request.text)
    missing = None if polite else find_missing_input(request, table, tasks)
    is_talk = not (missing or unplanned or request.attached)
    talk = small_talk(request.text) or polite if is_talk else ""
    signals = talk_signals(request.text) if talk else {}
    return Draft(unplanned=unplanned, missing=missing, small_talk=talk, signals=signals)


def _signals(outline: Outline) -> dict[str, float]:
    request = outline.request
    if outline.graph:
        return network_signals(outline.graph, request.text)
    return clause_signals(outline, len(split(request.text, request.placed)))


def _foreign_draft(
    request: Request,
    table: TaskTable,
    tasks: frozenset[str] | None = None,
    known: Known = NOTHING_KNOWN,
) -> Draft | None:
    """The draft for a full request in another language; None for one in English."""
    memory = _memory(request, table)
    available = AvailableInputs(request.named, memory, has_text=True)
    in_hand = _has_page(request, memory, known), memory.kind_in_hand(request.text)
    foreign = read(request, table, available, tasks, *in_hand)
    if foreign is None:
        return None
    planned = plan_foreign(foreign, memory, table)
    outline = Outline(
        request, list(planned.nodes), questions=list(planned.questions), unplanned=list(planned.unplanned)
    )
    write_directly(outline, table, known.lacking)
    drop_impossible(outline, table, known.lacking)
    add_defaults(outline, table, tasks)
    ask_table_in_hand(outline, table)
    add_context(outline, table)
    if _all_unreadable(outline.nodes):
        return Draft(language=foreign.language)
    parts = tuple(outline.questions), tuple(outline.parts_without_task())
    return Draft(
        _logged(outline.nodes), *parts, foreign.language, planned.missing, foreign.small_talk,
        signals=foreign_signals(foreign),
    )  # fmt: skip


def _logged(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    for node in nodes:
        log.debug("task %d, %s; reason: %s%s", node.id, node.task, node.why, _links(node))
    return [node.to_json() for node in nodes]


def _all_unreadable(nodes: Sequence[Node]) -> bool:
    """Whether all files of the tasks have unreadable types, so that the answer can say so and nothing is run."""
    values = [value for node in nodes for value in node.args.values() if isinstance(value, str)]
    types = [type_of(value) for value in values if len(value.split()) <= MAX_WORDS_OF_NAME]
    readable = [file_type.readable for file_type in types if file_type is not None]
    return bool(readable) and not any(readable)


def find_missing_input(request: Request, table: TaskTable, tasks: frozenset[str] | None = None) -> MissingInput | None:
    """The input that a request without a plan lacks; None where it asks for no task."""
    if foreign := _foreign_draft(request, table, tasks):
        return foreign.missing
    return missing_input(split(request.text, request.placed), table, tasks)


def full_request(text: str, resources: Sequence[Resource], turns: Sequence[Turn], table: TaskTable) -> Request:
    """The request that a message of a conversation stands for."""
    return in_full(named_again.read(text, resources, _with_missing_inputs(turns, table), table), table)


def _with_missing_inputs(turns: Sequence[Turn], table: TaskTable) -> Sequence[Turn]:
    """The turns, with what the last requests lacked where a client sends messages alone: they are planned again."""
    recalled = list(turns)
    for index in range(max(0, len(turns) - 2), len(turns)):
        turn = turns[index]
        if turn.run_id or turn.tasks or turn.missing or not turn.request:
            continue
        request = in_full(Request.read(turn.request, resources_of(turns, index), recalled[:index]), table)
        if not _outline(request, table, None).nodes:
            recalled[index] = replace(turn, missing=find_missing_input(request, table))
    return recalled


def has_only_video(request: Request, table: TaskTable) -> bool:
    """Whether a video is available, and a task for pictures was asked for that is not done to one."""
    available = list(request.named) or [item.resource for item in remember(request.turns, table).named]
    return any(resource.kind == "video" for resource in available)


def _outline(request: Request, table: TaskTable, tasks: frozenset[str] | None, known: Known = NOTHING_KNOWN) -> Outline:
    text, named = request.text, request.named
    if tasks is not None and tasks <= TOOL_TASKS and (graph := tool_graph(text, tasks)):
        return Outline(request, tool_nodes(text, graph, named, table), graph=graph)
    memory = _memory(request, table)
    has_page = _has_page(request, memory, known)
    parts = _without_idle_conditions(left_standing(find_parts(text, request.placed), text), request, has_page)
    parts = looking.without_rates(parts)
    if _is_of_writing(request, memory) and not (parts and forms.is_of_beings(parts[0].clause.text)):
        parts = working_out.as_one(parts, text, request.placed, table)
    own = [heard.with_recording(part.clause, named) for part in parts]
    about = distributed(own, named, table.by_result_name)
    parts = [replace(part, clause=clause) for part, clause in zip(parts, about, strict=True) if clause]
    recent = memory.named[-1].resource if memory.named else None
    if not ({one.kind for one in named if one.is_file} or {recent.kind if recent else None}) & {"text", "table"}:
        parts = complaints.resolved(parts)
    parts, refused = by_operation(parts, text, named, table, recent.kind if recent else None)
    parts = apart(parts, text, {one.kind for one in named if one.is_file}, table.by_result_name)
    parts = naming.as_conversions(parts, text)
    clauses = [part.clause for part in parts]
    targets = targets_of(clauses, text)
    made = [*targets, *(one for clause in clauses for one in naming.targets_of(text, clause))]
    named = [one for one in named if one not in made]
    parts = [replace(part, clause=without(part.clause, targets)) for part in parts]
    clauses = [part.clause for part in parts]
    available = AvailableInputs(named, memory, has_text=bool(clauses))
    reading = find_intents(
        clauses,
        available,
        table,
        tasks,
        request.attached,
        memory.kind_in_hand(text) or (recent.kind if recent else None),
        has_page,
    )
    # the network was trained on requests without negated clauses and questions, and knows nothing that it cannot do
    kinds = {resource.kind for resource in named if resource.is_file}
    is_clear = len(kinds) > 1 or any(clause.is_negated or _asks(clause, text) for clause in clauses)
    is_clear = is_clear or not _is_unclear(request, reading)
    if not is_clear and (graph := tool_graph(text, tasks or TOOL_TASKS)):
        confident_tasks = {intent.task for intent in reading.intents if intent.share > MIN_CONFIDENCE}
        nodes = tool_nodes(text, graph, named, table)
        if confident_tasks <= {node.task for node in nodes} and all(has_inputs(node, table) for node in nodes):
            return Outline(request, nodes, graph=graph)
    reading, unchanged = without_unchanged(reading, text)
    refused += unchanged
    wiring = Wiring(text, named, clauses, memory, table, targets)
    unplanned = [*refused, *assemble(wiring, parts, reading.intents, tasks)]
    asked = {question.text for question in wiring.questions}
    answered = {part.clause.start for part in parts if part.clause.text in asked or literal_of(part.clause) in asked}
    answered |= {part.clause.start for part in parts if inscriptions.is_written_under(part, parts)}
    untasked = tuple(
        other
        for other in reading.untasked
        if other.clause.start not in answered and not is_complement(other.clause, wiring.questions)
    )
    return Outline(request, wiring.nodes, replace(reading, untasked=untasked), recent, wiring.questions, unplanned)


def _without_idle_conditions(parts: list[Part], request: Request, has_page: bool) -> list[Part]:
    """The parts of a request; one question where all of them ask about what is written, as a condition is then a part
    of what is asked: "how much notice do I have to give if I leave in May?".
    """
    kinds = {one.kind for one in request.named}
    is_written = has_page or (bool(kinds) and kinds <= {"text", "table"})
    explains = (
        len(parts) > 1
        and is_question(parts[-1].clause.text)
        and any(_CODE.search(part.clause.text) for part in parts[:-1])
    )  # "boiler shows E4. what do i do?"
    if not is_written or not (explains or any(part.conditions for part in parts)):
        return parts
    if not (explains or all(is_question(part.clause.text) for part in parts)):
        return parts
    end = len(request.text)
    whole = Clause(with_placeholders(request.text, 0, end, request.placed), 0, end, tuple(request.placed))
    return [Part(whole)]


def _has_page(request: Request, memory: Memory, known: Known) -> bool:
    """Whether the picture that a request is about is a page of text: the one that it brings, else the last one."""
    pictures = [one.text for one in request.named if one.kind == "image"]
    if pictures:
        return len(pictures) <= MOST_PAGES and all(map(known.shows_page, pictures))
    return memory.has_page_in_hand(known.shows_page)


def _is_of_writing(request: Request, memory: Memory) -> bool:
    """Whether a request is about texts, or pictures that may be of pages."""
    kinds = {one.kind for one in request.named} or {memory.kind_in_hand(request.text)}
    return kinds <= {"text", "image"}


def _memory(request: Request, table: TaskTable) -> Memory:
    """What of the conversation can be meant: files that are named or attached now take precedence over its own."""
    memory = remember(request.turns, table)
    placed = request.placed
    if any(resource.is_file for resource in placed) and not refers_back(request.text[: placed[0].start]):
        return Memory(table)
    is_of_both = bool(find_selection(request.text)) or is_put_to_two(request.text) or _joins_kinds(request, table)
    return memory.without_files() if request.attached and not is_of_both else memory


def _joins_kinds(request: Request, table: TaskTable) -> bool:
    """Whether a request plainly asks for a task on files of two kinds, of which it brings one: "put this recording under
    it as sound".
    """
    brought = {one.kind for one in request.attached}
    for row in table:
        needed = {arg.kind for arg in row.required if arg.kind in FILE_KINDS}
        is_meant = any(cue.sure and cue.regex.search(request.text) for cue in row.cues)
        if len(needed) > 1 and needed & brought and needed - brought and is_meant:
            return True
    return False


def _asks(clause: Clause, request: str) -> bool:
    """Whether a clause is a question, and not one that only begins with its word: "my pupils, who know Spanish"."""
    return _ASKS.match(clause.text) is not None and request[clause.end : clause.end + 1] == "?"


def _is_unclear(request: Request, reading: Reading) -> bool:
    """Whether a request is long and has an unclear clause, like the requests that the network was trained on."""
    has_refusal = any(intent.aspect and intent.share > MIN_CONFIDENCE for intent in reading.intents) or any(
        other.part != UNCLEAR for other in reading.untasked
    )
    return (
        not has_refusal
        and reading.confidence < MIN_CONFIDENCE
        and len(re.findall(r"\w+", request.bare_words)) >= LONG_REQUEST_WORDS
    )


class AvailableInputs:
    """Whether an input of a kind could be available after some tasks, as a callable."""

    def __init__(self, named: Sequence[Resource], memory: Memory, has_text: bool) -> None:
        available = (*named, *(item.resource for item in memory.named))
        kinds = {resource.kind for resource in available if resource.is_file}
        self.kinds = kinds | ({"image"} if None in kinds else set()) | ({"audio"} if "video" in kinds else set())
        self.kinds |= {"document"} if kinds & {"text", "table"} else set()
        self.table = memory.table
        self.text = has_text

    def __call__(self, kind: Kind, before: Sequence[str]) -> bool:
        is_made = any(kind in self.table[task].result.makes for task in before)
        return self.text if kind == "text" else kind in self.kinds or is_made


def _links(node: Node) -> str:
    """The inputs that a task takes from others, in words."""
    inputs = [
        f"{name} from task {value.rpartition('-')[2]}"
        for name, value in node.args.items()
        if str(value).startswith("<GENERATED>-")
    ]
    return f"; takes {' and '.join(inputs)}" if inputs else ""
