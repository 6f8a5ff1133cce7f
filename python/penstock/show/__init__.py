"""Pages: the results of each kind of experiment, on the terminal and as one page of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never, cast

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.analyse.results import Results
    from penstock.execute.experiment import Kind
    from penstock.show.report import Report

PAGE = "report.html"


def page_of(results: Results) -> Report:
    """The page of an experiment's results: of any kind."""
    from penstock.show import capacity, comparison, league, search, study, sweep

    kind = cast("Kind", results.about["kind"])
    match kind:  # the type checker checks that no kind is missing
        case "sweep":
            return sweep.page_of(results)
        case "comparison":
            return comparison.page_of(results)
        case "league":
            return league.page_of(results)
        case "study":
            return study.page_of(results)
        case "search":
            return search.page_of(results)
        case "capacity":
            return capacity.page_of(results)
    assert_never(kind)


def write_page(results: Results, path: Path | None = None) -> Path:
    """Write the page of an experiment's results, and return its path.

    By default that is ``report.html`` in their directory, and the data of the figures are written into ``data`` beside
    it. A page at another `path` has links to the data that are there.
    """
    from penstock.core.files import prepare, write_text
    from penstock.show.data import linked, sheets_of, write_data
    from penstock.show.report import write

    report = page_of(results)
    if path is None:
        write_data(sheets_of(report), results.directory)
        for name, text in report.files.items():
            file = results.directory / name
            prepare(file.parent)
            write_text(file, text)
    place = path or results.directory / PAGE
    write(linked(report, results.directory), place)
    return place
