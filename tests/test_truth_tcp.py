"""TCP's long run and M/G/1 against independently computed numbers, to the digits printed."""

from __future__ import annotations

import math

import pytest
from test_truth import printed

from penstock.statistics import jain
from penstock.truth import mg1, tcp


@pytest.mark.parametrize(
    ("loss", "each", "every_second"),
    [
        (1e-4, "1223.64", "865.25"),
        (1e-3, "383.844", "271.42"),
        (1e-2, "112.332", "79.43"),
        (0.05, "36.859", "26.06"),
        (0.1, "17.701", "12.52"),
        (0.2, "5.366", "4.27"),
    ],
)
def test_pftk(loss: float, each: str, every_second: str) -> None:
    assert tcp.pftk_rate(loss, 0.1, 0.4) == printed(each)
    assert tcp.pftk_rate(loss, 0.1, 0.4, packets_per_ack=2) == printed(every_second)


def test_the_square_root_law() -> None:
    assert [tcp.reno_window(loss) for loss in (1e-2, 1e-3, 1e-4)] == [
        printed("12.25"),
        printed("38.73"),
        printed("122.47"),
    ]
    # PFTK is the same law where timeouts do not count.
    assert tcp.pftk_rate(1e-9, 0.1, 0.4) * 0.1 == pytest.approx(tcp.reno_window(1e-9), rel=1e-4)


@pytest.mark.parametrize(
    ("low", "packets", "constant"), [(5, 45, "1.1180"), (10, 165, "1.1677"), (20, 630, "1.1952"), (50, 3825, "1.2127")]
)
def test_a_sawtooth_of_whole_packets(low: int, packets: int, constant: str) -> None:
    cycle = tcp.sawtooth(low)
    assert cycle.mean == 1.5 * low
    assert cycle.packets == packets == sum(range(low, 2 * low + 1))
    assert cycle.mean / math.sqrt(cycle.packets) == printed(constant)


@pytest.mark.parametrize(
    ("keep", "buffer", "utilisation"),
    [
        (0.5, 0, "0.75"),
        (0.5, 0.25, "0.892857"),
        (0.5, 0.5, "0.964286"),
        (0.5, 1, "1.000000"),
        (0.7, 0, "0.85"),
        (0.7, 0.25, "0.980769"),
        (0.7, 3 / 7, "1.000000"),
        (0.7, 2, "1.000000"),
    ],
)
def test_one_flow_and_a_buffer(keep: float, buffer: float, utilisation: str) -> None:
    assert tcp.utilisation(buffer, keep=keep) == printed(utilisation)


def test_early_marks_and_losses_over_dual_pi2() -> None:
    ratios = [tcp.dual_pi2_ratio(1e-3 * round_trip) for round_trip in (5, 10, 20, 50, 100)]
    assert ratios == list(map(printed, ["2.97", "1.94", "1.39", "1.05", ".93"]))
    assert tcp.dual_pi2_ratio(0.02, coupling=4) == pytest.approx(tcp.dual_pi2_ratio(0.02) / 2)


def test_cubic_returns_after_k() -> None:
    times = [tcp.cubic_time(window) for window in (10, 100, 1000, 83_333)]
    assert times == [printed("1.9574"), printed("4.2172"), printed("9.0856"), printed("39.685")]
    told = ["70.0000", "79.4555", "86.6808", "95.6403", "99.9959", "100.192", "121.653"]
    assert [tcp.cubic_curve(time, 100) for time in (0, 0.5, 1, 2, 4, 5, 8)] == list(map(printed, told))


def test_the_mean_of_a_cubic_tooth() -> None:
    # By integration of the curve over one K, (3 + beta) / 4 of the window at the loss; the response function has it.
    end, steps = tcp.cubic_time(100), 10_000
    mean = math.fsum(tcp.cubic_curve(end * (step + 0.5) / steps, 100) for step in range(steps)) / steps
    assert mean == pytest.approx(92.5, rel=1e-6)
    loss = 0.1 / (mean * end)
    assert tcp.cubic_window(loss, 0.1) == pytest.approx(mean, rel=1e-6)


def test_cubic_against_loss() -> None:
    assert tcp.cubic_factor() == printed("1.05383")
    told = ["187.4", "1053.8", "5926", "33325", "187400"]
    found = [tcp.cubic_window(10.0**-power, 0.1) for power in range(4, 9)]
    assert found == [pytest.approx(float(text), rel=5e-5) for text in told]
    assert [tcp.cubic_window(10.0**-power, 0.01) for power in (4, 5, 6)] == [
        pytest.approx(tcp.reno_window(10.0**-power)) for power in (4, 5, 6)
    ]
    assert tcp.cubic_window(1e-7, 0.01) == pytest.approx(5926, rel=5e-5)
    assert tcp.cubic_window(1e-3, 0.1, c=4) == printed("59.3")


@pytest.mark.parametrize(("round_trip", "loss", "window"), [(0.1, "0.00054815", "52.3"), (0.01, "5.4815e-7", "1654")])
def test_where_cubic_leaves_reno(round_trip: float, loss: str, window: str) -> None:
    crossover = tcp.cubic_crossover(round_trip)
    assert crossover == printed(loss)
    assert tcp.cubic_window(crossover, round_trip) == printed(window)
    assert tcp.cubic_window(crossover, round_trip) == pytest.approx(tcp.reno_window(crossover))


def test_the_loss_for_ten_gigabits() -> None:
    window = 10e9 * 0.1 / (1500 * 8)
    assert tcp.cubic_loss(window, 0.1) == printed("2.946e-8")
    assert 1.5 / window**2 == printed("2.16e-10")
    assert tcp.cubic_window(tcp.cubic_loss(window, 0.1), 0.1) == pytest.approx(window)


@pytest.mark.parametrize(
    ("rate", "threshold", "alpha", "swing", "low", "high"),
    [(10e9, 40, "0.18213", "11.4", "30.6", 42), (1e9, 20, "0.37512", "5.7", "16.3", 22)],
)
def test_dctcp_in_step(rate: float, threshold: int, alpha: str, swing: str, low: str, high: int) -> None:
    found = tcp.dctcp(2, rate * 100e-6 / 12_000, threshold)
    assert found.alpha == printed(alpha)
    assert found.swing == printed(swing)
    assert found.low == printed(low)
    assert found.high == high


def test_the_least_threshold_of_dctcp() -> None:
    product = 250
    least = product / 7
    worst = (product + least) / 8
    assert worst == printed("35.7")
    assert tcp.dctcp_lowest_queue(worst, product, least) == pytest.approx(0, abs=1e-9)
    others = [tcp.dctcp_lowest_queue(flows, product, least) for flows in range(1, 300)]
    assert min(others) > 0
    assert tcp.dctcp_lowest_queue(1, product, 10.4) == pytest.approx(0, abs=0.05)


def test_flows_over_red_settle_where_three_laws_meet() -> None:
    """Row A5, and its equations."""
    few = tcp.red(20, 1250 * 0.1, low=50, high=150, most=0.1)
    assert [few.queue, few.loss, few.window] == list(map(printed, ("66.38", "0.01638", "9.569")))
    assert 0.1 + few.queue / 1250 == printed("0.1531")
    assert 20 * few.window == pytest.approx(125 + few.queue)
    many = tcp.red(60, 3750 * 0.2, low=150, high=350, most=0.1)
    assert [many.queue, many.loss] == list(map(printed, ("162.96", "0.006479")))
    with pytest.raises(ValueError, match="above the upper threshold"):
        tcp.red(300, 125, low=50, high=150, most=0.1)


def test_a_long_flow_over_a_parking_lot() -> None:
    for links, shares in ((2, ("0.5", "0.33333", "0.41421", "0.26120")), (3, ("0.5", "0.25000", "0.36603", "0.16139"))):
        found = [
            *(tcp.parking_lot(links, alpha=alpha) for alpha in (math.inf, 1, 2)),
            tcp.parking_lot(links, round_trips=links),
        ]
        assert found == list(map(printed, shares))


def test_web_search_over_an_ideal_fair_queue() -> None:
    rate, mean, square = 10e9 / 8, 1_711_250, 5.372
    told = ["16", "1600", "2738"]
    found = [mg1.sharing_time(octets / rate, 0.5) * 1e6 for octets in (10_000, 1_000_000, mean)]
    assert found == list(map(printed, told))
    assert mg1.wait_mean(0.5, square) * mean / rate * 1e6 == pytest.approx(4361.8, abs=0.5)
    assert mg1.wait_mean(0.5, 0) == 0.5  # M/D/1


def test_jain() -> None:
    assert jain([3, 1]) == printed("0.8")
    assert jain([1, 2, 3, 4]) == printed("0.833333")
    assert jain([*[1] * 9, 10]) == printed("0.331193")


def test_copa_aims_at_a_queue_of_one_over_delta() -> None:
    """120 ms over 100 ms, and delta 0.5: 12 packets, of which 1 / delta = 2 are in the queue."""
    window = tcp.copa_window(0.12, 0.1)
    assert window == pytest.approx(12)
    assert window * (0.12 - 0.1) / 0.12 == pytest.approx(2)


def test_bbr_finds_where_losses_passed_the_threshold() -> None:
    """Row B1: 100 in flight, 3 of them lost, this one among them."""
    assert tcp.bbr_volume_at_loss(100, 3, 1) == printed("98.9796")


def test_swift_gives_small_windows_a_longer_target() -> None:
    """Row S1: a range of 100 us, and a target of 25 us."""
    terms = {0.1: "100", 0.25: "62.045", 1: "29.390", 4: "13.062", 10: "7.061", 100: "0", 0.01: "100", 500: "0"}
    assert {window: tcp.swift_flow_term(window, flow_range=100) for window in terms} == {
        window: printed(term) for window, term in terms.items()
    }
    assert [tcp.swift_factor(delay, 25) for delay in (30, 50, 100)] == list(map(printed, (".86667", ".6", ".5")))
