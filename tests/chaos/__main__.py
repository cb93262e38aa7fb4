"""python -m tests.chaos [--seed 1] [--seconds 150] [--only NAME]     exit code 1 when an invariant is broken"""

from __future__ import annotations

import argparse
import logging
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.chaos import programs, scenarios
from tests.chaos.invariants import Broken
from tests.chaos.lab import Lab, open_lab

PLANS = 200


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description="The fault suite.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=150, help="begin nothing new after so long")
    parser.add_argument("--only", metavar="NAME", help="one scenario, or one half: scenarios, programs")
    args = parser.parse_args()
    if args.only is None:
        return _both_halves(args)
    logging.disable(logging.WARNING)  # what fails here is meant to
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder, open_lab(Path(folder) / "lab") as lab:
        scenarios.warm_up(lab)
        broken = _try_all(lab, args)
    return 1 if broken else 0


def _both_halves(args: argparse.Namespace) -> int:
    """What is tried in one process, whose threads and sockets are counted, and beside it what is tried on programs."""
    command = [sys.executable, "-m", "tests.chaos", "--seed", str(args.seed), "--seconds", str(args.seconds), "--only"]
    halves = [
        subprocess.Popen([*command, half], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for half in ("scenarios", "programs")
    ]
    for half in halves:
        assert half.stdout
        for line in half.stdout:
            print(line, end="", flush=True)
    codes = [half.wait() for half in halves]
    held = not any(codes)
    print("All invariants hold." if held else "An invariant is BROKEN.", f"Seed {args.seed}.")
    return 0 if held else 1


def _try_all(lab: Lab, args: argparse.Namespace) -> list[str]:
    """The names of the scenarios that broke an invariant."""
    seed, began, broken = args.seed, time.monotonic(), []
    halves: dict[str, dict[str, Callable[[random.Random], Counter[str]]]] = {
        "scenarios": {
            "random_plans": lambda rng: scenarios.random_plans(lab, rng, PLANS),
            "each_fault": lambda rng: scenarios.each_fault(lab, rng, 200),
            "refused_connections": lambda rng: scenarios.refused_connections(lab, rng),
            "full_disk": lambda rng: scenarios.full_disk(lab, rng),
            "read_only_public": lambda rng: scenarios.read_only_public(lab, rng),
            "jumping_clock": lambda rng: scenarios.jumping_clock(lab, rng, 24),
        },
        "programs": {
            "signals": lambda rng: programs.signals(lab, rng),
            "signals_to_servers": lambda rng: programs.signals_to_servers(lab, rng),
            "model_server_killed": lambda rng: programs.model_server_killed(lab, rng),
            "server": lambda rng: programs.server(lab, rng, 48),
            "huge_answers": lambda rng: programs.huge_answers(lab, rng),
            "small_files_only": lambda rng: programs.small_files_only(lab, rng),
        },
    }
    todo = halves.get(args.only) or {n: a for half in halves.values() for n, a in half.items() if n == args.only}
    for name, attempt in todo.items():
        if time.monotonic() - began > args.seconds:
            print(f"{name:20} left out: the {args.seconds:g} s are over")
            continue
        start = time.monotonic()
        try:
            counts = attempt(random.Random(f"{seed} {name}"))
            said = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
        except scenarios.Skip as reason:
            said = f"skipped: {reason}"
        except Broken as error:
            broken.append(name)
            said = f"BROKEN (again with: python -m tests.chaos --seed {seed} --only {name}): {error}"
        print(f"{name:20} {time.monotonic() - start:5.1f} s  {said}", flush=True)
    return broken


if __name__ == "__main__":
    sys.exit(main())
