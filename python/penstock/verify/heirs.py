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
    yield qcn_recovery_check()
    yield from qcn_queue_checks()
    yield from dcqcn_checks()
    yield from rcp_checks()
    yield from hpcc_checks()


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


def qcn_recovery_check() -> Check:
    """Two sources, which reduce their rates at once: each stage of fast recovery halves the distance to the target."""
    text = one_line(
        "10 Gb/s",
        "qcn = {}",
        "reaction_point.qcn = { timer_jitter = 0.0 }",
        sources=2,
        warm_up="0 s",
        until="30 ms",
        sample="10 us",
    )
    truth = 1 - qcn.fast_recovery(1, left=0.0)[1]
    halves = Exact(
        "what a stage leaves of the distance to the target", [truth, truth], least_and_most_left, within=1e-6
    )
    return Check("QCN in fast recovery", "2 sources, 10 Gb/s", text, [halves])


def least_and_most_left(tables: Tables) -> list[float]:
    """What a stage leaves of the distance of a rate to its target, at least and at most, while the target stays."""
    left = []
    for flow in ("data/1", "data/2"):
        pairs = zip(series(tables, flow, "rate"), series(tables, flow, "target"), strict=True)
        for (rate, target), (later, kept) in itertools.pairwise(pairs):
            if target == kept and rate < later:
                left.append((kept - later) / (target - rate))
    return [min(left), max(left)]


def qcn_queue_checks() -> Iterator[Check]:
    """The line of the standard: 10 Gb/s, frames of 1,500 octets, short cables."""
    for sources in (2, 10):
        text = one_line("10 Gb/s", "qcn = {}", "reaction_point.qcn = {}", sources=sources)
        lines = [
            Exact("mean queue (kB)", [EQUILIBRIUM], mean_queue_kb, within=0.1),
            Exact("utilisation", [1.0], utilisation, below=0.01),
        ]
        yield Check("QCN at its equilibrium", f"{sources} sources, 10 Gb/s", text, lines)


def dcqcn_checks() -> Iterator[Check]:
    """The paper's setting without hyper increase, which the fluid leaves out, in packets of 1,000 octets."""
    hosts = (
        'reaction_point.dcqcn = { preset = "paper", hyper = "40 Mb/s" }\nnotification_point.dcqcn.interval = "50 us"'
    )
    for sources in (2, 8):
        point = dcqcn.fixed_point(sources, 40e9 / 8000, dcqcn.Source())
        text = one_line("40 Gb/s", 'dcqcn.preset = "paper"', hosts, sources=sources, octets=1000)
        lines = [
            Exact("mean queue (kB)", [point.queue(5, 200, 0.01)], mean_queue_kb, within=0.4),
            Exact("utilisation", [1.0], utilisation, below=0.03),
            Exact("Jain's index", [1.0], fairness, below=0.02),
        ]
        yield Check("DCQCN at its fixed point", f"{sources} sources, 40 Gb/s", text, lines)


def rcp_checks() -> Iterator[Check]:
    """Ten sources over one line, and a long flow beside one local flow on each line of a chain."""
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
    yield Check("RCP at rest", "10 sources, 100 Mb/s", text, [offered])
    for trunks in (2, 3):
        text = f"""
duration = "2 s"
warm_up = "1500 ms"
scheme = "rcp"
network.chain = {{ trunks = {trunks}, rate = "50 Mb/s", delay = "1 ms" }}
[defaults.flow]
access = {{ rate = "150 Mb/s", delay = "5 us" }}
"""
        share = Exact("rate of the long flow (Mb/s)", [25.0], long_flow_mbps, within=0.01)
        yield Check("RCP at rest", f"chain of {trunks} lines of 50 Mb/s", text, [share])


def offered_mbps(tables: Tables) -> list[float]:
    """The last rate of the port."""
    return [series(tables, "line", "rate")[-1] / 1e6]


def long_flow_mbps(tables: Tables) -> list[float]:
    """The rate of the flow over all lines, with its requests."""
    rate = float(tables("groups").filter(group="long")["throughput_bps"].item())
    return [rate * REQUESTS / (REQUESTS - 1) / 1e6]


def hpcc_checks() -> Iterator[Check]:
    """Sources that always follow the load, each with an addition of 0.0005 of what the line sends in a round trip."""
    for sources in (1, 2, 4, 16):
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
        yield Check("HPCC at rest", f"{sources} source{'s' if sources > 1 else ''}, 1 Gb/s, 10 ms", text, lines)


def beyond_service(tables: Tables) -> list[float]:
    """The mean queue of the line in segments, less that in service."""
    port = tables("ports").filter(port="line")
    return [float(port["queue_mean"].item()) - float(port["utilisation"].item())]
