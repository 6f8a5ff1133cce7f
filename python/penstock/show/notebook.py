"""Cards: what a notebook shows of a scenario, a simulation, or results: a few figures and a small table.

They are plain HTML, escaped, in the colours of the notebook, light or dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING, Any

from penstock.analyse.estimates import sample
from penstock.analyse.metric import KINDS, POSITIVE
from penstock.analyse.results import Results
from penstock.api.comparison import Comparison
from penstock.api.run import Result
from penstock.api.simulation import Simulation
from penstock.api.sweep import Sweep
from penstock.core.scenario import Scenario, scheme_label
from penstock.core.units import readable
from penstock.league.league import League
from penstock.league.table import CaseTable
from penstock.show import comparison, league_tables
from penstock.show.cells import MOST_ROWS, MadeRows, times
from penstock.show.kinds import output_of
from penstock.show.report import Cell, Table
from penstock.show.settings import phrase
from penstock.show.state import warnings_of
from penstock.show.summary import ACCESS
from penstock.show.summary import warnings as warnings_of_run
from penstock.statistics import never

if TYPE_CHECKING:
    import polars as pl

MOST_COLUMNS, MOST_LETTERS = 8, 60
STYLE = (
    ".penstock-card{font-size:13px;line-height:1.45;max-width:60em;border:1px solid rgba(128,128,128,.35);"
    "border-radius:4px;padding:.6em .9em;margin:.2em 0;overflow-x:auto;color:inherit}"
    ".penstock-card b{font-size:14px}.penstock-card i{font-style:normal;opacity:.7}"
    ".penstock-card p{margin:.15em 0 .4em}"
    ".penstock-card table{border-collapse:collapse;margin:.5em 0 .2em;font-size:12.5px;color:inherit}"
    ".penstock-card caption{text-align:left;font-weight:600;padding:.1em 0;color:inherit}"
    ".penstock-card th,.penstock-card td{padding:.12em .9em .12em 0;text-align:left;border:0;background:none;"
    "white-space:nowrap;color:inherit}"
    ".penstock-card th{font-weight:400;opacity:.7;border-bottom:1px solid rgba(128,128,128,.35)}"
    ".penstock-card .n{text-align:right;font-variant-numeric:tabular-nums}"
)


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a card: its kind and title, figures by their names, one sentence, tables, and warnings."""

    kind: str
    title: str
    figures: Mapping[str, object]
    sentence: str = ""
    tables: Sequence[Table] = ()
    warnings: Sequence[str] = ()

    def html(self) -> str:
        """As HTML."""
        told = " · ".join(f"<i>{escape(name)}</i> {escape(str(value))}" for name, value in self.figures.items())
        parts = [f"<b>{escape(self.title)}</b> <i>{escape(self.kind)}</i>", f"<p>{told}</p>"]
        parts += [f"<p>{escape(self.sentence)}</p>"] if self.sentence else []
        parts += [f"<p>⚠ {escape(warning)}</p>" for warning in self.warnings[:3]]
        parts += [table_html(table) for table in self.tables if table.rows]
        return f'<div class="penstock-card"><style>{STYLE}</style>{"".join(parts)}</div>'


def html_of(thing: object) -> str:
    """The card of an object, as HTML."""
    return card_of(thing).html()


@singledispatch
def card_of(thing: object) -> Card:
    """The card of an object."""
    raise TypeError(type(thing).__name__)


@card_of.register
def _(scenario: Scenario) -> Card:
    tree, built = scenario.tree, scenario.expanded().tree
    flows: Mapping[str, Any] = built["flow"]
    lines: Mapping[str, Any] = built.get("line", {})
    figures: dict[str, object] = {"duration": tree["duration"]}
    if not tree["warm_up"].startswith("0 "):
        figures["warm-up"] = tree["warm_up"]
    figures |= {"lines": f"{len(lines):,}", "flows": f"{sum(flow['count'] for flow in flows.values()):,}"}
    if tree.get("scheme"):
        figures["scheme"] = scheme_label(tree["scheme"])
    rows = [
        [
            name,
            flow["count"],
            part_words(flow["traffic"]),
            part_words(flow.get("reaction_point") or flow.get("transport") or {"uncontrolled": {}}),
        ]
        for name, flow in flows.items()
    ]
    wires = [[name, " – ".join(line["between"]), line["rate"], line["delay"]] for name, line in lines.items()]  # noqa: RUF001
    tables = [
        Table("Flows", ["group", "flows", "traffic", "control"], rows),
        Table("Lines", ["line", "between", "rate", "delay"], wires),
    ]
    return Card("scenario", scenario.label, figures, tables=tables)


@card_of.register
def _(sim: Simulation) -> Card:
    result = sim.result()
    scenario = Scenario.of(result.manifest["scenario"])
    figures: dict[str, object] = {
        "now": f"{readable(sim.now)} of {scenario.tree['duration']}",
        "seed": sim.seed,
        "fingerprint": sim.fingerprint,
    }
    if changes := scenario.tree.get("change"):
        figures["changes"] = len(changes)
    title = scenario.title or result.manifest["name"] or scenario.label
    return Card("simulation", title, figures, tables=[groups_table(result), ports_table(result)])


@card_of.register
def _(result: Result) -> Card:
    manifest = result.manifest
    runs = manifest["runs"]
    scenario = manifest["scenario"]
    figures: dict[str, object] = {"seed": manifest["seed"], "replications": len(runs)}
    figures["simulated"] = f"{runs[0]['end_s']:.6g} s" + (" each" if len(runs) > 1 else "")
    if len(runs) == 1:
        figures["fingerprint"] = runs[0]["fingerprint"]
    own = result.independent()
    return Card(
        "result",
        scenario.get("title") or manifest["name"] or Scenario.of(scenario).label,
        figures,
        tables=[groups_table(own), ports_table(own)],
        warnings=warnings_of_run(result),
    )


@card_of.register
def _(swept: Sweep) -> Card:
    runs = len(swept.points) * swept.replications
    figures: dict[str, object] = {
        "points": f"{len(swept.points):,}",
        "replications": swept.replications,
        "runs": f"{runs:,}",
        "seed": swept.seed,
    }
    if swept.table["precision"]:
        figures["precision"] = ", ".join(
            f"{name} ±{100 * share:g} %" for name, share in swept.table["precision"].items()
        )
    table = Table("Axes", ["path", "values", "which"], axes_of(swept))
    return Card("sweep", swept.base.label, figures, tables=[table])


@card_of.register
def _(results: Results) -> Card:
    about = results.about
    stored = results.wanted - results.missing()
    figures: dict[str, object] = {"runs": f"{stored:,} of {results.wanted:,}"}
    if about["failures"]:
        figures["failed"] = f"{len(about['failures']):,}"
    if results.parameters and about["kind"] != "comparison":
        figures["points"] = f"{results.plan['point'].n_unique():,}"
    figures["directory"] = results.directory
    sentence, tables = output_of(results).outcome(results)
    return Card(about["kind"], about["name"], figures, sentence, tables, warnings_of(results))


@card_of.register
def _(found: Comparison) -> Card:
    rows: list[Sequence[Cell]] = [comparison.rank_cells(found, one) for one in found.ranking]
    figures = {"replications": found.replications}
    return Card("ranking", comparison.heading(found), figures, tables=[Table("", list(comparison.RANKS), rows)])


@card_of.register
def _(league: League) -> Card:
    document = league.document
    figures = {
        "schemes": len({name for case in league.cases for name in case.schemes}),
        "networks": len(document.networks),
        "replications": document.replications,
        "runs": f"{len(league.starts) * document.replications:,}",
        "seed": document.seed,
    }
    rows: list[Sequence[Cell]] = [[case.name, len(case.scenarios), ", ".join(case.refused)] for case in league.cases]
    return Card("league", document.name, figures, tables=[Table("Cases", ["case", "schemes", "cannot run"], rows)])


@card_of.register
def _(table: CaseTable) -> Card:
    figures = {"schemes": len(table.case.scenarios)}
    return Card(
        "case of a league", table.case.title or table.case.name, figures, tables=league_tables.tables_in(table)[:1]
    )


# -------------------------------------------------------------------------------------------------- tables of a result
def groups_table(result: Result) -> Table:
    """The traffic classes: counts of one replication, or means over several with their intervals."""
    counts = [("sent", 1.0), ("lost", 1.0)] if result.groups["replication"].n_unique() == 1 else []
    columns = [*counts, ("loss_ratio", 1.0), ("delay_mean_s", 1e3), ("delay_p99_s", 1e3), ("throughput_bps", 1e-6)]
    headings = ["loss ratio", "mean delay (ms)", "99 % delay (ms)", "throughput (Mb/s)"]
    names = result.groups["group"].unique(maintain_order=True).to_list()

    def row(name: str) -> Sequence[Cell]:
        part = result.groups.filter(group=name)
        return [name, int(part["flows"][0]), *(estimated(part, *each) for each in columns)]

    return Table("Traffic classes", ["class", "flows", *(name for name, _ in counts), *headings], MadeRows(names, row))


def ports_table(result: Result) -> Table:
    """The ports that carried anything, the most used first, without access lines."""
    import polars as pl

    headings = ["port", "utilisation", "mean queue", "longest queue", "discarded"]
    columns = [("utilisation", 1.0), ("queue_mean", 1.0), ("queue_max", 1.0), ("discarded", 1.0)]
    busy = (
        result.ports.group_by("port", maintain_order=True)
        .agg(pl.sum("arrived", "discarded", "utilisation"))
        .filter((pl.col("arrived") > 0) & (~pl.col("port").str.starts_with(ACCESS) | (pl.col("discarded") > 0)))
        .sort("utilisation", descending=True, maintain_order=True)
    )

    def row(name: str) -> Sequence[Cell]:
        part = result.ports.filter(port=name)
        return [name, *(estimated(part, *each) for each in columns)]

    return Table("Ports", headings, MadeRows(busy["port"].to_list(), row))


def estimated(rows: pl.DataFrame, column: str, size: float) -> str | int | None:
    """A column over replications, times ``size``: the mean with its interval; that of one replication as it is."""
    import polars as pl

    kind = KINDS.get(column, POSITIVE)
    others = [pl.col(own).alias(label) for label, own in kind.columns.items()]
    own = sample(kind, rows.select(pl.col(column).cast(pl.Float64).fill_nan(None).alias("value"), *others))
    if not own.values:
        return None
    if rows.height == 1 and rows[column].dtype.is_integer():
        return int(own.values[0])
    found = own.estimate()
    if column == "loss_ratio" and not rows["lost"].sum():
        return never(int(rows["sent"].sum()), unit="PDUs")
    return str(times(found, size))


# --------------------------------------------------------------------------------------------------------- small parts
def table_html(table: Table) -> str:
    """The first rows and columns of a table."""
    columns = range(min(len(table.columns), MOST_COLUMNS))
    rows = table.rows[:MOST_ROWS]
    numeric = {place for place in columns if all(isinstance(row[place], int | float) for row in rows)}

    def cell(tag: str, values: Sequence[object], place: int) -> str:
        number = ' class="n"' if place in numeric else ""
        return f"<{tag}{number}>{escape(text_of(values[place]))}</{tag}>"

    def cells(tag: str, values: Sequence[object]) -> str:
        return f"<tr>{''.join(cell(tag, values, place) for place in columns)}</tr>"

    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    body = "".join(cells("td", row) for row in rows)
    left_out = [
        f"{count:,} more {what}"
        for count, what in ((len(table.rows) - len(rows), "rows"), (len(table.columns) - len(columns), "columns"))
        if count
    ]
    more = f"<p><i>and {', '.join(left_out)}</i></p>" if left_out else ""
    return f"<table>{caption}<thead>{cells('th', table.columns)}</thead><tbody>{body}</tbody></table>{more}"


def text_of(cell: object) -> str:
    """The text of a cell: a dash for nothing, the lines of several texts, a number with separators."""
    if cell is None or cell == "":
        return "–"  # noqa: RUF001 - it is a dash
    if isinstance(cell, tuple):
        return "; ".join(map(str, cell))
    if isinstance(cell, int):
        return f"{cell:,}"
    return shortened(f"{cell:.6g}" if isinstance(cell, float) else str(getattr(cell, "text", cell)))


def shortened(text: str) -> str:
    """A text of limited length."""
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


def part_words(table: object) -> str:
    """A part of the scenario by its keyword."""
    return str(table) if isinstance(table, str) else ", ".join(table) if isinstance(table, Mapping) else ""


def axes_of(swept: Sweep) -> list[tuple[str, int, str]]:
    """The paths of the axes, each with the number of its values, and the first of them."""
    found = []
    points = swept.points
    stride = len(points)
    for axis, length in zip(points.axes, points.lengths, strict=True):
        stride //= length  # the last axis is the fastest
        shown = [points[step * stride].parameters for step in range(min(length, MOST_ROWS))]
        more = ", ..." if length > MOST_ROWS else ""
        found += [(path, length, ", ".join(str(phrase(step[path])) for step in shown) + more) for path in axis]
    return found
