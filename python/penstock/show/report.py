"""A report: one HTML file with figures, claims, tables, every parameter, and the commands to run it again.

The caller gives the content in the structures below; `html` makes the page. Its first screen has one sentence on the
result, the number of claims with each verdict, the warnings, and one figure. It needs nothing outside itself: it has
links to the data beside it, and one script (`report.js`), which shows the values of a figure and zooms into it;
`report_data.ts` is the format of these values. The page is complete without that script. The same data give the same
bytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.core.files import write_text
from penstock.plot import DARK, Sheet, inline

if TYPE_CHECKING:
    from jinja2 import Template

ANCHORS = ("contents", "parameters", "versions", "data", "all-claims", "show-all")
"""Anchors that every page may have."""

MOST_WARNINGS = 3
"""The warnings that a page shows at once; the others unfold."""

VERDICTS = {
    "not reproduced": ("poor", "✗"),
    "too few replications": ("fair", "?"),
    "partly": ("fair", "≈"),
    "not run": ("none", "–"),  # noqa: RUF001 - it is a dash
    "by construction": ("none", "="),
    "reproduced": ("good", "✓"),
}
"""The style of each verdict, those first that a reader must see: a colour, and a sign for readers without colours."""


@dataclass(frozen=True, slots=True)
class Link:
    """The text of a cell, and the claim or figure of this page that it leads to."""

    text: str
    to: str


Cell = str | int | float | tuple[str, ...] | Link | None
"""A cell of a table; several texts are a list, one in a line."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings. Numbers are right-aligned, None is a dash; one column may have verdicts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    verdict_column: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim with its verdict: what was published, what came out, and the reasons, one in a line."""

    id: str
    text: str
    verdict: str
    published: str
    reproduced: str
    reasons: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, and the command that makes it again.

    Its `statements` are beside it; `related` are the ids of statements beside another figure that are about this one,
    too. `data` are files with its values, by their names. `runs` are those that the script can draw in its place, as
    JSON (:meth:`penstock.show.league_readings.Readings.packed`): the reader chooses two schemes and a replication.
    """

    sheet: Sheet
    command: str = ""
    statements: Sequence[Statement] = ()
    related: Sequence[str] = ()
    data: Mapping[str, str] = field(default_factory=dict)
    runs: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Text (an empty line between paragraphs), then statements without a figure, then tables, then figures."""

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    statements: Sequence[Statement] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report.

    Attributes:
        title: its title.
        headline: one sentence on what came out.
        summary: what this page is, in a few sentences.
        sections: its sections, in order.
        warnings: what a reader must know before the numbers, the most important first.
        lead: the name of the figure that says most: it is on the first screen.
        beside: the name of the figure next to it, if there is one.
        data: files with the data by their names; paths are relative to `folder`.
        files: the texts of further files beside the page, by their paths in the directory of the experiment.
        folder: where the files are; None is beside the page.
        parameters: each scenario that was run, as TOML, by its name.
        versions: those of the programs used.
        command: the command for the whole report.
    """

    title: str
    headline: str
    summary: str
    sections: Sequence[Section]
    warnings: Sequence[str] = ()
    lead: str | None = None
    beside: str | None = None
    data: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    command: str = ""

    def statements(self) -> Iterator[Statement]:
        """All statements of the page."""
        for section in self.sections:
            yield from section.statements
            for figure in section.figures:
                yield from figure.statements


def write(report: Report, path: Path) -> None:
    """Write the page of a report. Raises ``OSError`` if it cannot be written; then nothing has changed."""
    place = path.parent.resolve()
    folder = place if report.folder is None else report.folder.resolve()
    write_text(path, html(report, Path(os.path.relpath(folder, place))))


def html(report: Report, folder: Path = Path()) -> str:
    """A report as one page of HTML; `folder` leads from the page to its data."""
    from markupsafe import Markup

    shared, drawings = inline(figure.sheet for section in report.sections for figure in section.figures)
    script, style = part("report.js"), part("report.css")
    anchors, sections = placed(report, [Markup(drawing) for drawing in drawings])  # noqa: S704 - made by `inline`
    figures = {entry["figure"].sheet.name: entry for each in sections for entry in each["figures"]}
    return template().render(
        report=report,
        address=lambda path: (folder / path).as_posix(),
        sections=sections,
        anchors=anchors,
        leads=[figures[name] for name in (report.lead, report.beside) if name in figures],
        shared=Markup(shared),  # noqa: S704 - made by `inline`
        style=Markup(style),  # noqa: S704 - ours
        script=Markup(script),  # noqa: S704 - ours
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        colours=DARK,
        verdicts=VERDICTS,
        most_warnings=MOST_WARNINGS,
        counts=verdict_counts(report),
        most_columns=max((len(table.columns) for section in report.sections for table in section.tables), default=0),
    )


@cache
def template() -> Template:
    """The template of every page. It is compiled once in a process, which takes as long as a small page."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(paragraphs=paragraphs, shown=shown, block=block, names=names)
    return environment.from_string(part("report.html.jinja"))


def names(columns: Sequence[str]) -> str:
    """The headings of a table as variables of its style: on a narrow page they stand before each cell."""
    told = {
        place: name.replace("\\", "\\\\").replace("'", "\\'") for place, name in enumerate(columns, start=1) if name
    }
    return ";".join(f"--n{place}:'{name}: '" for place, name in told.items())


def block(text: str) -> str:
    """JSON as the content of an element of the type `application/json`, which it cannot end."""
    from markupsafe import Markup

    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - JSON of ours, in which < is only in strings


def part(name: str) -> str:
    """A file that every page is made of."""
    return files("penstock.show").joinpath(name).read_text(encoding="utf-8")


def verdict_counts(report: Report) -> dict[str, int]:
    """How many statements have each verdict, in the order of `VERDICTS`; without verdicts that none has."""
    counts = Counter(each.verdict for each in report.statements())
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def failed_first(statements: Sequence[Statement]) -> list[Statement]:
    """Statements in the order of `VERDICTS`."""
    order = list(VERDICTS)
    return sorted(statements, key=lambda each: order.index(each.verdict))


def placed(report: Report, drawings: Sequence[str]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The anchors of statements and figures, and sections with drawings and with the anchors of the contents."""
    drawing = iter(drawings)
    taken = set(ANCHORS)
    anchors = {each.id: f"claim-{plain(each.id)}" for each in report.statements()}

    def anchor(name: str) -> str:
        """A name as a unique anchor; those of figures stay the same when other figures change."""
        free = next(
            each for each in chain([plain(name)], (f"{plain(name)}-{n}" for n in count(2))) if each not in taken
        )
        taken.add(free)
        return free

    def figure_entry(figure: Figure) -> dict[str, Any]:
        """A figure with its drawing and its anchor."""
        name = figure.sheet.name
        anchors[name] = own = anchor(name)
        return {
            "id": own,
            "figure": figure,
            "drawing": next(drawing),
            "statements": failed_first(figure.statements),
        }

    sections = [
        {
            "id": anchor(f"section-{number}"),
            "section": section,
            "statements": failed_first(section.statements),
            "tables": [
                {"id": anchor(f"table-{number}"), "table": table, "numeric": numeric_columns(table)}
                for table in section.tables
            ],
            "figures": [figure_entry(figure) for figure in section.figures],
        }
        for number, section in enumerate(report.sections, start=1)
    ]
    return anchors, sections


def plain(name: str) -> str:
    """A name with nothing but letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)


def numeric_columns(table: Table) -> list[bool]:
    """For each column whether it has numbers; a row with another length than the headings is an error."""
    for number, row in enumerate(table.rows, start=1):
        if len(row) != len(table.columns):
            raise ValueError(
                f"table {table.title!r}: row {number} has {len(row)} cells, but there are {len(table.columns)} columns"
            )
    if table.verdict_column is not None and table.verdict_column not in table.columns:
        raise ValueError(f"table {table.title!r} has no column {table.verdict_column!r}")
    columns = [[row[place] for row in table.rows] for place in range(len(table.columns))]
    return [any(map(is_number, cells)) and not any(isinstance(cell, str) for cell in cells) for cells in columns]


def is_number(cell: Cell) -> bool:
    """Whether a cell has a number."""
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def shown(cell: Cell) -> str:
    """A cell as text: whole numbers in groups of three, others to four digits."""
    match cell:
        case None:
            return "\N{EN DASH}"
        case bool():
            return "yes" if cell else "no"
        case int():
            return f"{cell:,}"
        case float():
            return f"{cell:.4g}"
        case tuple():
            return "; ".join(cell)
        case Link():
            return cell.text
        case _:
            return cell


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, separated by empty lines."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
