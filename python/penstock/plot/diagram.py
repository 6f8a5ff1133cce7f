"""A network: nodes and lines, the groups of flows beside them, and where the parts of the control scheme stand.

All places here are in inches from the lower left corner of the panel. A row of nodes has the groups below it, one
above another, as drawings of benchmark networks do. Any other network has them close beside its lines.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.plot.lanes import draw_below, draw_beside, rows_of
from penstock.plot.sheet import Diagram, Panel, Sheet
from penstock.plot.style import GREY
from penstock.plot.wires import LABEL_SIZE, NAME_SIZE, POINT, Space, draw_bar, draw_wires, has_queues, inches, wide_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def network(name: str, title: str, diagram: Diagram, caption: str = "") -> Sheet:
    """The figure of a network.

    Args:
        name: name of the files.
        title: the text above.
        diagram: what is drawn.
        caption: the text below.
    """
    panel = Panel("", "", diagram=diagram)
    return Sheet(name, title, caption, [panel], panel_height=height_of(diagram) + 2 * EDGE)


def has_results(diagram: Diagram) -> bool:
    """Whether there is a utilisation to show."""
    return any(used is not None for wire in diagram.wires for used in wire.used)


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


def draw_diagram(axis: Axes, diagram: Diagram, width: float, height: float) -> None:
    """Draws a network on so many inches."""
    axis.set_xlim(0, width)
    axis.set_ylim(0, height)
    axis.grid(visible=False)
    axis.tick_params(length=0, labelbottom=False, labelleft=False)
    for spine in axis.spines.values():
        spine.set_visible(False)
    bar = BAR if has_results(diagram) else 0.0
    if diagram.row:
        places = places_in_row(diagram, width, height - above(diagram) - NODE_HEIGHT / 2)
    else:
        places = places_in_box(diagram, width, height, bar)
    space = Space(places, {node: box_of(node) for node in places})
    is_boxed = diagram.row or (len(places) <= MOST_BOXES and space.have_room())
    if not is_boxed:
        space = Space(places, dict.fromkeys(places, (DOT, DOT)))
    if diagram.row:
        draw_below(axis, diagram, space, NODE_HEIGHT / 2 + 0.07, LANE)
    else:
        draw_beside(axis, diagram, space)
    draw_nodes(axis, space, is_boxed)
    draw_wires(axis, diagram, space)
    if not is_boxed:
        draw_names(axis, diagram, space)
    if bar:
        draw_bar(axis, width)
    draw_legend(axis, diagram)


def box_of(node: str) -> tuple[float, float]:
    """The width and the height of the box of a node."""
    return max(0.3, inches(short(node), NAME_SIZE) + 0.14), NODE_HEIGHT


def short(node: str, letters: int = 16) -> str:
    """A name with a limited length."""
    return node if len(node) <= letters else f"{node[: letters - 1]}…"


def places_in_row(diagram: Diagram, width: float, y: float) -> dict[str, tuple[float, float]]:
    """Nodes of a row: the gaps are as wide as the texts of the lines need, and wider if there is room."""
    order = sorted(diagram.nodes, key=lambda node: diagram.nodes[node][0])
    texts = {frozenset(wire.ends): wide_of(wire.label) for wire in diagram.wires}
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


def draw_nodes(axis: Axes, space: Space, is_boxed: bool) -> None:
    """A box with the name of each node, or a dot."""
    from matplotlib.patches import FancyBboxPatch

    if not is_boxed:
        across, up = zip(*space.places.values(), strict=True)
        axis.plot(across, up, "o", color=GREY, markersize=3.5, zorder=6)
        for place in space.places.values():
            space.take(place, DOT, DOT)
        return
    for node, (x, y) in space.places.items():
        wide, high = space.boxes[node]
        corner = (x - wide / 2, y - high / 2)
        shape = FancyBboxPatch(corner, wide, high, boxstyle="round,pad=0,rounding_size=0.05", zorder=6)
        shape.set(facecolor="#ffffff", edgecolor=GREY, linewidth=1.0)
        axis.add_patch(shape)
        axis.text(x, y - 0.01, short(node), ha="center", va="center", fontsize=NAME_SIZE, zorder=7)
        space.take((x, y), wide, high)


def draw_names(axis: Axes, diagram: Diagram, space: Space) -> None:
    """The names of nodes that are dots, where there is room: nodes with many lines first."""
    lines = Counter(node for wire in diagram.wires for node in wire.ends)
    left, right = axis.get_xlim()
    for node, (x, y) in sorted(space.places.items(), key=lambda entry: -lines[entry[0]]):
        text = short(node)
        wide, high = inches(text, LABEL_SIZE), 0.12
        for place in ((x, y + 0.11), (x, y - 0.12), (x + wide / 2 + 0.07, y), (x - wide / 2 - 0.07, y)):
            is_inside = left <= place[0] - wide / 2 and place[0] + wide / 2 <= right
            if is_inside and space.is_free(place, wide + 0.04, high + 0.02):
                space.take(place, wide, high)
                axis.text(*place, text, ha="center", va="center", fontsize=LABEL_SIZE, zorder=7)
                break


def legend_of(diagram: Diagram) -> list[str]:
    """The names in the legend, in their order."""
    return [*filter(None, diagram.parts), *([] if diagram.row else [lane.label for lane in diagram.lanes])]


def draw_legend(axis: Axes, diagram: Diagram) -> None:
    """Marks without a place, which the legend shows."""
    for text, (marker, size) in zip(diagram.parts, POINT, strict=True):
        if text:
            axis.plot([], [], marker, color=GREY, markersize=size, label=text)
