"""An imported network as a scenario file, with comments where a value was inferred."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.quantities import DELAY_UNITS, RATE_UNITS, quantity, shown
from penstock.importing.graph import Demand, Graph
from penstock.importing.infer import Line, Options
from penstock.importing.names import Finder, node_names, plain, unique

BARE = re.compile(r"[A-Za-z0-9_-]+")
QUEUE = 1000
"""Cells of each queue: the files say nothing about queues."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """A group of one flow between two nodes, by their names. Without a rate it is greedy."""

    sender: str
    receiver: str
    rate: Decimal | None


def document(graph: Graph, lines: Sequence[Line], demands: Sequence[Demand], matrix: str, options: Options) -> str:
    """The scenario file. `matrix` is the file of the demands. Raises :class:`InputError`."""
    names = node_names(graph)
    ends = [(names[line.ends[0]], names[line.ends[1]]) for line in lines]
    neighbours = joined(ends)
    traffic, notes = traffic_of(demands, graph, names, matrix, options)
    if not demands:
        sender, receiver = farthest(neighbours)
        traffic = [Traffic(sender, receiver, None)]
        notes.append("flow: there are no demands. This one is greedy, between two nodes that are far apart.")
    for each, demand in zip(traffic, demands, strict=False):
        if each.receiver not in reached(neighbours, each.sender):
            raise InputError(
                "no lines lead from the one to the other",
                value=f"{each.sender} to {each.receiver}",
                file=matrix,
                line=demand.line,
                remedy="add the missing lines, or delete the demand",
            )
    lonely = sorted(name for name in names.values() if name not in neighbours)
    if lonely:
        notes.append(f"node: no edge ends at {', '.join(lonely)}: left out")
    return "\n".join((*head(graph, lines, notes, options), *line_rows(lines, ends), *flow_rows(traffic))) + "\n"


def traffic_of(
    demands: Sequence[Demand], graph: Graph, names: Mapping[str, str], matrix: str, options: Options
) -> tuple[list[Traffic], list[str]]:
    """The flows of the demands, in their order, and what is to say about them."""
    finder = Finder(graph, names)
    traffic: list[Traffic] = []
    lines: dict[tuple[str, str], int] = {}
    for demand in demands:
        sender = finder.find(demand.sender, "from", matrix, demand.line)
        receiver = finder.find(demand.receiver, "to", matrix, demand.line)
        before = lines.setdefault((sender, receiver), demand.line)
        if sender == receiver or before != demand.line:
            reason = "the demand is from a node to itself"
            if sender != receiver:
                reason = f"line {before} has this pair, too"
            raise InputError(
                reason, value=f"{sender} to {receiver}", file=matrix, line=demand.line, remedy="delete this line"
            )
        traffic.append(Traffic(sender, receiver, rate_of(demand, matrix, options)))
    if traffic and not any(each.rate != 0 for each in traffic):
        raise InputError("all demands are zero", file=matrix, remedy="give one of them a rate")
    notes = []
    if zero := sum(each.rate == 0 for each in traffic):
        notes.append(f"flow: demands of rate 0, left out: {zero:,}")
    return traffic, notes


def rate_of(demand: Demand, matrix: str, options: Options) -> Decimal | None:
    """The rate of a demand in b/s; None without one."""
    if demand.rate is None:
        return None
    try:
        return quantity(demand.rate, options.demand_unit or options.rate_unit, RATE_UNITS)
    except ValueError as error:
        remedy = "add --demand-unit Mb/s" if "no unit" in str(error) else "correct it"
        raise InputError(
            str(error), path="rate", value=demand.rate, file=matrix, line=demand.line, remedy=remedy
        ) from None


def joined(ends: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """The nodes that a line joins to each node, sorted."""
    found: dict[str, set[str]] = {}
    for one, other in ends:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {node: sorted(others) for node, others in sorted(found.items())}


def reached(neighbours: Mapping[str, Sequence[str]], start: str) -> dict[str, int]:
    """The nodes to which lines lead from one, with the number of lines; those that are nearer first."""
    lines = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in neighbours.get(node, ()):
            if other not in lines:
                lines[other] = lines[node] + 1
                waiting.append(other)
    return lines


def farthest(neighbours: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Two nodes with many lines between them: the farthest from the first, and the farthest from that."""
    sender = max(reached(neighbours, next(iter(neighbours))).items(), key=lambda found: found[1])[0]
    return sender, max(reached(neighbours, sender).items(), key=lambda found: found[1])[0]


def head(graph: Graph, lines: Sequence[Line], notes: Sequence[str], options: Options) -> Iterator[str]:
    """The comment at the top, and the keys of the whole network."""
    yield f"# Imported from {plain(Path(graph.file).name)}."
    yield "# Inferred or changed, so check it:"
    yield f"# - duration: {options.duration}."
    yield f"# - queues: {QUEUE} cells at each port."
    counts = Counter(re.sub(r"^[\d,]+ km", "distance", note) for line in lines for note in line.notes)
    for note, count in counts.items():
        yield f"# - {count} of {len(lines)} lines: {note}"
    yield from (f"# - {note}" for note in notes)
    yield f"title = {quoted(plain(Path(graph.file).stem))}"
    yield f"duration = {quoted(options.duration)}"
    yield ""
    yield "[defaults.line]"
    yield f'queues = [{{ drop_tail = {{ size = "{QUEUE} cells" }} }}]'


def line_rows(lines: Sequence[Line], ends: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The lines, one a row."""
    taken: set[str] = set()
    yield ""
    yield "[line]"
    for line, (one, other) in zip(lines, ends, strict=True):
        values = [
            f"between = [{quoted(one)}, {quoted(other)}]",
            f"rate = {quoted(shown(line.rate, RATE_UNITS))}",
            f"delay = {quoted(shown(line.delay, DELAY_UNITS))}",
        ]
        reverse = []
        if line.rate != line.reverse_rate:
            reverse.append(f"rate = {quoted(shown(line.reverse_rate, RATE_UNITS))}")
        if line.delay != line.reverse_delay:
            reverse.append(f"delay = {quoted(shown(line.reverse_delay, DELAY_UNITS))}")
        if reverse:
            reverse.append(f'queues = [{{ drop_tail = {{ size = "{QUEUE} cells" }} }}]')
            values.append(f"reverse = {{ {', '.join(reverse)} }}")
        comment = f"  # {'; '.join(line.notes)}" if line.notes else ""
        yield f"{key(unique(f'{one}-{other}', taken))} = {{ {', '.join(values)} }}{comment}"


def flow_rows(traffic: Sequence[Traffic]) -> Iterator[str]:
    """The flows, one a row, without those of rate zero."""
    taken: set[str] = set()
    yield ""
    yield "[flow]"
    for each in traffic:
        if each.rate == 0:
            continue
        model = "greedy = {}" if each.rate is None else f"cbr = {{ rate = {quoted(shown(each.rate, RATE_UNITS))} }}"
        name = key(unique(f"{each.sender}-{each.receiver}", taken))
        yield f"{name} = {{ from = [{quoted(each.sender)}], to = [{quoted(each.receiver)}], traffic.{model} }}"


def key(name: str) -> str:
    """A name as a key of TOML."""
    return name if BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """A text in quotes, as TOML and JSON write it."""
    return json.dumps(text, ensure_ascii=False)
