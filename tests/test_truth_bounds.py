"""Network calculus, effective bandwidth, calls, slotted switches and BECN: the printed numbers of the specification."""

from __future__ import annotations

import math

import pytest
from test_truth import printed

from penstock.statistics import jain
from penstock.truth import abr, becn, bucket, calculus, effective, erlang, fluid, slotted
from penstock.truth.calculus import Bucket, Server
from penstock.truth.effective import OnOff
from penstock.truth.fluid import Multiplexer

CELL = 424.0
VOICE = OnOff(peak=64e3, mean_on=0.5, mean_off=0.5)

# 5 Slotted switches


@pytest.mark.parametrize(("load", "inputs", "wait"), [(0.8, 2, "1"), (0.8, 16, "1.875"), (0.9, 8, "3.9375")])
def test_output_queues(load: float, inputs: int, wait: str) -> None:
    assert slotted.wait_mean(inputs, load) == printed(wait)


# 7 Calls


@pytest.mark.parametrize(
    ("offered", "servers", "share"),
    [
        (10, 10, "0.2145823"),
        (10, 15, "0.03649695"),
        (2, 5, "0.03669725"),
        (50, 60, "0.02166847"),
        (100, 117, "0.009790071"),
    ],
)
def test_erlang_b(offered: float, servers: int, share: str) -> None:
    assert erlang.blocking(offered, servers) == printed(share)


@pytest.mark.parametrize(("offered", "servers", "share"), [(10, 12, "0.4493882"), (50, 55, "0.3845473")])
def test_erlang_c(offered: float, servers: int, share: str) -> None:
    assert erlang.waiting(offered, servers) == printed(share)
    assert erlang.waiting(servers, servers) == 1


@pytest.mark.parametrize(
    ("sources", "servers", "time", "call"),
    [(20, 10, "0.2996046", "0.2605706"), (50, 30, "0.04450545", "0.03498161")],
)
def test_engset(sources: int, servers: int, time: str, call: str) -> None:
    assert erlang.time_congestion(sources, 1.0, servers) == printed(time)
    assert erlang.call_congestion(sources, 1.0, servers) == printed(call)


# 11 Effective bandwidth


def test_effective_bandwidth_of_voice() -> None:
    buffer = 256 * CELL
    assert effective.fluid(VOICE, 1e-6, buffer) == printed("51936.46")
    assert 50 * effective.fluid(VOICE, 1e-6, buffer) / 1e6 == printed("2.59682")
    assert effective.gaussian([VOICE] * 50, 1e-6) / 1e6 == printed("2.74918")
    assert effective.capacity([VOICE] * 50, 1e-6, buffer) / 1e6 == printed("2.59682")
    assert effective.fluid(VOICE, 1e-3, 512 * CELL) == printed("39677.09")
    assert 160 * effective.fluid(VOICE, 1e-3, 512 * CELL) / 1e6 == printed("6.34833")
    assert effective.gaussian([VOICE] * 160, 1e-3) / 1e6 == printed("6.52086")


def test_effective_bandwidth_is_the_slope_of_the_fluid_queue() -> None:
    rate = effective.fluid(VOICE, 1e-6, 256 * CELL)
    many = Multiplexer(sources=50, mean_on=0.5, mean_off=0.5, peak=64e3, capacity=50 * rate)
    assert math.exp(fluid.decay_rate(many) * 256 * CELL) == pytest.approx(1e-6, rel=1e-9)


def test_effective_bandwidth_lies_between_mean_and_peak() -> None:
    assert effective.fluid(VOICE, 1e-6, 0) == pytest.approx(VOICE.peak)
    assert effective.fluid(VOICE, 1e-6, 1e12) == pytest.approx(VOICE.mean, rel=1e-3)
    always = OnOff(peak=10.0, mean_on=1.0, mean_off=0.0)
    assert effective.fluid(always, 1e-6, 5) == 10
    video = OnOff(peak=512e3, low=192e3, mean_on=0.5, mean_off=0.5)
    above = OnOff(peak=320e3, mean_on=0.5, mean_off=0.5)
    assert effective.fluid(video, 1e-6, 1e5) == pytest.approx(192e3 + effective.fluid(above, 1e-6, 1e5))


# 12 Network calculus


def test_one_server() -> None:
    flow, server = Bucket(burst=100, rate=1000), Server(rate=5000, latency=0.01)
    assert calculus.delay(flow, server) == pytest.approx(0.03)
    assert calculus.backlog(flow, server) == pytest.approx(110)
    assert calculus.output(flow, server) == Bucket(burst=110, rate=1000)
    assert calculus.delay(Bucket(burst=1, rate=6000), server) == math.inf
    assert calculus.backlog(Bucket(burst=1, rate=6000), server) == math.inf


def test_a_limited_peak() -> None:
    flow, server = Bucket(packet=1, peak=4000, burst=51, rate=500), Server(rate=1000, latency=0.002)
    assert 1e3 * calculus.delay(flow, server) == printed("45.857")
    assert calculus.backlog(flow, server) == printed("45.857")
    # A server as fast as the peak: only the first packet waits.
    assert calculus.delay(flow, Server(rate=4000)) == pytest.approx(1 / 4000)


def test_bursts_are_paid_for_once() -> None:
    flow = Bucket(burst=50, rate=1000)
    servers = [*[Server(rate=5000, latency=0.001)] * 3, Server(rate=2000, latency=0.27)]
    assert 1e3 * calculus.delay(flow, calculus.tandem(servers)) == printed("298.0")
    total, arriving = 0.0, flow
    for server in servers:
        total += calculus.delay(arriving, server)
        arriving = calculus.output(arriving, server)
    assert 1e3 * total == printed("330.1")


def test_priorities() -> None:
    rate = 6e6 / CELL
    high, low = Bucket(burst=60, rate=8000), Bucket(burst=200, rate=4000)
    assert 1e3 * calculus.delay(high, Server(rate=rate, latency=1 / rate)) == printed("4.3107")
    left = calculus.below(Server(rate=rate), high)
    assert 1e3 * calculus.delay(low, left) == printed("42.270")
    assert calculus.backlog(low, left) == printed("239.02")
    with pytest.raises(ValueError, match="takes the whole server"):
        calculus.below(Server(rate=8000), high)


def test_flows_together() -> None:
    assert calculus.together([Bucket(burst=3, rate=1), Bucket(burst=4, rate=2)]) == Bucket(burst=7, rate=3)


# 13 Jain


def test_jain() -> None:
    assert jain([3, 1]) == printed("0.8")
    assert jain([1, *[0] * 9]) == printed("0.1")


# 15 BECN


@pytest.mark.parametrize(
    ("delay", "queue", "period", "mean", "share"),
    [
        (0, "250", "1541.43", "125.5", "0.0649"),
        (50, "280", "1727.14", "140.5", "0.0579"),
        (100, "310", "1912.86", "155.5", "0.0523"),
    ],
)
def test_ideal_backward_notification(delay: float, queue: str, period: str, mean: str, share: str) -> None:
    assert becn.greatest_queue(250, delay) == printed(queue)
    assert becn.period(250, delay) == printed(period)
    assert becn.mean_queue(250, delay) == printed(mean)
    assert 100 * becn.notice_share(1, 250, delay) == printed(share)


# 16 ABR


@pytest.mark.parametrize(("beyond", "rate"), [(0, "131.25"), (1, "123.05"), (10, "68.84"), (40, "9.93"), (90, "0.394")])
def test_rule_6(beyond: int, rate: str) -> None:
    assert abr.rate_without_feedback(140.0, 1 / 16, 32, 32 + beyond + 1) == printed(rate)


def test_windows_hold_no_more_than_their_bound() -> None:
    assert bucket.most_in_window(4.5, 7.0, 9.0) == 1 + math.floor(16 / 4.5)
