"""Pages: the results of each kind of experiment, on the terminal and as one page of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.analyse.results import Results
    from penstock.show.report import Report

PAGE = "report.html"


def page_of(results: Results) -> Report:
    """The page of an experiment's results: of any kind."""
    from penstock.show.kinds import output_of

    return output_of(results).page(results)


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
