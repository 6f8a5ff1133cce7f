"""A report: one HTML file with figures, tables, verdicts, every parameter, and the commands to run it again.

The caller gives the content in the structures below; `html` makes the page. It refers to nothing outside
itself and runs no script; the same data give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import chain, count
from pathlib import Path
from typing import Any

from penstock.core.files import write_text
from penstock.plot import Sheet, inline

Cell = str | int | float | tuple[str, ...] | None
"""A cell of a table; several texts are a list, one in a line."""

ANCHORS = ("contents", "parameters", "versions")
"""Anchors that every page may have."""

VERDICTS = {
    "reproduced": ("good", "✓"),
    "partly": ("fair", "≈"),
    "not reproduced": ("poor", "✗"),
    "too few replications": ("fair", "?"),
}
"""The style of each verdict: a colour, and a sign for readers without colours. Others have no style."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings. Numbers are right-aligned, None is a dash; one column may have verdicts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    verdict_column: str | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, and the command that makes it again."""

    sheet: Sheet
    command: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Text (an empty line between paragraphs), then tables, then figures."""

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report.

    Attributes:
        title: its title.
        summary: its first paragraphs.
        sections: its sections, in order.
        parameters: each scenario that was run, as TOML, by its name.
        versions: those of the programs used.
        command: the command for the whole report.
        complete: whether all its runs have finished.
    """

    title: str
    summary: str
    sections: Sequence[Section]
    parameters: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    complete: bool = True


def write(report: Report, path: Path) -> None:
    """Write the page of a report. Raises ``OSError`` if it cannot be written; then nothing has changed."""
    write_text(path, html(report))


def html(report: Report) -> str:
    """A report as one page of HTML."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    shared, drawings = inline(figure.sheet for section in report.sections for figure in section.figures)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(paragraphs=paragraphs, shown=shown)
    template = environment.from_string(files("penstock.show").joinpath("report.html.jinja").read_text(encoding="utf-8"))
    return template.render(
        report=report,
        sections=placed(report, [Markup(drawing) for drawing in drawings]),  # noqa: S704 - made by `inline`
        shared=Markup(shared),  # noqa: S704 - made by `inline`
        verdicts=VERDICTS,
    )


def placed(report: Report, drawings: Sequence[str]) -> list[dict[str, Any]]:
    """Sections for the page: with drawings, and with the anchors of its table of contents."""
    drawing = iter(drawings)
    taken = set(ANCHORS)

    def anchor(name: str) -> str:
        """A name as a unique anchor; those of figures stay the same when other figures change."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name)
        free = next(each for each in chain([plain], (f"{plain}-{n}" for n in count(2))) if each not in taken)
        taken.add(free)
        return free

    return [
        {
            "id": anchor(f"section-{number}"),
            "section": section,
            "tables": [
                {"id": anchor(f"table-{number}"), "table": table, "numeric": numeric_columns(table)}
                for table in section.tables
            ],
            "figures": [
                {"id": anchor(figure.sheet.name), "figure": figure, "drawing": next(drawing)}
                for figure in section.figures
            ],
        }
        for number, section in enumerate(report.sections, start=1)
    ]


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
        case _:
            return cell


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, separated by empty lines."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
