"""nD/D/1: N sources of one period with independent uniform phases, one server of unit service.

Source: Bhargava, Humblet and Hluchyj, Queueing analysis of continuous bit stream transport in packet networks,
Globecom (1989); Roberts, Mocci and Virtamo (eds.), Broadband Network Teletraffic (1996), for it and the approximation.
"""

import math

import numpy as np
import scipy


def work_tail(sources: int, period: float, work: float) -> float:
    """P(V > x): more than `work` (service times) is unfinished at a random instant. Needs `sources` < `period`.

    The sum over floor(x) < n <= N of Binomial(n; N, (n-x)/D) (D-N+x) / (D-n+x). With phases on the grid of service
    times it is, for whole x, the queue after a slot's arrivals and before its departure.
    """
    present = np.arange(math.floor(work) + 1, sources + 1)
    share = (present - work) / period
    weights = (period - sources + work) / (period - present + work)
    return float(np.sum(scipy.stats.binom.pmf(present, sources, share) * weights))


def work_tail_heavy(sources: int, period: float, work: float) -> float:
    """Approximate P(V > x) for many sources and D near N: exp(-2 x (x/N + 1 - N/D))."""
    return math.exp(-2.0 * work * (work / sources + 1.0 - sources / period))
