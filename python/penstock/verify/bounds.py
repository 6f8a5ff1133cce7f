"""Checks of deterministic bounds: worst cases of network calculus, full queues, and a peak rate controller.

Each scenario is the worst case of its bound, so the largest delay and queue are the bound itself. Cells are whole and
the theory's fluid is not: a measured number may be less by a cell or its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from penstock.truth import calculus, satellite
from penstock.truth.calculus import Bucket, Server
from penstock.verify.check import Check, Exact

if TYPE_CHECKING:
    from penstock.verify.check import Tables

CELL = 424
OCTETS = 53
SLIGHTLY = 1e-8
"""Seconds by which times may differ: the cells of a burst arrive one after the other."""
CALCULUS = "network calculus"


def burst(name: str, cells: int, path: Sequence[str], more: str = "") -> str:
    """A flow that sends all its cells at the start of the run."""
    return f"""
[flow.{name}]
path = {list(path)}
traffic.replay.frames = [{cells * OCTETS}]
traffic.replay.frames_per_second = 1
traffic.replay.sending = {{ burst = "10000 Gb/s", phase = "zero", place = "first" }}
{more}
"""


def steady(name: str, rate: int, path: Sequence[str], more: str = "") -> str:
    """A flow of so many cells per second, the first after one gap."""
    return f"""
[flow.{name}]
path = {list(path)}
traffic.cbr = {{ rate = "{rate * CELL} b/s", start = "{1e6 / rate:g} us" }}
{more}
"""


def line(name: str, between: Sequence[str], rate: float, delay_ms: float, more: str = "") -> str:
    """A line of so many cells per second."""
    return f"""
[line.{name}]
between = {list(between)}
rate = "{rate * CELL:.0f} b/s"
delay = "{delay_ms:g} ms"
{more}
"""


def delay_max(*groups: str) -> Callable[[Tables], list[float]]:
    """The largest delay of these groups, in seconds."""
    return lambda tables: [
        max(float(row["delay_max_s"]) for row in tables("groups").iter_rows(named=True) if row["group"] in groups)
    ]


def queue_max(priority: int, port: str = "server") -> Callable[[Tables], list[float]]:
    """The longest queue of a port, in cells."""
    return lambda tables: [float(tables("queues").filter(port=port, priority=priority)["queue_max"].item())]


def one_server() -> Check:
    """A burst and a steady flow through one line with a propagation delay."""
    bucket, server = Bucket(burst=100, rate=1000), Server(rate=5000, latency=0.01)
    path = ("a", "b")
    text = 'duration = "200 ms"\n' + line("server", path, server.rate, 10)
    text += burst("burst", 100, path) + steady("steady", 1000, path)
    lines = [
        Exact("largest delay (s)", [calculus.delay(bucket, server)], delay_max("burst", "steady"), 1e-6, 1e-6),
        Exact(
            "longest queue (cells)",
            [calculus.backlog(bucket, Server(rate=server.rate))],  # the latency is on the line, behind the queue
            queue_max(0),
            1,
        ),
    ]
    return Check(CALCULUS, "token bucket 100, 1000/s at 5000/s, 10 ms", text, lines)


def peak_limited() -> Check:
    """A T-SPEC flow: at the peak rate until its bucket is empty, then at the mean rate."""
    bucket, server = Bucket(packet=1, peak=4000, burst=51, rate=500), Server(rate=1000, latency=0.002)
    frames = [cells * OCTETS for cells in (*[4] * 14, 2, 0, *[1, 0] * 30)]
    path = ("a", "b")
    text = 'duration = "70 ms"\n' + line("server", path, server.rate, 2)
    text += f"""
[flow.cells]
path = ["a", "b"]
traffic.replay.frames = {frames}
traffic.replay.frames_per_second = 1000
traffic.replay.sending = {{ phase = "zero", place = "first" }}
"""
    bound = Exact("largest delay (s)", [calculus.delay(bucket, server)], delay_max("cells"), 1 / server.rate)
    return Check(CALCULUS, "T-SPEC (1, 4000, 51, 500) at 1000/s, 2 ms", text, [bound])


def pay_bursts_once() -> Check:
    """A burst through four lines. A cell is sent on when it is complete: its time on each line but the slowest."""
    bucket = Bucket(burst=50, rate=1000)
    rates, delays = (5000, 5000, 5000, 2000), (1, 1, 1, 270)
    servers = [Server(rate=rate, latency=delay / 1e3) for rate, delay in zip(rates, delays, strict=True)]
    complete = sum(1 / rate for rate in rates[:-1])
    path = ("a", "b", "c", "d", "e")
    text = 'duration = "900 ms"\n'
    for number, (rate, delay) in enumerate(zip(rates, delays, strict=True)):
        text += line(f"line_{number}", path[number : number + 2], rate, delay)
    text += burst("burst", 50, path) + steady("steady", 1000, path)
    truth = calculus.delay(bucket, calculus.tandem(servers)) + complete
    bound = Exact("largest delay (s)", [truth], delay_max("burst", "steady"), 1e-6, 1e-6)
    return Check(CALCULUS, "token bucket 50, 1000/s through four lines", text, [bound])


def two_priorities() -> Check:
    """Bursts of either priority at once. A cell of the low priority in service delays the high one."""
    rate = 6e6 / CELL
    high, low = Bucket(burst=60, rate=8000), Bucket(burst=200, rate=4000)
    left = calculus.below(Server(rate=rate), high)
    path = ("a", "b")
    text = 'duration = "300 ms"\n' + line("server", path, rate, 0, "queues = [{ unlimited = {} }, { unlimited = {} }]")
    text += burst("high_burst", 60, path) + steady("high_rate", 8000, path)
    text += burst("low_burst", 200, path, "priority = 1") + steady("low_rate", 4000, path, "priority = 1")
    blocked = calculus.delay(Bucket(burst=60, rate=0), Server(rate=rate, latency=1 / rate))
    lines = [
        Exact(
            "largest delay of priority 0 (s)",
            [blocked],
            delay_max("high_burst", "high_rate"),
            1 / rate + SLIGHTLY,
            SLIGHTLY,
        ),
        Exact(
            "largest delay of priority 1 (s)",
            [calculus.delay(low, left)],
            delay_max("low_burst", "low_rate"),
            2 / left.rate,
            SLIGHTLY,
        ),
        Exact("longest queue of priority 1 (cells)", [calculus.backlog(low, left)], queue_max(1), 2),
    ]
    return Check(CALCULUS, "priorities on 6 Mb/s: 60, 8000/s and 200, 4000/s", text, lines)


def simultaneous_bursts() -> Check:
    """A hundred conforming bursts of 33 cells at once on 6 Mb/s, at most one cell in service before them."""
    rate = 6e6 / CELL
    path = ("a", "b")
    text = 'duration = "400 ms"\n' + line("server", path, rate, 0) + burst("voice", 33, path, "count = 100")
    truth = [satellite.queueing_time(100 * 33 + 1, 6e6)]
    return Check(
        CALCULUS,
        "100 bursts of 33 cells on 6 Mb/s",
        text,
        [Exact("largest delay (s)", truth, delay_max("voice"), 1 / rate + SLIGHTLY, SLIGHTLY)],
    )


def full_queue() -> Check:
    """The priority-0 queue of the satellite study, overloaded."""
    rate = 6e6 / CELL
    path = ("a", "b")
    text = 'duration = "300 ms"\n'
    text += line("server", path, rate, 0, 'queues = [{ drop_tail = { size = "512 cells" } }]')
    text += steady("cells", 20_000, path)
    truth = [satellite.queueing_time(512, 6e6)]
    bound = Exact("largest delay (s)", truth, delay_max("cells"), 1 / rate + SLIGHTLY, SLIGHTLY)
    return Check("satellite study", "full queue of 512 cells on 6 Mb/s", text, [bound])


def peak_rate_controller() -> Check:
    """Ten cells at once into a controller of 64 kb/s: the last waits nine gaps."""
    path = ("a", "b")
    text = 'duration = "100 ms"\n' + line("server", path, 1e12 / CELL, 0)
    text += burst("cells", 10, path, '[[flow.cells.policers]]\npeak_rate_controller.rate = "64 kb/s"')
    truth = [satellite.queueing_time(9, 64e3)]
    bound = Exact("largest delay (s)", truth, delay_max("cells"), 1e-6, 1e-6)
    return Check(CALCULUS, "peak rate controller of 64 kb/s, 10 cells at once", text, [bound])


def checks() -> Iterator[Check]:
    """All checks of this module."""
    yield one_server()
    yield peak_limited()
    yield pay_bursts_once()
    yield two_priorities()
    yield simultaneous_bursts()
    yield peak_rate_controller()
    yield full_queue()
