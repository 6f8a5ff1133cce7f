"""Conditions for :meth:`penstock.Simulation.run_until`: the first loss, mark or notice, and readings beyond a value.

A condition is a function of the simulation. The counts and the longest queues that those of the first kind look at only
grow, so they hold from then on, and their first instant is found from few looks. A reading may rise above a value and
fall again, so it is looked at after every instant with an event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.api.simulation import EVENT
from penstock.core.errors import require_known

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.api.simulation import Condition, Simulation

__all__ = ["first_loss", "first_mark", "first_notice", "queue_above", "reading_above", "reading_below"]

QUEUE = "queue"
ONE_QUEUE = re.compile(r"queue_\d+")


def first_loss(port: str = "", group: str = "") -> Condition:
    """The condition that a PDU has been discarded since the measures began: of any flow, or of a ``group`` of flows.

    With a ``port``, it was discarded there; control PDUs count, too. Raises :class:`InputError` when it is looked at,
    if there is no such port or group.
    """
    if port and group:
        return lambda sim: _of_group(sim, port, group)
    return _counted("ports", "port", port, "discarded") if port else _counted("groups", "group", group, "lost")


def first_mark(port: str = "") -> Condition:
    """The condition that a PDU has been marked since the measures began: by ``port``, or by any.

    Raises :class:`InputError` when it is looked at, if there is no such port.
    """
    return _counted("ports", "port", port, "marked")


def first_notice(port: str = "") -> Condition:
    """The condition that a notice has been sent to a source since the measures began: by ``port``, or by any.

    Raises :class:`InputError` when it is looked at, if there is no such port.
    """
    return _counted("ports", "port", port, "notices_mild", "notices_severe")


def queue_above(port: str, pdus: int) -> Condition:
    """The condition that the queues of ``port`` have held more than ``pdus`` since the measures began.

    Raises :class:`InputError` when it is looked at, if there is no such port.
    """

    def holds(sim: Simulation) -> bool:
        lengths = dict(sim.table("ports").select("port", "queue_max").iter_rows())
        require_known("port", port, lengths)
        return bool(lengths[port] > pdus)

    return holds


def reading_above(component: str, quantity: str, value: float) -> Condition:
    """The condition that a reading is above ``value`` now: ``reading_above("satellite", "queue", 100)``.

    ``component`` and ``quantity`` are those of :meth:`penstock.Simulation.readings`; ``queue`` is the length of all
    queues of a port together. It is looked at after every instant with an event, which takes a microsecond for each
    reading of the scenario; :func:`queue_above` is faster. It does not hold while the reading has no value, as that of
    a stream of messages before its first one. Raises :class:`InputError` when it is looked at, if there is no such
    reading.
    """
    return _Beyond(component, quantity, value, is_above=True)


def reading_below(component: str, quantity: str, value: float) -> Condition:
    """The condition that a reading is below ``value`` now, as :func:`reading_above`."""
    return _Beyond(component, quantity, value, is_above=False)


@dataclass(frozen=True, slots=True)
class _Beyond:
    """The condition that a reading is above or below a value."""

    component: str
    quantity: str
    value: float
    is_above: bool
    every: str = EVENT

    def __call__(self, sim: Simulation) -> bool:
        values = sim.values()
        own = [reading for reading in values if reading[0] == self.component]
        there = {quantity: value for _, quantity, value in own}
        if self.component in (lengths := queue_lengths(own)):
            there[QUEUE] = lengths[self.component]
        found = there.get(self.quantity)
        if found is None:
            sim.require_readings([(self.component, self.quantity)])
            return False
        return found > self.value if self.is_above else found < self.value


def queue_lengths(values: Iterable[tuple[str, str, float]]) -> dict[str, float]:
    """The PDUs in all queues of each port, by readings as of :meth:`penstock.Simulation.values`."""
    lengths: dict[str, float] = {}
    for component, quantity, value in values:
        if ONE_QUEUE.fullmatch(quantity):
            lengths[component] = lengths.get(component, 0.0) + value
    return lengths


def _counted(table: str, name: str, of: str, *columns: str) -> Condition:
    """The condition that any of these counts of a table is above 0: in the row of a name, or in any row."""

    def holds(sim: Simulation) -> bool:
        rows = sim.table(table)
        if of:
            require_known(name, of, rows[name])
            rows = rows.filter(rows[name] == of)
        return any(bool((rows[column] > 0).any()) for column in columns)

    return holds


def _of_group(sim: Simulation, port: str, group: str) -> bool:
    """Whether a port has discarded a PDU of a group."""
    tables = sim.tables()
    require_known("port", port, tables["ports"]["port"])
    require_known("group", group, tables["groups"]["group"])
    rows = tables["losses"].filter(place=port, group=group)
    return bool((rows["discarded"] + rows["control_discarded"] > 0).any())
