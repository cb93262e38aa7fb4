"""Embedded experts for tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hugginggpt.core.errors import MediaError
from hugginggpt.experts.registry import expert
from hugginggpt.media.tables import columns, tables, title_of

MISSING = ("", "?")


@expert(
    "random-forest", "tabular-classification",
    "Learns the last column from a table's complete rows and predicts it where it is empty (scikit-learn).",
    ("sklearn",),
)  # fmt: skip
def predict_classes(table: str | Path) -> list[str]:
    """The classes of the rows whose last column is empty or "?", in order, by a random forest (seed 0)."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.pipeline import make_pipeline

    columns_by_name = columns(table)
    *features, target = columns_by_name
    classes = columns_by_name[target]
    rows = [{name: _number(columns_by_name[name][index]) for name in features} for index in range(len(classes))]
    labelled_rows = [index for index, value in enumerate(classes) if value not in MISSING]
    missing_rows = [index for index, value in enumerate(classes) if value in MISSING]
    if not missing_rows:
        raise MediaError(
            f"Every row has a value in the last column, {target}: leave it empty where it is to be predicted."
        )
    if len({classes[index] for index in labelled_rows}) < 2:
        raise MediaError(f"At least two different classes must stand in the last column, {target}, to learn from.")
    model: Any = make_pipeline(DictVectorizer(sparse=False), RandomForestClassifier(random_state=0))
    model.fit([rows[index] for index in labelled_rows], [classes[index] for index in labelled_rows])
    return [str(value) for value in model.predict([rows[index] for index in missing_rows])]


@expert(
    "pandas-tables", "table-question-answering",
    "Computes answers from a table: counts, sums, means, comparisons, filters, groups and look-ups (pandas).",
    ("pandas",),
)  # fmt: skip
def answer_from_table(table: str | Path, text: str) -> dict[str, Any]:
    """The answer in words, and the cells that it is made of: {"answer", "cells", "aggregator", "columns", "rows"}.

    Raises MediaError for what is no table, ExpertUnavailable for a question that cannot be answered from it, with why.
    """
    from hugginggpt.experts.workbooks import answer_from_tables

    return answer_from_tables(tables(table, at_least=1), title_of(table), text, partly=True)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
