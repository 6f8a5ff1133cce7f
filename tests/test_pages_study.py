"""The page of a study: where each claim stands, what the headline says, and the files beside the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
from sheets import CURVE, samples

from penstock.plot import Cells, Panel, Sheet, Tail
from penstock.show.data import linked, links, write_data
from penstock.show.report import Figure, Link, Report, Section
from penstock.show.study import headline, placed, statement_of, table_of
from penstock.studies.claims import Claim, Clause, Clauses, Finding, judge


def finding(name: str, figure: str, *holding: bool) -> Finding:
    claim = Claim(f"x.{name}", figure, "trend", f"the text of {name}")
    return judge(claim, Clauses([Clause(f"part {place}", holds) for place, holds in enumerate(holding)], seeds=3))


HOLDS, HALF, FAILS = finding("holds", "14", True), finding("half", "14-16", True, False), finding("fails", "15", False)
APART, TABLE = finding("apart", "section 7", True), finding("table", "5-1, 5-2", True)
NAMES = ["figure-14", "figure-15", "figure-16", "table-5-1", "table-5-2", "series-14"]


def test_a_claim_stands_beside_the_first_of_its_figures_and_the_others_refer_to_it() -> None:
    beside, related, apart = placed([HOLDS, HALF, FAILS, APART, TABLE], NAMES)
    assert beside == {"figure-14": [HOLDS, HALF], "figure-15": [FAILS], "table-5-1": [TABLE]}
    assert related == {"figure-15": ["x.half"], "figure-16": ["x.half"], "table-5-2": ["x.table"]}
    assert apart == [APART]


def test_a_claim_stands_beside_the_first_figure_that_was_run() -> None:
    beside, related, apart = placed([HOLDS, HALF], ["figure-16"])
    assert (beside, related, apart) == ({"figure-16": [HALF]}, {}, [HOLDS])


def test_the_headline_counts_the_claims_and_names_those_that_fail() -> None:
    assert headline([HOLDS]) == "1 of 1 claims are reproduced."
    told = "1 of 3 claims are reproduced, 1 in part (x.half), 1 not reproduced (x.fails)."
    assert headline([HOLDS, HALF, FAILS]) == told
    many = [replace(FAILS, id=f"x.{number}") for number in range(4)]
    assert headline(many) == "0 of 4 claims are reproduced, 4 not reproduced."


def test_the_table_of_claims_begins_with_those_that_fail_and_leads_to_them() -> None:
    table = table_of([HOLDS, HALF, FAILS], {"figure-14": [HOLDS, HALF]})
    assert [row[0] for row in table.rows] == [Link(f"x.{name}", f"x.{name}") for name in ("fails", "half", "holds")]
    assert [row[1] for row in table.rows] == ["15", Link("14-16", "figure-14"), Link("14", "figure-14")]
    assert table.title == "1 reproduced, 1 partly, 1 not reproduced"


def test_a_statement_has_the_text_of_its_claim_and_the_reasons() -> None:
    told = statement_of(HALF)
    assert (told.text, told.verdict, told.reproduced) == ("the text of half", "partly", "1 of 2 parts hold")
    assert list(told.reasons) == ["no: part 1", "yes: part 0"]


def test_every_value_that_is_drawn_is_in_the_data_and_each_figure_leads_to_its_own(tmp_path: Path) -> None:
    made = samples()
    write_data(made, tmp_path, {"points": [{"n": 1, "loss": 0.5}]})
    tables = {name: pl.read_csv(tmp_path / "data" / f"{name}.csv", infer_schema_length=None) for name in KINDS}
    panels = [panel for sheet in made for panel in sheet.panels]
    curves = sum(len(values) for panel in panels for curve in panel.curves for values in curve.points.values())
    rows = sum(len(values) for panel in panels for values in (panel.rows or {}).values())
    assert tables["figures"].height == curves + rows
    assert tables["maps"].height == sum(len(c.columns) * len(c.lines) for c in (p.cells for p in panels) if c)
    assert tables["series"].height == sum(len(trace.x) for panel in panels for trace in panel.traces)
    assert tables["distributions"].height == sum(len(tail.counts) for panel in panels for tail in panel.tails)
    assert tables["points"].height == 1
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "heat.svg").write_text("")
    sheet = next(sheet for sheet in made if sheet.name == "heat")
    page = linked(Report("R", "H", "", [Section("S", figures=[Figure(sheet)])]), tmp_path)
    assert page.sections[0].figures[0].data == {
        "maps.csv (figure = heat)": "data/maps.csv",
        "heat.svg": "figures/heat.svg",
    }
    assert page.data == {f"{name}.csv": f"data/{name}.csv" for name in sorted(KINDS)}


KINDS = ("distributions", "figures", "maps", "points", "series")


def test_a_figure_of_several_kinds_leads_to_all_its_tables(tmp_path: Path) -> None:
    cells = Cells("z", ["a"], ["b"], [[1.0]])
    panels = [Panel("", "", [CURVE]), Panel("", "", cells=cells), Panel("", "", tails=[Tail("t", {1.0: 2})])]
    sheet = Sheet("all", "All", "", panels)
    assert not links(Figure(sheet), tmp_path, tmp_path)  # no file is there yet
    write_data([sheet], tmp_path)
    assert list(links(Figure(sheet), tmp_path, tmp_path).values()) == [
        *("data/figures.csv", "data/maps.csv", "data/distributions.csv")
    ]
