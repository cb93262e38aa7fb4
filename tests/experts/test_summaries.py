"""Summaries in a wanted shape, and of texts in other languages."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.core.tasks import default_table
from hugginggpt.experts import summaries
from hugginggpt.experts.summaries import Shape

TEXT = """The club meets on Friday. The club meets in the hall of the school. Tea costs one pound in the hall.
Otto brings the chairs to the hall. Rain is likely. The club sings on Friday in the hall of the school."""


@pytest.mark.parametrize(
    ("words", "shape"),
    [
        ("summarise it in one sentence", Shape(1)),
        ("give me three bullet points", Shape(3, in_points=True)),
        ("as bullet points please", Shape(summaries.BULLETS, in_points=True)),
        ("in 12 words", Shape(words=12)),
        ("fasse es in zwei Sätzen zusammen", Shape(2)),
        ("résume en une phrase", Shape(1)),
        ("用一句话总结", Shape(1)),
        ("summarise the letter", Shape()),
    ],
)
def test_the_shape_is_found_in_the_words(words: str, shape: Shape) -> None:
    arg = default_table()["summarization"].arg("shape")
    assert arg is not None
    assert summaries.shape_of(arg.found_in(words)) == shape


def test_a_summary_has_its_shape() -> None:
    assert summaries.summary(TEXT, Shape(1)) in TEXT.replace("\n", " ")
    points = summaries.summary(TEXT, Shape(3, in_points=True)).splitlines()
    assert len(points) == 3 and all(one.startswith("- ") for one in points)
    assert len(summaries.summary(TEXT, Shape(words=12)).split()) <= 12


def test_texts_of_five_languages_are_summed_up() -> None:
    german = "Der Markt ist am Montag. Der Markt ist auf dem Platz. Die Bahn fährt nicht. Der Markt am Montag ist groß."
    assert summaries.summary(german, Shape(1)) in german
    with pytest.raises(ExpertUnavailable, match="Dutch"):
        summaries.summary("De markt is op maandag en het is niet ver van het station. Er zijn ook bloemen voor jou.")


def test_headings_of_minutes_are_no_sentences_of_a_summary() -> None:
    minutes = (
        "1. Finances. The treasurer reported a balance of 1,284 pounds. 2. Water. The new tank will cost 390 pounds. "
        "It was approved by all. 3. Fair. The fair takes place on 19 July in the meadow."
    )

    told = summaries.summary(minutes, Shape(2))

    assert "Finances" not in told and "Water." not in told


def test_no_sentence_needs_one_that_is_left_out() -> None:
    text = (
        "The mill was built in 1787 by two brothers who had made their money with salt. Forty people worked in the mill. "
        "In 1821 the daughter Harriet took over the mill. She was the first owner of the mill who read German books. "
        "Paper was made in the mill until 1973. Today the mill holds a bakery."
    )
    for number in (1, 2, 3, 4):
        told = summaries.summary(text, summaries.Shape(number))
        assert "She" not in told or "Harriet" in told


def test_a_summary_speaks_of_all_topics() -> None:
    minutes = (
        "1. Roof\nThe roof of the hall leaks. A roofer asked 900 pounds for the roof of the hall. The roof is to be mended "
        "before the winter.\n\n2. Choir\nThe choir sings on 3 May.\n\n3. Keys\nThe caretaker will change the locks in June."
    )

    told = summaries.summary(minutes)

    assert "roof" in told and "3 May" in told and "locks" in told
    assert "locks" in summaries.summary(minutes, Shape(3))


def test_a_form_is_summed_up_by_its_lines() -> None:
    plan = "Room: 12, on the first floor.\nDiet: no nuts and no fish.\nShe likes tea.\nNurse: Ann Lee, by day.\nMoves: with a stick."

    assert "no nuts" in summaries.summary(plan, Shape(4))
