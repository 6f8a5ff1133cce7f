"""The claims of the EPRCA paper: one predicate for each, none of them tuned to the result.

Words of the paper that need a number have it here, set before the runs. Differences are paired by seed: all have the
same video.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from penstock.studies.predicates import Predicates, clauses, difference, is_above, listed, percent, rising

PREDICATES: Predicates[Runs] = Predicates()
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
NEAR = 0.02
"""The greatest distance from its target of a link use that is almost optimal."""
SAME = 0.10
"""Rates within this part of their mean are the same."""


def of_each(runs: Runs, measure: str, tau: float, schemes: Sequence[str] = FOUR) -> dict[str, float]:
    """A measure of several schemes with ten connections, by their names."""
    return {SCHEMES[name].name: runs.mean(measure, Point(name, tau)) for name in schemes}


def other_reading(runs: Runs, points: Sequence[Point]) -> str:
    """The result of the other interpretation of EPRCA++'s fair share, for a note; empty if it was not run."""
    others = [grid.of_target(point) for point in points]
    if not all(point in runs.measures for point in others):
        return ""
    names = ("longest_queue", "queue_mean", "utilisation")
    longest, queue, use = ([runs.mean(name, point) for point in others] for name in names)
    return (
        "with the fair share of the target's part EPRCA++ would have a longest queue of "
        f"{listed(longest)}, a mean of {listed(queue)} and a use of {listed(use, '{:.3f}')}"
    )


# ------------------------------------------------------------------------------------------------------------ the LAN
@claim("epr.lan")
def _(runs: Runs) -> Evidence:
    parts = []
    for name in FOUR:
        follows = student(correlations(runs, Point(name, LAN)).values()).mean
        text = f"{SCHEMES[name].name}: the allowed rate falls as video rises (correlation at most {FOLLOWS})"
        parts.append(Clause(text, follows <= FOLLOWS, f"{follows:.2f}"))
    for name in FOUR:
        use, longest = (runs.mean(measure, Point(name, LAN)) for measure in ("utilisation", "longest_queue"))
        text = f"{SCHEMES[name].name} is not bad: link use of {percent(NOT_BAD)}, no queue over {ACCEPTABLE} cells"
        shown = f"{percent(use)}, {longest:.0f} cells"
        parts.append(Clause(text, use >= NOT_BAD and longest <= ACCEPTABLE, shown))
    queues = of_each(runs, "queue_mean", LAN)
    least = all(is_above(difference(runs, "queue_mean", Point(name, LAN), Point("plus", LAN))) for name in EPRCA)
    use = runs.mean("utilisation", Point("plus", LAN))
    parts.append(
        Clause(
            "EPRCA++ is best: the least mean queue while the link is used",
            least and use >= NOT_BAD,
            f"mean queues {listed(queues)}; longest {listed(of_each(runs, 'longest_queue', LAN))}; "
            f"use {listed(of_each(runs, 'utilisation', LAN), '{:.3f}')}",
        )
    )
    return clauses(runs, *parts, note=f"rates over 5 ms from 50 ms on; {other_reading(runs, [Point('plus', LAN)])}")


# ------------------------------------------------------------------------------------------------------------ the WAN
@claim("epr.wan.use")
def _(runs: Runs) -> Evidence:
    uses = of_each(runs, "utilisation", WAN, EPRCA)
    parts = [
        Clause(
            f"the BES uses the link better than the {SCHEMES[name].name.removeprefix('EPRCA, ')}",
            is_above(lead := difference(runs, "utilisation", Point("bes"), Point(name))),
            f"by {100 * lead.mean:.2f} points",
        )
        for name in ("efci", "eds")
    ]
    parts += [
        Clause(
            f"{SCHEMES[name].name}: the link is underused, below {percent(UNDERUSED)}",
            uses[SCHEMES[name].name] < UNDERUSED,
            percent(uses[SCHEMES[name].name]),
        )
        for name in ("efci", "eds")
    ]
    queues = listed(of_each(runs, "queue_mean", WAN, EPRCA))
    return clauses(runs, *parts, note=f"use {listed(uses, '{:.3f}')}; mean queues {queues} cells")


@claim("epr.wan.explosion")
def _(runs: Runs) -> Evidence:
    plus = Point("plus")
    longest = of_each(runs, "longest_queue", WAN)
    own, worst = runs.mean("longest_queue", plus), max(runs.mean("longest_queue", Point(name)) for name in EPRCA)
    return clauses(
        runs,
        Clause(
            "the longest queue of the four",
            all(is_above(difference(runs, "longest_queue", plus, Point(name))) for name in EPRCA),
            listed(longest),
        ),
        Clause(
            f"it explodes: over {ACCEPTABLE} cells, and {EXPLODES:g} times any other",
            own > ACCEPTABLE and own >= EXPLODES * worst,
            f"{own:.0f} cells, {own / worst:.1f} times",
        ),
    )


@claim("epr.eds-tuning")
def _(runs: Runs) -> Evidence:
    usual = runs.mean("utilisation", Point("eds"))
    goal = runs.mean("utilisation", Point("bes"))
    best = max(grid.eds_settings(), key=lambda point: runs.mean("utilisation", point))
    mended = [point for point in grid.eds_settings() if runs.mean("utilisation", point) >= goal]
    short = min(mended, key=lambda point: runs.mean("longest_queue", point), default=best)
    return clauses(
        runs,
        Clause(f"the EDS underuses the link, below {percent(UNDERUSED)}", usual < UNDERUSED, percent(usual)),
        Clause(
            "some setting uses it as well as the BES does",
            bool(mended),
            f"{percent(runs.mean('utilisation', best))} at {best}; the BES has {percent(goal)}; of {len(mended)} such "
            f"settings the shortest queue, {runs.mean('longest_queue', short):.0f} cells, at {short}",
        ),
        note=f"{len(grid.eds_settings())} settings of QT, DQT, AIR and MRF",
    )


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
    fairest = all(is_above(difference(runs, "fairness", grid.calm("plus"), grid.calm(name))) for name in EPRCA)
    parts.append(Clause("it is fairer: the highest of Jain's index", fairest, listed(index, "{:.4f}")))
    return clauses(runs, *parts, note="without video, tau = 1 ms")


# ---------------------------------------------------------------------------------- target, delay, and number
@claim("epr.target")
def _(runs: Runs) -> Evidence:
    parts = []
    for video, word in (("even", "with video"), ("none", "without video")):
        points = grid.against_target(video)
        queues = [runs.by_seed("longest_queue", point) for point in points]
        means = [runs.mean("longest_queue", point) for point in points]
        proper, high = means[TARGETS.index(PROPER)], means[TARGETS.index(TARGET)]
        parts += [
            rising(f"{word}: it rises with the target", queues, "{:.0f}"),
            Clause(
                f"{word}: at {TARGET:g} at least {STEEP:g} times that at {PROPER:g}",
                high >= STEEP * proper,
                f"{high / proper:.2f} times",
            ),
            Clause(f"{word}: {PROPER:g} is proper, at most {ACCEPTABLE} cells", proper <= ACCEPTABLE, f"{proper:.0f}"),
        ]
        if video == "even":
            parts.append(Clause(f"{word}: {TARGET:g} is not", high > ACCEPTABLE, f"{high:.0f}"))
    return clauses(runs, *parts, note=f"longest queue in cells at targets of {listed(TARGETS, '{:g}')}")


@claim("epr.tau")
def _(runs: Runs) -> Evidence:
    near = [tau for tau in TAUS if tau <= WAN]
    parts = []
    for name in EPRCA:
        means = [runs.mean("longest_queue", point) for point in grid.against_tau(Point(name))]
        worst = max(means[: len(near)])
        text = f"{SCHEMES[name].name}: at most {ACCEPTABLE} cells up to tau = {WAN:g} ms"
        parts.append(Clause(text, worst <= ACCEPTABLE, listed(means)))
    plus = [runs.mean("longest_queue", point) for point in grid.against_tau(Point("plus"))]
    parts.append(
        Clause(
            f"EPRCA++ at {TARGET:g} does not: over {ACCEPTABLE} cells at tau = {WAN:g} ms",
            plus[TAUS.index(WAN)] > ACCEPTABLE,
            listed(plus),
        )
    )
    return clauses(runs, *parts, note=f"longest queue in cells at tau = {listed(TAUS, '{:g}')} ms")


@claim("epr.nvc")
def _(runs: Runs) -> Evidence:
    parts = []
    for tau, word in ((LAN, "LAN"), (WAN, "WAN")):
        points = grid.against_number(Point("bes"), tau)
        longest, uses = ([runs.mean(name, point) for point in points] for name in ("longest_queue", "utilisation"))
        text = f"the BES is good in the {word} at every N: use of {percent(NOT_BAD)}, at most {ACCEPTABLE} cells"
        shown = f"use {listed(uses, '{:.3f}')}; longest {listed(longest)}"
        parts.append(Clause(text, min(uses) >= NOT_BAD and max(longest) <= ACCEPTABLE, shown))
    points = grid.against_number(Point("plus"), LAN)
    longest, uses = ([runs.mean(name, point) for point in points] for name in ("longest_queue", "utilisation"))
    shortest = all(
        is_above(difference(runs, "longest_queue", other, point))
        for name in EPRCA
        for other, point in zip(grid.against_number(Point(name), LAN), points, strict=True)
    )
    parts += [
        Clause("EPRCA++ is almost optimal in the LAN: the shortest queue at every N", shortest, listed(longest)),
        Clause(
            f"and link use within {100 * NEAR:g} points of its target",
            all(abs(use - TARGET) <= NEAR for use in uses),
            listed(uses, "{:.3f}"),
        ),
    ]
    return clauses(runs, *parts, note=f"N = {listed(NUMBERS)}; {other_reading(runs, points)}")
