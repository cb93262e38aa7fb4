"""The rules that hold for the code as a whole."""

from __future__ import annotations

import ast
import json
import logging
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hugginggpt import logs
from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import masked
from hugginggpt.llm.prompts import plan_schema, task_list
from tests.conftest import TABLE, MakeConfig, parse_plan
from tests.structure import cycles, read_structure

MODULES = sorted((ROOT / "hugginggpt").rglob("*.py"))


TRAINING = ("hugginggpt.offline.tool_network.network", "hugginggpt.offline.training")
"""Modules of torch that only `python -m hugginggpt.offline.training --data` imports."""

OF_EXTRAS = {"hugginggpt.records.redis_runs": "redis", "hugginggpt.web.postgres_chats": "psycopg"}
"""Modules that are imported only where a setting names what they are for, and the packages that they need."""


def test_the_structure_holds() -> None:
    """At most 30 rooms, no import up the floors, no cycle; `python -m tests.structure` prints the figures."""
    structure = read_structure()
    assert len(structure.rooms) <= 30
    assert structure.upward == []
    assert cycles(structure.arrows) == []
    assert cycles(structure.imports) == []


def test_the_floors_of_the_page() -> None:
    """model/ knows no element, ui/ no request, views/ join them; an import goes to its own floor or down, and every file is there."""
    page = ROOT / "public" / "app"
    floors = ["model", "ui", "views", "app"]
    for file in page.rglob("*.js"):
        source = file.read_text(encoding="utf-8")
        assert source.count("\n") <= 600, file
        for path in re.findall(r'^(?:import|export) .*?from "([^"]+)";', source, re.MULTILINE):
            target = (file.parent / path).resolve()
            assert target.is_file(), f"{file.name} imports {path}"
            if page in target.parents:
                assert floors.index(target.parent.name) <= floors.index(file.parent.name), f"{file.name} imports {path}"


def test_the_reading_of_imports(tmp_path: Path) -> None:
    """Relative, nested and type checkers' imports count; an upward one and a cycle are seen."""
    files = {
        "core/plan.py": "def late():\n    from hugginggpt.web import app",
        "core/__init__.py": "",
        "web/app.py": "from ..core import plan\nfrom . import runs",
        "web/runs.py": "import typing\nif typing.TYPE_CHECKING:\n    from .app import create_app",
        "web/__init__.py": "",
    }
    for name, source in files.items():
        file = tmp_path / "hugginggpt" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    structure = read_structure(tmp_path)
    assert structure.upward == [("core", "web")]
    assert cycles(structure.arrows) == [["core", "web"]]
    assert cycles(structure.imports) == [["hugginggpt.core.plan", "hugginggpt.web.app", "hugginggpt.web.runs"]]


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_files_and_functions_stay_small(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    assert source.count("\n") <= 600
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


def test_tests_are_laid_out_like_the_package() -> None:
    """Each package has a folder of tests, and each folder of tests a package, the fault suite and the trials aside."""
    packages = {file.parent.name for file in (ROOT / "hugginggpt").glob("*/__init__.py")}
    folders = {file.parent.name for file in (ROOT / "tests").glob("*/test_*.py")}
    assert folders - {"trials"} == packages


@pytest.mark.parametrize("name", ["plan", "tasks", "plan_repair"])
def test_the_plan_and_the_table_need_the_standard_library_alone(name: str) -> None:
    code = f"import sys, hugginggpt.core.{name}; print([m for m in ('pydantic', 'yaml', 'numpy', 'PIL', 'requests') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert done.stdout.strip() == "[]"


def test_importing_does_nothing(tmp_path: Path) -> None:
    """No file, no thread, no network, no argument parsed; the scripts and the whole package."""
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in MODULES]
    left_out = (*TRAINING, *(module for module, package in OF_EXTRAS.items() if find_spec(package) is None))
    names = [name for name in names if not name.startswith(left_out)]
    code = (
        "import sys, threading, socket\n"
        "sys.addaudithook(lambda event, args: event in ('socket.connect', 'socket.getaddrinfo', 'os.mkdir') "
        "and print('DID', event, args))\n"
        f"sys.path.insert(0, {str(ROOT)!r})\nsys.dont_write_bytecode = True\nsys.argv += ['--frobnicate']\n"
        f"import awesome_chat, {', '.join(name for name in names)}\n"
        "print(threading.active_count(), sorted({'torch', 'transformers', 'diffusers', 'spacy', 'cv2', 'onnxruntime', 'openai', 'pytest'} "
        "& set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.stdout.strip() == "1 []", done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_every_task_is_in_the_planner_prompt_and_schema() -> None:
    told = task_list(TABLE)
    assert all(f"- {row.name}(" in told for row in TABLE)
    assert plan_schema(TABLE)["properties"]["tasks"]["items"]["properties"]["task"]["enum"] == list(TABLE.names)


def test_the_demonstrations_are_valid_plans() -> None:
    turns = json.loads((ROOT / "demos" / "parse_task.json").read_text(encoding="utf-8"))
    answers = [turn["content"] for turn in turns if turn["role"] == "assistant"]
    assert len(answers) >= 4
    for answer in answers:
        plan = parse_plan(answer)
        assert not plan.problems and not plan.notes
        assert plan.to_json() == json.loads(answer)["tasks"]


def test_logs_keep_no_secret_and_rotate(
    make_config: MakeConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = make_config({"OPENAI_API_KEY": "sk-secret"}, debug=True)
    logs.set_up(config)
    logger = logging.getLogger("hugginggpt.test")
    logger.warning("the key is %s", "sk-secret")
    logger.debug("header: Bearer sk-secret")
    logs.set_up()
    text = (tmp_path / "logs" / "debug.log").read_text() + capsys.readouterr().err
    assert text.count("***") == 4
    assert "sk-secret" not in text


def test_what_is_masked() -> None:
    assert (
        masked("token-no-12345-6 and token-no-12345", ["token-no-12345", "", None, "token-no-12345-6"]) == "*** and ***"
    )
    assert masked("1 of none", ["1", "none"]) == "1 of none"


def test_a_log_that_cannot_be_written(
    make_config: MakeConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    logs.set_up(make_config())
    logs.set_up()
    assert "There is no log" in capsys.readouterr().err


def test_the_readme_and_the_code_name_no_machine() -> None:
    """Nothing that is committed names a path of the machine that it was written on."""
    for file in [
        *ROOT.glob("*.md"),
        *ROOT.glob("*.yaml"),
        *ROOT.glob("*.py"),
        *MODULES,
        ROOT / "Makefile",
        ROOT / ".ci" / "run",
    ]:
        text = file.read_text(encoding="utf-8")
        assert "/work/" not in text and "/root/" not in text, file


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_module_keeps_a_task_table(file: Path) -> None:
    """A table is built for a configuration and handed on: none is made when a module is imported."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    within = {id(inner) for function in functions for inner in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) not in within:
            called = ast.unparse(node.func).rpartition(".")[2]
            assert called not in ("default_table", "make_task_table", "TaskTable"), f"line {node.lineno}"
        if isinstance(node, ast.ImportFrom | ast.Import):
            names = {alias.name for alias in node.names}
            assert not names & {"TASKS", "ALIASES", "CONTROLS"}
            assert "ROWS" not in names or file.name == "tasks.py"
