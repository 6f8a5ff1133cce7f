"""Pages: what each kind of experiment shows, on the terminal and as one page of HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never, cast

if TYPE_CHECKING:
    from penstock.experiment import Kind
    from penstock.report import Report
    from penstock.results import Results


def page_of(results: Results) -> Report:
    """The page of what an experiment left: a sweep, a comparison or a study."""
    from penstock.pages import comparison, study, sweep

    kind = cast("Kind", results.about["kind"])
    match kind:  # the type checker sees to it that none is forgotten
        case "sweep":
            return sweep.page_of(results)
        case "comparison":
            return comparison.page_of(results)
        case "study":
            return study.page_of(results)
    assert_never(kind)
