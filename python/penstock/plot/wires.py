"""The lines of a network with their texts, what stands at their ports, and what the results say of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock.plot.sheet import Diagram, Wire
from penstock.plot.style import GREY, length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]
NAME_SIZE, LABEL_SIZE = 9, 8
TRUNK = "#999999"
POINT = (("o", 5.0), ("D", 5.0), ("s", 4.6))
"""Marker and size of a reaction, a congestion and a notification point."""
USE = ("#9aa7b0", "#b8a56a", "#e6a400", "#e8602c", "#c8102e")
"""Colours of the utilisation from 0 to 1, which show on white and on a dark page."""
MANY_LINES = 100
"""With more lines all are thin."""
MOST_POINTS = 60
"""With more lines there is no room for what stands at their ports."""
GAUGE = (0.09, 0.24)
"""Width and height of a queue in inches."""
LINE_HEIGHT = 0.132
ALONG = (0.5, 0.4, 0.6, 0.3, 0.7)
"""Where the text of a line may be, as shares of its length."""
GROUND: Any = {"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.8}
"""The ground of a text on a line."""


def inches(text: str, size: float) -> float:
    """The approximate width of a text."""
    return length(text) * size / 72


def wide_of(label: str) -> float:
    """The width of the longest line of a text beside a line."""
    return max(inches(part, LABEL_SIZE) for part in label.split("\n"))


def height_of(label: str) -> float:
    """The height of a text beside a line."""
    return LINE_HEIGHT * (label.count("\n") + 1)


class Space:
    """The places of the nodes with their boxes, and the rectangles that texts have taken."""

    def __init__(self, places: Mapping[str, Place], boxes: Mapping[str, tuple[float, float]]) -> None:
        self.places, self.boxes = places, boxes
        self.taken: list[tuple[float, float, float, float]] = []

    def take(self, place: Place, wide: float, high: float) -> None:
        """Takes a rectangle around a place."""
        self.taken.append((place[0] - wide / 2, place[1] - high / 2, place[0] + wide / 2, place[1] + high / 2))

    def is_free(self, place: Place, wide: float, high: float) -> bool:
        """Whether no rectangle that is taken overlaps this one."""
        x, y = place[0] - wide / 2, place[1] - high / 2
        beside = ((left >= x + wide or right <= x, low, top) for left, low, right, top in self.taken)
        return all(is_beside or low >= y + high or top <= y for is_beside, low, top in beside)

    def have_room(self) -> bool:
        """Whether no box of a node overlaps another."""
        for node, place in self.places.items():
            if not self.is_free(place, *self.boxes[node]):
                self.taken.clear()
                return False
            self.take(place, *self.boxes[node])
        self.taken.clear()
        return True

    def part(self, start: str, end: str) -> tuple[Place, Place]:
        """The two places at which a line between two nodes leaves their boxes."""
        (x, y), (u, v) = self.places[start], self.places[end]
        return self.border(start, u - x, v - y), self.border(end, x - u, y - v)

    def border(self, node: str, across: float, up: float) -> Place:
        """The place at which a line in this direction leaves the box of a node."""
        (x, y), (wide, high) = self.places[node], self.boxes[node]
        share = min(wide / 2 / abs(across) if across else math.inf, high / 2 / abs(up) if up else math.inf)
        share = min(share, 0.5)
        return x + share * across, y + share * up


def has_queues(diagram: Diagram) -> bool:
    """Whether a queue is drawn."""
    return any(queue is not None for wire in diagram.wires for queue in wire.queues)


def draw_wires(axis: Axes, diagram: Diagram, space: Space) -> None:
    """All lines; their texts where there is room."""
    lift = GAUGE[1] + 0.1 if has_queues(diagram) else 0.07
    for wire in diagram.wires:
        draw_wire(axis, wire, space, 2.4 if len(diagram.wires) <= MANY_LINES else 0.9)
    if len(diagram.wires) <= MOST_POINTS:
        for wire in diagram.wires:
            draw_ports(axis, wire, space)
    for wire in diagram.wires:
        if wire.label:
            draw_label(axis, wire, space, lift if diagram.row else None)


def draw_wire(axis: Axes, wire: Wire, space: Space, width: float) -> None:
    """A line: grey, or with the colour of the utilisation of each direction."""
    (x, y), (u, v) = space.part(*wire.ends)
    if wire.used == (None, None):
        axis.plot([x, u], [y, v], color=TRUNK, linewidth=width, zorder=3, solid_capstyle="butt")
        return
    side = 0.019
    away = math.hypot(u - x, v - y) or 1.0
    right = (side * (v - y) / away, -side * (u - x) / away)
    for used, sign in zip(wire.used, (1, -1), strict=True):
        colour = TRUNK if used is None else colour_of_use(used)
        across, up = sign * right[0], sign * right[1]
        axis.plot([x + across, u + across], [y + up, v + up], color=colour, linewidth=width, zorder=3)


def colour_of_use(used: float) -> str:
    """The colour of a utilisation, in 20 steps."""
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    return to_hex(LinearSegmentedColormap.from_list("use", USE)(round(min(max(used, 0.0), 1.0) * 20) / 20))


def draw_ports(axis: Axes, wire: Wire, space: Space) -> None:
    """Congestion point and queue at the port of each direction."""
    ends = space.part(*wire.ends)
    for number, (start, end) in enumerate((ends, ends[::-1])):
        away = math.hypot(end[0] - start[0], end[1] - start[1]) or 1.0
        step = min(0.1, away / 4) / away
        place = (start[0] + step * (end[0] - start[0]), start[1] + step * (end[1] - start[1]))
        point, queue = wire.points[number], wire.queues[number]
        if point is not None:
            marker, size = POINT[1]
            inside = GREY if point else "#ffffff"
            axis.plot(*place, marker, color=GREY, markerfacecolor=inside, markersize=size, zorder=8)
            space.take(place, 0.1, 0.1)
        if queue is None:
            continue
        wide, high = GAUGE
        for up in (0.06 + high / 2, -0.06 - high / 2):
            middle = (place[0], place[1] + up)
            if space.is_free(middle, wide, high):
                draw_queue(axis, middle, queue)
                space.take(middle, wide + 0.06, high + 0.04)
                break


def draw_queue(axis: Axes, place: Place, queue: tuple[float, float]) -> None:
    """A queue: filled to its mean, with a line at its longest."""
    from matplotlib.patches import Rectangle

    mean, longest = (min(max(share, 0.0), 1.0) for share in queue)
    wide, high = GAUGE
    left, low = place[0] - wide / 2, place[1] - high / 2
    axis.add_patch(Rectangle((left, low), wide, high, facecolor="#ffffff", edgecolor="none", zorder=7))
    axis.add_patch(Rectangle((left, low), wide, high * mean, facecolor=colour_of_use(mean), linewidth=0, zorder=8))
    axis.add_patch(Rectangle((left, low), wide, high, facecolor="none", edgecolor=GREY, linewidth=0.7, zorder=9))
    top = low + high * longest
    axis.plot([left - 0.03, left + wide + 0.03], [top, top], color="#000000", linewidth=1.1, zorder=10)


def draw_label(axis: Axes, wire: Wire, space: Space, lift: float | None) -> None:
    """The text of a line: above it by so many inches, or else on it where there is room, in one row or in several."""
    start, end = space.part(*wire.ends)
    if lift is not None:
        texts, places = [wire.label], [((start[0] + end[0]) / 2, start[1] + lift + height_of(wire.label) / 2)]
    else:
        texts = [wire.label.replace("\n", ", "), wire.label]
        places = [(start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])) for part in ALONG]
    for text in texts:
        wide, high = wide_of(text), height_of(text)
        for place in places:
            if space.is_free(place, wide, high + (0.05 if lift is None else 0.0)):
                space.take(place, wide, high)
                style: Any = {} if lift is not None else {"bbox": GROUND}
                axis.text(
                    *place, text, ha="center", va="center", fontsize=LABEL_SIZE, linespacing=1.1, zorder=11, **style
                )
                return


def draw_bar(axis: Axes, width: float) -> None:
    """The colours of the utilisation, below."""
    from matplotlib.patches import Rectangle

    steps, wide, low = 20, 1.6, 0.12
    left = width - wide - 0.95
    axis.text(left - 0.08, low + 0.05, "used: 0", ha="right", va="center", fontsize=LABEL_SIZE)
    for step in range(steps):
        colour = colour_of_use((step + 0.5) / steps)
        more = 0.01 if step + 1 < steps else 0.0  # no gap between two steps
        place = (left + wide * step / steps, low)
        axis.add_patch(Rectangle(place, wide / steps + more, 0.1, facecolor=colour, linewidth=0))
    axis.text(left + wide + 0.08, low + 0.05, "100 %", ha="left", va="center", fontsize=LABEL_SIZE)
