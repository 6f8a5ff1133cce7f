"""The networks of the checks of byte streams, and what several of them read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.verify.check import Tables

PACKET = 1500
"""Octets of a whole segment of 1,460 octets with its header of 40."""
ROUND_TRIP = 0.1
"""Seconds without a queue."""


def network(line: str, flows: str, *, until: str, warm_up: str = "0 s", sample: str = "100 ms") -> str:
    """Flows over one line, whose way back has room for all acknowledgements."""
    return f"""
duration = "{until}"
warm_up = "{warm_up}"
measure.sample = "{sample}"
[line.line]
between = ["a", "b"]
{line}
reverse.queues = [{{ unlimited = {{}} }}]
{flows}
"""


def greedy(stream: str, *, name: str = "data", path: str = "ab", count: int = 1, access_ms: int = 0) -> str:
    """A group of flows that always have data, over the nodes of a path, behind a delay of their own."""
    return f"""
[flow.{name}]
path = {list(path)}
count = {count}
octets = 1460
{f'access.delay = "{access_ms} ms"' if access_ms else ""}
traffic.greedy = {{}}
transport.stream = {{ {stream} }}
"""


def utilisation(tables: Tables) -> list[float]:
    """The utilisation of the line."""
    return [float(tables("ports").filter(port="line")["utilisation"].item())]


def share_of(group: str, other: str, tables: Tables) -> float:
    """The share of a group in what it and another deliver."""
    groups = tables("groups")
    rates = [float(groups.filter(group=name)["throughput_bps"].item()) for name in (group, other)]
    return rates[0] / sum(rates)
