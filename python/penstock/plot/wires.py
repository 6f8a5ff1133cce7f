"""The lines of a network with their texts, what stands at their ports, and what the results say of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from penstock.plot.arrange import GAUGE, Arrangement, Port
from penstock.plot.sheet import Diagram, Wire
from penstock.plot.space import LABEL_SIZE, Place, Space
from penstock.plot.style import GREY, MANY_LINES, POINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRUNK = "#999999"
USE = ("#9aa7b0", "#b8a56a", "#e6a400", "#e8602c", "#c8102e")
"""Colours of the utilisation from 0 to 1, which show on white and on a dark page."""
GROUND: Any = {"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.8}
"""The ground of a text on a line."""


def draw_wires(axis: Axes, diagram: Diagram, found: Arrangement) -> None:
    """All lines, with what stands at their ports and their texts as far as these have room."""
    for wire in diagram.wires:
        draw_wire(axis, wire, found.space, 2.4 if len(diagram.wires) <= MANY_LINES else 0.9)
    for port in found.ports:
        draw_port(axis, diagram.wires[port.wire], port)
    style: Any = {} if diagram.row else {"bbox": GROUND}
    for text, place in found.texts.values():
        axis.text(*place, text, ha="center", va="center", fontsize=LABEL_SIZE, linespacing=1.1, zorder=11, **style)


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


def draw_port(axis: Axes, wire: Wire, port: Port) -> None:
    """Congestion point and queue at a port."""
    if port.point is not None:
        marker, size = POINT[1]
        inside = GREY if wire.points[port.direction] else "#ffffff"
        axis.plot(*port.point, marker, color=GREY, markerfacecolor=inside, markersize=size, zorder=8)
    queue = wire.queues[port.direction]
    if port.queue is not None and queue is not None:
        draw_queue(axis, port.queue, queue)


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
