"""Checks of DualPI2: streams that answer early marks (Prague) beside those that answer losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from penstock.truth import tcp
from penstock.verify.check import Check, Exact
from penstock.verify.stream_network import PACKET, greedy, network, share_of, utilisation

if TYPE_CHECKING:
    from penstock.verify.check import Tables


def dual_pi2(rate: float, round_trip: float, flows: dict[str, int]) -> str:
    """Flows by their controller over DualPI2; Prague as in the packet model, which imitates no longer round trip."""
    streams = {
        "prague": "controller.prague.rtt_target = 'off', ecn = 'accurate'",
        "new_reno": "controller.new_reno = {}",
    }
    line = f'rate = "{rate:g} Mb/s"\ndelay = "{500 * round_trip:g} us"\nqueues = [{{ dual_pi2 = {{}} }}]'
    groups = "".join(greedy(streams[name], name=name, count=count) for name, count in flows.items())
    started = groups.replace("traffic.greedy = {}", "traffic.greedy = { stagger = '53 ms' }")
    return network(line, started, until="60 s", warm_up="10 s", sample="17 ms")


def early_mark_checks() -> Iterator[Check]:
    """Five flows of Prague beside five of NewReno, and five of Prague alone, over DualPI2."""
    both = {"prague": 5, "new_reno": 5}
    for round_trip, rate in ((10, 40), (20, 100), (50, 200)):
        truth = tcp.dual_pi2_ratio(1e-3 * round_trip)
        ratio = Exact("rate of Prague over that of NewReno", [truth], rate_ratio, below=0.1 * truth, above=0.5 * truth)
        yield Check(
            "early marks beside losses",
            f"five of each, {rate} Mb/s, {round_trip} ms",
            dual_pi2(rate, round_trip, both),
            [ratio],
            quick=False,
        )
    yield Check(
        "a line with DualPI2",
        "five of each, 100 Mb/s, 20 ms",
        dual_pi2(100, 20, both),
        [
            Exact("waiting time of Prague (ms)", [0.125], waiting_ms("prague", 100, 20), within=0.15),
            Exact("waiting time of NewReno (ms)", [15.1], waiting_ms("new_reno", 100, 20), within=0.15),
            Exact("share of marks", [0.102], marked_share, within=0.15),
            Exact("share of discards", [0.00265], lost_share, within=0.15),
            Exact("mean p'", [0.0509], mean_base, within=0.15),
            Exact("utilisation", [1.0], utilisation, below=0.005, above=0.005),
        ],
        quick=False,
    )
    yield Check(
        "a line with DualPI2",
        "five of Prague, 40 Mb/s, 20 ms",
        dual_pi2(40, 20, {"prague": 5}),
        [
            Exact("waiting time of Prague (ms)", [0.77], waiting_ms("prague", 40, 20), within=0.15),
            Exact("share of marks", [0.30], marked_share, within=0.15),
            Exact("utilisation", [0.956], utilisation, within=0.02),
        ],
        quick=False,
    )


def rate_ratio(tables: Tables) -> list[float]:
    """What Prague delivers over what NewReno delivers."""
    share = share_of("prague", "new_reno", tables)
    return [share / (1 - share)]


def waiting_ms(group: str, rate: float, round_trip: float) -> Callable[[Tables], list[float]]:
    """The mean delay of a group in ms, less the line and the service. `rate` in Mb/s, `round_trip` in ms."""

    def waiting(tables: Tables) -> list[float]:
        delay = float(tables("groups").filter(group=group)["delay_mean_s"].item())
        return [1e3 * delay - round_trip / 2 - 8e-3 * PACKET / rate]

    return waiting


def marked_share(tables: Tables) -> list[float]:
    """Of the segments of Prague that were acknowledged, those with a mark."""
    return [float(tables("groups").filter(group="prague")["marked_share"].item())]


def lost_share(tables: Tables) -> list[float]:
    """Of the segments of NewReno that were sent, those that were lost."""
    group = tables("groups").filter(group="new_reno")
    return [float(group["lost"].item()) / float(group["sent"].item())]


def mean_base(tables: Tables) -> list[float]:
    """The mean of p' after the warm-up of 10 s."""
    found = tables("series").filter(component="line", quantity="dual_pi2_base_0")
    read = [float(value) for value, time in zip(found["value"], found["time_s"], strict=True) if time > 10]
    return [sum(read) / len(read)]
