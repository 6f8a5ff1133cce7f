"""One row per name: a dot for each seed, and their mean with its interval; and the axis of bars up to the means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from penstock.plot.sheet import Panel
from penstock.plot.style import PALETTE
from penstock.statistics import student

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 100.0
"""Bars whose ends differ by a greater factor have a logarithmic axis."""


def draw_rows(axis: Axes, panel: Panel) -> None:
    """One row per name: a small dot per seed, their mean with its 95 % interval, Student's unless it is given."""
    rows, estimates = panel.rows or {}, panel.estimates or {}
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
    every = [value for values in rows.values() for value in values]
    axis.set_xlim(*from_zero([*every, *(estimate.high or estimate.mean for estimate in shown.values())]))


def bar_axis(panel: Panel) -> tuple[bool, float, float]:
    """Whether the axis of the bars of a panel is logarithmic, and its ends."""
    every = [value for values in (panel.rows or {}).values() for value in values]
    if panel.log_x and is_far(every):
        return True, min(value for value in every if value > 0) / 1.6, 1.6 * max(every)
    highs = [estimate.high or estimate.mean for estimate in (panel.estimates or {}).values()]
    return False, *from_zero([*every, *highs])


def from_zero(values: Iterable[float]) -> tuple[float, float]:
    """The ends of an axis with 0 and a little more than the largest value."""
    largest = max(0.0, *values) or 1.0
    return -0.03 * largest, 1.06 * largest


def is_far(values: Iterable[float]) -> bool:
    """Whether the positive ones of some values differ by more than two powers of ten."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > WIDE * min(positive)
