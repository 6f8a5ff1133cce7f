"""Figures: one style, a few kinds of panel, and files that are the same bytes on every run.

A study says what to show (`Sheet`, `Panel`, `Curve`); this module says how it looks. Colours are the Okabe-Ito set,
which colour-blind readers can tell apart, with a marker of its own for each, so that figures survive grey print.
matplotlib is imported only when something is drawn.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.statistics import student
from penstock.store import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.hashsalt": "penstock",
    "svg.fonttype": "path",
    "savefig.dpi": 150,
    "path.simplify": True,
}
WIDTH = 6.4
LINE_HEIGHT = 0.155
CAPTION_SIZE = 8
CHARACTERS_PER_INCH = 17.5


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity against x: at each x one value per seed. An `exact` one comes from theory and has one value."""

    label: str
    points: Mapping[float, Mapping[int, float]]
    hue: int = 0
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """One quantity of one run against time."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    hue: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. `top` is the least upper end of the y axis, `level` a horizontal line of reference."""

    x_label: str
    y_label: str
    curves: Sequence[Curve] = ()
    traces: Sequence[Trace] = ()
    rows: Mapping[str, Sequence[float]] | None = None
    title: str = ""
    top: float | None = None
    bottom: float | None = 0.0
    level: float | None = None
    level_label: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A figure: panels under a title, a caption below."""

    name: str
    title: str
    caption: str
    panels: Sequence[Panel]
    columns: int = 1
    panel_height: float = 3.1


def draw(sheet: Sheet) -> Figure:
    """Draws a sheet. Margins are fixed, in inches: measuring all texts would take most of the time."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    columns = min(sheet.columns, len(sheet.panels))
    lines = -(-len(sheet.panels) // columns)
    width = WIDTH if columns == 1 else max(WIDTH, 3.3 * columns)
    caption = textwrap.fill(sheet.caption, width=int(width * CHARACTERS_PER_INCH))
    foot = (caption.count("\n") + 1) * LINE_HEIGHT + 0.15
    is_stack = columns == 1 and lines > 1
    labels = {} if is_stack else legend_labels(sheet)
    per_line = max(1, min(len(labels), int(width / 1.5)))
    head = 0.42 + 0.19 * -(-len(labels) // per_line)
    height = head + lines * sheet.panel_height + foot
    left = 1.45 if sheet.panels[0].rows is not None else 0.82
    right = 1.3 if is_stack else 0.18
    above = 0.25 if any(panel.title for panel in sheet.panels) else 0.08
    below = 0.25 if is_stack else 0.45
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        for number, panel in enumerate(sheet.panels):
            line, column = divmod(number, columns)
            x = column * width / columns + left
            top = height - head - line * sheet.panel_height - above
            panel_height = sheet.panel_height - above - below - (0.2 if is_stack and number + 1 == lines else 0)
            span = width / columns - left - right
            axis = figure.add_axes((x / width, (top - panel_height) / height, span / width, panel_height / height))
            fill(axis, panel, ticks=9 if columns == 1 else 5)
            handles, names = axis.get_legend_handles_labels()
            labels.update(
                {name: handle for name, handle in zip(names, handles, strict=True) if labels.get(name, 0) is None}
            )
            if is_stack and names:
                axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1.03), handlelength=1.4)
            if is_stack and number + 1 < lines:
                axis.tick_params(labelbottom=False)
        if labels:
            figure.legend(
                [handle for handle in labels.values() if handle is not None],
                [name for name, handle in labels.items() if handle is not None],
                loc="upper left",
                bbox_to_anchor=(0.005, 1 - 0.3 / height),
                ncols=per_line,
                columnspacing=1.4,
            )
        figure.text(0.1 / width, 1 - 0.1 / height, sheet.title, ha="left", va="top", fontsize=10, fontweight="bold")
        figure.text(
            0.1 / width, 0.08 / height, caption, ha="left", va="bottom", fontsize=CAPTION_SIZE, linespacing=1.25
        )
    return figure


def legend_labels(sheet: Sheet) -> dict[str, Any]:
    """The names that one legend for all panels explains, in their order; none where there is but one curve."""
    names = [curve.label for panel in sheet.panels for curve in panel.curves if curve.label]
    if not names:
        return {}
    names += [panel.level_label for panel in sheet.panels if panel.level_label]
    return dict.fromkeys(names)


def fill(axis: Axes, panel: Panel, ticks: int) -> None:
    """Draws one panel, with at most so many ticks where the x axis is a few given places."""
    if panel.curves:
        places = sorted({x for curve in panel.curves for x in curve.points})
        axis.set_xticks(places[:: -(-len(places) // ticks)])
    for curve in panel.curves:
        draw_curve(axis, curve)
    for trace in panel.traces:
        axis.plot(trace.x, trace.y, color=PALETTE[trace.hue], linewidth=0.8, label=trace.label)
    if panel.level is not None:
        axis.axhline(
            panel.level, color="#555555", linewidth=0.9, linestyle=(0, (1, 2)), label=panel.level_label or None
        )
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel(panel.y_label)
    axis.set_title(panel.title)
    if panel.rows is None:
        set_limits(axis, panel)
    else:
        draw_rows(axis, panel.rows)


def draw_curve(axis: Axes, curve: Curve) -> None:
    """One thin line per seed, their mean with its 95 % interval; a dashed line for an exact one."""
    colour, marker = PALETTE[curve.hue], MARKERS[curve.hue]
    places = sorted(curve.points)
    if curve.exact:
        values = [next(iter(curve.points[x].values())) for x in places]
        axis.plot(places, values, color=colour, linestyle="--", linewidth=1.1, label=curve.label)
        return
    for seed in sorted({seed for values in curve.points.values() for seed in values}):
        own = [x for x in places if seed in curve.points[x]]
        axis.plot(own, [curve.points[x][seed] for x in own], color=colour, linewidth=0.5, alpha=0.55)
    estimates = [student(curve.points[x].values()) for x in places]
    axis.plot(
        places,
        [estimate.mean for estimate in estimates],
        color=colour,
        marker=marker,
        markersize=4,
        linewidth=1.5,
        label=curve.label,
    )
    axis.fill_between(
        places,
        [estimate.mean if estimate.low is None else estimate.low for estimate in estimates],
        [estimate.mean if estimate.high is None else estimate.high for estimate in estimates],
        color=colour,
        alpha=0.15,
        linewidth=0,
    )


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


def set_limits(axis: Axes, panel: Panel) -> None:
    """Axes from the bottom up; where all is zero, an axis that says so."""
    values = [value for curve in panel.curves for point in curve.points.values() for value in point.values()]
    if panel.curves and values and not any(values):
        axis.set_ylim(0, panel.top or 1.0)
        axis.text(
            0.5, 0.5, "zero at every point, for every seed", transform=axis.transAxes, ha="center", color="#555555"
        )
        return
    if panel.traces:
        axis.set_xlim(min(panel.traces[0].x), max(panel.traces[0].x))
    _, high = axis.get_ylim()
    if panel.bottom is not None:
        axis.set_ylim(bottom=panel.bottom)
    axis.set_ylim(top=max(high, panel.top or high))


def save(sheet: Sheet, directory: Path) -> list[Path]:
    """Writes a sheet as SVG and PNG, without dates, so that the same data give the same bytes."""
    from matplotlib import rc_context

    figure = draw(sheet)
    written = []
    with rc_context(STYLE):
        for suffix, metadata in (("svg", {"Date": None, "Creator": "Penstock"}), ("png", {"Software": "Penstock"})):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, metadata=metadata)
            path = directory / f"{sheet.name}.{suffix}"
            write_bytes(path, buffer.getvalue())
            written.append(path)
    return written
