"""The measures of the EPRCA study: one number per measure, point and seed, and what its time series show.

A measure that is a column of a result table has its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from penstock.analyse.metric import POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.eprca.grid import SETTLED_S, STAGGER_S, Point
from penstock.studies.framework import Readings
from penstock.studies.runs import RunTables, Trace, mean

MBPS = 1e-6
WINDOW_S = 0.005
"""Window of the means when rates are compared: less than a video frame, more than a queue's oscillation in a LAN."""


Runs = runs.Runs[Point]
"""The measures of the EPRCA study, and its time series.

The runs of figures 2 to 10 have readings in all seeds. Those of kind `watched` have readings of single connections, and
those of kind `steps` the starts of runs without video.
"""
TABLES = {"groups": (), "ports": ("link",), "queues": ("link",)}
READINGS = Readings(quantities=("acr", "acr.mean", "major_reductions", "queue_1", "throughput_0", "throughput_1"))
KINDS: dict[str, MetricKind] = {"longest_queue": POSITIVE, "major_reductions_per_s": POSITIVE}
"""The kinds of measures that are no columns of result tables."""


def measure(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run: the longest queue of all of it, the rest from 50 ms on. The last queue is ABR's."""
    queue = max(run.rows["queues"], key=lambda row: row["priority"])
    yield "utilisation", run.row("ports", port="link")["utilisation"]
    yield "longest_queue", float(max(queue["queue_max"], queue["queue_max_start"]))
    yield "queue_mean", queue["queue_mean"]
    fairness = run.row("groups", group="abr")["fairness"]
    if fairness is not None:  # a single connection has no index
        yield "fairness", fairness
    for row in run.rows["groups"]:
        yield f"throughput_bps.{row['group']}", row["throughput_bps"]
    if point.scheme == "eds" and point.is_drawn:
        yield "major_reductions_per_s", major_reductions(run.trace("link", "major_reductions")) / point.connections
    yield "lost", float(sum(row["lost"] for row in run.rows["groups"]))


def major_reductions(counted: Trace) -> float:
    """Major reductions a second, from 50 ms on."""
    started = [count for time_s, count in zip(*counted, strict=True) if time_s <= SETTLED_S]
    return (counted[1][-1] - started[-1]) / (counted[0][-1] - SETTLED_S)


def correlations(measured: Runs, point: Point) -> dict[int, float]:
    """The correlation of the rate allowed to ABR with the rate of video, from -1 to 1, for each seed."""
    allowed = measured.traces(point, "abr", "acr.mean")
    video = measured.traces(point, "link", "throughput_0")
    return {
        seed: correlation(*(measured.once(averaged, trace) for trace in (allowed[seed], video[seed])))
        for seed in allowed
    }


def in_ms(trace: Trace, scale: float = 1.0) -> Trace:
    """A time series with its times in ms."""
    return [1000 * time_s for time_s in trace[0]], [scale * value for value in trace[1]]


def total_allowed(rates: Sequence[Trace]) -> Trace:
    """The sum of the ACR of the connections, each from its start on; each starts 5 ms after the one before."""
    times = rates[0][0]
    return times, [
        math.fsum(values[place] for number, (_, values) in enumerate(rates) if time_s >= number * STAGGER_S)
        for place, time_s in enumerate(times)
    ]


def windows(trace: Trace, window_s: float) -> Trace:
    """Means over windows one after the other, each at its end."""
    times = trace[0]
    interval = times[1] - times[0]
    each = max(1, round(window_s / interval))
    ends = range(each, len(times) + 1, each)
    return [times[end - 1] for end in ends], [mean(trace[1][end - each : end]) for end in ends]


def averaged(trace: Trace, window_s: float = WINDOW_S) -> list[float]:
    """Means over windows from 50 ms on."""
    times, values = windows(trace, window_s)
    return [value for time_s, value in zip(times, values, strict=True) if time_s > SETTLED_S + window_s / 2]


def correlation(ones: Sequence[float], others: Sequence[float]) -> float:
    """Pearson's coefficient; 0 if one side does not vary."""
    middles = mean(ones), mean(others)
    steps = [value - middles[0] for value in ones], [value - middles[1] for value in others]
    squares = [math.fsum(value**2 for value in each) for each in steps]
    both = math.fsum(one * other for one, other in zip(*steps, strict=True))
    return both / math.sqrt(squares[0] * squares[1]) if min(squares) > 0 else 0.0


def across(traces: Mapping[int, Trace], choose: Callable[[Sequence[float]], float]) -> Trace:
    """One value of all seeds at each instant: their mean, their greatest."""
    (times, _), *_ = traces.values()
    columns = zip(*(values for _, values in traces.values()), strict=True)
    return times, [choose(column) for column in columns]


def settling(rates: Sequence[Trace], started: int, within: float) -> float | None:
    """Seconds until so many connections have about the same rate, and have it until the next starts.

    Counted from the start of the last of them; about the same is within this part of their mean. None if this never
    happens.
    """
    reached = None
    for place, time_s in enumerate(rates[0][0]):
        begun = math.floor(time_s / STAGGER_S + 1e-9) + 1
        if min(begun, len(rates)) == started:
            now = [values[place] for _, values in rates[:started]]
            middle = mean(now)
            if any(abs(rate - middle) > within * middle for rate in now):
                reached = None
            elif reached is None:
                reached = time_s
    return None if reached is None else reached - (started - 1) * STAGGER_S


def acr(found: Runs, point: Point) -> list[Trace]:
    """The rates allowed to all connections of a point, in the order of their starts, in its first seed."""
    seed = min(found.traces(point, "abr/1", "acr"))
    return [found.traces(point, f"abr/{number}", "acr")[seed] for number in range(1, point.connections + 1)]
