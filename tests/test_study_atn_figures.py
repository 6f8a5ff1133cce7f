"""The content of the figures and data files of the ATN study, for any results."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from penstock.analyse.metric import KINDS, sample_of
from penstock.plot import Sheet, draw
from penstock.show import study as page
from penstock.show.data import write_data
from penstock.statistics import student
from penstock.studies.atn import STUDY, grid
from penstock.studies.atn.figures import BESIDE, PAPER, RECORDED
from penstock.studies.atn.grid import COMPARED, EXERCISES, SCENARIOS, STRATEGIES, Point
from penstock.studies.atn.measures import LOAD, LOAD_COUNTED, Runs
from penstock.studies.atn.printed import COLUMNS, side_by_side
from penstock.studies.drawing import drawn
from penstock.studies.framework import Reproduction, SeriesPoint
from penstock.studies.runs import by_run

SEEDS = (1, 2)
WITHOUT_TRAFFIC = ("is10", "is11")


def measures(point: Point, seed: int) -> dict[str, float]:
    """Values that differ for every point, except the throughput, which is the same for all."""
    number = 1 + list(COMPARED).index(point.strategy)
    own = dict.fromkeys(COLUMNS, 0.1 * number + 0.001 * seed)
    own |= {"accepted_per_s": 4.0, "discard_share": 0.0, "success_once": 0.99, "success_all": 0.80}
    own |= {"delay_transmission_mean_s": 2.0, "delay_production_mean_s": 90.0}
    own |= {LOAD: 1e5 * number, LOAD_COUNTED: 9e4}
    systems = [f"is{each}" for each in range(1, 12)]
    return own | {f"{LOAD}.{each}": 0.0 if each in WITHOUT_TRAFFIC else 1e4 * number for each in systems}


@pytest.fixture(scope="module")
def runs() -> Runs:
    made = Runs(wanted=len(SEEDS))
    for point, seeds in Reproduction(STUDY, None, len(SEEDS)).points():
        for seed in seeds:
            if isinstance(point, SeriesPoint):
                found = {(f"data/es{each}-es7", "credit"): float(each) for each in (1, 2)}
                found[SCENARIOS[point.point.scenario].bottleneck, "queue_bits"] = 1e4
                for at in range(5):
                    rows = [{"time_s": at, "component": c, "quantity": q, "value": v} for (c, q), v in found.items()]
                    made.of_kind(point.kind).add_series(point.point, seed, rows)
            else:
                made.keep(point, seed, measures(point, seed).items())
    return made


@pytest.fixture(scope="module")
def sheets(runs: Runs) -> dict[str, Sheet]:
    makers = [make for each in PAPER.values() for make in each]
    return {sheet.name: sheet for sheet in drawn([*makers, *BESIDE], runs)}


def test_a_threshold_is_told_in_packets() -> None:
    assert [grid.packets(bits) for bits in grid.CE_THRESHOLDS] == [">0", "1", "2", "4", "8", "16"]
    assert grid.packets(grid.PACKET_BITS - 1) == ">0"


@pytest.mark.parametrize("name", ["avoidance", "withdrawing"])
def test_thresholds_stand_at_even_distances(name: str, sheets: dict[str, Sheet]) -> None:
    for panel in sheets[f"exercise-{name}"].panels:
        assert not panel.log_x
        assert all(list(curve.points) == [">0", "1", "2", "4", "8", "16"] for curve in panel.curves)
        assert "packets of 13,376 bits" in panel.x_label


def test_every_exercise_and_load_shows_all_that_the_annex_records(sheets: dict[str, Sheet]) -> None:
    recorded = [quantity.label for quantity in RECORDED]
    assert [label for label in recorded if label.startswith("success")] == [
        "success ratio, first copies",
        "success ratio, all copies",
    ]
    for name in EXERCISES:
        wanted = [*recorded, "Error NPDUs (%)"] if name == "error" else recorded
        assert [panel.y_label for panel in sheets[f"exercise-{name}"].panels[::2]] == wanted
    for scenario in SCENARIOS:
        sheet = sheets[f"load-{scenario}"]
        assert set(recorded) < {panel.y_label for panel in sheet.panels}
        assert "STU/TP4/1" in sheet.caption


def test_curves_of_the_same_values_do_not_hide_each_other(sheets: dict[str, Sheet]) -> None:
    sheet = sheets["load-a"]
    number = [panel.y_label for panel in sheet.panels].index("throughput (packets/s)")
    axis = draw(sheet).axes[number]
    curves = [line for line in axis.lines if not str(line.get_label()).startswith("_")]
    assert len(curves) == len(COMPARED)
    places = np.concatenate([np.asarray(line.get_xdata(), float) for line in curves])
    assert len(set(places.tolist())) == len(COMPARED) * len(grid.LOADS)


def test_throughput_is_drawn_as_a_share_of_that_without_a_strategy(sheets: dict[str, Sheet]) -> None:
    (panel,) = [panel for panel in sheets["load-b"].panels if "% of that with none" in panel.y_label]
    assert [curve.label for curve in panel.curves] == [name for key, name in COMPARED.items() if key != "none"]
    values = {value for curve in panel.curves for found in curve.points.values() for value in found.values()}
    assert values == {100.0}


def test_markers_at_the_ends_of_an_axis_are_whole(sheets: dict[str, Sheet]) -> None:
    sheet = sheets["table-5-1"]
    for panel, axis in zip(sheet.panels, draw(sheet).axes, strict=True):
        means = [student(found.values()).mean for curve in panel.curves for found in curve.points.values()]
        low, high = axis.get_ylim()
        assert min(min(means) - low, high - max(means)) > 0.015 * (high - low), panel.y_label
    (ratio,) = [panel for panel in sheet.panels if panel.y_label == "success ratio, first copies"]
    assert ratio.bottom is None


def test_ratios_have_an_axis_of_their_own_that_shows_all_values(sheets: dict[str, Sheet]) -> None:
    sheet = sheets["load-a"]
    bottoms = {panel.y_label: panel.bottom for panel in sheet.panels}
    assert bottoms["success ratio, first copies"] == 0.9
    assert bottoms["success ratio, all copies"] == pytest.approx(0.98 * 0.8)
    assert bottoms["mean delay (s)"] == 0.0


def test_maps_have_titles_of_their_own_that_name_the_parameter_and_what_is_held(sheets: dict[str, Sheet]) -> None:
    maps = [sheet for name, sheet in sheets.items() if name.startswith("map-")]
    assert len({sheet.title for sheet in maps}) == len(maps) == 2 * len(EXERCISES)
    assert "initial window" in sheets["map-initial-window-a"].title
    assert "At factor 0.625" in sheets["map-avoidance-a"].caption
    assert "At multiple 4" in sheets["map-withdrawing-b"].caption
    assert all(sheet.caption.endswith("Means of 2 seeds.") for sheet in maps)


def test_no_colour_of_the_readings_means_two_things(sheets: dict[str, Sheet]) -> None:
    hues = {(curve.label, curve.hue) for panel in sheets["readings"].panels for curve in panel.curves}
    assert len(hues) == len({label for label, _ in hues}) == len({hue for _, hue in hues}) == 5


def test_captions_and_axes_say_what_is_drawn(sheets: dict[str, Sheet]) -> None:
    assert sheets["increase-cross"].panels[0].y_label == "sum of both windows (packets)"
    assert list(sheets["increase-cross"].panels[0].traces[0].y) == [3.0] * 5
    assert "the verdict on claim atn.oscillation says whether" in sheets["oscillation"].caption
    assert "a system where none waits has no mark" in sheets["buffers"].caption


def test_a_share_of_error_npdus_is_blank_where_none_are_sent(runs: Runs) -> None:
    for table in side_by_side(runs):
        place = list(table.columns).index(COLUMNS["error_report_share"].label)
        blank = {(row[0], row[1]) for row in table.rows if row[place] is None}
        assert blank == {(name, kind) for name in COMPARED.values() for kind in ("printed", "ours")} - {
            *((STRATEGIES["error"], kind) for kind in ("printed", "ours")),
            (COMPARED["decbit"], "printed"),
        }


def test_rows_of_a_table_are_filed_by_run() -> None:
    own = {"run": ["y", "x", "y"], "port": ["a", "a", "b"], "queue": [2, 1, None]}
    found = by_run(pl.DataFrame(own))
    assert list(found) == ["y", "x"]
    assert found["y"].to_dicts() == [{"port": "a", "queue": 2}, {"port": "b", "queue": None}]
    assert by_run(pl.DataFrame()) == {}


def test_data_files_have_every_point_map_and_reading(runs: Runs, sheets: dict[str, Sheet], tmp_path: Path) -> None:
    study = Reproduction(STUDY, None, len(SEEDS))
    study.runs = runs
    write_data(list(sheets.values()), tmp_path, {"points": page.point_rows(study.runs)})
    points = pl.read_parquet(tmp_path / "data" / "points.parquet")
    assert points.height == len(runs.measures) == sum(isinstance(point, Point) for point, _ in study.points())
    assert set(Point.__slots__) < set(points.columns)
    row = points.filter(strategy="error", error_share=0.9).row(0, named=True)
    expected = sample_of(KINDS["delay_mean_s"], [0.5 + 0.001 * seed for seed in SEEDS]).estimate()
    assert row["seeds"] == len(SEEDS)
    found = [row[f"delay_mean_s{end}"] for end in ("", ".low", ".high")]
    assert found == pytest.approx([expected.mean, expected.low, expected.high])
    assert row["success_once"] == 0.99
    assert math.isclose(row[f"{LOAD}.is6"], 5e4)
    maps, series = (pl.read_csv(tmp_path / "data" / f"{name}.csv") for name in ("maps", "series"))
    cells = sum(len(exercise.values) * len(grid.EXERCISE_LOADS) for exercise in EXERCISES.values())
    assert maps.height == 2 * cells
    assert set(series["figure"]) == {"oscillation", "increase-connections", "increase-cross"}
    figures = pl.read_parquet(tmp_path / "data" / "figures.parquet")
    assert set(figures.filter(figure="exercise-error")["panel"]) == {each.name for each in SCENARIOS.values()}
