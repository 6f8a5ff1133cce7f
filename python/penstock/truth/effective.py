"""Effective bandwidth of on/off sources: the capacity that many of them need for a given loss.

Source: Guérin, Ahmadi and Naghshineh, Equivalent capacity and its application to bandwidth allocation in high-speed
networks, IEEE JSAC 9 (1991): the fluid form counts the buffer and not the multiplexing gain, the Gaussian form the gain
and not the buffer. Both are above what is needed, so the capacity is the smaller of their sums. Rates are in bits per
second, times in seconds, the buffer in bits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class OnOff:
    """A source with exponential times on and off, of these means, and a peak rate while on.

    A source that alternates between two positive rates is a constant one of rate ``low`` and an on/off source above it.
    """

    peak: float
    mean_on: float
    mean_off: float
    low: float = 0.0

    @property
    def share_on(self) -> float:
        """The share of time at the peak rate."""
        return self.mean_on / (self.mean_on + self.mean_off)

    @property
    def mean(self) -> float:
        """The mean rate."""
        return self.low + (self.peak - self.low) * self.share_on

    @property
    def variance(self) -> float:
        """The variance of the rate."""
        return (self.peak - self.low) ** 2 * self.share_on * (1.0 - self.share_on)


def fluid(source: OnOff, loss: float, buffer: float) -> float:
    """R (y - x + sqrt((y - x)^2 + 4 x a y)) / (2 y), y = ln(1/loss) b (1 - a) R, a the share on, b the mean time on.

    Without a buffer it is the peak rate.
    """
    span = source.peak - source.low
    if not span or source.share_on == 1.0:
        return source.peak
    y = math.log(1.0 / loss) * source.mean_on * (1.0 - source.share_on) * span
    ahead = y - buffer
    return source.low + span * (ahead + math.sqrt(ahead * ahead + 4.0 * buffer * source.share_on * y)) / (2.0 * y)


def gaussian(sources: Sequence[OnOff], loss: float) -> float:
    """Mean + standard deviation x sqrt(-2 ln(loss) - ln(2 pi)): the rate that all sources together seldom exceed."""
    deviation = math.sqrt(sum(source.variance for source in sources))
    return sum(source.mean for source in sources) + deviation * gaussian_factor(loss)


def gaussian_factor(loss: float) -> float:
    """sqrt(-2 ln(loss) - ln(2 pi)); needs a loss below 1 / sqrt(2 pi)."""
    return math.sqrt(-2.0 * math.log(loss) - math.log(2.0 * math.pi))


def capacity(sources: Sequence[OnOff], loss: float, buffer: float) -> float:
    """What the sources need together: the smaller of the fluid and of the Gaussian form."""
    return min(sum(fluid(source, loss, buffer) for source in sources), gaussian(sources, loss))
