"""Where everything of a network's drawing stands, and what has no room: known before it is drawn, for its caption.

All places here are in inches from the lower left corner of the panel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from penstock.plot.lanes import rows_of
from penstock.plot.sheet import Diagram
from penstock.plot.space import NAME_SIZE, Place, Rectangle, Space, inches, wide_of
from penstock.plot.wire_texts import Text, WireTexts

WIDTH = 6.4
EDGE = 0.08
"""Inches free around a diagram."""
LANE = 0.17
"""Inches from one group to the next below a row of nodes."""
ABOVE, QUEUES, USED = 0.24, 0.27, 0.13
"""Inches above a row of nodes for the texts of the lines, and more for queues and for the utilisation."""
BAR = 0.3
"""Inches below for the colour bar."""
NODE_HEIGHT = 0.24
SIDE = 0.03
"""Inches free beside the first and the last node of a row."""
MOST_BOXES = 60
"""With more nodes, or if two boxes would overlap, each node is a dot, with its name beside it where there is room."""
DOT = 0.05
HIGHEST = 7.0
LEAST_GAP, WIDEST_GAP = 0.35, 2.3
"""Inches between two nodes of a row."""
MOST_POINTS = 60
"""With more lines there is no room for what stands at their ports."""
GAUGE = (0.09, 0.24)
"""Width and height of a queue in inches."""


@dataclass(frozen=True, slots=True)
class Port:
    """What stands at a port: the number of its line, its direction, and the places of its point and its queue."""

    wire: int
    direction: int
    point: Place | None
    queue: Place | None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The place of everything: a node is a box with its name, or else a dot; texts are by the number of their line."""

    width: float
    bar: float
    space: Space
    is_boxed: bool
    ports: Sequence[Port]
    texts: Mapping[int, Text]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What has no room: the names of some nodes (they are dots), and for each kind the names of its lines."""

    has_dots: bool
    percents: list[str]
    labels: list[str]
    points: list[str]
    queues: list[str]


def arrange(diagram: Diagram) -> Arrangement:
    """The place of everything in a diagram."""
    width, height = WIDTH - 2 * EDGE, height_of(diagram)
    bar = BAR if has_results(diagram) else 0.0
    if diagram.row:
        places = places_in_row(diagram, width, height - above(diagram) - NODE_HEIGHT / 2)
    else:
        places = places_in_box(diagram, width, height, bar)
    space = Space(places, {node: box_of(node) for node in places})
    is_boxed = diagram.row or (len(places) <= MOST_BOXES and space.have_room())
    if not is_boxed:
        space = Space(places, dict.fromkeys(places, (DOT, DOT)))
    for node, place in places.items():
        space.take(place, *space.boxes[node])
    ports = place_ports(diagram, space)
    lift = GAUGE[1] + 0.1 if has_queues(diagram) else 0.07
    texts = WireTexts(diagram, space, Rectangle(0.0, bar, width, height), lift).found
    return Arrangement(width, bar, space, is_boxed, ports, texts)


def left_out(diagram: Diagram) -> LeftOut:
    """What has no room in the drawing of a diagram."""
    found = arrange(diagram)
    texts = {number: text.text for number, text in found.texts.items()}
    points = {(port.wire, port.direction) for port in found.ports if port.point is not None}
    queues = {(port.wire, port.direction) for port in found.ports if port.queue is not None}
    out = LeftOut(not found.is_boxed, [], [], [], [])
    for number, wire in enumerate(diagram.wires):
        if wire.percent and number not in texts:
            out.percents.append(wire.name)
        if wire.label and texts.get(number, wire.percent) == wire.percent:
            out.labels.append(wire.name)
        if any(point is not None and (number, end) not in points for end, point in enumerate(wire.points)):
            out.points.append(wire.name)
        if any(queue is not None and (number, end) not in queues for end, queue in enumerate(wire.queues)):
            out.queues.append(wire.name)
    return out


def has_results(diagram: Diagram) -> bool:
    """Whether there is a utilisation to show."""
    return any(used is not None for wire in diagram.wires for used in wire.used)


def has_queues(diagram: Diagram) -> bool:
    """Whether a queue is drawn."""
    return any(queue is not None for wire in diagram.wires for queue in wire.queues)


def height_of(diagram: Diagram) -> float:
    """The inches that a diagram needs."""
    bar = BAR if has_results(diagram) else 0.0
    if diagram.row:
        rows = max(rows_of(diagram), default=-1) + 1
        return above(diagram) + NODE_HEIGHT + LANE * rows + 0.1 + bar
    wide, high = extent(diagram)
    room = WIDTH - 2 * EDGE
    if len(diagram.nodes) <= MOST_BOXES:
        return min(HIGHEST, max(1.6, 0.62 * high + 0.6)) + bar
    return min(HIGHEST, max(2.5, room * high / max(wide, 1e-9))) + bar


def above(diagram: Diagram) -> float:
    """The inches that a row of nodes needs above it."""
    return ABOVE + (QUEUES if has_queues(diagram) else 0.0) + (USED if has_results(diagram) else 0.0)


def extent(diagram: Diagram) -> tuple[float, float]:
    """The width and the height of all nodes, in the distance of neighbours."""
    across, up = zip(*diagram.nodes.values(), strict=True)
    return max(across) - min(across), max(up) - min(up)


def box_of(node: str) -> tuple[float, float]:
    """The width and the height of the box of a node."""
    return max(0.3, inches(short(node), NAME_SIZE) + 0.14), NODE_HEIGHT


def short(node: str, letters: int = 16) -> str:
    """A name with a limited length."""
    return node if len(node) <= letters else f"{node[: letters - 1]}…"


def places_in_row(diagram: Diagram, width: float, y: float) -> dict[str, tuple[float, float]]:
    """Nodes of a row: the gaps are as wide as the texts of the lines need, and wider if there is room."""
    order = sorted(diagram.nodes, key=lambda node: diagram.nodes[node][0])
    texts = {frozenset(wire.ends): wide_of(wire.text) for wire in diagram.wires}
    needed = [max(LEAST_GAP, texts.get(frozenset(pair), 0.0) + 0.1) for pair in pairwise(order)]
    boxes = [box_of(node)[0] for node in order]
    room = width - sum(boxes) - 2 * SIDE
    if sum(needed) > room:
        gaps = [max(0.1, gap * room / sum(needed)) for gap in needed]
    else:
        more = (room - sum(needed)) / max(1, len(needed))
        gaps = [max(gap, min(WIDEST_GAP, gap + more)) for gap in needed]
    x = SIDE + max(0.0, (room - sum(gaps)) / 2)
    places = {}
    for node, box, gap in zip(order, boxes, [*gaps, 0.0], strict=True):
        places[node] = (x + box / 2, y)
        x += box + gap
    return places


def places_in_box(diagram: Diagram, width: float, height: float, below: float) -> dict[str, tuple[float, float]]:
    """Nodes of any other network: stretched to the width, and to the height."""
    lowest = [min(side) for side in zip(*diagram.nodes.values(), strict=True)]
    wide, high = extent(diagram)
    is_boxed = len(diagram.nodes) <= MOST_BOXES
    side = max(map(box_of, diagram.nodes))[0] / 2 + 0.05 if is_boxed else 0.2
    top = 0.3
    across = (width - 2 * side) / wide if wide else 0.0
    up = (height - below - 2 * top) / high if high else 0.0
    return {
        node: (
            side + across * (x - lowest[0]) if wide else width / 2,
            below + top + up * (y - lowest[1]) if high else below + (height - below) / 2,
        )
        for node, (x, y) in diagram.nodes.items()
    }


def place_ports(diagram: Diagram, space: Space) -> list[Port]:
    """Congestion point and queue at the port of each direction, the queue where there is room."""
    found: list[Port] = []
    if len(diagram.wires) > MOST_POINTS:
        return found
    for wire_number, wire in enumerate(diagram.wires):
        ends = space.part(*wire.ends)
        for number, (start, end) in enumerate((ends, ends[::-1])):
            away = math.dist(start, end) or 1.0
            step = min(0.1, away / 4) / away
            place = (start[0] + step * (end[0] - start[0]), start[1] + step * (end[1] - start[1]))
            point = None if wire.points[number] is None else place
            if point:
                space.take(place, 0.1, 0.1)
            queue = None if wire.queues[number] is None else place_queue(space, place)
            if point or queue:
                found.append(Port(wire_number, number, point, queue))
    return found


def place_queue(space: Space, port: Place) -> Place | None:
    """The middle of a queue above or below its port; None if there is no room."""
    wide, high = GAUGE
    for up in (0.06 + high / 2, -0.06 - high / 2):
        middle = (port[0], port[1] + up)
        if space.is_free(middle, wide, high):
            space.take(middle, wide + 0.06, high + 0.04)
            return middle
    return None
