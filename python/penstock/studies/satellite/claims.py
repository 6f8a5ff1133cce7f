"""The claims of the thesis: one predicate for each, none of them tuned to the result.

The larger numbers of sources are the last third of each scenario's grid; a growth is a last third above the first. If
the text names one number of sources, that one is judged; if it names none, all or the larger ones are.

The claims about alternatives that the thesis rejects, and about one round of notices, use runs of the alternatives and
time series.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from penstock.statistics import student
from penstock.studies import predicates
from penstock.studies.claims import Clause, Clauses, Evidence, NotRun, Samples
from penstock.studies.predicates import Predicates, clauses, never, percent
from penstock.studies.runs import MissingRunError, mean
from penstock.studies.satellite.grid import (
    ALTERNATIVE_SCENARIOS,
    CASES,
    MIXES,
    REAL_TIME,
    Point,
    case_points,
    larger,
    largest,
    smaller,
)
from penstock.studies.satellite.measures import Runs, all_episodes, relative_spread, unconstrained

PREDICATES: Predicates[Runs] = Predicates()
claim = PREDICATES.claim


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


def at_largest(runs: Runs, name: str, scenario: int, case: str, note: str = "") -> Samples:
    """A measure at the largest number of sources."""
    return samples(runs, name, [largest(scenario, case)], note)


# ---------------------------------------------------------------------------------------------------------- loads
def crossing(runs: Runs, scenario: int, at: int, before: int, load: Callable[[Point], float], note: str) -> Clauses:
    """Whether a load passes 1 between two numbers of sources."""
    loads = {point.n: load(point) for point in case_points(scenario, "1")}
    above = [n for n in loads if n >= at]
    return clauses(
        runs,
        Clause(
            f"above the link rate from N = {at} on",
            all(loads[n] > 1 for n in above),
            f"{loads[at]:.3f} at {at}, at least {min(loads[n] for n in above):.3f} beyond",
        ),
        Clause(f"not above it at N = {before}", loads[before] <= 1, f"{loads[before]:.3f}"),
        note=note,
    )


@claim("sat.s1c1.load-crosses")
def _(runs: Runs) -> Evidence:
    measured = [point.n for point in case_points(1, "1") if runs.mean("load", point) > 1]
    note = "judged, as in the text, by the analytic means without slow start; the measured load exceeds the link rate "
    note += f"at N = {min(measured)}" if measured else "at no N"
    return crossing(runs, 1, 96, 90, lambda point: unconstrained(runs, point, REAL_TIME), note)


@claim("sat.s1c1.load-max")
def _(runs: Runs) -> Evidence:
    point = largest(1, "1")
    analytic = unconstrained(runs, point, REAL_TIME)
    note = f"the analytic mean without slow start, as in the text; measured: {student(runs.values('load', point))}"
    return Samples({f"N = {point.n}": [analytic] * len(runs.values("load", point))}, note)


@claim("sat.s2c1.load-crosses")
def _(runs: Runs) -> Evidence:
    return crossing(runs, 2, 25, 23, lambda point: runs.mean("load", point), "measured loads, means over seeds")


@claim("sat.s2c1.load-max")
def _(runs: Runs) -> Evidence:
    analytic = unconstrained(runs, largest(2, "1"), ("data",))
    return at_largest(runs, "load", 2, "1", f"measured; the analytic mean is {analytic:.3f}")


@claim("sat.s3c1.load-crosses")
def _(runs: Runs) -> Evidence:
    def load(point: Point) -> float:
        return unconstrained(runs, point, REAL_TIME) + runs.mean("load.data", point)

    note = "voice and video by their analytic means, data as measured, as in the text"
    return crossing(runs, 3, 57, 50, load, note)


judged("sat.s1c2.load", "load", case_points(1, "2"), "each N judged")
judged("sat.s2c2.load", "load", [point for point in case_points(2, "2") if point.n >= 19], "each N from 19 on judged")
judged("sat.s3c2.load", "load", larger(3, "2"), "each of the larger N judged")


@claim("sat.s1c3.load")
def _(runs: Runs) -> Evidence:
    gap = runs.average("load", larger(1, "3")) - runs.average("load", larger(1, "2"))
    high = max(runs.mean("load", point) for point in case_points(1, "3"))
    below = [
        runs.mean("load", three) < runs.mean("load", one)
        for three, one in zip(larger(1, "3"), larger(1, "1"), strict=True)
    ]
    return clauses(
        runs,
        Clause("5 to 15 points above case 2, mean over the larger N", 0.05 <= gap <= 0.15, f"{100 * gap:.1f} points"),
        Clause("below case 1 at each of the larger N", all(below), f"{sum(below)} of {len(below)}"),
        Clause("below the link rate at every N", high < 1, f"at most {high:.3f}"),
    )


def load_with_gap(runs: Runs, scenario: int) -> Samples:
    """The load of case 3 at the largest N, with its distance from case 2 stated."""
    gap = runs.mean("load", largest(scenario, "3")) - runs.mean("load", largest(scenario, "2"))
    return at_largest(runs, "load", scenario, "3", f"{100 * gap:.1f} points above case 2")


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
    return Samples(points, "a property of the mix, at nominal rates; each N judged")


@claim("sat.utilisation")
def _(runs: Runs) -> Evidence:
    beside = [
        f"scenario {scenario}: {percent(runs.average('utilisation', larger(scenario, '2')))}" for scenario in (1, 2)
    ]
    return samples(
        runs, "utilisation", larger(3, "2"), f"scenario 3 case 2, each of the larger N judged; {', '.join(beside)}"
    )


# ------------------------------------------------------------------------------------------------- loss and jitter
judged("sat.s1c1.loss-max", "loss", [largest(1, "1")])


@claim("sat.s1c1.jitter")
def _(runs: Runs) -> Evidence:
    near, beyond = Point(1, "1", 108), Point(1, "1", 114)
    load = unconstrained(runs, near, REAL_TIME)
    note = f"the load is {load:.2f} there; at N = 114 it is {percent(runs.mean('jitter', beyond))}"
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
    base = runs.average("loss", larger(1, "1"))
    return samples(runs, "loss", larger(1, "3"), f"each of the larger N judged; case 1 loses {percent(base)} there")


judged("sat.s1c3.jitter", "jitter", [largest(1, "3")])
judged("sat.s2c1.loss-max", "data_loss", [largest(2, "1")])
zero("sat.s2c2.loss", "lost.data", "sent.data", case_points(2, "2"))
judged("sat.s2c3.loss", "data_loss", larger(2, "3"), "each of the larger N judged")
zero("sat.s3c2.loss", "lost.real_time", "sent.real_time", case_points(3, "2"))


@claim("sat.s3c2.data-loss")
def _(runs: Runs) -> Evidence:
    return never(runs, "lost.data", "sent.data", case_points(3, "2"), low_queue_note(runs))


def low_queue_note(runs: Runs) -> str:
    """The last time at which the data queue was nearly full, as far as there are time series."""
    point = largest(3, "2")
    try:
        traces = runs.of_kind("series").traces(point, "satellite", "queue_1").values()
    except MissingRunError:
        return ""
    full = [at for times, values in traces for at, value in zip(times, values, strict=True) if value > 900]
    if not full:
        return ""
    span = f"between {min(full):.1f} and {max(full):.1f} s and not again in the first minute"
    cause = "all sources start at once, and the first notices arrive while slow start still raises their rates"
    return f"at N = {point.n} the data queue holds more than 900 cells {span}: {cause}"


zero("sat.s3c2.jitter", "over.real_time", "sent.real_time", case_points(3, "2"))
judged("sat.s3c3.loss", "loss", larger(3, "3"), "each of the larger N judged")


@claim("sat.s3c3.jitter")
def _(runs: Runs) -> Evidence:
    worst = max(case_points(3, "3"), key=lambda point: runs.mean("jitter", point))
    return samples(runs, "jitter", [worst], "the N with the highest share")


@claim("sat.user-link")
def _(runs: Runs) -> Evidence:
    points = [point for scenario in MIXES for case in CASES for point in case_points(scenario, case)]
    return never(runs, "lost.user_link", "sent", points)


def ordered(runs: Runs, scenario: int, cases: Sequence[str], measures: dict[str, str]) -> list[Clause]:
    """Neighbours in an order: never reversed at any N, and significantly different at the largest."""
    parts = []
    for name, word in measures.items():
        for better, worse in pairwise(cases):
            pairs = zip(case_points(scenario, better), case_points(scenario, worse), strict=True)
            reversed_at = [low.n for low, high in pairs if runs.mean(name, low) > runs.mean(name, high)]
            low, high = runs.mean(name, largest(scenario, better)), runs.mean(name, largest(scenario, worse))
            shown = f"{percent(low)} and {percent(high)} at the largest N"
            if reversed_at:
                shown += f", reversed at N = {', '.join(map(str, reversed_at))}"
            parts.append(Clause(f"{word}: case {better} below case {worse}", low < high and not reversed_at, shown))
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
            low, high = runs.average(name, smaller(3, case)), runs.average(name, larger(3, case))
            shown = f"{percent(low)} at the smaller, {percent(high)} at the larger N"
            parts.append(Clause(f"case {case}: {word} above zero and growing with N", high > max(0.0, low), shown))
    return clauses(runs, *parts)


# ------------------------------------------------------------------------------------------------------------ files
def transfers(runs: Runs, scenario: int, case: str) -> Samples:
    """The file time at the largest N, its growth, and that of all files."""
    low, high = (runs.average("transfer_mean_s", ends(scenario, case)) for ends in (smaller, larger))
    point = largest(scenario, case)
    note = f"finished files only; all files, by the cells sent, {runs.mean('transfer_mean_all_s', point):.1f} s; "
    note += f"{low:.1f} s at the smaller N, {high:.1f} s at the larger"
    return samples(runs, "transfer_mean_s", [point], note)


judged("sat.s2c1.transfer", "transfer_mean_s", case_points(2, "1"), "each N judged")
claim("sat.s2c2.transfer")(lambda runs: transfers(runs, 2, "2"))
claim("sat.s2c3.transfer")(lambda runs: transfers(runs, 2, "3"))
judged("sat.s3c1.transfer", "transfer_mean_s", case_points(3, "1"), "each N judged")
claim("sat.s3c2.transfer")(lambda runs: transfers(runs, 3, "2"))
claim("sat.s3c3.transfer")(lambda runs: transfers(runs, 3, "3"))


def transfer_order(runs: Runs, scenario: int, cases: Sequence[str]) -> Clauses:
    """Neighbours in an order of file times, over the larger N."""
    times = {case: runs.average("transfer_mean_s", larger(scenario, case)) for case in cases}
    parts = [
        Clause(f"case {a} shorter than case {b}", times[a] < times[b], f"{times[a]:.1f} s and {times[b]:.1f} s")
        for a, b in pairwise(cases)
    ]
    return clauses(runs, *parts, note="means of the finished files over the larger N")


claim("sat.s2.transfer-order")(lambda runs: transfer_order(runs, 2, ("1", "3", "2")))
claim("sat.s3.transfer-order")(lambda runs: transfer_order(runs, 3, ("1", "2", "3")))


@claim("sat.s2.throughput")
def _(runs: Runs) -> Evidence:
    parts = []
    for name, word in (("throughput", "throughput"), ("load", "load")):
        ratio = runs.average(name, larger(2, "3")) / runs.average(name, larger(2, "2"))
        parts.append(Clause(f"{word} of case 3 more than 10 % above case 2", ratio > 1.1, f"{100 * (ratio - 1):.1f} %"))
    base = runs.average("throughput", larger(2, "1"))
    return clauses(runs, *parts, note=f"means over the larger N; the throughput of case 1 is {base:.3f}")


@claim("sat.s3c2.throughput")
def _(runs: Runs) -> Evidence:
    values = runs.mean_over("throughput", larger(3, "2"))
    return Samples({f"N = {MIXES[3].larger[0]} to {MIXES[3].larger[-1]}": values}, "the mean over the larger N")


@claim("sat.s3.throughput")
def _(runs: Runs) -> Evidence:
    at_high = {case: runs.average("throughput", larger(3, case)) for case in CASES}
    parts = [
        Clause(
            f"case 2 above case {case} at the larger N",
            at_high["2"] > at_high[case],
            f"{at_high['2']:.3f} and {at_high[case]:.3f}",
        )
        for case in ("1", "3")
    ]
    for case in ("1", "3"):
        curve = {point.n: runs.mean("throughput", point) for point in case_points(3, case)}
        peak = max(curve, key=lambda n: curve[n])
        last = MIXES[3].sizes[-1]
        falls = peak < MIXES[3].larger[0] and curve[last] < curve[peak]
        shown = f"highest {curve[peak]:.3f} at N = {peak}, {curve[last]:.3f} at N = {last}"
        parts.append(Clause(f"case {case} deteriorates as the load grows", falls, shown))
        above = [n for n in curve if n < MIXES[3].larger[0] and curve[n] > runs.mean("throughput", Point(3, "2", n))]
        shown = f"N = {', '.join(map(str, above))}" if above else "nowhere"
        parts.append(Clause(f"case {case} above case 2 at some smaller N", bool(above), shown))
    return clauses(runs, *parts)


@claim("sat.s3.slowdown")
def _(runs: Runs) -> Evidence:
    def slowed(case: str, name: str) -> float:
        return 1 - runs.average(name, larger(3, case)) / runs.average(name, larger(3, "1"))

    data = {case: slowed(case, "load.data") for case in ("2", "3")}
    real_time = {case: slowed(case, "load.real_time") for case in ("2", "3")}
    parts = [
        Clause(
            f"case {case}: data slowed at least half as much again as voice and video",
            data[case] > 1.5 * max(0.0, real_time[case]),
            f"{percent(data[case])} and {percent(real_time[case])}",
        )
        for case in ("2", "3")
    ]
    parts.append(
        Clause(
            "voice and video slowed more in case 2 than in case 3",
            real_time["2"] > real_time["3"],
            f"{percent(real_time['2'])} and {percent(real_time['3'])}",
        )
    )
    return clauses(runs, *parts, note="load sent against case 1 on the same traffic, means over the larger N")


# --------------------------------------------------------------------------- alternatives, and one round of notices
@claim("sat.notice-step")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in MIXES:
        told = all_episodes(runs, largest(scenario, "2"))
        untold = all_episodes(runs, largest(scenario, "3"))
        if not told:
            parts.append(Clause(f"scenario {scenario}: the load falls by 4 points or more", False, "no new excess"))
            continue
        fall = student(episode.fall for episode in told)
        shown = f"{100 * fall.mean:.1f} points from {percent(mean([e.start for e in told]))}, {len(told)} rounds"
        if untold:
            shown += f"; without Type 0 {100 * mean([e.fall for e in untold]):.1f} points"
        parts.append(Clause(f"scenario {scenario}: the load falls by 4 points or more", fall.mean >= 0.04, shown))
    note = (
        "case 2 against case 3 at the largest N: total filtered rate at a new excess of 0.9, minus its mean from 0.1 s"
    )
    return clauses(runs, *parts, note=f"{note} to a round trip later")


@claim("sat.bucket-queue")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        without, with_queue = largest(scenario, "2"), largest(scenario, "bucket-queue")
        delays = [1e3 * runs.mean("delay", point) for point in (without, with_queue)]
        over = [runs.mean("jitter", point) for point in (without, with_queue)]
        parts += [
            Clause(
                f"scenario {scenario}: the queue raises the mean delay",
                delays[1] > delays[0],
                f"{delays[0]:.1f} to {delays[1]:.1f} ms",
            ),
            Clause(
                f"scenario {scenario}: the jitter limit is met without it and not with it",
                over[0] == 0 and over[1] > 0,
                f"{percent(over[0])} and {percent(over[1])} of the cells over it",
            ),
        ]
    return clauses(runs, *parts, note="voice and video, case 2 with and without a queue of 64 cells, largest N")


@claim("sat.priority")
def _(runs: Runs) -> Evidence:
    point, without = largest(3, "2"), largest(3, "no-priorities")
    parts = []
    for name, word in (("delay", "mean delay"), ("delay.p999", "99.9 % delay")):
        better, worse = (1e3 * runs.mean(name, place) for place in (point, without))
        parts.append(Clause(f"{word} lower with priorities", better < worse, f"{better:.2f} and {worse:.2f} ms"))
    over = [runs.mean("jitter", place) for place in (point, without)]
    parts.append(
        Clause("fewer cells over the jitter limit", over[0] < over[1], f"{percent(over[0])} and {percent(over[1])}")
    )
    return clauses(runs, *parts, note="voice and video, scenario 3 case 2, largest N, against one queue for all")


@claim("sat.alternatives")
def _(runs: Runs) -> Evidence:
    parts = []
    for scenario in ALTERNATIVE_SCENARIOS:
        backward, forward = (
            mean([e.lasts_s for e in all_episodes(runs, largest(scenario, case))], "a new excess of the input rate")
            for case in ("2", "forward-marking")
        )
        parts.append(
            Clause(
                f"scenario {scenario}: a new excess of the rate ends sooner with backward notices",
                backward < forward,
                f"{1e3 * backward:.0f} and {1e3 * forward:.0f} ms",
            )
        )
        used, stopped = (runs.mean("utilisation", largest(scenario, case)) for case in ("2", "stopping-sources"))
        parts.append(
            Clause(
                f"scenario {scenario}: sources that stop leave more of the link unused",
                stopped < used,
                f"utilisation {percent(stopped)}, with rate control {percent(used)}",
            )
        )
    return clauses(runs, *parts, note="case 2 and its alternatives at the largest N")


@claim("sat.future")
def _(_runs: Runs) -> Evidence:
    return NotRun("not run yet")
