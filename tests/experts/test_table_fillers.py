"""Words of questions to tables that name nothing in them: which of them matter, and what is done without the others."""

from __future__ import annotations

import pytest

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts import table_fillers
from hugginggpt.experts.table_columns import TypedTable, typed
from hugginggpt.experts.table_conversations import answer_question
from hugginggpt.experts.table_meaning import MeaningReader
from hugginggpt.experts.training import table_words

PARTY = "Child,Coming,Allergy,Adults\nLina,yes,nuts,1\nMax,no,,2\nIda,yes,,0"
TILL = "Day,Cash,Card\nMonday,210,320\nTuesday,180,402\nSaturday,402,840"


def table_of(text: str, title: str = "") -> TypedTable:
    first, *rows = (line.split(",") for line in text.splitlines())
    return typed({name: [row[at] for row in rows] for at, name in enumerate(first)}, title)


def matters(table: str, question: str, word: str) -> float:
    """How likely a word of a question matters."""
    reader = MeaningReader(table_of(table), question)
    reader.read()
    start = question.index(word)
    return table_fillers.mattering(reader.sentence, [(start, start + len(word))])[0]


@pytest.mark.parametrize(
    ("table", "question", "word"),
    [
        (PARTY, "how many children are coming, my baker wants to know", "baker"),
        (PARTY, "My sister made this list. How many adults are coming?", "sister"),
        (TILL, "total cash for my tax return, please", "tax"),
        (TILL, "which day had the most card, asking for a friend", "friend"),
    ],
)
def test_a_purpose_and_an_aside_do_not_matter(table: str, question: str, word: str) -> None:
    assert matters(table, question, word) < table_fillers.MATTERS


@pytest.mark.parametrize(
    ("table", "question", "word"),
    [
        (PARTY, "which vegetarian children are coming", "vegetarian"),
        (PARTY, "what is the surname of Lina", "surname"),
        (TILL, "how much cash was stolen on Monday", "stolen"),
        (TILL, "which rainy day had the most cash", "rainy"),
    ],
)
def test_a_condition_and_what_the_table_lacks_matter(table: str, question: str, word: str) -> None:
    assert matters(table, question, word) > table_fillers.VITAL


def test_what_does_not_matter_is_left_out_and_what_does_is_refused() -> None:
    party = table_of(PARTY)
    assert str(answer_question(party, "how many children are coming, my baker wants to know")["answer"]).startswith(
        "2 rows"
    )
    with pytest.raises(ExpertUnavailable, match="I do not know what “vegetarian” means here"):
        answer_question(party, "which vegetarian children are coming", partly=True)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which day raked in the most card", "Saturday has the highest Card"),
        ("how much cash did the shop swallow in total", "792: the sum of Cash"),
        ("which day had the least cash, must phone the bank", "Tuesday has the lowest Cash"),
        ("total card for our lottery application", "1,562: the sum of Card"),
        ("which day had the most cash, so that I can brag", "Saturday has the highest Cash"),
    ],
)
def test_verbs_that_the_computation_carries_purposes_and_asides_are_left_out_silently(
    question: str, answer: str
) -> None:
    told = str(answer_question(table_of(TILL), question, partly=True)["answer"])
    assert told.startswith(answer)
    assert "left out" not in told


@pytest.mark.slow
def test_few_words_that_matter_are_left_out() -> None:
    """Of the tables that are held out: at most 3 % of the words that matter, and half of the others at least."""
    figures = table_words.figures([case for case in table_words.every_case() if case.held_out])
    matter, idle = (value for name, value in figures.items() if name.startswith("left out"))
    assert figures["words"] > 500
    assert matter <= 0.03
    assert idle >= 0.5
