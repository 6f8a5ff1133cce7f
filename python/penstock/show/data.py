"""The data of figures as files beside a page, and the links to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.core.files import prepare, replacing
from penstock.plot import Panel, Sheet
from penstock.show.report import Figure, Report

if TYPE_CHECKING:
    Rows = Sequence[Mapping[str, Any]]

FOLDER, DRAWINGS = "data", "figures"
"""The folders of data and of drawings, in the directory of an experiment."""


def sheets_of(report: Report) -> list[Sheet]:
    """All figures of a page."""
    return [figure.sheet for section in report.sections for figure in section.figures]


def write_data(sheets: Sequence[Sheet], directory: Path, more: Mapping[str, Rows] | None = None) -> None:
    """Write the data of figures into ``data``, one table for each kind of figure, and further tables by their names."""
    kinds = {
        "figures": (*figure_rows(sheets), *row_rows(sheets)),
        "maps": tuple(map_rows(sheets)),
        "series": tuple(series_rows(sheets)),
        "distributions": tuple(tail_rows(sheets)),
        "spots": tuple(spot_rows(sheets)),
        **(more or {}),
    }
    folder = prepare(directory / FOLDER)
    for name, rows in kinds.items():
        write_rows(rows, folder / name)


def linked(report: Report, directory: Path, *, drawings: Path | None = None) -> Report:
    """A report with links to those files of its data that are in the directory.

    The drawings are in the folder `figures` of that directory, if no other folder is given.
    """
    pictures = drawings or directory / DRAWINGS
    found = sorted(path.relative_to(directory).as_posix() for path in (directory / FOLDER).glob("*.csv"))
    found += [name for name in ("claims.json",) if (directory / name).is_file()]
    sections = [
        replace(
            section,
            figures=[
                replace(figure, data={**links(figure, directory, pictures), **figure.data})
                for figure in section.figures
            ],
        )
        for section in report.sections
    ]
    return replace(report, sections=sections, folder=directory, data={Path(name).name: name for name in found})


def links(figure: Figure, directory: Path, drawings: Path) -> dict[str, str]:
    """The files of a figure that are in the directory: its table of values, and its drawings."""
    name = figure.sheet.name
    tables = {
        "figures": any(panel.curves or panel.rows for panel in figure.sheet.panels),
        "maps": any(panel.cells for panel in figure.sheet.panels),
        "series": any(panel.traces for panel in figure.sheet.panels),
        "distributions": any(panel.tails for panel in figure.sheet.panels),
        "spots": any(panel.spots for panel in figure.sheet.panels),
    }
    wanted = {f"{table}.csv (figure = {name})": f"{FOLDER}/{table}.csv" for table, is_in in tables.items() if is_in}
    for suffix in ("svg", "png"):
        wanted[f"{name}.{suffix}"] = (drawings / f"{name}.{suffix}").relative_to(directory).as_posix()
    return {text: path for text, path in wanted.items() if (directory / path).is_file()}


def figure_rows(sheets: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    """The data of curves, one row per curve, x and seed; seed 0 where the value is exact."""
    return (
        {**place(sheet, panel), "curve": curve.label, "x": x, "seed": seed, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        for curve in panel.curves
        for x, values in curve.points.items()
        for seed, value in sorted(values.items())
    )


def row_rows(sheets: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    """The data of figures with one row per name: x is the name, and seed counts the replications."""
    return (
        {**place(sheet, panel), "curve": "", "x": name, "seed": number, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        for name, values in (panel.rows or {}).items()
        for number, value in enumerate(values, start=1)
    )


def map_rows(sheets: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    """The data of heat maps, one row per cell: means over seeds."""
    return (
        {**place(sheet, panel), "quantity": panel.cells.quantity, "x": x, "y": y, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        if panel.cells is not None
        for y, values in zip(panel.cells.lines, panel.cells.values, strict=True)
        for x, value in zip(panel.cells.columns, values, strict=True)
    )


def series_rows(sheets: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    """The data drawn against time, one row per reading."""
    return (
        {**place(sheet, panel), "curve": trace.label, "x": x, "value": value}
        for sheet in sheets
        for panel in sheet.panels
        for trace in panel.traces
        for x, value in zip(trace.x, trace.y, strict=True)
    )


def tail_rows(sheets: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    """The data of distributions, one row per value: how often it was measured."""
    return (
        {**place(sheet, panel), "curve": tail.label, "x": x, "count": count}
        for sheet in sheets
        for panel in sheet.panels
        for tail in panel.tails
        for x, count in tail.counts.items()
    )


def spot_rows(sheets: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    """The data of figures with one quantity against another, one row per name."""
    return (
        {
            **place(sheet, panel),
            "against": panel.x_label,
            "curve": spot.label,
            "x": spot.x.mean,
            "x_low": spot.x.low,
            "x_high": spot.x.high,
            "value": spot.y.mean,
            "low": spot.y.low,
            "high": spot.y.high,
        }
        for sheet in sheets
        for panel in sheet.panels
        for spot in panel.spots
    )


def place(sheet: Sheet, panel: Panel) -> dict[str, str]:
    """The place of a value in the figures."""
    return {"figure": sheet.name, "panel": panel.title, "quantity": panel.y_label}


def write_rows(rows: Rows, path: Path) -> None:
    """Write one table as CSV and as Parquet; x is text if some x are names. Without rows, remove an earlier one."""
    import polars as pl

    files = [path.with_name(f"{path.name}.{suffix}") for suffix in ("csv", "parquet")]
    if not rows:
        for file in files:
            file.unlink(missing_ok=True)
        return
    if any(isinstance(row.get("x"), str) for row in rows):
        rows = [{**row, "x": str(row["x"])} for row in rows]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    with replacing(files) as (text, binary):
        frame.write_csv(text)
        frame.write_parquet(binary)
