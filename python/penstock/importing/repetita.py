"""The format of REPETITA (Gay, Schaus and Vissicchio 2017): a topology, and demands in a file of their own.

    NODES 2                                       DEMANDS 1
    label x y                                     label src dest bw
    Berlin 13.4 52.5                              demand_0 0 1 640
    Bonn 7.1 50.7
    EDGES 2
    label src dest weight bw delay
    edge_0 0 1 1 1000000 2500
    edge_1 1 0 1 1000000 2500

Nodes are numbered from 0 in their order, x and y are longitude and latitude, `bw` is in kb/s and `delay` in us. An edge
has one direction. The weights are not used: the routes of a scenario have the fewest lines or the least delay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from penstock.importing.graph import Attributes, Demand, Edge, Graph
from penstock.importing.words import Words, without_comments, words_of

RATE_UNIT, DELAY_UNIT = "kb/s", "us"
REMEDY = "compare the line with REPETITA's own files"


def is_topology(text: str) -> bool:
    """Whether a file is a topology in this format."""
    return re.match(r"\s*NODES\s+\d+\s+label\s", without_comments(text)) is not None


def is_demands(text: str) -> bool:
    """Whether a file has demands in this format."""
    return re.match(r"\s*DEMANDS\s+\d+\s+label\s", without_comments(text)) is not None


def read(text: str, file: str) -> Graph:
    """The network of a file. Raises :class:`penstock.InputError` if it has another form."""
    words = words_of(text, file, REMEDY)
    nodes: dict[str, Attributes] = {}
    for number in range(_head(words, "NODES", ("label", "x", "y"))):
        label = words.take()
        line = words.line
        nodes[str(number)] = {"label": label, "longitude": words.number(), "latitude": words.number()}
        words.end_row(line)
    edges = []
    for _ in range(_head(words, "EDGES", ("label", "src", "dest", "weight", "bw", "delay"))):
        words.take()
        line = words.line
        source, target = words.numbered(len(nodes)), words.numbered(len(nodes))
        about = {column: words.number() for column in ("weight", "bw", "delay")}
        words.end_row(line)
        edges.append(Edge(source, target, about))
    _end(words)
    rates, delays = [("bw", RATE_UNIT)], [("delay", DELAY_UNIT)]
    return Graph(file, nodes, edges, is_directed=True, rates=rates, delays=delays)


def read_demands(text: str, file: str) -> list[Demand]:
    """The demands of a file, between nodes by their numbers, in kb/s. Raises :class:`penstock.InputError`."""
    words = words_of(text, file, REMEDY)
    demands = []
    for _ in range(_head(words, "DEMANDS", ("label", "src", "dest", "bw"))):
        words.take()
        line = words.line
        sender, receiver = words.take(), words.take()
        demands.append(Demand(sender, receiver, words.number(), line))
        words.end_row(line)
    _end(words)
    return demands


def _head(words: Words, section: str, columns: Sequence[str]) -> int:
    """The number of rows of a section, after its title and the names of its columns."""
    words.expect(section)
    count = words.count()
    for column in columns:
        words.expect(column)
    return count


def _end(words: Words) -> None:
    if words.has_more():
        words.take()
        raise words.refused("there are more rows than the title of the section says", "correct its number")
