"""The EPRCA study: its points, its predicates, its figures, and the command for one figure."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from studied import one_job_or_two, with_jobs, written

from penstock import studies
from penstock.analyse.results import Results
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.core.scenario import ready as ready_files
from penstock.studies.claims import load_claims, require_match, verdict
from penstock.studies.drawing import drawn
from penstock.studies.eprca import STUDY, grid
from penstock.studies.eprca.claims import PREDICATES, round_trip_s
from penstock.studies.eprca.figures import BESIDE, PAPER, lead
from penstock.studies.eprca.grid import LAN, SCHEMES, WAN, Point
from penstock.studies.eprca.measures import Runs, averaged, correlation, measure, settling, total_allowed
from penstock.studies.framework import ReadPoint, Reproduction, SeriesPoint
from penstock.studies.runs import MissingRunError, RunTables

PAPERS = [make for makers in PAPER.values() for make in makers]
CLAIMS = {claim.id: claim for claim in load_claims("penstock.studies.eprca")}
SEEDS = (1, 2, 3)


# ------------------------------------------------------------------------------------ runs that agree with the paper
def outcome(point: Point) -> dict[str, float]:
    """Link use, longest and mean queue, and Jain's index of a run close to the paper."""
    if point.scheme == "plus":
        steep = 500 * math.exp(15 * (point.target - 0.85)) * (0.9 if point.video == "none" else 1.0)
        use = point.target - (0.005 if point.tau == LAN else 0.01)
        return {"use": use, "max": 40 + steep * point.tau, "mean": 10 + 50 * point.tau, "fairness": 0.9999}
    use = {"efci": 0.93, "bes": 0.975, "eds": 0.92 + 0.08 * (point.mrf - 0.25)}[point.scheme]
    if point.tau == LAN:
        use = 0.99
    longest = 250 + 120 * point.tau + 4 * point.connections
    return {"use": use, "max": longest, "mean": longest / 3, "fairness": 0.99}


def rows(point: Point, seed: int) -> RunTables:
    """Result tables of such a run."""
    draw = random.Random(f"{point} {seed}")
    made = {name: value * draw.uniform(0.9999, 1.0) for name, value in outcome(point).items()}
    longest = round(made["max"])
    fairness = made["fairness"] if point.connections > 1 else None
    groups: list[dict[str, Any]] = [
        {"group": "abr", "fairness": fairness, "throughput_bps": 100e6, "lost": 0},
        {"group": "video", "fairness": 1.0, "throughput_bps": 45e6, "lost": 0},
    ]
    queues = [
        {"port": "link", "priority": 0, "queue_max": 9, "queue_max_start": 9, "queue_mean": 1.0},
        {
            "port": "link",
            "priority": 1,
            "queue_max": longest // 2,
            "queue_max_start": longest,
            "queue_mean": made["mean"],
        },
    ]
    tables = {"groups": groups, "ports": [{"port": "link", "utilisation": made["use"]}], "queues": queues}
    times = [0.001 * step for step in range(1, 301)]
    return RunTables(tables, {("link", "major_reductions"): (times, [1000 * time_s for time_s in times])})


def readings(point: Point, interval_ms: float, end_ms: float) -> Iterator[dict[str, Any]]:
    """Rates opposite to an oscillating video; 2 ms after a start EPRCA++ has all rates equal."""
    for step in range(1, round(end_ms / interval_ms) + 1):
        at = step * interval_ms
        video = 45e6 + 20e6 * math.sin(at / 20)
        found = {
            ("link", "queue_1"): 100 + 50 * math.cos(at),
            ("link", "throughput_0"): video,
            ("link", "throughput_1"): 150e6 - video,
            ("abr", "acr.mean"): (150e6 - video) / 10,
        }
        started = min(10, 1 + int(at / 5))
        for number in range(1, 11):
            fair = 148e6 / started
            is_late = point.scheme != "plus" or at - 5 * (started - 1) < 2.0
            found[f"abr/{number}", "acr"] = fair * (1 + 0.3 * (number % 2)) if is_late and at < 60 else fair
        for (component, quantity), value in found.items():
            yield {"time_s": at / 1000, "component": component, "quantity": quantity, "value": value}


def make() -> Runs:
    return made_of(Reproduction(STUDY, None, 3).points())


def made_of(points: Sequence[tuple[Point | SeriesPoint[Point], Sequence[int]]]) -> Runs:
    made = Runs(wanted=3)
    for point, seeds in points:
        if isinstance(point, SeriesPoint):
            made.of_kind(point.kind).add_series(point.point, 1, readings(point.point, 0.25, 80.0))
            continue
        for seed in seeds:
            made.keep(point, seed, measure(point, rows(point, seed)))
            if point.is_drawn:
                made.add_series(point, seed, readings(point, 1.0, 300.0))
    return made


@pytest.fixture(scope="module")
def runs() -> Runs:
    return make()


# ------------------------------------------------------------------------------------------------------- what is run
def test_the_points_are_those_of_the_paper() -> None:
    for number, scheme, tau in [(2, "efci", LAN), (5, "plus", LAN), (7, "bes", WAN), (8, "eds", WAN)]:
        assert grid.figure_points(number) == [Point(scheme, tau)]
    assert grid.figure_points(9) == [Point("plus", WAN, 10, "even", 0.95)]
    assert len(grid.figure_points(10)) == 4
    assert {(point.scheme, point.video) for point in grid.figure_points(11)} == {("plus", "even"), ("plus", "none")}
    assert len(grid.figure_points(12)) == 5 * 6
    assert {(point.tau, point.connections) for point in grid.figure_points(13)} == {(LAN, n) for n in grid.NUMBERS}
    assert {(point.tau, point.connections) for point in grid.figure_points(14)} == {(WAN, n) for n in grid.NUMBERS}


def test_the_study_names_every_run_once() -> None:
    points = Reproduction(STUDY, None, 10).points()
    named = [(tuple(point.parameters.items()), seed) for point, seeds in points for seed in seeds]
    assert len(named) == len(set(named))
    point, _ = Reproduction(STUDY, None, 1).points()[0]
    assert isinstance(point, Point)
    assert STUDY.point_of({**point.parameters, "seed": 1}) == point


@pytest.mark.parametrize(
    ("point", "congestion", "air"),
    [
        (Point("efci", LAN, qt=500), {"qt": "500 PDUs"}, "53 kb/s"),
        (Point("bes", qt=50, dqt=150, air=27), {"qt": "50 PDUs", "dqt": "150 PDUs", "dpf": 0.875}, "27 kb/s"),
        (Point("eds", 5.0, mrf=0.5), {"dqt": "200 PDUs", "mrf": 0.5, "erf": 0.9375, "average": 0.0625}, "53 kb/s"),
        (Point("plus", target=0.85, er_written="forward"), {"target": 0.85, "er_written": "forward"}, None),
        (Point("plus", connections=50, fair_share="available"), {"fair_share": "available", "target": 0.95}, None),
    ],
)
def test_a_point_is_what_it_says(point: Point, congestion: dict[str, object], air: str | None) -> None:
    tree = point.build().tree
    link, abr = tree["line"]["link"], tree["flow"]["abr"]
    found = link["congestion_point"][SCHEMES[point.scheme].point]
    assert {name: found[name] for name in congestion} == congestion
    ((kind, source),) = abr["reaction_point"].items()
    assert (kind, source.get("air")) == ("eprca" if air else "tm40", air)
    assert (source["pcr"], source["mcr"], source["icr"], source["nrm"]) == ("156 Mb/s", "156 kb/s", "7.8 Mb/s", 32)
    assert source.get("rdf") == (256 if air else 0.0625)
    assert source.get("rif") == (None if air else 1.0)
    assert link["delay"] == abr["access"]["delay"]
    assert milliseconds(link["delay"]) + milliseconds(abr["access"]["delay"]) == pytest.approx(point.tau)
    assert (link["rate"], abr["access"]["rate"], abr["count"]) == ("156 Mb/s", "156 Mb/s", point.connections)
    assert (abr["priority"], tree["flow"]["video"]["priority"], len(link["queues"])) == (1, 0, 2)
    assert abr["traffic"]["greedy"]["stagger"] == "5 ms"
    assert "peer" not in abr
    assert (tree["duration"], tree["warm_up"]) == ("0.3 s", "50 ms")
    assert ("sample" in tree["measure"]) == point.is_drawn


def milliseconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"us": 1e-3, "ms": 1.0}[unit]


def test_video_is_even_or_a_burst_or_none() -> None:
    even, burst, none = (Point("bes", video=video).build().tree["flow"] for video in ("even", "burst", "none"))
    mpeg = even["video"]["traffic"]["mpeg"]
    assert (mpeg["mean"], mpeg["peak"], mpeg["frames_per_second"]) == ("4.5 Mb/s", "14.84 Mb/s", 30.0)
    assert even["video"]["count"] == 10
    assert mpeg["sending"]["burst"] == "even"
    assert burst["video"]["traffic"]["mpeg"]["sending"]["burst"] == "14.84 Mb/s"
    assert list(none) == ["abr"]


def test_every_ready_file_says_what_to_look_at() -> None:
    names = [name for name in ready_files() if name.startswith("abr/eprca-")]
    assert {f"abr/{scheme.file}" for scheme in SCHEMES.values()} <= set(names)
    for name in names:
        assert "# Look at: " in ready_files()[name].read_text(encoding="utf-8").partition("title = ")[0], name


# -------------------------------------------------------------------------------------------------------- the measures
def test_settling_is_when_rates_stay_together() -> None:
    times = [0.001 * step for step in range(1, 13)]
    first = [10.0] * 5 + [5.0] * 7
    rates = [(times, first), (times, [0.0] * 7 + [5.2] * 5)]
    assert settling(rates, 2, 0.1) == pytest.approx(0.003)
    assert settling(rates, 2, 0.01) is None
    assert total_allowed(rates)[1][3:6] == [10.0, 10.0, 5.0]
    assert total_allowed([(times, first), (times, [1.0] * 12)])[1][3:6] == [10.0, 11.0, 6.0]


def test_a_single_connection_has_no_index_of_fairness() -> None:
    alone, several = (dict(measure(point, rows(point, 1))) for point in (Point("bes", LAN, 1), Point("bes", LAN, 2)))
    assert several.keys() - alone.keys() == {"fairness"}


def test_a_correlation_is_that_of_means_from_50_ms_on() -> None:
    times = [0.001 * step for step in range(1, 301)]
    video = [math.sin(30 * at) if at > 0.05 else 99.0 for at in times]
    assert len(averaged((times, video))) == 50
    assert correlation(
        averaged((times, video)), averaged((times, [3 - 2 * value for value in video]))
    ) == pytest.approx(-1)
    assert correlation([1.0, 2.0], [5.0, 5.0]) == 0.0
    assert correlation([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]) == pytest.approx(0.5)


def test_a_round_trip_for_all_connections_by_hand() -> None:
    """2 ms there and back; 30 cells of 424 bits at 156 Mb/s; 32 cells at 14.82 Mb/s."""
    assert round_trip_s(10) == pytest.approx(2e-3 + 81.54e-6 + 915.52e-6, abs=1e-8)


# -------------------------------------------------------------------------------------------------------- the verdicts
def verdict_on(name: str, runs: Runs) -> str:
    return verdict(CLAIMS[name], PREDICATES[name](runs))


def test_runs_as_the_paper_says_reproduce_every_claim(runs: Runs) -> None:
    require_match(list(CLAIMS.values()), PREDICATES)
    assert {name: verdict_on(name, runs) for name in CLAIMS} == dict.fromkeys(CLAIMS, "reproduced")


BREAKS: dict[str, tuple[str, Callable[[Point], bool], float, str]] = {
    "epr.lan": ("queue_mean", lambda p: p == Point("bes", LAN), 1.0, "partly"),
    "epr.wan.use": ("utilisation", lambda p: p == Point("efci"), 0.99, "partly"),
    "epr.wan.explosion": ("longest_queue", lambda p: p == Point("plus"), 300.0, "not reproduced"),
    "epr.eds-major": ("major_reductions_per_s", lambda p: p == Point("eds"), 1.0, "partly"),
    "epr.eds-tuning": ("utilisation", lambda p: p.scheme == "eds" and p != Point("eds"), 0.9, "partly"),
    "epr.one-round": ("fairness", lambda p: p == grid.calm("efci"), 1.0, "partly"),
    "epr.target": ("longest_queue", lambda p: p.target == 0.85 and p.video == "none", 1500.0, "partly"),
    "epr.tau": ("longest_queue", lambda p: p == Point("eds"), 1500.0, "partly"),
    "epr.nvc": ("utilisation", lambda p: p == Point("bes", WAN, 50), 0.8, "partly"),
}


@pytest.mark.parametrize("name", CLAIMS)
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


def test_rates_that_settle_late_are_told(runs: Runs) -> None:
    point = grid.calm("plus")
    kept = runs.of_kind("steps").series[point]
    try:
        runs.of_kind("steps").series[point] = runs.of_kind("steps").series[grid.calm("bes")]
        assert verdict_on("epr.one-round", runs) == "partly"
    finally:
        runs.of_kind("steps").series[point] = kept


def test_missing_runs_are_named() -> None:
    for predicate in PREDICATES.values():
        with pytest.raises(MissingRunError, match=r"tau = [\d.]+ ms, N = \d+"):
            predicate(Runs(wanted=3))


# --------------------------------------------------------------------------------------------------- other readings
def test_each_other_reading_is_that_of_the_figures_and_changes_eprca_plus_plus_alone() -> None:
    lan = Point("plus", LAN)
    built = [ReadPoint(lan, each).build() for each in grid.OTHER_READINGS]
    assert built == [point.build() for point in grid.readings(lan).values()]
    for each in grid.OTHER_READINGS:
        assert [name for name in grid.FOUR if each.changes(Point(name))] == ["plus"]


def test_what_the_other_readings_run_answers_every_claim() -> None:
    read = made_of([(point, SEEDS[:most]) for point, most in grid.judged_points()])
    assert {name: verdict_on(name, read) for name in CLAIMS} == dict.fromkeys(CLAIMS, "reproduced")
    assert "with the fair share" not in str([PREDICATES[name](read) for name in CLAIMS])


# --------------------------------------------------------------------------------------------------------- the figures
def test_all_figures_of_the_paper_and_those_beside(runs: Runs) -> None:
    sheets = list(drawn(PAPERS, runs))
    assert [sheet.name for sheet in sheets] == [f"figure-{number}" for number in range(2, 15)]
    for sheet in sheets:
        assert "The paper on figure" in sheet.caption
        assert "3 seeds." in sheet.caption
    assert [sheet.name for sheet in drawn(BESIDE, runs)] == [
        *("map-lead-thresholds", "map-lead-rates", "map-use-thresholds", "map-use-rates", "map-queue-thresholds"),
        *(
            "map-queue-rates",
            "readings",
            "fair-share",
            "fair-share-number",
            "er-written",
            "burst",
            "without-video",
            "fairness",
            "steps",
        ),
    ]


def test_the_lead_of_the_bes_is_over_the_better_of_the_others(runs: Runs) -> None:
    assert lead(runs, Point("eds", mrf=0.95))[1] == pytest.approx(100 * (0.975 - 0.976), abs=0.02)
    assert lead(runs, Point("eds"))[1] == pytest.approx(100 * (0.975 - 0.93), abs=0.02)


def test_captions_say_what_is_missing(runs: Runs) -> None:
    part = Runs(wanted=3)
    part.measures[Point("bes", LAN, 20)] = runs.measures[Point("bes", LAN, 20)]
    (sheet,) = drawn(PAPERS, part)
    assert sheet.name == "figure-13"
    assert "INCOMPLETE: 3 of 105 runs" in sheet.caption
    assert [sheet.name for sheet in drawn(BESIDE, Runs(wanted=3))] == []


@pytest.mark.parametrize("figure", ["1", "15", "x"])
def test_a_figure_that_is_not_there_is_told(figure: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such figure"):
        studies.carry_out("eprca", figure=figure, out=tmp_path)


# ------------------------------------------------------------------------------------------------------- the real thing
@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same points, each for 60 ms."""
    for kind in (Point, SeriesPoint):
        build = kind.build

        def shorter(point: Any, build: Callable[[Any], Scenario] = build) -> Scenario:
            return build(point).with_({"duration": "60 ms"})

        monkeypatch.setattr(kind, "build", shorter)


@one_job_or_two
def test_one_figure_gives_the_same_bytes_for_any_number_of_jobs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: tuple[int, ...], short: None
) -> None:
    out = with_jobs("eprca", tmp_path, capsys, jobs, figure="11", seeds=2)
    assert len(written(out)) == 7
    findings = json.loads((out / "claims.json").read_text(encoding="utf-8"))["claims"]
    assert [finding["id"] for finding in findings] == ["epr.target"]
    assert pl.read_parquet(out / "data" / "figures.parquet").height == 3 * 18 * 2
    assert Results(out).about["complete"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "penstock reproduce eprca --seeds 2 --figure 11" in page
    assert "<svg" in page


@pytest.mark.parametrize("figure", ["2", "9"])
def test_figures_against_time_are_drawn_from_real_runs(figure: str, tmp_path: Path, short: None) -> None:
    study = Reproduction(STUDY, figure, 2)
    study.read(studies.carry_out("eprca", figure=figure, seeds=2, out=tmp_path))
    (sheet,) = study.sheets()
    rates, single, queue = sheet.panels
    assert [trace.label for trace in rates.traces] == ["ABR allowed", "video"]
    assert max(rates.traces[0].y) > 100
    assert 30 < max(rates.traces[1].y) < 149
    assert all(trace.x[0] >= 5 * (number - 1) for trace, number in zip(single.traces, (1, 4, 7, 10), strict=True))
    assert len(queue.traces) == 3
