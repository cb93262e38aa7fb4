"""How plans, results and files show themselves in a notebook: HTML without scripts, with everything escaped."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from hugginggpt.core.plan import Task
from hugginggpt.core.results import Kind
from hugginggpt.media.types import kind_of, type_of

MAX_DATA_BYTES = 20_000_000
"""A larger file is linked to and not written into the notebook."""
BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 190, 38, 46, 16, 6
"""Of the drawing of a plan, in pixels."""
COLOURS = {"finished": "#2e7d32", "failed": "#c62828", "skipped": "#8d6e63"}
"""The outlines of tasks by their state; others have the text's colour."""


class File(type(Path())):  # type: ignore[misc]
    """The path of a file of a run, which a notebook shows as the picture, player or link that it is."""

    __slots__ = ()

    @property
    def kind(self) -> Kind | None:
        """image, audio, video, table or text, by its name; None for any other file."""
        return kind_of(self.name)

    def _repr_html_(self) -> str | None:
        return file_html(self) if self.is_file() else None


def file_html(path: Path) -> str:
    """A file as an element of HTML: its content as a data: URL where a browser can show it, else a link."""
    file_type, name = type_of(path.name), escape(path.name)
    if file_type is None or not file_type.browser or path.stat().st_size > MAX_DATA_BYTES:
        return f'<a href="{escape(path.absolute().as_uri())}">{name}</a>'
    source = f"data:{file_type.browser};base64,{base64.b64encode(path.read_bytes()).decode()}"
    if file_type.kind == "image":
        return f'<img src="{source}" alt="{name}" style="max-width:100%;max-height:480px">'
    return f'<{file_type.kind} controls src="{source}" title="{name}" style="max-width:100%"></{file_type.kind}>'


def plan_svg(tasks: Sequence[Task], states: Mapping[int, str] | None = None) -> str:
    """The graph of a plan as SVG, left to right; each task stands right of those that it depends on."""
    places = _places(tasks)
    width = MARGIN * 2 + max((x for x, _ in places.values()), default=0) + BOX_WIDTH
    height = MARGIN * 2 + max((y for _, y in places.values()), default=0) + BOX_HEIGHT
    arrows = [_arrow(places[dep], places[task.id]) for task in tasks for dep in task.dep if dep in places]
    boxes = [_box(task, places[task.id], (states or {}).get(task.id, "")) for task in tasks]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="The graph of the plan" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
        f"{''.join(arrows)}{''.join(boxes)}</svg>"
    )


def _places(tasks: Sequence[Task]) -> dict[int, tuple[int, int]]:
    """The upper left corner of each task; `tasks` are in topological order."""
    column: dict[int, int] = {}
    rows: dict[int, int] = {}
    places = {}
    for task in tasks:
        column[task.id] = 1 + max((column[dep] for dep in task.dep if dep in column), default=-1)
        row = rows[column[task.id]] = rows.get(column[task.id], -1) + 1
        places[task.id] = MARGIN + column[task.id] * (BOX_WIDTH + GAP_X), MARGIN + row * (BOX_HEIGHT + GAP_Y)
    return places


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    x, y = start[0] + BOX_WIDTH, start[1] + BOX_HEIGHT // 2
    to_x, to_y = end[0], end[1] + BOX_HEIGHT // 2
    bend = (x + to_x) // 2
    return (
        f'<path d="M{x} {y}C{bend} {y} {bend} {to_y} {to_x} {to_y}m-6 -4l6 4l-6 4" '
        'fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
    )


def _box(task: Task, place: tuple[int, int], state: str) -> str:
    x, y = place
    colour = COLOURS.get(state, "currentColor")
    tooltip = escape(f"{task.task} {dict(task.args)}" + (f": {state}" if state else ""))
    return (
        f'<g><title>{tooltip}</title><rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" '
        f'fill="none" stroke="{colour}" stroke-width="{2 if state else 1}"/>'
        f'<text x="{x + 10}" y="{y + BOX_HEIGHT // 2 + 4}" fill="currentColor">'
        f"{task.id}. {escape(task.task[:26])}</text></g>"
    )


def table_html(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table; a mapping in a cell is shown with a line for each of its entries."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f'<table style="text-align:left"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return "<br>".join(f"{escape(str(name))}: {escape(str(content))}" for name, content in value.items())
    return escape(str(value))


def text_html(text: str) -> str:
    """A text with its line breaks."""
    return f'<div style="white-space:pre-wrap">{escape(text)}</div>'
