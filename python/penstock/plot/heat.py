"""A quantity against two parameters: a heat map of means over replications."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from penstock.plot.sheet import Cells, Panel, Sheet
from penstock.plot.style import (
    CHARACTER,
    COLOUR_MAP,
    ON_DARK,
    ON_LIGHT,
    name_columns,
    power_of_ten,
    shown,
    wrapped_names,
)
from penstock.statistics import student

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X = TypeVar("X", bound=float | str)
Y = TypeVar("Y", bound=float | str)
MOST_PRINTED = 150
"""The most cells whose values are printed."""
LEAST_SIZE = 5.5
"""The smallest letters, in points."""
LONGEST_UPRIGHT = 6
"""The most letters of a name that is never tilted."""
BAR = 1.0
"""Inches for the colour bar with its labels."""


def heat_map(
    name: str,
    title: str,
    values: Mapping[tuple[X, Y], Mapping[int, float]],
    *,
    x_label: str,
    y_label: str,
    quantity: str,
    caption: str = "",
    each_is: str = "replications",
) -> Sheet:
    """A quantity against two parameters; pairs without a value are hatched.

    Args:
        name: name of the files.
        title: the text above.
        values: for each pair of x and y the value of each replication; the figure shows their mean. Numbers are sorted;
            labels keep their order, those of y from above.
        x_label: the first parameter, with its unit.
        y_label: the second parameter, with its unit.
        quantity: the quantity shown, with its unit.
        caption: the text below.
        each_is: the name of the values of a pair.
    """
    columns, lines = in_order(x for x, _ in values), in_order(y for _, y in values)
    if any(isinstance(y, str) for y in lines):
        lines.reverse()
    means = {pair: student(each.values()).mean for pair, each in values.items() if each}
    grid = [[finite(means.get((x, y))) for x in columns] for y in lines]
    counts = {len(each) for each in values.values() if each}
    told = [caption]
    if counts and max(counts) > 1:
        number = f"{max(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
        told.append(f"Means of {number} {each_is}.")
    if any(value is None for line in grid for value in line):
        told.append("Hatched: no value.")
    exponent = exponent_of(value for line in grid for value in line if value is not None)
    if exponent:
        quantity = f"{quantity}, in units of {power_of_ten(exponent)}"
        grid = [[None if value is None else value / 10.0**exponent for value in line] for line in grid]
    cells = Cells(quantity, [name_of(x) for x in columns], [name_of(y) for y in lines], grid)
    height = min(7.5, max(2.4, 0.34 * len(lines) + 0.9))
    panel = Panel(x_label, y_label, cells=cells)
    return Sheet(name, title, " ".join(filter(None, told)), [panel], panel_height=height)


def in_order(places: Iterable[X]) -> list[X]:
    """Each place once: numbers by size, labels in their order."""
    once = list(dict.fromkeys(places))
    return once if any(isinstance(place, str) for place in once) else sorted(once)


def name_of(place: float | str) -> str:
    """The text at the axis."""
    return place if isinstance(place, str) else f"{place:g}"


def finite(value: float | None) -> float | None:
    """A number that has a colour, or None."""
    return value if value is not None and math.isfinite(value) else None


def exponent_of(values: Iterable[float]) -> int:
    """The power of ten as unit, so that no number is long: 0 if the greatest is neither large nor small."""
    greatest = max(map(abs, values), default=0.0)
    if greatest == 0 or 1e-2 <= greatest < 1e4:
        return 0
    return math.floor(math.log10(greatest))


def draw_cells(axis: Axes, cells: Cells, width: float, height: float) -> None:
    """The cells, on so many inches, and their colour bar."""
    import numpy as np
    from matplotlib.patches import Rectangle

    grid = np.array([[math.nan if value is None else value for value in line] for line in cells.values], float)
    known = grid[np.isfinite(grid)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if low == high:
        margin = abs(low) / 10 or 1.0
        low, high = low - margin, high + margin
    axis.grid(visible=False)
    axis.add_patch(
        Rectangle((0, 0), 1, 1, transform=axis.transAxes, facecolor="white", hatch="/////", linewidth=0, zorder=0)
    )
    image = axis.imshow(
        np.ma.masked_invalid(grid),
        cmap=COLOUR_MAP,
        vmin=low,
        vmax=high,
        origin="lower",
        aspect="auto",
        interpolation="none",
        zorder=1,
    )
    slot, line = width / len(cells.columns), height / len(cells.lines)
    if grid.size <= MOST_PRINTED:
        for place in range(1, len(cells.columns)):
            axis.axvline(place - 0.5, color="white", linewidth=0.8)
        for place in range(1, len(cells.lines)):
            axis.axhline(place - 0.5, color="white", linewidth=0.8)
        print_values(axis, grid.tolist(), (low, high), slot, line)
    draw_names(axis, cells, slot, line)
    bar = axis.inset_axes((1 + 0.12 / width, 0, 0.16 / width, 1))
    bar.grid(visible=False)
    colours = axis.figure.colorbar(image, cax=bar)
    colours.set_label(quantity_of(cells, height))
    colours.outline.set_visible(False)
    for spine in axis.spines.values():
        spine.set_visible(False)
    axis.tick_params(length=0)


def quantity_of(cells: Cells, height: float) -> str:
    """The text beside the colour bar, in lines no longer than it."""
    return textwrap.fill(cells.quantity, max(8, int(height / CHARACTER)))


def shortest(value: float, digits: int) -> str:
    """A value with so many digits, never in powers of ten: all digits before the point stay."""
    whole = f"{value:.0f}"
    return whole if abs(round(value)) >= 10 ** (digits - 1) else f"{value:#.{digits}g}"


def print_values(
    axis: Axes, grid: Sequence[Sequence[float]], ends: tuple[float, float], slot: float, line: float
) -> None:
    """Each value in its cell, black or white, if all values fit in small letters."""
    from matplotlib import colormaps

    low, high = ends
    for digits in (3, 2):
        texts = [[shortest(value, digits) if math.isfinite(value) else "" for value in values] for values in grid]
        longest = max(len(text) for values in texts for text in values)
        size = min(8.0, line * 72 / 1.4, (slot - 0.04) * 72 / (0.64 * max(longest, 1)))
        if size >= LEAST_SIZE:
            break
    else:
        return
    for row, values in enumerate(grid):
        for column, value in enumerate(values):
            if math.isfinite(value):
                red, green, blue, _ = colormaps[COLOUR_MAP]((value - low) / (high - low))
                is_dark = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < 0.18
                axis.text(
                    column,
                    row,
                    texts[row][column],
                    ha="center",
                    va="center",
                    fontsize=size,
                    color=ON_DARK if is_dark else ON_LIGHT,
                )


def draw_names(axis: Axes, cells: Cells, slot: float, line: float) -> None:
    """Names of columns and lines; if they are too close for all names, only every nth."""
    every = max(1, math.ceil(0.22 / line))
    axis.set_yticks(range(0, len(cells.lines), every), shown(cells.lines[::every]))
    every = 1 if wrapped_names(cells.columns, slot) else math.ceil(least_slot(cells.columns) / slot)
    places = range(0, len(cells.columns), every)
    name_columns(axis, places, cells.columns[::every], slot * every)


def least_slot(names: Sequence[str]) -> float:
    """The inches that names need side by side: numbers are upright, others may be tilted."""
    longest = max(map(len, names))
    return CHARACTER * longest + 0.1 if longest <= LONGEST_UPRIGHT else 0.2
