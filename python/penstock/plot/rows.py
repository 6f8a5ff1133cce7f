"""One row per name: a dot for each seed, their mean with its interval, and a bar up to it if wanted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from penstock.plot.sheet import Panel
from penstock.plot.style import PALETTE, power_of_ten
from penstock.statistics import student

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 100.0
"""Bars whose ends differ by a greater factor have a logarithmic axis."""


def draw_rows(axis: Axes, panel: Panel) -> None:
    """One row per name: a small dot per seed, their mean with its 95 % interval, Student's unless it is given."""
    rows, estimates = panel.rows or {}, panel.estimates or {}
    shown = {name: estimates.get(name) or student(values) for name, values in rows.items() if values}
    every = [value for values in rows.values() for value in values]
    is_wide = panel.bars and panel.log_x and is_far(every)
    low = min((value for value in every if value > 0), default=1.0) / 1.6
    for place, (name, values) in enumerate(rows.items()):
        if name not in shown:
            continue
        estimate = shown[name]
        if panel.bars:
            start = low if is_wide else 0.0
            colour, alpha = (PALETTE[2], 0.55) if name in panel.chosen else (PALETTE[0], 0.25)
            axis.barh(place, max(estimate.mean - start, 0.0), left=start, height=0.7, color=colour, alpha=alpha)
        axis.plot(values, [place] * len(values), "o", color=PALETTE[0], markersize=3, alpha=0.45)
        if estimate.low is not None and estimate.high is not None:
            axis.plot([estimate.low, estimate.high], [place, place], color=PALETTE[3], linewidth=1.2)
        axis.plot([estimate.mean], [place], "D", color=PALETTE[3], markersize=2.5 if panel.bars else 4)
    axis.set_yticks(range(len(rows)), list(rows))
    axis.set_ylim(len(rows) - 0.5, -0.5)
    largest = max((estimate.high or estimate.mean for estimate in shown.values()), default=0.0)
    largest = max((largest, *every))
    if is_wide:
        axis.set_xscale("log")
        high = 1.6 * max(every)
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        axis.set_xticks([10.0**power for power in powers], [power_of_ten(power) for power in powers])
        axis.set_xticks([], minor=True)
        axis.set_xlim(low, high)
    else:
        axis.set_xlim(-0.03 * (largest or 1.0), 1.06 * (largest or 1.0))


def is_far(values: Iterable[float]) -> bool:
    """Whether the positive ones of some values differ by more than two powers of ten."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > WIDE * min(positive)
