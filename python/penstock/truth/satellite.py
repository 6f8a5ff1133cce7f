"""The satellite study's parts in isolation: filtered input rate, slow start, recovery, the time of a file.

Source: the proactive rate control of the satellite thesis (docs/models/satellite.md). Every default
is the study's.
"""

from itertools import count


def filtered_after(intervals: int, step: float, *, weight: float = 0.8) -> float:
    """Filter new x `weight` + old x (1 - `weight`) that many intervals after its input rose from 0 to `step`."""
    return step * (1.0 - (1.0 - weight) ** intervals)


def intervals_until(trigger: float, step: float, *, weight: float = 0.8) -> int | None:
    """Intervals after a rise from 0 to `step` until the filter is above `trigger`; `None` if it never is."""
    if step <= trigger:
        return None
    return next(n for n in count(1) if filtered_after(n, step, weight=weight) > trigger)


def factor_after(round_trips: int, *, first: float = 0.5, slow_start: float = 0.1, increase: float = 0.02) -> float:
    """Factor of a session's rate that many whole round trips after its start, no message received and no cap."""
    rounds = slow_start_round_trips(first=first, slow_start=slow_start)
    if round_trips <= rounds:
        return min(1.0, first + slow_start * round_trips)
    return 1.0 + increase * (round_trips - rounds)


def slow_start_round_trips(*, first: float = 0.5, slow_start: float = 0.1) -> int:
    """Round trips until slow start has reached the nominal rate."""
    return next(n for n in count() if first + slow_start * n >= 1.0 - 1e-9)


def recovery_round_trips(reduction: float, *, increase: float = 0.02) -> int:
    """Round trips back to the nominal rate after one message that took the factor from 1 to `reduction`."""
    return next(n for n in count() if reduction + increase * n >= 1.0 - 1e-9)


def file_time(bits: float, nominal: float, round_trip: float) -> float:
    """Time of an undisturbed file of `bits` at `nominal` bits per second, with slow start and uncapped increase."""
    round_trips, left = 0, bits
    while (rate := nominal * factor_after(round_trips)) * round_trip < left:
        left -= rate * round_trip
        round_trips += 1
    return round_trips * round_trip + left / rate


def queueing_time(cells: float, rate: float, *, cell: float = 424.0) -> float:
    """Time that `cells` take on a line of `rate` bits per second."""
    return cells * cell / rate
