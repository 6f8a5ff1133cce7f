"""Static priorities with Poisson arrivals at one server; class 0 is served first.

Source: Cobham, Priority assignment in waiting line problems, Operations Research 2 (1954); preemptive resume after
Kleinrock, Queueing Systems II (1976), chapter 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise


@dataclass(frozen=True, kw_only=True)
class Class:
    """One priority class: arrivals per unit of time, and the first two moments of its service time."""

    rate: float
    mean: float
    square: float

    @classmethod
    def constant(cls, load: float, service: float = 1.0) -> "Class":
        """Class whose service always takes `service`."""
        return cls(rate=load / service, mean=service, square=service**2)

    @classmethod
    def exponential(cls, load: float, mean: float = 1.0) -> "Class":
        """Class with exponential service of that mean."""
        return cls(rate=load / mean, mean=mean, square=2.0 * mean**2)


def wait_means(classes: Sequence[Class]) -> list[float]:
    """Mean wait of each class, without pre-emption: W0 / ((1 - s[k-1]) (1 - s[k])).

    W0 = sum of rate E[S^2] / 2 over all classes is what an arrival finds in service; s[k] is the load of classes 0..k.
    """
    residual = sum(each.rate * each.square for each in classes) / 2.0
    return [residual / ((1.0 - above) * (1.0 - through)) for above, through in _cumulative_loads(classes)]


def sojourn_means_preemptive(classes: Sequence[Class]) -> list[float]:
    """Mean sojourn of each class under preemptive resume: E[S] / (1 - s[k-1]) + R[k] / ((1 - s[k-1]) (1 - s[k])).

    R[k] = sum of rate E[S^2] / 2 over classes 0..k: those below do not exist for class k.
    """
    residuals = accumulate(each.rate * each.square / 2.0 for each in classes)
    return [
        each.mean / (1.0 - above) + residual / ((1.0 - above) * (1.0 - through))
        for each, residual, (above, through) in zip(classes, residuals, _cumulative_loads(classes), strict=True)
    ]


def _cumulative_loads(classes: Sequence[Class]) -> list[tuple[float, float]]:
    """For each class the load of the classes above it, and that load with its own."""
    loads = [0.0, *accumulate(each.rate * each.mean for each in classes)]
    return list(pairwise(loads))
