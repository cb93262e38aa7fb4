import json

import pytest

from tests.trials.grading import Reply, Turn, grade, names_of_sets, read_turns, shares

TURN = Turn("1", "how many dogs?", right=(r"\b(2|two)\b",), wrong=(r"\bno dogs?\b",))


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        ("There are 2 dogs in park.jpg.", "right"),
        ("I see two dogs.\n\nWhat was done:\n- detection: no dog", "right"),  # the list of work is no answer
        ("There are no dogs.", "confident"),
        ("There are 3 dogs.", "confident"),
        ("I cannot count dogs.", "honest"),
    ],
)
def test_an_answer_is_graded_by_its_truths(message, verdict):
    assert grade(TURN, Reply(message)) == verdict


def test_a_refusal_counts_as_the_turn_says():
    reply = Reply("I found no task for this.", done=False)
    for refusal, verdict in [("right", "right"), ("honest", "honest"), ("wrong", "wrong")]:
        assert grade(Turn("1", "sing", refusal=refusal), reply) == verdict
    assert grade(Turn("1", "sing", refusal="right"), Reply("Here is your song.")) == "confident"


def test_a_file_that_was_asked_for_has_to_be_made():
    turn = Turn("1", "draw its edges", makes="image", refusal="wrong")
    assert grade(turn, Reply("Edges: /images/x.png", ("image",))) == "right"
    assert grade(turn, Reply("Edges: none", ())) == "confident"


def test_shares_are_in_percent():
    assert shares(["right", "right", "honest", "confident"]) == (
        "4 turns: right 2 (50.0 %), honest 1 (25.0 %), confident 1 (25.0 %)"
    )


def test_a_line_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "turns.jsonl").write_text(
        json.dumps({"chat": "1", "say": "x"}) + '\n{"chat": "2", "say": "y", "right": ["("]}\n'
    )
    with pytest.raises(ValueError, match=r"line 2"):
        read_turns(tmp_path)


def test_every_set_can_be_read_and_has_its_files():
    for folder in names_of_sets():
        turns = read_turns(folder)
        assert all(turn.right or turn.makes or turn.truth for turn in turns), folder
        assert all((folder / name).is_file() for turn in turns for name in turn.files if "://" not in name), folder
