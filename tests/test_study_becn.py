"""The BECN study: its points, its ideal model, its predicates, its figures, and the command as a whole."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from noted import Noted

from penstock import studies
from penstock.api.run import run
from penstock.core.errors import InputError
from penstock.core.scenario import ready as ready_files
from penstock.studies.becn import STUDY, grid
from penstock.studies.becn.claims import PREDICATES
from penstock.studies.becn.figures import BESIDE, PAPER
from penstock.studies.becn.grid import SCHEMES, Point
from penstock.studies.becn.measures import CELL_TIME_S, LINK_BPS, Growth, Runs, growth, measure, oscillation
from penstock.studies.claims import clauses_of, load_claims, require_match, verdict
from penstock.studies.drawing import drawn
from penstock.studies.framework import Reading, ReadPoint, Reproduction, SeriesPoint
from penstock.studies.runs import MissingRunError, RunTables, Trace
from penstock.truth import becn as ideal

CLAIMS = {claim.id: claim for claim in load_claims("penstock.studies.becn")}
SEEDS = (1, 2, 3)


# ------------------------------------------------------------------------------------ runs that agree with the paper
def outcome(point: Point) -> dict[str, float]:
    """Throughput, BECN share, mean and longest queue of a run close to the paper."""
    n, delay, period = point.sources, point.delay, point.filter_period
    if point.scheme in ("per-vc", "reserved"):
        above, far = point.threshold - 250, max(0, delay - 100)
        longest = point.threshold + 0.6 * delay
        return {"throughput": 0.9 + above / 5000 - far / 9000, "share": 65e-5 * n, "mean": longest / 2, "max": longest}
    if point.scheme == "halve-full":
        return {"throughput": 0.9, "share": 0.1, "mean": 200, "max": 400 + 40 * delay}
    if point.scheme == "stop":
        longest = (300 + 0.3 * (1 + period) * delay) * max(1.0, n / 20)
        return {"throughput": 0.87, "share": 0.06 / (1 + period), "mean": longest / 3, "max": longest}
    throughput = 0.69 + 0.03 * period if point.scheme == "halve" else 0.95
    share, mean, longest = 0.18 / (1 + period), 90 + 10 * period, 300 + 0.5 * (1 + period) * delay
    return {"throughput": throughput, "share": share, "mean": mean, "max": longest}


def rows(point: Point, seed: int) -> RunTables:
    """Result tables of such a run."""
    draw = random.Random(f"{point} {seed}")
    made = {name: value * draw.uniform(0.999, 1.001) for name, value in outcome(point).items()}
    notices = round(2_000_000 / made["throughput"] * made["share"])
    port = {
        "port": "output",
        "departed": 2_000_000,
        "utilisation": made["throughput"],
        "queue_mean": made["mean"],
        "queue_max": round(made["max"]),
        "queue_max_start": 5 * round(made["max"]),
        "notices_mild": notices,
        "discarded": 0,
    }
    group = {
        "group": "source",
        "flows": point.sources,
        "sent": 2_000_000,
        "delivered": 2_000_000,
        "lost": 0,
        "fairness": 0.99,
        "throughput_bps": made["throughput"] * (1 - 0.05 * point.reserved) * LINK_BPS,
        "obeyed_mild": notices // 2,
    }
    rates = SCHEMES[point.scheme].rates
    fair = min(round(math.log2(point.sources)), len(rates) - 2)
    shares = [{fair - 1: 0.3, fair: 0.4, fair + 1: 0.3}.get(level, 0.0) for level in range(len(rates))]
    levels = [
        {"group": "source", "level": level, "rate_share": rate, "share": share}
        for level, (rate, share) in enumerate(zip(rates, shares, strict=True))
    ]
    reserved = {"group": "reserved", "lost": 0, "delay_max_s": (point.delay + 3) * CELL_TIME_S}
    return RunTables({"groups": [group, reserved], "ports": [port], "levels": levels})


def series(each: SeriesPoint[Point], seed: int, end: int, rise: float = 0.0) -> Iterator[dict[str, Any]]:
    """A queue that oscillates, more slowly with a longer filter period, and rises by some cells from end to end."""
    period = 640.0 * (1 + each.point.filter_period % 100)
    sample = grid.SAMPLE if each.kind in ("watched", "pulse") else end // grid.GROWTH_SAMPLES
    for step in range(1, end // sample):
        at = step * sample
        phase = abs(((at + 7 * seed) / period) % 2 - 1)
        readings = {("output", "queue_0"): 300 * phase + rise * at / end, ("output", "notices"): at // 50}
        if each.kind == "watched":
            readings |= {(f"source/{source}", "level"): step % 3 for source in range(1, each.point.sources + 1)}
        for (component, quantity), value in readings.items():
            yield {"time_s": at * CELL_TIME_S, "component": component, "quantity": quantity, "value": value}


def queue(kind: str, *rises: float) -> dict[int, dict[tuple[str, str], Trace]]:
    """The queue of three long runs, each with its rise from end to end."""
    each = grid.growing(Point("halve", 20, 50, 4), kind)
    made = Runs(wanted=3)
    for seed, rise in zip(SEEDS, rises or (0.0, 0.0, 0.0), strict=True):
        made.add_series(each.point, seed, series(each, seed, grid.GROWTH[kind] * grid.GROWTH_END["halve"], rise))
    return made.series[each.point]


def make(points: Iterable[Point | SeriesPoint[Point]]) -> Runs:
    made = Runs(wanted=3)
    ends = {"watched": grid.WATCHED_END, "pulse": grid.PULSE_END}
    queues = {kind: queue(kind) for kind in grid.GROWTH}
    for point in points:
        if isinstance(point, SeriesPoint) and point.kind in grid.GROWTH:
            made.of_kind(point.kind).series[point.point] = queues[point.kind]
        elif isinstance(point, SeriesPoint):
            for seed in (1,) if point.kind == "watched" else SEEDS:
                made.of_kind(point.kind).add_series(point.point, seed, series(point, seed, ends[point.kind]))
        else:
            for seed in SEEDS:
                made.keep(point, seed, measure(point, rows(point, seed)))
    return made


@pytest.fixture(scope="module")
def runs() -> Runs:
    return make(point for point, _ in grid.points(None))


# ----------------------------------------------------------------------------------------------------- the ideal model
def test_the_ideal_model_by_hand() -> None:
    """250 + 0.6 D; (Qmax - 1)(1/0.30 + 1/0.35) = (Qmax - 1) 130/21; N over that; (Qmax + 1)/2."""
    assert [ideal.greatest_queue(250, delay) for delay in (0, 50, 100)] == pytest.approx([250, 280, 310])
    assert ideal.period(250, 0) == pytest.approx(249 * 130 / 21)
    assert ideal.period(250, 100) == pytest.approx(1912.857, abs=1e-3)
    assert [ideal.mean_queue(250, delay) for delay in (0, 100)] == pytest.approx([125.5, 155.5])
    assert ideal.notice_share(20, 250, 100) == pytest.approx(0.0104556, abs=1e-7)


@pytest.mark.parametrize(("threshold", "delay"), [(250, 0), (250, 35), (100, 100)])
def test_the_ideal_model_against_its_own_story_told_step_by_step(threshold: float, delay: float) -> None:
    """The fluid of 1.3, then 0.65 a round trip after the threshold is passed, until one cell is left."""
    step, queue, time, area, passed, longest = 0.01, 1.0, 0.0, 0.0, math.inf, 0.0
    while time < passed + 2 * delay or queue > 1.0:
        rate = 1.3 if time < passed + 2 * delay else 0.65
        area += queue * step
        queue += (rate - 1) * step
        time += step
        longest = max(longest, queue)
        if queue >= threshold and passed == math.inf:
            passed = time
    assert longest == pytest.approx(ideal.greatest_queue(threshold, delay), rel=1e-3)
    assert time == pytest.approx(ideal.period(threshold, delay), rel=1e-3)
    assert area / time == pytest.approx(ideal.mean_queue(threshold, delay), rel=1e-3)


# ------------------------------------------------------------------------------------------------------- what is run
def test_the_points_are_those_of_the_paper() -> None:
    assert [len(grid.figure_points(figure)) for figure in (2, 3, 4)] == [5 * 11, 4 * 11, 6 * 11]
    figure_2, figure_3, figure_4 = map(grid.figure_points, (2, 3, 4))
    assert {(point.sources, point.threshold) for point in figure_2} == {(20, 250)}
    assert {(point.sources, point.threshold) for point in figure_3} == {(5, 250)}
    assert {(point.filter_period, point.threshold) for point in figure_4} == {(768, 250)}
    assert {point.sources for point in figure_4} == {2, 5, 10, 20, 50, 100}
    assert {point.delay for point in figure_2 + figure_3 + figure_4} == set(range(0, 101, 10))
    assert SCHEMES["halve"].rates == (0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0)
    assert SCHEMES["per-vc"].rates[-2:] == (2**-7, 0.0)


def test_the_study_names_every_run_once() -> None:
    points = Reproduction(STUDY, None, 5).points()
    named = [(tuple(point.parameters.items()), seed) for point, seeds in points for seed in seeds]
    assert len(named) == len(set(named))
    assert len(Reproduction(STUDY, "3", 5).points()) == 44


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (
            Point("halve", 20, 30, 4),
            {"peak": 0.25, "levels": 6, "on_notice": "halve", "recovery": {"own_cells": 128}, "phase": 4},
        ),
        (
            Point("halve-output", 20, 30, 0),
            {"peak": 0.25, "levels": 6, "on_notice": "halve", "recovery": {"constant": 128}, "phase": 4},
        ),
        (
            Point("halve-full", 20, 30, 1),
            {"peak": 1.0, "levels": 6, "on_notice": "halve", "recovery": {"constant": 128}, "phase": 128},
        ),
        (
            Point("stop", 5, 100, 8),
            {"peak": 1.0, "levels": 6, "on_notice": "stop", "recovery": {"constant": 256}, "phase": 256},
        ),
        (
            Point("per-vc", 100, 0, 768),
            {"peak": 1.0, "levels": 9, "on_notice": "halve", "recovery": {"by_level": (768, 3072)}, "phase": 768},
        ),
        (
            Point("per-vc", 10, 0, 192, order="fixed"),
            {"peak": 1.0, "levels": 9, "on_notice": "halve", "recovery": {"by_level": (192, 768)}, "phase": 768},
        ),
    ],
)
def test_a_point_is_what_the_specification_says(point: Point, expected: dict[str, Any]) -> None:
    tree = point.build().tree
    source, output = tree["flow"]["source"], tree["line"]["output"]
    reaction = source["reaction_point"]["becn"]
    found: dict[str, Any] = {name: reaction[name] for name in ("peak", "levels", "on_notice")}
    ((kind, value),) = reaction["recovery"].items()
    if kind == "by_level":
        value = (cells(value["lowest"]), cells(value["highest"]))
    elif kind == "constant":
        value = cells(value)
    found |= {"recovery": {kind: value}, "phase": cells(source["traffic"]["greedy"]["phase"])}
    assert found == expected
    assert (source["count"], cells(source["access"]["delay"])) == (point.sources, point.delay)
    assert cells(source["traffic"]["greedy"]["phase_step"]) == 1
    assert output["order"] == point.order
    becn = output["congestion_point"]["becn"]
    ((name, parameters),) = becn["filter"].items()
    assert (becn["threshold"], name) == ("250 PDUs", "per_vc" if point.scheme == "per-vc" else "simple")
    assert cells(parameters["period"]) == point.filter_period
    assert tree["stop"] == {"port": "output", "departures": 2_000_000}
    assert cells(tree["warm_up"]) == (1_500_000 if point.scheme == "per-vc" else 500_000)


def cells(text: str) -> int:
    """A time as the engine writes it, in cell times of 2.73 us."""
    number, unit = text.split(maxsplit=1)
    if unit.startswith("cell time"):
        return int(number)
    found = float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}.get(unit, 1e-12) / CELL_TIME_S
    assert found == pytest.approx(round(found), abs=1e-6)
    return round(found)


def test_every_ready_file_says_what_to_look_at() -> None:
    names = [name for name in ready_files() if name.startswith("atm_lan/")]
    assert {f"atm_lan/{scheme.file}" for scheme in SCHEMES.values()} <= set(names)
    for name in names:
        text = ready_files()[name].read_text(encoding="utf-8")
        assert "# Look at: " in text.partition("title = ")[0], name


# -------------------------------------------------------------------------------------------------------- the verdicts
def verdict_on(name: str, runs: Runs) -> str:
    return verdict(CLAIMS[name], PREDICATES[name](runs))


def test_runs_as_the_paper_says_reproduce_every_claim(runs: Runs) -> None:
    require_match(list(CLAIMS.values()), PREDICATES)
    assert {name: verdict_on(name, runs) for name in CLAIMS} == dict.fromkeys(CLAIMS, "reproduced")


def test_other_readings_run_what_the_claims_read_and_no_more() -> None:
    judged = [point for point, _ in grid.judged_points()]
    made = make(judged)
    made.measures = noted = Noted(made.measures)
    assert {name: verdict_on(name, made) for name in CLAIMS} == dict.fromkeys(CLAIMS, "reproduced")
    assert noted.read == {point for point in judged if not isinstance(point, SeriesPoint)}


Changed = Callable[[Point, float], float]


def at(value: float) -> Changed:
    return lambda _point, _old: value


BREAKS: dict[str, tuple[str, Callable[[Point], bool], Changed, str]] = {
    "becn.none.share": ("notice_share", lambda p: p.scheme == "halve", at(0.25), "not reproduced"),
    "becn.none.queue": ("queue_max", lambda p: p.scheme == "halve", at(700.0), "not reproduced"),
    "becn.fig2.throughput": ("utilisation", lambda p: p.scheme == "halve", at(0.9), "not reproduced"),
    "becn.fig2.filter": ("notice_share", lambda p: p.scheme == "halve", lambda p, _: 0.01 * p.filter_period, "partly"),
    "becn.fig2.why": ("queue_mean", lambda p: p.scheme == "halve", lambda p, _: 200.0 - p.filter_period, "partly"),
    "becn.simple.full-rate": (
        "queue_max",
        lambda p: p.scheme == "halve-full" and p.filter_period == 1,
        at(450.0),
        "partly",
    ),
    "becn.fig3.throughput": ("utilisation", lambda p: p.scheme == "stop" and p.filter_period == 2, at(0.7), "partly"),
    "becn.fig3.share": ("notice_share", lambda p: p.scheme == "stop", at(0.2), "not reproduced"),
    "becn.fig3.short": ("queue_max", lambda p: p.scheme == "stop", at(900.0), "not reproduced"),
    "becn.fig3.sources": ("notice_share", lambda p: p.scheme == "stop", at(0.3), "partly"),
    "becn.fig4.share-20": ("notice_share", lambda p: p.scheme == "per-vc", at(0.03), "not reproduced"),
    "becn.fig4.share-100": ("notice_share", lambda p: p.scheme == "per-vc", at(0.12), "not reproduced"),
    "becn.fig4.per-source": ("notice_share.each", lambda p: p.sources == 2, at(0.003), "partly"),
    "becn.fig4.throughput": ("utilisation", lambda p: p.sources in (50, 100), at(0.7), "not reproduced"),
    "becn.fig4.mean-queue": ("queue_mean", lambda p: p.sources == 100, at(300.0), "partly"),
    "becn.fig4.max-queue": ("queue_max", lambda p: p.sources == 20 and p.delay == 100, at(450.0), "partly"),
    "becn.fig4.model": ("notice_share", lambda p: p.sources == 5, at(0.006), "partly"),
    "becn.fig4.toggle": ("fairness", lambda p: p.sources == 50, at(0.7), "partly"),
    "becn.threshold": ("utilisation", lambda p: p.threshold == 500, at(0.5), "partly"),
    "becn.long": ("utilisation", lambda p: p.delay > 100, at(0.6), "partly"),
    "becn.reserved": ("through", lambda p: p.scheme == "reserved", at(9.0), "partly"),
    "becn.lossless": ("lost", lambda p: p == Point("stop", 5, 50, 2), at(1.0), "not reproduced"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_predicates_follow_the_runs(name: str, runs: Runs) -> None:
    measure, concerned, change, expected = BREAKS[name]
    kept = {point: {seed: dict(values) for seed, values in by_seed.items()} for point, by_seed in runs.measures.items()}
    try:
        for point in filter(concerned, runs.measures):
            for values in runs.measures[point].values():
                values[measure] = change(point, values[measure])
        assert verdict_on(name, runs) == expected
    finally:
        runs.measures.clear()
        runs.measures.update(kept)


def test_a_reserved_connection_is_not_notified_and_stands_before_best_effort() -> None:
    """Beside ten connections half of the link is left. Their cells wait for one another only, without notices."""
    changes = {"duration": "40000 cell times", "warm_up": "20000 cell times", "stop": None}
    found = run(grid.reserving(10)[0].build().with_(changes))
    reserved = found.groups.row(by_predicate=pl.col("group") == "reserved", named=True)
    source = found.groups.row(by_predicate=pl.col("group") == "source", named=True)
    assert reserved["throughput_bps"] / LINK_BPS == pytest.approx(0.5, abs=1e-3)
    assert 1 <= reserved["delay_max_s"] / CELL_TIME_S <= 11
    assert source["delay_max_s"] / CELL_TIME_S > 100
    told = {row["group"]: row["notices_mild"] for row in found.losses.filter(place="output").to_dicts()}
    assert told.get("reserved", 0) == 0 < told["source"]


@pytest.mark.parametrize("reading", grid.READINGS, ids=lambda reading: reading.name)
def test_each_reading_changes_what_it_says_and_builds(reading: Reading[Point]) -> None:
    points = [point for point, _ in grid.points(None) if not isinstance(point, SeriesPoint)]
    changed = [point for point in points if reading.changes(point)]
    assert changed
    for point in {point.scheme: point for point in changed}.values():
        assert ReadPoint(point, reading).build().to_json() != point.build().to_json()


GROWING = Point("halve", 20, 100, 8)


@pytest.mark.parametrize(
    ("usual", "long", "lossless", "useful"),
    [
        ((990.0, 1000.0, 1010.0), (2970.0, 3000.0, 3030.0), "not reproduced", "partly"),
        ((61.0, 62.0, 63.0), (0.0, -3.0, 3.0), "reproduced", "reproduced"),  # a transient: not in the long runs
        ((0.0, 0.0, 3000.0), (0.0, 0.0, 9000.0), "too few replications", "too few replications"),  # one run of three
    ],
)
def test_a_queue_that_grows_without_end_is_no_lossless_scheme(
    usual: tuple[float, ...], long: tuple[float, ...], lossless: str, useful: str, runs: Runs
) -> None:
    kept = {kind: runs.of_kind(kind).series[GROWING] for kind in grid.GROWTH}
    try:
        for kind, rises in zip(grid.GROWTH, (usual, long), strict=True):
            runs.of_kind(kind).series[GROWING] = queue(kind, *rises)
        assert verdict_on("becn.lossless", runs) == lossless
        assert verdict_on("becn.fig2.filter", runs) == useful
    finally:
        for kind in grid.GROWTH:
            runs.of_kind(kind).series[GROWING] = kept[kind]


def test_the_growth_of_a_queue_is_the_slope_of_its_peaks() -> None:
    """A saw of 50 cells that rises by 80 cells from the middle to the end of the run, and by none; and a short run."""
    times = [float(step) for step in range(4000)]
    values = [step % 50 + max(0.0, step - 2000) * 80 / 2000 for step in range(4000)]
    found = growth((times, values))
    assert found.rise == pytest.approx(80)
    assert found.mean == pytest.approx(49 + 42, abs=0.1)  # the mean of the line is 40 cells, at the peaks 2 more
    assert growth((times, [float(step % 50) for step in range(4000)])) == Growth(mean=49.0, rise=0.0)
    with pytest.raises(MissingRunError, match="at least 40 readings"):
        growth((times[:38], values[:38]))


@pytest.mark.parametrize(("measure", "value"), [("utilisation", 0.84), ("queue_max", 501.0), ("notice_share", 0.051)])
def test_a_short_delay_needs_all_three_conditions_and_its_clauses_say_for_which_numbers(
    measure: str, value: float, runs: Runs
) -> None:
    kept = {point: {seed: dict(values) for seed, values in by_seed.items()} for point, by_seed in runs.measures.items()}
    try:
        for point in runs.measures:
            if point.scheme == "stop" and point.sources in (2, 20) and point.delay == 10:  # one delay is enough
                for values in runs.measures[point].values():
                    values[measure] = value
        evidence = PREDICATES["becn.fig3.short"](runs)
        held = [clause.text.partition(":")[0] for clause in clauses_of(evidence) if clause.holds]
        assert held == ["N = 5", "N = 7", "N = 8", "N = 10"]
        assert verdict(CLAIMS["becn.fig3.short"], evidence) == "partly"
    finally:
        runs.measures.clear()
        runs.measures.update(kept)


@pytest.mark.parametrize(
    "point", [Point("stop", 10, 30, 4), Point("per-vc", 20, 0, 768), Point("halve-full", 20, 0, 1)]
)
def test_sources_at_the_full_rate_start_at_random_moments(point: Point) -> None:
    """Within a cell time all of them would start in one slot, and each send 40 cells, with any seed."""
    changes = {"duration": "40 cell times", "warm_up": "0 cell times", "stop": None}
    sent = [int(run(point.build().with_(changes), seed=seed).groups["sent"][0]) for seed in (1, 2, 3)]
    assert max(sent) < 20 * point.sources
    assert len(set(sent)) == 3


def test_three_quarters_of_the_points_are_mostly(runs: Runs) -> None:
    """Sixteen of 66 points below 80 % are at most a quarter; seventeen are too many."""
    points = [point for sources in grid.PER_VC_SOURCES for point in grid.per_vc(sources)]
    kept = {point: {seed: dict(values) for seed, values in runs.measures[point].items()} for point in points}
    try:
        for number, point in enumerate(points[:17]):
            assert verdict_on("becn.fig4.throughput", runs) == "reproduced", number
            for values in runs.measures[point].values():
                values["utilisation"] = 0.7
        assert verdict_on("becn.fig4.throughput", runs) == "not reproduced"
    finally:
        runs.measures.update(kept)


def test_the_period_of_an_oscillation_leaves_out_the_play_of_single_cells() -> None:
    times = [32.0 * step for step in range(4000)]
    values = [100 * abs((time / 960) % 2 - 1) + 5 * (-1) ** step for step, time in enumerate(times)]
    assert oscillation((times, values)) == pytest.approx(1920, rel=0.01)
    assert oscillation((times, [5.0] * len(times))) is None


def test_missing_runs_are_named() -> None:
    empty = Runs(wanted=3)
    for predicate in PREDICATES.values():
        with pytest.raises(MissingRunError, match=r"N = \d+, D = \d+, F = \d+"):
            predicate(empty)


# --------------------------------------------------------------------------------------------------------- the figures
def test_all_figures_of_the_paper_and_those_beside(runs: Runs) -> None:
    sheets = [make(runs) for makers in PAPER.values() for make in makers]
    assert [sheet.name for sheet in sheets] == ["figure-2", "figure-3", "figure-4"]
    for sheet in sheets:
        assert "The paper on figure" in sheet.caption
        assert "3 seeds." in sheet.caption
        assert {len(curve.points) for panel in sheet.panels for curve in panel.curves} == {11}
    dashed = {curve.label for panel in sheets[2].panels for curve in panel.curves if curve.exact}
    assert dashed == {"ideal model, any N", *(f"ideal, N = {n}" for n in grid.PER_VC_SOURCES)}
    names = [sheet.name for sheet in drawn(BESIDE, runs)]
    assert names == [
        *("levels", "recovery", "full-rate", "few-sources", "threshold", "long-delays", "fairness", "start-up"),
        *("start-up-map", "map-simple", "map-per-vc", "order"),
        *(f"series-{name}" for name in grid.WATCHED),
        "series-start",
    ]


def test_captions_say_what_is_missing(runs: Runs) -> None:
    part = Runs(wanted=3)
    point = Point("stop", 5, 20, 4)
    part.measures[point] = {1: runs.measures[point][1]}
    (sheet,) = drawn([make for makers in PAPER.values() for make in makers], part)
    assert "INCOMPLETE: 1 of 132 runs" in sheet.caption
    assert [sheet.name for sheet in drawn(BESIDE, Runs(wanted=3))] == []


@pytest.mark.parametrize("figure", ["1", "5", "x"])
def test_a_figure_that_is_not_there_is_told(figure: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such figure"):
        studies.carry_out("becn", figure=figure, out=tmp_path)
