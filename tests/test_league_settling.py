"""Whether cells of a league have settled: the halves of their measured time by hand."""

from __future__ import annotations

import numpy as np
import pytest
from test_league import LEAGUE, parsed

from penstock.league.league import League
from penstock.league.readings import Readings
from penstock.league.settling import DRIFTING, OPEN, SETTLED, halves, judged, settling_of, verdict_on
from penstock.statistics import Estimate


def readings_of(queues: list[list[float]], used: float = 0.9) -> Readings:
    """Readings of one scheme at 1 to 5 s, with one list of queues for each replication."""
    values = np.array([[queues], [[[used] * 5] * len(queues)]])
    return Readings("trunk", ["none"], list(range(len(queues))), [1.0, 2.0, 3.0, 4.0, 5.0], values)


def test_the_halves_are_those_of_the_measured_time() -> None:
    """From 1 to 5 s: readings at 2 and 3 s tell of the first half, those at 4 and 5 s of the second."""
    readings = readings_of([[99, 10, 20, 30, 50], [99, 0, 2, 4, 8]])
    assert halves(readings, "queue", "none", 1.0, 5.0) == [(15, 40), (1, 6)]
    assert halves(readings, "queue", "none", 1.0, 5.0, most=1) == [(15, 40)]
    assert halves(readings, "queue", "none", 4.5, 5.0) == []  # no reading in the first half


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((-0.05, 0.04), SETTLED),  # all of the interval is near 0
        ((0.01, 0.02), SETTLED),  # a difference that is sure, and small
        ((-0.2, 0.2), OPEN),
        ((-0.01, 0.2), OPEN),
        ((0.04, 0.2), OPEN),
        ((0.06, 0.2), DRIFTING),
        ((-0.2, -0.06), DRIFTING),
        ((None, None), OPEN),  # one run
    ],
)
def test_a_wide_interval_is_no_proof_that_nothing_changes(ends: tuple[float, float], verdict: str) -> None:
    assert verdict_on(Estimate(0.0, *ends, 5), 0.05) == verdict


@pytest.mark.parametrize(
    ("queues", "verdict"),
    [
        ([(100, 110), (100, 112), (100, 108)], SETTLED),  # within a fifth of their mean
        ([(100, 200), (100, 202), (100, 198)], DRIFTING),
        ([(1, 2), (1, 2.2), (1, 1.8)], SETTLED),  # twice as long, but short
        ([(100, 200), (200, 100), (100, 100)], OPEN),
        ([(100, 100)], OPEN),
        ([], OPEN),
    ],
)
def test_the_worst_quantity_decides(queues: list[tuple[float, float]], verdict: str) -> None:
    assert judged({"utilisation": [(0.9, 0.9)] * 3, "queue": queues}).verdict == verdict


def test_a_case_that_grows_drifts_and_one_run_is_open(tmp_path_factory: pytest.TempPathFactory) -> None:
    case = League(parsed(LEAGUE, tmp_path_factory.mktemp("league"))).cases[0]  # measured from 10 to 40 ms
    times = [0.01, 0.02, 0.025, 0.03, 0.04]
    steady, growing = [9.0, 50, 50, 51, 50], [9.0, 50, 50, 90, 90]
    for queues, verdict in ((steady, SETTLED), (growing, DRIFTING)):
        own = readings_of([queues, [each + 0.1 for each in queues]])
        own = Readings(own.port, own.schemes, own.replications, times, own.values)
        assert settling_of(case, own)["none"].verdict == verdict
        assert settling_of(case, own, constant=["none"])["none"].verdict == OPEN
    assert settling_of(case, None) == {}
