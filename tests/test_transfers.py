"""The mean time of all files, finished or not, against files of known time and against a run 100 times longer."""

from __future__ import annotations

import polars as pl
import pytest

import penstock
from penstock import Scenario
from penstock.statistics import student

SLOW = """
[line.trunk]
between = ["a", "b"]
rate = "300 kb/s"
delay = "20 ms"
queues = [{ drop_tail = { size = "200 cells" } }]
congestion_point.class_rates = { interval = "50 ms" }
[flow.data]
count = 20
path = ["a", "b"]
traffic.file_transfer = { size = "50 kB", rate = "100 kb/s", idle = "2 s" }
reaction_point.rate_factor = { floor = 0.05, cap = 1.0 }
"""


def slow(measured_s: int) -> Scenario:
    """Twenty sources of files over a line for three: their rates change all the time."""
    return Scenario.parse(f'duration = "{measured_s + 60} s"\nwarm_up = "60 s"\n{SLOW}')


def test_equal_files_all_take_their_time() -> None:
    """Every file takes 16.84 s. Of the 3 min, those cut off have had their slow start, but not all of their rest."""
    groups = penstock.run("satellite/2-case-1", replications=5).groups
    assert all(count >= 10 for count in groups["transfers_unfinished"])
    for time in groups["transfer_mean_s"]:
        assert time == pytest.approx(16.84, abs=0.005)
    assert student(groups["transfer_mean_all_s"]).mean == pytest.approx(16.84, rel=0.005)
    longer = Scenario.load("satellite/2-case-1").with_({"duration": "60 min"})
    assert penstock.run(longer).groups["transfer_mean_all_s"].item() == pytest.approx(16.84, rel=0.0005)


def test_slow_files_that_do_not_finish_count_in_full() -> None:
    """In a minute two of three files finish: their age at its end says nothing of their time."""
    long = penstock.run(slow(6000)).groups.row(0, named=True)
    short = penstock.run(slow(60), replications=30).groups
    unfinished, finished = short.select(pl.sum("transfers_unfinished"), pl.sum("transfers")).row(0)
    assert unfinished > 0.3 * finished
    assert long["transfers_unfinished"] < 0.01 * long["transfers"]
    assert student(short["transfer_mean_all_s"]).mean == pytest.approx(long["transfer_mean_s"], rel=0.01)
