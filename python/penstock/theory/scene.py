"""What theories need to know of a run: its effective scenario, its ports, and the values of its replications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from penstock.core.scenario import Scenario, of_reverse
from penstock.core.units import count, seconds
from penstock.statistics import Estimate, Sample
from penstock.truth.shares import is_controlled

if TYPE_CHECKING:
    import polars as pl

    from penstock.api.run import Result

REVERSE = ".reverse"
"""The end of the name of the port at the second node of a line."""
UNCOVERED = {"buffer", "congestion_point", "jitter", "outage"}
"""Parts of a line that no theory covers."""
BY_LENGTH = {"unlimited", "drop_tail", "drop_tail_bits", "npdu_priority", "clp_threshold", "push_out"}
"""Queue policies that discard by the length of the queue alone."""


@dataclass(frozen=True, slots=True)
class Row:
    """A result of theory beside the measurement.

    Attributes:
        theory: its name.
        of: the port or the group.
        quantity: what it is, with its unit.
        relation: ``=`` if the measured mean tends to the truth, ``<=`` if nothing measured exceeds it.
        truth: the result of theory.
        measured: the mean over replications with its interval, or the largest value.
        condition: what the theory needs, and the scenario has.
    """

    theory: str
    of: str
    quantity: str
    relation: Literal["=", "<="]
    truth: float
    measured: Estimate
    condition: str


class Scene:
    """An effective scenario with its tables of groups and ports, as theories read them."""

    def __init__(self, scenario: Mapping[str, Any], groups: pl.DataFrame, ports: pl.DataFrame) -> None:
        self.lines: Mapping[str, Any] = scenario.get("line", {})
        self.flows: Mapping[str, Any] = scenario["flow"]
        #: Whether a parameter or the rate of a line changes during the run, or a group does not send. No theory here
        #: covers that.
        self.changes = any(scenario.get(key) for key in ("change", "capacity"))
        self.changes |= any(not flow.get("active", True) for flow in self.flows.values())
        ends = [end for line in self.lines.values() for end in (line, line.get("reverse") or {})]
        self.changes |= any("opportunities" in end for end in ends)
        self.tables = {"groups": groups, "ports": ports}
        self._columns: dict[tuple[str, str], dict[str, list[float | None]]] = {}
        self.shows_access_lines = bool(scenario.get("measure", {}).get("flows", True))
        """Whether the ports of access lines have rows."""

    @classmethod
    def of(cls, result: Result) -> Scene:
        """That of a result, with the parts of its schemes in their places."""
        scenario = Scenario.of(result.manifest["scenario"]).expanded()
        result = result.independent()
        return cls(scenario.tree, result.groups, result.ports)

    @cached_property
    def rates(self) -> dict[str, float]:
        """The rate of the line of each port, bits per second."""
        return dict(self.tables["ports"].select("port", "rate_bps").unique(maintain_order=True).iter_rows())

    @cached_property
    def nominal(self) -> dict[str, float | None]:
        """The mean rate of one flow of each group without control, from its traffic, bits per second."""
        rows = self.tables["groups"].select("group", "nominal_bps", "flows").unique()
        return {group: None if rate is None else rate / flows for group, rate, flows in rows.iter_rows()}

    @cached_property
    def _routes(self) -> dict[str, list[str]]:
        """For each group with a path the ports on it, without access lines."""
        ends = {}
        for name, line in self.lines.items():
            first, second = line["between"]
            ends[first, second], ends[second, first] = name, f"{name}{REVERSE}"
        paths = {group: flow["path"] for group, flow in self.flows.items() if "path" in flow}
        return {group: [ends[hop] for hop in pairwise(path)] for group, path in paths.items()}

    @cached_property
    def _places(self) -> dict[str, dict[str, int]]:
        """For each port the groups whose paths have it, each with its place on the path."""
        crossing: dict[str, dict[str, int]] = {}
        for group, route in self._routes.items():
            for place, port in enumerate(route):
                crossing.setdefault(port, {})[group] = place
        return crossing

    def route(self, group: str) -> list[str]:
        """The ports on the path of a group, without access lines."""
        return self._routes[group]

    def crossing(self, port: str) -> list[str]:
        """The groups whose path has this port."""
        return list(self._places.get(port, ()))

    def place(self, group: str, port: str) -> int:
        """The place of a port on the path of a group, from 0."""
        return self._places[port][group]

    def queues(self, port: str) -> Sequence[Mapping[str, Any]]:
        """The queues of a port, by priority."""
        queues: Sequence[Mapping[str, Any]] = self.port(port)["queues"]
        return queues

    def port(self, port: str) -> Mapping[str, Any]:
        """The parameters of a port: those of its line, or of its reverse."""
        line = self.line(port)
        reverse: Mapping[str, Any] = line.get("reverse", line)
        return reverse if port.endswith(REVERSE) else line

    def line(self, port: str) -> Mapping[str, Any]:
        """The line of a port."""
        found: Mapping[str, Any] = self.lines[port.removesuffix(REVERSE)]
        return found

    def delay(self, port: str) -> float:
        """The propagation delay of the line of a port, in its direction, seconds."""
        line = self.line(port)
        return seconds(of_reverse(line, "delay") if port.endswith(REVERSE) else line["delay"])

    @property
    def has_paths(self) -> bool:
        """Whether each group has one path, which the scenario names."""
        return all("path" in flow for flow in self.flows.values())

    @property
    def is_open_loop(self) -> bool:
        """Whether nothing in the network controls a source or answers it, and no line is ever broken."""
        return (
            self.has_paths
            and all(not ({"notification_point", "transport", "peer"} & set(flow)) for flow in self.flows.values())
            and not any(map(is_controlled, self.flows.values()))
            and all(self.is_plain(name) for name in self.lines)
        )

    def is_plain(self, name: str) -> bool:
        """Whether a line, in both directions, has but queues by priority that discard by their length alone."""
        line = self.lines[name]
        ends = [line, line["reverse"]] if "reverse" in line else [line]
        return all(
            not UNCOVERED & set(end)
            and set(end["scheduler"]) == {"strict"}
            and all(set(queue) <= BY_LENGTH for queue in end["queues"])
            for end in ends
        )

    def traffic(self, group: str) -> tuple[str, Mapping[str, Any]]:
        """The traffic model of a group and its parameters."""
        ((kind, parameters),) = self.flows[group]["traffic"].items()
        return kind, parameters

    def estimate(self, table: str, name: str, column: str, *, scale: float = 1.0) -> Estimate | None:
        """The mean of a column over replications, with its interval; None if a replication has no value."""
        values = self._values(table, column).get(name, [])
        present = [value * scale for value in values if value is not None]
        return Sample(present, 0.0).estimate() if present and len(present) == len(values) else None

    def largest(self, table: str, name: str, column: str) -> Estimate | None:
        """The largest value of a column in any replication; None without one."""
        values = [value for value in self._values(table, column).get(name, []) if value is not None]
        return Estimate(float(max(values)), None, None, len(values)) if values else None

    def _values(self, table: str, column: str) -> dict[str, list[float | None]]:
        """The values of a column for each group or port: a table of many is searched once, not for each of them."""
        if (table, column) not in self._columns:
            values: dict[str, list[float | None]] = {}
            key = {"groups": "group", "ports": "port"}[table]
            for name, value in self.tables[table].select(key, column).iter_rows():
                values.setdefault(name, []).append(value)
            self._columns[table, column] = values
        return self._columns[table, column]


def places(queue: Mapping[str, Any]) -> int | None:
    """The places of a drop-tail queue, that of the PDU in service included; None for another queue."""
    return count(queue["drop_tail"]["size"]) if "drop_tail" in queue else None


def is_unlimited(queue: Mapping[str, Any]) -> bool:
    """Whether a queue has no limit."""
    return "unlimited" in queue
