"""The figures of a league: the overview, and for each case bars, the trade-off, and two schemes against time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.core.counts import counted
from penstock.league.measures import DELAY, GOODPUT, LOSS, MEASURES, UTILISATION, Measure
from penstock.plot import Cells, Panel, Sheet, Spot, Trace
from penstock.statistics import Estimate

if TYPE_CHECKING:
    from penstock.league.league import Case
    from penstock.league.readings import Readings
    from penstock.league.table import CaseTable, Column

UNITS: Mapping[str, Sequence[tuple[float, str]]] = {
    "bit/s": ((1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "PDUs": ((1.0, "PDUs"),),
    "": ((1.0, ""),),
}
"""For each unit the larger and smaller ones, from the largest."""
STAR = "★"
TRADE_OFF = "trade-off"
"""The name of the figure of all cases, and the beginning of those of single cases."""


def unit_of(measure: Measure, values: Sequence[float]) -> tuple[float, str]:
    """The unit in which the largest of some values is shown: its size, and its name."""
    return unit_for(measure.unit, values)


def unit_for(unit: str, values: Sequence[float]) -> tuple[float, str]:
    """The same for a unit of :data:`UNITS`."""
    units = UNITS[unit]
    largest = max((abs(value) for value in values), default=0.0)
    if not largest:
        return units[0]
    return next((unit for unit in units if largest >= unit[0]), units[-1])


def label_of(column: Column, unit: str) -> str:
    """The name of a column with its class and its unit."""
    of = f" of {column.of}" if column.of else ""
    return f"{column.measure.label}{of}{f' ({unit})' if unit else ''}"


def scaled(estimate: Estimate, size: float) -> Estimate:
    """An estimate in a unit of that size."""
    low, high = (None if end is None else end / size for end in (estimate.low, estimate.high))
    return Estimate(estimate.mean / size, low, high, estimate.count)


def slug(case: Case) -> str:
    """The name of a case in the names of files."""
    return f"{case.network}-{case.traffic}" if case.traffic else case.network


def bars(table: CaseTable) -> Sheet | None:
    """Every measure of the controlled data and of the network: a bar for each scheme, with its interval."""
    panels = []
    for column in table.columns:
        if len(column.standings) < 2 or column.of not in ("", table.case.main) or not column.measure.is_judged:
            continue
        size, unit = unit_of(column.measure, [one.estimate.mean for one in column.standings])
        names = {name: f"{STAR} {name}" if name in column.best else name for name in column.samples}
        panels.append(
            Panel(
                "",
                "",
                rows={names[name]: [value / size for value in own.values] for name, own in column.samples.items()},
                estimates={names[one.name]: scaled(one.estimate, size) for one in column.standings},
                title=label_of(column, unit).replace(f" of {table.case.main}", ""),
                chosen=[names[name] for name in column.best],
                log_x=column.measure.lower_is_better,
            )
        )
    if not panels:
        return None
    higher = [each.label for each in MEASURES if not each.lower_is_better]
    return Sheet(
        f"bars-{slug(table.case)}",
        f"{table.case.title}: every scheme by every measure",
        f"Bars: means of {counted(len(table.replications), 'replication')}; lines: their 95 % intervals; dots: "
        "replications. "
        f"{STAR}, green: the best, and those that do not differ significantly from it. Less is better, but for "
        f"{', '.join(higher)}. Axes that span more than two powers of ten are logarithmic.",
        panels,
        columns=3,
        light=True,
    )


def trade_off(table: CaseTable, of: str) -> Sheet | None:
    """Delay and loss of a class against the utilisation of the busiest line: one point for each scheme."""
    used = table.column(UTILISATION)
    panels = []
    for measure in (DELAY, LOSS):
        column = table.column(measure, of)
        if used is None or column is None:
            continue
        both = [name for name in table.case.schemes if name in used.samples and name in column.samples]
        values = [column[name].estimate.mean for name in both]
        if len(both) < 2 or not any(values):
            continue
        size, unit = unit_of(measure, values)
        spots = [
            Spot(name, used[name].estimate, scaled(column[name].estimate, size), table.case.schemes.index(name))
            for name in both
        ]
        panels.append(Panel("utilisation", label_of(column, unit), spots=spots, log_y=True))
    if not panels:
        return None
    return Sheet(
        f"{TRADE_OFF}-{slug(table.case)}-{of}",
        f"{table.case.title}: what the {of} pays for a full line",
        "Best is at the lower right: a full line without delay or loss. One point for each scheme, with its 95 % "
        "intervals.",
        panels,
        columns=2,
        light=True,
    )


def schemes_in(tables: Sequence[CaseTable]) -> list[str]:
    """The schemes of a league: those that can run in the first case, then the others."""
    return list(dict.fromkeys(name for table in tables for name in table.case.schemes))


def trade_off_of_all(tables: Sequence[CaseTable]) -> Sheet | None:
    """Loss and delay against goodput, in the mean of all cases: one point for each scheme."""
    schemes = schemes_in(tables)
    loss, delay = f"{LOSS.label} (%)", f"{DELAY.label} (times the least of its case)"
    panels = []
    for measure, label in ((LOSS, loss), (DELAY, delay)):
        places = {name: [place_of(table, name, measure) for table in tables] for name in schemes}
        known = {name: [place for place in own if place is not None] for name, own in places.items()}
        spots = [
            Spot(name, mean_of([x for x, _ in own]), mean_of([y for _, y in own]), schemes.index(name))
            for name, own in known.items()
            if own
        ]
        if len(spots) > 1:
            panels.append(Panel("goodput (% of the best of its case)", label, spots=spots, log_y=True))
    if not panels:
        return None
    return Sheet(
        TRADE_OFF,
        "What each scheme pays for its goodput",
        "Best is at the lower right. Each point is the mean over the cases in which the scheme could run. The pictures "
        "of the single cases have the intervals.",
        panels,
        columns=2,
        light=True,
    )


def place_of(table: CaseTable, scheme: str, measure: Measure) -> tuple[float, float] | None:
    """The goodput of a scheme in per cent of the best of a case, and its loss in per cent or its relative delay."""
    goodput, own = table.column(GOODPUT, table.case.main), table.column(measure, table.case.main)
    if goodput is None or own is None or scheme not in goodput.samples or scheme not in own.samples:
        return None
    most = max(one.estimate.mean for one in goodput.standings)
    least = min(one.estimate.mean for one in own.standings)
    if not most or (measure is DELAY and not least):
        return None
    mean = own[scheme].estimate.mean
    return 100 * goodput[scheme].estimate.mean / most, mean / least if measure is DELAY else 100 * mean


def mean_of(values: Sequence[float]) -> Estimate:
    """The mean over cases, which has no interval: they are no sample."""
    return Estimate(math.fsum(values) / len(values), None, None, len(values))


def overview(tables: Sequence[CaseTable], measures: Sequence[Measure]) -> Sheet:
    """In how many of the cases each scheme is in the best group, by measure."""
    schemes = schemes_in(tables)[::-1]
    shares = [[share_of_best(tables, scheme, measure) for measure in measures] for scheme in schemes]
    return Sheet(
        "overview",
        "How often each scheme is among the best",
        "Percent of the cases in which a scheme could run and has a value: there it is the best, or does not differ "
        "significantly from the best. Delay, jitter, loss and goodput are those of the controlled data. Hatched: no "
        "value.",
        [
            Panel(
                "",
                "",
                cells=Cells("cases in the best group (%)", [each.label for each in measures], schemes, shares),
            )
        ],
        panel_height=1.0 + 0.26 * len(schemes),
    )


def share_of_best(tables: Sequence[CaseTable], scheme: str, measure: Measure) -> float | None:
    """The percentage of cases in which a scheme is in the best group; None if it has no value in any."""
    best, of = count_of_best(tables, scheme, measure)
    return 100 * best / of if of else None


def count_of_best(tables: Sequence[CaseTable], scheme: str, measure: Measure) -> tuple[int, int]:
    """In how many cases a scheme is in the best group, of how many in which it and another have a value."""
    columns = [table.column(measure, table.case.main if measure.by_class else "") for table in tables]
    found = [column for column in columns if column is not None and len(column.standings) > 1]
    own = [column for column in found if scheme in column.samples]
    return sum(scheme in column.best for column in own), len(own)


def pair_of(table: CaseTable, readings: Readings) -> tuple[list[str], str]:
    """The two schemes that the time figure shows first, and which they are: the best and the worst by a measure."""
    for measure in (DELAY, GOODPUT):
        column = table.column(measure, table.case.main)
        known = [one.name for one in column.standings if one.name in readings.schemes] if column else []
        if len(known) > 1:
            return [known[0], known[-1]], f"the best and the worst {measure.label}"
    return [readings.schemes[0], readings.schemes[-1]], "the first and the last of the league"


def against_time(case: Case, readings: Readings, pair: Sequence[str], which: str) -> Sheet:
    """The queue and the utilisation of the busiest line under two schemes, in the first replication."""
    panels = []
    for quantity, label, x_label in (("queue", "queue (PDUs)", ""), ("utilisation", "utilisation", "time (s)")):
        traces = [
            Trace(name, *readings.series(quantity, name, readings.replications[0]), hue)
            for hue, name in enumerate(pair)
        ]
        panels.append(Panel(x_label, label, traces=traces))
    step = min((later - sooner for sooner, later in pairwise(readings.times_s)), default=0.0)
    return Sheet(
        f"time-{slug(case)}",
        f"{case.title}: two schemes against time at {readings.port}",
        f"A reading every {step:.3g} s: the queue at that moment, and the utilisation since the reading before. "
        f"At first {pair[0]} and {pair[1]}, those with {which}, in replication {readings.replications[0] + 1} of "
        f"{len(readings.replications)}.",
        panels,
        light=True,
    )
