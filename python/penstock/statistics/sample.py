"""The values of a quantity in independent replications, and the estimate of their mean within its bounds.

A loss ratio lies between 0 and 1, and a delay is above 0. Student's interval of a few skewed values ignores this: it
may reach from -15 to 40 % loss. So the interval is Student's on a scale without bounds, the logit for a quantity with
two bounds and the logarithm for one with a lower bound, and is transformed back. It is the scale of the mean that
changes (by the delta method: the standard error is multiplied by the slope of the scale at the mean). The mean of
transformed values would be another quantity, and a value of 0 would have no logarithm.

A ratio of counts is that of the summed counts, r = sum x / sum n, because a replication with few trials tells little.
Its standard error is that of the residuals x[i] - r n[i] (Cochran, Sampling Techniques, 3rd ed., section 6.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.statistics.chance import upper_bound
from penstock.statistics.estimate import LEVEL, Estimate, student

LEAST = 3
"""With two values there is no interval: Student's factor is 12.7, and the deviation of two values says little."""
LONGEST = 700.0
"""The largest exponent of a number."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The values of one quantity, one for each replication, and the bounds of the quantity.

    Attributes:
        values: the values.
        low: no mean is below this; minus infinity without a lower bound.
        high: no mean is above this; infinity without an upper bound.
        trials: for a ratio of counts the number of trials of each replication, all above 0; else empty.
        constant: whether all replications are the same run, bit for bit: they count as one.
    """

    values: Sequence[float]
    low: float = -math.inf
    high: float = math.inf
    trials: Sequence[int] = ()
    constant: bool = False

    @property
    def counted(self) -> int:
        """The trials of the independent replications: equal runs count once."""
        return self.trials[0] if self.constant and len(self.trials) else sum(self.trials)

    @property
    def linear(self) -> list[float]:
        """The values whose mean is the estimate: for a ratio of counts r + (x[i] - r n[i]) / mean n, else the values.

        Their variance is that of the estimate times the number of replications, and differences of two ratios are
        those of their linear values, replication by replication.
        """
        if not len(self.trials):
            return [float(value) for value in self.values]
        whole = sum(self.trials)
        pairs = list(zip(self.values, self.trials, strict=True))
        ratio = math.fsum(value * trials for value, trials in pairs) / whole
        if min(self.values) == max(self.values):  # exact, without the rounding of the product
            return [float(value) for value in self.values]
        return [ratio + trials * (value - ratio) * len(pairs) / whole for value, trials in pairs]

    def estimate(self, level: float = LEVEL) -> Estimate:
        """The mean with its interval, which respects the bounds; there is none for fewer than three independent values.

        If no trial of a ratio had the event, or every one had it, the interval ends at the one-sided bound for
        independent trials. Raises ``ValueError`` without values.
        """
        plain = student(self.linear[:1] if self.constant else self.linear, level)
        mean = min(max(plain.mean, self.low), self.high)
        if len(self.trials) and mean in (self.low, self.high):
            width = upper_bound(0, self.counted, level) * (self.high - self.low)
            ends = max(self.low, mean - width), min(self.high, mean + width)
            return Estimate(mean, *ends, plain.count, self.constant)
        half = plain.half_width
        if half is None or plain.count < LEAST:
            return Estimate(mean, None, None, plain.count, self.constant)
        return Estimate(mean, self._moved(mean, -half), self._moved(mean, half), plain.count)

    def _moved(self, mean: float, by: float) -> float:
        """The end of the interval at a distance ``by`` from the mean, which is measured on the scale without bounds."""
        below, above = mean - self.low, self.high - mean
        if math.isinf(below) and math.isinf(above):
            return mean + by
        if by == 0 or below == 0 or above == 0:
            return mean
        if math.isinf(above):
            return self.low + below * _exponential(by / below)
        if math.isinf(below):
            return self.high - above * _exponential(-by / above)
        # logit u = log(below / above), whose slope at the mean is (high - low) / (below above)
        ratio = above / below * _exponential(-by * (self.high - self.low) / (below * above))
        return self.low + (self.high - self.low) / (1 + ratio)


def _exponential(power: float) -> float:
    return math.exp(min(power, LONGEST))
