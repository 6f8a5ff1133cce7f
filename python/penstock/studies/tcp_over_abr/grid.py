"""The runs of the study of TCP over UBR and ABR: three services, three distances, and buffers from too small to ample.

The ready files `tcp_abr/` define everything; here only the service and the buffer of the switch change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.studies import framework
from penstock.studies.framework import Wanted

FIGURES = {"1": "goodput against the buffer", "2": "where the queue stands", "3": "what is lost, and how shares differ"}
"""What each figure is about. All of them are of the same runs."""

UBR, EPD, ABR = "ubr", "epd", "abr"
SERVICES = {UBR: "UBR", EPD: "UBR with EPD", ABR: "ABR with ERICA"}
"""The services: cells without a rate into a drop-tail queue, the same with early packet discard, and allowed rates."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far it is to the receivers: its name, and the buffers of the switch in cells, the smallest first."""

    name: str
    buffers: tuple[int, ...]


DISTANCES = {
    "one-km": Distance("1 km", (250, 1000, 4000, 8000)),
    "thousand-km": Distance("1,000 km", (250, 1000, 4000, 8000)),
    "satellite": Distance("satellite hop", (1000, 4000, 16000, 64000)),
}
"""The ready files. The largest buffer has room for all windows together, but for the cells under way."""


@dataclass(frozen=True, slots=True, order=True)
class Point(framework.Point):
    """One run without its seed: a service, a distance, and the buffer of the switch in cells."""

    service: str
    distance: str
    buffer: int

    def __str__(self) -> str:
        return f"{SERVICES[self.service]}, {DISTANCES[self.distance].name}, {self.buffer:,} cells"

    @property
    def file(self) -> str:
        """The ready file of its distance."""
        return f"tcp_abr/{self.distance}"

    @property
    def changes(self) -> Mapping[str, object]:
        """The service, and the buffer."""
        policy = "packet_discard" if self.service == EPD else "drop_tail"
        return {
            "scheme": "erica" if self.service == ABR else "none",
            "line.trunk.queues[0]": {policy: {"size": f"{self.buffer} cells"}},
        }


def row(service: str, distance: str) -> dict[int, Point]:
    """The points of a service over a distance, by their buffers."""
    return {buffer: Point(service, distance, buffer) for buffer in DISTANCES[distance].buffers}


def points(_figure: str | None) -> list[Wanted[Point]]:
    """All points: each figure needs them."""
    return [
        (point, None) for distance in DISTANCES for service in SERVICES for point in row(service, distance).values()
    ]
