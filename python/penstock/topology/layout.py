"""The place of each node, as data: a drawing and a page of the browser use the same coordinates.

The crate ``penstock-layout`` finds them. A network that is one path is a row. A tree is in columns, so that flows go
from left to right. A network of levels, as leaves and spines, has the ends of flows below. Any other network is placed
by stress: the distance of two nodes is as near as it can be to the number of lines between them. The same network has
the same places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from penstock import _engine
from penstock.topology.network import Hop, Network

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each node is: x to the right and y up, in the distance of neighbours."""

    kind: Literal["row", "columns", "levels", "stress"]
    places: Mapping[str, Place]


def lay_out(network: Network) -> Layout:
    """The place of each node of a network."""
    numbers = {node: number for number, node in enumerate(network.nodes)}

    def pair(hop: Hop) -> tuple[int, int]:
        return numbers[hop[0]], numbers[hop[1]]

    lines = [pair(link.ends) for link in network.links]
    groups = [
        ([numbers[node] for node in (*group.senders, *group.receivers)], [pair(hop) for hop in group.hops])
        for group in network.groups
    ]
    kind, places = _engine.lay_out(len(numbers), lines, groups)
    return Layout(kind, dict(zip(network.nodes, places, strict=True)))
