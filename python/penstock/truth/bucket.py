"""Meters: the generic cell rate algorithm, and a token bucket fed by an exponential on/off source.

Sources: ITU-T I.371 annex A and ATM Forum TM 4.0 for the GCRA; the fluid bucket after Elwalid and
Mitra, Analysis and design of rate-based congestion control of high speed networks, Queueing Systems 9 (1991).
"""

import math
from collections.abc import Iterable


def conforming(increment: float, limit: float, arrivals: Iterable[float]) -> list[bool]:
    """Verdict of GCRA(T, tau) on each arrival, by the theoretical arrival time; a failing cell changes no state."""
    expected = -math.inf
    verdicts = []
    for arrival in arrivals:
        verdicts.append(arrival >= expected - limit)
        if verdicts[-1]:
            expected = max(arrival, expected) + increment
    return verdicts


def longest_burst(increment: float, limit: float, cell: float = 1.0) -> int:
    """Most conforming cells back to back, one each `cell` < T: 1 + floor(tau / (T - cell))."""
    return 1 + math.floor(limit / (increment - cell))


def greedy_slots(increment: float, limit: float, count: int) -> list[int]:
    """The first `count` slots of one cell time in which a greedy sender may send."""
    slots: list[int] = []
    expected = 0.0
    while len(slots) < count:
        slot = max(math.ceil(expected - limit), slots[-1] + 1 if slots else 0)
        slots.append(slot)
        expected = max(slot, expected) + increment
    return slots


def burst_tolerance(burst: int, sustained: float, peak: float) -> float:
    """Limit tau that lets `burst` cells (MBS) pass at the peak rate: (MBS-1) (1/SCR - 1/PCR)."""
    return (burst - 1) * (1.0 / sustained - 1.0 / peak)


def most_in_window(increment: float, limit: float, window: float) -> int:
    """Bound on the conforming cells in any half-open window of that length: 1 + floor((t + tau) / T)."""
    return 1 + math.floor((window + limit) / increment)


def burst_depth(arrival_rate: float, drain: float, burst: float, cell: float = 424.0) -> float:
    """Depth in cells that passes a mean burst: (arrival rate - drain) x `burst` seconds / `cell` bits."""
    return (arrival_rate - drain) * burst / cell


def marked_share(
    *, high: float, low: float = 0.0, drain: float, depth: float, mean_high: float, mean_low: float
) -> float:
    """Share of the traffic that finds no token, fluid and exact; `low` < `drain` < `high` are rates in one unit.

    The source alternates between two rates, each for an exponential time of the given mean; `depth` is in units of
    rate times time. The missing tokens X rise at u = high - drain and fall at v = drain - low between 0 and `depth`,
    with the density k exp(-eta x), eta = (1/mean_high)/u - (1/mean_low)/v, when the source is high, u/v of it when
    low, and atoms u k mean_low at 0 (low) and u k exp(-eta depth) mean_high at `depth` (high), where u is marked.
    """
    rising, falling = high - drain, drain - low
    eta = 1.0 / (mean_high * rising) - 1.0 / (mean_low * falling)
    at_depth = math.exp(-eta * depth)
    area = -math.expm1(-eta * depth) / eta if eta else depth
    empty = rising * at_depth * mean_high
    total = rising * mean_low + empty + area * (1.0 + rising / falling)
    mean_rate = (high * mean_high + low * mean_low) / (mean_high + mean_low)
    return rising * (empty / total) / mean_rate
