"""docs/extending.md shows the code of the plug-in that is tested, and a row of the configuration that is run here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from hugginggpt.testing import plan, run, task
from tests.conftest import MakeConfig, controller_with
from tests.test_plugins import ROOT, SOURCE

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = ["pyproject.toml", *sorted(f"hugginggpt_clips/{name}.py" for name in ("tasks", "experts", "endpoints"))]


@pytest.mark.parametrize("name", FILES)
def test_the_page_shows_the_code_that_is_tested(name: str) -> None:
    code = (SOURCE / name).read_text(encoding="utf-8")
    assert code in [block for _, block in BLOCKS], f"{name} differs from its block in docs/extending.md"


def test_every_block_of_code_is_checked() -> None:
    codes = [(language, block) for language, block in BLOCKS if language in ("python", "toml", "yaml")]
    assert len(codes) == len(FILES) + 1
    shown = {path.relative_to(SOURCE).as_posix() for path in Path(SOURCE).rglob("*.py")}
    assert shown - {"hugginggpt_clips/__init__.py"} == set(FILES) - {"pyproject.toml"}


def test_the_row_of_the_configuration(make_config: MakeConfig, scripted: Any) -> None:
    """Planned by a language model and, where that fails, by its words; done and answered."""
    settings = yaml.safe_load(next(block for language, block in BLOCKS if language == "yaml"))
    config = make_config(**settings)
    planned = plan(task(0, "haiku", text="the sea"))
    record = run(controller_with(config, scripted(plan=planned, task="Waves.", respond="Waves.")), "A haiku on the sea")
    assert (record.tasks[0].ok, record.tasks[0].reading) == (True, "Waves.")
    llm = scripted(plan=["no plan", "none"], task="Waves.", respond="Waves.")
    record = run(controller_with(config, llm), "Write a haiku about the sea")
    assert [(each.task["task"], each.task["args"], each.ok) for each in record.tasks.values()] == [
        ("haiku", {"text": "Write a haiku about the sea"}, True)
    ]
    offline = run(controller_with(config), "Write a haiku about the sea")
    assert [part.text for part in offline.plan.unplanned] == ["Write a haiku about the sea"]
    assert "set OPENAI_API_KEY" in offline.plan.unplanned[0].remedy
