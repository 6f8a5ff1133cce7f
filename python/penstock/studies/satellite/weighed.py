"""The claims about alternatives that the thesis rejects, and about one round of notices.

They use the alternative runs and time series.

An episode is a new excess: the total filtered rate exceeds the trigger after a round trip below it, so that no source
still obeys an earlier notice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from penstock.statistics import student
from penstock.studies.claims import Clause, Evidence
from penstock.studies.predicates import clauses, percent
from penstock.studies.runs import Trace, mean
from penstock.studies.satellite.grid import ALTERNATIVE_SCENARIOS, MIXES, Point, largest
from penstock.studies.satellite.runs import Runs
from penstock.studies.satellite.verdicts import PREDICATES, claim

__all__ = ["PREDICATES"]

TRIGGER = 0.9
ROUND_TRIP_S = 0.56
REACTED_S = 0.1


@dataclass(frozen=True, slots=True)
class Episode:
    """One new excess: the filtered rate at its start, its mean after sources have reacted, and its duration."""

    start: float
    after: float
    lasts_s: float

    @property
    def fall(self) -> float:
        """The decrease of the rate."""
        return self.start - self.after


def episodes(trace: Trace) -> Iterator[Episode]:
    """The new excesses of a time series of the total filtered rate that have a full round trip after them."""
    times, values = trace
    quiet_since = 0.0
    for place, (time_s, value) in enumerate(zip(times, values, strict=True)):
        if value <= TRIGGER:
            continue
        if time_s - quiet_since >= ROUND_TRIP_S and times[-1] - time_s >= ROUND_TRIP_S:
            after = [
                later
                for at, later in zip(times[place:], values[place:], strict=True)
                if REACTED_S <= at - time_s <= ROUND_TRIP_S
            ]
            ends = (at for at, later in zip(times[place:], values[place:], strict=True) if later <= TRIGGER)
            yield Episode(value, math.fsum(after) / len(after), next(ends, times[-1]) - time_s)
        quiet_since = time_s


def all_episodes(runs: Runs, point: Point) -> list[Episode]:
    """The episodes of every seed at the satellite port."""
    traces = runs.traces(point, "satellite", "filtered.total")
    return [episode for trace in traces.values() for episode in episodes(trace)]


@claim("sat.notice-step")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in MIXES:
        told = all_episodes(runs, largest(scenario, "2"))
        untold = all_episodes(runs, largest(scenario, "3"))
        if not told:
            parts.append(Clause(f"scenario {scenario}: the load falls by 4 points or more", False, "no new excess"))
            continue
        fall = student(episode.fall for episode in told)
        shown = f"{100 * fall.mean:.1f} points from {percent(mean([e.start for e in told]))}, {len(told)} rounds"
        if untold:
            shown += f"; without Type 0 {100 * mean([e.fall for e in untold]):.1f} points"
        parts.append(Clause(f"scenario {scenario}: the load falls by 4 points or more", fall.mean >= 0.04, shown))
    note = (
        "case 2 against case 3 at the largest N: total filtered rate at a new excess of 0.9, minus its mean from 0.1 s"
    )
    return clauses(runs, *parts, note=f"{note} to a round trip later")


@claim("sat.bucket-queue")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        without, with_queue = largest(scenario, "2"), largest(scenario, "bucket-queue")
        delays = [1e3 * runs.mean("delay", point) for point in (without, with_queue)]
        over = [runs.mean("jitter", point) for point in (without, with_queue)]
        parts += [
            Clause(
                f"scenario {scenario}: the queue raises the mean delay",
                delays[1] > delays[0],
                f"{delays[0]:.1f} to {delays[1]:.1f} ms",
            ),
            Clause(
                f"scenario {scenario}: the jitter limit is met without it and not with it",
                over[0] == 0 and over[1] > 0,
                f"{percent(over[0])} and {percent(over[1])} of the cells over it",
            ),
        ]
    return clauses(runs, *parts, note="voice and video, case 2 with and without a queue of 64 cells, largest N")


@claim("sat.priority")
def _(runs: Runs) -> Evidence:
    point, without = largest(3, "2"), largest(3, "no-priorities")
    parts = []
    for name, word in (("delay", "mean delay"), ("delay.p999", "99.9 % delay")):
        better, worse = (1e3 * runs.mean(name, place) for place in (point, without))
        parts.append(Clause(f"{word} lower with priorities", better < worse, f"{better:.2f} and {worse:.2f} ms"))
    over = [runs.mean("jitter", place) for place in (point, without)]
    parts.append(
        Clause("fewer cells over the jitter limit", over[0] < over[1], f"{percent(over[0])} and {percent(over[1])}")
    )
    return clauses(runs, *parts, note="voice and video, scenario 3 case 2, largest N, against one queue for all")


@claim("sat.alternatives")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        backward, forward = (
            mean([e.lasts_s for e in all_episodes(runs, largest(scenario, case))], "a new excess of the input rate")
            for case in ("2", "forward-marking")
        )
        parts.append(
            Clause(
                f"scenario {scenario}: a new excess of the rate ends sooner with backward notices",
                backward < forward,
                f"{1e3 * backward:.0f} and {1e3 * forward:.0f} ms",
            )
        )
        used, stopped = (runs.mean("utilisation", largest(scenario, case)) for case in ("2", "stopping-sources"))
        parts.append(
            Clause(
                f"scenario {scenario}: sources that stop leave more of the link unused",
                stopped < used,
                f"utilisation {percent(stopped)}, with rate control {percent(used)}",
            )
        )
    return clauses(runs, *parts, note="case 2 and its alternatives at the largest N")
