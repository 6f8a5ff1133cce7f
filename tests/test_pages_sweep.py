"""The page of a sweep: words for the varied parameters, and figures and tables of every ready sweep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock import Scenario, Sweep
from penstock.analyse.results import Results
from penstock.core.scenario import read, ready
from penstock.show import page_of
from penstock.show.report import write
from penstock.show.settings import words
from penstock.show.sweep import metrics_of, print_sweep
from penstock.show.sweep_figures import axes_of

SWEEPS = [name for name in ready() if "[sweep]" in read(name)]
STRATEGIES = [
    "whole, unlimited",
    "congestion_avoidance, unlimited",
    "withdrawing_credit, unlimited",
    "whole, backoff",
    "whole, error_npdu",
]


def first_of_each_folder_is_quick(names: list[str]) -> list[object]:
    """Ready files, of which all but the first of a folder are long."""
    first = {name.partition("/")[0]: name for name in reversed(names)}
    return [name if name in first.values() else pytest.param(name, marks=pytest.mark.long) for name in names]


def briefly(name: str, directory: Path) -> Results:
    """A ready sweep with all its points, each run once for a short time."""
    scenario = Scenario.load(name)
    table = scenario.tree["sweep"]
    duration = "60 s" if name.startswith("atn/") else "20 ms"
    short = scenario.with_({"sweep": None, "warm_up": None, "duration": duration})
    return Sweep(short, table["axis"], metrics=table["metrics"]).run(directory)


@pytest.mark.parametrize("name", first_of_each_folder_is_quick(SWEEPS))
def test_every_ready_sweep_has_a_page_that_tells_its_points_apart(name: str, tmp_path: Path) -> None:
    results = briefly(name, tmp_path / "runs")
    page = page_of(results)
    assert len(page.sections[-1].figures) >= len(results.about["details"]["sweep"]["metrics"])
    titles = [figure.sheet.title for section in page.sections for figure in section.figures]
    assert len(set(titles)) == len(titles)
    write(page, tmp_path / "report.html")
    assert "</svg>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    for axis in axes_of(results):
        assert len(set(axis.places.values())) == len(set(axis.words.values())) == len(axis.places)


def test_a_table_among_the_values_is_told_by_its_keyword(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = briefly("atn/scenario-b", tmp_path / "runs")
    (axis,) = axes_of(results)
    assert (axis.name, list(axis.places.values())) == ("credit, window", STRATEGIES)
    print_sweep(results, metrics_of(results))
    printed = capsys.readouterr().out
    told = [f"{credit} {window}" for credit, window in (strategy.split(", ") for strategy in STRATEGIES)]
    assert [" ".join(line.split()[:2]) for line in printed.splitlines() if " data " in line] == told
    cells = [row[:2] for row in page_of(results).sections[0].tables[0].rows]
    assert cells == [strategy.split(", ") for strategy in STRATEGIES]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1, 2.5], [1, 2.5]),
        (["2 Mb/s", "{no table", "[1]x"], ["2 Mb/s", "{no table", "[1]x"]),
        ([{"whole": {}}, {"backoff": {"initial_threshold": 8}}], ["whole", "backoff"]),
        (
            [{"backoff": {}}, {"backoff": {"initial": 2, "limit": "8 cells"}}, {"whole": {}}],
            ["backoff", "backoff (initial = 2, limit = 8 cells)", "whole"],
        ),
        (
            [{"erica": {"interval": {"time": "5 ms"}}}, {"erica": {"active": {"decayed": {"factor": 0.9}}}}],
            ["erica (interval (time = 5 ms))", "erica (active (decayed (factor = 0.9)))"],
        ),
        (
            [{"rate": "2 Mb/s", "delay": "5 ms"}, ["a", {"drop_tail": {}}]],
            ["rate = 2 Mb/s, delay = 5 ms", "[a, drop_tail]"],
        ),
        ([{"clip": {"at": "1"}}, {"clip": {"at": 1}}], ['{"clip": {"at": "1"}}', '{"clip": {"at": 1}}']),
        (["whole", {"whole": {}}], ["whole", '{"whole": {}}']),
    ],
)
def test_different_values_have_different_words(values: list[object], told: list[object]) -> None:
    planned = [json.dumps(value) if isinstance(value, dict | list) else value for value in values]
    assert list(words(planned).values()) == told


def test_a_scheme_among_the_values_is_told_with_its_changed_parameters() -> None:
    slow, slower = ({"erica": {"target": target}} for target in (0.8, 0.5))
    charny = {"charny": {"target": 0.9}}
    planned = ["erica", json.dumps(slow), json.dumps(charny)]
    assert list(words(planned, "scheme").values()) == ["erica", "erica (changed: target)", "charny"]
    assert list(words(planned[1:2], "flow.data.scheme").values()) == ["erica (changed: target)"]
    both = [json.dumps(slow), json.dumps(slower)]
    assert list(words(both, "scheme").values()) == ["erica (target = 0.8)", "erica (target = 0.5)"]
