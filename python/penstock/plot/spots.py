"""One quantity against another: the axes of points with the intervals of both."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.plot.rows import is_far
from penstock.plot.sheet import Panel
from penstock.statistics import Estimate


def spot_axes(panel: Panel) -> tuple[tuple[float, float], tuple[bool, float, float]]:
    """The ends of the x axis of a panel; whether its y axis is logarithmic, and its ends.

    With ``log_y`` the axes are those of the means, and longer intervals leave the panel: one wide interval would press
    all other marks together.
    """
    levels = [spot.y.mean for spot in panel.spots]
    if not panel.log_y:
        across = around([place for spot in panel.spots for place in ends(spot.x)])
        return across, (False, *around([place for spot in panel.spots for place in ends(spot.y)]))
    across = around([spot.x.mean for spot in panel.spots])
    if min(levels) > 0 and is_far(levels):
        return across, (True, min(levels) / 1.6, max(levels) * 1.6)
    return across, (False, *around(levels))


def ends(estimate: Estimate) -> tuple[float, float]:
    """The ends of an interval; without one, the mean."""
    low, high = estimate.low, estimate.high
    return (estimate.mean, estimate.mean) if low is None or high is None else (low, high)


def around(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis a little beyond the values."""
    low, high = min(values), max(values)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return low - margin, high + margin
