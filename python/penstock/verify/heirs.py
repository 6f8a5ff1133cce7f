"""Checks of QCN, DCQCN, RCP and HPCC on one line and on a chain: queues, rates, loads at which their sources rest."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from penstock.statistics import jain
from penstock.truth import dcqcn, hpcc, qcn, rcp
from penstock.verify.check import Check, Exact
from penstock.verify.stream_network import utilisation
from penstock.verify.texts import series

if TYPE_CHECKING:
    from penstock.verify.check import Tables

EQUILIBRIUM = 26.0
"""The equilibrium of QCN, in kB."""
REQUESTS = 32
"""One PDU in so many is a request of RCP, and no data."""


def heir_checks() -> Iterator[Check]:
    """Every check of these schemes."""
    yield qcn_notice_check()
    yield qcn_recovery_check()
    yield from map(qcn_queue_check, (2, 10))
    yield from map(dcqcn_check, (2, 8))
    yield from map(rcp_step_check, (80, 120))
    yield rcp_line_check()
    yield from map(rcp_chain_check, (2, 3))
    yield from map(hpcc_check, (1, 2, 4, 16))


def one_line(
    rate: str,
    point: str,
    hosts: str,
    *,
    sources: int,
    octets: int = 1500,
    until: str = "120 ms",
    warm_up: str = "60 ms",
    sample: str = "200 us",
) -> str:
    """Greedy sources that begin within 1 ms, over one line of 1 us behind access lines of 1 us."""
    return f"""
duration = "{until}"
warm_up = "{warm_up}"
measure = {{ sample = "{sample}", sample_flows = true }}
[line.line]
between = ["a", "b"]
rate = "{rate}"
delay = "1 us"
order = "random"
congestion_point.{point}
[flow.data]
count = {sources}
octets = {octets}
path = ["a", "b"]
access.delay = "1 us"
traffic.greedy.phase = "1 ms"
{hosts}
"""


def mean_queue_kb(tables: Tables) -> list[float]:
    """The mean queue of the line in kB."""
    return [float(tables("ports").filter(port="line")["queue_mean_bits"].item()) / 8000]


def fairness(tables: Tables) -> list[float]:
    """Jain's index of the flows."""
    return [jain([float(rate) for rate in tables("flows")["throughput_bps"]])]


def qcn_few_sources() -> str:
    """Two sources, which reduce their rates at once, with readings between any two events of one of them."""
    return one_line(
        "10 Gb/s",
        "qcn = {}",
        "reaction_point.qcn = { timer_jitter = 0.0 }",
        sources=2,
        warm_up="0 s",
        until="30 ms",
        sample="10 us",
    )


def qcn_notice_check() -> Check:
    """A notice has a grade from 1 to 63, and takes as many 128ths of a rate."""
    whole = Exact("reductions off whole 128ths of a rate", [0.0], off_whole, above=1e-6)
    return Check("QCN at a notice", "2 sources, 10 Gb/s", qcn_few_sources(), [whole])


def off_whole(tables: Tables) -> list[float]:
    """The largest distance of a reduction from a whole number of 128ths of its rate, from 1 to 63."""
    return [max(abs(taken - min(max(round(taken), 1), qcn.MOST_SEVERE)) for taken in reductions(tables))]


def reductions(tables: Tables) -> list[float]:
    """What each notice took of a rate, in parts of :data:`penstock.truth.qcn.GAIN`.

    A notice sets the target to the rate before it, or keeps it. Another target tells that a stage ended between the
    same two readings.
    """
    taken = []
    for flow in ("data/1", "data/2"):
        pairs = zip(series(tables, flow, "rate"), series(tables, flow, "target"), strict=True)
        for (rate, target), (later, kept) in itertools.pairwise(pairs):
            if later < rate and kept in (rate, target):
                taken.append((1 - later / rate) / qcn.GAIN)
    return taken


def qcn_recovery_check() -> Check:
    """Each stage of fast recovery halves the distance to the target."""
    truth = 1 - qcn.fast_recovery(1, left=0.0)[1]
    halves = Exact(
        "what a stage leaves of the distance to the target", [truth, truth], least_and_most_left, within=1e-6
    )
    return Check("QCN in fast recovery", "2 sources, 10 Gb/s", qcn_few_sources(), [halves])


def least_and_most_left(tables: Tables) -> list[float]:
    """What a stage leaves of the distance of a rate to its target, at least and at most, while the target stays."""
    left = []
    for flow in ("data/1", "data/2"):
        pairs = zip(series(tables, flow, "rate"), series(tables, flow, "target"), strict=True)
        for (rate, target), (later, kept) in itertools.pairwise(pairs):
            if target == kept and rate < later:
                left.append((kept - later) / (target - rate))
    return [min(left), max(left)]


def qcn_queue_check(sources: int) -> Check:
    """The line of the standard: 10 Gb/s, frames of 1,500 octets, short cables."""
    text = one_line("10 Gb/s", "qcn = {}", "reaction_point.qcn = {}", sources=sources)
    lines = [
        Exact("mean queue (kB)", [EQUILIBRIUM], mean_queue_kb, within=0.1),
        Exact("utilisation", [1.0], utilisation, below=0.01),
    ]
    return Check("QCN at its equilibrium", f"{sources} sources, 10 Gb/s", text, lines)


def dcqcn_check(sources: int) -> Check:
    """The paper's setting without hyper increase, which the fluid leaves out, in packets of 1,000 octets."""
    hosts = (
        'reaction_point.dcqcn = { preset = "paper", hyper = "40 Mb/s" }\nnotification_point.dcqcn.interval = "50 us"'
    )
    point = dcqcn.fixed_point(sources, 40e9 / 8000, dcqcn.Source())
    text = one_line("40 Gb/s", 'dcqcn.preset = "paper"', hosts, sources=sources, octets=1000)
    lines = [
        Exact("mean queue (kB)", [point.queue(5, 200, 0.01)], mean_queue_kb, within=0.4),
        Exact("utilisation", [1.0], utilisation, below=0.03),
        Exact("Jain's index", [1.0], fairness, below=0.02),
    ]
    return Check("DCQCN at its fixed point", f"{sources} sources, 40 Gb/s", text, lines)


def rcp_step_check(load: int) -> Check:
    """The first period of a port of 100 Mb/s with a load in Mb/s, which it begins with a rate of 10 Mb/s.

    A source of RCP brings 10 Mb/s of the load, another the rest at a constant rate. The queue has one place.
    """
    text = f"""
duration = "20 ms"
measure.sample = "20 ms"
[line.line]
between = ["a", "b"]
rate = "100 Mb/s"
delay = "50 ms"
queues = [{{ drop_tail.size = "1 cell" }}]
congestion_point.rcp.initial = "10 Mb/s"
reverse = {{}}
[defaults.flow]
access = {{ rate = "1 Gb/s", delay = "1 us" }}
[flow.data]
path = ["a", "b"]
traffic.greedy = {{}}
reaction_point.rcp.initial = "10 Mb/s"
notification_point.turn_round = {{}}
[flow.rest]
path = ["a", "b"]
traffic.cbr.rate = "{load - 10} Mb/s"
"""
    truth = rcp.step(10, 100, load, 0, round_trip=0.1, period=0.01)
    # A cell more or less of each source in the period of 10 ms changes the rate by 3.4e-5 of it.
    step = Exact("rate of the port (Mb/s)", [truth], offered_mbps, within=4e-5)
    return Check("RCP in one period", f"load {load} Mb/s, 100 Mb/s, 100 ms", text, [step])


def rcp_line_check() -> Check:
    """Ten sources over one line, whose rate comes to a tenth of it."""
    text = """
duration = "2 s"
warm_up = "1500 ms"
measure.sample = "10 ms"
scheme = "rcp"
[line.line]
between = ["a", "b"]
rate = "100 Mb/s"
delay = "1 ms"
[flow.data]
count = 10
path = ["a", "b"]
access = { rate = "100 Mb/s", delay = "5 us" }
traffic.greedy = {}
"""
    rest = rcp.obedient(5.0, 100.0, 10)(20_000)
    offered = Exact("rate of the port (Mb/s)", [rest], offered_mbps, within=0.01)
    return Check("RCP at rest", "10 sources, 100 Mb/s", text, [offered])


def rcp_chain_check(trunks: int) -> Check:
    """A long flow beside one local flow on each line of a chain."""
    text = f"""
duration = "2 s"
warm_up = "1500 ms"
scheme = "rcp"
network.chain = {{ trunks = {trunks}, rate = "50 Mb/s", delay = "1 ms" }}
[defaults.flow]
access = {{ rate = "150 Mb/s", delay = "5 us" }}
"""
    share = Exact("rate of the long flow (Mb/s)", [25.0], long_flow_mbps, within=0.01)
    return Check("RCP at rest", f"chain of {trunks} lines of 50 Mb/s", text, [share])


def offered_mbps(tables: Tables) -> list[float]:
    """The last rate of the port."""
    return [series(tables, "line", "rate")[-1] / 1e6]


def long_flow_mbps(tables: Tables) -> list[float]:
    """The rate of the flow over all lines, with its requests."""
    rate = float(tables("groups").filter(group="long")["throughput_bps"].item())
    return [rate * REQUESTS / (REQUESTS - 1) / 1e6]


def hpcc_check(sources: int) -> Check:
    """Sources that always follow the load, each with an addition of 0.0005 of what the line sends in a round trip."""
    text = f"""
duration = "1500 ms"
warm_up = "1 s"
scheme.hpcc.controller.hpcc.most_stages = 0
[line.line]
between = ["a", "b"]
rate = "1 Gb/s"
delay = "5 ms"
queues = [{{ unlimited = {{}} }}]
[flow.data]
count = {sources}
path = ["a", "b"]
octets = 1460
traffic.greedy.stagger = "3700 us"
"""
    load = hpcc.fixed_point(sources, 0.0005)
    lines = [
        Exact("utilisation", [load], utilisation, below=0.001, above=0.001),
        # A segment that is in service at an end of the measures counts in the two means by different parts.
        Exact("mean queue without the segment in service", [0.0], beyond_service, below=0.001, above=2.0),
    ]
    return Check("HPCC at rest", f"{sources} source{'s' if sources > 1 else ''}, 1 Gb/s, 10 ms", text, lines)


def beyond_service(tables: Tables) -> list[float]:
    """The mean queue of the line in segments, less that in service."""
    port = tables("ports").filter(port="line")
    return [float(port["queue_mean"].item()) - float(port["utilisation"].item())]
