"""The metrics of one or several planners as a bar chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import UserError

PANELS = ("n-F1", "e-F1", "t-F1", "v-F1")
GROUPS = ("overall", "single", "chain", "dag")
GPT_4 = {"n-F1": 81.54, "e-F1": 54.70}
"""GPT-4's figures on TaskBench's leaderboard (all of its Hugging Face requests)."""
COLOURS = ("#3b6ea5", "#e08a3c", "#5a9a68", "#a05a8c")


def draw(reports: Sequence[tuple[str, Mapping[str, Any]]], file: Path, own_format: bool) -> None:
    """Draws a bar chart of TaskBench's metrics by kind of request, one colour per planner, from (name, report) pairs.

    Raises UserError when matplotlib is not installed or the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UserError("--plot needs matplotlib: pip install matplotlib") from error
    groups = [name for name in GROUPS if any(name in report["figures"] for _, report in reports)]
    panels = [name for name in PANELS if any(_values(report, groups, name) for _, report in reports)]
    if not panels:
        raise UserError("There is nothing to draw: the requests have no labels.")
    figure = Figure(figsize=(2.6 * len(panels) + 1, 3.4), layout="constrained", dpi=150)
    for axes, name in zip(figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels, strict=True):
        _panel(axes, name, groups, reports)
        if not own_format and name in GPT_4:
            axes.hlines(GPT_4[name], -0.45, 0.45, color="#222222", linestyle="--", label="GPT-4, leaderboard")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(_label(f"Planners on {reports[0][1]['data']}, in percent"), fontsize="medium")
    try:
        figure.savefig(file)
    except (OSError, ValueError) as error:
        raise UserError(f"Cannot write the picture {file}: {error}.") from error


def _panel(axes: Any, name: str, groups: Sequence[str], reports: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    width = 0.8 / len(reports)
    for number, (planner, report) in enumerate(reports):
        values = [report["figures"].get(group, {}).get(name) for group in groups]
        positions = [index + (number - (len(reports) - 1) / 2) * width for index in range(len(groups))]
        bars = axes.bar(
            positions,
            [value or 0 for value in values],
            width,
            label=_label(planner),
            color=COLOURS[number % len(COLOURS)],
        )
        axes.bar_label(bars, ["" if value is None else f"{value:.0f}" for value in values], fontsize="x-small")
    axes.set_title(name)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_ylim(0, 105)
    axes.spines[["top", "right"]].set_visible(False)


def _label(text: str) -> str:
    """A text escaped for matplotlib, which reads "$" as a formula and omits labels with a leading "_"."""
    return text.replace("$", r"\$").lstrip("_") or "?"


def _values(report: Mapping[str, Any], groups: Sequence[str], name: str) -> list[float]:
    values = (report["figures"].get(group, {}).get(name) for group in groups)
    return [value for value in values if value is not None]
