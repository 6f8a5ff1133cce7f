"""The measures of the ATN study: one number per measure, point and seed, and time series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from penstock.studies import runs
from penstock.studies.atn.grid import RUSHES, SCENARIOS, Point
from penstock.studies.atn.printed import TABLES, Printed
from penstock.studies.runs import MissingRunError, Row, Trace


@dataclass(slots=True)
class Runs(runs.Runs[Point]):
    """The measures and time series of the ATN study.

    `watched` has the series by the kind of run; `tables` are the tables of the paper to judge.
    """

    watched: Mapping[str, runs.Runs[Point]] = field(
        default_factory=lambda: {kind: runs.Runs() for kind in ("watched", "filled", *RUSHES)}
    )
    tables: Sequence[Printed] = tuple(TABLES.values())

    def add(self, point: Point, seed: int, groups: list[Row], ports: list[Row]) -> None:
        """Reads the result tables of one run."""
        self.keep(point, seed, measure(point, groups, ports))

    def queue(self, kind: str, point: Point) -> dict[int, Trace]:
        """Bits in the congested queue over time, for each seed."""
        return self.watched[kind].traces(point, SCENARIOS[point.scenario].bottleneck, "queue_bits")

    def windows(self, kind: str, point: Point) -> dict[int, dict[str, Trace]]:
        """The window advertised to each sender over time, 0 without a connection, for each seed."""
        return self.per_sender(kind, point, "credit")

    def per_sender(self, kind: str, point: Point, quantity: str) -> dict[int, dict[str, Trace]]:
        """A reading of each sender, the sum over its peers, of which one at a time has a connection."""
        found: dict[int, dict[str, Trace]] = {}
        for seed, traces in self.watched[kind].series.get(point, {}).items():
            senders: dict[str, list[Trace]] = {}
            for (component, name), trace in traces.items():
                if name == quantity:
                    senders.setdefault(component.removeprefix("data/").partition("-")[0], []).append(trace)
            found[seed] = {name: summed(each) for name, each in sorted(senders.items())}
        if not found:
            raise MissingRunError(f"time series {quantity} at {point}")
        return found


def measure(point: Point, groups: list[Row], ports: list[Row]) -> Iterator[tuple[str, float]]:
    """The measures of one run: the columns of the tables, their other interpretations, and the load of every system."""
    data = next(row for row in groups if row["group"] == "data")
    congested = next(row for row in ports if row["port"] == SCENARIOS[point.scenario].bottleneck)
    columns = {
        "delay": "delay_mean_s",
        "throughput": "accepted_per_s",
        "power": "power",
        "discarded": "discard_share",
        "success": "success_once",
        "success.all": "success_all",
        "error.share": "error_report_share",
        "delay.transmission": "delay_transmission_mean_s",
        "delay.production": "delay_production_mean_s",
    }
    yield from ((name, float(data[column])) for name, column in columns.items() if data[column] is not None)
    yield "load", congested["queue_mean_bits"]
    yield "load.waiting", congested["waiting_mean_bits"]
    systems = {row["from"] for row in ports if row["from"].startswith("is")}
    for system in sorted(systems):
        yield f"load.{system}", math.fsum(row["queue_mean_bits"] or 0.0 for row in ports if row["from"] == system)


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
