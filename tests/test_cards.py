"""Cards and figures of scenarios, simulations and results, as a notebook shows them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, needs_chromium
from cells import CELLS

import penstock
from penstock import InputError, League, Scenario, Simulation, Sweep, metric, rankings, tables_of
from penstock.analyse import estimates
from penstock.analyse.estimates import sample
from penstock.show import notebook
from penstock.show.cells import MOST_ROWS
from penstock.show.sweep import METRICS, metrics_of, print_sweep

LEAGUE = """
title = "small"
schemes = ["none", "erica"]
replications = 3
[networks.short]
duration = "40 ms"
warm_up = "10 ms"
network.dumbbell = { pairs = 2, rate = "20 Mb/s", delay = "10 us" }
defaults.line.queues = [{ drop_tail = { size = "100 cells" } }]
path = ["left", "right"]
[traffics.greedy]
defaults.flow.traffic.greedy.phase = "1 ms"
"""


class Reader(HTMLParser):
    """The text of the elements of a card, and the tables as rows of texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1].append(data)
        elif self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        """All words but those of tables."""
        return "".join(self.words)


def card(thing: Any) -> Reader:
    html: str = thing._repr_html_()
    assert len(html) < 8_000
    return Reader(html)


def cells(**changes: object) -> Scenario:
    text = CELLS.replace('"cells"', '"cells <b> & more"')
    return Scenario.parse(text, name="cells").with_(changes)


def test_a_scenario_has_its_flows_and_lines() -> None:
    shown = card(cells())
    assert "cells <b> & more scenario" in shown.text  # escaped: the parser saw no element
    assert "duration 0.1 s · lines 1 · flows 1" in shown.text
    assert ["data", "1", "cbr", "uncontrolled"] in shown.rows
    assert ["trunk", "a – b", "424 kb/s", "3 ms"] in shown.rows  # noqa: RUF001
    named = card(Scenario.load("abr/gfc-2-erica"))
    assert "and 4 more rows" in named.text
    assert len([row for row in named.rows if row[-1] == "explicit_rate"]) == MOST_ROWS


def test_a_simulation_has_what_was_measured_so_far() -> None:
    sim = Simulation(cells())
    assert "now 0 s of 0.1 s" in card(sim).text
    sim.run_until("3.5 ms")
    sim.change({"line.trunk.rate": "848 kb/s"})
    shown = card(sim)
    assert f"now 3.5 ms of 0.1 s · seed 1 · fingerprint {sim.fingerprint} · changes 1" in shown.text
    (row,) = (row for row in shown.rows if row[0] == "data")
    # Eight cells are sent, and the last is lost.
    assert row[:5] == ["data", "1", "8", "1", "0.125"]
    (port,) = (row for row in shown.rows if row[0] == "trunk")
    assert port[3:] == ["4", "1"]


def test_a_result_has_counts_of_one_run_and_intervals_of_several() -> None:
    one = card(penstock.run(cells()))
    assert one.rows[0][:5] == ["class", "flows", "sent", "lost", "loss ratio"]
    random = cells(**{"flow.data.traffic": {"poisson": {"rate": "400 kb/s"}}, "duration": "1 s"})
    result = penstock.run(random, replications=4)
    several = card(result)
    assert "seed 1 · replications 4 · simulated 1 s each" in several.text
    assert several.rows[0][:3] == ["class", "flows", "loss ratio"]
    assert re.fullmatch(r"0\.\d+ \(0\.\d+ to 0\.\d+\)", several.rows[1][2])
    lost, sent = sum(result.groups["lost"].to_list()), sum(result.groups["sent"].to_list())
    assert several.rows[1][2].startswith(f"{lost / sent:.4g} (")
    mean = 1e3 * sum(result.groups["delay_mean_s"]) / 4
    assert several.rows[1][3].startswith(f"{mean:.4g} (")
    assert repr(result) == "<Result 'cells': 4 replications, seed 1>"


def test_a_sweep_and_its_results(tmp_path: Path) -> None:
    swept = Sweep(cells(), {"flow.data.count": [1, 2], "line.trunk.rate": ["1 Mb/s", "2 Mb/s"]}, replications=3)
    shown = card(swept)
    assert "points 4 · replications 3 · runs 12 · seed 1" in shown.text
    assert ["line.trunk.rate", "2", "1 Mb/s, 2 Mb/s"] in shown.rows
    results = swept.run(tmp_path / "sweep")
    found = card(results)
    assert "runs 12 of 12 · points 4" in found.text
    assert found.rows[0][-2:] == ["delay mean (ms)", "throughput (Mb/s)"]
    assert [row[:3] for row in found.rows[1:]] == [
        *(["1", "1 Mb/s", "data"], ["1", "2 Mb/s", "data"], ["2", "1 Mb/s", "data"], ["2", "2 Mb/s", "data"]),
    ]
    assert len(results.plot("loss_ratio").sheets) >= 1


def test_a_card_of_many_groups_makes_only_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and estimates that are made are counted: three thousand groups took four seconds."""
    flows = "".join(
        f'[flow.group_{number}]\npath = ["a", "b"]\ntraffic.poisson = {{ rate = "20 kb/s" }}\n' for number in range(300)
    )
    line = '[line.trunk]\nbetween = ["a", "b"]\nrate = "20 Mb/s"\ndelay = "1 ms"\n'
    scenario = Scenario.parse(f'duration = "50 ms"\n{line}{flows}')
    made: list[str] = []
    estimate = notebook.estimated

    def counted(rows: Any, column: str, size: float) -> str | int | None:
        made.append(column)
        return estimate(rows, column, size)

    monkeypatch.setattr(notebook, "estimated", counted)
    sim = Simulation(scenario)
    sim.run_until("20 ms")
    for thing in (penstock.run(scenario), sim):
        shown = card(thing)
        assert "and 292 more rows" in shown.text
        assert sum(row[0].startswith("group_") for row in shown.rows) == MOST_ROWS
        assert len(made) <= 2 * MOST_ROWS * 6
        made.clear()
    results = Sweep(scenario, {"line.trunk.delay": ["1 ms", "2 ms"]}).run(tmp_path / "out", tell=lambda _state: None)
    sampled: list[object] = []

    def sampling(kind: Any, rows: Any) -> Any:
        sampled.append(rows)
        return sample(kind, rows)

    monkeypatch.setattr(estimates, "sample", sampling)
    shown = card(results)
    assert "and 592 more rows" in shown.text
    assert len(sampled) == MOST_ROWS * len(METRICS)
    sampled.clear()
    print_sweep(results, metrics_of(results), limit=60)
    assert len(sampled) == 60 * len(METRICS)


def test_a_comparison_says_which_is_better(tmp_path: Path) -> None:
    both = {"slow <i>": cells(), "fast": cells(**{"line.trunk.rate": "1 Mb/s"})}
    results = penstock.compare(both, tmp_path / "both", replications=3, metrics=["loss_ratio"])
    shown = card(results)
    assert "slow <i> / fast comparison" in shown.text
    assert any("slow <i>" in row for row in shown.rows)
    (ranking,) = rankings(results, metric("loss_ratio", cells()))
    assert any("fast" in row for row in card(ranking).rows)
    assert results.plot().sheets


def test_a_league_has_its_cases(tmp_path: Path) -> None:
    league = League.load("standard")
    shown = card(league)
    assert "schemes 33 · networks 7 · replications 5" in shown.text
    assert "and 13 more rows" in shown.text


def test_a_table_of_a_league_is_its_matrix(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text(LEAGUE, encoding="utf-8")
    league = League.load(file)
    results = league.run(tmp_path / "league")
    assert "runs 6 of 6" in card(results).text
    (table,) = tables_of(league, results)
    assert {"none", "erica"} <= {row[0] for row in card(table).rows}


# --------------------------------------------------------------------------------------------------------- figures
def test_figures_of_a_result_come_in_one_call(tmp_path: Path) -> None:
    scenario = cells(**{"measure.sample": "1 ms", "measure.distributions": True})
    result = penstock.run(scenario, replications=2)
    titles = {what: result.plot(what).sheets[0].name for what in ("", "time", "network", "delays", "loss_ratio")}
    assert titles == {
        "": "trace",
        "time": "trace",
        "network": "network",
        "delays": "delays",
        "loss_ratio": "loss_ratio",
    }
    assert scenario.plot().sheets[0].name == "network"
    sim = Simulation(scenario, replication=3)
    sim.run_until("50 ms")
    assert sim.plot("time").sheets[0].panels[0].traces[0].x[-1] == pytest.approx(0.05)
    files = result.plot("network").save(tmp_path)
    assert [file.name for file in files] == ["network.svg", "network.png"]
    assert all(file.stat().st_size for file in files)


def test_two_figures_of_a_notebook_share_no_ids() -> None:
    result = penstock.run(cells())
    first, second = (result.plot(what)._repr_html_() for what in ("network", "loss_ratio"))
    ids = [set(re.findall(r' id="([^"]+)"', html)) for html in (first, second)]
    assert all(ids)
    assert not ids[0] & ids[1]
    for html, own in zip((first, second), ids, strict=True):
        assert set(re.findall(r'href="#([^"]+)"', html)) <= own
    assert first == result.plot("network")._repr_html_()
    assert "cells &lt;b&gt; &amp; more" in first


@pytest.mark.parametrize(
    ("what", "remedy"),
    [
        ("netwrok", 'did you mean "network"?'),
        ("loss_ration", 'did you mean "loss_ratio"?'),
        ("time", "measure.sample"),
        ("delays", "measure.distributions"),
    ],
)
def test_a_figure_that_there_is_not_is_refused(what: str, remedy: str) -> None:
    result = penstock.run(cells())
    with pytest.raises(InputError) as error:
        result.plot(what)
    assert (error.value.path, error.value.value) == ("what", what)
    assert remedy in str(error.value)


def test_a_scenario_has_no_results_to_draw() -> None:
    with pytest.raises(InputError, match="has no results"):
        cells().plot("loss_ratio")


def test_a_run_whose_line_changes_is_drawn_with_the_rate_of_the_line() -> None:
    change = [{"at": "50 ms", "path": "line.trunk.rate", "value": "1 Mb/s"}]
    result = penstock.run(cells(**{"measure.sample": "1 ms", "change": change}))
    panels = result.plot("time").sheets[0].panels
    (rates,) = (trace for panel in panels for trace in panel.traces if trace.label == "rate")
    assert (rates.x[0], set(rates.y)) == (pytest.approx(0.051), {1.0})  # the reading begins with the change


# ----------------------------------------------------------------------------------------------------- in a browser
@needs_chromium
@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 420])
def test_a_card_and_a_figure_can_be_read_on_any_page(
    chromium: Browser, tmp_path: Path, width: int, is_dark: bool
) -> None:
    result = penstock.run(cells(**{"flow.data.traffic": {"poisson": {"rate": "400 kb/s"}}}), replications=4)
    theme = ' data-jp-theme-light="false" style="background:#111;color:#ddd"' if is_dark else ""
    body = f"{result._repr_html_()}{result.plot('network')._repr_html_()}{result.plot('loss_ratio')._repr_html_()}"
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><meta charset="utf-8"><body{theme}>{body}', encoding="utf-8")
    chromium.open(page, width=width)
    # Wide tables scroll in their card, and the page does not.
    assert chromium.value("document.documentElement.scrollWidth <= innerWidth")
    style = "getComputedStyle(document.querySelector('{}')).{}"
    text = "rgb(221, 221, 221)" if is_dark else "rgb(0, 0, 0)"
    assert chromium.value(style.format(".penstock-card td", "color")) == text
    grounds = {True: "rgb(22, 24, 27)", False: "rgb(255, 255, 255)"}
    assert chromium.value(style.format(".penstock-plots", "backgroundColor")) == grounds[is_dark]
    inks = {True: "rgb(230, 230, 230)", False: "rgb(0, 0, 0)"}
    assert chromium.value(style.format(".penstock-plots figure svg", "fill")) == inks[is_dark]
    empty = "[...document.querySelectorAll('use')].filter(each => !document.querySelector(each.href.baseVal)).length"
    assert (
        chromium.value(empty.replace("querySelector(each.href.baseVal)", "getElementById(each.href.baseVal.slice(1))"))
        == 0
    )
    assert chromium.value("document.querySelectorAll('.penstock-plots svg[role=img]').length") == 2


def test_texts_of_objects_are_short_and_have_a_name(tmp_path: Path) -> None:
    nameless = Scenario({"duration": "20 ms", "network": {"star": {"leaves": 4, "rate": "1 Mb/s", "delay": "1 ms"}}})
    file = tmp_path / "small.toml"
    file.write_text(LEAGUE, encoding="utf-8")
    league = League.load(file)
    things: list[object] = [
        nameless,
        penstock.run(nameless),
        Simulation(nameless),
        Sweep(nameless, {"network.star.leaves": [3, 4]}),
    ]
    assert ["'star'" in repr(thing) for thing in things] == [True] * 4
    things += [league, *league.cases, *tables_of(league, league.run(tmp_path / "out", tell=lambda _state: None))]
    assert max(len(repr(thing)) for thing in things) < 120
    many = Scenario(
        {
            "duration": "20 ms",
            "line": {"trunk": {"between": ["a", "b"], "rate": "1 Mb/s"}},
            "flow": {f"group_{number:02}": {"path": ["a", "b"], "traffic": {"greedy": {}}} for number in range(40)},
        }
    )
    assert repr(many).endswith("1 group_04, 1 group_05, 34 more groups>")
    with pytest.raises(AttributeError) as caught:
        penstock.schemas  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("schemas", penstock)
