"""Relative precision: replicate until the interval is narrow relative to the mean, and give the reason for the end.

The sequential procedure of Law (Simulation Modeling and Analysis, section 9.4.1), with step sizes from the present
interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from penstock.statistics.chance import never, rounded_up
from penstock.statistics.estimate import LEVEL, Estimate, require_level, student

FASTEST_GROWTH = 2.0
"""The number of replications at most doubles in one step, because few values estimate their spread badly."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to continue.

    Attributes:
        verdict: ``reached``, the interval is narrow enough; ``more``, continue; ``cap``, no more are allowed;
            ``zero``, every value is 0, so a relative width is undefined; ``missing``, no replication had a value.
        add: replications to add; 0 unless the verdict is ``more``.
        estimate: mean and interval so far, of the replications that had a value; ``None`` if none had.
        text: the same as one line of text.
    """

    verdict: Literal["reached", "more", "cap", "zero", "missing"]
    add: int
    estimate: Estimate | None
    text: str


@dataclass(frozen=True, slots=True)
class Precision:
    """A required half width of at most ``target`` times the mean, with ``least`` to ``most`` replications.

    A ``least`` of one counts as two, because one value has no interval. More is better: a few values that are close
    together by chance end the procedure with a narrow and wrong interval. For this reason the interval contains the
    true value somewhat less often than ``level``.
    """

    target: float
    least: int = 10
    most: int = 100
    level: float = LEVEL

    def __post_init__(self) -> None:
        """Raises ``ValueError`` for an impossible precision."""
        require_level(self.level)
        if not 0 < self.target < math.inf:
            raise ValueError(f"a precision is a share of the mean above 0; it is {self.target}")
        if not 1 <= self.least <= self.most:
            raise ValueError(f"replications from {self.least} to {self.most} are no range above 0")

    def decide(self, values: Iterable[float | None], estimate: Estimate | None = None) -> Decision:
        """The decision after replications with these values; the same values give the same decision.

        ``estimate`` is that of the values, if it is not Student's: see :class:`~penstock.statistics.Sample`. More
        replications of a run in which nothing is random would be the same run: its precision is reached.

        ``None`` is a replication with nothing to measure: it counts as a run, but not for the mean. ``zero`` and
        ``missing`` end the procedure after the least number, because more replications would hardly help.
        """
        ran = list(values)
        sample = [float(value) for value in ran if value is not None]
        if not all(map(math.isfinite, sample)):
            raise ValueError("a value is a finite number, or None where there was nothing to measure")
        if sample and estimate is None:
            estimate = student(sample, self.level)
        told = _told(ran, estimate)
        if estimate is not None and estimate.constant:
            return Decision("reached", 0, estimate, "all replications are the same run: nothing is random")
        least = min(max(self.least, 2), self.most)
        if len(ran) < least:
            return self._more(least - len(ran), estimate, f"{told}, of at least {least}")
        if estimate is None:
            return Decision("missing", 0, None, f"{told}: none had anything to measure")
        if not any(sample):
            bound = never(len(sample), self.level, unit=_replications(len(sample)))
            return Decision("zero", 0, estimate, f"every value is 0: {bound}{_without(ran, estimate)}")
        relative = estimate.relative
        if relative is not None and relative <= self.target:
            return Decision("reached", 0, estimate, told)
        if len(ran) >= self.most:
            at = f" at {_percent(relative)}" if relative is not None else f": {_why_not(estimate)}"
            text = f"the cap of {self.most} {_replications(self.most)} stopped it{at}{_without(ran, estimate)}"
            return Decision("cap", 0, estimate, text)
        # The half width decreases with the square root of their number, including those without a value.
        ratio = math.inf if relative is None else relative / self.target
        growth = min(ratio * ratio, FASTEST_GROWTH)
        return self._more(min(math.ceil(len(ran) * growth), self.most) - len(ran), estimate, told)

    def _more(self, add: int, estimate: Estimate | None, told: str) -> Decision:
        add = max(1, add)
        return Decision("more", add, estimate, f"{told}; {add} more")


def _told(ran: list[float | None], estimate: Estimate | None) -> str:
    count = f"{len(ran)} {_replications(len(ran))}"
    if estimate is None:
        return count
    relative = estimate.relative
    width = _why_not(estimate) if relative is None else f"half-width {_percent(relative)} of the mean"
    return f"{count}{_without(ran, estimate)}, {width}"


def _without(ran: list[float | None], estimate: Estimate) -> str:
    missing = len(ran) - estimate.count
    return f" ({missing} without a value)" if missing else ""


def _why_not(estimate: Estimate) -> str:
    if estimate.half_width is None:
        return f"no interval from {('one value', 'two values')[estimate.count - 1]}"
    return "no share of a mean of 0"


def _percent(share: float) -> str:
    return f"{rounded_up(100 * share)} %"


def _replications(count: int) -> str:
    return "replication" if count == 1 else "replications"
