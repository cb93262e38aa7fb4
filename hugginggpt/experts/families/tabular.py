"""scikit-learn models for tables, saved with skops: a zip of JSON and arrays in place of a pickle.

A skops file names the classes of its objects. Only classes of scikit-learn and NumPy are loaded, and of compiled
classes only decision trees, whose indices are validated: compiled code follows them without a bounds check.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hugginggpt.core.errors import ExpertUnavailable, UserError
from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.source import Source
from hugginggpt.experts.tabular import MISSING
from hugginggpt.media.tables import columns

TREE = "sklearn.tree._tree.Tree"
PACKAGES = ("sklearn", "numpy")


@family("tabular-classification")
def tabular_classification(source: Source) -> Run:
    """The classes of a table's rows: of those with an empty cell outside of the model's inputs, else of all."""
    file = next((file for file in source.weight_files if file.suffix == ".skops"), None)
    if file is None:
        raise ExpertUnavailable(f"{source.id} is not a scikit-learn model in a .skops file.")
    model = _load(source.id, file)
    names = _column_names(source, model)

    def run(requests: Sequence[Args]) -> list[Any]:
        return [_predict(model, names, request["table"]) for request in requests]

    return run


def _load(id: str, file: Path) -> Any:
    """The model in a .skops file. Raises ExpertUnavailable for one with untrusted classes."""
    import skops.io

    try:
        custom_types = skops.io.get_untrusted_types(file=file)
        refused = [name for name in custom_types if not _is_trusted(name)]
        if not refused:
            model = skops.io.load(file, trusted=custom_types)
    except Exception as error:  # a damaged or crafted file can raise anything
        raise ExpertUnavailable(f"{id} cannot be read from {file.name}: {str(error)[:300]}") from error
    if refused:
        raise ExpertUnavailable(f"{id} holds what is not loaded for safety: {', '.join(refused)}.")
    if not hasattr(model, "predict"):
        raise ExpertUnavailable(f"{id} is a {type(model).__name__}, which predicts nothing.")
    if not all(_is_valid(tree) for tree in _trees(model, set())):
        raise ExpertUnavailable(f"{id} has a decision tree with indices outside of it, so it is damaged.")
    return model


def _is_trusted(name: str) -> bool:
    """Whether a name is a class (not a function) in Python source of scikit-learn or NumPy, or the decision tree."""
    module, _, attribute = name.rpartition(".")
    if module.partition(".")[0] not in PACKAGES:
        return False
    try:
        imported = importlib.import_module(module)
    except ImportError:
        return False
    is_source = str(getattr(imported, "__file__", "")).endswith(".py")
    return isinstance(getattr(imported, attribute, None), type) and (is_source or name == TREE)


def _trees(value: Any, visited: set[int]) -> Iterator[Any]:
    """The decision trees within a model."""
    import numpy as np
    from sklearn.tree._tree import Tree

    if id(value) in visited or isinstance(value, str | bytes | int | float | type(None)):
        return
    visited.add(id(value))
    children: list[Any] = []
    if isinstance(value, Tree):
        yield value
    elif isinstance(value, dict):
        children = list(value.values())
    elif isinstance(value, list | tuple | set):
        children = list(value)
    elif isinstance(value, np.ndarray):
        children = list(value.flat) if value.dtype == object else []
    else:
        children = list(getattr(value, "__dict__", {}).values())
    for child in children:
        yield from _trees(child, visited)


def _is_valid(tree: Any) -> bool:
    """Whether the child indices of a tree are within it and after their parent, and its features within a row."""
    import numpy as np

    index = np.arange(tree.node_count)
    is_inner = tree.children_left != -1
    children = np.stack([tree.children_left[is_inner], tree.children_right[is_inner]])
    features = tree.feature[is_inner]
    children_valid = bool(((children > index[is_inner]) & (children < tree.node_count)).all())
    return children_valid and bool(((features >= 0) & (features < tree.n_features)).all())


def _column_names(source: Source, model: Any) -> list[str]:
    """The columns that the model was fitted on, from the model or its configuration; [] if unknown."""
    fitted_names = getattr(model, "feature_names_in_", None)
    stated = (source.config.get("sklearn") or {}).get("columns")
    return [str(name) for name in (fitted_names if fitted_names is not None else stated or [])]


def _predict(model: Any, names: list[str], table: str | Path) -> list[Any]:
    import pandas

    table_columns = columns(table)
    used = names or list(table_columns)[: getattr(model, "n_features_in_", len(table_columns))]
    missing = [name for name in used if name not in table_columns]
    if missing:
        raise UserError(f"The table lacks columns that the model needs: {', '.join(missing[:20])}.")
    rows = range(len(next(iter(table_columns.values()))))
    others = [table_columns[name] for name in table_columns if name not in used]
    rows_to_predict = [index for index in rows if any(column[index] in MISSING for column in others)] or list(rows)
    frame = pandas.DataFrame({name: _values(table_columns[name]) for name in used}).iloc[rows_to_predict]
    classes: list[Any] = model.predict(frame if hasattr(model, "feature_names_in_") else frame.to_numpy()).tolist()
    return classes


def _values(column: list[str]) -> Any:
    """A column as numbers, with NaN for missing ones, if all its values are numeric; else as texts."""
    import pandas

    try:
        return pandas.Series([float("nan") if value in MISSING else float(value) for value in column])
    except ValueError:
        return pandas.Series(column, dtype=object)
