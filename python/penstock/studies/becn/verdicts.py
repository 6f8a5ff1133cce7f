"""Verdicts on the claims of the BECN paper: one function per claim, none of them tuned to the result.

Sources synchronise, so single points jump: a sentence about delays up to some D is judged on the mean over them and
over seeds, and its note names the delay at which the runs are worst. Words of the paper that need a number have it,
set before the runs: `ACCEPTABLE` here, others in `per_vc.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from penstock.statistics import student
from penstock.studies.becn import grid
from penstock.studies.becn.grid import (
    DELAYS,
    HALVE_PERIODS,
    SHORT,
    STOP_PERIODS,
    Point,
    halve,
    stop,
)
from penstock.studies.becn.runs import Runs
from penstock.studies.claims import Clause, Evidence, Samples
from penstock.studies.orders import above, all_above, constant, rising
from penstock.studies.predicates import Factor, Predicates, clauses, percent
from penstock.studies.runs import MissingRunError, mean

PREDICATES: Predicates[Runs] = Predicates(
    scheme=Factor(("scheme", "sources")),
    peak=Factor(("scheme", "period")),
)
claim = PREDICATES.claim

ACCEPTABLE = 500
"""Cells: the longest queue that sections 4.1 and 5 call acceptable."""
BOUNDED = 0.001
"""The greatest growth of the queue in a run, as a part of the delivered cells, that counts as bounded."""


# ------------------------------------------------------------------------------------------------ bands and their ends
def band(runs: Runs, name: str, groups: dict[str, list[Point]], note: str = "") -> Samples:
    """A measure for each group of points, the mean over them for each seed; the note names the worst single point."""
    points = [point for group in groups.values() for point in group]
    means = {point: runs.mean(name, point) for point in points}
    low, high = min(points, key=means.__getitem__), max(points, key=means.__getitem__)
    ends = f"single points from {means[low]:.4g} ({place(low)}) to {means[high]:.4g} ({place(high)})"
    told = "; ".join(part for part in (f"means over the delays; {ends}", note) if part)
    return Samples({label: runs.mean_over(name, group) for label, group in groups.items()}, told)


def place(point: Point) -> str:
    """The place of a point in a figure."""
    return f"N = {point.sources}, F = {point.period}, D = {point.delay}"


def slopes(runs: Runs, name: str, points: Sequence[Point]) -> dict[int, float]:
    """The least-squares slope of a measure against the delay, for each seed that has all points."""
    delays = [point.delay for point in points]
    middle = math.fsum(delays) / len(delays)
    square = math.fsum((delay - middle) ** 2 for delay in delays)
    columns = [runs.by_seed(name, point) for point in points]
    return {
        seed: math.fsum((delay - middle) * column[seed] for delay, column in zip(delays, columns, strict=True)) / square
        for seed in runs.seed_means(name, points)
    }


# ---------------------------------------------------------------------------------------------- no filter, and figure 2
@claim("becn.none.share")
def _(runs: Runs) -> Evidence:
    return band(runs, "share", {"D = 0 to 30": halve(0, SHORT)})


@claim("becn.none.queue")
def _(runs: Runs) -> Evidence:
    return band(runs, "queue.max", {"D = 0 to 30": halve(0, SHORT)})


@claim("becn.fig2.throughput")
def _(runs: Runs) -> Evidence:
    samples = band(runs, "throughput", {"D = 20 to 100": halve(0, DELAYS[2:])})
    try:
        letter = runs.mean_over("throughput", halve(0, grid.COARSE[1:], "halve-output"))
    except MissingRunError:
        return samples
    note = f"{samples.note}; by the letter, with 128 of the line's cell times, {student(letter)}"
    return Samples(samples.points, note)


@claim("becn.fig2.filter")
def _(runs: Runs) -> Evidence:
    none, most = halve(0), halve(HALVE_PERIODS[-1])
    better = all_above(
        "period",
        "F = 8 remains useful: more throughput and fewer BECN cells than without a filter",
        [
            (runs.seed_means("throughput", most), runs.seed_means("throughput", none)),
            (runs.seed_means("share", none), runs.seed_means("share", most)),
        ],
    )
    growth = max(max(runs.values("growth", point)) for point in most)
    longest = ", ".join(f"{runs.mean('queue.max', point):.0f} at D = {point.delay}" for point in most[::5])
    fewer = sum(runs.mean("share", one) < runs.mean("share", other) for one, other in zip(most, none, strict=True))
    shown = f"fewer BECN cells at {fewer} of {len(most)} delays"
    return clauses(
        runs,
        rising(
            "period",
            "the throughput rises with F",
            [runs.seed_means("throughput", halve(each)) for each in HALVE_PERIODS],
        ),
        rising(
            "period",
            "the BECN share falls",
            [runs.seed_means("share", halve(each)) for each in HALVE_PERIODS],
            falls=True,
        ),
        rising(
            "period",
            "the longest queue grows faster with the delay",
            [slopes(runs, "queue.max", halve(each)) for each in HALVE_PERIODS],
            "{:.2f}",
        ),
        replace(better, shown=shown),
        Clause("F = 8 remains useful: the queue is bounded", growth < BOUNDED, f"longest {longest}"),
        note=f"F = {', '.join(map(str, HALVE_PERIODS))}; means over D = 0 to 100",
    )


@claim("becn.fig2.why")
def _(runs: Runs) -> Evidence:
    periods = [runs.oscillations(point) for point in grid.pulse_points()]
    if not all(periods):
        raise MissingRunError("an oscillation of the queue")
    return clauses(
        runs,
        rising(
            "period",
            "the mean queue grows with F",
            [runs.seed_means("queue.mean", halve(each)) for each in HALVE_PERIODS],
        ),
        rising("period", f"the oscillation's period grows (cell times, D = {grid.WATCHED_DELAY})", periods, "{:.0f}"),
        rising(
            "period",
            "the queue is empty for less of the time",
            [runs.seed_means("empty", halve(each)) for each in HALVE_PERIODS],
            falls=True,
        ),
        note=f"F = {', '.join(map(str, HALVE_PERIODS))}; means over D = 0 to 100",
    )


@claim("becn.simple.full-rate")
def _(runs: Runs) -> Evidence:
    beside = slopes(runs, "queue.max", halve(HALVE_PERIODS[-1], grid.COARSE))
    parts = []
    for period in grid.FULL_RATE_PERIODS:
        full = halve(period, grid.COARSE, "halve-full")
        longest, steep = runs.by_seed("queue.max", full[1]), slopes(runs, "queue.max", full)
        text = f"F = {period}: at D = {full[1].delay} the longest queue is over {ACCEPTABLE} cells"
        parts.append(all_above("", text, [(longest, constant(ACCEPTABLE, longest))], f"{mean(longest.values()):.0f}"))
        text = f"F = {period}: it grows faster with the delay than at a peak of 25 % with F = 8, which is useful"
        parts.append(above("peak", f"{text} (cells per cell time)", steep, beside, "{:.1f}"))
    return clauses(runs, *parts)


# ---------------------------------------------------------------------------------------------------------- figure 3
@claim("becn.fig3.throughput")
def _(runs: Runs) -> Evidence:
    return band(runs, "throughput", {f"F = {period}": stop(period) for period in STOP_PERIODS[1:]})


@claim("becn.fig3.share")
def _(runs: Runs) -> Evidence:
    return band(runs, "share", {f"F = {period}": stop(period) for period in STOP_PERIODS[2:]})


@claim("becn.fig3.short")
def _(runs: Runs) -> Evidence:
    def conditions(period: int) -> list[Clause]:
        queue, share = (runs.average(name, stop(period, SHORT)) for name in ("queue.max", "share"))
        return [
            Clause(f"longest queue under {ACCEPTABLE} cells", queue < ACCEPTABLE, f"{queue:.0f}"),
            Clause("BECN share under 5 %", share < 0.05, percent(share)),
        ]

    def merit(period: int) -> tuple[int, float]:
        throughput = runs.average("throughput", stop(period, SHORT))
        return sum(part.holds for part in conditions(period)) + (throughput >= 0.85), throughput

    best = max(STOP_PERIODS[1:], key=merit)
    samples = band(runs, "throughput", {f"F = {best}, D = 0 to 30": stop(best, SHORT)})
    return Samples(samples.points, samples.note, conditions(best))


@claim("becn.fig3.sources")
def _(runs: Runs) -> Evidence:
    parts = []
    for period in STOP_PERIODS:
        less, more = (runs.seed_means("share", points) for points in (stop(period), halve(period)))
        shown = " and ".join(percent(mean(share.values())) for share in (less, more))
        parts.append(all_above("scheme", f"F = {period}: fewer BECN cells than halving", [(more, less)], shown))
        flat, steep = (slopes(runs, "queue.max", points) for points in (stop(period), halve(period)))
        text = f"F = {period}: with halving the longest queue grows faster with the delay (cells per cell time)"
        parts.append(above("scheme", text, steep, flat, "{:.1f}"))
    few, many = 5, grid.MANY[-1]
    low, high = (runs.by_seed("queue.max", *stop(grid.MANY_PERIOD, (20,), each)) for each in (few, many))
    shown = f"{mean(low.values()):.0f} and {mean(high.values()):.0f}, F = {grid.MANY_PERIOD}"
    text = f"at D = 20 the longest queue is under {ACCEPTABLE} cells for {few} sources, over it for {many}"
    between = constant(ACCEPTABLE, low)
    parts.append(all_above("sources", text, [(between, low), (high, between)], shown))
    return clauses(runs, *parts, note="figure 3 (5 sources, peak 100 %) against figure 2 (20 sources, peak 25 %)")
