"""Questions over hand-made results: the value of each, its sentence, and what it leaves open."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hugginggpt.answers.deciding import compare, highest, passage
from hugginggpt.answers.evidence import Evidence
from hugginggpt.answers.findings import answer, holds
from hugginggpt.answers.names import FileNames
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.findings import Finding
from hugginggpt.core.questions import Condition, Objects, Question
from hugginggpt.core.results import BOXES
from hugginggpt.experts import object_questions

PEOPLE, DOGS, CATS = Objects("people", ("person",)), Objects("dogs", ("dog",)), Objects("cats", ("cat",))
MEN = Objects("men", ("person",), is_wider=True)
BLACK_DOGS = Objects("dogs", ("dog",), unjudged="black")
TREES = Objects("trees")
ANIMALS = Objects("animals", ("bird", "cat", "dog", "zebra"))
ALL = Objects("objects", everything=True)


def boxes(*labels: str, score: float = 0.9) -> dict[str, Any]:
    return {"predicted": [{"label": label, "score": score, "box": [at]} for at, label in enumerate(labels)]}


def pictures(*found: list[str] | None, score: float = 0.9) -> list[Evidence]:
    """Detections in a.jpg, b.jpg, ...; None for a task that failed."""
    files = [f"{letter}.jpg" for letter in "abcdefgh"]
    return [
        Evidence(n, file, file) if labels is None else Evidence(n, file, file, "boxes", boxes(*labels, score=score))
        for n, (file, labels) in enumerate(zip(files, found, strict=False))
    ]


def asked(operation: Any, *objects: Objects, sources: list[Evidence], **more: Any) -> Finding:
    tasks = tuple(source.task for source in sources)
    finding = answer(Question(operation, objects, tasks, **more), sources)
    assert finding
    return finding


PERSON, DOG, CAT = "person", "dog", "cat"
A_FEW, MANY = [PERSON] * 2, [PERSON] * 4


@pytest.mark.parametrize(
    ("operation", "objects", "sources", "more", "value", "reading"),
    [
        ("count", [DOGS], [[DOG]], {}, 1, "The detector found 1 dog in a.jpg."),
        ("count", [DOGS], [[]], {}, 0, "The detector found no dogs in a.jpg."),
        ("count", [PEOPLE], [MANY, A_FEW, []], {}, 6,
         "The detector found 6 people in these 3 pictures: 4 in a.jpg, 2 in b.jpg, none in c.jpg."),
        ("count", [ANIMALS], [[CAT, CAT, DOG, "cup"]], {}, 3, "The detector found 3 animals (2 cats, 1 dog) in a.jpg."),
        ("count", [CATS, DOGS], [[CAT, CAT, DOG]], {}, 3, "The detector found 2 cats and 1 dog in a.jpg."),
        ("count", [CATS, TREES], [[CAT, CAT]], {}, None,
         "The detector found 2 cats in a.jpg; it does not know “trees”."),
        ("count", [TREES], [[CAT]], {}, None, "The detector does not know “trees”, so I cannot tell."),
        ("count", [MEN], [MANY], {}, None, "The detector found 4 people in a.jpg; I cannot tell men from other people."),
        ("count", [MEN], [[]], {}, 0, "The detector found no people in a.jpg."),
        ("count", [BLACK_DOGS], [[DOG, DOG]], {}, None,
         "The detector found 2 dogs in a.jpg; I cannot tell which of them are black dogs."),
        ("count", [BLACK_DOGS], [[DOG]], {}, None, "The detector found 1 dog in a.jpg; I cannot tell whether it is a black dog."),
        ("count", [DOGS], [[DOG], None], {}, None, "The detector found 1 dog in a.jpg; there is no result for b.jpg."),
        ("count", [DOGS], [None], {"text": "how many dogs"}, None,
         "There is no result for a.jpg, so I cannot answer “how many dogs”."),
        ("count", [PEOPLE], [MANY], {"relation": ">", "number": 3}, True, "Yes: the detector found 4 people in a.jpg."),
        ("exists", [PEOPLE], [MANY], {"relation": ">", "number": 4}, False, "No: the detector found 4 people in a.jpg."),
        ("exists", [MEN], [A_FEW], {"relation": ">", "number": 3}, False,
         "No: the detector found 2 people in a.jpg; I cannot tell men from other people."),
        ("exists", [DOGS], [[DOG]], {}, True, "Yes: the detector found 1 dog in a.jpg."),
        ("exists", [DOGS], [[CAT]], {}, False, "No: the detector found no dogs in a.jpg."),
        ("exists", [PEOPLE], [[]], {"negated": True}, True, "Yes: the detector found no people in a.jpg."),
        ("exists", [PEOPLE], [A_FEW], {"negated": True}, False, "No: the detector found 2 people in a.jpg."),
        ("exists", [MEN], [A_FEW], {}, None, "The detector found 2 people in a.jpg; I cannot tell men from other people."),
        ("exists", [BLACK_DOGS], [[]], {}, False, "No: the detector found no dogs in a.jpg."),
        ("exists", [CATS, DOGS], [[CAT]], {}, True, "The detector found 1 cat and no dogs in a.jpg."),
        ("exists", [CATS, DOGS], [[CAT]], {"all_objects": True}, False, "No: the detector found 1 cat and no dogs in a.jpg."),
        ("exists", [DOGS], [[DOG], []], {"all_sources": True}, False,
         "No: the detector found 1 dog in these 2 pictures: 1 in a.jpg, none in b.jpg."),
        ("exists", [DOGS], [[DOG], None], {}, True, "Yes: the detector found 1 dog in a.jpg; there is no result for b.jpg."),
        ("exists", [DOGS], [[], None], {}, None, "The detector found no dogs in a.jpg; there is no result for b.jpg."),
        ("exists", [DOGS], [[DOG], None], {"all_sources": True}, None,
         "The detector found 1 dog in a.jpg; there is no result for b.jpg."),
        ("more", [CATS, DOGS], [[CAT, CAT, DOG]], {}, True, "Yes: the detector found 2 cats and 1 dog in a.jpg."),
        ("more", [PEOPLE], [A_FEW, MANY], {}, False, "No: the detector found 2 people in a.jpg and 4 in b.jpg."),
        ("more", [PEOPLE], [A_FEW, None], {}, None,
         "The detector found 2 people in a.jpg; there is no result for b.jpg, so I cannot compare."),
        ("more", [PEOPLE], [MANY], {"relation": ">", "number": 3}, True, "Yes: the detector found 4 people in a.jpg."),
        ("fewer", [PEOPLE], [A_FEW, MANY], {}, True, "Yes: the detector found 2 people in a.jpg and 4 in b.jpg."),
        ("equal", [PEOPLE], [A_FEW, A_FEW, MANY], {}, False,
         "No: the detector found 2 people in a.jpg, 2 in b.jpg and 4 in c.jpg."),
        ("equal", [CATS, DOGS], [[CAT, DOG]], {}, True, "Yes: the detector found 1 cat and 1 dog in a.jpg."),
        ("difference", [CATS, DOGS], [[CAT, CAT, CAT, DOG]], {}, 2,
         "The detector found 2 more cats than dogs (3 and 1) in a.jpg."),
        ("difference", [PEOPLE], [A_FEW, MANY], {}, -2,
         "The detector found 2 fewer people in a.jpg than in b.jpg (2 and 4)."),
        ("difference", [PEOPLE], [A_FEW, A_FEW], {}, 0,
         "The detector found as many people in a.jpg as in b.jpg (2 and 2)."),
        ("most", [PEOPLE], [A_FEW, MANY, []], {}, ("b.jpg",),
         "b.jpg has the most people: 4 in b.jpg, 2 in a.jpg, none in c.jpg."),
        ("most", [PEOPLE], [MANY, MANY, []], {}, ("a.jpg", "b.jpg"),
         "a.jpg and b.jpg have the most people: 4 in a.jpg, 4 in b.jpg, none in c.jpg."),
        ("most", [PEOPLE], [[], []], {}, (),
         "The detector found no people in these 2 pictures: none in a.jpg, none in b.jpg."),
        ("most", [PEOPLE], [MANY, None], {}, None,
         "The detector found 4 people in a.jpg; there is no result for b.jpg, so I cannot compare."),
        ("most", [MEN], [MANY, A_FEW], {}, None,
         "The detector found 4 people in a.jpg and 2 in b.jpg; I cannot tell men from other people."),
        ("most", [ALL], [[CAT, CAT, DOG]], {}, (CAT,), "In a.jpg the most are cats: 2 cats, 1 dog."),
        ("most", [CATS, DOGS], [[CAT, DOG, DOG]], {}, ("dogs",), "In a.jpg the most are dogs: 1 cat, 2 dogs."),
        ("fewest", [PEOPLE], [A_FEW, MANY], {}, ("a.jpg",), "a.jpg has the fewest people: 2 in a.jpg, 4 in b.jpg."),
        ("filter", [DOGS], [[DOG], [CAT], [DOG, DOG]], {}, ("a.jpg", "c.jpg"),
         "The detector found dogs in a.jpg and c.jpg: 1 in a.jpg, none in b.jpg, 2 in c.jpg."),
        ("filter", [DOGS], [[DOG], [CAT]], {"negated": True}, ("b.jpg",),
         "The detector found no dogs in b.jpg: 1 in a.jpg, none in b.jpg."),
        ("filter", [PEOPLE], [A_FEW, MANY], {"relation": ">=", "number": 3}, ("b.jpg",),
         "The detector found at least 3 people in b.jpg: 2 in a.jpg, 4 in b.jpg."),
        ("filter", [BLACK_DOGS], [[DOG], []], {}, None,
         "The detector found 1 dog in a.jpg and none in b.jpg; I cannot tell whether it is a black dog."),
        ("sort", [PEOPLE], [A_FEW, MANY, []], {}, ("b.jpg", "a.jpg", "c.jpg"),
         "By the number of people: b.jpg (4), a.jpg (2), c.jpg (none)."),
        ("sort", [PEOPLE], [A_FEW, MANY], {"negated": True}, ("a.jpg", "b.jpg"),
         "By the number of people: a.jpg (2), b.jpg (4)."),
        ("list", [ALL], [[CAT, CAT, "cup"], []], {}, (CAT, "cup"),
         "The detector found in a.jpg: 2 cats, 1 cup; in b.jpg: nothing."),
        ("list", [ANIMALS], [["cup"]], {}, (), "The detector found in a.jpg: no animals."),
        ("list", [Objects("objects", everything=True, excluded=ANIMALS.labels)], [[CAT, "cup"]], {}, ("cup",),
         "Leaving out cats, the detector found in a.jpg: 1 cup."),
    ],
)  # fmt: skip
def test_questions_over_detections(
    operation: str, objects: list[Objects], sources: list[Any], more: dict[str, Any], value: Any, reading: str
) -> None:
    finding = asked(operation, *objects, sources=pictures(*sources), **more)
    assert (finding.value, finding.reading) == (value, reading)
    assert Finding.from_json(finding.to_json()) == finding


@pytest.mark.parametrize(
    ("qualifier", "several", "single"),
    [
        ("lying down", "which of them are lying down", "whether it is lying down"),
        ("with hats", "which of them have hats", "whether it has hats"),
        ("who are smiling", "which of them are smiling", "whether it is smiling"),
        ("on the left", "which of them are on the left", "whether it is on the left"),
    ],
)
def test_a_qualifier_is_left_open(qualifier: str, several: str, single: str) -> None:
    objects = Objects("people", ("person",), unjudged=qualifier)
    assert asked("count", objects, sources=pictures(MANY)).reading.endswith(f"; I cannot tell {several}.")
    finding = asked("exists", objects, sources=pictures([PERSON]))
    assert finding.reading.endswith(f"; I cannot tell {single}.") and finding.value is None
    assert [(point.gap, point.words) for point in finding.open] == [("unjudged", qualifier)]


def test_detections_with_low_scores_are_uncertain() -> None:
    unsure = asked("exists", DOGS, sources=pictures([DOG], score=0.42))
    assert unsure.reading == "Perhaps: the detector found 1 dog in a.jpg (42 % sure)."
    assert (unsure.score, [point.gap for point in unsure.open]) == (0.42, ["uncertain"])
    mixed = {"predicted": [*boxes(DOG)["predicted"], {"label": DOG, "score": 0.45, "box": [9]}]}
    sources = [Evidence(0, "a.jpg", "a.jpg", "boxes", mixed)]
    assert asked("count", DOGS, sources=sources).reading == (
        "The detector found 2 dogs in a.jpg (1 of them only 45 % sure)."
    )
    assert asked("exists", DOGS, sources=sources).reading.startswith("Yes: ")


def test_a_file_and_a_box_count_once() -> None:
    twice = {"predicted": [{"label": DOG, "score": 0.9, "box": [1, 2, 3, 4]}] * 2}
    sources = [Evidence(0, "a.gif", "a.gif"), Evidence(1, "a.gif", "a.gif", "boxes", twice)]
    sources.append(Evidence(2, "a.gif", "a.gif", "boxes", boxes(DOG)))
    finding = asked("count", DOGS, sources=sources)
    assert (finding.value, finding.tasks) == (1, (1, 2))
    assert [source.counts for source in finding.sources] == [{"dogs": 1}]


MOOD = [{"label": "POSITIVE", "score": 0.93}, {"label": "NEGATIVE", "score": 0.07}]
SOUND = [{"label": "Speech, narration", "score": 0.6}, {"label": "Music", "score": 0.2}]


@pytest.mark.parametrize(
    ("wanted", "classes", "negated", "value", "reading"),
    [
        ("positive", MOOD, False, True, "Yes: the text is classified as POSITIVE (93 %)."),
        ("negative", MOOD, False, False, "No: the text is classified as POSITIVE (93 %)."),
        ("negative", MOOD, True, True, "Yes: the text is classified as POSITIVE (93 %)."),
        ("sarcastic", MOOD, False, None,
         "The text is classified as POSITIVE (93 %); the classifier knows only POSITIVE and NEGATIVE, "
         "so I cannot tell “sarcastic”."),
        ("speech", SOUND, False, True, "Yes: the text is classified as Speech, narration (60 %)."),
        ("a bell", SOUND, False, False, "No: the text is classified as Speech, narration (60 %)."),
        ("speech", None, False, None, "There is no result for the text, so I cannot tell."),
    ],
)  # fmt: skip
def test_questions_about_classes(wanted: str, classes: Any, negated: bool, value: Any, reading: str) -> None:
    sources = [Evidence(0, "x", "the text", "labels" if classes else "", classes)]
    finding = asked("is", Objects(wanted), sources=sources, negated=negated)
    assert (finding.value, finding.reading) == (value, reading)


@pytest.mark.parametrize(
    ("words", "negated", "value", "reading"),
    [
        ("Berlin", False, True, "Yes: a.wav says “We flew to Berlin in May.”."),
        ("discount", False, True, "Yes: a.wav says “No discounts!”."),
        ("Paris", False, False, "No: “Paris” does not occur in a.wav."),
        ("Paris", True, True, "Yes: “Paris” does not occur in a.wav."),
    ],
)
def test_questions_about_a_text(words: str, negated: bool, value: bool, reading: str) -> None:
    text = {"generated text": "Hello there. We flew to Berlin in May. No discounts!"}
    finding = asked("mentions", Objects(words), sources=[Evidence(0, "a.wav", "a.wav", "text", text)], negated=negated)
    assert (finding.value, finding.reading) == (value, reading)


def test_a_passage_is_the_sentence_that_holds_the_words() -> None:
    assert passage("red cars", "One. A red car came. Two") == "A red car came."
    assert passage("car", "A carpet.") == passage("?", "what?") == ""


@pytest.mark.parametrize(
    ("condition", "holding", "reason"),
    [
        (Question("exists", (DOGS,), (0,)), True, "the detector found 1 dog in a.jpg"),
        (Question("exists", (CATS,), (0,)), False, "the detector found no cats in a.jpg"),
        (Question("exists", (BLACK_DOGS,), (0,)), None, "the detector found 1 dog in a.jpg; I cannot tell whether it is a black dog"),
        (Question("exists", (DOGS,), (7,)), None, "its condition has no result to be decided by"),
    ],
)  # fmt: skip
def test_conditions(condition: Question, holding: bool | None, reason: str) -> None:
    assert holds(Condition(condition), pictures([DOG])) == (holding, reason)
    opposite = holds(Condition(condition, holds=False), pictures([DOG]))[0]
    assert opposite is (None if holding is None else not holding)


@pytest.mark.parametrize(
    ("labels", "readings"),
    [
        (["dog"], ["WOOF, as the detector found 1 dog in a.jpg.", None]),
        (["cat"], [None, "MEOW, as the detector found no dogs in a.jpg."]),
        (None, ["I cannot tell what to say: there is no result for a.jpg, so I cannot answer “this”."] * 2),
    ],
)
def test_what_is_to_be_said(labels: list[str] | None, readings: list[str | None]) -> None:
    """A text is the answer itself where its condition holds; the reason is added."""
    question = Question("exists", (Objects("dogs", ("dog",)),), (0,), "")
    sources = pictures(labels)
    for holds_, text, reading in zip((True, False), ("WOOF", "MEOW"), readings, strict=True):
        said = Question("say", (), (0,), text, when=Condition(question, holds_))
        assert Question.from_json(json.loads(json.dumps(said.to_json()))) == said
        finding = answer(said, sources)
        assert (finding.reading if finding else None) == reading


@pytest.mark.parametrize(
    ("one", "relation", "other", "holding"),
    [
        ((2, 2), ">", (1, 1), True),
        ((0, 2), ">", (1, 1), None),
        ((0, 1), ">", (1, 3), False),
        ((1, 2), "<=", (2, 3), True),
        ((0, 2), "==", (0, 2), None),
        ((0, 2), "==", (3, 4), False),
    ],
)
def test_ranges_are_compared(one: Any, relation: Any, other: Any, holding: bool | None) -> None:
    assert compare(one, relation, other) is holding


def test_the_highest_of_ranges() -> None:
    assert highest({"a": (2, 2), "b": (0, 1)}, most=True) == ("a",)
    assert highest({"a": (2, 2), "b": (0, 2)}, most=True) is None
    assert highest({"a": (2, 2), "b": (1, 1)}, most=False) == ("b",)


def test_files_have_the_names_of_the_user() -> None:
    uploads = [
        Attachment("zoo.jpg", "/uploads/zoo-b82be81abe.jpg", "image"),
        Attachment("zoo.jpg", "/uploads/zoo-00001111aa.jpg", "image"),
        Attachment("trip/a.jpg", "file:///home/me/trip/a.jpg", "image"),
        Attachment("my cat.jpg", "/uploads/my_cat-1234567890.jpg", "image"),
    ]
    paths = ["/examples/a.jpg", "/examples/b.jpg", "https://example.org/p/x.png?v=2", "/images/1f2e.png"]
    names = FileNames([*(file.reference for file in uploads), *paths], uploads, ["/images/1f2e.png"])
    told = [names[file.reference] for file in uploads] + [names[path] for path in paths]
    assert told == [
        "zoo.jpg (1)", "zoo.jpg (2)", "trip/a.jpg", "my cat.jpg",
        "examples/a.jpg", "b.jpg", "x.png", "/images/1f2e.png",
    ]  # fmt: skip
    assert names["something else"] == "something else"


def test_what_a_detector_hardly_sees_is_said_and_not_counted() -> None:
    faint = {"label": "dog", "score": 0.35, "faint": True}
    for number, told in ((1, "."), (3, ", perhaps 3 more (35 %).")):  # a single one more is hardly ever there
        value = BOXES.parse([{"label": "dog", "score": 0.8}, *[faint] * number])
        assert [row["score"] for row in value["predicted"]] == [0.8]
        question = Question("count", (Objects("dogs", ("dog",)),), (0,))
        finding = answer(question, [Evidence(0, "a.jpg", "a.jpg", "boxes", value)])
        assert finding is not None
        assert (finding.value, finding.reading) == (1, f"The detector found 1 dog in a.jpg{told}")


def test_what_a_question_takes_for_granted_is_not_doubted() -> None:
    value = BOXES.parse([{"label": "cat", "score": 0.55}])
    told = {
        "Which animal is lying there on our terrace?": "The detector found in a.jpg: 1 cat.",
        "how many cats do you see in our garden": "The detector found 1 cat in a.jpg.",
        "Is there a cat?": "Perhaps: the detector found 1 cat in a.jpg (55 % sure).",
        "How many cats are asleep?": "The detector found 1 cat in a.jpg; I cannot tell whether it is an asleep cat.",
    }
    for asked, reading in told.items():
        question = object_questions.read(asked)
        assert question is not None
        finding = answer(replace(question, tasks=(0,)), [Evidence(0, "a.jpg", "a.jpg", "boxes", value)])
        assert finding is not None and finding.reading == reading
