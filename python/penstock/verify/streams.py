"""Checks of byte streams: slow start, a flow and its buffer, controllers under losses and marks, and messages."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from penstock.statistics import jain
from penstock.truth import mg1, pull, tcp
from penstock.verify.check import Check, Exact, Random
from penstock.verify.early_marks import early_mark_checks
from penstock.verify.heirs import heir_checks
from penstock.verify.stream_network import PACKET, ROUND_TRIP, greedy, network, share_of, utilisation

if TYPE_CHECKING:
    from penstock.verify.check import Tables

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
    "incast with credits": ("PL1", "`truth.pull.incast`: what the line carries, and at most two round trips"),
    "RED under NewReno": ("A6", "fixed point, `truth.tcp.red`, -20 to +5 %; an independent packet model: -15 %"),
    "Copa alone": ("P1", "an independent packet model, within 10 %"),
    "BBR alone": ("B2", "an independent packet model, within 0.01, 10 %, and 3 packets"),
    "BBR under random losses": ("B7", "an independent packet model, within 0.05"),
    "messages in a fair queue": ("M14", "processor sharing, `truth.mg1.sharing_time`, within 3 %"),
    "early marks beside losses": (
        "A8",
        "RFC 9332, `truth.tcp.dual_pi2_ratio`; packet models are up to 50 % above it, 10 % below at most",
    ),
    "a line with DualPI2": ("A8b", "an independent packet model, within 15 %"),
    "QCN at a notice": ("Q1", "IEEE 802.1Qau, `truth.qcn.factor`: its grade, in 128ths"),
    "QCN in fast recovery": ("Q2", "IEEE 802.1Qau, `truth.qcn.fast_recovery`"),
    "QCN at its equilibrium": ("Q", "IEEE 802.1Qau: the equilibrium, within 10 %"),
    "DCQCN at its fixed point": ("K1, K2", "fluid of Zhu and others (2016), `truth.dcqcn.fixed_point`, good to 40 %"),
    "RCP in one period": ("R1", "Dukkipati (2008), `truth.rcp.step`, within 4e-5"),
    "RCP at rest": ("R2, M12", "Dukkipati (2008), `truth.rcp.obedient`; max-min rates; within 1 %"),
    "HPCC at rest": ("HP1", "`truth.hpcc.fixed_point`, within 0.001; periodic sources that meet wait for each other"),
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


def round_trip_checks() -> Iterator[Check]:
    """Two NewReno flows with round trips of 100 and 20 ms over one full queue; without jitter, shares are accidents."""
    stream = 'controller.new_reno = {}, jitter = "1 ms"'
    flows = greedy(stream, name="far", access_ms=49) + greedy(stream, name="near", access_ms=9)
    line = 'rate = "12 Mb/s"\ndelay = "1 ms"\nqueues = [{ drop_tail.size = "100 PDUs" }]'
    text = network(line, flows, until="350 s", warm_up="50 s", sample="10 s")
    share = Random.near("share of the longer", "mean", 0.247, lambda tables: share_of("far", "near", tables), bias=0.12)
    yield Check(
        "two round trips", "100 and 20 ms, 100 packets of 12 Mb/s, jitter 1 ms", text, [share], 840, quick=False
    )


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
            "a flow over several lines", f"{links} lines, one local flow on each", text, [share], 460, quick=False
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
            56,
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
        for room, discarded in ((places, 0), (places - 1, 1)):
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
            lines = [Exact("packets lost", [discarded], lost)]
            if not discarded:
                # The first packet arrives after its own two transmissions and the way.
                truth = 10e-6 + (10 * senders + 1) * packet_s
                lines.append(Exact("completion time of the last (s)", [truth], longest_time, within=0.01))
            text = network(line, flows, until="900 ms")
            yield Check("incast", f"{senders} senders of 10 packets, {room} places", text, lines)


def credit_checks() -> Iterator[Check]:
    """N senders begin a message of 1 MB at once, and receivers give credit: the last ends between the two bounds."""
    # There and back 15 us each, and the time of a segment on two lines.
    base = 30e-6 + 2 * 8 * PACKET / 10e9
    for senders, credit in ((4, 4), (16, 4), (16, 1), (40, 1)):
        flows = f"""
[flow.data]
path = ["a", "b"]
count = {senders}
octets = 1460
access = {{ rate = "10 Gb/s", delay = "5 us" }}
traffic.messages = {{ arrivals.incast.every = "1 s", sizes = "1 MB", count = 1 }}
transport.stream.controller.pull.segments = {credit}
"""
        # 684 whole segments and one of 1,360 octets, with 40 octets of headers each.
        least, most = pull.incast(senders, 8 * (10**6 + 685 * 40), 8 * PACKET, 10e9, base, credit=credit)
        middle = (least + most) / 2
        quantity = f"completion time of the last (s), at most {1e6 * (most - middle):.0f} us from"
        lines = [
            Exact(quantity, [middle], longest_time, below=middle - least, above=most - middle),
            Exact("packets lost", [0], lost),
        ]
        text = network('rate = "10 Gb/s"\ndelay = "10 us"', flows, until="900 ms")
        yield Check("incast with credits", f"{senders} senders of 1 MB, credits for {credit}", text, lines)


def longest_time(tables: Tables) -> list[float]:
    """The longest completion time of a message."""
    return of_messages("data", "fct_max_s")(tables)


def red_check() -> Check:
    """20 NewReno flows over RED: its mean queue. Without `wait`, as in the law, each packet is discarded by itself."""
    flows = greedy("controller.new_reno = {}", count=20).replace("greedy = {}", 'greedy.stagger = "53 ms"')
    red = 'min = "50 PDUs", max = "150 PDUs", max_probability = 0.1, mean_octets = 1500, wait = false'
    line = f'rate = "15 Mb/s"\ndelay = "50 ms"\nqueues = [{{ red = {{ {red} }} }}]'
    text = network(line, flows, until="120 s", warm_up="20 s", sample="50 ms")
    queue = tcp.red(20, 15e6 * ROUND_TRIP / (8 * PACKET), low=50, high=150, most=0.1).queue
    mean = Random("mean of RED (packets)", "mean", 0.8 * queue, 1.05 * queue, red_mean)
    return Check("RED under NewReno", "20 flows, 15 Mb/s, 50 to 150 packets", text, [mean], 40, quick=False)


def red_mean(tables: Tables) -> float:
    """The mean of the moving average that RED keeps, after the warm-up of 20 s."""
    found = tables("series").filter(component="line", quantity="red_mean_0")
    read = [float(value) for value, time in zip(found["value"], found["time_s"], strict=True) if time > 20]
    return sum(read) / len(read)


def half(queue: str, flows: str, *, warm_up: str) -> str:
    """Flows over a line of 12 Mb/s with a round trip of 50 ms, which is 50 packets."""
    line = f'rate = "12 Mb/s"\ndelay = "25 ms"\nqueues = [{{ {queue} }}]'
    return network(line, flows, until="60 s", warm_up=warm_up, sample="1 s")


def copa_checks() -> Iterator[Check]:
    """Copa flows: a few packets of each wait, and their rates are equal."""
    for flows, base, packets in ((1, "auto", 3.5), (2, "auto", 5.5), (5, "50 ms", 11.0)):
        stream = greedy(f'controller.copa.base = "{base}"', count=flows)
        text = half("unlimited = {}", stream.replace("greedy = {}", 'greedy.stagger = "310 ms"'), warm_up="20 s")
        lines = [Exact("mean queue (packets)", [packets], mean_queue, within=0.1)]
        if flows > 1:
            lines.append(Exact("Jain's index", [1.0], fairness, below=0.01))
        known = "" if base == "auto" else ", base known"
        yield Check("Copa alone", f"{flows} {'flow' if flows == 1 else 'flows'}{known}", text, lines)


def mean_queue(tables: Tables) -> list[float]:
    """The mean queue of the line, the packet in service included."""
    return [float(tables("ports").filter(port="line")["queue_mean"].item())]


def fairness(tables: Tables) -> list[float]:
    """Jain's index of the rates of all flows."""
    return [jain([float(rate) for rate in tables("flows")["throughput_bps"]])]


def bbr_checks() -> Iterator[Check]:
    """A BBR flow with room for three products, with room for half of one, and under losses that are no congestion."""
    flow = greedy("controller.bbr = {}")
    used = 0.9685
    lines = [
        Exact("utilisation", [used], utilisation, below=0.01, above=0.01),
        # 3.0 ms of waiting, and 1 ms of service.
        Exact("mean queue (packets)", [4.0 * used], mean_queue, within=0.1),
        Exact("longest queue (packets)", [48], longest_queue, below=3, above=3),
        Exact("packets lost", [0], lost),
    ]
    yield Check("BBR alone", "150 places", half('drop_tail.size = "150 PDUs"', flow, warm_up="5 s"), lines)
    text = half("random_loss.pattern.bernoulli.probability = 0.01", flow, warm_up="5 s")
    line = Random.near("utilisation", "probability", 0.85, lambda tables: utilisation(tables)[0], bias=0.05 / 0.85)
    yield Check("BBR under random losses", "each packet with 0.01", text, [line], 60, quick=False)


def lost(tables: Tables) -> list[float]:
    """Packets lost."""
    return [float(tables("groups")["lost"].item())]


def sharing_check() -> Check:
    """Messages of web search in a fair queue, all packets of each at once: each time is 1 / (1 - load) of that alone.

    Packets of 60,000 octets are short against messages of 1.7 MB. Those below 1 MB are faster: a new flow goes first.
    The load of a run of a minute varies by 2 %, and the times with it: so each run counts with its own load.
    """
    room = 'target = "100 s", interval = "100 s", memory = "3000 MB"'
    queue = f'fq_codel = {{ {room}, lists = 65535, quantum = "60100 octets" }}'
    line = f'rate = "10 Gb/s"\ndelay = "1 us"\nqueues = [{{ {queue} }}]'
    stream = 'controller.new_reno = {}, initial_window = 100000, min_rto = "100 s", loss = "duplicates"'
    flows = f"""
[flow.data]
path = ["a", "b"]
octets = 60000
traffic.messages = {{ arrivals.poisson.load = {{ share = 0.5, of = "line" }}, sizes.table = "web_search" }}
transport.stream = {{ {stream} }}
"""
    text = network(line, flows, until="60.2 s", warm_up="0.2 s")
    truth = mg1.sharing_time(1.0, 0.5)

    def of_octets(tables: Tables) -> float:
        seconds, octets = (of_messages("data", column)(tables)[0] for column in ("fct_mean_s", "octets_mean"))
        return at_half_load(seconds / (8 * octets / 10e9), tables)

    def of_long(tables: Tables) -> float:
        own = tables("messages").filter(**{"class": "1 MB to 10 MB"})
        return at_half_load(float(own["slowdown_mean"].item()), tables)

    lines = [
        Random.near("time of an octet, over that alone", "mean", truth, of_octets, bias=0.03),
        Random.near("slowdown of 1 to 10 MB", "mean", truth, of_long, bias=0.03),
    ]
    return Check("messages in a fair queue", "web search, load 0.5, 10 Gb/s", text, lines, 96, quick=False)


def at_half_load(slowdown: float, tables: Tables) -> float:
    """A slowdown 1 / (1 - load) of a run, as it would be at a load of a half."""
    return slowdown * (1 - utilisation(tables)[0]) / (1 - 0.5)


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
    yield from credit_checks()
    yield red_check()
    yield from copa_checks()
    yield from bbr_checks()
    yield sharing_check()
    yield from early_mark_checks()
    yield from heir_checks()
