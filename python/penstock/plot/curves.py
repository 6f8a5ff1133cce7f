"""A quantity against a parameter: the mean over replications with its interval, and the values of theory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.core.errors import InputError
from penstock.plot.sheet import Curve, Panel, Sheet
from penstock.plot.style import EXACT, GREY, colour_of, marker_of, name_columns, show_powers
from penstock.statistics import LEAST, LEVEL, Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def against(
    name: str,
    title: str,
    curves: Sequence[Curve],
    *,
    x_label: str,
    y_label: str,
    caption: str = "",
    log_x: bool = False,
    each_seed: bool = False,
    level: float | None = None,
    level_label: str = "",
    bottom: float | None = 0.0,
    top: float | None = None,
) -> Sheet:
    """A quantity against a parameter, of numbers or of labels; the caption also explains the marks.

    Args:
        name: name of the files.
        title: the text above.
        curves: the curves; each has values of several replications, or is exact.
        x_label: the parameter, with its unit.
        y_label: the quantity, with its unit.
        caption: the text below.
        log_x: whether the x axis is logarithmic; then all x must be positive numbers.
        each_seed: whether to show each replication too.
        level: a value to draw a horizontal line at.
        level_label: its label.
        bottom: the lower end of the y axis; None takes that of the data.
        top: the least upper end of the y axis.
    """
    kinds = {isinstance(x, str) for curve in curves for x in curve.points}
    if len(kinds) > 1:
        raise InputError("some x are numbers and some are labels", path=x_label, remedy="draw them in two figures")
    if log_x:
        for x in (x for curve in curves for x in curve.points):
            if isinstance(x, str) or not x > 0:
                raise InputError(
                    "a logarithmic axis cannot show this", path=x_label, value=x, remedy="use a linear axis"
                )
    panel = Panel(
        x_label,
        y_label,
        curves,
        top=top,
        bottom=bottom,
        level=level,
        level_label=level_label,
        log_x=log_x,
        each_seed=each_seed,
    )
    return Sheet(name, title, f"{caption} {describe(curves, each_seed)}".strip(), [panel])


def describe(curves: Sequence[Curve], each_seed: bool) -> str:
    """The meaning of the marks of a figure."""
    counts = {len(values) for curve in curves if not curve.exact for values in curve.points.values() if values}
    parts = []
    if counts == {1}:
        parts.append("One replication each, so without intervals.")
    elif counts:
        number = str(max(counts)) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
        is_named = any(isinstance(x, str) for curve in curves for x in curve.points)
        marks = f"{'bars' if is_named else 'shaded'}: {LEVEL * 100:g} % intervals"
        parts.append(f"Means of {number} replications, {marks if max(counts) >= LEAST else 'too few for intervals'}.")
        if each_seed:
            parts.append("Small: each replication.")
    if any(curve.exact for curve in curves):
        parts.append("Dashed: exact.")
    return " ".join(parts)


def draw_curves(axis: Axes, panel: Panel, ticks: int, width: float) -> None:
    """All curves of a panel so many inches wide, with at most so many ticks if x is a few given places."""
    names = [x for curve in panel.curves for x in curve.points if isinstance(x, str)]
    if names:
        places = list(dict.fromkeys(names))
        draw_named(axis, panel, places)
        name_columns(axis, range(len(places)), places, width / len(places))
        return
    if panel.log_x:
        axis.set_xscale("log")
    set_ticks(axis, sorted({float(x) for curve in panel.curves for x in curve.points}), ticks, panel.log_x)
    for number, curve in enumerate(panel.curves):
        draw_curve(axis, curve, number if curve.hue is None else curve.hue, panel.each_seed)


def set_ticks(axis: Axes, places: Sequence[float], ticks: int, is_log: bool) -> None:
    """Ticks at the places, unless they are too close."""
    shown = places[:: -(-len(places) // ticks)] if places else []
    at = [math.log(place) for place in shown] if is_log else shown
    gaps = [right - left for left, right in pairwise(at)]
    is_even = not gaps or min(gaps) >= 0.4 * (at[-1] - at[0]) / len(gaps)
    if is_log:
        axis.set_xticks([], minor=True)
        if is_even:
            axis.set_xticks(shown, [f"{place:g}" for place in shown])
        else:
            show_powers(axis.xaxis, places[0], places[-1])
    elif is_even:
        axis.set_xticks(shown)


def values_of(curve: Curve) -> Mapping[float | str, Mapping[int, float]]:
    """The points of a curve that have values."""
    return {x: values for x, values in curve.points.items() if values}


def draw_curve(axis: Axes, curve: Curve, hue: int, each_seed: bool) -> None:
    """A thin line per seed if requested, the mean with its interval; a dashed line for an exact curve."""
    colour, marker = colour_of(hue), marker_of(hue)
    points = {float(x): values for x, values in values_of(curve).items()}
    places = sorted(points)
    if curve.exact:
        values = [next(iter(points[x].values())) for x in places]
        axis.plot(places, values, color=colour, label=curve.label, **EXACT)
        return
    if each_seed:
        for seed in sorted({seed for values in points.values() for seed in values}):
            own = [x for x in places if seed in points[x]]
            axis.plot(own, [points[x][seed] for x in own], color=colour, linewidth=0.5, alpha=0.55)
    found = {float(x): estimate for x, estimate in curve.estimated().items()}
    estimates = [found[x] for x in places]
    axis.plot(
        places,
        [estimate.mean for estimate in estimates],
        color=colour,
        marker=marker,
        markersize=4,
        linewidth=1.5,
        label=curve.label,
    )
    low = [estimate.mean if estimate.low is None else estimate.low for estimate in estimates]
    high = [estimate.mean if estimate.high is None else estimate.high for estimate in estimates]
    axis.fill([*places, *reversed(places)], [*low, *reversed(high)], color=colour, alpha=0.15, linewidth=0)


def draw_named(axis: Axes, panel: Panel, places: Sequence[str]) -> None:
    """Means and intervals side by side at each label, so that all are visible; a dash for an exact value."""
    step = 0.7 / max(1, sum(not curve.exact for curve in panel.curves))
    drawn = 0
    for number, curve in enumerate(panel.curves):
        hue = number if curve.hue is None else curve.hue
        colour = colour_of(hue)
        points = {str(x): values for x, values in values_of(curve).items()}
        if curve.exact:
            middles = [places.index(x) for x in points]
            levels = [next(iter(values.values())) for values in points.values()]
            axis.hlines(
                levels,
                [x - 0.42 for x in middles],
                [x + 0.42 for x in middles],
                color=colour,
                label=curve.label,
                **EXACT,
            )
            continue
        shift = step * (drawn + 0.5) - 0.35
        drawn += 1
        at = [places.index(x) + shift for x in points]
        estimates = [estimate for x, estimate in curve.estimated().items() if str(x) in points]
        if panel.each_seed:
            every = [value for values in points.values() for value in values.values()]
            beside = [place for place, values in zip(at, points.values(), strict=True) for _ in values]
            axis.plot(beside, every, "o", color=colour, markersize=2.5, alpha=0.4)
        draw_bars(axis, at, estimates, colour)
        axis.plot(
            at,
            [estimate.mean for estimate in estimates],
            color=colour,
            marker=marker_of(hue),
            markersize=4 if panel.joined else 5,
            linestyle="-" if panel.joined else "none",
            linewidth=0.7,
            label=curve.label,
        )
    axis.set_xlim(-0.5, len(places) - 0.5)
    axis.grid(visible=False, axis="x")
    if panel.joined:  # the values of a label are between two lines
        axis.set_xticks([place - 0.5 for place in range(1, len(places))], minor=True)
        axis.tick_params(axis="x", which="minor", length=0)
        axis.grid(which="minor", axis="x")


def draw_bars(axis: Axes, at: Sequence[float], estimates: Sequence[Estimate], colour: str) -> None:
    """All intervals as one line with gaps: a line for each would take most of the time."""
    x: list[float] = []
    y: list[float] = []
    for place, estimate in zip(at, estimates, strict=True):
        if estimate.low is not None and estimate.high is not None:
            gap = [math.nan] if x else []
            x += [*gap, place, place]
            y += [*gap, estimate.low, estimate.high]
    if x:
        axis.plot(x, y, "_-", color=colour, linewidth=1.2, markersize=5)


def say_zero(axis: Axes) -> None:
    """Prints a text if all values are zero: empty axes would look like a fault."""
    axis.text(0.5, 0.5, "zero at every point, for every seed", transform=axis.transAxes, ha="center", color=GREY)
