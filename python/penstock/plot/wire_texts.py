"""Where the texts of a network's lines stand: on their lines, or beside them, so that every line stays visible."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from penstock.plot.sheet import Diagram
from penstock.plot.space import Place, Rectangle, Space, height_of_text, wide_of

ALONG = (0.5, 0.4, 0.6, 0.3, 0.7)
"""Where the text of a line may be, as shares of its length."""
VISIBLE = 0.2
"""The inches of a line that no text covers; a shorter line has none on it."""
BESIDE = 0.05
"""Inches from a line to the first group beside it, and from one group to the next."""
CLEAR = 0.05
"""Inches between a text beside a line and what is there."""


Finder = Callable[[int, float, float], Iterator[Place]]
"""The free places for a text of the line with this number, of this width and height."""


class Text(NamedTuple):
    """A text of a line and its middle."""

    text: str
    place: Place


class WireTexts:
    """The texts of the lines of a diagram: `found` has those with room, by the number of the line.

    A busy line's utilisation has its place before any rate and delay, and joins its own if there is room for all. A
    text is beside its line only if there is no room on it.
    """

    def __init__(self, diagram: Diagram, space: Space, panel: Rectangle, lift: float) -> None:
        self.diagram, self.space, self.panel, self.lift = diagram, space, panel, lift
        self.parts = [space.part(*wire.ends) for wire in diagram.wires]
        self.groups = Counter(hop for lane in diagram.lanes for hop in lane.hops)
        self.found: dict[int, Text] = {}
        self.taken: dict[int, Rectangle] = {}
        finders = [self.above] if diagram.row else [self.on, self.beside]
        busy = [number for number, wire in enumerate(diagram.wires) if wire.percent]
        for find in finders:
            for number in busy:
                if number not in self.found:
                    self.put(number, [diagram.wires[number].percent], find)
        labelled = [number for number, wire in enumerate(diagram.wires) if wire.label]
        labelled.sort(key=lambda number: number not in busy)
        for find in finders:
            for number in list(labelled):
                text = diagram.wires[number].text
                rows = [text.replace("\n", ", "), text] if find == self.on else [text]
                if self.put(number, rows, find):
                    labelled.remove(number)

    def put(self, number: int, texts: Sequence[str], find: Finder) -> bool:
        """Puts the first of the texts for which there is a place, instead of the text that the line has."""
        held = self.taken.pop(number, None)
        if held is not None:
            self.space.release(held)
        for text in texts:
            wide, high = wide_of(text) + 0.03, height_of_text(text)
            for place in find(number, wide, high):
                self.taken[number] = self.space.take(place, wide, high)
                self.found[number] = Text(text, place)
                return True
        if held is not None:
            self.space.put(held)
            self.taken[number] = held
        return False

    def above(self, number: int, wide: float, high: float) -> Iterator[Place]:
        """The place above a line between two nodes of a row, if it is free."""
        start, end = self.parts[number]
        place = (start[0] + end[0]) / 2, start[1] + self.lift + high / 2
        if self.space.is_free(place, wide, high):
            yield place

    def on(self, number: int, wide: float, high: float) -> Iterator[Place]:
        """The free places on a line."""
        start, end = self.parts[number]
        for share in ALONG:
            place = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
            if self.is_free(place, wide, high) and self.leaves_lines(Rectangle.around(place, wide, high)):
                yield place

    def beside(self, number: int, wide: float, high: float) -> Iterator[Place]:
        """The free places beside the middle of a line and the groups there, if the text is not beside others, too."""
        start, end = self.parts[number]
        away = math.dist(start, end)
        if not away:
            return
        right = (end[1] - start[1]) / away, (start[0] - end[0]) / away
        if abs(right[1]) * wide + abs(right[0]) * high > away + 2 * CLEAR:
            return
        ends = self.diagram.wires[number].ends
        reach = (abs(right[0]) * wide + abs(right[1]) * high) / 2 + CLEAR
        for hop, sign in ((ends, 1), (ends[::-1], -1)):
            out = sign * (reach + BESIDE * self.groups[hop])
            place = (start[0] + end[0]) / 2 + out * right[0], (start[1] + end[1]) / 2 + out * right[1]
            around = Rectangle.around(place, wide + CLEAR, high + CLEAR)
            if self.is_free(place, wide, high) and not any(around.covered(*part) for part in self.parts):
                yield place

    def is_free(self, place: Place, wide: float, high: float) -> bool:
        """Whether a text of this size is within the panel and over nothing that is taken."""
        left, low, right, top = Rectangle.around(place, wide, high)
        is_inside = self.panel.left <= left and right <= self.panel.right
        is_inside = is_inside and self.panel.low <= low and top <= self.panel.top
        return is_inside and self.space.is_free(place, wide, high + 0.05)

    def leaves_lines(self, text: Rectangle) -> bool:
        """Whether enough of every line is visible beside all texts, which cover no other text."""
        for part in self.parts:
            if covered := text.covered(*part):
                covered += sum(other.covered(*part) for other in self.taken.values())
                if covered > math.dist(*part) - VISIBLE:
                    return False
        return True
