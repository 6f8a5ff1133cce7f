"""The results of a published study: its figures and data as files, its claims, and its page."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any

from penstock.core.counts import counted
from penstock.core.files import write_text
from penstock.core.settings import setting
from penstock.plot import save
from penstock.show.data import DRAWINGS, linked, sheets_of, write_data
from penstock.show.output import Output
from penstock.show.report import VERDICTS, Cell, Figure, Link, Report, Section, Statement, Table, write
from penstock.show.state import warnings_of
from penstock.show.terminal import Column, is_wide, print_note, print_table, print_text
from penstock.studies import KIND, open_study, readings
from penstock.studies.claims import Finding, figure_numbers, shown, to_json

if TYPE_CHECKING:
    from penstock.analyse.results import Results
    from penstock.studies.framework import Reproduction
    from penstock.studies.runs import Runs

HEADINGS = ("claim", "figure", "published", "reproduced", "seeds", "verdict")
SHOWN_NAMES = 3
"""The most claims that the headline names."""
MOST_TELLING = 5
"""So many claims are printed."""
MOST_FAILED = 3
"""So many of these may be claims that do not hold."""
SHARES_NOTE = (
    '"of N runs" is the share of the runs, of all seeds at all points, that had what the claim says never happens. Its '
    "interval is one of counts: it needs no third seed."
)
SCREEN = 100
"""The screen of a study has no longer lines, not even in a pipe, unless it is wanted wide."""


def show(results: Results) -> None:
    """Write figures, their data, claims and page into the directory of the runs, and print the claims."""
    study = study_of(results)
    findings = study.findings()
    state = state_of(results)
    write_text(results.directory / "claims.json", to_json(findings, **state))
    report = _page(study, findings, results)
    sheets = sheets_of(report)
    for sheet in sheets:
        save(sheet, results.directory / DRAWINGS)
    judged = readings.judged(study) if study.others else []
    write_data(sheets, results.directory, {"points": point_rows(study.runs), "readings": readings.rows(judged)})
    write(linked(report, results.directory), results.directory / "report.html")
    for line in (reading(study.settings), *warnings_of(results)):
        if line:
            print_text(line, most=SCREEN)
    print_findings(study.title, findings)
    for line in (*few_seeds(study, results.about["details"]["seeds"]), under_others(judged) if judged else ""):
        if line:
            print_text(line, most=SCREEN)
    claims, figures = counted(len(findings), "claim"), counted(len(sheets), "figure")
    print_text(
        f"Open {results.directory / 'report.html'}: {claims}, and {figures}. Beside it are "
        f"{DRAWINGS}/ (SVG, PNG), data/ (CSV), and claims.json.",
        most=SCREEN,
    )


def page_of(results: Results) -> Report:
    """The page of a study, from its stored runs."""
    study = study_of(results)
    return _page(study, study.findings(), results)


def study_of(results: Results) -> Reproduction[Any]:
    """The study that the results belong to, with all its runs."""
    details = results.about["details"]
    study = open_study(
        results.about["name"],
        details["figure"],
        details["seeds"],
        details.get("set"),
        readings=details.get("readings", False),
    )
    study.read(results)
    return study


def _page(study: Reproduction[Any], findings: Sequence[Finding], results: Results) -> Report:
    details = results.about["details"]
    command = f"penstock reproduce {results.about['name']} --seeds {details['seeds']}{options_of(study)}"
    sheets = list(study.sheets())
    beside, related, apart = placed(findings, [sheet.name for sheet in sheets])
    figures = [
        Figure(
            sheet,
            f"{command} {study.command(sheet)}".strip(),
            statements=[statement_of(finding) for finding in beside.get(sheet.name, ())],
            related=related.get(sheet.name, ()),
        )
        for sheet in sheets
    ]
    tables = [Table(each.title, each.columns, each.rows, each.note) for each in study.tables()]
    sections = [
        Section("Figures", "Each figure with the paper's claims about it.", figures=figures),
        Section("Claims without a figure", statements=[statement_of(finding) for finding in apart]),
        Section("Tables", tables=tables),
        Section("All claims", tables=[table_of(findings, beside)]),
        *([section_of_readings(study)] if study.others else ()),
    ]
    return Report(
        title=study.title,
        headline=" ".join(filter(None, [reading(study.settings), headline(findings)])),
        summary="A published study, run again. The verdicts are those of honest runs: nothing was tuned to meet a "
        f"claim. {counted(details['seeds'], 'seed')}.",
        sections=[each for each in sections if each.figures or each.statements or each.tables],
        warnings=[*warnings_of(results), *few_seeds(study, details["seeds"])],
        lead=max(beside, key=lambda name: len(beside[name]), default=None),
        parameters=dict(study.parameters()),
        versions=results.versions(),
        command=command,
    )


def state_of(results: Results) -> dict[str, object]:
    """Whether all runs are there, how many of how many, and the settings of another reading."""
    wanted = results.wanted
    return {
        "complete": results.is_complete,
        "runs": {"present": wanted - results.missing(), "wanted": wanted},
        "set": results.about["details"].get("set", {}),
    }


def reading(settings: Mapping[str, object]) -> str:
    """The settings of another reading, as a sentence; empty if the study is as its authors have it."""
    if not settings:
        return ""
    return (
        f"Judged under another reading: {', '.join(starmap(setting, settings.items()))} in every scenario of the study."
    )


def options_of(study: Reproduction[Any]) -> str:
    """The options of the command for the settings, and for other readings."""
    told = "".join(f" --set {shlex.quote(setting(*pair))}" for pair in study.settings.items())
    return told + " --readings" * bool(study.others)


def section_of_readings(study: Reproduction[Any]) -> Section:
    """The other readings, and all claims under each."""
    found = readings.judged(study)
    return Section(
        "Readings and claims",
        f"{under_others(found)} Every verdict is from runs under that reading. A number is the value, or how many "
        "parts of the claim hold, secondary ones included.",
        tables=[
            Table("Readings", readings.DESCRIBED, readings.described(study.others)),
            Table("Claims under each reading", readings.headings(study), [readings.cells(each) for each in found]),
        ],
    )


def under_others(found: Sequence[readings.Judged]) -> str:
    """A sentence: how many verdicts depend on the reading."""
    count = len(found[0].findings) - 1
    ids = [each.claim for each in found if each.is_open]
    told = f"{len(ids)} of {len(found)} ({', '.join(ids)})" if ids else "none"
    return f"Under {counted(count, 'other reading')} of the paper these verdicts change: {told}."


def placed(
    findings: Sequence[Finding], names: Sequence[str]
) -> tuple[dict[str, list[Finding]], dict[str, list[str]], list[Finding]]:
    """Findings by the figure that they are beside, the ids of others on each figure, and findings without a figure.

    A finding on several figures is beside the first one.
    """
    beside: dict[str, list[Finding]] = {}
    related: dict[str, list[str]] = {}
    apart: list[Finding] = []
    for finding in findings:
        numbers = figure_numbers(finding.figure) | {word.strip() for word in finding.figure.split(",")}
        own = [name for name in names if name.partition("-")[2] in numbers and is_printed(name)]
        if own:
            beside.setdefault(own[0], []).append(finding)
        else:
            apart.append(finding)
        for other in own[1:]:
            related.setdefault(other, []).append(finding.id)
    return {name: beside[name] for name in names if name in beside}, related, apart


def is_printed(name: str) -> bool:
    """Whether a figure of this name is one of the paper's figures or tables."""
    return name.startswith(("figure-", "table-"))


def statement_of(finding: Finding) -> Statement:
    """A claim with its verdict, as the page shows it."""
    told = shown(finding)
    return Statement(finding.id, finding.text, finding.verdict, told["published"], told["reproduced"], finding.lines)


def table_of(findings: Sequence[Finding], beside: Mapping[str, Sequence[Finding]]) -> Table:
    """All claims with links to their places, those that fail first."""
    places = {finding.id: name for name, own in beside.items() for finding in own}
    order = list(VERDICTS)
    rows: list[list[Cell]] = []
    for finding in sorted(findings, key=lambda finding: order.index(finding.verdict)):
        told: dict[str, Cell] = {**shown(finding), "claim": Link(finding.id, finding.id)}
        if finding.id in places:
            told["figure"] = Link(finding.figure, places[finding.id])
        rows.append([told[heading] for heading in HEADINGS])
    return Table(count_verdicts(findings), HEADINGS, rows, verdict_column="verdict", note=shares_note(findings))


def shares_note(findings: Sequence[Finding]) -> str:
    """What a share of runs is, if there is one."""
    return SHARES_NOTE if any(finding.trials for finding in findings) else ""


def headline(findings: Sequence[Finding]) -> str:
    """One sentence: how many claims hold, and which do not."""
    holding = sum(finding.verdict == "reproduced" for finding in findings)
    told = f"{holding} of {len(findings)} claims are reproduced"
    for verdict, phrase in (("partly", "in part"), ("not reproduced", "not reproduced")):
        ids = [finding.id for finding in findings if finding.verdict == verdict]
        if ids:
            names = f" ({', '.join(ids)})" if len(ids) <= SHOWN_NAMES else ""
            told += f", {len(ids)} {phrase}{names}"
    return f"{told}."


def few_seeds(study: Reproduction[Any], seeds: int) -> list[str]:
    """A warning if there are fewer seeds than the study needs."""
    least = study.study.quick_seeds
    if seeds >= least:
        return []
    return [f"Only {counted(seeds, 'seed')}: the verdicts of this study need {least} or more. Do not quote these."]


def count_verdicts(findings: Sequence[Finding]) -> str:
    """The number of claims for each verdict."""
    counts = Counter(str(finding.verdict) for finding in findings)
    always = ("reproduced", "partly", "not reproduced")
    order = reversed(VERDICTS)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in order if verdict in always or counts[verdict])


def telling(findings: Sequence[Finding]) -> list[Finding]:
    """The claims that say most: a few that do not hold, then those that hold across most figures, then the others."""
    failed = [each for verdict in ("not reproduced", "partly") for each in findings if each.verdict == verdict]
    held = [each for each in findings if each.verdict == "reproduced"]
    held.sort(key=lambda each: -len(figure_numbers(each.figure)))
    first = [*failed[:MOST_FAILED], *held, *failed[MOST_FAILED:]]
    return [*first, *(each for each in findings if each not in first)][:MOST_TELLING]


def said(finding: Finding) -> str:
    """What a claim says, in words: with the order, if it is about one."""
    is_order = isinstance(finding.published, str) and ", then " in finding.published
    return f"{finding.text}: {finding.published}" if is_order and finding.published != finding.text else finding.text


def print_findings(title: str, findings: Sequence[Finding]) -> None:
    """Print what came out, the number of each verdict, and the table of the most telling claims: of all, if wide."""
    columns: list[Column] = [
        ("claim", "id", str),
        *([("figure", "figure", str), ("published", "published", str)] if is_wide() else [("says", "text", str)]),
        ("reproduced", "reproduced", str),
        ("verdict", "verdict", str),
    ]
    print_text(f"{title}: {headline(findings)}", most=SCREEN)
    print_text(f"Verdicts: {count_verdicts(findings)}.", most=SCREEN)
    print()
    named = findings if is_wide() else telling(findings)
    told = "Claims"
    if len(named) < len(findings):
        told = f"The {len(named)} most telling claims of {len(findings)} (--wide: all)"
    print_table(told, columns, [{**shown(each), "text": said(each)} for each in named], most=SCREEN)
    if note := shares_note(named):
        print_note(note, most=SCREEN)


def point_rows(runs: Runs[Any]) -> list[dict[str, Any]]:
    """One row per point: its parameters, its seeds, and each measure's mean with the ends of its 95 % interval.

    The intervals are within the bounds of the measures.
    """
    rows = []
    for point, by_seed in runs.measures.items():
        row: dict[str, Any] = {**point.parameters, "seeds": len(by_seed)}
        for name in dict.fromkeys(name for values in by_seed.values() for name in values):
            estimate = runs.sample(name, (values[name] for values in by_seed.values() if name in values)).estimate()
            row |= {name: estimate.mean, f"{name}.low": estimate.low, f"{name}.high": estimate.high}
        rows.append(row)
    return rows


OUTPUT = Output(KIND, page_of)
