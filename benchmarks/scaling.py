"""What 1, 100 and 10,000 requests a second take and cost, on paper: the tables of docs/scaling.md.

    python -m benchmarks.scaling [--vcpu-hour 0.04] [--gpu-hour 2.5] ...        (--help: all assumptions)

A part of the system is a queue of servers (queueing.py): controllers, experts and language models of one's own, each as
many as keep the mean wait below a tenth of the service time. What a request takes of each was measured, on two cores
that others used as well; what things cost, and what was not measured, are assumptions that options change.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from rich.console import Console

from benchmarks.controller import Row, show
from benchmarks.queueing import servers_for, waiting

RATES = (1.0, 100.0, 10_000.0)
MONTH_HOURS = 730
WAIT_SHARE = 0.1
"""The mean wait that is allowed, over the service time."""
BUSY_SHARE = 0.7
"""How busy a server may be of which there is one, such as Redis."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds that a request of one task keeps one server of a part busy."""

    controller_llm: float = 0.018
    """`planner: llm`: python -m benchmarks.request_costs"""
    controller_auto: float = 0.1
    """`planner: auto`, which plans offline first: the same with --planner auto"""
    sqlite: float = 0.0028
    """What a controller takes more with its runs in a file: the same"""
    redis_client: float = 0.0048
    """... in Redis"""
    redis: float = 0.0024
    """Of Redis itself"""
    postgres: float = 0.0004
    """Of PostgreSQL's processes, a turn of a conversation: the same"""
    model_server: float = 0.0022
    """What the model server adds to a model: python -m benchmarks.models_server"""
    expert: float = 0.3
    """An ordinary embedded expert, NanoDet-m, warm: python -m benchmarks.experts"""
    own_llm: float = 22.0
    """Qwen2.5-Coder-1.5B, 4 bits, one thread: python -m benchmarks.planners"""


def _assumed(value: float, what: str) -> Any:
    return field(default=value, metadata={"help": f"{what}: {value:g}"})


@dataclass(frozen=True, slots=True)
class Assumed:
    """Prices in dollars, and what was not measured."""

    vcpu_hour: float = _assumed(0.04, "an hour of one virtual core with 4 GB of memory")
    gpu_hour: float = _assumed(2.50, "an hour of one GPU with its machine")
    read: float = _assumed(0.15, "a million tokens that a language model of others reads")
    written: float = _assumed(0.60, "a million tokens that it writes")
    tokens_read: float = _assumed(
        2500, "tokens that it reads for a request, of the 2,658 that benchmarks.tokens counts"
    )
    tokens_written: float = _assumed(158, "the rest of them, which it writes")
    expert_call: float = _assumed(0.0002, "one call of an expert of others")
    gpu_tokens: float = _assumed(2000, "tokens that one GPU writes a second, over all its requests (not measured)")
    llm_seconds: float = _assumed(3.0, "what the language model's calls of a request take (not measured)")
    machine_cores: float = _assumed(8, "the cores of a machine")


@dataclass(frozen=True, slots=True)
class Part:
    """Servers of one kind. `alone`: there can be only one for the controllers that share it."""

    name: str
    seconds: float
    hour: float
    alone: bool = False

    @property
    def limit(self) -> float:
        """Requests a second at which one server has no time left."""
        return 1 / self.seconds

    def servers(self, rate: float) -> int:
        if self.alone:
            return math.ceil(rate * self.seconds / BUSY_SHARE)
        return servers_for(rate, self.seconds, WAIT_SHARE * self.seconds)


def parts(measured: Measured, assumed: Assumed) -> list[Part]:
    """The parts of a large system, from the one that ends last to the one that ends first."""
    gpu = assumed.tokens_written / assumed.gpu_tokens
    found = [
        Part("Redis", measured.redis, assumed.vcpu_hour, alone=True),
        Part("PostgreSQL (a core)", measured.postgres, assumed.vcpu_hour),
        Part("controller, planner: llm", measured.controller_llm + measured.redis_client, assumed.vcpu_hour),
        Part("controller, planner: auto", measured.controller_auto + measured.redis_client, assumed.vcpu_hour),
        Part("expert on a model server (a core)", measured.expert + measured.model_server, assumed.vcpu_hour),
        Part("language model on a GPU", gpu, assumed.gpu_hour),
        Part("language model on a core", measured.own_llm, assumed.vcpu_hour),
    ]
    return sorted(found, key=lambda part: part.seconds)


def limits(found: Sequence[Part]) -> list[Row]:
    return [
        {"part": part.name, "ms a request": part.seconds * 1000, "one ends at, a second": part.limit} for part in found
    ]


def sizes(found: Sequence[Part]) -> list[Row]:
    """How many servers of each part, and what they cost a month."""
    rows = []
    for part in found:
        row: Row = {"part": part.name}
        for rate in RATES:
            servers = part.servers(rate)
            row[f"at {rate:,.0f}"] = f"{servers:,}"
            row[f"$ at {rate:,.0f}"] = f"{servers * part.hour * MONTH_HOURS:,.0f}"
        rows.append(row)
    return rows


def setups(measured: Measured, assumed: Assumed) -> list[Row]:
    """Whole systems: machines, and dollars a month and a thousand requests."""
    by_name = {part.name: part for part in parts(measured, assumed)}
    names = {
        "all of others": ("controller, planner: llm",),
        "experts of one's own": ("controller, planner: llm", "expert on a model server (a core)"),
        "experts and GPUs of one's own": (
            "controller, planner: llm", "expert on a model server (a core)", "language model on a GPU",
        ),
        "all on cores, no GPU": (
            "controller, planner: llm", "expert on a model server (a core)", "language model on a core",
        ),
    }  # fmt: skip
    tokens = (assumed.tokens_read * assumed.read + assumed.tokens_written * assumed.written) / 1e6
    rows = []
    for name, used in names.items():
        chosen = [by_name[part] for part in ("Redis", "PostgreSQL (a core)", *used)]
        own_llm = any(part.name.startswith("language") for part in chosen)
        own_experts = any(part.name.startswith("expert") for part in chosen)
        fees = (0 if own_llm else tokens) + (0 if own_experts else assumed.expert_call)
        for rate in RATES:
            rows.append({"setup": name, "a second": f"{rate:,.0f}", **_system(chosen, rate, fees, assumed)})
    return rows


def _system(chosen: Sequence[Part], rate: float, fees: float, assumed: Assumed) -> Row:
    """Machines (those with GPUs have one each), and what they and the fees of others cost."""
    cores = sum(part.servers(rate) for part in chosen if part.hour == assumed.vcpu_hour)
    gpus = sum(part.servers(rate) for part in chosen if part.hour == assumed.gpu_hour)
    machines = math.ceil(cores / assumed.machine_cores)
    month = (machines * assumed.machine_cores * assumed.vcpu_hour + gpus * assumed.gpu_hour) * MONTH_HOURS
    calls = rate * 3600 * MONTH_HOURS
    wait = sum(waiting(part.servers(rate), rate, part.seconds) for part in chosen if not part.alone)
    return {
        "machines": f"{machines:,}", "GPUs": f"{gpus:,}", "wait, ms": f"{wait * 1000:,.1f}",
        "$ a month, own": f"{month:,.0f}", "$ a month, fees": f"{calls * fees:,.0f}",
        "$ a 1,000 requests": f"{(month + calls * fees) / calls * 1000:.3f}",
    }  # fmt: skip


def active(measured: Measured, assumed: Assumed) -> list[Row]:
    """Requests that are at work at a time (Little's law), and the threads of a controller that they hold."""
    rows = []
    for rate in RATES:
        controllers = servers_for(rate, measured.controller_llm, WAIT_SHARE * measured.controller_llm)
        at_work = rate * (assumed.llm_seconds + measured.expert + measured.controller_llm)
        rows.append({
            "a second": f"{rate:,.0f}", "controllers": f"{controllers:,}", "at work": f"{at_work:,.0f}",
            "threads each": f"{at_work / controllers:,.0f}",
        })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for number in fields(Assumed):
        name = f"--{number.name.replace('_', '-')}"
        parser.add_argument(name, type=float, default=number.default, metavar="N", help=number.metadata["help"])
    args: dict[str, Any] = vars(parser.parse_args())
    measured, assumed = Measured(), Assumed(**args)
    console = Console(width=150)
    found = parts(measured, assumed)
    show(console, "Which part ends first: the last", limits(found))
    show(console, "Servers of each part, and dollars a month", sizes(found))
    show(console, "Whole systems", setups(measured, assumed))
    show(console, "Requests at work", active(measured, assumed))


if __name__ == "__main__":
    main()
