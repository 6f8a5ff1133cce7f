"""One row per name: a dot for each seed, their mean with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from penstock.plot.style import PALETTE
from penstock.statistics import student

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_rows(axis: Axes, rows: Mapping[str, Sequence[float]]) -> None:
    """One row per name: a small dot per seed, their mean with its 95 % interval."""
    for place, values in enumerate(rows.values()):
        if not values:
            continue
        estimate = student(values)
        axis.plot(values, [place] * len(values), "o", color=PALETTE[0], markersize=3, alpha=0.45)
        if estimate.low is not None and estimate.high is not None:
            axis.plot([estimate.low, estimate.high], [place, place], color=PALETTE[3], linewidth=1.2)
        axis.plot([estimate.mean], [place], "D", color=PALETTE[3], markersize=4)
    axis.set_yticks(range(len(rows)), list(rows))
    axis.set_ylim(len(rows) - 0.5, -0.5)
    estimates = [student(values) for values in rows.values() if values]
    largest = max((estimate.high or estimate.mean for estimate in estimates), default=0.0)
    largest = max((largest, *(value for values in rows.values() for value in values)))
    axis.set_xlim(-0.03 * (largest or 1.0), 1.06 * (largest or 1.0))
