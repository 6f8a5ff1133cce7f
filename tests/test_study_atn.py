"""The ATN study: its points, the printed tables, its predicates, its figures, and the command for one table."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from studied import one_job_or_two, with_jobs

from penstock import studies
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.studies.atn import STUDY, grid
from penstock.studies.atn.claims import PREDICATES
from penstock.studies.atn.figures import BESIDE, PAPER
from penstock.studies.atn.grid import COMPARED, SCENARIOS, Point
from penstock.studies.atn.measures import LOAD, LOAD_COUNTED, Runs, measure, risen, summed, swings
from penstock.studies.atn.printed import COLUMNS, FITTED, TABLES, is_fitted, no_less, side, side_by_side
from penstock.studies.claims import Clause, clauses_of, judge, load_claims, require_match, verdict
from penstock.studies.drawing import drawn
from penstock.studies.framework import ReadPoint, Reproduction, SeriesPoint
from penstock.studies.nulls import points_read
from penstock.studies.runs import MissingRunError, RunTables

CLAIMS = {claim.id: claim for claim in load_claims("penstock.studies.atn")}


# ------------------------------------------------------------------------------------ runs that agree with the paper
def outcome(point: Point) -> dict[str, float]:
    """The printed row of a point's strategy, changed as in section 5 if its parameters or its load differ."""
    table = next(table for table in TABLES.values() if table.scenario == point.scenario)
    row = {name: table.value("avoidance" if point.strategy == "decbit" else point.strategy, name) for name in COLUMNS}
    is_marked = point.strategy in grid.RECEIVER
    threshold = point.ce_threshold or SCENARIOS[point.scenario].ce_threshold
    worse = 1 + 0.4 * max(0, grid.CE_THRESHOLDS.index(threshold) - 2) if is_marked else 1.0
    if point.strategy == "avoidance":
        worse *= {0.5: 1.0, 0.625: 1.0, 0.75: 1.2, 0.875: 2.0}[point.decrease] * (1 + 0.1 * (point.initial > 2))
    if point.strategy == "error":
        worse *= 0.5 + point.error_share
        row["accepted_per_s"] *= 0.95 + 0.1 * point.error_share
    worse *= point.interproduction**-0.5
    row["delay_mean_s"] *= worse
    row[LOAD] *= worse
    row["power"] = row["accepted_per_s"] / row["delay_mean_s"]
    return row


def rows(point: Point, seed: int) -> RunTables:
    """Result tables of such a run."""
    draw = random.Random(seed).uniform(0.9999, 1.0)
    made = outcome(point)
    data = {
        "group": "data",
        "delay_mean_s": made["delay_mean_s"] * draw,
        "accepted_per_s": made["accepted_per_s"] * draw,
        "power": made["power"],
        "discard_share": made["discard_share"],
        "success_once": made["success_once"],
        "success_all": made["success_all"],
        "error_report_share": made["error_report_share"],
        "delay_transmission_mean_s": made["delay_mean_s"],
        "delay_production_mean_s": 90.0,
    }
    congested = SCENARIOS[point.scenario].bottleneck
    use = 0.999 if point.strategy == "backoff" else 0.98
    ports = [{"port": congested, "from": "is6", "utilisation": use, LOAD: made[LOAD] * draw}]
    ports += [{"port": f"is{each}", "from": f"is{each}", LOAD: 10.0} for each in range(1, 12)]
    return RunTables({"groups": [data], "ports": [{LOAD_COUNTED: 9.0, **port} for port in ports]})


def readings(each: SeriesPoint[Point]) -> Iterator[dict[str, Any]]:
    """Windows of withdrawing credit that oscillate between 1 and 7, and queues that it shortens sooner.

    Of kind `filled`, the queue is empty for ten seconds, and under the receiver strategies at times later, too.
    """
    is_withdrawing = each.point.strategy == "withdrawing"
    for step in range(1, 241):
        window = 1 + (step % 20 if step % 20 < 7 else 0) if is_withdrawing else 3 + step % 2
        queue = 50e3 + (step > grid.RUSH_S) * (10e3 if is_withdrawing else 30e3)
        if each.kind == "filled":
            queue = 0.0 if step <= 10 or (each.point.strategy in grid.RECEIVER and step % 20 == 0) else queue
        found = {("data/es1-es12", "credit"): window, ("data/es1-es13", "credit"): 0.0}
        found |= {(f"data/es{sender}-es7", "received"): step for sender in (1, 2)}
        found[SCENARIOS[each.point.scenario].bottleneck, "queue_bits"] = queue
        for (component, quantity), value in found.items():
            yield {"time_s": float(step), "component": component, "quantity": quantity, "value": float(value)}


@pytest.fixture(scope="module")
def runs() -> Runs:
    made = Runs(wanted=3)
    for point, seeds in Reproduction(STUDY, None, 3).points():
        for seed in seeds:
            if isinstance(point, SeriesPoint):
                made.of_kind(point.kind).add_series(point.point, seed, readings(point))
            else:
                made.keep(point, seed, measure(point, rows(point, seed)))
    return made


# ------------------------------------------------------------------------------------------------------- what is run
def test_the_study_names_every_run_once() -> None:
    points = Reproduction(STUDY, None, 20).points()
    named = [(tuple(point.parameters.items()), seed) for point, seeds in points for seed in seeds]
    assert len(named) == len(set(named))
    point, seeds = points[0]
    assert isinstance(point, Point)
    assert len(seeds) == 20
    assert STUDY.point_of({**point.parameters, "seed": 1}) == point
    wanted = {point for point, _ in Reproduction(STUDY, None, 1).points()}
    assert {Point(name, scenario) for name in COMPARED for scenario in SCENARIOS} <= wanted
    assert [len(Reproduction(STUDY, table, 20).points()) for table in TABLES] == [6, 6]


@pytest.mark.parametrize(
    ("point", "credit", "window"),
    [
        (Point("none", "a"), {"whole": {}}, {"unlimited": {}}),
        (Point("avoidance", "b", decrease=0.5), {"congestion_avoidance": {"initial": 2.0, "decrease": 0.5}}, None),
        (Point("withdrawing", "a", multiple=3), {"withdrawing_credit": {"multiple": 3}}, None),
        (Point("backoff", "b", threshold=2), {"whole": {}}, {"backoff": {"initial_threshold": 2.0}}),
        (Point("error", "a", 5.0, error_share=0.25), {"whole": {}}, {"error_npdu": {"initial_threshold": 8.0}}),
        (Point("decbit", "b"), {"whole": {}}, {"decbit": {"initial": 1, "decrease": 0.875}}),
    ],
)
def test_a_point_is_what_it_says(point: Point, credit: dict[str, Any], window: dict[str, Any] | None) -> None:
    tree = point.build().tree
    tp4 = tree["flow"]["data"]["transport"]["tp4"]
    ((kind, values),) = credit.items()
    assert list(tp4["credit"]) == [kind]
    assert {name: tp4["credit"][kind][name] for name in values} == values
    assert tp4["window"] == (window or {"unlimited": {}})
    assert tp4["saw"] == grid.SAW
    interval = tree["flow"]["data"]["traffic"]["connections"]["interproduction_time"]["exponential"]
    assert interval == ("5 s" if point.interproduction == 5 else "1 s")
    for line in tree["line"].values():
        if point.strategy == "decbit":
            assert line["congestion_point"] == {"decbit": {"threshold": 1.0}}
            continue
        clnp = line["congestion_point"]["clnp"]
        assert clnp["ce_threshold"] == {"a": "27 kbit", "b": "1 bit"}[point.scenario]
        assert clnp["error_reports"]["threshold"] == f"{round(point.error_share * 32768)} octets"
    assert "sweep" not in tree


def test_other_readings_run_all_points_that_the_claims_read_and_no_others(runs: Runs) -> None:
    read = set.union(*(points_read(predicate, runs)[0] for predicate in PREDICATES.values()))
    assert read == {each.point if isinstance(each, SeriesPoint) else each for each, _ in grid.judged_points()}
    wanted = dict(STUDY.points(None))
    assert all(wanted[point] == most for point, most in grid.judged_points())


def test_a_reading_changes_what_is_usual_and_not_what_an_exercise_sets() -> None:
    def changed(name: str, point: Point | SeriesPoint[Point]) -> tuple[dict[str, Any], list[str]]:
        reading = next(each for each in STUDY.other_readings if each.name == name)
        flows = ReadPoint(point, reading).build().tree["flow"]
        assert ReadPoint(point, None).build().tree == point.build().tree
        return flows["data"]["transport"]["tp4"], flows["data"]["from"]

    usual, begun = Point("avoidance", "b"), Point("avoidance", "b", initial=2)
    assert usual.build().tree == begun.build().tree
    assert changed("w0-saw", usual)[0]["credit"]["congestion_avoidance"]["initial"] == 7
    assert changed("w0-saw", begun)[0]["credit"]["congestion_avoidance"]["initial"] == 2
    for point, multiple in ((Point("withdrawing", "b"), 1), (Point("withdrawing", "b", multiple=4), 4)):
        assert changed("thresholds", point)[0]["credit"]["withdrawing_credit"]["multiple"] == multiple
    assert changed("thresholds", Point("withdrawing", "a"))[0]["credit"]["withdrawing_credit"]["multiple"] == 4
    assert changed("one-sender", usual)[1] == ["es1"]
    assert len(changed("one-sender", Point("none", "a"))[1]) == 6


def test_a_reading_of_the_timer_is_that_of_every_connection() -> None:
    """Also of those that join; packets without a transport have none."""
    for kind in grid.RUSHES:
        reading = next(each for each in STUDY.other_readings if each.name == "t1-recheck")
        point = grid.rush(Point("avoidance", "a"), kind)
        timers = [
            flow["transport"]["tp4"]["retransmission"]
            for flow in ReadPoint(point, reading).build().tree["flow"].values()
            if "transport" in flow
        ]
        assert len(timers) == 1 + (kind == "connections")
        for timer in timers:
            assert (timer["initial"], timer["least"], timer["recheck"]) == ("10 s", "2 s", 2.0)


def test_decbit_is_that_of_its_ready_file() -> None:
    """Except for the sweep, the title, and the permission to mix parts, which only the study needs."""
    ready, own = Scenario.load("atn/decbit").tree, Point("decbit", "b").build().tree
    for tree in (ready, own):
        del tree["title"], tree["mismatches"]
    assert own == ready


def test_a_sudden_increase_is_four_connections_or_other_packets() -> None:
    connections, cross = (grid.rush(Point("withdrawing", "a"), kind).build().tree["flow"] for kind in grid.RUSHES)
    assert connections["rush"]["from"] == ["es3", "es4", "es5", "es6"]
    assert list(connections["rush"]["transport"]["tp4"]["credit"]) == ["withdrawing_credit"]
    assert connections["rush"]["traffic"]["connections"]["inter_connection_time"] == {"constant": "2 min"}
    assert connections["data"]["traffic"]["connections"]["connection_duration"] == "unlimited"
    assert cross["rush"]["traffic"]["greedy"]["start"] == "2 min"
    assert cross["rush"]["access"]["rate"] == "32 kb/s"


# ---------------------------------------------------------------------------------------------- tables and the measures
def test_the_printed_power_has_one_misprint() -> None:
    assert TABLES["5-2"].misprints == {}
    ((strategy, (printed, true)),) = TABLES["5-1"].misprints.items()
    assert (strategy, printed) == ("none", 1.9357)
    assert true == pytest.approx(1.3957, abs=5e-5)


def test_tables_stand_side_by_side(runs: Runs) -> None:
    first, second = side_by_side(runs)
    assert "1.9357" in first.note
    assert "misprint" not in second.note
    assert len(first.columns) == 2 + 8 + 2
    assert [row[1] for row in first.rows] == [*(5 * ["printed", "ours"]), "ours"]
    assert first.rows[0][2:4] == ["3.2162", "4.4888"]
    assert str(first.rows[1][2]).startswith("3.21")
    assert "±" in str(first.rows[1][2])
    assert list(side_by_side(Runs())) == []


def test_a_swing_goes_from_1_up_and_back() -> None:
    assert swings([7, 3, 1, 2, 4, 5, 1, 3, 1, 6, 1], 4) == 2
    assert swings([1, 4, 0, 1, 2, 1], 4) == 0
    assert risen([7, 3, 1, 2, 3, 0, 6]) == 3
    assert risen([7, 5]) == 0
    assert summed([([1.0, 2.0], [3.0, 0.0]), ([1.0, 2.0], [0.0, 4.0])]) == ([1.0, 2.0], [3.0, 4.0])


def test_printed_values_within_3_per_cent_are_tied() -> None:
    def printed(measure: str, one: float, other: float) -> int:
        return side(measure, {0: one}, {0: other})

    assert printed("delay_mean_s", 1.0, 1.02) == 0
    assert (printed("delay_mean_s", 1.0, 1.05), printed("delay_mean_s", 1.05, 1.0)) == (-1, 1)
    assert (printed("success_once", 0.97, 0.99), printed("success_once", 0.98, 0.989)) == (-1, 0)
    assert (printed("discard_share", 0.0003, 0.0), printed("discard_share", 0.02, 0.0)) == (0, 1)


def test_what_was_run_is_apart_only_with_its_whole_interval() -> None:
    """The means differ by 10 % in both, the differences of the second by seed from -10 to +30 %."""
    others = dict.fromkeys(range(4), 1.0)
    assert side("delay_mean_s", dict.fromkeys(others, 1.1), others) == 1
    assert side("delay_mean_s", dict(enumerate((0.9, 1.3, 0.9, 1.3))), others) == 0
    assert no_less("delay_mean_s", dict.fromkeys(others, 0.98), others)
    assert not no_less("delay_mean_s", dict.fromkeys(others, 0.96), others)
    assert not no_less("delay_mean_s", dict(enumerate((0.9, 1.3, 0.9, 1.3))), others)


# -------------------------------------------------------------------------------------------------------- the verdicts
def verdict_on(name: str, runs: Runs) -> str:
    return verdict(CLAIMS[name], PREDICATES[name](runs))


def test_runs_as_the_paper_says_reproduce_every_claim(runs: Runs) -> None:
    require_match(list(CLAIMS.values()), PREDICATES)
    expected = dict.fromkeys(CLAIMS, "reproduced") | {"atn.throughput-magnitude": "by construction"}
    assert {name: verdict_on(name, runs) for name in CLAIMS} == expected


BREAKS: dict[str, tuple[str, Callable[[Point], bool], float, str]] = {
    "atn.delay": ("delay_mean_s", lambda p: p == Point("avoidance", "b"), 30.0, "partly"),
    "atn.throughput-order": ("accepted_per_s", lambda p: p == Point("none", "a"), 4.7, "partly"),
    "atn.retransmissions": ("success_all", lambda p: p == Point("none", "a"), 1.0, "partly"),
    "atn.throughput-magnitude": ("accepted_per_s", lambda p: True, 2.0, "not reproduced"),
    "atn.delay-magnitude": ("delay_mean_s", lambda p: p == Point("backoff", "b"), 14.0, "partly"),
    "atn.load-magnitude": (LOAD, lambda p: p == Point("avoidance", "b"), 25e3, "partly"),
    "atn.error-share": ("error_report_share", lambda p: p == Point("error", "a"), 0.5, "not reproduced"),
    "atn.error-share-few": ("error_report_share", lambda p: p == Point("error", "b"), 0.5, "not reproduced"),
    "atn.order-of-magnitude": ("delay_mean_s", lambda p: p == Point("none", "b"), 6.0, "not reproduced"),
    "atn.benefits": (LOAD, lambda p: p == Point("none", "b"), 1e3, "partly"),
    "atn.threshold": ("power", lambda p: p.strategy == "withdrawing" and p.ce_threshold == 216_000, 9.0, "partly"),
    "atn.beta": (LOAD, lambda p: p.decrease == 0.875, 1e3, "partly"),
    "atn.alike": ("delay_mean_s", lambda p: p.strategy == "withdrawing" and p.scenario == "a", 0.7, "partly"),
    "atn.mult": ("power", lambda p: p.scenario == "b" and p.multiple == 2, 9.0, "partly"),
    "atn.backoff": ("delay_mean_s", lambda p: p.strategy == "backoff" and p.scenario == "a", 9.0, "partly"),
    "atn.error": ("accepted_per_s", lambda p: p.scenario == "b" and p.error_share == 0.9, 0.4, "partly"),
}
"""A measure, the points that get another value of it, that value, and the resulting verdict."""


@pytest.mark.parametrize("name", BREAKS)
def test_predicates_follow_the_runs(name: str, runs: Runs) -> None:
    measure, concerned, value, expected = BREAKS[name]
    kept = {point: {seed: dict(values) for seed, values in by_seed.items()} for point, by_seed in runs.measures.items()}
    try:
        for point in filter(concerned, runs.measures):
            for values in runs.measures[point].values():
                values[measure] = value
        assert verdict_on(name, runs) == expected
    finally:
        runs.measures.clear()
        runs.measures.update(kept)


@pytest.mark.parametrize(
    ("name", "kind", "scenario", "expected"),
    [("reaction", "cross", "a", "partly"), ("oscillation", "watched", "b", "not reproduced")],
)
def test_series_are_judged(name: str, kind: str, scenario: str, expected: str, runs: Runs) -> None:
    """With the two receiver strategies exchanged: in one of two increases, and in the window's swings."""
    series = runs.of_kind(kind).series
    one, other = (Point(strategy, scenario) for strategy in grid.RECEIVER)
    series[one], series[other] = series[other], series[one]
    try:
        assert verdict_on(f"atn.{name}", runs) == expected
    finally:
        series[one], series[other] = series[other], series[one]


def test_full_buffers_never_empty_after_the_first_minute(runs: Runs) -> None:
    """The ten empty seconds at the start do not count; one later does."""

    def never() -> Clause:
        return next(each for each in clauses_of(PREDICATES["atn.backoff"](runs)) if "never empty" in each.text)

    assert never().holds
    queue = runs.of_kind("filled").series[Point("backoff", "a")][2][SCENARIOS["a"].bottleneck, "queue_bits"][1]
    kept, queue[100] = queue[100], 0.0
    try:
        assert not never().holds
    finally:
        queue[100] = kept


def test_fitted_cells_hold_by_construction_and_others_are_judged() -> None:
    for column, tables in FITTED.items():
        for number, strategies in tables.items():
            assert all(TABLES[number].value(strategy, column) > 0 for strategy in strategies)
    assert is_fitted(TABLES["5-1"], LOAD, "none")
    assert not is_fitted(TABLES["5-2"], LOAD, "avoidance")


def nothing_helps(runs: Runs) -> Runs:
    """The null model: every strategy and setting equals none at the same load, except for noise of 1 %."""
    made = Runs(wanted=runs.wanted)
    for point in runs.measures:
        none = Point("none", point.scenario, point.interproduction)
        for seed, values in runs.measures[none].items():
            noise = random.Random(f"{point}, seed {seed}")
            made.keep(point, seed, [(name, value * noise.uniform(0.99, 1.01)) for name, value in values.items()])
    for kind, kept in runs.apart.items():
        for point, seeds in kept.series.items():
            for seed in seeds:
                alike = readings(SeriesPoint(Point("avoidance", point.scenario), kind, {}))
                rows = [{**row, "value": 7.0} if row["quantity"] == "credit" else row for row in alike]
                made.of_kind(kind).add_series(point, seed, rows)
    return made


def test_claims_fail_where_no_strategy_helps(runs: Runs) -> None:
    """All claims about an order or a trend, except two.

    "The multiples are comparable" means that nothing differs, so it holds. The claim on backoff, except its comparison
    with the receiver strategies, is about backoff alone, and without any strategy delay and load also rise.
    """
    judged = [name for name, claim in CLAIMS.items() if claim.kind in ("order", "trend")]
    expected = {"atn.mult": "reproduced", "atn.backoff": "partly"}
    null = nothing_helps(runs)
    found = {name: verdict_on(name, null) for name in judged}
    assert {name: found[name] for name in expected} == expected
    assert {found[name] for name in judged if name not in expected} <= {"not reproduced", "too few replications"}


def test_seeds_are_those_that_a_claim_rests_on() -> None:
    made = Runs(wanted=20)
    for point, seeds in Reproduction(STUDY, None, 20).points():
        if isinstance(point, SeriesPoint):
            for seed in seeds:
                made.of_kind(point.kind).add_series(point.point, seed, readings(point))
    told = {name: judge(CLAIMS[name], PREDICATES[name](made)).seeds for name in ("atn.oscillation", "atn.reaction")}
    assert told == {"atn.oscillation": grid.WATCHED_SEEDS, "atn.reaction": 20}


def test_the_increase_tells_of_the_state_that_it_met(runs: Runs) -> None:
    note = judge(CLAIMS["atn.reaction"], PREDICATES["atn.reaction"](runs)).note
    assert "to a sum of 1.00 packets under withdrawing credit and 3.00 under congestion avoidance" in note


def test_missing_runs_are_named() -> None:
    for predicate in PREDICATES.values():
        with pytest.raises(MissingRunError, match=r"scenario [AB]|of the same seed"):
            predicate(Runs(wanted=3))


# --------------------------------------------------------------------------------------------------------- the figures
def test_all_figures(runs: Runs) -> None:
    assert [make(runs).name for (make,) in PAPER.values()] == ["table-5-1", "table-5-2"]
    names = [sheet.name for sheet in drawn(BESIDE, runs)]
    exercises = [f"exercise-{name}" for name in grid.EXERCISES]
    assert names[:7] == ["load-a", "load-b", *exercises]
    assert "oscillation" in names[-3:]
    assert names[-2:] == ["increase-connections", "increase-cross"]
    assert len(names) == 7 + 2 * len(exercises) + 5
    assert list(drawn(BESIDE, Runs(wanted=3))) == []


@pytest.mark.parametrize("figure", ["1", "5-3", "x"])
def test_a_figure_that_is_not_there_is_told(figure: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such figure"):
        studies.carry_out("atn", figure=figure, out=tmp_path)


@one_job_or_two
def test_one_table_gives_the_same_bytes_for_any_number_of_jobs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: tuple[int, ...]
) -> None:
    out = with_jobs("atn", tmp_path, capsys, jobs, figure="5-2", seeds=2)
    findings = json.loads((out / "claims.json").read_text(encoding="utf-8"))["claims"]
    assert [each["id"].removeprefix("atn.") for each in findings] == [
        "delay",
        "throughput-order",
        "retransmissions",
        "throughput-magnitude",
        "delay-magnitude",
        "load-magnitude",
        "error-share-few",
        "order-of-magnitude",
        "benefits",
    ]
    assert all("5-2" in each["figure"] for each in findings)
    assert not any("table 5-1" in each["note"] for each in findings)
    assert pl.read_parquet(out / "data" / "figures.parquet").height == 8 * 5 * 3
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "penstock reproduce atn --seeds 2 --figure 5-2" in page
    assert "Table 5-2" in page
