"""The claims of the BECN paper: one predicate for each, none of them tuned to the result.

Sources synchronise, so single points jump: a sentence about delays up to some D is judged on the mean over them and
over seeds, and its note names the delay at which the runs are worst. Words of the paper that need a number have it
here; the study's page tells which were set after earlier runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from penstock.statistics import student
from penstock.studies import predicates
from penstock.studies.becn import grid
from penstock.studies.becn.grid import (
    DELAYS,
    FEW,
    HALVE_PERIODS,
    PER_VC_SOURCES,
    SCHEMES,
    SHORT,
    STOP_PERIODS,
    THRESHOLD,
    Point,
    halve,
    per_vc,
    stop,
)
from penstock.studies.becn.measures import Runs, growths, level_shares, oscillations, slopes
from penstock.studies.claims import Clause, Evidence, Samples
from penstock.studies.orders import above, all_above, constant, paired_by_seed, plus, rising, which_above
from penstock.studies.predicates import Factor, Predicates, clauses, percent, percents
from penstock.studies.runs import MissingRunError, mean

PREDICATES: Predicates[Runs] = Predicates(
    scheme=Factor(("scheme", "sources")),
    peak=Factor(("scheme", "filter_period")),
    reserved=Factor(("scheme", "reserved")),
)
claim = PREDICATES.claim

ACCEPTABLE = 500
"""Cells: the longest queue that sections 4.1 and 5 call acceptable."""
CELL = 1.0
"""A rise of the queue's peaks that counts as growth is more than a cell: peaks are whole cells."""
STEADY = 0.1
"""The peaks of a queue that does not grow rise by less than this part, with the whole interval."""
SLOWLY = 1.5
"""Cells per cell time of delay: at this rate the threshold of 250 becomes 400 at a delay of 100."""
BUSY = 0.85
"""The throughput that section 5 says may be had over short delays."""
FEW_NOTICES = 0.05
"""The BECN share below which it is then."""
CLOSE = 0.25
"""The relative difference from the ideal model that a measure may have, on average over the delays."""
EVEN = 1.5
"""The greatest ratio of the greatest to the least value that is "approximately constant" in the paper."""
PROPORTIONAL = 1.5
"""The same for the share of one source: "approximately proportional to the number" in the paper."""
EACH = (0.0006, 0.0010)
"""The limits of "about 0.08 % each": within a quarter."""
FAIR = 0.95
"""Jain's index of sources that share fairly."""
TOGGLING = 0.8
"""The part of its time that a source is at its fair rate and the two next to it."""
SLIGHT = 0.10
"""The greatest loss of throughput that is slight."""
MOSTLY_BUSY = 0.8
"""The throughput of the filter per VC, as a part of what is left for best effort."""
FEW_CELL_TIMES = 5
"""The longest way of a reserved cell through the switch, its own cell time included."""


# ------------------------------------------------------------------------------------------------ bands and their ends
def band(runs: Runs, name: str, groups: dict[str, list[Point]], note: str = "") -> Samples:
    """A measure for each group of points, the mean over them for each seed; the note names the worst single point."""
    points = [point for group in groups.values() for point in group]
    means = {point: runs.mean(name, point) for point in points}
    low, high = min(points, key=means.__getitem__), max(points, key=means.__getitem__)
    ends = f"single points from {means[low]:.4g} ({place(low)}) to {means[high]:.4g} ({place(high)})"
    told = "; ".join(part for part in (f"means over the delays; {ends}", note) if part)
    means_over = {label: runs.mean_over(name, group) for label, group in groups.items()}
    return Samples(means_over, told, kind=runs.kind(name))


def bounded(runs: Runs, points: Sequence[Point], text: str) -> Clause:
    """Whether the queue does not grow without end at any of some points.

    It grows if its peaks rise over the second half of the usual runs, and over that of runs of three times the length,
    each by Holm's procedure. It is bounded if it does not, and the peaks of the long runs surely rise by little.
    """
    still = set(points)
    worst: dict[str, tuple[float, Point]] = {}
    for kind in grid.GROWTH:
        found = {point: growths(runs, point, kind) for point in points}
        rises = {point: {seed: each.rise for seed, each in seeds.items()} for point, seeds in found.items()}
        above = which_above({str(point): (rise, constant(CELL, rise)) for point, rise in rises.items()})
        still = {point for point in still if str(point) in above}
        shares = {
            point: {seed: each.rise / each.mean for seed, each in seeds.items()} for point, seeds in found.items()
        }
        parts = {point: paired_by_seed(share, constant(0.0, share)) for point, share in shares.items()}
        most = max(points, key=lambda point: parts[point].mean)
        worst[kind] = parts[most].mean, most
    unsure = [point for point, part in parts.items() if part.high is None or part.high > STEADY]
    shown = "; ".join(
        f"{grid.GROWTH[kind]} times the length: the peaks rise by at most {percent(part)}, at {place(point)}"
        for kind, (part, point) in worst.items()
    )
    if still:
        shown += f"; growing at {'; '.join(place(point) for point in sorted(still))}"
    return Clause(text, not still and not unsure, shown, undecided=not still and bool(unsure))


def place(point: Point) -> str:
    """The place of a point in a figure."""
    return f"N = {point.sources}, F = {point.filter_period}, D = {point.delay}"


# ---------------------------------------------------------------------------------------------- no filter, and figure 2
@claim("becn.none.share")
def _(runs: Runs) -> Evidence:
    return band(runs, "notice_share", {"D = 0 to 30": halve(0, SHORT)})


@claim("becn.none.queue")
def _(runs: Runs) -> Evidence:
    return band(runs, "queue_max", {"D = 0 to 30": halve(0, SHORT)})


@claim("becn.fig2.throughput")
def _(runs: Runs) -> Evidence:
    samples = band(runs, "utilisation", {"D = 20 to 100": halve(0, DELAYS[2:])})
    try:
        letter = runs.mean_over("utilisation", halve(0, grid.COARSE[1:], "halve-output"))
    except MissingRunError:
        return samples
    note = f"{samples.note}; by the letter, with 128 of the line's cell times, {student(letter)}"
    return replace(samples, note=note)


@claim("becn.fig2.filter")
def _(runs: Runs) -> Evidence:
    none, most = halve(0), halve(HALVE_PERIODS[-1])
    better = all_above(
        "filter_period",
        "F = 8 remains useful: more throughput and fewer BECN cells than without a filter",
        [
            (runs.seed_means("utilisation", most), runs.seed_means("utilisation", none)),
            (runs.seed_means("notice_share", none), runs.seed_means("notice_share", most)),
        ],
    )
    longest = ", ".join(f"{runs.mean('queue_max', point):.0f} at D = {point.delay}" for point in most[::5])
    fewer = sum(
        runs.mean("notice_share", one) < runs.mean("notice_share", other) for one, other in zip(most, none, strict=True)
    )
    shown = f"fewer BECN cells at {fewer} of {len(most)} delays"
    return clauses(
        runs,
        rising(
            "filter_period",
            "the throughput rises with F",
            [runs.seed_means("utilisation", halve(each)) for each in HALVE_PERIODS],
        ),
        rising(
            "filter_period",
            "the BECN share falls",
            [runs.seed_means("notice_share", halve(each)) for each in HALVE_PERIODS],
            falls=True,
        ),
        rising(
            "filter_period",
            "the longest queue grows faster with the delay",
            [slopes(runs, "queue_max", halve(each)) for each in HALVE_PERIODS],
            "{:.2f}",
        ),
        replace(better, shown=shown),
        bounded(
            runs,
            halve(HALVE_PERIODS[-1], grid.GROWTH_DELAYS),
            "F = 8 remains useful: the queue does not grow without end",
        ),
        note=f"F = {', '.join(map(str, HALVE_PERIODS))}; means over D = 0 to 100; longest queue at F = 8 {longest}",
    )


@claim("becn.fig2.why")
def _(runs: Runs) -> Evidence:
    periods = [oscillations(runs, point) for point in grid.pulse_points()]
    if not all(periods):
        raise MissingRunError("an oscillation of the queue")
    return clauses(
        runs,
        rising(
            "filter_period",
            "the mean queue grows with F",
            [runs.seed_means("queue_mean", halve(each)) for each in HALVE_PERIODS],
        ),
        rising(
            "filter_period", f"the oscillation's period grows (cell times, D = {grid.WATCHED_DELAY})", periods, "{:.0f}"
        ),
        rising(
            "filter_period",
            "the queue is empty for less of the time",
            [runs.seed_means("idle", halve(each)) for each in HALVE_PERIODS],
            falls=True,
        ),
        note=f"F = {', '.join(map(str, HALVE_PERIODS))}; means over D = 0 to 100",
    )


@claim("becn.simple.full-rate")
def _(runs: Runs) -> Evidence:
    beside = slopes(runs, "queue_max", halve(HALVE_PERIODS[-1], grid.COARSE))
    parts = []
    for period in grid.FULL_RATE_PERIODS:
        full = halve(period, grid.COARSE, "halve-full")
        longest, steep = runs.by_seed("queue_max", full[1]), slopes(runs, "queue_max", full)
        text = f"F = {period}: at D = {full[1].delay} the longest queue is over {ACCEPTABLE} cells"
        parts.append(all_above("", text, [(longest, constant(ACCEPTABLE, longest))], f"{mean(longest.values()):.0f}"))
        text = f"F = {period}: it grows faster with the delay than at a peak of 25 % with F = 8, which is useful"
        parts.append(above("peak", f"{text} (cells per cell time)", steep, beside, "{:.1f}"))
    return clauses(runs, *parts)


# ---------------------------------------------------------------------------------------------------------- figure 3
@claim("becn.fig3.throughput")
def _(runs: Runs) -> Evidence:
    return band(runs, "utilisation", {f"F = {period}": stop(period) for period in STOP_PERIODS[1:]})


@claim("becn.fig3.share")
def _(runs: Runs) -> Evidence:
    return band(runs, "notice_share", {f"F = {period}": stop(period) for period in STOP_PERIODS[2:]})


@claim("becn.fig3.short")
def _(runs: Runs) -> Evidence:
    def ends(sources: int, period: int) -> tuple[float, float, float]:
        """The least throughput, the longest queue and the greatest share over the delays."""
        throughput, queue, share = (
            [runs.mean(name, point) for point in stop(period, SHORT, sources)]
            for name in ("utilisation", "queue_max", "notice_share")
        )
        return min(throughput), max(queue), max(share)

    def holding(found: tuple[float, float, float]) -> int:
        throughput, queue, share = found
        return (throughput > BUSY) + (queue < ACCEPTABLE) + (share < FEW_NOTICES)

    parts = []
    for sources, periods in sorted(grid.SHORT_PERIODS.items()):
        by_period = {period: ends(sources, period) for period in periods}
        best = max(by_period, key=lambda period: (holding(by_period[period]), by_period[period][0]))
        throughput, queue, share = by_period[best]
        shown = f"F = {best}: at least {percent(throughput)}, at most {queue:.0f} cells and {percent(share)}"
        parts.append(Clause(f"N = {sources}: all three at every D", holding(by_period[best]) == 3, shown))
    return clauses(runs, *parts, note=f"D = {', '.join(map(str, SHORT))}, the best of F = 2, 4, 8; F = 4 for N = 7, 8")


@claim("becn.fig3.sources")
def _(runs: Runs) -> Evidence:
    parts = []
    for period in STOP_PERIODS:
        less, more = (runs.seed_means("notice_share", points) for points in (stop(period), halve(period)))
        parts.append(
            all_above("scheme", f"F = {period}: fewer BECN cells than halving", [(more, less)], percents(less, more))
        )
        flat, steep = (slopes(runs, "queue_max", points) for points in (stop(period), halve(period)))
        text = f"F = {period}: with halving the longest queue grows faster with the delay (cells per cell time)"
        parts.append(above("scheme", text, steep, flat, "{:.1f}"))
    few, many = grid.FEWEST_AND_MOST
    low, high = (runs.by_seed("queue_max", *stop(grid.MANY_PERIOD, grid.MANY_DELAY, each)) for each in (few, many))
    shown = f"{mean(low.values()):.0f} and {mean(high.values()):.0f}, F = {grid.MANY_PERIOD}"
    text = f"D = {grid.MANY_DELAY[0]}: the longest queue is under {ACCEPTABLE} cells for {few} sources, over for {many}"
    between = constant(ACCEPTABLE, low)
    parts.append(all_above("sources", text, [(between, low), (high, between)], shown))
    return clauses(runs, *parts, note="figure 3 (5 sources, peak 100 %) against figure 2 (20 sources, peak 25 %)")


# ---------------------------------------------------------------------------------------------------------- figure 4
@claim("becn.fig4.share-20")
def _(runs: Runs) -> Evidence:
    return band(runs, "notice_share", {"N = 20": per_vc(20)})


@claim("becn.fig4.share-100")
def _(runs: Runs) -> Evidence:
    return band(runs, "notice_share", {"N = 100": per_vc(100)})


@claim("becn.fig4.per-source")
def _(runs: Runs) -> Evidence:
    each = {sources: runs.average("notice_share.each", per_vc(sources)) for sources in PER_VC_SOURCES}
    uneven = {}
    for sources in PER_VC_SOURCES:
        values = [runs.mean("notice_share", point) for point in per_vc(sources)]
        uneven[sources] = max(values) / min(values)
    odd = max(uneven, key=uneven.__getitem__)
    ratio = max(each.values()) / min(each.values())
    return clauses(
        runs,
        Clause(
            f"constant in the delay: the highest at most {EVEN} times the lowest, at every N",
            uneven[odd] <= EVEN,
            f"{uneven[odd]:.2f} times at N = {odd}",
        ),
        Clause(
            f"proportional to N: the share of one source differs at most {PROPORTIONAL} times",
            ratio <= PROPORTIONAL,
            f"{ratio:.2f} times",
        ),
        *(
            Clause(f"N = {sources}: about 0.08 % each", EACH[0] <= value <= EACH[1], percent(value))
            for sources, value in each.items()
        ),
        note="means over D = 0 to 100; about is 0.06 to 0.10 %",
    )


@claim("becn.fig4.throughput")
def _(runs: Runs) -> Evidence:
    points = [point for sources in PER_VC_SOURCES for point in per_vc(sources)]
    columns = [runs.by_seed("utilisation", point) for point in points]
    seeds = [seed for seed in columns[0] if all(seed in column for column in columns)]
    quarter = len(points) // 4
    values = [sorted(column[seed] for column in columns)[quarter] for seed in seeds]
    if not values:
        raise MissingRunError(f"throughput at {points[0]}")
    below = [point for point in points if runs.mean("utilisation", point) < 0.8]
    note = f"reached by at least three quarters of the {len(points)} points, in each seed; {len(below)} are below 80 %"
    low = min(points, key=lambda point: runs.mean("utilisation", point))
    return Samples(
        {"three quarters of the points": values},
        f"{note}, the lowest {runs.mean('utilisation', low):.3f} at {place(low)}",
        kind=runs.kind("utilisation"),
    )


@claim("becn.fig4.mean-queue")
def _(runs: Runs) -> Evidence:
    points = {f"N = {n}, D = {point.delay}": point for n in PER_VC_SOURCES for point in per_vc(n)}
    return predicates.samples(runs, "queue_mean", points, "each N and D judged")


@claim("becn.fig4.max-queue")
def _(runs: Runs) -> Evidence:
    points = {f"N = {n}, D = {point.delay}": point for n in FEW for point in per_vc(n)}
    steep = {sources: slopes(runs, "queue_max", per_vc(sources)) for sources in FEW}
    grows = all_above(
        "delay",
        f"it grows with the delay, by less than {SLOWLY} cells per cell time, for each N",
        [pair for each in steep.values() for pair in ((each, constant(0.0, each)), (constant(SLOWLY, each), each))],
        ", ".join(f"{mean(each.values()):.2f} at N = {sources}" for sources, each in steep.items()),
    )
    samples = predicates.samples(runs, "queue_max", points, "each N and D judged")
    return replace(samples, beside=[grows])


@claim("becn.fig4.model")
def _(runs: Runs) -> Evidence:
    from penstock.truth import becn

    parts = []
    for sources in FEW:
        ideal = {
            "notice_share": partial(becn.notice_share, sources, THRESHOLD),
            "queue_max": partial(becn.greatest_queue, THRESHOLD),
            "queue_mean": partial(becn.mean_queue, THRESHOLD),
        }
        for name, model in ideal.items():
            off = [runs.mean(name, point) / model(point.delay) - 1 for point in per_vc(sources)]
            typical = math.fsum(map(abs, off)) / len(off)
            word = {"notice_share": "BECN share", "queue_max": "longest queue", "queue_mean": "mean queue"}[name]
            shown = f"off by {percent(typical)}, from {100 * min(off):+.0f} to {100 * max(off):+.0f} %"
            parts.append(Clause(f"N = {sources}: {word}", typical <= CLOSE, shown))
    return clauses(runs, *parts, note=f"close is within {percent(CLOSE)} on average over D = 0 to 100")


@claim("becn.fig4.toggle")
def _(runs: Runs) -> Evidence:
    parts = []
    rates = SCHEMES["per-vc"].rates
    for sources in PER_VC_SOURCES:
        shares = level_shares(runs, per_vc(sources))
        fair = round(math.log2(sources))
        near = math.fsum(shares[level] for level in (fair - 1, fair, fair + 1))
        often = max(range(len(rates)), key=shares.__getitem__)
        shown = f"{percent(near)} at 1/{2 ** (fair - 1)} to {rates[fair + 1]:g} of the link, most at {rates[often]:g}"
        parts.append(
            Clause(
                f"N = {sources}: {percent(TOGGLING)} of the time at the rate nearest the fair one or next to it",
                near >= TOGGLING,
                shown,
            )
        )
    index = {sources: runs.average("fairness", per_vc(sources)) for sources in PER_VC_SOURCES}
    least = min(index, key=index.__getitem__)
    parts.append(
        Clause(
            f"the sources share fairly: Jain's index of {FAIR} or more at every N",
            index[least] >= FAIR,
            f"at least {index[least]:.3f}, at N = {least}",
        )
    )
    return clauses(runs, *parts, note="means over D = 0 to 100")


# ---------------------------------------------------------------------- threshold, delays and loss
@claim("becn.threshold")
def _(runs: Runs) -> Evidence:
    def means(name: str) -> list[dict[int, float]]:
        by_threshold = (per_vc(grid.THRESHOLD_SOURCES, grid.THRESHOLD_DELAYS, each) for each in grid.THRESHOLDS)
        return [runs.seed_means(name, points) for points in by_threshold]

    return clauses(
        runs,
        rising("threshold", "the mean queue grows with the threshold", means("queue_mean")),
        rising("threshold", "the queue is empty for less of the time", means("idle"), falls=True),
        rising("threshold", "the throughput rises", means("utilisation")),
        note=f"{grid.THRESHOLD_SOURCES} sources, thresholds of {', '.join(map(str, grid.THRESHOLDS))} cells; "
        f"means over D = {', '.join(map(str, grid.THRESHOLD_DELAYS))}",
    )


@claim("becn.long")
def _(runs: Runs) -> Evidence:
    def ends(name: str, sources: int) -> tuple[dict[int, float], dict[int, float]]:
        return runs.seed_means(name, per_vc(sources)), runs.seed_means(name, per_vc(sources, grid.LONG))

    parts = []
    for sources in grid.LONG_SOURCES:
        near, far = ends("utilisation", sources)
        parts.append(
            all_above(
                "delay",
                f"N = {sources}: slight loss of throughput",
                [(near, far), (far, plus(-SLIGHT, near))],
                percents(near, far),
            )
        )
        for name, word in (("queue_mean", "mean"), ("queue_max", "longest")):
            near, far = ends(name, sources)
            parts.append(above("delay", f"N = {sources}: the {word} queue grows (far and near)", far, near, "{:.0f}"))
    note = f"means over D = 0 to 100 and over D = {', '.join(map(str, grid.LONG))} (120 to 240 km)"
    return clauses(runs, *parts, note=f"{note}; slight is above 0 and below {percent(SLIGHT)} of the link")


@claim("becn.reserved")
def _(runs: Runs) -> Evidence:
    used = {count: grid.reserving(count) for count in grid.RESERVED}
    below = [point for count in grid.RESERVED[1:] for point in used[count]]
    lost = math.fsum(math.fsum(runs.values("lost.reserved", point)) for point in below)
    slow = max(below, key=lambda point: runs.mean("through", point))
    left = {count: runs.average("left", points) for count, points in used.items()}
    index = {count: runs.average("fairness", points) for count, points in used.items()}
    longest = max(below, key=lambda point: runs.mean("queue_max", point))
    through = runs.mean("through", slow)
    return clauses(
        runs,
        Clause(
            f"reserved cells: none is lost, and none needs more than {FEW_CELL_TIMES} cell times through the switch",
            lost == 0 and through <= FEW_CELL_TIMES,
            f"{lost:.0f} lost, at most {through:.1f} cell times, with {slow.reserved} connections",
        ),
        rising(
            "reserved",
            "best effort gets less the more is reserved",
            [runs.seed_means("throughput", points) for points in used.values()],
            falls=True,
        ),
        Clause(
            f"it uses {percent(MOSTLY_BUSY)} of what is left, or more",
            min(left.values()) >= MOSTLY_BUSY,
            ", ".join(f"{percent(part)} beside {count}" for count, part in left.items()),
        ),
        Clause(
            f"its sources share fairly: Jain's index of {FAIR} or more",
            min(index.values()) >= FAIR,
            ", ".join(f"{value:.3f} beside {count}" for count, value in index.items()),
        ),
        Clause(
            f"its longest queue is under {ACCEPTABLE} cells",
            runs.mean("queue_max", longest) < ACCEPTABLE,
            f"{runs.mean('queue_max', longest):.0f} beside {longest.reserved}, D = {longest.delay}",
        ),
        note=f"0, 5 and 10 reserved connections; means over D = {', '.join(map(str, grid.RESERVED_DELAYS))}",
    )


@claim("becn.lossless")
def _(runs: Runs) -> Evidence:
    points = [point for figure in (2, 3, 4) for point in grid.figure_points(figure)]
    steady = bounded(runs, grid.growth_points(), "the queue does not grow without end on any curve of figures 2 to 4")
    count = predicates.never(runs, "lost", "sent", {str(point): point for point in points})
    note = "steady state of all points of the figures; the queue has no limit, so no cell can be lost"
    return replace(count, note=note, beside=[steady], by_construction=True)
