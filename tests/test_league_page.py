"""The page of a league: its content, its files, and how it looks in a browser."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from browser import Browser, needs_chromium
from test_league import LEAGUE, parsed

import penstock
from penstock.core.scenario import Scenario
from penstock.league.league import League
from penstock.league.measures import Measure
from penstock.show import write_page
from penstock.show.league_figures import unit_of
from penstock.show.league_parameters import COMMON, parameters_of
from penstock.show.report import Report


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("league")
    league = League(parsed(LEAGUE.replace("{ name", '"rate_factor", { name'), folder))
    league.document.tree["schemes"] = ["none", "charny", "rate_factor", "efci"]
    league.document.tree["traffics"]["files"] = {
        "title": "files",
        "defaults": {"flow": {"traffic": {"file_transfer": {"size": "2 kB", "rate": "15 Mb/s", "idle": "2 ms"}}}},
    }
    return write_page(league.run(folder / "out", jobs=2))


def report_of(page: Path) -> Report:
    return penstock.page_of(penstock.Results(page.parent))


def test_the_page_says_what_came_out(page: Path) -> None:
    report = report_of(page)
    assert report.headline.startswith("Most often among the best of 6 cases, by goodput: none (in ")
    assert any(line.startswith("Only 3 replications: a tie may only say") for line in report.warnings)
    assert report.lead == "overview"
    first, compared, case, *_ = report.sections
    assert first.figures[0].sheet.name == "overview"
    schemes, measures, cases = compared.tables
    assert ["charny", "2 of 6"] not in [[row[0], row[-1]] for row in schemes.rows]
    assert ["rate_factor", "2 of 6"] in [[row[0], row[-1]] for row in schemes.rows]
    assert len(measures.rows) == 13
    assert len(cases.rows) == 6
    (row,) = [row for row in case.tables[0].rows if row[0] == "rate_factor"]
    assert str(row[1]).startswith("cannot run here: it scales the nominal rate of the traffic, and greedy has none")
    assert set(row[2:]) == {None}
    slides = [figure.slide for figure in case.figures if figure.slide]
    assert slides == ["time-short-greedy-1"] * 3


def test_scenarios_and_estimates_are_beside_the_page(page: Path) -> None:
    files = sorted(path.name for path in (page.parent / "scenarios").iterdir())
    assert len(files) == 4 * 3 + 2 * 4
    scenario = Scenario.load(page.parent / "scenarios" / "long-beside-efci.toml")
    assert scenario.title == "efci: a long line, greedy data beside voice"
    with (page.parent / "data" / "league.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    refused = [row for row in rows if row["scheme"] == "rate_factor" and row["traffic"] == "greedy"]
    assert all(row["mean"] == "" and "nominal rate" in row["reason"] for row in refused)
    text = page.read_text(encoding="utf-8")
    for link in ("scenarios/short-greedy-charny.toml", "data/league.csv", "data/figures.csv", "data/spots.csv"):
        assert f'href="{link}"' in text


def test_parameters_are_told_as_differences(page: Path) -> None:
    case = League.of_results(penstock.Results(page.parent)).cases[0]
    parts = dict(part.split("\n", 1) for part in parameters_of(case).split("\n\n") if "\n" in part)
    assert 'line.trunk.rate = "20 Mb/s"' not in parts[f"# {COMMON}"]  # the only line: told as all
    assert 'line.*.rate = "20 Mb/s"' in parts[f"# {COMMON}"]
    assert "line.*.congestion_point.charny.target = 0.9" in parts["# charny"]
    assert "charny" not in parts["# efci"]
    assert "rate" not in parts["# efci"].split("congestion_point")[0]


@pytest.mark.parametrize(
    ("unit", "values", "shown"),
    [
        ("s", [0.0, 0.02], (1e-3, "ms")),
        ("s", [0.0], (1.0, "s")),
        ("s", [3e-10], (1e-9, "ns")),
        ("bit/s", [2.5e6, 1e3], (1e6, "Mb/s")),
        ("PDUs", [5.0], (1.0, "PDUs")),
    ],
)
def test_units_fit_the_values(unit: str, values: list[float], shown: tuple[float, str]) -> None:
    measure = Measure("x", "x", unit, "x")
    assert unit_of(measure, values) == shown


# ------------------------------------------------------------------------------------------------ in a browser
SLIDES = "[...document.querySelectorAll('[data-slide=\"time-short-greedy-1\"]')].map(each => each.checkVisibility())"
MOVE = """(() => {
  const range = document.querySelector('.slides input');
  range.value = 3;
  range.dispatchEvent(new Event('input'));
  return document.querySelector('.slides span').textContent;
})()"""
COLOURS = """[getComputedStyle(document.body).backgroundColor,
  getComputedStyle(document.querySelector('figure svg')).fill]"""


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1400, 420])
def test_the_page_fits_and_its_slider_moves(chromium: Browser, page: Path, width: int, dark: bool) -> None:
    chromium.open(page, width=width, dark=dark)
    assert chromium.value("document.documentElement.scrollWidth <= innerWidth")
    assert chromium.value("document.querySelector('.headline').getBoundingClientRect().top < 200")
    background, letters = chromium.value(COLOURS)
    assert (background == "rgb(22, 24, 27)") is dark
    assert (letters == "rgb(230, 230, 230)") is dark
    assert chromium.value(SLIDES) == [True, False, False]
    assert chromium.value(MOVE) == "Replication 3 of 3"
    assert chromium.value(SLIDES) == [False, False, True]


@needs_chromium
def test_without_a_script_all_replications_are_shown(chromium: Browser, page: Path) -> None:
    chromium.open(page, script=False)
    tree = chromium.do("DOM.getDocument", depth=-1)["root"]
    hidden = chromium.do("DOM.querySelectorAll", nodeId=tree["nodeId"], selector="[data-slide][hidden]")
    assert hidden["nodeIds"] == []
