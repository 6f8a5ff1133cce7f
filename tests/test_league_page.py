"""The page of a league: its content, its files, and how it looks in a browser."""

from __future__ import annotations

import base64
import csv
import json
import re
import statistics
import zlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from browser import Browser, needs_chromium
from test_league import LEAGUE, NULL, parsed
from test_report import keys_of

import penstock
from penstock.core.scenario import Scenario
from penstock.league.league import League
from penstock.league.measures import DELAY, GOODPUT, LOSS, OFFERED, Measure
from penstock.league.readings import Readings
from penstock.league.table import tables_of
from penstock.show import write_page
from penstock.show.league import headline, page_of
from penstock.show.league_figures import trade_off_of_all, unit_of
from penstock.show.league_parameters import COMMON, parameters_of
from penstock.show.league_readings import packed
from penstock.show.league_trade_offs import spoken, trade_offs, unbeaten
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
    assert report.headline.startswith("Over 6 cases, sending without control carries most and is")
    assert any(line.startswith("Only 3 replications: a tie may only say") for line in report.warnings)
    assert report.warnings[0].startswith("Not settled: ")
    assert (report.lead, report.beside) == ("trade-offs", "overview")
    first, compared, case, *_ = report.sections
    others = ["trade-offs-beside", "trade-offs-files", "trade-off"]
    assert [figure.sheet.name for figure in first.figures] == ["trade-offs", "overview", *others]
    schemes, measures, cases = compared.tables
    assert ["charny", "2 of 6"] not in [[row[0], row[-1]] for row in schemes.rows]
    assert ["rate_factor", "2 of 6"] in [[row[0], row[-1]] for row in schemes.rows]
    assert len(measures.rows) == 18
    assert len(cases.rows) == 6
    (row,) = [row for row in case.tables[0].rows if row[0] == "rate_factor"]
    assert str(row[1]).startswith("cannot run here: it scales the nominal rate of the traffic, and greedy has none")
    assert "; give traffic with a rate, such as cbr" in str(row[1])
    assert set(row[2:]) == {None}
    assert [figure.sheet.name for figure in case.figures if figure.runs] == ["time-short-greedy"]


def test_the_sentence_has_what_a_scheme_loses_beside_what_it_carries(page: Path) -> None:
    """A source that sends at full rate delivers most, and may lose most of what it sends."""
    results = penstock.Results(page.parent)
    tables = list(tables_of(League.of_results(results), results))
    told = headline(tables)
    shares, losses, delays = [], [], []
    for table in tables:
        carried, lost, late = (table.column(each, "data") for each in (GOODPUT, LOSS, DELAY))
        assert carried is not None
        assert lost is not None
        assert late is not None
        shares.append(100 * carried["none"].estimate.mean / max(one.estimate.mean for one in carried.standings))
        losses.append(100 * lost["none"].estimate.mean)
        delays.append(late["none"].estimate.mean / min(one.estimate.mean for one in late.standings))
    share, loss, delay = sum(shares) / 6, sum(losses) / 6, statistics.median(delays)
    assert loss > 0.1
    gains = f"({share:.3g} % of the best goodput), with a 99 % delay of {delay:.3g} times the shortest"
    assert f"{gains} and losses of {loss:.2g} %" in told
    assert "rate_factor" not in told  # it ran in two cases of six
    (short, *_) = tables
    assert re.search(r"Goodput: none \(loses [\d.]+ % of what it sends\) is best", headline([short]))


def test_a_name_with_a_comma_is_quoted_in_a_sentence(tmp_path: Path) -> None:
    league = League(parsed(NULL.replace('"one"', '"none, once"').replace("= 60", "= 3"), tmp_path))
    results = league.run(tmp_path / "out")
    told = headline(list(tables_of(league, results)), [LOSS])
    assert '"none, once" and other do not differ' in told
    assert any(line.startswith('Identical runs: "none, once" and other do') for line in page_of(results).warnings)
    assert spoken("erica, 80 %") == '"erica, 80 %"'


def test_the_headline_names_the_measures_that_were_asked_for(page: Path) -> None:
    results = penstock.Results(page.parent)
    tables = list(tables_of(League.of_results(results), results))
    told = headline(tables, [GOODPUT, LOSS])
    assert re.fullmatch(
        r"Over 6 cases, goodput: .+ among the best in \d of 6; loss: .+ among the best in \d of 6\.", told
    )
    alone = headline(tables[:1], [GOODPUT])
    assert re.fullmatch(r"Goodput: none is best\.", alone)
    assert headline(tables, [OFFERED]) == "By the measures asked for, no scheme is better or worse."


def test_each_network_has_a_picture_of_delay_against_goodput(page: Path) -> None:
    results = penstock.Results(page.parent)
    tables = list(tables_of(League.of_results(results), results))
    greedy, beside, files = trade_offs(tables)
    assert [panel.title for panel in greedy.panels] == ["a short line", "a long line"]
    assert greedy.title.endswith(": greedy data")
    assert beside.title.endswith(": greedy data beside voice")
    (panel, _), (table, *_) = greedy.panels, tables
    spots = {spot.label: spot for spot in panel.spots}
    assert list(spots) == ["none", "charny", "efci"]
    carried, late = table.column(GOODPUT, "data"), table.column(DELAY, "data")
    assert carried is not None
    assert late is not None
    scale = {"goodput (Mb/s)": 1e6, "99 % delay (ms)": 1e-3}
    for name, spot in spots.items():
        assert spot.x.mean * scale[panel.x_label] == pytest.approx(carried[name].estimate.mean)
        assert spot.y.mean * scale[panel.y_label] == pytest.approx(late[name].estimate.mean)
        assert None not in (spot.x.low, spot.y.high)
        assert spot.hollow == (table.settling[name].verdict != "yes")
    # A scheme has one mark in all pictures, also where another cannot run.
    assert len({(spot.label, spot.hue) for sheet in (greedy, files) for own in sheet.panels for spot in own.spots}) == 4


@pytest.mark.parametrize(
    ("places", "front"),
    [
        ({"a": (10, 5), "b": (8, 5), "c": (8, 4)}, ["a", "c"]),
        ({"a": (10, 5), "b": (10, 5)}, ["a", "b"]),  # neither beats the other
        ({"a": (10, 5), "b": (11, 4), "c": (1, 9)}, ["b"]),
    ],
)
def test_a_scheme_is_named_if_no_other_beats_it_by_both(
    places: dict[str, tuple[float, float]], front: list[str]
) -> None:
    assert unbeaten(places) == front


def test_the_trade_off_is_over_all_cases(page: Path) -> None:
    results = penstock.Results(page.parent)
    tables = list(tables_of(League.of_results(results), results))
    sheet = trade_off_of_all(tables)
    assert sheet is not None
    lost, late = sheet.panels
    spots = {spot.label: spot for spot in lost.spots}
    assert list(spots) == ["none", "charny", "efci", "rate_factor"]
    shares, losses = [], []
    for table in tables:
        goodput, loss = table.column(GOODPUT, table.case.main), table.column(LOSS, table.case.main)
        assert goodput is not None
        assert loss is not None
        shares.append(100 * goodput["charny"].estimate.mean / max(one.estimate.mean for one in goodput.standings))
        losses.append(100 * loss["charny"].estimate.mean)
    assert spots["charny"].x.mean == pytest.approx(sum(shares) / 6)
    assert spots["charny"].y.mean == pytest.approx(sum(losses) / 6)
    assert spots["rate_factor"].x.count == 2  # it cannot run in the others
    assert min(spot.y.mean for spot in late.spots) >= 1
    assert trade_off_of_all(tables[:1]) is not None


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
    links = ("scenarios/short-greedy-charny.toml", "data/time-short-greedy.csv")
    for link in (*links, "data/league.csv", "data/figures.csv", "data/spots.csv"):
        assert f'href="{link}"' in text
        assert (page.parent / link).is_file()
    for figure in (each for section in report_of(page).sections[2:] for each in section.figures):
        kinds = [link.rpartition("/")[0] for link in figure.data.values()]
        assert {"data", "scenarios"} <= set(kinds), figure.sheet.name


def test_the_readings_are_those_of_the_runs(page: Path) -> None:
    results = penstock.Results(page.parent)
    readings = next(tables_of(League.of_results(results), results)).readings
    assert readings is not None
    assert (readings.port, readings.schemes, readings.replications) == ("trunk", ["none", "charny", "efci"], [0, 1, 2])
    run = results.plan.filter(network="short", traffic="greedy", scheme="efci", replication=2)["run"].item()
    series = results.rows("series", pl.col("component") == "trunk", [run])
    for quantity, column in (("queue", "queue_0"), ("utilisation", "utilisation")):
        own = series.filter(quantity=column).sort("time_s")
        assert readings.series(quantity, "efci", 2) == (own["time_s"].to_list(), own["value"].to_list())
    with (page.parent / "data" / "time-short-greedy.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["scheme"], row["replication"]) == ("efci", "3")]
    assert [float(row["utilisation"]) for row in rows] == own["value"].to_list()
    assert set(rows[0]) == {"scheme", "replication", "time_s", "queue_pdus", "utilisation"}


def test_the_readings_of_a_page_are_those_of_the_runs_in_steps() -> None:
    values = np.array([[[[0.0, 200.0, np.nan]], [[1000.0, 1.0, 500.0]]], [[[0.5, 1.0, np.nan]], [[0.0, 0.0, 0.0]]]])
    readings = Readings("trunk", ["a", "b"], [4], [0.1, 0.2, 0.3], values)
    told = json.loads(packed(readings, ["b", "a"]))
    assert set(told) == keys_of("RunsData")
    assert (told["schemes"], told["replications"], told["times"]) == (["a", "b"], [5], [0.1, 0.2, 0.3])
    assert told["pair"] == [1, 0]
    assert told["scales"] == [250.0, 1000.0, 1.0, 1.0]  # a short queue has one level for each PDU
    assert list(zlib.decompress(base64.b64decode(told["data"]))) == [
        *(0, 200, 255),  # 255: no reading
        *(250, 0, 125),
        *(125, 250, 255),
        *(0, 0, 0),
    ]
    assert readings.series("queue", "a", 4) == ([0.1, 0.2], [0.0, 200.0])


def test_parameters_are_told_as_differences(page: Path) -> None:
    cases = League.of_results(penstock.Results(page.parent)).cases
    (text,) = parameters_of(cases[:1]).values()
    parts = dict(part.split("\n", 1) for part in text.split("\n\n") if "\n" in part)
    assert 'line.trunk.rate = "20 Mb/s"' not in parts[f"# {COMMON}"]  # the only line: told as all
    assert 'line.*.rate = "20 Mb/s"' in parts[f"# {COMMON}"]
    assert "line.*.congestion_point.charny.target = 0.9" in parts["# charny"]
    assert "charny" not in parts["# efci"]
    assert "rate" not in parts["# efci"].split("congestion_point")[0]
    # What a scheme has in every case is told once.
    every, short, *others = parameters_of(cases).values()
    assert every.count("line.*.congestion_point.charny.target = 0.9") == 1
    assert "# charny" in every
    assert "congestion_point" not in "".join([short, *others])
    assert 'line.*.rate = "20 Mb/s"' in short


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
CHOOSE = """(async () => {
  const figure = document.querySelector('#time-short-greedy');
  const [first, second] = figure.querySelectorAll('select');
  const range = figure.querySelector('input');
  [first.value, second.value, range.value] = ['efci', 'charny', 3];
  const told = new Promise((done) => new MutationObserver(done).observe(figure, { childList: true, subtree: true }));
  range.dispatchEvent(new Event('input', { bubbles: true }));
  await told;
  return [...figure.querySelectorAll('.legend b, .slides span')].map((each) => each.textContent);
})()"""
PICKS = (
    "[...document.querySelectorAll('#time-short-greedy select')].map(each => [...each.options].map(one => one.text))"
)
LINE = """(() => {
  const panel = document.querySelectorAll('#time-short-greedy .panel')[%d];
  const [left, top, width, height] = JSON.parse(panel.dataset.panel).box;
  const numbers = panel.querySelector('[data-line="%d"] path').getAttribute('d').match(/-?[\\d.]+/g).map(Number);
  return numbers.filter((_, n) => n %% 2).map((y) => 1 - (y - top) / height);
})()"""
NAMES = "[...document.querySelectorAll('#time-short-greedy .legend b')].map(each => each.textContent)"
COLOURS = """[getComputedStyle(document.body).backgroundColor,
  getComputedStyle(document.querySelector('figure svg')).fill]"""


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1400, 420])
def test_the_page_fits(chromium: Browser, page: Path, width: int, dark: bool) -> None:
    chromium.open(page, width=width, dark=dark)
    assert chromium.value("document.documentElement.scrollWidth <= innerWidth")
    assert chromium.value("document.querySelector('.headline').getBoundingClientRect().top < 200")
    background, letters = chromium.value(COLOURS)
    assert (background == "rgb(22, 24, 27)") is dark
    assert (letters == "rgb(230, 230, 230)") is dark


@needs_chromium
def test_the_map_is_beside_the_trade_off_on_the_first_screen(chromium: Browser, page: Path) -> None:
    boxes = "['trade-offs', 'overview'].map(id => document.getElementById(id).getBoundingClientRect().toJSON())"
    chromium.open(page, width=1400)
    trade_off, overview = chromium.value(boxes)
    assert overview["left"] >= trade_off["right"]
    assert abs(trade_off["top"] - overview["top"]) < 5
    assert trade_off["top"] + 320 < 900
    chromium.open(page, width=420)
    trade_off, overview = chromium.value(boxes)
    assert overview["top"] >= trade_off["bottom"]


@needs_chromium
def test_a_reader_chooses_two_schemes_and_a_replication(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    ran = ["none", "charny", "efci"]  # and rate_factor cannot, with greedy data
    assert chromium.value(PICKS) == [ran, ran]
    told = chromium.do("Runtime.evaluate", expression=CHOOSE, awaitPromise=True, returnByValue=True)
    assert told["result"]["value"] == ["Replication 3 of 3", "efci", "charny"]
    results = penstock.Results(page.parent)
    readings = next(tables_of(League.of_results(results), results)).readings
    assert readings is not None
    for place, quantity in enumerate(("queue", "utilisation")):
        own = {name: readings.series(quantity, name, 2)[1] for name in ("efci", "charny")}
        every = [readings.series(quantity, name, number)[1] for name in own for number in range(3)]
        top = max(map(max, every))  # the axis is that of all replications of the two
        for number, values in enumerate(own.values()):
            drawn = chromium.value(LINE % (place, number))
            assert drawn == pytest.approx([value / top for value in values], abs=0.006)


@needs_chromium
def test_without_a_script_two_schemes_are_shown(chromium: Browser, page: Path) -> None:
    chromium.open(page, script=False)
    first = chromium.value(NAMES)
    assert len(set(first)) == 2
    assert chromium.value(PICKS) == []
    assert len(chromium.value(LINE % (0, 1))) > 10
