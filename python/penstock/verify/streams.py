"""Checks of byte streams: slow start, a flow and its buffer, the controllers under losses and marks, and incast."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from penstock.truth import tcp
from penstock.verify.check import Check, Exact, Random

if TYPE_CHECKING:
    from penstock.verify.check import Tables

PACKET = 1500
"""Octets of a whole segment of 1,460 octets with its header of 40."""
ROUND_TRIP = 0.1
"""Seconds without a queue."""


SOURCES = {
    "slow start": ("M2, M3", "RFC 6928, 5681: the window doubles each round trip"),
    "one flow and a buffer": ("M10", "sawtooth, `truth.tcp.utilisation`"),
    "two round trips": ("M11", "an independent packet model with jitter of 1 ms, 0.247 within 0.03"),
    "a flow over several lines": ("M12", "Mo and Walrand, `truth.tcp.parking_lot`, within 20 % of its two laws"),
    "NewReno under periodic losses": ("N3", "square-root law less an independent packet model's distance"),
    "NewReno under random losses": ("N4", "an independent packet model, within 4 %"),
    "CUBIC under periodic losses": ("C7", "RFC 9438, 5.1, `truth.tcp.cubic_window`, -12 to +8 %"),
    "DCTCP in step": ("D3", "Analysis of DCTCP (2011), `truth.tcp.dctcp`"),
    "incast": ("E1", "what arrives less what leaves"),
    "early marks beside losses": (
        "A8",
        "RFC 9332, `truth.tcp.dual_pi2_ratio`; packet models are up to 50 % above it, 10 % below at most",
    ),
    "a line with DualPI2": ("A8b", "an independent packet model, within 15 %"),
}
"""The rows of each theory on the page docs/validation.md, and where its truth is from."""


REASONS: dict[str, str] = {
    "early marks beside losses": (
        "At 10 ms nearly a third of the segments of Prague is marked. They add nothing to the window, so it is 2 "
        "(1 - p) / p, a third below the 2 / p of the theory. At 50 ms a window has about three marks: it is "
        "reduced once a round, and then again with the next mark, so less often than every round, and is longer "
        "than 2 / p."
    ),
    "a line with DualPI2": (
        "With Prague alone, the ramp marks: rounds with many marks and without any follow each other, as flows "
        "start. How those of the packet model started is not known."
    ),
}
"""Why lines of a theory do not hold, for the page."""


def network(line: str, flows: str, *, until: str, warm_up: str = "0 s", sample: str = "100 ms") -> str:
    """Flows over one line, whose way back has room for all acknowledgements."""
    return f"""
duration = "{until}"
warm_up = "{warm_up}"
measure.sample = "{sample}"
[line.line]
between = ["a", "b"]
{line}
reverse.queues = [{{ unlimited = {{}} }}]
{flows}
"""


def greedy(stream: str, *, name: str = "data", path: str = "ab", count: int = 1, access_ms: int = 0) -> str:
    """A group of flows that always have data, over the nodes of a path, behind a delay of their own."""
    return f"""
[flow.{name}]
path = {list(path)}
count = {count}
octets = 1460
{f'access.delay = "{access_ms} ms"' if access_ms else ""}
traffic.greedy = {{}}
transport.stream = {{ {stream} }}
"""


def slow_start_check() -> Check:
    """Messages alone on a fast line: each round trip carries twice as much, and the last half a round trip."""
    cases = [(packets, 1460 * packets, 0, rounds) for packets, rounds in ((11, 2), (31, 3), (71, 4), (1000, 7))]
    cases += [(0, octets, 1, rounds) for octets, rounds in ((14_600, 1), (100_000, 3), (1_000_000, 7))]
    flows = "".join(
        f"""
[flow.m_{octets}]
path = ["a", "b"]
octets = 1460
traffic.messages = {{ arrivals.incast.every = "2 s", sizes = "{octets} octets", count = 1 }}
transport.stream = {{ controller.new_reno = {{}}, handshake = {"true" if opening else "false"} }}
"""
        for _, octets, opening, _ in cases
    )
    lines = [
        Exact(
            f"completion time of {octets} octets{', opening included' if opening else ''} (s)",
            [(opening + rounds - 0.5) * ROUND_TRIP],
            of_messages(f"m_{octets}", "fct_mean_s"),
            above=0.001,
        )
        for _, octets, opening, rounds in cases
    ]
    text = network('rate = "100 Gb/s"\ndelay = "50 ms"', flows, until="2 s")
    return Check("slow start", "initial window 10, round trip 100 ms", text, lines)


def of_messages(group: str, column: str) -> Callable[[Tables], list[float]]:
    """A column of the messages of a group, over all lengths."""
    return lambda tables: [float(tables("messages").filter(group=group, **{"class": "all"})[column].item())]


def buffer_checks() -> Iterator[Check]:
    """One flow over a line of 100 packets of rate times round trip, whose buffer is a share of that."""
    for name, keep, shares in (("new_reno", 0.5, (0.25, 0.5, 1.0)), ("cubic", 0.7, (0.25, 3 / 7, 1.0))):
        for share in shares:
            places = round(100 * share) + 1
            line = f'rate = "12 Mb/s"\ndelay = "50 ms"\nqueues = [{{ drop_tail.size = "{places} PDUs" }}]'
            text = network(line, greedy(f"controller.{name} = {{}}"), until="220 s", warm_up="20 s", sample="1 s")
            truth = Exact("utilisation", [tcp.utilisation(share, keep=keep)], utilisation, below=0.01, above=0.01)
            yield Check("one flow and a buffer", f"{name}, {share:.3g} of rate x round trip", text, [truth])


def utilisation(tables: Tables) -> list[float]:
    """The utilisation of the line."""
    return [float(tables("ports").filter(port="line")["utilisation"].item())]


def round_trip_checks() -> Iterator[Check]:
    """Two NewReno flows with round trips of 100 and 20 ms over one full queue; without jitter, shares are accidents."""
    stream = 'controller.new_reno = {}, jitter = "1 ms"'
    flows = greedy(stream, name="far", access_ms=49) + greedy(stream, name="near", access_ms=9)
    line = 'rate = "12 Mb/s"\ndelay = "1 ms"\nqueues = [{ drop_tail.size = "100 PDUs" }]'
    text = network(line, flows, until="350 s", warm_up="50 s", sample="10 s")
    share = Random.near("share of the longer", "mean", 0.247, lambda tables: share_of("far", "near", tables), bias=0.12)
    yield Check(
        "two round trips", "100 and 20 ms, 100 packets of 12 Mb/s, jitter 1 ms", text, [share], 600, quick=False
    )


def share_of(group: str, other: str, tables: Tables) -> float:
    """The share of a group in what it and another deliver."""
    groups = tables("groups")
    rates = [float(groups.filter(group=name)["throughput_bps"].item()) for name in (group, other)]
    return rates[0] / sum(rates)


def parking_lot_checks() -> Iterator[Check]:
    """A NewReno flow over two or three full lines, beside one local flow on each.

    Its share of a line is between that of the square-root law at equal round trips, and that with as many times the
    round trip as there are lines, as here. RED discards at random: over drop-tail, the long flow loses more.
    """
    stream = "controller.new_reno = {}"
    for links in (2, 3):
        nodes = "abcd"[: links + 1]
        lines = "".join(
            f"""
[line.{here}{there}]
between = ["{here}", "{there}"]
rate = "12 Mb/s"
delay = "20 ms"
queues = [{{ red = {{ min = "15 PDUs", max = "45 PDUs", gentle = true, size = "120 PDUs" }} }}]
reverse.queues = [{{ unlimited = {{}} }}]
{greedy(stream, name=f"local_{here}", path=here + there)}
"""
            for here, there in itertools.pairwise(nodes)
        )
        text = f"""
duration = "350 s"
warm_up = "50 s"
measure.sample = "10 s"
{lines}
{greedy(stream, name="long", path=nodes)}
"""
        least, most = tcp.parking_lot(links, round_trips=links), tcp.parking_lot(links)
        share = Random(
            "share of a line", "mean", 0.8 * least, 1.2 * most, lambda tables: share_of("long", "local_a", tables)
        )
        yield Check(
            "a flow over several lines", f"{links} lines, one local flow on each", text, [share], 360, quick=False
        )


def lossy(pattern: str, controller: str, *, seconds: float, warm_up: float) -> str:
    """One flow over a line that is never full, and loses packets by a pattern."""
    line = f'rate = "1 Gb/s"\ndelay = "50 ms"\nqueues = [{{ random_loss.pattern.{pattern} }}]'
    until, start = f"{seconds:g} s", f"{warm_up:g} s"
    return network(line, greedy(f"controller.{controller}"), until=until, warm_up=start, sample="10 s")


def window(tables: Tables) -> list[float]:
    """The mean window: packets sent, repeated ones included, in a round trip."""
    return [float(tables("groups")["sent_bps"].item()) / (8 * PACKET) * ROUND_TRIP]


def reno_checks() -> Iterator[Check]:
    """NewReno against the square-root law.

    The law leaves out recovery, and that a window is whole packets. An independent packet model was 11, 3.5 and 1.6 %
    below it under periodic losses, and 2.1 and 4.5 % above it under random ones.
    """
    for every, part, seconds in ((100, 0.89, 450), (1000, 0.965, 450), (10_000, 0.984, 450)):
        text = lossy(f"periodic.every = {every}", "new_reno = {}", seconds=seconds, warm_up=50)
        line = Exact("mean window (packets)", [part * tcp.reno_window(1 / every)], window, within=0.02)
        yield Check("NewReno under periodic losses", f"every {every}th packet", text, [line])
    for loss, constant, seconds in ((1e-2, 1.25, 1000), (1e-3, 1.28, 2000)):
        truth = constant / loss**0.5
        text = lossy(f"bernoulli.probability = {loss}", "new_reno = {}", seconds=seconds, warm_up=20)
        yield Check(
            "NewReno under random losses",
            f"each packet with {loss:g}",
            text,
            [Random.near("mean window (packets)", "mean", truth, lambda tables: window(tables)[0], bias=0.04)],
            40,
            quick=False,
        )


def cubic_checks() -> Iterator[Check]:
    """CUBIC against its response function, which leaves out fast convergence, recovery and slow approach."""
    truth = tcp.cubic_window(1e-4, ROUND_TRIP)
    for has, seconds in (("true", 1000), ("false", 2000)):
        text = lossy(
            "periodic.every = 10000", f"cubic = {{ fast_convergence = {has} }}", seconds=seconds, warm_up=0.4 * seconds
        )
        line = Exact("mean window (packets)", [truth], window, below=0.12 * truth, above=0.08 * truth)
        setting = f"every 10000th packet, fast convergence {'on' if has == 'true' else 'off'}"
        yield Check("CUBIC under periodic losses", setting, text, [line], quick=False)


def dctcp_checks() -> Iterator[Check]:
    """DCTCP flows over a threshold: the ends of their queue, and a line that is never idle.

    Flows are not quite in step, so the swing may be twice that of the model.
    """
    for name, rate, flows, threshold in (
        ("10 Gb/s", 10e9, 2, 40),
        ("10 Gb/s", 10e9, 10, 40),
        ("1 Gb/s", 1e9, 2, 20),
    ):
        model = tcp.dctcp(flows, rate * 100e-6 / (8 * PACKET), threshold)
        line = (
            f'rate = "{name}"\ndelay = "50 us"\nqueues = [{{ drop_tail.size = "500 PDUs" }}]\n'
            f'congestion_point.step_ecn.threshold = "{threshold} PDUs"'
        )
        stream = "controller.dctcp.react = 'window_end', ecn = 'accurate'"
        text = network(line, greedy(stream, count=flows), until="60 ms", warm_up="20 ms", sample="7 us")
        lines = [
            Exact("longest queue (packets)", [model.high], longest_queue, below=3, above=3),
            Exact("swing of the queue (packets)", [1.5 * model.swing], swing, within=1 / 3),
            Exact("utilisation", [1.0], utilisation, below=5e-4, above=5e-4),
        ]
        yield Check("DCTCP in step", f"{flows} flows, {name}, threshold {threshold}", text, lines)


def longest_queue(tables: Tables) -> list[float]:
    """The longest queue of the line."""
    return [float(tables("ports").filter(port="line")["queue_max"].item())]


def swing(tables: Tables) -> list[float]:
    """Between the shortest and the longest queue that was read after the warm-up of 20 ms."""
    found = tables("series").filter(component="line", quantity="queue_0")
    read = [float(value) for value, time in zip(found["value"], found["time_s"], strict=True) if time > 0.02]
    return [max(read) - min(read)]


def incast_checks() -> Iterator[Check]:
    """N senders of an initial window at once: what waits is their burst less what the line sends meanwhile."""
    for senders in (8, 32):
        packet_s = 8 * PACKET / 10e9
        # In the time of a burst on a sender's own line, this line sends 9 packets and has one in service.
        places = 10 * senders - 9
        for room, lost in ((places, 0), (places - 1, 1)):
            line = f'rate = "10 Gb/s"\ndelay = "10 us"\nqueues = [{{ drop_tail.size = "{room} PDUs" }}]'
            flows = f"""
[flow.data]
path = ["a", "b"]
count = {senders}
octets = 1460
access = {{ rate = "10 Gb/s", delay = "0 us" }}
traffic.messages = {{ arrivals.incast.every = "1 s", sizes = "14600 octets", count = 1 }}
transport.stream = {{ controller.new_reno = {{}} }}
"""
            lines = [Exact("packets lost", [lost], lambda tables: [float(tables("groups")["lost"].item())])]
            if not lost:
                # The first packet arrives after its own two transmissions and the way.
                truth = 10e-6 + (10 * senders + 1) * packet_s
                lines.append(Exact("completion time of the last (s)", [truth], longest_time, within=0.01))
            text = network(line, flows, until="900 ms")
            yield Check("incast", f"{senders} senders of 10 packets, {room} places", text, lines)


def longest_time(tables: Tables) -> list[float]:
    """The longest completion time of a message."""
    return of_messages("data", "fct_max_s")(tables)


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


def checks() -> Iterator[Check]:
    """All checks of this module."""
    yield slow_start_check()
    yield from buffer_checks()
    yield from round_trip_checks()
    yield from parking_lot_checks()
    yield from reno_checks()
    yield from cubic_checks()
    yield from dctcp_checks()
    yield from incast_checks()
    yield from early_mark_checks()
