"""The mean of independent values and its Student interval; Jain's index.

Replications with different seeds are independent with the same distribution, so their mean has the interval
mean +- t(n - 1, 0.975) s / sqrt(n), with s the standard deviation of the n values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LEVEL = 0.95
"""The default confidence of every interval and bound."""
TOO_FEW = " (too few for an interval)"
"""What stands behind the mean of several values that have no interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of independent values, with a confidence interval if there are enough.

    ``constant`` is whether all replications were the same run: the mean is then the value itself, ``count`` is 1, and
    there is no interval.
    """

    mean: float
    low: float | None
    high: float | None
    count: int
    constant: bool = False

    @property
    def half_width(self) -> float | None:
        """Half of the interval; ``None`` without one."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def relative(self) -> float | None:
        """The half width as a share of the mean; ``None`` without an interval, or if the mean is 0."""
        half = self.half_width
        return None if half is None or self.mean == 0 else half / abs(self.mean)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The ends of what the mean may be: those of the interval, or the value itself if nothing is random."""
        return (self.mean, self.mean) if self.constant and self.low is None else (self.low, self.high)

    def to_list(self) -> list[float | None]:
        """As plain data: the arguments that make it again."""
        return [self.mean, self.low, self.high, self.count, *([True] if self.constant else [])]

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.4g}" + TOO_FEW * (self.count > 1)
        if self.low == self.high:
            return f"{self.mean:.4g} (in all {self.count})"
        return f"{self.mean:.4g} ({self.low:.4g} to {self.high:.4g})"


def student(values: Iterable[float], level: float = LEVEL) -> Estimate:
    """Mean and Student interval of independent values; the interval needs at least two."""
    require_level(level)
    sample = [float(value) for value in values]
    count = len(sample)
    if count == 0:
        raise ValueError("an estimate needs at least one value")
    # The mean of equal values must be exactly that value, and their variance exactly 0.
    mean = min(max(math.fsum(sample) / count, min(sample)), max(sample))
    if count == 1:
        return Estimate(mean, None, None, 1)
    deviations = [value - mean for value in sample]
    variance = math.fsum(each * each for each in deviations) / (
        count - 1
    )  # a product, because pow() differs between machines
    half = student_quantile(count - 1, 0.5 + level / 2) * math.sqrt(variance / count)
    return Estimate(mean, mean - half, mean + half, count)


def student_quantile(freedom: int, probability: float) -> float:
    """Quantile of Student's t distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def paired(first: Iterable[float], second: Iterable[float], level: float = LEVEL) -> Estimate:
    """Student interval of the differences ``second - first``, replication by replication.

    For two schemes on the same seeds, and so with the same traffic: the common random variation cancels out. Raises
    ``ValueError`` if the numbers of values differ.
    """
    return student(changes(list(first), list(second)), level)


def changes(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The differences ``second - first``. Raises ``ValueError`` if the numbers of values differ."""
    if len(first) != len(second):
        raise ValueError(f"pairs need as many values on either side, not {len(first)} and {len(second)}")
    return [value - other for other, value in zip(first, second, strict=True)]


def jain(values: Iterable[float]) -> float:
    """Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 for equal shares, 1/n if one has everything.

    Shares that are all zero are equal, so their index is 1. Raises ``ValueError`` for no shares at all, and for a
    negative or infinite one. Source: Jain, Chiu and Hawe, DEC-TR-301 (1984).
    """
    shares = [float(value) for value in values]
    if not shares:
        raise ValueError("fairness needs at least one share")
    if not all(0 <= share < math.inf for share in shares):
        raise ValueError("a share is a finite number of 0 or more")
    largest = max(shares)
    if largest == 0:
        return 1.0
    parts = [share / largest for share in shares]  # the index has no unit, and squares of these stay in range
    total = math.fsum(parts)
    return min(1.0, total * total / (len(parts) * math.fsum(part * part for part in parts)))


def require_level(level: float) -> None:
    """Raises ``ValueError`` for an invalid level of confidence."""
    if not 0 < level < 1:
        raise ValueError(f"a level of confidence lies between 0 and 1, as 0.95 does; it is {level}")
