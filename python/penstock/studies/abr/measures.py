"""The measures of the ABR study: one number per measure and point, and what its time series show."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from penstock.analyse.metric import FRACTION, POSITIVE, MetricKind
from penstock.studies import runs
from penstock.studies.abr.grid import BREAK_AT, EARLY, LATE, NRM, PAUSE_FROM, PORTS, Point
from penstock.studies.framework import Readings
from penstock.studies.runs import RunTables, Trace, mean
from penstock.truth.abr import CELL_BITS, rate_without_feedback

FLOW = "eastward"
DESTINATION = "access/westward.reverse"
"""The port whose line ends at the destination of that flow."""
SLIGHTLY = 1e-9
"""Seconds by which a reading may seem to be early, because it is a float."""
ALMOST = 0.99
"""Share of the granted rate above which ACR counts as high; it counts as low below ten times the rest."""
LOW = 0.1
RESUMED = 5e-3
"""Seconds after the end of a pause at which its effect on the rate is read."""
AFTER_CUTS = 0.3
"""Seconds until all cells sent before the cuts have arrived."""

MEGA = 1e6

Runs = runs.Runs[Point]
"""The measures and time series of the ABR study."""
TABLES = {"flows": (FLOW,)}
READINGS = Readings(quantities=("acr", "forward_rm_cells", "unack", "cuts", "received", "utilisation", "fair_share"))
KINDS: dict[str, MetricKind] = {
    **dict.fromkeys(("acr", "cells_lost", "cells_sent", "cuts", "decay", "early", "effect", "end"), POSITIVE),
    **dict.fromkeys(("feedback", "late", "ratio", "stopped", "swings", "whole"), POSITIVE),
    "answered": FRACTION,
}
"""The kinds of measures that are no columns of result tables."""


def measure(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """The measures of one run. Rates are in bits per second, times in seconds, cells are data and RM cells."""
    if point.kind == "several":
        yield from several(point, run)
        return
    flow = run.row("flows", flow=FLOW)
    acr, forward, unack, cuts = (run.trace(FLOW, name) for name in ("acr", "forward_rm_cells", "unack", "cuts"))
    end = acr[0][-1]
    yield "cuts", cuts[1][-1]
    yield "acr.end", acr[1][-1]
    yield "end", end
    yield "answered", float(unack[1][-1] < forward[1][-1])
    yield "cells_sent", float(flow["sent"] + flow["control_bits"] // CELL_BITS)
    yield "cells_lost", float(flow["lost"] + flow["control_lost"])
    if point.kind in ("sweep", "start"):
        yield from decay(point, acr, forward, unack)
    if point.kind == "interval":
        yield "whole", throughput(run, (EARLY[0], LATE[1]), point.rate)
    if point.kind == "sweep":
        yield "acr.start", acr[1][0]
        readings = zip(acr[0], unack[1], forward[1], strict=True)
        back = next((time for time, open_, sent in readings if open_ < sent), end)
        yield "feedback", back
        for name, span in (("early", EARLY), ("late", LATE)):
            yield name, throughput(run, span, point.rate)
            yield f"{name}.data", data_throughput(run, span)
        yield from swings(point, window(acr, (back, end)))
        yield "effect", risen(run, point)
    if point.kind in ("ratio", "video"):
        backward = flow["control_delivered"] - forward[1][-1]
        yield "ratio", end * point.granted / CELL_BITS / NRM / backward
        yield "acr.mean", mean(acr[1])
        yield "acr.low", min(acr[1])
    if point.kind == "pause":
        resumed = PAUSE_FROM + point.amount
        yield "acr.resumed", at(acr, resumed + RESUMED)
        for name, (first, last) in (("early", EARLY), ("late", LATE)):
            yield name, throughput(run, (resumed + first, resumed + last), point.rate)
    if point.kind == "broken":
        times = [time for time, value in zip(*acr, strict=True) if time > BREAK_AT and value < LOW * point.granted]
        yield "stopped", min(times, default=end)


def several(point: Point, run: RunTables) -> Iterator[tuple[str, float]]:
    """Of several connections: the least cuts of any before the first feedback, and what the satellite line carries.

    Its cells are sent 275 ms before they arrive.
    """
    numbers = range(1, round(point.amount) + 1)
    names = [FLOW] if len(numbers) == 1 else [f"{FLOW}/{number}" for number in numbers]
    yield "cuts.least", min(at(run.trace(name, "cuts"), 2 * EARLY[0]) for name in names)
    shares = run.trace(PORTS[0], "utilisation")
    for told, (first, last) in (("early", EARLY), ("late", LATE)):
        yield told, point.rate * mean(window(shares, (first - EARLY[0], last - EARLY[0]))[1])


def trace_of(measured: Runs, point: Point, quantity: str, component: str = FLOW) -> Trace:
    """A time series of the one run at a point."""
    return measured.first_trace(point, component, quantity)


def at(trace: Trace, time: float) -> float:
    """The last reading up to a moment; 0 before the first."""
    place = bisect_right(trace[0], time + SLIGHTLY)
    return trace[1][place - 1] if place else 0.0


def window(trace: Trace, span: tuple[float, float]) -> Trace:
    """The readings after the first moment and up to the last."""
    first, last = (bisect_right(trace[0], time + SLIGHTLY) for time in span)
    return trace[0][first:last], trace[1][first:last]


def cells(utilisation: Trace, rate: float) -> Trace:
    """Cells that were sent on the line of that utilisation, all kinds together, as a running count."""
    times, shares = utilisation
    total, before, counted = 0.0, 0.0, []
    for time, share in zip(times, shares, strict=True):
        total += round(share * rate * (time - before) / CELL_BITS)
        before = time
        counted.append(total)
    return times, counted


def throughput(run: RunTables, span: tuple[float, float], rate: float) -> float:
    """Whole cells sent to the destination on a line of that rate, including RM cells."""
    shares = window(run.trace(DESTINATION, "utilisation"), span)
    return rate * mean(shares[1])


def data_throughput(run: RunTables, span: tuple[float, float]) -> float:
    """The same without RM cells, as cells of data are received."""
    received = run.trace(FLOW, "received")
    first, last = (at(received, time) for time in span)
    return (last - first) * CELL_BITS / (span[1] - span[0])


def decay(point: Point, acr: Trace, forward: Trace, unack: Trace) -> Iterator[tuple[str, float]]:
    """The relative distance of ACR from its closed form before the first feedback; and the number of RM cell counts.

    Until then, all RM cells sent are unanswered.
    """
    worst, seen = 0.0, set()
    for rate, sent, open_ in zip(acr[1], forward[1], unack[1], strict=True):
        if open_ < sent:
            break
        exact = rate_without_feedback(point.icr * point.rate, point.cdf, point.crm, round(sent))
        worst = max(worst, abs(rate - exact) / exact if exact else abs(rate))
        seen.add(round(sent))
    yield "decay.error", worst
    yield "decay.seen", float(len(seen))


def swings(point: Point, acr: Trace) -> Iterator[tuple[str, float]]:
    """The lowest and the highest rate, and how often it rises from low to high."""
    yield "acr.low", min(acr[1])
    yield "acr.high", max(acr[1])
    count, is_low = 0, False
    for rate in acr[1]:
        if rate < LOW * point.granted:
            is_low = True
        elif is_low and rate > ALMOST * point.granted:
            count, is_low = count + 1, False
    yield "swings", float(count)


def risen(run: RunTables, point: Point) -> float:
    """The time when cells arrive at the destination fast again, after the cuts: the effect of the first feedback."""
    times, shares = window(run.trace(DESTINATION, "utilisation"), (AFTER_CUTS, LATE[1]))
    fast = point.granted / point.rate / 2
    return next((time for time, share in zip(times, shares, strict=True) if share > fast), 0.0)


def least_without_cut(measured: Runs, points: Sequence[Point]) -> int | None:
    """The smallest Crm without a cut, if runs show it: the one below it is cut, and so is every lower one."""
    cuts = {point.crm: measured.mean("cuts", point) for point in points}
    uncut = [crm for crm, count in cuts.items() if count == 0]
    least = min(uncut, default=0)
    is_parted = all((count > 0) == (crm < least) for crm, count in cuts.items())
    return least if is_parted and least - 1 in cuts else None


def named(cdf: float) -> str:
    """A CDF as the paper writes it."""
    return f"{cdf:g}" if cdf in (0, 1) else f"1/{round(1 / cdf)}"
