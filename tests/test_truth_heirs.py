"""QCN, DCQCN, RCP, HPCC and credits of receivers against independently computed numbers, to the digits printed."""

from __future__ import annotations

import pytest
from test_truth import printed

from penstock.truth import dcqcn, hpcc, pull, qcn, rcp


@pytest.mark.parametrize(
    ("length", "before", "severity", "factor"),
    [
        (30_000, 28_000, 4, 0.96875),
        (40_000, 30_000, 16, 0.875),
        (60_000, 40_000, 36, 0.71875),
        (200_000, 100_000, 63, 0.5078125),
        (20_000, 10_000, 7, 0.9453125),
        (0, 0, 0, 1.0),
    ],
)
def test_a_sample_of_qcn(length: int, before: int, severity: int, factor: float) -> None:
    assert qcn.severity(length, before, 26_000) == severity
    assert qcn.factor(severity) == factor


def test_fast_recovery_halves_the_distance() -> None:
    assert qcn.fast_recovery(5) == [0.5, 0.75, 0.875, 0.9375, 0.96875, 0.984375]


@pytest.mark.parametrize(
    ("sources", "marks", "queue", "alpha", "target", "short"),
    [
        (2, "7.770e-4", "20.15", "0.1014", "1.0109", "9.25e-4"),
        (8, "4.552e-3", "93.77", "0.1452", "1.0230", "5.83e-3"),
    ],
)
def test_the_fixed_point_of_dcqcn(sources: int, marks: str, queue: str, alpha: str, target: str, short: str) -> None:
    point = dcqcn.fixed_point(sources, 40e9 / 8000, dcqcn.Source())
    assert point.marks == printed(marks)
    assert point.queue(5, 200, 0.01) == printed(queue)
    assert point.alpha == printed(alpha)
    assert point.target == printed(target)
    assert dcqcn.marks_in_short(sources, 40e9 / 8000, dcqcn.Source()) == printed(short)


def test_steps_of_rcp() -> None:
    steps = [
        rcp.step(10, 100, arriving, queue, round_trip=0.1, period=0.01)
        for arriving, queue in ((80, 0), (120, 0), (100, 1))
    ]
    assert steps == pytest.approx([10.08, 9.92, 9.9774], rel=1e-12)


def test_obedient_flows_come_to_their_share() -> None:
    after = rcp.obedient(5, 100, 10)
    assert [after(1), after(10), after(20)] == [printed("5.1"), printed("5.98873"), printed("6.90636")]
    assert after(20_000) == pytest.approx(10, rel=1e-9)


def test_the_load_of_a_port_counts_the_shorter_queue() -> None:
    assert hpcc.load(40_000, 500e-6, (10_000, 30_000), 100e6, 1e-3) == pytest.approx(0.9, rel=1e-12)


@pytest.mark.parametrize(("sources", "load"), [(1, "0.9505"), (2, "0.951"), (4, "0.952"), (16, "0.958")])
def test_sources_of_hpcc_rest_where_the_window_stays(sources: int, load: str) -> None:
    found = hpcc.fixed_point(sources, 0.0005)
    assert found == printed(load)
    window = found / sources
    assert window * hpcc.ETA / found + 0.0005 == pytest.approx(window, rel=1e-12)


def test_an_incast_of_credits_takes_what_the_line_carries_and_two_round_trips_at_most() -> None:
    """Ten messages of 1.2 Mb and 10 Gb/s are 1.2 ms; three segments of 12 kb of each may be granted in vain: 36 us."""
    bounds = pull.incast(10, 1.2e6, 12e3, 10e9, 30e-6)
    assert bounds == pytest.approx([1.215e-3, 1.296e-3], rel=1e-12)
