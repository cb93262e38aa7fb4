"""Calculations that go on with a number: of the answer before, or of the same request."""

from __future__ import annotations

from pathlib import Path

import pytest

import hugginggpt
from hugginggpt.core.conversation import PastTask, Turn
from tests.conftest import plan_offline

RENT = "tenant,rent,paid\nMeyer,620,yes\nOkafor,830,no\nLund,700,no\n"
"""A table whose unpaid rents are 1,530 together."""


def past(value: object) -> list[Turn]:
    asked = PastTask(0, "table-question-answering", {"table": "rent.csv", "text": "how much?"}, value, form="answer")
    return [Turn("how much?", run_id="1", tasks=(asked,))]


def test_the_number_before_is_calculated_with() -> None:
    (task,) = plan_offline("and what is 15 % of that?", turns=past({"answer": "1,530.", "number": 1530.0}))
    assert (task["task"], task["args"]) == ("calculate", {"calculation": "15 / 100 * 1530"})


def test_an_answer_that_is_no_number_is_not_calculated_with() -> None:
    planned = plan_offline("and what is 15 % of that?", turns=past({"answer": "Okafor and Lund"}))
    assert all(task["task"] != "calculate" for task in planned)


@pytest.mark.slow
def test_a_request_asks_for_a_number_and_for_what_is_done_with_it(tmp_path: Path) -> None:
    table = tmp_path / "rent.csv"
    table.write_text(RENT, encoding="utf-8")
    settings = {"llm": "offline", "public": str(tmp_path / "public"), "log_file": str(tmp_path / "debug.log")}
    with hugginggpt.HuggingGPT(settings) as gpt:
        chat = gpt.chat()
        assert "2150 * (100 + 20) / 100 = 2,580" in str(
            chat.ask("what is the total rent, then add 20 % VAT", files=[table])
        )
        assert "1,530" in str(chat.ask("how much rent is outstanding?"))
        assert "1530 / 2 = 765" in str(chat.ask("and half of that?"))
