"""Imports that leave out what a library takes along."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from hugginggpt.common.imports import as_if_missing
from hugginggpt.common.threads import spawn


def test_a_package_is_missing_for_this_thread_and_block_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("heavy_one", "heavy_two"):
        (tmp_path / f"{name}.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = list(sys.meta_path)
    with as_if_missing("heavy_one", "heavy_two"):
        with pytest.raises(ModuleNotFoundError, match="heavy_one"):
            importlib.import_module("heavy_one")
        assert spawn(lambda: importlib.import_module("heavy_two")).result(20).__name__ == "heavy_two"
        assert importlib.import_module("heavy_two")  # imported before, by another thread
    assert importlib.import_module("heavy_one") and sys.meta_path == before


def test_grammar_does_without_torch() -> None:
    code = "import sys; from hugginggpt.experts.grammar import words; words('Two dogs run.'); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100).stdout == "False\n"
