"""What waiting costs: open queues of several servers, and a closed loop of clients. Seconds, and requests a second.

Sources: A. K. Erlang (1917) for M/M/c; A. O. Allen and P. P. Cunneen (1978) for service times that vary otherwise;
M. Reiser and S. S. Lavenberg (1980), mean value analysis, for closed networks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


def waits(servers: int, load: float) -> float:
    """The probability that a request must wait (Erlang C); `load` is the servers that are busy on average.

    1.0 where there are not enough of them.
    """
    if load >= servers:
        return 1.0
    refused = 1.0  # Erlang B, server by server: no factorial grows too large
    for number in range(1, servers + 1):
        refused = load * refused / (number + load * refused)
    return servers * refused / (servers - load * (1 - refused))


def waiting(servers: int, rate: float, seconds: float, variation: float = 1.0) -> float:
    """The mean wait of requests that come at random, `rate` a second, for one of the servers that take `seconds` each.

    `variation` is the standard deviation of the service time over its mean: 1 as in M/M/c, 0 for one that is always the
    same. Infinite where there are not enough servers.
    """
    load = rate * seconds
    if load >= servers:
        return math.inf
    return waits(servers, load) * seconds / (servers - load) * (1 + variation**2) / 2


def servers_for(rate: float, seconds: float, longest: float) -> int:
    """The fewest servers with which the mean wait is at most `longest` seconds."""
    fewest = math.floor(rate * seconds) + 1
    if waiting(fewest, rate, seconds) <= longest:
        return fewest
    most = fewest
    while waiting(most, rate, seconds) > longest:
        fewest, most = most, 2 * most
    while most - fewest > 1:
        middle = (fewest + most) // 2
        fewest, most = (middle, most) if waiting(middle, rate, seconds) > longest else (fewest, middle)
    return most


@dataclass(frozen=True, slots=True)
class Station:
    """Where a request is served: how many servers it has, and for how long a request needs one."""

    name: str
    seconds: float
    servers: int = 1


def closed_loop(clients: int, stations: Sequence[Station], delay: float) -> tuple[float, float]:
    """(requests a second, seconds a request) of clients that send the next request as soon as they have an answer.

    `delay` is what a request takes where none has to wait. Exact for stations of one server; one of several counts as
    a faster one and a delay (A. Seidmann et al., 1987).
    """
    demands = [station.seconds / station.servers for station in stations]
    delay += sum(station.seconds * (station.servers - 1) / station.servers for station in stations)
    lengths = [0.0] * len(stations)
    rate = seconds = 0.0
    for number in range(1, clients + 1):
        times = [demand * (1 + length) for demand, length in zip(demands, lengths, strict=True)]
        seconds = delay + sum(times)
        rate = number / seconds
        lengths = [rate * time for time in times]
    return rate, seconds
