"""The satellite study: its ready files, its figures, and its predicates."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from noted import only

from penstock import studies
from penstock.api.run import Task, available_cores, run, run_all
from penstock.core.scenario import ready as ready_files
from penstock.plot import Sheet
from penstock.studies.claims import clauses_of, load_claims, require_match, verdict
from penstock.studies.drawing import drawn
from penstock.studies.framework import RARE, RARE_SEEDS, Reading, ReadPoint, Reproduction, ready
from penstock.studies.runs import FULL_SEEDS, MissingRunError, RunTables
from penstock.studies.satellite import STUDY
from penstock.studies.satellite.claims import PREDICATES
from penstock.studies.satellite.figures import BESIDE, PAPER, PLANS
from penstock.studies.satellite.grid import (
    ALTERNATIVE_SCENARIOS,
    ALTERNATIVES,
    CASES,
    FIGURES,
    MIXES,
    NOMINAL_KBPS,
    PEAK_BREAKERS,
    READINGS,
    Point,
    alternatives,
    case_points,
    contracts,
    grid,
    judged_points,
    largest,
    rare_points,
    series_points,
)
from penstock.studies.satellite.measures import Runs, condition, episodes, measure

CLAIMS = {claim.id: claim for claim in load_claims("penstock.studies.satellite")}
NOMINAL_BPS = {"video": 176e3, "voice": 16e3, "data": 250e3, "breaker": 400e3, "data_slow": 50e3}


def rows(point: Point, seed: int) -> RunTables:
    """Result tables of a study with results close to the thesis, without simulation."""
    draw = random.Random(f"{point.scenario} {point.n} {seed}")
    mix = MIXES[point.scenario]
    counts = mix.counts(mix.sizes.index(point.n))
    if point.case.endswith("breakers"):
        counts |= {"breaker": 3}
    if point.case == "nominal-rates":
        counts = {"data": 5, "data_slow": 5}
    offered = sum(counts[group] * NOMINAL_BPS[group] for group in counts) / 6e6
    most = 2.0 if point.scenario == 2 else 1.0  # data may exceed their nominal rate
    by_discards = min(most, 0.9 / offered)
    factor = {"1": 1.0, "3": by_discards, "push-out-discards": by_discards}.get(point.case, min(most, 0.79 / offered))
    by_case = {"1": 0.8, "3": 1e-3, "push-out-discards": 1e-3}
    share = by_case.get(point.case, 0.0) * max(0.0, offered - 1)
    groups, losses = [], []
    for group, flows in counts.items():
        load = flows * NOMINAL_BPS[group] * factor * draw.uniform(0.97, 1.0)
        if point.case == "nominal-rates":
            load = flows * 1.8e3 * NOMINAL_KBPS[group]
        sent = int(load * 180 / 424)
        lost = int(sent * share) + 9 * (group == "breaker" and point.case == "contract-breakers")
        has_files = group.startswith("data")
        is_slower = point.case in ("second-bucket", "bucket-breakers")
        groups.append(
            {
                "group": group,
                "flows": flows,
                "sent": sent,
                "delivered": sent - lost,
                "load_bps": load,
                "throughput_bps": load * (1 - share),
                "nominal_bps": flows * NOMINAL_BPS[group],
                "delay_mean_s": 0.285,
                "delay_p999_s": 0.3 if is_slower else 0.29,
                "over_jitter_limit": 3 * lost + 9 * is_slower,
                "obeyed_mild": 30,
                "obeyed_severe": 1,
                "transfer_mean_s": 16.7 / factor if has_files else None,
                "transfer_mean_all_s": 17.0 / factor if has_files else None,
                "fairness": 0.9,
            }
        )
        at = {"group": group, "control_discarded": 0, "notices_severe": 1}
        losses.append({"place": "satellite", "discarded": lost, "tagged": 0, "notices_mild": 40 * flows, **at})
        if group == "breaker":
            losses[-1]["notices_mild"] = 80 * flows + seed
        policed = sent * 2 // 3 if group == "breaker" else 0
        losses.append(
            {"place": f"policer/{group}", "discarded": policed, "tagged": sent // 50, "notices_mild": 0, **at}
        )
    satellite = {"port": "satellite", "utilisation": min(1.0, offered * factor), "discarded": 0, "queue_max": 22}
    ports = [satellite, {"port": "user_link", "utilisation": 0.2, "discarded": 0}]
    return RunTables({"groups": groups, "ports": ports, "losses": losses})


def series(point: Point) -> Iterator[dict[str, Any]]:
    level = 0.8
    for step in range(600):
        level = level + 0.01 if level < 0.95 else 0.7
        readings = {
            ("satellite", f"filtered.{name}"): level for name in ("total", "class_1", "class_2", "class_3", "class_4")
        }
        readings |= {("satellite", f"queue_{priority}"): 20.0 for priority in (0, 1)}
        readings |= {(f"{group}/1", "factor"): level for group in MIXES[point.scenario].groups}
        for (component, quantity), value in readings.items():
            yield {"time_s": step * 0.05, "component": component, "quantity": quantity, "value": value}


@pytest.fixture(scope="module")
def runs() -> Runs:
    made = Runs(wanted=3)
    for point in grid() + alternatives() + contracts():
        for seed in (1, 2, 3):
            measures = dict(measure(point, rows(point, seed)))
            made.keep(point, seed, measures.items())
            if point in rare_points():
                made.of_kind(RARE).keep(point, seed, measures.items())
    for each in series_points():
        made.of_kind("series").add_series(each.point, 1, series(each.point))
    return made


@pytest.fixture
def changed(runs: Runs) -> Iterator[Callable[[Point, str, Callable[[float], float]], None]]:
    """Changes a measure of all runs of a point, until the end of the test."""
    kept = [(table, copy.deepcopy(table.measures)) for table in (runs, runs.of_kind(RARE))]

    def change(point: Point, measure: str, new: Callable[[float], float]) -> None:
        for table, _ in kept:
            for values in table.measures.get(point, {}).values():
                values[measure] = new(values[measure])

    yield change
    for table, measures in kept:
        table.measures = measures


def thesis_figures(runs: Runs, numbers: Iterable[int]) -> list[Sheet]:
    return list(drawn([make for number in numbers for make in PAPER[str(number)]], runs))


def test_the_numbers_of_sources_are_those_of_the_thesis() -> None:
    assert MIXES[1].sizes == tuple(range(72, 121, 6))
    assert MIXES[2].sizes == tuple(range(15, 30, 2))
    assert MIXES[3].sizes == tuple(range(29, 114, 7))
    assert [mix.larger for mix in MIXES.values()] == [(108, 114, 120), (25, 27, 29), (85, 92, 99, 106, 113)]
    assert len(grid()) == 90


@pytest.mark.parametrize("scenario", MIXES)
def test_ready_files_hold_the_most_sources_and_the_traffic_of_all_cases(scenario: int) -> None:
    trees = [ready(largest(scenario, case).file).tree for case in CASES]
    mix = MIXES[scenario]
    for tree in trees:
        assert {group: flow["count"] for group, flow in tree["flow"].items()} == mix.counts(mix.points - 1)
        assert tree["duration"] == "3 min"
        assert [flow["traffic"] for flow in tree["flow"].values()] == [
            flow["traffic"] for flow in trees[0]["flow"].values()
        ]
    assert all(not flow["policers"] for flow in map(with_policers, trees[0]["flow"].values()))
    assert differences(trees[1], trees[2]) - {"title"} == {
        f"line.{name}.congestion_point.class_rates.rates" for name in ("user_link.reverse", "satellite", "ground")
    }


def with_policers(flow: dict[str, Any]) -> dict[str, Any]:
    return {"policers": [], **flow}


def differences(one: Any, other: Any, path: str = "") -> set[str]:
    """Paths at which two trees differ, down to where both are tables."""
    if isinstance(one, dict) and isinstance(other, dict):
        found: set[str] = set()
        for key in one.keys() | other.keys():
            found |= differences(one.get(key), other.get(key), f"{path}.{key}".removeprefix("."))
        return found
    return set() if one == other else {path}


CHANGED = {
    "push-out": ("queues",),
    "queue-length": ("congestion_point.class_rates", "congestion_point.queue_length"),
    "bucket-queue": ("policers",),
    "no-priorities": ("queues",),
    "forward-marking": ("congestion_point.class_rates.forward", "notification_point"),
    "stopping-sources": ("reaction_point.rate_factor", "reaction_point.stop"),
    "second-bucket": ("policers",),
    "long-interval": ("congestion_point.class_rates.interval",),
    "constant-video": ("flow.constant_video",),
    "contract-breakers": ("flow.breaker", "flow.video.count"),
}


@pytest.mark.parametrize("scenario", ALTERNATIVE_SCENARIOS)
@pytest.mark.parametrize("name", ALTERNATIVES)
def test_an_alternative_is_case_2_with_one_thing_changed(scenario: int, name: str) -> None:
    changed = differences(ready(largest(scenario, "2").file).tree, ready(largest(scenario, name).file).tree) - {"title"}
    assert changed
    assert [path for path in changed if not path.endswith(CHANGED[name])] == []


def test_every_ready_file_says_what_to_look_at() -> None:
    for name, file in ready_files().items():
        if name.startswith(("satellite/", "bench/")):
            text = file.read_text(encoding="utf-8")
            assert "# Look at: " in text.partition("title = ")[0], name


def test_every_claim_has_a_predicate_and_gets_a_verdict(runs: Runs) -> None:
    require_match(list(CLAIMS.values()), PREDICATES)
    for name, claim in CLAIMS.items():
        assert (verdict(claim, PREDICATES[name](runs)) == "not run") is False


def verdict_on(name: str, runs: Runs) -> str:
    return verdict(CLAIMS[name], PREDICATES[name](runs))


@pytest.mark.parametrize(
    ("name", "point", "measure"),
    [
        ("sat.s1c2.loss", Point(1, "2", 72), "lost.real_time"),
        ("sat.s1c2.jitter", Point(1, "2", 120), "over.real_time"),
        ("sat.s2c2.loss", Point(2, "2", 21), "lost.data"),
        ("sat.s3c2.data-loss", Point(3, "2", 113), "lost.data"),
        ("sat.user-link", Point(2, "1", 15), "lost.user_link"),
    ],
)
def test_one_cell_in_every_run_of_a_point_ends_a_zero(
    name: str, point: Point, measure: str, runs: Runs, changed: Callable[..., None]
) -> None:
    assert verdict_on(name, runs) == "reproduced"
    changed(point, measure, lambda _: 1.0)
    assert verdict_on(name, runs) == "not reproduced"


@pytest.mark.parametrize(
    ("name", "point", "measure"),
    [
        ("sat.s2c3.load", Point(2, "2", 29), "load"),
        ("sat.s3c3.load", Point(3, "2", 113), "load"),
        ("sat.s1c3.loss", Point(1, "1", 114), "loss"),
        ("sat.s2c2.transfer", Point(2, "2", 15), "transfer_mean_s"),
        ("sat.s2c3.transfer", Point(2, "2", 29), "transfer_mean_s"),
        ("sat.s3c2.transfer", Point(3, "2", 29), "transfer_mean_s"),
        ("sat.s3c3.transfer", Point(3, "3", 29), "transfer_mean_s"),
    ],
)
def test_half_of_a_sentence_is_not_all_of_it(
    name: str, point: Point, measure: str, runs: Runs, changed: Callable[..., None]
) -> None:
    """The number of the sentence stays as it is; what it is compared with becomes the opposite."""
    before = clauses_of(PREDICATES[name](runs))
    assert [clause.holds for clause in before] == [True]
    changed(point, measure, lambda value: 0.0 if name in ("sat.s1c3.loss", "sat.s2c3.transfer") else 10 * value + 1)
    assert [clause.holds for clause in clauses_of(PREDICATES[name](runs))] == [False]
    assert verdict_on(name, runs) != "reproduced"


@pytest.mark.parametrize(
    ("name", "point", "measure", "value", "expected"),
    [
        ("sat.s2c2.load", Point(2, "2", 15), "load", 0.6, "partly"),  # every N is judged, as in scenario 1
        ("sat.utilisation", largest(1, "2"), "utilisation", 0.3, "partly"),  # and every scenario
        ("sat.s1c3.loss", Point(1, "3", 72), "loss", 1e-4, "partly"),  # one N in the band is enough for a part
        ("sat.excess", contracts()[1], "rate.data_slow", 1.5e5, "not reproduced"),
        ("sat.contract-breakers", contracts()[0], "policed.breaker", 0.3, "partly"),
        ("sat.contract-breakers", contracts()[0], "loss.voice", 1e-4, "partly"),
        ("sat.contract-breakers", contracts()[0], "told.breaker", 1.0, "partly"),
        ("sat.second-bucket", largest(1, "second-bucket"), "delay.p999", 0.28, "partly"),
        ("sat.second-bucket", contracts()[2], "late.voice", 0.0, "partly"),
        ("sat.contract-breakers", largest(1, "contract-breakers"), "loss.breaker", 0.0, "partly"),
        ("sat.push-out", largest(3, "push-out"), "load", 0.5, "partly"),
        ("sat.push-out", contracts()[3], "loss", 0.0, "partly"),
    ],
)
def test_a_verdict_follows_one_point(
    name: str, point: Point, measure: str, value: float, expected: str, runs: Runs, changed: Callable[..., None]
) -> None:
    if name != "sat.s1c3.loss":
        assert verdict_on(name, runs) == "reproduced"
    changed(point, measure, lambda _: value)
    assert verdict_on(name, runs) == expected


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.name)
def test_each_reading_changes_what_it_says_at_every_point_that_has_it(reading: Reading[Point]) -> None:
    points = grid() + alternatives() + contracts()
    changed = [point for point in points if reading.changes(point)]
    assert all(point.scenario == 1 if reading.name == "mix" else point.case != "1" for point in changed)
    for point in {(point.scenario, point.case): point for point in changed}.values():
        assert differences(point.build().tree, ReadPoint(point, reading).build().tree)
    cases = {(point.scenario, point.case) for point in changed}
    assert bool(cases) is not bool(reading.instead)
    by_rates_alone = reading.name in ("single", "larger-share")
    assert ((3, "3") in cases) is (reading.name not in ("mix", "unfinished") and not by_rates_alone)
    needed = {(1, "1"), (1, PEAK_BREAKERS)} if reading.name == "mix" else {(2, "2"), (2, "nominal-rates")}
    assert reading.instead or needed <= cases


def test_other_readings_run_what_the_claims_read_and_no_more(runs: Runs) -> None:
    judged = {point for point, _ in judged_points() if isinstance(point, Point)}
    kept = runs.measures
    runs.measures = noted = only(kept, judged)
    try:
        verdicts = {name: verdict_on(name, runs) for name in CLAIMS}
    finally:
        runs.measures = kept
    assert verdicts == {name: verdict_on(name, runs) for name in CLAIMS}
    assert noted.read == judged


def test_the_other_mix_has_as_many_sources_and_fits_the_printed_start() -> None:
    (mix,) = (reading for reading in READINGS if reading.name == "mix")
    found = mix.changes(Point(1, "1", 72))
    assert (found["flow.video.count"], found["flow.voice.count"]) == (25, 47)
    for point in case_points(1, "2"):
        assert sum(mix.changes(point).values()) == point.n  # type: ignore[arg-type]


def test_full_runs_have_more_seeds_where_events_are_rare() -> None:
    wanted = {point: len(seeds) for point, seeds in Reproduction(STUDY, None, FULL_SEEDS).points()}
    assert {wanted[point] for point in case_points(3, "2")} == {RARE_SEEDS}
    assert {seeds for point, seeds in wanted.items() if point not in case_points(3, "2")} == {FULL_SEEDS}
    assert {len(seeds) for _, seeds in Reproduction(STUDY, None, 3).points()} == {3}
    assert {len(seeds) for _, seeds in Reproduction(STUDY, "40", 300).points()} == {300}


def test_the_condition_of_rare_events_is_told(runs: Runs) -> None:
    """Of 28 fair coins, 19 or more are heads with a probability of 0.0436."""
    assert "19 or more of the 28 video sources" in condition(runs)
    assert "4.36 %" in condition(runs)


def test_more_seeds_of_rare_events_are_kept_apart(tmp_path: Path) -> None:
    """With one seed wanted and two stored, the second counts for rare events alone."""
    results = studies.carry_out("satellite", figure="40", seeds=2, out=tmp_path, settings={"duration": "10 s"})
    study = Reproduction(STUDY, "40", 1)
    study.read(results)
    assert set(study.runs.measures[largest(3, "2")]) == {1}
    assert set(study.runs.of_kind(RARE).measures[largest(3, "2")]) == {1, 2}


@pytest.mark.parametrize(
    ("name", "case", "measure", "value", "expected"),
    [
        ("sat.s1.order", "3", "loss", 0.5, "partly"),
        ("sat.s1c3.load", "3", "load", 1.5, "not reproduced"),
        ("sat.s1c1.loss-max", "1", "loss", 0.01, "not reproduced"),
        ("sat.s1c1.load-max", "1", "nominal.video", 0.5, "not reproduced"),
    ],
)
def test_predicates_follow_the_runs(
    name: str, case: str, measure: str, value: float, expected: str, runs: Runs
) -> None:
    points = [Point(1, case, n) for n in MIXES[1].sizes]
    kept = {point: {seed: dict(values) for seed, values in runs.measures[point].items()} for point in points}
    assert verdict_on(name, runs) != expected
    try:
        for point in points:
            for values in runs.measures[point].values():
                values[measure] = value
        assert verdict_on(name, runs) == expected
    finally:
        runs.measures.update(kept)


def test_an_episode_is_a_fresh_excess_and_what_follows_it() -> None:
    times = [0.05 * step for step in range(60)]
    values = [0.8] * 20 + [0.95] * 4 + [0.85] * 4 + [0.95] + [0.8] * 31
    (found,) = episodes((times, values))
    assert found.start == 0.95
    assert found.lasts_s == pytest.approx(0.2)
    # from 0.1 s to 0.56 s after the start: two at 0.95, four at 0.85, one at 0.95, three at 0.8
    assert found.after == pytest.approx((2 * 0.95 + 4 * 0.85 + 0.95 + 3 * 0.8) / 10)


def test_missing_runs_are_named(runs: Runs) -> None:
    empty = Runs(wanted=3)
    for predicate in PREDICATES.values():
        with pytest.raises(MissingRunError, match="scenario"):
            predicate(empty)
    with pytest.raises(MissingRunError, match="scenario 1 case 2, N = 72"):
        runs.values("file size", Point(1, "2", 72))
    with pytest.raises(MissingRunError, match="a row of ports with port = trunk"):
        RunTables({"ports": [{"port": "link"}]}).row("ports", port="trunk")


def test_all_figures_of_the_thesis_and_those_beside(runs: Runs) -> None:
    sheets = thesis_figures(runs, PLANS)
    assert [sheet.name for sheet in sheets] == [f"figure-{number}" for number in range(11, 50)]
    for sheet in sheets:
        assert "3 seeds." in sheet.caption
        assert "too few seeds for an interval" not in sheet.caption
        places = {len(curve.points) for curve in sheet.panels[0].curves}
        assert places == {MIXES[FIGURES[int(sheet.name.removeprefix("figure-"))][0]].points}
    names = [sheet.name for sheet in drawn(BESIDE, runs)]
    assert {"fairness", "alternatives-1", "alternatives-3", "series-3-case-2", "marks-2-case-3"} <= set(names)


def test_captions_say_what_the_thesis_states_and_what_is_missing(runs: Runs) -> None:
    (sheet,) = thesis_figures(runs, [14])
    assert "13 %" in sheet.caption
    part = Runs(wanted=3)
    part.keep(largest(1, "1"), 1, measure(largest(1, "1"), rows(largest(1, "1"), 1)))
    (sheet,) = thesis_figures(part, [14])
    assert "INCOMPLETE: 1 of 27 runs" in sheet.caption
    assert not thesis_figures(part, [16])
    few = Runs(wanted=2)
    few.keep(largest(1, "1"), 1, measure(largest(1, "1"), rows(largest(1, "1"), 1)))
    (sheet,) = thesis_figures(few, [14])
    assert "from too few seeds for an interval" in sheet.caption


def test_load_figures_of_case_1_show_both_the_measured_and_the_analytic_load(runs: Runs) -> None:
    for number in (11, 32):
        (sheet,) = thesis_figures(runs, [number])
        exact = [curve.label for curve in sheet.panels[0].curves if curve.exact]
        assert exact == ["video, analytic", "voice, analytic", "sum, analytic"]


def test_the_cases_of_one_seed_draw_the_same_traffic() -> None:
    """Without congestion the control never acts, and every flow sends the same cells in every case."""
    sent = []
    for case in ("1", "2", "3"):
        few = ready(largest(1, case).file).with_({"duration": "10 s", "flow.voice.count": 10, "flow.video.count": 6})
        result = run(few, seed=4)
        assert result.ports["notices_mild"].sum() == 0
        sent.append(result.flows.select("flow", "sent").to_dicts())
    assert sent[0] == sent[1] == sent[2]


# Claims of zero that hold on each of twenty seeds. Those of scenario 3 are about rare events, and judged by 200
# replications of the full study: data cells are lost in the first seconds, when all sources start at once, and one seed
# in twenty, with 19 of its 28 video sources active at the start, sends some real-time cells over the jitter limit then.
ZEROS = {
    1: ["sat.s1c2.loss", "sat.s1c2.jitter"],
    2: ["sat.s2c2.loss"],
}


@pytest.mark.long
@pytest.mark.parametrize("scenario", ZEROS)
def test_case_2_keeps_its_zeros_for_twenty_seeds(scenario: int) -> None:
    points = {str(point): point for point in case_points(scenario, "2")}
    tasks = [Task(point.build().to_json(), seed, key=key) for key, point in points.items() for seed in range(1, 21)]
    found = Runs(wanted=20)
    for outcome in run_all(tasks, available_cores()):
        tables = {name: pl.DataFrame(outcome.tables[name]).to_dicts() for name in ("groups", "ports", "losses")}
        point = points[outcome.key]
        found.keep(point, outcome.seed, measure(point, RunTables(tables)))
    zeros = ZEROS[scenario]
    assert {name: verdict_on(name, found) for name in zeros} == dict.fromkeys(zeros, "reproduced")
