"""The measures of the ATN study: one number per measure, point and seed, and what its time series show.

A measure that is a column of a result table has its name.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from penstock.analyse.metric import POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.atn.grid import RUSH_END_S, RUSH_S, SAMPLE_S, SCENARIOS, Point
from penstock.studies.framework import Readings
from penstock.studies.runs import MissingRunError, RunTables, Trace, Traces, mean

HIGH = 4
"""A window is high from here on, in packets: more than half of the most, 7."""
CONNECTION_S = 180.0
"""The mean duration of a connection: an oscillation has more than one swing in that time."""
BEFORE_S = 60.0
"""The time before a sudden increase over which the queue is read."""
STARTED_S = 60.0
"""The start, which is no part of a congested state: the first connections begin after 10 s on average."""
READ = (
    *("delay_mean_s", "delay_transmission_mean_s", "delay_production_mean_s", "accepted_per_s", "power"),
    *("discard_share", "success_once", "success_all", "error_report_share"),
)
"""The columns of the tables of the paper, and their other interpretations."""

LOAD = "waiting_mean_bits"
"""The buffer load: without the NPDU in transmission. Table 5-2 prints less than the one that a full line always has."""
LOAD_COUNTED = "queue_mean_bits"
"""The same with the NPDU in transmission."""

Runs = runs.Runs[Point]
"""The measures of the ATN study, and its time series by the kind of run."""
TABLES = {"groups": ("data",), "ports": ()}
READINGS = Readings(
    quantities=("credit", "queue_bits", "received"),
    components="|".join(["data/.*", *(each.bottleneck for each in SCENARIOS.values())]),
)
KINDS: dict[str, MetricKind] = {"power_transmission": POSITIVE}
"""The kinds of measures that are no columns of result tables."""


def measure(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run: the columns of the tables, their other interpretations, and the load of every system."""
    data = run.row("groups", group="data")
    congested = run.row("ports", port=SCENARIOS[point.scenario].bottleneck)
    yield from ((column, float(data[column])) for column in READ if data[column] is not None)
    if data["delay_transmission_mean_s"]:
        yield "power_transmission", data["accepted_per_s"] / data["delay_transmission_mean_s"]
    yield from ((column, congested[column]) for column in (LOAD, LOAD_COUNTED))
    ports = run.rows["ports"]
    for system in sorted({row["from"] for row in ports if row["from"].startswith("is")}):
        yield f"{LOAD}.{system}", math.fsum(row[LOAD] or 0.0 for row in ports if row["from"] == system)


# --------------------------------------------------------------------------------------------------------- time series
def queues_of(measured: Runs, kind: str, point: Point) -> dict[int, Trace]:
    """Bits in the congested queue over time, for each seed."""
    return measured.of_kind(kind).traces(point, SCENARIOS[point.scenario].bottleneck, "queue_bits")


def windows_of(measured: Runs, kind: str, point: Point) -> dict[int, dict[str, Trace]]:
    """The window advertised to each sender over time, 0 without a connection, for each seed."""
    return per_sender(measured, kind, point, "credit")


def per_sender(measured: Runs, kind: str, point: Point, quantity: str) -> dict[int, dict[str, Trace]]:
    """A reading of each sender, the sum over its peers, of which one at a time has a connection."""
    series = measured.of_kind(kind).series.get(point, {})
    if not series:
        raise MissingRunError(f"time series {quantity} at {point}")
    return {seed: measured.once(by_sender, traces, quantity) for seed, traces in series.items()}


def by_sender(traces: Traces, quantity: str) -> dict[str, Trace]:
    """The same of one run."""
    senders: dict[str, list[Trace]] = {}
    for (component, name), trace in traces.items():
        if name == quantity:
            senders.setdefault(component.removeprefix("data/").partition("-")[0], []).append(trace)
    return {name: summed(each) for name, each in sorted(senders.items())}


def emptied(measured: Runs, strategy: str) -> dict[int, float]:
    """The share of scenario A's readings with an empty queue, after the start, for each seed."""
    traces = queues_of(measured, "filled", Point(strategy, "a"))
    filled = {seed: part(trace, STARTED_S, math.inf) for seed, trace in traces.items()}
    return {seed: each.count(0) / len(each) for seed, each in filled.items()}


def summed(traces: Sequence[Trace]) -> Trace:
    """The sum of several readings of the same instants."""
    return traces[0][0], [math.fsum(values) for values in zip(*(values for _, values in traces), strict=True)]


def part(trace: Trace, first: float, last: float) -> list[float]:
    """The readings after one instant and up to another."""
    return [value for at, value in zip(*trace, strict=True) if first < at <= last]


def swings(window: Sequence[float], high: float) -> int:
    """How often a window rises from 1 to `high` and falls to 1 again while its connection lasts; 0 is no window."""
    count = 0
    has_begun = is_high = False
    for value in window:
        if value <= 0:
            has_begun = is_high = False
        elif value <= 1:
            count += is_high
            has_begun, is_high = True, False
        elif has_begun and value >= high:
            is_high = True
    return count


def risen(window: Sequence[float]) -> float:
    """The highest window that follows a window of 1 on the same connection; 0 if none does."""
    highest = 0.0
    has_begun = False
    for value in window:
        has_begun = value > 0 and (has_begun or value <= 1)
        highest = max(highest, value if has_begun else 0.0)
    return highest


def lasting(senders: Mapping[str, Trace]) -> list[float]:
    """The windows of all senders while they have a connection."""
    return [value for _, window in senders.values() for value in window if value > 0]


def rate(senders: Mapping[str, Trace]) -> float:
    """Swings of the window in the mean life of a connection."""
    return (
        sum(swings(window, HIGH) for _, window in senders.values()) * CONNECTION_S / (SAMPLE_S * len(lasting(senders)))
    )


def spread(senders: Mapping[str, Trace]) -> float:
    """The standard deviation of the window, in packets."""
    return statistics.pstdev(lasting(senders))


# ------------------------------------------------------------------------------------------- a sudden increase in load
@dataclass(frozen=True, slots=True)
class Increase:
    """A sudden increase under one strategy, each value by seed.

    For the two minutes after it: the mean and the longest queue in bits, and the packets/s of the earlier senders. For
    the state before it: the sum of their windows in packets, and the mean queue of the minute before in bits.
    """

    mean: dict[int, float]
    longest: dict[int, float]
    served: dict[int, float]
    windows: dict[int, float]
    before: dict[int, float]


def increase(measured: Runs, kind: str, strategy: str) -> Increase:
    """The increase of one kind under one strategy."""
    point = Point(strategy, "a")
    queues = queues_of(measured, kind, point)
    received, credit = (per_sender(measured, kind, point, name) for name in ("received", "credit"))
    after = {seed: part(trace, RUSH_S, RUSH_END_S) for seed, trace in queues.items()}
    counts = {
        seed: [part(trace, RUSH_S - SAMPLE_S, RUSH_END_S) for trace in senders.values()]
        for seed, senders in received.items()
    }
    span = RUSH_END_S - RUSH_S
    return Increase(
        mean={seed: mean(each) for seed, each in after.items()},
        longest={seed: max(each) for seed, each in after.items()},
        served={seed: math.fsum(each[-1] - each[0] for each in found) / span for seed, found in counts.items()},
        windows={
            seed: math.fsum(part(trace, RUSH_S - SAMPLE_S, RUSH_S)[-1] for trace in senders.values())
            for seed, senders in credit.items()
        },
        before={seed: mean(part(trace, RUSH_S - BEFORE_S, RUSH_S)) for seed, trace in queues.items()},
    )
