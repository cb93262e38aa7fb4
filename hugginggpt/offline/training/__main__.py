"""Trains the learned parts of the offline planner.

    python -m hugginggpt.offline.training --data FILE... [--out PLANNER_DATA] [--seed N]

Without --data it trains only the head that classifies clauses, on the project's own phrases
(data/planner/phrases.txt). The same data, seed and libraries give the same weights bit for bit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.offline.training.phrases import Phrase, read_phrases

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

PENALTY = 2e-5


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m hugginggpt.offline.training", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument(
        "--data", nargs="*", type=Path, default=[], metavar="FILE", help="labelled requests in TaskBench's format"
    )
    parser.add_argument("--out", type=Path, default=PLANNER_DATA, metavar="PLANNER_DATA", help="where the weights go")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, help="training epochs over the labelled requests")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    train_clauses(list(read_phrases(args.seed)), args.out / "clauses.safetensors")
    if args.data:
        train_tools(args.data, args.out / "tools.safetensors", args.seed, args.epochs)
    return 0


def train_tools(data: Sequence[Path], file: Path, seed: int, epochs: int | None = None) -> None:
    """Trains the network for plans with TaskBench's tools, on one thread so that sums have a fixed order."""
    import torch

    from hugginggpt.offline.tool_network.network import EPOCHS
    from hugginggpt.offline.tool_network.tools import NAMES
    from hugginggpt.offline.training.labelled import read_labelled
    from hugginggpt.offline.training.learning import learn_weights

    torch.set_num_threads(1)
    labelled = read_labelled(data)
    write(file, learn_weights(labelled, seed, epochs or EPOCHS), NAMES)
    print(f"{file}: {len(labelled)} requests", file=sys.stderr)


def train_clauses(phrases: Sequence[Phrase], file: Path) -> None:
    """Trains the clause head: a multinomial logistic regression by L-BFGS (scikit-learn)."""
    import numpy as np

    from hugginggpt.offline.features import clause_features

    tasks = sorted({phrase.task for phrase in phrases})
    features = clause_features([phrase.text for phrase in phrases])
    labels = np.array([tasks.index(phrase.task) for phrase in phrases])
    weights = np.array([phrase.weight for phrase in phrases])
    weight, bias = fit_softmax(features, labels, weights / weights.sum())
    write(file, {"weight": weight, "bias": bias}, tasks)
    print(f"{file}: {len(phrases)} phrases, {len(tasks)} tasks", file=sys.stderr)


def fit_softmax(features: Array, labels: Any, weights: Any, steps: int = 60) -> tuple[Array, Array]:
    """(weight, bias) that about minimise the weighted cross-entropy plus an L2 penalty; `steps` are few (early
    stopping), so that rare n-grams do not gain weight.
    """
    import warnings

    import numpy as np
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / (2 * PENALTY), max_iter=steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(features, labels, weights)
    weight, bias = model.coef_.T, model.intercept_
    if len(bias) == 1:  # for two classes scikit-learn has the weights of the second alone
        weight, bias = np.hstack([-weight, weight]) / 2, np.append(-bias, bias) / 2
    return weight, bias


def write(file: Path, tensors: dict[str, Any], tasks: Sequence[str]) -> None:
    """Saves the weights as float16, with the names of the tasks."""
    import numpy as np
    from safetensors.numpy import save

    halves = {name: np.ascontiguousarray(tensor.astype(np.float16)) for name, tensor in tensors.items()}
    file.write_bytes(save(halves, metadata={"tasks": " ".join(tasks)}))


if __name__ == "__main__":
    raise SystemExit(main())
