"""Embedded expert for tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hugginggpt.core.errors import MediaError
from hugginggpt.experts.registry import expert
from hugginggpt.media.tables import columns

MISSING = ("", "?")


@expert(
    "random-forest", "tabular-classification",
    "Learns the last column from a table's complete rows and predicts it where it is empty (scikit-learn).",
    ("sklearn",),
)  # fmt: skip
def predict_classes(table: str | Path) -> list[str]:
    """The classes of the rows whose last column is empty or "?", in their order, by a random forest (seed 0)."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.pipeline import make_pipeline

    by_name = columns(table)
    *features, target = by_name
    classes = by_name[target]
    rows = [{name: _number(by_name[name][at]) for name in features} for at in range(len(classes))]
    known = [at for at, value in enumerate(classes) if value not in MISSING]
    open_rows = [at for at, value in enumerate(classes) if value in MISSING]
    if not open_rows:
        raise MediaError(
            f"Every row has a value in the last column, {target}: leave it empty where it is to be predicted."
        )
    if len({classes[at] for at in known}) < 2:
        raise MediaError(f"At least two different classes must stand in the last column, {target}, to learn from.")
    model: Any = make_pipeline(DictVectorizer(sparse=False), RandomForestClassifier(random_state=0))
    model.fit([rows[at] for at in known], [classes[at] for at in known])
    return [str(value) for value in model.predict([rows[at] for at in open_rows])]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
