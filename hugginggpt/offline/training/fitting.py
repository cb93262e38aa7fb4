"""Fits a linear head and writes its weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

PENALTY = 2e-5
"""The default L2 penalty; the higher, the less sure is a head."""


def fit_softmax(
    features: Array, labels: Any, weights: Any, steps: int = 60, penalty: float = PENALTY
) -> tuple[Array, Array]:
    """(weight, bias) that about minimise the weighted cross-entropy plus an L2 penalty; `steps` are few (early
    stopping), so that rare n-grams do not gain weight.
    """
    import warnings

    import numpy as np
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / (2 * penalty), max_iter=steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(features, labels, weights)
    weight, bias = model.coef_.T, model.intercept_
    if len(bias) == 1:  # for two classes scikit-learn has the weights of the second alone
        weight, bias = np.hstack([-weight, weight]) / 2, np.append(-bias, bias) / 2
    return weight, bias


def fit_logistic(name: str, features: Array, labels: Any, penalty: float) -> dict[str, Any]:
    """The weights of a logistic regression (the bias last) for standardised features, with the features' mean and
    deviation, each under the name of the head.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    mean, spread = features.mean(0), features.std(0) + 1e-3
    model = LogisticRegression(C=1 / penalty, tol=1e-5, max_iter=500).fit((features - mean) / spread, labels)
    return {
        f"{name}.weight": np.append(model.coef_[0], model.intercept_),
        f"{name}.mean": mean,
        f"{name}.spread": spread,
    }


def write(file: Path, tensors: dict[str, Any], tasks: Sequence[str]) -> None:
    """Saves the weights as float16, with the names of the tasks."""
    import numpy as np
    from safetensors.numpy import save

    halves = {name: np.ascontiguousarray(tensor.astype(np.float16)) for name, tensor in tensors.items()}
    file.write_bytes(save(halves, metadata={"tasks": " ".join(tasks)}))
