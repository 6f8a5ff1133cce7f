"""The values of a figure for the script of a page: where the axes of each panel are, and what its marks mean.

The script reads no value from a drawing: each panel has its values beside it, as JSON in the attribute `data-panel`, in
the format of `penstock/show/report_data.ts`. The points of a line are those that are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from penstock.plot.sheet import Panel, Spot
from penstock.plot.style import colour_of
from penstock.plot.tails import steps_of
from penstock.plot.traces import line_of
from penstock.statistics import Estimate, student

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 72
"""Points in an inch."""
PANEL = re.compile(r"panel-(\d+)")
"""The id of a panel in the file of a figure."""

WHOLE = 1e15
"""Whole numbers below this are written without a point."""

Values = dict[str, Any]


def panel_id(number: int) -> str:
    """The id of a panel."""
    return f"panel-{number}"


def panels_of(figure: Figure, panels: Sequence[Panel]) -> list[Values]:
    """For each panel of a drawn figure its box in the SVG, its two scales, and its series; plain data for JSON.

    A scale is `[whether it is logarithmic, its low end, its high end, its label]`.
    """
    width, height = (POINTS * inches for inches in figure.get_size_inches())
    found = []
    for axis, panel in zip(figure.axes, panels, strict=True):
        place = axis.get_position()
        box = (place.x0 * width, (1 - place.y1) * height, place.width * width, place.height * height)
        found.append(
            {
                "box": [round(length, 2) for length in box],
                "x": [axis.get_xscale() == "log", *map(float, axis.get_xlim()), panel.x_label],
                "y": [axis.get_yscale() == "log", *map(float, axis.get_ylim()), panel.y_label or panel.title],
                **content_of(panel),
            }
        )
    return found


def content_of(panel: Panel) -> Values:
    """The marks of a panel: cells, rows with their estimates, or series."""
    if panel.cells is not None:
        cells = panel.cells
        values = [[number(value) for value in line] for line in cells.values]
        return {"quantity": cells.quantity, "columns": list(cells.columns), "lines": list(cells.lines), "cells": values}
    if panel.rows is not None:
        known = panel.estimates or {}
        return {"rows": [row_of(name, values, known.get(name)) for name, values in panel.rows.items()]}
    if panel.spots:
        return {"names": [], "series": [spot_of(spot) for spot in panel.spots]}
    names = list(dict.fromkeys(x for curve in panel.curves for x in curve.points if isinstance(x, str)))
    return {"names": names, "series": [*curves_of(panel, names), *lines_of(panel)]}


def curves_of(panel: Panel, names: Sequence[str]) -> Iterator[Values]:
    """The points of each curve: x, mean, and the ends of the interval; x is the place of a name."""
    for place, curve in enumerate(panel.curves):
        points = [
            [names.index(x) if isinstance(x, str) else number(float(x)), *estimate(values.values())]
            for x, values in curve.points.items()
            if values
        ]
        yield series(curve.label, place if curve.hue is None else curve.hue, sorted(points))


def lines_of(panel: Panel) -> Iterator[Values]:
    """The points of each trace, then those of each tail, which are steps: a value is that of the point before."""
    for place, trace in enumerate(panel.traces):
        yield series(trace.label, place if trace.hue is None else trace.hue, pairs(*line_of(trace)))
    for place, (tail, steps) in enumerate(zip(panel.tails, steps_of(panel.tails), strict=True)):
        yield series(tail.label, place if tail.hue is None else tail.hue, pairs(*steps)) | {"steps": True}


def spot_of(spot: Spot) -> Values:
    """A spot as a series of one point."""
    return series(spot.label, spot.hue, [[number(spot.x.mean), *ends(spot.y)]])


def series(label: str, hue: int, points: Sequence[Sequence[float | None]]) -> Values:
    """A series: each point is x and y, or x, the mean, and the ends of its interval."""
    return {"label": label, "colour": colour_of(hue), "points": points}


def pairs(x: Sequence[float], y: Sequence[float]) -> list[list[float | None]]:
    """The points of a line, with four digits of y: as many as the script shows.

    Of a level stretch only the first and the last point are there: between two equal values the script shows the same.
    """
    every = ([number(at), number(value, 4)] for at, value in zip(x, y, strict=True))
    points = [point for point in every if None not in point]
    if len(points) < 3:
        return points
    between = zip(points, points[1:], points[2:], strict=False)
    bends = [point for before, point, after in between if not before[1] == point[1] == after[1]]
    return [points[0], *bends, points[-1]]


def row_of(name: str, values: Collection[float], known: Estimate | None) -> list[str | float | None]:
    """A name with its mean and interval, if it has values."""
    return [name, *(() if not values else estimate(values) if known is None else ends(known))]


def estimate(values: Collection[float]) -> list[float | None]:
    """A mean with the ends of its interval, if there is one."""
    return ends(student(values))


def ends(found: Estimate) -> list[float | None]:
    """A mean with the ends of its interval, if there is one."""
    return [number(found.mean), *(() if found.low is None else (number(found.low), number(found.high)))]


def number(value: float | None, digits: int = 6) -> float | None:
    """A number to so many digits, without its `.0`; JSON has no others than finite ones."""
    if value is None or value != value or abs(value) == float("inf"):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < WHOLE else rounded
