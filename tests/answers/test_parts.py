"""Numbers of a whole and of its parts: sentences that the results bear out, or do not."""

from __future__ import annotations

import pytest

from hugginggpt.answers.checking import Checker
from hugginggpt.core.events import TaskRecord
from hugginggpt.core.questions import Objects, Question
from tests.answers.test_checking import A, B, boxes, checker, done

C, D = "/examples/c.jpg", "/examples/d.jpg"
PEOPLE, DOGS = Objects("people", ("person",)), Objects("dogs", ("dog",))
CATS, CARS = Objects("cats", ("cat",)), Objects("cars", ("car",))


def det(number: int, file: str, **counts: int) -> TaskRecord:
    return done(number, "object-detection", boxes(**counts), image=file)


SAID: list[tuple[Checker, list[tuple[str, bool]]]] = [
    (
        checker(
            f"How many people are in {A} and how many of them wear hats?",
            det(0, A, person=12),
            done(
                1,
                "visual-question-answering",
                [{"answer": "11", "score": 0.7}],
                image=A,
                text="How many of the people are wearing hats?",
            ),
            questions=(Question("count", (PEOPLE,), (0,)),),
        ),
        [
            ("There are 12 people in the picture, 11 of whom are wearing hats.", True),
            ("Of the 12 people, 11 wear hats and 1 does not.", True),
            ("There are 12 people, 9 of whom are wearing hats.", False),
            ("There are 11 people in a.jpg, 12 of whom are wearing hats.", False),
            ("12 people (11 with hats, 1 without).", True),
            ("I see 12 people - 11 wearing hats and one bareheaded.", True),
            ("11 of the 12 people wear a hat.", True),
            ("11 out of the 12 are wearing hats.", True),
            ("Eleven of the twelve people are wearing hats.", True),
            ("12 of the 11 people are wearing hats.", False),
            ("All 12 people wear hats, 13 of them red ones.", False),
        ],
    ),
    (
        checker(
            f"Count the dogs and cats in {A} and {B}",
            det(0, A, dog=4, cat=1),
            det(1, B, dog=2, cat=3),
            questions=(Question("count", (DOGS, CATS), (0, 1)),),
        ),
        [
            ("Together there are 10 animals: 6 dogs (4 in a.jpg and 2 in b.jpg) and 4 cats.", True),
            ("Six of the ten animals are dogs; the other four are cats.", True),
            ("a.jpg has 5 animals, 4 of which are dogs.", True),
            ("b.jpg has 5 animals, 4 of which are dogs.", False),
            ("Of the 10 animals, 7 are dogs and 3 are cats.", False),
        ],
    ),
    (
        checker(
            f"How many vehicles are in {C}?",
            det(0, C, car=7, truck=2, bus=1),
            questions=(Question("count", (Objects("vehicles", ("car", "truck", "bus")),), (0,)),),
        ),
        [
            ("I counted 10 vehicles, 7 of them cars, 2 trucks and a bus.", True),
            ("7 out of 10 vehicles are cars.", True),
            ("There are 10 vehicles, of which 3 are not cars.", True),
            ("There are 10 vehicles, 8 of them cars.", False),
            ("8 out of 10 vehicles are cars.", False),
        ],
    ),
    (
        checker(
            f"Describe {A}",
            done(
                0,
                "image-to-text",
                {"generated text": "twelve people standing in a row, eleven of them in red coats"},
                image=A,
            ),
        ),
        [
            ("12 people stand in a row; 11 of them wear red coats.", True),
            ("The picture shows a dozen people, all but one in red coats.", True),
            ("12 people stand in a row; 10 of them wear red coats.", False),
        ],
    ),
    (
        checker(
            f"What is in {D}?",
            done(
                0,
                "image-classification",
                [{"label": "tabby cat", "score": 0.8234}, {"label": "tiger cat", "score": 0.1311}],
                image=D,
            ),
        ),
        [
            ("It is most likely a tabby cat (82 %), with tiger cat a distant second at 13 %.", True),
            ("The classifier is 91 % sure that it is a tabby cat.", False),
        ],
    ),
    (
        checker(
            "Summarise '3 of 25 members were absent, 22 voted, and the fee of 1,250 euros was approved by 19 to 3'",
            done(
                0,
                "summarization",
                {"generated text": "22 of 25 members voted; 19 approved the fee of 1,250 euros."},
                text="x",
            ),
        ),
        [
            ("Of 25 members 22 voted, 19 of them for the fee of €1250.", True),
            ("Of 25 members 21 voted.", False),
        ],
    ),
    (
        checker(
            f"How many people are in {A}, {B} and {C}?",
            det(0, A, person=3),
            det(1, B, person=5),
            det(2, C, person=2),
            questions=(Question("count", (PEOPLE,), (0, 1, 2)),),
        ),
        [
            ("There are 10 people in the three pictures: 3 in a.jpg, 5 in b.jpg and 2 in c.jpg.", True),
            ("Half of the 10 people, 5, are in b.jpg.", True),
            ("Of the 10 people, 8 are in a.jpg and b.jpg and 2 in c.jpg.", True),
            ("Of the 10 people, 6 are in b.jpg.", False),
        ],
    ),
    (
        checker(
            f"Are there more than 3 cars in {B}?",
            det(0, B, car=5, person=2),
            questions=(Question("count", (CARS,), (0,)),),
        ),
        [
            ("Yes, there are 5 cars, which is 2 more than 3.", True),
            ("There are 5 cars and 2 people, one of whom may be the driver.", True),
            ("There are 5 cars and 3 people.", False),
        ],
    ),
    (
        checker(
            "Transcribe /examples/b.wav",
            done(
                0,
                "automatic-speech-recognition",
                {"text": "we sold forty two tickets, thirty of them online"},
                audio="/examples/b.wav",
            ),
        ),
        [
            ("42 tickets were sold, 30 of them online and 12 otherwise.", True),
        ],
    ),
    (
        checker(
            f"How many dogs and people are in {D}?",
            det(0, D, person=4),
            questions=(Question("count", (DOGS,), (0,)), Question("count", (PEOPLE,), (0,))),
        ),
        [
            ("There are 4 people and no dogs in d.jpg.", True),
        ],
    ),
    (
        checker(
            f"Dogs and cats in {A} and {B}?",
            det(0, A, dog=4, cat=1),
            det(1, B, dog=2, cat=3),
            questions=(Question("count", (DOGS, CATS), (0, 1)),),
        ),
        [
            ("There are 6 dogs (4 in a.jpg, 2 in b.jpg) and 4 cats (1 in a.jpg, 3 in b.jpg).", True),
            ("Dogs: 6 — 4 in a.jpg and 2 in b.jpg.", True),
            ("There are 6 dogs – 4 in a.jpg and 2 in b.jpg.", True),
            ("In a.jpg there are 5 animals: 4 dogs and 1 cat.", True),
            ("In b.jpg: 2 dogs, 3 cats.", True),
            ("Of the 5 animals in b.jpg 2 are dogs and the other 3 are cats.", True),
            ("a.jpg: 2 dogs. ", False),
            ("Of the 5 animals in b.jpg 4 are dogs.", False),
            ("Two-thirds of the dogs, 4 of 6, are in a.jpg.", True),
        ],
    ),
    (
        checker(
            "Summarise 'x'",
            done(
                0,
                "summarization",
                {"generated text": "Of 80 applicants 35 were invited and 12 hired."},
                text="80 applicants, 35 invited, 12 hired",
            ),
        ),
        [
            ("80 people applied; 35 of them were invited, and the remaining 45 were not.", True),
            ("12 of the 35 invited applicants were hired, the other 23 were rejected.", True),
            ("35 of them were invited, 46 were not.", False),
            ("Section 3 of 12 says it.", False),
            ("The score was 12 of 10 points.", False),
        ],
    ),
]


@pytest.mark.parametrize(
    ("record", "said", "right"), [(record, said, right) for record, all_said in SAID for said, right in all_said]
)
def test_wholes_and_their_parts(record: Checker, said: str, right: bool) -> None:
    assert (record.problem(said) == "") is right
