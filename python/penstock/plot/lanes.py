"""The groups of flows of a network, as coloured lines beside its lines."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from penstock.plot.sheet import Diagram, Lane
from penstock.plot.space import LABEL_SIZE, Place, Space, inches
from penstock.plot.style import MANY_LINES, POINT, colour_of, shown
from penstock.plot.wire_texts import BESIDE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GUIDE = "#dddddd"


def rows_of(diagram: Diagram) -> list[int]:
    """For each group below a row of nodes its row from 0: groups share one if they have no node in common."""
    place = {node: x for node, (x, _) in diagram.nodes.items()}
    rows: list[list[tuple[float, float]]] = []
    found = []
    for lane in diagram.lanes:
        ends = [place[node] for hop in lane.hops for node in hop] or [place[node] for node in lane.senders]
        low, high = min(ends), max(ends)
        row = next((n for n, others in enumerate(rows) if all(high < a or low > b for a, b in others)), len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append((low, high))
        found.append(row)
    return found


def draw_below(axis: Axes, diagram: Diagram, space: Space, first: float, step: float) -> None:
    """The groups below a row of nodes, each with its name at its start."""
    rows = rows_of(diagram)
    y = next(iter(space.places.values()))[1] - first
    if rows:
        for x, _ in space.places.values():
            low = y - step * (max(rows) + 0.6)
            axis.plot([x, x], [y + 0.06, low], color=GUIDE, linewidth=0.8, zorder=1)
    for number, (lane, row) in enumerate(zip(diagram.lanes, rows, strict=True)):
        height = y - step * (row + 0.4)
        draw_lane(axis, lane, space, height, colour_of(number))


def draw_lane(axis: Axes, lane: Lane, space: Space, y: float, colour: str) -> None:
    """One group below a row of nodes: from its first sender to its last receiver, with an arrow and its name."""
    across = [space.places[node][0] for node in (*lane.senders, *lane.receivers)]
    start, end = space.places[lane.senders[0]][0], space.places[lane.receivers[-1]][0]
    sign = 1 if end >= start else -1
    axis.plot([min(across), max(across)], [y, y], color=colour, linewidth=1.6, zorder=2)
    for node in lane.senders:
        draw_end(axis, (space.places[node][0], y), colour, 0, lane.has_reaction)
    for node in lane.receivers:
        tip = space.places[node][0] - (0.075 * sign if lane.has_notification else 0)
        head = ">" if sign > 0 else "<"
        axis.plot(tip - 0.02 * sign, y, head, color=colour, markersize=5, zorder=3)
        if lane.has_notification:
            draw_end(axis, (space.places[node][0], y), colour, 2, True)
    (label,) = shown([lane.label])
    wide = inches(label, LABEL_SIZE)
    ground = {"facecolor": "#ffffff", "edgecolor": "none", "pad": 1.2}
    at = start + sign * (0.12 + wide / 2)
    left, right = axis.get_xlim()
    at = max(left + wide / 2, min(at, right - wide / 2))
    axis.text(at, y, label, ha="center", va="center", fontsize=LABEL_SIZE, color=colour, bbox=ground, zorder=4)


def draw_end(axis: Axes, place: Place, colour: str, role: int, has_part: bool) -> None:
    """The end of a group: the mark of its part, or a bar without one."""
    marker, size = POINT[role]
    if has_part:
        axis.plot(*place, marker, color=colour, markersize=size, zorder=5)
    else:
        axis.plot(*place, "|", color=colour, markersize=6, zorder=5)


def draw_beside(axis: Axes, diagram: Diagram, space: Space) -> None:
    """The groups of any other network: to the right of each line in the direction of the flows."""
    width = 1.5 if len(diagram.wires) <= MANY_LINES else 0.9
    beside: Counter[object] = Counter()
    for number, lane in enumerate(diagram.lanes):
        colour = colour_of(number)
        for hop in lane.hops:
            (x, y), (u, v) = (space.places[node] for node in hop)
            away = math.hypot(u - x, v - y) or 1.0
            beside[hop] += 1
            across, up = beside[hop] * BESIDE * (v - y) / away, -beside[hop] * BESIDE * (u - x) / away
            axis.plot([x + across, u + across], [y + up, v + up], color=colour, linewidth=width, zorder=2)
        axis.plot([], [], color=colour, linewidth=1.6, label=lane.label)
        for role, nodes, has_part in ((0, lane.senders, lane.has_reaction), (2, lane.receivers, lane.has_notification)):
            for node in nodes:
                draw_corner(axis, space, node, colour, role, beside[node, role], has_part)
                beside[node, role] += 1


def draw_corner(axis: Axes, space: Space, node: str, colour: str, role: int, before: int, has_part: bool) -> None:
    """The mark of a part at a lower corner of its node: senders left, receivers right, where an arrow is instead."""
    if role == 0 and not has_part:
        return
    (x, y), (wide, high) = space.places[node], space.boxes[node]
    marker, size = POINT[role] if has_part else (">", 4.0)
    left = -1 if role == 0 else 1
    place = (x + left * (wide / 2 - 0.02 - 0.09 * before), y - high / 2)
    axis.plot(*place, marker, color=colour, markersize=size, zorder=9)
