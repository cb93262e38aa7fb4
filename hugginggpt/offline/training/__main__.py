"""Trains the learned parts of the offline planner.

    python -m hugginggpt.offline.training --data FILE... [--out PLANNER_DATA] [--seed N]

Without --data it trains only the heads that classify clauses by task, messages by dialogue act and remarks, on the
project's own phrases (data/planner). How sure plans read clause by clause are is calibrated by `python -m
benchmarks.planner_confidence`, as that needs answers, too. The same data, seed and libraries give the same weights bit for bit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.paths import PLANNER_DATA
from hugginggpt.offline.confidence import WEIGHTS_FILE
from hugginggpt.offline.training.fitting import PENALTY, fit_softmax, write
from hugginggpt.offline.training.phrases import Phrase, read_phrases

if TYPE_CHECKING:
    import numpy as np

    from hugginggpt.offline.training.calibration import Tried

    Array = np.ndarray[Any, np.dtype[np.float32]]

TASK_PENALTY = 4e-5
"""The L2 penalty of the head for the tasks of clauses."""
BALANCE = 0.5
"""How far tasks of few phrases weigh as much as those of many: not at all (0) to fully (1)."""


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
    english = list(read_phrases(args.seed))
    train_clauses(english, args.out / "clauses.safetensors", TASK_PENALTY, BALANCE)
    train_clauses(list(read_phrases(args.seed, ["follow_ups.txt"])), args.out / "acts.safetensors")
    train_other_languages(english, args.out, args.seed)
    train_what_only_tells(english, args.out, args.seed)
    tried = train_tools(args.data, args.out / "tools.safetensors", args.seed, args.epochs) if args.data else []
    if tried:
        calibrate(tried, args.out / WEIGHTS_FILE)
    return 0


def calibrate(tried: Sequence[Tried], file: Path) -> None:
    """Writes how sure plans are, for the ways of planning that were tried; for the others it stays as it was."""
    from hugginggpt.offline.training.calibration import by_family, calibrated, kept_weights

    weights = kept_weights(file)
    for family, plans in by_family(tried).items():
        weights[family] = calibrated(family, plans)
        print(f"{file}: {family}, {len(plans)} plans", file=sys.stderr)
    known = [family for family, tensors in weights.items() if tensors]
    write(file, {name: tensor for family in known for name, tensor in weights[family].items()}, known)


def train_other_languages(english: Sequence[Phrase], folder: Path, seed: int) -> None:
    from hugginggpt.offline.training.languages import train_languages

    train_languages(english, folder, seed)


def train_what_only_tells(english: Sequence[Phrase], folder: Path, seed: int) -> None:
    from hugginggpt.offline.training.remarks import train_remarks

    train_remarks(english, folder, seed)


def train_tools(data: Sequence[Path], file: Path, seed: int, epochs: int | None = None) -> list[Tried]:
    """Trains the network for plans with TaskBench's tools, on one thread so that sums have a fixed order; returns
    what the planner made of requests that were kept back from it.
    """
    import torch

    from hugginggpt.offline.tool_network.network import EPOCHS
    from hugginggpt.offline.tool_network.tools import NAMES
    from hugginggpt.offline.training.calibration import tried_by_network
    from hugginggpt.offline.training.labelled import read_labelled
    from hugginggpt.offline.training.learning import learn_weights

    torch.set_num_threads(1)
    labelled = read_labelled(data)
    weights, held_out = learn_weights(labelled, seed, epochs or EPOCHS)
    write(file, weights, NAMES)
    print(f"{file}: {len(labelled)} requests", file=sys.stderr)
    return list(tried_by_network(labelled, held_out, weights))


def train_clauses(phrases: Sequence[Phrase], file: Path, penalty: float = PENALTY, balance: float = 0.0) -> None:
    """Trains a head for clauses or messages: a multinomial logistic regression by L-BFGS (scikit-learn)."""
    import numpy as np

    from hugginggpt.offline.features import clause_features

    tasks = sorted({phrase.task for phrase in phrases})
    features = clause_features([phrase.text for phrase in phrases])
    labels = np.array([tasks.index(phrase.task) for phrase in phrases])
    weights = np.array([phrase.weight for phrase in phrases])
    weights /= np.bincount(labels, weights)[labels] ** balance
    weight, bias = fit_softmax(features, labels, weights / weights.sum(), penalty=penalty)
    write(file, {"weight": weight, "bias": bias}, tasks)
    print(f"{file}: {len(phrases)} phrases, {len(tasks)} classes", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
