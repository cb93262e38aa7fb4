"""The journal: a goal that is killed anywhere goes on, and nothing that was completed is repeated."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import UserError
from hugginggpt.goals.events import CommandFailed, CommandFinished, CommandStarted, Done, Stop, from_json, to_json
from hugginggpt.goals.journal import Journal, goal_folder, read_events
from hugginggpt.goals.state import fold
from tests.goals.conftest import Bench, follow, said

REPLIES = [
    said("append_to_file", file="a.txt", text="1"),
    said("execute_python_file", file="a.py"),
    said("append_to_file", file="a.txt", text="2"),
    said("task_complete", reason="Done."),
]


def test_events_survive_as_they_are(bench: Bench) -> None:
    loop = bench.begin(*REPLIES)
    events = follow(loop, "y")
    lines = (bench.folder / "journal.jsonl").read_text().splitlines()
    kept = [from_json(json.loads(line)) for line in lines]
    assert kept[1:] == events and [json.dumps(to_json(event), ensure_ascii=False) for event in kept] == lines
    assert fold(kept) == loop.state


def test_stopped_after_each_event_it_ends_in_the_same_way(bench: Bench) -> None:
    """In this process: after every event the goal is opened anew, as after a restart of a server."""
    for stop_after in range(1, 21):
        (bench.folder / "journal.jsonl").unlink(missing_ok=True)
        bench.files.write("a.txt", "")
        bench.programs.clear()
        loop = bench.begin(*REPLIES)
        left = [False] * (stop_after - 1) + [True]
        before = follow(loop, "y", until=lambda event, left=left: left.pop(0))
        ran = bench.programs.copy()
        loop = bench.again(*REPLIES[loop.state.number :], REPLIES[3])
        events = follow(loop, "y", "y")
        assert loop.state.done and loop.state.done.stop is Stop.COMPLETE, stop_after
        unknown = [event for event in events if isinstance(event, CommandFailed)]
        assert bool(unknown) == isinstance(before[-1], CommandStarted)
        assert len(bench.programs) <= 1 and (not ran or bench.programs == ran)
        assert bench.files.read("a.txt").text == "12" or unknown
    assert isinstance(before[-1], CommandFinished) and before[-1].step == 4


PROGRAM = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.goals.conftest import Bench, follow
from tests.goals.test_journal import REPLIES
bench = Bench(Path(sys.argv[2]))
bench.output = lambda path: bench.files.append("ran.txt", "x").path
seen = 0
def kill(event):
    global seen
    seen += 1
    if seen == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
loop = bench.begin(*REPLIES)
follow(loop, "y", until=kill)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 21))
def test_killed_at_each_event_nothing_is_repeated(tmp_path: Path, number: int) -> None:
    """A real process, ended by SIGKILL right after an event was given out."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(ROOT), str(tmp_path), str(number)], cwd=ROOT, timeout=60)
    assert done.returncode == -signal.SIGKILL
    bench = Bench(tmp_path)
    bench.output = lambda path: bench.files.append("ran.txt", "x").path
    before = fold(read_events(bench.folder))
    loop = bench.again(*REPLIES[before.number :], REPLIES[3])
    events = follow(loop, "y", "y")
    loop.close()
    assert loop.state.done and loop.state.done.stop is Stop.COMPLETE
    unknown = [event for event in events if isinstance(event, CommandFailed)]
    ran = bench.files.read("ran.txt").text if bench.files.search(text="ran.txt").matches else ""
    assert ran == "x" or (unknown and ran == "")
    assert unknown or bench.files.read("a.txt").text == "12"


def test_of_a_command_that_was_running_the_outcome_is_unknown(bench: Bench) -> None:
    loop = bench.begin(REPLIES[1])
    follow(loop, "y", until=lambda event: isinstance(event, CommandStarted))
    loop = bench.again(said("do_nothing"))
    follow(loop, until=lambda event: isinstance(event, CommandFailed))
    assert bench.programs == [] and "unknown" in loop.state.steps[0].result


def test_its_outcome_stays_unknown_when_the_goal_is_cancelled_before_it_is_resumed(bench: Bench) -> None:
    loop = bench.begin(REPLIES[1])
    follow(loop, "y", until=lambda event: isinstance(event, CommandStarted))
    loop = bench.again(said("do_nothing"))
    loop.cancel()
    follow(loop)
    assert "unknown" in bench.again(said("do_nothing")).state.steps[0].result


def test_a_line_that_was_not_completed_is_left_out_and_a_damaged_one_is_not(bench: Bench) -> None:
    loop = bench.begin(*REPLIES)
    follow(loop)
    loop.close()
    file = bench.folder / "journal.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"event": "Deci')
    loop = bench.again(*REPLIES[2:])
    assert loop.state.pending and file.read_bytes().startswith(whole) and b"Deci\n" not in file.read_bytes()
    loop.close()
    file.write_bytes(whole.replace(b'"Thought"', b'"Thoughts"', 1))
    with pytest.raises(UserError, match="damaged in line 2"):
        bench.again()


def test_one_process_at_a_time_works_on_a_goal(bench: Bench) -> None:
    bench.begin(*REPLIES)
    with pytest.raises(UserError, match="Another process works on this goal"):
        Journal(bench.folder / "journal.jsonl")


def test_the_newest_goal_is_the_last(bench: Bench, tmp_path: Path) -> None:
    bench.begin(*REPLIES)
    assert goal_folder(tmp_path, "last") == goal_folder(tmp_path, "0123456789ab") == bench.folder
    for name in ("../0123456789ab", "ffffffffffff", "0123456789AB", ""):
        with pytest.raises(UserError, match="There is no goal"):
            goal_folder(tmp_path, name)
    assert fold(read_events(bench.folder)).goal.goals == ("Do it.",)
    with pytest.raises(UserError, match="cannot be read"):
        read_events(tmp_path)


def test_a_complete_goal_does_not_go_on(bench: Bench) -> None:
    follow(bench.begin(REPLIES[3]))
    with pytest.raises(UserError, match="is complete"):
        bench.again()


def test_a_cancelled_goal_goes_on_where_it_waited(bench: Bench) -> None:
    loop = bench.begin(REPLIES[1])
    follow(loop)
    loop.cancel()
    (done,) = loop.advance()
    assert isinstance(done, Done) and done.stop is Stop.CANCELLED
    loop = bench.again(REPLIES[3])
    follow(loop)
    assert bench.programs == [] and loop.state.done and loop.state.done.stop is Stop.COMPLETE
    assert "was not run" in loop.state.steps[0].result
