"""Logistic regression over named features: the small learned parts of the readers of texts and pages, in NumPy.

Trained by `python -m hugginggpt.experts.training`; the weights are safetensors in data/experts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.weights import weights

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """`weight` and `bias` for standardised features: (features - mean) / scale, each of shape (features,)."""

    names: tuple[str, ...]
    mean: Array
    scale: Array
    weight: Array
    bias: float

    def probabilities(self, features: Sequence[Sequence[float]]) -> list[float]:
        """The probability for each row of features."""
        import numpy as np

        if not len(features):
            return []
        scores = (np.array(features) - self.mean) / self.scale @ self.weight + self.bias
        return [float(value) for value in 1 / (1 + np.exp(-scores))]

    def save(self, file: Path) -> None:
        import numpy as np
        from safetensors.numpy import save_file

        tensors = {"mean": self.mean, "scale": self.scale, "weight": self.weight, "bias": np.array([self.bias])}
        save_file(
            {name: tensor.astype(np.float32) for name, tensor in tensors.items()},
            file, metadata={"features": "\n".join(self.names)},
        )  # fmt: skip


@cache
def load(name: str, features: tuple[str, ...]) -> Logistic:
    """The regression in a file of data/experts. Raises ExpertUnavailable, also where it has other features."""
    from safetensors import safe_open

    with safe_open(weights(name), framework="numpy") as file:
        names = tuple(file.metadata()["features"].split("\n"))
        if names != features:
            raise ExpertUnavailable(
                f"{name} was trained for other features: run python -m hugginggpt.experts.training."
            )
        tensors = {key: file.get_tensor(key).astype(float) for key in ("mean", "scale", "weight", "bias")}
    return Logistic(names, tensors["mean"], tensors["scale"], tensors["weight"], float(tensors["bias"][0]))


def fit(names: tuple[str, ...], features: Array, labels: Array, penalty: float = 10.0) -> Logistic:
    """The regression for rows of features, shape (rows, features), and labels of 0 and 1; `penalty` is that on the
    squared weights."""
    import numpy as np
    from scipy.optimize import minimize

    mean, scale = features.mean(0), features.std(0) + 1e-6
    rows = (features - mean) / scale

    def loss(parameters: Array) -> tuple[float, Array]:
        weight, bias = parameters[:-1], parameters[-1]
        scores = rows @ weight + bias
        error = 1 / (1 + np.exp(-scores)) - labels
        value = np.sum(np.logaddexp(0, scores) - labels * scores) + penalty / 2 * weight @ weight
        return float(value), np.append(rows.T @ error + penalty * weight, error.sum())

    found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    return Logistic(names, mean, scale, found.x[:-1], float(found.x[-1]))
