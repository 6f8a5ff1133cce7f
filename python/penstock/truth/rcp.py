"""RCP: the rate of a port from period to period, and where it comes to rest.

Source: Dukkipati, Rate Control Protocol (RCP), thesis, Stanford (2008). Rates are in one unit, times in seconds, the
queue in that unit times seconds.
"""

from __future__ import annotations

from collections.abc import Callable

ALPHA = 0.4
BETA = 0.226


def step(
    rate: float,
    capacity: float,
    arriving: float,
    queue: float,
    *,
    round_trip: float,
    period: float,
    alpha: float = ALPHA,
    beta: float = BETA,
) -> float:
    """R (1 + (T / d) (alpha (C - y) - beta q / d) / C)."""
    excess = alpha * (capacity - arriving) - beta * queue / round_trip
    return rate * (1 + period / round_trip * excess / capacity)


def obedient(rate: float, capacity: float, sources: int, *, share: float = 0.1) -> Callable[[int], float]:
    """The rate after some periods, each a share of the round trip, if all sources send at it at once."""

    def after(steps: int) -> float:
        own = rate
        for _ in range(steps):
            own = step(own, capacity, sources * own, 0.0, round_trip=1.0, period=share)
        return own

    return after
