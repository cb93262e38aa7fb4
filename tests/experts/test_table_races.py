"""Questions to a table of results: who won, who came second or last, how far behind somebody was."""

from __future__ import annotations

import pytest

from hugginggpt.experts.table_columns import TypedTable, typed
from hugginggpt.experts.table_conversations import answer_question

PLACES = "Place,Rower,Minutes\n1,Ito,18\n2,Weber,21\n3,Diaz,25"
TIMES = "Boat,Seconds\nHeron,61\nOtter,55\nSwan,70"
POINTS = "Team,Points\nReds,12\nBlues,30\nGreens,7"


def ask(table: str, question: str) -> str:
    return str(answer_question(table_of(table), question)["answer"])


def table_of(text: str) -> TypedTable:
    first, *rows = (line.split(",") for line in text.splitlines())
    return typed({name: [row[at] for row in rows] for at, name in enumerate(first)})


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        (PLACES, "who won the men's race?", "Ito: "),
        (PLACES, "Who came second?", "Weber: "),
        (PLACES, "who finished last", "Diaz: "),
        (TIMES, "which boat was the winner", "Otter has the lowest Seconds"),
        (POINTS, "which team won the league", "Blues has the highest Points"),
        (PLACES, "what was the winning time?", "18 (Ito)"),
        (PLACES, "how far behind was Diaz?", "Minutes behind the winner is 7 "),
        (TIMES, "how many seconds behind the winner was Heron", "Seconds behind the winner is 6 "),
    ],
)
def test_places(table: str, question: str, answer: str) -> None:
    assert ask(table, question).startswith(answer)


def test_a_winner_is_spoken_of_further() -> None:
    assert (
        ask(PLACES, "who won, and what was her time?")
        == "Ito: the row where Place is 1.\nMinutes is 18 where Place is 1."
    )


def test_between_first_and_last_is_the_range_of_the_times() -> None:
    assert "range of 15" in ask(TIMES, "how many seconds between first and last?")
