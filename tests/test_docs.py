"""The README and docs/: every link leads somewhere, every package is explained, the drawing is that of the code."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from docs.draw_architecture import DRAWING, draw
from hugginggpt import config as settings
from hugginggpt.common.paths import ROOT
from tests.structure import read_structure

DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS]
LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\(<?([^)\s>]+)>?(?: [^)]*)?\)|src=\"([^\"]+)\"")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
RUN_AND_SHOWN = re.compile(r"^```console\n\$ (?P<command>[^\n]+)\n```\n[^`]*```text\n(?P<shown>.*?)\n```$", re.M | re.S)


def links(page: Path) -> list[str]:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return [match[1] or match[2] for match in LINK.finditer(text)]


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(ROOT) and target.exists(), link
        assert not anchor or anchor in headings(target), link


def test_links_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('[a](b.md) ![c](d.png "e") <img src="f.png"> `x`\n```\n[g](h.md)\n```\n')
    assert links(page) == ["b.md", "d.png", "f.png"]


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 1200


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^[a-z][a-z-]+$", index, re.MULTILINE))
    assert {page.stem for page in DOCS} - {"index"} == listed


def required() -> set[str]:
    """The names of all packages that the project, its extras and its tests require."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*(ROOT / "requirements.txt").read_text().splitlines(), *project["dependencies"]]
    lines += [line for extra in project["optional-dependencies"].values() for line in extra]
    return {match[0].lower() for line in lines if (match := re.match(r"[\w.-]+", line.strip()))} - {project["name"]}


def test_every_package_is_explained() -> None:
    """docs/packages.md says of every required package what it is for, and of none that is not required."""
    text = (ROOT / "docs" / "packages.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    explained = {name.strip().lower() for names, use in rows for name in names.split(",") if use.strip()}
    assert explained - {"package", "---"} == required()


def test_every_room_is_explained() -> None:
    """docs/architecture.md says of every package and module directly in hugginggpt/ what it holds."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {
        room: f"`{room}/`" if (ROOT / "hugginggpt" / room).is_dir() else f"`{room}.py`"
        for room in read_structure().rooms
    }
    assert [room for room, written in rooms.items() if written not in text] == []


def test_the_drawing_is_that_of_the_code() -> None:
    assert DRAWING.read_text(encoding="utf-8") == draw(), "The structure has changed: python -m docs.draw_architecture"


def examples() -> list[tuple[str, str]]:
    """The commands of the pages whose output stands below them."""
    return [
        (match["command"], match["shown"])
        for page in DOCS
        for match in RUN_AND_SHOWN.finditer(page.read_text(encoding="utf-8"))
    ]


def test_examples_are_seen() -> None:
    assert len(examples()) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), examples(), ids=lambda value: value[:60])
def test_examples_print_what_the_pages_show(command: str, shown: str) -> None:
    program, *arguments = shlex.split(command)
    assert program.endswith("python")
    environment = {name: value for name, value in os.environ.items() if name not in settings.ENVIRONMENT}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=110
    )
    assert shown in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in DOCS if ">>> " in page.read_text()], ids=lambda page: page.name)
def test_python_examples(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a ```pycon block shows is what it prints."""
    monkeypatch.chdir(ROOT)
    for name in settings.ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    tested = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tested.attempted and not tested.failed


@pytest.mark.slow
def test_the_pages_are_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=110)
    assert done.returncode == 0, done.stderr
    assert "graph of tasks" in (tmp_path / "index.html").read_text(encoding="utf-8")
