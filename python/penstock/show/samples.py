"""What a live simulation did in the last seconds: counts and lengths at some instants, and values for each interval."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.api.conditions import queue_lengths
from penstock.show.summary import ACCESS

if TYPE_CHECKING:
    from penstock.api.simulation import Simulation

QUEUE, INPUT, LOST, MARKED, NOTICES, SENT, DELIVERED = (
    *("queue", "input", "lost", "marks", "notices"),
    *("sent", "delivered"),
)
"""The quantities of ports, and those of groups; both have losses."""
MOST_SAMPLES = 4_000


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """One quantity of a port, or of a group of flows."""

    of: str
    quantity: str
    is_port: bool


@dataclass(slots=True)
class Samples:
    """Samples of a simulation, in order of time.

    Queues are lengths, all others are totals of PDUs. The measures start again at the end of warm-up; the totals go on,
    if there is a sample right before it.

    Attributes:
        warm_up: its end, in picoseconds.
        times: the instants, in picoseconds.
        values: for each quantity a value at each instant; quantities of ports that carried nothing are missing.
    """

    warm_up: int
    times: list[int] = field(default_factory=list)
    values: dict[Key, list[float]] = field(default_factory=dict)
    before: dict[Key, float] = field(default_factory=dict)

    def take(self, sim: Simulation) -> None:
        """Add a sample, unless there is one of this instant."""
        now = sim.now_ps
        if self.times and self.times[-1] == now:
            return
        if self.times and self.times[-1] < self.warm_up <= now:
            self.before = {key: values[-1] for key, values in self.values.items() if key.quantity != QUEUE}
        found = readings(sim)
        for key in found:
            self.values.setdefault(key, [0.0] * len(self.times))  # what appears only now was 0 before
        for key, values in self.values.items():
            values.append(found.get(key, 0.0) + self.before.get(key, 0.0))
        self.times.append(now)
        if len(self.times) > 2 * MOST_SAMPLES:
            del self.times[:MOST_SAMPLES]
            for values in self.values.values():
                del values[:MOST_SAMPLES]

    def columns(self, key: Key, width: int, count: int) -> list[float | None]:
        """The value in each of the last ``count`` intervals of ``width`` picoseconds, the latest last.

        That of a queue is its length at the end of the interval, that of a total its increase a second. None before the
        first sample.
        """
        ends = [self.times[-1] - width * number for number in range(count, -1, -1)]
        at = [self._at(key, end) for end in ends]
        if key.quantity == QUEUE:
            return at[1:]
        seconds = width / 1e12
        pairs = pairwise(at)
        return [None if old is None or new is None else (new - old) / seconds for old, new in pairs]

    def _at(self, key: Key, time: int) -> float | None:
        """A value at an instant: of a queue the latest one, of a total that on the line between two samples."""
        if time < self.times[0]:
            return None
        values = self.values[key]
        place = bisect_right(self.times, time) - 1
        if key.quantity == QUEUE or self.times[place] == time:
            return values[place]
        start, end = self.times[place], self.times[place + 1]
        return values[place] + (values[place + 1] - values[place]) * (time - start) / (end - start)


def readings(sim: Simulation) -> dict[Key, float]:
    """The lengths and totals now, of all groups and of the ports that carried anything."""
    found: dict[Key, float] = {}
    queues = queue_lengths(sim.values())
    for row in sim.table("ports").iter_rows(named=True):
        port = row["port"]
        if not row["arrived"] or (port.startswith(ACCESS) and not row["discarded"]):
            continue
        if port in queues:
            found[Key(port, QUEUE, True)] = queues[port]
        notices = row["notices_mild"] + row["notices_severe"]
        totals = {INPUT: row["arrived"], LOST: row["discarded"], MARKED: row["marked"], NOTICES: notices}
        found |= {Key(port, name, True): float(value) for name, value in totals.items()}
    for row in sim.table("groups").iter_rows(named=True):
        totals = {SENT: row["sent"], DELIVERED: row["delivered"], LOST: row["lost"]}
        found |= {Key(row["group"], name, False): float(value) for name, value in totals.items()}
    return found
