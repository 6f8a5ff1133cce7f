"""The layout of a sheet, and its files."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.core.files import prepare, prepare_file, write_bytes
from penstock.plot.arrange import EDGE
from penstock.plot.curves import draw_curves, say_zero
from penstock.plot.diagram import draw_diagram, legend_of
from penstock.plot.heat import BAR, draw_cells, quantity_of
from penstock.plot.letters import boxes_allowed
from penstock.plot.rows import draw_rows
from penstock.plot.sheet import Panel, Sheet
from penstock.plot.style import (
    CHARACTER,
    INSTANT,
    LEGEND_SIZE,
    REFERENCE,
    STYLE,
    TILT,
    broken,
    length,
    letters,
    show_powers,
    shown,
    wrapped_names,
)
from penstock.plot.tails import draw_tails
from penstock.plot.traces import draw_traces
from penstock.plot.values import Values, panel_id, panels_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

WIDTH = 6.4
LINE_HEIGHT = 0.155
CAPTION_SIZE = 8
CAPTION_PER_INCH = 17.5
TITLE_SIZE = 10
TITLE_PER_INCH = 13
Y_LABEL_PER_INCH = 13
TITLE, CAPTION = "title", "caption"
"""Ids of the two texts in SVG."""
LEGEND_LETTER, LEGEND_LINE, LEGEND_MARK = 0.065, 0.135, 0.56
"""Inches of a letter, of a further line of a name, and of the mark before a name with the free space behind it."""
LEGEND_WRAP = 24
WIDE_LETTER = 0.68
"""The mean width of letters, in sizes of the font, above which a text in a legend is measured."""
MARKER_MARGIN = 0.03
"""Part of the y axis that stays free next to markers, so that they are complete."""
LEAST_LOG = 3.0
"""The least factor between the ends of a logarithmic axis; with less it would have no ticks."""


class Margins(NamedTuple):
    """The free space around the axes of each panel, in inches; `names` is the further space of tilted names, below.

    Long names do not make the axes smaller: they make the sheet taller.
    """

    left: float
    right: float
    above: float
    below: float
    names: float


class Frame(NamedTuple):
    """The text around the panels: title and caption in lines, and their height in inches."""

    title: str
    caption: str
    above: float
    below: float


def width_of(sheet: Sheet) -> float:
    """The width of a sheet in inches."""
    columns = min(sheet.columns, len(sheet.panels))
    return WIDTH if columns == 1 else max(WIDTH, sheet.panel_width * columns)


def frame_of(sheet: Sheet) -> Frame:
    """The title and the caption of a sheet, as wide as it is."""
    width = width_of(sheet)
    title = broken(sheet.title, int(width * TITLE_PER_INCH), width - 0.12, TITLE_SIZE, is_bold=True)
    caption = broken(sheet.told, int(width * CAPTION_PER_INCH), width - 0.12, CAPTION_SIZE)
    return Frame(
        title,
        caption,
        0.3 + 0.17 * title.count("\n") if title else 0.0,
        (caption.count("\n") + 1) * LINE_HEIGHT + 0.1 if caption else 0.0,
    )


def draw(sheet: Sheet) -> Figure:
    """Draws a sheet. Margins are fixed, in inches: measuring all texts would take most of the time."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    if sheet.light:
        raise ValueError(f"{sheet.name} is drawn for pages only, by penstock.plot.light")
    columns = min(sheet.columns, len(sheet.panels))
    lines = -(-len(sheet.panels) // columns)
    width, frame = width_of(sheet), frame_of(sheet)
    is_stack = columns == 1 and lines > 1
    labels: dict[str, Any] = {} if is_stack else legend_labels(sheet)
    longest = max(map(letters, labels), default=0)
    per_line = max(1, min(len(labels), int(width / max(1.5, 0.52 + LEGEND_LETTER * longest))))
    texts = {name: legend_text(name, width) for name in labels}
    head = frame.above + 0.12 + 0.19 * -(-len(labels) // per_line)
    head += LEGEND_LINE * sum(text.count("\n") for text in texts.values())
    margins = margins_of(sheet, width / columns, is_stack)
    step = sheet.panel_height + margins.names
    height = head + lines * step + 0.05 + frame.below
    span = width / columns - margins.left - margins.right
    with rc_context(STYLE), boxes_allowed():
        figure = Figure(figsize=(width, height))
        for number, panel in enumerate(sheet.panels):
            line, column = divmod(number, columns)
            x = column * width / columns + margins.left
            top = height - head - line * step - margins.above
            is_last = is_stack and number + 1 == lines
            panel_height = sheet.panel_height - margins.above - margins.below - (0.2 if is_last else 0)
            place = (x / width, (top - panel_height) / height, span / width, panel_height / height)
            axis = figure.add_axes(place, gid=panel_id(number))
            fill(axis, panel, span, panel_height, y_label_of(panel, sheet), ticks=9 if columns == 1 else 5)
            handles = handles_of(axis, panel)
            labels.update({name: handle for name, handle in handles.items() if labels.get(name, 0) is None})
            if is_stack and handles:
                beside: Any = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.03), "handlelength": 1.4}
                legend = axis.legend(list(handles.values()), [*map(str, range(len(handles)))], **beside)
                rename(legend, ("\n".join(beside_lines(name)) for name in handles))
            if is_stack and not is_last:
                axis.tick_params(labelbottom=False)
        if labels:
            shown = {name: handle for name, handle in labels.items() if handle is not None}
            legend = figure.legend(
                list(shown.values()),
                [*map(str, range(len(shown)))],
                loc="upper left",
                bbox_to_anchor=(0.005, 1 - frame.above / height),
                ncols=per_line,
                columnspacing=1.4,
            )
            rename(legend, map(texts.__getitem__, shown))
        at: Any = {"x": 0.1 / width, "ha": "left"}
        top, foot = 1 - 0.1 / height, 0.08 / height
        figure.text(y=top, s=frame.title, va="top", fontsize=TITLE_SIZE, fontweight="bold", gid=TITLE, **at)
        figure.text(y=foot, s=frame.caption, va="bottom", fontsize=CAPTION_SIZE, linespacing=1.25, gid=CAPTION, **at)
    return figure


@lru_cache(maxsize=1)
def drawn(sheet: Sheet) -> Figure:
    """The same, cached until the next sheet, because it is written to several files."""
    return draw(sheet)


class Drawing(NamedTuple):
    """A sheet as SVG, and the values of its panels."""

    svg: bytes
    panels: list[Values]


@lru_cache(maxsize=128)
def drawing(sheet: Sheet) -> Drawing:
    """A sheet as SVG, for its file and for a page."""
    figure = drawn(sheet)
    return Drawing(octets(figure, "svg"), panels_of(figure, sheet.panels))


def legend_labels(sheet: Sheet) -> dict[str, Any]:
    """The names in the common legend of all panels, in their order; none if there is only one curve."""
    names = []
    for panel in sheet.panels:
        names += [curve.label for curve in panel.curves]
        names += [tail.label for tail in panel.tails]
        names += [trace.label for trace in panel.traces]
        names += legend_of(panel.diagram) if panel.diagram else []
    names += [panel.level_label for panel in sheet.panels]
    names += [panel.limit_label for panel in sheet.panels]
    return dict.fromkeys(filter(None, names))


def legend_text(name: str, width: float) -> str:
    """A name in the legend above all panels: in several lines if one is wider than a sheet of so many inches."""
    room = width - LEGEND_MARK
    return name if length(name) * LEGEND_SIZE / 72 <= room else broken(name, max(len(name), 22), room, LEGEND_SIZE)


def beside_lines(name: str) -> list[str]:
    """The lines of a name in the legend beside a panel: shorter ones if its letters are wide."""
    room = LEGEND_LETTER * LEGEND_WRAP
    for width in range(LEGEND_WRAP, 1, -1):
        lines = textwrap.wrap(name, width)
        if max(map(legend_inches, lines), default=0.0) <= room:
            break
    return lines or [name]


def legend_inches(line: str) -> float:
    """The width of a line in a legend. Most lines have letters of the usual width, others are measured."""
    is_wide = length(line) > WIDE_LETTER * len(line)
    return length(line) * LEGEND_SIZE / 72 if is_wide else LEGEND_LETTER * len(line)


def handles_of(axis: Axes, panel: Panel) -> dict[str, Any]:
    """What the legend of a panel shows for each of its names. Names may begin with `_`, and matplotlib hides those."""
    drawn: dict[str, Any] = {}
    for artist in (*axis.lines, *axis.collections):
        drawn.setdefault(str(artist.get_label()), artist)
    return {name: drawn[name] for name in legend_labels(Sheet("", "", "", [panel])) if name in drawn}


def rename(legend: Legend, names: Iterable[str]) -> None:
    """Gives a legend its names after it is made: before, matplotlib 3.9 leaves out those that begin with `_`."""
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)


def margins_of(sheet: Sheet, width: float, is_stack: bool) -> Margins:
    """The margins for all panels of a sheet, each so many inches wide in total."""
    panels = sheet.panels
    if all(panel.diagram for panel in panels):
        return Margins(EDGE, EDGE, EDGE, EDGE, 0.0)
    row_names = [name for panel in panels for name in panel.rows or ()]
    line_names = [name for panel in panels if panel.cells for name in panel.cells.lines]
    column_names = [name for panel in panels for name in named_columns(panel)]
    label_lines = max(y_label_of(panel, sheet).count("\n") for panel in panels)
    left = 0.82 + 0.15 * label_lines
    if row_names:
        left = max(1.45, 0.2 + CHARACTER * max(map(letters, row_names)))
    if line_names:
        left = max(left, 0.45 + 0.15 * label_lines + CHARACTER * max(map(letters, shown(line_names))))
    above = 0.25 if any(panel.title for panel in panels) else 0.08
    below = 0.25 if is_stack else 0.45
    right = 0.18
    for cells in (panel.cells for panel in panels if panel.cells):
        right = max(right, BAR + 0.15 * quantity_of(cells, sheet.panel_height - above - below).count("\n"))
    stack_names = [name for panel in panels for name in legend_labels(Sheet("", "", "", [panel]))]
    if is_stack and stack_names:
        right = max(1.3, 0.45 + max(legend_inches(line) for name in stack_names for line in beside_lines(name)))
    tilted = 0.0
    if column_names:
        slot = (width - left - right) / max(len(named_columns(panel)) for panel in panels)
        wrapped = wrapped_names(column_names, slot)
        if wrapped is not None:
            below += 0.15 * max(name.count("\n") for name in wrapped)
        else:
            reach = CHARACTER * max(map(letters, shown(column_names)))
            tilted = reach * math.sin(math.radians(TILT))
            left = max(left, reach * math.cos(math.radians(TILT)) - slot / 2)
    return Margins(left, right, above, below, tilted)


def named_columns(panel: Panel) -> Sequence[str]:
    """The names along the x axis of a panel, if it has names."""
    if panel.cells:
        return panel.cells.columns
    return list(dict.fromkeys(x for curve in panel.curves for x in curve.points if isinstance(x, str)))


def y_label_of(panel: Panel, sheet: Sheet) -> str:
    """The name of the y axis, in lines no longer than the axis."""
    return textwrap.fill(panel.y_label, max(8, int(sheet.panel_height * Y_LABEL_PER_INCH)))


def fill(axis: Axes, panel: Panel, width: float, height: float, y_label: str, ticks: int) -> None:
    """Draws one panel of so many inches, with at most so many ticks if the x axis is a few given places."""
    if panel.diagram:
        draw_diagram(axis, panel.diagram)
        return
    if panel.curves:
        draw_curves(axis, panel, ticks, width)
    if panel.tails:
        draw_tails(axis, panel)
    draw_traces(axis, panel)
    if panel.cells:
        draw_cells(axis, panel.cells, width, height)
    if panel.level is not None:
        axis.axhline(panel.level, label=panel.level_label or None, **REFERENCE)
    if panel.limit is not None:
        axis.axvline(panel.limit, label=panel.limit_label or None, **REFERENCE)
    draw_instants(axis, panel)
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel(y_label)
    axis.set_title(panel.title, y=1.0)  # the search for a free place would take a tenth of the time
    if panel.rows is not None:
        draw_rows(axis, panel)
    elif not panel.tails and not panel.cells:
        set_limits(axis, panel)


def draw_instants(axis: Axes, panel: Panel) -> None:
    """A vertical line at each instant, with its number if there are several."""
    for number, instant in enumerate(panel.instants, 1):
        if panel.span is not None and not panel.span[0] <= instant <= panel.span[1]:
            continue
        axis.axvline(instant, **INSTANT)
        if panel.numbered:
            place: Any = {"xy": (instant, 1.0), "xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            axis.annotate(str(number), xytext=(2, -1), va="top", fontsize=8, **place)


def set_limits(axis: Axes, panel: Panel) -> None:
    """Axes from the bottom up; if all values are zero, an axis that says so."""
    values = [value for curve in panel.curves for point in curve.points.values() for value in point.values()]
    if panel.curves and values and not any(values):
        top = panel.top or 1.0
        axis.set_ylim(-MARKER_MARGIN * top, top)
        say_zero(axis)
        return
    if panel.span is not None:
        axis.set_xlim(panel.span)
    elif panel.traces and len(panel.traces[0].x):
        axis.set_xlim(min(panel.traces[0].x), max(panel.traces[0].x))
    positive = [value for value in (*values, *(y for trace in panel.traces for y in trace.y)) if value > 0]
    if panel.log_y and positive and axis.dataLim.y1 >= LEAST_LOG * axis.dataLim.minposy:
        set_log_axis(axis, positive)
        return
    low, high = axis.get_ylim()
    if panel.bottom is not None:
        low = panel.bottom
        if panel.curves:
            margin = MARKER_MARGIN * (high - low)
            low -= margin if axis.dataLim.y0 < low + margin else 0.0
            high = max(high, axis.dataLim.y1 + margin)
    axis.set_ylim(low, max(high, panel.top or high))


def set_log_axis(axis: Axes, values: Sequence[float]) -> None:
    """A logarithmic y axis a little beyond the values; longer intervals are cut off."""
    low, high = min(values) / 1.4, max(values) * 1.4
    axis.set_yscale("log")
    show_powers(axis.yaxis, low, high)
    axis.set_ylim(low, high)


def octets(figure: Figure, suffix: str) -> bytes:
    """A figure as a file, without dates, so that the same data give the same bytes."""
    from matplotlib import rc_context

    metadata = {"svg": {"Date": None, "Creator": "Penstock"}, "png": {"Software": "Penstock"}}[suffix]
    buffer = io.BytesIO()
    with rc_context(STYLE), boxes_allowed():
        figure.savefig(buffer, format=suffix, metadata=metadata)
    return buffer.getvalue()


def prepare_place(place: str | Path, read: Iterable[str | Path] = ()) -> Path:
    """Check that :func:`save` can write there, before the work for the drawing, and over no file that is read.

    Raises :class:`InputError` if it cannot.
    """
    return prepare_file(place, read) if _is_file(place) else prepare(place)


def _is_file(place: str | Path) -> bool:
    return Path(place).suffix.lower() in (".svg", ".png") and not Path(place).is_dir()


def save(sheet: Sheet, place: str | Path) -> list[Path]:
    """Writes a sheet as SVG and PNG into a directory, which is created if missing; returns the two files.

    A place whose name ends in ``.svg`` or ``.png`` is one file, and only that is written. Files with the same content
    stay: the SVG is written last, so if it exists, the PNG does too. Raises :class:`InputError` if the place cannot be
    written to.
    """
    if _is_file(place):
        file = prepare_file(place)
        write_bytes(file, drawing(sheet).svg if file.suffix.lower() == ".svg" else octets(drawn(sheet), "png"))
        return [file]
    folder = prepare(place)
    vector, pixels = (folder / f"{sheet.name}.{suffix}" for suffix in ("svg", "png"))
    if not (pixels.is_file() and vector.is_file() and vector.read_bytes() == drawing(sheet).svg):
        write_bytes(pixels, octets(drawn(sheet), "png"))
        write_bytes(vector, drawing(sheet).svg)
    return [vector, pixels]
