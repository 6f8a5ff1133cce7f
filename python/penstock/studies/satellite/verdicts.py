"""Verdicts on the claims of the thesis: one function per claim, none of them tuned to the result.

The larger numbers of sources are the last third of each scenario's grid; a growth is a last third above the first. If
the text names one number of sources, that one is judged; if it names none, all or the larger ones are. Orders and
trends are judged by intervals of differences paired by seed (`orders`): all cases have the same traffic for a seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from penstock.statistics import student
from penstock.studies import predicates
from penstock.studies.claims import Clause, Clauses, Count, Evidence, NotRun, Samples
from penstock.studies.orders import BySeed, all_above, constant, paired_by_seed, which_above
from penstock.studies.predicates import Factor, Predicates, clauses, percent
from penstock.studies.runs import MissingRunError, mean
from penstock.studies.runs import Runs as AnyRuns
from penstock.studies.satellite.grid import CASES, MIXES, REAL_TIME, Point, case_points, largest, rare_points
from penstock.studies.satellite.runs import Runs, unconstrained

PREDICATES: Predicates[Runs] = Predicates(case=Factor(("case",), uncontrolled=("1",)))
claim = PREDICATES.claim

PAPER_RUNS = 3
"""Runs of the thesis for each point: its seeds."""


# ------------------------------------------------------------------------------------------------ points and samples
def larger(scenario: int, case: str) -> list[Point]:
    """The points with the larger numbers of sources."""
    return [Point(scenario, case, n) for n in MIXES[scenario].larger]


def smaller(scenario: int, case: str) -> list[Point]:
    """As many points from the lower end."""
    return case_points(scenario, case)[: len(MIXES[scenario].larger)]


def samples(runs: Runs, name: str, points: Sequence[Point], note: str = "") -> Samples:
    """A measure at several points, each judged."""
    return predicates.samples(runs, name, {f"N = {point.n}": point for point in points}, note)


def at_largest(
    runs: Runs, name: str, scenario: int, case: str, note: str = "", beside: Sequence[Clause] = ()
) -> Samples:
    """A measure at the largest number of sources."""
    found = samples(runs, name, [largest(scenario, case)], note)
    return Samples(found.points, found.note, beside)


def never(runs: AnyRuns[Point], name: str, trials: str, points: Sequence[Point], note: str = "") -> Count:
    """A count that should be zero in all runs at some points of one case."""
    return predicates.never(
        runs, name, trials, {f"N = {point.n}": point for point in points}, note, paper_runs=PAPER_RUNS
    )


def each_n(runs: Runs, name: str, ones: Sequence[Point], others: Sequence[Point]) -> list[tuple[BySeed, BySeed]]:
    """A measure at the same numbers of sources in two cases, by seed."""
    return [(runs.by_seed(name, one), runs.by_seed(name, other)) for one, other in zip(ones, others, strict=True)]


def plus(values: BySeed, constant: float) -> dict[int, float]:
    """Values by seed, and a constant."""
    return {seed: value + constant for seed, value in values.items()}


# ---------------------------------------------------------------------------------------------------------- loads
def crossing(runs: Runs, at: int, before: int, loads: Mapping[int, BySeed], note: str, given: bool = False) -> Clauses:
    """Whether a load passes 1 between two numbers of sources."""
    above_one = [(loads[n], constant(1.0, loads[n])) for n in loads if n >= at]
    means = {n: mean(values.values()) for n, values in loads.items()}
    beyond = all_above("" if given else "n", "", above_one)
    return clauses(
        runs,
        Clause(
            f"above the link rate from N = {at} on",
            beyond.holds,
            f"{means[at]:.3f} at {at}, at least {min(means[n] for n in means if n >= at):.3f} beyond",
            beyond.factor,
            beyond.undecided,
            given,
        ),
        Clause(
            f"not above it at N = {before}",
            means[before] <= 1,
            f"{means[before]:.3f}",
            beyond.factor,
            by_construction=given,
        ),
        note=note,
    )


@claim("sat.s1c1.load-crosses")
def _(runs: Runs) -> Evidence:
    measured = [point.n for point in case_points(1, "1") if runs.mean("load", point) > 1]
    note = "judged, as in the text, by the analytic means without slow start; the measured load exceeds the link rate "
    note += f"at N = {min(measured)}" if measured else "at no N"
    loads = {point.n: constant(analytic(runs, point), runs.by_seed("load", point)) for point in case_points(1, "1")}
    return crossing(runs, 96, 90, loads, f"the mix was fitted to it; {note}", given=True)


def analytic(runs: Runs, point: Point) -> float:
    """The load of voice and video at nominal rates."""
    return unconstrained(runs, point, REAL_TIME)


@claim("sat.s1c1.load-max")
def _(runs: Runs) -> Evidence:
    point = largest(1, "1")
    note = "the mix was fitted to it: the analytic mean without slow start, as in the text; "
    note += f"measured: {student(runs.values('load', point))}"
    seeds = len(runs.values("load", point))
    return Samples({f"N = {point.n}": [analytic(runs, point)] * seeds}, note, by_construction=True)


@claim("sat.s2c1.load-crosses")
def _(runs: Runs) -> Evidence:
    loads = {point.n: runs.by_seed("load", point) for point in case_points(2, "1")}
    return crossing(runs, 25, 23, loads, "measured loads")


@claim("sat.s2c1.load-max")
def _(runs: Runs) -> Evidence:
    load = unconstrained(runs, largest(2, "1"), ("data",))
    return at_largest(runs, "load", 2, "1", f"measured; the analytic mean is {load:.3f}")


@claim("sat.s3c1.load-crosses")
def _(runs: Runs) -> Evidence:
    loads = {point.n: plus(runs.by_seed("load.data", point), analytic(runs, point)) for point in case_points(3, "1")}
    return crossing(runs, 57, 50, loads, "voice and video by their analytic means, data as measured, as in the text")


@claim("sat.s1c2.load")
def _(runs: Runs) -> Evidence:
    return samples(runs, "load", case_points(1, "2"), "each N judged")


@claim("sat.s2c2.load")
def _(runs: Runs) -> Evidence:
    return samples(runs, "load", [point for point in case_points(2, "2") if point.n >= 19], "each N from 19 on judged")


@claim("sat.s3c2.load")
def _(runs: Runs) -> Evidence:
    return samples(runs, "load", larger(3, "2"), "each of the larger N judged")


@claim("sat.s1c3.load")
def _(runs: Runs) -> Evidence:
    gap = runs.average("load", larger(1, "3")) - runs.average("load", larger(1, "2"))
    shown = f"{100 * gap:.1f} points"
    return clauses(
        runs,
        Clause("5 to 15 points above case 2, mean over the larger N", 0.05 <= gap <= 0.15, shown, "case"),
        all_above("case", "below case 1 at each of the larger N", each_n(runs, "load", larger(1, "1"), larger(1, "3"))),
        below_link(runs, case_points(1, "3")),
    )


def below_link(runs: Runs, points: Sequence[Point]) -> Clause:
    """Whether the load is below the link rate at every N."""
    loads = [runs.by_seed("load", point) for point in points]
    most = max(mean(load.values()) for load in loads)
    return all_above(
        "", "below the link rate at every N", [(constant(1.0, load), load) for load in loads], f"at most {most:.3f}"
    )


def load_with_gap(runs: Runs, scenario: int) -> Samples:
    """The load of case 3 at the largest N, more than 10 points above case 2."""
    load, less = (runs.by_seed("load", largest(scenario, case)) for case in ("3", "2"))
    gap = paired_by_seed(load, less)
    text = "more than 10 points above case 2"
    beside = all_above("case", text, [(load, plus(less, 0.1))], f"{100 * gap.mean:.1f} points")
    return at_largest(runs, "load", scenario, "3", beside=[beside])


@claim("sat.s2c3.load")
def _(runs: Runs) -> Evidence:
    return load_with_gap(runs, 2)


@claim("sat.s3c3.load")
def _(runs: Runs) -> Evidence:
    return load_with_gap(runs, 3)


@claim("sat.s1.share")
def _(runs: Runs) -> Evidence:
    return unconstrained_share(runs, 1, ("video",))


@claim("sat.s3.share")
def _(runs: Runs) -> Evidence:
    return unconstrained_share(runs, 3, REAL_TIME)


def unconstrained_share(runs: Runs, scenario: int, groups: Sequence[str]) -> Samples:
    """Part of some kinds of sources in the load at nominal rates."""
    points = {}
    for point in case_points(scenario, "1"):
        part = unconstrained(runs, point, groups) / unconstrained(runs, point, MIXES[scenario].groups)
        points[f"N = {point.n}"] = [part] * len(runs.values("load", point))
    return Samples(points, "the mix was fitted to it, at nominal rates; each N judged", by_construction=True)


@claim("sat.utilisation")
def _(runs: Runs) -> Evidence:
    beside = [
        f"scenario {scenario}: {percent(runs.average('utilisation', larger(scenario, '2')))}" for scenario in (1, 2)
    ]
    return samples(
        runs, "utilisation", larger(3, "2"), f"scenario 3 case 2, each of the larger N judged; {', '.join(beside)}"
    )


# ------------------------------------------------------------------------------------------------- loss and jitter
@claim("sat.s1c1.loss-max")
def _(runs: Runs) -> Evidence:
    return at_largest(runs, "loss", 1, "1")


@claim("sat.s1c1.jitter")
def _(runs: Runs) -> Evidence:
    near, beyond = Point(1, "1", 108), Point(1, "1", 114)
    loads = [analytic(runs, point) for point in (near, beyond)]
    note = (
        f"the load is {loads[0]:.2f} there; at N = 114 with {loads[1]:.2f} it is {percent(runs.mean('jitter', beyond))}"
    )
    return samples(runs, "jitter", [near], note)


@claim("sat.s1c1.seeds")
def _(runs: Runs) -> Evidence:
    points = [point for point in case_points(1, "1") if point.n >= 96]
    spreads = [relative_spread(runs.values("loss", point)) for point in points]
    spread = math.fsum(spreads) / len(spreads)
    return clauses(
        runs,
        Clause(
            "the standard deviation over seeds is more than a tenth of the mean loss, on average over N = 96 to 120",
            spread > 0.1,
            f"{percent(spread)} of the mean",
        ),
    )


def relative_spread(values: Sequence[float]) -> float:
    """Standard deviation over mean."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2 or mean == 0:
        return 0.0
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)) / mean


@claim("sat.s1c2.loss")
def _(runs: Runs) -> Evidence:
    return never(runs, "lost.real_time", "sent.real_time", case_points(1, "2"))


@claim("sat.s1c2.jitter")
def _(runs: Runs) -> Evidence:
    return never(runs, "over.real_time", "sent.real_time", case_points(1, "2"))


@claim("sat.s1c3.loss")
def _(runs: Runs) -> Evidence:
    found = samples(runs, "loss", larger(1, "3"), "each of the larger N judged")
    pairs = each_n(runs, "loss", larger(1, "1"), larger(1, "3"))
    shown = f"case 1 loses {percent(runs.average('loss', larger(1, '1')))}"
    return Samples(found.points, found.note, [all_above("case", "below case 1 at each of them", pairs, shown)])


@claim("sat.s1c3.jitter")
def _(runs: Runs) -> Evidence:
    return at_largest(runs, "jitter", 1, "3")


@claim("sat.s2c1.loss-max")
def _(runs: Runs) -> Evidence:
    return at_largest(runs, "data_loss", 2, "1")


@claim("sat.s2c2.loss")
def _(runs: Runs) -> Evidence:
    return never(runs, "lost.data", "sent.data", case_points(2, "2"))


@claim("sat.s2c3.loss")
def _(runs: Runs) -> Evidence:
    return samples(runs, "data_loss", larger(2, "3"), "each of the larger N judged")


ACTIVE = 19
"""Video sources active at the start from which real-time cells were seen to be late, with the most sources."""


def condition() -> str:
    """What the rare events of scenario 3 case 2 come with, and how often it occurs."""
    sources = MIXES[3].counts(MIXES[3].points - 1)["video"]
    often = sum(math.comb(sources, active) for active in range(ACTIVE, sources + 1)) / 2**sources
    return (
        f"a trial is a replication; the events come with {ACTIVE} or more of the {sources} video sources active at the "
        f"start: with the most sources, in {percent(often)} of the replications"
    )


@claim("sat.s3c2.loss")
def _(runs: Runs) -> Evidence:
    return never(runs.rare, "lost.real_time", "sent.real_time", rare_points(), condition())


@claim("sat.s3c2.data-loss")
def _(runs: Runs) -> Evidence:
    return never(runs.rare, "lost.data", "sent.data", rare_points(), low_queue_note(runs))


def low_queue_note(runs: Runs) -> str:
    """The last time at which the data queue was nearly full, as far as there are time series."""
    point = largest(3, "2")
    try:
        traces = runs.traces(point, "satellite", "queue_1").values()
    except MissingRunError:
        return ""
    full = [at for times, values in traces for at, value in zip(times, values, strict=True) if value > 900]
    if not full:
        return ""
    span = f"between {min(full):.1f} and {max(full):.1f} s and not again in the first minute"
    cause = "all sources start at once, and the first notices arrive while slow start still raises their rates"
    return f"at N = {point.n} the data queue holds more than 900 cells {span}: {cause}"


@claim("sat.s3c2.jitter")
def _(runs: Runs) -> Evidence:
    return never(runs.rare, "over.real_time", "sent.real_time", rare_points(), condition())


@claim("sat.s3c3.loss")
def _(runs: Runs) -> Evidence:
    return samples(runs, "loss", larger(3, "3"), "each of the larger N judged")


@claim("sat.s3c3.jitter")
def _(runs: Runs) -> Evidence:
    worst = max(case_points(3, "3"), key=lambda point: runs.mean("jitter", point))
    return samples(runs, "jitter", [worst], "the N with the highest share")


@claim("sat.user-link")
def _(runs: Runs) -> Evidence:
    points = [point for scenario in MIXES for case in CASES for point in case_points(scenario, case)]
    named = {str(point): point for point in points}
    return predicates.never(runs, "lost.user_link", "sent", named, paper_runs=PAPER_RUNS)


def ordered(runs: Runs, scenario: int, cases: Sequence[str], measures: Mapping[str, str]) -> list[Clause]:
    """Neighbours in an order: apart at the largest N, and not the other way at any N."""
    parts = []
    for name, word in measures.items():
        for better, worse in pairwise(cases):
            low, high = (runs.by_seed(name, largest(scenario, case)) for case in (better, worse))
            pairs = each_n(runs, name, case_points(scenario, better), case_points(scenario, worse))
            wrong = which_above({f"N = {n}": pair for n, pair in zip(MIXES[scenario].sizes, pairs, strict=True)})
            part = all_above("case", "", [(high, low)])
            shown = f"{percent(mean(low.values()))} and {percent(mean(high.values()))} at the largest N"
            shown += f", reversed at {', '.join(wrong)}" if wrong else ""
            text = f"{word}: case {better} below case {worse}"
            parts.append(Clause(text, part.holds and not wrong, shown, "case", part.undecided and not wrong))
    return parts


@claim("sat.s1.order")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *ordered(runs, 1, ("2", "3", "1"), {"loss": "loss", "jitter": "jitter"}))


@claim("sat.s2.order")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *ordered(runs, 2, ("2", "3", "1"), {"data_loss": "data loss"}))


@claim("sat.s3.unacceptable")
def _(runs: Runs) -> Evidence:
    parts = []
    for case in ("1", "3"):
        for name, word in (("loss", "real-time loss"), ("data_loss", "data loss"), ("jitter", "jitter")):
            low, high = (runs.seed_means(name, points) for points in (smaller(3, case), larger(3, case)))
            shown = f"{percent(mean(low.values()))} at the smaller, {percent(mean(high.values()))} at the larger N"
            parts.append(all_above("n", f"case {case}: {word} above zero and growing with N", [(high, low)], shown))
    return clauses(runs, *parts)


@claim("sat.future")
def _(_runs: Runs) -> Evidence:
    return NotRun("not run yet")
