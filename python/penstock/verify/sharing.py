"""Checks of max-min fairness: the settled rates of explicit-rate schemes, and Jain's index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.statistics import jain
from penstock.truth.fairness import max_min
from penstock.truth.shares import members
from penstock.verify.check import Check, Exact
from penstock.verify.texts import series

if TYPE_CHECKING:
    from penstock.verify.check import Tables

TARGET = 0.9
SETTLED = 0.001
"""How close the settled rates are, as a share."""
SCHEMES = {
    "ERICA, delta 0": f'erica = {{ target = {TARGET}, delta = 0.0, interval = {{ time = "10 ms" }} }}',
    "Charny": f"charny = {{ target = {TARGET} }}",
}


@dataclass(frozen=True, slots=True)
class Network:
    """Trunks between switches in a row, in Mb/s, and groups of flows: their number and the trunks that they cross."""

    name: str
    trunks: Mapping[str, float]
    groups: Mapping[str, tuple[int, tuple[str, ...]]]

    def shares(self) -> dict[str, float]:
        """The max-min rate of a flow of each group on the target part of each trunk, Mb/s."""
        routes = {
            f"{group}/{number}": trunks for group, (count, trunks) in self.groups.items() for number in range(count)
        }
        rates = max_min({name: TARGET * rate for name, rate in self.trunks.items()}, routes)
        return {group: rates[f"{group}/0"] for group in self.groups}

    def text(self, scheme: str, seconds: float) -> str:
        """The scenario, with readings of every flow at its end."""
        names = list(self.trunks)
        text = f"""
duration = "{seconds:g} s"
measure.sample = "{seconds:g} s"
measure.sample_flows = true
[defaults.line]
delay = "167 us"
congestion_point.{scheme}
reverse = {{}}
[defaults.flow]
access = {{ rate = "150 Mb/s", delay = "1 ms" }}
traffic.greedy = {{}}
reaction_point.explicit_rate = {{ initial = "10 Mb/s", peak = "150 Mb/s", minimum = "100 kb/s" }}
notification_point.turn_round = {{}}
"""
        for number, (name, rate) in enumerate(self.trunks.items()):
            text += f'[line.{name}]\nbetween = ["s{number}", "s{number + 1}"]\nrate = "{rate:g} Mb/s"\n'
        for group, (count, trunks) in self.groups.items():
            first = names.index(trunks[0])
            path = [f"s{number}" for number in range(first, first + len(trunks) + 1)]
            text += f"[flow.{group}]\ncount = {count}\npath = {path}\n"
        return text


NETWORKS = (
    Network(
        "parking lot",
        {"L1": 150, "L2": 150, "L3": 150},
        {"long": (1, ("L1", "L2", "L3")), "a": (1, ("L1",)), "b": (1, ("L2",)), "c": (1, ("L3",)), "d": (1, ("L3",))},
    ),
    Network(
        "upstream",
        {"L1": 100, "L2": 50},
        {"x": (1, ("L1",)), "y": (1, ("L1",)), "z": (1, ("L1", "L2")), "u": (1, ("L2",))},
    ),
    Network(
        "GFC-1",
        {"L1": 50, "L2": 150, "L3": 150, "L4": 100},
        {
            "a": (3, ("L1", "L2", "L3")),
            "b": (3, ("L2", "L3", "L4")),
            "c": (3, ("L3",)),
            "d": (6, ("L1",)),
            "e": (6, ("L4",)),
            "f": (2, ("L2",)),
        },
    ),
)


def settled(network: Network) -> Callable[[Tables], list[float]]:
    """The last granted rate of every flow, group by group, Mb/s."""
    flows = [one for group, (count, _) in network.groups.items() for one in members(group, count)]
    return lambda tables: [series(tables, flow, "rate")[-1] / 1e6 for flow in flows]


def jain_check() -> Check:
    """Two constant flows over lines that pass them in the ratio of 3 to 1."""
    text = """
duration = "20 s"
warm_up = "10 s"
[defaults.line]
queues = [{ drop_tail = { size = "10 cells" } }]
[line.wide]
between = ["a", "c"]
rate = "318 kb/s"
[line.narrow]
between = ["b", "c"]
rate = "106 kb/s"
[flow.cells]
from = ["a", "b"]
to = ["c"]
traffic.cbr = { rate = "424 kb/s" }
"""
    line = Exact("index", [jain([3, 1])], lambda tables: [float(tables("groups")["fairness"].item())], within=1e-4)
    return Check("Jain's index", "throughputs of 3 to 1", text, [line])


def checks() -> Iterator[Check]:
    """Three networks under either scheme."""
    for network in NETWORKS:
        shares = network.shares()
        truth = [shares[group] for group, (count, _) in network.groups.items() for _ in range(count)]
        for scheme, point in SCHEMES.items():
            line = Exact("settled rates (Mb/s)", truth, settled(network), within=SETTLED)
            yield Check("max-min", f"{network.name}, {scheme}, target {TARGET}", network.text(point, 8), [line])
    yield jain_check()
