"""A network: nodes and lines, the groups of flows beside them, and where the parts of the control scheme stand.

A row of nodes has the groups below it, one above another, as drawings of benchmark networks do. Any other network has
them close beside its lines.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from penstock.plot.arrange import EDGE, LANE, NODE_HEIGHT, Arrangement, arrange, height_of, short
from penstock.plot.lanes import draw_below, draw_beside
from penstock.plot.sheet import Diagram, Panel, Sheet
from penstock.plot.space import LABEL_SIZE, NAME_SIZE, Space, inches
from penstock.plot.style import GREY, POINT
from penstock.plot.wires import draw_bar, draw_wires

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


def draw_diagram(axis: Axes, diagram: Diagram) -> None:
    """Draws a network; the panel has the size of its arrangement."""
    found = arrange(diagram)
    axis.set_xlim(0, found.width)
    axis.set_ylim(0, height_of(diagram))
    axis.grid(visible=False)
    axis.tick_params(length=0, labelbottom=False, labelleft=False)
    for spine in axis.spines.values():
        spine.set_visible(False)
    if diagram.row:
        draw_below(axis, diagram, found.space, NODE_HEIGHT / 2 + 0.07, LANE)
    else:
        draw_beside(axis, diagram, found.space)
    draw_nodes(axis, found)
    draw_wires(axis, diagram, found)
    if not found.is_boxed:
        draw_names(axis, diagram, found.space)
    if found.bar:
        draw_bar(axis, found.width)
    draw_legend(axis, diagram)


def draw_nodes(axis: Axes, found: Arrangement) -> None:
    """A box with the name of each node, or a dot."""
    from matplotlib.patches import FancyBboxPatch

    space = found.space
    if not found.is_boxed:
        across, up = zip(*space.places.values(), strict=True)
        axis.plot(across, up, "o", color=GREY, markersize=3.5, zorder=6)
        return
    for node, (x, y) in space.places.items():
        wide, high = space.boxes[node]
        corner = (x - wide / 2, y - high / 2)
        shape = FancyBboxPatch(corner, wide, high, boxstyle="round,pad=0,rounding_size=0.05", zorder=6)
        shape.set(facecolor="#ffffff", edgecolor=GREY, linewidth=1.0)
        axis.add_patch(shape)
        axis.text(x, y - 0.01, short(node), ha="center", va="center", fontsize=NAME_SIZE, zorder=7)


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
