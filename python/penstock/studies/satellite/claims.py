"""The claims of the thesis: one predicate for each, none of them tuned to the result.

The larger numbers of sources are the last third of each scenario's grid; a growth is a last third above the first. If
the text names one number of sources, that one is judged; if it names none, all or the larger ones are. Orders and
trends are judged by intervals of differences paired by seed (`orders`): all cases have the same traffic for a seed.

The claims about alternatives that the thesis rejects, and about one round of notices, use runs of the alternatives and
time series.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from penstock.analyse.metric import FRACTION, POSITIVE
from penstock.statistics import student
from penstock.studies import predicates
from penstock.studies.claims import LIKELY, Clause, Clauses, Count, Evidence, Samples
from penstock.studies.framework import RARE
from penstock.studies.orders import (
    BySeed,
    above,
    all_above,
    any_above,
    constant,
    paired_by_seed,
    plus,
    rising,
    times,
    which_above,
)
from penstock.studies.predicates import Factor, Predicates, clauses, percent, percents
from penstock.studies.runs import mean
from penstock.studies.satellite import contracts
from penstock.studies.satellite.grid import (
    ALTERNATIVE_SCENARIOS,
    CASES,
    MIXES,
    REAL_TIME,
    Point,
    case_points,
    larger,
    largest,
    rare_points,
    smaller,
)
from penstock.studies.satellite.measures import (
    Runs,
    by_round,
    condition,
    low_queue_note,
    relative_spread,
    unconstrained,
)

PREDICATES: Predicates[Runs] = Predicates(case=Factor(("case",), uncontrolled=("1",)))
claim = PREDICATES.claim

PAPER_RUNS = 3
"""Runs of the thesis for each point: its seeds."""
SLOWED = 1.5
"""Data are slowed considerably more than voice and video if so many times as much."""
STEP = 0.04
"""What one round of Type 0 takes off the load: a fifth of a class that holds a fifth of the link."""


# ---------------------------------------------------------------------------------------------------------- samples
def judged(name: str, measure: str, points: Sequence[Point], note: str = "") -> None:
    """Registers a claim whose number is judged at each of some points."""
    claim(name)(lambda runs: samples(runs, measure, points, note))


def zero(name: str, events: str, trials: str, points: Sequence[Point]) -> None:
    """Registers a claim that something never happens at some points."""
    claim(name)(lambda runs: never(runs, events, trials, points))


def samples(runs: Runs, name: str, points: Sequence[Point], note: str = "") -> Samples:
    """A measure at several points, each judged."""
    return predicates.samples(runs, name, {f"N = {point.n}": point for point in points}, note)


def at_largest(
    runs: Runs, name: str, scenario: int, case: str, note: str = "", beside: Sequence[Clause] = ()
) -> Samples:
    """A measure at the largest number of sources."""
    found = samples(runs, name, [largest(scenario, case)], note)
    return replace(found, beside=beside)


def never(runs: Runs, name: str, trials: str, points: Sequence[Point], note: str = "") -> Count:
    """A count that should be zero in all runs at some points of one case."""
    return predicates.never(
        runs, name, trials, {f"N = {point.n}": point for point in points}, note, paper_runs=PAPER_RUNS
    )


def each_n(runs: Runs, name: str, ones: Sequence[Point], others: Sequence[Point]) -> list[tuple[BySeed, BySeed]]:
    """A measure at the same numbers of sources in two cases, by seed."""
    return [(runs.by_seed(name, one), runs.by_seed(name, other)) for one, other in zip(ones, others, strict=True)]


# ---------------------------------------------------------------------------------------------------------- loads
def crossing(runs: Runs, at: int, before: int, loads: Mapping[int, BySeed], note: str, given: bool = False) -> Clauses:
    """Whether a load passes 1 between two numbers of sources."""
    means = {n: mean(values.values()) for n, values in loads.items()}
    factor = "" if given else "n"
    shown = f"{means[at]:.3f} at {at}, at least {min(means[n] for n in means if n >= at):.3f} beyond"
    pairs = [(loads[n], constant(1.0, loads[n])) for n in loads if n >= at]
    beyond = all_above(factor, f"above the link rate from N = {at} on", pairs, shown)
    not_yet = Clause(f"not above it at N = {before}", means[before] <= 1, f"{means[before]:.3f}", factor)
    return clauses(runs, *(replace(part, by_construction=given) for part in (beyond, not_yet)), note=note)


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
    return Samples({f"N = {point.n}": [analytic(runs, point)] * seeds}, note, by_construction=True, kind=POSITIVE)


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
    loads = {point.n: plus(analytic(runs, point), runs.by_seed("load.data", point)) for point in case_points(3, "1")}
    return crossing(runs, 57, 50, loads, "voice and video by their analytic means, data as measured, as in the text")


judged("sat.s1c2.load", "load", case_points(1, "2"), "each N judged")
judged("sat.s2c2.load", "load", case_points(2, "2"), "each N judged")
judged("sat.s3c2.load", "load", larger(3, "2"), "each of the larger N judged")


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
    pairs = [(constant(1.0, load), load) for load in loads]
    return all_above("", "below the link rate at every N", pairs, f"at most {most:.3f}")


def load_with_gap(runs: Runs, scenario: int) -> Samples:
    """The load of case 3 at the largest N, more than 10 points above case 2."""
    load, less = (runs.by_seed("load", largest(scenario, case)) for case in ("3", "2"))
    gap = paired_by_seed(load, less)
    text = "more than 10 points above case 2"
    beside = all_above("case", text, [(load, plus(0.1, less))], f"{100 * gap.mean:.1f} points")
    return at_largest(runs, "load", scenario, "3", beside=[beside])


claim("sat.s2c3.load")(lambda runs: load_with_gap(runs, 2))
claim("sat.s3c3.load")(lambda runs: load_with_gap(runs, 3))
claim("sat.s1.share")(lambda runs: unconstrained_share(runs, 1, ("video",)))
claim("sat.s3.share")(lambda runs: unconstrained_share(runs, 3, REAL_TIME))


def unconstrained_share(runs: Runs, scenario: int, groups: Sequence[str]) -> Samples:
    """Part of some kinds of sources in the load at nominal rates."""
    points = {}
    for point in case_points(scenario, "1"):
        part = unconstrained(runs, point, groups) / unconstrained(runs, point, MIXES[scenario].groups)
        points[f"N = {point.n}"] = [part] * len(runs.values("load", point))
    note = "the mix was fitted to it, at nominal rates; each N judged"
    return Samples(points, note, by_construction=True, kind=FRACTION)


@claim("sat.utilisation")
def _(runs: Runs) -> Evidence:
    used = {f"scenario {scenario}": runs.mean_over("utilisation", larger(scenario, "2")) for scenario in MIXES}
    return Samples(used, "case 2, means over the larger N, each scenario judged", kind=runs.kind("utilisation"))


# ------------------------------------------------------------------------------------------------- loss and jitter
judged("sat.s1c1.loss-max", "loss", [largest(1, "1")])


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


zero("sat.s1c2.loss", "lost.real_time", "sent.real_time", case_points(1, "2"))
zero("sat.s1c2.jitter", "over.real_time", "sent.real_time", case_points(1, "2"))


@claim("sat.s1c3.loss")
def _(runs: Runs) -> Evidence:
    found = samples(runs, "loss", case_points(1, "3"), "each N judged")
    pairs = each_n(runs, "loss", larger(1, "1"), larger(1, "3"))
    shown = f"case 1 loses {percent(runs.average('loss', larger(1, '1')))}"
    return replace(found, beside=[all_above("case", "below case 1 at each of the larger N", pairs, shown)])


judged("sat.s1c3.jitter", "jitter", [largest(1, "3")])
judged("sat.s2c1.loss-max", "data_loss", [largest(2, "1")])
zero("sat.s2c2.loss", "lost.data", "sent.data", case_points(2, "2"))
judged("sat.s2c3.loss", "data_loss", larger(2, "3"), "each of the larger N judged")
judged("sat.s3c3.loss", "loss", larger(3, "3"), "each of the larger N judged")


def rare(name: str, events: str, trials: str, note: Callable[[Runs], str]) -> None:
    """Registers a claim that a rare event never happens in scenario 3 case 2."""
    claim(name)(lambda runs: never(runs.of_kind(RARE), events, trials, rare_points(), note(runs)))


rare("sat.s3c2.loss", "lost.real_time", "sent.real_time", condition)
rare("sat.s3c2.data-loss", "lost.data", "sent.data", low_queue_note)
rare("sat.s3c2.jitter", "over.real_time", "sent.real_time", condition)


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
            text = f"case {case}: {word} above zero and growing with N, from the smaller to the larger N"
            parts.append(all_above("n", text, [(high, low)], percents(low, high)))
    return clauses(runs, *parts)


# ------------------------------------------------------------------------------------------------------------ files
def transfers(runs: Runs, scenario: int, case: str, *beside: Clause) -> Samples:
    """The file time at the largest N, and the rest of the sentence; the time of all files in the note."""
    all_files = runs.mean("transfer_mean_all_s", largest(scenario, case))
    note = f"finished files only; all files, by the cells sent, {all_files:.1f} s"
    return at_largest(runs, "transfer_mean_s", scenario, case, note, beside)


def rises(runs: Runs, scenario: int, case: str) -> Clause:
    """Whether the file time rises with N."""
    spent = [runs.by_seed("transfer_mean_s", point) for point in case_points(scenario, case)]
    return rising("n", "it rises with N", spent, "{:.1f}")


judged("sat.s2c1.transfer", "transfer_mean_s", case_points(2, "1"), "each N judged")
judged("sat.s3c1.transfer", "transfer_mean_s", case_points(3, "1"), "each N judged")
claim("sat.s2c2.transfer")(lambda runs: transfers(runs, 2, "2", rises(runs, 2, "2")))
claim("sat.s3c2.transfer")(lambda runs: transfers(runs, 3, "2", rises(runs, 3, "2")))
claim("sat.s3c3.transfer")(lambda runs: transfers(runs, 3, "3", rises(runs, 3, "3")))


@claim("sat.s2c3.transfer")
def _(runs: Runs) -> Evidence:
    two, three = (runs.by_seed("transfer_mean_s", largest(2, case)) for case in ("2", "3"))
    return transfers(runs, 2, "3", above("case", "case 2 takes longer", two, three, "{:.1f} s"))


def transfer_order(runs: Runs, scenario: int, cases: Sequence[str]) -> Clauses:
    """Neighbours in an order of file times, over the larger N."""
    spent = {case: runs.seed_means("transfer_mean_s", larger(scenario, case)) for case in cases}
    parts = [
        above("case", f"case {longer} takes longer than case {shorter}", spent[longer], spent[shorter], "{:.1f} s")
        for shorter, longer in pairwise(cases)
    ]
    return clauses(runs, *parts, note="means of the finished files over the larger N")


claim("sat.s2.transfer-order")(lambda runs: transfer_order(runs, 2, ("1", "3", "2")))
claim("sat.s3.transfer-order")(lambda runs: transfer_order(runs, 3, ("1", "2", "3")))


@claim("sat.s2.throughput")
def _(runs: Runs) -> Evidence:
    parts = []
    for name in ("throughput", "load"):
        two, three = (runs.seed_means(name, larger(2, case)) for case in ("2", "3"))
        shown = f"{100 * (mean(three.values()) / mean(two.values()) - 1):.1f} %"
        parts.append(
            all_above("case", f"{name} of case 3 more than 10 % above case 2", [(three, times(1.1, two))], shown)
        )
    base = runs.average("throughput", larger(2, "1"))
    return clauses(runs, *parts, note=f"means over the larger N; the throughput of case 1 is {base:.3f}")


@claim("sat.s3c2.throughput")
def _(runs: Runs) -> Evidence:
    values = runs.mean_over("throughput", larger(3, "2"))
    place = f"N = {MIXES[3].larger[0]} to {MIXES[3].larger[-1]}"
    return Samples({place: values}, "the mean over the larger N", kind=runs.kind("throughput"))


@claim("sat.s3.throughput")
def _(runs: Runs) -> Evidence:
    at_high = {case: runs.seed_means("throughput", larger(3, case)) for case in CASES}
    parts = [
        above("case", f"case 2 above case {case} at the larger N", at_high["2"], at_high[case]) for case in ("1", "3")
    ]
    for case in ("1", "3"):
        curve = {point.n: runs.by_seed("throughput", point) for point in case_points(3, case)}
        fewer = [n for n in curve if n < MIXES[3].larger[0]]
        last = MIXES[3].sizes[-1]
        before = {f"N = {n}": (curve[n], curve[last]) for n in fewer}
        parts.append(any_above("n", f"case {case} deteriorates: at some smaller N it is above N = {last}", before))
        at_low = {f"N = {n}": (curve[n], runs.by_seed("throughput", Point(3, "2", n))) for n in fewer}
        parts.append(any_above("case", f"case {case} above case 2 at some smaller N", at_low))
    return clauses(runs, *parts)


@claim("sat.s3.slowdown")
def _(runs: Runs) -> Evidence:
    def slowed(case: str, name: str) -> dict[int, float]:
        ours, base = (runs.seed_means(name, larger(3, each)) for each in (case, "1"))
        return {seed: 1 - ours[seed] / base[seed] for seed in sorted(ours.keys() & base.keys())}

    data, real_time = ({case: slowed(case, f"load.{kind}") for case in ("2", "3")} for kind in ("data", "real_time"))
    parts = [
        all_above(
            "case",
            f"case {case}: data slowed {SLOWED} times as much as voice and video",
            [(data[case], times(SLOWED, real_time[case])), (data[case], constant(0.0, data[case]))],
            percents(data[case], real_time[case]),
        )
        for case in ("2", "3")
    ]
    text = "voice and video slowed more in case 2 than in case 3"
    parts.append(all_above("case", text, [(real_time["2"], real_time["3"])], percents(*real_time.values())))
    return clauses(runs, *parts, note="load sent against case 1 on the same traffic, means over the larger N")


# --------------------------------------------------------------------------- alternatives, and one round of notices
@claim("sat.notice-step")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in MIXES:
        points = [largest(scenario, case) for case in ("2", "3")]
        told, untold = (by_round(runs, point, lambda episode: episode.fall) for point in points)
        starts = by_round(runs, points[0], lambda episode: episode.start)
        fall = mean(told.values(), "a new excess of the input rate")
        text = f"scenario {scenario}: the load falls by {100 * STEP:g} points or more"
        parts.append(Clause(text, fall >= STEP, f"{100 * fall:.1f} points from {percent(mean(starts.values()))}"))
        shown = f"without Type 0 {100 * mean(untold.values(), 'a new excess in case 3'):.1f} points"
        parts.append(all_above("case", f"scenario {scenario}: more than without Type 0", [(told, untold)], shown))
    note = "total filtered rate at a new excess of 0.9, minus its mean from 0.1 s to a round trip later; largest N, "
    return clauses(runs, *parts, note=f"{note}means of the rounds of each seed")


@claim("sat.bucket-queue")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        without, with_queue = largest(scenario, "2"), largest(scenario, "bucket-queue")
        longer, shorter = (times(1e3, runs.by_seed("delay", point)) for point in (with_queue, without))
        more, fewer = (runs.by_seed("jitter", point) for point in (with_queue, without))
        late = never(runs, "over.real_time", "sent.real_time", [without])
        shown = percents(more, fewer)
        parts += [
            above("case", f"scenario {scenario}: the queue raises the mean delay (ms)", longer, shorter, "{:.1f}"),
            Clause(f"scenario {scenario}: the jitter limit is met without it", late.unseen >= LIKELY, late.in_words),
            all_above(
                "case", f"scenario {scenario}: more cells are over the jitter limit with it", [(more, fewer)], shown
            ),
        ]
    return clauses(runs, *parts, note="voice and video, case 2 with and without a queue of 64 cells, largest N")


@claim("sat.priority")
def _(runs: Runs) -> Evidence:
    points = [largest(3, case) for case in ("no-priorities", "2")]
    parts = []
    for name, word in (("delay", "mean delay"), ("delay.p999", "99.9 % delay")):
        worse, better = (times(1e3, runs.by_seed(name, point)) for point in points)
        parts.append(above("case", f"{word} higher without priorities (ms)", worse, better, "{:.2f}"))
    worse, better = (runs.by_seed("jitter", point) for point in points)
    shown = percents(worse, better)
    parts.append(all_above("case", "more cells over the jitter limit without them", [(worse, better)], shown))
    return clauses(runs, *parts, note="voice and video, scenario 3 case 2, largest N, against one queue for all")


@claim("sat.alternatives")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        forward, backward = (
            by_round(runs, largest(scenario, case), lambda episode: 1e3 * episode.lasts_s)
            for case in ("forward-marking", "2")
        )
        text = f"scenario {scenario}: a new excess of the rate lasts longer with forward marking (ms)"
        parts.append(above("case", text, forward, backward, "{:.0f}"))
        used, stopped = (runs.by_seed("utilisation", largest(scenario, case)) for case in ("2", "stopping-sources"))
        shown = f"utilisation {percent(mean(stopped.values()))}, with rate control {percent(mean(used.values()))}"
        text = f"scenario {scenario}: sources that stop leave more of the link unused"
        parts.append(all_above("case", text, [(used, stopped)], shown))
    return clauses(runs, *parts, note="case 2 and its alternatives at the largest N")


claim("sat.excess")(contracts.excess_ratio)
claim("sat.contract-breakers")(contracts.breakers)
claim("sat.second-bucket")(contracts.second_bucket)
claim("sat.push-out")(contracts.push_out)
