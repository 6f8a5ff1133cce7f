"""Checks of schemes in isolation: fixed windows, ABR sources without feedback, and parts of the satellite study."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from penstock.truth import satellite, window
from penstock.truth.abr import CELL_BITS, Connection
from penstock.verify.check import Check, Exact
from penstock.verify.texts import series

if TYPE_CHECKING:
    from penstock.verify.check import Tables

STUDY = "satellite study"
BACK = 40 * 8 / 6e6
"""Time of an acknowledgement on the line of fixed windows, in seconds."""


def window_checks() -> Iterator[Check]:
    """A fixed window over one bottleneck of 500 packets per second, with an empty round trip of 0.55 s."""
    delay_s = (0.55 - 1500 * 8 / 6e6 - BACK) / 2
    for size in (100, 400):
        text = f"""
duration = "16.5 s"
warm_up = "5.5 s"
[line.line]
between = ["a", "b"]
rate = "6 Mb/s"
delay = "{delay_s * 1e12:.0f} ps"
[flow.window]
path = ["a", "b"]
octets = 1500
traffic.greedy = {{}}
reaction_point.fixed_window = {{ window = {size} }}
notification_point.acknowledge = {{ octets = 40 }}
"""
        steady = window.fixed(size, 500, 0.55)
        lines = [Exact("throughput (packets/s)", [steady.throughput], packets_per_second, within=2e-4)]
        if steady.queue > 0:
            lines += [
                # The packet in service is part of the product of rate and round trip.
                Exact("mean queue (packets)", [steady.queue + 1], mean_queue, below=0.05, above=0.05),
                Exact("round trip (s)", [steady.round_trip], round_trip(delay_s), within=1e-4),
            ]
        yield Check("fixed window", f"{size} packets, 500/s, 0.55 s", text, lines)


def packets_per_second(tables: Tables) -> list[float]:
    """Throughput in packets of 1500 octets."""
    return [float(tables("groups")["throughput_bps"].item()) / 12_000]


def mean_queue(tables: Tables) -> list[float]:
    """The mean queue of the port."""
    return [float(tables("ports").filter(port="line")["queue_mean"].item())]


def round_trip(delay_s: float) -> Callable[[Tables], list[float]]:
    """The mean delay, and the way back without a queue."""
    return lambda tables: [float(tables("groups")["delay_mean_s"].item()) + delay_s + BACK]


def abr_check() -> Check:
    """A TM 4.0 source in its first round trip over a satellite: each forward RM cell beyond Crm cuts ACR."""
    rate, initial, until = 155.52e6, 139.968e6, 0.55
    connection = Connection(rate=rate, initial=initial, crm=32)
    flows = "".join(
        f"""
[flow.{name}]
path = {path}
peer = "{other}"
access = {{ rate = "155.52 Mb/s", delay = "5 us" }}
traffic.greedy = {{}}
reaction_point.tm40 = {{ icr = "139.968 Mb/s", rif = 1.0, cdf = 0.0625, tbe = "1024 cells" }}
notification_point.turn_round = {{}}
"""
        for name, path, other in (("there", ["a", "b"], "back"), ("back", ["b", "a"], "there"))
    )
    text = f"""
duration = "{until * 1e3:g} ms"
measure.sample = "{until * 1e3:g} ms"
[line.satellite]
between = ["a", "b"]
rate = "155.52 Mb/s"
delay = "275 ms"
congestion_point.erica = {{ target = 0.9 }}
reverse.congestion_point.erica = {{ target = 0.9 }}
{flows}
"""
    forward = sum(1 for start, _, _ in connection.stretches() if start <= until)
    lines = [
        Exact("forward RM cells", [forward], lambda tables: [series(tables, "there", "forward_rm_cells")[-1]]),
        Exact("cells sent", [connection.sent_without_feedback(until)], cells_sent),
        Exact(
            "ACR (b/s)",
            [initial * (1 - connection.cdf) ** (forward - 32)],
            lambda tables: [series(tables, "there", "acr")[-1]],
            within=1e-6,
        ),
    ]
    return Check("ABR source rule 6", "Crm 32, 550 ms without feedback", text, lines)


def cells_sent(tables: Tables) -> list[float]:
    """Cells of data and RM cells that the source sent."""
    flow = tables("flows").filter(flow="there")
    return [float(flow["sent"].item() + flow["control_bits"].item() // CELL_BITS)]


def filter_checks() -> Iterator[Check]:
    """The step response of the filter of input rates."""
    for step in (0.5, 0.905, 0.95, 1.0):
        text = f"""
duration = "500 ms"
mismatches = "warn"
measure.sample = "50 ms"
[line.satellite]
between = ["router", "station"]
rate = "84.8 Mb/s"
congestion_point.class_rates = {{ interval = "50 ms" }}
[flow.data]
path = ["router", "station"]
traffic.cbr = {{ rate = "{round(84_800_000 * step)} b/s" }}
"""
        expected = [satellite.filtered_after(intervals, step) for intervals in range(1, 10)]
        line = Exact("filtered input rate", expected, step_response, within=2e-4)
        yield Check(STUDY, f"filter after a step to {step}", text, [line])


def step_response(tables: Tables) -> list[float]:
    """The first nine readings after the step."""
    filtered = series(tables, "satellite", "filtered.total")
    first = next((place for place, value in enumerate(filtered) if value > 0), 0)
    return filtered[first : first + 9]


def factor_check() -> Check:
    """Slow start and increase of the rate factor, read in the middle of each round trip."""
    text = """
duration = "11.2 s"
mismatches = "warn"
measure.sample = "280 ms"
[line.satellite]
between = ["router", "station"]
rate = "6 Mb/s"
delay = "280 ms"
[flow.data]
path = ["router", "station"]
traffic.cbr = { rate = "500 kb/s" }
reaction_point.rate_factor = { round_trip = "560 ms" }
"""
    expected = [satellite.factor_after(round_trips) for round_trips in range(20)]
    line = Exact("factor after 0 to 19 round trips", expected, factors, within=1e-9)
    return Check(STUDY, "slow start and increase", text, [line])


def factors(tables: Tables) -> list[float]:
    """The readings of odd number: the first is after half a round trip."""
    return series(tables, "data", "factor")[::2][:20]


def file_checks() -> Iterator[Check]:
    """The time of a file of 1 MB at 500 kb/s, from its first cell, which comes within one gap of its start."""
    whole = math.ceil(8e6 / 424) * 424
    for setting, control, truth in (
        ("with slow start and increase", "reaction_point.rate_factor = {}", satellite.file_time(whole, 500e3, 0.56)),
        ("at a constant rate", "", whole / 500e3),
    ):
        text = f"""
duration = "200 s"
mismatches = "warn"
[line.satellite]
between = ["router", "station"]
rate = "6 Mb/s"
delay = "280 ms"
[flow.data]
path = ["router", "station"]
traffic.file_transfer = {{ active_at_start = 1.0 }}
{control}
"""
        line = Exact("time of a file (s)", [truth], file_time, below=2e-3, above=2e-3)
        yield Check(STUDY, f"an undisturbed file {setting}", text, [line])


def file_time(tables: Tables) -> list[float]:
    """The mean time of the finished files."""
    return [float(tables("groups")["transfer_mean_s"].item())]


def checks() -> Iterator[Check]:
    """All checks of this module."""
    yield from window_checks()
    yield abr_check()
    yield from filter_checks()
    yield factor_check()
    yield from file_checks()
