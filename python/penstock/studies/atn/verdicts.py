"""What the runs say about each claim on the tables of the ATN paper, none of them adjusted to the outcome.

The claims on the notes of section 5 are in `weighed`. A pair of strategies that a table prints apart must be apart in
ours, the same way round; which it prints as a tie says nothing. Differences are paired by seed: all strategies see the
same connections and packets.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from penstock.studies.atn.grid import STRATEGIES, Point
from penstock.studies.atn.printed import COLUMNS, TABLES, Printed
from penstock.studies.atn.runs import Runs
from penstock.studies.atn.weighed import PREDICATES
from penstock.studies.claims import Clause, Evidence, Samples, load_claims
from penstock.studies.predicates import clauses, difference, is_above, percent
from penstock.studies.runs import MissingRunError

__all__ = ["PREDICATES"]

claim = PREDICATES.claim

TIE = 0.03
RATIO_TIE = 0.01
NOTHING = 0.001
"""Shares of discards up to this are none: the tables print 0.0003 and 0."""
TOLERANCES = {each.id: each.tolerance or 0.0 for each in load_claims("atn")}


# --------------------------------------------------------------------------------------------------------------- order
def side(one: float, other: float, tie: float, least: float = 0.0) -> int:
    """-1, 0 or 1: whether one value is below another, about the same, or above. Up to `least` all are the same."""
    if max(abs(one), abs(other)) <= least or abs(one - other) <= tie * max(abs(one), abs(other)):
        return 0
    return 1 if one > other else -1


def order(runs: Runs, table: Printed, measure: str, tie: float = TIE) -> Clause:
    """Whether the pairs of strategies that a table prints apart are apart the same way in ours."""
    least = NOTHING if measure == "discarded" else 0.0
    own = {name: runs.mean(measure, Point(name, table.scenario)) for name in STRATEGIES}
    apart = wrong = 0
    told = []
    for one, other in combinations(STRATEGIES, 2):
        wanted = side(table.value(one, measure), table.value(other, measure), tie, least)
        found = side(own[one], own[other], tie, least)
        if wanted:
            apart += 1
            if found != wanted:
                wrong += 1
                told.append(f"{STRATEGIES[one]} {'tied with' if not found else 'against'} {STRATEGIES[other]}")
    column = COLUMNS[measure]
    shown = ", ".join(f"{STRATEGIES[name]} {column.form.format(value)}" for name, value in own.items())
    text = f"table {table.number}: order by {column.label}, {apart} pairs printed apart"
    return Clause(text, not wrong, ". ".join(filter(None, [f"{apart - wrong} the same", ", ".join(told), shown])))


def orders(runs: Runs, measures: Sequence[str], tie: float = TIE) -> list[Clause]:
    """The order by several columns, in both tables."""
    return [order(runs, table, measure, tie) for table in TABLES.values() for measure in measures]


@claim("atn.delay")
def _(runs: Runs) -> Evidence:
    misprints = [
        f"table {table.number} prints a power of {printed} for {STRATEGIES[name]}; throughput over delay is {true:.4f}"
        for table in TABLES.values()
        for name, (printed, true) in table.misprints.items()
    ]
    return clauses(runs, *orders(runs, ("delay", "power", "discarded", "load")), note="; ".join(misprints))


@claim("atn.throughput-order")
def _(runs: Runs) -> Evidence:
    first, second = TABLES.values()
    many, few = (
        {name: runs.mean("throughput", Point(name, table.scenario)) for name in STRATEGIES} for table in (first, second)
    )
    shown = [", ".join(f"{STRATEGIES[name]} {value:.4f}" for name, value in each.items()) for each in (many, few)]
    rivals = [value for name, value in few.items() if name != "avoidance"]
    below = max(runs_below := [value for name, value in many.items() if name != "none"])
    return clauses(
        runs,
        Clause(
            "table 5-1: backoff is best, or tied with the best",
            side(many["backoff"], max(many.values()), TIE) >= 0,
            shown[0],
        ),
        Clause(
            "table 5-1: none is last",
            all(side(many["none"], value, TIE) < 0 for value in runs_below),
            f"{percent(1 - many['none'] / below)} below the best",
        ),
        Clause(
            "table 5-2: congestion avoidance is best",
            all(side(few["avoidance"], value, TIE) > 0 for value in rivals),
            shown[1],
        ),
        order(runs, second, "throughput"),
    )


@claim("atn.retransmissions")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *orders(runs, ("success", "success.all"), RATIO_TIE))


# ---------------------------------------------------------------------------------------------------------- magnitudes
def magnitudes(runs: Runs, name: str, measure: str, beside: str = "") -> list[Clause]:
    """Every cell of a column in both tables, within the claim's tolerance; `beside` is another reading of it."""
    tolerance, column = TOLERANCES[name], COLUMNS[measure]
    parts = []
    for table in TABLES.values():
        for strategy, told in STRATEGIES.items():
            point = Point(strategy, table.scenario)
            printed, own = table.value(strategy, measure), runs.mean(measure, point)
            shown = [f"{column.form.format(own)}, {100 * (own / printed - 1):+.0f} %"]
            if beside:
                shown.append(f"other reading {column.form.format(runs.mean(beside, point))}")
            text = f"table {table.number}, {told}: {column.form.format(printed)} within {100 * tolerance:.0f} %"
            parts.append(Clause(text, abs(own - printed) <= tolerance * printed, ", ".join(shown)))
    return parts


@claim("atn.throughput-magnitude")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *magnitudes(runs, "atn.throughput-magnitude", "throughput"))


@claim("atn.delay-magnitude")
def _(runs: Runs) -> Evidence:
    parts = magnitudes(runs, "atn.delay-magnitude", "delay", "delay.transmission")
    return clauses(runs, *parts, note="the other reading counts from the first transmission")


@claim("atn.load-magnitude")
def _(runs: Runs) -> Evidence:
    parts = magnitudes(runs, "atn.load-magnitude", "load", "load.waiting")
    return clauses(runs, *parts, note="the other reading leaves out the NPDU in transmission")


@claim("atn.error-share")
def _(runs: Runs) -> Evidence:
    return Samples({"table 5-1": runs.values("error.share", Point("error", "a"))})


@claim("atn.error-share-few")
def _(runs: Runs) -> Evidence:
    return Samples({"table 5-2": runs.values("error.share", Point("error", "b"))})


@claim("atn.order-of-magnitude")
def _(runs: Runs) -> Evidence:
    none, own = (runs.by_seed("delay", Point(name, "b")) for name in ("none", "avoidance"))
    ratios = [none[seed] / own[seed] for seed in sorted(none.keys() & own.keys())]
    if not ratios:
        raise MissingRunError("delay without a strategy and with congestion avoidance, of the same seed")
    return Samples({"table 5-2": ratios})


@claim("atn.benefits")
def _(runs: Runs) -> Evidence:
    parts = []
    for table in TABLES.values():
        none, own = Point("none", table.scenario), Point("avoidance", table.scenario)
        for measure, text, sign in (
            ("throughput", "higher throughput", 1),
            ("delay", "lower delay", -1),
            ("load", "lower buffer load", -1),
            ("discarded", "fewer discards", -1),
            ("success.all", "fewer retransmissions, by the success ratio of all copies", 1),
        ):
            gain = difference(runs, measure, own, none) if sign > 0 else difference(runs, measure, none, own)
            column = COLUMNS[measure]
            means = (column.form.format(runs.mean(measure, point)) for point in (own, none))
            parts.append(Clause(f"table {table.number}: {text}", is_above(gain), " against ".join(means)))
    return clauses(runs, *parts, note="95 % intervals of differences paired by seed")
