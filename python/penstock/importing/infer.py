"""What a scenario needs of each edge: one rate and one delay, stated in the file or inferred, and said so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal

from penstock.core.counts import counted
from penstock.core.errors import InputError, did_you_mean
from penstock.core.quantities import (
    DELAY_UNITS,
    LENGTH_UNITS,
    RATE_UNITS,
    NoUnitError,
    given,
    is_length_unit,
    is_rounded,
    quantity,
    shown,
)
from penstock.importing.graph import Edge, Graph, attribute_names, is_gap, is_nan
from penstock.importing.names import LABELS, changed_names, label_of, labels_of, of_the_whole, plain, some_of
from penstock.importing.places import US_PER_KM, contradicting, distance_km, is_coordinate, place_of, unplaced
from penstock.importing.units import DELAY, RATE, Kind, beside, unit_of, without_unit

MODULE = "module_capacity"
"""The attribute of a link of SNDlib that is no other rate, but what may be added."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user says about a file.

    Attributes:
        rate: the attribute of an edge that is its rate.
        rate_unit: the unit of rates that are numbers.
        default_rate: the rate of an edge without one, with its unit.
        delay: the attribute of an edge that is its delay.
        delay_unit: the unit of delays that are numbers.
        default_delay: the delay of an edge without one, with its unit.
        demand_unit: the unit of demands that are numbers; that of the rates if empty.
        merge_parallel: whether edges between the same nodes become one line.
        duration: that of the scenario.
    """

    rate: str = ""
    rate_unit: str = ""
    default_rate: str = ""
    delay: str = ""
    delay_unit: str = ""
    default_delay: str = ""
    demand_unit: str = ""
    merge_parallel: bool = False
    duration: str = "1 s"


@dataclass(frozen=True, slots=True)
class Line:
    """A line: the ids of its nodes, its two rates in b/s, its two delays in ns, and what was inferred."""

    ends: tuple[str, str]
    rate: Decimal
    reverse_rate: Decimal
    delay: Decimal
    reverse_delay: Decimal
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Found:
    """Values of one edge, with what was inferred."""

    rate: Decimal = Decimal(0)
    delay: Decimal = Decimal(0)
    notes: list[str] = field(default_factory=list)


class Reader:
    """Reads the rates and delays of the edges of a graph."""

    def __init__(self, graph: Graph, options: Options) -> None:
        self.graph, self.options = graph, options
        self.used: set[str] = set()
        self.units_of_all: set[str] = set()
        self.default_rate = self.given("--default-rate", options.default_rate, RATE_UNITS)
        self.default_delay = self.given("--default-delay", options.default_delay, DELAY_UNITS)

    def given(self, option: str, text: str, units: Mapping[str, Decimal]) -> Decimal | None:
        """The value of an option; None if it is not given."""
        return given(option, text, units, "10 Mb/s" if units is RATE_UNITS else "5 ms") if text else None

    def lines(self) -> list[Line]:
        """All lines, in the order of the edges. Raises :class:`InputError`."""
        for node, attributes in self.graph.nodes.items():
            if twice := contradicting(attributes):
                reason = f"it has two places: {' and '.join(f'{name} = {attributes[name]}' for name in twice)}"
                path, remedy = f"node {plain(node)}", "delete one of the two"
                raise InputError(reason, path=path, file=self.graph.file, remedy=remedy)
        pairs: dict[frozenset[str], list[Edge]] = {}
        for edge in self.graph.edges:
            if edge.source != edge.target:
                pairs.setdefault(frozenset((edge.source, edge.target)), []).append(edge)
        if not pairs:
            reason = "the network has no edge" + (" between two nodes" if self.graph.edges else "")
            raise InputError(reason, file=self.graph.file, remedy="a scenario needs a line")
        return [self.line(edges) for edges in pairs.values()]

    def notes(self) -> list[str]:
        """What the file says that is in no line, after :meth:`lines`."""
        loops = [self.named(edge) for edge in self.graph.edges if edge.source == edge.target]
        found = [f"edge: from a node to itself, left out, for no PDU would use it: {some_of(loops)}"] if loops else []
        nodes = self.graph.nodes.values()
        found += [*self.off_the_earth(), *changed_names(self.graph)]
        if both := [plain(node) for node, each in self.graph.nodes.items() if len(labels_of(each)) > 1]:
            those = f"{counted(len(both), 'node')}, {some_of(both)}"
            found.append(f"node: a label and another name, which only a matrix may use: those of {those}")
        if nan := [
            plain(node) for node, each in self.graph.nodes.items() if any(is_nan(each.get(at)) for at in LABELS)
        ]:
            found.append(f"node: a label that is NaN is no name: that of {some_of(nan)}")
        of_nodes = [name for name in attribute_names(nodes) if name not in LABELS]
        of_edges = attribute_names(edge.attributes for edge in self.graph.edges)
        for what, names in (("edge", of_edges), ("node", of_nodes)):
            if unused := [plain(name) for name in names if name not in self.used]:
                found.append(f"{what}: attributes that are not used: {', '.join(unused)}")
        found += of_the_whole(name for name in self.graph.whole if name not in self.units_of_all)
        return [*found, *self.graph.notes]

    def off_the_earth(self) -> list[str]:
        """The nodes whose coordinates are no places, by the reason."""
        wrong: dict[str, list[str]] = {}
        for node, attributes in self.graph.nodes.items():
            reason, value = unplaced(attributes)
            if reason:
                wrong.setdefault(reason, []).append(f"{label_of(attributes) or plain(node)} ({plain(value)})")
        return [
            f"node: coordinates that {reason}, not used: those of {counted(len(named), 'node')}, {some_of(named)}"
            for reason, named in wrong.items()
        ]

    def line(self, edges: Sequence[Edge]) -> Line:
        """The line of all edges between two nodes."""
        ends = (edges[0].source, edges[0].target)
        forward = [edge for edge in edges if edge.source == ends[0] or not self.graph.is_directed]
        backward = [edge for edge in edges if edge not in forward] if self.graph.is_directed else []
        there = self.direction(forward)
        if not backward:
            notes = ["the file has this direction only: the other is the same"] if self.graph.is_directed else []
            return Line(ends, there.rate, there.rate, there.delay, there.delay, (*there.notes, *notes))
        back = self.direction(backward)
        notes = list(dict.fromkeys((*there.notes, *back.notes)))
        return Line(ends, there.rate, back.rate, there.delay, back.delay, tuple(notes))

    def direction(self, edges: Sequence[Edge]) -> Found:
        """The values of the edges of one direction: one, or several that are merged."""
        is_multigraph = self.graph.is_multigraph
        again: list[str] = []
        if len(edges) > 1 and (is_multigraph is False or not (is_multigraph or self.options.merge_parallel)):
            again = [f"the file has this edge {len(edges)} times, with equal attributes: one line"]
            edges = self.same(edges)
        if len(edges) > 1 and not self.options.merge_parallel:
            reason = f"{len(edges)} edges join these nodes, and a route over them would be ambiguous"
            remedy = "if they are parallel, add --merge-parallel, which adds their rates, or put a node into one"
            remedy += "; if they are one line, delete all but one"
            if not self.graph.is_directed:
                remedy += "; if each is one direction of a line, the file must say that it is directed"
            raise self.refused(edges[0], reason, remedy)
        found = [self.values(edge) for edge in edges]
        if len(found) == 1:
            found[0].notes += again
            return found[0]
        notes = [f"{len(found)} parallel edges: the sum of their rates, the least of their delays"]
        notes += dict.fromkeys(note for each in found for note in each.notes)
        return Found(sum((each.rate for each in found), Decimal(0)), min(each.delay for each in found), notes)

    def same(self, edges: Sequence[Edge]) -> Sequence[Edge]:
        """The one edge that a file which is no multigraph, or does not say so, has several times."""
        first = edges[0]
        for edge in edges[1:]:
            names = sorted(map(str, {**first.attributes, **edge.attributes}))
            pairs = ((name, first.attributes.get(name), edge.attributes.get(name)) for name in names)
            if unlike := [name for name, one, other in pairs if one != other and str(one) != str(other)]:
                if self.graph.is_multigraph is None:
                    return edges
                name = unlike[0]
                values = [str(each.attributes.get(name, "nothing")) for each in (first, edge)]
                reason = f"the file is no multigraph and has this edge twice, with {name} = {' and '.join(values)}"
                raise self.refused(first, reason, "delete one of the two, or write that the file is a multigraph")
        return edges[:1]

    def values(self, edge: Edge) -> Found:
        """The rate and the delay of one edge."""
        found = Found()
        found.rate = self.rate(edge, found)
        if found.rate < 1:
            raise self.refused(edge, "its rate is less than 1 b/s", "is --rate-unit right?")
        found.delay = self.delay(edge, found)
        for what, amount, unit in (("rate", found.rate, "b/s"), ("delay", found.delay, "ns")):
            if is_rounded(amount):
                found.notes.append(f"its {what} is rounded to whole {unit}")
        return found

    def rate(self, edge: Edge, found: Found) -> Decimal:
        """The rate of an edge in b/s."""
        there = [each for each in self.graph.rates if not is_gap(edge.attributes.get(each[0]))]
        found.notes += self.gaps(edge, self.options.rate, self.graph.rates)
        for name, unit in self.known(self.options.rate, there):
            if not is_gap(edge.attributes.get(name)):
                if name == MODULE:
                    found.notes.append("no capacity is installed: the rate is that of the first module")
                rate = self.quantity(edge, name, unit, RATE, found)
                if not self.options.rate:
                    found.notes += self.unlike(edge, rate, [each for each in there if each[0] not in (name, MODULE)])
                return rate
        if self.default_rate is not None:
            found.notes.append("no rate that is known: --default-rate")
            return self.default_rate
        raise self.missing(edge, "rate", self.options.rate, '"10 Mb/s"')

    def gaps(self, edge: Edge, name: str, of_format: Sequence[tuple[str, str]]) -> list[str]:
        """The attributes of an edge that should have a value, and have an empty one."""
        values = {each: edge.attributes.get(each) for each, _ in self.known(name, of_format)}
        empty = [(each, value) for each, value in values.items() if value is not None and is_gap(value)]
        return [f"{each} is {'NaN' if str(value).strip() else 'empty'}" for each, value in empty]

    def unlike(self, edge: Edge, rate: Decimal, others: Sequence[tuple[str, str]]) -> Iterator[str]:
        """The attributes that say another rate of an edge than the one that is used."""
        for name, unit in others:
            with suppress(InputError):
                if (other := self.quantity(edge, name, unit, RATE, Found())) != rate:
                    yield f"{name} says {shown(other, RATE_UNITS)} instead, and is not used"

    def known(self, name: str, of_format: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """The attributes that may have a value, each with the unit of the format: that of the user alone, if named."""
        return [(name, dict(of_format).get(name, ""))] if name else of_format

    def delay(self, edge: Edge, found: Found) -> Decimal:
        """The delay of an edge in ns."""
        name = self.options.delay
        found.notes += self.gaps(edge, name, self.graph.delays)
        for known, unit in self.known(name, self.graph.delays):
            if not is_gap(edge.attributes.get(known)):
                return self.quantity(edge, known, unit, DELAY, found)
        ends = [self.graph.nodes[node] for node in (edge.source, edge.target)]
        places = [place_of(attributes) for attributes in ends]
        if not name and places[0] is not None and places[1] is not None:
            self.used |= {each for attributes in ends for each in attributes if is_coordinate(each)}
            return round(self.of_distance(Decimal(distance_km(places[0], places[1])), found), -3)  # whole us
        if self.default_delay is not None:
            found.notes.append("no delay that is known: --default-delay")
            return self.default_delay
        raise self.missing(edge, "delay", name, '"5 ms"')

    def of_distance(self, km: Decimal, found: Found) -> Decimal:
        """The delay of a length of fibre, in whole ns: it is inferred, and no value of the file is rounded."""
        found.notes.append(f"{km:,.0f} km at {US_PER_KM:g} us/km")
        return round(km * Decimal(US_PER_KM) * DELAY_UNITS["us"], 0)

    def quantity(self, edge: Edge, name: str, of_format: str, kind: Kind, found: Found) -> Decimal:
        """The value of an attribute, with the unit that it has in files of this format."""
        value, given = edge.attributes[name], self.options.rate_unit if kind is RATE else self.options.delay_unit
        try:
            of_all = {} if of_format else beside(self.graph.whole, name)
            if len(set(of_all.values())) > 1:
                raise ValueError(f"two units are stated for all edges, {' and '.join(of_all.values())}")
            of_format = of_format or next(iter(of_all.values()), "")
            unit = unit_of(edge.attributes, name, of_format, kind, given, found.notes)
            is_length = kind is DELAY and is_length_unit(unit)
            amount = quantity(value, unit, LENGTH_UNITS if is_length else kind.units)
            self.used |= {name, *beside(edge.attributes, name)}
            self.units_of_all |= of_all.keys()
            return self.of_distance(amount, found) if is_length else amount
        except ValueError as error:
            remedy = without_unit(name, kind) if isinstance(error, NoUnitError) else "correct it in the file"
            path = f"edge {self.named(edge)}, {name}"
            raise InputError(str(error), path=path, value=value, file=self.graph.file, remedy=remedy) from None

    def missing(self, edge: Edge, what: str, asked: str, example: str) -> InputError:
        """The error of an edge without a value."""
        there = [name for name in attribute_names([edge.attributes]) if not is_gap(edge.attributes[name])]
        other = f", others have {', '.join(names)}" if (names := self.others(edge)) else ""
        empty = self.gaps(edge, asked, self.graph.rates if what == "rate" else self.graph.delays)
        reason = f"it has no attribute {asked}" if asked else f"its {what} is not known"
        reason = f"its {' and '.join(empty)}" if empty else reason
        reason += f": its attributes are {', '.join(there)}" if there else ": it has no attributes"
        near = did_you_mean(asked, there) if asked else ""
        named = near or ("give it a value" if empty and asked else f"name the attribute with --{what}")
        if what == "delay" and not asked:
            wrong = [unplaced(self.graph.nodes[node]) for node in (edge.source, edge.target)]
            told = [f"its coordinates {why}: {value}" for why, value in wrong if why]
            other += f", and {told[0]}" if told else ""
            named += ", give both nodes a latitude and a longitude"
        return self.refused(edge, reason + other, f"{named}, or give --default-{what} {example}")

    def others(self, edge: Edge) -> list[str]:
        """The attributes that other edges have and this one has not."""
        names = attribute_names(other.attributes for other in self.graph.edges)
        return [name for name in names if is_gap(edge.attributes.get(name))]

    def named(self, edge: Edge) -> str:
        """The two nodes of an edge, with their labels if they have any."""
        labels = [(node, label_of(self.graph.nodes[node])) for node in (edge.source, edge.target)]
        return " - ".join(f"{node} ({label})" if label not in ("", node) else node for node, label in labels)

    def refused(self, edge: Edge, reason: str, remedy: str) -> InputError:
        """The error of an edge."""
        return InputError(reason, path=f"edge {self.named(edge)}", file=self.graph.file, remedy=remedy)
