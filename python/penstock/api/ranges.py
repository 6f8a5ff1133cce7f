"""The values that a search or a capacity may give a parameter: a range of numbers, or a list of choices."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.core.settings import parse_value
from penstock.core.units import times

NUMBER = r"[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
END = re.compile(rf"({NUMBER})(?: ?([A-Za-z][A-Za-z/]*))?")
DIGITS = 4
"""The significant digits of the width of a range: finer values would only be harder to read."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from ``low`` to ``high`` for one path, both included.

    Attributes:
        path: the path into the scenario.
        low: the least value.
        high: the greatest value.
        unit: the unit that is written behind a number; empty for a plain number.
        is_whole: whether only whole numbers are meant.
    """

    path: str
    low: float
    high: float
    unit: str = ""
    is_whole: bool = False

    @property
    def resolution(self) -> float:
        """The least distance between two values that are tried."""
        return 1.0 if self.is_whole else 10.0 ** (math.floor(math.log10(self.high - self.low)) - DIGITS + 1)

    def rounded(self, number: float) -> float:
        """The nearest value of the range that is tried."""
        steps = round(number / self.resolution)
        near = float(f"{steps * self.resolution:.12g}")
        return min(max(near, self.low), self.high)

    def value(self, number: float) -> int | float | str:
        """A number as the scenario has it, such as ``"2.5 Mb/s"``."""
        if self.is_whole:
            return f"{round(number)} {self.unit}" if self.unit else round(number)
        return f"{number:.12g} {self.unit}" if self.unit else float(f"{number:.12g}")

    def spaced(self, count: int) -> list[float]:
        """At most ``count`` values with equal distances, both ends included, each once."""
        width = self.high - self.low
        return sorted({self.rounded(self.low + width * place / (count - 1)) for place in range(count)})

    def __str__(self) -> str:
        return f"{self.value(self.low)}..{self.value(self.high)}"


@dataclass(frozen=True, slots=True)
class Choices:
    """Some values for one path, such as the names of schemes."""

    path: str
    values: Sequence[object]

    def __str__(self) -> str:
        return ",".join(map(str, self.values))


def range_of(path: str, text: str) -> Range:
    """The range that a text such as ``0.7..1.2`` or ``2 Mb/s..8 Mb/s`` means, in the unit of its lower end.

    ``2..8 Mb/s`` has one unit for both ends. Raises :class:`InputError`.
    """
    ends = [END.fullmatch(part.strip()) for part in text.split("..")]
    first, last = ends if len(ends) == 2 else (None, None)
    if first is None or last is None:
        raise InputError("this is no range of two numbers", path=path, value=text, remedy=_example(path))
    unit = first[2] or last[2] or ""
    factor = times(last[2] or "", unit)
    if factor is None:
        remedy = f'write both ends in one unit, as "{path}=2 {unit}..8 {unit}"'
        raise InputError("the ends of the range have units of different kinds", path=path, value=text, remedy=remedy)
    low, high = float(first[1]), float(f"{float(last[1]) * factor:.12g}")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError("the range has no width", path=path, value=text, remedy="write the lower end first")
    is_whole = not unit and all(re.fullmatch(r"[-+]?\d[\d_]*", end[1]) for end in (first, last))
    return Range(path, low, high, unit, is_whole)


def _example(path: str) -> str:
    """How a range for a path is written."""
    return f'write {path}=LOW..HIGH, with numbers as 1..8 or, with a unit, "{path}=2 Mb/s..8 Mb/s"'


def values_of(text: str) -> Range | Choices:
    """What ``PATH=LOW..HIGH`` or ``PATH=A,B,C`` lets a search choose from. Raises :class:`InputError`."""
    path, equals, wanted = (part.strip() for part in text.partition("="))
    if not equals or not path or not wanted:
        raise InputError("this names no path and range", path="--over", value=text, remedy=_example(path or "PATH"))
    if ".." in wanted:
        return range_of(path, wanted)
    values = [parse_value(part.strip()) for part in wanted.split(",")]
    if len(values) < 2 or len({str(value) for value in values}) < len(values):
        raise InputError(
            "this is neither a range nor two or more different choices", path=path, value=wanted, remedy=_example(path)
        )
    return Choices(path, values)


def fitted(wanted: Range, scenario: Scenario) -> Range:
    """The range for a scenario: of whole numbers only if the parameter is one there. Raises :class:`InputError`.

    ``0..1`` is a range of whole numbers for a count, and of fractions for a threshold. ``10 cells..400 cells`` has only
    whole numbers, ``2 Mb/s..8 Mb/s`` has others, too.
    """
    for end in (wanted.low, wanted.high):
        scenario.with_({wanted.path: wanted.value(end)})
    if not (wanted.low.is_integer() and wanted.high.is_integer()):
        return wanted
    between = math.floor(wanted.low + (wanted.high - wanted.low) / math.pi)
    return replace(wanted, is_whole=not takes_half(scenario, wanted.path, between, wanted.unit))


def takes_half(scenario: Scenario, path: str, number: float, unit: str) -> bool:
    """Whether the parameter may be half more than this whole number: a rate may, and a number of cells may not."""
    try:
        scenario.with_({path: Range(path, number, number + 1, unit).value(number + 0.5)})
    except InputError:
        return False
    return True
