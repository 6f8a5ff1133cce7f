"""One long run: how much of its start to delete, and an interval from the means of its batches.

The readings of one run are correlated, so their standard deviation says little about their mean. The means of long
batches are hardly correlated, and are treated as independent; a test checks this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from penstock.statistics.estimate import LEVEL, Estimate, student

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

GROUP = 5
"""Readings in each average of MSER-5."""
LEAST_GROUPS = 10
"""With fewer, the error of the rest means nothing."""
BATCHES = 20
LEAST_BATCHES = 10
"""10 to 30 batches are enough: more do not narrow the interval much (Schmeiser, Operations Research 30, 1982)."""
LAG_LEVEL = 0.95
"""The probability that independent batches pass the test of lag 1."""


@dataclass(frozen=True, slots=True)
class BatchMeans:
    """An interval from one run.

    Attributes:
        estimate: mean and Student interval over the batch means; its count is the number of batches.
        size: readings in a batch.
        deleted: readings left out at the start.
        lag_1: correlation of neighbouring batch means, as the test estimates it; 0 if they do not differ.
        independent: whether it is compatible with 0. If not, the interval is too narrow: the run is too short.
    """

    estimate: Estimate
    size: int
    deleted: int
    lag_1: float
    independent: bool

    def __str__(self) -> str:
        text = f"{self.estimate}, {self.estimate.count} batches of {self.size:,} after {self.deleted:,} deleted"
        return text if self.independent else f"{text}; too short a run: batches correlate by {self.lag_1:.2f}"


def mser5(series: ArrayLike) -> int:
    """Number of readings to delete at the start of a series, so that its transient does not bias the mean.

    MSER-5 (White, Simulation 69, 1997; White, Cobb and Spratt, Winter Simulation Conference 2000): of the means of
    groups of five, delete those first d for which the marginal standard error of the k - d others is least, that is the
    sum of their squared deviations over (k - d)^2. Only the first half is searched, because a few remaining groups may
    agree by chance. The least d wins a tie; up to four readings at the end make no group and are ignored.

    Raises ``ValueError`` for fewer than 50 readings, and if the end of the search is best: then the transient may
    continue, and no number is right. Make the run longer.
    """
    import numpy as np

    values = _readings(series)
    count = len(values) // GROUP
    if count < LEAST_GROUPS:
        raise ValueError(f"MSER-5 needs at least {LEAST_GROUPS * GROUP} readings; there are {len(values)}")
    groups = values[: count * GROUP].reshape(count, GROUP).mean(axis=1)
    # Sums from the end, around a value of the steady part: a large transient must not hide later values by rounding.
    around = groups - groups[-1]
    left = np.arange(count, 0, -1)
    sums = np.cumsum(around[::-1])[::-1]
    squares = np.cumsum(around[::-1] ** 2)[::-1]
    errors = (squares - sums**2 / left) / left**2.0
    last = count // 2
    cut = int(np.argmin(errors[: last + 1]))
    if cut == last:
        raise ValueError(
            f"the start of the series differs from its end as far as half of its {len(values)} readings; "
            "make the run longer"
        )
    return cut * GROUP


def batch_means(
    series: ArrayLike,
    batches: int = BATCHES,
    level: float = LEVEL,
    delete: int | Literal["mser5"] = "mser5",
) -> BatchMeans:
    """Mean of one run with the Student interval over the means of its batches.

    If neighbouring batches correlate, batches of twice the length are tried, while ten are left; the result says
    whether the last passed. The test is von Neumann's ratio, one-sided, because only a positive correlation makes
    intervals too narrow. With C = 1 - sum (x[i+1] - x[i])^2 / (2 sum (x[i] - mean)^2), independent means pass if
    C <= z(0.95) sqrt((b - 2) / (b^2 - 1)) (Fishman, Management Science 24, 1978).

    Args:
        series: readings at regular times, or of one cell after the other.
        batches: their number at first, at least ten.
        level: confidence of the interval.
        delete: readings to delete at the start, or ``mser5`` to let :func:`mser5` choose. The few that would
            make no full batch are deleted there too.
    """
    values = _readings(series)
    if batches < LEAST_BATCHES:
        raise ValueError(f"batch means need at least {LEAST_BATCHES} batches, not {batches}")
    start = mser5(values) if delete == "mser5" else delete
    if start < 0 or len(values) - start < batches:
        raise ValueError(f"{batches} batches need as many readings; there are {len(values)}, {start} to be deleted")
    count = batches
    while True:
        size = (len(values) - start) // count
        deleted = len(values) - count * size
        means = values[deleted:].reshape(count, size).mean(axis=1)
        lag_1 = _lag_1(means)
        independent = lag_1 <= _largest_lag_1(count)
        if independent or count // 2 < LEAST_BATCHES:
            return BatchMeans(student(means, level), size, deleted, lag_1, independent)
        count //= 2


def _readings(series: ArrayLike) -> NDArray[np.float64]:
    import numpy as np

    values = np.asarray(series, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("a series is a list of finite numbers")
    return values


def _lag_1(means: NDArray[np.float64]) -> float:
    """Von Neumann's estimate: the first autocorrelation, plus half of each end's square."""
    import numpy as np

    if means.min() == means.max():
        return 0.0
    return float(1 - np.sum(np.diff(means) ** 2) / (2 * np.sum((means - means.mean()) ** 2)))


def _largest_lag_1(count: int) -> float:
    from scipy.special import ndtri

    return float(ndtri(LAG_LEVEL)) * math.sqrt((count - 2) / (count**2 - 1))
