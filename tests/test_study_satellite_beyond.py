"""The thesis' future work: its variants of the satellite study's scenarios, measures, predicates and figures."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest
from studied import filled, made_once, moved_parts

from penstock import run
from penstock.studies.claims import Clauses, NotRun, load_claims, require_match
from penstock.studies.drawing import drawn
from penstock.studies.framework import ready
from penstock.studies.orders import constant
from penstock.studies.predicates import evidence_of
from penstock.studies.runs import RunTables
from penstock.studies.satellite.grid import CASES, MIXES
from penstock.studies.satellite_beyond import STUDY
from penstock.studies.satellite_beyond.claims import PREDICATES, relation
from penstock.studies.satellite_beyond.figures import CLAIMS, PAPER, printed
from penstock.studies.satellite_beyond.grid import (
    LOADS,
    PARTS,
    QUESTIONS,
    REPEATS,
    STATIONS,
    VARIANTS,
    Point,
    at,
    larger,
    points,
    scaled,
    stations,
    three_sizes,
)
from penstock.studies.satellite_beyond.measures import BELOW, Runs, measure

BPS = {"video": 176e3, "voice": 16e3, "data": 250e3}


def rows(point: Point, seed: int) -> RunTables:
    """Result tables with some loss in cases 1 and 3, without simulation."""
    draw = random.Random(f"{point} {seed}")
    share = {"1": 0.1, "2": 0.0, "3": 1e-3}[point.case] * draw.uniform(0.9, 1.1)
    groups, losses, slowdowns = [], [], []
    parts = [f"_{part}" for part in point.parts] or [""]
    for kind, count in point.counts.items():
        for part in parts:
            name, sent = f"{kind}{part}", 1000 * count
            again = int(sent * share) if point.variant in ("cells", "frames") else None
            groups.append(
                {
                    "group": name,
                    "flows": count,
                    "sent": sent,
                    "delivered": sent - int(sent * share),
                    "load_bps": count * BPS[kind],
                    "throughput_bps": count * BPS[kind] * (1 - share),
                    "nominal_bps": count * BPS[kind],
                    "over_jitter_limit": int(sent * share),
                    "transfers": 10 if kind == "data" else None,
                    "transfer_mean_all_s": 16.0 * (1 + share * (again is not None)) if kind == "data" else None,
                    "retransmitted": again,
                    "transmitted": None if again is None else sent - again,
                    "accepted": None if again is None else sent - 2 * int(sent * share),
                }
            )
            losses.append({"place": "satellite", "group": name, "discarded": int(sent * share)})
            for tenth in range(1, 11):
                below = {"share": 0.02 * tenth, "sessions_ever": 0.5, "sessions_mostly": 0.1}
                slowdowns.append({"group": name, "below": tenth / 10, **below})
    ports: list[dict[str, Any]] = [
        {"port": name, "rate_bps": 6e6, "utilisation": 0.8, "discarded": 0}
        for name in ("satellite", "satellite_second", "satellite_west", "user_link")
    ]
    return RunTables({"groups": groups, "ports": ports, "losses": losses, "slowdowns": slowdowns})


@pytest.fixture(scope="module")
def runs() -> Runs:
    return filled(Runs(wanted=3), made_once(points, QUESTIONS), lambda point, seed: measure(point, rows(point, seed)))


def test_each_run_is_made_once_and_questions_share_those_of_the_thesis() -> None:
    found = made_once(points, QUESTIONS)
    assert {point.variant for point in found} == VARIANTS.keys()


def test_true_sizes_have_so_many_times_the_sources_and_the_cells() -> None:
    # 15 x 7.5 is 112.5: a half is rounded up.
    assert [scaled(count) for count in (15, 16, 512)] == [113, 120, 3840]
    tree = Point(3, "2", 57, "true-queues").build().tree
    assert {name: flow["count"] for name, flow in tree["flow"].items()} == {"video": 150, "voice": 210, "data": 68}
    assert [tree["line"][name]["rate"] for name in ("user_link", "satellite", "ground")] == [
        "155 Mb/s",
        "45 Mb/s",
        "155 Mb/s",
    ]
    assert tree["line"]["satellite"]["queues"][0]["clp_threshold"] == {"size": "3840 PDUs", "threshold": "1920 PDUs"}
    assert tree["line"]["user_link"]["queues"][1]["drop_tail"] == {"size": "37500 PDUs"}
    printed_queues = Point(3, "2", 57, "true").build().tree["line"]
    thesis = ready("satellite/3-case-2").tree["line"]
    assert all(printed_queues[name]["queues"] == thesis[name]["queues"] for name in thesis)
    assert tree["line"]["satellite"]["congestion_point"] == thesis["satellite"]["congestion_point"]


@pytest.mark.parametrize("scenario", MIXES)
def test_each_of_two_links_has_the_mix_of_the_thesis(scenario: int) -> None:
    point = at(scenario, "2", "two-links")
    flows = point.build().tree["flow"]
    for link in (("router", "middle"), ("middle", "station")):
        counts: dict[str, int] = {}
        for name, flow in flows.items():
            if link in zip(flow["path"], flow["path"][1:], strict=False):
                kind = name.partition("_")[0]
                counts[kind] = counts.get(kind, 0) + flow["count"]
        assert counts == point.counts
    for kind, count in point.counts.items():
        assert flows[f"{kind}_through"]["count"] == count // 2


def test_timers_use_the_round_trip_of_the_own_path() -> None:
    """Slow start rises once in 1.1 s over two satellite links, and once in 0.56 s over one."""
    starts = {f"flow.data_{part}.traffic.file_transfer.active_at_start": 1.0 for part in PARTS}
    scenario = at(2, "1", "two-links").build().with_({"duration": "4 s", "measure.sample": "10 ms", **starts})
    series = run(scenario).series.filter(quantity="factor").sort("time_s")
    for part, expected in (("through", [1.1, 2.2, 3.3]), ("second", [0.56, 1.12, 1.68, 2.24, 2.8])):
        times, values = (series.filter(component=f"data_{part}/1")[name].to_list() for name in ("time_s", "value"))
        rises = [at for at, last, value in zip(times[1:], values, values[1:], strict=False) if value > last]
        assert rises == pytest.approx(expected, abs=0.011), part


def test_notices_of_the_second_link_return_over_the_first() -> None:
    result = run(at(3, "2", "two-links").build().with_({"duration": "5 s"}))
    second = result.losses.filter(place="satellite_second")
    told = second.filter(pl.col("group").str.ends_with("_through"))
    sent = sum(int(told[name].sum()) for name in ("notices_mild", "notices_severe"))
    back = result.ports.filter(port="satellite.reverse")["arrived"].item()
    assert 0 < back <= sent


@pytest.mark.parametrize("scenario", MIXES)
def test_two_stations_have_the_mix_of_the_thesis_each(scenario: int) -> None:
    mix = MIXES[scenario]
    for load in LOADS:
        fixed, dynamic = (stations(scenario, "2", capacity, load) for capacity in ("fixed", "dynamic"))
        trees = [point.build().tree for point in (fixed, dynamic)]
        assert trees[0]["flow"] == trees[1]["flow"]
        assert trees[0]["line"] == trees[1]["line"]
        assert "capacity" not in trees[0]
        assert trees[1]["capacity"]["satellite"]["total"] == "12 Mb/s"
        counts = {
            station: {kind: trees[1]["flow"][f"{kind}_{station}"]["count"] for kind in fixed.counts}
            for station in STATIONS
        }
        assert counts["east"] == fixed.counts
        assert counts["west"] == (fixed.counts if load == "equal" else mix.counts(0))


def test_two_stations_share_the_whole_capacity_at_any_time() -> None:
    short = {"duration": "8 s", "measure.sample": "100 ms"}
    result = run(stations(2, "1", "dynamic", "unequal").build().with_(short))
    rates = result.series.filter(quantity="rate").sort("time_s").pivot("component", index="time_s", values="value")
    total = rates["satellite"] + rates["satellite_west"]
    assert total.unique().to_list() == [12e6]
    # The first allocation is measured after 560 ms and is in force 540 ms later.
    assert rates.filter(pl.col("time_s") < 1.05)["satellite"].unique().to_list() == [6e6]
    of_east = rates["satellite"].to_list()
    assert max(of_east) > 6e6
    assert all(3e6 <= rate <= 9e6 for rate in of_east)
    ports = {row["port"]: row["rate_bps"] for row in result.ports.to_dicts()}
    assert ports["satellite"] + ports["satellite_west"] == pytest.approx(12e6)


def test_the_variants_of_files_send_again() -> None:
    short = {"duration": "20 s"}
    results = [run(Point(3, "1", 113, name).build().with_(short)) for name in REPEATS]
    of = [result.groups.filter(group="data").row(0, named=True) for result in results]
    assert of[0]["retransmitted"] is None
    assert all(row["retransmitted"] > 100 for row in of[1:])
    assert all(row["accepted"] + row["duplicates"] == row["delivered"] for row in of[1:])


def test_measures_of_parts_and_of_all(runs: Runs) -> None:
    point = at(3, "1", "two-links")
    assert runs.mean("loss.through", point) == pytest.approx(runs.mean("loss", point))
    assert runs.mean("load", point) == pytest.approx(3 * runs.mean("load", at(3, "1", "thesis")))
    again = at(3, "1", "cells")
    assert runs.mean("goodput", again) < runs.mean("throughput", again)
    assert all(f"below.{below:g}.video" in runs.measures[at(1, "2", "long")][1] for below in BELOW)


def test_relations() -> None:
    low, high = {1: 1.0, 2: 1.1, 3: 0.9}, {1: 2.0, 2: 2.1, 3: 1.9}
    assert (relation(high, low), relation(low, high)) == ("above", "below")
    assert relation(low, low) == "equal"
    assert relation(low, constant(1.0, low)) == "undecided"


def test_claims_have_predicates_and_verdicts(runs: Runs) -> None:
    claims = load_claims(STUDY.package)
    require_match(claims, PREDICATES)
    assert set(CLAIMS.values()) <= PREDICATES.keys()
    for name, predicate in PREDICATES.items():
        assert isinstance(evidence_of(predicate, runs), Clauses), name
        assert isinstance(evidence_of(predicate, Runs(wanted=3)), NotRun)


def test_a_lost_order_is_seen(runs: Runs) -> None:
    evidence = evidence_of(PREDICATES["sat.future.sizes"], runs)
    assert isinstance(evidence, Clauses)
    assert all(part.holds for part in evidence.clauses if "file time" not in part.text)
    kept = runs.measures[at(1, "2", "true")]
    runs.measures[at(1, "2", "true")] = {seed: {**values, "loss": 0.5} for seed, values in kept.items()}
    changed = evidence_of(PREDICATES["sat.future.sizes"], runs)
    runs.measures[at(1, "2", "true")] = kept
    assert isinstance(changed, Clauses)
    lost = [part.text for part in changed.clauses if not part.holds and "file time" not in part.text]
    assert lost == ["scenario 1, true sizes, printed queues: loss in the same order"]


@pytest.mark.parametrize(
    ("claim", "point", "measure", "value", "moved"),
    [
        ("network", at(3, "1", "two-links"), "jitter.through", 0.0, "scenario 3, two satellite links: cells over"),
        ("network", at(2, "2", "two-links"), "data_loss.through", 0.5, "scenario 2, "),
        ("files", larger(2, "2", "cells")[0], "file_time_s", 90.0, "lost cells sent again: case 2 not affected"),
        ("files", larger(3, "1", "frames")[0], "file_time_s", 0.0, "lost frames sent again: case 1 takes longer"),
        ("files", larger(3, "3", "cells")[0], "repeats", -1.0, "more cells sent again in case 3"),
        ("capacity", stations(1, "3", "dynamic", "unequal"), "delivered", 9.0, "case 3, unequal load: more is"),
        ("capacity", stations(1, "1", "dynamic", "unequal"), "loss.east", 0.0, "case 1, unequal load: the busy"),
        ("capacity", stations(2, "1", "dynamic", "equal"), "delivered", 0.0, "case 1, equal load: no less"),
        ("quality", at(3, "2", "long"), "below.0.6.voice", 0.01, "scenario 3, voice"),
    ],
)
def test_a_part_of_a_claim_follows_its_own_point(
    claim: str, point: Point, measure: str, value: float, moved: str, runs: Runs
) -> None:
    found = moved_parts(f"sat.future.{claim}", PREDICATES, runs, point, measure, value)
    assert [moved in text for text in found] == [True] * max(1, len(found))


def test_figures_and_the_table_of_loads(runs: Runs) -> None:
    sheets = list(drawn([make for makers in PAPER.values() for make in makers], runs))
    assert len(sheets) == sum(map(len, PAPER.values()))
    assert [sheet.name for sheet in sheets if sheet.name.startswith("figure-")] == [f"figure-{q}" for q in QUESTIONS]
    assert all(sheet.title.startswith("Question ") for sheet in sheets if sheet.name.startswith("figure-"))
    (table,) = printed(runs)
    assert [len(row) for row in table.rows] == [len(table.columns)] * sum(len(three_sizes(each)) for each in MIXES)
    assert len(CASES) == 3
