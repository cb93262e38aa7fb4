"""Questions about tables are planned as such: the kind of the file decides."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import PastTask, Turn
from hugginggpt.media.references import Resource
from tests.conftest import plan_offline

TABLE_FILE = Resource("/uploads/staff.csv", "table")
COUNTED = PastTask(
    0, "table-question-answering", {"table": TABLE_FILE.text, "text": "how many?"}, {"answer": "The table has 3 rows."}
)
ASKED = Turn(f"how many people are in {TABLE_FILE.text}?", tasks=(COUNTED,), message="The table has 3 rows.")


@pytest.mark.parametrize(
    ("request_text", "task"),
    [
        ("what is the average price in sales.csv?", "table-question-answering"),
        ("how many people live in Oslo according to sales.csv", "table-question-answering"),
        ("What is in sales.csv?", "table-question-answering"),
        ("summarise sales.csv", "table-question-answering"),
        ("predict the missing classes in sales.csv", "tabular-classification"),
    ],
)
def test_the_kind_of_the_file_decides(request_text: str, task: str) -> None:
    (step,) = plan_offline(request_text)
    assert (step["task"], step["args"]["table"]) == (task, "sales.csv")


def test_an_attached_table_and_the_one_of_the_last_turn() -> None:
    (step,) = plan_offline("who has the highest salary", resources=[TABLE_FILE])
    assert step["args"] == {"table": TABLE_FILE.text, "text": "who has the highest salary"}
    (step,) = plan_offline("who has the highest salary?", [ASKED])
    assert (step["task"], step["args"]["table"]) == ("table-question-answering", TABLE_FILE.text)
    assert plan_offline("thanks", [ASKED]) == []
