"""What a request wants of a table: what it says, a chart of it or a file."""

from __future__ import annotations

import pytest

from hugginggpt.core.tasks import default_table
from hugginggpt.offline import table_wishes
from hugginggpt.offline.follow_ups import Request
from hugginggpt.offline.nodes import Node

TABLE = default_table()
ASKED, DRAWN, SAVED = "table-question-answering", "plot-table", "export-table"


@pytest.mark.parametrize(
    ("planned", "text", "wanted"),
    [
        ((ASKED, "text"), "can u do a bar chart of everyones goals", (DRAWN, "chart")),
        ((DRAWN, "chart"), "Combien j'ai dépensé en courses ?", (ASKED, "text")),
        ((DRAWN, "chart"), "draw how many members each team has", (DRAWN, "chart")),
        ((SAVED, "rows"), "et en octobre ?", (ASKED, "text")),
        ((SAVED, "rows"), "save the ones in october", (SAVED, "rows")),
        ((ASKED, "text"), "how many are in the team?", (ASKED, "text")),
    ],
)
def test_words_for_a_chart_and_a_file_tell_what_is_wanted(
    planned: tuple[str, str], text: str, wanted: tuple[str, str]
) -> None:
    node = Node(0, planned[0], {"table": "/a.csv", planned[1]: text}, 0, "")
    table_wishes.put_right([node], Request(text), TABLE)
    assert (node.task, node.args) == (wanted[0], {"table": "/a.csv", wanted[1]: text})


def test_by_how_much_is_asked_with_what_is_compared() -> None:
    node = Node(0, ASKED, {"table": "/a.csv", "text": "By how much"}, 0, "")
    table_wishes.put_right([node], Request("Do the fees cover the costs? By how much?"), TABLE)
    assert node.args["text"] == "Do the fees cover the costs? By how much?"
