"""An imported network as a scenario file, with comments where a value was inferred."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from penstock.core.counts import counted
from penstock.core.errors import InputError
from penstock.core.quantities import (
    DELAY_UNITS,
    RATE_UNITS,
    NoUnitError,
    as_bits,
    is_rounded,
    own_unit,
    quantity,
    shown,
    size_of,
)
from penstock.importing.graph import Demand, Graph
from penstock.importing.infer import Line, Options, Reader
from penstock.importing.names import Finder, node_names, plain, some_of, unique
from penstock.importing.units import prefix_notes

BARE = re.compile(r"[A-Za-z0-9_-]+")
QUEUE = 1000
"""Cells of each queue: the files say nothing about queues."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """A group of one flow between two nodes, by their names. Without a rate it is greedy."""

    sender: str
    receiver: str
    rate: Decimal | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """The demands of a network: the file that has them, the unit that it names, and what is to say about it.

    `capitals` is a unit that it names in capitals, as `MBPS`, which may mean bits or octets.
    """

    demands: Sequence[Demand]
    file: str
    unit: str = ""
    notes: Sequence[str] = ()
    capitals: str = ""


def replacing(graph: Graph, wanted: Wanted) -> Wanted:
    """Demands that replace those of the file of the network, which says so if it has any."""
    if not graph.demands:
        return wanted
    own = f"{counted(len(graph.demands), 'demand')} of its own, left out for those of {Path(wanted.file).name}"
    return replace(wanted, notes=[*wanted.notes, f"demands: the file of the network has {own}"])


def document(graph: Graph, reader: Reader, wanted: Wanted, beside: str = "") -> tuple[str, str]:
    """The scenario file, and the text of the file of the name `beside` with its demands. Raises :class:`InputError`.

    Without such a name the demands are flows in the scenario file.
    """
    lines, options = reader.lines(), reader.options
    names = node_names(graph)
    ends = [(names[line.ends[0]], names[line.ends[1]]) for line in lines]
    neighbours = joined(ends)
    traffic, notes = traffic_of(wanted, graph, names, options)
    notes = [*reader.notes(), *wanted.notes, *notes]
    if not wanted.demands:
        largest, parts = parts_of(neighbours)
        sender, receiver = farthest(neighbours, largest)
        traffic = [(Traffic(sender, receiver, None), 0)]
        notes.append("flow: there are no demands. This one is greedy, between two nodes that are far apart.")
        if parts > 1:
            notes.append(f"flow: the network has {parts} parts that no line joins. It is in the largest.")
    part_of = numbered_parts(neighbours)
    for each, line in traffic:
        if each.sender not in part_of or part_of[each.sender] != part_of.get(each.receiver):
            raise InputError(
                "no lines lead from the one to the other",
                value=f"{each.sender} to {each.receiver}",
                file=wanted.file,
                line=line or None,
                remedy="add the missing lines, or delete the demand",
            )
    lonely = sorted(name for name in names.values() if name not in neighbours)
    if lonely:
        notes.append(f"node: no edge ends at {some_of(lonely)}: left out")
    notes += route_note(neighbours, len(lines))
    each_demand = [each for each, _ in traffic]
    listed = list_of(demand_rows(each_demand)) if beside else ""
    flows = ("", "[demands]", *named_list(beside, listed)) if beside else flow_rows(each_demand)
    return "\n".join((*head(graph, lines, notes, options), *line_rows(lines, ends), *flows)) + "\n", listed


def traffic_of(
    wanted: Wanted, graph: Graph, names: Mapping[str, str], options: Options
) -> tuple[list[tuple[Traffic, int]], list[str]]:
    """The flows of the demands, in their order, each with its line of the file, and what is to say about them."""
    words = [word for demand in wanted.demands for word in (demand.sender, demand.receiver)]
    finder = Finder(graph, names, words, wanted.file)
    traffic: list[tuple[Traffic, int]] = []
    lines: dict[tuple[str, str], int] = {}
    zeros, unit = 0, unit_of(wanted, options)
    loops: list[str] = []
    for demand in wanted.demands:
        sender = finder.find(demand.sender, "from", wanted.file, demand.line)
        receiver = finder.find(demand.receiver, "to", wanted.file, demand.line)
        rate = rate_of(demand, wanted, unit)
        if (sender, receiver) in lines:
            before = lines[sender, receiver]
            raise refused(demand, wanted, f"line {before} has this pair, too" if before else "this pair is there twice")
        lines[sender, receiver] = demand.line
        if rate == 0:
            zeros += 1
        elif sender == receiver:
            loops.append(sender)
        else:
            traffic.append((Traffic(sender, receiver, rate), demand.line))
    if (zeros or loops) and not traffic:
        kinds = " or ".join([*(["zero"] if zeros else []), *(["from a node to itself"] if loops else [])])
        remedy = "give one of them a rate" if zeros else "give one between two nodes"
        raise InputError(f"all demands are {kinds}", file=wanted.file, remedy=remedy)
    notes = [f"flow: demands of rate 0, left out: {zeros:,}"] if zeros else []
    if loops:
        notes.append(f"flow: demands from a node to itself, left out, for no line would carry them: {some_of(loops)}")
    if greedy := sum(each.rate is None for each, _ in traffic):
        notes.append(f"flow: demands without a rate, greedy: {greedy:,}")
    if rounded := sum(each.rate is not None and is_rounded(each.rate) for each, _ in traffic):
        notes.append(f"flow: rates that are rounded to whole b/s: {rounded:,}")
    notes += unit_notes(wanted, options.demand_unit, unit)
    return traffic, notes


def unit_notes(wanted: Wanted, given: str, unit: str) -> Iterator[str]:
    """What of the units of demands another one replaces: `given` is that of the option, `unit` that of numbers."""
    stated = wanted.unit
    if given and wanted.capitals:
        yield f"flow: the unit of the rates is {wanted.capitals}, in capitals: --demand-unit {given}"
    if given and stated and size_of(given, RATE_UNITS) != size_of(stated, RATE_UNITS):
        yield f"flow: --demand-unit {given} instead of the file's {plain(stated)}"
    if not (given or stated) and wanted.demands and unit:
        yield f"flow: demands are in {unit}, as --rate-unit says: neither their file nor --demand-unit does"
    own = [each for demand in wanted.demands if (each := own_unit(demand.rate))]
    yield from (f"flow: {note}" for note in prefix_notes(sorted({*own, stated})))
    of_all = size_of(given or stated, RATE_UNITS)
    if of_all is not None and (others := [each for each in own if size_of(each, RATE_UNITS) != of_all]):
        yield (
            f"flow: rates with a unit of their own instead of {plain(given or stated)}: {len(others):,}, "
            f"in {', '.join(sorted(set(others)))}"
        )


def refused(demand: Demand, wanted: Wanted, reason: str) -> InputError:
    """The error of a demand that must not be there."""
    value, remedy = f"{demand.sender} to {demand.receiver}", "delete this line" if demand.line else "delete one"
    return InputError(reason, value=value, file=wanted.file, line=demand.line or None, remedy=remedy)


def unit_of(wanted: Wanted, options: Options) -> str:
    """The unit of rates without their own: that of the network's rates only if nothing names one."""
    if stated := options.demand_unit or wanted.unit:
        return stated
    return "" if wanted.capitals or any(own_unit(demand.rate) for demand in wanted.demands) else options.rate_unit


def rate_of(demand: Demand, wanted: Wanted, unit: str) -> Decimal | None:
    """The rate of a demand of a file in b/s, in this unit if it is a number; None without one."""
    if demand.rate is None:
        return None
    try:
        if 0 < (rate := quantity(demand.rate, unit, RATE_UNITS)) < 1:
            raise ValueError("this is less than 1 b/s")
        return rate
    except ValueError as error:
        remedy, reason = "correct it", str(error)
        if isinstance(error, NoUnitError):
            bits = as_bits(wanted.capitals)
            remedy = f"add --demand-unit {bits or 'Mb/s'}" + (" if they are bits" if bits else "")
            reason = f"its unit is {wanted.capitals}, which may be bits or octets" if bits else reason
        path = "rate" if demand.line else f"demand {demand.sender} to {demand.receiver}"
        raise InputError(
            reason, path=path, value=demand.rate, file=wanted.file, line=demand.line or None, remedy=remedy
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


def parts_of(neighbours: Mapping[str, Sequence[str]]) -> tuple[str, int]:
    """The first node of the largest part that lines join, and the number of such parts."""
    numbers = numbered_parts(neighbours)
    sizes = Counter(numbers.values())
    largest = max(sizes, key=lambda part: (sizes[part], -part))
    return next(node for node, part in numbers.items() if part == largest), len(sizes)


def numbered_parts(neighbours: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The number of the part of each node: lines lead between the nodes of a part, and between no others."""
    numbers: dict[str, int] = {}
    parts = 0
    for node in neighbours:
        if node not in numbers:
            parts += 1
            numbers |= dict.fromkeys(reached(neighbours, node), parts)
    return numbers


def farthest(neighbours: Mapping[str, Sequence[str]], start: str) -> tuple[str, str]:
    """Two nodes with many lines between them: the farthest from `start`, and the farthest from that."""
    sender = max(reached(neighbours, start).items(), key=lambda found: found[1])[0]
    return sender, max(reached(neighbours, sender).items(), key=lambda found: found[1])[0]


def route_note(neighbours: Mapping[str, Sequence[str]], lines: int) -> list[str]:
    """Which paths the flows take; none if the lines are so few that each flow has one path."""
    if lines <= len(neighbours) - parts_of(neighbours)[1]:
        return []
    return [
        'flow: paths have the fewest lines, of equal ones the first by name; routes = "least_delay" chooses by delay'
    ]


def head(graph: Graph, lines: Sequence[Line], notes: Sequence[str], options: Options) -> Iterator[str]:
    """The comment at the top, and the keys of the whole network."""
    yield f"# Imported from {plain(Path(graph.file).name)}."
    yield "# Inferred or changed, so check it:"
    yield f"# - duration: {plain(options.duration)}."
    yield f"# - queues: {QUEUE} cells at each port."
    counts = Counter(re.sub(r"^[\d,]+ km", "distance", note) for line in lines for note in line.notes)
    for note, count in counts.items():
        yield f"# - {count} of {len(lines)} lines: {plain(note)}"
    yield from (f"# - {plain(note)}" for note in notes)
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
        comment = f"  # {plain('; '.join(line.notes))}" if line.notes else ""
        yield f"{key(unique(f'{one}-{other}', taken))} = {{ {', '.join(values)} }}{comment}"


def flow_rows(traffic: Sequence[Traffic]) -> Iterator[str]:
    """The flows, one a row."""
    taken: set[str] = set()
    yield ""
    yield "[flow]"
    for each in traffic:
        model = "greedy = {}" if each.rate is None else f"cbr = {{ rate = {quoted(shown(each.rate, RATE_UNITS))} }}"
        name = key(unique(f"{each.sender}-{each.receiver}", taken))
        yield f"{name} = {{ from = [{quoted(each.sender)}], to = [{quoted(each.receiver)}], traffic.{model} }}"


def demand_rows(traffic: Sequence[Traffic]) -> Iterator[str]:
    """The demands, each as an entry of a list."""
    for each in traffic:
        rate = [] if each.rate is None else [shown(each.rate, RATE_UNITS)]
        yield f"[{', '.join(map(quoted, (each.sender, each.receiver, *rate)))}]"


def list_of(rows: Iterable[str]) -> str:
    """A file with a list of these entries."""
    return "".join(("list = [\n", *(f"  {row},\n" for row in rows), "]\n"))


def named_list(file: str, text: str) -> Iterator[str]:
    """The keys for a list that is in a file with this text, beside the scenario."""
    yield f"file = {quoted(file)}"
    yield f'sha256 = "{hashlib.sha256(text.encode()).hexdigest()}"'


def key(name: str) -> str:
    """A name as a key of TOML."""
    return name if BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """A text in quotes, as TOML and JSON write it."""
    return json.dumps(text, ensure_ascii=False)
