"""What a capacity tells: names and units as in the question, and no double negatives."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from test_search import CONSTANT

from penstock.analyse.condition import condition, difference
from penstock.analyse.metric import Metric
from penstock.core.scenario import Scenario
from penstock.show.answers import quantity
from penstock.show.capacity import Asked, headline, notes, print_capacity
from penstock.statistics import Estimate


@pytest.fixture
def steady() -> Scenario:
    return Scenario.parse(CONSTANT)


@pytest.mark.parametrize(
    ("text", "told", "met", "unmet"),
    [
        ("delay_mean_s < 1", "steady.delay_generation_mean_s < 1 s", "below 1 s", "at least 1 s"),
        ("delay_p99_s > 400 ms", "steady.delay_generation_p99_s > 400 ms", "above 400 ms", "at most 400 ms"),
        ("throughput_bps>2e6", "steady.throughput_bps > 2e+06 b/s", "above 2e+06 b/s", "at most 2e+06 b/s"),
        ("loss_ratio > 1e-3", "steady.loss_ratio > 0.001", "above 0.001", "at most 0.001"),
    ],
)
def test_a_limit_keeps_its_unit(steady: Scenario, text: str, told: str, met: str, unmet: str) -> None:
    found = condition(text, steady, "--until")
    assert (str(found), found.met, found.unmet) == (told, met, unmet)


def capacity_results(answer: object, bisected: list[list[float]], of: str, until: str) -> Any:
    """What the sentences about a capacity read of its results."""
    tree = Scenario.parse(CONSTANT).tree
    details = {"of": of, "until": until, "answer": answer, "bisected": bisected, "scenario": tree, "turns": [[2, 4]]}
    details |= {"overloaded": [], "judged": []}
    return SimpleNamespace(about={"name": "steady", "details": details})


@pytest.mark.parametrize(
    ("state", "least", "most", "told"),
    [
        (
            *("bracketed", 2.0, 4.0),
            "With 95 % confidence steady.delay_p99_s is at least 400 ms at rate = 2 Mb/s, and below 400 ms at 4 Mb/s.",
        ),
        (
            *("bracketed", None, 4.0),
            "steady.delay_p99_s crosses its limit of 400 ms in the range, but the runs leave open where "
            "steady.delay_p99_s is still at least 400 ms: give more replications, or a wider range.",
        ),
        (
            *("bracketed", 2.0, None),
            "steady.delay_p99_s crosses its limit of 400 ms in the range, but the "
            "runs leave open from where it is "
            "below 400 ms: give more replications, or a wider range.",
        ),
        (
            *("never", 9.0, None),
            "The capacity is above the range: steady.delay_p99_s is still at least 400 ms at rate = 9 Mb/s.",
        ),
        (
            *("always", None, 1.0),
            "The capacity is below the range: steady.delay_p99_s is below 400 ms at rate = 1 Mb/s already.",
        ),
    ],
)
def test_a_capacity_is_told_with_units_and_without_a_double_negative(
    state: str, least: float | None, most: float | None, told: str
) -> None:
    answer = {"state": state, "least": least, "most": most}
    of, until = "line.trunk.rate=1 Mb/s..9 Mb/s", "delay_p99_s < 400 ms"
    results = capacity_results(answer, [[1.0, 0.6], [9.0, 0.3]], of, until)
    asked = Asked.of(results)
    assert headline(results, asked) == told
    assert notes(results, asked) == [
        "steady.delay_p99_s rises between rate = 2 Mb/s and 4 Mb/s, by paired "
        "differences: it may cross its limit at "
        "several places. Look at the curve."
    ]
    assert headline(capacity_results(None, [], of, until), asked) == "The capacity has not been found yet."


def test_the_tables_of_a_capacity_have_the_name_and_the_unit_of_the_question(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = {"state": "bracketed", "least": 2.0, "most": 4.0}
    until = "steady.delay_p99_s < 400 ms"
    results = capacity_results(answer, [[1.0, 0.6], [9.0, 0.3]], "line.trunk.rate=1 Mb/s..9 Mb/s", until)
    judged = {"value": 2.0, "upper": False, "estimate": [0.45, 0.44, 0.46, 20], "decided": True, "overloaded": {}}
    results.about["details"]["judged"] = [judged]
    print_capacity(results)
    told = capsys.readouterr().out
    assert re.search(r"rate +steady\.delay_p99_s \(ms\) +wanted", told)
    assert re.search(r"2 Mb/s +450 \(440 to 460\) +at least 400 ms +yes", told)
    assert re.search(r"rate +mean of steady\.delay_p99_s \(ms\)\n[ -]+\n +1 Mb/s +600\n +9 Mb/s +300\n", told)
    assert told.count("steady.delay_generation_p99_s") == 1
    assert "steady.delay_p99_s is measured as steady.delay_generation_p99_s, from the generation of data on" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("delay_generation_p99_s > 1 s", ""),
        (
            "delay_network_p99_s > 1 s",
            "steady.delay_network_p99_s is steady.delay_p99_s of the results: it counts from",
        ),
        ("loss_ratio > 0.1", ""),
    ],
)
def test_a_name_that_the_results_have_needs_no_words(steady: Scenario, text: str, told: str) -> None:
    found = condition(text, steady, "--until")
    other = difference(found.name, found.metric)
    assert other.startswith(told)
    assert bool(other) is bool(told)


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("delay_p99_s", 0.0123, "12.3 (12.3 to 24.6) ms"),
        ("throughput_bps", 1.5e6, "1.5 (1.5 to 3) Mb/s"),
        ("loss_ratio", 0.25, "0.25 (0.25 to 0.5)"),
        ("accepted_per_s", 4.0, "4 (4 to 8)"),
    ],
)
def test_an_answer_has_the_unit_of_its_metric(column: str, value: float, told: str) -> None:
    assert quantity(Metric("groups", column, "a"), Estimate(value, value, 2 * value, 5)) == told
