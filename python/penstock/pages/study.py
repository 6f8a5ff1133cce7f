"""What a published study shows: its figures and data as files, its claims, and its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.files import prepare, replacing, write_text
from penstock.plot import Sheet, save
from penstock.report import Figure, Report, Section, Table, write
from penstock.studies import HasTables, Study, open_study
from penstock.studies.claims import Finding, shown, to_json

if TYPE_CHECKING:
    from penstock.results import Results

HEADINGS = ("claim", "figure", "published", "reproduced", "seeds", "verdict", "note")


def show(results: Results) -> None:
    """Write figures, their data, claims and page beside the runs, and print the claims."""
    study = study_of(results)
    sheets = list(study.sheets())
    figures = prepare(results.directory / "figures")
    for sheet in sheets:
        save(sheet, figures)
    write_rows(figure_rows(sheets), prepare(results.directory / "data") / "figures")
    findings = study.findings()
    write_text(results.directory / "claims.json", to_json(findings))
    write(_page(study, sheets, findings, results), results.directory / "report.html")
    print_findings(study.title, findings)
    print(
        f"Open {results.directory / 'report.html'}: the verdicts, and {len(sheets)} figure{'s' * (len(sheets) != 1)}."
    )
    print(f"Beside it: figures (SVG and PNG in {figures}), their data, and the verdicts in claims.json.")


def page_of(results: Results) -> Report:
    """The page of a study, from the runs that there are."""
    study = study_of(results)
    return _page(study, list(study.sheets()), study.findings(), results)


def study_of(results: Results) -> Study:
    """The study that the results belong to, with all its runs."""
    details = results.about["details"]
    study = open_study(results.about["name"], details["figure"], details["seeds"])
    study.read(results)
    return study


def _page(study: Study, sheets: Sequence[Sheet], findings: Sequence[Finding], results: Results) -> Report:
    details = results.about["details"]
    command = f"penstock reproduce {results.about['name']} --seeds {details['seeds']}"
    rows = [{"claim": (cells := shown(finding))["id"], **cells} for finding in findings]
    claims = Table(
        count_verdicts(findings),
        HEADINGS,
        [[row[heading] for heading in HEADINGS] for row in rows],
        verdict_column="verdict",
    )
    figures = [Figure(sheet, f"{command} {study.command(sheet)}".strip()) for sheet in sheets]
    found = study.tables() if isinstance(study, HasTables) else ()
    tables = [Table(each.title, each.columns, each.rows, each.note) for each in found]
    printed = [Section("Tables", tables=tables)] if tables else []
    return Report(
        title=study.title,
        summary="A published study, run again. The verdicts are those of an honest run: nothing was adjusted to meet a "
        f"claim. {details['seeds']} seeds.",
        sections=[Section("Claims", tables=[claims]), *printed, Section("Figures", figures=figures)],
        parameters=dict(study.parameters()),
        versions=results.versions(),
        command=command,
        complete=results.is_complete(),
    )


def count_verdicts(findings: Sequence[Finding]) -> str:
    """How many claims were reproduced."""
    counts = Counter(finding.verdict for finding in findings)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("reproduced", "partly", "not reproduced"))


def print_findings(title: str, findings: Sequence[Finding]) -> None:
    """Print the table of claims on standard output."""
    from penstock.summary import print_table

    columns: list[tuple[str, str, Callable[[Any], str]]] = [
        ("claim", "id", str),
        ("figure", "figure", str),
        ("published", "published", str),
        ("reproduced", "reproduced", str),
        ("verdict", "verdict", str),
    ]
    print_table(f"{title}: {count_verdicts(findings)}", columns, [shown(finding) for finding in findings])


def figure_rows(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """The data of figures, one row per curve, x and seed; seed 0 where the value is exact."""
    return [
        {"figure": sheet.name, "quantity": panel.y_label, "curve": curve.label, "x": x, "seed": seed, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        for curve in panel.curves
        for x, values in curve.points.items()
        for seed, value in sorted(values.items())
    ]


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write one table as CSV and as Parquet."""
    import polars as pl

    frame = pl.DataFrame(rows, infer_schema_length=None)
    with replacing([path.with_name(f"{path.name}.csv"), path.with_name(f"{path.name}.parquet")]) as (text, binary):
        frame.write_csv(text)
        frame.write_parquet(binary)
