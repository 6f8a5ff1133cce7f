"""One quantity against another: a point for each name, with the intervals of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from penstock.plot.rows import is_far
from penstock.plot.sheet import Panel
from penstock.plot.style import colour_of, marker_of, show_powers
from penstock.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_spots(axis: Axes, panel: Panel) -> None:
    """A marker for the two means of each name, and a line for each interval."""
    for spot in panel.spots:
        colour = colour_of(spot.hue)
        (left, right), (low, high) = ends(spot.x), ends(spot.y)
        axis.plot([left, right], [spot.y.mean] * 2, color=colour, linewidth=1.0)
        axis.plot([spot.x.mean] * 2, [low, high], color=colour, linewidth=1.0)
        marker = marker_of(spot.hue)
        axis.plot([spot.x.mean], [spot.y.mean], marker, color=colour, markersize=6, label=spot.label)
    axis.set_xlim(*around([place for spot in panel.spots for place in ends(spot.x)]))
    means = [spot.y.mean for spot in panel.spots]
    if panel.log_y and min(means) > 0 and is_far(means):
        axis.set_yscale("log")
        show_powers(axis.yaxis, min(means) / 1.6, max(means) * 1.6)
        axis.set_ylim(min(means) / 1.6, max(means) * 1.6)
    else:
        axis.set_ylim(*around([place for spot in panel.spots for place in ends(spot.y)]))


def ends(estimate: Estimate) -> tuple[float, float]:
    """The ends of an interval; without one, the mean."""
    low, high = estimate.low, estimate.high
    return (estimate.mean, estimate.mean) if low is None or high is None else (low, high)


def around(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis a little beyond the values."""
    low, high = min(values), max(values)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return low - margin, high + margin
