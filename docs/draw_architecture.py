"""Draws docs/architecture.svg from the imports of the code: `python -m docs.draw_architecture`.

Each box is a package or module directly in hugginggpt/ (or a script beside it) with the first sentence of its
docstring; the rows are the floors of tests/structure.py. An arrow leads from an importer to what it imports; arrows
that follow from others (a imports b, b imports c, so a may import c) are left out. Only the standard library is used.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from tests.structure import FLOORS, PACKAGE, ROOT, SCRIPTS, Graph, floor, read_structure

DRAWING = ROOT / "docs" / "architecture.svg"
WIDTH, MARGIN, LANE = 860, 24, 9
BOX, BETWEEN, GAP = 390, 24, 34
NAME_HEIGHT, LINE_HEIGHT, PADDING, CHAR = 17, 14, 8, 6.3
STYLE = """
  .ground { fill: #ffffff; } .box { fill: #f3f6fb; stroke: #8aa0c0; }
  .name { font: 600 14px system-ui, sans-serif; fill: #14233c; }
  .about { font: 11.5px system-ui, sans-serif; fill: #465672; }
  .arrow { fill: none; stroke: #7d8fae; stroke-width: 1.3; } .head { fill: #7d8fae; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181f; } .box { fill: #1f2733; stroke: #5d7396; }
    .name { fill: #e8eefa; } .about { fill: #b4c0d4; }
    .arrow { stroke: #7f93b5; } .head { fill: #7f93b5; }
  }"""


@dataclass(frozen=True)
class Box:
    name: str
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    @property
    def bottom(self) -> float:
        return self.y + self.height


def summary(name: str, root: Path = ROOT) -> str:
    """The first sentence of a room's docstring."""
    if name in SCRIPTS:
        file = root / f"{name}.py"
    else:
        folder = root / PACKAGE / name
        file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].replace("`", "").split()).partition(". ")[0].rstrip(".")


def direct(arrows: Graph) -> Graph:
    """The arrows that do not follow from others (the transitive reduction)."""

    def reached(start: str, without: str) -> set[str]:
        seen: set[str] = set()
        waiting = [other for other in arrows[start] if other != without]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += arrows[node]
        return seen

    return {a: {b for b in used if b not in reached(a, b)} for a, used in arrows.items()}


def boxes(rooms: list[str]) -> dict[str, Box]:
    """Every room's box, the highest floor first."""
    made: dict[str, Box] = {}
    y: float = MARGIN
    for row in reversed(FLOORS):
        names = [name for name in row if name in rooms]
        if not names:
            continue
        width = min(BOX, (WIDTH - (len(names) - 1) * BETWEEN) / len(names))
        texts = {name: tuple(textwrap.wrap(summary(name), int((width - 2 * PADDING) / CHAR))) for name in names}
        height = 2 * PADDING + NAME_HEIGHT + LINE_HEIGHT * max(map(len, texts.values()))
        x = MARGIN + (WIDTH - len(names) * width - (len(names) - 1) * BETWEEN) / 2
        for name in names:
            made[name] = Box(name, texts[name], x, y, width, height)
            x += width + BETWEEN
        y += height + GAP
    return made


def draw(root: Path = ROOT) -> str:
    """The drawing as the text of an SVG file."""
    structure = read_structure(root)
    placed = boxes(structure.rooms)
    arrows = [(a, b) for a, used in direct(structure.arrows).items() for b in used]
    arrows.sort(key=lambda pair: (floor(pair[0]) - floor(pair[1]), pair))
    lanes: list[list[tuple[float, float]]] = []
    paths = [_path(a, b, placed, arrows, lanes) for a, b in arrows]
    width = WIDTH + 2 * MARGIN + LANE * (len(lanes) + 1)
    height = max(box.bottom for box in placed.values()) + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
            ' aria-labelledby="title">',
            '<title id="title">The packages of the project on their floors; arrows lead to what is imported</title>',
            f"<style>{STYLE}\n</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
            ' orient="auto"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
            '<rect class="ground" width="100%" height="100%" rx="8"/>',
            *paths,
            *(line for box in placed.values() for line in _drawn(box)),
            "</svg>\n",
        ]
    )


def _drawn(box: Box) -> Iterator[str]:
    middle = box.x + box.width / 2
    yield (
        f'<rect class="box" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6"/>'
    )
    shown = f"{box.name}.py" if box.name in SCRIPTS else box.name
    y = box.y + PADDING + NAME_HEIGHT - 4
    yield f'<text class="name" text-anchor="middle" x="{middle:.1f}" y="{y:.1f}">{escape(shown)}</text>'
    for line in box.lines:
        y += LINE_HEIGHT
        yield f'<text class="about" text-anchor="middle" x="{middle:.1f}" y="{y:.1f}">{escape(line)}</text>'


def _path(
    a: str, b: str, placed: Mapping[str, Box], arrows: list[tuple[str, str]], lanes: list[list[tuple[float, float]]]
) -> str:
    """An arrow: a curve to the row below, or along a lane at the right past the rows between."""
    start, end = placed[a], placed[b]
    x1 = _spread(start, b, sorted((other for first, other in arrows if first == a), key=lambda n: placed[n].x))
    x2 = _spread(end, a, sorted((first for first, other in arrows if other == b), key=lambda n: placed[n].x))
    y1, y2 = start.bottom, end.y
    if y2 - y1 <= GAP + 1:
        middle = (y1 + y2) / 2
        shape = f"M{x1:.1f} {y1:.1f} C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"
    else:
        number = _lane(lanes, y1, y2)
        x, out, into = WIDTH + 2 * MARGIN + LANE * number, y1 + 8 + 3 * (number % 3), y2 - 8 - 3 * (number % 3)
        shape = (
            f"M{x1:.1f} {y1:.1f} Q{x1:.1f} {out:.1f} {x1 + 8:.1f} {out:.1f} L{x - 6:.1f} {out:.1f}"
            f" Q{x:.1f} {out:.1f} {x:.1f} {out + 6:.1f} L{x:.1f} {into - 6:.1f}"
            f" Q{x:.1f} {into:.1f} {x - 6:.1f} {into:.1f} L{x2 + 8:.1f} {into:.1f}"
            f" Q{x2:.1f} {into:.1f} {x2:.1f} {y2:.1f}"
        )
    return f'<path class="arrow" marker-end="url(#head)" d="{shape}"><title>{a} imports {b}</title></path>'


def _spread(box: Box, other: str, others: list[str]) -> float:
    """Where on a box's edge the arrow from or to another one is; all of them share the edge evenly."""
    return box.x + box.width * (others.index(other) + 1) / (len(others) + 1)


def _lane(lanes: list[list[tuple[float, float]]], top: float, bottom: float) -> int:
    """The first lane that is free between two heights, which is then taken."""
    for number, taken in enumerate(lanes):
        if all(bottom < first or top > last for first, last in taken):
            taken.append((top, bottom))
            return number
    lanes.append([(top, bottom)])
    return len(lanes) - 1


def main() -> None:
    DRAWING.write_text(draw(), encoding="utf-8")
    print(f"Written: {DRAWING.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
