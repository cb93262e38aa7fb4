"""The benchmark of ten goals (python -m benchmarks.goals), with a scripted language model behind HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import goals
from hugginggpt.testing import FakeLLM
from tests.goals.conftest import said

COMPLETE = said("task_complete", reason="The chair is Grace Okoro.")
RIGHT = {
    "chair": "Grace Okoro",
    "todo": "- Grace: compost\n- Ben: key to the gate\n- Mei: poster",
    "dearest": "lamp",
    "harbour": "two.txt",
    "joined": "Roses are red,\nviolets are blue.\n",
    "giraffes": "There are two.",
    "invoice": "$484.00",
    "speech": "And so, my fellow Americans: ask not what your country can do for you",
    "primes": "2\n3\n5\n7\n11\n13\n17\n19\n23\n29\n31\n37\n41\n43\n47\n",
    "sum": f"The sum is {sum(map(int, goals.NUMBERS.split()))}.",
}


WRONG = {
    "chair": "Ben Ruiz is the chair, not Grace.",
    "todo": "- Grace: compost\n- Ben: the pump, key\n- Mei: poster",
    "dearest": "lamp, table",
    "harbour": "one.txt and two.txt",
    "joined": "violets are blue.\nRoses are red,",
    "giraffes": "There are 3, not two.",
    "invoice": "440.00 (484.00 with tax)",
    "speech": "ask what your country can do for you",
    "primes": "1\n2\n3\n5\n7\n11\n13\n17\n19\n23\n29\n31\n37\n41\n43\n47\n",
    "sum": "The sum is 1234567.",
}


@pytest.mark.parametrize("task", goals.TASKS, ids=lambda task: task.name)
def test_what_counts_as_right(task: goals.Task) -> None:
    assert task.right(RIGHT[task.name]) and not task.right(WRONG[task.name]) and not task.right("")


def test_a_goal_is_right_if_its_file_is_and_it_was_completed(
    llm_server: FakeLLM, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    arguments = ["--endpoint", llm_server.url, "--only", "chair", "--out", str(out), "--steps", "4"]
    read, ask = said("read_file", file="minutes.txt"), said("ask_user", question="Who?")
    for name in ("Grace", "Ben"):
        llm_server.replies["goal"] = [read, ask, said("write_to_file", file="chair.txt", text=name), COMPLETE]
        assert goals.main(arguments) == 0
    llm_server.replies["goal"] = [read, said("read_file", file="none"), read, read, "I could not."]
    goals.main(arguments)
    right, wrong, unfinished = map(json.loads, out.read_text().splitlines())
    assert [(one["right"], one["complete"], one["steps"]) for one in (right, wrong, unfinished)] == [
        (True, True, 4), (False, True, 4), (False, False, 4),
    ]  # fmt: skip
    assert (right["failed"], unfinished["failed"], unfinished["stop"]) == (0, 1, "budget") and right["tokens"] > 0
    shown = capsys.readouterr().out
    assert shown.count("1 of 1 right, 1 said to be complete") == 1 and shown.count("0 of 1 right") == 2


def test_a_goal_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        goals.main(["--endpoint", "http://127.0.0.1:1", "--only", "chess"])
    assert "there is no goal chess" in capsys.readouterr().err
