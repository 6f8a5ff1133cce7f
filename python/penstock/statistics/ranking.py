"""Which of several is better: all pairs compared at once, on the same seeds, and a ranking with ties.

Five schemes make ten pairs, and more than a quarter of such tables would show a difference at 95 % between equal
schemes. So each pair's interval gets a tenth of the error probability (Bonferroni): all intervals are valid together
with the level asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from penstock.statistics.estimate import LEVEL, Estimate, paired, student


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference ``second`` - ``first``, with an interval that is valid together with those of all other pairs."""

    first: str
    second: str
    estimate: Estimate

    @property
    def significant(self) -> bool:
        """Whether 0 is outside the interval; without an interval nothing is significant."""
        low, high = self.estimate.low, self.estimate.high
        return low is not None and high is not None and (low > 0 or high < 0)

    def __str__(self) -> str:
        if self.estimate.half_width is None:
            told = "one replication gives no interval"
        else:
            told = "significant" if self.significant else "not significant"
        return f"{self.second} - {self.first}: {self.estimate}, {told}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One item of a ranking.

    Attributes:
        name: its name.
        rank: 1 plus the number of items that are significantly better.
        estimate: its own mean, with its own interval.
        tied: the names of the items without a significant difference.
        note: why all are tied, if one replication gives no intervals; else empty.
    """

    name: str
    rank: int
    estimate: Estimate
    tied: tuple[str, ...]
    note: str = ""


def differences(samples: Mapping[str, Sequence[float]], level: float = LEVEL) -> list[Difference]:
    """The paired difference of every two samples, whose values are of the same seeds in the same order.

    The intervals are valid together with probability ``level`` or more. Samples that agree value by value differ by
    exactly 0, which is a tie; one that is always the same amount above the other is significantly so.
    """
    pairs = list(combinations(samples, 2))
    each = 1 - (1 - level) / max(1, len(pairs))
    return [Difference(first, second, paired(samples[first], samples[second], each)) for first, second in pairs]


def rank(samples: Mapping[str, Sequence[float]], *, lower_is_better: bool, level: float = LEVEL) -> list[Ranked]:
    """A ranking of samples, the best first; those without a significant :func:`differences` share a rank.

    Equal ranks do not mean equality: two may share a rank only because their intervals are wide. Ties are not
    transitive: the first may tie with the second and the second with the third, and still be better than the third.
    Within a rank the better mean comes first.
    """
    sign = 1 if lower_is_better else -1
    better: dict[str, set[str]] = {name: set() for name in samples}
    worse: dict[str, set[str]] = {name: set() for name in samples}
    for pair in differences(samples, level):
        if pair.significant:
            first_is_better = sign * pair.estimate.mean > 0
            good, bad = (pair.first, pair.second) if first_is_better else (pair.second, pair.first)
            better[bad].add(good)
            worse[good].add(bad)
    ranking = []
    for name, values in samples.items():
        estimate = student(values, level)
        parted = better[name] | worse[name] | {name}
        tied = tuple(other for other in samples if other not in parted)
        note = "one replication gives no interval, so that all are tied" if estimate.count == 1 and tied else ""
        ranking.append(Ranked(name, 1 + len(better[name]), estimate, tied, note))
    return sorted(ranking, key=lambda item: (item.rank, sign * item.estimate.mean))
