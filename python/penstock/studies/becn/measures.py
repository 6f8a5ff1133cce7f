"""The measures of the BECN study: one number per measure, point and seed, and what its time series show.

A measure that is a column of a result table has its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penstock.analyse.metric import FRACTION, POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.becn.grid import RESERVED_PART, SCHEMES, Point
from penstock.studies.framework import Readings
from penstock.studies.runs import MissingRunError, RunTables, Trace

CELL_TIME_S = 2.73e-6
LINK_BPS = 424 / CELL_TIME_S
SETTLED_FROM = 100_000
"""Cell times at the start of a time series that the oscillation's period ignores."""
PARTS = 20
"""Parts of the second half of a run: the growth of the queue is that of the longest queue in each."""

Runs = runs.Runs[Point]
"""The measures and time series of the BECN study."""
TABLES = {"groups": ("source", "reserved"), "ports": ("output",), "levels": ()}
READINGS = Readings(quantities=("queue_0", "notices", "level"))
KINDS: dict[str, MetricKind] = {
    **dict.fromkeys(("idle", "level"), FRACTION),
    **dict.fromkeys(("left", "notice_share", "obeyed", "through", "throughput"), POSITIVE),
}
"""The kinds of measures that are no columns of result tables."""


def measure(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run, after warm-up except for the start-up peak.

    The server works whenever there is a cell, so the cell times measured are the departures over the utilisation.
    """
    output, sources = run.row("ports", port="output"), run.row("groups", group="source")
    cell_times = output["departed"] / output["utilisation"]
    yield "notice_share", output["notices_mild"] / cell_times
    yield "notice_share.each", output["notices_mild"] / cell_times / sources["flows"]
    yield "idle", max(0.0, 1 - output["utilisation"])
    for column in ("utilisation", "queue_mean", "queue_max", "queue_max_start"):
        yield column, float(output[column])
    yield "fairness", sources["fairness"]
    yield "lost", float(output["discarded"] + sources["lost"])
    yield "sent", float(sources["sent"])
    if output["notices_mild"]:
        yield "obeyed", sources["obeyed_mild"] / output["notices_mild"]
    throughput = sources["throughput_bps"] / LINK_BPS
    yield "throughput", throughput
    yield "left", throughput / (1 - RESERVED_PART * point.reserved)
    if point.reserved:
        reserved = run.row("groups", group="reserved")
        yield "lost.reserved", float(reserved["lost"])
        yield "through", reserved["delay_max_s"] / CELL_TIME_S - point.delay
    for row in run.rows["levels"]:
        yield f"level.{row['level']}", row["share"]


def oscillations(measured: Runs, point: Point) -> dict[int, float]:
    """The mean period of the queue's oscillation in cell times, for each seed."""
    traces = measured.of_kind("pulse").traces(point, "output", "queue_0")
    found = {seed: measured.once(pulse, trace) for seed, trace in traces.items()}
    return {seed: period for seed, period in found.items() if period is not None}


def pulse(trace: Trace) -> float | None:
    """The mean period of the oscillation of one run, after its first part."""
    return oscillation(settled(trace))


def settled(trace: Trace) -> Trace:
    """A time series in cell times, without its first part."""
    times = [time_s / CELL_TIME_S for time_s in trace[0]]
    kept = [(at, value) for at, value in zip(times, trace[1], strict=True) if at >= SETTLED_FROM]
    return [at for at, _ in kept], [value for _, value in kept]


def oscillation(trace: Trace) -> float | None:
    """The mean time between upward crossings of the mean; None if there are fewer than two.

    A crossing rises from half a standard deviation below the mean to half a one above it, so that single cells do not
    count.
    """
    times, values = trace
    mean = math.fsum(values) / len(values)
    margin = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)) / 2
    crossings = []
    is_low = False
    for at, value in zip(times, values, strict=True):
        if value < mean - margin:
            is_low = True
        elif is_low and value > mean + margin:
            crossings.append(at)
            is_low = False
    if len(crossings) < 2:
        return None
    return (crossings[-1] - crossings[0]) / (len(crossings) - 1)


@dataclass(frozen=True, slots=True)
class Growth:
    """The peaks of a queue over the second half of a run: their mean, and their rise from its start to its end.

    Both are in cells. The rise is that of the least-squares line through the peaks.
    """

    mean: float
    rise: float


def growths(measured: Runs, point: Point, kind: str) -> dict[int, Growth]:
    """The growth of the queue for each seed, in the runs of one kind."""
    traces = measured.of_kind(kind).traces(point, "output", "queue_0")
    return {seed: measured.once(growth, trace) for seed, trace in traces.items()}


def growth(trace: Trace) -> Growth:
    """The growth of the queue in one run: a peak is the longest queue in one of `PARTS` parts of its second half."""
    values = trace[1][len(trace[1]) // 2 :]
    size = len(values) // PARTS
    if not size:
        raise MissingRunError(f"at least {2 * PARTS} readings of a queue")
    peaks = [max(values[part * size : (part + 1) * size]) for part in range(PARTS)]
    return Growth(math.fsum(peaks) / PARTS, slope(range(PARTS), peaks) * PARTS)


def level_shares(measured: Runs, points: Sequence[Point]) -> list[float]:
    """The part of all sources' time at each level, the mean over points and seeds."""
    count = SCHEMES[points[0].scheme].levels
    return [measured.average(f"level.{level}", points) for level in range(count)]


def window(trace: Trace, first: float, last: float) -> Trace:
    """A part of a time series between two cell times, with its times in thousands of cell times."""
    times, values = trace
    kept = [
        (time_s / CELL_TIME_S / 1000, value)
        for time_s, value in zip(times, values, strict=True)
        if first <= time_s / CELL_TIME_S <= last
    ]
    if not kept:
        raise MissingRunError(f"a time series from {first:g} to {last:g} cell times")
    return [at for at, _ in kept], [value for _, value in kept]


def slopes(measured: Runs, name: str, points: Sequence[Point]) -> dict[int, float]:
    """The least-squares slope of a measure against the delay, for each seed that has all points."""
    delays = [point.delay for point in points]
    columns = [measured.by_seed(name, point) for point in points]
    return {seed: slope(delays, [column[seed] for column in columns]) for seed in measured.seed_means(name, points)}


def slope(across: Sequence[float], values: Sequence[float]) -> float:
    """The least-squares slope of values against what they stand for."""
    middle = math.fsum(across) / len(across)
    offsets = [place - middle for place in across]
    product = math.fsum(offset * value for offset, value in zip(offsets, values, strict=True))
    return product / math.fsum(offset**2 for offset in offsets)
