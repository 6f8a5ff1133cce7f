"""The room of a network's drawing: what its texts need, where its nodes are, and what is taken. All in inches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from penstock.plot.style import length

Place = tuple[float, float]
NAME_SIZE, LABEL_SIZE = 9, 8
LINE_HEIGHT = 0.132
SQUARE = 0.3
"""The side of a square of the grid in which rectangles are looked up."""


class Rectangle(NamedTuple):
    """A rectangle along the axes."""

    left: float
    low: float
    right: float
    top: float

    @classmethod
    def around(cls, place: Place, wide: float, high: float) -> Rectangle:
        """The one with this middle."""
        return cls(place[0] - wide / 2, place[1] - high / 2, place[0] + wide / 2, place[1] + high / 2)

    def covered(self, start: Place, end: Place) -> float:
        """The length of the part of a straight line that lies within."""
        first, last = 0.0, 1.0
        for at, step, low, high in (
            (start[0], end[0] - start[0], self.left, self.right),
            (start[1], end[1] - start[1], self.low, self.top),
        ):
            if step:
                shares = sorted(((low - at) / step, (high - at) / step))
                first, last = max(first, shares[0]), min(last, shares[1])
            elif not low < at < high:
                return 0.0
        return max(0.0, last - first) * math.dist(start, end)


def inches(text: str, size: float) -> float:
    """The approximate width of a text."""
    return length(text) * size / 72


def wide_of(label: str) -> float:
    """The width of the longest line of a text beside a line."""
    return max(inches(part, LABEL_SIZE) for part in label.split("\n"))


def height_of_text(label: str) -> float:
    """The height of a text beside a line."""
    return LINE_HEIGHT * (label.count("\n") + 1)


def _squares(rectangle: Rectangle) -> Iterator[tuple[int, int]]:
    """The squares of a grid over the drawing that a rectangle touches: what is in others is not near."""
    left, low, right, top = (math.floor(edge / SQUARE) for edge in rectangle)
    return ((across, up) for across in range(left, right + 1) for up in range(low, top + 1))


class Space:
    """The places of the nodes with their boxes, and the rectangles that are taken."""

    def __init__(self, places: Mapping[str, Place], boxes: Mapping[str, tuple[float, float]]) -> None:
        self.places, self.boxes = places, boxes
        self._taken: dict[tuple[int, int], list[Rectangle]] = {}

    def take(self, place: Place, wide: float, high: float) -> Rectangle:
        """Takes a rectangle around a place."""
        rectangle = Rectangle.around(place, wide, high)
        self.put(rectangle)
        return rectangle

    def put(self, rectangle: Rectangle) -> None:
        """Takes a rectangle."""
        for square in _squares(rectangle):
            self._taken.setdefault(square, []).append(rectangle)

    def release(self, rectangle: Rectangle) -> None:
        """Frees a rectangle that was taken."""
        for square in _squares(rectangle):
            self._taken[square].remove(rectangle)

    def is_free(self, place: Place, wide: float, high: float) -> bool:
        """Whether no rectangle that is taken overlaps this one."""
        left, low, right, top = around = Rectangle.around(place, wide, high)
        near = (other for square in _squares(around) for other in self._taken.get(square, ()))
        return all(other.left >= right or other.right <= left or other.low >= top or other.top <= low for other in near)

    def have_room(self) -> bool:
        """Whether no box of a node overlaps another."""
        for node, place in self.places.items():
            if not self.is_free(place, *self.boxes[node]):
                self._taken.clear()
                return False
            self.take(place, *self.boxes[node])
        self._taken.clear()
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
