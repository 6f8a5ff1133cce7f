"""One run: quantities against time, in one panel or in several on one time axis."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.plot.sheet import Panel, Sheet, Trace
from penstock.plot.style import EXACT, colour_of, marker_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 1_000
"""Slices of the time axis: more than a page can show."""
BANDS = 250
"""Slices of a trace that turns so often that a line would be a band: as many as a figure can tell apart."""
SHADE = 0.22
"""How opaque the shade of a band is."""
MARKS = 7
"""Markers on a trace."""


def over_time(
    name: str,
    title: str,
    traces: Sequence[Trace],
    *,
    y_label: str,
    x_label: str = "time (s)",
    caption: str = "",
    level: float | None = None,
    level_label: str = "",
    bottom: float | None = 0.0,
    top: float | None = None,
) -> Sheet:
    """Quantities of one unit against time.

    Args:
        name: name of the files.
        title: the text above.
        traces: the lines.
        y_label: the quantity, with its unit.
        x_label: the time, with its unit.
        caption: the text below.
        level: a value to draw a horizontal line at.
        level_label: its label.
        bottom: the lower end of the y axis; None takes that of the data.
        top: the least upper end of the y axis.
    """
    panel = Panel(
        x_label, y_label, traces=traces, top=top, bottom=bottom, level=level, level_label=level_label, marked=True
    )
    return Sheet(name, title, explained(caption, [panel]), [replace(panel, span=span_of([panel]))])


def shared_traces(
    name: str,
    title: str,
    panels: Sequence[Panel],
    *,
    x_label: str = "time (s)",
    caption: str = "",
    panel_height: float = 2.1,
    instants: Sequence[float] = (),
) -> Sheet:
    """Panels of traces, such as queues and rates, above one another on one time axis.

    Each panel has its traces, y label and level; the time axis is that of all traces together. `instants` are marked in
    all panels, and numbered in the first if there are several.
    """
    span = span_of(panels)
    last = len(panels) - 1
    shared = [
        replace(
            panel,
            x_label=x_label if number == last else "",
            span=span,
            marked=True,
            instants=instants,
            numbered=number == 0 and len(instants) > 1,
        )
        for number, panel in enumerate(panels)
    ]
    return Sheet(name, title, explained(caption, panels), shared, panel_height=panel_height)


def explained(caption: str, panels: Sequence[Panel]) -> str:
    """A caption that says what a shade is, if a trace has one."""
    if not any(is_band(trace) for panel in panels for trace in panel.traces):
        return caption
    shade = f"Where a shade is, the line is the mean of each {BANDS}th of the time, and the shade its extremes."
    return f"{caption} {shade}".strip()


def span_of(panels: Sequence[Panel]) -> tuple[float, float] | None:
    """The least and the greatest x of all traces, None if they are equal or absent."""
    ends = [(min(trace.x), max(trace.x)) for panel in panels for trace in panel.traces if len(trace.x)]
    low, high = min((low for low, _ in ends), default=0.0), max((high for _, high in ends), default=0.0)
    return (low, high) if low < high else None


def draw_traces(axis: Axes, panel: Panel) -> None:
    """All traces of a panel; in grey print a few markers distinguish them."""
    is_marked = panel.marked and sum(not trace.exact for trace in panel.traces) > 1
    for number, trace in enumerate(panel.traces):
        hue = number if trace.hue is None else trace.hue
        if trace.exact:
            axis.plot(*line_of(trace), color=colour_of(hue), label=trace.label, **EXACT)
            continue
        if is_band(trace):
            middles, _, low, high = band(trace)
            axis.fill(*around(middles, low, high), color=colour_of(hue), alpha=SHADE, linewidth=0)
        x, y = line_of(trace)
        (line,) = axis.plot(x, y, color=colour_of(hue), linewidth=0.8, label=trace.label)
        if is_marked:
            line.set(marker=marker_of(hue), markersize=4.5, markeredgecolor="white", markeredgewidth=0.5)
            line.set_markevery(marks(x, (number + 0.5) / len(panel.traces)))


def line_of(trace: Trace) -> tuple[Sequence[float], Sequence[float]]:
    """The points of the line that a trace is drawn as: all of an exact one, else the means of a band or the thinned."""
    if trace.exact:
        return trace.x, trace.y
    return band(trace)[:2] if is_band(trace) else thinned(trace)


def around(x: Sequence[float], low: Sequence[float], high: Sequence[float]) -> tuple[list[float], list[float]]:
    """The outline of the shade between two lines."""
    return [*x, *reversed(x)], [*low, *reversed(high)]


def is_band(trace: Trace) -> bool:
    """Whether a line would be a band: it turns more often than once in a slice of the time axis."""
    if trace.exact or len(trace.x) <= 4 * BANDS:
        return False
    import numpy as np

    steps = np.diff(np.asarray(trace.y, float))
    steps = steps[steps != 0]
    return bool(np.count_nonzero(steps[1:] * steps[:-1] < 0) > BANDS)


def band(trace: Trace) -> tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float]]:
    """For each slice of the time axis with values: its middle, their mean, the least and the greatest."""
    import numpy as np

    x, y = np.asarray(trace.x, float), np.asarray(trace.y, float)
    edges = np.linspace(x[0], x[-1], BANDS + 1)
    starts = np.searchsorted(x, edges[:-1])
    counts = np.diff(np.append(starts, len(x)))
    known = counts > 0
    starts = starts[known]
    middles = ((edges[:-1] + edges[1:]) / 2)[known]
    means = np.add.reduceat(y, starts) / counts[known]
    return (
        middles.tolist(),
        means.tolist(),
        np.minimum.reduceat(y, starts).tolist(),
        np.maximum.reduceat(y, starts).tolist(),
    )


def marks(x: Sequence[float], part: float) -> list[int]:
    """The places of a trace's markers: evenly in time, each trace with another offset."""
    if len(x) <= MARKS:
        return list(range(len(x)))
    low, high = x[0], x[-1]
    at = (low + (high - low) * (number + part) / MARKS for number in range(MARKS))
    return sorted({min(bisect_left(x, place), len(x) - 1) for place in at})


def thinned(trace: Trace) -> tuple[Sequence[float], Sequence[float]]:
    """A trace that looks the same, with at most four points a slice of time: first, least, greatest and last."""
    if len(trace.x) <= 8 * COLUMNS:
        return trace.x, trace.y
    import numpy as np

    x, y = np.asarray(trace.x, float), np.asarray(trace.y, float)
    edges = np.searchsorted(x, np.linspace(x[0], x[-1], COLUMNS + 1)[1:-1])
    kept: set[int] = set()
    for part in np.split(np.arange(len(x)), edges):
        if part.size:
            kept |= {int(part[0]), int(part[np.argmin(y[part])]), int(part[np.argmax(y[part])]), int(part[-1])}
    order = sorted(kept)
    return x[order].tolist(), y[order].tolist()
