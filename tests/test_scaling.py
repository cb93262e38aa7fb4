"""The tables of docs/scaling.md: what they say follows from the figures and the assumptions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.queueing import waiting
from benchmarks.request_costs import foretold
from benchmarks.scaling import RATES, WAIT_SHARE, Assumed, Measured, active, limits, parts, setups


def test_the_part_that_takes_longest_ends_first() -> None:
    found = parts(Measured(), Assumed())
    ends = [row["one ends at, a second"] for row in limits(found)]
    assert ends == sorted(ends, reverse=True)
    slower = replace(Measured(), redis=100.0)
    assert parts(slower, Assumed())[-1].name == "Redis"


@pytest.mark.parametrize("rate", RATES)
def test_no_server_is_busier_than_it_may_be(rate: float) -> None:
    for part in parts(Measured(), Assumed()):
        servers = part.servers(rate)
        assert rate * part.seconds < servers
        assert part.alone or waiting(servers, rate, part.seconds) <= WAIT_SHARE * part.seconds


def test_prices_are_those_that_are_assumed() -> None:
    def month(assumed: Assumed, column: str) -> list[float]:
        return [float(row[column].replace(",", "")) for row in setups(Measured(), assumed)]

    usual, dear = Assumed(), replace(Assumed(), vcpu_hour=0.4, gpu_hour=25.0, read=1.5, written=6.0, expert_call=0.002)
    for column in ("$ a month, own", "$ a month, fees"):
        assert month(dear, column) == pytest.approx([10 * dollars for dollars in month(usual, column)], abs=10)
    free = replace(usual, read=0.0, written=0.0, expert_call=0.0)
    assert set(month(free, "$ a month, fees")) == {0.0}


def test_requests_at_work_are_as_many_as_come_while_one_takes() -> None:
    rows = active(replace(Measured(), controller_llm=0.5, expert=0.5), replace(Assumed(), llm_seconds=3.0))
    assert [row["at work"] for row in rows] == ["4", "400", "40,000"]


def test_one_client_alone_gets_what_it_was_measured_with() -> None:
    alone = {"controller_ms": 20.0, "others_ms": 5.0, "seconds": 0.45}  # 25 ms of processors took 50 on the clock
    rate, seconds = foretold(alone, 1)
    assert (rate, seconds) == (pytest.approx(1 / 0.45), pytest.approx(0.45))
    assert foretold(alone, 1000)[0] == pytest.approx(1 / 0.04, rel=0.01)  # the controller, stretched
