"""Which runs: one line with K places, for some K and loads."""

from dataclasses import dataclass
from pathlib import Path

from penstock.studies import framework
from penstock.studies.framework import Wanted

LINE_BPS = 4.24e6
LOADS = (0.8, 1.0, 1.1)
PLACES = (2, 5, 10, 20)


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed: its fields are the columns of the plan."""

    load: float
    places: int

    def __str__(self) -> str:
        return f"load {self.load:g}, K = {self.places}"

    @property
    def file(self) -> str:
        """The scenario that the point changes."""
        return str(Path(__file__).with_name("one-line.toml"))

    @property
    def changes(self) -> dict[str, object]:
        """What it changes in it."""
        return {
            "flow.random.traffic.poisson.rate": f"{self.load * LINE_BPS:.0f} b/s",
            "line.server.queues[0].drop_tail.size": f"{self.places} cells",
        }


def points(_figure: str | None) -> list[Wanted[Point]]:
    """The points to run for a figure, or for all; each with all seeds."""
    return [(Point(load, places), None) for load in LOADS for places in PLACES]
