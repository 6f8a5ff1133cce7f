"""Orders and trends between runs: what is above what, by intervals of differences paired by seed.

A value is above another if the whole 95 % interval of their differences, seed by seed, is above 0. Identical values are
a tie. If the interval contains 0 and there are fewer seeds than in a full run, the order is undecided: there are too
few replications to tell.

A sentence that says "all of" needs no correction: it is wrong only if one of its parts is. A sentence that says "any
of" needs Holm's (Scandinavian Journal of Statistics 6, 1979): with m chances, one of them is above by chance m times as
often.

Each order names its factor: the field of the study's points that it compares. `nulls` permutes this factor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from penstock.statistics import LEVEL, Estimate, paired
from penstock.studies.claims import Clause
from penstock.studies.runs import FULL_SEEDS, MissingRunError, mean

BySeed = Mapping[int, float]


def paired_by_seed(ones: BySeed, others: BySeed, level: float = LEVEL) -> Estimate:
    """The first values minus the second, each by seed, for the seeds that both have."""
    seeds = sorted(ones.keys() & others.keys())
    if not seeds:
        raise MissingRunError("two values of the same seed to compare")
    return paired([others[seed] for seed in seeds], [ones[seed] for seed in seeds], level)


def times(factor: float, values: BySeed) -> dict[int, float]:
    """So many times the values, each by seed."""
    return {seed: factor * value for seed, value in values.items()}


def plus(constant: float, values: BySeed) -> dict[int, float]:
    """A number more than the values, each by seed."""
    return {seed: constant + value for seed, value in values.items()}


def constant(value: float, like: BySeed) -> dict[int, float]:
    """A number to compare with, for each seed of some values."""
    return dict.fromkeys(like, value)


def is_above(difference: Estimate) -> bool:
    """Whether a difference lies above 0 with its whole interval; one replication has none, so nothing is above."""
    return difference.low is not None and difference.low > 0


def exceeds(ones: BySeed, others: BySeed, factor: float = 1.0) -> bool:
    """Whether the first values are more than so many times the second; a single value, as a printed one, decides."""
    difference = paired_by_seed(ones, times(factor, others))
    return is_above(difference) or (difference.low is None and difference.mean > 0)


def is_undecided(difference: Estimate) -> bool:
    """Whether more replications may tell: the interval has 0 within it, and a full run has more seeds."""
    if difference.count >= FULL_SEEDS:
        return False
    return difference.low is None or difference.high is None or difference.low <= 0 < difference.high


def all_above(factor: str, text: str, pairs: Sequence[tuple[BySeed, BySeed]], shown: str = "") -> Clause:
    """Whether the first of every pair is above the second."""
    found = [paired_by_seed(*pair) for pair in pairs]
    open_ones = [difference for difference in found if not is_above(difference)]
    return Clause(text, not open_ones, shown, factor, undecided=bool(open_ones) and all(map(is_undecided, open_ones)))


def above(factor: str, text: str, ones: BySeed, others: BySeed, form: str = "{:.3g}") -> Clause:
    """Whether the first values are above the second."""
    shown = " and ".join(form.format(mean(values.values())) for values in (ones, others))
    return all_above(factor, text, [(ones, others)], shown)


def which_above(pairs: Mapping[str, tuple[BySeed, BySeed]]) -> list[str]:
    """The names of the pairs whose first is above its second, by Holm's procedure: all are right at once at 95 %."""
    left = dict(pairs)
    found: list[str] = []
    while left:
        level = 1 - (1 - LEVEL) / len(left)
        certain = [name for name, pair in left.items() if is_above(paired_by_seed(*pair, level))]
        if not certain:
            return found
        found += certain
        for name in certain:
            del left[name]
    return found


def any_above(factor: str, text: str, pairs: Mapping[str, tuple[BySeed, BySeed]]) -> Clause:
    """Whether the first of any pair is above the second, and of which."""
    found = which_above(pairs)
    few = any(is_undecided(paired_by_seed(*pair, 1 - (1 - LEVEL) / len(pairs))) for pair in pairs.values())
    return Clause(text, bool(found), ", ".join(found) or "nowhere", factor, undecided=not found and few)


def rising(
    factor: str,
    text: str,
    columns: Sequence[BySeed],
    form: str = "{:.3g}",
    *,
    by: float = 1.0,
    falls: bool = False,
) -> Clause:
    """Whether values, each by seed, rise from the first to the last, to more than `by` times, or fall likewise.

    No step may go back: none does if no column is above the next, by Holm's procedure.
    """
    upward = columns[::-1] if falls else columns
    back = bool(which_above({str(place): pair for place, pair in enumerate(pairwise(upward))}))
    rise = paired_by_seed(upward[-1], times(by, upward[0]))
    shown = ", ".join(form.format(mean(column.values())) for column in columns)
    return Clause(text, is_above(rise) and not back, shown, factor, undecided=not back and is_undecided(rise))
