"""The values of a figure for the script of a page: where the axes of each panel are, and what their marks mean.

Means, intervals, rows and cells are given as numbers. Traces and tails have thousands of points: the script reads these
from the lines of the drawing, which have an id for this purpose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from penstock.plot.sheet import Panel, Spot
from penstock.plot.style import colour_of
from penstock.statistics import Estimate, student

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 72
"""Points in an inch."""
PANEL, LINE = re.compile(r"panel-(\d+)"), re.compile(r"line-(\d+)")
"""The ids of a panel, and of a line that the script reads; its number counts within its panel."""

Values = dict[str, Any]


def panel_id(number: int) -> str:
    """The id of a panel."""
    return f"panel-{number}"


def line_id(number: int) -> str:
    """The id of a panel's line."""
    return f"line-{number}"


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
        colour = colour_of(place if curve.hue is None else curve.hue)
        yield {"label": curve.label, "colour": colour, "points": sorted(points)}


def lines_of(panel: Panel) -> Iterator[Values]:
    """The lines that the script reads, in the order of their ids: traces, then tails, which are steps."""
    for place, trace in enumerate(panel.traces):
        colour = colour_of(place if trace.hue is None else trace.hue)
        yield {"label": trace.label, "colour": colour, "line": place, "steps": False}
    for place, tail in enumerate(panel.tails):
        colour = colour_of(place if tail.hue is None else tail.hue)
        yield {"label": tail.label, "colour": colour, "line": len(panel.traces) + place, "steps": True}


def spot_of(spot: Spot) -> Values:
    """A spot as a series of one point."""
    return {"label": spot.label, "colour": colour_of(spot.hue), "points": [[number(spot.x.mean), *ends(spot.y)]]}


def row_of(name: str, values: Collection[float], known: Estimate | None) -> list[str | float | None]:
    """A name with its mean and interval, if it has values."""
    return [name, *(() if not values else estimate(values) if known is None else ends(known))]


def estimate(values: Collection[float]) -> list[float | None]:
    """A mean with the ends of its interval, if there is one."""
    return ends(student(values))


def ends(found: Estimate) -> list[float | None]:
    """A mean with the ends of its interval, if there is one."""
    return [number(found.mean), *(() if found.low is None else (number(found.low), number(found.high)))]


def number(value: float | None) -> float | None:
    """A number to six digits; JSON has no others than finite ones."""
    return None if value is None or value != value or abs(value) == float("inf") else float(f"{value:.6g}")
