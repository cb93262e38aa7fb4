"""Words that are short for those of a table."""

from __future__ import annotations

import pytest

from hugginggpt.experts.tabular import answer_from_table


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        ("worker,hours,overtime\nEva,8,1\nJim,6,2\n", "how many hrs did Eva do", "8"),
        ("item,quantity,amount\nnails,40,8\nglue,3,12\n", "total qty", "43: the sum of quantity"),
        ("item,quantity,amount\nnails,40,8\nglue,3,12\n", "highest amt?", "12"),
        ("run,minutes\nlong,95\nshort,30\n", "mins in total", "125: the sum of minutes"),
    ],
)
def test_short_words_are_those_of_the_columns(table: str, question: str, answer: str) -> None:
    assert answer in answer_from_table(table, question)["answer"]
