"""Nulls: what a study's verdicts would be if a factor had no effect. They are made from its stored runs.

A claim that says that a quantity rises with N, or is less in case 2, should fail if N, or the case, does not matter.
In a draw of this null the runs of each seed exchange the values of that factor, at random: all else about a run stays,
and all its measures move together. Only the points that the claim reads take part. So the null keeps the distributions
of the runs and their correlations. A claim that holds in many draws does not test what it says.

Runs are exchanged within a block: the points that differ only in the factor. Each block and each seed has its own
permutation.

In the second null every level of the factor gets runs of one level, drawn with replacement: the control does nothing.
It is the level without control if the block has it, else the lowest.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, TypeVar

from penstock.studies.claims import Clause, Evidence, NotRun, clauses_of
from penstock.studies.predicates import Factor, Predicates, evidence_of
from penstock.studies.runs import MissingRunError, Runs

DRAWS = 400
MOST_PASSES = 33
"""Draws that may pass: with a probability of 5 % each, more than 33 of 400 pass in two tests of a thousand."""

R = TypeVar("R", bound=Runs[Any])
K = TypeVar("K")
V = TypeVar("V")
Point = Any
"""A point of a study: a frozen dataclass with an order."""
Source = Callable[[Point, int], tuple[Point, int]]
"""The point and the seed whose run takes the place of the run at a point with a seed."""


@dataclass(frozen=True, slots=True)
class Null:
    """The nulls of one claim and factor: how many draws pass, although the factor has no effect in them.

    Attributes:
        claim: its id.
        factor: what its orders compare.
        orders: how many of its clauses do; a draw passes if all of them hold.
        permuted: the draws that pass when the factor is permuted.
        without: the draws that pass when every level has the runs of one.
        draws: the draws of each.
    """

    claim: str
    factor: str
    orders: int
    permuted: int
    without: int
    draws: int = DRAWS

    @property
    def is_empty(self) -> bool:
        """Whether the claim passes so often without the effect that its verdict means nothing."""
        return max(self.permuted, self.without) > MOST_PASSES


# -------------------------------------------------------------------------------------------- runs from other runs
def moved(runs: R, source: Source, points: Collection[Any]) -> R:
    """The same runs, those at some points each replaced by that of its source, with all its measures and time series.

    A run whose source has no such table keeps its own.
    """

    def of(kept: Mapping[Any, Mapping[int, V]]) -> dict[Any, Mapping[int, V]]:
        found = dict(kept)
        for point in points:
            if point in kept:
                found[point] = {seed: taken(kept, source(point, seed), own) for seed, own in kept[point].items()}
        return found

    made = copy.copy(runs)
    made.measures, made.series = of(runs.measures), of(runs.series)  # type: ignore[assignment]
    for name, part in parts(runs):
        if isinstance(part, Mapping):
            setattr(made, name, {key: moved(each, source, points) for key, each in part.items()})
        else:
            setattr(made, name, moved(part, source, points))
    return made


def taken(table: Mapping[Any, Mapping[int, V]], place: tuple[Any, int], own: V) -> V:
    """What a table has at a point and a seed, or the own value."""
    point, seed = place
    return table[point].get(seed, own) if point in table else own


def parts(runs: Runs[Any]) -> Iterator[tuple[str, Any]]:
    """The fields of runs that are runs themselves, such as those with time series of some kind, or several by name."""
    for each in fields(runs):
        value = getattr(runs, each.name)
        several = value.values() if isinstance(value, Mapping) else [value]
        if any(isinstance(one, Runs) for one in several):
            yield each.name, value


# ------------------------------------------------------------------------------------------------ what a claim reads
class Watched(dict[K, V]):
    """A table by points that notes which points are read."""

    __slots__ = ("read",)

    def __init__(self, table: Mapping[K, V], read: set[K]) -> None:
        super().__init__(table)
        self.read = read

    def __getitem__(self, point: K) -> V:
        self.read.add(point)
        return super().__getitem__(point)

    def get(self, point, default=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - as that of dict
        """As of a dict."""
        self.read.add(point)
        return super().get(point, default)


def points_read(predicate: Callable[[R], Evidence], runs: R) -> tuple[set[Any], Sequence[Clause]]:
    """The points that a predicate reads, and its clauses. Raises as the predicate."""
    read: set[Any] = set()

    def watch(part: Runs[Any]) -> Runs[Any]:
        made = copy.copy(part)
        made.measures, made.series = Watched(part.measures, read), Watched(part.series, read)
        for name, inner in parts(part):
            several = {key: watch(one) for key, one in inner.items()} if isinstance(inner, Mapping) else watch(inner)
            setattr(made, name, several)
        return made

    evidence = predicate(watch(runs))  # type: ignore[arg-type]
    return {point for point in read if point in stored(runs)}, clauses_of(evidence)


def stored(runs: Runs[Any]) -> set[Any]:
    """All points that have runs of any kind."""
    found = {*runs.measures, *runs.series}
    for _, part in parts(runs):
        for each in part.values() if isinstance(part, Mapping) else [part]:
            found |= stored(each)
    return found


# ------------------------------------------------------------------------------------------------------------- nulls
def blocks(points: Collection[Any], names: Sequence[str]) -> list[list[Any]]:
    """The points in groups that differ only in the fields of a factor."""
    groups: dict[Any, list[Any]] = {}
    for point in sorted(points):
        rest = tuple(getattr(point, each.name) for each in fields(point) if each.name not in names)
        groups.setdefault(rest, []).append(point)
    return [group for group in groups.values() if len(group) > 1]


def permutation(groups: Sequence[Sequence[Any]], draw: int) -> Source:
    """A source for the points of some groups: it permutes those of each group, within each seed."""
    places = {point: (number, place) for number, group in enumerate(groups) for place, point in enumerate(group)}
    orders: dict[tuple[int, int], list[Any]] = {}

    def source(point: Point, seed: int) -> tuple[Point, int]:
        number, place = places[point]
        if (number, seed) not in orders:
            orders[number, seed] = random.Random(f"{draw} {number} {seed}").sample(groups[number], len(groups[number]))  # noqa: S311
        return orders[number, seed][place], seed

    return source


def resampling(groups: Sequence[Sequence[Any]], factor: Factor, seeds: Callable[[Any], list[int]], draw: int) -> Source:
    """A source for the points of some groups: all of a group get the runs of one of them, of random seeds."""
    chosen: dict[Any, tuple[Any, list[int]]] = {}
    for group in groups:
        without = [point for point in group if values_of(point, factor) == factor.uncontrolled]
        reference = (without or group)[0]
        chosen |= dict.fromkeys(group, (reference, seeds(reference)))

    def source(point: Point, seed: int) -> tuple[Point, int]:
        reference, there = chosen[point]
        return reference, random.Random(f"{draw} {point} {seed}").choice(there)  # noqa: S311

    return source


def values_of(point: Point, factor: Factor) -> tuple[Any, ...]:
    """The values of a factor's fields."""
    return tuple(getattr(point, name) for name in factor.fields)


def seeds_of(runs: Runs[Any], point: Point) -> list[int]:
    """The seeds of a point that all tables with this point have."""
    tables: list[Mapping[Point, Collection[int]]] = [runs.measures, runs.series]
    for _, part in parts(runs):
        for each in part.values() if isinstance(part, Mapping) else [part]:
            tables += [each.measures, each.series]
    return sorted(set.intersection(*(set(table[point]) for table in tables if point in table)))


def orders_of(clauses: Sequence[Clause]) -> dict[str, int]:
    """The number of orders among clauses, by their factor."""
    return Counter(clause.factor for clause in clauses if clause.factor)


def holds(predicate: Callable[[R], Evidence], runs: R, factor: str) -> bool:
    """Whether all orders of a factor hold in some runs. In these, what the claim speaks of may not even occur."""
    try:
        judged = [clause for clause in clauses_of(predicate(runs)) if clause.factor == factor]
    except MissingRunError:
        return False
    return bool(judged) and all(clause.holds for clause in judged)


def nulls(name: str, predicates: Predicates[R], runs: R, draws: int = DRAWS) -> Iterator[Null]:
    """The nulls of one claim, for each factor of its orders.

    Raises ``ValueError`` if no two of the points that the claim reads differ in the factor alone.
    """
    predicate = predicates[name]
    read, clauses = points_read(predicate, runs)
    for told, count in orders_of(clauses).items():
        factor = predicates.factors.get(told) or Factor((told,))
        groups = blocks(read, factor.fields)
        if not groups:
            raise ValueError(f"claim {name}: no two of its points differ in {' and '.join(factor.fields)} alone")
        points = [point for group in groups for point in group]

        def passes(make: Callable[[int], Source], told: str = told, points: Collection[Any] = points) -> int:
            return sum(holds(predicate, moved(runs, make(draw), points), told) for draw in range(draws))

        yield Null(
            name,
            told,
            count,
            passes(partial(permutation, groups)),
            passes(partial(resampling, groups, factor, partial(seeds_of, runs))),
            draws,
        )


def of_study(predicates: Predicates[R], runs: R, draws: int = DRAWS) -> Iterator[Null]:
    """The nulls of all claims of a study that have orders and were run."""
    for name in predicates:
        if not isinstance(evidence_of(predicates[name], runs), NotRun):
            yield from nulls(name, predicates, runs, draws)


def in_rows(found: Iterable[Null]) -> Iterator[str]:
    """Nulls as the rows of a table in Markdown."""
    yield f"| claim | factor | orders | of {DRAWS} draws, permuted | of {DRAWS} draws, without effect |"
    yield "|---|---|---|---|---|"
    for null in found:
        yield f"| `{null.claim}` | {null.factor} | {null.orders} | {null.permuted} | {null.without} |"
