"""Answers to several questions of one request as one text."""

from __future__ import annotations

from hugginggpt.experts.joint_answers import together


def test_a_line_that_answers_one_part_is_not_doubled_with_a_doubt() -> None:
    line = "Somewhere in Wales, 3 May 1951"
    given = [{"answer": "?", "closest": line, "found": False, "chance": 0.2}, {"answer": line}]

    assert together(given, ["When was it written?", "where was he?"], "{}")["answer"] == f"{line}."
