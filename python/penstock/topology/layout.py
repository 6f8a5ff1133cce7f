"""The place of each node, as data: a drawing and a page of the browser use the same coordinates.

A network that is one path is a row. A tree is in columns, so that flows go from left to right. A network of levels, as
leaves and spines, has the ends of flows below. Any other network is placed by stress majorisation (Gansner, Koren and
North 2004): the distance of two nodes is as near as it can be to the number of lines between them. The same network has
the same places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Literal

from penstock.topology.network import Hop, Network

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Matrix = NDArray[float64]

Place = tuple[float, float]
Neighbours = Mapping[str, Sequence[str]]
MOST_IN_COLUMN = 26
"""The most nodes of a column: a tree with more is placed by stress."""
HIGHEST_LEVEL = 3
"""The highest level: hosts, edge, aggregation and core of a fat tree are 0 to 3."""
SWEEPS = 60
"""Rounds in which the nodes of a column move towards their neighbours."""
STEPS = 300
"""Steps of the stress majorisation."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each node is: x to the right and y up, in the distance of neighbours."""

    kind: Literal["row", "columns", "levels", "stress"]
    places: Mapping[str, Place]


def lay_out(network: Network) -> Layout:
    """The place of each node of a network."""
    neighbours = network.neighbours()
    parts = connected(neighbours)
    lines = sum(map(len, neighbours.values())) // 2
    is_tree = lines == len(neighbours) - len(parts)
    if is_tree and len(parts) == 1 and all(len(others) <= 2 for others in neighbours.values()):
        return Layout("row", row(neighbours, network))
    columns = rank(network, neighbours, parts) if is_tree else {}
    if columns and max(list(columns.values()).count(x) for x in set(columns.values())) <= MOST_IN_COLUMN:
        return Layout("columns", in_columns(columns, neighbours))
    if not is_tree and (own := levels(network, neighbours)):
        return Layout("levels", {node: (-y, float(x)) for node, (x, y) in in_columns(own, neighbours).items()})
    beside: dict[str, Place] = {}
    for part in parts:
        start = max((x for x, _ in beside.values()), default=-1.0) + 1.0
        beside |= {node: (x + start, y) for node, (x, y) in stress(part, neighbours).items()}
    return Layout("stress", beside)


def connected(neighbours: Neighbours) -> list[list[str]]:
    """The nodes that lines join to one another: the largest part first."""
    parts: list[list[str]] = []
    seen: set[str] = set()
    for start in neighbours:
        if start not in seen:
            part = walk(start, neighbours)
            seen.update(part)
            parts.append(part)
    return sorted(parts, key=len, reverse=True)


def walk(start: str, neighbours: Neighbours) -> list[str]:
    """All nodes that lines join to one, depth first."""
    found: dict[str, None] = {}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += reversed(neighbours[node])
    return list(found)


def balance(network: Network) -> dict[Hop, int]:
    """For each hop twice the groups that take it, less those that take it back, and one for the order of the line."""
    found: dict[Hop, int] = {}
    for hop, weight in chain(
        ((link.ends, 1) for link in network.links), ((hop, 2) for group in network.groups for hop in group.hops)
    ):
        found[hop] = found.get(hop, 0) + weight
        found[hop[1], hop[0]] = found.get((hop[1], hop[0]), 0) - weight
    return found


def row(neighbours: Neighbours, network: Network) -> dict[str, Place]:
    """One node after the other; most groups go to the right."""
    first = next((node for node, others in neighbours.items() if len(others) <= 1))
    order = walk(first, neighbours)
    flows = balance(network)
    if sum(flows.get(hop, 0) for hop in pairwise(order)) < 0:
        order.reverse()
    return {node: (float(number), 0.0) for number, node in enumerate(order)}


def rank(network: Network, neighbours: Neighbours, parts: Sequence[Sequence[str]]) -> dict[str, int]:
    """The column of each node of a tree: to the right of a node are those to which most groups go."""
    flows = balance(network)
    columns: dict[str, int] = {}
    for part in parts:
        centre = middle(part, neighbours)
        own, steps = {centre: 0}, {centre: 0}
        for node in walk(centre, neighbours):
            for other in neighbours[node]:
                if other not in own:
                    most = flows.get((node, other), 0)
                    is_idle = abs(most) == 1  # no group: then on, away from the centre
                    steps[other] = steps[node] if is_idle and steps[node] else 1 if most >= 0 else -1
                    own[other] = own[node] + steps[other]
        least = min(own.values())
        columns |= {node: column - least for node, column in own.items()}
    return columns


def levels(network: Network, neighbours: Neighbours) -> dict[str, int]:
    """The number of lines from each node to the nearest end of a flow; empty with many, or a line within a level."""
    found = {node: 0 for group in network.groups for node in (*group.senders, *group.receivers)}
    order = list(found)
    for node in order:  # grows
        for other in neighbours[node]:
            if other not in found:
                found[other] = found[node] + 1
                order.append(other)
    is_layered = all(found.get(link.ends[0]) != found.get(link.ends[1]) for link in network.links)
    is_low = max(found.values()) <= HIGHEST_LEVEL
    return found if is_layered and is_low and len(found) == len(neighbours) else {}


def middle(part: Sequence[str], neighbours: Neighbours) -> str:
    """The node in the middle of the longest path of a tree."""

    def farthest(start: str) -> list[str]:
        """The path to the node that is farthest from one."""
        before: dict[str, str] = {start: start}
        order = [start]
        for node in order:  # grows
            for other in neighbours[node]:
                if other not in before:
                    before[other] = node
                    order.append(other)
        path = [order[-1]]
        while path[-1] != start:
            path.append(before[path[-1]])
        return path

    path = farthest(farthest(part[0])[0])
    return path[len(path) // 2]


def in_columns(columns: Mapping[str, int], neighbours: Neighbours) -> dict[str, Place]:
    """The height of each node in its column: near the mean of its neighbours, and one below the node before it."""
    from scipy.optimize import isotonic_regression

    order: dict[int, list[str]] = {}
    for part in connected(neighbours):
        for node in walk(middle(part, neighbours), neighbours):
            order.setdefault(columns[node], []).append(node)
    depth = {node: number - len(nodes) / 2 for nodes in order.values() for number, node in enumerate(nodes)}
    for sweep in range(SWEEPS):
        for column in sorted(order, reverse=sweep % 2 == 1):
            nodes = order[column]
            wanted = [
                sum(depth[other] for other in neighbours[node]) / len(neighbours[node])
                if neighbours[node]
                else depth[node]
                for node in nodes
            ]
            even = isotonic_regression([depth_ - number for number, depth_ in enumerate(wanted)]).x
            depth.update({node: float(even[number]) + number for number, node in enumerate(nodes)})
    return {node: (float(columns[node]), round(-depth[node], 3)) for node in columns}


def stress(part: Sequence[str], neighbours: Neighbours) -> dict[str, Place]:
    """The places of connected nodes, whose longer side is from left to right, with the leftmost at x = 0."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    if len(part) == 1:
        return {part[0]: (0.0, 0.0)}
    number = {node: place for place, node in enumerate(part)}
    pairs = np.array([(number[node], number[other]) for node in part for other in neighbours[node]])
    lines = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(part), len(part)))
    wanted = shortest_path(lines, unweighted=True)
    places = _spread(_scaled(wanted), wanted)
    places -= places.mean(axis=0)
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    places = places @ axes.T
    for side in range(2):
        if places[np.argmax(np.abs(places[:, side]).round(6)), side] < 0:
            places[:, side] *= -1
    places[:, 0] -= places[:, 0].min()
    return {node: (round(float(x), 3), round(float(y), 3)) for node, (x, y) in zip(part, places, strict=True)}


def _scaled(wanted: Matrix) -> Matrix:
    """The start: classical scaling of the wanted distances to two dimensions."""
    import numpy as np

    squares = wanted**2
    centred = -0.5 * (squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(centred)
    start: Matrix = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9))
    turn = np.arange(len(wanted)) * 2.4  # radians: nodes that scaling puts on one place must part
    return start + 0.05 * np.column_stack([np.cos(turn), np.sin(turn)])


def _spread(places: Matrix, wanted: Matrix) -> Matrix:
    """Places with less stress, with the weight of a pair the inverse square of its wanted distance."""
    import numpy as np

    weights = 1.0 / np.where(wanted > 0, wanted, np.inf) ** 2
    laplacian = np.diag(weights.sum(1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(STEPS):
        apart = np.sqrt(((places[:, None, :] - places[None, :, :]) ** 2).sum(2))
        ratio = -weights * wanted / np.where(apart > 1e-9, apart, np.inf)
        np.fill_diagonal(ratio, 0.0)
        np.fill_diagonal(ratio, -ratio.sum(1))
        places = inverse @ (ratio @ places)
    return places
