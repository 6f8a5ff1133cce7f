"""Replications that are the same run bit for bit count as one, in every face; those that differ have intervals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Command

import penstock as package
from penstock.analyse.condition import Condition
from penstock.analyse.estimates import estimates
from penstock.analyse.metric import Metric
from penstock.analyse.replications import NOT_RANDOM, are_one_run
from penstock.api.capacity import capacity
from penstock.api.comparison import rankings
from penstock.api.search import search
from penstock.api.sweep import decisions
from penstock.core.scenario import Scenario
from penstock.show import page_of, write_page
from penstock.show.notebook import html_of
from penstock.show.state import warnings_of
from penstock.show.summary import summary
from penstock.show.terminal import WITHOUT_INTERVAL
from penstock.statistics import Estimate, Precision, Sample, differences, rank, standings, upper_bound

pytestmark = pytest.mark.in_process

FIXED = """
duration = "1 s"
[line.trunk]
between = ["left", "right"]
rate = "1 Mb/s"
delay = "1 ms"
queues = [{ drop_tail = { size = "10 cells" } }]
[flow.data]
count = 4
path = ["left", "right"]
traffic.cbr = { rate = "100 kb/s", start = "0 s" }
"""
RANDOM = FIXED.replace('cbr = { rate = "100 kb/s", start = "0 s" }', 'poisson = { rate = "100 kb/s" }')
LOSS = Metric("groups", "loss_ratio", "data")


@pytest.fixture
def fixed() -> Scenario:
    return Scenario.parse(FIXED)


# -------------------------------------------------------------------------------------------------------- statistics
def test_only_replications_that_all_agree_are_one_run() -> None:
    assert are_one_run(["a", "a", "a"])
    assert not are_one_run(["a"])
    assert not are_one_run(["a", "a", "b"])  # a rare event did not occur in two of them


def test_a_constant_sample_is_one_value_without_an_interval() -> None:
    assert Sample([0.25] * 10, 0.0, constant=True).estimate() == Estimate(0.25, None, None, 1, True)
    never = Sample([0.0] * 10, 0.0, 1.0, [1000] * 10, constant=True).estimate()
    assert never.high == upper_bound(0, 1000)
    assert Sample([0.0] * 10, 0.0, 1.0, [1000] * 10).estimate().high == upper_bound(0, 10_000)


def test_differences_of_constant_samples_are_exact() -> None:
    one, two = (Sample([value] * 5, 0.0, constant=True) for value in (1.0, 2.0))
    (pair,) = differences({"one": one, "two": two})
    assert (pair.estimate, pair.verdict, pair.significant) == (Estimate(1.0, None, None, 1, True), "exact", True)
    assert [each.rank for each in rank({"one": one, "two": two}, lower_is_better=True)] == [1, 2]
    assert [each.is_best for each in standings({"one": one, "two": two}, lower_is_better=True)] == [True, False]
    # One that is random has an interval: that of the other's values.
    (mixed,) = differences({"one": one, "random": Sample([2.0, 3.0, 2.5, 2.2, 2.6], 0.0)})
    assert mixed.estimate.low is not None
    assert mixed.estimate.low > 0


def test_equal_runs_that_lose_are_no_signs_of_five_replications() -> None:
    loses, never = Sample([0.1] * 12, 0.0, 1.0, [9] * 12, constant=True), Sample([0.0] * 12, 0.0, 1.0, [9] * 12)
    (pair,) = differences({"never": never, "loses": loses})
    assert pair.estimate.mean == pytest.approx(0.1)


def test_a_condition_judges_the_value_where_nothing_is_random() -> None:
    below = Condition(LOSS, "<", 0.5)
    exact = Estimate(0.25, None, None, 1, constant=True)
    assert below.is_met(exact)
    assert not below.is_broken(exact)
    assert below.excess(exact) == -0.5
    assert not below.is_met(Estimate(0.25, None, None, 1))
    assert Estimate(*exact.to_list()) == exact  # type: ignore[arg-type]


def test_more_of_the_same_run_gives_no_precision() -> None:
    exact = Estimate(0.25, None, None, 1, constant=True)
    assert Precision(0.1).decide([0.25, 0.25], exact).add == 0


# --------------------------------------------------------------------------------------------------------------- run
def test_a_run_of_equal_replications_counts_once(fixed: Scenario) -> None:
    one, three = package.run(fixed), package.run(fixed, replications=3)
    assert three.constant
    assert not one.constant
    assert summary(three) == summary(one)
    assert NOT_RANDOM in html_of(three)
    assert str(one.groups["sent"].sum()) in html_of(three).replace(",", "")
    assert one.plot("delay_mean_s").sheets[0].panels[0].rows == three.plot("delay_mean_s").sheets[0].panels[0].rows


def test_the_summary_of_replications_prints_their_intervals(penstock: Command, tmp_path: Path) -> None:
    (tmp_path / "random.toml").write_text(RANDOM)
    text = penstock("run", tmp_path / "random.toml", "--replications", "3").stdout
    told = json.loads(penstock("run", tmp_path / "random.toml", "--replications", "3", "--json").stdout)
    (group,) = told["groups"]
    ends = group["intervals"]["delay_mean_s"]
    assert ends["low"] < group["delay_mean_s"] < ends["high"]
    mean, low, high = (f"{1e3 * each:.3f}" for each in (group["delay_mean_s"], ends["low"], ends["high"]))
    assert f"{mean} ({low} to {high})" in text
    assert "with 95 % intervals" in text
    assert {"utilisation", "queue_mean"} <= set(told["ports"][0]["intervals"])
    two = penstock("run", tmp_path / "random.toml", "--replications", "2").stdout
    assert "(intervals need 3)" in two
    assert re.search(r"\(\S+ to \S+\)", text)
    assert not re.search(r"\(\S+ to \S+\)", two)


def test_the_command_warns_of_equal_replications(penstock: Command, tmp_path: Path) -> None:
    (tmp_path / "fixed.toml").write_text(FIXED)
    text = penstock("run", tmp_path / "fixed.toml", "--replications", "3").stdout
    assert f"warning: {NOT_RANDOM}: its 3 replications are the same run" in text
    assert NOT_RANDOM not in penstock("run", tmp_path / "fixed.toml").stdout
    (tmp_path / "swept.toml").write_text(
        f'{FIXED}\n[sweep]\nreplications = 3\n[[sweep.axis]]\n"flow.data.count" = [2, 3]'
    )
    swept = penstock("sweep", tmp_path / "swept.toml", "--out", tmp_path / "out")
    assert f"warning: Without randomness: {NOT_RANDOM}" in swept.stderr


# ------------------------------------------------------------------------------------------------------- experiments
@pytest.mark.parametrize(
    ("text", "replications", "heading", "has_note", "has_bound"),
    [
        (FIXED, 3, "value", False, False),
        (RANDOM, 1, "mean", True, True),
        (RANDOM, 3, "mean (95 % interval)", False, True),
    ],
    ids=["not random", "one", "random"],
)
def test_the_table_of_a_sweep_says_what_it_has(
    penstock: Command, tmp_path: Path, text: str, replications: int, heading: str, has_note: bool, has_bound: bool
) -> None:
    axis = '[[sweep.axis]]\n"flow.data.count" = [2, 3]'
    metrics = 'metrics = ["data.loss_ratio", "data.delay_mean_s", "trunk.utilisation"]'
    (tmp_path / "swept.toml").write_text(f"{text}\n[sweep]\nreplications = {replications}\n{metrics}\n{axis}")
    told = penstock("sweep", tmp_path / "swept.toml", "--out", tmp_path / "out").stdout
    assert [line for line in told.splitlines() if line.startswith("swept, ")] == [
        f"swept, groups: {heading}",
        f"swept, ports: {heading}",
    ]
    assert told.count(WITHOUT_INTERVAL) == has_note
    assert ("at 95 %" in told) is has_bound


def test_the_results_of_some_points_are_read_from_their_files(fixed: Scenario, tmp_path: Path) -> None:
    axes = {"flow.data.traffic": [{"cbr": {"rate": "100 kb/s", "start": "0 s"}}, {"poisson": {"rate": "100 kb/s"}}]}
    results = package.Sweep(fixed, axes, replications=3).run(tmp_path / "s")
    groups = results.table("groups")
    assert [set(results.only([point]).constant) for point in (0, 1)] == [{0}, set()]
    first = min((tmp_path / "s" / "segments").iterdir())  # has the first run alone, one of point 0
    (first / "groups.parquet").unlink()
    again = package.Results(tmp_path / "s")
    assert again.only([1]).table("groups").equals(groups.filter(point=1))
    assert again.store.damaged == []
    assert again.table("groups").height < groups.height
    assert len(again.store.damaged) == 1


def test_the_bound_of_a_sweep_counts_equal_runs_once(fixed: Scenario, tmp_path: Path) -> None:
    axes = {"flow.data.traffic": [{"cbr": {"rate": "100 kb/s", "start": "0 s"}}, {"poisson": {"rate": "100 kb/s"}}]}
    results = package.Sweep(fixed, axes, replications=10, precision={"data.delay_mean_s": 0.001}).run(tmp_path / "s")
    sent = results.table("groups").filter(point=0)["sent"][0]
    constant, chance = estimates(LOSS, results)
    assert (constant.events, constant.trials) == (0, sent)
    assert str(constant).startswith(f"0 of {sent:,} PDUs")
    assert chance.trials is not None
    assert chance.trials > 5 * sent
    assert results.constant == {0}
    assert [each.verdict for each in decisions(results) if each.point == 0] == ["reached"]
    assert results.plan.filter(point=0).height == 10  # no replication was added
    (warning,) = warnings_of(results)
    assert f"{NOT_RANDOM} at 1 of 2 points" in warning
    assert warning in page_of(results).warnings
    assert NOT_RANDOM in write_page(results).read_text()
    assert NOT_RANDOM in html_of(results)


def test_a_comparison_of_fixed_scenarios_is_exact(fixed: Scenario, tmp_path: Path) -> None:
    both = {"two": fixed.with_({"flow.data.count": 2}), "four": fixed}
    results = package.compare(both, tmp_path / "c", replications=3, metrics=["throughput_bps"])
    (found,) = rankings(results, Metric("groups", "throughput_bps"))
    assert [one.name for one in found.ranking] == ["four", "two"]
    assert found.differences[0].verdict == "exact"
    assert found.differences[0].estimate.low is None
    assert any(NOT_RANDOM in line for line in page_of(results).warnings)


def test_a_search_and_a_capacity_judge_the_value_itself(fixed: Scenario, tmp_path: Path) -> None:
    # Ten sources of 100 kb/s fill the line.
    over = {"flow.data.count": "9..12"}
    limit = ["data.delay_mean_s < 10 ms"]
    found = search(fixed, over, tmp_path / "s", maximise="data.load_bps", subject_to=limit, replications=3)
    answer = found.about["details"]["answer"]
    assert answer is not None
    assert answer["estimates"][0][1:] == [None, None, 1, True]
    assert any(NOT_RANDOM in line for line in page_of(found).warnings)
    asked = capacity(fixed, "flow.data.count=5..20", "data.loss_ratio > 0.02", tmp_path / "c", replications=3)
    told = asked.about["details"]["answer"]
    assert (told["least"], told["most"]) == (10, 11)
    assert any(NOT_RANDOM in line for line in page_of(asked).warnings)
