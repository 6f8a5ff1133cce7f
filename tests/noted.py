"""Measures that note which points are read: a test compares them with those that other readings of a study run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

P = TypeVar("P")


class Noted(dict[P, dict[int, dict[str, float]]], Generic[P]):
    """Measures by point, and the points whose measures were read."""

    def __init__(self, of: dict[P, dict[int, dict[str, float]]]) -> None:
        super().__init__(of)
        self.read: set[P] = set()

    def get(self, point: P, default: Any = None) -> Any:
        """The measures of a point, which is noted."""
        self.read.add(point)
        return super().get(point, default)


def only(of: dict[P, dict[int, dict[str, float]]], points: Iterable[P]) -> Noted[P]:
    """The measures of some points alone."""
    wanted = set(points)
    return Noted({point: measures for point, measures in of.items() if point in wanted})
