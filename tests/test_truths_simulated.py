"""The engine against exact results: each must lie in the 99.9 % interval of a simulation through the public face.

A value inside a wide interval proves little, so the half width is limited too: 1 % of the value for means, 3 % for
shares, unless a test gives a reason. Seeds are fixed, so a test fails always or never. One cell time is 1 ms if
the server is a line of 424 kb/s.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import penstock
from penstock.statistics import student
from penstock.truth import bucket, fluid, md1, mm1, periodic, priority, satellite, window
from penstock.truth.fluid import Multiplexer
from penstock.truth.priority import Class

CELL_S = 0.001


def simulate(text: str, *, replications: int = 1, seed: int = 1) -> penstock.Result:
    """Runs a scenario given as text."""
    return penstock.run(penstock.Scenario.parse(text), seed=seed, replications=replications)


def agree(values: Iterable[float], truth: float, *, within: float, bias: float = 0.0) -> None:
    """Compares an exact value with independent values; `within` bounds the interval's half width, as a share of it.

    `bias` is the known error of the model itself, as a share of the exact value: 0 unless a test gives it.
    """
    reaches(values, (1 - bias) * truth, (1 + bias) * truth, within=within)


def reaches(values: Iterable[float], low: float, high: float, *, within: float) -> None:
    """The interval of the mean has a part between two exact values, and a half width below a share of the lower."""
    estimate = student(values, level=0.999)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.high - estimate.low <= 2 * within * low, f"{estimate} is too wide to be held against {low}"
    assert estimate.low <= high, f"{estimate} is above {high}"
    assert estimate.high >= low, f"{estimate} is below {low}"


def one_line(flows: str, *, duration: str, limit: str = "1 ms", line: str = "") -> str:
    """Flows from node a to node b over a line of one cell a millisecond; delays over `limit` are counted."""
    return f"""
duration = "{duration}"
warm_up = "2 s"
measure.jitter_limit = "{limit}"
[line.server]
between = ["a", "b"]
rate = "424 kb/s"
{line}
{flows}
"""


def poisson(load: float, *, name: str = "cells", more: str = "") -> str:
    """A group of one Poisson flow that brings this load to a line of one cell a millisecond."""
    return f"""
[flow.{name}]
path = ["a", "b"]
traffic.poisson = {{ rate = "{round(load * 424_000)} b/s" }}
{more}
"""


def late_share(groups: pl.DataFrame) -> list[float]:
    """For each replication the share of delays above the flow's own minimum plus the limit."""
    return (groups["over_jitter_limit"] / groups["delivered"]).to_list()


# 1 M/M/1 and M/M/1/K. PDUs of a flow have one size, so the exponential is a sum of Poisson flows of one size each: a
# mixture of exact M/G/1 kind whose sizes are the means of 80 slices of the exponential.

MEAN_OCTETS = 4000
MEAN_RATE = 800_000_000
MEAN_S = 8 * MEAN_OCTETS / MEAN_RATE


def exponential_sizes(load: float) -> tuple[str, list[Class]]:
    """Flows whose sizes together are exponential, and the same as classes, in units of the mean service time."""
    edges = np.concatenate([np.linspace(0, 6, 61)[:-1], np.linspace(6, 16, 21)])
    flows, classes = [], []
    for number, (low, high) in enumerate(pairwise(edges)):
        share = math.exp(-low) - math.exp(-high)
        mean = ((1 + low) * math.exp(-low) - (1 + high) * math.exp(-high)) / share
        octets = round(mean * MEAN_OCTETS)
        rate = round(load * share * octets / MEAN_OCTETS * MEAN_RATE)
        flows.append(f"""
[flow.size_{number:02}]
path = ["a", "b"]
octets = {octets}
traffic.poisson = {{ rate = "{rate} b/s" }}
""")
        classes.append(Class.constant(rate / MEAN_RATE, service=octets / MEAN_OCTETS))
    return "".join(flows), classes


def mm1_scenario(flows: str, *, duration: str, limit_s: float = 0.02, places: int | None = None) -> str:
    queues = f'queues = [{{ drop_tail = {{ size = "{places} cells" }} }}]' if places else ""
    return f"""
duration = "{duration}"
warm_up = "10 ms"
measure.jitter_limit = "{limit_s * 1e6:.6f} us"
[line.server]
between = ["a", "b"]
rate = "{MEAN_RATE} b/s"
{queues}
{flows}
"""


def test_exponential_sizes_are_nearly_exponential() -> None:
    _, classes = exponential_sizes(0.8)
    assert sum(each.rate for each in classes) == pytest.approx(0.8, rel=1e-4)
    assert sum(each.rate * each.mean for each in classes) == pytest.approx(0.8, rel=1e-4)
    assert sum(each.rate * each.square for each in classes) == pytest.approx(2 * 0.8, rel=1e-3)


@pytest.mark.parametrize(("load", "seconds"), [(0.5, 9), pytest.param(0.8, 60, marks=pytest.mark.long)])
def test_mm1_wait(load: float, seconds: int) -> None:
    flows, classes = exponential_sizes(load)
    result = simulate(mm1_scenario(flows, duration=f"{seconds} s", limit_s=5 * MEAN_S), replications=40)
    waits, tails = [], []
    service_s = {f"size_{number:02}": each.mean * MEAN_S for number, each in enumerate(classes)}
    for _, groups in result.groups.filter(pl.col("delivered") > 0).group_by("replication"):
        own = groups["group"].replace_strict(service_s, return_dtype=pl.Float64)
        total = float(groups["delivered"].sum())
        waits.append(float((groups["delivered"] * (groups["delay_mean_s"] - own)).sum()) / total / MEAN_S)
        tails.append(float(groups["over_jitter_limit"].sum()) / total)
    agree(waits, mm1.wait_mean(load), within=0.01, bias=0.001)
    # The largest sizes are so rare that their own minimum includes a wait.
    agree(tails, mm1.wait_tail(load, 5), within=0.03, bias=0.002)


@pytest.mark.parametrize(("load", "places", "seconds"), [(0.8, 10, 8), (1.0, 10, 2), (1.2, 10, 1)])
def test_mm1k_loss(load: float, places: int, seconds: int) -> None:
    flows, _ = exponential_sizes(load)
    result = simulate(mm1_scenario(flows, duration=f"{seconds} s", places=places), replications=30)
    sums = result.groups.group_by("replication").agg(pl.col("lost", "sent").sum())
    agree(sums["lost"] / sums["sent"], mm1.loss(load, places), within=0.03, bias=0.001)


# 2 and 3 M/D/1 and M/D/1/K


@pytest.mark.parametrize(
    ("load", "seconds"), [(0.5, 150), (0.8, 400), pytest.param(0.95, 5000, marks=pytest.mark.long)]
)
def test_md1_mean(load: float, seconds: int) -> None:
    groups = simulate(one_line(poisson(load), duration=f"{seconds} s"), replications=30).groups
    waits = [mean / CELL_S - 1 for mean in groups["delay_mean_s"]]
    agree(waits, md1.wait_mean(load), within=0.01)


def test_md1_variance() -> None:
    flows = simulate(one_line(poisson(0.5), duration="200 s"), replications=30).flows
    agree([(sd / CELL_S) ** 2 for sd in flows["delay_sd_s"]], md1.wait_variance(0.5), within=0.03)


@pytest.mark.parametrize(
    ("load", "time", "seconds"),
    [
        (0.5, 0.5, 100),
        (0.5, 1, 100),
        (0.5, 2.5, 250),
        (0.8, 1, 100),
        (0.8, 2.5, 250),
        (0.8, 5, 500),
        pytest.param(0.5, 5, 10_000, marks=pytest.mark.long),
        pytest.param(0.8, 10, 10_000, marks=pytest.mark.long),
    ],
)
def test_md1_tail(load: float, time: float, seconds: int) -> None:
    text = one_line(poisson(load), duration=f"{seconds} s", limit=f"{time} ms")
    agree(late_share(simulate(text, replications=30).groups), md1.wait_tail(load, time), within=0.03)


def test_md1_percentiles() -> None:
    groups = simulate(one_line(poisson(0.8), duration="500 s"), replications=30).groups
    for column, share in (("delay_p50_s", 0.5), ("delay_p99_s", 0.01), ("delay_p999_s", 0.001)):
        low, high = 0.0, 100.0
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (middle, high) if md1.wait_tail(0.8, middle) > share else (low, middle)
        agree(groups[column] / CELL_S, 1 + high, within=0.03, bias=0.008)  # the histogram's own step


@pytest.mark.parametrize(
    ("load", "places", "seconds"),
    [(0.8, 5, 150), (1.0, 10, 150), (1.1, 10, 100), pytest.param(0.8, 10, 3000, marks=pytest.mark.long)],
)
def test_md1k_loss(load: float, places: int, seconds: int) -> None:
    queues = f'queues = [{{ drop_tail = {{ size = "{places} cells" }} }}]'
    result = simulate(one_line(poisson(load), duration=f"{seconds} s", line=queues), replications=30)
    agree(result.groups["loss_ratio"], md1.loss(load, places), within=0.03)
    assert result.ports.filter(port="server")["queue_max"].max() == places


# 4 nD/D/1: phases are drawn once a run, so a run has many parallel lines, and each is measured for one period.


def periodic_waits(
    sources: int, period: int, lines: int, replications: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Wait of every source of every line, in cell times: a row for each line."""
    text = 'duration = "120 ms"\nwarm_up = "80 ms"\n'  # a period is 40 ms
    text += "".join(
        f"""
[line.line_{number:04}]
between = ["a{number:04}", "b{number:04}"]
rate = "{period * 10_000} b/s"
[flow.flow_{number:04}]
count = {sources}
path = ["a{number:04}", "b{number:04}"]
octets = 50
traffic.cbr = {{ rate = "10 kb/s" }}
"""
        for number in range(lines)
    )
    flows = simulate(text, replications=replications).flows
    cell_s = 400 / (period * 10_000)
    assert flows["delivered"].min() == 1
    assert flows["delivered"].max() == 1
    return flows["delay_mean_s"].to_numpy().reshape(-1, sources) / cell_s - 1


@pytest.mark.parametrize(
    ("sources", "period", "works", "lines"),
    [
        (3, 4, (0.0, 0.5), 1000),
        (10, 12, (0.0, 1.0, 2.0), 1000),
        pytest.param(50, 60, (0.0, 1.0, 3.0), 1000, marks=pytest.mark.long),
    ],
)
def test_periodic_sources(sources: int, period: int, works: Sequence[float], lines: int) -> None:
    # A source sees the work of the others, because its own cell of the last period has left.
    waits = periodic_waits(sources, period, lines, 10)
    for work in works:
        shares = (waits > work + 1e-6).mean(axis=1)
        agree(shares, periodic.work_tail(sources - 1, period, work), within=0.05)


# 6 Priorities


@pytest.mark.parametrize(
    ("loads", "lengths"),
    [((0.3, 0.5), (1, 1)), ((0.3, 0.5), (1, 10)), pytest.param((0.6, 0.3), (1, 1), marks=pytest.mark.long)],
)
def test_cobham(loads: tuple[float, float], lengths: tuple[int, int]) -> None:
    flows = "".join(
        poisson(load, name=f"class_{number}", more=f"priority = {number}\noctets = {53 * length}")
        for number, (load, length) in enumerate(zip(loads, lengths, strict=True))
    )
    seconds = {(1, 1): 400, (1, 10): 2800}[lengths] if sum(loads) < 0.85 else 6000
    two = "queues = [{ unlimited = {} }, { unlimited = {} }]"
    groups = simulate(one_line(flows, duration=f"{seconds} s", line=two), replications=40).groups
    classes = [Class.constant(load, service=length) for load, length in zip(loads, lengths, strict=True)]
    for number, wait in enumerate(priority.wait_means(classes)):
        delays = groups.filter(group=f"class_{number}")["delay_mean_s"]
        agree([delay / CELL_S - lengths[number] for delay in delays], wait, within=0.01 if sum(loads) < 0.85 else 0.03)


# 9 Token bucket. The truth is a fluid's; cells shift it by the order of 1/depth.

ON_OFF = 'on_off = { peak_rate = "64 kb/s", on = "0.5 s", off = "0.5 s" }'
VIDEO = 'two_rate_video = { high = "512 kb/s", low = "192 kb/s", high_time = "0.5 s", low_time = "0.5 s" }'


@pytest.mark.parametrize(
    ("traffic", "rates", "octets", "depth", "seconds", "within"),
    [
        (ON_OFF, {"high": 64e3, "drain": 36e3}, 25, 70, 100, 0.03),
        (VIDEO, {"high": 512e3, "low": 192e3, "drain": 391e3}, 212, 36, 100, 0.03),
        pytest.param(ON_OFF, {"high": 64e3, "drain": 36e3}, 10, 175, 500, 0.01, marks=pytest.mark.long),
        pytest.param(VIDEO, {"high": 512e3, "low": 192e3, "drain": 391e3}, 53, 143, 500, 0.015, marks=pytest.mark.long),
    ],
    ids=["voice", "video", "voice-fine", "video-fine"],
)
def test_marked_share(
    traffic: str, rates: Mapping[str, float], octets: int, depth: int, seconds: int, within: float
) -> None:
    text = f"""
duration = "{seconds} s"
[line.line]
between = ["a", "b"]
rate = "1 Gb/s"
[flow.source]
count = 60
path = ["a", "b"]
octets = {octets}
traffic.{traffic}
policers = [{{ leaky_bucket = {{ depth = "{depth} cells", drain = "{rates["drain"]:.0f} b/s" }} }}]
"""
    groups = simulate(text, replications=10).groups
    truth = bucket.marked_share(depth=depth * octets * 8.0, mean_high=0.5, mean_low=0.5, **rates)
    agree(groups["tagged"] / groups["delivered"], truth, within=within, bias=1 / depth)


# 10 Anick, Mitra and Sondhi: the queue at regular instants, from the time series. The fluid knows nothing of the queue
# that cells form among themselves: where c sources fill the line, a Brownian bridge with a mean of sqrt(pi c / 8) cells
# (truth 4 with N = D = c), and the one in service. So the truth lies between the fluid's tail at the queue and at that
# much below it.


@pytest.mark.parametrize(
    ("multiplexer", "seconds", "within"),
    [
        (Multiplexer(sources=10, mean_on=1.0, mean_off=2.5, peak=100.0, capacity=450.0), 2000, {50: 0.1, 100: 0.13}),
        pytest.param(
            Multiplexer(sources=50, mean_on=0.5, mean_off=0.5, peak=64e3 / 424, capacity=1.95e6 / 424),
            2500,
            {30: 0.1, 50: 0.1, 100: 0.2},
            marks=pytest.mark.long,
        ),
    ],
    ids=["ten", "fifty-voices"],
)
def test_fluid_queue(multiplexer: Multiplexer, seconds: int, within: Mapping[int, float]) -> None:
    text = f"""
duration = "{seconds} s"
warm_up = "20 s"
measure.sample = "500 ms"
[line.server]
between = ["a", "b"]
rate = "{multiplexer.capacity * 424:.0f} b/s"
[flow.source]
count = {multiplexer.sources}
path = ["a", "b"]
[flow.source.traffic.on_off]
peak_rate = "{multiplexer.peak * 424:.0f} b/s"
on = "{multiplexer.mean_on} s"
off = "{multiplexer.mean_off} s"
"""
    series = simulate(text, replications=40).series.filter(component="server", quantity="queue_0")
    among_cells = 1 + math.sqrt(math.pi * multiplexer.capacity / multiplexer.peak / 8)
    for queue, width in within.items():
        shares = series.group_by("replication").agg((pl.col("value") > queue).mean())
        lowest, highest = (fluid.queue_tail(multiplexer, at) for at in (queue, queue - among_cells))
        reaches(shares["value"], lowest, highest, within=width)


# 14 Fixed window


@pytest.mark.parametrize("size", [100, 400])
def test_fixed_window(size: int) -> None:
    delay_s = (0.55 - 1500 * 8 / 6e6 - 40 * 8 / 6e6) / 2  # the empty round trip of 0.55 s, both PDUs' lines included
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
    result = simulate(text)
    steady = window.fixed(size, 500, 0.55)
    assert result.groups["throughput_bps"].item() / 12_000 == pytest.approx(steady.throughput, rel=2e-4)
    if steady.queue > 0:
        queue = result.ports.filter(port="line")["queue_mean"].item()
        assert queue == pytest.approx(steady.queue + 1, abs=0.05)  # the one in service is part of C tau
        delay = result.groups["delay_mean_s"].item()
        assert delay + delay_s + 40 * 8 / 6e6 == pytest.approx(steady.round_trip, rel=1e-4)


# 17 Satellite: deterministic, so exact


def readings(result: penstock.Result, component: str, quantity: str) -> list[float]:
    return result.series.filter(component=component, quantity=quantity).sort("time_s")["value"].to_list()


@pytest.mark.parametrize("step", [0.5, 0.905, 0.95, 1.0])
def test_filter_step_response(step: float) -> None:
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
    filtered = readings(simulate(text), "satellite", "filtered.total")
    expected = [satellite.filtered_after(intervals, step) for intervals in range(1, 10)]
    first = next(n for n, value in enumerate(filtered) if value > 0)
    assert filtered[first : first + 9] == pytest.approx(expected, rel=2e-4)


def test_slow_start_and_increase() -> None:
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
    series = simulate(text).series.filter(quantity="factor").sort("time_s")
    odd = [(time, value) for time, value in series.select("time_s", "value").iter_rows() if round(time / 0.28) % 2 == 1]
    assert len(odd) >= 18
    for time, value in odd:
        assert value == pytest.approx(satellite.factor_after(int(time / 0.56)), abs=1e-9)


def test_file_time() -> None:
    text = """
duration = "200 s"
mismatches = "warn"
[line.satellite]
between = ["router", "station"]
rate = "6 Mb/s"
delay = "280 ms"
[flow.data]
path = ["router", "station"]
traffic.file_transfer = { active_at_start = 1.0 }
reaction_point.rate_factor = {}
"""
    groups = simulate(text).groups
    assert groups["transfers"].item() >= 3
    whole_cells = math.ceil(8e6 / 424) * 424
    # From its first cell, which comes within one gap of its start, to its last.
    assert groups["transfer_mean_s"].item() == pytest.approx(satellite.file_time(whole_cells, 500e3, 0.56), abs=2e-3)
