"""QCN: what one sample says, what a source makes of it, and how it climbs back (IEEE 802.1Qau).

Lengths are in any one unit, rates in units of the line's.
"""

from __future__ import annotations

MOST_SEVERE = 63
GAIN = 1 / 128


def severity(length: float, before: float, equilibrium: float, *, weight: float = 2.0) -> int:
    """The quantised feedback: (q - Qeq) + w (q - q before) in 63 steps of (1 + 2 w) Qeq, none below 0."""
    most = (1 + 2 * weight) * equilibrium
    excess = (length - equilibrium) + weight * (length - before)
    return round(MOST_SEVERE * min(max(excess, 0.0), most) / most)


def factor(severity: int, *, gain: float = GAIN) -> float:
    """What is left of a rate after a notice."""
    return 1 - gain * severity


def fast_recovery(stages: int, *, left: float = 0.5) -> list[float]:
    """The rate in units of the target after 0, 1, 2 ... stages: each halves the distance."""
    return [1 - (1 - left) / 2**stage for stage in range(stages + 1)]
