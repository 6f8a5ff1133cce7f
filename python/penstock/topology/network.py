"""The graph of a scenario: nodes, lines, and the hops of each group of flows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.core.quantities import DELAY_UNITS, RATE_UNITS, quantity, shown
from penstock.core.scenario import of_reverse

if TYPE_CHECKING:
    from penstock.core.scenario import Scenario

Hop = tuple[str, str]
"""From a node to the next, over the line between them."""
UNCONTROLLED = "uncontrolled"


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two nodes.

    Attributes:
        name: its name.
        ends: its two nodes; the port at the first has the name of the line, that at the second ``NAME.reverse``.
        rate: the rate, both rates if the directions differ, for readers.
        delay: the delay, both delays if the directions differ, for readers.
        congestion_points: the keyword of the congestion point of each port; empty without one.
        heard: whether another part hears that congestion point, or it hears another.
    """

    name: str
    ends: Hop
    rate: str
    delay: str
    congestion_points: tuple[str, str]
    heard: tuple[bool, bool]

    def ports(self) -> tuple[tuple[str, Hop], tuple[str, Hop]]:
        """The two ports by their names, each with its direction."""
        return (self.name, self.ends), (f"{self.name}.reverse", (self.ends[1], self.ends[0]))


@dataclass(frozen=True, slots=True)
class Group:
    """A group of flows.

    Attributes:
        name: its name.
        flows: their number.
        senders: the first nodes of their paths.
        receivers: the last ones.
        hops: every hop of their paths, once.
        sender_part: the keyword of the reaction point or else of the transport; empty without both.
        receiver_part: the keyword of the notification point; empty without one.
        access: the private line of each sender, for readers; empty without one.
    """

    name: str
    flows: int
    senders: tuple[str, ...]
    receivers: tuple[str, ...]
    hops: tuple[Hop, ...]
    sender_part: str
    receiver_part: str
    access: str


@dataclass(frozen=True, slots=True)
class Network:
    """The nodes by name, the lines and the groups of a scenario, each in the order of their names."""

    nodes: tuple[str, ...]
    links: tuple[Link, ...]
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, scenario: Scenario) -> Network:
        """The graph of a scenario."""
        tree = scenario.expanded().tree
        parts = {part for each in scenario.meetings().hearings for part in (each.sender, each.listener)}
        links = tuple(_link(name, line, parts) for name, line in in_order(tree["line"]))
        hops = scenario.hops()
        groups = tuple(_group(name, flow, hops[name]) for name, flow in in_order(tree["flow"]))
        joined = {node for link in links for node in link.ends}
        alone = {node for group in groups for node in (*group.senders, *group.receivers)}
        nodes = tuple(sorted(joined | alone, key=natural))
        return cls(nodes, links, groups)


def _link(name: str, line: Mapping[str, Any], parts: set[str]) -> Link:
    reverse = line.get("reverse", line)
    rates, delays = ([for_readers(line[key]), for_readers(of_reverse(line, key))] for key in ("rate", "delay"))
    points = [_keyword(end.get("congestion_point")) for end in (line, reverse)]
    shown_name = name if re.fullmatch(r"[\w-]+", name) else f'"{name}"'
    first = f"line.{shown_name}.congestion_point.{points[0]}"
    second = f"line.{shown_name}.reverse.congestion_point.{points[1]}" if "reverse" in line else first
    return Link(
        name,
        (line["between"][0], line["between"][1]),
        " / ".join(dict.fromkeys(rates)),
        " / ".join(dict.fromkeys(delays)),
        (points[0], points[1]),
        (first in parts, second in parts),
    )


def _group(name: str, flow: Mapping[str, Any], hops: Sequence[Hop]) -> Group:
    path = flow.get("path")
    if path:
        senders, receivers = (path[0],), (path[-1],)
        flows = flow["count"]
    else:
        senders, receivers = tuple(flow["from"]), tuple(flow["to"])
        flows = flow["count"] * sum(one != other for one in senders for other in receivers)
    reaction = _keyword(flow.get("reaction_point"))
    access = flow.get("access", {})
    told = [for_readers(access[key]) for key in ("rate", "delay") if key in access]
    return Group(
        name,
        flows,
        senders,
        receivers,
        tuple(hops),
        reaction if reaction not in ("", UNCONTROLLED) else _keyword(flow.get("transport")),
        _keyword(flow.get("notification_point")),
        ", ".join(told),
    )


def _keyword(part: Mapping[str, Any] | None) -> str:
    return next(iter(part), "") if part else ""


def for_readers(text: str) -> str:
    """A rate or a time in the greatest unit that keeps it above one: ``13.33 ms`` for ``13330 us``."""
    for units in (RATE_UNITS, DELAY_UNITS):
        try:
            amount = quantity(text, "", units)
        except ValueError:
            continue
        return shown(amount, units) if amount else "0 s" if units is DELAY_UNITS else text
    return text


def in_order(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The entries of a table by their names."""
    return sorted(table.items(), key=lambda entry: natural(entry[0]))


def natural(name: str) -> list[tuple[int, str]]:
    """The place of a name among others: numbers in it count as numbers, so ``es2`` is before ``es10``."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name) if part]
