"""Coverage-guided fuzzing of the plan parser, the early reader and the JSON reader (needs `pip install atheris`).

python -m tests.fuzz_plan -max_total_time=300 CORPUS      libFuzzer's options; what fails is kept as crash-*
"""

from __future__ import annotations

import json
import sys

import atheris

with atheris.instrument_imports():
    from hugginggpt.early import EarlyTasks
    from hugginggpt.errors import ModelOutputError
    from hugginggpt.repair import parse_plan, repair


def fuzz(data: bytes) -> None:
    """Whatever a model writes is a plan or a ModelOutputError; a plan is valid, JSON, and read the same in pieces."""
    text = data.decode("utf-8", "replace")
    early = EarlyTasks()
    for at in range(0, len(text), 7):
        early.feed(text[at : at + 7])
    try:
        plan = parse_plan(text)
    except ModelOutputError:
        return
    seen: set[int] = set()
    runnable = {task.id for task in plan if not task.problem}
    assert len({task.id for task in plan}) == len(plan)
    for task in plan:
        if task.id in runnable:
            assert all(dep in seen or dep not in runnable for dep in task.dep)
        seen.add(task.id)
    again = json.loads(json.dumps(plan.to_json()))
    if not plan.problems:
        assert repair(again).to_json() == again


if __name__ == "__main__":
    atheris.Setup(sys.argv, fuzz)
    atheris.Fuzz()
