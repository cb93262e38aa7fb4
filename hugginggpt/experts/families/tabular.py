"""scikit-learn models for tables, saved with skops: a zip of JSON and arrays in place of a pickle.

A skops file names the classes of what it holds. Only classes of scikit-learn and NumPy are loaded, and of
those that are compiled only decision trees, whose indices are checked: compiled code follows the indices in
a file without a look.
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
    """The classes of a table's rows: of those with an empty cell beside the model's columns, else of all."""
    file = next((file for file in source.weight_files if file.suffix == ".skops"), None)
    if file is None:
        raise ExpertUnavailable(f"{source.id} is no scikit-learn model in a .skops file.")
    model = _load(source.id, file)
    names = _column_names(source, model)

    def run(requests: Sequence[Args]) -> list[Any]:
        return [_predict(model, names, request["table"]) for request in requests]

    return run


def _load(id: str, file: Path) -> Any:
    """The model in a .skops file. Raises ExpertUnavailable for one with classes that are not trusted."""
    import skops.io

    try:
        custom_types = skops.io.get_untrusted_types(file=file)
        refused = [name for name in custom_types if not _trusted(name)]
        if not refused:
            model = skops.io.load(file, trusted=custom_types)
    except Exception as error:  # a damaged or crafted file can raise anything
        raise ExpertUnavailable(f"{id} cannot be read from {file.name}: {str(error)[:300]}") from error
    if refused:
        raise ExpertUnavailable(f"{id} holds what is not loaded for safety: {', '.join(refused)}.")
    if not hasattr(model, "predict"):
        raise ExpertUnavailable(f"{id} is a {type(model).__name__}, which predicts nothing.")
    if not all(_sound(tree) for tree in _trees(model, set())):
        raise ExpertUnavailable(f"{id} has a decision tree with indices outside of it, so it is damaged.")
    return model


def _trusted(name: str) -> bool:
    """Whether a name is a class, not a function, of scikit-learn or NumPy that is not compiled, or the tree."""
    module, _, attribute = name.rpartition(".")
    if module.partition(".")[0] not in PACKAGES:
        return False
    try:
        imported = importlib.import_module(module)
    except ImportError:
        return False
    written = str(getattr(imported, "__file__", "")).endswith(".py")
    return isinstance(getattr(imported, attribute, None), type) and (written or name == TREE)


def _trees(value: Any, visited: set[int]) -> Iterator[Any]:
    """The decision trees within a model."""
    import numpy as np
    from sklearn.tree._tree import Tree

    if id(value) in visited or isinstance(value, str | bytes | int | float | type(None)):
        return
    visited.add(id(value))
    inner: list[Any] = []
    if isinstance(value, Tree):
        yield value
    elif isinstance(value, dict):
        inner = list(value.values())
    elif isinstance(value, list | tuple | set):
        inner = list(value)
    elif isinstance(value, np.ndarray):
        inner = list(value.flat) if value.dtype == object else []
    else:
        inner = list(getattr(value, "__dict__", {}).values())
    for part in inner:
        yield from _trees(part, visited)


def _sound(tree: Any) -> bool:
    """Whether a tree's children lie behind their parent within it, and its features within a row."""
    import numpy as np

    at = np.arange(tree.node_count)
    inner = tree.children_left != -1
    children = np.stack([tree.children_left[inner], tree.children_right[inner]])
    features = tree.feature[inner]
    behind = bool(((children > at[inner]) & (children < tree.node_count)).all())
    return behind and bool(((features >= 0) & (features < tree.n_features)).all())


def _column_names(source: Source, model: Any) -> list[str]:
    """The columns that the model was fitted on, by itself or the configuration; [] where neither tells."""
    fitted_names = getattr(model, "feature_names_in_", None)
    stated = (source.config.get("sklearn") or {}).get("columns")
    return [str(name) for name in (fitted_names if fitted_names is not None else stated or [])]


def _predict(model: Any, names: list[str], table: str | Path) -> list[Any]:
    import pandas

    given = columns(table)
    taken = names or list(given)[: getattr(model, "n_features_in_", len(given))]
    missing = [name for name in taken if name not in given]
    if missing:
        raise UserError(f"The table lacks columns that the model needs: {', '.join(missing[:20])}.")
    rows = range(len(next(iter(given.values()))))
    others = [given[name] for name in given if name not in taken]
    open_rows = [at for at in rows if any(column[at] in MISSING for column in others)] or list(rows)
    frame = pandas.DataFrame({name: _values(given[name]) for name in taken}).iloc[open_rows]
    classes: list[Any] = model.predict(frame if hasattr(model, "feature_names_in_") else frame.to_numpy()).tolist()
    return classes


def _values(column: list[str]) -> Any:
    """A column as numbers if it holds nothing else, missing ones as NaN; else as texts."""
    import pandas

    try:
        return pandas.Series([float("nan") if value in MISSING else float(value) for value in column])
    except ValueError:
        return pandas.Series(column, dtype=object)
