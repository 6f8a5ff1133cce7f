"""The figure of a scenario's network: nodes, lines, flows, the parts of its control scheme, and results."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.core.counts import counted
from penstock.core.scenario import Scenario
from penstock.core.units import BITS, bits, bits_per_second, count, size_of
from penstock.plot import Diagram, Lane, Sheet, Wire, left_out, network
from penstock.topology import Group, Hop, Link, Network, lay_out

if TYPE_CHECKING:
    from penstock.api.run import Result
    from penstock.core.scenario import Source

MOST_BELOW, MOST_BESIDE = 14, 7
"""The most groups of flows that are drawn below a row of nodes, and beside the lines of any other network."""
FEW_LINES = 8
"""With more lines, the most frequent text of a line is written once, below."""
BUSY = 0.5
"""The least utilisation that is a number beside a line that is not in a row."""
LEAST_QUEUE = 0.01
"""The least share of its size that a queue must have held to be drawn."""
MOST_NAMED = 4
"""Of so many lines a caption has the names."""
ROLES = ("reaction point", "congestion point", "notification point")


@dataclass(frozen=True, slots=True)
class PortState:
    """The results of a port: its utilisation, and its mean and longest queue as shares of its size, if it had one."""

    used: float
    queue: tuple[float, float] | None


def network_figure(scenario: Source, result: Result | None = None, *, name: str = "network") -> Sheet:
    """The network of a scenario: nodes, lines with rate and delay, groups of flows, and the parts of its scheme.

    Save it with :func:`penstock.plot.save`.

    Args:
        scenario: the scenario, the name of its file or of a ready one, or a dict of its tables.
        result: results of it: lines have the colour of their utilisation, and queues are filled.
        name: name of the files.

    Raises:
        InputError: the scenario is refused.
    """
    scenario = Scenario.of(scenario)
    graph = Network.of(scenario)
    layout = lay_out(graph)
    most = MOST_BELOW if layout.kind == "row" else MOST_BESIDE
    rates = rates_of(scenario, result) if len(graph.groups) > most else {}
    drawn, which = most_flows(graph.groups, most, rates, are_sent=result is not None)
    states = {} if result is None else states_of(scenario, result)
    usual = usual_text(graph.links)
    used = {hop for group in graph.groups for hop in group.hops}
    diagram = Diagram(
        nodes=layout.places,
        wires=[wire_of(link, usual, used, states, 0.0 if layout.kind == "row" else BUSY) for link in graph.links],
        lanes=[lane_of(group) for group in drawn],
        row=layout.kind == "row",
        parts=parts_of(graph, used),
    )
    told = caption(graph, diagram, which, usual, scenario, result)
    return network(name, f"{scenario.title or scenario.name or 'A scenario'}: network", diagram, " ".join(told))


def most_flows(
    groups: Sequence[Group], most: int, rates: Mapping[str, float], *, are_sent: bool
) -> tuple[list[Group], str]:
    """The groups that are drawn, in their order, and a sentence that says which; it is empty if all are drawn.

    They are those with the most flows, and of equal ones those with the highest rates: what they have sent if they
    `are_sent`, or else what the scenario states.
    """
    ranked = sorted(groups, key=lambda group: (-group.flows, -rates.get(group.name, 0.0)))
    chosen, others = ranked[:most], ranked[most:]
    if not others:
        return list(groups), ""
    what = "with the most flows"
    if chosen[-1].flows == others[0].flows:
        last, following = (rates.get(group.name, 0.0) for group in (chosen[-1], others[0]))
        first = ", greedy ones first" if math.inf in rates.values() else ""
        how = "that sent most" if are_sent else f"with the highest stated rates{first}"
        how = how if last > following else "that come first by name"
        what = how if ranked[0].flows == ranked[-1].flows else f"{what}, and of equal ones those {how}"
    names = {group.name for group in chosen}
    return [group for group in groups if group.name in names], f"The {most} groups of {len(groups):,} {what}."


def rates_of(scenario: Scenario, result: Result | None) -> dict[str, float]:
    """What each group has sent, the sum of b/s over replications. Without a result, the rate that its traffic states.

    Greedy traffic may have any rate. That of other traffic is not known here, and 0.
    """
    if result is not None:
        sent: dict[str, float] = defaultdict(float)
        for name, rate in result.groups.select("group", "sent_bps").iter_rows():
            sent[name] += rate or 0.0
        return sent
    rates = {}
    for name, flow in scenario.expanded().tree["flow"].items():
        for kind, parameters in flow["traffic"].items():
            stated = bits_per_second(parameters["rate"]) if kind in ("cbr", "poisson") else 0.0
            rates[name] = math.inf if kind == "greedy" else stated * flow["count"]
    return rates


def text_of(link: Link) -> str:
    """Rate and delay of a line."""
    return f"{link.rate}\n{link.delay}"


def usual_text(links: Sequence[Link]) -> str:
    """The text that several lines share and none shows; empty in a small network."""
    (text, count), *_ = Counter(map(text_of, links)).most_common(1) or [("", 0)]
    return text if len(links) > FEW_LINES and count > 1 else ""


def wire_of(link: Link, usual: str, used: set[Hop], states: Mapping[str, PortState], least: float) -> Wire:
    """A line as it is drawn: with the congestion points that flows pass, and a utilisation of `least` as a number."""
    ports = [(name, hop, link.congestion_points[n], link.heard[n]) for n, (name, hop) in enumerate(link.ports())]
    points = [heard if part and hop in used else None for _, hop, part, heard in ports]
    found = [states.get(name) for name, *_ in ports]
    uses = [None if state is None else state.used for state in found]
    queues = [None if state is None else state.queue for state in found]
    most = max((use for use in uses if use is not None), default=None)
    percent = "" if most is None or most < least else f"{100 * most:.0f} %"
    label = "" if text_of(link) == usual else text_of(link)
    return Wire(
        link.name, link.ends, label, percent, (points[0], points[1]), (uses[0], uses[1]), (queues[0], queues[1])
    )


def lane_of(group: Group) -> Lane:
    """A group as it is drawn."""
    count = f" \N{MULTIPLICATION SIGN}{group.flows:,}" if group.flows > 1 else ""
    return Lane(
        f"{group.name}{count}",
        group.hops,
        group.senders,
        group.receivers,
        bool(group.sender_part),
        bool(group.receiver_part),
    )


def parts_of(graph: Network, used: set[Hop]) -> tuple[str, str, str]:
    """For each role the keywords of the parts that are drawn."""
    passed = (
        link.congestion_points[n] for link in graph.links for n, (_, hop) in enumerate(link.ports()) if hop in used
    )
    senders, receivers = ([getattr(group, part) for group in graph.groups] for part in ("sender_part", "receiver_part"))
    found = [sorted({part for part in parts if part}) for parts in (senders, passed, receivers)]
    texts = [f"{role}: {', '.join(parts)}" if parts else "" for role, parts in zip(ROLES, found, strict=True)]
    return texts[0], texts[1], texts[2]


def states_of(scenario: Scenario, result: Result) -> dict[str, PortState]:
    """The results of each port that sent: means over replications, and the longest queue of all."""
    import polars as pl

    rows = result.ports.group_by("port", maintain_order=True).agg(
        pl.mean("utilisation", "queue_mean", "queue_mean_bits"), pl.max("queue_max"), pl.sum("departed")
    )
    sizes = dict(sizes_of(scenario.expanded().tree))
    ports = [row for row in rows.to_dicts() if row["departed"]]
    unlimited = max((row["queue_max"] for row in ports if row["port"] in sizes and not sizes[row["port"]]), default=0)
    found = {}
    for row in ports:
        if row["port"] not in sizes:
            continue
        size, unit = sizes[row["port"]] or (unlimited, "PDUs")
        mean = row["queue_mean_bits" if unit == "bits" else "queue_mean"] or 0.0
        longest = mean if unit == "bits" else row["queue_max"]
        shares = (mean / size, longest / size) if size else (0.0, 0.0)
        found[row["port"]] = PortState(row["utilisation"] or 0.0, shares if shares[1] >= LEAST_QUEUE else None)
    return found


def sizes_of(tree: Mapping[str, Any]) -> Iterator[tuple[str, tuple[float, str] | None]]:
    """The size of all queues of each port of a line together, with its unit; None without one limit for all."""
    for name, line in tree["line"].items():
        for port, end in ((name, line), (f"{name}.reverse", line.get("reverse", line))):
            all_sizes = [size_of(policy) for queue in end["queues"] for policy in queue.values()]
            sizes = [size for size in all_sizes if size]
            in_bits = {size.split()[1] in BITS for size in sizes}
            if len(sizes) < len(all_sizes) or len(in_bits) > 1:
                yield port, None
            elif True in in_bits:
                yield port, (math.fsum(map(bits, sizes)), "bits")
            else:
                yield port, (math.fsum(map(count, sizes)), "PDUs")


def caption(
    graph: Network, diagram: Diagram, which: str, usual: str, scenario: Scenario, result: Result | None
) -> Iterator[str]:
    """What the drawing leaves out, and what its marks mean."""
    out = left_out(diagram)
    if usual:
        others = ", but for those without room for theirs" if out.labels else ""
        yield f"Lines without rate and delay have {', '.join(usual.splitlines())}{others}."
    if out.labels:
        yield f"No room for rate and delay of {lines_of(out.labels)}."
    if out.has_dots:
        yield "Nodes have their names where there is room."
    if out.points:
        yield f"No room for a congestion point of {lines_of(out.points)}."
    if access := sorted({group.access for group in graph.groups if group.access}):
        some = "; ".join(access[:3]) + ("; ..." if len(access) > 3 else "")
        yield f"Each source has a line of its own before the first node: {some}."
    if which:
        yield which
    if any(point is False for wire in diagram.wires for point in wire.points):
        yield "A hollow congestion point is one that no other part hears."
    if result is not None:
        least = "" if diagram.row else f", from {100 * BUSY:g} %"
        yield (
            f"The colour of a line is its utilisation in each direction; the number is the higher one{least}. A queue "
            f"is filled to its mean, with a line at its longest, if that is {100 * LEAST_QUEUE:g} % of its size or "
            "more. The size of a queue without a limit is the longest of the network."
        )
        if out.percents:
            yield f"No room for the number of {lines_of(out.percents)}."
        if out.queues:
            yield f"No room for a queue of {lines_of(out.queues)}."
        count = len(result.manifest["runs"])
        seed = result.manifest["seed"]
        yield f"Seed {seed}, {count} replications." if count > 1 else f"Seed {seed}."


def lines_of(names: Sequence[str]) -> str:
    """How many lines, and the names of a few; one more is named, too."""
    named = names if len(names) <= MOST_NAMED + 1 else names[:MOST_NAMED]
    more = f" and {len(names) - len(named):,} more" if len(names) > len(named) else ""
    return f"{counted(len(names), 'line')}: {', '.join(named)}{more}"
