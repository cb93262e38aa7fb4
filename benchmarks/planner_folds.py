"""Cross-validation of the offline planner: its metrics on requests that it was not trained on.

    python -m benchmarks.planner_folds FILE [--folds 3] [--workers 2] [--epochs N] [--seed N]

FILE holds labelled requests in TaskBench's format. For each fold the network and its heads are trained on the
other folds and plan the requests of this one; the metrics are over all requests. A fold takes some minutes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from hugginggpt import config as settings
from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.core.tasks import default_table
from hugginggpt.evaluate.formats import read_data
from hugginggpt.evaluate.report import report
from hugginggpt.evaluate.run import Prediction, make_bench
from hugginggpt.offline import heads
from hugginggpt.offline.training.__main__ import train_tools


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="FILE", help="labelled requests")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1, help="folds at a time")
    parser.add_argument("--epochs", type=int, help="training epochs, in place of the default")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    lines = [line for _, line in numbered_lines(read_text(args.data))]
    random.Random(args.seed).shuffle(lines)
    work = partial(planned, lines, args.folds, args.seed, args.epochs)
    fresh = multiprocessing.get_context("spawn")  # torch and threads do not survive a fork
    with ProcessPoolExecutor(args.workers, fresh, max_tasks_per_child=1) as pool:
        plans = {name: plan for fold in pool.map(work, range(args.folds)) for name, plan in fold.items()}
    figures = report(read_data(args.data, default_table()), plans)["figures"]["overall"]
    summary = ", ".join(f"{name} {figures[name]:.2f}" for name in ("n-F1", "e-F1"))
    print(f"{len(plans)} requests of {args.data.name}, {args.folds} folds: {summary}")


def planned(lines: Sequence[str], folds: int, seed: int, epochs: int | None, fold: int) -> dict[str, Prediction]:
    """The plans for the requests of a fold, by a planner trained on the others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        training, held_out = folder / "seen.jsonl", folder / "unseen.jsonl"
        training.write_text("\n".join(line for at, line in enumerate(lines) if at % folds != fold), encoding="utf-8")
        held_out.write_text("\n".join(lines[fold::folds]), encoding="utf-8")
        shutil.copy(heads.PLANNER_DATA / "clauses.safetensors", folder)
        train_tools([training], folder / "tools.safetensors", seed, epochs)
        heads.PLANNER_DATA = folder  # this process plans with these weights and no others
        data = read_data(held_out, default_table())
        bench = make_bench("offline", settings.load(environment={}), data.tasks)
        return {sample.id: bench.plan(sample) for sample in data.samples}


if __name__ == "__main__":
    main()
