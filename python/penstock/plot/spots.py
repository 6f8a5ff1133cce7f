"""One quantity against another: the axes of points with the intervals of both."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.plot.rows import is_far
from penstock.plot.sheet import Panel
from penstock.statistics import Estimate


def spot_axes(panel: Panel) -> tuple[tuple[float, float], tuple[bool, float, float]]:
    """The ends of the x axis of a panel; whether its y axis is logarithmic, and its ends."""
    across = around([place for spot in panel.spots for place in ends(spot.x)])
    means = [spot.y.mean for spot in panel.spots]
    if panel.log_y and min(means) > 0 and is_far(means):
        return across, (True, min(means) / 1.6, max(means) * 1.6)
    return across, (False, *around([place for spot in panel.spots for place in ends(spot.y)]))


def ends(estimate: Estimate) -> tuple[float, float]:
    """The ends of an interval; without one, the mean."""
    low, high = estimate.low, estimate.high
    return (estimate.mean, estimate.mean) if low is None or high is None else (low, high)


def around(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis a little beyond the values."""
    low, high = min(values), max(values)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return low - margin, high + margin
