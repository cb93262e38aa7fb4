"""What experts read from files is remembered by content, in this process and in the next."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hugginggpt.common.content_cache import ContentCache
from hugginggpt.common.paths import ROOT
from hugginggpt.experts import registry
from hugginggpt.experts.remembered import remembered, remembering, source_version

CALLS: list[str] = []


@remembered("pytest")
def words(file: Path) -> list[Any]:
    CALLS.append(file.name)
    return [file.read_text().split(), 1.5]


def test_a_content_is_read_once(tmp_path: Path) -> None:
    """... under any name, while a cache is in use; a damaged entry is computed again."""
    CALLS.clear()
    first, second, other = (tmp_path / name for name in ("first.txt", "second.txt", "other.txt"))
    for file, text in ((first, "one two"), (second, "one two"), (other, "three")):
        file.write_text(text)
    values = ContentCache(tmp_path / "cache", 10_000)
    with remembering(values) as use:
        assert words(first) == words(second) == [["one", "two"], 1.5]
        assert words(other) == [["three"], 1.5]
    assert CALLS == ["first.txt", "other.txt"] and use and use.hits == 1
    entries = list((tmp_path / "cache").iterdir())
    assert all(re.fullmatch(r"[0-9a-f]{64}\.json", entry.name) for entry in entries)
    assert not any("first" in entry.read_text() for entry in entries)
    for entry in entries:
        entry.write_text("{")
    with remembering(values):
        assert words(first) == [["one", "two"], 1.5]
    assert words(first) and CALLS == ["first.txt", "other.txt", "first.txt", "first.txt"]


def test_another_process_remembers_it_too(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one two")
    code = (
        "import sys; from pathlib import Path; from tests.experts import test_remembered as module\n"
        "with module.remembering(module.ContentCache(Path(sys.argv[1]), 10_000)): print(module.words(Path(sys.argv[2])))\n"
        "print(module.CALLS)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache"), str(file)]
    printed = [subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60).stdout for _ in range(2)]
    assert [text.splitlines() for text in printed] == [
        ["[['one', 'two'], 1.5]", "['a.txt']"], ["[['one', 'two'], 1.5]", "[]"],
    ]  # fmt: skip


def test_a_changed_decoder_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = source_version(__name__)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0" if name == "pillow" else "1")
    source_version.cache_clear()
    try:
        with_other_library = source_version(__name__)
        monkeypatch.setattr(Path, "rglob", lambda folder, pattern: iter(()))
        source_version.cache_clear()
        assert len({before, with_other_library, source_version(__name__)}) == 3
    finally:
        source_version.cache_clear()


def test_experts_whose_results_differ_have_no_version() -> None:
    assert registry.expert_for("piper-joe", "text-to-speech").version is None
    versions = {expert.version for expert in registry.experts_for("image-to-text")}
    assert all(version and "rapidocr" in version for version in versions)
