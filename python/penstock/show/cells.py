"""Cells and rows of the tables in cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar, overload

from penstock.analyse.estimates import PointEstimate
from penstock.analyse.metric import Metric
from penstock.show.report import Cell
from penstock.statistics import Estimate

MOST_ROWS = 8
"""The most rows that a card shows of a table."""
Name = TypeVar("Name")
UNITS = {"s": ("ms", 1e3), "bps": ("Mb/s", 1e-6)}
"""The units of columns, and those in which they are shown."""


class MadeRows(Sequence[Sequence[Cell]], Generic[Name]):
    """The rows of a table, each made of its name when it is read: a card shows the first few of thousands."""

    def __init__(self, names: Sequence[Name], make: Callable[[Name], Sequence[Cell]]) -> None:
        self.names, self.make = names, make

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> Sequence[Cell]: ...
    @overload
    def __getitem__(self, place: slice) -> list[Sequence[Cell]]: ...
    def __getitem__(self, place: int | slice) -> Sequence[Cell] | list[Sequence[Cell]]:
        if isinstance(place, slice):
            return [self.make(name) for name in self.names[place]]
        return self.make(self.names[place])


def label(each: Metric) -> str:
    """The name of a metric as a heading, with the unit in which it is shown."""
    unit, _ = UNITS.get(each.column.rpartition("_")[2], ("", 1.0))
    return f"{each.label.rpartition(' (')[0]} ({unit})" if unit and "_per_s" not in each.column else each.label


def shown(found: PointEstimate | None, each: Metric) -> str | None:
    """An estimate in a unit that suits it."""
    _, size = UNITS.get(each.column.rpartition("_")[2], ("", 1.0))
    if found is None or found.estimate is None or size == 1.0 or each.column.endswith("_per_s"):
        return None if found is None else str(found)
    return str(times(found.estimate, size))


def times(estimate: Estimate, size: float) -> Estimate:
    """An estimate in another unit."""
    low, high = (None if end is None else end * size for end in (estimate.low, estimate.high))
    return replace(estimate, mean=estimate.mean * size, low=low, high=high)


def plain(value: object) -> str | int | float | None:
    """A value of a row as a cell."""
    return value if isinstance(value, int | float) or value is None else str(value)
