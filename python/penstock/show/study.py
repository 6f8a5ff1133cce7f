"""The results of a published study: its figures and data as files, its claims, and its page."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.core.files import prepare, replacing, write_text
from penstock.plot import Panel, Sheet, save
from penstock.show.report import Cell, Figure, Report, Section, Table, write
from penstock.statistics import student
from penstock.studies import open_study
from penstock.studies.claims import VERDICTS, Finding, shown, to_json

if TYPE_CHECKING:
    from penstock.analyse.results import Results
    from penstock.studies.framework import Reproduction
    from penstock.studies.runs import Runs

SUMMARY = (
    "A published study, run again. The verdicts are those of honest runs: nothing was tuned to meet a claim. "
    "{seeds} seeds."
)
HEADINGS = ("claim", "figure", "published", "reproduced", "seeds", "verdict", "note")


def show(results: Results) -> None:
    """Write figures, their data, claims and page into the directory of the runs, and print the claims."""
    study = study_of(results)
    sheets = list(study.sheets())
    figures = prepare(results.directory / "figures")
    for sheet in sheets:
        save(sheet, figures)
    write_data(study, sheets, prepare(results.directory / "data"))
    findings = study.findings()
    write_text(results.directory / "claims.json", to_json(findings, **state_of(results)))
    write(_page(study, sheets, findings, results), results.directory / "report.html")
    for line in (reading(study.settings), unfinished(results)):
        if line:
            print(line)
    print_findings(study.title, findings)
    print(
        f"Open {results.directory / 'report.html'}: the verdicts, and {len(sheets)} figure{'s' * (len(sheets) != 1)}."
    )
    print(f"There are also figures (SVG and PNG in {figures}), data of all points, and verdicts in claims.json.")


def page_of(results: Results) -> Report:
    """The page of a study, from its stored runs."""
    study = study_of(results)
    return _page(study, list(study.sheets()), study.findings(), results)


def study_of(results: Results) -> Reproduction[Any]:
    """The study that the results belong to, with all its runs."""
    details = results.about["details"]
    study = open_study(results.about["name"], details["figure"], details["seeds"], details.get("set"))
    study.read(results)
    return study


def _page(study: Reproduction[Any], sheets: Sequence[Sheet], findings: Sequence[Finding], results: Results) -> Report:
    details = results.about["details"]
    command = f"penstock reproduce {results.about['name']} --seeds {details['seeds']}{options_of(study.settings)}"
    rows: list[dict[str, Cell]] = [
        {"claim": finding.id, **shown(finding), "note": finding.lines} for finding in findings
    ]
    claims = Table(
        count_verdicts(findings),
        HEADINGS,
        [[row[heading] for heading in HEADINGS] for row in rows],
        verdict_column="verdict",
    )
    figures = [Figure(sheet, f"{command} {study.command(sheet)}".strip()) for sheet in sheets]
    tables = [Table(each.title, each.columns, each.rows, each.note) for each in study.tables()]
    printed = [Section("Tables", tables=tables)] if tables else []
    return Report(
        title=study.title,
        summary="\n\n".join(filter(None, [reading(study.settings), unfinished(results), SUMMARY.format(**details)])),
        sections=[Section("Claims", tables=[claims]), *printed, Section("Figures", figures=figures)],
        parameters=dict(study.parameters()),
        versions=results.versions(),
        command=command,
        complete=results.is_complete(),
    )


def state_of(results: Results) -> dict[str, object]:
    """Whether all runs are there, how many of how many, and the settings of another reading."""
    wanted = results.plan.height
    return {
        "complete": results.is_complete(),
        "runs": {"present": wanted - results.missing(), "wanted": wanted},
        "set": results.about["details"].get("set", {}),
    }


def unfinished(results: Results) -> str:
    """The number of runs of an incomplete study, as a sentence; empty if it is complete."""
    if results.is_complete():
        return ""
    wanted = results.plan.height
    return (
        f"INCOMPLETE: {wanted - results.missing()} of {wanted} runs. Verdicts are those of the runs that are there; a "
        "claim without its runs is not run."
    )


def reading(settings: Mapping[str, object]) -> str:
    """The settings of another reading, as a sentence; empty if the study is as its authors have it."""
    if not settings:
        return ""
    return f"Judged under another reading: {', '.join(map(setting, settings.items()))} in every scenario of the study."


def setting(pair: tuple[str, object]) -> str:
    """A path and its value, as `--set` takes them."""
    path, value = pair
    return f"{path}={value if isinstance(value, str) else json.dumps(value)}"


def options_of(settings: Mapping[str, object]) -> str:
    """The options of the command for the settings."""
    return "".join(f" --set {shlex.quote(setting(pair))}" for pair in settings.items())


def count_verdicts(findings: Sequence[Finding]) -> str:
    """The number of claims for each verdict."""
    counts = Counter(finding.verdict for finding in findings)
    always = ("reproduced", "partly", "not reproduced")
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in always or counts[verdict])


def print_findings(title: str, findings: Sequence[Finding]) -> None:
    """Print the table of claims on standard output."""
    from penstock.show.summary import print_table

    columns: list[tuple[str, str, Callable[[Any], str]]] = [
        ("claim", "id", str),
        ("figure", "figure", str),
        ("published", "published", str),
        ("reproduced", "reproduced", str),
        ("verdict", "verdict", str),
    ]
    print_table(f"{title}: {count_verdicts(findings)}", columns, [shown(finding) for finding in findings])


def write_data(study: Reproduction[Any], sheets: Sequence[Sheet], directory: Path) -> None:
    """Write the data of figures, one file for each kind, and every measure at every point that was run."""
    kinds = {
        "figures": figure_rows(sheets),
        "maps": map_rows(sheets),
        "series": series_rows(sheets),
        "points": point_rows(study.runs),
    }
    for name, rows in kinds.items():
        write_rows(rows, directory / name)


def figure_rows(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """The data of figures, one row per curve, x and seed; seed 0 where the value is exact."""
    return [
        {**place(sheet, panel), "curve": curve.label, "x": x, "seed": seed, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        for curve in panel.curves
        for x, values in curve.points.items()
        for seed, value in sorted(values.items())
    ]


def map_rows(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """The data of heat maps, one row per cell: means over seeds."""
    return [
        {**place(sheet, panel), "quantity": panel.cells.quantity, "x": x, "y": y, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        if panel.cells is not None
        for y, values in zip(panel.cells.lines, panel.cells.values, strict=True)
        for x, value in zip(panel.cells.columns, values, strict=True)
    ]


def series_rows(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """The data drawn against time, one row per reading."""
    return [
        {**place(sheet, panel), "curve": trace.label, "x": x, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        for trace in panel.traces
        for x, value in zip(trace.x, trace.y, strict=True)
    ]


def place(sheet: Sheet, panel: Panel) -> dict[str, str]:
    """The place of a value in the figures."""
    return {"figure": sheet.name, "panel": panel.title, "quantity": panel.y_label}


def point_rows(runs: Runs[Any]) -> list[dict[str, Any]]:
    """One row per point: its parameters, its seeds, and each measure's mean and half width, as runs have them."""
    rows = []
    for point, by_seed in runs.measures.items():
        row: dict[str, Any] = {**point.parameters, "seeds": len(by_seed)}
        for name in dict.fromkeys(name for values in by_seed.values() for name in values):
            estimate = student(values[name] for values in by_seed.values() if name in values)
            row |= {name: estimate.mean, f"{name}.half_width": estimate.half_width}
        rows.append(row)
    return rows


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write one table as CSV and as Parquet."""
    import polars as pl

    frame = pl.DataFrame(rows, infer_schema_length=None)
    with replacing([path.with_name(f"{path.name}.csv"), path.with_name(f"{path.name}.parquet")]) as (text, binary):
        frame.write_csv(text)
        frame.write_parquet(binary)
