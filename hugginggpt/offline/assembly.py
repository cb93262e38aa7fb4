"""Assembles a plan from the parts of a request: tasks and questions, each under its conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hugginggpt.core.plan import Unplanned
from hugginggpt.core.questions import Question
from hugginggpt.core.results import ANSWERS, LABELS, TEXT
from hugginggpt.core.tasks import TaskType
from hugginggpt.experts import kind_questions, object_questions, picture_choices, uses
from hugginggpt.experts.picture_untold import untold
from hugginggpt.media.references import Resource
from hugginggpt.offline import inscriptions, measured_files, several_documents
from hugginggpt.offline.clauses import Clause
from hugginggpt.offline.conditions import Part
from hugginggpt.offline.intents import PLAIN_SHARE, Intent
from hugginggpt.offline.moving import is_written
from hugginggpt.offline.nodes import Node
from hugginggpt.offline.parsing import is_statement
from hugginggpt.offline.queries import chooses_among_files, is_taken_up, literal_of, question_of, with_antecedent
from hugginggpt.offline.wiring import Wiring

_OTHER_MEDIA = ("audio", "table", "text")
_ONESELF = re.compile(
    r"\W*+(?:(?:oh|dear me|(?:good )?(?:hello|hi|hey|dear|morning|evening|day)(?: \w+)?|sorry|well)\W++)*+(?:i|i['’]m|i['’]ve|my|we|our)\b",
    re.IGNORECASE,
)
_ONLY_NAMES = re.compile(
    r"\W*+(?:(?:here|these|there|i have|we have|are|my|two|three|four|several|some|2|3|4) )*(?:pictures|photos|images|pics)\W*|"
    r"\W*+(?:the )?(?:width|height)(?: and (?:the )?(?:width|height))?\W*",
    re.IGNORECASE,
)
"""What names only what other clauses are about: "Two pictures. In which one is a cat?", "how many pixels? width and height"."""
_CANNOT = re.compile(r"\b(?:can['’]?t|cannot|can not|don['’]?t|do not|couldn['’]?t)\b", re.IGNORECASE)


def assemble(
    wiring: Wiring, parts: Sequence[Part], intents: Sequence[Intent], allowed: frozenset[str] | None = None
) -> list[Unplanned]:
    """Adds the tasks and questions of all parts; returns those whose conditions cannot be decided."""
    of_clause = {intent.clause.start: number for number, intent in enumerate(intents)}
    unplanned = []
    writer = next((row for row in wiring.table if row.wording == "inscription" and row.input_kind == "image"), None)
    has_operation = any(wiring.table[intent.task].is_exact for intent in intents)
    for at, part in enumerate(parts):
        number = next((of_clause[at] for at in of_clause if part.clause.start <= at < part.clause.end), None)
        intent = None if number is None else intents[number]
        is_only_told = has_operation and not (intent or part.conditions) and is_statement(part.clause.text)
        question = None if is_only_told else _question(part.clause, wiring, intent, allowed)
        literal = literal_of(part.clause) if part.conditions else ""
        if writer and _has_pictures(wiring) and inscriptions.is_written_under(part, parts):
            intent, question, literal = Intent(writer.name, part.clause, "words for the picture"), None, ""
        if not (intent or question or literal) or (intent and _only_announces(at, parts, wiring, intent)):
            continue
        if intent and len(intents) > 1 and _adds_nothing(wiring.table[intent.task], part.clause):
            continue
        wiring.group = number or 0
        if why := wiring.under(part.conditions):
            unplanned.append(Unplanned(wiring.request[part.clause.start : part.clause.end].strip(), why))
            continue
        if literal:
            wiring.say(literal)
            continue
        group = 0 if number is None else number + 1
        if intent and _asks_for_writing(intent, wiring) and wiring.ask_for_writing(intent.task, part.clause, group):
            continue
        if intent and measured_files.is_of_one_picture(wiring, intent.task, part.clause):
            intent = replace(intent, task=wiring.table.question_task("image"))  # "which one is taller?", of two people
        if intent and measured_files.ask(wiring, intent.task, part.clause, group):
            continue
        is_asked = question and wiring.ask(question, part.clause, group)
        if intent and not is_asked:
            wiring.add(_about_unknown_objects(intent, wiring))
    if writer:
        _look_alike([node for node in wiring.nodes if node.task == writer.name], writer)
    return [*unplanned, *wiring.unplanned]


def _look_alike(written: Sequence[Node], writer: TaskType) -> None:
    """Gives words that are written in either of two cases the same place and look, where only one of them says it."""
    looks = [arg.name for arg in writer.args if arg.pattern]
    told = next((node for node in written for name in looks if node.args.get(name)), None)
    for node in written if told else ():
        if told and not any(node.args.get(name) for name in looks):
            node.args |= {name: told.args[name] for name in looks if told.args.get(name)}


def _asks_for_writing(intent: Intent, wiring: Wiring) -> bool:
    """Whether a clause asks for what is written in pictures, and nothing else."""
    row = wiring.table[intent.task]
    return row.input_kind == "image" and row.reads_files and is_written(intent.clause.text)


def _question(clause: Clause, wiring: Wiring, intent: Intent | None, allowed: frozenset[str] | None) -> Question | None:
    """The question about objects in pictures that a clause asks, where detections are to answer it."""
    table = wiring.table
    row = table[intent.task] if intent else None
    if (
        clause.is_negated
        or uses.asks(clause.text)
        or picture_choices.asks(clause.text)
        or untold(clause.text)
        or (intent and (intent.of_page or _is_plain(intent, wiring)))
        or not (allowed is None or row is table.detector)
        or (len(wiring.clauses) > 1 and _is_of_oneself(clause))
        or not _may_ask(row, clause, wiring)
    ):
        return None
    question = question_of(clause, _files(wiring))
    if question is None:
        return None
    earlier = filter(None, (object_questions.read(turn.request) for turn in reversed(wiring.memory.turns[-3:])))
    if _is_of_kinds(question, wiring):
        return None
    question = with_antecedent(question, (*reversed(wiring.questions), *earlier)) if is_taken_up(question) else question
    if is_taken_up(question) and chooses_among_files(question):
        return None  # the most of what?
    is_known = all(objects.known for objects in question.objects)
    if row is table.detector:
        return question if any(objects.known for objects in question.objects) else None
    if row is not None and row.input_kind == "image" and row.wording == "question":
        return question if is_known else None
    is_named = is_known and not any(objects.everything and not objects.excluded for objects in question.objects)
    return question if is_named else None


def _is_of_kinds(question: Question, wiring: Wiring) -> bool:
    """Whether one picture is asked for a kind that the classifier tells, and the detector does not."""
    return len(_files(wiring)) == 1 and kind_questions.is_of_kinds(question)


def _is_of_oneself(clause: Clause) -> bool:
    """Whether a clause tells of whoever asks, and asks for nothing: "I can't read this without my glasses"."""
    return bool(_ONESELF.match(clause.text)) and is_statement(clause.text)


def _is_unable(clause: Clause) -> bool:
    """Whether a clause only says what whoever asks cannot do, which is why the others ask: "I can't read it. When ...?"."""
    return bool(_CANNOT.search(clause.text)) and _is_of_oneself(clause)


def _adds_nothing(row: TaskType, clause: Clause) -> bool:
    """Whether a clause beside others only names what they are about, or says why they are asked."""
    return bool(_ONLY_NAMES.fullmatch(clause.text)) or (not row.is_exact and _is_unable(clause))


def _is_plain(intent: Intent, wiring: Wiring) -> bool:
    """Whether a clause plainly asks for a task that counts nothing, so that its words need not be parsed."""
    row = wiring.table[intent.task]
    return row is not wiring.table.detector and row.wording != "question" and intent.share > PLAIN_SHARE


def _about_unknown_objects(intent: Intent, wiring: Wiring) -> Intent:
    """A count of what no detector knows ("how many guests are invited?") is a question about the picture as a whole."""
    question = question_of(intent.clause, _files(wiring)) if intent.task == wiring.table.detector.name else None
    if question is None:
        return intent
    if any(objects.known for objects in question.objects) and not _is_of_kinds(question, wiring):
        return intent
    return replace(intent, task=wiring.table.question_task("image", intent.clause.text))


def _only_announces(at: int, parts: Sequence[Part], wiring: Wiring, intent: Intent) -> bool:
    """Whether a clause only announces the comparison of the next one: "Compare a.jpg and b.jpg: which has more dogs?"."""
    clause = parts[at].clause
    if wiring.table[intent.task].wording != "pair" or at + 1 == len(parts):
        return False
    if all(one.kind == "text" for one in clause.resources):
        return several_documents.is_put_to_two(parts[at + 1].clause.text)
    following = question_of(parts[at + 1].clause)
    pictures = all(map(_is_picture, clause.resources))
    return pictures and following is not None and "compare" in clause.text.lower()


def _may_ask(row: TaskType | None, clause: Clause, wiring: Wiring) -> bool:
    """Whether a clause that was taken for a task of this row may ask about the objects in pictures."""
    if any(resource.kind in _OTHER_MEDIA for resource in clause.resources):
        return False
    if row is None:
        return _has_pictures(wiring)
    if row.input_kind == "image":
        return row.result in (LABELS, TEXT, ANSWERS, wiring.table.detector.result) and row.subject is None
    return row.input_kind == "text" and row.wording in ("pair", "remark", "question") and _has_pictures(wiring)


def _files(wiring: Wiring) -> list[str]:
    """The files that a place in a question may be called like."""
    return [one.text for one in wiring.named if one.is_file] or wiring.memory.in_hand("image")


def _has_pictures(wiring: Wiring) -> bool:
    return any(map(_is_picture, wiring.named)) or bool(wiring.memory.in_hand("image"))


def _is_picture(resource: Resource) -> bool:
    return resource.is_file and resource.kind in ("image", "video", None)
