"""What was done for a row is known by its content."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hugginggpt.batch.journal import JOURNAL, BatchBusy, BatchFolder, is_batch, key_of
from hugginggpt.batch.results import write_results
from hugginggpt.batch.rows import Row
from hugginggpt.core.errors import UserError
from hugginggpt.stages.plan_files import Input, PlanFile

PLAN = PlanFile([{"task": "image-to-text", "id": 0, "dep": [-1], "args": {"image": "file"}}], (Input("file", "image"),))
DONE = {"seconds": 1.0, "error": "", "wait": 0.0, "tasks": {}}


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    for name in ("a", "b"):
        (tmp_path / f"{name}.png").write_bytes(name.encode())
    return [Row(f"{name}.png", {"file": str(tmp_path / f"{name}.png")}, {}) for name in ("a", "b", "none")]


def test_what_was_done_counts_under_another_name_until_the_file_changes(tmp_path: Path, rows: list[Row]) -> None:
    with closing(BatchFolder.begin(tmp_path / "out", PLAN, {"file": "file"}, rows)) as batch:
        batch.add(batch.key(rows[0]), DONE)
        batch.add(batch.key(rows[1]), {**DONE, "error": "It failed."})
    (tmp_path / "a.png").rename(tmp_path / "renamed.png")
    renamed = Row("renamed.png", {"file": str(tmp_path / "renamed.png")}, {})
    with closing(BatchFolder.resume(tmp_path / "out", [renamed, *rows])) as batch:
        assert [batch.is_done(batch.key(row)) for row in batch.rows] == [True, False, False, False]
        (tmp_path / "renamed.png").write_bytes(b"changed")
        assert not batch.is_done(batch.key(renamed))


def test_the_rest_of_a_line_that_was_cut_off_is_overwritten(tmp_path: Path, rows: list[Row]) -> None:
    with closing(BatchFolder.begin(tmp_path / "out", PLAN, {"file": "file"}, rows)) as batch:
        batch.add(batch.key(rows[0]), DONE)
    with (tmp_path / "out" / JOURNAL).open("ab") as journal:
        journal.write(b'{"key": "half')
    with closing(BatchFolder.resume(tmp_path / "out")) as batch:
        batch.add(batch.key(rows[1]), {**DONE, "error": "It failed."})
        batch.add(batch.key(rows[1]), DONE)  # a later outcome counts
    with closing(BatchFolder.resume(tmp_path / "out")) as batch:
        told = [(row.name, outcome and outcome["error"]) for row, outcome in batch.outcomes()]
    assert told == [("a.png", ""), ("b.png", ""), ("none.png", None)]


def test_the_texts_and_the_plan_belong_to_the_content(tmp_path: Path, rows: list[Row]) -> None:
    other = PlanFile([{**PLAN.tasks[0], "model": "another"}], PLAN.inputs)
    one, two = (BatchFolder(tmp_path, plan, {}, rows) for plan in (PLAN, other))
    keys = {one.key(rows[0]), two.key(rows[0]), one.key(Row("a.png", rows[0].files, {"question": "Who?"}))}
    assert len(keys) == 3


def test_a_folder_holds_one_batch(tmp_path: Path, rows: list[Row]) -> None:
    assert not is_batch(str(tmp_path / "out"))
    BatchFolder.begin(tmp_path / "out", PLAN, {}, rows).close()
    assert is_batch(str(tmp_path / "out"))
    with pytest.raises(UserError, match="There is a batch in"):
        BatchFolder.begin(tmp_path / "out", PLAN, {}, rows)
    (tmp_path / "out" / "batch.json").write_text("{")
    with pytest.raises(UserError, match="cannot be read"):
        BatchFolder.resume(tmp_path / "out")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_one_process_at_a_time_works_on_a_batch(tmp_path: Path, rows: list[Row]) -> None:
    with closing(BatchFolder.begin(tmp_path / "out", PLAN, {"file": "file"}, rows)) as batch:
        with pytest.raises(BatchBusy, match="Another process works on this batch"):
            BatchFolder.resume(tmp_path / "out", rows[:1])
        batch.add(batch.key(rows[0]), DONE)
        seen = BatchFolder.read(tmp_path / "out").look()  # it may be looked at meanwhile
        assert [outcome is not None for _, outcome in seen.outcomes()] == [True, False, False]
    BatchFolder.resume(tmp_path / "out").close()


def test_what_was_done_under_another_plan_does_not_count(tmp_path: Path, rows: list[Row]) -> None:
    batch = BatchFolder.begin(tmp_path / "out", PLAN, {"file": "file"}, rows, is_public=True)
    batch.add(batch.key(rows[0]), DONE)
    other = batch.replan(PlanFile([{**PLAN.tasks[0], "model": "another"}], PLAN.inputs), {"file": "file"})
    assert [outcome for _, outcome in other.outcomes()] == [None, None, None]
    other.close()
    assert BatchFolder.read(tmp_path / "out").is_public
    back = BatchFolder.resume(tmp_path / "out").replan(PLAN, {"file": "file"})
    with closing(back):
        assert back.is_done(back.key(rows[0]))


@pytest.mark.parametrize(
    "line",
    [
        "damaged",
        '{"key": [], "error": ""}',
        '{"key": "KEY", "error": ""}',
        '{"key": "KEY", "error": "", "seconds": 1, "tasks": []}',
        '{"key": "KEY", "error": "", "seconds": 1, "tasks": {"0": {"files": 5}}}',
        "[" * 5000,
    ],
)
def test_a_damaged_line_costs_its_row_alone(tmp_path: Path, rows: list[Row], line: str) -> None:
    with closing(BatchFolder.begin(tmp_path / "out", PLAN, {"file": "file"}, rows)) as batch:
        batch.add(batch.key(rows[1]), DONE)
        damaged = line.replace("KEY", batch.key(rows[0]))
    journal = tmp_path / "out" / JOURNAL
    journal.write_bytes(damaged.encode() + b"\n" + journal.read_bytes())
    with closing(BatchFolder.resume(tmp_path / "out")) as batch:
        assert [outcome is not None for _, outcome in batch.outcomes()] == [False, True, False]
        summary = write_results(batch)
    assert (summary.rows, summary.done, summary.failed) == (3, 1, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    (tmp_path / "endless.png").symlink_to("/dev/zero")
    names = [str(tmp_path / name) for name in ("a.png", "endless.png")]
    assert len({key_of(Row(name, {"file": name}), "") for name in names}) == 2
