"""What an environment shows: readings by name, each with the largest value of its space."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.api.conditions import ONE_QUEUE, QUEUE
from penstock.core.errors import InputError, require_known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.api.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of a component, as :meth:`penstock.Simulation.readings` lists them.

    Attributes:
        component: a port, a flow or a group.
        quantity: its quantity; ``queue`` is the PDUs in all queues of a port together.
        high: the largest value that is shown, in the unit of the reading. A share needs none: it is 1.
    """

    component: str
    quantity: str
    high: float | None = None

    @property
    def name(self) -> str:
        """Component and quantity: ``trunk.queue``."""
        return f"{self.component}.{self.quantity}"


@dataclass(frozen=True, slots=True)
class Seen:
    """The readings of an environment, as they are asked for.

    Attributes:
        wanted: component and quantity of each reading that is asked for.
        spans: for each observation the place of its first reading there and behind its last; their sum is shown.
        highs: the largest value of each observation.
        units: its unit: ``PDUs``, ``b/s``, ``bits``, ``s``, or nothing for a pure number.
        names: its name.
    """

    wanted: list[tuple[str, str]]
    spans: list[tuple[int, int]]
    highs: list[float]
    units: list[str]
    names: list[str]

    def values(self, sim: Simulation) -> list[float]:
        """The observation now, in order: from 0 to the largest value of each."""
        found = [value or 0.0 for value in sim.sample(self.wanted)]
        sums = [found[start] if end == start + 1 else sum(found[start:end]) for start, end in self.spans]
        return [min(max(value, 0.0), high) for value, high in zip(sums, self.highs, strict=True)]


def seen_of(observe: Sequence[Reading], sim: Simulation) -> Seen:
    """What is asked of the simulations of a scenario, one of which is `sim`. Raises :class:`InputError`."""
    if not observe:
        raise InputError(
            "nothing is observed", path="observe", remedy='name readings: [Reading("trunk", "queue", 400)]'
        )
    there: dict[str, dict[str, tuple[str, float | None]]] = {}
    for component, quantity, unit, most in sim.reading_kinds():
        there.setdefault(component, {})[quantity] = unit, most
    seen = Seen([], [], [], [], [])
    for number, reading in enumerate(observe):
        here = f"observe[{number}]"
        if not isinstance(reading, Reading):
            remedy = 'write it as Reading("trunk", "queue", 400)'
            raise InputError("this is no Reading", path=here, value=repr(reading), remedy=remedy)
        if reading in observe[:number]:
            raise InputError("this is observed twice", path=here, value=reading.name, remedy="delete one of the two")
        parts = _parts(reading, there, here)
        unit, most = there[reading.component][parts[0]]
        seen.highs.append(_high(reading, unit, most, here))
        seen.units.append(unit)
        seen.names.append(reading.name)
        seen.spans.append((len(seen.wanted), len(seen.wanted) + len(parts)))
        seen.wanted.extend((reading.component, part) for part in parts)
    return seen


def _parts(reading: Reading, there: dict[str, dict[str, tuple[str, float | None]]], here: str) -> list[str]:
    """The quantities that a reading is the sum of. Raises :class:`InputError` if there is none."""
    require_known("component", reading.component, there, here)
    known = there[reading.component]
    queues = [name for name in known if ONE_QUEUE.fullmatch(name)]
    if reading.quantity == QUEUE and queues:
        return queues
    require_known(f"reading of {reading.component}", reading.quantity, [*known, *([QUEUE] if queues else [])], here)
    return [reading.quantity]


def _high(reading: Reading, unit: str, most: float | None, here: str) -> float:
    """The largest value of a reading. Raises :class:`InputError` if it is not known, or none."""
    if reading.high is None and most is None:
        written = f'Reading("{reading.component}", "{reading.quantity}", 100)'
        raise InputError(
            "its largest value depends on the network",
            path=f"{here}.high",
            value=reading.name,
            remedy=f"state it{f' in {unit}' if unit else ''}, as {written}",
        )
    high = most if reading.high is None else reading.high
    if not isinstance(high, int | float) or isinstance(high, bool) or not (math.isfinite(high) and high > 0):
        reason, remedy = "this must be a number above 0", "give the largest value that is shown"
        raise InputError(reason, path=f"{here}.high", value=repr(high), remedy=remedy)
    return float(high)
