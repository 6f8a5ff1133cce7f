"""A network as a file of another tool has it: nodes and edges with their attributes, before any is understood."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Attributes = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes, by their ids."""

    source: str
    target: str
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class Demand:
    """Traffic from one node to another, each as the file names it. Without a rate it is greedy.

    `line` is that of the file it is from; 0 if the format has no lines.
    """

    sender: str
    receiver: str
    rate: object
    line: int


@dataclass(frozen=True, slots=True)
class Graph:
    """The content of a file.

    Attributes:
        file: its name.
        nodes: the attributes of each node, by its id.
        edges: the edges.
        is_directed: whether an edge has one direction.
        is_multigraph: whether edges between the same nodes are parallel. Otherwise they are the same edge. None if the
            file does not say.
        rates: the attributes that this format has for the rate, those first that count most, each with its unit, or
            with an empty one if the format has none.
        delays: likewise for the delay; the unit may also be "km".
        demands: those of the file.
        demand_unit: the unit of their rates, if the format or the file names one.
        whole: what the file says of the network as a whole, which may be units of attributes.
        notes: what else the file says, and no scenario has.
    """

    file: str
    nodes: Mapping[str, Attributes]
    edges: Sequence[Edge]
    is_directed: bool = False
    is_multigraph: bool | None = True
    rates: Sequence[tuple[str, str]] = ()
    delays: Sequence[tuple[str, str]] = ()
    demands: Sequence[Demand] = ()
    demand_unit: str = ""
    whole: Attributes = field(default_factory=dict)
    notes: Sequence[str] = ()


def together(one: Attributes, other: Attributes) -> Attributes:
    """What two tables say. Where they differ, both values are in a list."""
    differ = {name: [one[name], value] for name, value in other.items() if name in one and one[name] != value}
    return {**one, **other, **differ}


def is_nan(value: object) -> bool:
    """Whether a value is the number that tools write where they lack one."""
    return isinstance(value, float) and math.isnan(value)


def is_gap(value: object) -> bool:
    """Whether an attribute has no value: nothing, a text without letters, or NaN."""
    return value is None or is_nan(value) or (isinstance(value, str) and value.strip().lower() in ("", "nan"))


def attribute_names(each: Iterable[Attributes]) -> list[str]:
    """The names of all attributes that are there, sorted."""
    return sorted({str(name) for attributes in each for name, value in attributes.items() if value is not None})
