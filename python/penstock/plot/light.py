"""Bars, spots and traces as SVG without matplotlib: a page of a league has hundreds of panels.

Text is text in the font of the page, not outlines; marks of one colour are one path; each panel is an element of its
own, so that a narrow page has them below one another. For the script of the page a panel is as in
:mod:`penstock.plot.inline`; only the classes of its parts (`report.css`) set sizes and weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from penstock.plot.labels import LINE, Box, place_labels
from penstock.plot.rows import bar_axis
from penstock.plot.sheet import Panel, Sheet, Spot, Trace
from penstock.plot.spots import ends, spot_axes
from penstock.plot.style import PALETTE, colour_of, length, marker_of, power_of_ten
from penstock.plot.traces import SHADE, around, band, is_band, line_of, marks, span_of
from penstock.plot.values import content_of

LETTER = 9.0
"""The size of the letters, in units of the drawing: pixels if there is room."""
ABOVE, BELOW = 18.0, 16.0
"""The room for the title of a panel, and for the numbers of its x axis."""
LABEL = 13.0
"""The room for the label of an axis."""
NUMBERS = 34.0
"""The room for the numbers of a y axis."""
ROW = 13.0
ROWS_WIDTH, SPOTS_WIDTH, TRACES_WIDTH = 250.0, 330.0, 460.0
SPOTS_HEIGHT, TRACES_HEIGHT = 270.0, 112.0
TICKS = 6
OUTLINES: Mapping[str, str] = {
    "o": "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
    "s": "M-3-3h6v6h-6z",
    "^": "M0-3.5L3.3 3H-3.3z",
    "D": "M0-3.8L3.8 0L0 3.8L-3.8 0z",
    "v": "M0 3.5L3.3-3H-3.3z",
    "P": "M-1-3h2v2h2v2h-2v2h-2v-2h-2v-2h2z",
    "X": "M-1.8-3L0-1.3L1.8-3L3-1.8L1.3 0L3 1.8L1.8 3L0 1.3L-1.8 3L-3 1.8L-1.3 0L-3-1.8z",
}
"""The markers of the palette around their middle."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from a value to a place: ``start`` is that of ``low``, and ``length`` leads to that of ``high``."""

    is_log: bool
    low: float
    high: float
    label: str
    start: float
    length: float

    def at(self, value: float) -> float:
        """The place of a value; on a logarithmic axis, that of its end for one that is not positive."""
        if not self.is_log:
            return self.start + (value - self.low) / (self.high - self.low) * self.length
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return self.start + share * self.length

    def ticks(self) -> list[tuple[float, str]]:
        """Some round values between its ends, with their texts."""
        if self.is_log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [(10.0**power, power_of_ten(power)) for power in powers[:: -(-len(powers) // TICKS)]]
        rough = (self.high - self.low) / TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(each * unit for each in (1, 2, 5, 10) if each * unit >= rough * (1 - 1e-9))
        numbers = range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)
        return [(number * step, f"{number * step:.10g}") for number in numbers]

    @property
    def spec(self) -> list[Any]:
        """The scale for the script."""
        return [self.is_log, self.low, self.high, self.label]


@dataclass(slots=True)
class Light:
    """Draws sheets for one page: ``outlines`` are the ids of the markers' outlines, which the page has once."""

    outlines: Mapping[str, str]

    def drawing(self, sheet: Sheet, prefix: str) -> str:
        """A sheet as an element of HTML, with ids that begin with the prefix."""
        if any(panel.traces for panel in sheet.panels):
            return f"{self.stack(sheet, prefix)}{self.legend(_names(sheet))}"
        panels = [
            svg(panel.title or panel.y_label, *(self.spots(panel, f"{prefix}{place}") if panel.spots else rows(panel)))
            for place, panel in enumerate(sheet.panels)
        ]
        kind = "panels spots" if any(panel.spots for panel in sheet.panels) else "panels"
        return f'<div class="{kind}">{"".join(panels)}</div>{self.legend(_names(sheet))}'

    def legend(self, names: Mapping[str, int]) -> str:
        """The names of the marks, which wrap as text does; empty without names."""
        parts = [
            f'<span><svg viewBox="-6 -6 12 12" aria-hidden="true">{self.mark(0.0, 0.0, hue)}</svg>'
            f"<b>{escape(name)}</b></span>"
            for name, hue in names.items()
        ]
        return f'<p class="legend">{"".join(parts)}</p>' if parts else ""

    def mark(self, x: float, y: float, hue: int, *, hollow: bool = False) -> str:
        """A marker at a place."""
        own = colour(colour_of(hue))
        paint = f'style="fill:var(--page);stroke:{own};stroke-width:1.2"' if hollow else f'style="fill:{own}"'
        return f'<use href="#{self.outlines[marker_of(hue)]}" x="{short(x)}" y="{short(y)}" {paint}/>'

    def spots(self, panel: Panel, name: str) -> tuple[str, float, float]:
        """A marker for the two means of each name, and a line for each interval; the title above, if there is one."""
        (left, right), (is_log, low, high) = spot_axes(panel)
        width, height, top = SPOTS_WIDTH - NUMBERS - LABEL - 8, SPOTS_HEIGHT, ABOVE if panel.title else 8.0
        x = Axis(False, left, right, panel.x_label, NUMBERS + LABEL, width)
        y = Axis(is_log, low, high, panel.y_label, top + height, -height)
        lines, markers = [], []
        for spot in panel.spots:
            (first, last), (least, most) = ends(spot.x), ends(spot.y)
            middle, level = short(x.at(spot.x.mean)), short(y.at(spot.y.mean))
            across = f"M{short(x.at(first))} {level}L{short(x.at(last))} {level}"
            along = f"M{middle} {short(y.at(least))}L{middle} {short(y.at(most))}"
            paint = f'style="stroke:{colour(colour_of(spot.hue))}"'
            lines.append(f'<path {clip(name)} class="line" d="{across}{along}" {paint}/>')
            markers.append(self.mark(x.at(spot.x.mean), y.at(spot.y.mean), spot.hue, hollow=spot.hollow))
        head = f'<text class="head" x="0" y="11">{escape(panel.title)}</text>' if panel.title else ""
        body = f"{''.join(lines)}<g {clip(name)}>{''.join(markers)}{labels(panel, x, y)}</g>"
        return head + framed(panel, x, y, body, name), SPOTS_WIDTH, top + height + BELOW + LABEL

    def stack(self, sheet: Sheet, prefix: str) -> str:
        """Panels of traces above one another on one time axis, as one element."""
        span = span_of(sheet.panels) or (0.0, 1.0)
        parts = []
        for place, panel in enumerate(sheet.panels):
            values = [value for trace in panel.traces for value in trace.y]
            top = max(panel.top or 0.0, *values, 0.0) or 1.0
            width = TRACES_WIDTH - NUMBERS - LABEL - 8
            x = Axis(False, *span, panel.x_label, NUMBERS + LABEL, width)
            foot = 8.0 + TRACES_HEIGHT + place * (TRACES_HEIGHT + BELOW)
            y = Axis(False, 0.0, top, panel.y_label, foot, -TRACES_HEIGHT)
            body = "".join(
                self.trace(trace, x, y, number, clip(f"{prefix}{place}")) for number, trace in enumerate(panel.traces)
            )
            parts.append(framed(panel, x, y, body, f"{prefix}{place}"))
        height = 8.0 + len(parts) * (TRACES_HEIGHT + BELOW) + LABEL
        return svg(sheet.title, "".join(parts), TRACES_WIDTH, height, "light stack")

    def trace(self, trace: Trace, x: Axis, y: Axis, number: int, clipped: str) -> str:
        """A line with a few markers, which distinguish it in grey print."""
        hue = number if trace.hue is None else trace.hue
        points = list(zip(*line_of(trace), strict=True))
        paint = f'style="stroke:{colour(colour_of(hue))}"'
        line = f'<path {clipped} class="line" d="{path(points, x, y)}" {paint}/>' if points else ""
        if is_band(trace):
            middles, _, low, high = band(trace)
            outline = path(list(zip(*around(middles, low, high), strict=True)), x, y)
            line += f'<path {clipped} d="{outline}z" style="fill:{colour(colour_of(hue))};fill-opacity:{SHADE}"/>'
        at = [points[place] for place in marks([at for at, _ in points], (number + 0.5) / 2)] if points else []
        markers = "".join(self.mark(x.at(one), y.at(other), hue) for one, other in at)
        return f'<g data-line="{number}">{line}<g {clipped}>{markers}</g></g>'


def labels(panel: Panel, x: Axis, y: Axis) -> str:
    """The labels of the named spots of a panel, each near its mark; a line leads to one that is not right beside it."""
    marks = [(x.at(spot.x.mean), y.at(spot.y.mean)) for spot in panel.spots]
    widths = [LINE * length(spot.label) if spot.named else None for spot in panel.spots]
    room = Box(x.start, y.start + y.length, x.start + x.length, y.start)
    lines = [box for spot in panel.spots for box in cross(spot, x, y)]
    parts = []
    for spot, (at, level), box in zip(panel.spots, marks, place_labels(marks, widths, lines, room), strict=True):
        if box is None:
            continue
        paint = colour(colour_of(spot.hue))
        near, height = box.nearest(at, level)
        if math.hypot(near - at, height - level) > LINE:
            lead = f"M{short(at)} {short(level)}L{short(near)} {short(height)}"
            parts.append(f'<path class="lead" d="{lead}" style="stroke:{paint}"/>')
        is_left = box.right <= at
        place = f'x="{short(box.right if is_left else box.left)}" y="{short(box.bottom - 1.5)}"'
        kind = "spot end" if is_left else "spot"
        parts.append(f'<text class="{kind}" {place} style="fill:{paint}">{escape(spot.label)}</text>')
    return "".join(parts)


def cross(spot: Spot, x: Axis, y: Axis) -> tuple[Box, Box]:
    """The two lines of a spot's intervals."""
    (first, last), (least, most) = ends(spot.x), ends(spot.y)
    middle, level = x.at(spot.x.mean), y.at(spot.y.mean)
    return Box(x.at(first), level - 0.5, x.at(last), level + 0.5), Box(
        middle - 0.5, y.at(most), middle + 0.5, y.at(least)
    )


def rows(panel: Panel) -> tuple[str, float, float]:
    """A bar for each name up to its mean, with its interval, and a dot for each value."""
    names, estimates = panel.rows or {}, panel.estimates or {}
    left = 6.0 + LETTER * max(length(name) for name in names)
    foot = ABOVE + ROW * len(names)
    x = Axis(*bar_axis(panel), "", left, ROWS_WIDTH - left - 10)
    y = Axis(False, len(names) - 0.5, -0.5, panel.title, foot, -ROW * len(names))
    start = max(x.low, 0.0)
    bars: dict[bool, list[str]] = {True: [], False: []}
    dots, lines, means, texts = [], [], [], []
    for place, (name, values) in enumerate(names.items()):
        one, middle = estimates[name], y.at(place)
        near, far, above = short(x.at(start)), short(x.at(max(one.mean, start))), short(middle - 4.5)
        bars[name in panel.chosen].append(f"M{near} {above}H{far}v9H{near}z")
        dots += [f"M{at} {short(middle)}h0" for at in sorted({short(x.at(value)) for value in values})]
        if one.low is not None and one.high is not None:
            lines.append(f"M{short(x.at(one.low))} {short(middle)}H{short(min(x.at(one.high), ROWS_WIDTH))}")
        means.append(f"M{short(x.at(one.mean))} {short(middle - 3)}v6")
        texts.append(f'<text x="{short(left - 4)}" y="{short(middle + 3)}">{escape(name)}</text>')
    ticks = x.ticks()
    grid = "".join(f"M{short(x.at(value))} {ABOVE:g}V{short(foot)}" for value, _ in ticks)
    numbers = "".join(
        f'<text x="{short(x.at(value))}" y="{short(foot + 11)}">{text}</text>' for value, text in apart(ticks, x)
    )
    kinds = (
        *(("grid", grid, ""), ("bar", "".join(bars[False]), PALETTE[0]), ("bar", "".join(bars[True]), PALETTE[2])),
        *(("dots", "".join(dots), PALETTE[0]), ("mean", "".join([*lines, *means]), PALETTE[3])),
    )
    body = "".join(f'<path class="{kind}" d="{path}"{painted(kind, paint)}/>' for kind, path, paint in kinds if path)
    head = f'<text class="head" x="0" y="11">{escape(panel.title)}</text>'
    parts = f'<g class="names">{"".join(texts)}</g><g class="numbers">{numbers}</g>'
    return f"{head}{group(panel, x, y, parts + body)}", ROWS_WIDTH, foot + BELOW


def framed(panel: Panel, x: Axis, y: Axis, body: str, name: str) -> str:
    """A panel with its ticks, its labels, and the clip path of its marks."""
    left, top = x.start, y.start + y.length
    right, foot = x.start + x.length, y.start
    parts = []
    for value, text in x.ticks():
        at = short(x.at(value))
        number = f'<text x="{at}" y="{short(foot + 13)}">{text}</text>' if panel.x_label else ""
        parts.append(f'<g class="tick"><path class="grid" d="M{at} {short(top)}V{short(foot)}"/>{number}</g>')
    for value, text in y.ticks():
        level = y.at(value)
        number = f'<text class="end" x="{short(left - 5)}" y="{short(level + 3)}">{text}</text>'
        grid = f'<path class="grid" d="M{short(left)} {short(level)}H{short(right)}"/>'
        parts.append(f'<g class="tick">{grid}{number}</g>')
    middle, low = short((left + right) / 2), short(foot + BELOW + LABEL - 4)
    labels = f'<text class="label" x="{middle}" y="{low}">{escape(panel.x_label)}</text>' if panel.x_label else ""
    turned = f"translate(9 {short((top + foot) / 2)})rotate(-90)"
    labels += f'<text class="label" transform="{turned}">{escape(panel.y_label)}</text>'
    box = f'x="{short(left)}" y="{short(top)}" width="{short(x.length)}" height="{short(-y.length)}"'
    room = f'<clipPath id="{name}"><rect {box}/></clipPath>'
    return f"{room}{labels}{group(panel, x, y, ''.join(parts) + body)}"


def group(panel: Panel, x: Axis, y: Axis, body: str) -> str:
    """The group of a panel, with its values for the script."""
    box = [x.start, y.start + y.length, x.length, -y.length]
    values = compact({"box": box, "x": x.spec, "y": y.spec, **content_of(panel)})
    told = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    safe = told.replace("&", "&amp;").replace("'", "&#39;").replace("<", "&lt;")
    return f"<g class=\"panel\" data-panel='{safe}'>{body}</g>"


def svg(title: str, body: str, width: float, height: float, kind: str = "light") -> str:
    """An element of that size."""
    box = f"0 0 {short(width)} {short(height)}"
    return f'<svg class="{kind}" viewBox="{box}" role="img" aria-label="{escape(title)}">{body}</svg>'


def _names(sheet: Sheet) -> dict[str, int]:
    """The names of the marks of a sheet with their hues; rows have theirs beside them."""
    names = {spot.label: spot.hue for panel in sheet.panels for spot in panel.spots}
    lines = [(n, trace) for panel in sheet.panels for n, trace in enumerate(panel.traces)]
    return names | {trace.label: number if trace.hue is None else trace.hue for number, trace in lines}


def apart(ticks: Sequence[tuple[float, str]], x: Axis) -> Iterable[tuple[float, str]]:
    """The ticks whose texts do not touch the one before."""
    last = -math.inf
    for value, text in ticks:
        half = LETTER * length(text) / 2
        if x.at(value) - half > last + 3:
            last = x.at(value) + half
            yield value, text


def painted(kind: str, paint: str) -> str:
    """The style of a path: bars are filled, all others are strokes; a grid has the colour of its class."""
    return f' style="{"fill" if kind == "bar" else "stroke"}:{colour(paint)}"' if paint else ""


def path(points: Sequence[tuple[float, float]], x: Axis, y: Axis) -> str:
    """A path through some points."""
    return "M" + "L".join(f"{short(x.at(at))} {short(y.at(value))}" for at, value in points)


def clip(name: str) -> str:
    """The attribute of what is cut off at the axes of a panel."""
    return f'clip-path="url(#{name})"'


def colour(paint: str) -> str:
    """A colour that the page sets."""
    return f"var(--c-{paint[1:].lower()})"


def short(value: float) -> str:
    """A place to a tenth of a unit."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def compact(value: object) -> object:
    """Values with at most four digits, as many as the script shows."""
    if isinstance(value, dict):
        return {key: compact(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [compact(each) for each in value]
    if isinstance(value, float):
        rounded = float(f"{value:.4g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < 1e6 else rounded
    return value
