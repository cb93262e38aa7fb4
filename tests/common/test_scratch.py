"""What killed processes leave in the temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hugginggpt.common.scratch import HUGGINGGPT, remove_abandoned, scratch_prefix

MAKES = (
    "import sys, tempfile; from hugginggpt.common.scratch import *; print(tempfile.mkdtemp(prefix=scratch_prefix()))"
)


def test_what_a_killed_process_left_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    made = subprocess.run([sys.executable, "-c", MAKES], env=environment, capture_output=True, text=True, check=True)
    left = Path(made.stdout.strip())
    (left / "within").mkdir()
    (left / "within" / "a.txt").write_text("a")
    file = left.with_name(f"{left.name}-file")
    file.write_text("a")
    kept = tmp_path / "kept"
    kept.mkdir()
    link = left.with_name(f"{left.name}-link")
    link.symlink_to(kept)
    mine, others = (
        tmp_path / f"{scratch_prefix()}x",
        [tmp_path / f"{HUGGINGGPT}-00000000-1-x", tmp_path / "hugginggpt-x"],
    )
    for folder in (mine, *others):
        folder.mkdir()
    remove_abandoned()
    assert sorted(tmp_path.iterdir()) == sorted([mine, kept, *others])


def test_a_name_that_no_process_gave_is_no_error_and_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody may make names in the temporary folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names = (f"{2**70}", "9" * 10, "²", "")
    planted = [tmp_path / scratch_prefix().replace(f"-{os.getpid()}-", f"-{name}-x") for name in names]
    for folder in planted:
        folder.mkdir()
    remove_abandoned()
    assert sorted(tmp_path.iterdir()) == sorted(planted)


def test_where_files_have_no_owner_what_was_left_is_removed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delattr(os, "geteuid")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / scratch_prefix().replace(f"-{os.getpid()}-", f"-{ended.pid}-x")
    left.mkdir()
    remove_abandoned()
    assert not left.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives folders away")
def test_what_belongs_to_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    planted = tmp_path / scratch_prefix().replace(f"-{os.getpid()}-", f"-{ended.pid}-x")
    planted.mkdir()
    os.chown(planted, 65534, 65534)
    remove_abandoned()
    assert planted.is_dir()
