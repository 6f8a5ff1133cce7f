"""Search and capacity: against answers that are known, their errors, their resumption, and their pages."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import polars as pl
import pytest
from browser import Browser, needs_chromium
from conftest import Command
from moments import FIRST_SEGMENT_STORED, held_at, started, wait_until_held

import penstock as package
from penstock.analyse.condition import Condition, condition
from penstock.analyse.metric import Metric
from penstock.api.capacity import Bisection, capacity, range_for, turns
from penstock.api.ranges import Choices, Range, fitted, range_of, values_of
from penstock.api.search import Proposer, Question, Tried, all_settings, search
from penstock.api.trials import Trials
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.execute.store import Store
from penstock.show import page_of, write_page
from penstock.statistics import Estimate

pytestmark = pytest.mark.in_process

# Ten sources of 100 kb/s fill the line. With N of them above ten, 1 - 10 / N of the cells are lost.
CONSTANT = """
title = "Steady cells"
duration = "4 s"
[line.trunk]
between = ["left", "right"]
rate = "1 Mb/s"
delay = "1 ms"
queues = [{ drop_tail = { size = "10 cells" } }]
[flow.steady]
count = 4
path = ["left", "right"]
traffic.cbr = { rate = "100 kb/s" }
"""
LOSSES = "steady.loss_ratio > 0.02"
RANDOM = CONSTANT.replace("cbr", "poisson")
BUFFER = "line.trunk.queues[0].drop_tail.size"


@pytest.fixture
def steady() -> Scenario:
    return Scenario.parse(CONSTANT)


def answer_of(results: package.Results) -> dict[str, object]:
    answer: dict[str, object] = results.about["details"]["answer"]
    return answer


# ------------------------------------------------------------------------------------------------------------ ranges
def test_ranges_have_units_and_readable_values() -> None:
    rates = range_of("line.trunk.rate", "2 Mb/s..8 Mb/s")
    assert (rates.low, rates.high, rates.unit, rates.is_whole) == (2.0, 8.0, "Mb/s", False)
    assert rates.value(rates.rounded(2.7182818)) == "2.718 Mb/s"
    assert range_of("x", "1..200").spaced(3) == [1.0, 100.0, 200.0]
    assert range_of("x", "1..3").spaced(9) == [1.0, 2.0, 3.0]
    assert range_of("x", "0.7..1.2").rounded(0.71234) == 0.7123
    assert values_of("scheme=none,becn") == Choices("scheme", ["none", "becn"])
    assert str(range_of("x", "0.7..1.2")) == "0.7..1.2"


def test_the_ends_of_a_range_may_have_two_units_of_one_kind() -> None:
    assert range_of("x", "50 kB..4 MB") == Range("x", 50.0, 4000.0, "kB")
    assert range_of("x", "500 ms..2 s") == Range("x", 500.0, 2000.0, "ms")
    assert range_of("x", "2..8 Mb/s") == Range("x", 2.0, 8.0, "Mb/s")


def test_a_range_without_fractions_may_be_of_a_number_that_has_them(steady: Scenario) -> None:
    assert fitted(range_of("flow.steady.count", "1..20"), steady).is_whole
    controlled = steady.with_({"line.trunk.congestion_point": {"class_rates": {}}, "mismatches": "warn"})
    trigger = fitted(range_of("line.trunk.congestion_point.class_rates.trigger", "1..2"), controlled)
    assert not trigger.is_whole


def test_a_range_with_a_unit_has_the_values_that_the_parameter_takes(steady: Scenario) -> None:
    assert fitted(range_of("line.trunk.queues[0].drop_tail.size", "10 cells..400 cells"), steady).is_whole
    assert not fitted(range_of("line.trunk.rate", "2 Mb/s..8 Mb/s"), steady).is_whole
    assert not fitted(range_of("line.trunk.delay", "1 ms..2 ms"), steady).is_whole


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flow.steady.count", "this names no path and range"),
        ("flow.steady.count=7..3", "the range has no width"),
        ("line.trunk.rate=1 Mb/s..2 kb/s", "the range has no width"),
        ("line.trunk.rate=1 Mb/s..2 ms", 'units of different kinds; write both .* as "line.trunk.rate=2 Mb/s..8 Mb/s"'),
        ("flow.steady.count=1..x", "no range of two numbers"),
        ("scheme=becn", "neither a range nor two or more different choices"),
        ("scheme=becn,becn", "neither a range nor two or more different choices"),
    ],
)
def test_bad_ranges(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        values_of(text)


# -------------------------------------------------------------------------------------------------------- conditions
@pytest.mark.parametrize(
    ("estimate", "is_met", "is_broken"),
    [
        (Estimate(1.0, 0.5, 1.5, 5), True, False),
        (Estimate(2.0, 1.5, 2.5, 5), False, False),
        (Estimate(3.0, 2.0, 4.0, 5), False, True),
        (Estimate(1.0, None, None, 2), False, False),
    ],
)
def test_a_condition_is_met_by_a_whole_interval(estimate: Estimate, *, is_met: bool, is_broken: bool) -> None:
    below = Condition(Metric("groups", "delay_p99_s", "voice"), "<", 2.0)
    assert below.is_met(estimate) is is_met
    assert below.is_broken(estimate) is is_broken
    low, high = (None if end is None else -end for end in (estimate.high, estimate.low))
    turned = Estimate(-estimate.mean, low, high, 5)
    above = Condition(below.metric, ">", -2.0)
    assert above.is_met(turned) is is_met
    assert above.is_broken(turned) is is_broken


def test_a_limit_may_be_a_quantity(steady: Scenario) -> None:
    assert condition("steady.delay_p99_s > 400 ms", steady, "--until").limit == 0.4
    assert condition("steady.throughput_bps>=2 Mb/s", steady, "--until").limit == 2e6


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("steady.loss_ratio", "this is no condition"),
        ("steady.loss > 1", "there is no such metric"),
        ("utilisation > 0.9", "this is the metric of 2 ports: one is needed; write trunk.utilisation"),
        ("steady.delay_p99_s > 4 kb/s", '"4 kb/s" is no limit for steady.delay_generation_p99_s'),
    ],
)
def test_bad_conditions(steady: Scenario, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as raised:
        condition(text, steady, "--until")
    assert str(raised.value).startswith("--until = ")


# ---------------------------------------------------------------------------------------------------------- capacity
def test_the_capacity_of_a_line_for_steady_sources_is_exact(steady: Scenario, tmp_path: Path) -> None:
    results = capacity(steady, "flow.steady.count=1..40", LOSSES, tmp_path / "out")
    assert answer_of(results) == {"state": "bracketed", "least": 10.0, "most": 11.0}
    report = page_of(results)
    told = "With 95 % confidence steady.loss_ratio is at most 0.02 at count = 10, and above 0.02 at 11."
    assert report.headline == told
    assert report.warnings == []
    assert results.is_complete


def test_without_a_range_the_upper_end_doubles(steady: Scenario, tmp_path: Path) -> None:
    results = capacity(steady, "flow.steady.count", LOSSES, tmp_path / "out", replications=3)
    assert answer_of(results) == {"state": "bracketed", "least": 10.0, "most": 11.0}
    assert [value for value, _ in results.about["details"]["bisected"][:4]] == [1.0, 4.0, 8.0, 16.0]


def test_the_least_buffer_for_a_loss_is_a_whole_number_of_cells(steady: Scenario, tmp_path: Path) -> None:
    """Eight sources send at the same instants: with eight places no cell is lost, with seven one in eight."""
    sudden = steady.with_({"duration": "50 ms", "flow.steady.traffic.cbr.start": "0 s", "flow.steady.count": 8})
    results = capacity(
        sudden, f"{BUFFER}=2 cells..20 cells", "steady.loss_ratio < 0.1", tmp_path / "out", replications=3
    )
    assert answer_of(results) == {"state": "bracketed", "least": 7, "most": 8}


def test_a_rise_that_may_be_chance_at_every_size_leaves_a_bracket_with_a_doubt(
    steady: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bisection, "perhaps_rising", lambda *_: {"steady": 0.02})
    sudden = steady.with_({"duration": "50 ms", "flow.steady.traffic.cbr.start": "0 s", "flow.steady.count": 8})
    asked = f"{BUFFER}=2 cells..20 cells", "steady.loss_ratio < 0.1"
    results = capacity(sudden, *asked, tmp_path / "out", replications=3)
    assert answer_of(results) == {"state": "bracketed", "least": 7, "most": 8}
    judged = results.about["details"]["judged"]
    assert {each["decided"] for each in judged if not each["upper"]} == {False}
    report = page_of(results)
    assert report.headline.endswith("at least 0.1 at size = 7 cells, and below 0.1 at 8 cells.")
    told = "At size = 7 cells it may be overloaded (steady +2 %), and so may each value that was judged beyond it"
    assert any(warning.startswith(told) for warning in report.warnings)


def test_judgements_in_a_wide_range_of_whole_numbers_are_a_hundredth_of_it_apart(
    steady: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = Range(BUFFER, 10.0, 2010.0, "cells", is_whole=True)
    found = Bisection(wanted, False, condition(LOSSES, steady, "--until"), Trials.__new__(Trials), 3, {"judged": []})
    monkeypatch.setattr(Bisection, "look", lambda *_: (Estimate(0.02, 0.01, 0.03, 6), {}))
    monkeypatch.setattr(Bisection, "perhaps_rising", lambda *_: {})
    assert found.judge(300.0, upper=True) is None
    assert [judged["value"] for judged in found.details["judged"]] == [300, 320, 340, 380, 460, 620, 940, 1580]


def test_without_a_range_a_buffer_doubles_in_whole_cells(steady: Scenario) -> None:
    assert range_for(BUFFER, steady) == (Range(BUFFER, 1.0, 10.0, "PDUs", is_whole=True), True)
    assert range_for("line.trunk.rate", steady)[0] == Range("line.trunk.rate", 0.001, 1.0, "Mb/s")


@pytest.mark.parametrize(
    ("ends", "state", "told"),
    [
        ("2..9", "never", "The capacity is above the range: steady.loss_ratio is still at most 0.02 at count = 9."),
        (
            "12..20",
            "always",
            "The capacity is below the range: steady.loss_ratio is above 0.02 at ",
        ),
    ],
)
def test_a_range_without_a_crossing(steady: Scenario, tmp_path: Path, ends: str, state: str, told: str) -> None:
    results = capacity(steady, f"flow.steady.count={ends}", LOSSES, tmp_path / "out", replications=3)
    assert answer_of(results)["state"] == state
    assert page_of(results).headline.startswith(told)


def test_random_traffic_has_a_bracket_with_its_confidence(tmp_path: Path) -> None:
    """The loss of an M/D/1/K queue at load 1 is above 2 %, at 0.8 below it (10 cells)."""
    results = capacity(Scenario.parse(RANDOM), "flow.steady.count=2..20", LOSSES, tmp_path / "out", replications=5)
    answer = results.about["details"]["answer"]
    assert 8 <= answer["least"] < answer["most"] <= 10
    assert all(each["estimate"][3] == 10 for each in results.about["details"]["judged"])  # replications 5 to 14


def test_a_metric_that_turns_back_is_told() -> None:
    rising = [[1.0, 1.1, 0.9], [2.0, 2.2, 1.8], [1.0, 1.1, 0.9], [3.0, 3.1, 2.9]]
    assert turns([1.0, 2.0, 3.0, 4.0], rising, rising=True) == [[2.0, 3.0]]
    assert turns([1.0, 2.0, 3.0, 4.0], rising, rising=False) == [[1.0, 2.0], [3.0, 4.0]]


# ------------------------------------------------------------------------------------------------------------ search
def test_a_search_over_few_points_tries_all_and_finds_the_known_best(steady: Scenario, tmp_path: Path) -> None:
    results = search(
        steady,
        {"flow.steady.count": "6..14"},
        tmp_path / "out",
        maximise="steady.throughput_bps",
        subject_to=["steady.loss_ratio < 0.02"],
        replications=3,
    )
    answer = answer_of(results)
    assert answer["setting"] == {"flow.steady.count": 10}
    assert [each["setting"]["flow.steady.count"] for each in results.about["details"]["tried"]] == [*range(6, 15)]
    assert results.plan.filter(pl.col("flow.steady.count") == 10)["replication"].to_list() == [*range(9)]
    assert results.plan.filter(pl.col("flow.steady.count") == 9)["replication"].to_list() == [0, 1, 2]
    told = page_of(results).headline
    assert re.match(r"The greatest steady.throughput_bps is 99\d\.\d+ \(.*\) kb/s at count = 10, with ", told)
    assert told.endswith(", wanted below 0.02.")


def test_constraints_that_no_point_meets_name_the_closest(steady: Scenario, tmp_path: Path) -> None:
    results = search(
        steady,
        {"flow.steady.count": "12,20"},
        tmp_path / "out",
        minimise="steady.delay_mean_s",
        subject_to=["steady.loss_ratio < 0.02"],
        replications=3,
    )
    assert answer_of(results) is None
    told = page_of(results).headline
    assert told.startswith("No value in the range meets the constraints; the closest is ")
    assert " at count = 12, with steady.loss_ratio 0.16" in told


def test_optuna_finds_a_known_optimum_within_a_constraint() -> None:
    """The greatest y = x z with x + z below 1 is 0.25 at x = z = 0.5."""
    free = Question(
        [Range("x", 0.0, 1.0), Range("z", 0.0, 1.0)],
        Metric("groups", "throughput_bps", "a"),
        True,
        [],
    )
    question = Question(free.over, free.objective, True, [Condition(free.objective, "<", 1.0)])
    proposer = Proposer(question, seed=3)
    best = 0.0
    for _ in range(16):
        settings = proposer.ask(8)
        found = []
        for setting in settings:
            x, z = float(str(setting["x"])), float(str(setting["z"]))
            value, total = Estimate(x * z, x * z, x * z, 3), Estimate(x + z, x + z, x + z, 3)
            found.append(Tried(setting, value, [total], question.constraints[0].excess(total)))
            best = max(best, x * z if x + z < 1 else 0.0)
        proposer.tell(found)
    assert best > 0.22


def test_all_settings_are_crossed_or_too_many() -> None:
    over: list[Range | Choices] = [Choices("scheme", ["none", "becn"]), Range("n", 1, 3, is_whole=True)]
    every = all_settings(over, 6)
    assert every is not None
    assert [tuple(each.values()) for each in every][:4] == [("none", 1), ("none", 2), ("none", 3), ("becn", 1)]
    assert all_settings(over, 5) is None
    assert all_settings([Range("x", 0.0, 1.0)], 10**9) is None


def test_a_search_is_the_same_on_any_number_of_processes(tmp_path: Path) -> None:
    found = []
    for jobs in (1, 2):
        results = search(
            Scenario.parse(RANDOM),
            {"flow.steady.traffic.poisson.rate": "50 kb/s..400 kb/s", "flow.steady.count": "1..5"},
            tmp_path / str(jobs),
            maximise="steady.throughput_bps",
            subject_to=["steady.loss_ratio < 0.02"],
            trials=20,
            replications=3,
            jobs=jobs,
        )
        found.append((results.about["details"], results.table("groups")))
    assert found[0][0] == found[1][0]
    assert found[0][1].equals(found[1][1])


# -------------------------------------------------------------------------------------------------------- the commands
QUESTIONS = (
    ("search", "--maximise", "steady.throughput_bps", "--over", "flow.steady.count=8..12"),
    ("capacity", "--of", "flow.steady.count=6..13", "--until", LOSSES),
)


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX systems")
@pytest.mark.parametrize("question", QUESTIONS, ids=["search", "capacity"])
def test_a_question_that_is_killed_goes_on_with_resume(
    penstock: Command, tmp_path: Path, question: tuple[str, ...]
) -> None:
    (tmp_path / "random.toml").write_text(RANDOM, encoding="utf-8")
    kind, *asked = question
    arguments = [kind, "random.toml", *asked, "--replications", "3", "--jobs", "1"]
    command = [sys.executable, "-m", "penstock", *arguments[:-1], "2", "--out", "out"]
    with started(command, cwd=tmp_path, env=held_at(FIRST_SEGMENT_STORED)) as process:
        wait_until_held(process)
        process.kill()
        process.communicate()
    there = len(Store.open_to_read(tmp_path / "out").runs)
    refused = penstock(*arguments, "--out", "out")
    assert refused.returncode == 2
    assert f"has an unfinished {kind}" in refused.stderr
    resumed = penstock(*arguments, "--out", "out", "--resume", "--json")
    whole = penstock(*arguments, "--out", "whole", "--json")
    assert (resumed.returncode, whole.returncode) == (0, 0), resumed.stderr
    assert resumed.stdout == whole.stdout
    assert json.loads(whole.stdout)["answer"]
    assert 1 <= there < len(Store.open_to_read(tmp_path / "whole").runs)
    tables = [package.Results(tmp_path / name).table("groups") for name in ("out", "whole")]
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("search", "--minimise", "steady.lost", "--over", "flow.stedy.count=1..3"),
            'did you mean "steady"?',
        ),
        (("search", "--maximise", "throughput", "--over", "flow.steady.count=1..3"), "--maximise = throughput"),
        (("search", "--minimise", "steady.lost", "--over", "a=1..3", "--over", "a=1..4"), "this path is given twice"),
        (("search", "--minimise", "steady.lost", "--over", "flow.steady.count=0..3"), "flow.steady.count = 0"),
        (("search", "--minimise", "steady.lost", "--over", "flow.steady.count=1..3", "--replications", "2"), "3"),
        (("capacity", "--of", "line.trunk.between", "--until", LOSSES), "the scenario has no number there"),
        (("capacity", "--of", "flow.steady.count=1..3", "--until", "steady.loss_ratio"), "this is no condition"),
    ],
)
def test_bad_questions(penstock: Command, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    (tmp_path / "steady.toml").write_text(CONSTANT, encoding="utf-8")
    command, *rest = arguments
    refused = penstock(command, "steady.toml", *rest)
    assert refused.returncode == 2, refused.stderr
    assert told in refused.stderr
    assert not (tmp_path / "out").exists()


def test_a_question_without_an_answer_ends_with_status_1(penstock: Command, tmp_path: Path) -> None:
    (tmp_path / "steady.toml").write_text(CONSTANT, encoding="utf-8")
    done = penstock("capacity", "steady.toml", "--of", "flow.steady.count=2..5", "--until", LOSSES, "--replications", 3)
    assert done.returncode == 1
    assert "The capacity is above the range" in done.stdout


# --------------------------------------------------------------------------------------------------------- in a browser
@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("questions")
    random = Scenario.parse(RANDOM)
    over = {"flow.steady.traffic.poisson.rate": "50 kb/s..400 kb/s", "flow.steady.count": "1..5"}
    found = [
        search(random, over, folder / "search", minimise="steady.delay_mean_s", trials=16, replications=3),
        capacity(random, "flow.steady.count=2..20", LOSSES, folder / "capacity", replications=3),
    ]
    return [write_page(results) for results in found]


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1400, 420])
def test_the_pages_fit(chromium: Browser, pages: list[Path], width: int, dark: bool) -> None:
    for page in pages:
        chromium.open(page, width=width, dark=dark)
        assert chromium.value("document.documentElement.scrollWidth <= innerWidth")
        assert chromium.value("document.querySelector('.headline').getBoundingClientRect().top < 200")
        assert chromium.value("document.querySelectorAll('figure svg').length") >= 1


def test_a_search_without_optuna_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(InputError, match=r"needs Optuna, .*: python -m pip install optuna"):
        Proposer(None, 1)  # type: ignore[arg-type]
