"""One row per name: a dot for each seed, their mean with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from penstock.plot.style import PALETTE
from penstock.statistics import Estimate, student

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_rows(axis: Axes, rows: Mapping[str, Sequence[float]], estimates: Mapping[str, Estimate]) -> None:
    """One row per name: a small dot per seed, their mean with its 95 % interval, Student's unless it is given."""
    shown = {name: estimates.get(name) or student(values) for name, values in rows.items() if values}
    for place, (name, values) in enumerate(rows.items()):
        if name not in shown:
            continue
        estimate = shown[name]
        axis.plot(values, [place] * len(values), "o", color=PALETTE[0], markersize=3, alpha=0.45)
        if estimate.low is not None and estimate.high is not None:
            axis.plot([estimate.low, estimate.high], [place, place], color=PALETTE[3], linewidth=1.2)
        axis.plot([estimate.mean], [place], "D", color=PALETTE[3], markersize=4)
    axis.set_yticks(range(len(rows)), list(rows))
    axis.set_ylim(len(rows) - 0.5, -0.5)
    largest = max((estimate.high or estimate.mean for estimate in shown.values()), default=0.0)
    largest = max((largest, *(value for values in rows.values() for value in values)))
    axis.set_xlim(-0.03 * (largest or 1.0), 1.06 * (largest or 1.0))
