"""Clauses as questions about objects, conditions, and the plans for them."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Turn
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.core.questions import Condition, Objects, Question
from hugginggpt.experts import coco, grammar
from hugginggpt.experts.object_questions import read
from hugginggpt.media.references import find_resources
from hugginggpt.offline.conditions import parts
from hugginggpt.offline.planner import draft_plan
from tests.conftest import TABLE
from tests.offline.question_cases import DEVELOPED, KEPT_ASIDE, LATER

GROUPS = {coco.group(name): name for name in ("animal", "vehicle", "fruit", "furniture", "food")}


def shown(question: Question | None) -> str:
    """A question in the notation of the cases."""
    if question is None:
        return "-"
    compared = f" {question.relation} {question.number:g}" if question.relation and question.number is not None else ""
    return f"{question.operation}{'!' * question.negated} {', '.join(map(_objects, question.objects))}{compared}"


def _objects(one: Objects) -> str:
    name = "*" if one.everything else GROUPS.get(one.labels) or "/".join(one.labels) or f"?{one.words}"
    unjudged = f"[{one.unjudged}]" if one.unjudged else ""
    left_out = GROUPS.get(one.excluded) or ",".join(one.excluded)
    return f"{name}{'~' * one.is_wider}{unjudged}{f'-{left_out}' if left_out else ''}"


def cases(text: str) -> list[list[str]]:
    return [line.split(" | ") for line in text.strip().splitlines()]


@pytest.mark.parametrize(("clause", "reading"), [*cases(DEVELOPED), *cases(KEPT_ASIDE), *cases(LATER)])
def test_a_clause_is_read(clause: str, reading: str) -> None:
    assert shown(read(clause)) == reading


CONDITIONS = """
If there is a dog in a.jpg, say woof, otherwise describe it | say woof: there is a dog in photo.jpg; describe it: not there is a dog in photo.jpg
Say woof if there is a dog in a.jpg | Say woof: there is a dog in photo.jpg
If a.jpg shows a cat draw its edges | draw its edges: photo.jpg shows a cat
Unless there is a person in a.jpg, describe it | describe it: not there is a person in photo.jpg
When a.jpg shows more than two people, describe it | describe it: photo.jpg shows more than two people
Describe a.jpg only if it contains text | Describe photo.jpg: it contains text
Check if there's a cat in a.jpg and if so draw its edges | Check if there's a cat in photo.jpg; draw its edges: so
Is there a cat in a.jpg? If yes, describe it. If not, draw its edges. | Is there a cat in photo.jpg; describe it: yes; draw its edges: not yes
In case people are visible in a.jpg, describe it. Then transcribe a.wav. | describe it: people are visible in photo.jpg; Then transcribe sound.wav
If you see a cat in a.jpg describe it, otherwise if you see a dog draw it, else say no | describe it: you see a cat in photo.jpg; draw it: not you see a cat in photo.jpg & you see a dog; say no: not you see a cat in photo.jpg & not you see a dog
tell me if there is a dog in a.jpg | tell me if there is a dog in photo.jpg
When was a.jpg taken? | When was photo.jpg taken
when must that be paid | when must that be paid
so when exactly is the water off? | so when exactly is the water off
Describe a.jpg if you can | Describe photo.jpg if you can
If there's a castle and whether people are in it, tell me for a.jpg | If there's a castle; whether people are in it; tell me for photo.jpg
If there is a dog in a.jpg, please let me know. | If there is a dog in photo.jpg; please let me know
If there is a dog in a.jpg, tell me its colour | tell me its colour: there is a dog in photo.jpg
Is anything else alive in a.jpg, apart from that bird? | Is anything else alive in photo.jpg, apart from that bird
"""


@pytest.mark.parametrize(("request_text", "wanted"), cases(CONDITIONS))
def test_a_request_is_cut_at_its_conditions(request_text: str, wanted: str) -> None:
    described = []
    for part in parts(request_text, find_resources(request_text)):
        stated = " & ".join(f"{'' if one.holds else 'not '}{one.clause.text}" for one in part.conditions)
        described.append(f"{part.clause.text}{f': {stated}' if stated else ''}")
    assert "; ".join(described) == wanted


def drafted(request_text: str, *turns: Turn) -> list[str]:
    """The tasks with their files and conditions, then the questions with their tasks."""
    draft = draft_plan(request_text, TABLE, turns)
    lines = []
    for task in draft.tasks:
        when = Condition.from_json(task["when"]) if "when" in task else None
        under = f" if{'' if when.holds else ' not'} {shown(when.question)} {list(when.question.tasks)}" if when else ""
        lines.append(f"{task['task']} {next(iter(task['args'].values()))}{under}")
    scopes = [f"{' all objects' * one.all_objects}{' all sources' * one.all_sources}" for one in draft.questions]
    asked = [f"{shown(one)} {list(one.tasks)}" for one in draft.questions]
    return [*lines, *map("".join, zip(asked, scopes, strict=True)), *(f"no: {one.why}" for one in draft.unplanned)]


@pytest.mark.parametrize(
    ("branch", "text"),
    [
        ("write MEOW", "MEOW"), ("simply say no", "no"), ("please answer with yes", "yes"), ("reply: nope!", "nope"),
        ("say 'good dog'", "good dog"), ("say it aloud", ""), ("say how many there are", ""), ("write a poem", ""),
        ("write the text down", ""), ("describe it", ""),
    ],
)  # fmt: skip
def test_a_branch_that_only_says_something_needs_no_expert(branch: str, text: str) -> None:
    draft = draft_plan(f"If there is a dog in a.jpg, {branch}", TABLE)
    said = [(one.text, one.tasks) for one in draft.questions if one.operation == "say"]
    assert said == ([(text, (0,))] if text else [])
    assert not text or [task["task"] for task in draft.tasks] == ["object-detection"]


@pytest.mark.parametrize(
    ("request_text", "plan"),
    [
        (
            "Which picture has more people, a.jpg or b.jpg?",
            ["object-detection a.jpg", "object-detection b.jpg", "most person [0, 1]"],
        ),
        (
            "Compare a.jpg and b.jpg: which shows more animals?",
            ["object-detection a.jpg", "object-detection b.jpg", "most animal [0, 1]"],
        ),
        (
            "Is there a dog and a cat in both a.jpg and b.jpg?",
            ["object-detection a.jpg", "object-detection b.jpg", "exists dog, cat [0, 1] all objects all sources"],
        ),
        (
            "Count the dogs in a.jpg and b.jpg, which has the most?",
            ["object-detection a.jpg", "object-detection b.jpg", "count dog [0, 1]", "most dog [0, 1]"],
        ),
        ("List everything in a.jpg except animals", ["object-detection a.jpg", "list *-animal [0]"]),
        ("How many dogs are in a.jpg? And is there a cat?", ["object-detection a.jpg", "count dog [0]", "exists cat [0]"]),
        (
            "If there is a cat in a.jpg, draw its edges, otherwise name the animal",
            [
                "object-detection a.jpg",
                "canny-control a.jpg if exists cat [0]",
                "object-detection a.jpg if not exists cat [0]",
                "list animal [2]",
            ],
        ),
        (
            "If there is a cat in a.jpg, write CAT in the corner, if not write NO CAT",
            [
                "object-detection a.jpg",
                "write-on-image a.jpg if exists cat [0]",
                "write-on-image a.jpg if not exists cat [0]",
            ],
        ),
        (
            "If the review 'Great film' is positive, read it aloud",
            ["text-classification Great film", "text-to-speech Great film if is ?positive [0]"],
        ),
        (
            "If speech.wav mentions Berlin, describe a.jpg",
            ["automatic-speech-recognition speech.wav", "image-to-text a.jpg if mentions ?Berlin [0]"],
        ),
        ("If it is raining in a.jpg, describe it", ["no: I cannot tell whether it is raining."]),
        ("Transcribe a.wav", ["automatic-speech-recognition a.wav"]),
        (
            "Tell me if there's a castle in a.jpg and whether people are in it",
            ["visual-question-answering a.jpg", "object-detection a.jpg", "exists person [1]"],
        ),
        ("Is anything else alive in a.jpg, apart from that bird?", ["object-detection a.jpg", "list *[alive]-bird [0]"]),
    ],
)  # fmt: skip
def test_questions_and_conditions_are_planned(request_text: str, plan: list[str]) -> None:
    assert drafted(request_text) == plan


def test_which_picture_ranges_over_those_of_the_conversation() -> None:
    turns = [Turn("Describe a.jpg"), Turn("Describe b.jpg")]
    assert drafted("Which picture has more people?", *turns)[-1] == "most person [0, 1]"


def test_without_spacy_a_plain_reading_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ExpertUnavailable("The package is not installed.")

    monkeypatch.setattr(grammar, "pipeline", missing)
    assert shown(read("how many zebras are lying down")) == "count zebra[lying down]"
    assert shown(read("Is there a dog in a.jpg?")) == "exists dog"
    assert shown(read("count the black cats")) != "count cat"


@pytest.mark.parametrize(
    ("second", "asked"),
    [
        ("How many of them are lying down?", "count giraffe[lying down] [0]"),
        ("Are there more than two?", "exists giraffe > 2 [0]"),
    ],
)
def test_a_question_takes_up_the_objects_of_the_one_before(second: str, asked: str) -> None:
    assert drafted(f"How many giraffes are in a.jpg? {second}")[-1] == asked
    assert drafted(second, Turn("How many giraffes are in a.jpg?"))[-1] == asked


def test_a_further_exclusion_keeps_the_one_before() -> None:
    asked = drafted("and without the giraffes?", Turn("How many animals are in a.jpg if you leave the bird out?"))
    assert asked == ["object-detection a.jpg", "count animal-bird,giraffe [0]"]
