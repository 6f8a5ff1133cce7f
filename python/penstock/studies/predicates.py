"""Code that the predicates of all studies share: their registration, evidence, and findings.

A predicate is one function for one claim: it takes the runs of its study and returns evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from penstock.studies.claims import (
    Clause,
    Clauses,
    Count,
    Evidence,
    NotRun,
    Samples,
)
from penstock.studies.runs import FULL_SEEDS, MissingRunError, P, Runs, mean

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Factor:
    """What orders compare: the fields of the study's points that change with it, and their values without control."""

    fields: tuple[str, ...]
    uncontrolled: tuple[object, ...] = ()


class Predicates(dict[str, Callable[[R], Evidence]]):
    """The predicates of one study, by the ids of their claims.

    `factors` are those that have several fields of the points, or a value without control. Others are a field.
    """

    def __init__(self, **factors: Factor) -> None:
        super().__init__()
        self.factors = factors

    def claim(self, name: str) -> Callable[[Callable[[R], Evidence]], Callable[[R], Evidence]]:
        """Registers a predicate under its claim's id."""

        def register(predicate: Callable[[R], Evidence]) -> Callable[[R], Evidence]:
            self[name] = predicate
            return predicate

        return register


def evidence_of(predicate: Callable[[R], Evidence], runs: R) -> Evidence:
    """The evidence of a predicate, or the missing runs."""
    try:
        return predicate(runs)
    except MissingRunError as missing:
        return NotRun(f"not run: {missing}")


def samples(runs: Runs[P], name: str, points: Mapping[str, P], note: str = "") -> Samples:
    """A measure at several points, by their names, each judged."""
    found = {place: runs.values(name, point) for place, point in points.items()}
    return Samples(found, note, kind=runs.kind(name))


def never(
    runs: Runs[P], name: str, trials: str, points: Mapping[str, P], note: str = "", *, paper_runs: int = 1
) -> Count:
    """A count that should be zero in all runs at some points, given by their names."""
    counts = {place: runs.values(name, point) for place, point in points.items()}
    return Count(
        {place: [value > 0 for value in values] for place, values in counts.items()},
        (int(sum(map(sum, counts.values()))), int(sum(sum(runs.values(trials, point)) for point in points.values()))),
        paper_runs,
        note,
    )


def clauses(runs: Runs[P], *parts: Clause, note: str = "", beside: Sequence[Clause] = ()) -> Clauses:
    """A sentence as clauses; without its main parts, the secondary ones, `beside`, do not count.

    In a full run no order is undecided, even if few of its seeds have what an order compares.
    """
    if runs.wanted >= FULL_SEEDS:
        parts, beside = (tuple(replace(part, undecided=False) for part in each) for each in (parts, beside))
    return Clauses(parts, runs.seeds, note, beside)


def listed(values: Mapping[str, float] | Sequence[float], form: str = "{:.0f}") -> str:
    """Values for a note, by name if they have names."""
    if isinstance(values, Mapping):
        return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())
    return ", ".join(form.format(value) for value in values)


def percents(*values: Mapping[int, float]) -> str:
    """The means of shares by seed, for a note."""
    return " and ".join(percent(mean(each.values())) for each in values)


def percent(value: float) -> str:
    """A share for a note."""
    return f"{100 * value:.3g} %"
