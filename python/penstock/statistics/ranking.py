"""Which of several is better: all pairs compared at once, on the same seeds, and a ranking with ties.

Five schemes make ten pairs, and more than a quarter of such tables would show a difference at 95 % between equal
schemes. So each pair's interval gets a tenth of the error probability (Bonferroni): all intervals are valid together
with the level asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from penstock.statistics.estimate import LEVEL, Estimate, changes, student, student_quantile
from penstock.statistics.sample import LEAST, Sample

ENOUGH = 10
"""With fewer replications, a difference that is not significant says nothing."""
Verdict = Literal["significant", "exact", "not significant", "too few", "identical"]
VERDICT_WORDS: Mapping[Verdict, str] = {
    "significant": "significant",
    "exact": "exact: nothing is random in either",
    "not significant": "not significant",
    "too few": f"too few replications to tell: try {ENOUGH}",
    "identical": "identical in every replication",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference ``second`` - ``first``, with an interval that is valid together with those of all other pairs.

    ``identical`` is whether the two agree in every replication.
    """

    first: str
    second: str
    estimate: Estimate
    identical: bool = False

    @property
    def significant(self) -> bool:
        """Whether 0 is outside the interval, or an exact difference is not 0; else without an interval nothing is."""
        return excludes_zero(self.estimate)

    @property
    def verdict(self) -> Verdict:
        """What the replications show: ``too few`` if fewer than ten show no difference."""
        return verdict_of(self.estimate, is_identical=self.identical)

    def __str__(self) -> str:
        return f"{self.second} - {self.first}: {self.estimate}, {VERDICT_WORDS[self.verdict]}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One item of a ranking.

    Attributes:
        name: its name.
        rank: 1 plus the number of items that are significantly better.
        last: the rank that it has if all undecided pairs turn out against it: above ``rank`` only if there are too few
            replications to tell it from another.
        estimate: its own mean, with its own interval.
        tied: the names of the items without a significant difference.
        note: a remark, if ``last`` is above ``rank``; else empty.
    """

    name: str
    rank: int
    last: int
    estimate: Estimate
    tied: tuple[str, ...]
    note: str = ""


def differences(samples: Mapping[str, Sequence[float] | Sample], level: float = LEVEL) -> list[Difference]:
    """The paired difference of every two samples, whose values are of the same seeds in the same order.

    The intervals are valid together with probability ``level`` or more. Samples that agree value by value are
    identical, which is a tie; one that is always the same amount above the other is significantly so.
    """
    known = {name: as_sample(values) for name, values in samples.items()}
    pairs = list(combinations(known, 2))
    each = 1 - (1 - level) / max(1, len(pairs))
    return [
        Difference(
            first,
            second,
            difference(known[first], known[second], each),
            list(known[first].values) == list(known[second].values),
        )
        for first, second in pairs
    ]


def as_sample(values: Sequence[float] | Sample) -> Sample:
    """Values as a sample; plain numbers have no bounds."""
    return values if isinstance(values, Sample) else Sample([float(value) for value in values])


def excludes_zero(estimate: Estimate) -> bool:
    """Whether 0 is outside the interval, or a difference in which nothing is random is not 0."""
    low, high = estimate.ends
    return low is not None and high is not None and (low > 0 or high < 0)


def verdict_of(estimate: Estimate, *, is_identical: bool) -> Verdict:
    """What the replications show of a difference: ``too few`` if fewer than ten show none."""
    if is_identical:
        return "identical"
    if excludes_zero(estimate):
        return "exact" if estimate.constant else "significant"
    return "too few" if estimate.count < ENOUGH else "not significant"


def difference(first: Sample, second: Sample, level: float) -> Estimate:
    """Student's interval of ``second`` - ``first``, within its bounds; if only one has events, often, that of its mean.

    Where neither has anything random, the difference is exact, and has no interval.

    Student's interval of a few skewed losses contains 0, although the mean loss of a scheme that lost cells is not 0.
    If two schemes were equal, each replication in which only one of them loses would be the first's or the second's
    with equal probability, so all m such replications are of one scheme with probability 2^(1 - m). If that is at most
    one minus the level (the sign test, which is exact), the interval is that of the scheme's own mean, above 0.
    """
    if first.constant and second.constant:
        return Estimate(second.estimate().mean - first.estimate().mean, None, None, 1, constant=True)
    width = first.high - first.low
    estimate = Sample(changes(first.linear, second.linear), -width, width).estimate(level)
    if sign_test(first, second) > 1 - level:
        return estimate
    either = first if any(first.values) else second
    own = Sample(either.values, 0.0, either.high, either.trials).estimate(level)
    if either is second or own.low is None or own.high is None:
        return own
    return Estimate(-own.mean, -own.high, -own.low, own.count)


def sign_test(first: Sample, second: Sample) -> float:
    """The probability 2^(1 - m) of :func:`difference`, if only one of the samples has events; else 1."""
    either = first if any(first.values) else second
    if any(first.values) == any(second.values) or min(either.values) < 0:
        return 1.0
    return 1.0 if either.constant else float(2.0 ** (1 - sum(value > 0 for value in either.values)))


def p_value(first: Sample, second: Sample) -> float:
    """The least 1 - ``level`` at which the interval of :func:`difference` excludes zero: the p-value of the pair."""
    from scipy.special import stdtr

    changed = changes(first.linear, second.linear)
    plain = student(changed)
    if len(changed) < LEAST or plain.mean == 0 or plain.half_width is None:
        return sign_test(first, second)
    mean, width = abs(plain.mean), first.high - first.low
    if plain.half_width == 0 or mean >= width:
        return 0.0
    # the distance from 0 in standard errors, both on the scale without bounds on which the interval is computed
    distance = mean if math.isinf(width) else (width * width - mean * mean) * math.atanh(mean / width) / width
    ratio = distance / plain.half_width * student_quantile(len(changed) - 1, 0.5 + LEVEL / 2)
    return min(sign_test(first, second), 2 * float(stdtr(len(changed) - 1, -ratio)))


def rank(
    samples: Mapping[str, Sequence[float] | Sample], *, lower_is_better: bool, level: float = LEVEL
) -> list[Ranked]:
    """A ranking of samples, the best first; those without a significant :func:`differences` share a rank.

    Equal ranks do not mean equality: two may share a rank only because their intervals are wide. Ties are not
    transitive: the first may tie with the second and the second with the third, and still be better than the third.
    Within a rank the better mean comes first.
    """
    sign = 1 if lower_is_better else -1
    better: dict[str, set[str]] = {name: set() for name in samples}
    undecided: dict[str, set[str]] = {name: set() for name in samples}
    tied: dict[str, list[str]] = {name: [] for name in samples}
    for pair in differences(samples, level):
        if pair.significant:
            first_is_better = sign * pair.estimate.mean > 0
            good, bad = (pair.first, pair.second) if first_is_better else (pair.second, pair.first)
            better[bad].add(good)
            continue
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            tied[one].append(other)
            if pair.verdict == "too few":
                undecided[one].add(other)
    ranking = []
    for name, values in samples.items():
        first = 1 + len(better[name])
        last = first + len(undecided[name])
        note = VERDICT_WORDS["too few"] if last > first else ""
        others = tuple(other for other in samples if other in tied[name])
        ranking.append(Ranked(name, first, last, as_sample(values).estimate(level), others, note))
    return sorted(ranking, key=lambda item: (item.rank, sign * item.estimate.mean))


def groups_of_ties(ranking: Sequence[Ranked]) -> list[tuple[str, ...]]:
    """The largest groups of items of which no two differ significantly, that of the best first.

    An item is in several groups if it ties with items that differ. (The compact letter display: Piepho, Journal of
    Computational and Graphical Statistics 13, 2004.)
    """
    tied = {item.name: {item.name, *item.tied} for item in ranking}
    found: list[set[str]] = [set(tied)] if tied else []
    for first, second in combinations(tied, 2):
        if second in tied[first]:
            continue
        split = [group - {apart} for group in found for apart in _apart(group, first, second)]
        found = [group for group in split if not any(group < other for other in split)]
        found = [group for place, group in enumerate(found) if group not in found[:place]]
    order = list(tied)
    names = [tuple(name for name in order if name in group) for group in found]
    return sorted(names, key=lambda group: [order.index(name) for name in group])


def _apart(group: set[str], first: str, second: str) -> Iterable[str | None]:
    """What to leave out of a group so that the two are not together in it: nothing, or either."""
    return (first, second) if first in group and second in group else (None,)
