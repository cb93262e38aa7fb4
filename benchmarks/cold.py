"""The processor time of one call of the language model, back to back and after a pause.

    python -m benchmarks.cold

While a program waits for a backend, others use the processor's caches. Running a plan is mostly waiting, so the time
after a pause matters, and a call that touches less code and data loses less.
"""

from __future__ import annotations

import statistics
import time

from rich.console import Console
from rich.table import Table

from benchmarks.controller import running
from hugginggpt import config as settings
from hugginggpt.build import build
from hugginggpt.llm.base import LLM, Message

PAUSES_MS = (0, 10, 100)
CALLS = 30
QUESTION: list[Message] = [{"role": "system", "content": "#2"}, {"role": "user", "content": "choose"}]


def main() -> None:
    table = Table("wait before the call, ms", "processor, ms", "ratio", title="One call through the SDK, median")
    with running(0, 0) as bench:
        llm: LLM = build(settings.load(bench.config, environment={})).selector.llm
        cpu = {pause: statistics.median(_call(llm, pause / 1000) for _ in range(CALLS)) for pause in PAUSES_MS}
    for pause, seconds in cpu.items():
        table.add_row(str(pause), f"{seconds * 1000:.2f}", f"{seconds / cpu[0]:.1f}")
    Console().print(table)


def _call(llm: LLM, pause: float) -> float:
    """The processor time in seconds."""
    time.sleep(pause)
    start = time.thread_time()
    llm.complete(QUESTION, stage="select")
    return time.thread_time() - start


if __name__ == "__main__":
    main()
