"""The topology files of the data-centre simulations for ns-3 that began with HPCC (Li et al. 2019).

    3 1 2                       nodes, switches, links
    2                           the numbers of the switches
    0 2 100Gbps 1us 0           from, to, rate, delay, share of lost packets
    1 2 100Gbps 0.001ms 0

A link has both directions. Nodes that are no switches are hosts.
"""

from __future__ import annotations

import re

from penstock.importing.graph import Attributes, Edge, Graph
from penstock.importing.words import without_comments, words_of

REMEDY = "write: nodes switches links; the numbers of the switches; and per link: from to rate delay loss"


def is_topology(text: str) -> bool:
    """Whether a file has this format: three counts, and a first link with the units of its rate and its delay."""
    text = without_comments(text)
    first = re.match(r"\s*\d+\s+(\d{1,9})\s+\d+\s*\n", text)
    if first is None:
        return False
    words = text[first.end() :].split(None, int(first[1]) + 5)[int(first[1]) :]
    return len(words) >= 4 and re.fullmatch(r"[\d.]+[A-Za-z/]+", words[2]) is not None


def read(text: str, file: str) -> Graph:
    """The network of a file. Raises :class:`penstock.InputError` if it has another form."""
    words = words_of(text, file, REMEDY)
    nodes, switches, links = words.count(1), words.count(), words.count(1)
    are_switches: set[str] = set()
    for _ in range(switches):
        if (number := words.numbered(nodes)) in are_switches:
            raise words.refused(f"switch {number} is there twice", "correct the numbers in the first line")
        are_switches.add(number)
    attributes: dict[str, Attributes] = {
        str(number): {"label": f"{'switch' if str(number) in are_switches else 'host'}-{number}"}
        for number in range(nodes)
    }
    edges = []
    for _ in range(links):
        source = words.numbered(nodes)
        line = words.line
        target = words.numbered(nodes)
        about = {"rate": words.take(), "delay": words.take()}
        if not words.more_on_line():
            raise words.refused("the line ends before the share of lost packets")
        if words.number() != 0.0:
            raise words.refused("the line loses packets at random, and no line of a scenario does", "write 0 there")
        words.end_row(line)
        edges.append(Edge(source, target, about))
    if words.has_more():
        words.take()
        raise words.refused(f"there are more than {links} links", "correct the numbers in the first line")
    return Graph(file, attributes, edges, rates=[("rate", "")], delays=[("delay", "")])
