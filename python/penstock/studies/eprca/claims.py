"""The claims of the EPRCA paper: one predicate for each, none of them tuned to the result.

Words of the paper that need a number have it here, set before the runs but for two, which the study's page names.
Differences are paired by seed: all have the same video.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from penstock.statistics import student
from penstock.studies.claims import Clause, Evidence
from penstock.studies.eprca import grid
from penstock.studies.eprca.grid import (
    CELL_BITS,
    EPRCA,
    FOUR,
    INTERVAL_CELLS,
    LAN,
    LINK_BPS,
    NUMBERS,
    PROPER,
    SCHEMES,
    TARGET,
    TARGETS,
    TAUS,
    WAN,
    Point,
)
from penstock.studies.eprca.measures import Runs, acr, correlations, settling
from penstock.studies.orders import BySeed, all_above, any_above, constant, rising, times, which_above
from penstock.studies.predicates import Factor, Predicates, clauses, listed, percent
from penstock.studies.runs import mean

PREDICATES: Predicates[Runs] = Predicates(settings=Factor(("qt", "dqt", "air", "mrf")))
claim = PREDICATES.claim

FOLLOWS = -0.5
"""The correlation of the rate allowed to ABR with that of video, over 5 ms, at which ABR follows video."""
NOT_BAD = 0.90
"""Link use that is not bad."""
UNDERUSED = 0.95
"""Link use below which a link is underused by sources that always have something to send."""
ACCEPTABLE = 1000
"""Cells: the longest queue that is moderate; 2.7 ms of the link, about a round trip of the WAN."""
EXPLODES = 2.0
"""The least ratio of an exploding queue to the longest queue of any other scheme."""
STEEP = 2.0
"""The least ratio of the longest queue at a too high target to that at the proper one."""
FREQUENT = 10
"""Round trips of the WAN in which a connection has a major reduction, on average, if these are frequent."""
SAME = 0.10
"""Rates within this part of their mean are the same."""


def schemes(tau: float, plus: Point) -> dict[str, Point]:
    """The four schemes with ten connections, by their names; EPRCA++ under one reading."""
    return {SCHEMES[name].name: Point(name, tau) for name in EPRCA} | {SCHEMES["plus"].name: plus}


def plus_beyond(runs: Runs, text: str, measure: str, plus: Point, shown: str, *, least: bool = False) -> Clause:
    """Whether EPRCA++ has more of a measure than every switch of EPRCA, or less."""
    own = runs.by_seed(measure, plus)
    pairs = [(own, runs.by_seed(measure, Point(name, plus.tau))) for name in EPRCA]
    return all_above("scheme", text, [pair[::-1] for pair in pairs] if least else pairs, shown)


def with_readings(
    note: str, runs: Runs, judge: Callable[[Runs, Sequence[Point]], Sequence[Clause]], *points: Point
) -> str:
    """A note, and how the other readings of EPRCA++ do at these points: those that were run."""
    told = [note] if note else []
    for name, read in grid.READINGS.items():
        others = [read(point) for point in points]
        if all(point in runs.measures for point in others):
            parts = judge(runs, others)
            longest, use = ([runs.mean(each, point) for point in others] for each in ("longest_queue", "utilisation"))
            told.append(
                f"with {name} {sum(part.holds for part in parts)} of {len(parts)} parts hold: longest queue "
                f"{listed(longest)}, use {listed(use, '{:.3f}')}"
            )
    return "; ".join(told)


# ------------------------------------------------------------------------------------------------------------ the LAN
@claim("epr.lan")
def _(runs: Runs) -> Evidence:
    plus = Point("plus", LAN)
    note = with_readings("rates over 5 ms from 50 ms on", runs, in_the_lan, plus)
    return clauses(runs, *in_the_lan(runs, [plus]), note=note)


def in_the_lan(runs: Runs, points: Sequence[Point]) -> list[Clause]:
    """What the paper says of the LAN, with EPRCA++ at one point."""
    (plus,) = points
    four = schemes(LAN, plus)
    parts = []
    for name, point in four.items():
        follows = student(correlations(runs, point).values()).mean
        text = f"{name}: the allowed rate falls as video rises (correlation at most {FOLLOWS})"
        parts.append(Clause(text, follows <= FOLLOWS, f"{follows:.2f}"))
    for name, point in four.items():
        use, longest = (runs.mean(measure, point) for measure in ("utilisation", "longest_queue"))
        text = f"{name} is not bad: link use of {percent(NOT_BAD)}, no queue over {ACCEPTABLE} cells"
        shown = f"{percent(use)}, {longest:.0f} cells"
        parts.append(Clause(text, use >= NOT_BAD and longest <= ACCEPTABLE, shown))
    queues, longest_queues, uses = (
        {name: runs.mean(measure, point) for name, point in four.items()}
        for measure in ("queue_mean", "longest_queue", "utilisation")
    )
    shown = f"mean queues {listed(queues)}; longest {listed(longest_queues)}"
    parts.append(plus_beyond(runs, "EPRCA++ is best: the least mean queue", "queue_mean", plus, shown, least=True))
    is_used = runs.mean("utilisation", plus) >= NOT_BAD
    shown = f"use {listed(uses, '{:.3f}')}"
    parts.append(Clause(f"and the link is used, {percent(NOT_BAD)} of it", is_used, shown))
    return parts


# ------------------------------------------------------------------------------------------------------------ the WAN
@claim("epr.wan.use")
def _(runs: Runs) -> Evidence:
    uses = {SCHEMES[name].name: runs.mean("utilisation", Point(name)) for name in EPRCA}
    best, *others = (runs.by_seed("utilisation", Point(name)) for name in ("bes", "efci", "eds"))
    parts = []
    for name, use in zip(("EFCI switch", "EDS"), others, strict=True):
        lead = 100 * (mean(best.values()) - mean(use.values()))
        text = f"the BES uses the link better than the {name}"
        parts.append(all_above("scheme", text, [(best, use)], f"by {lead:.2f} points"))
        parts.append(underused(name, use))
    queues = listed({SCHEMES[name].name: runs.mean("queue_mean", Point(name)) for name in EPRCA})
    return clauses(runs, *parts, note=f"use {listed(uses, '{:.3f}')}; mean queues {queues} cells")


def underused(name: str, use: BySeed) -> Clause:
    """Whether a switch leaves too much of the link unused."""
    text = f"{name}: the link is underused, below {percent(UNDERUSED)}"
    return all_above("", text, [(constant(UNDERUSED, use), use)], percent(mean(use.values())))


@claim("epr.wan.explosion")
def _(runs: Runs) -> Evidence:
    plus = Point("plus")
    return clauses(runs, *exploding(runs, [plus]), note=with_readings("", runs, exploding, plus))


def exploding(runs: Runs, points: Sequence[Point]) -> list[Clause]:
    """What the paper says of the queue of EPRCA++ in the WAN, at one point."""
    (plus,) = points
    own, *others = (runs.by_seed("longest_queue", point) for point in (plus, *map(Point, EPRCA)))
    worst = max(mean(other.values()) for other in others)
    pairs = [(own, times(EXPLODES, other)) for other in others]
    text = f"it explodes: over {ACCEPTABLE} cells, and {EXPLODES:g} times any other"
    shown = f"{mean(own.values()):.0f} cells, {mean(own.values()) / worst:.1f} times"
    longest = listed({name: runs.mean("longest_queue", point) for name, point in schemes(WAN, plus).items()})
    return [
        plus_beyond(runs, "the longest queue of the four", "longest_queue", plus, longest),
        all_above("scheme", text, [(own, constant(ACCEPTABLE, own)), *pairs], shown),
    ]


@claim("epr.eds-major")
def _(runs: Runs) -> Evidence:
    usual, mild = Point("eds"), Point("eds", mrf=max(grid.MRFS))
    often = runs.by_seed("major_reductions_per_s", usual)
    least = 1 / (FREQUENT * 2 * WAN * 1e-3)
    text = f"a connection has a major reduction at least every {FREQUENT} round trips, on average"
    shown = f"{mean(often.values()):.0f} a second, and {least:.0f} is one every {FREQUENT} round trips"
    ones, others = (runs.by_seed("utilisation", point) for point in (mild, usual))
    return clauses(
        runs,
        all_above("", text, [(often, constant(least, often))], shown),
        all_above(
            "settings",
            f"without them the link is used better: a major reduction to {mild.mrf:g} of the mean is none",
            [(ones, others)],
            f"{percent(mean(ones.values()))} and {percent(mean(others.values()))}",
        ),
        note=f"in the LAN {runs.mean('major_reductions_per_s', Point('eds', LAN)):.0f} a second",
    )


@claim("epr.eds-tuning")
def _(runs: Runs) -> Evidence:
    usual, settings = Point("eds"), grid.eds_settings()
    uses = {point: runs.by_seed("utilisation", point) for point in settings}
    best = max(uses, key=lambda point: mean(uses[point].values()))
    others = {str(point): (use, uses[usual]) for point, use in uses.items() if point != usual}
    enough = {str(point): (use, constant(UNDERUSED, use)) for point, use in uses.items()}
    better = any_above("settings", "some setting uses it better than the usual one", others)
    mended = any_above("settings", f"some setting does not underuse it: over {percent(UNDERUSED)}", enough)
    shown = f"{percent(mean(uses[best].values()))} at {best}, with a longest queue of "
    shown += f"{runs.mean('longest_queue', best):.0f} cells"
    goal = percent(runs.mean("utilisation", Point("bes")))
    note = f"{len(settings)} settings of QT, DQT, AIR and MRF; the BES uses {goal}"
    counted = f"{len(which_above(others))} of {len(others)}"
    parts = (underused("EDS", uses[usual]), replace(better, shown=counted), replace(mended, shown=shown))
    return clauses(runs, *parts, note=note)


# ------------------------------------------------------------------------------------------------- rates in one round
def round_trip_s(connections: int) -> float:
    """The time to notify all connections in the WAN.

    A round trip, the interval that measures the change, and the time between two RM cells at the fair rate.
    """
    fair = TARGET * LINK_BPS / connections
    return 2 * WAN * 1e-3 + INTERVAL_CELLS * CELL_BITS / LINK_BPS + 32 * CELL_BITS / fair


@claim("epr.one-round")
def _(runs: Runs) -> Evidence:
    numbers = range(2, grid.CONNECTIONS + 1)
    rates = {name: acr(runs.of_kind("steps"), grid.calm(name)) for name in FOUR}
    settled = {name: [settling(rates[name], number, SAME) for number in numbers] for name in FOUR}
    own = dict(zip(numbers, settled["plus"], strict=True))
    late = [number for number, time_s in own.items() if time_s is None or time_s > round_trip_s(number)]
    told = ", ".join("never" if time_s is None else f"{1000 * time_s:.2f}" for time_s in own.values())
    soon = sum(time_s is not None for time_s in settled["plus"])
    others = {SCHEMES[name].name: sum(time_s is not None for time_s in settled[name]) for name in EPRCA}
    parts = [
        Clause(
            f"each time a connection starts, all rates are within {percent(SAME)} of one another after a round trip, "
            "the switch's interval and one distance of RM cells",
            not late,
            f"{told} ms after the start of the 2nd to the 10th; allowed {1000 * round_trip_s(2):.2f} to "
            f"{1000 * round_trip_s(10):.2f}",
        ),
        Clause(
            "EPRCA++ is more responsive: its rates settle before the next connection starts more often",
            soon > max(others.values()),
            f"{soon} of {len(numbers)} times, {listed(others)}",
        ),
    ]
    index = {SCHEMES[name].name: runs.mean("fairness", grid.calm(name)) for name in FOUR}
    fairest = index[SCHEMES["plus"].name] > max(index[SCHEMES[name].name] for name in EPRCA)
    parts.append(Clause("it is fairer: the highest of Jain's index", fairest, listed(index, "{:.4f}")))
    return clauses(runs, *parts, note="without video, tau = 1 ms: nothing in these runs is random")


# ---------------------------------------------------------------------------------- target, delay, and number
@claim("epr.target")
def _(runs: Runs) -> Evidence:
    points = [point for video in ("even", "none") for point in grid.against_target(video)]
    note = f"longest queue in cells at targets of {listed(TARGETS, '{:g}')}, with video and without"
    return clauses(runs, *against_targets(runs, points), note=with_readings(note, runs, against_targets, *points))


def against_targets(runs: Runs, points: Sequence[Point]) -> list[Clause]:
    """What the paper says of the target, at all targets with video and then without."""
    parts = []
    for of_video, word in ((points[: len(TARGETS)], "with video"), (points[len(TARGETS) :], "without video")):
        queues = [runs.by_seed("longest_queue", point) for point in of_video]
        proper, high = queues[TARGETS.index(PROPER)], queues[TARGETS.index(TARGET)]
        low, most = (mean(queue.values()) for queue in (proper, high))
        limit = constant(ACCEPTABLE, proper)
        text = f"{word}: at {TARGET:g} over {STEEP:g} times that at {PROPER:g}"
        parts += [
            rising("target", f"{word}: it rises with the target", queues, "{:.0f}"),
            all_above("target", text, [(high, times(STEEP, proper))], f"{most / low:.2f} times"),
            all_above("", f"{word}: {PROPER:g} is proper, under {ACCEPTABLE} cells", [(limit, proper)], f"{low:.0f}"),
        ]
        if of_video[0].video == "even":
            parts.append(all_above("", f"{word}: {TARGET:g} is not", [(high, limit)], f"{most:.0f}"))
    return parts


@claim("epr.tau")
def _(runs: Runs) -> Evidence:
    plus = grid.against_tau(Point("plus"))
    note = with_readings(f"longest queue in cells at tau = {listed(TAUS, '{:g}')} ms", runs, against_tau, *plus)
    return clauses(runs, *against_tau(runs, plus), note=note)


def against_tau(runs: Runs, plus: Sequence[Point]) -> list[Clause]:
    """What the paper says of tau, with EPRCA++ at these points."""
    queues = {name: [runs.by_seed("longest_queue", point) for point in grid.against_tau(Point(name))] for name in EPRCA}
    own_queues = [runs.by_seed("longest_queue", point) for point in plus]
    own = own_queues[TAUS.index(WAN)]
    parts = []
    for name in EPRCA:
        means = [mean(queue.values()) for queue in queues[name]]
        text = f"{SCHEMES[name].name}: at most {ACCEPTABLE} cells at every tau"
        parts.append(Clause(text, max(means) <= ACCEPTABLE, listed(means)))
    shown = listed([mean(queue.values()) for queue in own_queues])
    text = f"EPRCA++ at {TARGET:g} does not: over {ACCEPTABLE} cells at tau = {WAN:g} ms"
    parts.append(all_above("", text, [(own, constant(ACCEPTABLE, own))], shown))
    text = f"and more than any switch of EPRCA at tau = {WAN:g} ms"
    parts.append(all_above("scheme", text, [(own, queues[name][TAUS.index(WAN)]) for name in EPRCA]))
    return parts


@claim("epr.nvc")
def _(runs: Runs) -> Evidence:
    parts = []
    for tau, word in ((LAN, "LAN"), (WAN, "WAN")):
        points = grid.against_number(Point("bes"), tau)
        longest, uses = ([runs.mean(name, point) for point in points] for name in ("longest_queue", "utilisation"))
        text = f"the BES is good in the {word} at every N: use of {percent(NOT_BAD)}, at most {ACCEPTABLE} cells"
        shown = f"use {listed(uses, '{:.3f}')}; longest {listed(longest)}"
        parts.append(Clause(text, min(uses) >= NOT_BAD and max(longest) <= ACCEPTABLE, shown))
    plus = grid.against_number(Point("plus"), LAN)
    parts += almost_optimal(runs, plus)
    return clauses(runs, *parts, note=with_readings(f"N = {listed(NUMBERS)}", runs, almost_optimal, *plus))


def almost_optimal(runs: Runs, plus: Sequence[Point]) -> list[Clause]:
    """What the paper says of EPRCA++ in the LAN, at all numbers of connections."""
    longest, uses = ([runs.mean(name, point) for point in plus] for name in ("longest_queue", "utilisation"))
    pairs = [
        (runs.by_seed("longest_queue", other), runs.by_seed("longest_queue", point))
        for name in EPRCA
        for other, point in zip(grid.against_number(Point(name), LAN), plus, strict=True)
    ]
    text = "EPRCA++ is almost optimal in the LAN: the shortest queue at every N"
    return [
        all_above("scheme", text, pairs, listed(longest)),
        Clause(
            f"and the link is used, {percent(NOT_BAD)} of it",
            min(uses) >= NOT_BAD,
            listed(uses, "{:.3f}"),
        ),
    ]
