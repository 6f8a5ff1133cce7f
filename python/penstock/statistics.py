"""Statistics over replications: the mean of independent runs and its Student interval.

Replications with different seeds are independent and alike, so the mean over them has the interval
mean +- t(n - 1, 0.975) s / sqrt(n), with s the standard deviation of the n values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of independent values, with a confidence interval where two or more give one."""

    mean: float
    low: float | None
    high: float | None
    count: int

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.4g}"
        return f"{self.mean:.4g} ({self.low:.4g} to {self.high:.4g})"


def student(values: Iterable[float], level: float = LEVEL) -> Estimate:
    """Mean and Student interval of independent values; the interval needs at least two."""
    sample = [float(value) for value in values]
    count = len(sample)
    if count == 0:
        raise ValueError("an estimate needs at least one value")
    mean = math.fsum(sample) / count
    if count == 1:
        return Estimate(mean, None, None, 1)
    variance = math.fsum((value - mean) ** 2 for value in sample) / (count - 1)
    half = student_quantile(count - 1, 0.5 + level / 2) * math.sqrt(variance / count)
    return Estimate(mean, mean - half, mean + half, count)


def student_quantile(freedom: int, probability: float) -> float:
    """Quantile of Student's t distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def chance_bound(trials: int, level: float = LEVEL) -> float:
    """Upper bound of the chance of an event that never happened in so many independent trials."""
    if trials < 1:
        raise ValueError("a bound needs at least one trial")
    return float(1 - (1 - level) ** (1 / trials))
