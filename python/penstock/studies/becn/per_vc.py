"""Verdicts on the filter per VC, threshold, long delays and loss: the other half of `verdicts`."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from penstock.studies import predicates
from penstock.studies.becn import grid
from penstock.studies.becn.grid import FEW, PER_VC_SOURCES, SCHEMES, THRESHOLD, per_vc
from penstock.studies.becn.runs import Runs, level_shares
from penstock.studies.becn.verdicts import BOUNDED, PREDICATES, band, claim, place, slopes
from penstock.studies.claims import Clause, Evidence, Samples
from penstock.studies.orders import above, all_above, constant, rising
from penstock.studies.predicates import clauses, percent
from penstock.studies.runs import MissingRunError, mean

__all__ = ["PREDICATES"]

SLOWLY = 1.5
"""Cells per cell time of delay: at this rate the threshold of 250 becomes 400 at a delay of 100."""
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


@claim("becn.fig4.share-20")
def _(runs: Runs) -> Evidence:
    return band(runs, "share", {"N = 20": per_vc(20)})


@claim("becn.fig4.share-100")
def _(runs: Runs) -> Evidence:
    return band(runs, "share", {"N = 100": per_vc(100)})


@claim("becn.fig4.per-source")
def _(runs: Runs) -> Evidence:
    each = {sources: runs.average("share.each", per_vc(sources)) for sources in PER_VC_SOURCES}
    uneven = {}
    for sources in PER_VC_SOURCES:
        values = [runs.mean("share", point) for point in per_vc(sources)]
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
    columns = [runs.by_seed("throughput", point) for point in points]
    seeds = [seed for seed in columns[0] if all(seed in column for column in columns)]
    quarter = len(points) // 4
    values = [sorted(column[seed] for column in columns)[quarter] for seed in seeds]
    if not values:
        raise MissingRunError(f"throughput at {points[0]}")
    below = [point for point in points if runs.mean("throughput", point) < 0.8]
    note = f"reached by at least three quarters of the {len(points)} points, in each seed; {len(below)} are below 80 %"
    low = min(points, key=lambda point: runs.mean("throughput", point))
    return Samples(
        {"three quarters of the points": values},
        f"{note}, the lowest {runs.mean('throughput', low):.3f} at {place(low)}",
    )


@claim("becn.fig4.mean-queue")
def _(runs: Runs) -> Evidence:
    points = {f"N = {n}, D = {point.delay}": point for n in PER_VC_SOURCES for point in per_vc(n)}
    return predicates.samples(runs, "queue.mean", points, "each N and D judged")


@claim("becn.fig4.max-queue")
def _(runs: Runs) -> Evidence:
    points = {f"N = {n}, D = {point.delay}": point for n in FEW for point in per_vc(n)}
    steep = {sources: slopes(runs, "queue.max", per_vc(sources)) for sources in FEW}
    grows = all_above(
        "delay",
        f"it grows with the delay, by less than {SLOWLY} cells per cell time, for each N",
        [pair for each in steep.values() for pair in ((each, constant(0.0, each)), (constant(SLOWLY, each), each))],
        ", ".join(f"{mean(each.values()):.2f} at N = {sources}" for sources, each in steep.items()),
    )
    samples = predicates.samples(runs, "queue.max", points, "each N and D judged")
    return Samples(samples.points, samples.note, [grows])


@claim("becn.fig4.model")
def _(runs: Runs) -> Evidence:
    from penstock.truth import becn

    parts = []
    for sources in FEW:
        ideal = {
            "share": partial(becn.notice_share, sources, THRESHOLD),
            "queue.max": partial(becn.greatest_queue, THRESHOLD),
            "queue.mean": partial(becn.mean_queue, THRESHOLD),
        }
        for name, model in ideal.items():
            off = [runs.mean(name, point) / model(point.delay) - 1 for point in per_vc(sources)]
            typical = math.fsum(map(abs, off)) / len(off)
            word = {"share": "BECN share", "queue.max": "longest queue", "queue.mean": "mean queue"}[name]
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
        rising("threshold", "the mean queue grows with the threshold", means("queue.mean")),
        rising("threshold", "the queue is empty for less of the time", means("empty"), falls=True),
        rising("threshold", "the throughput rises", means("throughput")),
        note=f"{grid.THRESHOLD_SOURCES} sources, thresholds of {', '.join(map(str, grid.THRESHOLDS))} cells; "
        f"means over D = {', '.join(map(str, grid.THRESHOLD_DELAYS))}",
    )


@claim("becn.long")
def _(runs: Runs) -> Evidence:
    def ends(name: str, sources: int) -> tuple[dict[int, float], dict[int, float]]:
        return runs.seed_means(name, per_vc(sources)), runs.seed_means(name, per_vc(sources, grid.LONG))

    parts = []
    for sources in grid.LONG_SOURCES:
        near, far = ends("throughput", sources)
        shown = " and ".join(percent(mean(each.values())) for each in (near, far))
        least = {seed: value - SLIGHT for seed, value in near.items()}
        parts.append(
            all_above("delay", f"N = {sources}: slight loss of throughput", [(near, far), (far, least)], shown)
        )
        for name, word in (("queue.mean", "mean"), ("queue.max", "longest")):
            near, far = ends(name, sources)
            parts.append(above("delay", f"N = {sources}: the {word} queue grows (far and near)", far, near, "{:.0f}"))
    note = f"means over D = 0 to 100 and over D = {', '.join(map(str, grid.LONG))} (120 to 240 km)"
    return clauses(runs, *parts, note=f"{note}; slight is above 0 and below {percent(SLIGHT)} of the link")


@claim("becn.lossless")
def _(runs: Runs) -> Evidence:
    points = [point for figure in (2, 3, 4) for point in grid.figure_points(figure)]
    growth = {point: max(runs.values("growth", point)) for point in points}
    most = max(points, key=growth.__getitem__)
    bounded = Clause(
        f"bounded: no run of figures 2 to 4 sent {percent(BOUNDED)} more cells than it delivered",
        growth[most] < BOUNDED,
        f"at most {percent(growth[most])} more, at {place(most)}",
    )
    count = predicates.never(runs, "lost", "sent", {str(point): point for point in points})
    note = "steady state of all points of the figures; the queue has no limit, so no cell can be lost"
    return replace(count, note=note, beside=[bounded], by_construction=True)
