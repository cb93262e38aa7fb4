"""The structure of the code as its imports show it: `python -m tests.structure [FOLDER]` prints it.

A room is an entry directly in hugginggpt/ (a package or a module) or a script beside it. An arrow leads from a room to
another that at least one of its modules imports, wherever the import stands: within a function and for type checkers
alone, too. Rooms stand on floors; an arrow may lead down or stay on its floor. Only the standard library is used.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "hugginggpt"
SCRIPTS = ("awesome_chat", "models_server")

FLOORS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("common",),
    ("config",),
    ("tables",),
    ("logs", "net"),
    ("catalog", "media"),
    ("notebook",),
    ("llm",),
    ("experts",),
    ("endpoints",),
    ("answers",),
    ("status", "stages"),
    ("records", "offline"),
    ("build", "evaluate"),
    ("goals", "batch"),
    ("mcp",),
    ("serving", "web"),
    ("terminal", "jarvis"),
    SCRIPTS,
    ("interface",),
    ("testing",),
)
"""The rooms from the ground up."""

Graph = dict[str, set[str]]


def floor(room: str) -> int:
    """The floor of a room, counted from the ground. Raises KeyError for a room that stands on none."""
    for number, rooms in enumerate(FLOORS):
        if room in rooms:
            return number
    raise KeyError(f"{room} stands on no floor: add it to FLOORS in tests/structure.py.")


@dataclass(frozen=True)
class Structure:
    """The modules of the project and the modules of it that each imports."""

    imports: Graph

    @property
    def rooms(self) -> list[str]:
        return sorted({room(module) for module in self.imports} - {""})

    @property
    def arrows(self) -> Graph:
        """The rooms that each room imports."""
        arrows: Graph = {name: set() for name in self.rooms}
        for module, used in self.imports.items():
            if room(module):
                arrows[room(module)] |= {room(other) for other in used} - {"", room(module)}
        return arrows

    @property
    def upward(self) -> list[tuple[str, str]]:
        """The arrows that lead to a higher floor."""
        return [(a, b) for a, used in sorted(self.arrows.items()) for b in sorted(used) if floor(b) > floor(a)]


def room(module: str) -> str:
    """The room that a module is in; empty for the package itself, which holds only the version."""
    if module in SCRIPTS:
        return module
    return module.removeprefix(PACKAGE).lstrip(".").partition(".")[0]


def read_structure(root: Path = ROOT) -> Structure:
    """Reads the imports of all modules under a checkout's folder, without importing any."""
    files = {module_name(file, root): file for file in (root / PACKAGE).rglob("*.py")}
    files |= {script: root / f"{script}.py" for script in SCRIPTS if (root / f"{script}.py").is_file()}
    return Structure({name: set(_imported(name, file, files)) - {name} for name, file in files.items()})


def module_name(file: Path, root: Path = ROOT) -> str:
    return ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _imported(name: str, file: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """The project's modules that a file imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = _base(name, file, node)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in modules:
                    yield inner
                elif base in modules:
                    yield base


def _base(name: str, file: Path, node: ast.ImportFrom) -> str:
    """The absolute name of the module that an import names, relative or not."""
    if not node.level:
        return node.module or ""
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    parts = package[: len(package) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def cycles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other (strongly connected components of two or more; Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(group := stack[at:]) > 1:
                groups.append(sorted(group))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return groups


def main(folder: str | None = None) -> None:
    """Prints the figures and what is wrong with them."""
    structure = read_structure(Path(folder) if folder else ROOT)
    arrows = structure.arrows
    print(f"rooms: {len(structure.rooms)}")
    print(f"arrows: {sum(map(len, arrows.values()))}")
    unknown = sorted(set(structure.rooms) - {name for rooms in FLOORS for name in rooms})
    if unknown:
        print(f"upward arrows: unknown, {len(unknown)} rooms stand on no floor of FLOORS")
    else:
        print(f"upward arrows: {len(structure.upward)}")
        for a, b in structure.upward:
            print(f"  {a} -> {b}")
    for what, graph in (("rooms", arrows), ("modules", structure.imports)):
        groups = cycles(graph)
        print(f"cycles between {what}: {len(groups)}")
        for group in groups:
            print(f"  {', '.join(group)}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
