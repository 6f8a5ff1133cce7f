"""Verdicts on the claims about the tables of the ATN paper, none of them tuned to the result.

The claims on the notes of section 5 are in `weighed`. If a pair of strategies differs in the paper's table, it must
differ in ours, in the same direction. A printed tie has no order, so it is ignored, and a column with ties only is no
part of a claim. Differences are paired by seed: all strategies have the same connections and packets.

Only the tables in `Runs.tables` are judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from penstock.studies.atn.grid import STRATEGIES, Point
from penstock.studies.atn.printed import COLUMNS, Printed, is_fitted
from penstock.studies.atn.runs import Runs
from penstock.studies.atn.ties import all_apart, no_less, side
from penstock.studies.atn.weighed import PREDICATES
from penstock.studies.claims import Clause, Clauses, Evidence, Samples, load_claims
from penstock.studies.predicates import clauses, listed, percent
from penstock.studies.runs import MissingRunError, mean

__all__ = ["PREDICATES"]

claim = PREDICATES.claim

Strategies = Mapping[str, Mapping[int, float]]
"""A measure of each strategy, by seed."""
TOLERANCES = {each.id: each.tolerance or 0.0 for each in load_claims("penstock.studies.atn")}


# --------------------------------------------------------------------------------------------------------------- order
def printed_apart(table: Printed, measure: str) -> dict[tuple[str, str], int]:
    """The pairs of strategies that differ in a printed table: 1 if the first has more, -1 if it has less."""
    printed = {name: {0: table.value(name, measure)} for name in STRATEGIES}
    sides = {pair: side(measure, *(printed[name] for name in pair)) for pair in combinations(STRATEGIES, 2)}
    return {pair: which for pair, which in sides.items() if which}


def of_each(runs: Runs, table: Printed, measure: str) -> dict[str, dict[int, float]]:
    """A measure of every strategy of a table, by seed."""
    return {name: runs.by_seed(measure, Point(name, table.scenario)) for name in STRATEGIES}


def in_words(measure: str, own: Mapping[str, Mapping[int, float]]) -> str:
    """The means of strategies for a note."""
    means = {STRATEGIES[name]: mean(values.values()) for name, values in own.items()}
    return listed(means, COLUMNS[measure].form)


def order(runs: Runs, table: Printed, measure: str, printed: Mapping[tuple[str, str], int]) -> Clause:
    """Whether the pairs that differ in a printed table differ in the same direction in ours."""
    own = of_each(runs, table, measure)
    wrong = []
    for (one, other), wanted in printed.items():
        found = side(measure, own[one], own[other])
        if found != wanted:
            wrong.append(f"{STRATEGIES[one]} {'against' if found else 'tied with'} {STRATEGIES[other]}")
    text = f"table {table.number}: order by {COLUMNS[measure].label}, {len(printed)} pairs differ as printed"
    told = (f"{len(printed) - len(wrong)} the same", ", ".join(wrong), in_words(measure, own))
    pairs = [(own[one], own[other], wanted) for (one, other), wanted in printed.items()]
    return all_apart("strategy", text, measure, pairs, ". ".join(filter(None, told)))


def orders(runs: Runs, measures: Sequence[str], *notes: str) -> Clauses:
    """The order by several columns, in each table."""
    parts, untold = [], []
    for table in runs.tables:
        for measure in measures:
            if printed := printed_apart(table, measure):
                parts.append(order(runs, table, measure, printed))
            else:
                untold.append(f"table {table.number} prints all as ties by {COLUMNS[measure].label}")
    return clauses(runs, *parts, note="; ".join([*untold, *notes]))


@claim("atn.delay")
def _(runs: Runs) -> Evidence:
    misprints = [
        f"table {table.number} prints a power of {printed} for {STRATEGIES[name]}; throughput over delay is {true:.4f}"
        for table in runs.tables
        for name, (printed, true) in table.misprints.items()
    ]
    return orders(runs, ("delay", "power", "discarded", "load"), *misprints)


def apart_from_all(text: str, measure: str, own: Strategies, chosen: str, wanted: int, shown: str) -> Clause:
    """Whether a chosen strategy is on one side of every other."""
    pairs = [(own[chosen], own[name], wanted) for name in own if name != chosen]
    return all_apart("strategy", text, measure, pairs, shown)


@claim("atn.throughput-order")
def _(runs: Runs) -> Evidence:
    parts, beside = [], []
    for table in runs.tables:
        own = of_each(runs, table, "throughput")
        shown = in_words("throughput", own)
        if table.number == "5-1":
            best = max(mean(values.values()) for values in own.values())
            behind = f"{percent(1 - mean(own['none'].values()) / best)} below the best"
            text = "table 5-1: none is last"
            parts.append(apart_from_all(text, "throughput", own, "none", -1, f"{shown}: {behind}"))
            is_best = all(no_less("throughput", own["backoff"], values) for values in own.values())
            beside.append(Clause("table 5-1: backoff is best, or tied with the best", is_best))
        else:
            text = "table 5-2: congestion avoidance is best"
            parts.append(apart_from_all(text, "throughput", own, "avoidance", 1, shown))
    return clauses(runs, *parts, beside=beside)


@claim("atn.retransmissions")
def _(runs: Runs) -> Evidence:
    return orders(runs, ("success", "success.all"))


# ---------------------------------------------------------------------------------------------------------- magnitudes
def magnitudes(runs: Runs, name: str, measure: str, other: str = "") -> list[Clause]:
    """Every cell of a column in each table, within the claim's tolerance; `other` is another interpretation of it.

    The cells that the network was fitted to hold by construction.
    """
    tolerance, column = TOLERANCES[name], COLUMNS[measure]
    parts = []
    for table in runs.tables:
        for strategy, told in STRATEGIES.items():
            point = Point(strategy, table.scenario)
            printed, own = table.value(strategy, measure), runs.mean(measure, point)
            shown = [f"{column.form.format(own)}, {100 * (own / printed - 1):+.0f} %"]
            if other:
                shown.append(f"other interpretation {column.form.format(runs.mean(other, point))}")
            text = f"table {table.number}, {told}: {column.form.format(printed)} within {100 * tolerance:.0f} %"
            holds = abs(own - printed) <= tolerance * printed
            given = is_fitted(table, measure, strategy)
            parts.append(Clause(text, holds, ", ".join(shown), by_construction=given))
    return parts


@claim("atn.throughput-magnitude")
def _(runs: Runs) -> Evidence:
    return clauses(runs, *magnitudes(runs, "atn.throughput-magnitude", "throughput"))


@claim("atn.delay-magnitude")
def _(runs: Runs) -> Evidence:
    parts = magnitudes(runs, "atn.delay-magnitude", "delay", "delay.transmission")
    return clauses(runs, *parts, note="the other interpretation counts from the first transmission")


@claim("atn.load-magnitude")
def _(runs: Runs) -> Evidence:
    parts = magnitudes(runs, "atn.load-magnitude", "load", "load.waiting")
    return clauses(runs, *parts, note="the other interpretation excludes the NPDU in transmission")


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
    for table in runs.tables:
        for measure, text, wanted in (
            ("throughput", "higher throughput", 1),
            ("delay", "lower delay", -1),
            ("load", "lower buffer load", -1),
            ("discarded", "fewer discards", -1),
            ("success.all", "fewer retransmissions, by the success ratio of all copies", 1),
        ):
            own, none = (runs.by_seed(measure, Point(name, table.scenario)) for name in ("avoidance", "none"))
            means = [mean(values.values()) for values in (own, none)]
            shown = " against ".join(map(COLUMNS[measure].form.format, means))
            if means[1]:
                shown += f", {100 * (means[0] / means[1] - 1):+.1f} %"
            pairs = [(own, none, wanted)]
            parts.append(all_apart("strategy", f"table {table.number}: {text}", measure, pairs, shown))
    return clauses(runs, *parts)
