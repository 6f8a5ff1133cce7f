"""The exact results against every number that the specification of truths prints for them, to the digits printed."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import pytest

from penstock.truth import bucket, fairness, fluid, md1, mm1, periodic, priority, satellite, window
from penstock.truth.fluid import Multiplexer
from penstock.truth.priority import Class

CELL = 424.0


def printed(text: str) -> object:
    """Equal to a value that rounds to `text`: within half (and a little) of its last digit."""
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return pytest.approx(float(number), rel=0, abs=0.501 * 10.0**exponent)


# 1 M/M/1 and M/M/1/K


@pytest.mark.parametrize(
    ("load", "number", "sojourn", "wait", "tail_5", "tail_10"),
    [
        (0.5, 1, 2, 1, "0.0410425", "0.00336897"),
        (0.8, 4, 5, 4, "0.2943036", "0.1082682"),
        (0.95, 19, 20, 19, "0.7398607", "0.5762041"),
    ],
)
def test_mm1(load: float, number: float, sojourn: float, wait: float, tail_5: str, tail_10: str) -> None:
    assert mm1.number_mean(load) == pytest.approx(number)
    assert mm1.sojourn_mean(load) == pytest.approx(sojourn)
    assert mm1.wait_mean(load) == pytest.approx(wait)
    assert mm1.wait_tail(load, 5) == printed(tail_5)
    assert mm1.wait_tail(load, 10) == printed(tail_10)
    assert mm1.sojourn_tail(load, 5) == pytest.approx(math.exp(-5 / sojourn))


@pytest.mark.parametrize(
    ("load", "places", "loss"),
    [(0.8, 10, "0.02349286"), (0.95, 20, "0.02718115"), (1, 10, "0.09090909"), (1.2, 10, "0.19258650")],
)
def test_mm1k(load: float, places: int, loss: str) -> None:
    assert mm1.loss(load, places) == printed(loss)


# 2 and 3 M/D/1 and M/D/1/K


@pytest.mark.parametrize(
    ("load", "mean", "variance", "tails", "eta", "constant"),
    [
        (
            0.5,
            "0.5",
            "0.583333",
            ("0.357987", "0.175639", "0.0286406", "0.00123573", "2.30988e-6", "8.0719e-12"),
            "1.256431",
            "0.660999",
        ),
        (
            0.8,
            "2",
            "5.333333",
            ("0.701635", "0.554892", "0.2951476", "0.1004972", "0.01165711", "1.56844e-4"),
            "0.430842",
            "0.866393",
        ),
        (
            0.95,
            "9.5",
            "96.58333",
            ("0.919599", "0.870715", "0.7496265", "0.5812776", "0.3495359", "0.1263888"),
            "0.101724",
            "0.966663",
        ),
    ],
)
def test_md1(load: float, mean: str, variance: str, tails: Sequence[str], eta: str, constant: str) -> None:
    assert md1.wait_mean(load) == printed(mean)
    assert md1.wait_variance(load) == printed(variance)
    for time, tail in zip((0.5, 1, 2.5, 5, 10, 20), tails, strict=True):
        assert md1.wait_tail(load, time) == printed(tail)
    assert md1.decay(load) == (printed(eta), printed(constant))


def test_md1_number() -> None:
    states = ("0.2", "0.2451082", "0.1894118", "0.1275796", "0.0832756", "0.0541276")
    for value, state in zip(md1.number(0.8, 5), states, strict=True):
        assert value == printed(state)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_md1_tail_is_a_distribution(load: float) -> None:
    assert md1.wait_tail(load, -1) == 1
    assert md1.wait_tail(load, 0) == pytest.approx(load, rel=1e-13)
    assert md1.wait_tail(load, 2 - 1e-12) == pytest.approx(md1.wait_tail(load, 2), rel=1e-10)
    end = math.ceil(20 / md1.decay(load)[0])
    mean = sum(md1.wait_tail(load, (step + 0.5) / 10) / 10 for step in range(end * 10))
    assert mean == pytest.approx(md1.wait_mean(load), rel=2e-3)


def test_md1_tail_meets_the_alternating_sum() -> None:
    """P(Wq <= t) = (1-r) sum over k <= t of [r (k-t)]^k / k! e^(r (t-k)), with decimals enough for its signs."""
    load, time = Decimal("0.8"), Decimal("10.25")
    with localcontext(prec=60):
        terms = [(load * (k - time)) ** k / math.factorial(k) * (load * (time - k)).exp() for k in range(11)]
        tail = 1 - (1 - load) * sum(terms)
    assert md1.wait_tail(0.8, 10.25) == pytest.approx(float(tail), rel=1e-12)


@pytest.mark.parametrize(
    ("load", "places", "loss"),
    [
        (0.8, 5, "0.03529040"),
        (0.8, 10, "0.003639231"),
        (0.9, 20, "0.001853176"),
        (0.95, 32, "0.002148284"),
        (1, 10, "0.05084746"),
        (1.1, 10, "0.1068301"),
    ],
)
def test_md1k(load: float, places: int, loss: str) -> None:
    assert md1.loss(load, places) == printed(loss)


def test_one_place_is_erlang_with_one_server() -> None:
    assert md1.loss(0.8, 1) == pytest.approx(0.8 / 1.8)
    assert mm1.loss(0.8, 1) == pytest.approx(0.8 / 1.8)


# 4 nD/D/1


@pytest.mark.parametrize(
    ("sources", "period", "tails"),
    [
        (10, 12, {0: "0.833333", 1: "0.486194", 2: "0.192231", 5: "9.59742e-4"}),
        (
            50,
            60,
            {
                0: "0.833333",
                1: "0.587910",
                2: "0.371219",
                5: "0.0585818",
                10: "6.12562e-4",  # the page prints ..61e-4; the fraction below decides
                15: "9.1095e-7",
                20: "1.6141e-10",
            },
        ),
        (
            100,
            110,
            {
                0: "0.909091",
                1: "0.755038",
                2: "0.591372",  # the page cuts 0.59137198
                5: "0.223002",
                10: "0.0205242",
                15: "7.21807e-4",
                20: "9.4977e-6",
            },
        ),
    ],
)
def test_periodic_sources(sources: int, period: int, tails: dict[int, str]) -> None:
    for work, tail in tails.items():
        assert periodic.work_tail(sources, period, work) == printed(tail)
        exact = sum(
            math.comb(sources, n)
            * Fraction(n - work, period) ** n
            * (1 - Fraction(n - work, period)) ** (sources - n)
            * Fraction(period - sources + work, period - n + work)
            for n in range(work + 1, sources + 1)
        )
        assert periodic.work_tail(sources, period, work) == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize(
    ("sources", "period", "tails"),
    [
        (3, 4, ("3/4", "7/32", "1/64")),
        (4, 6, ("2/3", "89/432", "2/81", "1/1296")),
        (5, 6, ("5/6", "1487/3888", "211/2592", "13/1944", "1/7776")),
    ],
)
def test_periodic_sources_as_fractions(sources: int, period: float, tails: Sequence[str]) -> None:
    for work, tail in enumerate(tails):
        assert periodic.work_tail(sources, period, work) == pytest.approx(float(Fraction(tail)), rel=1e-12)
    assert periodic.work_tail(sources, period, sources) == 0


def test_periodic_sources_in_heavy_traffic() -> None:
    exact = periodic.work_tail(1000, 1005, 30)
    assert periodic.work_tail_heavy(1000, 1005, 30) == pytest.approx(exact, rel=0.1)


# 6 Priorities


@pytest.mark.parametrize(
    ("classes", "waits"),
    [
        ((Class.constant(0.3), Class.constant(0.5)), ("0.5714286", "2.8571429")),
        ((Class.constant(0.6), Class.constant(0.3)), ("1.125", "11.25")),
        ((Class.constant(0.45), Class.constant(0.5)), ("0.8636364", "17.2727273")),
        ((Class.constant(0.3), Class.constant(0.5, service=10)), ("3.7857143", "18.9285714")),
        ((Class.exponential(0.3), Class.exponential(0.5)), ("1.1428571", "5.7142857")),
    ],
)
def test_cobham(classes: Sequence[Class], waits: Sequence[str]) -> None:
    assert priority.wait_means(classes) == [printed(wait) for wait in waits]


def test_one_class_is_first_come_first_served() -> None:
    assert priority.wait_means([Class.constant(0.8)]) == [pytest.approx(md1.wait_mean(0.8))]
    assert priority.wait_means([Class.exponential(0.8)]) == [pytest.approx(mm1.wait_mean(0.8))]


def test_preemptive_resume() -> None:
    sojourns = priority.sojourn_means_preemptive([Class.constant(0.3), Class.constant(0.5)])
    assert sojourns == [printed("1.2142857"), printed("4.2857143")]


# 8 GCRA


@pytest.mark.parametrize(("limit", "burst"), [(0.5, 1), (1.5, 1), (3.5, 2), (7, 3), (14, 5)])
def test_longest_burst(limit: float, burst: int) -> None:
    assert bucket.longest_burst(4.5, limit) == burst
    verdicts = bucket.conforming(4.5, limit, range(20))
    assert verdicts[: burst + 1] == [True] * burst + [False]


@pytest.mark.parametrize(
    ("limit", "slots"),
    [
        (3.5, (0, 1, 6, 10, 15, 19, 24, 28, 33, 37)),
        (7, (0, 1, 2, 7, 11, 16, 20, 25, 29, 34)),
        (1.5, (0, 3, 8, 12, 17, 21, 26)),
        (0.5, (0, 4, 9, 13, 18, 22)),
    ],
)
def test_greedy_slots(limit: float, slots: Sequence[int]) -> None:
    assert bucket.greedy_slots(4.5, limit, len(slots)) == list(slots)
    assert all(bucket.conforming(4.5, limit, slots))


@pytest.mark.parametrize(
    ("increment", "limit", "arrivals", "verdicts"),
    [
        (10, 3, (0, 8, 20, 26, 40, 41, 60, 62), "11101010"),
        (10, 9, (0, 7, 14, 21, 28, 35, 42), "1111011"),
        (5, 4, (0, 1, 2, 3, 4, 5, 10), "1100001"),
        (4, 6, range(6), "111000"),
    ],
)
def test_conformance(increment: float, limit: float, arrivals: Sequence[float], verdicts: str) -> None:
    assert "".join(str(int(verdict)) for verdict in bucket.conforming(increment, limit, arrivals)) == verdicts


@pytest.mark.parametrize(("increment", "limit"), [(4.5, 7.0), (10.0, 9.0), (3.0, 0.0)])
def test_no_window_holds_more_than_its_bound(increment: float, limit: float) -> None:
    slots = bucket.greedy_slots(increment, limit, 60)
    for first, start in enumerate(slots):
        for count, end in enumerate(slots[first:], start=1):
            assert count <= bucket.most_in_window(increment, limit, end - start)


def test_burst_tolerance_and_depth() -> None:
    assert bucket.burst_tolerance(100, 1000, 4000) == printed("0.07425")
    assert bucket.burst_depth(64e3, 36e3, 0.5) == printed("33.0189")
    assert bucket.burst_depth(512e3, 391e3, 0.5) == printed("142.689")


# 9 Token bucket


@pytest.mark.parametrize(
    ("share", "source"),
    [
        ("20.6385", {"high": 64e3, "drain": 36e3, "depth": 28e3 * 0.5, "mean_high": 0.5, "mean_low": 0.5}),
        ("0.169018", {"high": 1.0, "drain": 0.5, "depth": 5.0, "mean_high": 1.0, "mean_low": 2.0}),
        ("12.5", {"high": 2.0, "drain": 1.0, "depth": 3.0, "mean_high": 1.0, "mean_low": 1.0}),
    ],
)
def test_marked_share(share: str, source: dict[str, float]) -> None:
    assert 100 * bucket.marked_share(**source) == printed(share)


def test_marked_share_of_video() -> None:
    share = bucket.marked_share(high=512e3, low=192e3, drain=391e3, depth=121e3 * 0.5, mean_high=0.5, mean_low=0.5)
    assert 100 * share == printed("7.7271")


def test_a_bucket_without_depth_marks_all_above_its_drain() -> None:
    share = bucket.marked_share(high=3.0, low=1.0, drain=2.0, depth=0.0, mean_high=1.0, mean_low=3.0)
    assert share == pytest.approx((3 - 2) * 0.25 / 1.5)


# 10 Anick, Mitra and Sondhi

SMALL = Multiplexer(sources=10, mean_on=1.0, mean_off=2.5, peak=1.0, capacity=4.5)
VOICE = Multiplexer(sources=50, mean_on=0.5, mean_off=0.5, peak=64e3 / CELL, capacity=1.95e6 / CELL)
MANY_VOICE = Multiplexer(sources=160, mean_on=0.5, mean_off=0.5, peak=64e3 / CELL, capacity=5.97e6 / CELL)
VIDEO = Multiplexer(
    sources=14, mean_on=0.5, mean_off=0.5, peak=(512e3 - 192e3) / CELL, capacity=(6e6 - 14 * 192e3) / CELL
)


@pytest.mark.parametrize(
    ("multiplexer", "load", "decay", "bufferless", "tails"),
    [
        (
            SMALL,
            "0.634921",
            "-0.929293",
            "0.0385701",
            {0: "0.2297827", 0.5: "0.0852108", 1: "0.0465472", 2: "0.0162289", 5: "9.09389e-4", 10: "8.59000e-6"},
        ),
        (
            VOICE,
            "0.820513",
            "-0.0121764",
            "0.00373674",
            {0: "0.1067657", 50: "0.0253382", 100: "0.0111392", 256: "0.00128932", 512: "5.10957e-5"},
        ),
        (
            MANY_VOICE,
            "0.857621",
            "-0.00904821",
            "5.0635e-4",
            {0: "0.0305355", 100: "0.0031999", 256: "4.76672e-4", 512: "3.36145e-5"},
        ),
        (
            VIDEO,
            "0.676329",
            "-0.00657984",
            "0.0037275",
            {0: "0.0556836", 100: "0.0138308", 256: "0.00378472", 512: "6.10046e-4"},
        ),
    ],
)
def test_fluid(multiplexer: Multiplexer, load: str, decay: str, bufferless: str, tails: dict[float, str]) -> None:
    assert multiplexer.load == printed(load)
    assert fluid.decay_rate(multiplexer) == printed(decay)
    assert multiplexer.loss_bufferless() == printed(bufferless)
    for queue, tail in tails.items():
        assert fluid.queue_tail(multiplexer, queue) == printed(tail)  # 0.0556836: the page ends in 7


@pytest.mark.parametrize("multiplexer", [SMALL, VOICE, MANY_VOICE, VIDEO])
@pytest.mark.parametrize("queue", [0.0, 1.0, 10.0, 512.0])
def test_fluid_forms_agree(multiplexer: Multiplexer, queue: float) -> None:
    closed = fluid.queue_tail(multiplexer, queue)
    assert fluid.queue_tail_generic(multiplexer, queue) == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize(
    ("multiplexer", "size", "share"),
    [
        (SMALL, 1, "0.00892972"),
        (SMALL, 2, "0.00317090"),
        (VOICE, 100, "5.35716e-4"),
        (VOICE, 256, "6.50002e-5"),
    ],
)
def test_fluid_loss(multiplexer: Multiplexer, size: float, share: str) -> None:
    assert fluid.loss(multiplexer, size) == printed(share)


def test_fluid_loss_without_queue() -> None:
    assert fluid.loss(SMALL, 0) == pytest.approx(SMALL.loss_bufferless(), rel=1e-12)
    overloaded = Multiplexer(sources=10, mean_on=1.0, mean_off=2.5, peak=1.0, capacity=2.5)
    assert fluid.loss(overloaded, 500.0) == pytest.approx(1 - 1 / overloaded.load, rel=1e-6)


# 13 Max-min and Jain


def test_parking_lot() -> None:
    capacities = {"L1": 150.0, "L2": 150.0, "L3": 150.0}
    routes = {"long": ("L1", "L2", "L3"), "a": ("L1",), "b": ("L2",), "c": ("L3",), "d": ("L3",)}
    expected = {"long": 50.0, "a": 100.0, "b": 100.0, "c": 50.0, "d": 50.0}
    assert fairness.max_min(capacities, routes) == pytest.approx(expected)


def test_upstream() -> None:
    routes = {"x": ("L1",), "y": ("L1",), "z": ("L1", "L2"), "u": ("L2",)}
    expected = {"x": 37.5, "y": 37.5, "z": 25.0, "u": 25.0}
    assert fairness.max_min({"L1": 100.0, "L2": 50.0}, routes) == pytest.approx(expected)


def test_first_generic_fairness_configuration() -> None:
    groups = {
        "A": (3, "1-2 2-3 3-4"),
        "B": (3, "2-3 3-4 4-5"),
        "C": (3, "3-4"),
        "D": (6, "1-2"),
        "E": (6, "4-5"),
        "F": (2, "2-3"),
    }
    routes = {f"{group}{n}": links.split() for group, (size, links) in groups.items() for n in range(size)}
    rates = fairness.max_min({"1-2": 50.0, "2-3": 150.0, "3-4": 150.0, "4-5": 100.0}, routes)
    expected = {"A": 50 / 9, "B": 100 / 9, "C": 100 / 3, "D": 50 / 9, "E": 100 / 9, "F": 50.0}
    assert rates == pytest.approx({flow: expected[flow[0]] for flow in routes})


def test_weights_and_demands() -> None:
    rates = fairness.max_min(
        {"L": 150.0},
        dict.fromkeys("abc", ("L",)),
        weights={"a": 1.0, "b": 2.0, "c": 4.0},
        demands={"c": 40.0},
    )
    assert [rates[flow] for flow in "abc"] == [printed("36.667"), printed("73.333"), printed("40")]


# 14 Fixed window


def test_fixed_window() -> None:
    steady = window.fixed(400, 500, 0.55)
    assert (steady.throughput, steady.round_trip, steady.queue) == (500, printed("0.8"), printed("125"))
    open_pipe = window.fixed(100, 500, 0.55)
    assert open_pipe.queue == 0
    assert open_pipe.throughput == pytest.approx(100 / 0.55)
    assert open_pipe.round_trip == pytest.approx(0.55)


# 17 Satellite


@pytest.mark.parametrize(
    ("step", "intervals"), [(0.905, 4), (0.91, 3), (0.95, 2), (1.0, 2), (1.13, 1), (0.9, None), (0.5, None)]
)
def test_filter(step: float, intervals: int | None) -> None:
    assert satellite.intervals_until(0.9, step) == intervals


def test_filter_step_response() -> None:
    for intervals, value in enumerate((".8", ".96", ".992", ".9984"), start=1):
        assert satellite.filtered_after(intervals, 1.0) == printed(value)


def test_slow_start_and_recovery() -> None:
    assert satellite.slow_start_round_trips() == 5
    assert satellite.recovery_round_trips(0.8) == 10
    factors = [satellite.factor_after(round_trips) for round_trips in range(8)]
    assert factors == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.02, 1.04])


def test_file_time() -> None:
    assert satellite.file_time(8e6, 500e3, 0.56) == printed("14.5086")
    assert 8e6 / 500e3 == 16


def test_queueing_time() -> None:
    assert 1e3 * satellite.queueing_time(512, 6e6) == printed("36.18")
    assert 1e3 * satellite.queueing_time(283.02, 6e6) == pytest.approx(20, abs=1e-3)


# All tails


@pytest.mark.parametrize(
    "tail",
    [
        lambda x: mm1.wait_tail(0.8, x),
        lambda x: md1.wait_tail(0.8, x),
        lambda x: periodic.work_tail(50, 60, x),
        lambda x: fluid.queue_tail(VOICE, x),
    ],
)
def test_tails_fall(tail: Callable[[float], float]) -> None:
    values = [tail(step / 4) for step in range(80)]
    assert all(0 <= after < before <= 1 for before, after in pairwise(values))
