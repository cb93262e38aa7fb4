"""What a language model says of results is held against them."""

from __future__ import annotations

from typing import Any

import pytest

from hugginggpt.answers.checking import Checker, split_sentences
from hugginggpt.answers.findings import findings_of, names_of
from hugginggpt.answers.written_numbers import numbers_in_words, value_of
from hugginggpt.core.events import RunRecord, TaskRecord
from hugginggpt.core.plan import Task
from hugginggpt.core.questions import Objects, Question
from hugginggpt.stages.answers import CheckedAnswer
from tests.conftest import TABLE

A, B = "/examples/a.jpg", "/examples/b.jpg"


def done(number: int, name: str, value: Any, **args: str) -> TaskRecord:
    row = TABLE[name]
    value = row.result.validate(value)
    reading = row.result.describe(value)
    return TaskRecord(Task(number, name, (), args, row=row).to_json(), row, "finished", value=value, reading=reading)


def boxes(**numbers: int) -> list[dict[str, Any]]:
    return [
        {"label": label, "score": 0.92, "box": {"xmin": 10 * at, "ymin": 20, "xmax": 10 * at + 5, "ymax": 40}}
        for label, number in numbers.items()
        for at in range(1, number + 1)
    ]


def checker(request: str, *tasks: TaskRecord, questions: tuple[Question, ...] = ()) -> Checker:
    record = RunRecord(request=request, tasks=dict(enumerate(tasks)))
    names = names_of(record)
    findings = findings_of(record, names, questions)
    return Checker(record, names, [finding.reading for finding in findings], findings)


GIRAFFES = Objects("giraffes", ("giraffe",))
DOGS = Objects("dogs", ("dog",))
ZOO = checker(
    f"Which of {A} and {B} has more giraffes, and is there a dog?",
    done(0, "object-detection", boxes(giraffe=1), image=A),
    done(1, "object-detection", boxes(giraffe=2, person=3), image=B),
    questions=(Question("most", (GIRAFFES,), (0, 1)), Question("exists", (DOGS,), (0, 1))),
)


@pytest.mark.parametrize(
    "said",
    [
        "b.jpg has more giraffes: two, against one in a.jpg.",
        "There are 3 giraffes in the two pictures.",
        "a.jpg shows a giraffe, b.jpg 2 giraffes and 3 people.",
        "b.jpg has one giraffe more than a.jpg.",
        "b.jpg has 1 more giraffe.",
        "No, there is no dog in either.",
        "I cannot tell whether a dog hides there.",
        "The detector is sure (92 %).",
        "1. The most giraffes are in b.jpg.",
        f"See {B}.",
        "The pictures were taken outside, by remote control.",
        "",
        "\n",
    ],
)
def test_what_the_results_bear_out(said: str) -> None:
    assert ZOO.problem(said) == ""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("a.jpg has two giraffes.", "do not hold two giraffes"),
        ("b.jpg has 1 giraffe.", "do not hold 1 giraffe"),
        ("a.jpg has 1 giraffe and b.jpg 4 tall giraffes.", "do not hold 4 tall giraffes"),
        ("There are five giraffes in all.", "do not hold five giraffes"),
        ("a.jpg has the most giraffes, ahead of b.jpg.", "b.jpg has the most"),
        ("There is a dog in b.jpg.", "hold no dog"),
        ("Yes, there is one.", "the opposite"),
        ("There are no giraffes in the pictures.", "hold giraffes"),
        ("A zebra stands behind them.", "hold no zebra"),
        ("The detector is sure (97 %).", "number 97"),
        ("It was taken by Ansel Adams.", "names Ansel"),
        ("The sign says “Do not feed”.", "holds “Do not feed”"),
        ("c.jpg shows another one.", "no file c.jpg"),
    ],
)
def test_what_they_do_not(said: str, why: str) -> None:
    assert why in ZOO.problem(said)


def test_the_sentence_of_code_that_says_the_same_stands_in_its_place_once() -> None:
    made = checker(
        f"How many giraffes are in {A}?",
        done(0, "object-detection", boxes(giraffe=1), image=A),
        questions=(Question("count", (GIRAFFES,), (0,)),),
    )
    assert made.instead("There are four giraffes.") == "The detector found 1 giraffe in a.jpg."
    assert made.instead("There are five giraffes.") == ""
    assert made.instead("Ansel Adams was famous.") == ""


TEXTS = checker(
    f"Who is named in 'Marie Curie came to Paris in 1,891', and what does {A} show?",
    done(0, "token-classification", [{"word": "Marie Curie", "entity_group": "PER"}], text="Marie Curie came to Paris in 1,891"),
    done(1, "image-to-text", {"generated text": "two zebras at a water hole"}, image=A),
    done(2, "object-detection", boxes(zebra=3), image=A),
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("The text names Marie Curie, who came to Paris in 1891.", True),
        ("Curie's town was Paris.", True),
        ("The text names Pierre.", False),
        ("a.jpg shows two zebras by one expert, 3 zebras by another.", True),
        ("a.jpg shows four zebras.", False),
        (
            "A dog watches the zebras.",
            True,
        ),  # a caption may mean it: only what detectors alone have seen is held to them
        ("It says “Marie Curie came to Paris”.", True),
        ("It says “Marie Curie came to London”.", False),
        ("**People Named:**", True),
    ],
)
def test_texts_and_names(said: str, right: bool) -> None:
    assert (TEXTS.problem(said) == "") is right, TEXTS.problem(said)


def test_names_are_those_of_the_language() -> None:
    """Capitals make no names in German; in other languages names are translated."""
    made = checker("Was ist auf dem Bild zu sehen?", done(0, "object-detection", boxes(giraffe=2), image=A))
    assert made.problem("Auf dem Bild sind zwei Giraffen vor einem Baum.") == ""
    assert "number 3" in made.problem("Auf dem Bild sind 3 Giraffen.")
    named = [{"word": "Warsaw", "entity_group": "LOC"}]
    made = checker("Quelles villes sont nommées dans le texte ?", done(0, "token-classification", named, text="Warsaw"))
    assert made.problem("Le texte nomme la ville de Varsovie, « la capitale ».") == ""


def test_two_experts_may_see_different_things_in_a_picture() -> None:
    made = checker(
        f"What is in {A}?",
        done(0, "object-detection", boxes(giraffe=2, person=1), image=A),
        done(1, "image-segmentation", [{"label": "tree", "score": 0.9}, {"label": "person", "score": 0.8}], image=A),
    )
    for said in ("There are 2 giraffes.", "A tree and two giraffes are there.", "One person stands by a tree."):
        assert made.problem(said) == "", said
    assert made.problem("Five giraffes are there.")
    assert made.problem("There are no giraffes.")


def test_yes_to_one_question_is_not_held_against_another() -> None:
    made = checker(
        f"Is there a dog in {A}, and is the sky blue?",
        done(0, "object-detection", boxes(giraffe=2), image=A),
        done(1, "visual-question-answering", {"answer": "yes"}, image=A, text="Is the sky blue?"),
        questions=(Question("exists", (DOGS,), (0,)),),
    )
    assert made.problem("Yes, the sky is blue.") == ""
    assert made.problem("Yes, a dog is there.")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two of a.jpg! Three", ["One. ", "Two of a.jpg! ", "Three"]),
        ("One.", ["One."]),
        ("One.\n\n- two\n", ["One.\n\n", "- two\n", ""]),
        ("一只猫。两只狗。", ["一只猫。", "两只狗。", ""]),
        ("", [""]),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert split_sentences(text) == parts


HERD = checker(
    f"How many giraffes and people are in {A} and {B}?",
    done(0, "object-detection", boxes(giraffe=1, person=12), image=A),
    done(1, "object-detection", boxes(giraffe=2, person=3), image=B),
    questions=(Question("exists", (DOGS,), (0, 1)),),
)


@pytest.mark.parametrize(
    "said",
    [
        "In a.jpg and b.jpg together there are three giraffes.",
        "There are 1.5 giraffes per picture.",
        "One person stands beside a giraffe in a.jpg, eleven others behind it.",
        "In a.jpg seven people stand in front and five people behind.",
        "A dozen people are in a.jpg, a pair of giraffes in b.jpg.",
        "The shadow could be mistaken for a dog.",
        "There is a giraffe instead of a dog.",
        "There isn’t a zebra anywhere.",
        "I see no zebras, dogs or cats.",
        "There are 18 animals and people in all.",
        "Giraffes are in both, but no dog.",
        "**Giraffes:** 2 in b.jpg",
        "The answer is written in English, on a Monday in May.",
        "| a.jpg | 1 | 12 |",
        "| File | Giraffes | People |",
        "|---|---|---|",
    ],
)
def test_right_sentences_stay(said: str) -> None:
    assert HERD.problem(said) == ""


@pytest.mark.parametrize(
    "said",
    [
        "There are twenty giraffes.",
        "Yes there is a dog.",
        "Yes there is.",
        "There is no cat, but there is a zebra.",
        "No, there is a zebra.",
        "Giraffes: 12",
        "Giraffes in all: 4. **Giraffes**: 7",
        "| a.jpg | 77 giraffes |",
        "| b.jpg | 412 | 9 |",
        "In a.jpg there are twenty-one people.",
    ],
)
def test_wrong_ones_do_not(said: str) -> None:
    assert HERD.problem(said)


def test_code_is_left_alone_and_a_row_that_contradicts_is_left_out_visibly() -> None:
    text = "Here it is:\n```python\nassert add(2, 3) == 5\nprint('9 zebras. Ansel Adams')\n```\nThere are 9 zebras.\n"
    checked = CheckedAnswer(HERD)
    assert "".join(checked.sentences(text)) == text.removesuffix("There are 9 zebras.\n")
    told = "".join(checked.sentences(["| File | Giraffes |\n|---|---|\n| a.jpg. | 1 |\n| b.jpg | 9", "07 |\n"]))
    assert told.splitlines()[:3] == ["| File | Giraffes |", "|---|---|", "| a.jpg. | 1 |"]
    assert "left out" in told.splitlines()[3]


REPORT = checker(
    "Translate what the page says, and tell how sure it is.",
    done(
        0,
        "summarization",
        "The fair opens on 2026-12-01 at 5pm for 83.4 s. It sold twenty five tickets at 0.98765 of 1,234,567.",
        text="x",
    ),
)


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("It opens on 1 December 2026.", True),
        ("It opens on December 1st, 2026 at 17:00.", True),
        ("It opens on 01.12.2026 at 5 p.m.", True),
        ("It opens on 2 December 2026 at 19:45.", False),
        ("It sold 25 tickets, a share of 0.988, or 98.8 %.", True),
        ("It sold 26 tickets.", False),
        ("It lasts 83 seconds, which is 1 minute 23.", True),
        ("It lasts 4 minutes 10.", False),
        ("Some 1.2 million came.", True),
        ("Das Blatt sagt „Die Messe öffnet im Dezember“.", True),
        ("La page dit « La foire ouvre en décembre ».", True),
        ("The page says “The fair is closed”.", False),
    ],
)
def test_numbers_dates_and_times_however_they_are_written(said: str, right: bool) -> None:
    assert (REPORT.problem(said) == "") is right, REPORT.problem(said)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("twenty-one", 21),
        ("a hundred and five", 105),
        ("two thousand", 2000),
        ("a dozen", 12),
        ("two dozen", 24),
        ("7", 7),
    ],
)
def test_numbers_in_words(written: str, value: int) -> None:
    assert value_of(written) == value
    assert written.isdecimal() or numbers_in_words(f"There are {written} of them.") == {value}
