"""The queueing model of docs/scaling.md against results that are known in closed form, and against a simulation."""

from __future__ import annotations

import heapq
import math
import random

import pytest

from benchmarks.queueing import Station, closed_loop, servers_for, waiting, waits


@pytest.mark.parametrize(
    ("servers", "load", "probability"),
    [
        (1, 0.3, 0.3),  # M/M/1: as often as the server is busy
        (2, 1.0, 1 / 3),  # a^2 / (a + 2) for two servers
        (2, 1.6, 1.6**2 / 3.6),
        (5, 4.0, 0.5541),  # printed tables of Erlang C
        (10, 8.0, 0.4092),
        (100, 90.0, 0.2169),
        (3, 3.0, 1.0),
        (3, 4.0, 1.0),
        (1, 0.0, 0.0),
    ],
)
def test_how_many_must_wait(servers: int, load: float, probability: float) -> None:
    assert waits(servers, load) == pytest.approx(probability, abs=5e-5)


def test_how_long_they_wait() -> None:
    assert waiting(1, 8, 0.1) == pytest.approx(0.1 * 0.8 / 0.2)  # M/M/1
    assert waiting(1, 8, 0.1, variation=0) == pytest.approx(0.1 * 0.8 / 0.2 / 2)  # M/D/1 (Pollaczek, Khinchine)
    assert waiting(2, 10, 0.1) == pytest.approx(0.1 / 3)  # of a third, each 0.1 / (2 - 1)
    assert waiting(3, 30, 0.1) == math.inf


def test_a_simulation_comes_to_the_same() -> None:
    chance, servers, rate, seconds = random.Random(5), 4, 30.0, 0.1
    free, now, waited, count = [0.0] * servers, 0.0, 0.0, 200_000
    for _ in range(count):
        now += chance.expovariate(rate)
        start = max(now, heapq.heappop(free))
        waited += start - now
        heapq.heappush(free, start + chance.expovariate(1 / seconds))
    assert waited / count == pytest.approx(waiting(servers, rate, seconds), rel=0.05)


@pytest.mark.parametrize(("rate", "seconds", "longest"), [(1, 0.01, 0.001), (100, 0.02, 0.002), (10_000, 0.3, 0.03)])
def test_the_fewest_servers_that_are_enough(rate: float, seconds: float, longest: float) -> None:
    enough = servers_for(rate, seconds, longest)
    assert waiting(enough, rate, seconds) <= longest
    assert enough == 1 or waiting(enough - 1, rate, seconds) > longest


def repaired(machines: int, works: float, repair: float) -> float:
    """Repairs a second by one repairman of machines that work for a mean time (closed form of M/M/1//N)."""
    ratio = repair / works
    idle = 1 / sum(math.perm(machines, broken) * ratio**broken for broken in range(machines + 1))
    return (1 - idle) / repair


@pytest.mark.parametrize("clients", [1, 2, 7, 40])
def test_a_closed_loop_is_that_of_machines_and_a_repairman(clients: int) -> None:
    rate, seconds = closed_loop(clients, [Station("controller", 0.02)], 0.4)
    assert rate == pytest.approx(repaired(clients, 0.4, 0.02))
    assert seconds == pytest.approx(clients / rate)  # Little


def test_a_closed_loop_ends_at_its_slowest_station() -> None:
    stations = [Station("controller", 0.01), Station("language model", 0.2, servers=4), Station("store", 0.001)]
    alone, first = closed_loop(1, stations, 0.1)
    assert first == pytest.approx(0.311) and alone == pytest.approx(1 / 0.311)
    assert closed_loop(1000, stations, 0.1)[0] == pytest.approx(4 / 0.2, rel=0.01)
    balanced = [Station("a", 0.1), Station("b", 0.1)]
    assert closed_loop(5, balanced, 0)[0] == pytest.approx(5 / (5 + 1) / 0.1)  # N / (N + K - 1) / D
