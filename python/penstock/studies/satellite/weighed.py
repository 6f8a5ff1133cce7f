"""The claims about alternatives that the thesis rejects, and about one round of notices.

They use the alternative runs and time series.

An episode is a new excess: the total filtered rate exceeds the trigger after a round trip below it, so that no source
still obeys an earlier notice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from penstock.studies.claims import LIKELY, Clause, Evidence
from penstock.studies.orders import above, all_above, times
from penstock.studies.predicates import clauses, percent
from penstock.studies.runs import Trace, mean
from penstock.studies.satellite.files import PREDICATES
from penstock.studies.satellite.grid import ALTERNATIVE_SCENARIOS, MIXES, Point, largest
from penstock.studies.satellite.runs import Runs
from penstock.studies.satellite.verdicts import claim, never

__all__ = ["PREDICATES"]

TRIGGER = 0.9
ROUND_TRIP_S = 0.56
REACTED_S = 0.1
STEP = 0.04
"""What one round of Type 0 takes off the load: a fifth of a class that holds a fifth of the link."""


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


def by_seed(runs: Runs, point: Point, measure: Callable[[Episode], float]) -> dict[int, float]:
    """The mean of a measure of the episodes of each seed that has any."""
    traces = runs.traces(point, "satellite", "filtered.total")
    found = {seed: [measure(each) for each in episodes(trace)] for seed, trace in traces.items()}
    return {seed: mean(values) for seed, values in found.items() if values}


@claim("sat.notice-step")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in MIXES:
        points = [largest(scenario, case) for case in ("2", "3")]
        told, untold = (by_seed(runs, point, lambda episode: episode.fall) for point in points)
        starts = by_seed(runs, points[0], lambda episode: episode.start)
        fall = mean(told.values(), "a new excess of the input rate")
        text = f"scenario {scenario}: the load falls by {100 * STEP:g} points or more"
        parts.append(Clause(text, fall >= STEP, f"{100 * fall:.1f} points from {percent(mean(starts.values()))}"))
        shown = f"without Type 0 {100 * mean(untold.values(), 'a new excess in case 3'):.1f} points"
        parts.append(all_above("case", f"scenario {scenario}: more than without Type 0", [(told, untold)], shown))
    note = "total filtered rate at a new excess of 0.9, minus its mean from 0.1 s to a round trip later; largest N, "
    return clauses(runs, *parts, note=f"{note}means of the rounds of each seed")


@claim("sat.bucket-queue")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        without, with_queue = largest(scenario, "2"), largest(scenario, "bucket-queue")
        longer, shorter = (times(1e3, runs.by_seed("delay", point)) for point in (with_queue, without))
        more, fewer = (runs.by_seed("jitter", point) for point in (with_queue, without))
        late = never(
            runs.rare if without in runs.rare.measures else runs, "over.real_time", "sent.real_time", [without]
        )
        shown = " and ".join(percent(mean(share.values())) for share in (more, fewer))
        parts += [
            above("case", f"scenario {scenario}: the queue raises the mean delay (ms)", longer, shorter, "{:.1f}"),
            Clause(f"scenario {scenario}: the jitter limit is met without it", late.unseen >= LIKELY, late.in_words),
            all_above(
                "case", f"scenario {scenario}: more cells are over the jitter limit with it", [(more, fewer)], shown
            ),
        ]
    return clauses(runs, *parts, note="voice and video, case 2 with and without a queue of 64 cells, largest N")


@claim("sat.priority")
def _(runs: Runs) -> Evidence:
    points = [largest(3, case) for case in ("no-priorities", "2")]
    parts = []
    for name, word in (("delay", "mean delay"), ("delay.p999", "99.9 % delay")):
        worse, better = (times(1e3, runs.by_seed(name, point)) for point in points)
        parts.append(above("case", f"{word} higher without priorities (ms)", worse, better, "{:.2f}"))
    worse, better = (runs.by_seed("jitter", point) for point in points)
    shown = " and ".join(percent(mean(share.values())) for share in (worse, better))
    parts.append(all_above("case", "more cells over the jitter limit without them", [(worse, better)], shown))
    return clauses(runs, *parts, note="voice and video, scenario 3 case 2, largest N, against one queue for all")


@claim("sat.alternatives")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        forward, backward = (
            by_seed(runs, largest(scenario, case), lambda episode: 1e3 * episode.lasts_s)
            for case in ("forward-marking", "2")
        )
        text = f"scenario {scenario}: a new excess of the rate lasts longer with forward marking (ms)"
        parts.append(above("case", text, forward, backward, "{:.0f}"))
        used, stopped = (runs.by_seed("utilisation", largest(scenario, case)) for case in ("2", "stopping-sources"))
        shown = f"utilisation {percent(mean(stopped.values()))}, with rate control {percent(mean(used.values()))}"
        text = f"scenario {scenario}: sources that stop leave more of the link unused"
        parts.append(all_above("case", text, [(used, stopped)], shown))
    return clauses(runs, *parts, note="case 2 and its alternatives at the largest N")
