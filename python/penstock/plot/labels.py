"""Where the labels of marks stand: near their marks, over no other mark and no other label.

All places and lengths are in units of the drawing; y grows downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LINE = 10.0
"""The height of a line of letters, and their size: the largest that a page has (`report.css`)."""
MARK = 4.0
"""Half the width of a mark, with a little room around it."""
GAP = 6.0
"""From the middle of a mark to a label right beside it."""
SIDES = ((1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1), (0, -1), (0, 1))
"""The directions in which a label is tried, the first the best at one distance."""
RINGS = 11
"""How many distances are tried: up to a third of a panel."""
OVER_LABEL, OVER_MARK, OVER_INTERVAL = 100.0, 10.0, 1.0
"""What a place costs for each label and mark that it covers and each line that it crosses; a ring outwards costs 1."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle along the axes."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        """Whether the two have an area in common."""
        is_beside = self.right <= other.left or other.right <= self.left
        return not (is_beside or self.bottom <= other.top or other.bottom <= self.top)

    def holds(self, other: Box) -> bool:
        """Whether the other lies within."""
        is_across = self.left <= other.left and other.right <= self.right
        return is_across and self.top <= other.top and other.bottom <= self.bottom

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """The point of the rectangle that is nearest to a point."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


def box_of_mark(x: float, y: float) -> Box:
    """The rectangle that a mark takes."""
    return Box(x - MARK, y - MARK, x + MARK, y + MARK)


def place_labels(
    marks: Sequence[tuple[float, float]], widths: Sequence[float | None], lines: Sequence[Box], room: Box
) -> list[Box | None]:
    """The rectangle of each mark's label, in the order of the marks; None for a mark without one.

    ``marks`` are the middles of all marks, ``widths`` the widths of their labels (None: no label), ``lines`` the
    intervals, and ``room`` is that of the panel. Marks choose from above to below; each takes the place that costs
    least, so a place over others is taken only where there is no free one in reach. A label that does not fit into the
    panel stands right beside its mark.
    """
    taken: list[Box] = []
    covered = [box_of_mark(*mark) for mark in marks]
    found: list[Box | None] = [None] * len(marks)
    for place in sorted(range(len(marks)), key=lambda each: (marks[each][1], marks[each][0])):
        width = widths[place]
        if width is None:
            continue
        best: tuple[float, Box] | None = None
        for rank, (ring, box) in enumerate(_candidates(*marks[place], width)):
            if not room.holds(box):
                continue
            cost = ring + rank / 1000 + OVER_LABEL * sum(map(box.touches, taken))
            cost += OVER_MARK * sum(map(box.touches, covered)) + OVER_INTERVAL * sum(map(box.touches, lines))
            if best is None or cost < best[0]:
                best = cost, box
        box = best[1] if best else _candidates(*marks[place], width)[0][1]
        taken.append(box)
        found[place] = box
    return found


def _candidates(x: float, y: float, width: float) -> list[tuple[int, Box]]:
    """The rectangles that are tried for the label of a mark, each with its ring: 0 is right beside it."""
    boxes = []
    for ring in range(RINGS):
        for across, along in SIDES:
            away = LINE * ring
            middle = y + along * (MARK + LINE / 2 + away)
            left = x - width / 2
            if across:
                start = GAP if along else GAP + away
                left = x + start if across > 0 else x - start - width
            boxes.append((ring, Box(left, middle - LINE / 2, left + width, middle + LINE / 2)))
    return boxes
